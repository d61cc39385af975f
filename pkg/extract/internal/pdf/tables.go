package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What makes lines the rows of a table.
const (
	rowGap      = 3.0 // between rows, in sizes of the font
	leastWithin = 0.5 // of a cell stands in its column
	mostRows    = 200 // that are looked at together
	mostLabels  = 2   // lines in a row that have nothing but a first cell, if rows follow
)

// NoTable marks a line with cells that belong to no table, since it cannot be known where its columns stand.
const NoTable = -1

// extent is where a column stands on the page.
type extent struct{ from, to float64 }

// within returns how much of a piece stands in the column.
func (e extent) within(p piece) float64 {
	return min(e.to, p.stop.x) - max(e.from, p.start.x)
}

// tabulated finds the rows of tables. It gives each a tab for every column before its cells, so that an empty cell
// moves no other.
func tabulated(drawn []*line) {
	tables := 0

	for i := 0; i < len(drawn); {
		end := rowsFrom(drawn[i:])
		columns, unsure := columnsOf(drawn[i : i+end])
		if unsure && end > 1 {
			drawn[i].table = NoTable
		}

		rows := 0
		for rows < end && columns != nil && drawn[i+rows].fits(columns) {
			rows++
		}
		if rows > 1 {
			tables++

			for _, x := range drawn[i : i+rows] {
				x.intoColumns(columns)
				x.table = tables
			}
		}
		i += max(rows, 1)
	}
}

// rowsFrom counts the lines that may be rows of one table: they follow each other closely and have cells side by side,
// or one cell that does not stand in the first column.
func rowsFrom(drawn []*line) int {
	if !drawn[0].row() {
		return 0
	}
	first := drawn[0].pieces()
	n := 1

	for at := 1; at < min(len(drawn), mostRows); at++ {
		x := drawn[at]
		if far(x) || x.table != 0 {
			break
		}
		alone := len(x.cuts) == 0 && x.along.x > 0.9

		switch {
		case x.row(), alone && x.start.x > first[0].stop.x:
			n = at + 1
		case !alone || x.stop.x >= first[1].start.x || at-n >= mostLabels:
			// The line is text, or has more of it than the first cells of rows.
			return n
		}
	}

	return n
}

// row reports whether a line has cells side by side, and is not an item behind its number.
func (x *line) row() bool {
	if len(x.cuts) == 0 || x.along.x < 0.9 {
		return false
	}
	pieces := x.pieces()

	return len(pieces) > 2 || !Leads(strings.TrimSpace(pieces[0].text))
}

// columnsOf returns where the columns of rows stand. nil: there are none, or, with unsure, the rows leave open which of
// their cells belong to one column.
func columnsOf(rows []*line) (columns []extent, unsure bool) {
	cells := make([][]piece, len(rows))
	most := 0

	for i, x := range rows {
		cells[i] = x.pieces()
		most = max(most, len(cells[i]))
	}
	if most < 2 {
		return nil, false
	}
	full := slices.Collect(func(yield func([]piece) bool) {
		for _, row := range cells {
			if len(row) == most && !yield(row) {
				return
			}
		}
	})

	apart, known := clusters(cells, rows[0].size)
	if known && len(apart) == most {
		return apart, false
	}
	if columns = counted(full, rows[0].size); columns != nil {
		return columns, false
	}
	if known && len(apart) > most && neighboursMeet(apart, cells) {
		return apart, false
	}

	return nil, true
}

// What tells columns from cells that only stand a little apart, in sizes of the font.
const (
	indented = 2.0 // one label further right than another in the same column
	unlike   = 6.0 // a heading on one side of its column, and entries on the other
)

// counted returns the columns of rows that have all cells: the first cells make the first column, and so on. nil: they
// do not stand below each other. Only a heading above several rows may stand beside its entries, except in the first
// column.
func counted(full [][]piece, size float64) []extent {
	columns := make([]extent, len(full[0]))
	entries := full[1:]
	if len(entries) < 2 {
		entries = full
	}

	for n, row := range entries {
		for i, p := range row {
			e := extent{p.start.x, p.stop.x}
			if n > 0 && columns[i].gap(e) > indented*size {
				return nil
			}
			if n > 0 {
				e = columns[i].with(e)
			}
			columns[i] = e
		}
	}

	for i, p := range full[0] {
		reach := unlike * size
		if i == 0 {
			reach = indented * size
		}
		e := extent{p.start.x, p.stop.x}
		if columns[i].gap(e) > reach {
			return nil
		}
		columns[i] = columns[i].with(e)
	}

	for i := 1; i < len(columns); i++ {
		if columns[i].from <= columns[i-1].to {
			return nil
		}
	}

	return columns
}

// gap returns how far apart two extents stand, at most 0 when they overlap.
func (e extent) gap(other extent) float64 { return max(e.from-other.to, other.from-e.to) }

func (e extent) with(other extent) extent {
	return extent{min(e.from, other.from), max(e.to, other.to)}
}

// clusters returns the stretches of the page in which cells stand below each other. known is false when two cells of a
// row stand in one of them.
func clusters(cells [][]piece, size float64) (apart []extent, known bool) {
	var all []extent

	for _, row := range cells {
		for _, p := range row {
			all = append(all, extent{p.start.x, p.stop.x})
		}
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.from, b.from) })

	for _, e := range all {
		if last := len(apart) - 1; last >= 0 && e.from <= apart[last].to {
			apart[last] = apart[last].with(e)
		} else {
			apart = append(apart, e)
		}
	}

	// Labels that are indented share a column with those that are not.
	for i := len(apart) - 1; i > 0; i-- {
		if apart[i-1].gap(apart[i]) <= indented*size && !meet(apart[i-1], apart[i], cells) {
			apart[i-1] = apart[i-1].with(apart[i])
			apart = slices.Delete(apart, i, i+1)
		}
	}

	for _, row := range cells {
		for i := 1; i < len(row); i++ {
			in := func(e extent) bool { return e.within(row[i-1]) > 0 && e.within(row[i]) > 0 }
			if slices.ContainsFunc(apart, in) {
				return nil, false
			}
		}
	}

	return apart, true
}

// meet reports whether a row has cells in both of two columns.
func meet(a, b extent, cells [][]piece) bool {
	return slices.ContainsFunc(cells, func(row []piece) bool {
		return slices.ContainsFunc(row, func(p piece) bool { return a.within(p) > 0 }) &&
			slices.ContainsFunc(row, func(p piece) bool { return b.within(p) > 0 })
	})
}

// neighboursMeet reports whether each column is told from the next one by a row with cells in both.
func neighboursMeet(columns []extent, cells [][]piece) bool {
	for i := 1; i < len(columns); i++ {
		if !meet(columns[i-1], columns[i], cells) {
			return false
		}
	}

	return true
}

// fits reports whether each cell of a row stands in one column.
func (x *line) fits(columns []extent) bool {
	at := -1

	for _, p := range x.pieces() {
		next := columnOf(columns, p, len(x.cuts) == 0)
		if next <= at {
			return false
		}
		at = next
	}

	return true
}

// columnOf returns the column in which a cell stands, or -1 when it stands in none or in several. A cell that is the
// only one of its row must stand below the words of its column; others may be centred above them.
func columnOf(columns []extent, p piece, alone bool) int {
	at, enough := -1, false

	for i, e := range columns {
		within := e.within(p)
		if within <= 0 {
			continue
		}
		if at >= 0 {
			return -1
		}
		at, enough = i, within >= leastWithin*min(p.stop.x-p.start.x, e.to-e.from)
	}
	if enough {
		return at
	}
	near := nearest(columns, (p.start.x+p.stop.x)/2)
	if alone || at >= 0 && at != near {
		return -1
	}

	return near
}

// nearest returns the column on whose side of the gaps a place lies.
func nearest(columns []extent, x float64) int {
	at := 0
	for at+1 < len(columns) && x > (columns[at].to+columns[at+1].from)/2 {
		at++
	}

	return at
}

// intoColumns writes the cells of a row into their columns.
func (x *line) intoColumns(columns []extent) {
	pieces := x.pieces()
	x.text.Reset()
	column := 0

	for _, p := range pieces {
		for at := columnOf(columns, p, len(pieces) == 1); column < at; column++ {
			x.text.WriteByte('\t')
		}
		x.text.WriteString(strings.TrimSpace(p.text))
	}
	x.cuts, x.gaps = nil, nil
}

// longestLead is how long the number of an item may be, in bytes.
const longestLead = 24

// Leads reports whether a text can be the number or bullet of what follows it: "•", "12", "(a)", "Article I".
func Leads(text string) bool {
	if text == "" || len(text) > longestLead {
		return text == ""
	}
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return utf8.RuneCountInString(text) <= 3 || strings.TrimRight(text, ".):") != text
	}
	word, _, _ := strings.Cut(strings.ToLower(text), " ")

	switch word {
	case "article", "section", "part", "chapter", "clause", "schedule", "exhibit":
		return true
	}
	if utf8.RuneCountInString(text) == 1 {
		return true
	}
	inner := strings.Trim(text, "().:")
	closed := len(inner) < len(text) && !strings.Contains(inner, " ")
	if strings.HasSuffix(text, ":") {
		// Longer ones are names of what follows.
		return closed && len(inner) <= 3
	}

	return closed
}
