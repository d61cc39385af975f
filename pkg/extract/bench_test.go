package extract_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

func BenchmarkExtract(b *testing.B) {
	file := pdftest.New()
	for range 100 {
		file.TextPage(strings.Split(strings.Repeat(prose+"\n", 8), "\n")...)
	}

	for name, tc := range map[string]struct {
		mediaType string
		data      []byte
	}{
		"text, 1 MB":     {extract.PlainText, []byte(strings.Repeat(prose+"\n\n", 1<<20/len(prose)))},
		"DOCX, 1 MB":     {extract.DOCX, docxtest.New(docxBody()).Bytes()},
		"PDF, 100 pages": {extract.PDF, file.Bytes()},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()

			for b.Loop() {
				doc, err := extract.Extract(b.Context(), bytes.NewReader(tc.data), int64(len(tc.data)), tc.mediaType, extract.DefaultLimits())
				if err != nil || doc.Status != extract.OK {
					b.Fatal(doc.Status, doc.Reason, err)
				}
				extract.Passages(doc)
			}
		})
	}
}

// docxBody returns a body of about one megabyte that does not pack suspiciously well.
func docxBody() string {
	var body strings.Builder
	state := uint32(1)

	for body.Len() < 1<<20 {
		text := ""

		for range 60 {
			state = state*1664525 + 1013904223
			text += string(rune('a'+state>>27%26)) + string(rune('a'+state>>20%26)) + "ing "
		}
		body.WriteString(docxtest.P(text))
	}

	return body.String()
}
