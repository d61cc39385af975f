package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// beginBlock opens the block that an element is.
func (p *page) beginBlock(e *element, t html.Token) {
	b := Block{}

	switch e.name {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b = Block{Kind: Heading, Level: int(e.tag[1] - '0')}
	case atom.Blockquote:
		b.Kind = Quotation
	case atom.Pre:
		b.Kind = Verbatim
	case atom.Ul, atom.Ol:
		p.endItem()
		e.list = listOf(t)

		return
	case atom.Li:
		b = p.item(t)
	case atom.Tr:
		b = p.row()
	default:
		return
	}
	p.shown.mark(p.marks.add(markOpen, marked{block: b}))
	e.mark = len(p.marks)
}

// listOf reads how a list counts.
func listOf(t html.Token) htmlList {
	if t.DataAtom != atom.Ol {
		return htmlList{}
	}
	l := htmlList{format: "decimal", next: 1}
	if n, err := strconv.Atoi(tokenAttr(t, "start")); err == nil {
		l.next = n
	}

	switch tokenAttr(t, "type") {
	case "a":
		l.format = "lowerLetter"
	case "A":
		l.format = "upperLetter"
	case "i":
		l.format = "lowerRoman"
	case "I":
		l.format = "upperRoman"
	}

	return l
}

// mostItems is the greatest number of an item that is kept.
const mostItems = 9999

// item counts an item of the innermost list.
func (p *page) item(t html.Token) Block {
	b := Block{Kind: Item, Level: 0, Label: "•"}
	var innermost *element

	for i := range p.open {
		if e := &p.open[i]; e.name == atom.Ul || e.name == atom.Ol {
			innermost = e
			b.Level++
		}
	}
	b.Level = max(b.Level, 1)
	if innermost == nil || innermost.list.format == "" {
		return b
	}
	if n, err := strconv.Atoi(tokenAttr(t, "value")); err == nil {
		innermost.list.next = n
	}
	if n := innermost.list.next; n >= 0 && n <= mostItems { // a greater number could be more than that of an item
		b.Label = numeral(innermost.list.format, n) + "."
	}
	innermost.list.next++

	return b
}

// row counts a row of the innermost table.
func (p *page) row() Block {
	for i := len(p.open) - 1; i >= 0; i-- {
		if e := &p.open[i]; e.name == atom.Table {
			e.list.rows++
			return Block{Kind: Row, Level: min(e.list.rows, 2)}
		}
	}

	return Block{Kind: Row, Level: 1}
}

// endItem ends the item in which a list begins: the items of that list stand below it and not in it.
func (p *page) endItem() {
	for i := len(p.open) - 1; i >= 0; i-- {
		if e := &p.open[i]; e.name == atom.Li {
			p.endBlock(e)
			return
		}
	}
}

func (p *page) endBlock(e *element) {
	if e.mark > 0 {
		p.shown.mark(string(markEnd) + digits(e.mark-1))
		e.mark = 0
	}
}

// closeFrom closes the open elements from one on.
func (p *page) closeFrom(i int) {
	for n := len(p.open) - 1; n >= i; n-- {
		p.endBlock(&p.open[n])
	}
	p.open = p.open[:i]
}

// sameWords reports whether two texts say the same, whatever blanks stand between their words.
func sameWords(a, b string) bool {
	next := func(s string) (word, rest string) {
		s = strings.TrimSpace(s)
		if end := strings.IndexAny(s, " \t\n\r"); end >= 0 {
			return s[:end], s[end:]
		}

		return s, ""
	}

	for {
		var x, y string
		x, a = next(a)
		y, b = next(b)
		if x != y {
			return false
		}
		if x == "" {
			return true
		}
	}
}
