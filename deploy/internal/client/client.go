// Package client speaks Subrosa's public interface: what the command line, the demonstration, the end-to-end tests and
// the benchmarks share of being a caller.
package client

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Client calls the service at one address with one credential.
type Client struct{ http *httpcall.Client }

// New returns a client of the service at base. token gives the bearer for each call; nil means none.
func New(base string, transport http.RoundTripper, token httpcall.Credential) (*Client, error) {
	c, err := httpcall.NewClient(base, token, telemetry.Discard("client", io.Discard), transport)
	if err != nil {
		return nil, err
	}

	return &Client{c}, nil
}

// Bearer is a credential that never changes.
func Bearer(token string) httpcall.Credential {
	return func(context.Context) (string, error) { return token, nil }
}

func call[T any](ctx context.Context, c *Client, r httpcall.Request) (T, error) {
	var out T
	r.Out = &out
	_, err := c.http.Do(ctx, r)

	return out, err
}

// RegistrationToken asks for a token that connects an agent.
func (c *Client) RegistrationToken(ctx context.Context) (api.RegistrationToken, error) {
	return call[api.RegistrationToken](
		ctx,
		c,
		httpcall.Request{Method: http.MethodPost, Path: "/v1/agents/registration-token"},
	)
}

// Register connects an agent.
func (c *Client) Register(ctx context.Context, token, cardURL string) (api.RegisteredAgent, error) {
	return call[api.RegisteredAgent](ctx, c, httpcall.Request{
		Method: http.MethodPost,
		Path:   "/v1/agents/register",
		In:     api.RegisterRequest{RegistrationToken: token, AgentCardURL: cardURL},
	})
}

// Agent returns the caller's connected agent.
func (c *Client) Agent(ctx context.Context) (api.Agent, error) {
	return call[api.Agent](ctx, c, httpcall.Request{Method: http.MethodGet, Path: "/v1/agents/me"})
}

// Me returns who the caller is.
func (c *Client) Me(ctx context.Context) (api.Me, error) {
	return call[api.Me](ctx, c, httpcall.Request{Method: http.MethodGet, Path: "/v1/me"})
}

// Disconnect ends an agent.
func (c *Client) Disconnect(ctx context.Context, agentID string) error {
	_, err := c.http.Do(ctx, httpcall.Request{Method: http.MethodDelete, Path: httpcall.Path("v1", "agents", agentID)})
	return err
}

// Health returns nil when the agent's card can be fetched and is valid.
func (c *Client) Health(ctx context.Context, agentID string) error {
	_, err := c.http.Do(
		ctx,
		httpcall.Request{Method: http.MethodGet, Path: httpcall.Path("v1", "agents", agentID, "health")},
	)

	return err
}

// Exchange exchanges an API key for a bearer.
func (c *Client) Exchange(ctx context.Context, key string) (api.BearerToken, error) {
	return call[api.BearerToken](
		ctx,
		c,
		httpcall.Request{Method: http.MethodPost, Path: "/v1/auth/token", In: api.TokenRequest{APIKey: key}},
	)
}

// NewCase is what a case is created with.
type NewCase struct {
	Title        string     `json:"title,omitempty"`
	MatterKind   string     `json:"matterKind,omitempty"`
	Jurisdiction string     `json:"jurisdiction,omitempty"`
	Side         string     `json:"side,omitempty"`
	Forum        *api.Forum `json:"forum,omitempty"`
	Stakes       []string   `json:"stakes,omitempty"`
	Tags         []string   `json:"tags,omitempty"`
}

// Vault returns the caller's vault and the tag that a change of it names.
func (c *Client) Vault(ctx context.Context) (v api.Vault, tag string, err error) {
	head, err := c.http.Do(ctx, httpcall.Request{Method: http.MethodGet, Path: "/v1/vault", Out: &v})
	return v, head.Get("ETag"), err
}

// CreateCase creates a case.
func (c *Client) CreateCase(ctx context.Context, in NewCase) (api.Case, error) {
	return call[api.Case](ctx, c, httpcall.Request{Method: http.MethodPost, Path: "/v1/cases", In: in})
}

// Case returns a case.
func (c *Client) Case(ctx context.Context, id string) (api.Case, error) {
	return call[api.Case](ctx, c, httpcall.Request{Method: http.MethodGet, Path: httpcall.Path("v1", "cases", id)})
}

// DeleteCase deletes a case.
func (c *Client) DeleteCase(ctx context.Context, id string) error {
	_, err := c.http.Do(ctx, httpcall.Request{Method: http.MethodDelete, Path: httpcall.Path("v1", "cases", id)})
	return err
}

// Cases returns one page of cases, the latest changed first.
func (c *Client) Cases(ctx context.Context, cursor string, limit int) (api.Page[api.CaseRow], error) {
	return call[api.Page[api.CaseRow]](
		ctx,
		c,
		httpcall.Request{Method: http.MethodGet, Path: "/v1/cases", Query: page(cursor, limit)},
	)
}

// Files returns one page of a case's files, the latest first.
func (c *Client) Files(ctx context.Context, caseID, cursor string, limit int) (api.Page[api.File], error) {
	return call[api.Page[api.File]](ctx, c, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "cases", caseID, "files"),
		Query:  page(cursor, limit),
	})
}

func page(cursor string, limit int) url.Values {
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}

	return q
}

// FileText returns a range of a file's text.
func (c *Client) FileText(ctx context.Context, caseID, fileID string, from, to int) (api.FileText, error) {
	q := url.Values{"from": {strconv.Itoa(from)}}
	if to > 0 {
		q.Set("to", strconv.Itoa(to))
	}

	return call[api.FileText](ctx, c, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "cases", caseID, "files", fileID, "text"),
		Query:  q,
	})
}

// Upload adds a file to a case. The media type is told to the service, which looks for itself.
func (c *Client) Upload(ctx context.Context, caseID, name, mediaType string, body io.Reader) (api.File, error) {
	header := http.Header{
		"Content-Type":        {mediaType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
	}
	got, err := call[struct {
		Items []api.File `json:"items"`
	}](ctx, c, httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("v1", "cases", caseID, "files"), Header: header, Body: body,
	})
	if err != nil {
		return api.File{}, err
	}
	if len(got.Items) != 1 {
		return api.File{}, errors.New("the service did not answer with the one file")
	}

	return got.Items[0], nil
}
