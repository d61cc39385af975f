package bench

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkGrowth asks a question that reads nothing and stores a file, in a case of its own, on a fresh store and once
// the store has grown: the embedded store has no indexes, so this shows what reads a collection whole.
func BenchmarkGrowth(b *testing.B) {
	dir := b.TempDir()
	s := serve(b, dir, authority(b, dir))
	question, upload := s.grown(b, "fresh")

	const cases, files, runs = 1000, 500, 1000

	crowd := s.newCase(b)
	for i := range files {
		exchange(
			b,
			s.client,
			http.MethodPost,
			crowd,
			s.token,
			"text/plain",
			fmt.Appendf(nil, "Exhibit %d\n\n[Party 1] wrote to [Party 2].", i),
		)
	}

	var last string
	for range cases {
		last = s.newCase(b)
	}

	for range runs {
		s.ask(b, caseOf(s, last), "Help")
	}

	later, laterUpload := s.grown(b, "grown")
	b.ReportMetric(later.Seconds()/question.Seconds(), "question-grown/fresh")
	b.ReportMetric(laterUpload.Seconds()/upload.Seconds(), "upload-grown/fresh")
}

func caseOf(s *site, files string) string {
	return strings.TrimSuffix(strings.TrimPrefix(files, s.base+"/v1/cases/"), "/files")
}

// grown returns the median times of a question without work and of an upload.
func (s *site) grown(b *testing.B, when string) (question, upload time.Duration) {
	b.Helper()
	files := s.newCase(b)
	var begun, asked, sent []time.Duration

	for i := range 15 {
		first, last := s.ask(b, caseOf(s, files), "Help")
		began := time.Now()
		exchange(
			b,
			s.client,
			http.MethodPost,
			files,
			s.token,
			"text/plain",
			fmt.Appendf(nil, "Letter %d %s\n\n[Party 1] wrote to [Party 2].", i, when),
		)
		begun, asked, sent = append(begun, first), append(asked, last), append(sent, time.Since(began))
	}
	slices.Sort(begun)
	slices.Sort(asked)
	slices.Sort(sent)
	b.Logf("%s: first event %v, question %v, upload %v", when, begun[7], asked[7], sent[7])

	return asked[7], sent[7]
}
