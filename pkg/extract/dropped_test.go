package extract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// The page about files explains each kind that can be dropped, and each part that a refusal can name.
func TestEveryKindIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := []extract.Kind{
		"text",
		extract.Comments,
		extract.TrackedChanges,
		extract.HiddenText,
		extract.AltText,
		extract.Drawings,
		extract.Numbering,
		extract.Links,
		extract.Headers,
	}

	for _, kind := range extract.DroppedKinds() {
		if !strings.Contains(string(page), "\n| `"+kind+"` |") {
			t.Errorf("%s is not on the page", kind)
		}
	}

	for _, part := range parts {
		if !strings.Contains(string(page), "\n| `"+string(part)+"` |") || !extract.IsPath(string(part)) {
			t.Errorf("%s is not on the page, or no path", part)
		}
	}
}
