package facts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// BenchmarkExtractors reads a text of one megabyte, a complaint and a lease by turns, with each extractor.
func BenchmarkExtractors(b *testing.B) {
	var unit strings.Builder

	for _, name := range []string{"complaint.txt", "lease.txt"} {
		data, err := os.ReadFile(filepath.Join("..", "answers", "testdata", name))
		if err != nil {
			b.Fatal(err)
		}
		unit.Write(data)
	}
	text := strings.Repeat(unit.String(), 1<<20/unit.Len())

	for _, extractor := range []struct {
		name string
		find func(string) int
	}{
		{"dates", func(s string) int { return len(facts.Dates(s)) }},
		{"money", func(s string) int { return len(facts.Amounts(s)) }},
		{"citations", func(s string) int { return len(facts.Citations(s)) }},
		{"all", func(s string) int { return len(facts.NewReader().Read(s, "").Dates) }},
	} {
		b.Run(extractor.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))

			for b.Loop() {
				if extractor.find(text) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}
