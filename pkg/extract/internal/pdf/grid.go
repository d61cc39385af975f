package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// What makes the lines that a page draws the grid of a table, in the page's own units.
const (
	thin        = 3.0  // a rectangle that is filled is a line
	shortest    = 3.0  // line
	nearRules   = 2.0  // lines that are one
	mostRules   = 2000 // on a page; one with more is a drawing
	longestCell = 1500 // bytes; a longer one holds a text and no entry
	// Tables of drawn grids are numbered from here on: their rows are whole, and merged leaves them alone.
	gridTables = 1 << 20
)

// rule is a line that runs across or down the page: where it stands, and from where to where it runs.
type rule struct{ at, from, to float64 }

// ruling collects the lines of a page.
type ruling struct {
	down, across []rule
	pending      []box // of the path that is being built
	start, last  point
	tooMany      bool
}

// box is a rectangle, or a line, which has no width or no height.
type box struct {
	a, b point
	rect bool
}

// path takes an operator that builds or paints a path.
func (r *ruling) path(op keyword, args []any, page matrix) {
	at := func(x, y float64) point { return point{page.a*x + page.c*y + page.e, page.b*x + page.d*y + page.f} }

	switch op {
	case "m":
		r.last = at(num(args, 0), num(args, 1))
		r.start = r.last
	case "l":
		next := at(num(args, 0), num(args, 1))
		r.add(box{a: r.last, b: next})
		r.last = next
	case "h":
		r.add(box{a: r.last, b: r.start})
		r.last = r.start
	case "re":
		x, y := num(args, 0), num(args, 1)
		r.add(box{at(x, y), at(x+num(args, 2), y+num(args, 3)), true})
	case "S", "s", "B", "B*", "b", "b*":
		for _, b := range r.pending {
			r.stroke(b)
		}
		r.pending = r.pending[:0]
	case "f", "F", "f*":
		r.fill()
		r.pending = r.pending[:0]
	case "n":
		r.pending = r.pending[:0]
	}
}

func (r *ruling) add(b box) {
	if r.tooMany = r.tooMany || len(r.pending) >= mostRules; !r.tooMany && b.a.finite() && b.b.finite() {
		r.pending = append(r.pending, b)
	}
}

// stroke takes the sides of a rectangle or a line.
func (r *ruling) stroke(b box) {
	if !b.rect {
		r.line(b.a, b.b)
		return
	}
	c, d := point{b.a.x, b.b.y}, point{b.b.x, b.a.y}
	r.line(b.a, c)
	r.line(c, b.b)
	r.line(b.b, d)
	r.line(d, b.a)
}

// fill takes what is filled and so thin that it is a line: rectangles, and shapes of lines.
func (r *ruling) fill() {
	shape := box{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}, true}

	for _, b := range r.pending {
		if b.rect {
			r.thin(b)
			continue
		}

		for _, p := range []point{b.a, b.b} {
			shape.a = point{min(shape.a.x, p.x), min(shape.a.y, p.y)}
			shape.b = point{max(shape.b.x, p.x), max(shape.b.y, p.y)}
		}
	}
	r.thin(shape)
}

func (r *ruling) thin(b box) {
	wide, high := math.Abs(b.b.x-b.a.x), math.Abs(b.b.y-b.a.y)
	middle := point{(b.a.x + b.b.x) / 2, (b.a.y + b.b.y) / 2}

	switch {
	case wide <= thin && high > wide:
		r.line(point{middle.x, b.a.y}, point{middle.x, b.b.y})
	case high <= thin && wide > high:
		r.line(point{b.a.x, middle.y}, point{b.b.x, middle.y})
	}
}

// line keeps a line that runs straight across or down.
func (r *ruling) line(a, b point) {
	wide, high := math.Abs(b.x-a.x), math.Abs(b.y-a.y)
	// A map or a plan has thousands of lines and no table.
	if len(r.down)+len(r.across) >= mostRules {
		r.tooMany = true
		return
	}

	switch {
	case wide < 0.5 && high >= shortest:
		r.down = append(r.down, rule{a.x, min(a.y, b.y), max(a.y, b.y)})
	case high < 0.5 && wide >= shortest:
		r.across = append(r.across, rule{a.y, min(a.x, b.x), max(a.x, b.x)})
	}
}

// cell returns the rectangle of the grid around a place.
func (r *ruling) cell(p point) (c box, ok bool) {
	left, right := around(r.down, p.x, p.y)
	below, above := around(r.across, p.y, p.x)
	c = box{point{left, below}, point{right, above}, true}

	return c, !math.IsInf(left, 0) && !math.IsInf(right, 0) && !math.IsInf(below, 0) && !math.IsInf(above, 0)
}

// around returns the nearest rules before and behind a place, of those that run past it.
func around(rules []rule, at, beside float64) (before, behind float64) {
	before, behind = math.Inf(-1), math.Inf(1)

	for _, x := range rules {
		if beside < x.from-nearRules || beside > x.to+nearRules {
			continue
		}
		if x.at <= at+1 {
			before = max(before, x.at)
		} else {
			behind = min(behind, x.at)
		}
	}

	return before, behind
}

// entryAt is a piece of a line in the cell that it stands in.
type entryAt struct {
	piece
	cell box
	line *line
}

// gridded writes the lines that stand in a drawn grid as its rows. All lines of a cell become one.
// gridded comes before stacked and widened (see layout.go).
func (r *ruling) gridded(drawn []*line) []*line {
	if r == nil || r.tooMany || len(r.down) < 2 || len(r.across) < 2 {
		return drawn
	}
	var out []*line
	tables := 0

	for i := 0; i < len(drawn); {
		var entries []entryAt
		end := i

		for ; end < len(drawn); end++ {
			in, ok := r.entries(drawn[end])
			if !ok {
				break
			}
			entries = append(entries, in...)
		}
		rows := rowsOfGrid(entries, gridTables+tables)
		if rows == nil {
			end = max(end, i+1)
			out = append(out, drawn[i:end]...)
		} else {
			tables++
			rows[0].drop = drawn[i].drop
			out = append(out, rows...)
		}
		i = end
	}

	return out
}

// entries returns the pieces of a line with their cells; not ok when one stands in none.
func (r *ruling) entries(x *line) (all []entryAt, ok bool) {
	if x.along.x < 0.9 {
		return nil, false
	}
	cuts := slices.Concat(x.cuts, x.gaps)
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.at, b.at) })
	whole := &line{start: x.start, stop: x.stop, size: x.size, cuts: cuts}
	whole.text.WriteString(x.text.String())

	for _, p := range whole.pieces() {
		if strings.TrimSpace(p.text) == "" {
			continue
		}
		c, in := r.cell(point{p.start.x + 1, p.start.y + 0.3*x.size})
		if !in {
			return nil, false
		}
		all = append(all, entryAt{p, c, x})
	}

	return all, len(all) > 0
}

// rowsOfGrid returns the rows of a table, or nil when the entries make none: there is one column, or a cell holds a
// text of its own.
func rowsOfGrid(entries []entryAt, table int) []*line {
	var lefts, tops []float64

	for _, e := range entries {
		lefts, tops = append(lefts, e.cell.a.x), append(tops, -e.cell.b.y)
	}
	lefts, tops = apart(lefts), apart(tops)
	if len(lefts) < 2 || len(lefts) > mostRows || len(tops) > mostRows {
		return nil
	}
	cells := make([][]strings.Builder, len(tops))
	rows := make([]*line, len(tops))

	for i := range cells {
		cells[i] = make([]strings.Builder, len(lefts))
	}

	for _, e := range entries {
		row, column := placeOf(tops, -e.cell.b.y), placeOf(lefts, e.cell.a.x)
		text := &cells[row][column]
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		// A frame around a text is a grid of one cell.
		if text.WriteString(strings.TrimSpace(e.text)); text.Len() > longestCell {
			return nil
		}
		if rows[row] == nil {
			rows[row] = &line{start: e.start, stop: e.stop, along: point{1, 0}, size: e.line.size, table: table}
		}
	}

	for i, x := range rows {
		for column := range cells[i] {
			if column > 0 {
				x.text.WriteByte('\t')
			}
			x.text.WriteString(cells[i][column].String())
		}
		if i > 0 {
			x.drop = max(0, rows[i-1].start.y-x.start.y)
		}
	}

	return rows
}

// apart sorts places and keeps one of those that are near each other.
func apart(places []float64) []float64 {
	slices.Sort(places)

	return slices.CompactFunc(places, func(a, b float64) bool { return math.Abs(a-b) < nearRules })
}

// placeOf returns the index of the place that is nearest from before.
func placeOf(places []float64, at float64) int {
	i, found := slices.BinarySearch(places, at)
	if found || i == 0 {
		return i
	}

	return i - 1
}

// What makes a blank in a row the gap between two columns, in sizes of the font.
const (
	narrowGap = 0.4
	// leastShared is how much of it a wide gap of another row must have. Headings and entries seldom begin together.
	leastShared = 0.25
	mostGaps    = 3    // blanks of a line that may all be such
	sameStart   = 0.05 // between the beginnings of two cells of a column
	standsOut   = 1.5  // of the usual blank of a line that has more
	nearRows    = 20   // lines
	mostPasses  = 4
)

// widened parts the cells of rows that stand so close together that there is a mere blank between them, where a row
// above or below parts them by more. Blanks that were not drawn may part cells. A line with at most mostGaps of them is
// parted where cells of near rows begin; others only at wide ones. A row that was parted parts others.
func widened(drawn []*line) {
	for n := 0; n < mostPasses && widenedOnce(drawn); n++ {
	}
}

func widenedOnce(drawn []*line) (changed bool) {
	for i, x := range drawn {
		if len(x.gaps) == 0 || x.table != 0 || x.along.x < 0.9 {
			continue
		}
		least := narrowGap * x.size

		few := len(x.gaps) <= mostGaps
		if !few {
			least = max(least, standsOut*usualGap(x.gaps))
		}

		x.gaps = slices.DeleteFunc(x.gaps, func(g cut) bool {
			shares := func(c cut) bool {
				return min(c.after.x, g.after.x)-max(c.before.x, g.before.x) >= leastShared*x.size
			}
			begins := func(c cut) bool { return math.Abs(c.after.x-g.after.x) <= sameStart*x.size }

			wide := g.after.x-g.before.x >= least && parted(drawn, i, g, shares) ||
				few && parted(drawn, i, g, begins)
			if wide {
				x.cuts = append(x.cuts, g)
				changed = true
			}

			return wide
		})
		slices.SortFunc(x.cuts, func(a, b cut) int { return cmp.Compare(a.at, b.at) })
		text := []byte(x.text.String())

		for _, c := range x.cuts {
			text[c.at] = '\t'
		}
		x.text.Reset()
		x.text.Write(text)
	}

	return changed
}

func usualGap(gaps []cut) float64 {
	widths := make([]float64, len(gaps))
	for i, g := range gaps {
		widths[i] = g.after.x - g.before.x
	}
	slices.Sort(widths)

	return widths[len(widths)/2]
}

// parted reports whether a row above or below line i has a wide gap that fits a narrow one of that line. Lines whose
// words stand there end the table in their direction.
func parted(lines []*line, i int, gap cut, fits func(cut) bool) bool {
	return partedOn(lines, i, -1, gap, fits) || partedOn(lines, i, 1, gap, fits)
}

func partedOn(lines []*line, at, step int, gap cut, fits func(cut) bool) bool {
	for n := 0; n < nearRows; n++ {
		next := at + step
		if next < 0 || next >= len(lines) || math.Abs(lines[next].start.y-lines[at].start.y) > rowGap*lines[at].size {
			return false
		}
		if at = next; lines[at].table != 0 || lines[at].along.x < 0.9 {
			return false
		}

		if slices.ContainsFunc(lines[at].cuts, fits) {
			return true
		}
		if lines[at].crosses(gap) {
			return false
		}
	}

	return false
}

// far reports whether a line does not stand closely below the one before it.
func far(x *line) bool { return x.drop == 0 || x.drop > rowGap*x.size }

// crosses reports whether the words of a line stand in a gap of another.
func (x *line) crosses(gap cut) bool {
	for _, p := range x.pieces() {
		if p.start.x < gap.before.x && p.stop.x > gap.after.x {
			return !slices.ContainsFunc(x.gaps, func(g cut) bool {
				return min(g.after.x, gap.after.x) > max(g.before.x, gap.before.x)
			})
		}
	}

	return false
}
