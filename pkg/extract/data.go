package extract

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readCSV reads a table: a line for each row, its cells apart by tabs.
func readCSV(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "csv"}
	text, err := wholeText(r, size)
	if err != nil {
		return doc, err
	}
	table := csv.NewReader(strings.NewReader(text))
	// Rows of unequal length and quotes within cells are usual in exports, and lose nothing.
	table.Comma, table.FieldsPerRecord, table.LazyQuotes, table.ReuseRecord = delimiter(text), -1, true, true
	body := bounded{left: lim.Text}

	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return doc, ctx.Err()
		}

		row, err := table.Read()
		switch {
		case errors.Is(err, io.EOF):
			return doc, doc.settle(&body)
		case err != nil:
			return doc, fmt.Errorf("%w: not a table", errBroken)
		}

		for i, cell := range row {
			if i > 0 {
				body.write("\t")
			}
			body.write(strings.Join(strings.Fields(cell), " "))
		}
		if body.write("\n"); body.left < 0 {
			return doc, ErrBomb
		}
	}
}

// delimiter guesses what parts the cells of a table: that of comma, semicolon and tab which its first line holds most
// of.
func delimiter(text string) rune {
	first, _, _ := strings.Cut(text, "\n")

	best, most := ',', 0
	for _, d := range ",;\t" {
		if n := strings.Count(first, string(d)); n > most {
			best, most = d, n
		}
	}

	return best
}

// readJSON reads one JSON value or several in a row: a line for each scalar, with its name before it and indented by
// depth, so that no escape hides what a text says.
func readJSON(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "json"}
	text, err := wholeText(r, size)
	if err != nil {
		return doc, err
	}
	w := outline{body: bounded{left: lim.Text}, lim: lim}
	d := json.NewDecoder(strings.NewReader(text))
	// A number is shown as it is written: 1.10 is a sum, and not 1.1.
	d.UseNumber()

	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return doc, ctx.Err()
		}

		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && len(w.open) == 0:
			return doc, doc.settle(&w.body)
		case err != nil:
			return doc, ErrMismatch
		}
		if err := w.token(token); err != nil {
			return doc, err
		}
	}
}

// outline writes JSON as indented lines.
type outline struct {
	body bounded
	lim  Limits
	open []bool // for each open object or array, whether it is an object
	name bool   // the next token of the innermost object is a value
}

func (w *outline) token(t json.Token) error {
	switch v := t.(type) {
	case json.Delim:
		return w.delimiter(v)
	case string:
		if len(w.open) > 0 && w.open[len(w.open)-1] && !w.name {
			w.indent()
			w.body.write(v + ": ")
			w.name = true

			return w.full()
		}
		w.value(v)
	case json.Number:
		w.value(v.String())
	case bool:
		w.value(strconv.FormatBool(v))
	default:
		w.value("null")
	}

	return w.full()
}

func (w *outline) delimiter(d json.Delim) error {
	switch d {
	case '{', '[':
		if w.name {
			w.body.write("\n")
		}
		w.open, w.name = append(w.open, d == '{'), false
		if len(w.open) > w.lim.Nesting {
			return errTooDeep
		}
	default:
		w.open, w.name = w.open[:len(w.open)-1], false
	}

	return nil
}

func (w *outline) value(s string) {
	if !w.name {
		w.indent()
		w.body.write("- ")
	}
	w.body.write(s + "\n")
	w.name = false
}

func (w *outline) indent() { w.body.write(strings.Repeat("  ", max(0, len(w.open)-1))) }

func (w *outline) full() error {
	if w.body.left < 0 {
		return ErrBomb
	}

	return nil
}

// bounded is text that may grow only so far.
type bounded struct {
	strings.Builder
	left int64
}

// write adds s while there is room; left below zero means that there was none.
func (b *bounded) write(s string) {
	if b.left -= int64(len(s)); b.left >= 0 {
		b.WriteString(s)
	}
}

// settle makes body the document's.
func (d *Document) settle(body *bounded) error {
	// Such files have no pages, so a form feed in them is a blank.
	d.setBody(strings.ReplaceAll(body.String(), "\f", "\n"), nil)
	if d.Text == "" && len(d.Parts) == 1 {
		return ErrEmpty
	}
	d.finish(nil, false)

	return nil
}

// wholeText returns the text of a file that must not hold zero bytes.
func wholeText(r io.ReaderAt, size int64) (string, error) {
	data, err := readAll(r, size)
	if err != nil {
		return "", err
	}
	text, err := decodeText(data)
	if err == nil && strings.ContainsRune(text, 0) {
		err = ErrMismatch
	}

	return text, err
}
