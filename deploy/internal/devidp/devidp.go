// Package devidp is an OpenID Connect provider for development: people fixed in advance, a sign-in page, and access
// tokens of the kind that a real provider would give. It is never part of a production deployment.
package devidp

import (
	"context"
	"crypto/ecdsa"
	"crypto/subtle"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
	"github.com/luikyv/go-oidc/pkg/provider"
)

// The clients that the provider knows, both public.
const (
	NativeClient = "subrosa-cli" // the command line
	WebClient    = "subrosa-web" // the service itself, when it signs somebody in with a browser
)

// Names of the claims by which the provider tells a user's organization and roles.
const (
	TenantClaim = "org"
	RolesClaim  = "roles"
)

const tokenLife = 8 * 60 * 60 // seconds: a working day

// Person is somebody who can sign in.
type Person struct {
	Subject      string
	Name         string
	Email        string
	Password     string
	Organization string
	Roles        []string
}

// People are those whom the development provider knows. Two of them are of one firm.
func People() []Person {
	return []Person{
		{
			"ada", "Ada (owner at Oak Street Legal)", "ada@oakstreet.example", "ada-development", "oak-street-legal",
			[]string{"owner", "member", "admin"},
		},
		{
			"ben", "Ben (member at Harbor Law)", "ben@harborlaw.example", "ben-development", "harbor-law",
			[]string{"member"},
		},
		{
			"cara", "Cara (member at Oak Street Legal)", "cara@oakstreet.example", "cara-development",
			"oak-street-legal",
			[]string{"member"},
		},
	}
}

// Config says for whom and as whom the provider speaks.
type Config struct {
	Issuer   string
	Audience string // of access tokens
	Base     string // address of the service, without a slash at its end: WebClient's redirect addresses are there
	Key      *ecdsa.PrivateKey
	People   []Person
	Now      func() time.Time // nil for the clock on the wall
}

// keyID names the one key.
const keyID = "development"

var page = template.Must(template.New("sign-in").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Development sign-in</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 3rem auto; padding: 0 1rem }
label { display: block; margin: 1rem 0 }
input { width: 100%; font: inherit; padding: .4rem; box-sizing: border-box }
button { font: inherit; padding: .5rem 1.5rem }
[role=alert] { color: #b00020 }
</style></head>
<body><main><h1>Development sign-in</h1>
<p>You are signing in to {{.Client}}. This provider is for development only; its passwords are printed at start.</p>
{{with .Error}}<p role="alert">{{.}}</p>{{end}}
<form method="post" action="{{.Action}}">
<label>E-mail <input name="email" type="email" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form></main></body></html>
`))

// Handler returns the provider's routes.
func Handler(cfg Config) (http.Handler, error) {
	bySubject := map[string]Person{}
	for _, p := range cfg.People {
		bySubject[p.Subject] = p
	}
	key := goidc.JSONWebKey{KeyID: keyID, Key: cfg.Key, Algorithm: string(goidc.ES256), Use: "sig"}
	keys := goidc.JSONWebKeySet{Keys: []goidc.JSONWebKey{key}}
	aboutUser := func(_ context.Context, g *goidc.Grant) map[string]any {
		p := bySubject[g.Subject]
		return map[string]any{"name": p.Name, "email": p.Email, "email_verified": true}
	}
	rights := func(_ context.Context, _ *goidc.Token, g *goidc.Grant) map[string]any {
		p := bySubject[g.Subject]
		return map[string]any{"aud": cfg.Audience, TenantClaim: p.Organization, RolesClaim: p.Roles}
	}
	inFull := func(ctx context.Context, g *goidc.Grant) map[string]any {
		all, p := aboutUser(ctx, g), bySubject[g.Subject]
		all[TenantClaim], all[RolesClaim] = p.Organization, p.Roles

		return all
	}
	op, err := provider.New(cfg.Issuer, nil,
		func(context.Context) (goidc.JSONWebKeySet, error) { return keys, nil },
		provider.WithScopes(
			goidc.ScopeOpenID, goidc.NewScope("email"), goidc.NewScope("profile"), goidc.ScopeOfflineAccess,
		),
		// Refresh tokens are kept in memory: after a restart of the provider a person signs in again.
		provider.WithRefreshTokenGrant(nil),
		provider.WithRefreshTokenRotation(),
		provider.WithRefreshTokenShouldIssue(offline),
		provider.WithClaims("sub", "name", "email", "email_verified"),
		provider.WithIDTokenSignatureAlgs(goidc.ES256),
		provider.WithAuthCodeGrant(nil, goidc.ResponseTypeCode),
		provider.WithPKCERequired(goidc.CodeChallengeMethodSHA256),
		provider.WithIssuerResponseParameter(),
		provider.WithNoneAuthn(),
		provider.WithTokenOptions(func(context.Context, *goidc.Grant, *goidc.Client) goidc.TokenOptions {
			return goidc.NewJWTTokenOptions(goidc.ES256, tokenLife)
		}),
		provider.WithTokenClaims(rights), provider.WithIDTokenClaims(inFull), provider.WithUserInfoClaims(aboutUser),
		provider.WithPolicies(signIn(cfg.People)),
		provider.WithLogout(nil, signedOut), provider.WithLogoutPolicies(goidc.NewLogoutPolicy("nothing to end",
			func(*http.Request, *goidc.LogoutSession) bool { return true },
			func(http.ResponseWriter, *http.Request, *goidc.LogoutSession) (goidc.Status, error) {
				return goidc.StatusSuccess, nil
			})),
		// No id is remembered: no client of this provider signs anything that could be replayed.
		provider.WithJTIConsumer(func(context.Context, string) error { return nil }),
		provider.WithStaticClients(&goidc.Client{ID: NativeClient, ClientMeta: goidc.ClientMeta{
			Name:             "the Subrosa command line",
			ApplicationType:  goidc.ApplicationTypeNative,
			ScopeIDs:         "openid email profile offline_access",
			RedirectURIs:     []string{"http://127.0.0.1/callback"},
			GrantTypes:       []goidc.GrantType{goidc.GrantAuthorizationCode, goidc.GrantRefreshToken},
			ResponseTypes:    []goidc.ResponseType{goidc.ResponseTypeCode},
			TokenAuthnMethod: goidc.AuthnMethodNone,
		}}, &goidc.Client{ID: WebClient, ClientMeta: goidc.ClientMeta{
			Name:                   "Subrosa",
			ApplicationType:        goidc.ApplicationTypeWeb,
			ScopeIDs:               "openid email profile",
			RedirectURIs:           []string{cfg.Base + "/oauth/callback", cfg.Base + "/auth/callback"},
			PostLogoutRedirectURIs: []string{cfg.Base + "/"},
			GrantTypes:             []goidc.GrantType{goidc.GrantAuthorizationCode},
			ResponseTypes:          []goidc.ResponseType{goidc.ResponseTypeCode},
			TokenAuthnMethod:       goidc.AuthnMethodNone,
		}}),
	)
	if err != nil {
		return nil, err
	}

	return exchanging(cfg, op.Handler()), nil
}

// offline gives a refresh token to who asked for one.
func offline(_ context.Context, _ *goidc.Client, g *goidc.Grant) bool {
	return slices.Contains(strings.Fields(g.Scopes), goidc.ScopeOfflineAccess.ID)
}

// signedOut answers a browser that is to go nowhere afterwards. The provider keeps nobody signed in, so there is
// nothing to end.
func signedOut(w http.ResponseWriter, _ *http.Request, _ *goidc.LogoutSession) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte("You are signed out.\n"))

	return err
}

// signIn asks for e-mail and password until they fit.
func signIn(people []Person) goidc.AuthnPolicy {
	always := func(*http.Request, *goidc.AuthnSession, *goidc.Client) bool { return true }

	ask := func(
		w http.ResponseWriter, r *http.Request, session *goidc.AuthnSession, client *goidc.Client,
	) (goidc.Status, error) {
		problem := ""
		if r.Method == http.MethodPost && r.PostFormValue("email") != "" {
			if p, ok := find(people, r.PostFormValue("email"), r.PostFormValue("password")); ok {
				session.Subject, session.GrantedScopes = p.Subject, session.Scopes
				return goidc.StatusSuccess, nil
			}
			problem = "E-mail or password is wrong."
		} else if session.Prompt == goidc.PromptTypeNone {
			return goidc.StatusFailure, goidc.NewError(goidc.ErrorCodeLoginRequired, "nobody is signed in")
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		if err := page.Execute(w, map[string]string{
			"Client": client.Name,
			"Error":  problem,
			"Action": "/authorize/" + session.ID,
		}); err != nil {
			return goidc.StatusFailure, errors.New("cannot show the sign-in page")
		}

		return goidc.StatusPending, nil
	}

	return goidc.NewPolicy("password", always, ask)
}

func find(people []Person, email, password string) (Person, bool) {
	for _, p := range people {
		// Compared in constant time out of habit: code of a development provider gets copied.
		if p.Email == email && subtle.ConstantTimeCompare([]byte(p.Password), []byte(password)) == 1 {
			return p, true
		}
	}

	return Person{}, false
}
