package ferretproxy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const benchDocuments = 10_000

// filled returns a collection of benchDocuments documents of about 600 bytes on the embedded store.
func filled(b *testing.B) *mongo.Collection {
	b.Helper()
	s := start(b)
	c := connect(b, s.Mongo).Collection("things")
	if err := mongox.EnsureIndexes(b.Context(), c, []mongox.Index{{Fields: []string{"tenant", "ref"}, Unique: true}}); err != nil {
		b.Fatal(err)
	}

	for from := 0; from < benchDocuments; from += 1000 {
		var docs []any
		for n := from; n < from+1000; n++ {
			docs = append(docs, document(n, 1))
		}
		if _, err := c.InsertMany(b.Context(), docs); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() { s.stop(b) })

	return c
}

func document(n, version int) bson.D {
	return doc("_id", fmt.Sprint("t/", n), "tenant", "t", "version", version, "ref", n, "text", strings.Repeat("x", 500))
}

// BenchmarkByID measures the embedded store behind its front at 10,000 documents; it says nothing of a real MongoDB.
func BenchmarkByID(b *testing.B) {
	if testing.Short() {
		b.Skip("fills a collection")
	}
	c := filled(b)
	versions := map[int]int{}

	id := func(n int) string { return fmt.Sprint("t/", n*7919%benchDocuments) }
	for _, bench := range []struct {
		name string
		do   func(ctx context.Context, n int) error
	}{
		{"FindOne _id", func(ctx context.Context, n int) error {
			return c.FindOne(ctx, doc("_id", id(n))).Err()
		}},
		{"FindOne _id tenant", func(ctx context.Context, n int) error {
			return c.FindOne(ctx, doc("_id", id(n), "tenant", "t")).Err()
		}},
		{"FindOne _id tenant version, stale", func(ctx context.Context, n int) error {
			if err := c.FindOne(ctx, doc("_id", id(n), "tenant", "t", "version", -1)).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
				return fmt.Errorf("found: %w", err)
			}

			return nil
		}},
		{"ReplaceOne _id tenant version", func(ctx context.Context, n int) error {
			n = n * 7919 % benchDocuments
			next := document(n, versions[n]+2)
			r, err := c.ReplaceOne(ctx, doc("_id", fmt.Sprint("t/", n), "tenant", "t", "version", versions[n]+1), next[1:])
			if err == nil && r.MatchedCount != 1 {
				return fmt.Errorf("matched %d", r.MatchedCount)
			}
			versions[n]++

			return err
		}},
		{"ReplaceOne _id tenant version, stale", func(ctx context.Context, n int) error {
			r, err := c.ReplaceOne(ctx, doc("_id", id(n), "tenant", "t", "version", -1), document(n, 1)[1:])
			if err == nil && r.MatchedCount != 0 {
				return fmt.Errorf("matched %d", r.MatchedCount)
			}

			return err
		}},
		{"InsertOne and DeleteOne _id tenant", func(ctx context.Context, n int) error {
			if _, err := c.InsertOne(ctx, document(benchDocuments+n, 1)); err != nil {
				return err
			}
			r, err := c.DeleteOne(ctx, doc("_id", fmt.Sprint("t/", benchDocuments+n), "tenant", "t"))
			if err == nil && r.DeletedCount != 1 {
				return fmt.Errorf("deleted %d", r.DeletedCount)
			}

			return err
		}},
		{"FindOne by another field", func(ctx context.Context, n int) error {
			return c.FindOne(ctx, doc("tenant", "t", "ref", n*7919%benchDocuments)).Err()
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				if err := bench.do(b.Context(), n); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

// BenchmarkStart measures the way from nothing to the line with the addresses, and back.
func BenchmarkStart(b *testing.B) {
	testkit.StoresProgram(b)

	for b.Loop() {
		start(b).stop(b)
	}
}
