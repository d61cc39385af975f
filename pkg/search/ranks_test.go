package search_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// TestRanksDependOnNoOtherFiles searches two files beside others that decide nothing: scores and order stay the same,
// whatever those hold.
func TestRanksDependOnNoOtherFiles(t *testing.T) {
	t.Parallel()
	own := []search.File{
		{ID: "a", Passages: []search.Passage{{Text: "The rent is due on the first day, and the rent rises each year."}}},
		{ID: "b", Passages: []search.Passage{{Text: "The deposit is held by the landlord. Rent is no deposit."}}},
	}
	opt := search.Options{FileIDs: []string{"a", "b"}, Among: []string{"a", "b"}, Broad: true}
	want := search.Build(own).Search("rent and deposit", opt)

	for name, others := range map[string][]string{
		"a word of the question everywhere": {strings.Repeat("deposit ", 40), "deposit", "a deposit"},
		"the other word":                    {strings.Repeat("rent ", 300), "rent", "rent", "rent"},
		"long and beside it":                {strings.Repeat("nothing of that kind ", 200)},
		"another language":                  {"Die Miete ist am ersten Tag fällig, und die Kaution ist nicht zu verzinsen."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			files := append([]search.File{}, own...)

			for i, text := range others {
				files = append(files, search.File{ID: "x" + string(rune('0'+i)), Passages: []search.Passage{{Text: text}}})
			}
			got := search.Build(files).Search("rent and deposit", opt)

			if len(got) != len(want) {
				t.Fatalf("%d hits, want %d", len(got), len(want))
			}

			for i := range got {
				if got[i].FileID != want[i].FileID || got[i].Score != want[i].Score {
					t.Errorf("hit %d is %s at %g, want %s at %g", i, got[i].FileID, got[i].Score, want[i].FileID, want[i].Score)
				}
			}
		})
	}
}
