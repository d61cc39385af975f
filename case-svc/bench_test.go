package casesvc_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"go.mongodb.org/mongo-driver/v2/bson"
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

// BenchmarkReading reads lists and workspaces out of 100 cases and then, of the same service, out of 1,000 on the
// embedded store and 10,000 on the server that TEST_MONGODB_URI names, and says how many times as long the latter took.
// The case whose workspace is read has 10 files on the embedded store and 500 on the server. Cases beyond 100 are
// copies in the store.
func BenchmarkReading(b *testing.B) {
	few, many, files := 100, 1_000, 10
	if os.Getenv("TEST_MONGODB_URI") != "" {
		many, files = 10_000, 500
	}
	// A server without the order of an index takes longer than a call may; the figure says so.
	w := start(b, map[string]string{"CASE_SWEEP_EVERY": "1h", "MONGODB_TIMEOUT": "20s"})
	bob := user("u:bob", "bob")
	full := w.newCase(bob, m{"title": "Lease of [Party 1]", "jurisdiction": "US-CA"})

	for i := range files {
		text := textFile("a.txt", fmt.Sprint("Text ", i, "\n\n", complaint))
		into[uploaded](b, w.upload(bob, full.CaseID, nil, text), 201)
	}

	before := map[string]float64{}
	have := 1

	for _, n := range []int{few, many} {
		for ; have < few; have++ {
			w.newCase(bob, m{
				"title":        fmt.Sprintf("Lease %d of [Party %d]", have, have%50+1),
				"jurisdiction": []string{"US-CA", "US-NY", "GB-ENG"}[have%3],
			})
		}
		w.copyCases(b, full.CaseID, n-have)
		have = n

		for _, bc := range []struct{ name, path string }{
			{"list", "/v1/cases"},
			{"list of a state by title", "/v1/cases?jurisdiction=US-CA&sort=title"},
			{"case", "/v1/cases/" + full.CaseID},
			{"workspace", "/v1/workspace/case/" + full.CaseID},
		} {
			b.Run(fmt.Sprintf("%s of %d cases", bc.name, n), func(b *testing.B) {
				took := w.reads(b, bob, bc.path)
				if n == few {
					before[bc.name] = took
				} else if before[bc.name] > 0 {
					b.ReportMetric(took/before[bc.name], "growth")
				}
			})
		}
	}
}

// copyCases stores n more cases, copies of those that are there but for one. Making each over HTTP would take an hour
// on a slow server.
func (w *world) copyCases(b *testing.B, but string, n int) {
	b.Helper()
	const batch = 500
	coll := w.database().Collection("cases")
	cursor, err := coll.Find(b.Context(), bson.D{{Key: "id", Value: bson.D{{Key: "$ne", Value: but}}}})
	if err != nil {
		b.Fatal(err)
	}
	var models []bson.D
	if err := cursor.All(b.Context(), &models); err != nil {
		b.Fatal(err)
	}
	var copies []bson.D

	for i := range n {
		id, copied := uuid.NewString(), slices.Clone(models[i%len(models)])
		for at, e := range copied {
			switch e.Key {
			case "_id":
				copied[at].Value = "u:bob/" + id
			case "id":
				copied[at].Value = id
			case "externalRefKey":
				copied[at].Value = "case " + id
			}
		}
		if copies = append(copies, copied); len(copies) < batch && i < n-1 {
			continue
		}
		if _, err := coll.InsertMany(b.Context(), copies); err != nil {
			b.Fatal(err)
		}
		copies = nil
	}
}

// reads gets a path again and again, and returns the median in milliseconds.
func (w *world) reads(b *testing.B, caller access.Caller, path string) float64 {
	b.Helper()
	b.ReportAllocs()
	var took []time.Duration

	for b.Loop() {
		began := time.Now()
		if a := w.get(caller, path); a.Status != 200 {
			b.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(float64(w.commands(func() { w.get(caller, path) })), "roundtrips")

	return at(0.5)
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
