package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What makes a line the number or bullet of an item that was drawn apart from it.
const (
	longestMarker = 12  // characters
	markerGap     = 8.0 // to its item, in sizes of the font
	dashGap       = 3.0 // the same of a dash
	mostNear      = 64  // lines that are looked at for one
	rowHeight     = 4.0 // of the rows in which lines are looked for, in the page's own units
	biggestLetter = 200 // beside which nothing is looked for
)

// marker reports whether a text is the number or bullet of an item and nothing else: "1.", "(a)", "iv)", "2.1.", "•".
func marker(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > longestMarker {
		return false
	}
	if strings.Trim(text, "•◦▪‣∙●○■□"+dashes) == "" {
		return utf8.RuneCountInString(text) == 1
	}
	inner := strings.TrimLeft(text, "([")
	core := strings.TrimRight(inner, ".):]")
	if core == "" || core == inner {
		// A number without a dot or bracket is a figure of a table.
		return false
	}

	for part := range strings.SplitSeq(core, ".") {
		letters := strings.Trim(part, "0123456789") != ""
		if part == "" || letters && strings.Trim(strings.ToLower(part), "ivxlc") != "" && len(part) > 2 {
			return false
		}
		if strings.Trim(strings.ToLower(part), "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}

	return true
}

// withMarkers puts the numbers and bullets that were drawn apart from their items before these: on the same line, to
// the left. Some programs draw them when the text is done.
func withMarkers(drawn []*line) []*line {
	rows := map[int][]*line{}
	row := func(y float64) int { return int(math.Floor(y / rowHeight)) }
	markers := 0

	for _, x := range drawn {
		if marker(x.text.String()) {
			markers++
		} else if math.Abs(x.start.y) < math.MaxInt32 {
			rows[row(x.start.y)] = append(rows[row(x.start.y)], x)
		}
	}
	if markers == 0 || len(rows) == 0 {
		return drawn
	}

	return slices.DeleteFunc(drawn, func(m *line) bool {
		if !marker(m.text.String()) || m.size > biggestLetter || math.Abs(m.start.y) > math.MaxInt32 {
			return false
		}
		var best *line
		near := 0

		for at := row(m.start.y - newLine*m.size); at <= row(m.start.y+newLine*m.size); at++ {
			for _, x := range rows[at] {
				// A page of a million lines at one height must not be compared line by line.
				if near++; near > mostNear {
					break
				}
				if x.follows(m) && (best == nil || x.start.x < best.start.x) {
					best = x
				}
			}
		}
		if best == nil {
			return false
		}
		best.prefix(strings.TrimSpace(m.text.String()) + " ")

		return true
	})
}

// follows reports whether a line stands behind a marker.
func (x *line) follows(m *line) bool {
	gap := x.start.x - m.stop.x
	near := math.Abs(x.start.y-m.start.y) < newLine*max(m.size, x.size) && gap > -m.size && gap < markerGap*m.size
	level := m.along.x > 0.9 && x.along.x > 0.9

	if m.dash() && (gap > dashGap*m.size || !x.worded()) {
		return false
	}

	return near && level && !x.marked
}

// dashes can be bullets, and entries of a table that say nothing.
const dashes = "-–—"

// dash reports whether a line is a dash alone.
func (x *line) dash() bool { return strings.Trim(strings.TrimSpace(x.text.String()), dashes) == "" }

// worded reports whether a line begins with a letter.
func (x *line) worded() bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(x.text.String()))

	return unicode.IsLetter(first)
}

// prefix puts a marker before the text of a line.
func (x *line) prefix(marker string) {
	text := marker + x.text.String()
	x.text.Reset()
	x.text.WriteString(text)
	x.marked = true

	for i := range x.cuts {
		x.cuts[i].at += len(marker)
	}

	for i := range x.gaps {
		x.gaps[i].at += len(marker)
	}
}
