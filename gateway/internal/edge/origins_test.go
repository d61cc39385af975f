package edge_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

const base = "https://subrosa.example.com"

func TestOrigin(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		text, want string
	}{
		{"https://App.Example.com", "https://app.example.com"},
		{"https://app.example.com:443", "https://app.example.com"},
		{"http://127.0.0.1:6274", "http://127.0.0.1:6274"},
		{"http://[::1]:80", "http://[::1]"},
		{"https://app.example.com/", ""},
		{"https://*.example.com", ""},
		{"https://user@example.com", ""},
		{"null", ""},
		{"*", ""},
		{"ftp://example.com", ""},
		{"", ""},
	} {
		got, err := edge.Origin(tc.text)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("Origin(%q) = %q, %v, want %q", tc.text, got, err, tc.want)
		}
	}
}

// asked sends one request to an engine with the route table's check in front.
func asked(t *testing.T, method, path string, headers ...string) http.Header {
	t.Helper()
	origins, err := edge.NewOrigins(routes.All(), []string{base, "https://app.example.com"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.Use(origins.Handle)

	for _, r := range routes.All() {
		engine.Handle(r.Method, r.Path, func(c *gin.Context) { c.Status(http.StatusOK) })
	}

	rec, req := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	engine.ServeHTTP(rec, req)
	answer := rec.Result().Header
	answer.Set("Status", http.StatusText(rec.Code))

	return answer
}

func TestWhichOriginsMayCall(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, method, path, origin string
		status                     int
		allowed                    string
	}{
		{"a server", http.MethodPost, "/api/mcp", "", http.StatusOK, ""},
		{"a page of ours", http.MethodPost, "/api/mcp", base, http.StatusOK, base},
		{"a page of a trusted origin", http.MethodPost, "/api/mcp", "https://app.example.com", http.StatusOK, "https://app.example.com"},
		{"another page", http.MethodPost, "/api/mcp", "https://evil.example", http.StatusForbidden, ""},
		{"another scheme", http.MethodPost, "/api/mcp", "http://app.example.com", http.StatusForbidden, ""},
		{"another port", http.MethodPost, "/api/mcp", "https://app.example.com:8443", http.StatusForbidden, ""},
		{"a name that begins alike", http.MethodPost, "/api/mcp", "https://app.example.com.evil.example", http.StatusForbidden, ""},
		{"a page without an origin", http.MethodPost, "/api/mcp", "null", http.StatusForbidden, ""},
		{"a wrong method from another page", http.MethodGet, "/api/mcp", "https://evil.example", http.StatusForbidden, ""},
		{"a wrong method from a server", http.MethodGet, "/api/mcp", "", http.StatusMethodNotAllowed, ""},
		{"metadata for any page", http.MethodGet, "/.well-known/oauth-authorization-server", "https://evil.example", http.StatusOK, "*"},
		{"tokens for any page", http.MethodPost, "/oauth/token", "https://evil.example", http.StatusOK, "*"},
		{"a page for people", http.MethodPost, "/oauth/consent", "https://evil.example", http.StatusOK, ""},
		{"the HTTP interface", http.MethodGet, "/v1/cases", "https://evil.example", http.StatusOK, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var headers []string
			if tc.origin != "" {
				headers = []string{"Origin", tc.origin}
			}
			got := asked(t, tc.method, tc.path, headers...)
			if got.Get("Status") != http.StatusText(tc.status) || got.Get("Access-Control-Allow-Origin") != tc.allowed || got.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s, allowed %q, credentials %q, want %s and %q", got.Get("Status"), got.Get("Access-Control-Allow-Origin"), got.Get("Access-Control-Allow-Credentials"), http.StatusText(tc.status), tc.allowed)
			}
		})
	}
	if got := asked(t, http.MethodPost, "/api/mcp", "Origin", base, "Origin", "https://evil.example"); got.Get("Status") != http.StatusText(http.StatusForbidden) {
		t.Errorf("two origins, one of them trusted: %s", got.Get("Status"))
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()

	for path, want := range map[string]string{"/api/mcp": "https://app.example.com", "/oauth/token": "*", "/oauth/register": "*", "/oauth/revoke": "*"} {
		got := asked(t, http.MethodOptions, path, "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST")
		if got.Get("Status") != http.StatusText(http.StatusNoContent) || got.Get("Access-Control-Allow-Origin") != want || got.Get("Access-Control-Allow-Methods") != "POST" || got.Get("Access-Control-Allow-Headers") == "" {
			t.Errorf("%s: %v", path, got)
		}
	}

	for name, tc := range map[string][]string{
		"no preflight at all":      {"/oauth/token"},
		"a page for people":        {"/oauth/authorize", "Origin", "https://app.example.com", "Access-Control-Request-Method", "GET"},
		"the HTTP interface":       {"/v1/cases", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST"},
		"an origin without a wish": {"/api/mcp", "Origin", base},
	} {
		if got := asked(t, http.MethodOptions, tc[0], tc[1:]...); got.Get("Status") != http.StatusText(http.StatusMethodNotAllowed) {
			t.Errorf("%s: %s, want %s", name, got.Get("Status"), http.StatusText(http.StatusMethodNotAllowed))
		}
	}
	if got := asked(t, http.MethodOptions, "/api/mcp", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST"); got.Get("Status") != http.StatusText(http.StatusForbidden) {
		t.Errorf("from another page: %s", got.Get("Status"))
	}
}

func TestChallenge(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ credential, says string }{
		"no credential":  {"", `Bearer resource_metadata="https://subrosa.example.com/.well-known/oauth-protected-resource/api/mcp", scope="cases:read agent:run"`},
		"one of no good": {"Bearer x", `Bearer error="invalid_token", resource_metadata="https://subrosa.example.com/.well-known/oauth-protected-resource/api/mcp", scope="cases:read agent:run"`},
	} {
		rec := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/mcp", nil)
		if tc.credential != "" {
			c.Request.Header.Set("Authorization", tc.credential)
		}
		err := edge.Challenge(c, base, []string{"cases:read", "agent:run"})
		if got := rec.Header().Get("WWW-Authenticate"); got != tc.says {
			t.Errorf("%s: %s, want %s", name, got, tc.says)
		}
		if !errors.Is(err, access.ErrUnauthenticated) || !strings.Contains(err.Error(), "OAuth sign-in") ||
			strings.Contains(err.Error(), "/v1/auth/token") {
			t.Errorf("%s: refused with %v", name, err)
		}
	}
}
