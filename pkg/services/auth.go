package services

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// AuthClient calls the inside routes of auth-svc.
type AuthClient struct{ HTTP *httpcall.Client }

// MintKey makes the key of an agent. Asking twice for one agent replaces the key, so that a lost answer can be
// repaired.
func (c AuthClient) MintKey(ctx context.Context, in api.MintKey) (api.MintedKey, error) {
	return call[api.MintedKey](ctx, c.HTTP, httpcall.Request{Method: http.MethodPost, Path: "/internal/keys", In: in})
}

// EndAgent ends an agent's key and every bearer. It is safe to repeat.
func (c AuthClient) EndAgent(ctx context.Context, agentID string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodDelete, Path: httpcall.Path("internal", "agents", agentID),
	})
}

// AgentUse tells when an agent last exchanged its key.
func (c AuthClient) AgentUse(ctx context.Context, agentID string) (api.AgentUse, error) {
	return call[api.AgentUse](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("internal", "agents", agentID),
	})
}

// EndedAgents lists agents that were ended at or after since, over all tenants.
func (c AuthClient) EndedAgents(ctx context.Context, since time.Time) (api.EndedAgents, error) {
	query := url.Values{"since": {api.At(since).Format(time.RFC3339Nano)}}

	return call[api.EndedAgents](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/ended", Query: query,
	})
}

// RecordSignIn audits the first use of a user's access token; auth-svc checks the token again.
func (c AuthClient) RecordSignIn(ctx context.Context, token string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/sign-ins", In: api.SignIn{Token: token},
	})
}

// RecordRefusal puts a refusal at the gateway on the tenant's audit chain.
func (c AuthClient) RecordRefusal(ctx context.Context, in api.RefusedCall) error {
	return send(ctx, c.HTTP, httpcall.Request{Method: http.MethodPost, Path: "/internal/refusals", In: in})
}

// ContinueRun returns the internal token by which a run goes on in the name of whoever asked for it. The error has
// the code caller_gone when nobody may act for them any more.
func (c AuthClient) ContinueRun(ctx context.Context, voucher string) (string, error) {
	var out api.ContinuationToken
	_, err := c.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/continuations", In: api.ContinueRun{Voucher: voucher}, Out: &out,
	})

	return out.Token, err
}

// CallerStands returns nil when whoever asked for a run still has access, and the error of ContinueRun otherwise. It
// starts nothing.
func (c AuthClient) CallerStands(ctx context.Context, voucher string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/continuations", In: api.ContinueRun{Voucher: voucher, Look: true},
	})
}

// KeySet fetches the public keys of auth-svc as a JSON Web Key Set.
func (c AuthClient) KeySet(ctx context.Context) ([]byte, error) {
	return call[rawJSON](ctx, c.HTTP, httpcall.Request{Method: http.MethodGet, Path: "/.well-known/jwks.json"})
}

type rawJSON []byte

// UnmarshalJSON keeps the bytes.
func (r *rawJSON) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// Members lists members of the caller's organization.
func (c AuthClient) Members(ctx context.Context, cursor string, limit int) (api.MemberList, error) {
	query := limitQuery(limit)
	if cursor != "" {
		query.Set("cursor", cursor)
	}

	return call[api.MemberList](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/v1/members", Query: query,
	})
}
