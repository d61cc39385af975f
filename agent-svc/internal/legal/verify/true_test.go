package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// TestTrueSentencesOfAModel measures how much of the truth the checks take away, and wants the false twin of each
// sentence removed or marked.
func TestTrueSentencesOfAModel(t *testing.T) {
	for _, set := range []struct {
		name  string
		files []string
		least int // sentences
		most  [2]int
	}{
		{"that steered the rules", []string{"true.txt", "true-second.txt", "true-third.txt"}, 134, [2]int{10, 32}},
		{"of other papers", []string{"true-fourth.txt"}, 40, [2]int{3, 22}},
	} {
		t.Run(set.name, func(t *testing.T) {
			measureTruth(t, set.files, set.least, set.most)
		})
	}
}

// measureTruth measures one set, of which at most so many may be removed, and so many removed or marked.
func measureTruth(t *testing.T, files []string, least int, most [2]int) {
	t.Helper()
	papers := allPapers(t)
	var b []byte

	for _, name := range files {
		part, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, part...)
	}
	all, removed, marked := 0, 0, 0
	twinsRemoved, twinsMarked, twinsShown := 0, 0, 0

	for line := range strings.Lines(string(b)) {
		fields := strings.Split(strings.TrimSpace(line), " | ")
		if len(fields) != 3 {
			continue
		}
		paper, says, twin := fields[0], fields[1], fields[2]
		text, known := papers[paper]
		if !known {
			t.Fatalf("no paper %s", paper)
		}
		all++
		report := verify.Check(t.Context(), guard.New(), says, recordOf(paper, text))

		switch answer := report.Answer(); {
		case answer.Removed > 0:
			removed++
			t.Logf("removed: %s %v", says, report.Faults)
		case answer.Own > 0:
			marked++
			t.Logf("marked: %s", says)
		}

		switch answer := verify.Check(t.Context(), guard.New(), twin, recordOf(paper, text)).Answer(); {
		case answer.Removed > 0:
			twinsRemoved++
		case answer.Own > 0:
			twinsMarked++
		default:
			twinsShown++
			t.Logf("shown as checked: %s", twin)
		}
	}
	t.Logf("of their false twins %d are removed, %d marked and %d shown as checked", twinsRemoved, twinsMarked, twinsShown)
	if twinsShown > 0 {
		t.Errorf("%d false sentences are shown as checked", twinsShown)
	}
	t.Logf("of %d true sentences %d are removed and %d marked as the model's own words", all, removed, marked)
	if all < least {
		t.Errorf("%d sentences, want %d", all, least)
	}
	if removed > most[0] || removed+marked > most[1] {
		t.Errorf("%d removed and %d marked of %d, want at most %d and %d together", removed, marked, all, most[0], most[1])
	}
}

// recordOf is what a model has read that read one paper.
func recordOf(name, text string) verify.Record {
	r := verify.Record{Labels: map[label.Label]bool{}, Passages: []verify.Passage{{
		FileName: name, Text: text,
		Source: api.SourceRef{FileID: name, TextVersion: 1, CharEnd: len([]rune(text)), Quote: text},
	}}}

	for n := 1; n <= 5; n++ { // the labels of its case
		for _, kind := range []string{"Party", "Company", "Person", "Minor", "Witness"} {
			r.Labels[label.Label{Kind: kind, N: n}] = true
		}
	}

	return r
}

// allPapers are the papers of the questions with gold answers, by their names.
func allPapers(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../answers/testdata/answers/papers*.txt")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files of papers, %v", len(files), err)
	}
	papers := map[string]string{}

	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}

		for part := range strings.SplitSeq(string(b), "#### ") {
			head, text, _ := strings.Cut(part, "\n")
			papers[head] = text
		}
	}

	return papers
}
