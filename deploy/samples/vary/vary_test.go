package vary_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/samples/vary"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func source(t *testing.T, s vary.Source) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", s.Path))
	if err != nil {
		t.Fatal(err)
	}

	return string(data)
}

// TestVariantsAreTheKeptOnes wants of the texts on which agent-svc is tested that they are what the extraction makes of the variants.
func TestVariantsAreTheKeptOnes(t *testing.T) {
	kept := testkit.Tree(t, "agent-svc", "internal", "legal", "facts", "testdata", "samples")
	count := 0

	for _, s := range vary.Sources() {
		texts, err := vary.Texts(t.Context(), s.Name, source(t, s))
		if err != nil {
			t.Fatal(err)
		}

		for name, text := range texts {
			count++
			if data, err := os.ReadFile(filepath.Join(kept, name)); err != nil || string(data) != text {
				t.Errorf("%s is not what the extraction makes of its variant: run go run ./samples/gen in the folder deploy (%v)", name, err)
			}
		}
	}
	entries, err := os.ReadDir(kept)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != count || count != 24 {
		t.Errorf("%d texts are kept and %d are made, want 24", len(entries), count)
	}
}

// TestGarbledFilesAreNotOK wants no file that cannot be read to pass for one that was read.
func TestGarbledFilesAreNotOK(t *testing.T) {
	for _, s := range vary.Sources() {
		files, err := vary.Garbled(s.Name, source(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 5 {
			t.Errorf("%d garbled variants of %s, want 5", len(files), s.Name)
		}

		for _, f := range files {
			if doc, err := f.Read(t.Context()); err == nil && doc.Status == extract.OK {
				t.Errorf("%s is ok", f.Name)
			}
		}
	}
}

// TestVariantsDiffer wants each kind of change to be in the variants, so that comparing them with the originals says something.
func TestVariantsDiffer(t *testing.T) {
	files, err := vary.Readable("letter", "# NOTICE\n\nOn March 14, 2026 and April 15, 2026 and May 16, 2026 [Party 1] paid $1,000.00, $2,000 and $3,000, on the 17th day of June, 2026.\n")
	if err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string][]string{
		"letter-reworded.md":       {"14 March 2026", "2026-04-15", "USD 3,000"},
		"letter-scan.txt":          {"17t h day of", "$1,O00.00"},
		"letter-reworded-a4.pdf":   {"/MediaBox[0 0 595 842]", "2026-04-15"},
		"letter-pleading.pdf":      {"(28) Tj", "/MediaBox[0 0 612 792]"},
		"letter-letter.pdf":        {"Page 1 of 1", "March 14, 2026"},
		"letter-a4.pdf":            {"/MediaBox[0 0 595 842]"},
		"letter-scan-reworded.txt": {"2026-04-15"},
	} {
		at := slices.IndexFunc(files, func(f vary.File) bool { return f.Name == name })
		if at < 0 {
			t.Fatalf("no %s", name)
		}

		for _, w := range want {
			if !strings.Contains(string(files[at].Data), w) {
				t.Errorf("%s lacks %q:\n%.600s", name, w, files[at].Data)
			}
		}
	}
}
