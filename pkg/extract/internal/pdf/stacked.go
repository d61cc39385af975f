package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// What makes lines that are drawn cell by cell the row of a table without a grid, in sizes of the font.
const (
	sameHeight   = 0.3 // of the first lines of two cells
	sameEdge     = 0.6 // of lines in a cell, and of cells below each other
	stackedLead  = 2.1 // between lines of a cell
	mostStacked  = 8   // lines of a cell
	longestStack = 300 // bytes of a cell
)

// stack is a cell of several lines while a row is read.
type stack struct {
	text        strings.Builder
	left, right float64
	bottom      float64 // of its last line
	lines       int
}

// stacked makes one line of the lines that a program draws cell by cell: all lines of the first cell, then from the
// same height those of the next. Rows above or below must have cells at the same places; otherwise the lines may be
// columns of a page.
func stacked(drawn []*line) []*line {
	type row struct {
		whole *line
		from  int
		end   int
	}
	var rows []row

	for i := 0; i < len(drawn); {
		whole, end := stackedFrom(drawn[i:])
		if whole == nil {
			whole, end = drawn[i], 1
		}
		rows = append(rows, row{whole, i, i + end})
		i += end
	}
	out := make([]*line, 0, len(drawn))
	// Whether the row before is one line now.
	merged := false

	for i, r := range rows {
		// Columns of a page look like such a row. A second row with cells at the same places does not happen by chance.
		beside := i > 0 && r.whole.below(rows[i-1].whole) || i+1 < len(rows) && rows[i+1].whole.below(r.whole)
		if r.end-r.from == 1 || !beside {
			if below := drawn[r.from]; i > 0 && merged && below.drop > 0 {
				below.drop = min(below.drop, max(0, rows[i-1].whole.foot-below.start.y))
			}
			out = append(out, drawn[r.from:r.end]...)
			merged = false

			continue
		}
		merged = true
		if last := r.from - 1; last >= 0 && drawn[last].along.x > 0.9 {
			lowest := drawn[last].start.y
			if n := i - 1; rows[n].end-rows[n].from > 1 {
				lowest = rows[n].whole.foot
			}
			r.whole.drop = max(0, lowest-r.whole.head)
		}
		out = append(out, r.whole)
	}

	return out
}

// stacking is a row whose cells are drawn one after the other, while it is read.
type stacking struct {
	first    *line
	top      *line // the line that was added last at the height of the row
	cells    []*stack
	returned bool    // to the height of the row, from lines below it
	height   float64 // of cells of one line
	foot     float64 // of the lowest line
	head     float64 // of the highest one
}

// stackedFrom reads the row that begins with the first line, and returns it as one line with how many lines it is made
// of; nil when these are no such row.
func stackedFrom(drawn []*line) (whole *line, n int) {
	first := drawn[0]
	if first.table != 0 || first.along.x < 0.9 {
		return nil, 0
	}
	row := &stacking{first: first, height: first.start.y, foot: first.start.y, head: first.start.y}
	row.add(first)

	for n = 1; n < len(drawn); {
		x := drawn[n]
		if x.table != 0 || x.along.x < 0.9 || math.Abs(x.size-first.size) > sameHeight*first.size {
			break
		}
		taken := row.takeCentred(drawn[n:])
		if taken == 0 && row.take(x) {
			taken = 1
		}
		if taken == 0 {
			break
		}
		n += taken
	}
	if !row.returned || len(row.cells) > mostColumns {
		return nil, 0
	}
	whole = rowOfStacks(first, row.cells, row.foot)
	whole.head = row.head

	return whole, n
}

// add begins a cell with each piece of a line.
func (s *stacking) add(x *line) {
	for _, p := range x.pieces() {
		c := &stack{left: p.start.x, right: p.stop.x, bottom: x.start.y, lines: 1}
		c.text.WriteString(strings.TrimSpace(p.text))
		s.cells = append(s.cells, c)
	}
	s.top = x
}

// take adds a line to the last cell, or begins cells with it, and reports whether it belongs to the row.
func (s *stacking) take(x *line) bool {
	last := s.cells[len(s.cells)-1]
	behind := x.start.x > last.right
	if behind && len(s.cells) == 1 && last.lines > 1 && x.middle(s.first.start.y, last.bottom) {
		// The first cell stands around the line.
		s.height = x.start.y
	}
	if behind && math.Abs(x.start.y-s.height) <= sameHeight*s.first.size {
		s.returned = s.returned || last.lines > 1
		s.add(x)

		return true
	}
	if parted := s.top.partedAbove(x); parted != nil && last.lines == 1 {
		s.cells = s.cells[:len(s.cells)-len(s.top.pieces())]
		s.add(parted)
		last = s.cells[len(s.cells)-1]
	}
	if !last.takes(x) {
		return false
	}
	s.foot = min(s.foot, x.start.y)

	return true
}

// takeCentred takes the lines of a cell that stands in the middle of the row, and returns how many there are.
func (s *stacking) takeCentred(drawn []*line) (n int) {
	n = centred(drawn, s.height, s.cells[len(s.cells)-1].right)
	if n == 0 {
		return 0
	}
	first := drawn[0]
	cell := &stack{left: first.start.x, right: first.stop.x, bottom: first.start.y, lines: 1}
	cell.text.WriteString(strings.TrimSpace(first.text.String()))

	for _, x := range drawn[1:n] {
		if !cell.takes(x) {
			return 0
		}
	}
	s.cells = append(s.cells, cell)
	s.foot, s.head, s.returned = min(s.foot, cell.bottom), max(s.head, first.start.y), true

	return n
}

// middle reports whether a line stands in the middle between two heights.
func (x *line) middle(top, bottom float64) bool {
	return math.Abs((top+bottom)/2-x.start.y) <= sameHeight*x.size
}

// centred counts the lines of a cell that stands in the middle of its row: it begins above the height of the cells of
// one line, to the right of the last of these, and ends as far below. 0: there is none.
func centred(drawn []*line, height, right float64) (n int) {
	first := drawn[0]
	if first.start.x <= right || first.start.y <= height+sameHeight*first.size {
		return 0
	}

	for n = 1; n < min(len(drawn), mostStacked); n++ {
		x, above := drawn[n], drawn[n-1]
		drop := above.start.y - x.start.y
		same := math.Abs(x.start.x-first.start.x) <= sameEdge*x.size && len(x.cuts) == 0

		if !same || drop <= 0 || drop > stackedLead*x.size {
			break
		}
	}
	if n < 2 || !drawn[0].centredWith(drawn[n-1], height) {
		return 0
	}

	return n
}

// centredWith reports whether a height is in the middle between two lines.
func (x *line) centredWith(last *line, height float64) bool {
	return len(x.cuts) == 0 && math.Abs((x.start.y+last.start.y)/2-height) <= sameHeight*x.size
}

// partedAbove returns the line with a cut in the place of the blank behind which another begins below it; nil when
// there is none. Only the last cell of a line can go on there.
func (x *line) partedAbove(next *line) *line {
	left := x.start.x
	if n := len(x.cuts); n > 0 {
		left = x.cuts[n-1].after.x
	}

	for _, g := range x.gaps {
		if g.before.x <= left || math.Abs(g.after.x-next.start.x) > sameEdge*x.size {
			continue
		}
		out := &line{start: x.start, stop: x.stop, along: x.along, size: x.size, cuts: slices.Concat(x.cuts, []cut{g})}
		text := []byte(x.text.String())
		text[g.at] = '\t'
		out.text.Write(text)

		return out
	}

	return nil
}

// takes adds a line to a cell, and reports whether it belongs there.
func (c *stack) takes(x *line) bool {
	drop := c.bottom - x.start.y
	text := strings.TrimSpace(x.text.String())

	switch {
	case len(x.cuts) > 0, math.Abs(x.start.x-c.left) > sameEdge*x.size:
		return false
	case drop <= sameHeight*x.size, drop > stackedLead*x.size:
		return false
	case c.lines >= mostStacked, c.text.Len()+len(text) > longestStack:
		return false
	}
	c.text.WriteString(" " + text)
	c.right, c.bottom = max(c.right, x.stop.x), x.start.y
	c.lines++

	return true
}

// rowOfStacks writes the cells of a row as one line.
func rowOfStacks(first *line, cells []*stack, foot float64) *line {
	whole := &line{
		start: first.start,
		stop:  point{cells[len(cells)-1].right, first.start.y},
		along: first.along,
		size:  first.size,
		drop:  first.drop,
		shift: first.shift,
		bold:  first.bold,
		light: first.light,
		foot:  foot,
	}

	for i, c := range cells {
		if i > 0 {
			y := first.start.y
			whole.cuts = append(whole.cuts, cut{whole.text.Len(), point{cells[i-1].right, y}, point{c.left, y}})
			whole.text.WriteByte('\t')
		}
		whole.text.WriteString(c.text.String())
	}

	return whole
}

// below reports whether a row stands below another with cells at the same places, at least two of them.
func (x *line) below(above *line) bool {
	if above.table != 0 || x.table != 0 || above.start.y <= x.start.y {
		return false
	}
	shared := 0

	for _, p := range x.pieces() {
		if slices.ContainsFunc(above.pieces(), func(q piece) bool {
			return math.Abs(p.start.x-q.start.x) <= sameEdge*x.size || math.Abs(p.stop.x-q.stop.x) <= sameEdge*x.size
		}) {
			shared++
		}
	}

	return shared > 1
}

// What tells the lines of a cell from rows, in distances of lines.
const (
	sameLead  = 1.1  // of all lines of a row
	apartLead = 1.35 // between rows, at the least
)

// merged makes one row of the lines of cells that are drawn line by line, where the rows of a table stand clearly
// further apart than the lines in them, and each line behind the first has fewer cells than that one. It returns the
// lines that are left.
func merged(drawn []*line) []*line {
	var out []*line

	for i := 0; i < len(drawn); {
		end, table := i+1, drawn[i].table
		for end < len(drawn) && drawn[end].table == table {
			end++
		}
		if table > 0 && table < gridTables {
			out = append(out, mergedRows(drawn[i:end])...)
		} else {
			out = append(out, drawn[i:end]...)
		}
		i = end
	}

	return out
}

// mergedRows merges the lines of one table.
func mergedRows(table []*line) []*line {
	if len(table) < 3 {
		return table
	}
	least := math.Inf(1)

	for _, x := range table[1:] {
		least = min(least, x.drop)
	}
	rows, goingOn := 1, 0

	for i, x := range table[1:] {
		switch {
		case x.drop >= apartLead*least:
			rows++
		case x.drop > sameLead*least, !x.goesOn(table[:i+1], least):
			return table
		default:
			goingOn++
		}
	}
	if rows < 2 || goingOn == 0 || least <= 0 {
		return table
	}
	var out []*line

	for i, x := range table {
		if i > 0 && x.drop < apartLead*least {
			out[len(out)-1].takeCells(x)
			continue
		}
		out = append(out, x)
	}

	return out
}

// goesOn reports whether a line can be more of the cells of the row whose lines stand before it.
func (x *line) goesOn(before []*line, least float64) bool {
	first := before[len(before)-1]

	for i := len(before) - 1; i > 0 && before[i].drop < apartLead*least; i-- {
		first = before[i-1]
	}
	cells, begun := strings.Split(x.text.String(), "\t"), strings.Split(first.text.String(), "\t")
	fewer, words := false, false

	for i := range begun {
		here := i < len(cells) && cells[i] != ""
		fewer = fewer || !here && begun[i] != ""
		words = words || here && strings.ContainsFunc(cells[i], unicode.IsLetter)
	}

	for i, cell := range cells {
		if cell != "" && (i >= len(begun) || begun[i] == "") {
			return false
		}
	}

	return fewer && words
}

// takeCells adds the words of a line to the cells of a row.
func (x *line) takeCells(more *line) {
	cells := strings.Split(x.text.String(), "\t")

	for i, cell := range strings.Split(more.text.String(), "\t") {
		if cell != "" && i < len(cells) {
			cells[i] = strings.TrimSpace(cells[i] + " " + cell)
		}
	}
	x.text.Reset()
	x.text.WriteString(strings.Join(cells, "\t"))
}
