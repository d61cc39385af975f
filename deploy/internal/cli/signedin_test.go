package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// renewer is a provider that exchanges each refresh token once, and a service that takes the newest access token.
type renewer struct {
	*httptest.Server
	given  atomic.Int64 // access tokens
	status int          // of the token endpoint, when it refuses
	code   string       // of OAuth, likewise
}

func newRenewer(t *testing.T) *renewer {
	t.Helper()
	x := &renewer{}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{
			"issuer": x.URL, "authorization_endpoint": x.URL + "/authorize", "token_endpoint": x.URL + "/token",
			"jwks_uri": x.URL + "/keys", "response_types_supported": []string{"code"},
			"subject_types_supported":               []string{"public"},
			"id_token_signing_alg_values_supported": []string{"ES256"},
		})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if x.status != 0 {
			answer(w, x.status, map[string]string{"error": x.code})
			return
		}
		n := x.given.Load()
		if r.FormValue("grant_type") != "refresh_token" || r.FormValue("client_id") != "native" ||
			r.FormValue("refresh_token") != fmt.Sprint("refresh-", n) || !x.given.CompareAndSwap(n, n+1) {
			answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		answer(w, http.StatusOK, map[string]any{
			"access_token": fmt.Sprint("access-", n+1), "refresh_token": fmt.Sprint("refresh-", n+1),
			"token_type": "Bearer", "expires_in": 3600,
		})
	})
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer access-", x.given.Load()) {
			httpcall.WriteError(w, "r", access.ErrUnauthenticated)
			return
		}
		me := api.Me{User: "ada", Tenant: "o:oak", Kind: "user", Roles: []string{"owner"}, Scopes: []string{}}
		answer(w, http.StatusOK, me)
	})
	x.Server = httptest.NewServer(mux)
	t.Cleanup(x.Close)

	return x
}

// ranOut makes a folder with a sign-in that has run out.
func (x *renewer) ranOut(t *testing.T, refresh string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	kept := fmt.Sprintf(
		`{"current":%q,"sites":{%q:{"baseUrl":%q,"issuer":%q,"clientId":"native","token":"access-0",
			"expires":"2020-01-01T00:00:00Z","refresh":%q}}}`, x.URL, x.URL, x.URL, x.URL, refresh,
	)
	if err := os.MkdirAll(filepath.Join(folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config", "sites.json"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}

	return folder
}

func sitesText(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "config", "sites.json"))
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// A sign-in that has run out is renewed by itself, once, though several commands find it so at the same moment.
func TestASignInRenewsItself(t *testing.T) {
	t.Parallel()
	x := newRenewer(t)
	folder := x.ranOut(t, "refresh-0")

	var commands sync.WaitGroup
	for range 6 {
		commands.Go(func() {
			if code, out, problems := run(t, folder, "me"); code != 0 || !strings.Contains(out, "o:oak") {
				t.Errorf("me = %d %s %s", code, out, problems)
			}
		})
	}
	commands.Wait()

	if got := x.given.Load(); got != 1 {
		t.Errorf("renewed %d times, want once", got)
	}
	if kept := sitesText(t, folder); !strings.Contains(kept, "refresh-1") || !strings.Contains(kept, "access-1") {
		t.Error("the new tokens are not kept")
	}
}

func TestASignInThatCannotBeRenewed(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, refresh string
		status        int
		code          string
		says          string
		kept          bool
	}{
		{"without a refresh token", "", 0, "", "run subrosa login", false},
		{"with one that counts no more", "refresh-9", 0, "", "run subrosa login", false},
		{"refused", "refresh-0", http.StatusBadRequest, "invalid_grant", "run subrosa login", false},
		{"a client that may not", "refresh-0", http.StatusUnauthorized, "invalid_client", "run subrosa login", true},
		{"the provider is away", "refresh-0", http.StatusBadGateway, "", "cannot be reached", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := newRenewer(t)
			x.status, x.code = tc.status, tc.code
			folder := x.ranOut(t, tc.refresh)

			code, out, problems := run(t, folder, "me")
			if code == 0 || !strings.Contains(problems, tc.says) {
				t.Errorf("me = %d %s %s, want %q", code, out, problems, tc.says)
			}
			if strings.Contains(problems, "refresh-") {
				t.Errorf("the token is shown: %s", problems)
			}
			if kept := strings.Contains(sitesText(t, folder), "refresh-"); kept != tc.kept {
				t.Errorf("the refresh token is kept: %t, want %t", kept, tc.kept)
			}
		})
	}
}

func TestLogoutForgetsTheRefreshToken(t *testing.T) {
	t.Parallel()
	x := newRenewer(t)
	folder := x.ranOut(t, "refresh-0")
	if code, _, problems := run(t, folder, "logout"); code != 0 {
		t.Fatal(problems)
	}
	if kept := sitesText(t, folder); strings.Contains(kept, "refresh-0") || strings.Contains(kept, "access-0") {
		t.Errorf("kept after logout: %s", kept)
	}
}
