package mongostore_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func eachGrants(t *testing.T, test func(t *testing.T, s *mongostore.Grants)) {
	t.Helper()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, mongostore.Schema())
		test(t, mongostore.NewGrants(db))
	})
}

// grantID returns ids in the order of n.
func grantID(n int) string { return fmt.Sprintf("01981f6a-5b7e-7c3d-9a10-%012d", n) }

func grant(n int, tenant, user string) oauth.Grant {
	return oauth.Grant{
		ID: grantID(n), Tenant: tenant, UserID: user, Roles: []string{"owner", "member"}, ClientID: "https://app.example.com/client.json", ClientName: "Hëlper",
		RedirectHost: "app.example.com", Document: true, Refresh: true, Scopes: []string{"cases:read"}, Generation: 1, RotatedAt: noon, CreatedAt: noon,
		LastUsedAt: noon, ExpiresAt: noon.Add(oauth.GrantIdle), State: oauth.Live, Version: 1,
	}
}

func insert(t *testing.T, s *mongostore.Grants, all ...oauth.Grant) {
	t.Helper()

	for _, g := range all {
		if err := s.Insert(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
}

func idsOf(list []oauth.Grant) []string {
	ids := []string{}
	for _, g := range list {
		ids = append(ids, g.ID)
	}

	return ids
}

func TestGrantsGiveBackWhatTheyWereGiven(t *testing.T) {
	eachGrants(t, func(t *testing.T, s *mongostore.Grants) {
		live, over := grant(1, firm, "ann"), grant(2, other, "ann")
		over.State, over.EndedAt, over.EndReason, over.Roles, over.Document = oauth.Over, noon.Add(time.Hour), oauth.Reused, nil, false
		insert(t, s, live, over)

		for _, want := range []oauth.Grant{live, over} {
			if got, err := s.Find(t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Find = %+v, %v, want %+v", got, err, want)
			}
		}
		if err := s.Insert(t.Context(), live); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("a second insert = %v, want %v", err, errs.ErrTaken)
		}
		if _, err := s.Find(t.Context(), grantID(3)); !errors.Is(err, oauth.ErrNoGrant) {
			t.Errorf("Find of no grant = %v", err)
		}
		if _, err := s.Update(t.Context(), grantID(3), func(*oauth.Grant) error { return nil }); !errors.Is(err, oauth.ErrNoGrant) {
			t.Errorf("Update of no grant = %v", err)
		}
		refused := errors.New("refused")
		stands, err := s.Update(t.Context(), live.ID, func(g *oauth.Grant) error { g.Generation = 9; return refused })
		if !errors.Is(err, refused) || stands.Generation != 1 {
			t.Errorf("a change that failed = %+v, %v", stands, err)
		}
		if got, err := s.Find(t.Context(), live.ID); err != nil || !reflect.DeepEqual(got, live) {
			t.Errorf("after it = %+v, %v", got, err)
		}
	})
}

func TestManyWritersOfAGrantLoseNothing(t *testing.T) {
	eachGrants(t, func(t *testing.T, s *mongostore.Grants) {
		insert(t, s, grant(1, firm, "ann"))
		const writers = 16
		if won := testkit.Race(t, writers, func(int) error {
			_, err := s.Update(t.Context(), grantID(1), func(g *oauth.Grant) error { g.Generation++; return nil })
			return err
		}); won != writers {
			t.Errorf("%d of %d updates held", won, writers)
		}
		if g, err := s.Find(t.Context(), grantID(1)); err != nil || g.Generation != 1+writers || g.Version != 1+writers {
			t.Errorf("after all = %+v, %v", g, err)
		}
		late := errors.New("somebody was first")
		if won := testkit.Race(t, writers, func(int) error {
			_, err := s.Update(t.Context(), grantID(1), func(g *oauth.Grant) error {
				if g.Generation != 1+writers {
					return late
				}
				g.Generation++

				return nil
			})

			return err
		}, late); won != 1 {
			t.Errorf("%d moved on from one generation, want 1", won)
		}
		insert := func(int) error { return s.Insert(t.Context(), grant(2, firm, "ann")) }
		if won := testkit.Race(t, writers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts of one id held, want 1", won)
		}
	})
}

func TestAUsersGrantsAreTheirOwnAndTheNewestComeFirst(t *testing.T) {
	eachGrants(t, func(t *testing.T, s *mongostore.Grants) {
		ended, expired := grant(3, firm, "ann"), grant(5, firm, "ann")
		ended.State, ended.EndedAt = oauth.Ending, noon
		expired.ExpiresAt = noon.Add(time.Minute)
		insert(t, s, grant(1, firm, "ann"), grant(2, firm, "bob"), ended, grant(4, firm, "ann"), expired, grant(6, other, "ann"), grant(7, firm, "ann"))

		now := noon.Add(time.Minute)
		for _, tc := range []struct {
			before string
			limit  int
			want   []string
		}{
			{"", 10, []string{grantID(7), grantID(4), grantID(1)}},
			{"", 2, []string{grantID(7), grantID(4)}},
			{grantID(4), 2, []string{grantID(1)}},
			{grantID(1), 2, []string{}},
		} {
			got, err := s.OfUser(t.Context(), firm, "ann", now, tc.before, tc.limit)
			if err != nil || !reflect.DeepEqual(idsOf(got), tc.want) {
				t.Errorf("OfUser before %q, %d = %v, %v, want %v", tc.before, tc.limit, idsOf(got), err, tc.want)
			}
		}
	})
}

func TestOldGrantsAreFoundAndRemoved(t *testing.T) {
	eachGrants(t, func(t *testing.T, s *mongostore.Grants) {
		ctx := t.Context()
		fresh, idle, ending, over, elsewhere := grant(1, firm, "ann"), grant(2, other, "bob"), grant(3, firm, "ann"), grant(4, firm, "ann"), grant(5, firm, "ann")
		idle.ExpiresAt = noon.Add(-25 * time.Hour)
		ending.State, ending.EndedAt = oauth.Ending, noon.Add(-25*time.Hour)
		over.State, over.EndedAt = oauth.Over, noon.Add(-25*time.Hour)
		elsewhere.State, elsewhere.EndedAt, elsewhere.ClientID = oauth.Over, noon.Add(-23*time.Hour), "dcr_2"
		insert(t, s, fresh, idle, ending, over, elsewhere)
		if list, err := s.Endings(ctx, 10); err != nil || !reflect.DeepEqual(idsOf(list), []string{ending.ID}) {
			t.Errorf("Endings = %v, %v", idsOf(list), err)
		}

		for at, want := range map[time.Time][]string{idle.ExpiresAt.Add(-time.Millisecond): {}, idle.ExpiresAt: {idle.ID}, noon: {idle.ID}} {
			if list, err := s.Expired(ctx, at, 10); err != nil || !reflect.DeepEqual(idsOf(list), want) {
				t.Errorf("Expired at %v = %v, %v, want %v", at, idsOf(list), err, want)
			}
		}
		if n, err := s.RemoveOld(ctx, noon, 10); err != nil || n != 1 {
			t.Errorf("RemoveOld = %d, %v, want 1", n, err)
		}

		for id, want := range map[string]error{fresh.ID: nil, idle.ID: nil, ending.ID: nil, over.ID: oauth.ErrNoGrant, elsewhere.ID: nil} {
			if _, err := s.Find(ctx, id); !errors.Is(err, want) {
				t.Errorf("Find(%s) = %v, want %v", id, err, want)
			}
		}

		for client, want := range map[string]bool{"dcr_2": true, fresh.ClientID: true, "dcr_3": false} {
			if has, err := s.HasClient(ctx, client); err != nil || has != want {
				t.Errorf("HasClient(%s) = %t, %v", client, has, err)
			}
		}
	})
}

func TestClientsStayAsLongAsTheyAreNeeded(t *testing.T) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, mongostore.Schema())
		s, ctx := mongostore.NewClients(db), t.Context()
		want := oauth.Client{ID: "dcr_1", Name: "Hëlper", Redirects: []string{"http://localhost/callback"}, Refresh: true, Registered: noon.Truncate(time.Second)}
		testkit.Race(t, racers, func(i int) error { return s.Keep(ctx, want, noon.Add(time.Duration(i)*time.Hour)) })
		if got, err := s.Find(ctx, want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Find = %+v, %v, want %+v", got, err, want)
		}
		if _, err := s.Find(ctx, "dcr_2"); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("Find of no client = %v", err)
		}
		last := noon.Add((racers - 1) * time.Hour)
		if due, err := s.Due(ctx, last, 10); err != nil || len(due) != 0 {
			t.Errorf("due while it is needed = %+v, %v", due, err)
		}
		due, err := s.Due(ctx, last.Add(time.Millisecond), 10)
		if err != nil || len(due) != 1 || !due[0].Until.Equal(last) || !reflect.DeepEqual(due[0].Client, want) {
			t.Fatalf("due = %+v, %v", due, err)
		}
		if err := s.Keep(ctx, want, last.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(ctx, due[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Find(ctx, want.ID); err != nil {
			t.Errorf("a client that was kept again = %v", err)
		}
		if due, err = s.Due(ctx, last.Add(2*time.Hour), 10); err != nil || len(due) != 1 {
			t.Fatalf("due = %+v, %v", due, err)
		}
		if err := s.Remove(ctx, due[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Find(ctx, want.ID); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("a client that was removed = %v", err)
		}
	})
}

func TestEveryQueryOfGrantsHasItsIndex(t *testing.T) {
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{Name: "Find and Update", Collection: "grants", Equal: []string{"_id"}},
		stores.Query{
			Name:       "OfUser",
			Collection: "grants",
			Equal:      []string{"tenant", "userId", "state"},
			Sort:       []string{"-_id"},
			Residual:   []string{"expiresAt"},
		},
		stores.Query{Name: "Endings", Collection: "grants", Equal: []string{"state"}, Sort: []string{"removableAt"}},
		stores.Query{
			Name:       "Expired",
			Collection: "grants",
			Equal:      []string{"state"},
			Sort:       []string{"removableAt"},
			Range:      []string{"removableAt"},
		},
		stores.Query{
			Name:       "RemoveOld",
			Collection: "grants",
			Equal:      []string{"state"},
			Sort:       []string{"removableAt"},
			Range:      []string{"removableAt"},
		},
		stores.Query{Name: "HasClient", Collection: "grants", Equal: []string{"clientId"}},
		stores.Query{Name: "Find, Keep and Remove", Collection: "oauth_clients", Equal: []string{"_id"}},
		stores.Query{Name: "Due", Collection: "oauth_clients", Sort: []string{"neededTo"}, Range: []string{"neededTo"}},
	)
}
