// Package provider checks what an OpenID Connect provider signs: access tokens of its users, and the assertions by
// which it lets an application act for one.
package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

const (
	providerTimeout = 5 * time.Second
	keyFetchPause   = 10 * time.Second // between two requests for the provider's keys, whatever tokens come in
	discoveryPause  = 2 * time.Second  // after a discovery that failed
)

// asymmetric lists the signatures accepted from a provider; which of them, its own metadata says.
var asymmetric = []string{
	oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.RS256, oidc.RS384, oidc.RS512,
	oidc.PS256, oidc.PS384, oidc.PS512,
	oidc.EdDSA,
}

// UsersConfig says whose tokens sign users in.
type UsersConfig struct {
	Issuer      string
	Audience    string // what the token must be meant for
	TenantClaim string // path of the claim that names the organization; "" means that each user is a tenant of one
	RolesClaim  string // path of a claim that is a string or an array of strings; "" is roles, which may be missing
	RolesOpen   bool   // whether RolesClaim may be missing, which makes a member
	SingleUsers bool   // whether whoever has no TenantClaim is a tenant of one, and not refused
	Log         *slog.Logger
	Transport   http.RoundTripper
	Now         func() time.Time
}

// Users checks access tokens of an OpenID Connect provider. The provider's metadata and keys are fetched when first
// needed, and again when it rotates its keys, so that a service starts while the provider is down.
type Users struct {
	cfg      UsersConfig
	client   *http.Client
	keys     *keyTransport
	refusals refusals

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier
	provider *providerKeys // of verifier
	retryAt  time.Time

	known token.Known[signedIn]
}

// signedIn is what a token of the provider was found to say.
type signedIn struct {
	caller  access.Caller
	expires time.Time
	asked   time.Time // since when the provider's word counts by which it was verified
}

// holds reports whether what was found still counts: as long as the keys do. A clock that was set back makes the token
// be verified anew.
func (s signedIn) holds(now time.Time) bool {
	age := now.Sub(s.asked)
	return age >= 0 && age < providerKeysFresh && now.Before(s.expires)
}

// NewUsers returns the checker of cfg's provider.
func NewUsers(cfg UsersConfig) (*Users, error) {
	if cfg.Issuer == "" || cfg.Audience == "" {
		return nil, errors.New("the identity provider needs an issuer and an audience")
	}
	if cfg.Transport == nil {
		cfg.Transport = http.DefaultTransport //nolint:forbidigo // the provider may be behind the environment's proxy
	}
	keys := &keyTransport{next: cfg.Transport, now: cfg.Now}

	return &Users{cfg: cfg, keys: keys, client: &http.Client{Transport: keys, Timeout: providerTimeout}}, nil
}

var errProviderAway = errs.New(
	errs.Unavailable,
	"unavailable",
	"The identity provider cannot be reached, so the sign-in cannot be checked. "+
		"Try again after the time in Retry-After.",
).WithRetryAfter(5 * time.Second)

// Check returns the user of a valid access token, ErrUnauthenticated, ErrSignInRefused where a claim cannot be
// used, or errs.ErrUnavailable when the provider's keys cannot be had.
func (u *Users) Check(ctx context.Context, text string) (access.Caller, error) {
	sum, now := token.SumOf(text), u.cfg.Now()
	if seen, ok := u.known.Get(sum); ok {
		if seen.holds(now) {
			return seen.caller, nil
		}
		u.known.Drop(sum)
	}

	header, _, err := token.Strict(text, now)
	if err != nil || !accessTokenType(header.Typ) {
		return access.Caller{}, access.ErrUnauthenticated
	}
	_, keys, err := u.discovered(ctx)
	if err != nil {
		return access.Caller{}, err
	}
	// Read before the token is verified, so that the result never counts for longer than the keys do.
	asked := keys.asked()
	t, err := u.verified(ctx, text)
	if err != nil {
		return access.Caller{}, err
	}

	caller, err := u.caller(t)
	if err == nil {
		// Without a memory each request of a user would cost the check of a signature by RSA.
		u.known.Add(sum, signedIn{caller, t.Expiry, asked})
	}

	return caller, err
}

// verified checks signature, issuer, audience and expiry of a token.
func (u *Users) verified(ctx context.Context, token string) (*oidc.IDToken, error) {
	verifier, _, err := u.discovered(ctx)
	if err != nil {
		return nil, err
	}
	var away bool
	t, err := verifier.Verify(context.WithValue(ctx, awayKey{}, &away), token)
	if away {
		return nil, errProviderAway
	}
	if err != nil {
		return nil, access.ErrUnauthenticated
	}

	return t, nil
}

// accessTokenType refuses what says of itself that it is something else: our own internal tokens, logout tokens and the
// like. Providers write "at+jwt", "JWT" or nothing.
func accessTokenType(kind string) bool {
	switch strings.ToLower(strings.TrimPrefix(kind, "application/")) {
	case "", "jwt", authn.BearerType:
		return true
	}

	return false
}

func (u *Users) caller(t *oidc.IDToken) (access.Caller, error) {
	var claims map[string]any
	if t.Claims(&claims) != nil || !usableID(t.Subject) {
		return access.Caller{}, access.ErrUnauthenticated
	}
	if t.Nonce != "" || claims["at_hash"] != nil {
		// An ID token says who signed in; it is no credential for an API.
		return access.Caller{}, access.ErrUnauthenticated
	}
	// The library checks nbf with a leeway of five minutes.
	if nbf, ok := claims["nbf"].(float64); ok && u.cfg.Now().Add(authn.Skew).Before(time.Unix(int64(nbf), 0)) {
		return access.Caller{}, access.ErrUnauthenticated
	}
	c := access.Caller{
		Kind: access.User, UserID: t.Subject, Tenant: "u:" + encodeTenant(t.Subject),
		Roles: []string{access.RoleOwner, access.RoleMember, access.RoleAdmin}, Issued: t.IssuedAt,
	}

	return u.placed(c, claims)
}

// usableID accepts what can name a user or an organization everywhere: printable, and short enough even when it is
// percent-encoded.
func usableID(s string) bool {
	short := s != "" && len(s) <= 255 && len(encodeTenant(s)) <= 500

	return short && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// encodeTenant percent-encodes what is not A-Za-z0-9._~@-, so that a tenant never holds a "/" and cannot run into the
// id after it.
func encodeTenant(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder

	// By bytes: an id is compared as bytes everywhere.
	for i := range len(s) {
		c := s[i]
		if unreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}

	return b.String()
}

// unreserved reports whether c stands in a tenant as it is.
func unreserved(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}

	return strings.IndexByte("._~@-", c) >= 0
}

func (u *Users) discovered(ctx context.Context) (*oidc.IDTokenVerifier, *providerKeys, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.verifier != nil {
		return u.verifier, u.provider, nil
	}
	// Each sign-in during an outage would otherwise wait for the provider to the end of its time.
	if u.cfg.Now().Before(u.retryAt) {
		return nil, nil, errProviderAway
	}
	// The provider keeps the context for later key fetches, so it must not be the request's.
	kept := oidc.ClientContext(context.WithoutCancel(ctx), u.client)
	provider, err := oidc.NewProvider(kept, u.cfg.Issuer)
	if err != nil {
		u.retryAt = u.cfg.Now().Add(discoveryPause)
		return nil, nil, fmt.Errorf("discover the identity provider: %w", errProviderAway)
	}
	var metadata struct {
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := provider.Claims(&metadata); err != nil || metadata.Keys == "" {
		return nil, nil, fmt.Errorf("read the identity provider's metadata: %w", errProviderAway)
	}
	// Metadata may list HS256, by which the client's own secret would sign, and none, by which nobody does.
	algorithms := slices.DeleteFunc(metadata.Algorithms, func(a string) bool { return !slices.Contains(asymmetric, a) })
	if len(algorithms) == 0 {
		algorithms = []string{oidc.RS256}
	}
	u.keys.watch(metadata.Keys)
	u.provider = newProviderKeys(u.cfg.Now, func() oidc.KeySet { return oidc.NewRemoteKeySet(kept, metadata.Keys) })
	u.verifier = oidc.NewVerifier(u.cfg.Issuer, noticing{u.provider},
		&oidc.Config{ClientID: u.cfg.Audience, SupportedSigningAlgs: algorithms, Now: u.cfg.Now})

	return u.verifier, u.provider, nil
}

type awayKey struct{}

// noticing tells Check that keys could not be fetched, which the library's error texts hide.
type noticing struct{ next oidc.KeySet }

func (n noticing) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := n.next.VerifySignature(ctx, token)
	if away, ok := ctx.Value(awayKey{}).(*bool); ok && errors.Is(err, errKeysAway) {
		*away = true
	}

	return payload, err
}

var (
	errKeysAway  = errors.New("keys of the identity provider cannot be fetched")
	errKeysFresh = errors.New("keys of the identity provider were fetched a moment ago")
)

// keyTransport bounds how often the provider is asked for its keys: each token with an unknown key id would otherwise
// cost one request.
type keyTransport struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	url  string
	last time.Time
	good bool // the last fetch succeeded
}

func (k *keyTransport) watch(url string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.url = url
}

// RoundTrip passes everything on but key fetches that come too soon.
func (k *keyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	k.mu.Lock()
	// The discovery itself goes through, since it happens once.
	isKeys := r.URL.String() == k.url
	soon := isKeys && !k.last.IsZero() && k.now().Sub(k.last) < keyFetchPause
	good := k.good
	if isKeys && !soon {
		k.last = k.now()
	}
	k.mu.Unlock()

	switch {
	case soon && good:
		return nil, errKeysFresh
	case soon:
		return nil, errKeysAway
	}
	resp, err := k.next.RoundTrip(r)
	if !isKeys {
		return resp, err
	}
	ok := err == nil && resp.StatusCode == http.StatusOK
	k.mu.Lock()
	k.good = ok
	k.mu.Unlock()
	if !ok {
		if resp != nil {
			_ = resp.Body.Close()
		}

		return nil, errKeysAway
	}

	return resp, nil
}
