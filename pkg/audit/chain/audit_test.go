package chain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"pgregory.net/rapid"

	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 89_999_999, time.FixedZone("CET", 3600))

// clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Second)

	return c.at
}

func newChain(db *mongo.Database) *chain.Chain {
	return chain.New(db.Collection(chain.Collection), (&clock{at: start}).now)
}

func event(action, resource string) record.Event {
	return record.Event{
		Actor: record.Actor{Kind: "user", ID: "u-1"}, Action: action,
		Resource: record.Resource{Type: "case", ID: resource}, Outcome: "ok", RequestID: "req-1",
	}
}

func fill(t *testing.T, c *chain.Chain, tenant string, n int) []record.Event {
	t.Helper()
	var events []record.Event

	for i := range n {
		e, err := c.Append(t.Context(), tenant, event("case.update", fmt.Sprint("c-", i%3)))
		if err != nil {
			t.Fatalf("append event %d: %v", i, err)
		}
		events = append(events, e)
	}

	return events
}

func list(t *testing.T, c *chain.Chain, tenant string, f chain.Filter) []record.Event {
	t.Helper()
	events, err := c.List(t.Context(), tenant, f)
	if err != nil {
		t.Fatalf("List: %v", err)
	}

	return events
}

func TestAppendGivesBackWhatIsStored(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := newChain(db)
		want := event("file.read", "f-1")
		want.ContentSHA256, want.Actor = strings.Repeat("ab", 32), record.Acting("agent", "agt_1", "u-1")
		want.Seq, want.PrevHash, want.Hash = 99, "forged", "forged" // not the service's to choose
		got, err := c.Append(t.Context(), "o:firm", want)
		if err != nil {
			t.Fatalf("Append: %v", err)
		}
		if diff := cmp.Diff([]record.Event{got}, list(t, c, "o:firm", chain.Filter{})); diff != "" {
			t.Errorf("stored (-answered +listed):\n%s", diff)
		}
		at := instant.Of(start.Add(time.Second))
		want.Seq, want.At, want.PrevHash, want.Hash = 1, at, record.Genesis("o:firm"), got.Hash
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Append (-want +got):\n%s", diff)
		}
	})
}

// Sixteen appenders of two processes: a dense chain that proves itself, and every answer is in it.
func TestRacingAppenders(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		chains := []*chain.Chain{newChain(db), newChain(db)}
		const appenders, each = 16, 10
		answered := make([][]record.Event, appenders)

		var all sync.WaitGroup
		for g := range appenders {
			all.Go(func() {
				for n := range each {
					e, err := chains[g%2].Append(t.Context(), "u:one", event("case.update", fmt.Sprintf("c-%d-%d", g, n)))
					if err != nil {
						t.Errorf("Append: %v", err)
						return
					}
					answered[g] = append(answered[g], e)
				}
			})
		}
		all.Wait()
		stored := list(t, chains[0], "u:one", chain.Filter{Limit: chain.MaxLimit})
		if len(stored) != appenders*each {
			t.Fatalf("events = %d, want %d", len(stored), appenders*each)
		}
		if err := record.Verify(stored); err != nil {
			t.Errorf("Verify: %v", err)
		}

		for _, events := range answered {
			for _, e := range events {
				if diff := cmp.Diff(e, stored[e.Seq-1]); diff != "" {
					t.Errorf("event %d (-answered +stored):\n%s", e.Seq, diff)
				}
			}
		}
	})
}

func TestTenantsAreApart(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := newChain(db)
		fill(t, c, "o:a", 3)
		b := fill(t, c, "o:a~1", 2)
		if len(list(t, c, "o:a", chain.Filter{})) != 3 || len(list(t, c, "o:none", chain.Filter{})) != 0 {
			t.Error("a tenant's list is not its own")
		}
		if diff := cmp.Diff(b, list(t, c, "o:a~1", chain.Filter{})); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
		other := record.Verifier{Tenant: "o:a"}
		var broken *record.BrokenError
		if err := other.Add(b[0]); !errors.As(err, &broken) || broken.Seq != 1 {
			t.Errorf("another tenant's chain: %v, want it found", err)
		}
	})
}

// A process that starts finds the head whether the hint is right, behind, beyond the end or missing.
func TestRestartFindsTheHead(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		coll := db.Collection(chain.Collection)
		const n = 70 // beyond the first hint
		fill(t, newChain(db), "o:firm", n)
		var stored struct{ Hint int64 }
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "o:firm/hint"}, {Key: "tenant", Value: "o:firm"}}).Decode(&stored); err != nil || stored.Hint != 64 {
			t.Errorf("hint = %d, %v, want 64", stored.Hint, err)
		}

		want := int64(n)
		for _, tc := range []struct {
			name string
			hint any
		}{{"as stored", nil}, {"behind", int64(3)}, {"exact", int64(n + 2)}, {"beyond", int64(1000)}, {"zero", int64(0)}, {"negative", int64(-5)}, {"missing", "gone"}} {
			filter := bson.D{{Key: "_id", Value: "o:firm/hint"}, {Key: "tenant", Value: "o:firm"}}
			var err error
			switch tc.hint.(type) {
			case int64:
				_, err = coll.ReplaceOne(t.Context(), filter, bson.D{{Key: "tenant", Value: "o:firm"}, {Key: "hint", Value: tc.hint}})
			case string:
				_, err = coll.DeleteOne(t.Context(), filter)
			}
			if err != nil {
				t.Fatal(err)
			}
			want++
			if e, err := newChain(db).Append(t.Context(), "o:firm", event("case.update", "c")); err != nil || e.Seq != want {
				t.Errorf("hint %s: Append = %d, %v, want event %d", tc.name, e.Seq, err, want)
			}
		}
		if seq, hash, err := newChain(db).Verify(t.Context(), "o:firm"); err != nil || seq != want || hash == "" {
			t.Errorf("Verify = %d, %q, %v, want %d events", seq, hash, err, want)
		}
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := newChain(db)
		if err := mongox.EnsureIndexes(t.Context(), db.Collection(chain.Collection), chain.Indexes()); err != nil {
			t.Fatalf("EnsureIndexes: %v", err)
		}
		all := fill(t, c, "o:firm", 6)
		last, err := c.Append(t.Context(), "o:firm", event("case.delete", "c-0"))
		if err != nil {
			t.Fatal(err)
		}

		all = append(all, last)
		for _, tc := range []struct {
			name   string
			filter chain.Filter
			want   []int64
		}{
			{"all", chain.Filter{}, []int64{1, 2, 3, 4, 5, 6, 7}},
			{"first page", chain.Filter{Limit: 3}, []int64{1, 2, 3}},
			{"next page", chain.Filter{Limit: 3, AfterSeq: 3}, []int64{4, 5, 6}},
			{"beyond", chain.Filter{AfterSeq: 7}, nil},
			{"resource", chain.Filter{ResourceID: "c-0"}, []int64{1, 4, 7}},
			{"action", chain.Filter{Action: "case.delete"}, []int64{7}},
			{"both", chain.Filter{ResourceID: "c-0", Action: "case.update", AfterSeq: 1}, []int64{4}},
			{"from, inclusive", chain.Filter{From: all[4].At}, []int64{5, 6, 7}},
			{"to, exclusive", chain.Filter{To: all[2].At}, []int64{1, 2}},
			{"window", chain.Filter{From: all[1].At, To: all[3].At}, []int64{2, 3}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				var got []int64
				for _, e := range list(t, c, "o:firm", tc.filter) {
					got = append(got, e.Seq)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("List (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestRecent(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := newChain(db)
		all := fill(t, c, "o:firm", 70) // with a hint beside the events
		fill(t, c, "o:firm2", 1)
		slices.Reverse(all)

		for _, n := range []int{1, 3, 100} {
			got, err := c.Recent(t.Context(), "o:firm", n)
			if diff := cmp.Diff(all[:min(n, len(all))], got); err != nil || diff != "" {
				t.Errorf("Recent %d: %v (-want +got):\n%s", n, err, diff)
			}
		}
		if got, err := c.Recent(t.Context(), "o:none", 5); err != nil || got == nil || len(got) != 0 {
			t.Errorf("Recent of a tenant without events = %v, %v", got, err)
		}

		for _, n := range []int{0, chain.MaxLimit + 1} {
			if _, err := c.Recent(t.Context(), "o:firm", n); !errors.Is(err, chain.ErrFilter) {
				t.Errorf("Recent %d = %v, want ErrFilter", n, err)
			}
		}
	})
}

// A check in steps comes to the same end as one in a single go, and finds the same fault.
func TestVerifyFrom(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := newChain(db)
		all := fill(t, c, "o:firm", 25)
		var at record.Place
		var whole bool

		steps := 0
		for ; !whole && steps < 10; steps++ {
			var err error
			if at, whole, err = c.VerifyFrom(t.Context(), "o:firm", at, 10); err != nil {
				t.Fatal(err)
			}
		}
		if at != (record.Place{Seq: 25, Hash: all[24].Hash}) || steps != 3 {
			t.Errorf("came to %+v in %d steps, want event 25 in 3", at, steps)
		}
		if _, _, err := c.VerifyFrom(t.Context(), "o:firm", record.Place{Seq: 10, Hash: all[8].Hash}, 10); err == nil {
			t.Error("a place that is none is taken")
		}
		if _, err := db.Collection(chain.Collection).DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "o:firm/17"}}); err != nil {
			t.Fatal(err)
		}
		at, whole, err := c.VerifyFrom(t.Context(), "o:firm", record.Place{Seq: 10, Hash: all[9].Hash}, 10)
		var broken *record.BrokenError
		if !errors.As(err, &broken) || broken.Seq != 17 || whole || at.Seq != 16 {
			t.Errorf("VerifyFrom = %+v, %t, %v, want event 17 named", at, whole, err)
		}
	})
}

func TestMistakesAreRefused(t *testing.T) {
	t.Parallel()

	c := newChain(stores.Mongo(t))
	for name, change := range map[string]func(*record.Event){
		"no actor":           func(e *record.Event) { e.Actor.Kind = "" },
		"a sentence":         func(e *record.Event) { e.Action = "looked at Smith v. Jones" },
		"no outcome":         func(e *record.Event) { e.Outcome = "" },
		"lines in an id":     func(e *record.Event) { e.Resource.ID = "a\nb" },
		"a long id":          func(e *record.Event) { e.Actor.ID = strings.Repeat("a", record.MaxID+1) },
		"lines in a user":    func(e *record.Event) { e.Actor.UserID = "a\nb" },
		"broken text":        func(e *record.Event) { e.RequestID = "\xff" },
		"a resource's type":  func(e *record.Event) { e.Resource.Type = "Case File" },
		"content for a hash": func(e *record.Event) { e.ContentSHA256 = "the content itself" },
	} {
		t.Run(name, func(t *testing.T) {
			e := event("case.create", "c")
			change(&e)
			if _, err := c.Append(t.Context(), "o:firm", e); !errors.Is(err, record.ErrEvent) {
				t.Errorf("Append = %v, want %v", err, record.ErrEvent)
			}
		})
	}

	for _, tenant := range []string{"", "o:a/1", strings.Repeat("a", 513)} {
		if _, err := c.Append(t.Context(), tenant, event("case.create", "c")); !errors.Is(err, record.ErrTenant) {
			t.Errorf("Append for tenant %.20q = %v, want %v", tenant, err, record.ErrTenant)
		}
		if _, err := c.List(t.Context(), tenant, chain.Filter{}); !errors.Is(err, record.ErrTenant) {
			t.Errorf("List for tenant %.20q = %v, want %v", tenant, err, record.ErrTenant)
		}
	}

	for _, f := range []chain.Filter{{Limit: -1}, {Limit: chain.MaxLimit + 1}, {AfterSeq: -1}, {ResourceIDs: make([]string, chain.MaxResources+1)}} {
		if _, err := c.List(t.Context(), "o:firm", f); !errors.Is(err, chain.ErrFilter) {
			t.Errorf("List(%+v) = %v, want %v", f, err, chain.ErrFilter)
		}
	}
	if got := list(t, c, "o:firm", chain.Filter{}); len(got) != 0 {
		t.Errorf("stored = %v, want nothing", got)
	}
}

// What cannot be recorded is answered by 503, and the chain goes on where it was when the store is back.
func TestOutage(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	db, err := mongox.Open(
		t.Context(),
		mongox.Config{URI: link.URL(), Database: stores.MongoName(t), Timeout: 500 * time.Millisecond},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.Background())
	c := newChain(db.Database())
	appended := func() error {
		_, err := c.Append(t.Context(), "o:firm", event("case.update", "c"))
		return err
	}
	// The first write makes the database, which may take long on a busy machine.
	testkit.Until(t, testkit.Patience, appended)
	link.Break()
	if _, err := c.Append(t.Context(), "o:firm", event("case.update", "c")); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Append while the store is away = %v, want %v", err, errs.ErrUnavailable)
	}
	if _, err := c.List(t.Context(), "o:firm", chain.Filter{}); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("List while the store is away = %v, want %v", err, errs.ErrUnavailable)
	}
	link.Mend()
	testkit.Until(t, testkit.Patience, appended)
	if _, _, err := c.Verify(t.Context(), "o:firm"); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

func TestWaitingEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	c := newChain(stores.Mongo(t))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Append(gone, "o:firm", event("case.create", "c")); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Append for a caller who left = %v, want %v", err, errs.ErrUnavailable)
	}
}

// The hash is a published form: others verify chains by the words of its documentation. The values were computed from
// those words by another program.
func TestHashForm(t *testing.T) {
	t.Parallel()
	const (
		tenant  = "o:Kanzlei~M%C3%BCller"
		genesis = "9cdd3318c58a1f8c7d40d1603d5da5b6b919baeef2c1270087389b94490bc21f"
		first   = "bf7ae7b351c92d0d20ccf4ab2caf443f000420a0740c1801e6d745a442ee38ca"
		second  = "4ce6bf9eaf89210738000171a335da2fbda5ea0dc2da66d48e59b08787749dfc"
	)
	if got := record.Genesis(tenant); got != genesis {
		t.Errorf("Genesis = %s, want %s", got, genesis)
	}

	v := record.Verifier{Tenant: tenant}
	for _, e := range []record.Event{
		{
			Seq: 1, At: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC),
			Actor: record.Actor{Kind: "user", ID: "auth0|ä1"}, Action: "case.create",
			Resource: record.Resource{Type: "case", ID: "0197f7f0-0000-7000-8000-000000000001"}, Outcome: "ok",
			RequestID: "req-1", PrevHash: genesis, Hash: first,
		},
		{
			Seq: 2, At: time.Date(2026, 3, 4, 6, 6, 8, 0, time.FixedZone("", 3600)),
			Actor: record.Actor{Kind: "agent", ID: "agt_1"}, Action: "file.read",
			Resource: record.Resource{Type: "file", ID: "f1"}, Outcome: "refused",
			ContentSHA256: strings.Repeat("ab", 32), PrevHash: first, Hash: second,
		},
	} {
		if err := v.Add(e); err != nil {
			t.Errorf("Add: %v", err)
		}
	}
	if seq, hash := v.Head(); seq != 2 || hash != second {
		t.Errorf("Head = %d, %s, want 2, %s", seq, hash, second)
	}

	third := record.Event{
		Seq: 3, At: time.Date(2026, 3, 4, 5, 6, 9, 0, time.UTC),
		Actor: record.Acting("oauth", "https://app.example.com/client.json", "ada"), Action: "file.read",
		Resource: record.Resource{Type: "file", ID: "f1"}, Outcome: "ok", RequestID: "req-3", PrevHash: second, Hash: "fc98a23b3f099783ed608055805cb19b26d78fb2ff64b25e8b1cc02a93bd334d",
	}
	for name, change := range map[string]func(*record.Event){
		"another user": func(e *record.Event) { e.Actor.UserID = "ben" },
		"no user":      func(e *record.Event) { e.Actor.UserID = "" },
	} {
		forged, v := third, v
		change(&forged)
		if err := v.Add(forged); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	if err := v.Add(third); err != nil {
		t.Errorf("an event of an application: %v", err)
	}
}

// Any change of any field of any event, and any event taken out, doubled or moved, is found at the place it was made.
func TestTampering(t *testing.T) {
	t.Parallel()
	c := newChain(stores.Mongo(t))
	whole := fill(t, c, "o:firm", 8)
	rapid.Check(t, func(rt *rapid.T) {
		events := append([]record.Event(nil), whole...)
		at := rapid.IntRange(0, len(events)-1).Draw(rt, "at")
		e := &events[at]
		text := rapid.StringMatching(`[a-z]{1,8}`).Draw(rt, "text")
		want := e.Seq

		switch rapid.IntRange(0, 15).Draw(rt, "field") {
		case 0:
			e.At = e.At.Add(time.Millisecond)
		case 1:
			e.Actor.Kind += text
		case 2:
			e.Actor.ID += text
		case 3:
			e.Action += text
		case 4:
			e.Resource.Type += text
		case 5:
			e.Resource.ID += text
		case 6:
			e.Outcome += text
		case 7:
			e.RequestID += text
		case 8:
			e.ContentSHA256 += text
		case 9:
			e.PrevHash += text
		case 10:
			e.Hash += text
		case 11: // a text moved over the border of two fields
			e.Actor.Kind, e.Actor.ID = e.Actor.Kind+e.Actor.ID[:1], e.Actor.ID[1:]
		case 14:
			e.Actor.UserID += text
		case 15: // an actor that acts for itself becomes one that acts for another
			e.Actor.ID, e.Actor.UserID = text, e.Actor.ID
		case 12: // taken out; without what follows that is the end of the chain, which only an earlier head can tell
			if at == len(events)-1 {
				return
			}
			events = append(events[:at], events[at+1:]...)
		case 13:
			events = append(events[:at+1], events[at:]...)
			want++
		}
		var broken *record.BrokenError
		if err := record.Verify(events); !errors.As(err, &broken) || broken.Seq != want {
			rt.Fatalf("Verify = %v, want event %d named", err, want)
		}
	})
}

func TestTamperingInTheStore(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		coll := db.Collection(chain.Collection)

		for _, tc := range []struct {
			name   string
			tamper func(tenant string, d bson.M) error
			want   int64
		}{
			{"changed", func(tenant string, d bson.M) error {
				d["outcome"] = "refused"
				_, err := coll.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: d["_id"]}}, d)

				return err
			}, 3},
			{"removed", func(_ string, d bson.M) error {
				_, err := coll.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: d["_id"]}})
				return err
			}, 3},
			{"of another type", func(_ string, d bson.M) error {
				d["at"] = "yesterday"
				_, err := coll.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: d["_id"]}}, d)

				return err
			}, 3},
			{"given to another tenant", func(_ string, d bson.M) error {
				d["tenant"] = "o:other"
				_, err := coll.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: d["_id"]}}, d)

				return err
			}, 3},
		} {
			t.Run(tc.name, func(t *testing.T) {
				tenant := "o:" + strings.ReplaceAll(tc.name, " ", "-")
				fill(t, newChain(db), tenant, 5)
				var d bson.M
				if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: tenant + "/3"}}).Decode(&d); err != nil {
					t.Fatal(err)
				}
				if err := tc.tamper(tenant, d); err != nil {
					t.Fatal(err)
				}
				_, _, err := newChain(db).Verify(t.Context(), tenant)
				var broken *record.BrokenError
				if !errors.As(err, &broken) || broken.Seq != tc.want {
					t.Errorf("Verify = %v, want event %d named", err, tc.want)
				}
			})
		}
	})
}

func TestQueriesAreServedByIndexes(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(
		t,
		mongox.Schema{chain.Collection: chain.Indexes()},
		stores.Query{
			Name:       "List",
			Collection: chain.Collection,
			Equal:      []string{"tenant"},
			Sort:       []string{"seq"},
			Range:      []string{"seq", "at"},
		},
		stores.Query{
			Name:       "List by resource",
			Collection: chain.Collection,
			Equal:      []string{"tenant", "resource.id"},
			Sort:       []string{"seq"},
			Range:      []string{"seq"},
			Residual:   []string{"action", "at"},
		},
		stores.Query{
			Name:       "List by action",
			Collection: chain.Collection,
			Equal:      []string{"tenant", "action"},
			Sort:       []string{"seq"},
			Range:      []string{"seq"},
			Residual:   []string{"at"},
		},
	)
}
