package cli

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Styles of a terminal.
const (
	bold  = "1"
	faint = "2"
)

const narrowest = 20 // columns; a terminal that says it has fewer is not believed

// answerText prints the text of an answer: laid out where it goes to a terminal, else as the Markdown that it is.
func (sh *shell) answerText(w io.Writer, markdown string) error {
	// Into a file or a pipe goes the Markdown itself: programs and editors can read it.
	if sh.Width >= narrowest {
		markdown = layout{width: min(sh.Width, widest), paint: sh.paint}.document(markdown)
	}
	_, err := io.WriteString(w, strings.TrimRight(markdown, "\n")+"\n")

	return err
}

const widest = 100 // columns; longer lines are hard to read

// layout writes Markdown for a terminal.
type layout struct {
	width int
	paint func(style, s string) string
	src   []byte
}

func (l layout) document(markdown string) string {
	l.src = []byte(markdown)
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(l.src))

	return l.blocks(root, "\n")
}

// blocks writes the blocks within n, with a separator between them.
func (l layout) blocks(n ast.Node, between string) string {
	var parts []string

	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s := l.block(c); s != "" {
			parts = append(parts, s)
		}
	}

	return strings.Join(parts, between)
}

func (l layout) block(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Heading:
		return l.wrap(l.inline(n), bold)
	case *ast.List:
		return l.list(n)
	case *ast.Blockquote:
		inner := l
		// The bar and a blank stand before each line.
		inner.width -= 2

		return l.margin(inner.blocks(n, "\n"), l.paint(faint, "│")+" ", l.paint(faint, "│")+" ")
	case *tables.Table:
		return l.table(n)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return l.margin(l.lines(n), "    ", "    ")
	case *ast.ThematicBreak:
		return l.paint(faint, strings.Repeat("─", l.width)) + "\n"
	case *ast.HTMLBlock:
		return l.wrap(strings.TrimSpace(l.lines(n)), "")
	}

	return l.wrap(l.inline(n), "")
}

func (l layout) lines(n ast.Node) string {
	var b strings.Builder

	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		b.Write(at.Value(l.src))
	}

	return b.String()
}

func (l layout) list(n *ast.List) string {
	between := "\n"
	if n.IsTight {
		between = ""
	}
	var parts []string

	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		inner := l
		inner.width -= utf8.RuneCountInString(mark)
		parts = append(parts,
			l.margin(inner.blocks(item, between), mark, strings.Repeat(" ", utf8.RuneCountInString(mark))))
	}

	return strings.Join(parts, between)
}

// margin puts first before the first line of s and rest before the others.
func (l layout) margin(s, first, rest string) string {
	var b strings.Builder

	before := first
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(before+strings.TrimRight(line, "\n"), " ") + "\n")
		before = rest
	}

	return b.String()
}

// table writes a table with columns as wide as their widest cell; one that does not fit is written row by row.
func (l layout) table(n *tables.Table) string {
	var rows [][]string

	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var cells []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, l.inline(c))
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(rows[0]))

	// Two blanks between columns, and none after the last one.
	whole := 2 * (len(widths) - 1)
	for i := range widths {
		for _, r := range rows {
			if i < len(r) {
				widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
			}
		}
		whole += widths[i]
	}
	if whole > l.width {
		return l.records(rows)
	}
	var b strings.Builder

	for at, r := range rows {
		var line strings.Builder

		for i, cell := range r {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			if i < len(n.Alignments) && n.Alignments[i] == tables.AlignRight {
				line.WriteString(strings.TrimPrefix(gap, "  ") + cell + "  ")
			} else {
				line.WriteString(cell + gap)
			}
		}
		s := strings.TrimRight(line.String(), " ")
		if at == 0 {
			s = l.paint(bold, s)
		}
		b.WriteString(s + "\n")
	}

	return b.String()
}

// records writes each row of a table as lines of "column: cell".
func (l layout) records(rows [][]string) string {
	var parts []string

	for _, r := range rows[1:] {
		var b strings.Builder

		for i, cell := range r {
			if cell != "" && i < len(rows[0]) {
				b.WriteString(l.margin(l.wrap(rows[0][i]+": "+cell, ""), "", "    "))
			}
		}
		parts = append(parts, b.String())
	}

	return strings.Join(parts, "\n")
}

// inline returns the words within a block. Marks of emphasis are left out; a hard break is a new line.
func (l layout) inline(n ast.Node) string {
	var b strings.Builder

	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.WriteString(unescaped(string(c.Value(l.src))))

			switch {
			case c.HardLineBreak():
				b.WriteString("\n")
			case c.SoftLineBreak():
				b.WriteString(" ")
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.URL(l.src))
		case *ast.RawHTML:
			// Raw HTML is shown as text. A terminal does not obey it, and a reader should see it.
			for i := range c.Segments.Len() {
				at := c.Segments.At(i)
				b.Write(at.Value(l.src))
			}
		case *ast.Link:
			b.WriteString(l.inline(c) + " (" + string(c.Destination) + ")")
		default:
			b.WriteString(l.inline(c))
		}
	}

	return b.String()
}

// unescaped takes off the backslashes that keep punctuation from being Markdown.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder

	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}

	return b.String()
}

// wrap breaks a text into lines of at most the width, between words.
func (l layout) wrap(s, style string) string {
	var b strings.Builder

	for line := range strings.SplitSeq(s, "\n") {
		width := 0
		var row strings.Builder
		flush := func() {
			out := row.String()
			if style != "" && out != "" {
				out = l.paint(style, out)
			}
			b.WriteString(out + "\n")
			row.Reset()
			width = 0
		}

		for word := range strings.FieldsSeq(line) {
			n := utf8.RuneCountInString(word)
			// A word that is longer than the line stays whole: a broken address could not be copied.
			if width > 0 && width+1+n > l.width {
				flush()
			}
			if width > 0 {
				row.WriteByte(' ')
				width++
			}
			row.WriteString(word)
			width += n
		}
		flush()
	}

	return b.String()
}
