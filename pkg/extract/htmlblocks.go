package extract

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

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
		// The line belongs to the item.
		return
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
		if label := numeral(format, n); !spells(label) {
			b.Label = label + "."
		}
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
		n := len(l.turned) - i
		if label := numeral(l.format, n); n <= mostItems && mark < len(p.marks) && !spells(label) {
			p.marks[mark].block.Label = label + "."
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
		p.finishElement(&p.open[n])
		p.endBlock(&p.open[n])
		p.endList(p.open[n].list)
		if p.open[n].grid {
			p.endGrid(p.open[n].name)
		}
	}
	p.open = p.open[:i]
	p.sheets.content.leave(i)
}

// sameWords reports whether two texts say the same, whatever blanks stand between their words, and whether or not their
// lines begin with the numbers and bullets of lists.
func sameWords(a, b string) bool {
	x, y := wordReader{rest: a, begins: true}, wordReader{rest: b, begins: true}
	x.next()
	y.next()

	for x.word != "" || y.word != "" {
		switch {
		case x.word == y.word:
			x.next()
			y.next()
		case x.listMark() && y.listMark() && numberedMark(x.word) && numberedMark(y.word):
			// It has two numbers.
			return false
		case x.listMark():
			x.next()
		case y.listMark():
			y.next()
		default:
			return false
		}
	}

	return true
}

// wordReader reads the words of a text.
type wordReader struct {
	word   string
	rest   string
	begins bool // the word is the first of its line
}

func (r *wordReader) next() {
	const blanks = " \t\n\r"
	rest := strings.TrimLeft(r.rest, blanks)
	r.begins = r.word == "" && r.begins || strings.ContainsAny(r.rest[:len(r.rest)-len(rest)], "\n\r\t")
	end := strings.IndexAny(rest, blanks)
	if end < 0 {
		end = len(rest)
	}
	r.word, r.rest = rest[:end], rest[end:]
}

// longestMark bounds a number before an item, in bytes.
const longestMark = 12

// listMark reports whether the word is a number or bullet before an item.
func (r *wordReader) listMark() bool {
	switch r.word {
	case "-", "*", "+", "o", "•", "·", "–", "—", "◦", "▪", "‣", "■", "●", "○", "§":
		return r.begins
	}

	return r.begins && numberedMark(r.word)
}

// numberedMark reports whether a word is one such as 1. or (iv) or 1.2.
func numberedMark(word string) bool {
	inner := strings.TrimRight(strings.TrimLeft(word, "(["), ".)]:")
	if inner == "" || inner == word || len(word) > longestMark {
		return false
	}
	if strings.Trim(inner, "0123456789.") == "" || strings.Trim(strings.ToLower(inner), "ivxlcdm") == "" {
		return true
	}

	return len(inner) == 1 && unicode.IsLetter(rune(inner[0]))
}
