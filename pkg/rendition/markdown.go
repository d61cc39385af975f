package rendition

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// sections are the headings under which parts stand that are not in the body, in their order.
var sections = []struct{ path, title string }{
	{string(extract.Headers), "Further headers"},
	{string(extract.Numbering), "Words of numbers"},
	{string(extract.AltText), "Descriptions of pictures"},
	{string(extract.Drawings), "Charts and diagrams"},
	{string(extract.Comments), "Comments"},
	{string(extract.TrackedChanges), "Tracked changes"},
	{string(extract.HiddenText), "Hidden text"},
	{string(extract.Links), "Links"},
}

// Markdown writes a document that was read. What a paragraph says stands as it is, without escapes. The text is in
// the form of extracted text: reading it as Markdown gives its very bytes. The error is the context's.
func Markdown(ctx context.Context, doc extract.Document) (Rendition, error) {
	w := &writer{doc: doc, pace: pace{ctx: ctx}}
	w.body()

	for _, s := range sections {
		w.section(s.path, s.title)
	}
	if w.err != nil {
		return Rendition{}, fmt.Errorf("write Markdown: %w", w.err)
	}

	return Rendition{
		MediaType: extract.Markdown,
		Renderer:  MarkdownRenderer,
		Bytes:     []byte(w.out.String()),
		Numbers:   w.allNumbers(),
		pieces:    w.pieces,
	}, nil
}

// writer writes Markdown and notes which bytes of which part stand where.
type writer struct {
	pace
	doc    extract.Document
	out    strings.Builder
	pieces []piece
	labels []extract.Span    // that were written before blocks
	last   extract.BlockKind // of the block that was written last; empty for a paragraph
	depth  int               // of the item that was written last
}

// copied writes bytes from to to of a part.
func (w *writer) copied(path, text string, from, to int) {
	if from >= to {
		return
	}
	w.pieces = append(w.pieces, piece{path: path, from: from, to: to, at: w.out.Len()})
	w.out.WriteString(text[from:to])
}

// apart begins a new paragraph, or a new line of a list or table that goes on.
func (w *writer) apart(kind extract.BlockKind, goesOn bool) {
	if w.out.Len() > 0 {
		if goesOn && kind == w.last {
			w.out.WriteByte('\n')
		} else {
			w.out.WriteString("\n\n")
		}
	}
	w.last = kind
}

// body writes the body: its blocks, and the paragraphs between them.
func (w *writer) body() {
	s := layOut(w.doc)
	at := 0

	for _, b := range s.blocks {
		if w.over() {
			return
		}
		w.paragraphs(s, at, b.from)
		w.block(s, b)
		at = b.to
	}
	w.paragraphs(s, at, len(w.doc.Text))
	w.points(s, len(w.doc.Text))
}

// paragraphs writes text in which there is no block.
func (w *writer) paragraphs(s *layout, from, to int) {
	text := w.doc.Text
	begun := false

	for from < to && !w.over() {
		end := upTo(text, from, to, "\n")
		start := from + len(text[from:end]) - len(strings.TrimLeft(text[from:end], " \t"))
		if start < end {
			w.points(s, start)
			if begun && w.last == "" {
				w.out.WriteByte('\n')
			} else {
				w.apart("", false)
			}
			begun = true
			w.inline(s, start, end)
		} else {
			begun = false
		}
		from = end + 1
	}
}

// inline writes text of one line with the marks that stand in it.
func (w *writer) inline(s *layout, from, to int) {
	for from < to {
		end := to
		if len(s.points) > 0 && s.points[0].at < to {
			end = max(from, s.points[0].at)
		}
		w.copied("text", w.doc.Text, from, end)
		from = end

		for len(s.points) > 0 && s.points[0].at <= from && (from < to || s.points[0].tight) {
			w.within(s.points[0])
			s.points = s.points[1:]
		}
	}
}

// within writes a mark within a line.
func (w *writer) within(p point) {
	if p.tight {
		w.out.WriteString(p.text)
		return
	}
	if before := w.out.String(); before != "" && !strings.HasSuffix(before, " ") {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(p.text)
	if rest := w.doc.Text[p.at:]; rest != "" && !strings.ContainsRune(" \t\n", rune(rest[0])) {
		w.out.WriteByte(' ')
	}
}

// points writes the marks that stand up to a byte of the text, each as a paragraph.
func (w *writer) points(s *layout, upTo int) {
	for len(s.points) > 0 && s.points[0].at <= upTo {
		w.apart("mark", false)
		w.out.WriteString(s.points[0].text)
		s.points = s.points[1:]
	}
}

// block writes a block.
func (w *writer) block(s *layout, b stretch) {
	// A mark between the rows of a table would end it.
	if b.Kind != extract.Row || b.Level == 1 || w.last != b.Kind {
		w.points(s, b.from)
	}

	switch b.Kind {
	case extract.Heading:
		w.apart(b.Kind, false)
		w.out.WriteString(strings.Repeat("#", min(max(b.Level, 1), 6)) + " ")
		if b.Label != "" && b.Label != "•" {
			w.number(b.Label)
		}
		w.lines(s, b, " ")
	case extract.Item:
		if w.last != b.Kind {
			w.depth = 0
		}
		w.apart(b.Kind, true)
		// Markdown takes an item that is indented by more than one step for code.
		w.depth = min(max(b.Level, 1), w.depth+1, mostDepth)
		indent := strings.Repeat("   ", w.depth)
		w.out.WriteString(indent[3:])
		w.bullet(b.Label)
		w.lines(s, b, "\n"+indent)
	case extract.Quotation:
		w.apart(b.Kind, false)
		w.out.WriteString("> ")
		w.lines(s, b, "\n> ")
	case extract.Note:
		w.apart(b.Kind, false)
		w.out.WriteString("[^n." + b.Label + "]: ")
		w.lines(s, b, "\n    ")
	case extract.Row:
		w.row(s, b)
	default:
		w.apart(b.Kind, false)
		w.lines(s, b, "\n")
	}
}

// bullet writes how an item begins.
func (w *writer) bullet(label string) {
	switch label {
	case "":
	case "•":
		w.out.WriteString("- ")
	default:
		w.number(label)
	}
}

// number writes the number of a paragraph before its words.
func (w *writer) number(label string) {
	start := w.out.Len()
	w.out.WriteString(label)
	w.labels = append(w.labels, extract.Span{Start: start, End: w.out.Len()})
	w.out.WriteByte(' ')
}

// allNumbers returns the numbers of paragraphs in what was written: those before blocks, and those that the text itself
// holds.
func (w *writer) allNumbers() []extract.Span {
	list := w.labels

	for _, part := range w.doc.Parts {
		if part.Kind != extract.Body {
			continue
		}
		pieces := w.pieces

		for _, n := range part.Numbers {
			for len(pieces) > 0 && (pieces[0].path != part.Path || pieces[0].to <= n.Start) {
				pieces = pieces[1:]
			}
			if len(pieces) > 0 && pieces[0].from <= n.Start && n.End <= pieces[0].to {
				at := pieces[0].at - pieces[0].from
				list = append(list, extract.Span{Start: at + n.Start, End: at + n.End})
			}
		}
	}
	slices.SortFunc(list, func(a, b extract.Span) int { return cmp.Compare(a.Start, b.Start) })

	return list
}

// lines writes the lines of a block with what stands between them.
func (w *writer) lines(s *layout, b stretch, between string) {
	text := w.doc.Text
	for from := b.from; from < b.to && !w.over(); {
		end := upTo(text, from, b.to, "\n")
		start := from + len(text[from:end]) - len(strings.TrimLeft(text[from:end], " \t"))
		if start < end {
			if from > b.from {
				w.out.WriteString(between)
			}
			w.inline(s, start, end)
		}
		from = end + 1
	}
}

// row writes a row of a table, as long as the table is wide. The first row of a table is its head, as Markdown wants
// one.
func (w *writer) row(s *layout, b stretch) {
	text := w.doc.Text
	head := b.Level == 1 || w.last != b.Kind
	w.apart(b.Kind, !head)
	cells := 0

	for from := b.from; from <= b.to && !w.over(); cells++ {
		end := upTo(text, from, b.to, "\t")
		w.out.WriteString("| ")
		if start := from + len(text[from:end]) - len(strings.TrimLeft(text[from:end], " ")); start < end {
			w.cell(s, start, end)
			w.out.WriteString(" ")
		}
		from = end + 1
	}
	// Readers cut a row that is longer than the head, and leave out the cells of one that is shorter.
	w.out.WriteString(strings.Repeat("| ", b.columns-cells) + "|")
	if head {
		w.out.WriteString("\n" + strings.Repeat("|---", b.columns) + "|")
	}
}

// cell writes a cell with the marks that stand in it and behind it. A bar in it would end it.
func (w *writer) cell(s *layout, from, to int) {
	for from < to {
		at := strings.IndexByte(w.doc.Text[from:to], '|')
		if at < 0 {
			w.inline(s, from, to)
			break
		}
		w.inline(s, from, from+at)
		from += at
		w.out.WriteByte('\\')
		w.copied("text", w.doc.Text, from, from+1)
		from++
	}

	for len(s.points) > 0 && s.points[0].at <= to {
		w.within(s.points[0])
		s.points = s.points[1:]
	}
}

// section writes a part that is not in the body.
func (w *writer) section(path, title string) {
	for _, p := range w.doc.Parts {
		if p.Kind == extract.Body || p.Path != path || p.Text == "" {
			continue
		}
		w.apart("section", false)
		fmt.Fprintf(&w.out, "## %s\n\n", title)
		w.copied(path, p.Text, 0, len(p.Text))
	}
}
