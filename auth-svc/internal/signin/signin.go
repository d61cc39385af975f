// Package signin signs a person in at the identity provider with a browser, for the browser app's sessions and so that
// the authorization server knows whom it asks. It is the only client of the provider that the service itself is;
// checking access tokens is done elsewhere.
package signin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"golang.org/x/oauth2"
)

const (
	callTime       = 5 * time.Second // for one call of the provider
	discoveryPause = 2 * time.Second // after a discovery that failed
	discoveryLife  = 24 * time.Hour  // after which what was discovered is looked up again
	discoveryRest  = time.Minute     // between two discoveries for ID tokens that cannot be checked
	maxName        = 100             // characters of a person's name that are shown
)

// Failures of a sign-in.
var (
	ErrNotConfigured = errs.New(
		errs.Unavailable,
		"sign_in_not_configured",
		"Signing in is not set up here: the operator has to register this service at the identity provider and set "+
			"OIDC_CLIENT_ID.",
	)
	ErrProviderAway = errs.New(
		errs.Unavailable,
		"provider_away",
		"The identity provider cannot be reached at the moment, so nobody can sign in. "+
			"Go back and try again in a minute.",
	).WithRetryAfter(30 * time.Second)
	ErrAnswer = errs.New(
		errs.Invalid,
		"sign_in_failed",
		"The identity provider's answer does not belong to this sign-in. "+
			"Nobody was signed in and nothing was allowed. Go back and begin again.",
	)
)

// Config says at which provider people sign in, and as which of its clients the service asks.
type Config struct {
	Issuer   string
	ClientID string // "" means that nobody can sign in
	Secret   string // "" for a public client
	Redirect string // where the provider sends the browser back to
	Scopes   []string
	// sent as the parameter audience, for providers that choose the access token's audience by it; "" sends none
	SendAudience string
	Transport    http.RoundTripper
	Now          func() time.Time
}

// Users checks access tokens.
type Users interface {
	Check(ctx context.Context, token string) (access.Caller, error)
}

// Provider signs people in. What it knows of the provider it learns when it is first needed, and again after a day or
// when an ID token cannot be checked with it. It is safe for concurrent use.
type Provider struct {
	cfg    Config
	users  Users
	client *http.Client

	mu      sync.Mutex
	known   *discovered
	learned time.Time
	retryAt time.Time
}

type discovered struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	saysIss  bool   // the provider names itself in its answers
	end      string // where a browser ends its sign-in at the provider, "" for nowhere
}

// New returns the provider of cfg. users tell tenant and roles from the access token, as everywhere.
func New(cfg Config, users Users) *Provider {
	return &Provider{cfg: cfg, users: users, client: &http.Client{Transport: cfg.Transport, Timeout: callTime}}
}

// Ready returns ErrNotConfigured, ErrProviderAway, or nil when people can be sent to the provider.
func (p *Provider) Ready(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

// Start is what a sign-in goes to the provider with.
type Start struct {
	State, Nonce, Verifier string
	Prompt, MaxAge         string // asked of the provider as they are, unless ""
}

// Address returns where a browser begins a sign-in.
func (p *Provider) Address(ctx context.Context, s Start) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}

	options := []oauth2.AuthCodeOption{oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)}
	for name, value := range map[string]string{"prompt": s.Prompt, "max_age": s.MaxAge} {
		if value != "" {
			options = append(options, oauth2.SetAuthURLParam(name, value))
		}
	}
	if p.cfg.SendAudience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", p.cfg.SendAudience))
	}

	return d.oauth.AuthCodeURL(s.State, options...), nil
}

// EndAddress returns where a browser ends its sign-in at the provider, which then sends it to back; "" when the
// provider has no such address, or cannot be asked for it now.
func (p *Provider) EndAddress(ctx context.Context, back string) string {
	d, err := p.discover(ctx)
	if err != nil || d.end == "" {
		return ""
	}
	u, err := url.Parse(d.end)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.cfg.ClientID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()

	return u.String()
}

// Person is who signed in. What names the person is never logged.
type Person struct {
	Caller  access.Caller
	Account string // by which the person knows the account: an e-mail address where there is one
	Name    string // by which the person is called
	Refresh string // the provider's refresh token, if it gave one
}

// Answer is what the provider sent with the browser.
type Answer struct{ Code, Issuer string }

// Finish exchanges the provider's code and returns who signed in: ErrAnswer when anything of it does not fit,
// ErrProviderAway when the provider cannot be asked.
func (p *Provider) Finish(ctx context.Context, a Answer, nonce, verifier string) (Person, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	if a.Code == "" || !d.from(a.Issuer, p.cfg.Issuer) {
		return Person{}, ErrAnswer
	}
	token, err := d.oauth.Exchange(
		context.WithValue(ctx, oauth2.HTTPClient, p.client), a.Code, oauth2.VerifierOption(verifier),
	)
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError {
			return Person{}, ErrAnswer
		}

		return Person{}, ErrProviderAway // the library's text may quote the answer
	}
	raw, _ := token.Extra("id_token").(string)
	if authn.Unambiguous(raw, p.cfg.Now()) != nil {
		return Person{}, ErrAnswer
	}
	var away bool
	id, err := d.verifier.Verify(context.WithValue(ctx, awayKey{}, &away), raw)
	if err != nil {
		if anew := p.renewed(ctx, d); anew != nil { // the provider may have moved its keys
			away = false
			id, err = anew.verifier.Verify(context.WithValue(ctx, awayKey{}, &away), raw)
		}
	}

	switch {
	case away:
		return Person{}, ErrProviderAway
	case err != nil, id.Nonce == "", id.Nonce != nonce:
		return Person{}, ErrAnswer
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return Person{}, ErrAnswer
	}

	user, err := p.users.Check(ctx, token.AccessToken)
	switch {
	case errors.Is(err, errs.ErrUnavailable):
		return Person{}, ErrProviderAway
	case errors.Is(err, access.ErrUnauthenticated), err == nil && user.UserID != id.Subject:
		return Person{}, ErrAnswer
	case err != nil:
		return Person{}, err
	}
	account, name := namesIn(id)

	return Person{user, account, name, token.RefreshToken}, nil
}

// Renew implements members.Provider.
func (p *Provider) Renew(ctx context.Context, refresh string) (string, access.Caller, bool, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", access.Caller{}, false, members.ErrNotAsked
	}
	calling := context.WithValue(ctx, oauth2.HTTPClient, p.client)
	token, err := d.oauth.TokenSource(calling, &oauth2.Token{RefreshToken: refresh}).Token()
	if err != nil {
		return "", access.Caller{}, false, refusalOf(err)
	}
	user, err := p.users.Check(ctx, token.AccessToken)

	return token.RefreshToken, user, err == nil, nil
}

// refusalOf tells what a failed renewal says of the member, and of the token. Only the provider's own word counts
// against a member. A token of which nobody knows whether it was used must not be used again, so only an answer by
// which the provider surely refused the question, or no connection at all, says that it was not.
func refusalOf(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) {
		switch status := answer.Response.StatusCode; {
		case answer.ErrorCode == "invalid_grant":
			return members.ErrRefused
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable,
			status < http.StatusInternalServerError && answer.ErrorCode != "":
			return members.ErrNotAsked
		default:
			return errUnsure
		}
	}
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &network) && network.Op == "dial" || errors.As(err, &certificate) {
		return members.ErrNotAsked
	}

	return errUnsure // the library's text may quote the answer
}

// errUnsure means that nobody knows whether the provider has used a refresh token.
var errUnsure = errors.New("the provider's answer did not arrive")

// from reports whether an answer comes from the provider that was asked.
func (d *discovered) from(given, issuer string) bool {
	return given == issuer || given == "" && !d.saysIss
}

// namesIn returns what a person's account and the person are called.
func namesIn(t *oidc.IDToken) (account, name string) {
	var claims struct {
		Name      string `json:"name"`
		Email     string `json:"email"`
		Preferred string `json:"preferred_username"`
	}
	_ = t.Claims(&claims) // a claim of another form is as good as none

	return firstName(
		claims.Email, claims.Preferred, claims.Name, t.Subject,
	), firstName(claims.Name, claims.Preferred, claims.Email, t.Subject)
}

// firstName returns the first that can be shown.
func firstName(names ...string) string {
	// Characters of the category "format" reorder text or hide in it, so one name could look like another.
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) }

	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" || strings.ContainsFunc(name, hidden) {
			continue
		}
		if letters := []rune(name); len(letters) > maxName {
			return string(letters[:maxName]) + "…"
		}

		return name
	}

	return "an account without a name"
}

func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if p.cfg.ClientID == "" {
		return nil, ErrNotConfigured
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.cfg.Now()
	if p.known != nil && (now.Before(p.learned.Add(discoveryLife)) || now.Before(p.retryAt)) {
		return p.known, nil
	}
	if now.Before(p.retryAt) {
		return nil, ErrProviderAway
	}
	if err := p.learn(ctx); err != nil && p.known == nil {
		return nil, err
	}

	return p.known, nil
}

// renewed returns what is known of the provider instead of seen, which did not do; nil means that there is nothing
// else.
func (p *Provider) renewed(ctx context.Context, seen *discovered) *discovered {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != seen {
		return p.known
	}
	now := p.cfg.Now()
	if now.Before(p.learned.Add(discoveryRest)) || now.Before(p.retryAt) || p.learn(ctx) != nil {
		return nil
	}

	return p.known
}

// learn discovers the provider. A failure leaves what was known before, and keeps the next try off for a moment. The
// lock is held.
func (p *Provider) learn(ctx context.Context) error {
	p.retryAt = p.cfg.Now().Add(discoveryPause)
	// The library keeps the context for later fetches of keys, so it must not be the request's.
	kept := oidc.ClientContext(context.WithoutCancel(ctx), p.client)
	provider, err := oidc.NewProvider(kept, p.cfg.Issuer)
	if err != nil {
		return fmt.Errorf("discover the identity provider: %w", ErrProviderAway)
	}
	var metadata struct {
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
		Methods    []string `json:"token_endpoint_auth_methods_supported"`
		SaysIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		End        string   `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil || metadata.Keys == "" {
		return fmt.Errorf("read the identity provider's metadata: %w", ErrProviderAway)
	}
	algorithms := slices.DeleteFunc(metadata.Algorithms, func(a string) bool {
		return a == "none" || strings.HasPrefix(
			a, "HS",
		)
	})
	if len(algorithms) == 0 {
		algorithms = []string{oidc.RS256}
	}
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	if p.cfg.Secret != "" && (len(metadata.Methods) == 0 || slices.Contains(metadata.Methods, "client_secret_basic")) {
		endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	p.known = &discovered{
		oauth: oauth2.Config{
			ClientID:     p.cfg.ClientID,
			ClientSecret: p.cfg.Secret,
			Endpoint:     endpoint,
			RedirectURL:  p.cfg.Redirect,
			Scopes:       p.cfg.Scopes,
		},
		verifier: oidc.NewVerifier(p.cfg.Issuer, noticing{oidc.NewRemoteKeySet(kept, metadata.Keys)},
			&oidc.Config{ClientID: p.cfg.ClientID, SupportedSigningAlgs: algorithms, Now: p.cfg.Now}),
		saysIss: metadata.SaysIssuer,
		end:     webAddress(metadata.End),
	}
	p.learned, p.retryAt = p.cfg.Now(), time.Time{}

	return nil
}

// webAddress returns text if a browser can be sent there.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}

	return text
}

type awayKey struct{}

// noticing tells Finish that the provider's keys could not be fetched, which the library's error texts hide.
type noticing struct{ next oidc.KeySet }

func (n noticing) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := n.next.VerifySignature(ctx, token)
	var network *url.Error
	if away, ok := ctx.Value(awayKey{}).(*bool); ok && errors.As(err, &network) {
		*away = true
	}

	return payload, err
}
