package extract_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// scans is a PDF file of pages, the last few of which are pictures with a stamp on them.
func scans(pages, scanned int) []byte {
	f := pdftest.New()
	picture := f.Stream("/Subtype/Image/Filter/DCTDecode", []byte("not a picture"))

	for i := range pages {
		if i < pages-scanned {
			f.TextPage(prose)
			continue
		}
		content := f.Stream("", []byte(pdftest.Lines("EXHIBIT 4")+"q 612 0 0 792 0 0 cm /P Do Q"))
		f.Page(
			content,
			fmt.Sprintf("/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</P %d 0 R>>", picture),
			"",
		)
	}

	return f.Bytes()
}

func TestUnread(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.PDF, scans(12, 1))
	if want := []extract.Unread{
		{Page: 12, What: extract.UnreadPage, At: doc.Chars, Count: 1},
	}; !slices.Equal(
		doc.Unread,
		want,
	) {
		t.Errorf("unread %+v, want %+v", doc.Unread, want)
	}
	f := pdftest.New()
	f.Page(
		f.Stream("", []byte(pdftest.Lines(prose)+"q 90 0 0 60 0 0 cm /P Do Q q 2 0 0 2 0 0 cm /P Do Q")),
		fmt.Sprintf(
			"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</P %d 0 R>>",
			f.Stream("/Subtype/Image", nil),
		),
		"",
	)
	if doc = read(
		t,
		extract.PDF,
		f.Bytes(),
	); !slices.Equal(
		doc.Unread,
		[]extract.Unread{{Page: 1, What: extract.UnreadPicture, At: doc.Chars, Count: 1}},
	) {
		t.Errorf("unread %+v", doc.Unread)
	}
	picture := `<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><a:blip r:embed="r1"/>` +
		`</wp:inline></w:drawing></w:r>`
	file := docxtest.New(
		docxtest.P(
			"First.",
		)+"<w:p>"+docxtest.R(
			"Before",
		)+picture+docxtest.R(
			" after.",
		)+"</w:p><w:p>"+picture+"</w:p>"+docxtest.P(
			"Last.",
		),
	).
		Part(
			"word/media/image1.png",
			"x",
		)
	doc = read(t, extract.DOCX, file.Bytes())
	want := []extract.Unread{
		{What: extract.UnreadPicture, At: 14, Count: 1},
		{What: extract.UnreadPicture, At: 21, Count: 1},
	}
	if doc.Text != "First.\n\nBefore after.\n\nLast." || !slices.Equal(doc.Unread, want) {
		t.Errorf("text %q, unread %+v, want %+v", doc.Text, doc.Unread, want)
	}
}

func TestSurplusBytesAreCounted(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	f.TextPage(prose)
	tail := append(f.Bytes(), bytes.Repeat([]byte("x"), 2000)...)
	if doc := read(t, extract.PDF, tail); doc.Status != extract.OK || dropped(doc) != "fonts 1, surplusBytes 1" {
		t.Errorf("a tail: %s, dropped %s", doc.Status, dropped(doc))
	}
	if doc := read(
		t,
		extract.DOCX,
		withComment(docxtest.New(docxtest.P(prose)).Bytes(), "said"),
	); dropped(
		doc,
	) != "zipComments 1" {
		t.Errorf("a comment: %s, dropped %s", doc.Status, dropped(doc))
	}
}

// withComment gives an archive a comment.
func withComment(zip []byte, comment string) []byte {
	out := slices.Clone(zip)
	binary.LittleEndian.PutUint16(out[len(out)-2:], uint16(len(comment)))

	return append(out, comment...)
}
