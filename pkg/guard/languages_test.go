package guard_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

var inBraces = regexp.MustCompile(`\{[^}]*\}`)

// languages.txt holds papers in French and Spanish, with names in braces.
func TestOtherLanguages(t *testing.T) {
	content, err := os.ReadFile("testdata/languages.txt")
	if err != nil {
		t.Fatal(err)
	}
	passed := tally{}

	for line := range strings.Lines(string(content)) {
		class, text, parted := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !parted {
			continue
		}

		labels := 0
		clean := inBraces.ReplaceAllStringFunc(text, func(string) string {
			labels++
			return fmt.Sprintf("[Party %d]", labels)
		})
		got := found(t, guard.FileText, clean)
		passed.count(got == "", "clean", "clean "+class)
		if got != "" {
			t.Logf("%s %s\n    holds %s", class, clean, got)
		}

		plain := strings.NewReplacer("{", "", "}", "").Replace(text)
		got = found(t, guard.FileText, plain)

		for _, name := range inBraces.FindAllString(text, -1) {
			words := strings.Fields(strings.Trim(name, "{}."))
			last := strings.TrimSuffix(words[len(words)-1], ".")
			hit := strings.Contains(got, last)
			passed.count(hit, "names", "names "+class)
			if !hit {
				t.Logf("%s misses %s in %s\n    holds %s", class, name, plain, got)
			}
		}
	}

	passed.report(t, "languages")
}
