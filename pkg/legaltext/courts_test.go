package legaltext_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/legaltext"
)

func TestCourt(t *testing.T) {
	for text, want := range map[string]string{
		"Court of Appeal of Louisiana, First Circuit": "",
		"Arizona Superior Court, County of Pima":      "Arizona Superior Court",
		"Bankr. S.D.N.Y. 2019), and":                  "Bankr. S.D.N.Y.",
		"Ala. Crim. App. 2001":                        "Ala. Crim. App.",
		"MORRIS COUNTY COURT OF COMMON PLEAS":         "",
		"Allegheny County Orphans' Court held":        "Allegheny County Orphans' Court",
		"ALLEGHENY COUNTY ORPHANS' COURT":             "ALLEGHENY COUNTY ORPHANS' COURT",
		"Arizona Tax Courtesy":                        "",
		"J.P. Morgan":                                 "",
		"N.C. State":                                  "",
		"Hale":                                        "",
		"Hale asked":                                  "",
		"":                                            "",
	} {
		if got := text[:legaltext.Court(text)]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A text may begin like many names and be none of them.
func TestCourtEndsOnTextThatSharesBeginnings(t *testing.T) {
	text := strings.Repeat("Oh. Ct. Com. Pl., ", 1000)
	for i := range len(text) {
		if n := legaltext.Court(text[i:]); n > len(text)-i {
			t.Fatalf("byte %d: %d bytes", i, n)
		}
	}
}

func BenchmarkCourt(b *testing.B) {
	text := strings.Repeat("The Plaintiff, who lives in Adams, asks the Court for leave. ", 100)
	b.SetBytes(int64(len(text)))

	for b.Loop() {
		for i := range len(text) {
			if text[i]-'A' < 26 {
				legaltext.Court(text[i:])
			}
		}
	}
}
