package guard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// The page about labels explains each kind, in the order of the code, and no others.
func TestEveryKindOfLabelIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(testkit.Tree(t), "docs", "labels.md"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string

	for line := range strings.Lines(string(page)) {
		if kind, ok := strings.CutPrefix(line, "| `"); ok {
			kind, _, _ = strings.Cut(kind, "`")
			told = append(told, kind)
		}
	}
	if got, want := strings.Join(told, " "), strings.Join(label.Kinds(), " "); got != want {
		t.Errorf("the page tells of %s; the kinds are %s", got, want)
	}
}
