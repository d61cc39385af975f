package guard_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// testdata/papers holds fifty whole papers of litigation, all invented, with a label wherever a careful lawyer would
// put one: complaints, answers, discovery, motions, briefs, orders, declarations, contracts and letters. What they
// cite is real. They were written before the rules were held against them, so a finding is a false alarm.
// floors.json holds the share that passes.
const papers = 50

// paperKinds says by number which papers are not American.
var paperKinds = map[string]string{
	"08": "British", "16": "British", "19": "British", "31": "British", "32": "British", "33": "British", "34": "British",
	"09": "German", "10": "German", "35": "German", "36": "German", "37": "German", "38": "German",
	"39": "English on German cases", "40": "English on German cases",
}

// paperKind says what kind of paper a file holds.
func paperKind(file string) string {
	if kind := paperKinds[filepath.Base(file)[:2]]; kind != "" {
		return kind
	}

	return "American"
}

func TestPapers(t *testing.T) {
	names, err := filepath.Glob("testdata/papers/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != papers {
		t.Errorf("%d papers, want %d", len(names), papers)
	}
	passed, findings := tally{}, map[string][]string{}

	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, paper := string(content), filepath.Base(name)
		if n := len(strings.Fields(text)); n < 200 || n > 500 || len(label.All(text)) < 2 {
			t.Errorf("%s: %d words and %d labels", paper, n, len(label.All(text)))
		}
		found := guard.Guard{}.Check(t.Context(), guard.FileText, text)
		passed.count(len(found) == 0, "all", paperKind(name))

		for _, f := range found {
			findings[f.Why] = append(findings[f.Why], fmt.Sprintf("%s %q", paper[:2], text[f.Start:f.End]))
		}
	}

	passed.report(t, "papers")

	for _, why := range slices.Sorted(maps.Keys(findings)) {
		t.Logf("%s: %d\n  %s", why, len(findings[why]), strings.Join(findings[why], "\n  "))
	}
}
