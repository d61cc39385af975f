// Package oauthapi answers the authorization server's routes in OAuth's own forms: JSON with its own errors for
// applications, pages that work without JavaScript for people.
package oauthapi

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/signin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Sessions finds a live session of the browser app, or fails with access.ErrUnauthenticated or errs.ErrUnavailable.
type Sessions interface {
	Check(ctx context.Context, value string) (authn.SessionRecord, error)
}

// ProviderTokens keep the refresh tokens that come with sign-ins.
type ProviderTokens interface {
	// Keep takes the token of a person who has signed in; "" is none. It does what it can: the sign-in stands.
	Keep(ctx context.Context, c access.Caller, token string)
}

// API holds what the handlers need.
type API struct {
	Server   *oauth.Server
	SignIn   *signin.Provider
	Sessions Sessions
	Tokens   ProviderTokens
	Scopes   []string // which applications are told to ask for at first
	Log      *slog.Logger
}

// Mount lays the routes on r, whose callers have shown internal tokens. The caller from outside is nobody: what a
// request carries itself decides.
func (a *API) Mount(r gin.IRouter) {
	g := r.Group("/", httpauth.Require(func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }, access.Public))
	g.GET("/.well-known/oauth-authorization-server", a.json(a.metadata))
	g.GET("/.well-known/oauth-protected-resource", a.json(a.resource))
	g.GET("/.well-known/oauth-protected-resource/api/mcp", a.json(a.resource))
	g.POST("/oauth/register", a.json(a.register))
	g.POST("/oauth/token", a.json(a.token))
	g.POST("/oauth/revoke", a.json(a.revoke))
	g.GET("/oauth/authorize", a.page(a.authorize, notAllowed))
	g.GET("/oauth/callback", a.page(a.callback, notAllowed))
	g.POST("/oauth/consent", a.page(a.consent, perhapsAllowed))
}

func (a *API) metadata(c *gin.Context) error {
	base := a.Server.Issuer

	metadata := gin.H{
		"issuer":                                         base,
		"authorization_endpoint":                         base + "/oauth/authorize",
		"token_endpoint":                                 base + "/oauth/token",
		"registration_endpoint":                          base + "/oauth/register",
		"revocation_endpoint":                            base + "/oauth/revoke",
		"jwks_uri":                                       base + "/.well-known/jwks.json",
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{oauth.CodeGrant, oauth.RefreshGrant},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"revocation_endpoint_auth_methods_supported":     []string{"none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"scopes_supported":                               oauth.Scopes(),
		"client_id_metadata_document_supported":          true,
		"authorization_response_iss_parameter_supported": true,
		"protected_resources":                            []string{a.Server.Resource()},
	}
	if a.Server.Assertions != nil {
		metadata["grant_types_supported"] = []string{oauth.CodeGrant, oauth.RefreshGrant, oauth.AssertionGrant}
		metadata["authorization_grant_profiles_supported"] = []string{oauth.AssertionProfile}
		metadata["token_endpoint_auth_methods_supported"] = []string{"none", "private_key_jwt"}
		metadata["token_endpoint_auth_signing_alg_values_supported"] = oauth.ProofAlgorithms()
	}

	return public(c, metadata)
}

// resource describes the MCP endpoint. Its scopes are what a client asks for when it saw no challenge.
func (a *API) resource(c *gin.Context) error {
	return public(c, gin.H{
		"resource": a.Server.Resource(), "resource_name": "Subrosa", "authorization_servers": []string{a.Server.Issuer},
		"scopes_supported": a.Scopes, "bearer_methods_supported": []string{"header"},
	})
}

// public answers with what everybody may know and keep for five minutes.
func public(c *gin.Context, v any) error {
	c.Header("Cache-Control", "public, max-age=300")
	c.Header("Pragma", "") // takes it away

	return httpx.JSON(c, http.StatusOK, v)
}

// Limits of bodies, in bytes.
const maxBody = 64 << 10

// registration is what of RFC 7591 is looked at. Everything else that a client sends is passed over, secrets and all.
type registration struct {
	Name      string   `json:"client_name"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"` // must be text, and is none whatever it says
	Scope     string   `json:"scope"`                      // must be text; what is asked for decides
}

// registered answers a registration. What the client did not give is absent: some take null for a mistake.
type registered struct {
	ID        string   `json:"client_id"`
	Issued    int64    `json:"client_id_issued_at"`
	Name      string   `json:"client_name,omitempty"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
}

var errMetadata = &oauth.Refusal{
	Code: "invalid_client_metadata",
	Text: "The body must be a JSON object of at most 64 KiB, each name once, with redirect_uris.",
}

func (a *API) register(c *gin.Context) error {
	if media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || media != "application/json" {
		return errMetadata
	}
	body, err := httpx.ReadBody(c, maxBody)
	if err != nil {
		return errMetadata
	}
	var in registration
	if strictjson.DecodeStranger(body, &in) != nil {
		return errMetadata
	}

	client, err := a.Server.Register(c.Request.Context(), oauth.Described{
		Name:      in.Name,
		Redirects: in.Redirects,
		Grants:    in.Grants,
		Responses: in.Responses,
	}, c.GetHeader(httpx.HeaderClientAddress))
	if err != nil {
		return err
	}
	out := registered{
		ID:        client.ID,
		Issued:    client.Registered.Unix(),
		Name:      strings.TrimSpace(in.Name),
		Redirects: client.Redirects,
		Grants:    []string{oauth.CodeGrant},
		Responses: []string{"code"},
		Method:    "none",
	}
	if client.Refresh {
		out.Grants = append(out.Grants, oauth.RefreshGrant)
	}

	return httpx.JSON(c, http.StatusCreated, out)
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Life    int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token,omitempty"`
	Scope   string `json:"scope"`
}

func (a *API) token(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	var t oauth.Tokens
	ctx := c.Request.Context()

	switch form.Get("grant_type") {
	case oauth.CodeGrant:
		if err := need(form, "client_id", "code", "redirect_uri", "code_verifier"); err != nil {
			return err
		}
		t, err = a.Server.Redeem(ctx, oauth.Exchange{
			ClientID: form.Get("client_id"),
			Code:     form.Get("code"),
			Redirect: form.Get("redirect_uri"),
			Verifier: form.Get("code_verifier"),
			Resource: form["resource"],
		})
	case oauth.RefreshGrant:
		if err := need(form, "client_id", "refresh_token"); err != nil {
			return err
		}
		t, err = a.Server.Renew(ctx, oauth.Renewal{
			ClientID: form.Get("client_id"),
			Token:    form.Get("refresh_token"),
			Scope:    form.Get("scope"),
			Resource: form["resource"],
		})
	case oauth.AssertionGrant:
		if err := need(form, "assertion"); err != nil {
			return err
		}
		t, err = a.Server.Assert(ctx, oauth.Asserted{
			ClientID:  form.Get("client_id"),
			Assertion: form.Get("assertion"),
			Scope:     form.Get("scope"),
			Resource:  form["resource"],
			Proof:     oauth.Proof{Type: form.Get("client_assertion_type"), Token: form.Get("client_assertion")},
			From:      c.GetHeader(httpx.HeaderClientAddress),
		})
	case "":
		return need(form, "grant_type")
	default:
		return &oauth.Refusal{
			Code: "unsupported_grant_type",
			Text: "grant_type must be one of grant_types_supported in the metadata of this server.",
		}
	}
	if err != nil {
		return err
	}

	return httpx.JSON(
		c,
		http.StatusOK,
		tokens{t.Access, "Bearer", int(t.Life.Seconds()), t.Refresh, strings.Join(t.Scopes, " ")},
	)
}

func (a *API) revoke(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if err := need(form, "token"); err != nil {
		return err
	}
	if err := a.Server.Revoke(c.Request.Context(), form.Get("token"), form.Get("client_id")); err != nil {
		return err
	}
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()

	return nil
}

func invalid(text string) *oauth.Refusal { return &oauth.Refusal{Code: "invalid_request", Text: text} }

// readForm reads the body of a POST. resource may stand there several times, everything else once.
func readForm(c *gin.Context) (url.Values, error) {
	media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return nil, invalid("Send the parameters as application/x-www-form-urlencoded.")
	}
	body, err := httpx.ReadBody(c, maxBody)
	if err != nil {
		return nil, invalid("The body is too large or did not arrive whole.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("The body is not well formed.")
	}

	for name, values := range form {
		if len(values) > 1 && name != "resource" {
			return nil, invalid("Each parameter may be given once.")
		}
	}

	return form, nil
}

// need refuses a form that lacks one of names.
func need(form url.Values, names ...string) error {
	if i := slices.IndexFunc(names, func(name string) bool { return form.Get(name) == "" }); i >= 0 {
		return invalid(names[i] + " is required.")
	}

	return nil
}

// failure is an error answer of OAuth.
type failure struct {
	Code string `json:"error"`
	Text string `json:"error_description,omitempty"`
}

// json lets a handler return its failure. Nothing that it answers may be kept, but for what says otherwise.
func (a *API) json(h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("Cache-Control", "no-store")
		c.Header("Pragma", "no-cache")
		err := h(c)
		if err == nil {
			return
		}
		c.Abort()
		c.Header("Cache-Control", "no-store")
		status, f, wait := a.failure(c, err)
		if wait > 0 {
			c.Header("Retry-After", strconv.Itoa(wait))
		}
		httpx.Refuse(c, errs.New(kindOf(err), f.Code, f.Text))
		_ = httpx.JSON(c, status, f) // two strings can be encoded
	}
}

// failure is the one table of OAuth's errors: status, body, and seconds to wait.
func (a *API) failure(c *gin.Context, err error) (int, failure, int) {
	var refusal *oauth.Refusal
	if errors.As(err, &refusal) && !errors.Is(err, errs.ErrUnavailable) {
		status := http.StatusBadRequest
		if errors.Is(refusal, oauth.ErrInvalidClient) {
			status = http.StatusUnauthorized
		}

		return status, failure{refusal.Code, refusal.Text}, 0
	}
	a.note(c, err)
	if e := errs.From(err); e.Kind == errs.TooMany {
		return http.StatusTooManyRequests, failure{"temporarily_unavailable", e.Message}, int(e.RetryAfter.Seconds())
	}
	if errs.From(err).Kind == errs.Unavailable {
		return http.StatusServiceUnavailable, failure{
			"temporarily_unavailable",
			"The service cannot answer at the moment. Try again after the time in Retry-After.",
		}, 2
	}

	return http.StatusInternalServerError, failure{"server_error", "Something went wrong on our side. Try again."}, 0
}

// kindOf is the kind of a failure. A refusal of the protocol is input that cannot be accepted.
func kindOf(err error) errs.Kind {
	var refusal *oauth.Refusal
	if errors.As(err, &refusal) {
		return errs.Invalid
	}

	return errs.From(err).Kind
}

// note logs what is ours to mend.
func (a *API) note(c *gin.Context, err error) {
	ctx := c.Request.Context()
	switch {
	case ctx.Err() != nil:
		// The caller left.
	case errs.From(err).Kind == errs.Unavailable:
		a.Log.WarnContext(ctx, "request could not be served", "route", c.FullPath(), "err", err)
	case errs.From(err).Kind == errs.Internal:
		a.Log.ErrorContext(ctx, "request failed", "route", c.FullPath(), "err", err)
	}
}
