package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// BlockKind says what a stretch of the text is to its reader.
type BlockKind string

// The kinds of block.
const (
	Heading   BlockKind = "heading"   // Level 1 to 6
	Item      BlockKind = "item"      // of a list, Level from 1; Label is a number that the text does not hold
	Row       BlockKind = "row"       // of a table, one line; tabs part its cells; Level 1 is the first row of its table
	LineBreak BlockKind = "lineBreak" // where a line of a cell ends: Start equals End
	Note      BlockKind = "note"      // a footnote or endnote; Label is its number
	NoteMark  BlockKind = "noteMark"  // where a note is referred to: Start equals End, Label is the number of the note
	Header    BlockKind = "header"    // stands at the head of pages
	Footer    BlockKind = "footer"    // stands at the foot of pages
	Quotation BlockKind = "quotation" // set apart from the text around it
	Verbatim  BlockKind = "verbatim"  // lines that stand as they are
)

// Block is a stretch of the text that is more than a plain paragraph. Blocks lie in the order of the text and do not
// overlap, but for marks of notes and line breaks, which may stand within another block. What lies between them is
// plain paragraphs.
type Block struct {
	Kind  BlockKind
	Level int
	Start int // code points of the text; a row starts with the tabs of its empty first cells
	End   int // exclusive
	Label string
}

// Point reports whether the block is a place in the text rather than a stretch of it.
func (b Block) Point() bool { return b.Kind == NoteMark || b.Kind == LineBreak }

// The marks by which raw text carries its blocks and pictures to where their offsets are known. They are
// noncharacters, which Unicode leaves to programs; readers strip them from what a file says. Digits to the base of
// sixteen follow each mark and index Document.marks.
const (
	markOpen  = '\ufdd0' // a block begins with the next character that is not blank
	markPoint = '\ufdd1' // something stands behind the last character that is not blank
	markEnd   = '\ufdd2' // a block ended with the last character that is not blank
	markRow   = '\ufdd3' // a row of a table begins here, if with empty cells
	digitZero = '\ufde0'
	digitLast = '\ufdef'
)

// markBytes are the first two bytes of every mark in UTF-8.
const markBytes = "\xef\xb7"

func isMark(r rune) bool { return r >= markOpen && r <= markRow || r >= digitZero && r <= digitLast }

// withoutMarks returns text that holds none of the marks.
func withoutMarks(s string) string {
	if !strings.Contains(s, markBytes) {
		return s
	}

	return strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}

		return r
	}, s)
}

// onlyMarks returns the marks and page breaks of a text and nothing else.
func onlyMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if !isMark(r) && r != pageBreak {
			return -1
		}

		return r
	}, s)
}

// marked is what a mark stands for: a block, or something that was not read.
type marked struct {
	block  Block
	unread string // what was not read; empty for a block
	count  int    // of these
	page   int    // on which it stands; 0 where the place says it
	placed bool   // the mark has been met in the text
	number bool   // the number of a paragraph that the reader wrote into the text
	line   int    // in which the block begins
}

// marks are what the marks of a raw text stand for.
type marks []marked

func (m *marks) add(mark rune, what marked) string {
	*m = append(*m, what)

	return string(mark) + digits(len(*m)-1)
}

// wrap marks raw text as a block. Blanks and page breaks around it stay outside.
func (m *marks) wrap(b Block, raw string) string {
	const outside = " \t\n\f"
	core := strings.TrimLeft(raw, outside)
	before := raw[:len(raw)-len(core)]
	core = strings.TrimRight(core, outside)
	if core == "" {
		return raw
	}
	after := raw[len(before)+len(core):]
	open := m.add(markOpen, marked{block: b})

	return before + open + core + string(markEnd) + digits(len(*m)-1) + after
}

// row marks raw text as a row of a table, empty cells at its beginning included.
func (m *marks) row(level int, raw string) string {
	open := m.add(markRow, marked{block: Block{Kind: Row, Level: level}})

	return open + raw + string(markEnd) + digits(len(*m)-1)
}

// number marks the number of a paragraph that stands in the text where no block can carry it.
func (m *marks) number(label string) string {
	open := m.add(markOpen, marked{number: true})

	return open + label + string(markEnd) + digits(len(*m)-1)
}

// lineBreak marks where a line of a cell ends.
func (m *marks) lineBreak() string { return m.add(markPoint, marked{block: Block{Kind: LineBreak}}) }

// note marks the place where a note is referred to.
func (m *marks) note(label string) string {
	return m.add(markPoint, marked{block: Block{Kind: NoteMark, Label: label}})
}

// unread marks the place of something that was not read.
func (m *marks) unread(what string, count int) string {
	return m.add(markPoint, marked{unread: what, count: count})
}

// unreadOn marks the place of something on a page that was not read.
func (m *marks) unreadOn(page int, what string, count int) string {
	return m.add(markPoint, marked{unread: what, count: count, page: page})
}

// digits writes an index behind a mark.
func digits(n int) string {
	out := []rune{digitZero + rune(n%16)}
	for n /= 16; n > 0; n /= 16 {
		out = append(out, digitZero+rune(n%16))
	}
	slices.Reverse(out)

	return string(out)
}

// places follows the marks of a text while it is written.
type places struct {
	marks    marks
	mark     rune // the mark whose digits are being read, 0 for none
	index    int
	pending  []int // blocks that begin with the next character
	lastEnd  int   // code points up to and with the last one that is not blank
	chars    int   // code points so far
	line     int   // line ends so far
	lastLine int   // of the last character that is not blank
	finished []int // in the order in which they were placed
}

// takes reads a rune that belongs to a mark and reports whether it did.
func (p *places) takes(r rune) bool {
	if len(p.marks) == 0 || !isMark(r) {
		p.settle()
		return false
	}
	if r < digitZero {
		p.settle()
		p.mark, p.index = r, 0

		return true
	}
	if p.index = p.index*16 + int(r-digitZero); p.index >= len(p.marks) {
		p.mark, p.index = 0, 0
	}

	return true
}

// settle puts the mark that was read where it belongs.
func (p *places) settle() {
	if p.mark == 0 {
		return
	}
	m := &p.marks[p.index]

	switch p.mark {
	case markOpen:
		p.pending = append(p.pending, p.index)
	case markRow:
		m.block.Start, m.line = p.chars, p.line
	case markPoint:
		m.block.Start, m.block.End, m.placed = p.lastEnd, p.lastEnd, true
		p.finished = append(p.finished, p.index)
	case markEnd:
		if at := slices.Index(p.pending, p.index); at >= 0 {
			// Nothing stood in the block.
			p.pending = slices.Delete(p.pending, at, at+1)
		} else if !m.placed && p.lastEnd > m.block.Start {
			m.block.End, m.placed = p.lastEnd, true
			// Rows of several lines only lay out a page.
			if m.block.Kind != Row || m.line == p.lastLine {
				p.finished = append(p.finished, p.index)
			}
		}
	}
	p.mark = 0
}

// begin opens the pending blocks at the present code point, which is not blank.
func (p *places) begin() {
	for _, i := range p.pending {
		p.marks[i].block.Start, p.marks[i].line = p.chars, p.line
	}
	p.pending = p.pending[:0]
	p.lastEnd, p.lastLine = p.chars+1, p.line
}

// fill gives the document its blocks and what was not read of it.
func (p *places) fill(d *Document) {
	p.settle()

	for _, i := range p.finished {
		m := p.marks[i]
		if m.unread != "" {
			d.Unread = append(
				d.Unread,
				Unread{
					Page:  cmp.Or(m.page, d.pageOf(m.block.Start)),
					What:  m.unread,
					At:    m.block.Start,
					Count: m.count,
				},
			)

			continue
		}
		if !m.number {
			d.Blocks = append(d.Blocks, m.block)
		}
	}
	d.Blocks = apart(d.Blocks)
}

// numbers returns the numbers of paragraphs that stand in a text, in bytes.
func (p *places) numbers(text string) []Span {
	var list []Span

	for _, i := range p.finished {
		if m := p.marks[i]; m.number {
			list = append(list, Span{m.block.Start, m.block.End})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	chars, bytes := 0, 0

	byteAt := func(char int) int {
		for ; chars < char && bytes < len(text); chars++ {
			_, width := utf8.DecodeRuneInString(text[bytes:])
			bytes += width
		}

		return bytes
	}
	for i, n := range list {
		list[i] = Span{byteAt(n.Start), byteAt(n.End)}
	}

	return list
}

// apart sorts blocks, the longer first where two begin together, and removes those that reach into the one before
// them, points excepted.
func apart(blocks []Block) []Block {
	slices.SortStableFunc(
		blocks,
		func(a, b Block) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) },
	)
	end := 0

	return slices.DeleteFunc(blocks, func(b Block) bool {
		if b.Point() {
			return false
		}
		if b.Start < end {
			return true
		}
		end = b.End

		return false
	})
}

// pageOf returns the page of what stands behind the character before char.
func (d *Document) pageOf(char int) int {
	return max(min(1, len(d.PageStarts)), d.Page(max(0, char-1)))
}

// runesOutsideMarks counts the characters of a raw text.
func runesOutsideMarks(s string) int {
	if !strings.Contains(s, markBytes) {
		return utf8.RuneCountInString(s)
	}
	n := 0

	for _, r := range s {
		if !isMark(r) {
			n++
		}
	}

	return n
}
