package mongostore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const (
	firm   = "o:firm"
	other  = "o:other"
	racers = 8
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 123e6, time.UTC)
	ann  = audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
)

func newID() string { return ids.New() }

func ptr[T any](v T) *T { return &v }

// each runs test on every MongoDB there is, with the indexes of the service.
func each(t *testing.T, test func(t *testing.T, db *mongo.Database)) {
	t.Helper()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, mongostore.Schema())
		test(t, db)
	})
}

func token(n int) string { return fmt.Sprintf("%043d", n) }

// party is a party with every field.
func party(tenant, caseID string, ordinal int) parties.Party {
	id := newID()

	return parties.Party{
		ID: id, Tenant: tenant, CaseID: caseID, Version: 1, Ordinal: ordinal, Label: fmt.Sprintf("[Party %d]", ordinal), Kind: "individual", Role: "plaintiff",
		Side: parties.Ours, IsClient: true, Representation: "this_firm",
		Attributes: parties.Attributes{EntityType: "other", AgeBand: "30_44", Residence: "US-CA", Languages: []string{"en", "es-MX"}, NeedsInterpreter: ptr(false)},
		Notes:      "Met [Party 2] in Reno", Status: parties.Active, JoinedOn: "2026-01-02", LeftOn: "2026-02-03", IdentityRef: "r",
		Sealed: &parties.Sealed{V: 1, Alg: "A256GCM", KeyVersion: 3, IV: "i", CT: "c", AAD: "a"}, Tokens: []string{token(1), token(2)}, Fingerprint: "f",
		CreatedAt: noon, UpdatedAt: noon.Add(time.Second), CreatedBy: ann,
	}
}

func put(t *testing.T, s *mongostore.Parties, p parties.Party) parties.Party {
	t.Helper()
	if err := s.Insert(t.Context(), p); err != nil {
		t.Fatalf("Insert: %v", err)
	}

	return p
}

func TestPartiesGiveBackWhatTheyWereGiven(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewParties(db)

		bare := parties.Party{ID: newID(), Tenant: firm, CaseID: newID(), Version: 1, Ordinal: 1, Label: "[Party 1]", CreatedAt: noon, UpdatedAt: noon, CreatedBy: ann}
		for name, want := range map[string]parties.Party{"whole": party(firm, newID(), 1), "bare": bare} {
			put(t, s, want)
			got, err := s.Get(t.Context(), firm, want.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s party changed on its way (-want +got):\n%s", name, diff)
			}
		}
		if _, err := s.Get(t.Context(), firm, "x/y"); !errors.Is(err, parties.ErrNotFound) {
			t.Errorf("Get of no id = %v", err)
		}
	})
}

func TestPartiesOfAnotherTenantAreNotThere(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewParties(db)
		p := put(t, s, party(firm, newID(), 1))
		if _, err := s.Get(t.Context(), other, p.ID); !errors.Is(err, parties.ErrNotFound) {
			t.Errorf("Get = %v", err)
		}
		theirs := p
		theirs.Tenant = other
		if _, err := s.Replace(t.Context(), theirs); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("Replace = %v", err)
		}
		if list, err := s.List(t.Context(), other, parties.Filter{}, nil, 10); err != nil || len(list) != 0 {
			t.Errorf("List = %d, %v", len(list), err)
		}
		if n, err := s.Count(t.Context(), other, parties.Filter{CaseID: p.CaseID}, 10); err != nil || n != 0 {
			t.Errorf("Count = %d, %v", n, err)
		}
		if taken, err := s.Places(t.Context(), other, p.CaseID); err != nil || len(taken) != 0 {
			t.Errorf("Places = %v, %v", taken, err)
		}
		if hits, err := s.Across(t.Context(), other, newID(), parties.Ours, p.Tokens, 10); err != nil || len(hits) != 0 {
			t.Errorf("tokens are compared across tenants: %v, %v", hits, err)
		}
		put(t, s, theirs) // the same id, label and ordinal in another tenant
	})
}

func TestOneOfManyGetsALabelAndAnOrdinal(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s, caseID := mongostore.NewParties(db), newID()
		won := testkit.Race(t, racers, func(int) error { return s.Insert(t.Context(), party(firm, caseID, 1)) }, parties.ErrPlaceTaken)
		if won != 1 {
			t.Errorf("%d inserts of one label and ordinal succeeded, want 1", won)
		}
		won = testkit.Race(t, racers, func(i int) error {
			p := party(firm, caseID, 2)
			p.Ordinal = 10 + i

			return s.Insert(t.Context(), p)
		}, parties.ErrPlaceTaken)
		if won != 1 {
			t.Errorf("%d inserts of one label succeeded, want 1", won)
		}
		same := party(firm, newID(), 1)
		if won := testkit.Race(t, racers, func(int) error { return s.Insert(t.Context(), same) }, parties.ErrExists); won != 1 {
			t.Errorf("%d inserts of one id succeeded, want 1", won)
		}
	})
}

func TestEveryReplacementIsAppliedOnce(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewParties(db)
		p := put(t, s, party(firm, newID(), 1))
		won := testkit.Race(t, racers, func(i int) error {
			mine := p
			mine.Notes = fmt.Sprint("writer ", i)
			_, err := s.Replace(t.Context(), mine)

			return err
		}, errs.ErrTaken)
		got, err := s.Get(t.Context(), firm, p.ID)
		if err != nil || won != 1 || got.Version != 2 {
			t.Errorf("%d of one version succeeded, version %d, %v", won, got.Version, err)
		}
	})
}

func TestListsOfParties(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewParties(db)
		caseA, caseB := newID(), newID()
		var want []string

		for i := 1; i <= 5; i++ {
			p := party(firm, caseA, i)
			p.IsClient, p.Side = i == 1, []string{parties.Ours, parties.Adverse}[i%2]
			want = append(want, put(t, s, p).ID)
		}
		b := party(firm, caseB, 1)
		b.Sealed, b.Notes, b.Status, b.Tokens = nil, "nothing", parties.Dismissed, nil
		want = append(want, put(t, s, b).ID)
		var got []string

		var after *parties.Cursor
		for {
			page, err := s.List(t.Context(), firm, parties.Filter{}, after, 2)
			if err != nil {
				t.Fatal(err)
			}

			for _, p := range page {
				got, after = append(got, p.ID), &parties.Cursor{CaseID: p.CaseID, Ordinal: p.Ordinal}
			}
			if len(page) < 2 {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}

		for name, tc := range map[string]struct {
			f parties.Filter
			n int
		}{
			"case": {parties.Filter{CaseID: caseA}, 5}, "side": {parties.Filter{Side: parties.Adverse}, 3}, "status": {parties.Filter{Status: parties.Dismissed}, 1},
			"role": {parties.Filter{Role: "heir"}, 0}, "client": {parties.Filter{IsClient: ptr(true)}, 2}, "no client": {parties.Filter{IsClient: ptr(false)}, 4},
			"key version": {parties.Filter{SealedKeyVersion: 3}, 5}, "another key version": {parties.Filter{SealedKeyVersion: 2}, 0},
			"words": {parties.Filter{Words: []string{"reno", "[party 2]"}}, 5}, "a word too much": {parties.Filter{Words: []string{"reno", "vegas"}}, 0},
		} {
			list, err := s.List(t.Context(), firm, tc.f, nil, 10)
			n, second := s.Count(t.Context(), firm, tc.f, 10)
			if err != nil || second != nil || len(list) != tc.n || n != tc.n {
				t.Errorf("%s: %d listed, %d counted, want %d; %v, %v", name, len(list), n, tc.n, err, second)
			}
		}
		plain, err := s.List(t.Context(), firm, parties.Filter{CaseID: caseA, Plain: true}, nil, 1)
		if err != nil || plain[0].Sealed != nil || len(plain[0].Tokens) != 2 {
			t.Errorf("plain = %+v, %v", plain, err)
		}
		hits, err := s.Across(t.Context(), firm, caseB, parties.Adverse, []string{token(2), token(7)}, 2)
		if err != nil || len(hits) != 2 || hits[0].CaseID != caseA || hits[0].Role != "plaintiff" {
			t.Errorf("Across = %+v, %v", hits, err)
		}
		if own, err := s.Across(t.Context(), firm, caseA, parties.Adverse, []string{token(2)}, 10); err != nil || len(own) != 0 {
			t.Errorf("within one case: %+v, %v", own, err)
		}
	})
}

func TestOneAtATimeHasTheTurn(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s, caseID := mongostore.NewLeases(db), newID()
		take := func(holder string, now time.Time) error {
			return s.Take(t.Context(), firm, caseID, holder, now, now.Add(time.Minute))
		}
		if won := testkit.Race(t, racers, func(i int) error { return take(fmt.Sprint(i), noon) }, parties.ErrBusy); won != 1 {
			t.Errorf("%d have the turn, want 1", won)
		}
		if err := s.Take(t.Context(), other, caseID, "x", noon, noon.Add(time.Minute)); err != nil {
			t.Errorf("the turn of another tenant: %v", err)
		}
		late := noon.Add(time.Minute)
		if won := testkit.Race(t, racers, func(i int) error { return take(fmt.Sprint("late ", i), late) }, parties.ErrBusy); won != 1 {
			t.Errorf("%d took over, want 1", won)
		}
		if err := s.GiveBack(t.Context(), firm, caseID, "somebody else"); err != nil {
			t.Fatal(err)
		}
		if err := take("early", late); !errors.Is(err, parties.ErrBusy) {
			t.Errorf("after a stranger gave it back: %v", err)
		}
	})
}

func TestNotices(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s, caseID := mongostore.NewNotices(db), newID()
		first, err := s.Put(t.Context(), firm, caseID, noon)
		if err != nil {
			t.Fatal(err)
		}
		if won := testkit.Race(t, racers, func(int) error { _, err := s.Put(t.Context(), firm, caseID, noon); return err }); won != racers {
			t.Errorf("%d of %d were put", won, racers)
		}
		if err := s.Clear(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		due, err := s.Due(t.Context(), noon, 10)
		if err != nil || len(due) != 1 || due[0].Version <= first.Version {
			t.Fatalf("who told of an earlier change took the notice away: %+v, %v", due, err)
		}
		if early, err := s.Due(t.Context(), noon.Add(-time.Millisecond), 10); err != nil || len(early) != 0 {
			t.Errorf("due before its time: %+v, %v", early, err)
		}
		n := due[0]
		n.DueAt, n.Tries = noon.Add(time.Hour), 1
		if err := s.Later(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Due(t.Context(), noon.Add(time.Hour), 10); err != nil || len(again) != 1 || again[0].Tries != 1 {
			t.Errorf("later = %+v, %v", again, err)
		}
		if err := s.Clear(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if left, err := s.Due(t.Context(), noon.Add(time.Hour), 10); err != nil || len(left) != 0 {
			t.Errorf("left = %+v, %v", left, err)
		}
	})
}

func TestEveryQueryHasItsIndex(t *testing.T) {
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{Name: "a party", Collection: "parties", Equal: []string{"_id", "tenant"}},
		stores.Query{Name: "a party under some tenants", Collection: "parties", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "holdings, parties",
			Collection: "parties",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"ordinal"},
		},
		stores.Query{
			Name:       "holdings, invites",
			Collection: "invites",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"createdAt", "id"},
		},
		stores.Query{
			Name:       "others' parties",
			Collection: "parties",
			Equal:      []string{"tenant", "caseId"},
			Residual:   []string{"createdBy.userId", "createdBy.kind", "shared"},
		},
		stores.Query{
			Name:       "others' invites",
			Collection: "invites",
			Equal:      []string{"tenant", "caseId"},
			Residual:   []string{"createdBy.userId", "createdBy.kind", "sentAt", "status"},
		},
		stores.Query{Name: "parties to purge", Collection: "parties", Equal: []string{"tenant", "caseId"}},
		stores.Query{Name: "invites to purge", Collection: "invites", Equal: []string{"tenant", "caseId"}},
		stores.Query{
			Name:       "parties of a case",
			Collection: "parties",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"ordinal"},
			Residual:   []string{"role", "side", "status", "isClient", "searchTokens"},
		},
		stores.Query{
			Name:       "parties of all cases",
			Collection: "parties",
			Equal:      []string{"tenant"},
			Sort:       []string{"caseId", "ordinal"},
			Residual:   []string{"role", "side", "status", "isClient"},
		},
		stores.Query{
			Name:       "parties under a key",
			Collection: "parties",
			Equal:      []string{"tenant", "sealed.keyVersion"},
			Sort:       []string{"caseId", "ordinal"},
		},
		stores.Query{
			Name:       "parties by words",
			Collection: "parties",
			Equal:      []string{"tenant", "searchTokens"},
			Sort:       []string{"caseId", "ordinal"},
		},
		stores.Query{
			Name:       "labels of a case",
			Collection: "parties",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"ordinal"},
		},
		stores.Query{
			Name:       "clients of a case",
			Collection: "parties",
			Equal:      []string{"tenant", "caseId", "isClient", "status"},
		},
		stores.Query{
			Name:       "equal tokens",
			Collection: "parties",
			Equal:      []string{"tenant", "conflictTokens", "side"},
			Sort:       []string{"-comparedAt", "-id"},
			Residual:   []string{"caseId"},
		},
		stores.Query{Name: "the turn of a case", Collection: "turns", Equal: []string{"_id", "tenant"}},
		stores.Query{Name: "a notice", Collection: "notices", Equal: []string{"_id", "tenant"}},
		stores.Query{Name: "notices that are due", Collection: "notices", Sort: []string{"dueAt"}},
		stores.Query{Name: "partners by words", Collection: "partners", Equal: []string{"tenant", "searchTokens"}},
		stores.Query{
			Name:       "partners by licence",
			Collection: "partners",
			Equal:      []string{"tenant", "licenceKeys"},
			Residual:   []string{"practiceKeys", "languageKeys", "acceptsTiers", "feeModels"},
		},
		stores.Query{Name: "partners by place", Collection: "partners", Equal: []string{"tenant", "jurisdictionKeys"}},
		stores.Query{Name: "partners by area", Collection: "partners", Equal: []string{"tenant", "practiceKeys"}},
		stores.Query{
			Name:       "partners by kind",
			Collection: "partners",
			Equal:      []string{"tenant", "kind", "availability"},
		},
		stores.Query{Name: "partners of a tenant", Collection: "partners", Equal: []string{"tenant"}},
		stores.Query{Name: "an edition", Collection: "editions", Equal: []string{"_id", "tenant"}},
		stores.Query{Name: "an invite", Collection: "invites", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "the open invite of a partner",
			Collection: "invites",
			Equal:      []string{"tenant", "caseId", "openKey"},
		},
		stores.Query{
			Name:       "invites of a case",
			Collection: "invites",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"-createdAt", "-id"},
			Residual:   []string{"status"},
		},
		stores.Query{Name: "invites that are due", Collection: "invites", Sort: []string{"dueAt"}},
		stores.Query{Name: "an address", Collection: "addresses", Equal: []string{"_id", "userId"}},
		stores.Query{
			Name:       "addresses of an account",
			Collection: "addresses",
			Equal:      []string{"userId"},
			Sort:       []string{"-createdAt", "-inviteId"},
		},
		stores.Query{Name: "a grant", Collection: "grants", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "grants of a user",
			Collection: "grants",
			Equal:      []string{"tenant", "userId", "ended"},
			Sort:       []string{"caseId"},
		},
		stores.Query{Name: "intents that expire", Collection: "intents", Sort: []string{"expiresAt"}},
	)
}
