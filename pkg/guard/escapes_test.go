package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// blanks are the ways to write the blank between two words that only a program reads as one.
var blanks = map[string]string{
	"percent":                  "%20",
	"percent tab":              "%09",
	"percent twice":            "%2520",
	"percent three times":      "%252520",
	"percent, of no break":     "%C2%A0",
	"percent, of an em space":  "%E2%80%83",
	"percent, of Unicode":      "%u0020",
	"percent, of a reference":  "%26nbsp%3B",
	"quoted-printable":         "=20",
	"quoted-printable bytes":   "=C2=A0",
	"a broken line":            "=20=\n",
	"reference by name":        "&nbsp;",
	"without a semicolon":      "&nbsp",
	"reference of a space":     "&ensp;",
	"reference of a tab":       "&Tab;",
	"reference by number":      "&#32;",
	"reference in hexadecimal": "&#x20;",
	"reference of no break":    "&#160;",
	"reference twice":          "&amp;nbsp;",
	"reference three times":    "&amp;amp;#32;",
	"reference of a percent":   "&#37;20",
	"escape of JSON":           `\u0020`,
	"escape of JSON twice":     `\\u0020`,
	"escape in braces":         `\u{20}`,
	"long escape":              `\U00000020`,
	"escape in hexadecimal":    `\x20`,
	"escape in octal":          `\040`,
	"escape of style sheets":   `\20 `,
	"six figures":              `\000020`,
	"no break space":           "\u00a0",
	"ideographic space":        "\u3000",
	"Ogham space":              "\u1680",
	"blank of Braille":         "\u2800",
	"Hangul filler":            "\u3164",
	"picture of a space":       "\u2420",
}

// Whoever reads a text reads what a program makes of it: a name, a number or an address is found however its blanks are
// written, by every rule that finds it with plain ones.
func TestEscapedBlanksHideNothing(t *testing.T) {
	for rule, text := range map[string]string{
		"lower case":         "halvard ostrowe",
		"both names listed":  "john smith",
		"title case":         "Halvard Ostrowe",
		"ordinary words":     "Will Page",
		"capitals":           "HALVARD OSTROWE",
		"surname first":      "ostrowe, halvard",
		"with a title":       "mr halvard ostrowe",
		"in a sentence":      "ask halvard ostrowe about the lease",
		"with a mark":        "rené zbrożek",
		"a case":             "smith v jones",
		"birth date":         "born 3 May 1971",
		"announced number":   "passport no. C01X00T47",
		"mail address":       "jane at example dot com",
		"telephone":          "call +44 20 7946 0958",
		"IBAN":               "pay DE89 3704 0044 0532 0130 00",
		"street":             "he lives at 12 Fleece Lane",
		"company":            "Kettlewick Robotics GmbH",
		"verb behind a name": "where did smith live",
	} {
		for _, door := range []guard.Channel{guard.Prompt, guard.Title, guard.FileName, guard.Query} {
			if found(t, door, text) == "" {
				t.Errorf("%s: %q passes the door %s as it is", rule, text, door)
			}

			for how, blank := range blanks {
				if hidden := strings.ReplaceAll(text, " ", blank); found(t, door, hidden) == "" {
					t.Errorf("%s, %s: %q passes the door %s", rule, how, hidden, door)
				}
			}
		}
	}
}

// Signs and letters are read as well, and a plus is a blank between words.
func TestEscapedSignsAndLettersHideNothing(t *testing.T) {
	for _, text := range []string{
		"jane%40example.com", "jane&commat;example.com", "jane=40example.com", `jane\u0040example.com`, "jane&#64;example.com",
		"halvard%2C%20ostrowe", "halv%61rd ostr%6Fwe", "halv&#97;rd ostr&#111;we", `halv\u0061rd ostr\x6Fwe`, "ostr=6Fwe",
		"dob%3A%201971-05-03", "dob&colon;&nbsp;1971-05-03", "dob=3A=201971-05-03",
		"M%C3%BCllerschön", "M%FCllerschön", "Zbro&zcaron;ek", "M&uuml;llerschmitz", `M\'fcllerschmitz`,
		"halvard%25252525252520ostrowe", "a%2525252525252520b", "halv&shy;ard ostr&zwj;owe", "halv=\nard ostr=\r\nowe", "halvard+ostrowe",
		"https://example.org/a?q=born+3+May+1971", "https://example.org/a?who=Will+Page", `"tenant:\nhalvard\tostrowe"`,
		`john\nsmith`, `john\ smith`, "+44%2020%207946%200958", "DE89=203704=200044=200532=200130=2000",
		"J%6Fhn Sm%69th", "%48%61%6C", "=4A=6F=68=6E", `\x4a\x6f\x68`,
	} {
		if found(t, guard.Prompt, text) == "" {
			t.Errorf("%q passes", text)
		}
	}
}

// A find takes in the whole of the escapes at its ends and between its words, in bytes of the text as given.
func TestFindsOfEscapedTextAreInTheTextAsGiven(t *testing.T) {
	for text, want := range map[string]string{
		"the lease of Halvard%20Ostrowe ends":            "Halvard%20Ostrowe",
		"the lease of Halvard&amp;nbsp;Ostrowe%2C a man": "Halvard&amp;nbsp;Ostrowe",
		"caf&eacute; of J&#97;ne%2520Zbrozek":            "J&#97;ne%2520Zbrozek",
		"ask jane%40example.com now":                     "jane%40example.com",
		"\u00a0%20call +44%2020%207946%200958":           "+44%2020%207946%200958",
	} {
		if got := foundIn(t, guard.FileText, text); !strings.Contains(got, strings.TrimPrefix(want, "+")) {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// Amounts, settings, paths, programs and addresses of pages are none, and an escape in ordinary words is no alarm.
func TestOrdinaryTextWithSignsOfEscapesPasses(t *testing.T) {
	for _, text := range []string{
		"https://example.org/terms%20of%20use", "https://example.org/search?q=terms+of+use&page=20", "case_file_v2.pdf",
		"terms%20and%20conditions.pdf", "lease%20agreement%20(draft).pdf", "https://example.org/a%2Fb%3Fc%3Dd",
		"the rate is 10%20 days", "between 10%20% and 30%", "size=20&page=20", "width=2000", "page=4B", "rent=1200",
		`C:\temp\notes\tenant\name`, `a pattern \d+ \1 \s*`, "100%defective goods", "50%accurate", "a=41 b=42", "=20",
		"lease&nbsp;of&nbsp;premises", "AT&amp;T and R&amp;D", "the lease &amp; the deposit", "Lease &#40;Draft&#41;",
		`{"text":"the lease\nends\tin june"}`, `"line one\r\nline two"`, "landlord+tenant", "C++ and A+B", "%d items and %20s",
		"what is 20% of 100%?", "&copy; 2024 &sect; 5", "the tenant%E2%80%99s deposit", "=?UTF-8?Q?the_lease?=",
	} {
		if got := found(t, guard.Prompt, text); got != "" {
			t.Errorf("%q: found %s", text, got)
		}
	}
}

// Escapes in escapes are read in time that grows with the text alone.
func BenchmarkEscapes(b *testing.B) {
	for _, unit := range []string{
		"%2525252520", "&amp;amp;amp;", `\\\\u0020`, "=20=20", "a+b ", "&#x20;", `\`, "1=203", "+", `\n`,
	} {
		for _, size := range []int{16 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("%s/%d", unit, size), func(b *testing.B) {
				text := strings.Repeat(unit, size/len(unit))
				b.SetBytes(int64(len(text)))

				for b.Loop() {
					guard.New().Check(b.Context(), guard.FileText, text)
				}
			})
		}
	}
}
