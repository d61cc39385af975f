package facts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

const leastRecall = 0.95

// TestRecallOfOthersCitations finds the examples of reporters-db and the tests of eyecite, none of which we wrote. See
// testdata/citations/NOTICE.
func TestRecallOfOthersCitations(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("testdata", "citations", name))
		if err != nil {
			t.Fatal(err)
		}

		return string(text)
	}
	type sample struct {
		Text      string `json:"text"`
		Citations int    `json:"citations"`
	}
	sets := map[string][]sample{}

	for line := range strings.Lines(read("reporters-db.txt")) {
		kind, cited, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		text := "As held in " + cited + "."
		if kind == "case" { // which papers cite with its name and year
			text = "See Alder v. Birch, " + cited + " (1990)."
		}
		sets["reporters-db"] = append(sets["reporters-db"], sample{text, 1})
	}

	for line := range strings.Lines(read("eyecite.jsonl")) {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		sets["eyecite"] = append(sets["eyecite"], s)
	}

	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			found, all, extra := 0, 0, 0

			for _, s := range set {
				n := len(facts.Citations(s.Text))
				found, all, extra = found+min(n, s.Citations), all+s.Citations, extra+max(0, n-s.Citations)
				if n < s.Citations && testing.Verbose() {
					t.Logf("%d of %d in %q", n, s.Citations, s.Text)
				}
			}
			recall := float64(found) / float64(all)
			t.Logf("%d of %d citations found: recall %.3f, %d found that are none", found, all, recall, extra)
			if recall < leastRecall || extra > all/100 {
				t.Errorf("recall %.3f of %d citations, %d found that are none", recall, all, extra)
			}
		})
	}
}
