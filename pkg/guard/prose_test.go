package guard_test

import (
	"os"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// prose.txt holds sentences of papers by classes of what lawyers write and the guard may take for an identity. All of
// them pass; the floor is for raising.
func TestProseOfPapers(t *testing.T) {
	content, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	passed := tally{}

	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		class, text, parted := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !parted {
			t.Fatalf("no class: %q", line)
		}
		got := found(t, guard.FileText, strings.ReplaceAll(text, `\n`, "\n"))

		passed.count(got == "", "all", class)
		if got != "" {
			t.Logf("%-10s %s\n    holds %s", class, text, got)
		}
	}

	passed.report(t, "prose")
}
