// Package typeset makes DOCX and PDF files of simple text, byte for byte the same each time, so that sample documents
// can be kept as text and checked against what was made of them.
//
// The text is a small part of Markdown: headings of one to three signs, paragraphs of one line, table rows between
// strokes, and three hyphens for a new page.
package typeset

import "strings"

// Kind says what a block is.
type Kind uint8

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading        // with a Level
	Table          // with Rows
	NewPage
)

// Block is a piece of a document.
type Block struct {
	Kind  Kind
	Level int // 1 to 3
	Text  string
	Rows  [][]string
}

// Document is a text to be set.
type Document struct {
	Title  string // the first heading, in the case of a title
	Blocks []Block
}

// Parse reads a document.
func Parse(source string) Document {
	var doc Document

	for line := range strings.SplitSeq(source, "\n") {
		line = strings.TrimSpace(line)

		level := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case line == "":
		case line == "---":
			doc.Blocks = append(doc.Blocks, Block{Kind: NewPage})
		case strings.HasPrefix(line, "|"):
			doc.addRow(strings.Split(strings.Trim(line, "| "), " | "))
		case level > 0:
			text := strings.TrimSpace(line[level:])
			if doc.Title == "" {
				doc.Title = titleCase(text)
			}
			doc.Blocks = append(doc.Blocks, Block{Kind: Heading, Level: min(level, 3), Text: text})
		default:
			doc.Blocks = append(doc.Blocks, Block{Text: line})
		}
	}

	return doc
}

// addRow appends a row to the table that is being read, or begins one.
func (d *Document) addRow(cells []string) {
	if n := len(d.Blocks); n > 0 && d.Blocks[n-1].Kind == Table {
		d.Blocks[n-1].Rows = append(d.Blocks[n-1].Rows, cells)
		return
	}
	d.Blocks = append(d.Blocks, Block{Kind: Table, Rows: [][]string{cells}})
}

// titleCase turns a line of capitals into a title.
func titleCase(text string) string {
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}

	return strings.Join(words, " ")
}
