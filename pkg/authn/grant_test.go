package authn_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestGrantsNeedARecord(t *testing.T) {
	rdb := stores.Redis(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	grant := uuid.NewString()
	forge := func(edit func(*jwt.Token, *authn.GrantClaims)) string {
		claims := authn.GrantClaims{GrantID: grant, ClientID: "client", Tenant: "o:oak", Scope: "cases:read agent:run", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "https://x", Subject: "ada", Audience: jwt.ClaimStrings{"https://x/api/mcp"}, ID: uuid.NewString(),
			IssuedAt: jwt.NewNumericDate(issued), ExpiresAt: jwt.NewNumericDate(issued.Add(authn.GrantLife)),
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
	g := &authn.Grants{Keys: ringKeys{"k1": &key.PublicKey}, Records: redisx.Values{Client: rdb}, Issuer: "https://x", Audience: "https://x/api/mcp", Now: at(0)}
	put := func(c access.Caller, expires time.Time) {
		raw, err := json.Marshal(authn.GrantRecord{Caller: c, Expires: expires.Unix()})
		if err != nil {
			t.Fatal(err)
		}
		if err := rdb.Set(t.Context(), authn.GrantKey(grant), raw, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
	}
	good := forge(func(*jwt.Token, *authn.GrantClaims) {})
	if _, err := g.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("without a record = %v", err)
	}
	caller := access.Caller{
		Kind:     access.OAuth,
		Tenant:   "o:oak",
		UserID:   "ada",
		ClientID: "client",
		Scopes:   access.GrantScopes(),
		Roles:    []string{"member"},
	}
	put(caller, issued.Add(time.Hour))
	c, err := g.Check(t.Context(), good)
	if err != nil || c.ClientID != "client" || c.UserID != "ada" ||
		!slices.Equal(c.Scopes, []string{"cases:read", "agent:run"}) ||
		c.May("cases:write") {
		t.Fatalf("with its record = %+v, %v", c, err)
	}

	for name, tc := range map[string]struct {
		token string
		want  error
	}{
		"keys away":       {forge(func(k *jwt.Token, _ *authn.GrantClaims) { k.Header["kid"] = "away" }), errs.ErrUnavailable},
		"other typ":       {forge(func(k *jwt.Token, _ *authn.GrantClaims) { k.Header["typ"] = "JWT" }), access.ErrUnauthenticated},
		"an agent bearer": {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.Audience = jwt.ClaimStrings{"https://x/v1"} }), access.ErrUnauthenticated},
		"two audiences": {forge(func(_ *jwt.Token, c *authn.GrantClaims) {
			c.Audience = jwt.ClaimStrings{"https://x/api/mcp", "https://x/v1"}
		}), access.ErrUnauthenticated},
		"other issuer":       {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.Issuer = "https://y" }), access.ErrUnauthenticated},
		"other client":       {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.ClientID = "other" }), access.ErrUnauthenticated},
		"other user":         {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.Subject = "ben" }), access.ErrUnauthenticated},
		"other tenant":       {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.Tenant = "o:elm" }), access.ErrUnauthenticated},
		"a key in its place": {forge(func(_ *jwt.Token, c *authn.GrantClaims) { c.GrantID = "x}:y" }), access.ErrUnauthenticated},
		"expired": {forge(func(_ *jwt.Token, c *authn.GrantClaims) {
			c.ExpiresAt = jwt.NewNumericDate(issued.Add(-time.Hour))
		}), access.ErrUnauthenticated},
	} {
		if _, err := g.Check(t.Context(), tc.token); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	put(caller, issued.Add(-time.Hour))
	if _, err := g.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a record that has expired = %v", err)
	}
	caller.Kind = access.Agent
	put(caller, issued.Add(time.Hour))
	if _, err := g.Check(t.Context(), good); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a record of another kind = %v", err)
	}
}

func TestGrantedScopesReachTheRightsBeneathThem(t *testing.T) {
	for granted, rights := range map[string]map[string]bool{
		"cases:read":  {"files:read": true, "parties:read": true, "partners:read": true, "cases:write": false, "files:write": false, "agent:run": false},
		"cases:write": {"cases:read": true, "files:write": true, "parties:write": true, "invites:propose": true, "agent:run": false},
		"agent:run":   {"cases:read": true, "files:read": true, "cases:write": false, "files:write": false},
	} {
		for right, want := range rights {
			if got := (access.Caller{Kind: access.OAuth, Scopes: []string{granted}}).May(right); got != want {
				t.Errorf("an application with %s: %s = %t, want %t", granted, right, got, want)
			}
			if got := (access.Caller{Kind: access.Agent, Scopes: []string{granted}}).May(right); got {
				t.Errorf("an agent with %s alone has %s", granted, right)
			}
		}
	}
}
