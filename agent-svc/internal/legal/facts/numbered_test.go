package facts

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAllegationsCountOnFromOne(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"one below the other", "INTRO\n1. First.\n2. Second\ngoes on.\n\n3. Third.\n", "1 First.|2 Second goes on.|3 Third."},
		{"a heading ends one", "1. First.\nCOUNT I\nBreach of Contract\n\n2. Second.", "1 First.|2 Second."},
		{"a list that begins again is none", "1. First.\n\n2. Second.\n\n1. Pay.\n2. Stop.\n3. Third.", "1 First.|2 Second.|3 Third."},
		{"no number, none", "First.\n2. Second.", ""},
		{"a sum is none", "1.5 percent\n1. First.", "1 First."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, a := range Allegations(tc.text) {
				got = append(got, fmt.Sprintf("%d %s", a.Number, Fold(a.In(tc.text))))
			}
			if s := strings.Join(got, "|"); s != tc.want {
				t.Errorf("Allegations = %q, want %q", s, tc.want)
			}
		})
	}
}

func TestALongAllegationIsCutAtAWord(t *testing.T) {
	text := "1. " + strings.Repeat("wörd ", 200)
	a := Allegations(text)
	if len(a) != 1 || utf8.RuneCountInString(a[0].In(text)) > MaxQuote || !strings.HasSuffix(a[0].In(text), "wörd") {
		t.Errorf("Allegations = %+v", a)
	}
}
