package webbuild_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// built builds modules of the app, each by itself, into a folder beside what scripts need, and returns its name.
func built(t *testing.T, modules map[string]string) string {
	t.Helper()

	dir := t.TempDir()
	for name, source := range modules {
		result := api.Build(api.BuildOptions{
			EntryPoints: []string{testkit.Tree(t, "gateway", "web", "src", source)},
			NodePaths:   []string{testkit.Tree(t, "gateway", "web", "npm")},
			Bundle:      true,
			Format:      api.FormatESModule,
			Target:      api.ES2022,
			Outfile:     filepath.Join(dir, name),
			Write:       true,
			LogLevel:    api.LogLevelSilent,
		})
		if len(result.Errors) > 0 {
			t.Fatal(result.Errors)
		}
	}

	return dir
}

// nodeTime bounds a run of node. It takes seconds alone, and minutes where other tests keep all processors busy.
const nodeTime = 6 * time.Minute

// run runs a script of testdata with node beside built modules, and returns what it prints.
func run(t *testing.T, dir, script string, args ...string) string {
	t.Helper()
	node, err := testkit.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH to run the app's code in")
	}
	content, err := os.ReadFile("testdata/" + script)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, script), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), nodeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, append([]string{filepath.Join(dir, script)}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	return strings.TrimSpace(string(out))
}

// stand is what tests have of a browser: enough for modules to be loaded that draw or sign in. Nothing is drawn.
const stand = `
globalThis.HTMLElement ??= class {};
globalThis.customElements ??= { define() {} };
globalThis.document ??= { createTreeWalker: () => ({}), createComment: () => ({}) };
`

// noGate takes the place of the gate at inputs, which needs a page; nothing that tests send was written by a person.
// The gate's own test, a bundle of its own, keeps it.
var noGate = api.Plugin{Name: "no gate", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `/src/gate\.ts$`}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		none := "export const pass = async () => {};"
		return api.OnLoadResult{Contents: &none}, nil
	})
}}

// gateTest is the test of the gate itself.
const gateTest = "gate.test.ts"

// TestModules runs the unit tests that stand beside the modules of the app, each in a process of its own.
func TestModules(t *testing.T) {
	t.Parallel()

	node, err := testkit.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH to run the unit tests of the browser app in")
	}
	web := testkit.Tree(t, "gateway", "web")

	var tests []string
	err = filepath.WalkDir(filepath.Join(web, "src"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".test.ts") {
			tests = append(tests, path)
		}

		return err
	})
	if err != nil || len(tests) < 5 {
		t.Fatalf("%d tests were found (%v)", len(tests), err)
	}

	gate := filepath.Join(web, "src", gateTest)
	others := slices.DeleteFunc(slices.Clone(tests), func(path string) bool { return path == gate })
	if len(others) != len(tests)-1 {
		t.Fatalf("%s was not found", gate)
	}

	args := []string{"--enable-source-maps", "--test", "--test-reporter=spec"}
	args = append(args, builtTests(t, web, []string{gate})...)
	args = append(args, builtTests(t, web, others, noGate)...)

	ctx, cancel := context.WithTimeout(t.Context(), nodeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// builtTests builds tests that stand beside the modules of the app, each by itself, and returns the files for node.
func builtTests(t *testing.T, web string, tests []string, plugins ...api.Plugin) []string {
	t.Helper()

	result := api.Build(api.BuildOptions{
		EntryPoints:  tests,
		NodePaths:    []string{filepath.Join(web, "npm")},
		Plugins:      plugins,
		Bundle:       true,
		Platform:     api.PlatformNeutral,
		External:     []string{"node:*"},
		MainFields:   []string{"module", "main"},
		Conditions:   []string{"browser", "default"},
		Format:       api.FormatESModule,
		Target:       api.ES2022,
		Sourcemap:    api.SourceMapInline,
		Banner:       map[string]string{"js": stand},
		OutExtension: map[string]string{".js": ".mjs"},
		Outdir:       t.TempDir(),
		Outbase:      filepath.Join(web, "src"),
		Write:        true,
		LogLevel:     api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}

	var files []string
	for _, file := range result.OutputFiles {
		files = append(files, file.Path)
	}

	return files
}

func TestDocumentsAreFilledWithNames(t *testing.T) {
	t.Parallel()
	const sample = "../../samples/commercial-lease.docx"
	result := filepath.Join(t.TempDir(), "filled.docx")
	modules := built(t, map[string]string{"docx.built.mjs": "case/docx.ts", "fill.built.mjs": "case/fill.ts"})
	told := run(t, modules, "docx.mjs", "[Party 1]", "Ada & Söhne <GmbH>", sample, result)
	before, after := parts(t, sample), parts(t, result)
	if len(after) != len(before) {
		t.Fatalf("the document has %d parts, and had %d", len(after), len(before))
	}
	filled := 0

	for name, was := range before {
		now, ok := after[name]
		if !ok {
			t.Errorf("%s is gone", name)
			continue
		}
		labels := bytes.Count(was, []byte("[Party 1]"))
		filled += labels
		if labels == 0 && !bytes.Equal(now, was) {
			t.Errorf("%s holds no label and was changed", name)
		}
		if bytes.Contains(now, []byte("[Party 1]")) {
			t.Errorf("%s holds the label still", name)
		}
		if got := bytes.Count(now, []byte("Ada &amp; Söhne &lt;GmbH&gt;")); got != labels {
			t.Errorf("%s holds the name %d times, want %d", name, got, labels)
		}
		if strings.HasSuffix(name, ".xml") {
			wellFormed(t, name, now)
		}
	}
	if filled == 0 || told != strconv.Itoa(filled) {
		t.Errorf("%q places are said to be filled, %d are", told, filled)
	}
}

// TestDocumentsOfOthersComeBackAsTheyWere takes documents of seven producers, puts a label in the place of a word, and
// has it filled with that word: what Word reads is what the producer wrote, in every part.
func TestDocumentsOfOthersComeBackAsTheyWere(t *testing.T) {
	t.Parallel()

	documents, err := filepath.Glob(testkit.Tree(t, "pkg", "rendition", "testdata", "producers") + "/clean/*.docx")
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents were found (%v)", len(documents), err)
	}
	modules := built(t, map[string]string{"docx.built.mjs": "case/docx.ts", "fill.built.mjs": "case/fill.ts"})

	type document struct {
		before map[string][]byte
		labels int
		filled string // path of the result
	}
	var labelled []document
	args := []string{"[Vehicle 77]", "the"}

	for _, name := range documents {
		dir := t.TempDir()
		d := document{before: parts(t, name), filled: filepath.Join(dir, "filled.docx")}
		from := filepath.Join(dir, "labelled.docx")
		d.labels = withLabel(t, d.before, from)
		labelled, args = append(labelled, d), append(args, from, d.filled)
	}

	told := strings.Fields(run(t, modules, "docx.mjs", args...))
	if len(told) != len(documents) {
		t.Fatalf("%d documents were filled, want %d", len(told), len(documents))
	}

	for i, name := range documents {
		before, want := labelled[i].before, labelled[i].labels
		if told[i] != strconv.Itoa(want) || want < 3 {
			t.Errorf("%s: %q places are said to be filled, there are %d", filepath.Base(name), told[i], want)
		}

		after := parts(t, labelled[i].filled)
		for part, was := range before {
			now := after[part]
			if strings.HasSuffix(part, ".xml") {
				was, now = tokens(t, part, was), tokens(t, part, now)
			}
			if !bytes.Equal(now, was) {
				t.Errorf("%s: %s has changed", filepath.Base(name), part)
			}
		}
		if len(after) != len(before) {
			t.Errorf("%s has %d parts, and had %d", filepath.Base(name), len(after), len(before))
		}
	}
}

// withLabel writes a document in which a label stands for every word "the", and counts them.
func withLabel(t *testing.T, parts map[string][]byte, name string) int {
	t.Helper()
	var out bytes.Buffer
	places := 0

	w := zip.NewWriter(&out)

	for part, content := range parts {
		if part == "word/document.xml" {
			places = bytes.Count(content, []byte(" the "))
			content = bytes.ReplaceAll(content, []byte(" the "), []byte(" [Vehicle 77] "))
		}
		file, err := w.Create(part)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.WriteFile(name, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}

	return places
}

// tokens are what a reader of XML sees. That space is to be kept may be said where nothing hangs on it.
func tokens(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer

	for decoder := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()) // a line may end behind the last element
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			token.Attr = slices.DeleteFunc(token.Attr, func(a xml.Attr) bool { return a.Name.Local == "space" })
			fmt.Fprintln(&out, token)
		case xml.CharData:
			out.Write(token)
		default:
			fmt.Fprintf(&out, "%T %v\n", token, token)
		}
	}
}

// parts reads every part of a document and checks its sums.
func parts(t *testing.T, name string) map[string][]byte {
	t.Helper()
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = archive.Close() }()
	out := map[string][]byte{}

	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out[f.Name] = content
	}

	return out
}

func wellFormed(t *testing.T, name string, content []byte) {
	t.Helper()

	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}
