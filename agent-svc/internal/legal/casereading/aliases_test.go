package casereading_test

import (
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// TestLabelsOfOnePersonAreOneParty has labels that files say are one, and such as only their records say are.
func TestLabelsOfOnePersonAreOneParty(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		same       [][2]string
		want       int
	}{
		{"two parties", "Petitioner [Party 1] sues Respondent [Party 2].", nil, 2},
		{
			"also known as", "Petitioner [Party 1], also known as [Party 3], a/k/a [Party 4], sues Respondent [Party 2].",
			nil, 2,
		},
		{"a former name", "Petitioner [Party 1] (formerly [Party 5]) sues Respondent [Party 2].", nil, 2},
		{"a trade name", "Petitioner [Party 1] sues [Company 1] d/b/a [Company 2], Respondent.", nil, 2},
		{"by their records", "Petitioner [Party 1] sues [Party 2], [Party 3] and [Party 4].", [][2]string{{
			"[Party 2]",
			"[Party 3]",
		}, {"[Party 3]", "[Party 4]"}}, 2},
		{"in a ring", "Petitioner [Party 1] sues [Party 2].", [][2]string{{"[Party 1]", "[Party 2]"}, {
			"[Party 2]",
			"[Party 1]",
		}}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{})
			d.Add(t.Context(), api.File{FileID: "f", Name: "Petition.txt"}, api.FileText{
				FileID: "f", TextVersion: 1,
				Text: "PETITION\n\n" + tc.text + "\n",
			})

			for _, pair := range tc.same {
				kept, _, _ := label.At(pair[0], 0)
				other, _, _ := label.At(pair[1], 0)
				d.Same(kept, other)
			}
			f, _ := d.Features(&api.Case{}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
			if f.Parties.N != tc.want {
				t.Errorf("%d parties, want %d", f.Parties.N, tc.want)
			}
		})
	}
}
