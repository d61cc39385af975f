package pdf

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// point is a place on the page or a direction, in the page's own units.
type point struct{ x, y float64 }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }

func (p point) dot(q point) float64 { return p.x*q.x + p.y*q.y }

func (p point) length() float64 { return math.Hypot(p.x, p.y) }

func (p point) finite() bool { return !math.IsNaN(p.x+p.y) && !math.IsInf(p.x+p.y, 0) }

// How far text must jump, in sizes of the font, to mean something.
const (
	newLine    = 0.5  // across the line
	wordGap    = 0.17 // along the line
	columnGap  = 2.0  // along the line: a tab
	backJump   = 0.8  // backwards along the line
	indent     = 1.2  // of the first line of a paragraph
	mostIndent = 8.0  // what begins further right is no first line
	wideLead   = 1.3  // between paragraphs, in line distances
)

// line is a line of a page while it is being put together.
type line struct {
	text   strings.Builder
	start  point
	along  point // the direction it runs in, of length 1
	cuts   []cut // where tabs stand in it
	gaps   []cut // where blanks stand in it that were not drawn
	stop   point // where it ends
	size   float64
	drop   float64 // how far below the line before it stands; 0 when the text jumped elsewhere
	shift  float64 // how far right of the line before it begins
	marked bool    // a marker has been put before it
	bold   int     // pieces in heavy letters
	light  int     // pieces in others
	table  int     // of which it is a row, from 1; 0 for none
	foot   float64 // where the last line of a row of several lines stands
	head   float64 // of the first line of a row of several
}

// layout puts the text of a page into lines, in the order in which it is drawn.
type layout struct {
	lines []*line
	end   point // where the last text ended
	along point // the direction it ran in, of length 1
	size  float64
	rules *ruling
	heavy bool // what comes next has heavy letters
}

// show adds text that was drawn from start to end in the direction along, at a size.
func (l *layout) show(text string, start, end, along point, size float64) {
	if text == "" {
		return
	}
	known := start.finite() && end.finite() && !math.IsInf(size, 0) && !math.IsNaN(size)
	if n := along.length(); n > 0 && known {
		along = point{along.x / n, along.y / n}
	} else {
		// Numbers that overflow must not poison the places of all text behind them.
		start, end, along, size = point{}, point{}, point{1, 0}, 1
	}
	if len(l.lines) == 0 || l.join(start, along, size) {
		l.begin(start, along, size)
	}
	last := l.lines[len(l.lines)-1]
	last.text.WriteString(text)
	last.stop = end
	if strings.TrimSpace(text) != "" {
		if l.heavy {
			last.bold++
		} else {
			last.light++
		}
	}
	l.end, l.along, l.size = end, along, size
}

// join writes the blank that stands between the last text and start, and reports whether a new line begins instead.
func (l *layout) join(start, along point, size float64) bool {
	unit := max(size, l.size)
	gap := start.minus(l.end)
	across := math.Abs(gap.dot(point{-l.along.y, l.along.x}))
	ahead := gap.dot(l.along)
	if along.dot(l.along) < 0.9 || across > newLine*unit || ahead < -backJump*unit {
		return true
	}

	last := l.lines[len(l.lines)-1]

	text := &last.text
	switch s := text.String(); {
	case ahead > columnGap*unit:
		last.cuts = append(last.cuts, cut{text.Len(), l.end, start})
		text.WriteByte('\t')
	case ahead > wordGap*unit && strings.HasSuffix(s, " "):
		last.gaps = append(last.gaps, cut{text.Len() - 1, l.end, start})
	case ahead > wordGap*unit:
		last.gaps = append(last.gaps, cut{text.Len(), l.end, start})
		text.WriteByte(' ')
	}

	return false
}

func (l *layout) begin(start, along point, size float64) {
	next := &line{start: start, along: along, size: size}
	if len(l.lines) > 0 {
		last := l.lines[len(l.lines)-1]
		step := start.minus(last.start)
		if drop := step.dot(point{along.y, -along.x}); drop > 0 && along.dot(l.along) > 0.9 {
			next.drop, next.shift = drop, step.dot(along)
		}
	}
	l.lines = append(l.lines, next)
}

// lines are the lines of a page with the sizes of their letters, whether all of these are heavy, and the tables of
// which they are rows; an empty line has none.
type lines struct {
	text   string
	sizes  []float64
	tables []int
	bold   []bool
}

// page returns the lines of the page, without the line numbers of pleading paper, paragraphs set apart by empty lines.
func (l *layout) page() lines {
	drawn := slices.DeleteFunc(l.lines, func(x *line) bool { return strings.TrimSpace(x.text.String()) == "" })
	// The order matters: a drawn grid is certain, cells that are drawn one by one are likely, and columns are what is
	// left.
	drawn = unmixed(withMarkers(stacked(l.rules.gridded(drawn))))
	widened(drawn)
	tabulated(drawn)
	drawn = merged(drawn)

	texts := make([]string, len(drawn))
	for i, x := range drawn {
		texts[i] = strings.TrimRight(x.text.String(), " \t")
	}
	kept := withoutLineNumbers(texts)
	leading := usualDrop(drawn)
	var out strings.Builder
	var sizes []float64
	var tables []int
	var bold []bool
	var before *line

	for i, x := range drawn {
		if !kept[i] {
			continue
		}
		if before != nil {
			out.WriteByte('\n')
			if x.opens(before, leading) {
				out.WriteByte('\n')
				sizes, tables, bold = append(sizes, 0), append(tables, 0), append(bold, false)
			}
		}
		out.WriteString(texts[i])
		sizes, tables = append(sizes, x.size), append(tables, x.table)
		bold = append(bold, x.bold > 0 && x.light == 0)
		before = x
	}

	return lines{out.String(), sizes, tables, bold}
}

// opens reports whether a line begins a paragraph, given the line before it and the usual distance of lines.
func (x *line) opens(before *line, leading float64) bool {
	if x.drop == 0 || x.drop > wideLead*max(leading, x.size) {
		return true
	}

	return x.shift > indent*x.size && x.shift < mostIndent*x.size && !x.hangs(before)
}

// hangs reports whether a line begins below the words of an item, behind its number.
func (x *line) hangs(item *line) bool {
	if item.table != 0 {
		return false
	}
	text := item.text.String()
	below := func(c cut) bool {
		return Leads(strings.TrimSpace(text[:c.at])) && math.Abs(x.start.x-c.after.x) <= sameEdge*x.size
	}

	return slices.ContainsFunc(item.cuts, below) || slices.ContainsFunc(item.gaps, below)
}

// usualDrop is the median distance of lines.
func usualDrop(lines []*line) float64 {
	var drops []float64

	for _, x := range lines {
		if x.drop > 0 {
			drops = append(drops, x.drop)
		}
	}
	if len(drops) == 0 {
		return math.Inf(1)
	}
	slices.Sort(drops)

	// The median, since a page of few lines has as many gaps between paragraphs as within them.
	return drops[(len(drops)-1)/2]
}

// Pleading paper numbers its lines from 1 to 28. Numbers that stand alone are taken for that when they rise one by
// one for a while; numbers before the text of their line must do so for longer, since a table may be numbered too.
const (
	lastLineNumber = 28
	loneRun        = 5
	leadingRun     = 15
)

// withoutLineNumbers reports which lines of a page to keep, and cuts line numbers off the rest in place.
func withoutLineNumbers(texts []string) []bool {
	kept := make([]bool, len(texts))
	for i := range kept {
		kept[i] = true
	}
	eachRisingRun(texts, loneRun, func(s string) (int, bool) { return lineNumber(s) }, func(i int) { kept[i] = false })
	eachRisingRun(texts, leadingRun, func(s string) (int, bool) {
		n, _, ok := strings.Cut(s, "\t")
		if !ok {
			return lineNumber(s)
		}

		return lineNumber(n)
	}, func(i int) {
		_, texts[i], _ = strings.Cut(texts[i], "\t")
		kept[i] = texts[i] != ""
	})

	return kept
}

// lineNumber reads a number from 1 to 28 and nothing else.
func lineNumber(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if len(s) == 0 || len(s) > 2 || s[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(s)

	return n, err == nil && n >= 1 && n <= lastLineNumber
}

// eachRisingRun calls cut for the members of every run of lines whose numbers rise by one; lines without a number may
// stand between them.
func eachRisingRun(texts []string, least int, number func(string) (int, bool), cut func(i int)) {
	var run []int
	last := 0
	flush := func() {
		if len(run) >= least {
			for _, i := range run {
				cut(i)
			}
		}
		run = run[:0]
	}

	for i, text := range texts {
		n, ok := number(text)
		if !ok {
			continue
		}
		if n != last+1 {
			flush()
		}
		run, last = append(run, i), n
	}
	flush()
}
