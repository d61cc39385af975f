package extract

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// listStyle is an attribute that holds what the style of a list or item says of its numbers.
const listStyle = "list-style"

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
		p.endBlocks()
		e.list = p.listOf(t)

		return
	case atom.Li:
		p.endBlocks()
		b = p.item(t)
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		p.beginGrid(e, t)
		return
	default:
		return
	}
	if p.inItem() {
		return // it belongs to the item
	}
	p.endBlocks()
	p.sink().mark(p.marks.add(markOpen, marked{block: b}))
	e.mark, e.item = len(p.marks), b.Kind == Item
}

// listOf reads how a list counts.
func (p *page) listOf(t html.Token) htmlList {
	format := listFormats[tokenAttr(t, listStyle)]
	if t.DataAtom != atom.Ol && (format == "" || format == "none") {
		return htmlList{format: format}
	}
	l := htmlList{format: "decimal", next: 1, step: 1}
	if byType := listFormats["type "+tokenAttr(t, "type")]; byType != "" {
		l.format = byType
	}
	if format != "" {
		l.format = format
	}
	start, err := strconv.Atoi(tokenAttr(t, "start"))
	if err == nil {
		l.next = start
	}

	for _, a := range t.Attr {
		if a.Key == "reversed" {
			l.step = -1
		}
	}
	if l.step < 0 && err != nil {
		l.turned = []int{}
	}

	return l
}

// listFormats are the formats of lists by what a style or an attribute type says.
var listFormats = map[string]string{
	"decimal": "decimal", "type 1": "decimal",
	"decimal-leading-zero": "decimalZero",
	"lower-alpha":          "lowerAlpha", "lower-latin": "lowerAlpha", "type a": "lowerAlpha",
	"upper-alpha": "upperAlpha", "upper-latin": "upperAlpha", "type A": "upperAlpha",
	"lower-roman": "lowerRoman", "type i": "lowerRoman",
	"upper-roman": "upperRoman", "type I": "upperRoman",
	"none": "none",
}

// What the number of an item may be; a greater one could be more than that.
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
	if innermost == nil {
		return b
	}
	list := &innermost.list
	if n, err := strconv.Atoi(tokenAttr(t, "value")); err == nil {
		list.next = n
	}
	format := cmp.Or(listFormats[tokenAttr(t, listStyle)], listFormats["type "+tokenAttr(t, "type")], list.format)

	switch n := list.next; {
	case format == "none":
		b.Label = ""
	case format != "" && n >= -mostItems && n <= mostItems:
		b.Label = numeral(format, n) + "."
	}
	list.next += list.step
	if list.turned != nil && b.Label != "" {
		list.turned = append(list.turned, len(p.marks))
	}

	return b
}

// endList gives the items of a list that counts down to 1 their numbers.
func (p *page) endList(l htmlList) {
	for i, mark := range l.turned {
		if n := len(l.turned) - i; n <= mostItems && mark < len(p.marks) {
			p.marks[mark].block.Label = numeral(l.format, n) + "."
		}
	}
}

// inItem reports whether the innermost open block is an item.
func (p *page) inItem() bool {
	for i := len(p.open) - 1; i >= 0; i-- {
		switch e := &p.open[i]; {
		case e.mark > 0:
			return e.item
		case e.grid:
			return false
		}
	}

	return false
}

// endBlocks ends the open blocks of the page or cell: what begins stands below them and not in them.
func (p *page) endBlocks() {
	for i := len(p.open) - 1; i >= 0 && !cell(p.open[i].name); i-- {
		p.endBlock(&p.open[i])
	}
}

func (p *page) endBlock(e *element) {
	if e.mark > 0 {
		p.sink().mark(string(markEnd) + digits(e.mark-1))
		e.mark = 0
	}
}

// closeFrom closes the open elements from one on.
func (p *page) closeFrom(i int) {
	for n := len(p.open) - 1; n >= i; n-- {
		p.endBlock(&p.open[n])
		p.endList(p.open[n].list)
		if p.open[n].grid {
			p.endGrid(p.open[n].name)
		}
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
