package webbuild_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/webbuild"
	"github.com/subrosa-legal/subrosa/gateway/web"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestTheEmbeddedAppIsBuiltFromItsSources(t *testing.T) {
	t.Parallel()
	made, err := webbuild.Build(testkit.Tree(t, "gateway", "web"))
	if err != nil {
		t.Fatal(err)
	}
	embedded := 0
	err = fs.WalkDir(web.Dist(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		embedded++
		content, err := fs.ReadFile(web.Dist(), name)
		if err != nil {
			return err
		}
		if want, ok := made[name]; !ok {
			t.Errorf("dist/%s is made from no source: make web", name)
		} else if !bytes.Equal(content, want) {
			t.Errorf("dist/%s is not what its sources give: make web", name)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if embedded != len(made) {
		t.Errorf("%d files are embedded, the sources give %d: make web", embedded, len(made))
	}
}

func TestTheTypesOfTheWireAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	want, err := webbuild.Wire()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(testkit.Tree(t, "gateway", "web", "src", "wire.ts")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("src/wire.ts is not what the OpenAPI document gives: make web (%v)", err)
	}
}

var first = regexp.MustCompile(`(?:href|src)="/assets/([^"]+)"`)

// What a browser loads before anybody has gone anywhere stays small; WebAssembly comes when a document is dropped.
func TestTheFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(web.Dist(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	size := 0

	for _, m := range first.FindAllSubmatch(page, -1) {
		content, err := fs.ReadFile(web.Dist(), string(m[1]))
		if string(m[1]) == "icon.svg" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size += packed.Len()
	}
	t.Logf("%d bytes with gzip", size)
	if size < 5_000 || size > 60_000 {
		t.Errorf("the first load is %d bytes with gzip; it should stay under 60,000", size)
	}
}

var errand = regexp.MustCompile(`(?m)^  ([a-z_]+): \{$`)

func TestEveryDeepLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(testkit.Tree(t, "gateway", "web", "src", "errands.ts"))
	if err != nil {
		t.Fatal(err)
	}

	var named []string
	for _, m := range errand.FindAllSubmatch(source, -1) {
		named = append(named, string(m[1]))
	}
	slices.Sort(named)
	if known := slices.Sorted(slices.Values(web.Actions())); !slices.Equal(named, known) {
		t.Errorf("the app leads %v on, the gateway answers %v", named, known)
	}
}

func TestWhatIsNoSourceIsRefused(t *testing.T) {
	t.Parallel()
	if files, err := webbuild.Build(t.TempDir()); err == nil {
		t.Errorf("%d files were made of nothing", len(files))
	}
}
