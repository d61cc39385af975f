package mongostore_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// An exchange and the use of its key are noted in one trip. One whose key is gone is on record as failed.
func TestExchangesInOneTrip(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		store, kept := mongostore.New(db), chain.New(db.Collection("audit"), time.Now)
		joint := mongostore.NewJoint(store, chain.Log{Chain: kept})
		key := keys.Key{Hash: "h", Tenant: "o:oak", AgentID: "agt_1", UserID: "ada", CreatedAt: time.Now(), Version: 1}
		if err := store.Insert(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		first := joint.Exchanged(t.Context(), key, at)
		if errors.Is(first, tokens.ErrApart) {
			t.Skip("this server does one write at a time")
		}
		again := joint.Exchanged(t.Context(), key, at.Add(time.Hour)) // the version that was read is not the newest
		noted, err := store.Find(t.Context(), "h")
		if err := errors.Join(first, again, err); err != nil || !noted.LastUsedAt.Equal(at) || noted.Version != 2 {
			t.Errorf("the key was used at %v, version %d, %v", noted.LastUsedAt, noted.Version, err)
		}
		if err := store.Delete(t.Context(), "h"); err != nil {
			t.Fatal(err)
		}
		if err := joint.Exchanged(t.Context(), noted, at); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("the exchange of a key that is gone = %v, want %v", err, keys.ErrUnknown)
		}
		events, err := kept.List(t.Context(), "o:oak", chain.Filter{})
		if err != nil {
			t.Fatal(err)
		}

		var outcomes []string
		for _, e := range events {
			outcomes = append(outcomes, e.Outcome)
		}
		if want := []string{"ok", "ok", "ok", "failed"}; !slices.Equal(outcomes, want) {
			t.Errorf("on record: %v, want %v", outcomes, want)
		}
	})
}
