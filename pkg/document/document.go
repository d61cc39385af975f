// Package document holds a legal document as headings, numbered paragraphs, tables and footnotes, and writes it as
// Markdown and as a Word file. The same document gives the same bytes, whenever and wherever it is written.
package document

import (
	"strings"
	"unicode"
)

// Kind says what a block is.
type Kind int

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading        // Level 1 to 6
	Centred        // a line of a caption or title
	Numbered       // a paragraph with a number: Level 1 "1.", Level 2 "(a)"
	Request        // a paragraph with the number of a request, such as "INTERROGATORY 1:"
	Item           // a point of a list without numbers
	Listed         // a paragraph of a list with the Label that a reader sees, Level 1 to 9
	Quotation
	Table
)

// Block is one block of a document.
type Block struct {
	Kind    Kind
	Level   int
	Label   string // of Listed and of a Heading: a number such as "1.1" or "(a)", or "•"; empty for none
	Restart bool   // of Numbered at level 1: counting begins again at 1
	Text    []Span
	Rows    [][]Cell // of a Table; the first is its head
	Plain   bool     // of a Table: no row is its head in a Word file
}

// Cell is the text of one cell of a table.
type Cell []Span

// Span is a piece of text that looks the same throughout.
type Span struct {
	Text string // one line in Markdown; a Word file may have line ends and tabs in it
	Bold bool
	// Given marks words that are not the writer's own but those of a file or record. They stand in a document as they
	// are, whatever they look like.
	Given bool
	Note  int // the number of the footnote that follows, from 1; 0 for none
}

// Document is a document to be written.
type Document struct {
	Title   string
	Creator string   // what the properties of a Word file name in the place of an author; Creator when empty
	Header  string   // stands at the head of every page
	Footer  string   // stands at the foot of every page of a Word file, above its number
	Request string   // the words before the number of a Request
	Blocks  []Block  // in their order
	Notes   [][]Span // footnotes, the first of which has number 1

	// What a Word file holds beside its text, at its end: comments, and paragraphs that were deleted or are hidden.
	Comments []string
	Deleted  []string
	Hidden   []string
}

// Text returns what a reader of the Word file gets: every block without the numbers that Word makes, then the
// footnotes, then the header, then what the file holds beside its text.
func (d Document) Text() string {
	var all []string

	for _, b := range d.Blocks {
		if b.Kind != Table {
			all = append(all, plain(b.Text))
			continue
		}

		for _, row := range b.Rows {
			for _, cell := range row {
				all = append(all, plain(cell))
			}
		}
	}

	for _, n := range d.Notes {
		all = append(all, plain(n))
	}

	all = append(append(append(append(all, d.Header), d.Comments...), d.Deleted...), d.Hidden...)

	return strings.Join(all, "\n\n")
}

func plain(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}

	return b.String()
}

// numbers counts the numbered blocks of a document.
type numbers struct{ paragraph, sub, request int }

// next returns the number of a block, 0 when its kind has none.
func (n *numbers) next(b Block) int {
	switch {
	case b.Kind == Request:
		n.request++
		return n.request
	case b.Kind == Numbered && b.Level == 2:
		n.sub++
		return n.sub
	case b.Kind == Numbered:
		if b.Restart {
			n.paragraph = 0
		}
		n.paragraph++
		n.sub = 0

		return n.paragraph
	}

	return 0
}

// letter writes 1 as a, 26 as z and 27 as aa, which is how Word counts by letters.
func letter(n int) string {
	// Word repeats the letter (aa, bb), where spreadsheets count on (aa, ab).
	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

// oneLine makes text fit for a span: white space folded, and characters that neither form can hold replaced.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == 0xFFFE, r == 0xFFFF:
			return unicode.ReplacementChar
		}

		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))

	return text
}
