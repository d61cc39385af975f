package guard_test

import (
	"os"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// What people type at the doors, by classes: each line of the file says whether it is refused.
func TestWhatPeopleTypeAtTheDoors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/doors.txt")
	if err != nil {
		t.Fatal(err)
	}
	doors := map[string]guard.Channel{
		"prompt": guard.Prompt, "title": guard.Title, "fileName": guard.FileName, "query": guard.Query,
		"fileText": guard.FileText,
	}

	lines := 0

	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		door, known := doors[parts[1]]
		if !known {
			t.Fatalf("no such door: %q", line)
		}

		lines++
		text := strings.ReplaceAll(parts[2], `\n`, "\n")
		if got := found(t, door, text); (got != "") != (parts[0] == "refused") {
			t.Errorf("%s at the door %s: %s found %s", parts[0], parts[1], text, got)
		}
	}
	if lines < 400 {
		t.Errorf("%d lines", lines)
	}
}
