package mongostore_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const (
	firm   = "o:firm"
	other  = "o:other"
	racers = 8
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123e6, time.UTC)

// each runs test on every MongoDB there is, with the indexes of the service.
func each(t *testing.T, test func(t *testing.T, s *mongostore.Store)) {
	t.Helper()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, mongostore.Schema())
		test(t, mongostore.New(db))
	})
}

func key(tenant, agentID, hash string) keys.Key {
	return keys.Key{Hash: hash, Tenant: tenant, AgentID: agentID, UserID: "ann", Roles: []string{"owner"}, Hint: "sk_…abcd", CreatedAt: noon, Version: 1}
}

func TestKeysGiveBackWhatTheyWereGiven(t *testing.T) {
	each(t, func(t *testing.T, s *mongostore.Store) {
		ctx := t.Context()
		fresh, used := key(firm, "agt_1", "h1"), key(firm, "agt_1", "h2")

		used.LastUsedAt = noon.Add(time.Hour)
		for _, want := range []keys.Key{fresh, used, key(other, "agt_1", "h3"), key(firm, "agt_2", "h4")} {
			if err := s.Insert(ctx, want); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Find(ctx, want.Hash); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Find = %+v, %v, want %+v", got, err, want)
			}
		}
		all, err := s.OfAgent(ctx, firm, "agt_1")
		if err != nil || len(all) != 2 || all[0].Tenant != firm || all[1].Tenant != firm || all[0].Hash == all[1].Hash {
			t.Errorf("OfAgent = %+v, %v, want the two of the firm's agent", all, err)
		}
		if _, err := s.Find(ctx, "h5"); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Find of no key = %v", err)
		}

		for range 2 {
			if err := s.Delete(ctx, "h1"); err != nil {
				t.Errorf("Delete: %v", err)
			}
		}
		if _, err := s.Find(ctx, "h1"); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Find of a deleted key = %v", err)
		}
	})
}

func TestOneOfManyWritersOfAKey(t *testing.T) {
	each(t, func(t *testing.T, s *mongostore.Store) {
		ctx, k := t.Context(), key(firm, "agt_1", "h1")
		if won := testkit.Race(t, racers, func(int) error { return s.Insert(ctx, k) }, keys.ErrExists); won != 1 {
			t.Errorf("%d inserts of one hash held, want 1", won)
		}
		testkit.Race(t, racers, func(i int) error { return s.Touch(ctx, k, noon.Add(time.Duration(i+1)*time.Minute)) }) // who loses is told nothing
		got, err := s.Find(ctx, k.Hash)
		if err != nil || got.Version != 2 || !got.LastUsedAt.After(noon) {
			t.Errorf("after many notes of use = %+v, %v, want one of them", got, err)
		}
		if err := s.Touch(ctx, k, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Find(ctx, k.Hash); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("after a note on what is not the newest = %+v, %v, want %+v", again, err, got)
		}
		if err := s.Delete(ctx, k.Hash); err != nil {
			t.Fatal(err)
		}
		if err := s.Touch(ctx, got, noon); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Touch of a key that is gone: %v, want ErrUnknown", err)
		}
		if _, err := s.Find(ctx, k.Hash); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("a note of use brought a deleted key back: %v", err)
		}
	})
}

func TestEndedAgentsStayEnded(t *testing.T) {
	each(t, func(t *testing.T, s *mongostore.Store) {
		ctx := t.Context()
		end := func(tenant, agentID string, at time.Time) {
			t.Helper()
			if err := s.End(ctx, keys.Ended{Tenant: tenant, AgentID: agentID, At: at}); err != nil {
				t.Fatal(err)
			}
		}
		end(firm, "agt_2", noon.Add(2*time.Minute))
		end(other, "agt_3", noon.Add(time.Minute))
		end(firm, "agt_1", noon)
		if won := testkit.Race(t, racers, func(i int) error {
			return s.End(ctx, keys.Ended{Tenant: firm, AgentID: "agt_1", At: noon.Add(time.Duration(i+1) * time.Hour)})
		}); won != racers {
			t.Errorf("%d of %d repetitions were taken", won, racers)
		}
		got, err := s.EndedSince(ctx, noon)
		want := []keys.Ended{{Tenant: firm, AgentID: "agt_1", At: noon}, {Tenant: other, AgentID: "agt_3", At: noon.Add(time.Minute)}, {Tenant: firm, AgentID: "agt_2", At: noon.Add(2 * time.Minute)}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("EndedSince = %+v, %v, want %+v, the first record of each", got, err, want)
		}
		if later, err := s.EndedSince(ctx, noon.Add(time.Millisecond)); err != nil || len(later) != 2 {
			t.Errorf("EndedSince a millisecond later = %+v, %v, want two", later, err)
		}

		for _, tc := range []struct {
			tenant, agentID string
			want            bool
		}{{firm, "agt_1", true}, {other, "agt_1", false}, {other, "agt_3", true}, {firm, "agt_4", false}} {
			if ended, err := s.HasEnded(ctx, tc.tenant, tc.agentID); err != nil || ended != tc.want {
				t.Errorf("HasEnded(%s, %s) = %t, %v, want %t", tc.tenant, tc.agentID, ended, err, tc.want)
			}
		}
	})
}

func TestItIsKnownWhoseAKeyWas(t *testing.T) {
	each(t, func(t *testing.T, s *mongostore.Store) {
		ctx := t.Context()
		if _, err := s.Retired(ctx, "h1"); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Retired of no key = %v", err)
		}
		old, fresh := key(firm, "agt_1", "h1"), key(other, "agt_2", "h2")
		testkit.Race(t, racers, func(i int) error {
			return s.Retire(ctx, old, noon.Add(time.Duration(i)*time.Millisecond))
		})
		if err := s.Retire(ctx, fresh, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Retired(ctx, "h1")
		want := keys.Key{Hash: "h1", Tenant: firm, AgentID: "agt_1", UserID: "ann"}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Retired = %+v, %v, want %+v", got, err, want)
		}
		if n, err := s.ForgetRetired(ctx, noon.Add(time.Minute), 10); err != nil || n != 1 {
			t.Errorf("ForgetRetired = %d, %v, want 1", n, err)
		}
		if _, err := s.Retired(ctx, "h1"); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Retired of a forgotten key = %v", err)
		}
		if _, err := s.Retired(ctx, "h2"); err != nil {
			t.Errorf("Retired of a later one = %v", err)
		}
	})
}

func TestEveryQueryHasItsIndex(t *testing.T) {
	stores.CheckQueries(t, mongostore.Schema(),
		stores.Query{Name: "Find, Touch and Delete", Collection: "keys", Equal: []string{"_id"}},
		stores.Query{Name: "OfAgent", Collection: "keys", Equal: []string{"tenant", "agentId"}},
		stores.Query{Name: "Retired", Collection: "retired_keys", Equal: []string{"_id"}},
		stores.Query{
			Name: "ForgetRetired", Collection: "retired_keys", Sort: []string{"endedAt"}, Range: []string{"endedAt"},
		},
		stores.Query{Name: "HasEnded", Collection: "ended", Equal: []string{"_id", "tenant"}},
		stores.Query{Name: "EndedSince", Collection: "ended", Sort: []string{"at"}, Range: []string{"at"}},
		stores.Query{Name: "audit", Collection: chain.Collection, Equal: []string{"tenant"}, Sort: []string{"seq"}},
	)
}
