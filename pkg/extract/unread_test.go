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

// A layer under a picture that no reader sees is what a scanner has read from it, if it says as much as a page does.
func TestAHiddenLayerReadsThePicture(t *testing.T) {
	t.Parallel()
	scan, small := "q 612 0 0 792 0 0 cm /P Do Q", "q 90 0 0 60 0 0 cm /P Do Q"

	for name, tc := range map[string]struct {
		content string
		want    string // what was not read; "" when all was
	}{
		"layer of a scan":      {"3 Tr " + pdftest.Lines(prose) + "0 Tr " + scan, ""},
		"one hidden character": {"3 Tr " + pdftest.Lines("x") + "0 Tr " + scan, extract.UnreadPage},
		"a stamp and a hidden word": {
			pdftest.Lines("EXHIBIT 4") + "3 Tr " + pdftest.Lines("x") + scan, extract.UnreadPage,
		},
		"prose and a hidden character":  {pdftest.Lines(prose) + "3 Tr " + pdftest.Lines("x") + small, extract.UnreadPicture},
		"prose and the layer of a part": {pdftest.Lines("Left out.") + "3 Tr " + pdftest.Lines(prose) + small, ""},
	} {
		f := pdftest.New()
		for range 11 { // so that one page that was not read does not make a scan of the file
			f.TextPage(prose)
		}
		f.Page(
			f.Stream("", []byte(tc.content)),
			fmt.Sprintf(
				"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</P %d 0 R>>",
				f.Stream("/Subtype/Image", nil),
			),
			"",
		)
		doc := read(t, extract.PDF, f.Bytes())

		got := ""
		for _, u := range doc.Unread {
			got += u.What
		}
		if got != tc.want || doc.Status != extract.OK {
			t.Errorf("%s: %s, unread %+v, want %q", name, doc.Status, doc.Unread, tc.want)
		}
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
