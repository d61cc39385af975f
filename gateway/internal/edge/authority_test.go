package edge_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

func TestOnlyOurOwnHostsAreAnswered(t *testing.T) {
	t.Parallel()
	const base = "https://subrosa.example"
	further := []string{"app.subrosa.example:8443", "Proxy.Inside", "localhost:*", "[::1]:*"}

	for _, tc := range []struct {
		name, base, host string
		also             string // a field Host beside the authority of HTTP/2
		forwarded        string
		ours             bool
	}{
		{name: "our own", host: "subrosa.example", ours: true},
		{name: "in capitals", host: "SubRosa.EXAMPLE", ours: true},
		{name: "with the port of HTTPS", host: "subrosa.example:443", ours: true},
		{name: "with a dot at its end", host: "subrosa.example.", ours: true},
		{name: "a further one, with its port", host: "app.subrosa.example:8443", ours: true},
		{name: "a further one, in other letters", host: "proxy.inside", ours: true},
		{name: "an address with a port", base: "https://127.0.0.1:8443", host: "127.0.0.1:8443", ours: true},
		{name: "an address of IPv6", base: "https://[::1]:8443", host: "[::1]:8443", ours: true},
		{name: "an address of IPv6 with the port of HTTPS", base: "https://[::1]", host: "[::1]:443", ours: true},
		{name: "the same in both fields", host: "subrosa.example", also: "subrosa.example", ours: true},

		{name: "one with any port", host: "localhost:12345", ours: true},
		{name: "one with any port, without one", host: "localhost", ours: true},
		{name: "one with any port, of IPv6", host: "[::1]:9", ours: true},

		{name: "a port that is none", host: "localhost:http"},
		{name: "an empty port", host: "localhost:"},
		{name: "one that ends like one with any port", host: "evil.localhost:80"},
		{name: "another", host: "evil.example"},
		{name: "none", host: ""},
		{name: "another port", host: "subrosa.example:8443"},
		{name: "a further one without its port", host: "app.subrosa.example"},
		{name: "one that begins alike", host: "subrosa.example.evil.example"},
		{name: "one that ends alike", host: "evil-subrosa.example"},
		{name: "a name below", host: "www.subrosa.example"},
		{name: "with a user name", host: "subrosa.example@evil.example"},
		{name: "two in one", host: "subrosa.example,evil.example"},
		{name: "with a path", host: "subrosa.example/evil"},
		{name: "with a blank", host: " subrosa.example"},
		{name: "an address", host: "127.0.0.1"},
		{name: "another in the other field", host: "subrosa.example", also: "evil.example"},
		{name: "another that a proxy says was ours", host: "evil.example", forwarded: "subrosa.example"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tel := telemetry.Discard("gateway", io.Discard)
			authority, err := edge.NewAuthority(cmp.Or(tc.base, base), further, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			engine := httpx.NewEngine(tel)
			engine.Use(authority.Handle)
			engine.GET("/v1/me", func(c *gin.Context) { c.Status(http.StatusNoContent) })
			req := httptest.NewRequest(http.MethodGet, "/v1/me", nil)
			req.Host = tc.host
			if tc.also != "" {
				req.Header["Host"] = []string{tc.also}
			}
			if tc.forwarded != "" {
				req.Header.Set("X-Forwarded-Host", tc.forwarded)
			}
			rec := httptest.NewRecorder()
			engine.ServeHTTP(rec, req)

			if tc.ours {
				if rec.Code != http.StatusNoContent {
					t.Errorf("%d %s, want 204", rec.Code, rec.Body)
				}

				return
			}
			var said httpx.WireError
			if err := json.Unmarshal(
				rec.Body.Bytes(),
				&said,
			); err != nil ||
				rec.Code != http.StatusMisdirectedRequest ||
				said.Error != "misdirected_request" {
				t.Errorf("%d %s, want 421 misdirected_request", rec.Code, rec.Body)
			}
		})
	}
}

func TestEarlyAnswersHaveOurShape(t *testing.T) {
	t.Parallel()

	for status, want := range map[int]struct {
		status int
		code   string
	}{
		400: {400, "malformed_request"}, 417: {400, "malformed_request"}, 501: {400, "malformed_request"},
		431: {431, "headers_too_large"},
	} {
		raw := edge.Early("https://subrosa.example")(status)
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		var said httpx.WireError
		if err := json.NewDecoder(resp.Body).
			Decode(&said); err != nil || resp.StatusCode != want.status || said.Error != want.code ||
			said.Message == "" ||
			said.RequestID == "" {
			t.Errorf("%d: %d %+v, %v", status, resp.StatusCode, said, err)
		}
		_ = resp.Body.Close()

		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"X-Frame-Options": "DENY", "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
			"X-Request-Id": said.RequestID,
		} {
			if got := resp.Header.Get(name); got != value {
				t.Errorf("%d: %s = %q, want %q", status, name, got, value)
			}
		}
		if !resp.Close {
			t.Errorf("%d: the connection stays open", status)
		}
	}
}
