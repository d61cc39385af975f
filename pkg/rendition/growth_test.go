package rendition_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
)

// shape is a text of short pieces. A block holds all of it, or each piece is one.
type shape struct {
	name, piece string
	block       extract.BlockKind
	each        bool
	level       int
	label       func(n int) string
}

var shapes = []shape{
	{name: "lines", piece: "Rent is due\n"},
	{name: "paragraphs", piece: "Rent is due\n\n"},
	{name: "lines of one quotation", piece: "Rent is due\n", block: extract.Quotation},
	{name: "cells of one row", piece: "Rent is due\t", block: extract.Row},
	{name: "rows", piece: "Rent of the premises\t\tis due\n", block: extract.Row, each: true, level: 2},
	{name: "items", piece: "Rent is due\n", block: extract.Item, each: true, level: 3},
	{name: "deep items", piece: "Rent is due\n", block: extract.Item, each: true, level: 250},
	{
		name: "labels without order", piece: "The rent is due at once\n", block: extract.Item, each: true, level: 1,
		label: func(n int) string { return fmt.Sprintf("%d.%d", n*7919%10007, n%13) },
	},
	{
		name: "long labels", piece: strings.Repeat("Rent is due ", 40) + "\n", block: extract.Item, each: true,
		level: 1,
		label: func(int) string { return strings.Repeat("(", 255) },
	},
	{
		name: "headings", piece: "Rent is due\n", block: extract.Heading, each: true, level: 2,
		label: func(n int) string { return fmt.Sprintf("Section %d", n) },
	},
}

// document returns a document of about so many bytes.
func (s shape) document(size int) extract.Document {
	text := strings.Repeat(s.piece, size/len(s.piece))
	doc := extract.Document{
		Status: extract.OK,
		Text:   text,
		Parts:  []extract.Part{{Kind: extract.Body, Path: "text", Text: text}},
	}

	switch {
	case s.each:
		for at := 0; at < len(text); at += len(s.piece) {
			b := extract.Block{Kind: s.block, Level: s.level, Start: at, End: at + len(s.piece) - 1, Label: "•"}
			if s.label != nil {
				b.Label = s.label(len(doc.Blocks))
			}
			doc.Blocks = append(doc.Blocks, b)
		}
	case s.block != "":
		doc.Blocks = []extract.Block{{Kind: s.block, Level: 1, End: len(text)}}
	}

	return doc
}

// The memory that rendering takes grows with the text, and not with its square: a text of 25 MB must not keep a
// service busy for hours. The test does not run in parallel, since it counts what the whole program allocates.
func TestRenderingGrowsWithTheText(t *testing.T) {
	const perByte = 400 // a copy of the rest for each piece takes tens of thousands

	allocated := func(render func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		render()
		runtime.ReadMemStats(&after)

		return after.TotalAlloc - before.TotalAlloc
	}

	for _, shape := range shapes {
		doc := shape.document(1 << 20)
		most := uint64(perByte * len(doc.Text))

		if got := allocated(func() { markdown(t, doc) }); got > most {
			t.Errorf("%s: Markdown of %d bytes takes %d bytes", shape.name, len(doc.Text), got)
		}
		got := allocated(func() {
			if _, err := rendition.Word(t.Context(), doc); err != nil {
				t.Errorf("%s: %v", shape.name, err)
			}
		})
		if got > most {
			t.Errorf("%s: a Word file of %d bytes takes %d bytes", shape.name, len(doc.Text), got)
		}
	}
}

func BenchmarkMarkdown(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			doc := shape.document(25 << 20)
			b.SetBytes(int64(len(doc.Text)))

			for b.Loop() {
				if _, err := rendition.Markdown(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// However deep a file says that an item stands, the blanks before it are few.
func TestDepthOfListsIsBounded(t *testing.T) {
	t.Parallel()
	var doc extract.Document

	for level := range 200 {
		doc.Text += "Rent\n"
		doc.Blocks = append(doc.Blocks, extract.Block{
			Kind: extract.Item, Level: level + 1, Start: 5 * level, End: 5*level + 4, Label: "•",
		})
	}
	if got := len(markdown(t, doc).Bytes); got > 200*len("                        - Rent\n") {
		t.Errorf("%d bytes", got)
	}
}

// Rendering ends when its context does.
func TestRenderingLooksAtItsContext(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	for _, shape := range shapes {
		doc := shape.document(1 << 16)
		if r, err := rendition.Markdown(ended, doc); !errors.Is(err, context.Canceled) || r.Bytes != nil {
			t.Errorf("%s: Markdown of %d bytes, %v", shape.name, len(r.Bytes), err)
		}
		if r, err := rendition.Word(ended, doc); !errors.Is(err, context.Canceled) || r.Bytes != nil {
			t.Errorf("%s: a Word file of %d bytes, %v", shape.name, len(r.Bytes), err)
		}
	}
}
