package mongox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()

	server := func(code int32) error { return mongo.CommandError{Code: code, Message: "planted"} }
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"no document", fmt.Errorf("find: %w", mongo.ErrNoDocuments), false},
		{"the caller left", fmt.Errorf("find: %w", context.Canceled), false},
		{"a mistake of ours", io.ErrUnexpectedEOF, false},
		{"bad value", server(2), false},
		{"duplicate key", mongo.WriteException{WriteErrors: mongo.WriteErrors{{Code: 11000, Message: "planted"}}}, false},
		{"deadline", fmt.Errorf("find: %w", context.DeadlineExceeded), true},
		{"network", mongo.CommandError{Labels: []string{"NetworkError"}, Message: "planted"}, true},
		{"closed", mongo.ErrClientDisconnected, true},
		{"not primary", server(10107), true},
		{"stepped down", server(189), true},
		{"interrupted", server(11602), true},
		{"shutting down", server(91), true},
		{"disk full", server(14031), true},
		{"too slow", server(50), true},
		{"another writer was first", server(112), true},
		{"too many requests", server(462), true},
		{"too many requests, of others", server(16500), true},
		{"a write that may be repeated", mongo.CommandError{Code: 1, Labels: []string{"RetryableWriteError"}, Message: "planted"}, true},
		{"overloaded", mongo.WriteException{Labels: []string{"SystemOverloadedError"}, WriteErrors: mongo.WriteErrors{{Code: 1, Message: "planted"}}}, true},
		{"no majority in time", mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64, Message: "planted"}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := mongox.Unavailable(tc.err)
			if errors.Is(got, errs.ErrUnavailable) != tc.want {
				t.Errorf("Unavailable(%v) = %v, want unavailable: %v", tc.err, got, tc.want)
			}
			if again := mongox.Unavailable(got); !errors.Is(again, got) {
				t.Errorf("Unavailable twice = %v, want %v", again, got)
			}
			if got != nil && strings.Contains(got.Error(), "planted") {
				t.Errorf("Unavailable = %v, which quotes the server", got)
			}
		})
	}
}

func TestIsDuplicate(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := db.Collection("things")
		if err := mongox.EnsureIndexes(t.Context(), c, []mongox.Index{{Fields: []string{"tenant", "ref"}, Unique: true}}); err != nil {
			t.Fatalf("EnsureIndexes: %v", err)
		}
		insert := func(id, ref string) error {
			_, err := c.InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}, {Key: "tenant", Value: "t"}, {Key: "ref", Value: ref}})
			return mongox.Unavailable(err)
		}
		if err := insert("planted-1", "planted-a"); err != nil {
			t.Fatalf("insert: %v", err)
		}

		for name, err := range map[string]error{"_id": insert("planted-1", "planted-b"), "unique index": insert("planted-2", "planted-a")} {
			if !mongox.IsDuplicate(err) || !mongox.IsDuplicate(fmt.Errorf("insert: %w", err)) {
				t.Errorf("%s: %v is no duplicate", name, err)
			}
			if errors.Is(err, errs.ErrUnavailable) || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "11000") {
				t.Errorf("%s: %v, want the code alone", name, err)
			}
		}
		if err := c.FindOne(t.Context(), bson.D{{Key: "_id", Value: "none"}}).Err(); mongox.IsDuplicate(err) || !errors.Is(mongox.Unavailable(err), mongo.ErrNoDocuments) {
			t.Errorf("find of nothing = %v, want %v", err, mongo.ErrNoDocuments)
		}
	})
}
