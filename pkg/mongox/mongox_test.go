package mongox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// nowhere is an address at which nothing listens.
const nowhere = "mongodb://127.0.0.1:1/?directConnection=true"

func open(t *testing.T, cfg mongox.Config) *mongox.DB {
	t.Helper()
	db, err := mongox.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := db.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})

	return db
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		cfg  mongox.Config
		want error
	}{
		{"no address", mongox.Config{Database: "cases"}, mongox.ErrURI},
		{"another scheme", mongox.Config{URI: "http://localhost", Database: "cases"}, mongox.ErrURI},
		{"a password that is not escaped", mongox.Config{URI: "mongodb://u:hunter2%zz@localhost/", Database: "cases"}, mongox.ErrURI},
		{"a bad option", mongox.Config{URI: "mongodb://localhost/?maxPoolSize=hunter2", Database: "cases"}, mongox.ErrURI},
		{"no database", mongox.Config{URI: nowhere}, mongox.ErrDatabase},
		{"a database with a dot", mongox.Config{URI: nowhere, Database: "a.b"}, mongox.ErrDatabase},
		{"a long database", mongox.Config{URI: nowhere, Database: strings.Repeat("a", 64)}, mongox.ErrDatabase},
		{"writes that nobody confirms", mongox.Config{URI: "mongodb://localhost/?w=0", Database: "cases"}, mongox.ErrConcern},
		{"writes in memory alone", mongox.Config{URI: "mongodb://localhost/?w=1", Database: "cases"}, mongox.ErrConcern},
		{"writes in memory, said so", mongox.Config{URI: "mongodb://localhost/?w=1&journal=false", Database: "cases"}, mongox.ErrConcern},
		{"reads that lag behind", mongox.Config{URI: "mongodb://localhost/?readPreference=secondaryPreferred", Database: "cases"}, mongox.ErrReads},
		{"reads from the nearest", mongox.Config{URI: "mongodb://localhost/?readPreference=nearest", Database: "cases"}, mongox.ErrReads},
		{"a negative timeout", mongox.Config{URI: nowhere, Database: "cases", Timeout: -1}, mongox.ErrTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := mongox.Open(t.Context(), tc.cfg)
			if !errors.Is(err, tc.want) {
				t.Fatalf("Open = %v, want %v", err, tc.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Open = %v, which quotes the address", err)
			}
		})
	}
}

func TestAway(t *testing.T) {
	t.Parallel()
	db := open(t, mongox.Config{URI: nowhere, Database: "cases", Timeout: 100 * time.Millisecond})
	if err := db.Ping(t.Context()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Ping = %v, want %v", err, errs.ErrUnavailable)
	}
	_, err := db.Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "secret"}})
	got := mongox.Unavailable(err)
	if !errors.Is(got, errs.ErrUnavailable) || !mongo.IsTimeout(got) {
		t.Errorf("Unavailable(%v) = %v, want %v around it", err, got, errs.ErrUnavailable)
	}
	if text := got.Error(); strings.Contains(text, "secret") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("Unavailable = %v, want no more than the kind", got)
	}
}

func TestPingIsRemembered(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	db := open(t, mongox.Config{URI: link.URL(), Database: stores.MongoName(t), Timeout: 10 * time.Second})
	if err := db.Ping(t.Context()); err != nil {
		t.Fatalf("Ping: %v", err)
	}
	link.Break()
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping within two seconds of a good one = %v, want nil", err)
	}
}

func TestPingDoesNotRememberTheCallersEnd(t *testing.T) {
	t.Parallel()
	db := open(t, mongox.Config{URI: stores.MongoURI(t), Database: stores.MongoName(t), Timeout: 10 * time.Second})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Ping(gone); !errors.Is(err, context.Canceled) || errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Ping of a caller who left = %v, want %v", err, context.Canceled)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping of the next caller = %v, want nil", err)
	}
}
