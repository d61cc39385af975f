package extract

import (
	"golang.org/x/text/unicode/norm"
	"strings"
)

// pageBreak marks the beginning of a page in raw text. It is a control character that no cleaned text can hold.
const pageBreak = '\f'

// clean brings text into the one form that is stored: NFC, \n for every kind of line end, plain blanks, no controls, no
// invisible marks, ligatures as letters, no blanks at the ends of lines and no more than one empty line. Page breaks stay.
// Characters of the tag block, which no program shows, spell ASCII; they are returned apart.
func clean(raw string) (text, tags string) {
	var out, hidden strings.Builder
	out.Grow(len(raw))
	var gap gap
	for _, r := range norm.NFC.String(raw) {
		switch {
		case gap.takes(r):
		case r == pageBreak:
			out.WriteByte(pageBreak)
		case r >= 0xe0020 && r <= 0xe007e:
			hidden.WriteRune(r - 0xe0000)
		case invisible(r):
		default:
			gap.write(&out)
			writeLetter(&out, r)
		}
	}
	return out.String(), hidden.String()
}

// gap is the blank before the next character that shows. It is written only when that comes, so that no text begins or ends
// with blanks and no line ends with one.
type gap struct {
	started, carriage bool
	lines             int
	blanks            []byte
}

// takes adds a blank or line end to the gap and reports whether r is one.
func (g *gap) takes(r rune) bool {
	after := g.carriage
	g.carriage = r == '\r'
	switch r {
	case '\n':
		if after {
			return true // the second half of a line end
		}
		fallthrough
	case '\r', '\v', 0x85, 0x2028, 0x2029:
		g.lines++
		g.blanks = g.blanks[:0]
	case '\t':
		g.blanks = append(g.blanks, '\t')
	case ' ', 0xa0, 0x2007, 0x202f:
		g.blanks = append(g.blanks, ' ')
	default:
		return false
	}
	return true
}

// write ends the gap.
func (g *gap) write(out *strings.Builder) {
	if g.started {
		out.WriteString("\n\n"[:min(g.lines, 2)])
		out.Write(g.blanks)
	}
	g.started, g.lines, g.blanks = true, 0, g.blanks[:0]
}

// invisible reports whether a character leaves no mark: controls, soft hyphens, zero widths, changes of direction, tags.
// Joiners stay, since some scripts are read by them.
func invisible(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != pageBreak
	case r >= 0x7f && r <= 0x9f, r == 0xad, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// writeLetter writes a character, a ligature as its letters.
func writeLetter(out *strings.Builder, r rune) {
	const first, last = 'ﬀ', 'ﬆ'
	if r < first || r > last {
		out.WriteRune(r)
		return
	}
	out.WriteString([...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-first])
}

// setBody makes raw text with page breaks the body. A page begins at the first character after its break that is not blank.
func (d *Document) setBody(raw string) {
	text, tags := clean(raw)
	var out strings.Builder
	out.Grow(len(text))
	chars, pending := 0, 0
	begin := func() {
		for ; pending > 0; pending-- {
			d.PageStarts = append(d.PageStarts, chars)
		}
	}
	for _, r := range text {
		switch r {
		case pageBreak:
			pending++
			continue
		case ' ', '\t', '\n':
		default:
			begin()
		}
		out.WriteRune(r)
		chars++
	}
	begin()
	d.Text = out.String()
	d.Parts = append(d.Parts, Part{Kind: Body, Path: "text", Text: d.Text})
	d.addPart(HiddenText, string(HiddenText), tags)
}

// setFlow makes raw text the body in which page breaks stand between pages rather than before each. Without any, no page is
// known.
func (d *Document) setFlow(raw string) {
	if strings.ContainsRune(raw, pageBreak) {
		raw = string(pageBreak) + raw
	}
	d.setBody(raw)
}

// addPart adds a part unless it says nothing.
func (d *Document) addPart(kind Kind, path, raw string) {
	text, tags := clean(strings.ReplaceAll(raw, string(pageBreak), "\n"))
	if text != "" {
		d.Parts = append(d.Parts, Part{Kind: kind, Path: path, Text: text})
	}
	if tags != "" {
		d.Parts = append(d.Parts, Part{Kind: HiddenText, Path: string(HiddenText), Text: tags})
	}
}
