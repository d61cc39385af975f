package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// office is a file of a word processor while it is read: an archive of XML parts, and what they say to a reader.
type office struct {
	*archive
	doc       *Document
	text      int64 // bytes of text that may still be kept
	marks     marks
	notes     notes
	body      []string
	tracked   []string
	comments  []string
	hidden    []string
	alts      []string
	drawings  []string
	addresses []string
	numbers   []string
	counted   map[string]bool // values that were dropped, by their kinds
}

// pieceBytes is what a text of its own counts for beside its bytes, so that many small ones are bounded too.
const pieceBytes = 64

// newOffice begins a document with the archive that it is read from.
func newOffice(a *archive, doc *Document) *office {
	return &office{archive: a, doc: doc, text: a.lim.Text, counted: map[string]bool{}, notes: notes{}}
}

// fillBody gives the document what was read of its text.
func (o *office) fillBody() { o.doc.setFlow(strings.Join(o.body, "\n\n"), o.marks) }

// fillParts gives the document what stands beside its text.
func (o *office) fillParts() {
	doc := o.doc
	doc.addPart(Comments, string(Comments), strings.Join(o.comments, "\n\n"))
	doc.addPart(TrackedChanges, string(TrackedChanges), strings.Join(o.tracked, "\n"))
	doc.addPart(AltText, string(AltText), strings.Join(o.alts, "\n"))
	doc.addPart(Numbering, string(Numbering), strings.Join(o.numbers, "\n"))
	doc.addPart(Drawings, string(Drawings), strings.Join(o.drawings, "\n"))
	doc.addPart(HiddenText, string(HiddenText), strings.Join(o.hidden, "\n"))
	doc.addPart(Links, string(Links), strings.Join(o.addresses, "\n"))
	doc.drop(dropZip, o.surplus.comments)
	doc.drop(dropTrailing, o.surplus.bytes)
}

// address keeps an address on the web, which a reader sees when following a link. Others lead into machines and
// mailboxes.
func (o *office) address(target string) {
	if !onTheWeb(target) {
		o.doc.drop(dropAddresses, 1)
		return
	}
	o.keep(&o.addresses, unescapeAddress(target))
}

// countTexts counts the texts of a part as what is dropped.
func (o *office) countTexts(name, kind string) error {
	return o.tokens(name, func(t xml.Token) {
		if text, ok := t.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			o.doc.drop(kind, 1)
		}
	})
}

// keep adds a text that says something to a list.
func (o *office) keep(list *[]string, text string) {
	if text = strings.TrimSpace(text); text != "" {
		*list = append(*list, text)
		o.text -= int64(len(text)) + pieceBytes
	}
}

// count counts a value once that no reader sees.
func (o *office) count(kind, value string) {
	if key := kind + " " + value; !o.counted[key] {
		o.counted[key] = true
		o.doc.drop(kind, 1)
		o.text -= int64(len(value)) + pieceBytes
	}
}

// on reports whether a switch such as <w:vanish/> is set.
func on(e xml.StartElement) bool {
	switch attr(e, "val") {
	case "0", "false", "off":
		return false
	}

	return true
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}

	return ""
}

// each calls use for every element of a part.
func (o *office) each(name string, use func(xml.StartElement)) error {
	return o.tokens(name, func(t xml.Token) {
		if e, ok := t.(xml.StartElement); ok {
			use(e)
		}
	})
}

// tokens reads a part as XML. A part that does not exist has none. A document type with declarations of its own is
// refused, since they could write text; one that only names an address, as abiword writes it, is counted.
func (o *office) tokens(name string, use func(xml.Token)) error {
	r, ok, err := o.open(name)
	if err != nil || !ok {
		return err
	}
	defer r.Close() //nolint:errcheck // the part has been read, or is given up

	x := xml.NewDecoder(r)
	for depth := 0; ; {
		t, err := x.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return xmlFailure(err)
		}

		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.Directive:
			if bytes.ContainsAny(t, "[<%") {
				return fmt.Errorf("%w: document type", errBroken)
			}
			o.count(dropMarkup, string(t))

			continue
		}
		if depth > o.lim.Nesting {
			return errTooDeep
		}
		if use(t); o.text < 0 {
			return ErrBomb
		}
	}
}

// xmlFailure keeps the errors of the archive and turns those of XML, which may quote the file, into a plain one.
func xmlFailure(err error) error {
	for _, known := range []error{ErrBomb, errBroken, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}

	return fmt.Errorf("%w: XML", errBroken)
}
