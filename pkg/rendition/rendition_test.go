package rendition_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
)

func read(t *testing.T, mediaType string, data []byte) extract.Document {
	t.Helper()
	doc, err := extract.Extract(
		t.Context(),
		bytes.NewReader(data),
		int64(len(data)),
		mediaType,
		extract.DefaultLimits(),
	)
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}

	return doc
}

func TestNeeded(t *testing.T) {
	t.Parallel()

	for mediaType, want := range map[string]bool{
		"text/html; charset=utf-8": true, "Application/PDF": true, extract.Email: true, extract.DOCX: true,
		extract.PlainText: false, extract.Markdown: false, extract.CSV: false, extract.JSON: false,
		"image/png": false, "": false,
	} {
		if got := rendition.Needed(mediaType); got != want {
			t.Errorf("Needed(%q) = %v", mediaType, got)
		}
	}
}

// The structure of a document by hand: every kind of block and mark.
func structured() extract.Document {
	text := "Lease\n\nThe tenant pays the rent.\nIt is due " +
		"monthly.\n\nfirst\nsecond\n\nRent\t$1|2\nTerm\n\nQuoted words\n\nSee below.\n\nHead of page"
	at := func(words string) (int, int) {
		i := bytes.Index([]byte(text), []byte(words))
		return i, i + len(words)
	}
	doc := extract.Document{
		Status:     extract.OK,
		Text:       text,
		PageStarts: []int{0, 7},
		Parts: []extract.Part{
			{Kind: extract.Body, Path: "text", Text: text},
			{Kind: extract.Comments, Path: "comments", Text: "Check this."},
		},
	}
	add := func(kind extract.BlockKind, level int, label, words string) {
		start, end := at(words)
		doc.Blocks = append(doc.Blocks, extract.Block{Kind: kind, Level: level, Start: start, End: end, Label: label})
	}
	add(extract.Heading, 1, "", "Lease")
	_, end := at("pays")
	doc.Blocks = append(doc.Blocks, extract.Block{Kind: extract.NoteMark, Start: end, End: end, Label: "1"})
	add(extract.Item, 1, "1.", "first")
	add(extract.Item, 2, "•", "second")
	add(extract.Row, 1, "", "Rent\t$1|2")
	add(extract.Row, 2, "", "Term")
	add(extract.Quotation, 0, "", "Quoted words")
	add(extract.Note, 0, "1", "See below.")
	add(extract.Header, 0, "", "Head of page")
	_, end = at("monthly.")
	doc.Unread = []extract.Unread{{Page: 2, What: extract.UnreadPicture, At: end, Count: 1}}

	return doc
}

const wantMarkdown = `# Lease

[page 2]

The tenant pays[^n.1] the rent.
It is due monthly.

[page 2: picture, not read]

1. first
   - second

| Rent | $1\|2 |
|---|---|
| Term | |

> Quoted words

[^n.1]: See below.

Head of page

## Comments

Check this.`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	doc := structured()
	r := markdown(t, doc)
	if string(r.Bytes) != wantMarkdown || r.MediaType != extract.Markdown || r.Renderer != rendition.MarkdownRenderer {
		t.Errorf("%s %s\n%s", r.MediaType, r.Renderer, r.Bytes)
	}
	if again := read(t, extract.Markdown, r.Bytes); again.Text != string(r.Bytes) {
		t.Errorf("read again, it is\n%s", again.Text)
	}
}

// A place of a part is found again, also when marks stand within it.
func TestPlace(t *testing.T) {
	t.Parallel()
	doc := structured()
	r := markdown(t, doc)

	for _, tc := range []struct {
		path, words, want string
	}{
		{"text", "Lease", "Lease"},
		{"text", "second", "second"},
		{"text", "pays the", "pays[^n.1] the"},
		{"text", "$1|2", `$1\|2`},
		{"text", "first\nsecond", "first\n   - second"},
		{"comments", "this", "this"},
	} {
		part := doc.Text
		if tc.path == "comments" {
			part = doc.Parts[1].Text
		}
		start := bytes.Index([]byte(part), []byte(tc.words))
		from, to, ok := r.Place(tc.path, start, start+len(tc.words))
		if !ok || string(r.Bytes[from:to]) != tc.want {
			t.Errorf("%s %q is at %d to %d (%v): %q", tc.path, tc.words, from, to, ok, r.Bytes[from:to])
		}
	}

	for _, none := range [][3]any{{"text", 5, 6}, {"hiddenText", 0, 1}, {"text", 4, 4}, {"text", 9000, 9001}} {
		if from, to, ok := r.Place(none[0].(string), none[1].(int), none[2].(int)); ok {
			t.Errorf("%v is at %d to %d", none, from, to)
		}
	}
}

// markdown and word return the renditions of a document.
func markdown(t *testing.T, doc extract.Document) rendition.Rendition {
	t.Helper()
	r, err := rendition.Markdown(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

func word(t *testing.T, doc extract.Document) rendition.Rendition {
	t.Helper()
	r, err := rendition.Word(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

// A table that is too wide for Word keeps its tabs.
func TestATableTooWideForWord(t *testing.T) {
	t.Parallel()

	for columns, want := range map[int]int{63: 2, 64: 0} {
		row := strings.Repeat("x\t", columns-1) + "y"
		doc := extract.Document{Status: extract.OK, Text: row + "\n" + row}
		doc.Blocks = []extract.Block{
			{Kind: extract.Row, Level: 1, End: len(row)},
			{Kind: extract.Row, Level: 2, Start: len(row) + 1, End: 2*len(row) + 1},
		}
		again := read(t, extract.DOCX, word(t, doc).Bytes)
		if len(again.Blocks) != want || strings.Count(again.Text, "\t") != 2*(columns-1) {
			t.Errorf("%d columns: %d rows in %q", columns, len(again.Blocks), again.Text)
		}
	}
}
