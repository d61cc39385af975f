package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"
)

// openTable takes an element of a table, and reports whether it is one.
func (f *odfFlow) openTable(in *odfElement, e xml.StartElement) bool {
	s := f.story

	switch in.name {
	case "table:table":
		f.endParagraph()
		style := f.dress(in, "table", attr(e, "style-name"))
		f.breakNext = s.kind == "" && (f.breakNext || style.before || style.masterPage != "")
		s.tables = append(s.tables, &wordTable{grid: grid{budget: &f.office.text}})
		in.gone, in.hidden, in.sink = in.gone || in.hidden, false, toNothing
	case "table:table-row":
		f.dress(in, "table-row", attr(e, "style-name"))
		visibility := attr(e, "visibility")
		in.gone = in.gone || visibility == "collapse" || visibility == "filter"
		if t := f.table(); t != nil {
			t.beginRow(0)
			t.repeatedRows = odfCount(e, "number-rows-repeated", mostRepeated)
		}
	case "table:table-cell", "table:covered-table-cell":
		f.dress(in, "table-cell", attr(e, "style-name"))
		in.gone = in.gone || in.hidden || in.name == "table:covered-table-cell"
		in.hidden = false
		if t := f.table(); t != nil {
			t.cell = nil
			t.columns = odfCount(e, "number-columns-spanned", mostColumns)
			t.high = odfCount(e, "number-rows-spanned", mostRows)
			t.repeated = odfCount(e, "number-columns-repeated", mostColumns)
		}
	default:
		return false
	}

	return true
}

func (f *odfFlow) table() *wordTable {
	if n := len(f.story.tables); n > 0 {
		return f.story.tables[n-1]
	}

	return nil
}

// endTable closes a cell, a row or a table. One that stands in a cell is written there. A covered cell has no place of
// its own: the cell that covers it takes its columns and rows.
func (f *odfFlow) endTable(name string) {
	f.endParagraph()
	t := f.table()
	if t == nil {
		return
	}

	switch name {
	case "table:table-cell":
		text := strings.Join(t.cell, "\n\n")
		t.cell = nil

		for n := range t.repeated {
			if n > 0 {
				text = withoutMarks(text)
				f.text -= int64(len(text)) + pieceBytes
			}
			t.add(text, t.columns, t.high)
			if f.text < 0 {
				return
			}
		}
	case "table:table-row":
		t.endRow()

		for n := 1; n < t.repeatedRows && f.text >= 0; n++ {
			t.repeatRow()
		}
	case "table:table":
		s := f.story
		s.tables = s.tables[:len(s.tables)-1]
		f.put(f.marks.table(&t.grid, !s.plain), "\n\n")
	}
}

// repeatRow writes the last row again, if it says anything.
func (t *wordTable) repeatRow() {
	last := t.rows[len(t.rows)-1]
	if len(last) == 0 {
		return
	}
	again := make([]gridCell, len(last))

	for i, cell := range last {
		again[i] = gridCell{cell.column, withoutMarks(cell.raw)}
		*t.budget -= int64(len(again[i].raw)) + pieceBytes
	}
	t.rows = append(t.rows, again)
}

// openDrawing marks a picture, unless it is too small to show words, and takes what a form says.
func (f *odfFlow) openDrawing(in *odfElement, e xml.StartElement) {
	switch in.name {
	case "draw:frame":
		wide, high := odfInches(attr(e, "width")), odfInches(attr(e, "height"))
		in.picture = &odfPicture{shown: wide >= leastInches && high >= leastInches}
		f.dress(in, "graphic", attr(e, "style-name"))
	case "draw:image", "draw:object", "draw:object-ole", "draw:plugin", "draw:floating-frame", "draw:applet":
		if in.name != "draw:image" {
			f.doc.drop(dropOther, 1)
		}
		if p := in.picture; p == nil || p.shown && !p.marked {
			f.unreadPicture()
			if p != nil {
				p.marked = true
			}
		}
	default:
		if strings.HasPrefix(in.name, "form:") {
			f.form(in.name, e)
		}
	}
}

func (f *odfFlow) unreadPicture() {
	if f.visible() {
		f.story.paragraph.WriteString(f.marks.unread(UnreadPicture, 1))
		f.text -= markCost
	}
}

// leastInches is the side of a picture below which it shows no words.
const leastInches = float64(leastPicture) / 914_400

// odfInches reads a length. One that cannot be read is taken for a long one.
func odfInches(length string) float64 {
	for unit, inch := range map[string]float64{"in": 1, "cm": 2.54, "mm": 25.4, "pt": 72, "pc": 6, "px": 96} {
		if number, ok := strings.CutSuffix(length, unit); ok {
			if n, err := strconv.ParseFloat(number, 64); err == nil {
				return n / inch
			}
		}
	}

	return 1
}

// form takes a control of a form: what it shows, and what it would show otherwise.
func (f *odfFlow) form(name string, e xml.StartElement) {
	current, value, label := attr(e, "current-value"), attr(e, "value"), attr(e, "label")

	switch name {
	case "form:option", "form:item":
		chosen := attr(e, "current-selected") == "true" ||
			attr(e, "current-selected") == "" && attr(e, "selected") == "true"
		if chosen {
			f.keep(&f.drawings, label)
		} else if label != "" {
			f.count(dropFormOptions, label)
		}
		f.unshown(dropFormOptions, value)
	case "form:checkbox", "form:radio", "form:button", "form:hidden", "form:image":
		f.keep(&f.drawings, label)
		f.unshown(dropFormDefaults, value)
	case "form:property", "form:list-property", "form:list-value":
		f.unshown(dropFormNames, attr(e, "string-value"))
	default:
		f.keep(&f.drawings, label)
		if current == "" {
			current, value = value, ""
		}
		f.keep(&f.drawings, current)
		f.unshown(dropFormDefaults, value)
	}
}

// unshown counts a value that no reader sees.
func (f *odfFlow) unshown(kind, value string) {
	if value != "" {
		f.count(kind, value)
	}
}

// param takes a setting of a field of the kind that Word has.
func (f *odfFlow) param(e xml.StartElement) {
	value := attr(e, "value")

	switch attr(e, "name") {
	case "Dropdown_ListEntry":
		f.choices.options = append(f.choices.options, value)
		f.text -= int64(len(value)) + pieceBytes
	case "Dropdown_Selected":
		f.choices.chosen, _ = strconv.Atoi(value)
	default:
		if !setting(value) {
			f.count(dropFieldCodes, value)
		}
	}
}

// attributes takes the attributes of an element that may hold words: some are read, the others counted.
func (f *odfFlow) attributes(element string, e xml.StartElement) {
	prefix, _, _ := strings.Cut(element, ":")

	for _, a := range e.Attr {
		name := odfName(a.Name)

		switch {
		case a.Value == "" || a.Name.Space == "xmlns" || odfMachine[a.Name.Local] && drawn(a.Value):
		case name == "xlink:href":
			f.follow(element, a.Value)
		case name == "office:title", name == "xlink:title":
			f.keep(&f.alts, a.Value)
		case element == "text:hidden-text" && a.Name.Local == "string-value",
			element == "field:param" && a.Name.Local == "value",
			prefix == "form" && odfShown[a.Name.Local]: // read with the element
		default:
			f.unread(element, a)
		}
	}
}

// odfShown are the attributes of a control that form takes.
var odfShown = map[string]bool{"label": true, "value": true, "current-value": true, "string-value": true}

// follow takes an address. Those of pictures and objects within the file lead nowhere else.
func (f *odfFlow) follow(element, target string) {
	part := strings.ToLower(strings.TrimPrefix(target, "./"))
	inside := f.parts[part] != nil || f.folders[part+"/"]

	switch {
	case element == "text:a", element == "draw:a", strings.HasPrefix(element, "draw:area-"):
		f.address(target)
	case strings.HasPrefix(element, "draw:") && inside:
	default:
		f.doc.drop(dropAddresses, 1)
	}
}

// unread counts an attribute that no reader sees, as what it is.
func (f *odfFlow) unread(element string, a xml.Attr) {
	if setting(a.Value) {
		return
	}
	prefix, _, _ := strings.Cut(element, ":")
	named := prefix == "draw" || prefix == "table" || element == "text:section" || element == "text:a"

	switch local := a.Name.Local; {
	case strings.HasPrefix(element, "text:bookmark"), strings.HasPrefix(element, "text:reference-mark"):
		f.count(dropBookmarks, a.Value)
	case strings.HasPrefix(local, "string-value-if"), element == "text:label", element == "loext:list-item":
		f.count(dropFormOptions, a.Value)
	case local == "author", local == "creator":
		f.count(dropAuthors, a.Value)
	case prefix == "form", local == "description", local == "alias", local == "tag", local == "placeholder-docpart":
		f.count(dropFormNames, a.Value)
	case local == "name" && named:
		f.count(dropFormNames, a.Value)
	case local == "name" && prefix == "style", strings.HasSuffix(local, "style-name"), local == "display-name":
		f.count(dropStyles, a.Value)
	case prefix == "text", prefix == "table", prefix == "field":
		f.count(dropFieldCodes, a.Value)
	default:
		f.count(dropUnknown, a.Value)
	}
}

// drawn reports whether a value says how something is drawn: figures, colours, single letters, and words for changes
// of place and size.
func drawn(value string) bool {
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(" \t\n,();", r) }) {
		colour := strings.HasPrefix(word, "#") && strings.Trim(strings.ToLower(word[1:]), "0123456789abcdef") == ""
		run := 0

		for _, r := range word {
			if run++; !unicode.IsLetter(r) {
				run = 0
			}
			if run > 2 && !colour && !drawingWords[word] {
				return false
			}
		}
	}

	return true
}

// drawingWords are the words of drawings.
var drawingWords = map[string]bool{
	"rotate": true, "scale": true, "translate": true, "skewX": true, "skewY": true, "matrix": true,
	"left": true, "top": true, "right": true, "bottom": true, "width": true, "height": true,
	"logwidth": true, "logheight": true, "xstretch": true, "ystretch": true, "hasstroke": true, "hasfill": true,
	"solid": true, "double": true, "dotted": true, "dashed": true, "none": true,
}

// odfMachine are attributes whose values have blanks and are for machines alone.
var odfMachine = map[string]bool{
	"points": true, "d": true, "viewBox": true, "enhanced-path": true, "transform": true, "text-areas": true,
	"glue-points": true, "modifiers": true, "path-stretchpoint-x": true, "path-stretchpoint-y": true, "border": true,
}
