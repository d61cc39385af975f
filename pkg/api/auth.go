package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// MintKey asks auth-svc for the key of a new agent. The tenant is the caller's.
type MintKey struct {
	AgentID string   `json:"agentId"`
	UserID  string   `json:"userId"`
	Roles   []string `json:"roles"` // of the session that issued the registration token
}

// MintedKey is the only time that a key leaves auth-svc.
type MintedKey struct {
	APIKey string `json:"apiKey"`
}

// AgentUse says when an agent last exchanged its key.
type AgentUse struct {
	LastUsedAt *Instant `json:"lastUsedAt"`
	Ended      bool     `json:"ended"` // its keys are no good any more
}

// EndedAgents lists agents that were disconnected lately.
type EndedAgents struct {
	AgentIDs []string `json:"agentIds"`
	Next     Instant  `json:"next"` // ask again with since = next
}

// SignIn reports the first use of a user's access token at the gateway.
type SignIn struct {
	Token string `json:"token"`
}

// RefusedCall reports, for the audit chain, that a known caller was refused at the gateway. Of many alike one is
// reported.
type RefusedCall struct {
	Tenant   string `json:"tenant"`
	Kind     string `json:"kind"` // of the caller
	ID       string `json:"id"`   // of the caller
	UserID   string `json:"userId,omitempty"`
	Decision string `json:"decision"` // revoked or limited
	Code     string `json:"code"`     // of the error answer
	Route    string `json:"route"`    // method and template
}

// SignOut is the body of POST /auth/logout, which may be absent.
type SignOut struct {
	Everywhere bool `json:"everywhere"` // end all sessions of the user, not this browser's alone
}

// SignedOut answers POST /auth/logout.
type SignedOut struct {
	Next string `json:"next"` // where the browser goes on to: out of the identity provider if that is possible, else /
}

// ContinueRun asks auth-svc for the token by which a run goes on whose process has died.
type ContinueRun struct {
	Voucher string `json:"voucher"` // of case-svc; see Continuation
	// Look asks whether the caller still stands, and for no token.
	Look bool `json:"look,omitempty"`
}

// ContinuationToken is an internal token for one phase, or empty after a look.
type ContinuationToken struct {
	Token string `json:"token"`
}

// AuthClient calls the inside routes of auth-svc.
type AuthClient struct{ HTTP *httpx.Client }

// MintKey makes the key of an agent. Asking twice for one agent replaces the key, so that a lost answer can be repaired.
func (c AuthClient) MintKey(ctx context.Context, in MintKey) (MintedKey, error) {
	var out MintedKey
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: "/internal/keys", In: in, Out: &out})

	return out, err
}

// EndAgent ends an agent's key and every bearer. It is safe to repeat.
func (c AuthClient) EndAgent(ctx context.Context, agentID string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodDelete, Path: httpx.Path("internal", "agents", agentID)})
	return err
}

// AgentUse tells when an agent last exchanged its key.
func (c AuthClient) AgentUse(ctx context.Context, agentID string) (AgentUse, error) {
	var out AgentUse
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: httpx.Path("internal", "agents", agentID), Out: &out})

	return out, err
}

// EndedAgents lists agents that were ended at or after since, over all tenants.
func (c AuthClient) EndedAgents(ctx context.Context, since time.Time) (EndedAgents, error) {
	var out EndedAgents
	query := url.Values{"since": {At(since).Format(time.RFC3339Nano)}}
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/internal/ended", Query: query, Out: &out})

	return out, err
}

// RecordSignIn audits the first use of a user's access token; auth-svc checks the token again.
func (c AuthClient) RecordSignIn(ctx context.Context, token string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: "/internal/sign-ins", In: SignIn{token}})
	return err
}

// RecordRefusal puts a refusal at the gateway on the tenant's audit chain.
func (c AuthClient) RecordRefusal(ctx context.Context, in RefusedCall) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: "/internal/refusals", In: in})
	return err
}

// ContinueRun returns the internal token by which a run goes on in the name of whoever asked for it. The error has
// the code caller_gone when nobody may act for them any more.
func (c AuthClient) ContinueRun(ctx context.Context, voucher string) (string, error) {
	var out ContinuationToken
	_, err := c.HTTP.Do(ctx, httpx.Request{
		Method: http.MethodPost, Path: "/internal/continuations", In: ContinueRun{Voucher: voucher}, Out: &out,
	})

	return out.Token, err
}

// CallerStands returns nil when whoever asked for a run still has access, and the error of ContinueRun otherwise. It
// starts nothing.
func (c AuthClient) CallerStands(ctx context.Context, voucher string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{
		Method: http.MethodPost, Path: "/internal/continuations", In: ContinueRun{Voucher: voucher, Look: true},
	})

	return err
}

// KeySet fetches the public keys of auth-svc as a JSON Web Key Set.
func (c AuthClient) KeySet(ctx context.Context) ([]byte, error) {
	var out rawJSON
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/.well-known/jwks.json", Out: &out})

	return out, err
}

type rawJSON []byte

// UnmarshalJSON keeps the bytes.
func (r *rawJSON) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// RegistryClient calls registry-svc for the gateway.
type RegistryClient struct{ HTTP *httpx.Client }

// Me returns the connected agent of the caller, or errs.ErrNotFound.
func (c RegistryClient) Me(ctx context.Context) (Agent, error) {
	var out Agent
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/internal/agents/me", Out: &out})

	return out, err
}

func limitQuery(limit int) url.Values { return url.Values{"limit": {strconv.Itoa(limit)}} }
