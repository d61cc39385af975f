package guard_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestAllowing(t *testing.T) {
	asked := 0
	gate := guard.Allowing{Gate: guard.New(), Words: func(context.Context) guard.Lexicon {
		asked++
		return guard.NewLexicon([]string{"Clerk@Court.example", "+1 (212) 555-0143", "123-45-6789", "[Party one]"})
	}}

	const clerk = "clerk@court.example"
	for _, tc := range []struct {
		name, text string
		want       []string // kinds left
	}{
		{"an allowed word", "Ask " + strings.ToUpper(clerk) + " again", nil},
		{"a number without the plus before it", "Ask 1 (212) 555-0143", nil},
		{"part of a word", "Ask a." + clerk, []string{"email"}},
		{"another besides", clerk + ", ann@example.com", []string{"email"}},
		{"a social security number", "SSN 123-45-6789", []string{"id_number"}},
		{"a wrong label", "[Party one]", []string{"label"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var kinds []string
			for _, f := range gate.Check(t.Context(), guard.Title, tc.text) {
				kinds = append(kinds, f.Kind)
			}
			if diff := cmp.Diff(tc.want, kinds); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
	full := strings.Repeat(clerk+" ", guard.MaxFindings) + "ann@example.com"
	if found := gate.Check(t.Context(), guard.Title, full); len(found) != guard.MaxFindings {
		t.Errorf("%d findings are left of a text with more than can be told, want all of them", len(found))
	}
	asked = 0
	if found := gate.Check(t.Context(), guard.Title, "nothing to clear"); found != nil || asked != 0 {
		t.Errorf("found %v, words asked for %d times", found, asked)
	}
}
