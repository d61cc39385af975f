package guard_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A reportedPaper is one of reidentification.jsonl: a short invented paper, names and all, and beside it the sets of
// words that were judged to single out its subject for somebody who has public registers, newspapers and a search
// engine. Its class says by what: an office that one person holds, an event that was reported, a role that few have
// in a small place, a thing or words that are published; in an ordinary paper nothing does. Most sets were written
// down with the paper; reading what redaction leaves added two.
type reportedPaper struct {
	ID    int        `json:"id"`
	Class string     `json:"class"`
	Text  string     `json:"text"`
	Names [][]string `json:"names"`
}

// A paper still names its subject if every word of one set is left when all that the guard finds has become labels.
// The guard looks for identities and not for such facts, so this measures what labels cannot hide.
func TestReidentification(t *testing.T) {
	const documented = 20 // papers of which docs/benchmarks.md says that they name their subject
	data, err := os.ReadFile("testdata/reidentification.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	papers, named := map[string]int{}, map[string]int{}

	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var p reportedPaper
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if !p.sound() {
			t.Errorf("%d: no set of words, or one that does not stand in the text", p.ID)
		}
		left := labelled(t, p.Text)
		still := slices.ContainsFunc(p.Names, func(set []string) bool { return all(left, set) })

		papers[p.Class]++
		if still {
			named[p.Class]++
		}
		t.Logf("%2d %-9s named: %-5t %s", p.ID, p.Class, still, left)
	}

	sum := 0

	for class, n := range papers {
		t.Logf("%-9s %d of %d still name their subject", class, named[class], n)
		sum += named[class]
	}
	if sum > documented {
		t.Errorf("%d papers name their subject, docs/benchmarks.md says %d", sum, documented)
	}
}

// sound reports whether the sets of a paper are those of its class and stand in its text.
func (p reportedPaper) sound() bool {
	for _, set := range p.Names {
		if len(set) == 0 || !all(p.Text, set) {
			return false
		}
	}

	return (len(p.Names) == 0) == (p.Class == "ordinary")
}

// labelled is a text with a label for all that the guard finds in it.
func labelled(t *testing.T, text string) string {
	t.Helper()
	m, err := guard.NewLabelMap(guard.LabelData{})
	if err != nil {
		t.Fatal(err)
	}
	left, err := m.Label(text, guard.Guard{}.Check(t.Context(), guard.FileText, text))
	if err != nil {
		t.Fatal(err)
	}

	return left
}

// all reports whether every one of words is in text.
func all(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
