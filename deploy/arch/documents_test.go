package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

var (
	namedTest = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test[A-Z][A-Za-z0-9]+)\(`)
	// namedPath is a path of the tree in backticks; one with capital letters stands for a name to be chosen.
	namedPath = regexp.MustCompile("`((?:\\.\\./)?(?:[a-z-]+-svc|gateway|pkg|deploy|docs|internal)/[a-z0-9_./-]+)`")
)

// TestDocumentsNameTestsThatExist finds tests that a document names as its proof and nobody has any more.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	root := testkit.Tree(t)
	have := map[string]bool{}

	for _, module := range modules {
		each(t, filepath.Join(root, module), "_test.go", func(_ string, text []byte) {
			for _, found := range testFunc.FindAllSubmatch(text, -1) {
				have[string(found[1])] = true
			}
		})
	}
	named := 0

	each(t, filepath.Join(root, "docs"), ".md", func(path string, text []byte) {
		for _, found := range namedTest.FindAllSubmatch(text, -1) {
			named++
			if !have[string(found[1])] {
				t.Errorf("%s names %s, which is no test", filepath.Base(path), found[1])
			}
		}
	})
	if named < 50 || len(have) < 500 { // or the patterns find nothing
		t.Errorf("%d of %d tests are named in documents", named, len(have))
	}
}

// TestDocumentsNameFilesThatExist finds paths that a document sends its reader to and that have moved since.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	root := testkit.Tree(t)
	named := 0
	read := func(path string, text []byte) {
		if strings.Contains(path, "node_modules") {
			return
		}

		for _, found := range namedPath.FindAllSubmatch(text, -1) {
			named++
			if !pathStands(root, filepath.Dir(path), string(found[1])) {
				t.Errorf("%s names %s, which is not there", strings.TrimPrefix(path, root), found[1])
			}
		}
	}

	each(t, filepath.Join(root, "docs"), ".md", read)

	for _, module := range modules {
		each(t, filepath.Join(root, module), "README.md", read)
	}

	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		read(filepath.Join(root, name), text)
	}

	if named < 80 { // or the pattern finds nothing
		t.Errorf("only %d paths are named in documents", named)
	}
}

// pathStands reports whether a document in folder can mean path: from the root, from its own folder, or within a
// module.
func pathStands(root, folder, path string) bool {
	from := []string{root, folder}
	for _, module := range modules {
		from = append(from, filepath.Join(root, module))
	}

	return slices.ContainsFunc(from, func(base string) bool {
		_, err := os.Stat(filepath.Join(base, path))
		return err == nil
	})
}

// each reads every file below folder whose name ends in suffix.
func each(t *testing.T, folder, suffix string, read func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			read(path, text)
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
