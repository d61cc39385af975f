package settings_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

var (
	testName = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
)

// Each limit that the documents name has a test that reaches it, which exists.
func TestEachLimitHasItsTest(t *testing.T) {
	t.Parallel()
	root := testkit.Tree(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	exists := testsBelow(t, root)
	rows := 0

	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| limit") {
			continue
		}
		rows++
		names := testName.FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			t.Errorf("no test for %s", line)
		}

		for _, name := range names {
			if !exists[name[1]] {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	if rows < 30 {
		t.Errorf("the page lists %d limits", rows)
	}
}

// testsBelow returns the names of all tests in the modules of the tree.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}

		text, err := os.ReadFile(path)

		for _, name := range testFunc.FindAllSubmatch(text, -1) {
			all[string(name[1])] = true
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}
