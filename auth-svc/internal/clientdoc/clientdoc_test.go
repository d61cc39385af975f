package clientdoc_test

import (
	"encoding/json"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/clientdoc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
)

func TestLifeOfADocument(t *testing.T) {
	for control, want := range map[string]time.Duration{
		"": 5 * time.Minute, "max-age=0": 5 * time.Minute, "max-age=299": 5 * time.Minute, "max-age=301": 301 * time.Second, "Public, Max-Age=3600": time.Hour,
		"max-age=86400": 24 * time.Hour, "max-age=99999999": 24 * time.Hour, "max-age=99999999999999999999": 5 * time.Minute, "max-age=-1": 5 * time.Minute, "max-age=x": 5 * time.Minute,
		"no-store": 5 * time.Minute, "max-age=3600, no-cache": 5 * time.Minute, "private, max-age=3600": 5 * time.Minute, `max-age="600"`: 10 * time.Minute,
	} {
		if got := clientdoc.Life(control); got != want {
			t.Errorf("Life(%q) = %v, want %v", control, got, want)
		}
	}
}

// FuzzParse checks that whatever a document says, a client that comes of it is one that may be shown and sent to.
func FuzzParse(f *testing.F) {
	const address = "https://app.example.com/client.json"
	f.Add([]byte(`{"client_id":"` + address + `","client_name":"Desk","redirect_uris":["https://app.example.com/callback","http://localhost/callback"],"grant_types":["authorization_code"]}`))
	f.Add([]byte(`{"client_id":"` + address + `","redirect_uris":["https://app.example.com/callback"],"token_endpoint_auth_method":"private_key_jwt"}`))
	f.Add([]byte(`{"client_id":null,"redirect_uris":[null]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := clientdoc.Parse(address, body)
		if err != nil {
			return
		}
		if c.ID != address || !c.Document || c.Name == "" || !utf8.ValidString(c.Name) || len(c.Redirects) == 0 || len(c.Redirects) > oauth.MaxRedirects || !json.Valid(body) {
			t.Fatalf("Parse(%q) = %+v", body, c)
		}

		for _, r := range c.Name {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("a name with %U", r)
			}
		}

		for _, r := range c.Redirects {
			if !oauth.ValidRedirect(r) || !c.Takes(r) || oauth.RedirectHost(r) == "" {
				t.Fatalf("a redirect to %q", r)
			}
		}
	})
}
