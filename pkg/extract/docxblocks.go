package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// block marks a paragraph as what it is: a heading, an item of a list, or nothing but itself. Where there are no blocks
// its number stands before it.
func (f *flow) block(text string) string {
	s := f.styles.resolved(f.look.style)
	b := Block{Level: f.headingLevel()}
	if b.Level > 0 {
		b.Kind = Heading
	}
	f.sequences.heading(b.Level)
	label, at := f.number(s)

	switch {
	case f.plain() && label != "":
		return f.marks.number(label) + " " + text
	case f.plain():
		return text
	case label != "" && b.Kind == "":
		b.Kind, b.Level = Item, max(at, s.depth)+1
	}
	if b.Kind == "" {
		return text
	}
	b.Label = label

	return f.marks.wrap(b, text)
}

// headingLevel returns the level from 1 of the heading that the present paragraph is, 0 when it is none.
func (f *flow) headingLevel() int {
	if f.look.outline != 0 {
		return max(f.look.outline, 0)
	}

	return f.styles.resolved(f.look.style).outline
}

// number counts the present paragraph in its list and returns, once, what stands before it, empty for nothing, with
// its level from 0.
func (f *flow) number(s style) (label string, at int) {
	if f.look.told {
		return "", 0
	}
	f.look.told = true
	f.countParagraph(s)

	return f.look.label, f.look.at
}

// countParagraph counts the present paragraph in its list, once.
func (f *flow) countParagraph(s style) {
	if f.look.counted {
		return
	}
	f.look.counted = true
	list, at := f.look.list, f.look.level
	if list == "" {
		list = s.list
	}

	switch {
	case f.look.leveled:
	case f.look.list == "":
		at = f.lists.styleLevel(list, s)
	default:
		at = s.level
	}
	f.look.at = at
	use, d := f.lists.use(list)
	if d == nil {
		return
	}
	label, spoken := d.next(use, at)
	f.look.label, f.look.numbered = label, f.fieldList(d, use)
	f.look.numbered.level, f.fieldLists.last = at, f.look.numbered
	// A label is text that the file makes, so it counts against the limit: lists can make much out of little.
	f.text -= int64(len(label))
	if label != "" {
		f.text -= markCost
	}
	if spoken {
		f.keep(&f.numbers, label)
	}
}

// emptyItem counts a paragraph without words, which has a number all the same. In a cell the number is what it says.
func (f *flow) emptyItem() {
	if f.look.told || f.look.gone || !f.visible() {
		return
	}
	label, _ := f.number(f.styles.resolved(f.look.style))
	if f.table() != nil && label != "•" {
		f.put(f.marks.number(label), "")
	}
}

// notes numbers the notes of a document by their kind and identifier, in the order in which they are referred to.
type notes map[string]int

// label returns what a note is called. Those at the end of the document have numbers of their own.
func (n notes) label(kind, id string) string {
	kind = kind[:1]
	key := kind + id
	if n[key] == 0 {
		n[kind]++
		n[key] = n[kind]
	}
	if kind == "e" {
		return "e" + strconv.Itoa(n[key])
	}

	return strconv.Itoa(n[key])
}

// refer marks the place where a note is referred to.
func (f *flow) refer(e xml.StartElement) {
	if !f.visible() {
		return
	}
	f.paragraph.WriteString(f.marks.note(f.notes.label(e.Name.Local, attr(e, "id"))))
}

// beginNote opens a note. The lines that part notes from the text are notes without words.
func (f *flow) beginNote(e xml.StartElement) {
	f.endParagraph()
	if attr(e, "type") != "" && attr(e, "type") != "normal" || f.kind != "footnotes" && f.kind != "endnotes" {
		return
	}
	f.inNote = true
	f.out.WriteString(
		f.marks.add(markOpen, marked{block: Block{Kind: Note, Label: f.notes.label(e.Name.Local, attr(e, "id"))}}),
	)
	f.note = len(f.marks) - 1
}

func (f *flow) endNote() {
	f.endParagraph()
	if f.inNote {
		f.inNote = false
		f.out.WriteString(string(markEnd) + digits(f.note))
	}
}

// fieldCodes takes the instructions of the fields of a paragraph. Those of buttons and equations are what a reader
// sees; of others a reader sees the result.
func (f *flow) fieldCodes(codes string) {
	words := strings.Fields(codes)
	if len(words) == 0 {
		return
	}

	for i, word := range words {
		switch strings.ToUpper(word) {
		case "MACROBUTTON", "GOTOBUTTON":
			// The words stand behind the name of the macro or place.
			f.keep(&f.hidden, strings.Join(words[min(i+2, len(words)):], " "))
			return
		case "EQ":
			f.keep(&f.hidden, equationWords(strings.Join(words[i+1:], " ")))
			return
		}
	}
	f.doc.drop(dropFieldCodes, 1)
}

// equationWords returns the words of an equation without its instructions, such as \x(…).
func equationWords(codes string) string {
	var out strings.Builder

	for codes != "" {
		before, rest, found := strings.Cut(codes, `\`)
		out.WriteString(before)
		if !found {
			break
		}
		codes = strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
		out.WriteByte(' ')
	}

	return strings.NewReplacer("(", " ", ")", " ", ";", " ").Replace(out.String())
}

// pictureSize is the size of the drawing that is open.
type pictureSize struct{ wide, high int64 }

// leastPicture is the side of a picture, in English metric units of 914,400 an inch, below which it shows no words: a
// sixth of an inch.
const leastPicture = 914_400 / 6

// drawn marks a picture, unless it is too small to show words.
func (f *flow) drawn(e xml.StartElement) {
	switch e.Name.Local {
	case "drawing", "pict":
		f.picture = pictureSize{leastPicture, leastPicture}
	case "extent":
		wide, err1 := strconv.ParseInt(attr(e, "cx"), 10, 64)
		high, err2 := strconv.ParseInt(attr(e, "cy"), 10, 64)
		if err1 == nil && err2 == nil {
			f.picture = pictureSize{wide, high}
		}
	case "blip", "imagedata":
		if f.visible() && f.picture.wide >= leastPicture && f.picture.high >= leastPicture {
			f.paragraph.WriteString(f.marks.unread(UnreadPicture, 1))
		}
	}
}

// choices are the options of a drop-down field of the old kind, of which one is shown.
type choices struct {
	options []string
	chosen  int
}

// take reads a part of such a field.
func (c *choices) take(o *office, e xml.StartElement) {
	switch e.Name.Local {
	case "ffData":
		*c = choices{}
	case "result":
		c.chosen, _ = strconv.Atoi(attr(e, "val"))
	case "listEntry":
		c.options = append(c.options, attr(e, "val"))
		o.text -= int64(len(attr(e, "val"))) + pieceBytes
	}
}

// show keeps the option that a reader sees and counts the others.
func (c *choices) show(o *office) {
	for i, option := range c.options {
		if i == c.chosen {
			o.keep(&o.drawings, option)
			continue
		}
		o.doc.drop(dropFormOptions, 1)
	}
	*c = choices{}
}

// attributes takes the attributes of an element that may hold words: some are read, the others counted.
func (d *docx) attributes(e xml.StartElement, parent string) {
	for _, a := range e.Attr {
		if a.Value == "" {
			continue
		}

		switch local := a.Name.Local; {
		case local == "descr", local == "alt", local == "tooltip", local == "title" && e.Name.Local != "title":
			d.keep(&d.alts, a.Value)
		case local == "string" && e.Name.Local == "textpath":
			d.keep(&d.drawings, a.Value)
		case local == "author", local == "initials", local == "userId", local == "userName":
			d.count(dropAuthors, a.Value)
		default:
			d.setting(e, a, parent)
		}
	}
}

// setting counts an attribute that no reader sees, as what it is.
func (d *docx) setting(e xml.StartElement, a xml.Attr, parent string) {
	element, local := e.Name.Local, a.Name.Local

	switch {
	case a.Name.Space == "xmlns", element == "listEntry":
	case machine[local]:
		if !machineValue(a.Value) {
			d.count(dropUnknown, a.Value)
		}
	case local == "instr":
		d.count(dropFieldCodes, a.Value)
	case element == "bookmarkStart" && local == "name":
		if !strings.HasPrefix(a.Value, "_") {
			d.count(dropBookmarks, a.Value)
		}
	case element == "tblCaption", element == "tblDescription":
		d.keep(&d.alts, a.Value)
	case element == "rFonts":
		d.count(dropFonts, a.Value)
	case element == "default" && parent == "textInput":
		d.count(dropFormDefaults, a.Value)
	case element == "listItem":
		d.count(dropFormOptions, a.Value)
	case element == "alias",
		element == "tag",
		element == "helpText",
		element == "statusText",
		local == "name" && !setting(a.Value),
		parent == "ffData" && !setting(a.Value):
		d.count(dropFormNames, a.Value)
	case !setting(a.Value):
		d.count(dropUnknown, a.Value)
	}
}

// machine are attributes whose values have blanks and are for machines alone: styles, paths, names of namespaces.
var machine = map[string]bool{
	"xmlns":           true,
	"Ignorable":       true,
	"Requires":        true,
	"ProcessContent":  true,
	"MustUnderstand":  true,
	"style":           true,
	"eqn":             true,
	"path":            true,
	"textboxrect":     true,
	"points":          true,
	"uri":             true,
	"sizerelh":        true,
	"gradientshapeok": true,
}
