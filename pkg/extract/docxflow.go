package extract

import (
	"encoding/xml"
	"strconv"
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
	tables    []*wordTable
	stack     []string // local names of the open elements
	inDeleted int      // open elements inside which text is deleted
	fallback  int      // open copies of drawings for old programs
	shaded    int      // open cells and paragraphs with a dark ground
	shadedAt  []int
	run       run
	look      paragraphLook
	outer     []paragraphLook // of the paragraphs in which a text box stands
	changed   int             // open elements that say how something looked before a change
	onPage    bool            // something has been written since the last page break
	choices   choices
	inNote    bool
	note      int // index of the mark of the open note
	picture   pictureSize

	fields     []*field // that are open
	auto       autoNumbers
	sequences  sequences
	fieldLists fieldLists
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
	told    bool // its number has been written
	counts  bool // it holds a field that shows the number of a page
	gone    bool // its end is deleted or hidden, so that it is no paragraph of its own
	worded  bool // it has visible text beside numbers of fields

	numbered *listField // the list in which it was counted, nil for none
	label    string     // that it has there
	at       int        // its level there, from 0
	counted  bool       // these are known
	field    *listField // the list of the last field in it that has one
}

// wordTable is an open table with the paragraphs of its present cell and the columns and rows that this takes.
type wordTable struct {
	grid
	cell    []string
	columns int
	high    int
	// repeated and repeatedRows say how often the present cell and row stand there, where a file can say so.
	repeated, repeatedRows int
}

// readFlow returns the visible text of a part.
func (d *docx) readFlow(name, kind string) (string, error) {
	f := &flow{docx: d, kind: kind}
	d.lists.restart()
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
	// Comments have no structure of their own, so their marks would stand for nothing.
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

// plain reports whether paragraphs are no blocks of their own here: in notes, and beside the body.
func (f *flow) plain() bool {
	switch f.kind {
	case "header", "footer", "comments":
		return true
	}

	return f.inNote
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
		// A text box stands inside a paragraph, which ends before it.
		f.endParagraph()
		f.outer = append(f.outer, f.look)
		f.look = paragraphLook{}
	case "tbl":
		f.endParagraph()
		f.tables = append(f.tables, &wordTable{grid: grid{budget: &f.office.text}})
	case "tr", "tc", "gridSpan", "gridBefore":
		f.cellStart(e)
	case "r":
		f.run = run{paragraphHidden: f.run.paragraphHidden}
	case "pPrChange", "rPrChange":
		f.changed++
	case "del", "moveFrom":
		f.inDeleted++
		f.look.gone = f.look.gone || f.inMark()
	case "Fallback":
		f.fallback++
	case "fldSimple":
		f.look.counts = f.look.counts || countsPages(attr(e, "instr"))
		f.openField(attr(e, "instr"), true)
	case "fldChar":
		f.fieldMark(e)
	case "footnote", "endnote":
		f.beginNote(e)
	case "footnoteReference", "endnoteReference":
		f.refer(e)
	default:
		f.property(e)
		f.mark(e)
		f.drawn(e)
		f.choices.take(f.office, e)
	}
}

// cellStart begins a row or cell, or notes the columns that it takes.
func (f *flow) cellStart(e xml.StartElement) {
	t := f.table()
	if t == nil {
		return
	}

	switch e.Name.Local {
	case "tr":
		t.beginRow(0)
	case "gridBefore":
		t.column = min(max(number(e), 0), mostColumns)
	case "tc":
		t.columns = 1
	case "gridSpan":
		t.columns = number(e)
	}
}

// number reads the value of an element, 0 when it is none.
func number(e xml.StartElement) int {
	n, _ := strconv.Atoi(attr(e, "val"))

	return n
}

// inMark reports whether the open properties are those of the end of a paragraph.
func (f *flow) inMark() bool { return f.parent(0) == "rPr" && f.parent(1) == "pPr" }

// property notes what the properties of a run or paragraph say about its looks.
func (f *flow) property(e xml.StartElement) {
	if f.changed > 0 {
		return
	}
	inRun := f.parent(0) == "rPr" && f.parent(1) == "r"

	switch e.Name.Local {
	case "vanish", "specVanish", "webHidden":
		f.run.hidden = f.run.hidden || inRun && on(e)
		f.look.gone = f.look.gone || f.inMark() && on(e) && e.Name.Local != "webHidden"
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
		// Sizes are in half points, so these are too small to see.
		f.run.hidden = f.run.hidden || inRun && (attr(e, "val") == "1" || attr(e, "val") == "2")
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
		// The shade lasts until the cell or paragraph ends.
		f.shadedAt = append(f.shadedAt, len(f.stack)-2)
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
	f.write(text)
}

func (f *flow) end(local string) {
	if n := len(f.shadedAt); n > 0 && f.shadedAt[n-1] == len(f.stack) {
		f.shadedAt = f.shadedAt[:n-1]
		f.shaded--
	}

	switch local {
	case "p":
		f.endParagraph()
		f.emptyItem()
		f.run = run{}
		f.look, f.outer = f.outer[len(f.outer)-1], f.outer[:len(f.outer)-1]
	case "pPrChange", "rPrChange":
		f.changed--
	case "del", "moveFrom":
		f.inDeleted--
	case "Fallback":
		f.fallback--
	case "footnote", "endnote":
		f.endNote()
	case "ffData":
		f.choices.show(f.office)
	case "fldSimple":
		f.endField()
	case "r":
		f.run = run{paragraphHidden: f.run.paragraphHidden}
	case "tc":
		f.endCell()
	case "tr":
		if t := f.table(); t != nil {
			t.endRow()
		}
	case "tbl":
		f.endTable()
	}
}

// chars takes the text of an element. Only elements called t, delText and the like hold text; blanks between elements
// do not.
func (f *flow) chars(s string) {
	switch f.parent(0) {
	case "t":
		f.write(strings.ReplaceAll(s, string(pageBreak), " "))
	case "delText":
		f.deleted.WriteString(s)
	case "instrText", "delInstrText":
		f.codes.WriteString(s)
		if n := len(f.fields); n > 0 && !f.fields[n-1].result {
			f.fields[n-1].codes.WriteString(s)
		}
	default:
		// posOffset and the like hold numbers and words of the format, which nobody reads on the page.
		if !setting(s) {
			f.doc.drop(dropUnknown, 1)
		}

		return
	}
	f.text -= int64(len(s))
}

// write adds text where it belongs.
func (f *flow) write(s string) {
	// The marks are characters of private use. Those that a file holds must not be taken for ours.
	s = withoutMarks(s)

	switch {
	case f.inDeleted > 0:
		f.deleted.WriteString(s)
	case f.fallback > 0:
		f.oldForm.WriteString(s)
	case f.concealed():
		f.hiddenRun.WriteString(s)
	// Word writes both the break and where it fell: the second of them is no further page.
	case s == string(pageBreak) && !f.onPage:
	default:
		f.paragraph.WriteString(s)
		said := s != string(pageBreak) && strings.TrimSpace(s) != ""
		f.onPage = s != string(pageBreak) && (f.onPage || said)
		if said {
			f.look.worded = true
			f.fieldShows(s)
		}
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
	codes := f.codes.String()
	f.fieldCodes(codes)
	f.codes.Reset()
	text := f.paragraph.String()
	f.paragraph.Reset()
	counts := f.look.counts || countsPages(codes)
	// A paragraph with the number of a page alone is no text of the document.
	if blankRaw(text) || counts && f.beyondPage() && pageNumber(withoutMarks(text)) {
		f.put(onlyMarks(text), "")
		return
	}
	f.put(f.block(text), "\n\n")
}

// put adds raw text to the open cell, or to the text with what stands behind it.
func (f *flow) put(text, behind string) {
	t := f.table()

	switch {
	case text == "":
	case t != nil:
		t.cell = append(t.cell, text)
	default:
		f.out.WriteString(text)
		f.out.WriteString(behind)
	}
}

func (f *flow) table() *wordTable {
	if len(f.tables) == 0 {
		return nil
	}

	return f.tables[len(f.tables)-1]
}

// endCell closes a cell.
func (f *flow) endCell() {
	f.endParagraph()
	if t := f.table(); t != nil {
		t.add(strings.Join(t.cell, "\n\n"), t.columns, 1)
		t.cell, t.columns = nil, 1
	}
}

// endTable closes a table. One that stands in a cell is written there.
func (f *flow) endTable() {
	f.endCell()
	if n := len(f.tables); n > 0 {
		t := f.tables[n-1]
		f.tables = f.tables[:n-1]
		f.put(f.marks.table(&t.grid, !f.plain()), "\n\n")
	}
}
