package extract

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// readText reads plain text and Markdown: UTF-8, or UTF-16 with its mark. A form feed begins a page. Markdown stays as
// it is written, so that comments and addresses in it are part of the body.
func readText(_ context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "text"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}

	text, err := decodeText(data)
	switch {
	case err != nil:
		return doc, err
	case strings.ContainsRune(text, 0):
		return doc, ErrMismatch
	case int64(len(text)) > lim.Text:
		return doc, ErrBomb
	}
	doc.setFlow(strings.ReplaceAll(text, "\f", "\n\n\f"), nil)
	if doc.Text == "" && len(doc.Parts) == 1 {
		return doc, ErrEmpty
	}
	doc.finish(nil, false)

	return doc, nil
}

// decodeText returns the text of a file without its byte order mark.
func decodeText(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decodeUTF16(data[2:], binary.BigEndian)
	case !utf8.Valid(data):
		return "", errInvalidUTF8
	}

	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) (string, error) {
	if len(data)%2 != 0 {
		return "", errInvalidUTF8
	}

	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}

	return string(utf16.Decode(units)), nil
}
