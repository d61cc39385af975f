package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// pageBreak marks the beginning of a page in raw text. It is a control character that no cleaned text can hold.
const pageBreak = '\f'

// clean brings text into the one form that is stored: NFC, \n for every kind of line end, plain blanks, no controls,
// no invisible marks, ligatures as letters, no blanks at the ends of lines and no more than one empty line. Page
// breaks stay. Characters of the tag block, which no program shows, spell ASCII; they are returned apart. Marks stay
// if withMarks says so; one that stands before an accent moves behind it.
func clean(raw string, withMarks bool) (text, tags string) {
	var out, hidden strings.Builder
	out.Grow(len(raw))
	var gap gap
	// Marks that have not been written yet.
	var held []rune

	for i, r := range raw {
		if withMarks && isMark(r) {
			if r == markRow {
				gap.endLine(&out)
			}
			held = append(held, r)

			continue
		}
		// A mark between a letter and its accent would keep NFC from joining them.
		if len(held) > 0 && (r < utf8.RuneSelf || norm.NFC.PropertiesString(raw[i:]).BoundaryBefore()) {
			out.WriteString(string(held))
			held = held[:0]
		}

		switch {
		case gap.takes(r):
		case r == pageBreak:
			out.WriteByte(pageBreak)
		// Tag characters can carry a whole sentence that nobody sees, which a language model reads all the same.
		case r >= 0xe0020 && r <= 0xe007e:
			hidden.WriteRune(r - 0xe0000)
		case invisible(r):
		default:
			gap.write(&out)
			writeLetter(&out, r)
		}
	}

	out.WriteString(string(held))

	return norm.NFC.String(out.String()), hidden.String()
}

// gap is the blank before the next character that shows. It is written only when that comes, so that no text begins or
// ends with blanks and no line ends with one.
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
			// It is the second half of a line end.
			return true
		}

		fallthrough
	case '\r', '\v', 0x85, 0x2028, 0x2029:
		g.lines++
		g.blanks = g.blanks[:0]
	case '\t':
		g.blanks = append(g.blanks, '\t')
	case ' ':
		g.blanks = append(g.blanks, ' ')
	default:
		if !unicode.Is(unicode.Zs, r) {
			return false
		}
		g.blanks = append(g.blanks, ' ')
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

// endLine writes the line ends of the gap, so that the blanks behind them belong to what begins here, even where the
// text begins.
func (g *gap) endLine(out *strings.Builder) {
	if g.started {
		out.WriteString("\n\n"[:min(g.lines, 2)])
	}
	g.started, g.lines, g.blanks = true, 0, g.blanks[:0]
}

// invisible reports whether a character leaves no mark: controls, soft hyphens, zero widths, changes of direction,
// tags. Joiners stay, since some scripts are read by them.
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
	if s := ligature(r); s != "" {
		out.WriteString(s)
		return
	}
	out.WriteRune(r)
}

// ligature returns the letters of a ligature, "" for any other character.
func ligature(r rune) string {
	const first, last = 'ﬀ', 'ﬆ'
	if r < first || r > last {
		return ""
	}

	return [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-first]
}

// setBody makes raw text with page breaks the body. A page begins at the first character after its break that is not
// blank.
func (d *Document) setBody(raw string, m marks) {
	text, tags := clean(raw, len(m) > 0)
	text = mendLabels(text, len(m) > 0)
	var out strings.Builder
	out.Grow(len(text))
	// letter says whether the last character is one.
	pending, letter := 0, false
	at := places{marks: m}
	begin := func() {
		for ; pending > 0; pending-- {
			d.PageStarts = append(d.PageStarts, at.chars)
		}
	}

	for i, r := range text {
		if at.takes(r) {
			continue
		}

		switch r {
		case pageBreak:
			pending++
			continue
		case ' ', '\t', '\n':
			letter = false
			if r == '\n' {
				at.line++
			}
		default:
			if pending > 0 && letter && !norm.NFC.PropertiesString(text[i:]).BoundaryBefore() {
				// An accent must not join the last letter of the page before.
				out.WriteByte('\n')
				at.chars++
			}
			begin()
			at.begin()
			letter = true
		}
		out.WriteRune(r)
		at.chars++
	}
	begin()
	d.Text = out.String()
	at.fill(d)
	d.Parts = append(d.Parts, Part{Kind: Body, Path: "text", Text: d.Text, Numbers: at.numbers(d.Text)})
	d.addPart(HiddenText, string(HiddenText), tags)
}

// longestTorn bounds a label that is torn at a blank, in bytes.
const longestTorn = 24

// mendLabels puts labels together again that the end of a line or page has torn: what stands for one identity must be
// one word. The break of a page or paragraph moves behind the label.
func mendLabels(text string, withMarks bool) string {
	var out strings.Builder
	out.Grow(len(text))

	for {
		open := strings.IndexByte(text, '[')
		if open < 0 {
			break
		}
		out.WriteString(text[:open])
		text = text[open:]
		inner, ok := bracketed(text[1:], withMarks)
		label, blank := wholeLabel(inner)
		if !ok || label == "" {
			out.WriteByte('[')
			text = text[1:]

			continue
		}
		out.WriteString(label)
		if strings.ContainsRune(blank, pageBreak) || strings.Contains(withoutMarks(blank), "\n\n") {
			out.WriteString(blank)
		} else if withMarks {
			out.WriteString(onlyMarks(blank))
		}
		text = text[len(inner)+2:]
	}
	out.WriteString(text)

	return out.String()
}

// bracketed returns what stands before a closing bracket that is near, counted without marks.
func bracketed(text string, withMarks bool) (string, bool) {
	if !withMarks {
		inner, _, ok := strings.Cut(text[:min(len(text), longestTorn-1)], "]")
		return inner, ok
	}

	n := 0

	for i, r := range text {
		if isMark(r) {
			continue
		}
		if r == ']' {
			return text[:i], true
		}
		if n += utf8.RuneLen(r); n >= longestTorn-1 {
			break
		}
	}

	return "", false
}

// wholeLabel returns the label that stands between brackets, and the blank inside it, or nothing.
func wholeLabel(inner string) (whole, blank string) {
	torn := func(r rune) bool { return strings.ContainsRune(" \t\n\f", r) || isMark(r) }
	start := strings.IndexFunc(inner, torn)
	if start < 0 {
		return "", ""
	}
	number := strings.TrimLeftFunc(inner[start:], torn)
	whole = "[" + inner[:start] + " " + number + "]"
	if !label.Valid(whole) {
		return "", ""
	}

	return whole, inner[start : len(inner)-len(number)]
}

// setFlow makes raw text the body in which page breaks stand between pages rather than before each. Without any, no
// page is known.
func (d *Document) setFlow(raw string, m marks) {
	if strings.ContainsRune(raw, pageBreak) {
		raw = string(pageBreak) + raw
	}
	d.setBody(raw, m)
}

// addPart adds a part unless it says nothing. What belongs to a part that is there already is added to that.
func (d *Document) addPart(kind Kind, path, raw string) {
	// A part beside the body has no pages.
	text, tags := clean(strings.ReplaceAll(raw, string(pageBreak), "\n"), false)
	d.putPart(kind, path, mendLabels(text, false))
	d.putPart(HiddenText, string(HiddenText), tags)
}

func (d *Document) putPart(kind Kind, path, text string) {
	if text == "" {
		return
	}

	for i := range d.Parts {
		if d.Parts[i].Path == path && kind != Body {
			d.Parts[i].Text += "\n\n" + text
			return
		}
	}
	d.Parts = append(d.Parts, Part{Kind: kind, Path: path, Text: text})
}
