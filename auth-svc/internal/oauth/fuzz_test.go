package oauth_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
)

// FuzzTakes holds every redirect address that is taken against what a browser would make of it.
func FuzzTakes(f *testing.F) {
	registered := []string{"https://app.example.com/callback", "https://app.example.com/q?x=1", "http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]/callback"}
	client, err := oauth.NewDocumentClient("https://app.example.com/client.json", oauth.Described{Redirects: registered})
	if err != nil {
		f.Fatal(err)
	}

	for _, seed := range append(registered, "http://localhost:1/callback", "http://localhost:1@evil.example.com/callback", "https://app.example.com\\@evil.example.com/callback", "http://[::1]:9/callback", "http://localhost:080/callback") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		if !client.Takes(asked) {
			return
		}
		u, err := url.Parse(asked)
		if err != nil || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q is taken", asked)
		}

		for _, r := range registered {
			if asked == r {
				return
			}
			if known, _ := url.Parse(r); known.Scheme == "http" && u.Scheme == "http" && u.Hostname() == known.Hostname() && u.EscapedPath() == known.EscapedPath() && u.RawQuery == "" && !u.ForceQuery && u.Port() != "" {
				return
			}
		}
		t.Fatalf("%q is taken", asked)
	})
}

// FuzzParseAsks looks for queries that get further than they should.
func FuzzParseAsks(f *testing.F) {
	f.Add("client_id=a&redirect_uri=b&scope=cases:read")
	f.Add("client_id=a&client_id=b&redirect_uri=c")
	f.Add("client_id=%zz&redirect_uri=;")
	f.Fuzz(func(t *testing.T, query string) {
		a, err := oauth.ParseAsks(query)
		if err != nil {
			return
		}
		values, err := url.ParseQuery(query)
		if err != nil || len(values["client_id"]) != 1 || len(values["redirect_uri"]) != 1 || a.ClientID() != values["client_id"][0] || a.Redirect() != values["redirect_uri"][0] {
			t.Fatalf("ParseAsks(%q) = %q, %q", query, a.ClientID(), a.Redirect())
		}
		if oauth.IsDocument(a.ClientID()) && (oauth.IsRegistered(a.ClientID()) || !strings.HasPrefix(a.ClientID(), "https://")) {
			t.Fatalf("%q is two things", a.ClientID())
		}
	})
}

// FuzzParseScope checks that nothing is granted that is not on the list, and that a second reading changes nothing.
func FuzzParseScope(f *testing.F) {
	f.Add("agent:run cases:read offline_access")
	f.Add("cases:read,cases:write")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := oauth.ParseScope(s)
		if err != nil {
			return
		}
		again, err := oauth.ParseScope(strings.Join(got, " "))
		if err != nil || strings.Join(again, " ") != strings.Join(got, " ") || len(got) > 3 {
			t.Fatalf("ParseScope(%q) = %q, then %q, %v", s, got, again, err)
		}
	})
}

func TestHostsOfRedirects(t *testing.T) {
	for redirect, want := range map[string]string{
		"https://app.example.com/callback": "app.example.com", "https://app.example.com:8443?x": "app.example.com:8443", "http://localhost:123/x": "localhost",
		"http://127.0.0.1:9/": "127.0.0.1", "http://[::1]:9/x": "[::1]", "http://[::1]/x": "[::1]",
	} {
		if got := oauth.RedirectHost(redirect); got != want {
			t.Errorf("RedirectHost(%s) = %q, want %q", redirect, got, want)
		}
	}
}
