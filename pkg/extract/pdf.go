package extract

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

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
	doc.setBody("\f"+strings.Join(file.Pages, "\n\n\f"), nil)

	for _, f := range file.Fields {
		doc.addField(f.Name, f.Text)
	}
	doc.addPart(Comments, string(Comments), strings.Join(file.Comments, "\n\n"))
	doc.addPart(HiddenText, string(HiddenText), strings.Join(file.Hidden, "\n\n"))
	if file.Attachments {
		doc.Status, doc.Reason = Unsupported, "attachment"
	}
	doc.finish(data, file.Images > 0)

	return doc, nil
}

// trailingBytes bounds what may follow the end mark of a PDF file.
const trailingBytes = 1024

// polyglot reports whether a PDF file is something else too: a page of HTML or a program before its first object, or an
// archive or anything else of size behind its end.
func polyglot(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("%PDF-")) {
		return false // damaged, which is found out later
	}
	head := bytes.ToLower(data[:min(len(data), 1024)])
	if before, _, ok := bytes.Cut(head, []byte(" obj")); ok {
		head = before
	}

	for _, mark := range []string{"<html", "<!doctype", "<script", "<?php", "#!/", "pk\x03\x04", "\x7felf"} {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	end := bytes.LastIndex(data, []byte("%%EOF"))
	if end < 0 {
		return false
	}
	tail := data[end:]

	return len(bytes.TrimRight(tail, "\x00\r\n\t ")) > trailingBytes || bytes.Contains(tail, []byte("PK\x05\x06"))
}
