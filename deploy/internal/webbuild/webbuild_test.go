package webbuild_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

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

// TestModulesImportInOneDirection follows what a module needs before it runs. Imports of types are gone once the app is
// built, and import() loads a module later, when it is wanted.
func TestModulesImportInOneDirection(t *testing.T) {
	t.Parallel()
	dir := testkit.Tree(t, "gateway", "web")
	result := api.Build(api.BuildOptions{
		EntryPoints:   []string{"src/app.ts", "src/redact/worker.ts"},
		AbsWorkingDir: dir,
		NodePaths:     []string{filepath.Join(dir, "npm")},
		Outdir:        "dist",
		Bundle:        true,
		Format:        api.FormatESModule,
		Metafile:      true,
		LogLevel:      api.LogLevelSilent,
	})
	var meta struct {
		Inputs map[string]struct {
			Imports []struct{ Path, Kind string } `json:"imports"`
		} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil || len(result.Errors) > 0 {
		t.Fatal(err, result.Errors)
	}
	if _, ok := meta.Inputs["src/app.ts"]; !ok || len(meta.Inputs) < 60 {
		t.Fatalf("only %d modules were found", len(meta.Inputs))
	}

	done := map[string]bool{}
	var follow func(name string, way []string)

	follow = func(name string, way []string) {
		if i := slices.Index(way, name); i >= 0 {
			t.Errorf("modules import each other in a circle: %s", strings.Join(append(way[i:], name), " → "))
			return
		}
		if done[name] || !strings.HasPrefix(name, "src/") {
			return
		}

		for _, imported := range meta.Inputs[name].Imports {
			if imported.Kind == "import-statement" {
				follow(imported.Path, append(slices.Clone(way), name))
			}
		}
		done[name] = true
	}
	for name := range meta.Inputs {
		follow(name, nil)
	}
}
