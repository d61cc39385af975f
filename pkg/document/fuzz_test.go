package document_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/document"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// FuzzGiven wants words that are given, whatever they are, to stay one span of one block, and a Word file that holds
// them to be readable and to hold nothing else.
func FuzzGiven(f *testing.F) {
	for _, seed := range []string{
		"plain", "# a | b\n+ c", "\x01\x02\x03\x04\x05", "{{x}} [^n.1] **b** <w:t>&", "\xff\u2028\ufffe]]>", " ", "@ |",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		given := document.Given(words)
		blocks, err := document.Parse("| a | x" + given + "y |")
		if err != nil || len(blocks) != 1 || len(blocks[0].Rows) != 1 || len(blocks[0].Rows[0]) != 2 {
			t.Fatalf("Parse = %+v, %v", blocks, err)
		}
		cell := blocks[0].Rows[0][1]
		if want := given != ""; len(cell) > 1 != want || want && (!cell[1].Given || cell[1].Bold || cell[1].Note != 0) {
			t.Fatalf("cell = %+v of %q", cell, words)
		}
		d := document.Document{Title: "T", Header: "H", Blocks: blocks}
		if lines := strings.Count(d.Markdown(), "\n"); lines != 4 {
			t.Errorf("Markdown has %d lines: %q", lines, d.Markdown())
		}
		file, err := d.DOCX()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := extract.Extract(
			context.Background(),
			bytes.NewReader(file),
			int64(len(file)),
			extract.DOCX,
			extract.DefaultLimits(),
		)
		if err != nil || doc.Text == "" {
			t.Errorf("Extract = %+v, %v", doc, err)
		}
	})
}
