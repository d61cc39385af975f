package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What makes lines the rows of a table.
const (
	rowGap      = 3.0 // between rows, in sizes of the font
	leastWithin = 0.5 // of a cell stands in its column
	mostRows    = 200 // that are looked at together
)

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
		columns := columnsOf(drawn[i : i+end])

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
	first := drawn[0].pieces()[0]
	n := 1

	for n < min(len(drawn), mostRows) {
		x := drawn[n]
		alone := len(x.cuts) == 0 && x.along.x > 0.9 && x.start.x > first.stop.x
		if x.drop == 0 || x.drop > rowGap*x.size || !x.row() && !alone {
			break
		}
		n++
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

// columnsOf returns where the columns of rows stand, as the rows with the most cells have them; nil when these do not
// agree.
func columnsOf(rows []*line) []extent {
	var columns []extent

	for _, x := range rows {
		if n := len(x.cuts) + 1; n > len(columns) {
			columns = make([]extent, n)
		}
	}
	if len(columns) < 2 {
		return nil
	}
	begun := false

	for _, x := range rows {
		if len(x.cuts)+1 < len(columns) {
			continue
		}

		for i, p := range x.pieces() {
			if !begun {
				columns[i] = extent{p.start.x, p.stop.x}
			}
			columns[i] = extent{min(columns[i].from, p.start.x), max(columns[i].to, p.stop.x)}
		}
		begun = true
	}

	for i := 1; i < len(columns); i++ {
		if columns[i].from <= columns[i-1].to {
			return nil
		}
	}

	return columns
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
	x.cuts = nil
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
		return closed && len(inner) <= 3 // longer ones are names of what follows
	}

	return closed
}
