package arch

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
	namedTest = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test[A-Z][A-Za-z0-9]+)\(`)
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
