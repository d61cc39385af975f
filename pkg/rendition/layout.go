package rendition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// layout is the structure of a text by bytes.
type layout struct {
	blocks []stretch
	points []point // in their order; they are taken away as they are written
}

// stretch is a block with its bytes of the text.
type stretch struct {
	extract.Block
	from, to int
	columns  int // of the table of a row
}

// point is a mark of the rendition that stands at a byte of the text.
type point struct {
	at    int
	text  string
	tight bool // it follows its word without a blank
	page  bool // a page begins, which Word decides anew
	line  bool // a line of a cell ends
}

// lineEnd is how a line of a cell ends in Markdown, where the end of a line would end the row.
const lineEnd = "<br>"

// layOut turns the code points of a document's structure into bytes.
func layOut(doc extract.Document) *layout {
	l := &layout{}
	at := bytesOf(doc)

	for i, start := range doc.PageStarts {
		if i > 0 {
			l.points = append(l.points, point{at: at[start], text: fmt.Sprintf("[page %d]", i+1), page: true})
		}
	}

	for _, b := range doc.Blocks {
		switch b.Kind {
		case extract.NoteMark:
			l.points = append(l.points, point{at: at[b.Start], text: "[^n." + b.Label + "]", tight: true})
		case extract.LineBreak:
			l.points = append(l.points, point{at: at[b.Start], text: lineEnd, line: true})
		default:
			l.blocks = append(l.blocks, stretch{Block: b, from: at[b.Start], to: at[b.End]})
		}
	}
	l.square(doc.Text)

	for _, u := range doc.Unread {
		l.points = append(l.points, point{at: at[u.At], text: unread(u)})
	}
	// Stable, so that what stands at one place keeps the order of the document.
	slices.SortStableFunc(l.points, func(a, b point) int { return a.at - b.at })

	return l
}

// square tells each row how many columns its table has: as many as its longest row.
func (l *layout) square(text string) {
	for first := 0; first < len(l.blocks); {
		columns, end := 0, first

		for ; end < len(l.blocks) && l.blocks[end].Kind == extract.Row; end++ {
			if b := l.blocks[end]; end > first && b.Level == 1 {
				break
			}
			columns = max(columns, 1+strings.Count(text[l.blocks[end].from:l.blocks[end].to], "\t"))
		}

		for i := first; i < end; i++ {
			l.blocks[i].columns = columns
		}
		first = max(end, first+1)
	}
}

// unread returns the mark of something that was not read.
func unread(u extract.Unread) string {
	what := u.What
	if u.Count > 1 {
		what = fmt.Sprintf("%d %ss", u.Count, u.What)
	}
	if u.Page > 0 {
		return fmt.Sprintf("[page %d: %s, not read]", u.Page, what)
	}

	return fmt.Sprintf("[%s, not read]", what)
}

// bytesOf returns the byte of each code point that the structure of a document names.
func bytesOf(doc extract.Document) map[int]int {
	var wanted []int
	for _, b := range doc.Blocks {
		wanted = append(wanted, b.Start, b.End)
	}

	for _, u := range doc.Unread {
		wanted = append(wanted, u.At)
	}
	wanted = append(wanted, doc.PageStarts...)
	slices.Sort(wanted)
	at := make(map[int]int, len(wanted))

	char := 0
	for i := range doc.Text {
		for len(wanted) > 0 && wanted[0] == char {
			at[char] = i
			wanted = wanted[1:]
		}
		char++
	}

	for _, w := range wanted {
		at[w] = len(doc.Text)
	}

	return at
}

// upTo returns where a separator begins in the bytes from to to of a text, or to when there is none. It copies
// nothing, so that a text is split in time that grows with its length.
func upTo(text string, from, to int, separator string) int {
	if i := strings.Index(text[from:to], separator); i >= 0 {
		return from + i
	}

	return to
}
