package extract_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// officeTime is how long LibreOffice may take to convert the files of a test.
const officeTime = 3 * time.Minute

// office converts Word files by LibreOffice and returns them by their names. Without LibreOffice the test is skipped.
func office(t *testing.T, format, extension string, files map[string][]byte) map[string]string {
	t.Helper()
	program, err := testkit.LookPath("soffice")
	if err != nil {
		t.Skipf("LibreOffice is not here: %v", err)
	}
	from, to := t.TempDir(), t.TempDir()
	args := []string{
		"-env:UserInstallation=file://" + t.TempDir(), "--headless", "--convert-to", format, "--outdir", to,
	}

	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(from, name+".docx")
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}

	ctx, cancel := context.WithTimeout(t.Context(), officeTime)
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("LibreOffice: %v\n%s", err, out)
	}
	converted := map[string]string{}

	for name := range files {
		text, err := os.ReadFile(filepath.Join(to, name+extension))
		if err != nil {
			t.Fatalf("LibreOffice does not open %s: %v", name, err)
		}
		converted[name] = strings.TrimPrefix(string(text), "\ufeff")
	}

	return converted
}

// points gives every point of a list the same sign.
var points = strings.NewReplacer("◦", "•", "▪", "•")

// shownLines returns the lines of a text that LibreOffice wrote, with one sign for every point of a list.
func shownLines(text string) string {
	var lines []string

	for line := range strings.SplitSeq(text, "\n") {
		if line = points.Replace(strings.Join(strings.Fields(line), " ")); line != "" {
			lines = append(lines, line)
		}
	}

	return strings.Join(lines, "|")
}

// LibreOffice shows the Word file of a rendition with the labels that a reader of the file sees, whether or not it
// would show these in the file itself.
func TestAnOfficeProgramShowsTheLabels(t *testing.T) {
	t.Parallel()
	files, want := map[string][]byte{}, map[string]string{}

	for name, tc := range listings {
		name = strings.ReplaceAll(name, " ", "-")
		files[name], want[name] = word(t, read(t, extract.DOCX, tc.file())).Bytes, tc.want
	}

	for name, text := range office(t, "txt:Text", ".txt", files) {
		if got := shownLines(text); got != want[name] {
			t.Errorf("%s: %s\nwant %s", name, got, want[name])
		}
	}
}

// LibreOffice shows the cells of the Word file of a rendition in their columns.
func TestAnOfficeProgramShowsTheCells(t *testing.T) {
	t.Parallel()
	files, want := map[string][]byte{}, map[string]string{}

	for name, tc := range grids {
		name = strings.NewReplacer(" ", "-", ",", "").Replace(name)
		files[name] = word(t, tc.read(t)).Bytes
		want[name] = strings.ReplaceAll(tc.want, "[page 2] ", "")
	}

	for name, page := range office(t, "html:HTML (StarWriter)", ".html", files) {
		if got := rowsOf(string(markdown(t, read(t, extract.HTML, []byte(page))).Bytes)); got != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want[name])
		}
	}
}

// A Word file of a rendition that an office program has saved anew keeps its headings, lists, tables and notes, and
// what was deleted, hidden or a comment is that again.
func TestAWordFileThatIsEditedKeepsItsStructure(t *testing.T) {
	t.Parallel()
	first := read(t, extract.DOCX, word(t, read(t, extract.DOCX, wordFile())).Bytes)
	aside := docxtest.New("<w:p>"+docxtest.R("Text ")+`<w:del><w:r><w:delText>deleted words</w:delText></w:r></w:del>`+
		docxtest.R("hidden words", "<w:vanish/>")+"</w:p>"+items("1.0 a", "1.1 b")+
		tbl(cells("", "x"), tr(tc(1, "y", "z"), tc(1, "$1")))+items("1.1 c", "1.0 d")).
		Link("numbering", "word/numbering.xml", "<w:numbering *>"+listings["legal numbers"].lists+"</w:numbering>").
		Link("comments", "word/comments.xml", "<w:comments *><w:comment>"+docxtest.P("Check [Party 1].")+
			"</w:comment></w:comments>")
	second := read(t, extract.DOCX, aside.Bytes())
	docs := map[string]extract.Document{"blocks": first, "aside": second}
	files := map[string][]byte{}

	for name, doc := range docs {
		files[name] = word(t, doc).Bytes
	}
	saved := office(t, "docx:MS Word 2007 XML", ".docx", files)

	for name, doc := range docs {
		want := string(markdown(t, doc).Bytes)
		edited := edit(t, []byte(saved[name]), ">Between.<", ">Edited words.<")
		got := string(markdown(t, read(t, extract.DOCX, edited)).Bytes)
		got = strings.Replace(got, "\n\n1\n\n## ", "\n\n## ", 1) // the number of the page, which our footer asks for
		if want = strings.Replace(want, "Between.", "Edited words.", 1); got != want {
			t.Errorf("%s, saved by LibreOffice and edited:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// edit replaces words in the main part of a Word file.
func edit(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	old, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer

	w := zip.NewWriter(&out)

	for _, f := range old.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "word/document.xml" {
			content = bytes.Replace(content, []byte(from), []byte(to), 1)
		}
		entry, err := w.Create(f.Name)
		if err == nil {
			_, err = entry.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return out.Bytes()
}

// What is beside the text is that in the Word file too, and is no text of it.
func TestWhatIsBesideTheTextIsMarked(t *testing.T) {
	t.Parallel()
	file := docxtest.New("<w:p>"+docxtest.R("Text.")+`<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>`+
		docxtest.R("hidden", "<w:vanish/>")+"</w:p><w:p>"+docxtest.R("also hidden", "<w:vanish/>")+"</w:p>").
		Link("comments", "word/comments.xml", "<w:comments *><w:comment>"+docxtest.P("first")+docxtest.P("more")+
			"</w:comment><w:comment>"+docxtest.P("second")+"</w:comment></w:comments>").Bytes()
	doc := read(t, extract.DOCX, file)
	again := read(t, extract.DOCX, word(t, doc).Bytes)
	if again.Text != "Text." || fmt.Sprint(parts(again)) != fmt.Sprint(parts(doc)) {
		t.Errorf("text %q, parts %q; want the parts %q", again.Text, parts(again), parts(doc))
	}
}

// Parts that no program shows go no further, whatever they are called. Only what runs or holds other files is refused.
func TestPartsOfNoKnownTypeAreDropped(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"notes.txt", ".DS_Store", "word/Thumbs.db", "docProps/readme", "__MACOSX/._word", "word/page.html", "custom/a.json",
	} {
		doc := read(t, extract.DOCX, docxtest.New(docxtest.P("Rent")).Part(name, "Zorbanek wrote this").Bytes())
		if doc.Text != "Rent" || len(doc.Parts) != 1 || !slices.Contains(doc.Dropped, extract.Dropped{Kind: "otherParts", Count: 1}) {
			t.Errorf("%s: %q, dropped %+v", name, doc.Text, doc.Dropped)
		}
	}
}
