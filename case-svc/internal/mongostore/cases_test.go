package mongostore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const racers = 8

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 123e6, time.UTC)
	ann  = audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
)

func newID() string { return uuid.NewString() }

// each runs test on every MongoDB there is, with the indexes of the service.
func each(t *testing.T, test func(t *testing.T, db *mongo.Database)) {
	t.Helper()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, mongostore.Schema())
		test(t, db)
	})
}

func newCase(t *testing.T, tenant string, d cases.Draft) cases.Case {
	t.Helper()
	c, err := cases.New(tenant, newID(), ann, d, noon)
	if err != nil {
		t.Fatalf("New: %v", err)
	}

	return c
}

func ptr[T any](v T) *T { return &v }

// full is a draft with every field.
func full() cases.Draft {
	return cases.Draft{
		Title: ptr("Eviction of [Party 1]"), Summary: ptr("Two lines\nof text"), MatterKind: ptr("litigation"), Jurisdiction: ptr("US-CA"),
		PracticeAreas: []cases.PracticeArea{{Scheme: "LIST", Code: "HO-02-00-00-00", Primary: true}, {Scheme: "NSMI", Code: "1610500"}},
		Forum:         &cases.Forum{System: "state", CourtCode: "casuper", DocketLabel: "[Docket 1]", TimeZone: "America/Los_Angeles"},
		Side:          ptr("respondent"), Joint: true, Stage: &cases.Stage{CodeSet: "litigation", Phase: "L200", Task: "L210"},
		Amount: &cases.Amount{Decimal: "4200.50", Currency: "USD", Basis: "stated"}, Stakes: []string{"housing", "money"},
		Supervision:     &cases.Supervision{ResponsibleUserID: "bob", ProfessionalKind: "lawyer", LicenceJurisdictions: []string{"US-CA"}},
		Confidentiality: &cases.Confidentiality{Privilege: "attorney_client", AIPolicy: "model_allowed", ClientConsent: "obtained"},
		Retention:       &cases.Retention{LegalHold: true}, Language: ptr("es-MX"), Tags: []string{"Urgent", "pro bono"}, ExternalRef: ptr("firm 7"),
	}
}

func TestCasesGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		whole := newCase(t, "u:ann", full())

		whole.Complexity = &cases.Complexity{PhaseID: newID(), SHA256: "ab", Body: []byte(`{"tier":2}`), Tier: 2, Score: 34.5, Urgent: true}
		for name, want := range map[string]cases.Case{"empty": newCase(t, "u:ann", cases.Draft{}), "full": whole} {
			if err := store.Create(t.Context(), want); err != nil {
				t.Fatalf("Create %s: %v", name, err)
			}
			got, err := store.Get(t.Context(), "u:ann", want.ID)
			if err != nil {
				t.Fatalf("Get %s: %v", name, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s case changed on its way (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestCasesOfAnotherTenantAreNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		c := newCase(t, "u:ann", full())
		if err := store.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get(t.Context(), "u:eve", c.ID); !errors.Is(err, cases.ErrNotFound) {
			t.Errorf("Get = %v, want not found", err)
		}
		_, err := store.Update(t.Context(), "u:eve", c.ID, func(*cases.Case) error { t.Error("change of another tenant's case was asked for"); return nil })
		if !errors.Is(err, cases.ErrNotFound) {
			t.Errorf("Update = %v, want not found", err)
		}
		q := cases.Query{Sort: cases.ByUpdated, Limit: 10}
		if list, err := store.List(t.Context(), "u:eve", q); err != nil || len(list) != 0 {
			t.Errorf("List = %d cases, %v", len(list), err)
		}
		if n, err := store.Count(t.Context(), "u:eve", cases.Filter{}, 10); err != nil || n != 0 {
			t.Errorf("Count = %d, %v", n, err)
		}
		same := newCase(t, "u:eve", full()) // the same reference in another tenant
		same.ID = c.ID
		if err := store.Create(t.Context(), same); err != nil {
			t.Errorf("Create of the same id and reference in another tenant = %v", err)
		}
	})
}

func TestOneOfManyCreatesAReferenceAndAnID(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		c := newCase(t, "u:ann", cases.Draft{})
		if won := testkit.Race(t, racers, func(int) error { return store.Create(t.Context(), c) }, cases.ErrExists); won != 1 {
			t.Errorf("%d creates of one id succeeded, want 1", won)
		}
		won := testkit.Race(t, racers, func(int) error {
			return store.Create(t.Context(), newCase(t, "u:ann", cases.Draft{ExternalRef: ptr("firm 7")}))
		}, cases.ErrRefTaken)
		if won != 1 {
			t.Errorf("%d creates with one reference succeeded, want 1", won)
		}
	})
}

func TestADeletedCaseIsGoneAndGivesItsReferenceFree(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		c := newCase(t, "u:ann", cases.Draft{ExternalRef: ptr("firm 7")})
		if err := store.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		_, err := store.Update(t.Context(), "u:ann", c.ID, func(c *cases.Case) error {
			c.Deletion = &cases.Deletion{By: ann, At: noon}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get(t.Context(), "u:ann", c.ID); !errors.Is(err, cases.ErrNotFound) {
			t.Errorf("Get = %v, want not found", err)
		}
		if list, _ := store.List(t.Context(), "u:ann", cases.Query{Sort: cases.ByUpdated, Limit: 10}); len(list) != 0 {
			t.Errorf("the list still has it")
		}
		if err := store.Create(t.Context(), c); !errors.Is(err, cases.ErrExists) {
			t.Errorf("Create of its id = %v, want exists", err)
		}
		if err := store.Create(t.Context(), newCase(t, "u:ann", cases.Draft{ExternalRef: ptr("firm 7")})); err != nil {
			t.Errorf("Create with its reference = %v", err)
		}
	})
}

func TestEveryChangeIsAppliedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		c := newCase(t, "u:ann", cases.Draft{})
		if err := store.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		won := testkit.Race(t, racers, func(i int) error {
			_, err := store.Update(t.Context(), "u:ann", c.ID, func(c *cases.Case) error { c.Counts.Files++; return nil })
			return err
		}, cases.ErrBusy)
		got, err := store.Get(t.Context(), "u:ann", c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Counts.Files != won || got.Version != int64(won)+1 {
			t.Errorf("%d changes were acknowledged; stored %d at version %d", won, got.Counts.Files, got.Version)
		}
		if _, err := store.Update(t.Context(), "u:ann", c.ID, func(*cases.Case) error { return cases.ErrUnchanged }); !errors.Is(err, cases.ErrUnchanged) {
			t.Errorf("Update = %v, want the change's own error", err)
		}
		if again, _ := store.Get(t.Context(), "u:ann", c.ID); again.Version != got.Version {
			t.Errorf("a change that failed was saved")
		}
	})
}

func TestPagesOfCasesAddUpInEveryOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)

		for i := range 11 {
			c := newCase(t, "u:ann", cases.Draft{Title: ptr([]string{"Same title", "same Title", "Other"}[i%3])})
			c.UpdatedAt = noon.Add(time.Duration(i/3) * time.Second) // several at the same moment
			c.CreatedAt = noon.Add(-time.Duration(i/4) * time.Second)
			if err := store.Create(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}

		for _, q := range []cases.Query{
			{Sort: cases.ByUpdated, Descending: true}, {Sort: cases.ByUpdated}, {Sort: cases.ByCreated, Descending: true}, {Sort: cases.ByCreated}, {Sort: cases.ByTitle},
		} {
			t.Run(fmt.Sprintf("%s descending=%t", q.Sort, q.Descending), func(t *testing.T) {
				whole := q
				whole.Limit = 100
				want, err := store.List(t.Context(), "u:ann", whole)
				if err != nil || len(want) != 11 {
					t.Fatalf("List = %d cases, %v", len(want), err)
				}
				q.Limit = 4
				var got []cases.Case

				for {
					page, err := store.List(t.Context(), "u:ann", q)
					if err != nil {
						t.Fatal(err)
					}
					if len(page) == 0 {
						break
					}
					got = append(got, page...)
					at := q.PlaceOf(page[len(page)-1])
					q.After = &at
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("pages differ from the whole (-whole +pages):\n%s", diff)
				}
			})
		}
	})
}

func TestFiltersOfCases(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		whole, empty := newCase(t, "u:ann", full()), newCase(t, "u:ann", cases.Draft{})
		whole.Complexity = &cases.Complexity{Tier: 3, Body: []byte("{}")}

		empty.UpdatedAt = noon.Add(time.Hour)
		for _, c := range []cases.Case{whole, empty} {
			if err := store.Create(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}

		for _, tc := range []struct {
			name   string
			filter cases.Filter
			want   []string
		}{
			{"none", cases.Filter{}, []string{empty.ID, whole.ID}},
			{"status", cases.Filter{Statuses: []string{"open", "intake"}}, []string{empty.ID, whole.ID}},
			{"other status", cases.Filter{Statuses: []string{"open"}}, nil},
			{"country", cases.Filter{Jurisdiction: "US"}, []string{whole.ID}},
			{"state", cases.Filter{Jurisdiction: "US-CA"}, []string{whole.ID}},
			{"other state", cases.Filter{Jurisdiction: "US-NY"}, nil},
			{"area", cases.Filter{PracticeKey: "HO"}, []string{whole.ID}},
			{"area below", cases.Filter{PracticeKey: "HO-02"}, []string{whole.ID}},
			{"other area", cases.Filter{PracticeKey: "HO-03"}, nil},
			{"tier", cases.Filter{Tiers: []int{3}}, []string{whole.ID}},
			{"unrated", cases.Filter{Tiers: []int{0}}, []string{empty.ID}},
			{"tag", cases.Filter{Tag: "urgent"}, []string{whole.ID}},
			{"side", cases.Filter{Side: "respondent"}, []string{whole.ID}},
			{"responsible", cases.Filter{ResponsibleID: "bob"}, []string{whole.ID}},
			{"reference", cases.Filter{ExternalRef: "firm 7"}, []string{whole.ID}},
			{"kind", cases.Filter{MatterKind: "advisory"}, nil},
			{"since", cases.Filter{UpdatedSince: noon.Add(time.Minute)}, []string{empty.ID}},
			{"several", cases.Filter{Jurisdiction: "US", PracticeKey: "HO", Tag: "urgent", Tiers: []int{3, 4}}, []string{whole.ID}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				found, err := store.List(t.Context(), "u:ann", cases.Query{Filter: tc.filter, Sort: cases.ByUpdated, Descending: true, Limit: 10})
				if err != nil {
					t.Fatal(err)
				}

				var got []string
				for _, c := range found {
					got = append(got, c.ID)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("found (-want +got):\n%s", diff)
				}
				if n, err := store.Count(t.Context(), "u:ann", tc.filter, 10); err != nil || n != len(tc.want) {
					t.Errorf("Count = %d, %v, want %d", n, err, len(tc.want))
				}
			})
		}
		if n, err := store.Count(t.Context(), "u:ann", cases.Filter{}, 1); err != nil || n != 1 {
			t.Errorf("Count up to 1 = %d, %v", n, err)
		}
	})
}
