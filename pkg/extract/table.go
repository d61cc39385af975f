package extract

import (
	"strings"
	"unicode/utf8"
)

// What makes a table one that only lays out a page.
const (
	longestCell  = 5000 // characters; a longer cell holds a text and no entry of a table
	longestAlone = 200  // characters of a cell in a table of one column
)

// What one cell may claim beyond what the file spells out.
const (
	mostColumns = 256
	mostRows    = 65534
)

// grid is a table while it is read. Every cell knows its column, so that merged and empty cells move no other.
type grid struct {
	rows     [][]gridCell
	reserved []int  // rows, the present one included, for which a cell of a row above claims each column
	column   int    // of the next cell
	budget   *int64 // bytes of text that may still be kept, which tabs, marks and tables in tables count for too
}

// Costs beside those of the text, which a table in a table is written in again.
const (
	againCost = 4  // bytes of a cell, as a divisor
	markCost  = 16 // bytes for a mark
)

// gridCell is a cell with its column, from 0.
type gridCell struct {
	column int
	raw    string
}

// beginRow begins a row with so many columns left out.
func (g *grid) beginRow(skipped int) {
	g.rows = append(g.rows, nil)
	g.column = min(max(skipped, 0), mostColumns)
}

// add adds a cell to the present row: behind those that are there, in the first column that no cell above claims.
func (g *grid) add(raw string, columns, rows int) {
	if len(g.rows) == 0 {
		g.beginRow(0)
	}

	for g.column < len(g.reserved) && g.reserved[g.column] > 0 {
		g.column++
	}
	last := len(g.rows) - 1
	*g.budget -= int64(len(raw)) / againCost
	if !blankRaw(raw) || onlyMarks(raw) != "" {
		g.rows[last] = append(g.rows[last], gridCell{g.column, raw})
	}

	end := g.column + min(max(columns, 1), mostColumns)
	for ; rows > 1 && g.column < end; g.column++ {
		for len(g.reserved) <= g.column {
			g.reserved = append(g.reserved, 0)
		}
		g.reserved[g.column] = min(rows, mostRows)
	}
	g.column = end
}

// endRow ends the present row.
func (g *grid) endRow() {
	*g.budget -= int64(max(g.column, len(g.reserved)))
	last := 0

	for i := range g.reserved {
		if g.reserved[i] = max(0, g.reserved[i]-1); g.reserved[i] > 0 {
			last = i + 1
		}
	}
	g.reserved = g.reserved[:last]
}

// release ends the claims of all cells above, as the end of a section of a table does.
func (g *grid) release() { g.reserved = g.reserved[:0] }

// layout reports whether a table only lays out a page: its words stand in one column and are more than entries, or a
// cell holds a text of its own.
func (g *grid) layout() bool {
	column, alone, rich := -1, true, false

	for _, row := range g.rows {
		for _, cell := range row {
			if blankRaw(cell.raw) {
				continue
			}
			size := runesOutsideMarks(cell.raw)
			if size > longestCell {
				return true
			}
			alone = alone && (column < 0 || column == cell.column)
			column = cell.column
			rich = rich || size > longestAlone || richRaw(cell.raw)
		}
	}

	return alone && rich
}

// richRaw reports whether a raw text has lines or blocks.
func richRaw(raw string) bool {
	return strings.ContainsAny(strings.Trim(raw, " \t\n\f"), "\n"+string(markOpen)+string(markRow))
}

// blankRaw reports whether a raw text shows nothing.
func blankRaw(raw string) bool { return strings.Trim(withoutMarks(raw), " \t\n\f") == "" }

// table writes a table: each row as one line with a tab before every cell but the first, or, where the table only lays
// out a page, the texts of its cells one after the other. asRows says that the rows are blocks of the document.
func (m *marks) table(g *grid, asRows bool) string {
	var out strings.Builder

	before := len(*m)
	defer func() { *g.budget -= markCost * int64(len(*m)-before) }()
	layout, separator, written := g.layout(), "\n", 0
	if layout {
		separator = "\n\n"
	}

	for _, row := range g.rows {
		line := ""
		if layout {
			line = stacked(row)
		} else {
			line = m.line(row, asRows)
		}
		if blankRaw(line) {
			out.WriteString(onlyMarks(line))
			continue
		}
		if written++; written > 1 {
			out.WriteString(separator)
		}
		if asRows && !layout {
			line = m.row(min(written, 2), line)
		}
		out.WriteString(line)
	}

	return out.String()
}

// stacked writes the cells of a row below each other.
func stacked(row []gridCell) string {
	texts := make([]string, len(row))
	for i, cell := range row {
		texts[i] = cell.raw
	}

	return strings.Join(texts, "\n\n")
}

// line writes the cells of a row side by side.
func (m *marks) line(row []gridCell, breaks bool) string {
	var out strings.Builder
	column := 0

	for _, cell := range row {
		text := m.flat(cell.raw, breaks)
		if blankRaw(text) {
			out.WriteString(text)
			continue
		}

		for ; column < cell.column; column++ {
			out.WriteByte('\t')
		}
		out.WriteString(text)
	}

	return out.String()
}

// flat writes the text of a cell as one line. Numbers of items stand before them; a table in the cell is written a line
// for each row, with bars between its cells. Where lines end there is a blank, and a mark if breaks says so.
func (m *marks) flat(raw string, breaks bool) string {
	f := flattener{marks: m, breaks: breaks}

	for len(raw) > 0 {
		r, width := utf8.DecodeRuneInString(raw)
		if !isMark(r) {
			f.take(r)
			raw = raw[width:]

			continue
		}

		index, end := 0, width
		for end < len(raw) {
			digit, width := utf8.DecodeRuneInString(raw[end:])
			if digit < digitZero || digit > digitLast {
				break
			}
			index, end = index*16+int(digit-digitZero), end+width
		}
		f.mark(r, index, raw[:end])
		raw = raw[end:]
	}

	return f.out.String()
}

// flattener writes text as one line.
type flattener struct {
	marks  *marks
	breaks bool
	out    strings.Builder
	shown  bool // something has been written that shows
	line   bool // a line ended since
	blank  bool // blanks stood since
	bars   int  // cells ended since
	tables int  // open rows of tables in the cell
	label  string
}

// take writes a character.
func (f *flattener) take(r rune) {
	switch {
	case r == '\n':
		f.line = true
	case r == '\t' && f.tables > 0:
		f.bars++
	case r == ' ', r == '\t':
		f.blank = true
	case r == pageBreak:
		f.out.WriteRune(r)
	default:
		f.settle()
		f.out.WriteRune(r)
	}
}

// settle writes what stands between the last character that shows and the next.
func (f *flattener) settle() {
	switch {
	case !f.shown:
	case f.line && f.breaks:
		f.out.WriteString(f.marks.lineBreak() + " ")
	case f.line, f.blank, f.bars > 0, f.label != "":
		f.out.WriteByte(' ')
	}
	f.out.WriteString(strings.Repeat("| ", f.bars))
	if f.label != "" {
		f.out.WriteString(f.marks.number(f.label) + " ")
	}
	f.shown, f.line, f.blank, f.bars, f.label = true, false, false, 0, ""
}

// mark takes a mark. Blocks in a cell leave their labels; points stay.
func (f *flattener) mark(r rune, index int, mark string) {
	switch {
	case index >= len(*f.marks):
	// It numbers an item in a table within the cell.
	case (*f.marks)[index].number:
		f.out.WriteString(mark)
	// The break belongs to a row that is no block here.
	case r == markPoint && (*f.marks)[index].block.Kind == LineBreak:
	case r == markPoint:
		f.out.WriteString(mark)
	case r == markOpen:
		f.label = strings.TrimSpace(f.label + " " + (*f.marks)[index].block.Label)
	case r == markRow:
		f.tables++
	case r == markEnd && (*f.marks)[index].block.Kind == Row:
		f.tables = max(0, f.tables-1)
	// A number without words still is a line.
	case r == markEnd && f.label != "":
		label := f.label
		f.label = ""
		f.settle()
		f.out.WriteString(f.marks.number(label))
	}
}
