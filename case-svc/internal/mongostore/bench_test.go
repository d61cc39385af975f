package mongostore_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// BenchmarkListOfCases reads pages of 25 out of 1,000 cases on the embedded store, which reads the whole collection each time, so its times
// tell about that store; out of 10,000 on the server that TEST_MONGODB_URI names.
func BenchmarkListOfCases(b *testing.B) {
	n, server := 1_000, "embedded"
	if os.Getenv("TEST_MONGODB_URI") != "" {
		n, server = 10_000, "real"
	}
	var trips atomic.Int64
	client, err := mongo.Connect(options.Client().ApplyURI(stores.MongoURI(b)).SetMonitor(&event.CommandMonitor{
		Started: func(context.Context, *event.CommandStartedEvent) { trips.Add(1) },
	}))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	db := client.Database(stores.MongoName(b))
	stores.Index(b, db, mongostore.Schema())
	store := mongostore.NewCases(db)

	for i := range n {
		title, status := fmt.Sprintf("Lease %d of [Party %d]", i, i%50+1), []string{"US-CA", "US-NY", "GB-ENG"}[i%3]
		c, err := cases.New("u:ann", ids.New(), ann, cases.Draft{Title: &title, Jurisdiction: &status}, noon.Add(time.Duration(i)*time.Second))
		if err != nil {
			b.Fatal(err)
		}
		if err := store.Create(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}

	for _, bc := range []struct {
		name string
		q    cases.Query
	}{
		{"newest", cases.Query{Sort: cases.ByUpdated, Descending: true, Limit: 26}},
		{"of a state, by title", cases.Query{Filter: cases.Filter{Jurisdiction: "US-CA"}, Sort: cases.ByTitle, Limit: 26}},
		{"of a word", cases.Query{Filter: cases.Filter{Words: []string{"[party 7]"}}, Sort: cases.ByUpdated, Descending: true, Limit: 26}},
		{"of a phrase", cases.Query{Filter: cases.Filter{Words: []string{"[party 7]", "of"}, Phrases: [][]string{{"of", "[party 7]"}}}, Sort: cases.ByUpdated, Descending: true, Limit: 26}},
	} {
		b.Run(fmt.Sprintf("%s/%d cases, %s", bc.name, n, server), func(b *testing.B) {
			b.ReportAllocs()

			before, rounds := trips.Load(), 0
			for b.Loop() {
				rounds++
				if found, err := store.List(b.Context(), "u:ann", bc.q); err != nil || len(found) == 0 {
					b.Fatalf("List = %d cases, %v", len(found), err)
				}
			}
			b.ReportMetric(float64(trips.Load()-before)/float64(rounds), "roundtrips/op")
		})
	}
}
