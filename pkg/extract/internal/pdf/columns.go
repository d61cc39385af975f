package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What makes lines that stand side by side the columns of a page and not a table.
const (
	fewestLines  = 4   // of two columns that stand side by side
	goingOn      = 0.4 // of the lines of a column begin in lower case: they go on with a sentence
	columnIndent = 3.0 // of a line in its column, in sizes of the font
	mostColumns  = 8
)

// cut is a place of a line where a tab stands.
type cut struct {
	at     int   // byte of the tab
	before point // where the text ends before it
	after  point // where the text begins behind it
}

// piece is a stretch of a line between tabs.
type piece struct {
	text        string
	start, stop point
}

func (x *line) pieces() []piece {
	text := x.text.String()
	all := make([]piece, 0, len(x.cuts)+1)
	from, start := 0, x.start

	for _, c := range x.cuts {
		all = append(all, piece{text[from:c.at], start, c.before})
		from, start = c.at+1, c.after
	}

	return append(all, piece{text[from:], start, x.stop})
}

// unmixed returns lines in the order in which they are read where a program has drawn the columns of a page line by
// line: all of the first column, then all of the next.
func unmixed(drawn []*line) []*line {
	var out []*line

	for i := 0; i < len(drawn); {
		columns, end := columnsFrom(drawn[i:])
		if columns == nil {
			out = append(out, drawn[i:i+end]...)
		}

		for _, column := range columns {
			out = append(out, column...)
		}
		i += end
	}

	return out
}

// columnsFrom reads the lines that stand in the columns of the first one, and returns each column and how many lines
// these are; no columns when the lines stay as they are.
func columnsFrom(drawn []*line) (columns [][]*line, end int) {
	first := drawn[0].pieces()
	if len(first) < 2 || len(first) > mostColumns || drawn[0].along.x < 0.9 {
		return nil, 1
	}
	columns = make([][]*line, len(first))
	mixed, lead := 0, math.Inf(1)

	for ; end < len(drawn); end++ {
		x := drawn[end]
		if end > 0 && (x.drop == 0 || x.drop > wideLead*lead || x.along.x < 0.9) {
			break
		}
		if end > 0 {
			lead = x.drop
		}
		pieces := x.pieces()
		places := placesIn(first, pieces, x.size)
		if places == nil {
			break
		}
		if len(pieces) > 1 {
			mixed++
		}

		for i, at := range places {
			columns[at] = append(columns[at], pieces[i].line(x, columns[at]))
		}
	}
	// A few lines side by side are a table or a caption.
	if mixed < fewestLines {
		return nil, 1
	}

	for _, column := range columns {
		if !goesOn(column) {
			return nil, end
		}
	}

	return columns, end
}

// placesIn returns the column of each piece, or nil when one stands in none.
func placesIn(first, pieces []piece, size float64) []int {
	places := make([]int, len(pieces))
	at := 0

	for i, p := range pieces {
		for at < len(first) && math.Abs(p.start.x-first[at].start.x) > columnIndent*size {
			at++
		}
		if at == len(first) || at+1 < len(first) && p.stop.x > first[at+1].start.x {
			return nil
		}
		places[i] = at
		at++
	}

	return places
}

// line makes a line of its own of a piece of a line, behind the lines of its column.
func (p piece) line(of *line, column []*line) *line {
	x := &line{start: p.start, stop: p.stop, along: of.along, size: of.size}
	x.text.WriteString(p.text)

	if len(column) > 0 {
		last := column[len(column)-1]
		x.drop, x.shift = last.start.y-x.start.y, x.start.x-last.start.x
	}

	return x
}

// goesOn reports whether the lines of a column are those of running text.
func goesOn(column []*line) bool {
	n := 0

	for i, x := range column {
		if r, _ := utf8.DecodeRuneInString(strings.TrimSpace(x.text.String())); i > 0 && unicode.IsLower(r) {
			n++
		}
	}

	return len(column) >= fewestLines && float64(n) >= goingOn*float64(len(column))
}
