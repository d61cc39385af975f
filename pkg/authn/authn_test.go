package authn_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

var issued = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func at(d time.Duration) func() time.Time { return func() time.Time { return issued.Add(d) } }

func internals(t testing.TB) (seeds map[string]string, trust authn.Trust) {
	t.Helper()
	seeds, text, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	if trust, err = authn.ParseTrust(text); err != nil {
		t.Fatal(err)
	}

	return seeds, trust
}

func sign(t *testing.T, issuer, seed string, c access.Caller) string {
	t.Helper()
	s, err := authn.NewSigner(issuer, seed, at(0))
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Token(c)
	if err != nil {
		t.Fatal(err)
	}

	return token
}

var user = access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada", Roles: []string{"owner"}}

func TestAnInternalKeyIsReplacedWithoutAGap(t *testing.T) {
	seeds, first, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	others, second, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}

	public := func(text []byte) string {
		var of map[string]string
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}

		return of["gateway"]
	}
	for trusted, want := range map[string][2]bool{
		fmt.Sprintf("%q", public(first)):                      {true, false},
		fmt.Sprintf("[%q]", public(first)):                    {true, false},
		fmt.Sprintf("[%q,%q]", public(first), public(second)): {true, true},
		fmt.Sprintf("[%q]", public(second)):                   {false, true},
	} {
		trust, err := authn.ParseTrust([]byte(`{"gateway":` + trusted + `}`))
		if err != nil {
			t.Fatal(err)
		}

		v := authn.Verifier{Trust: trust, Now: at(time.Second)}
		for i, seed := range []string{seeds["gateway"], others["gateway"]} {
			if _, err := v.Verify(sign(t, "gateway", seed, user)); (err == nil) != want[i] {
				t.Errorf("key %d where %s is trusted: %v, want accepted %t", i+1, trusted, err, want[i])
			}
		}
	}

	for _, bad := range []string{`[]`, `""`, `["x"]`, `{}`, `null`, `[null]`, `1`, `["","","","",""]`} {
		if _, err := authn.ParseTrust([]byte(`{"gateway":` + bad + `}`)); err == nil {
			t.Errorf("the keys %s were read", bad)
		}
	}
}

func TestInternalTokens(t *testing.T) {
	seeds, trust := internals(t)
	others, _ := internals(t)
	raw := func(issuer, seed string, edit func(*jwt.Token, jwt.MapClaims)) string {
		key, err := base64.RawURLEncoding.DecodeString(seed)
		if err != nil {
			t.Fatal(err)
		}
		claims := jwt.MapClaims{"iss": issuer, "aud": "internal", "iat": issued.Unix(), "exp": issued.Add(time.Minute).Unix(), "caller": map[string]any{"kind": "user", "tenant": "o:oak", "userId": "ada"}}
		token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
		token.Header["typ"] = "int+jwt"
		edit(token, claims)
		text, err := token.SignedString(ed25519.NewKeyFromSeed(key))
		if err != nil {
			t.Fatal(err)
		}

		return text
	}

	good := sign(t, "gateway", seeds["gateway"], user)
	for _, tc := range []struct {
		name, token string
		after       time.Duration
		ok          bool
	}{
		{"fresh", good, 0, true},
		{"last second with skew", good, 15*time.Minute + 29*time.Second, true},
		{"expired", good, 15*time.Minute + 31*time.Second, false},
		{"issued in the future", good, -31 * time.Second, false},
		{"by hand, as a control", raw("gateway", seeds["gateway"], func(*jwt.Token, jwt.MapClaims) {}), 0, true},
		{"other audience", raw("gateway", seeds["gateway"], func(_ *jwt.Token, c jwt.MapClaims) { c["aud"] = "https://x/v1" }), 0, false},
		{"no expiry", raw("gateway", seeds["gateway"], func(_ *jwt.Token, c jwt.MapClaims) { delete(c, "exp") }), 0, false},
		{"other typ", raw("gateway", seeds["gateway"], func(k *jwt.Token, _ jwt.MapClaims) { k.Header["typ"] = "at+jwt" }), 0, false},
		{"unknown issuer", raw("mallory", seeds["gateway"], func(*jwt.Token, jwt.MapClaims) {}), 0, false},
		{"another service's key", raw("gateway", seeds["case-svc"], func(*jwt.Token, jwt.MapClaims) {}), 0, false},
		{"a key of another installation", sign(t, "gateway", others["gateway"], user), 0, false},
		{"a kind that the issuer may not claim", sign(t, "case-svc", seeds["case-svc"], user), 0, false},
		{"a service for a tenant", sign(t, "case-svc", seeds["case-svc"], access.Caller{Kind: access.Service, Tenant: "o:oak"}), 0, true},
		{"a user without a tenant", sign(t, "gateway", seeds["gateway"], access.Caller{Kind: access.User, UserID: "ada"}), 0, false},
		{"nobody", sign(t, "gateway", seeds["gateway"], access.Caller{Kind: access.Public}), 0, true},
		{"alg none", "eyJhbGciOiJub25lIiwidHlwIjoiaW50K2p3dCJ9." + strings.Split(good, ".")[1] + ".", 0, false},
		{"no token", "", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := authn.Verifier{Trust: trust, Now: at(tc.after)}
			c, err := v.Verify(tc.token)
			if tc.ok != (err == nil) || err != nil && !errors.Is(err, access.ErrUnauthenticated) {
				t.Errorf("Verify = %+v, %v, want ok %v", c, err, tc.ok)
			}
		})
	}
}

func TestATokenIsReusedOnlyWhileItOutlivesARun(t *testing.T) {
	seeds, trust := internals(t)
	now := issued
	s, err := authn.NewSigner("gateway", seeds["gateway"], func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Token(user)
	if err != nil {
		t.Fatal(err)
	}
	now = issued.Add(4*time.Minute - time.Second)
	if again, err := s.Token(user); err != nil || again != first {
		t.Error("a token with more than eleven minutes left was not reused")
	}
	now = issued.Add(4 * time.Minute)
	fresh, err := s.Token(user)
	if err != nil || fresh == first {
		t.Error("a token with eleven minutes left was handed out again")
	}
	other, err := s.Token(access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ben"})
	if err != nil {
		t.Fatal(err)
	}
	v := authn.Verifier{Trust: trust, Now: func() time.Time { return now }}
	if c, err := v.Verify(other); err != nil || c.UserID != "ben" {
		t.Errorf("another caller's token says %+v, %v", c, err)
	}
}

func TestBearerToken(t *testing.T) {
	for _, tc := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"one", []string{"Bearer abc"}, "abc"},
		{"lower case", []string{"bearer abc"}, "abc"},
		{"none", nil, ""},
		{"two headers", []string{"Bearer abc", "Bearer def"}, ""},
		{"two in one", []string{"Bearer abc, Bearer def"}, ""},
		{"another scheme", []string{"Basic abc"}, ""},
		{"no token", []string{"Bearer "}, ""},
		{"spaces", []string{"Bearer a b"}, ""},
		{"too long", []string{"Bearer " + strings.Repeat("a", 8<<10+1)}, ""},
	} {
		if got, err := authn.BearerToken(tc.headers); got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v, want %q", tc.name, got, err, tc.want)
		}
	}
}

func TestSecrets(t *testing.T) {
	seen := map[string]bool{}

	for range 1000 {
		s := authn.NewSecret(authn.APIKeyPrefix)
		if len(s) != 56 || !authn.WellFormed(authn.APIKeyPrefix, s) || seen[s] {
			t.Fatalf("%q: length %d, well formed %v, seen %v", s, len(s), authn.WellFormed(authn.APIKeyPrefix, s), seen[s])
		}

		seen[s] = true
		for i := len(authn.APIKeyPrefix); i < len(s); i += 7 {
			typo := s[:i] + string('0'+(s[i]-'0'+1)%10) + s[i+1:]
			if typo != s && authn.WellFormed(authn.APIKeyPrefix, typo) {
				t.Errorf("a typing error at %d is not found", i)
			}
		}
		if authn.WellFormed(authn.RegistrationTokenPrefix, s) {
			t.Error("a key is taken for a registration token")
		}
	}
	one, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	two, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	if x := one.Hash("x"); x != one.Hash("x") || x == two.Hash("x") || x == one.Hash("y") {
		t.Error("hashes do not depend on pepper and secret alone")
	}

	for _, bad := range []string{"", "short", "!!!!", base64.RawURLEncoding.EncodeToString(make([]byte, 31))} {
		if _, err := authn.ParsePepper(bad); err == nil {
			t.Errorf("ParsePepper(%q) took it", bad)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("sbr_sk_")
	f.Add(authn.NewSecret(authn.APIKeyPrefix))
	f.Fuzz(func(t *testing.T, s string) {
		if authn.WellFormed(authn.APIKeyPrefix, s) && (len(s) != 56 || !strings.HasPrefix(s, "sbr_sk_")) {
			t.Errorf("WellFormed(%q)", s)
		}
	})
}

func TestRing(t *testing.T) {
	ring, err := authn.Ring{}.Rotated(issued)
	if err != nil {
		t.Fatal(err)
	}
	first, err := ring.Current(issued)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := ring.Rotated(issued.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	text, err := rotated.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if rotated, err = authn.ParseRing(text); err != nil {
		t.Fatal(err)
	}

	published := func(r authn.Ring, d time.Duration) int {
		raw, err := r.PublicSet(issued.Add(d))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), `"d":`) {
			t.Fatal("a private key is published")
		}
		var set jose.JSONWebKeySet
		if err := json.Unmarshal(raw, &set); err != nil {
			t.Fatal(err)
		}

		return len(set.Keys)
	}
	for _, tc := range []struct {
		name      string
		after     time.Duration
		first     bool
		published int
	}{
		{"right after the rotation the old key signs and both are published", time.Hour, true, 2},
		{"until the lead is over", time.Hour + 10*time.Minute - time.Second, true, 2},
		{"then the new key signs", time.Hour + 10*time.Minute, false, 2},
		{"the old one is published while its last bearer may live", time.Hour + 74*time.Minute, false, 2},
		{"then it is gone", time.Hour + 75*time.Minute, false, 1},
	} {
		current, err := rotated.Current(issued.Add(tc.after))
		if err != nil || (current.ID == first.ID) != tc.first {
			t.Errorf("%s: the first key signs %v, %v", tc.name, current.ID == first.ID, err)
		}
		if n := published(rotated, tc.after); n != tc.published {
			t.Errorf("%s: %d keys are published, want %d", tc.name, n, tc.published)
		}
	}
	if _, err := ring.Current(issued.Add(-time.Second)); err == nil {
		t.Error("a key signs before its start")
	}

	for _, bad := range []string{"", "{}", `{"keys":[{"kid":"a","start":"2026-01-01T00:00:00Z","key":"AA"}]}`} {
		if _, err := authn.ParseRing([]byte(bad)); err == nil {
			t.Errorf("ParseRing(%q) took it", bad)
		}
	}
}

// ringKeys finds keys as the gateway does.
type ringKeys map[string]*ecdsa.PublicKey

func (r ringKeys) Key(_ context.Context, kid string) (*ecdsa.PublicKey, error) {
	if kid == "away" {
		return nil, errs.ErrUnavailable
	}
	if k, ok := r[kid]; ok {
		return k, nil
	}

	return nil, access.ErrUnauthenticated
}

func TestBearersNeedARecord(t *testing.T) {
	rdb := stores.Redis(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	agent, jti := "agt_"+uuid.NewString(), uuid.NewString()
	forge := func(edit func(*jwt.Token, *authn.BearerClaims)) string {
		claims := authn.BearerClaims{AgentID: agent, ClientID: agent, Tenant: "o:oak", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "https://x", Subject: "ada", Audience: jwt.ClaimStrings{"https://x/v1"}, ID: jti, IssuedAt: jwt.NewNumericDate(issued), ExpiresAt: jwt.NewNumericDate(issued.Add(time.Hour)),
		}}
		token := jwt.NewWithClaims(jwt.SigningMethodES256, &claims)
		token.Header["typ"], token.Header["kid"] = "at+jwt", "k1"
		edit(token, &claims)
		text, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}

		return text
	}
	good := forge(func(*jwt.Token, *authn.BearerClaims) {})
	b := &authn.Bearers{Keys: ringKeys{"k1": &key.PublicKey}, Records: redisx.Values{Client: rdb}, Issuer: "https://x", Audience: "https://x/v1", Now: at(0)}
	if _, err := b.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("without a record = %v", err)
	}
	caller := access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:oak",
		UserID:  "ada",
		AgentID: agent,
		Scopes:  access.AgentScopes(),
	}
	put := func(c access.Caller, expires time.Time) {
		raw, err := json.Marshal(authn.BearerRecord{Caller: c, Expires: expires.Unix()})
		if err != nil {
			t.Fatal(err)
		}
		if err := rdb.Set(t.Context(), authn.BearerKey(agent, jti), raw, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
	}
	put(caller, issued.Add(time.Hour))
	if c, err := b.Check(t.Context(), good); err != nil || c.AgentID != agent || c.Kind != access.Agent {
		t.Fatalf("with its record = %+v, %v", c, err)
	}

	for name, tc := range map[string]struct {
		token string
		want  error
	}{
		"unknown key":        {forge(func(k *jwt.Token, _ *authn.BearerClaims) { k.Header["kid"] = "k2" }), access.ErrUnauthenticated},
		"no key id":          {forge(func(k *jwt.Token, _ *authn.BearerClaims) { delete(k.Header, "kid") }), access.ErrUnauthenticated},
		"keys away":          {forge(func(k *jwt.Token, _ *authn.BearerClaims) { k.Header["kid"] = "away" }), errs.ErrUnavailable},
		"other typ":          {forge(func(k *jwt.Token, _ *authn.BearerClaims) { k.Header["typ"] = "JWT" }), access.ErrUnauthenticated},
		"other audience":     {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.Audience = jwt.ClaimStrings{"https://x/api/mcp"} }), access.ErrUnauthenticated},
		"two audiences":      {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.Audience = jwt.ClaimStrings{"https://x/v1", "y"} }), access.ErrUnauthenticated},
		"other tenant":       {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.Tenant = "o:elm" }), access.ErrUnauthenticated},
		"a key in its place": {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.AgentID = "agt_x}:y" }), access.ErrUnauthenticated},
		"other token id":     {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.ID = "other" }), access.ErrUnauthenticated},
		"no expiry":          {forge(func(_ *jwt.Token, c *authn.BearerClaims) { c.ExpiresAt = nil }), access.ErrUnauthenticated},
		"padding":            {good + "=", access.ErrUnauthenticated},
	} {
		if _, err := b.Check(t.Context(), tc.token); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	b.Ended = func(id string) bool { return id == agent }
	if _, err := b.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("an ended agent = %v", err)
	}
	b.Ended = nil
	put(caller, issued.Add(-time.Hour))
	if _, err := b.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a record that has expired = %v", err)
	}
	put(access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada", AgentID: agent}, issued.Add(time.Hour))
	if _, err := b.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a record of another kind = %v", err)
	}
}

// idProvider is an OpenID provider that signs what a test wants.
type idProvider struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	kid   atomic.Value
	asked atomic.Int64
	down  atomic.Bool
}

func startProvider(t *testing.T) *idProvider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &idProvider{key: key}
	p.kid.Store("p1")
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/keys" {
			p.asked.Add(1)
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: p.kid.Load().(string), Algorithm: "ES256", Use: "sig"}}})

			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/a", "token_endpoint": p.URL + "/t", "id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}})
	}))
	t.Cleanup(p.Close)

	return p
}

func (p *idProvider) token(t *testing.T, edit func(*jwt.Token, jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": p.URL, "aud": "api", "sub": "auth0|ada", "iat": issued.Unix(), "exp": issued.Add(time.Hour).Unix(), "org": "Oak & Söhne", "roles": []string{"owner", "wizard"}}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"], token.Header["typ"] = p.kid.Load(), "at+jwt"
	edit(token, claims)
	text, err := token.SignedString(p.key)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

func TestUsers(t *testing.T) {
	p := startProvider(t)
	users, err := provider.NewUsers(
		provider.UsersConfig{Issuer: p.URL, Audience: "api", TenantClaim: "org", RolesClaim: "roles", Now: at(0)},
	)
	if err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		name   string
		edit   func(*jwt.Token, jwt.MapClaims)
		tenant string
		roles  string
	}{
		{"an organization", func(*jwt.Token, jwt.MapClaims) {}, "o:Oak%20%26%20S%C3%B6hne", "owner"},
		{"roles in one string", func(_ *jwt.Token, c jwt.MapClaims) { c["roles"] = "admin member" }, "o:Oak%20%26%20S%C3%B6hne", "member,admin"},
		{"an organization that would leave its place", func(_ *jwt.Token, c jwt.MapClaims) { c["org"] = "a/../b" }, "o:a%2F..%2Fb", "owner"},
		{"no typ", func(k *jwt.Token, _ jwt.MapClaims) { delete(k.Header, "typ") }, "o:Oak%20%26%20S%C3%B6hne", "owner"},
		{"other audience", func(_ *jwt.Token, c jwt.MapClaims) { c["aud"] = "else" }, "", ""},
		{"expired", func(_ *jwt.Token, c jwt.MapClaims) { c["exp"] = issued.Add(-time.Minute).Unix() }, "", ""},
		{"not yet", func(_ *jwt.Token, c jwt.MapClaims) { c["nbf"] = issued.Add(time.Hour).Unix() }, "", ""},
		{"an ID token", func(_ *jwt.Token, c jwt.MapClaims) { c["nonce"] = "n" }, "", ""},
		{"an ID token by its hash", func(_ *jwt.Token, c jwt.MapClaims) { c["at_hash"] = "n" }, "", ""},
		{"an internal token", func(k *jwt.Token, _ jwt.MapClaims) { k.Header["typ"] = "int+jwt" }, "", ""},
		{"no subject", func(_ *jwt.Token, c jwt.MapClaims) { delete(c, "sub") }, "", ""},
		{"a subject with control characters", func(_ *jwt.Token, c jwt.MapClaims) { c["sub"] = "a\nb" }, "", ""},
		{"another issuer", func(_ *jwt.Token, c jwt.MapClaims) { c["iss"] = "https://mallory.example" }, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := users.Check(t.Context(), p.token(t, tc.edit))
			if tc.tenant == "" {
				if !errors.Is(err, access.ErrUnauthenticated) {
					t.Errorf("Check = %+v, %v, want %v", c, err, access.ErrUnauthenticated)
				}

				return
			}
			if err != nil || c.Tenant != tc.tenant || strings.Join(c.Roles, ",") != tc.roles || c.Kind != access.User ||
				c.UserID != "auth0|ada" {
				t.Errorf("Check = %+v, %v", c, err)
			}
		})
	}
}

func TestKeysOfTheProviderAreFetchedSparingly(t *testing.T) {
	p := startProvider(t)
	now := issued
	users, err := provider.NewUsers(
		provider.UsersConfig{Issuer: p.URL, Audience: "api", Now: func() time.Time { return now }},
	)
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		_, err := users.Check(t.Context(), p.token(t, func(*jwt.Token, jwt.MapClaims) {}))
		return err
	}
	p.down.Store(true)
	if err := check(); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("the provider is down = %v, want %v", err, errs.ErrUnavailable)
	}
	p.down.Store(false)
	now = now.Add(3 * time.Second)
	if err := check(); err != nil {
		t.Fatalf("the provider is back = %v", err)
	}
	p.kid.Store("p2")

	for range 50 {
		if err := check(); !errors.Is(err, access.ErrUnauthenticated) {
			t.Fatalf("an unknown key right after a fetch = %v", err)
		}
	}
	if n := p.asked.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times, want 1", n)
	}
	now = now.Add(11 * time.Second)
	// The library keeps a fetch that has ended for a moment, and hands its outcome on.
	testkit.Until(t, testkit.Patience, func() error {
		if err := check(); err != nil {
			return fmt.Errorf("a rotated key = %w", err)
		}

		return nil
	})
	if n := p.asked.Load(); n != 2 {
		t.Errorf("the keys were fetched %d times, want 2", n)
	}
	p.down.Store(true)
	if err := check(); err != nil {
		t.Errorf("a known key while the provider is down = %v", err)
	}
}
