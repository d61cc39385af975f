package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheListOfConcurrentTests holds the list of tests that run with the race detector against the tests there are: a
// name that is no test would silently run nothing.
func TestTheListOfConcurrentTests(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(filepath.Join("testdata", "concurrent.txt"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}

	tests := map[string]bool{}

	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllSubmatch(source, -1) {
			tests[string(found[1])] = true
		}
	}

	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		name, reason, _ := strings.Cut(line, " ")
		if !tests[name] {
			t.Errorf("%s is no test", name)
		}
		if strings.TrimSpace(reason) == "" {
			t.Errorf("%s has no reason", name)
		}
	}
}
