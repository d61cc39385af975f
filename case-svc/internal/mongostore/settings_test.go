package mongostore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func TestSettingsAreKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewSettings(db)
		want := settings.Default("u:ann")
		want.Version, want.UpdatedAt, want.UpdatedBy, want.ArchiveAfterDays = 2, noon, ann, 30
		want.Retention["probate"] = 20
		want.AllowedWords = []string{"Sherman Act"}
		want.Authorities = []string{"347 U.S. 483", "42 U.S.C. § 1983"}
		want.DeadlineRules = &settings.RuleFile{
			Version: "1", Rules: []settings.Rule{{RuleID: "a", Jurisdiction: "US", Trigger: "x", Act: "y", Citation: "z", Count: 3, Unit: "days", Direction: "forward"}},
			Holidays: []settings.HolidayList{{Jurisdiction: "US", Days: []string{"2026-07-04"}}},
		}
		if _, err := store.Get(t.Context(), "u:ann"); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("Get before = %v, want not found", err)
		}
		put := func(int) error { return store.Put(t.Context(), want) }
		if won := testkit.Race(t, racers, put, errs.ErrTaken); won != 1 {
			t.Errorf("%d first writers succeeded, want 1", won)
		}
		light := want
		light.Authorities = nil

		for _, read := range []struct {
			get  func(context.Context, string) (settings.Settings, error)
			want settings.Settings
		}{{store.Whole, want}, {store.Get, light}} {
			got, err := read.get(t.Context(), "u:ann")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(read.want, got); diff != "" {
				t.Errorf("settings changed on their way (-want +got):\n%s", diff)
			}
		}
		if _, err := store.Whole(t.Context(), "u:eve"); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("Whole of another tenant = %v, want not found", err)
		}
		next := want
		next.Version, next.OpenedBy = 3, cases.OpenedByAgents
		again := func(int) error { return store.Put(t.Context(), next) }
		if won := testkit.Race(t, racers, again, errs.ErrTaken); won != 1 {
			t.Errorf("%d later writers succeeded, want 1", won)
		}
		if _, err := store.Get(t.Context(), "u:eve"); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("Get of another tenant = %v, want not found", err)
		}

		for _, tenant := range []string{"u:bob", "u:cid", "u:dan"} {
			s := settings.Default(tenant)
			if s.Version = 2; tenant != "u:cid" {
				s.ArchiveAfterDays = 10
			}
			if err := store.Put(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		var tenants []string

		for after := ""; ; {
			page, err := store.Archiving(t.Context(), after, 2)
			if err != nil {
				t.Fatal(err)
			}

			for _, s := range page {
				tenants = append(tenants, s.Tenant)
			}
			if len(page) < 2 {
				break
			}
			after = page[1].Tenant
		}
		if !slices.Equal(tenants, []string{"u:ann", "u:bob", "u:dan"}) {
			t.Errorf("tenants that archive = %v", tenants)
		}
	})
}

func TestWhatIsDue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewCases(db)
		contents := mongostore.NewContents(db, mongostore.NewBlobs(db, time.Minute))
		put := func(change func(*cases.Case)) string {
			t.Helper()
			c := newCase(t, "u:ann", cases.Draft{})
			change(&c)
			if err := store.Create(t.Context(), c); err != nil {
				t.Fatal(err)
			}

			return c.ID
		}
		deletion := &cases.Deletion{By: ann, At: noon}

		for range 3 { // under hold they would be first in every page
			put(func(c *cases.Case) {
				c.Deletion, c.Retention.LegalHold = &cases.Deletion{By: ann, At: noon.Add(-time.Hour)}, true
			})
		}
		deleted := put(func(c *cases.Case) { c.Deletion = deletion })
		kept := put(func(c *cases.Case) { c.Deletion, c.Retention.RetainUntil = deletion, "2026-06-30" })
		archived := put(func(c *cases.Case) { c.Status, c.Retention.RetainUntil = cases.Archived, "2026-06-30" })
		put(func(c *cases.Case) { c.Status, c.Retention.RetainUntil = cases.Closed, "2026-06-30" })
		put(func(c *cases.Case) { c.Status = cases.Archived })

		for name, tc := range map[string]struct {
			now  time.Time
			want []string
		}{
			"before anything is over":      {noon.Add(cases.RestoreTime - time.Millisecond), nil},
			"after the time to restore":    {noon.Add(cases.RestoreTime), []string{deleted}},
			"on the last day of retention": {time.Date(2026, 6, 30, 23, 59, 59, 0, time.UTC), []string{deleted}},
			"on the day after":             {time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), []string{deleted, kept, archived}},
		} {
			due, err := contents.Due(t.Context(), tc.now, 3)
			if err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, c := range due {
				got = append(got, c.ID)
			}
			slices.Sort(got)
			slices.Sort(tc.want)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s: due %v, want %v", name, got, tc.want)
			}
		}
		closed, err := store.ClosedBy(t.Context(), "u:ann", "2026-12-31", 10)
		if err != nil || len(closed) != 0 {
			t.Errorf("closed without a date: %d cases, %v", len(closed), err)
		}
	})
}
