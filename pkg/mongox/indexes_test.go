package mongox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestEnsureIndexes(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := db.Collection("things")
		want := []mongox.Index{{Fields: []string{"tenant", "-createdAt", "_id"}}, {Fields: []string{"tenant", "ref"}, Unique: true}}

		if err := mongox.EnsureIndexes(t.Context(), c, want[1:]); err != nil { // of the release before
			t.Fatalf("EnsureIndexes: %v", err)
		}

		var replicas sync.WaitGroup
		for range 4 {
			replicas.Go(func() {
				if err := mongox.EnsureIndexes(t.Context(), c, want); err != nil {
					t.Errorf("EnsureIndexes: %v", err)
				}
			})
		}
		replicas.Wait()
		specs, err := c.Indexes().ListSpecifications(t.Context())
		if err != nil {
			t.Fatalf("list indexes: %v", err)
		}

		got := map[string]bool{}
		for _, s := range specs {
			got[s.Name] = s.Unique != nil && *s.Unique
		}
		if unique, ok := got["tenant_1_createdAt_-1__id_1"]; !ok || unique || !got["tenant_1_ref_1"] || len(got) != 3 {
			t.Errorf("indexes = %v, want those two and that of _id", got)
		}
	})
}

// A dry run tells what is missing and changes nothing; what is made is not made again.
func TestMigrate(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		schema := mongox.Schema{
			"things": {{Fields: []string{"tenant", "-createdAt"}}, {Fields: []string{"tenant", "ref"}, Unique: true}},
			"others": {{Fields: []string{"tenant", "name"}}},
		}
		if err := mongox.EnsureIndexes(t.Context(), db.Collection("things"), schema["things"][:1]); err != nil {
			t.Fatal(err)
		}
		migrate := func(dry bool) string {
			t.Helper()
			var out strings.Builder
			if err := mongox.Migrate(t.Context(), db, schema, dry, &out); err != nil {
				t.Fatalf("Migrate: %v", err)
			}

			return out.String()
		}
		const missing = "others: index (tenant, name) is missing\nthings: index (tenant, ref), unique, is missing\n"
		if said := migrate(true); said != missing+"2 indexes are missing; nothing was changed\n" {
			t.Errorf("dry run: %s", said)
		}
		if said := migrate(false); !strings.Contains(said, "things: index (tenant, ref), unique, is missing\n") ||
			!strings.HasSuffix(said, "2 indexes were made\n") {
			t.Errorf("run: %s", said)
		}
		if said := migrate(false); said != "nothing is missing\n" {
			t.Errorf("again: %s", said)
		}
		thing := func(id string) bson.D {
			return bson.D{{Key: "_id", Value: id}, {Key: "tenant", Value: "t"}, {Key: "ref", Value: "r"}}
		}
		if _, err := db.Collection("things").InsertOne(t.Context(), thing("a")); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Collection("things").InsertOne(t.Context(), thing("b")); !mongox.IsDuplicate(
			err,
		) {
			t.Errorf("the unique index is not there: %v", err)
		}
	})
}

func TestEnsureIndexesRefuses(t *testing.T) {
	t.Parallel()

	db := stores.Mongo(t)
	for name, fields := range map[string][]string{
		"no fields": nil, "an empty field": {""}, "a minus alone": {"-"}, "a field twice": {"a", "-a"}, "a wildcard": {"$**"}, "two minuses": {"--a"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := mongox.EnsureIndexes(t.Context(), db.Collection("things"), []mongox.Index{{Fields: fields}}); !errors.Is(err, mongox.ErrIndex) {
				t.Errorf("EnsureIndexes = %v, want %v", err, mongox.ErrIndex)
			}
		})
	}
}

var schema = mongox.Schema{
	"cases":  {{Fields: []string{"tenant", "-createdAt"}}},
	"agents": {{Fields: []string{"tenant", "tokenHash"}, Unique: true}},
}

// A service starts while MongoDB is away and is ready once it came.
func TestIndexesAreMadeWhenMongoComes(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	link.Break()
	db := open(t, mongox.Config{URI: link.URL(), Database: stores.MongoName(t), Timeout: 500 * time.Millisecond})
	log := &record{}
	indexes := mongox.MakeIndexes(t.Context(), db.Database(), schema, log.logger())
	if err := indexes.Ready(); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Ready at first = %v, want %v", err, errs.ErrUnavailable)
	}

	short, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	if err := indexes.Wait(short); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Wait while MongoDB is away = %v, want %v and %v", err, context.DeadlineExceeded, errs.ErrUnavailable)
	}
	link.Mend()
	if err := indexes.Wait(t.Context()); err != nil {
		t.Errorf("Wait = %v, want nil", err)
	}
	if err := indexes.Ready(); err != nil {
		t.Errorf("Ready = %v, want nil", err)
	}
	names, err := db.Database().ListCollectionNames(t.Context(), bson.D{})
	if err != nil || len(names) != len(schema) {
		t.Errorf("collections = %v, %v, want those of the schema", names, err)
	}
	if !strings.Contains(log.String(), "trying again") {
		t.Errorf("log = %q, want a warning of the outage", log)
	}
}

// A call that comes while the first try is under way waits for it; when that has failed, calls are refused at once.
func TestIndexesAdmitAfterTheFirstTry(t *testing.T) {
	t.Parallel()
	db := open(t, mongox.Config{URI: stores.MongoURI(t), Database: stores.MongoName(t), Timeout: 10 * time.Second})
	indexes := mongox.MakeIndexes(t.Context(), db.Database(), schema, (&record{}).logger())
	if err := indexes.Admit(t.Context()); err != nil {
		t.Errorf("Admit while indexes are being made = %v, want nil", err)
	}
	link := stores.Cut(t, stores.MongoURI(t))
	link.Break()
	away := open(t, mongox.Config{URI: link.URL(), Database: stores.MongoName(t), Timeout: 300 * time.Millisecond})
	indexes = mongox.MakeIndexes(t.Context(), away.Database(), schema, (&record{}).logger())
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := indexes.Admit(gone); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Admit of a call that was given up = %v, want %v", err, errs.ErrUnavailable)
	}
	began := time.Now()

	for range 20 {
		if err := indexes.Admit(t.Context()); !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("Admit while MongoDB is away = %v, want %v", err, errs.ErrUnavailable)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("20 calls waited %v, so more than one waited for more than the first try", took)
	}
}

// Documents that break a unique index keep a service from being ready until somebody removes them.
func TestIndexesWaitForACure(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		agents := db.Collection("agents")
		for _, id := range []string{"a", "b"} {
			if _, err := agents.InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}, {Key: "tenant", Value: "planted"}, {Key: "tokenHash", Value: "planted"}}); err != nil {
				t.Fatalf("insert: %v", err)
			}
		}
		log := &record{}
		indexes := mongox.MakeIndexes(t.Context(), db, schema, log.logger())
		testkit.Until(t, testkit.Patience, func() error {
			if !strings.Contains(log.String(), "trying again") {
				return errors.New("no warning is logged")
			}

			return nil
		})
		if err := indexes.Ready(); !errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("Ready = %v, want %v", err, errs.ErrUnavailable)
		}
		if strings.Contains(log.String(), "planted") {
			t.Errorf("log = %q, which quotes a document", log)
		}
		if _, err := agents.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "b"}}); err != nil {
			t.Fatalf("delete: %v", err)
		}
		if err := indexes.Wait(t.Context()); err != nil {
			t.Errorf("Wait after the cure = %v, want nil", err)
		}
	})
}

func TestIndexesAreGivenUpWithTheirContext(t *testing.T) {
	t.Parallel()
	db := open(t, mongox.Config{URI: nowhere, Database: "cases", Timeout: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	indexes := mongox.MakeIndexes(ctx, db.Database(), schema, slog.New(slog.DiscardHandler))
	cancel()
	if err := indexes.Wait(t.Context()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Wait = %v, want %v", err, errs.ErrUnavailable)
	}
}

// record keeps what is logged.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.text.String()
}
