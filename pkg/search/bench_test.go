package search_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// BenchmarkSearchOfSomeFiles searches a case of 500 files for a caller who reads all of them, half, or two.
func BenchmarkSearchOfSomeFiles(b *testing.B) {
	const files, passages, words = 500, 40, 120
	x, ids := bigCase(files, passages, words)

	for _, q := range []struct {
		name, text string
		broad      bool
	}{
		{"q", "notice of termination", false},
		{"question", "How long is the notice period when the landlord ends the lease before the term of it?", true},
	} {
		for _, read := range []int{files, files / 2, 2} {
			b.Run(fmt.Sprintf("%s/%d", q.name, read), func(b *testing.B) {
				opt := search.Options{FileIDs: ids[:read], Among: ids[:read], Broad: q.broad}

				for b.Loop() {
					x.Search(q.text, opt)
				}
			})
		}
	}
}

// bigCase is a case of many files, whose words are as common as in a language: few of them very much so.
func bigCase(files, passages, words int) (x *search.Index, ids []string) {
	rest := strings.Fields("notice termination landlord lease term period rent days tenant agreement shall party payment")
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 4, 20_000)
	var list []search.File

	for i := range files {
		f := search.File{ID: fmt.Sprintf("file-%03d", i)}

		for range passages {
			var text strings.Builder

			for word := range words {
				if word%18 == 17 {
					text.WriteString("ends. The ")
				}
				if n := zipf.Uint64(); n < uint64(len(rest)) {
					text.WriteString(rest[n] + " ")
				} else {
					fmt.Fprintf(&text, "w%dx ", n)
				}
			}
			f.Passages = append(f.Passages, search.Passage{Text: text.String()})
		}
		ids, list = append(ids, f.ID), append(list, f)
	}

	return search.Build(list), ids
}
