package webbuild_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// ran runs a script of testdata with node beside modules of the app, each built by itself, and returns what it prints.
func ran(t *testing.T, script string, modules map[string]string, args ...string) string {
	t.Helper()
	node, err := testkit.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH to run the app's code in")
	}

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
			External:    []string{"*/door.js"}, // it needs a page; nothing that is sent here was written by a person
		})
		if len(result.Errors) > 0 {
			t.Fatal(result.Errors)
		}
	}
	content, err := os.ReadFile("testdata/" + script)
	if err != nil {
		t.Fatal(err)
	}

	for name, content := range map[string][]byte{script: content, "door.js": []byte("export const pass = async () => {};\n"), "package.json": []byte(`{"type": "module"}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, append([]string{filepath.Join(dir, script)}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	return strings.TrimSpace(string(out))
}

func TestStreamsAreReadWhereverTheyAreCut(t *testing.T) {
	t.Parallel()
	ran(t, "stream.mjs", map[string]string{"built.mjs": "stream.ts"})
}

func TestRunsAreFollowedOverBrokenLines(t *testing.T) {
	t.Parallel()
	ran(t, "following.mjs", map[string]string{"built.mjs": "case/following.ts"})
}

func TestLabelsThatColleaguesTookAreSeen(t *testing.T) {
	t.Parallel()
	ran(t, "taken.mjs", map[string]string{"built.mjs": "redact/taken.ts"})
}

func TestLongPromptsAreReadAFewAtOnce(t *testing.T) {
	t.Parallel()
	ran(t, "spoken.mjs", map[string]string{"built.mjs": "redact/spoken.ts"})
}

func TestDocumentsAreFilledWithNames(t *testing.T) {
	t.Parallel()
	const sample = "../../samples/commercial-lease.docx"
	result := filepath.Join(t.TempDir(), "filled.docx")
	told := ran(t, "docx.mjs", map[string]string{"docx.built.mjs": "case/docx.ts", "fill.built.mjs": "case/fill.ts"}, sample, result)
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
