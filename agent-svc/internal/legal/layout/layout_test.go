package layout

import "testing"

func TestCutEndsBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		most       int
		want       string
	}{
		{"short enough", "ends on May 1", 13, "ends on May 1"},
		{"within a word", "Commencement Date and Expiration Date", 27, "Commencement Date and…"},
		{"at the end of a word", "Commencement Date and Expiration Date", 21, "Commencement Date and…"},
		{"within a label", "made between [Party 12] and", 21, "made between…"},
		{"after a label", "made between [Party 12] and others", 25, "made between [Party 12]…"},
		{"one long word", "incomprehensibilities", 5, "incom…"},
		{"a letter of two bytes", "där är åtta ord", 6, "där är…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Cut(tt.text, tt.most); got != tt.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
			}
		})
	}
}

func TestBareLinksAreNotLive(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an address", "see https://evil.example/x?a=b now", "see `https://evil.example/x?a=b` now"},
		{"in capitals", "HTTPS://EVIL.EXAMPLE/", "`HTTPS://EVIL.EXAMPLE/`"},
		{"without TLS", "(http://evil.example/a_b*c)", "(`http://evil.example/a_b*c`)"},
		{"at the end of a sentence", "Go to https://evil.example/a.", "Go to `https://evil.example/a`."},
		{"a host alone", "https://evil.example", "`https://evil.example`"},
		{"another scheme", "ftp://evil.example/x", "`ftp://evil.example/x`"},
		{"www", "at www.evil.example/x, or WWW.evil.example", "at `www.evil.example/x`, or `WWW.evil.example`"},
		{"no scheme, a path", "open evil.example/login now", "open `evil.example/login` now"},
		{"no scheme, a query", "evil.example?x=1", "`evil.example?x=1`"},
		{"a port", "evil.example:8080/x", "`evil.example:8080/x`"},
		{"e-mail", "write to a.b+c@evil.example.", "write to `a.b+c@evil.example`."},
		{"mailto", "mailto:a@evil.example?body=x", "`mailto:a@evil.example?body=x`"},
		{"within angles", "<https://evil.example>", "\\<`https://evil.example`\\>"},
		{"as a link of Markdown", "[x](https://evil.example)", "[x]\\(`https://evil.example`)"},
		{"as a picture", "![x](https://evil.example/p.png)", "![x]\\(`https://evil.example/p.png`)"},
		{"as a reference", "[x]: https://evil.example", "[x]\\: `https://evil.example`"},
		{"in a cell", "a|https://evil.example|b", "a\\|`https://evil.example`\\|b"},
		{"beside a backtick", "`https://evil.example`x", "\\``https://evil.example`\\`x"},
		{"two", "http://a.example http://b.example", "`http://a.example` `http://b.example`"},
		{"with a label", "https://evil.example/[Party 1]", "`https://evil.example/[Party` 1]"},
		{"script", "javascript://evil.example/%0aalert(1)", "`javascript://evil.example/%0aalert(1`)"},
		{"no address", "Smith v. Jones, 12 U.S. 3/4, and/or e.g. at 10:30", "Smith v. Jones, 12 U.S. 3/4, and/or e.g. at 10:30"},
		{"markup", "a_b *c* [Party 1]", `a\_b \*c\* [Party 1]`},
		{"a statute", "28 U.S.C. § 1332(a)(1): diversity", "28 U.S.C. § 1332(a)(1): diversity"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Escape(tt.text); got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
