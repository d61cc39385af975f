package rendition

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/document"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// Creator is what the properties of a rendition name in the place of an author.
const Creator = "rendition by software"

// Word writes a document that was read as a new Word file, so that it can be edited, and filled with names where
// these are known. It says the same as the Markdown: comments, deleted and hidden text are that in Word too, and what
// else is not in the body follows it under headings. The error is the context's, or says that the archive cannot be
// made.
func Word(ctx context.Context, doc extract.Document) (Rendition, error) {
	m := &modeller{
		source: doc,
		out:    document.Document{Creator: Creator},
		notes:  map[string]int{},
		pace:   pace{ctx: ctx},
	}
	m.body()

	for _, s := range sections {
		m.section(s.path, s.title)
	}
	if m.err != nil {
		return Rendition{}, fmt.Errorf("write a Word file: %w", m.err)
	}
	content, err := m.out.DOCX()
	if err != nil {
		return Rendition{}, fmt.Errorf("write a Word file: %w", err)
	}

	return Rendition{MediaType: extract.DOCX, Renderer: WordRenderer, Bytes: content}, nil
}

// modeller turns an extracted document into one that can be written.
type modeller struct {
	pace
	source extract.Document
	out    document.Document
	points []point
	notes  map[string]int // numbers of notes by their labels
}

// body models the body: its blocks, and the paragraphs between them.
func (m *modeller) body() {
	s := layOut(m.source)
	m.points = slices.DeleteFunc(s.points, func(p point) bool { return p.page })
	m.number(s.blocks)

	at := 0

	for _, b := range s.blocks {
		if m.over() {
			return
		}
		m.paragraphs(at, b.from)
		m.block(b)
		at = b.to
	}
	m.paragraphs(at, len(m.source.Text))
	m.marks(len(m.source.Text))
}

// number gives the notes their numbers, since references stand before them.
func (m *modeller) number(blocks []stretch) {
	for _, b := range blocks {
		if b.Kind == extract.Note {
			m.notes[b.Label] = len(m.notes) + 1
		}
	}
	m.out.Notes = make([][]document.Span, len(m.notes))
}

// marks adds the marks that stand up to a byte, each as a paragraph.
func (m *modeller) marks(upTo int) {
	for len(m.points) > 0 && m.points[0].at <= upTo {
		if !m.points[0].tight && !m.points[0].line {
			m.add(document.Block{Text: []document.Span{{Text: m.points[0].text}}})
		}
		m.points = m.points[1:]
	}
}

func (m *modeller) add(b document.Block) { m.out.Blocks = append(m.out.Blocks, b) }

// spans returns text with the marks that stand in it.
func (m *modeller) spans(from, to int) []document.Span {
	var list []document.Span

	text := m.source.Text
	for len(m.points) > 0 && m.points[0].at <= to {
		p := m.points[0]
		if !p.tight && p.at == to {
			// It stands behind the paragraph, where marks writes it.
			break
		}
		at := max(from, p.at)
		s := document.Span{Text: text[from:at], Given: true}

		switch {
		case p.tight:
			s.Note = m.notes[strings.TrimSuffix(strings.TrimPrefix(p.text, "[^n."), "]")]
		case p.line:
			s.Text += "\n"
			at += len(text[at:to]) - len(strings.TrimLeft(text[at:to], " "))
		default:
			s.Text += " " + p.text + " "
		}
		list = append(list, s)
		from, m.points = at, m.points[1:]
	}
	if from < to {
		list = append(list, document.Span{Text: text[from:to], Given: true})
	}

	return list
}

// paragraphs adds text in which there is no block: a paragraph up to each empty line.
func (m *modeller) paragraphs(from, to int) {
	for from < to && !m.over() {
		end := upTo(m.source.Text, from, to, "\n\n")
		start, stop := trim(m.source.Text, from, end)
		if start < stop {
			m.marks(start)
			m.add(document.Block{Text: m.spans(start, stop)})
		}
		from = end + 2
	}
}

// trim leaves out line ends at both ends.
func trim(text string, from, to int) (start, stop int) {
	for from < to && text[from] == '\n' {
		from++
	}

	for to > from && text[to-1] == '\n' {
		to--
	}

	return from, to
}

// block adds a block.
func (m *modeller) block(b stretch) {
	// A mark between the rows of a table would end it.
	if b.Kind != extract.Row || b.Level == 1 {
		m.marks(b.from)
	}
	text := m.source.Text[b.from:b.to]

	switch b.Kind {
	case extract.Header:
		m.out.Header = joined(m.out.Header, text)
	case extract.Footer:
		m.out.Footer = joined(m.out.Footer, text)
	case extract.Note:
		m.out.Notes[m.notes[b.Label]-1] = m.spans(b.from, b.to)
	case extract.Heading:
		m.add(document.Block{
			Kind:  document.Heading,
			Level: min(max(b.Level, 1), 6),
			Label: b.Label,
			Text:  m.spans(b.from, b.to),
		})
	case extract.Quotation:
		m.add(document.Block{Kind: document.Quotation, Text: m.spans(b.from, b.to)})
	case extract.Row:
		if b.columns > mostWordColumns {
			// The row keeps its tabs as a paragraph.
			m.add(document.Block{Text: m.spans(b.from, b.to)})
			return
		}
		m.row(b)
	case extract.Item:
		m.add(document.Block{
			Kind:  document.Listed,
			Level: min(max(b.Level, 1), mostDepth),
			Label: b.Label,
			Text:  m.spans(b.from, b.to),
		})
	default:
		m.add(document.Block{Text: m.spans(b.from, b.to)})
	}
}

// mostWordColumns is how many columns a table of Word may have.
const mostWordColumns = 63

func joined(before, text string) string { return strings.TrimPrefix(before+"\n"+text, "\n") }

// row adds a row to its table, as long as the table is wide.
func (m *modeller) row(b stretch) {
	cells := make([]document.Cell, 0, b.columns)

	for from := b.from; from <= b.to && !m.over(); {
		end := upTo(m.source.Text, from, b.to, "\t")
		var cell document.Cell
		if from < end {
			cell = m.spans(from, end)
		}

		for len(cell) > 0 && len(m.points) > 0 && m.points[0].at <= end {
			cell = append(cell, document.Span{Text: " " + m.points[0].text})
			m.points = m.points[1:]
		}
		cells = append(cells, cell)
		from = end + 1
	}
	cells = append(cells, make([]document.Cell, b.columns-len(cells))...)
	last := len(m.out.Blocks) - 1
	if b.Level == 1 || last < 0 || m.out.Blocks[last].Kind != document.Table {
		m.add(document.Block{Kind: document.Table, Plain: true})
		last++
	}
	m.out.Blocks[last].Rows = append(m.out.Blocks[last].Rows, cells)
}

// section adds a part that is not in the body. The words of numbers stand before their paragraphs.
func (m *modeller) section(path, title string) {
	for _, p := range m.source.Parts {
		if p.Kind == extract.Body || p.Path != path || p.Text == "" {
			continue
		}

		switch p.Kind {
		case extract.Comments:
			m.out.Comments = strings.Split(p.Text, "\n\n")
		case extract.TrackedChanges:
			m.out.Deleted = lines(p.Text)
		case extract.HiddenText:
			m.out.Hidden = lines(p.Text)
		case extract.Numbering:
		default:
			m.titled(title, p.Text)
		}
	}
}

// lines returns the lines of a text that say something.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
}

// titled adds a text under a heading.
func (m *modeller) titled(title, text string) {
	m.add(document.Block{Kind: document.Heading, Level: 2, Text: []document.Span{{Text: title}}})

	for paragraph := range strings.SplitSeq(text, "\n\n") {
		m.add(document.Block{Text: []document.Span{{Text: paragraph, Given: true}}})
	}
}
