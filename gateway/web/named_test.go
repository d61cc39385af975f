package web_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// fillNames runs the worker of the app that fills a Word file with names, on the file and into the file that follow.
const fillNames = `
const [part, from, to] = process.argv.slice(1);
const fs = await import("node:fs");
Object.assign(globalThis, { onmessage: null, onmessageerror: null });
const done = new Promise((resolve, reject) => {
	globalThis.postMessage = (said) => {
		if ("bytes" in said) resolve(said);
		if ("unreadable" in said) reject(new Error(said.message));
	};
});
await import("file://" + part);
const values = new Map(Object.entries({
	"[Party 1]": "Thessaly & Wrexcombe", "[Party 2]": "Ostrowe Works", "[Address 1]": "9 Low Lane",
}));
globalThis.onmessage({ data: { bytes: new Uint8Array(fs.readFileSync(from)), values } });
const { bytes, filled, missing } = await done;
fs.writeFileSync(to, bytes);
console.log(filled, missing.join());
`

// named is a page with labels in each kind of paragraph that a rendition has.
const named = `<h1>Lease of [Party 1]</h1><p>Between [Party 1] and [Party 2].</p><ol start=4><li>[Party 1] pays.` +
	`<ol type=i><li>Each month, to [Party 2];<li>at [Address 1].</ol><li>[Witness 1] saw it.</ol>` +
	`<table><tr><td><td>[Party 2]<td>$1<tr><td>[Party 1]<td><td>one<br>[Address 1]</table>`

const namedLines = "Lease of Thessaly & Wrexcombe|Between Thessaly & Wrexcombe and Ostrowe Works.|" +
	"4. Thessaly & Wrexcombe pays.|i. Each month, to Ostrowe Works;|ii. at 9 Low Lane.|5. [Witness 1] saw it.|" +
	"Ostrowe Works|$1|Thessaly & Wrexcombe|one|9 Low Lane|" +
	"Thessaly & Wrexcombe owes Ostrowe Works nothing.|[Witness 1] left 9 Low Lane.|For Thessaly & Wrexcombe only."

// beside are parts that stand beside the text, with labels in them.
var beside = []extract.Part{
	{Kind: extract.Comments, Path: "comments", Text: "Ask [Party 2]."},
	{
		Kind: extract.TrackedChanges, Path: "trackedChanges",
		Text: "[Party 1] owes [Party 2] nothing.\n[Witness 1] left [Address 1].",
	},
	{Kind: extract.HiddenText, Path: "hiddenText", Text: "For [Party 1] only."},
}

// besideNamed is what these parts say with names.
var besideNamed = map[string]string{
	"comments":       "Ask Ostrowe Works.",
	"trackedChanges": "Thessaly & Wrexcombe owes Ostrowe Works nothing.\n[Witness 1] left 9 Low Lane.",
	"hiddenText":     "For Thessaly & Wrexcombe only.",
}

// The Word file of a rendition, filled with names by the app, opens in LibreOffice with the names in their places.
func TestAWordFileWithNamesOpens(t *testing.T) {
	t.Parallel()
	node, office := tool(t, "node"), tool(t, "soffice")
	parts, err := filepath.Glob("dist/docxworker-*.js")
	if err != nil || len(parts) != 1 {
		t.Fatalf("workers of the app for Word files: %q, %v", parts, err)
	}
	dir := t.TempDir()
	labels := wordOf(t, named, beside...)
	from, to := filepath.Join(dir, "labels.docx"), filepath.Join(dir, "names.docx")
	if err := os.WriteFile(from, labels, 0o600); err != nil {
		t.Fatal(err)
	}
	// Node reads the app as modules where a package says so. Its parts share others, so all of them are there.
	app := filepath.Join(dir, "app")
	if err := os.CopyFS(app, os.DirFS("dist")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(app, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(app, filepath.Base(parts[0]))

	if said := run(t, node, "--input-type=module", "-e", fillNames, module, from, to); said != "14 [Witness 1]" {
		t.Errorf("the app filled and missed %s", said)
	}
	filled, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}

	for _, p := range read(t, filled, extract.DOCX).Parts {
		if want, ok := besideNamed[p.Path]; ok && p.Text != want {
			t.Errorf("%s say %q, want %q", p.Path, p.Text, want)
		}
	}
	profile := "-env:UserInstallation=file://" + filepath.Join(dir, "office")
	run(t, office, profile, "--headless", "--convert-to", "txt:Text", "--outdir", dir, to)
	text, err := os.ReadFile(filepath.Join(dir, "names.txt"))
	if err != nil {
		t.Fatalf("LibreOffice does not open the file: %v", err)
	}
	var lines []string

	for line := range strings.SplitSeq(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	if got := strings.Join(lines, "|"); got != namedLines {
		t.Errorf("LibreOffice shows\n%s\nwant\n%s", got, namedLines)
	}
}

// tool returns the path of a program, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := testkit.LookPath(name)
	if err != nil {
		t.Skipf("%s is not here: %v", name, err)
	}

	return path
}

// read returns what a file says.
func read(t *testing.T, content []byte, mediaType string) extract.Document {
	t.Helper()
	size := int64(len(content))
	doc, err := extract.Extract(t.Context(), bytes.NewReader(content), size, mediaType, extract.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}

	return doc
}

// wordOf returns the Word file of the rendition of a page with parts beside its text.
func wordOf(t *testing.T, page string, beside ...extract.Part) []byte {
	t.Helper()
	doc := read(t, []byte(page), extract.HTML)
	doc.Parts = append(doc.Parts, beside...)
	word, err := rendition.Word(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}

	return word.Bytes
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, out)
	}

	return strings.TrimSpace(string(out))
}
