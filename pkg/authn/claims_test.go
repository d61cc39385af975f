package authn_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
)

type object = map[string]any

// Providers put organizations and roles in places of their own: whatever cannot be read refuses the sign-in, and never
// makes somebody the owner of a tenant of one.
func TestClaimsOfProviders(t *testing.T) {
	p := startProvider(t)
	const tenant, oak = "tenant", "o:oak"

	for _, tc := range []struct {
		name           string
		tenant, roles  string // the paths that are configured
		single         bool
		claims         object
		want, wantRole string
		refused        string
	}{
		{
			"Keycloak's realm roles", tenant, "realm_access.roles", false,
			object{tenant: "oak", "realm_access": object{"roles": []any{"offline_access", "admin", "member"}}},
			oak, "member,admin", "",
		},
		{
			"roles of a Keycloak client", tenant, "resource_access.subrosa.roles", false,
			object{tenant: "oak", "resource_access": object{
				"account": object{"roles": []any{"admin"}}, "subrosa": object{"roles": []any{"owner"}},
			}},
			oak, "owner", "",
		},
		{
			"a client whose id has dots", tenant, "resource_access.app.example.com.roles", false,
			object{tenant: "oak", "resource_access": object{
				"app": object{"x": 1}, "app.example.com": object{"roles": []any{"owner"}},
			}},
			oak, "owner", "",
		},
		{
			"a claim whose name is an address", "https://subrosa.example/org", "https://subrosa.example/roles", false,
			object{"https://subrosa.example/org": "oak", "https://subrosa.example/roles": []any{"admin"}},
			oak, "admin", "",
		},
		{
			"a name with dots before objects", tenant, "a.b", false,
			object{tenant: "oak", "a.b": []any{"owner"}, "a": object{"b": []any{"admin"}}},
			oak, "owner", "",
		},
		{
			"an organization in an array", tenant, "roles", false,
			object{tenant: []any{"oak"}, "roles": []any{"owner"}},
			oak, "owner", "",
		},
		{
			"an organization below", "organization.name", "roles", false,
			object{"organization": object{"name": "oak"}, "roles": "owner admin"},
			oak, "owner,admin", "",
		},
		{"no roles, and none configured", tenant, "", false, object{tenant: "oak"}, oak, "member", ""},
		{"roles by default", tenant, "", false, object{tenant: "oak", "roles": []any{"admin"}}, oak, "admin", ""},
		{"roles that are not ours", tenant, "roles", false, object{tenant: "oak", "roles": []any{"wizard"}}, oak, "member", ""},
		{"no organization", tenant, "roles", false, object{"roles": []any{"owner"}}, "", "", "is missing"},
		{"an empty organization", tenant, "roles", false, object{tenant: "", "roles": []any{"owner"}}, "", "", "is missing"},
		{"an empty array", tenant, "roles", false, object{tenant: []any{}, "roles": []any{}}, "", "", "is missing"},
		{"two organizations", tenant, "roles", false, object{tenant: []any{"oak", "ash"}}, "", "", "more than one"},
		{"two organizations, single users", tenant, "roles", true, object{tenant: []any{"oak", "ash"}}, "", "", "more than one"},
		{"an organization that is an object", tenant, "roles", false, object{tenant: object{"oak": object{}}}, "", "", "a form"},
		{"an organization that is a number", tenant, "roles", true, object{tenant: 7}, "", "", "a form"},
		{"an organization with control characters", tenant, "roles", false, object{tenant: "o\nk"}, "", "", "a form"},
		{"a path that leads nowhere", "realm.tenant", "roles", false, object{"realm": "oak"}, "", "", "is missing"},
		{"no roles, though configured", tenant, "realm_access.roles", false, object{tenant: "oak"}, "", "", "is missing"},
		{"roles that are an object", tenant, "roles", false, object{tenant: "oak", "roles": object{"admin": true}}, "", "", "a form"},
		{"roles that are numbers", tenant, "", false, object{tenant: "oak", "roles": []any{1}}, "", "", "a form"},
		{"single users are let in", tenant, "realm_access.roles", true, object{}, "u:auth0%7Cada", "owner,member,admin", ""},
		{"no claim configured", "", "", false, object{}, "u:auth0%7Cada", "owner,member,admin", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var lines bytes.Buffer
			users, err := provider.NewUsers(provider.UsersConfig{
				Issuer: p.URL, Audience: "api", TenantClaim: tc.tenant, RolesClaim: tc.roles, SingleUsers: tc.single,
				Log: slog.New(slog.NewTextHandler(&lines, nil)), Now: at(0),
			})
			if err != nil {
				t.Fatal(err)
			}
			token := p.token(t, func(_ *jwt.Token, c jwt.MapClaims) {
				delete(c, "org")
				delete(c, "roles")

				for name, value := range tc.claims {
					c[name] = value
				}
			})

			for range 2 { // what is wrong with a provider is logged once
				c, err := users.Check(t.Context(), token)
				if tc.refused != "" {
					if !errors.Is(err, authn.ErrSignInRefused) || !strings.Contains(err.Error(), tc.refused) {
						t.Errorf("Check = %+v, %v, want a refusal that says %q", c, err, tc.refused)
					}

					continue
				}
				if err != nil || c.Tenant != tc.want || strings.Join(c.Roles, ",") != tc.wantRole {
					t.Errorf("Check = %+v, %v", c, err)
				}
			}
			checkLog(t, lines.String(), min(1, len(tc.refused)))
		})
	}
}

// TestEveryRoleIsTakenFromTheClaim gives a person each role alone: one that is not read makes a member of them.
func TestEveryRoleIsTakenFromTheClaim(t *testing.T) {
	p := startProvider(t)
	users, err := provider.NewUsers(provider.UsersConfig{
		Issuer:      p.URL,
		Audience:    "api",
		TenantClaim: "tenant",
		Log:         slog.New(slog.DiscardHandler),
		Now:         at(0),
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, role := range access.Roles() {
		token := p.token(t, func(_ *jwt.Token, c jwt.MapClaims) {
			c["tenant"], c["roles"] = "oak", []any{role}
		})
		if c, err := users.Check(t.Context(), token); err != nil || !slices.Equal(c.Roles, []string{role}) {
			t.Errorf("a person who is %s: %+v, %v", role, c, err)
		}
	}
}

// checkLog holds that so many lines were logged, and that none of them names anybody.
func checkLog(t *testing.T, lines string, want int) {
	t.Helper()
	if got := strings.Count(lines, "\n"); got != want {
		t.Errorf("%d lines were logged, want %d:\n%s", got, want, lines)
	}
	if strings.Contains(lines, "ada") || strings.Contains(lines, "oak") {
		t.Errorf("the log names somebody: %s", lines)
	}
	if want > 0 && !strings.Contains(lines, "remedy=") {
		t.Errorf("the log does not say what ends the refusals: %s", lines)
	}
}
