package rendition_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
)

// shapes are texts of short pieces, each of at least so many bytes, with the block that holds all of one if any.
var shapes = []struct {
	name, piece string
	block       extract.BlockKind
}{
	{name: "lines", piece: "Rent is due\n"},
	{name: "paragraphs", piece: "Rent is due\n\n"},
	{name: "lines of one quotation", piece: "Rent is due\n", block: extract.Quotation},
	{name: "cells of one row", piece: "Rent is due\t", block: extract.Row},
}

func longText(piece string, block extract.BlockKind, size int) extract.Document {
	text := strings.Repeat(piece, size/len(piece))
	doc := extract.Document{
		Status: extract.OK,
		Text:   text,
		Parts:  []extract.Part{{Kind: extract.Body, Path: "text", Text: text}},
	}
	if block != "" {
		doc.Blocks = []extract.Block{{Kind: block, Level: 1, End: len(text)}}
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
		doc := longText(shape.piece, shape.block, 1<<20)
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
			doc := longText(shape.piece, shape.block, 25<<20)
			b.SetBytes(int64(len(doc.Text)))

			for b.Loop() {
				if _, err := rendition.Markdown(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
