package chain_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// An event goes into the chain with what comes before and after it, or not at all when what comes before is refused.
func TestAppendWithOtherWrites(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c, others := newChain(db), db.Collection("others")
		write := func(id string) mongox.Write { return mongox.Inserting(others, bson.D{{Key: "_id", Value: id}}) }
		taken := write("taken")

		for _, tc := range []struct {
			name          string
			before, after []mongox.Write
			want          []error
			events        int
		}{
			{"alone", nil, nil, []error{nil}, 1},
			{"both", []mongox.Write{write("a"), taken}, []mongox.Write{write("b")}, []error{nil, nil, nil, nil}, 1},
			{
				"refused before",
				[]mongox.Write{taken},
				[]mongox.Write{write("c")},
				[]error{errs.ErrTaken, mongox.ErrNotReached, mongox.ErrNotReached},
				0,
			},
			{
				"refused after", nil,
				[]mongox.Write{taken, write("d")},
				[]error{nil, errs.ErrTaken, mongox.ErrNotReached},
				1,
			},
		} {
			t.Run(tc.name, func(t *testing.T) {
				held := len(list(t, c, "o:firm", chain.Filter{}))

				got, err := c.AppendWith(t.Context(), "o:firm", event("phase.begin", tc.name), tc.before, tc.after)
				if errors.Is(err, mongox.ErrAlone) {
					t.Skip("this server does one write at a time")
				}
				if err != nil || fmt.Sprint(got) != fmt.Sprint(tc.want) {
					t.Fatalf("AppendWith = %v, %v, want %v", got, err, tc.want)
				}
				if n := len(list(t, c, "o:firm", chain.Filter{})) - held; n != tc.events {
					t.Errorf("%d events more, want %d", n, tc.events)
				}
			})
		}
	})
}

// Processes that append to one chain, with other writes and without, leave it whole, and do what goes with an event
// once.
func TestRacingAppendersWithOtherWrites(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		const writers, each = 6, 8
		others := db.Collection("others")
		var all sync.WaitGroup
		var alone atomic.Bool // the server does one write at a time

		for w := range writers {
			c := newChain(db) // each a process of its own
			all.Go(func() {
				for i := range each {
					id := fmt.Sprintf("%d-%d", w, i)
					before := []mongox.Write{mongox.Inserting(others, bson.D{{Key: "_id", Value: "before " + id}})}
					after := []mongox.Write{mongox.Inserting(others, bson.D{{Key: "_id", Value: "after " + id}})}
					got, err := c.AppendWith(t.Context(), "o:firm", event("phase.begin", id), before, after)
					if errors.Is(err, mongox.ErrAlone) {
						alone.Store(true)
						_, err = c.Append(t.Context(), "o:firm", event("phase.begin", id))
					} else if err == nil {
						err = errors.Join(got...)
					}
					if err != nil {
						t.Errorf("writer %d: %v", w, err)
						return
					}
				}
			})
		}
		all.Wait()
		events := list(t, newChain(db), "o:firm", chain.Filter{Limit: 1000})
		if len(events) != writers*each {
			t.Errorf("%d events, want %d", len(events), writers*each)
		}
		if _, _, err := newChain(db).Verify(t.Context(), "o:firm"); err != nil {
			t.Error(err)
		}
		want := int64(2 * writers * each)
		if alone.Load() {
			want = 0
		}
		if n, err := others.CountDocuments(t.Context(), bson.D{}); err != nil || n != want {
			t.Errorf("%d other documents, %v, want %d", n, err, want)
		}
	})
}
