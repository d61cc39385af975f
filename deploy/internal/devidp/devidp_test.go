package devidp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
)

func start(t *testing.T, audience string) (*httptest.Server, []devidp.Person) {
	t.Helper()
	var handler http.Handler
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	handler, err = devidp.Handler(devidp.Config{Issuer: server.URL, Audience: audience, Key: key, People: devidp.People()})
	if err != nil {
		t.Fatal(err)
	}

	return server, devidp.People()
}

func TestSignInGivesATokenThatTheServiceTakes(t *testing.T) {
	server, people := start(t, "https://subrosa.example/v1")
	token, err := devidp.SignIn(t.Context(), server.Client(), server.URL, people[0])
	if err != nil {
		t.Fatal(err)
	}
	users, err := provider.NewUsers(provider.UsersConfig{
		Issuer: server.URL, Audience: "https://subrosa.example/v1", TenantClaim: devidp.TenantClaim, RolesClaim: devidp.RolesClaim,
		Transport: server.Client().Transport, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := users.Check(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if caller.Kind != access.User || caller.UserID != "ada" || caller.Tenant != "o:oak-street-legal" ||
		!slices.Contains(caller.Roles, "owner") {
		t.Errorf("caller = %+v", caller)
	}
	other, err := provider.NewUsers(
		provider.UsersConfig{
			Issuer:    server.URL,
			Audience:  "https://other.example/v1",
			Transport: server.Client().Transport,
			Now:       time.Now,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Check(t.Context(), token); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a token for another audience: err = %v, want %v", err, access.ErrUnauthenticated)
	}
}

func TestSignInWithAWrongPasswordGivesNothing(t *testing.T) {
	server, people := start(t, "a")
	p := people[1]
	p.Password = "guessed"
	if token, err := devidp.SignIn(t.Context(), server.Client(), server.URL, p); err == nil {
		t.Errorf("signed in with a wrong password: %d bytes of token", len(token))
	}
}
