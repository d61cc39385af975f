package casesvc_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// The figures depend on the MongoDB that testkit finds and says; on the embedded one they tell about that store, which reads whole collections.

func BenchmarkCases(b *testing.B) {
	w := start(b, nil)
	ann := user("u:ann", "ann")
	var last api.Case
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			last = into[api.Case](b, w.json(ann, http.MethodPost, "/v1/cases", nil), 201)
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			w.get(ann, "/v1/cases/"+last.CaseID)
		}
	})
}

// BenchmarkReading reads lists and workspaces out of 1,000 cases on the embedded store and of 10,000 on the server that TEST_MONGODB_URI names.
func BenchmarkReading(b *testing.B) {
	n := 1_000
	if os.Getenv("TEST_MONGODB_URI") != "" {
		n = 10_000
	}
	w := start(b, map[string]string{"CASE_SWEEP_EVERY": "1h"})
	bob := user("u:bob", "bob")

	var last api.Case
	for i := range n {
		last = w.newCase(bob, m{"title": fmt.Sprintf("Lease %d of [Party %d]", i, i%50+1), "jurisdiction": []string{"US-CA", "US-NY", "GB-ENG"}[i%3]})
	}

	for i := range 10 {
		into[uploaded](b, w.upload(bob, last.CaseID, nil, textFile("a.txt", fmt.Sprint("Text ", i, "\n\n", complaint))), 201)
	}

	for _, bc := range []struct{ name, path string }{
		{"list", "/v1/cases"},
		{"list of a state by title", "/v1/cases?jurisdiction=US-CA&sort=title"},
		{"case", "/v1/cases/" + last.CaseID},
		{"workspace", "/v1/workspace/case/" + last.CaseID},
	} {
		b.Run(fmt.Sprintf("%s of %d cases", bc.name, n), func(b *testing.B) {
			b.ReportAllocs()
			var took []time.Duration

			for b.Loop() {
				began := time.Now()
				if a := w.get(bob, bc.path); a.Status != 200 {
					b.Fatalf("%s: %d %s", bc.path, a.Status, a.Body)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
			b.ReportMetric(at(0.5), "p50-ms")
			b.ReportMetric(at(0.99), "p99-ms")
			b.ReportMetric(float64(w.commands(func() { w.get(bob, bc.path) })), "roundtrips")
		})
	}
}

func BenchmarkFiles(b *testing.B) {
	w := start(b, map[string]string{"CASE_MAX_FILES": "100000"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	page := strings.Repeat("The tenant shall pay the rent to [Party 1] on the first day of every month. ", 33) + "\n\n"
	n := 0
	b.Run("upload 10 pages", func(b *testing.B) {
		for b.Loop() {
			n++
			into[uploaded](b, w.upload(ann, c.CaseID, nil, textFile("a.txt", fmt.Sprint("Text ", n, "\n\n", strings.Repeat(page, 10)))), 201)
		}
	})

	searched := w.newCase(ann, nil)
	for i := range 10 {
		into[uploaded](b, w.upload(ann, searched.CaseID, nil, textFile("a.txt", fmt.Sprint("Text ", i, " of the landlord\n\n", strings.Repeat(page, 10)))), 201)
	}
	b.Run("search 100 pages", func(b *testing.B) {
		for b.Loop() {
			w.json(agent("u:ann", "ann"), http.MethodPost, "/internal/cases/"+searched.CaseID+"/search", api.SearchCase{Query: "rent of the landlord", Limit: 5})
		}
	})
}
