package ferretproxy_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/subrosa-legal/subrosa/deploy/internal/ferretproxy"
	"github.com/subrosa-legal/subrosa/deploy/internal/ferretproxy/ferret"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// sorts are values of each sort that a document of ours may have, and some that none has.
func sorts() []any {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

	return []any{
		"", "a", "b", "B", "5", "null", "ünïcode", `with "quotes" and \`, "<tag>&", true, false,
		int32(0), int32(1), int32(5), int64(1) << 60, 5.0, 5.5, -1.0, nil,
		noon, noon.Add(-time.Hour),
		time.Time{},
		bson.NewObjectID(),
		bson.A{},
		bson.A{"a", "b"},
		bson.A{int32(5), "x"},
		bson.A{noon},
		doc("a", "b"), []byte("bytes"),
		bson.Regex{Pattern: "a"},
	}
}

// TestNarrowedQueriesFindTheSame: a filter inside of an $and is not narrowed.
func TestNarrowedQueriesFindTheSame(t *testing.T) {
	t.Parallel()
	s := start(t)
	t.Cleanup(func() { s.stop(t) })
	c := connect(t, s.Mongo).Collection("things")
	values := sorts()

	for i, one := range values {
		for j, at := range []int{i + 3, 7*i + 1} {
			n := 2*i + j
			d := doc("_id", fmt.Sprint(i, "/", j), "n", n, "one", one, "other", values[at%len(values)])
			if n%9 == 3 {
				d = d[:3] // without the last
			}
			if _, err := c.InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}

	for _, filter := range filters(values) {
		whole := doc("$and", bson.A{filter})
		for name, ask := range asking() {
			got, err := ask(t.Context(), c, filter)
			want, wantErr := ask(t.Context(), c, whole)
			if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
				t.Errorf("%s by %v = %s, %v; want %s, %v", name, filter, bson.Raw(got), err, bson.Raw(want), wantErr)
			}
		}
	}

	aside := c.Database().Client().Database(ferretproxy.Aside)
	copies, err := aside.ListCollectionNames(t.Context(), doc())
	if err != nil || len(copies) == 0 {
		t.Fatalf("collections of copies = %v, %v", copies, err)
	}

	for _, name := range copies {
		if n, err := aside.Collection(name).CountDocuments(t.Context(), doc()); n != 0 || err != nil {
			t.Errorf("%s keeps %d copies, %v", name, n, err)
		}
	}
}

// filters name values in each way that may be narrowed.
func filters(values []any) []bson.D {
	var all []bson.D

	for i, v := range values {
		next, beside := values[(i+1)%len(values)], values[(i+3)%len(values)]

		all = append(all,
			doc("one", v), doc("one", v, "other", beside), doc("one", doc("$eq", v)), doc("absent", v),
			doc("one", doc("$in", bson.A{v, next})), doc("one", doc("$ne", v), "other", "a"),
		)
		for _, op := range []string{"$lt", "$lte", "$gt", "$gte"} {
			all = append(all, doc("one", doc(op, v)))
		}
	}

	return append(all,
		doc("one", doc("$in", bson.A{})), doc("one", doc("$gte", "a", "$lt", "c")),
		doc("one", doc("$exists", false), "other", "a"), doc("one.a", "b", "other", "a"),
		doc("one", "a", "$or", bson.A{doc("other", "a"), doc("other", true)}),
		doc("_id", doc("$gt", "3/"), "other", "a"), doc("one", doc("$not", doc("$gt", "a")), "other", "b"),
	)
}

// asking are the ways to read, each with an answer that can be compared.
func asking() map[string]func(context.Context, *mongo.Collection, bson.D) ([]byte, error) {
	listed := func(ctx context.Context, cursor *mongo.Cursor, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		all := []bson.Raw{}
		err = cursor.All(ctx, &all)
		raw, _ := bson.Marshal(doc("all", all))

		return raw, err
	}

	return map[string]func(context.Context, *mongo.Collection, bson.D) ([]byte, error){
		"a find": func(ctx context.Context, c *mongo.Collection, filter bson.D) ([]byte, error) {
			cursor, err := c.Find(ctx, filter, options.Find().SetBatchSize(1000))
			return listed(ctx, cursor, err)
		},
		"a sorted page": func(ctx context.Context, c *mongo.Collection, filter bson.D) ([]byte, error) {
			page := options.Find().SetSort(doc("n", -1)).SetLimit(3).SetSkip(1).SetProjection(doc("one", 1))
			cursor, err := c.Find(ctx, filter, page)

			return listed(ctx, cursor, err)
		},
		"small batches": func(ctx context.Context, c *mongo.Collection, filter bson.D) ([]byte, error) {
			cursor, err := c.Find(ctx, filter, options.Find().SetBatchSize(7))
			return listed(ctx, cursor, err)
		},
		"a count": func(ctx context.Context, c *mongo.Collection, filter bson.D) ([]byte, error) {
			n, err := c.CountDocuments(ctx, filter)
			return fmt.Append(nil, n), err
		},
	}
}

// watching is an embedded server of which is known how queries were narrowed.
type watching struct {
	*ferret.Server

	copied, whole atomic.Int64
}

func (w *watching) Narrow(
	database, collection string, all []ferretproxy.Condition, into string, most int,
) (int, error) {
	n, err := w.Server.Narrow(database, collection, all, into, most)
	if err != nil || n < 0 {
		w.whole.Add(1)
	} else {
		w.copied.Add(int64(n))
	}

	return n, err
}

// watched returns a collection of a server in this process, where the race detector must not be.
func watched(t *testing.T, prepare ...func(*ferret.Server)) (*watching, *mongo.Collection) {
	t.Helper()
	server, err := ferret.Start(t.TempDir(), true, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}

	for _, p := range prepare {
		p(server)
	}
	w := &watching{Server: server}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := ferretproxy.New(w, slog.New(slog.DiscardHandler))

	go func() { _ = front.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = front.Shutdown(ctx)
		_ = server.Close(ctx)
	})

	return w, connect(t, "mongodb://"+listener.Addr().String()).Collection("files")
}

// TestNarrowedQueriesReadFewDocuments: of 300 documents a query unpacks those that it names.
func TestNarrowedQueriesReadFewDocuments(t *testing.T) {
	testkit.WithoutDetector(t)
	t.Parallel()
	w, c := watched(t)
	fill := func(version string) {
		for i := range 300 {
			d := doc("_id", fmt.Sprint(i), "tenant", "t", "caseId", fmt.Sprint("case ", i/3), "version", version)
			if _, err := c.InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	ofCase := func() (ids []string) {
		filter := doc("tenant", "t", "caseId", "case 50")
		cursor, err := c.Find(t.Context(), filter, options.Find().SetSort(doc("_id", -1)))
		if err != nil {
			t.Fatal(err)
		}
		var found []struct {
			ID      string `bson:"_id"`
			Version string
		}
		if err := cursor.All(t.Context(), &found); err != nil {
			t.Fatal(err)
		}

		for _, f := range found {
			ids = append(ids, f.ID+f.Version)
		}

		return ids
	}

	fill("first")
	if got := ofCase(); !slices.Equal(got, []string{"152first", "151first", "150first"}) {
		t.Errorf("files of a case = %v", got)
	}
	if copied, whole := w.copied.Load(), w.whole.Load(); copied != 3 || whole != 0 {
		t.Errorf("%d documents were read, and %d times all; want the 3 of the case", copied, whole)
	}

	if err := c.Database().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ofCase(); len(got) != 0 {
		t.Errorf("files of a dropped database = %v", got)
	}
	w.whole.Store(0) // there was nothing to narrow

	fill("second")
	if got := ofCase(); !slices.Equal(got, []string{"152second", "151second", "150second"}) {
		t.Errorf("files of a database that was dropped and filled again = %v", got)
	}
	if whole := w.whole.Load(); whole != 0 {
		t.Errorf("%d queries read all documents", whole)
	}
}

// TestFewDocumentsAreReadWhole: to copy some of them aside would take longer. Once there are more, queries read few.
func TestFewDocumentsAreReadWhole(t *testing.T) {
	testkit.WithoutDetector(t)
	t.Parallel()
	w, c := watched(t)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			d := doc("_id", fmt.Sprint(i), "caseId", fmt.Sprint("case ", i/3))
			if _, err := c.InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask := func() {
		if n, err := c.CountDocuments(t.Context(), doc("caseId", "case 1")); n != 3 || err != nil {
			t.Fatalf("the case has %d files, %v; want 3", n, err)
		}
	}

	fill(0, 6)
	ask()
	if copied, whole := w.copied.Load(), w.whole.Load(); copied != 0 || whole != 1 {
		t.Errorf("of 6 documents %d were copied, and %d times all were read; want 0 and once", copied, whole)
	}

	fill(6, 60)

	for range 20 {
		ask()
	}
	copied, whole := w.copied.Load(), w.whole.Load()
	ask()
	if more := w.copied.Load() - copied; more != 3 || w.whole.Load() != whole {
		t.Errorf("of 60 documents %d were copied, and %d times all were read; want 3 and never", more, w.whole.Load()-whole)
	}
}

// TestFewDocumentsAreNarrowedWhereAsked: contracts of stores, which have few documents, are held so.
func TestFewDocumentsAreNarrowedWhereAsked(t *testing.T) {
	testkit.WithoutDetector(t)
	t.Parallel()
	w, c := watched(t, (*ferret.Server).NarrowAlways)
	if _, err := c.InsertMany(t.Context(), []bson.D{doc("caseId", "a"), doc("caseId", "b")}); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		if n, err := c.CountDocuments(t.Context(), doc("caseId", "a")); n != 1 || err != nil {
			t.Errorf("the case has %d files, %v; want 1", n, err)
		}
	}
	if copied, whole := w.copied.Load(), w.whole.Load(); copied != 2 || whole != 0 {
		t.Errorf("%d documents were copied, and %d times all were read; want one for each query", copied, whole)
	}
}

// TestQueriesFollowTheNameOfACollection: queries that name the value of a field find what a collection holds now, after
// it was dropped, made again, and renamed.
func TestQueriesFollowTheNameOfACollection(t *testing.T) {
	testkit.WithoutDetector(t)
	t.Parallel()
	w, c := watched(t)
	db := c.Database()
	fill := func(version string) {
		t.Helper()

		for i := range 20 {
			if _, err := c.InsertOne(t.Context(), doc("_id", i, "caseId", i/2, "version", version)); err != nil {
				t.Fatal(err)
			}
		}
	}
	finds := func(collection string, want ...string) {
		t.Helper()
		cursor, err := db.Collection(collection).Find(t.Context(), doc("caseId", 2))
		if err != nil {
			t.Fatal(err)
		}
		var found []struct{ Version string }
		if err := cursor.All(t.Context(), &found); err != nil {
			t.Fatal(err)
		}
		var got []string

		for _, f := range found {
			got = append(got, f.Version)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q for a case, want %q", collection, got, want)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		all := doc("renameCollection", db.Name()+"."+from, "to", db.Name()+"."+to)
		if err := db.Client().Database("admin").RunCommand(t.Context(), all).Err(); err != nil {
			t.Fatal(err)
		}
	}

	fill("first")
	finds("files", "first", "first")
	if err := c.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	finds("files")
	fill("second")
	finds("files", "second", "second")

	rename("files", "old")
	finds("files")
	finds("old", "second", "second")
	fill("third")
	finds("files", "third", "third")
	finds("old", "second", "second")

	rename("old", "older")
	rename("files", "old")
	finds("old", "third", "third")
	finds("older", "second", "second")
	if n := w.whole.Load(); n != 0 {
		t.Errorf("%d queries read all documents", n)
	}
}
