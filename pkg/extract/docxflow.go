package extract

import (
	"encoding/xml"
	"strings"
)

// flow follows the text of one part: paragraphs and tables, with what is deleted, hidden or only replaced.
type flow struct {
	*docx
	kind      string          // of the part
	out       strings.Builder // paragraphs, set apart by empty lines
	paragraph strings.Builder
	deleted   strings.Builder // of the paragraph
	hiddenRun strings.Builder
	oldForm   strings.Builder // of a drawing, for old programs
	codes     strings.Builder // of fields
	tables    []*table
	stack     []string // local names of the open elements
	inDeleted int      // open elements inside which text is deleted
	fallback  int      // open copies of drawings for old programs
	shaded    int      // open cells and paragraphs with a dark ground
	shadedAt  []int
	run       run
	look      paragraphLook
	choices   choices
	inNote    bool
	note      int // index of the mark of the open note
	picture   pictureSize
}

// run says how the text of the present run looks.
type run struct{ hidden, white, shaded, paragraphHidden bool }

// paragraphLook says what the present paragraph is.
type paragraphLook struct {
	style   string
	outline int
	list    string
	level   int
	leveled bool // the paragraph says its level itself
}

// table is an open table: the cells of its present row, and the paragraphs of its present cell.
type table struct {
	cells []string
	cell  []string
	rows  int // written as rows
}

// readFlow returns the visible text of a part.
func (d *docx) readFlow(name, kind string) (string, error) {
	f := &flow{docx: d, kind: kind}
	err := d.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			f.start(t)
			f.stack = append(f.stack, t.Name.Local)
		case xml.EndElement:
			f.stack = f.stack[:len(f.stack)-1]
			f.end(t.Name.Local)
		case xml.CharData:
			f.chars(string(t))
		case xml.Comment, xml.ProcInst:
			f.aside(t)
		}
	})
	f.endParagraph()
	text := f.out.String()

	switch kind {
	case "header":
		return d.marks.wrap(Block{Kind: Header}, text), err
	case "footer":
		return d.marks.wrap(Block{Kind: Footer}, text), err
	case "comments":
		return withoutMarks(text), err
	}

	return text, err
}

// aside counts what stands between elements for programs.
func (f *flow) aside(t xml.Token) {
	if p, ok := t.(xml.ProcInst); ok && p.Target == "xml" {
		return
	}
	f.doc.drop(dropMarkup, 1)
}

// plain reports whether paragraphs are no blocks of their own here: in cells, in notes, and beside the body.
func (f *flow) plain() bool {
	switch f.kind {
	case "header", "footer", "comments":
		return true
	}

	return f.table() != nil || f.inNote
}

// parent returns the local name of the n-th open element from the inside.
func (f *flow) parent(n int) string {
	if n >= len(f.stack) {
		return ""
	}

	return f.stack[len(f.stack)-1-n]
}

func (f *flow) start(e xml.StartElement) {
	f.attributes(e, f.parent(0))

	switch e.Name.Local {
	case "p":
		f.endParagraph() // a text box stands inside a paragraph
		f.look = paragraphLook{}
	case "tbl":
		f.endParagraph()
		f.tables = append(f.tables, &table{})
	case "r":
		f.run = run{paragraphHidden: f.run.paragraphHidden}
	case "del", "moveFrom":
		f.inDeleted++
	case "Fallback":
		f.fallback++
	case "footnote", "endnote":
		f.beginNote(e)
	case "footnoteReference", "endnoteReference":
		f.refer(e)
	default:
		f.property(e)
		f.mark(e)
		f.drawn(e)
		f.choices.take(f.docx, e)
	}
}

// property notes what the properties of a run or paragraph say about its looks.
func (f *flow) property(e xml.StartElement) {
	inRun := f.parent(0) == "rPr" && f.parent(1) == "r"

	switch e.Name.Local {
	case "vanish", "specVanish", "webHidden":
		f.run.hidden = f.run.hidden || inRun && on(e)
	case "rStyle":
		f.run.hidden = f.run.hidden || inRun && f.styles.resolved(attr(e, "val")).hidden
	case "pStyle":
		f.look.style = attr(e, "val")
		f.run.paragraphHidden = f.styles.resolved(f.look.style).hidden
	case "outlineLvl":
		f.look.outline = outlineLevel(e)
	case "numId":
		f.look.list = attr(e, "val")
	case "ilvl":
		f.look.level, f.look.leveled = level(e), true
	case "color":
		f.run.white = f.run.white || inRun && strings.EqualFold(attr(e, "val"), "FFFFFF")
	case "sz":
		f.run.hidden = f.run.hidden || inRun && (attr(e, "val") == "1" || attr(e, "val") == "2") // half points
	case "highlight":
		f.run.shaded = f.run.shaded || inRun && attr(e, "val") != "white" && attr(e, "val") != "none"
	case "shd":
		f.shade(e, inRun)
	}
}

// shade notes a coloured ground, on which white text can be read.
func (f *flow) shade(e xml.StartElement, inRun bool) {
	fill := strings.ToUpper(attr(e, "fill"))
	if fill == "" || fill == "AUTO" || fill == "FFFFFF" {
		return
	}
	if inRun {
		f.run.shaded = true
		return
	}
	if p := f.parent(0); p == "tcPr" || p == "pPr" {
		f.shaded++
		f.shadedAt = append(f.shadedAt, len(f.stack)-2) // until the cell or paragraph ends
	}
}

// mark writes the characters that are elements.
func (f *flow) mark(e xml.StartElement) {
	text := ""

	switch e.Name.Local {
	case "tab":
		if f.parent(0) == "r" {
			text = "\t"
		}
	case "br", "cr":
		text = "\n"
		if attr(e, "type") == "page" {
			text = string(pageBreak)
		}
	case "lastRenderedPageBreak":
		text = string(pageBreak)
	case "noBreakHyphen":
		text = "-"
	case "sym":
		text = "•"
	default:
		return
	}
	if text == string(pageBreak) && f.atPageStart() {
		return // Word writes both the break and where it fell
	}
	f.write(text)
}

// atPageStart reports whether nothing has been written since the last page break.
func (f *flow) atPageStart() bool {
	for _, s := range []string{f.paragraph.String(), f.out.String()} {
		if s = strings.TrimRight(s, " \n\t"); s != "" {
			return strings.HasSuffix(s, string(pageBreak))
		}
	}

	return true
}

func (f *flow) end(local string) {
	if n := len(f.shadedAt); n > 0 && f.shadedAt[n-1] == len(f.stack) {
		f.shadedAt = f.shadedAt[:n-1]
		f.shaded--
	}

	switch local {
	case "p":
		f.endParagraph()
		f.run = run{}
	case "del", "moveFrom":
		f.inDeleted--
	case "Fallback":
		f.fallback--
	case "footnote", "endnote":
		f.endNote()
	case "ffData":
		f.choices.show(f)
	case "r":
		f.run = run{paragraphHidden: f.run.paragraphHidden}
	case "tc":
		if t := f.table(); t != nil {
			t.cells = append(t.cells, strings.Join(t.cell, "\n"))
			t.cell = nil
		}
	case "tr":
		f.endRow()
	case "tbl":
		f.endTable()
	}
}

// chars takes the text of an element. Only elements called t, delText and the like hold text; blanks between elements do not.
func (f *flow) chars(s string) {
	switch f.parent(0) {
	case "t":
		f.write(strings.ReplaceAll(s, string(pageBreak), " "))
	case "delText":
		f.deleted.WriteString(s)
	case "instrText", "delInstrText":
		f.codes.WriteString(s)
	default:
		if !setting(s) { // posOffset and the like hold numbers and words of the format
			f.doc.drop(dropUnknown, 1)
		}

		return
	}
	f.text -= int64(len(s))
}

// write adds text where it belongs.
func (f *flow) write(s string) {
	s = withoutMarks(s)

	switch {
	case f.inDeleted > 0:
		f.deleted.WriteString(s)
	case f.fallback > 0:
		f.oldForm.WriteString(s)
	case f.concealed():
		f.hiddenRun.WriteString(s)
	default:
		f.paragraph.WriteString(s)
	}
}

// concealed reports whether text leaves no mark on the page as the present run looks.
func (f *flow) concealed() bool {
	white := f.run.white && !f.run.shaded && f.shaded == 0

	return f.run.hidden || f.run.paragraphHidden || white
}

// visible reports whether what is drawn now is seen by a reader.
func (f *flow) visible() bool { return f.inDeleted == 0 && f.fallback == 0 && !f.concealed() }

// endParagraph puts the paragraph into its table cell or the text, and what is not shown where it is kept.
func (f *flow) endParagraph() {
	for _, aside := range []struct {
		from *strings.Builder
		to   *[]string
	}{{&f.deleted, &f.tracked}, {&f.hiddenRun, &f.hidden}, {&f.oldForm, &f.fallbacks}} {
		if text := strings.TrimSpace(aside.from.String()); text != "" {
			*aside.to = append(*aside.to, text)
		}
		aside.from.Reset()
	}
	f.fieldCodes(f.codes.String())
	f.codes.Reset()
	text := f.paragraph.String()
	f.paragraph.Reset()
	if strings.Trim(withoutMarks(text), " \t\n") == "" {
		f.out.WriteString(onlyMarks(text))
		return
	}
	if t := f.table(); t != nil {
		t.cell = append(t.cell, text)
		return
	}
	f.out.WriteString(f.block(text))
	f.out.WriteString("\n\n")
}

func (f *flow) table() *table {
	if len(f.tables) == 0 {
		return nil
	}

	return f.tables[len(f.tables)-1]
}

// maxInlineCell is the length in characters up to which the cells of a row are written side by side.
const maxInlineCell = 200

// endRow writes the cells of a row: short ones on one line with tabs between, long ones below each other.
func (f *flow) endRow() {
	t := f.table()
	if t == nil {
		return
	}
	separator := "\t"

	for _, cell := range t.cells {
		if runesOutsideMarks(cell) > maxInlineCell || strings.Contains(cell, "\n") {
			separator = "\n\n"
		}
	}
	text := strings.Trim(strings.Join(t.cells, separator), "\t\n")
	t.cells, t.cell = nil, nil
	if text == "" {
		return
	}
	if len(f.tables) > 1 {
		outer := f.tables[len(f.tables)-2]
		outer.cell = append(outer.cell, text)

		return
	}
	if separator == "\t" {
		if !f.inNote && f.kind != "header" && f.kind != "footer" {
			t.rows++
			text = f.marks.wrap(Block{Kind: Row, Level: min(t.rows, 2)}, text)
		}
		separator = "\n"
	} else {
		t.rows = 0
	}
	f.out.WriteString(text)
	f.out.WriteString(separator)
}

// endTable closes a table.
func (f *flow) endTable() {
	f.endParagraph()
	f.endRow()
	if n := len(f.tables); n > 0 {
		f.tables = f.tables[:n-1]
	}
	if len(f.tables) == 0 {
		f.out.WriteString("\n\n")
	}
}
