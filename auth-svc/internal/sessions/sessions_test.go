package sessions_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessions"
)

func TestReturnIsAPathOfOurs(t *testing.T) {
	for _, tc := range []struct{ path, want string }{
		{"/", "/"},
		{"/cases/7?tab=files&q=a%2Fb#note", "/cases/7?tab=files&q=a%2Fb#note"},
		{"/i/review?case=1&phase=2", "/i/review?case=1&phase=2"},
		{"/a b", "/a%20b"},
		{"/ä", "/%C3%A4"},
		{"/?q=a b ä", "/?q=a%20b%20%C3%A4"},
		{"/x?to=https://evil.example", "/x?to=https://evil.example"},
		{"/" + strings.Repeat("a", 2047), "/" + strings.Repeat("a", 2047)},
		{"/" + strings.Repeat("a", 2048), ""},
		{"", ""},
		{"cases", ""},
		{"?x", ""},
		{"//evil.example", ""},
		{"///evil.example", ""},
		{`/\evil.example`, ""},
		{`\\evil.example`, ""},
		{`\/evil.example`, ""},
		{`/a/..\/evil.example`, ""},
		{"/\t/evil.example", ""},
		{"/\n/evil.example", ""},
		{"/\r\nSet-Cookie: a=b", ""},
		{"\t//evil.example", ""},
		{" //evil.example", ""},
		{"/\x00", ""},
		{"/\x7f", ""},
		{"/\u0085", ""},
		{"/\xff", ""},
		{"/%zz", ""},
		{"/" + strings.Repeat("a", 2047), "/" + strings.Repeat("a", 2047)},
		{"/" + strings.Repeat("a", 2048), ""},
		{"/" + strings.Repeat(">", 1024), ""}, // short enough as it came, not as it would be sent on
		{"https://evil.example/", ""},
		{"https:/evil.example", ""},
		{"javascript:alert(1)", ""},
		{"http://subrosa.example/", ""},
	} {
		got, err := sessions.Return(tc.path)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("Return(%q) = %q, %v, want %q", tc.path, got, err, tc.want)
		}
	}
}

// FuzzReturn: whatever is let through leads, as a browser reads it from one of our pages, to our own host.
func FuzzReturn(f *testing.F) {
	for _, seed := range []string{"/", "//evil.example", `/\evil.example`, "/a?b#c", "/..//evil.example", "/%5cevil"} {
		f.Add(seed)
	}
	base, err := url.Parse("https://subrosa.example/auth/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := sessions.Return(path)
		if err != nil {
			return
		}
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != "https" || strings.ContainsAny(got, "\\\r\n\t ") || strings.HasPrefix(got, "//") {
			t.Errorf("Return(%q) = %q, which leads to %v, %v", path, got, to, err)
		}
		if again, err := sessions.Return(got); err != nil || again != got {
			t.Errorf("Return(%q) = %q, and of that %q, %v", path, got, again, err)
		}
	})
}
