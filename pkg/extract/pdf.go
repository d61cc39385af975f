package extract

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdf"
)

const (
	pdfCells   = 200 << 20 // objects parsed of one file; the time limit comes first in practice
	pdfNesting = 64
)

// readPDF reads a PDF file. A file that carries other files is unsupported: what it carries cannot be checked.
func readPDF(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "pdf"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	if polyglot(data) {
		return doc, ErrMismatch
	}

	file, err := pdf.Read(ctx, data, pdf.Limits{
		Pages: lim.Pages, Inflated: lim.Inflated, Text: lim.Text, Cells: pdfCells, Nesting: min(lim.Nesting, pdfNesting),
	})
	switch {
	case errors.Is(err, pdf.ErrPages):
		return doc, ErrTooManyPages
	case errors.Is(err, pdf.ErrTooMuch):
		return doc, ErrBomb
	case err != nil:
		return doc, err
	}
	fillPDF(&doc, file)
	doc.finish(data, false)

	switch {
	case doc.Status == Damaged:
	case file.Attachments:
		doc.Status, doc.Reason = Unsupported, ReasonAttachment
	case file.Dynamic:
		doc.Status, doc.Reason = Unsupported, ReasonDynamicForm
	case unreadPages(&doc)*mostUnread > doc.Pages:
		doc.Status, doc.Reason = NeedsOCR, ReasonNoText
	}

	return doc, nil
}

// mostUnread is the part of the pages of a file, as a divisor, of which more must not be unread: a tenth.
const mostUnread = 10

func unreadPages(doc *Document) int {
	n := 0

	for _, u := range doc.Unread {
		if u.What == UnreadPage {
			n++
		}
	}

	return n
}

// fillPDF gives the document what was read of a file.
func fillPDF(doc *Document, file *pdf.Document) {
	var m marks
	levels := headingSizes(file.Pages, usualSize(file.Pages))
	bold := boldHeadings(file.Pages, levels)
	texts := make([]string, len(file.Pages))

	for i, p := range file.Pages {
		texts[i] = m.pdfPage(p, levels, bold)

		switch {
		case p.Unread:
			texts[i] += m.unreadOn(i+1, UnreadPage, 1)
		case p.Pictures > 0:
			texts[i] += m.unreadOn(i+1, UnreadPicture, p.Pictures)
		}
	}
	doc.setBody("\f"+strings.Join(texts, "\n\n\f"), m)
	doc.addPart(Comments, string(Comments), strings.Join(file.Comments, "\n\n"))
	doc.addPart(AltText, string(AltText), strings.Join(file.Alts, "\n"))
	doc.addPart(Drawings, string(Drawings), strings.Join(file.Drawn, "\n\n"))
	doc.addPart(HiddenText, string(HiddenText), strings.Join(file.Hidden, "\n\n"))
	var web []string

	for _, address := range file.Links {
		if onTheWeb(address) {
			web = append(web, unescapeAddress(address))
		} else {
			doc.drop(dropAddresses, 1)
		}
	}
	doc.addPart(Links, string(Links), strings.Join(web, "\n"))

	for kind, count := range file.Dropped {
		doc.drop(kind, count)
	}
}

// markup reports whether there is a tag with which a browser would begin a page.
func markup(data []byte) bool {
	for _, after := range bytes.Split(data, []byte("<"))[1:] {
		if len(after) > 0 && (unicode.IsLetter(rune(after[0])) || bytes.IndexByte([]byte("!?/"), after[0]) >= 0) {
			return true
		}
	}

	return false
}

// begins are the first bytes of programs, archives and pictures that their readers look for nowhere else.
var begins = []string{
	"MZ", "\xca\xfe\xba\xbe", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", // programs
	"\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe",
	"Rar!", "\x1f\x8b", "7z\xbc\xaf", "BZh", "\xfd7zXZ", "!<arch>", // archives
	"GIF8", "\x89PNG", "\xff\xd8\xff", // pictures
}

// polyglot reports whether a PDF file is something else too: a page of HTML or a program before its first object, or
// an archive behind its end.
func polyglot(data []byte) bool {
	header := pdf.Header(data)
	if header < 0 {
		// The file is damaged, which the reader finds out.
		return false
	}
	end := min(len(data), header+1024)
	if first := bytes.Index(data[header:end], []byte(" obj")); first >= 0 {
		// What stands before the header may say " obj" too.
		end = header + first
	}
	if markup(data[:end]) {
		return true
	}

	for _, mark := range []string{"#!/", "PK\x03\x04", "\x7fELF", "{\\rtf"} {
		if bytes.Contains(data[:end], []byte(mark)) {
			return true
		}
	}

	for _, mark := range begins {
		if bytes.HasPrefix(data, []byte(mark)) {
			return true
		}
	}
	last := bytes.LastIndex(data, []byte("%%EOF"))

	return last >= 0 && bytes.Contains(data[last:], []byte("PK\x05\x06"))
}
