package mongostore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newEntry(tenant string, timelineID, branchID, title string) timeline.Entry {
	return timeline.Entry{
		ID: newID(), Tenant: tenant, Version: 1, TimelineID: timelineID, ContainerID: newID(), BranchID: branchID, Kind: timeline.Fact, When: timeline.When{Precision: "day"},
		Title: title, Origin: timeline.ByUser, ReviewStatus: timeline.Unreviewed, CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
	}
}

func newDeadline(tenant string, timelineID, dueOn, status string) timeline.Entry {
	e := newEntry(tenant, timelineID, newID(), dueOn)
	e.Kind, e.When.On = timeline.DeadlineKind, dueOn
	e.Deadline = &timeline.Deadline{DueOn: dueOn, TimeZone: "UTC", Certainty: "explicit", Status: status}

	return e
}

func entryTitles(list []timeline.Entry) []string {
	all := []string{}
	for _, e := range list {
		all = append(all, e.Title)
	}

	return all
}

func TestEntriesGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, line := mongostore.NewEntries(db), newID()
		bare, full := newEntry("u:ann", line, newID(), "bare"), newDeadline("u:ann", line, "2026-03-24", timeline.Confirmed)
		source := timeline.Source{FileID: newID(), TextVersion: 1, Page: 2, Paragraph: 3, Start: 4, End: 5, Quote: "q"}
		full.Sequence, full.PhaseID, full.Detail, full.Amount = 3, newID(), "More", &timeline.Money{Minor: -1, Currency: "USD"}
		full.When = timeline.When{On: "2026-03-24", Precision: "day", Ambiguous: true, AlternativeOn: "2026-03-25", Raw: "raw"}
		full.Authority, full.Sources = &timeline.Authority{Text: "a", Kind: "case", Verification: "unchecked"}, []timeline.Source{source}
		full.UTBMS = &timeline.UTBMS{Phase: "L100", Task: "L110", Activity: "A101"}
		full.Deadline.DueAt, full.Deadline.ResponsibleUserID = noon.Add(time.Millisecond), "bob"

		full.Deadline.Computation = &timeline.Computation{
			TriggerOn: "2026-03-03", TriggerSource: &source, RuleID: "r", RuleCitation: "R", Count: 21, Unit: "days", Direction: "forward", ServiceDaysAdded: 3,
			RolledFrom: "2026-03-22", RolledBecause: "Sunday", HolidayCalendar: "us_federal", Assumptions: []string{"a"},
		}
		for _, want := range []timeline.Entry{bare, full} {
			if err := store.Insert(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			got, err := store.Get(t.Context(), "u:ann", line, want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Get: %v (-want +got):\n%s", err, diff)
			}
		}

		for name, get := range map[string]func() error{
			"another tenant":   func() error { _, err := store.Get(t.Context(), "u:eve", line, bare.ID); return err },
			"another timeline": func() error { _, err := store.Get(t.Context(), "u:ann", newID(), bare.ID); return err },
			"no id":            func() error { _, err := store.Get(t.Context(), "u:ann", line, "x"); return err },
		} {
			if err := get(); !errors.Is(err, timeline.ErrNotFound) {
				t.Errorf("Get, %s = %v", name, err)
			}
		}
		theirs := bare
		theirs.Tenant = "u:eve"
		if err := store.Replace(t.Context(), theirs); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("Replace in another tenant = %v", err)
		}
		known, err := store.Known(t.Context(), "u:ann", []string{bare.ID, newID()})
		if diff := cmp.Diff(map[string]bool{bare.ID: true}, known); err != nil || diff != "" {
			t.Errorf("Known: %v\n%s", err, diff)
		}
		if known, err := store.Known(t.Context(), "u:eve", []string{bare.ID}); err != nil || len(known) != 0 {
			t.Errorf("Known to another tenant = %v, %v", known, err)
		}
	})
}

func TestOneOfManyEntriesIsKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, line := mongostore.NewEntries(db), newID()
		e := newEntry("u:ann", line, newID(), "x")
		insert := func(int) error { return store.Insert(t.Context(), e) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts succeeded, want 1", won)
		}
		won := testkit.Race(t, racers, func(i int) error {
			mine := e
			mine.Sequence = i

			return store.Replace(t.Context(), mine)
		}, errs.ErrTaken)
		if got, err := store.Get(t.Context(), "u:ann", line, e.ID); won != 1 || err != nil || got.Version != 2 {
			t.Errorf("%d replacements succeeded, want 1; version %d, %v", won, got.Version, err)
		}
	})
}

func TestEntriesAreSeenFromBranches(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, line, root, fork := mongostore.NewEntries(db), newID(), newID(), newID()
		for _, e := range []struct {
			branch, title, on string
			sequence          int
			after             time.Duration
		}{
			{root, "first", "2026-01-02", 1, 0},
			{root, "at the fork", "2026-01-01", 2, time.Second},
			{root, "beyond it", "2026-01-03", 3, time.Second},
			{root, "too late", "2026-01-04", 1, time.Minute},
			{fork, "own", "", 0, time.Minute},
			{newID(), "elsewhere", "2026-01-05", 0, 0},
		} {
			entry := newEntry("u:ann", line, e.branch, e.title)
			entry.When.On, entry.Sequence, entry.CreatedAt = e.on, e.sequence, noon.Add(e.after)
			if err := store.Insert(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
		}

		sight := []timeline.Segment{{BranchID: root, Through: 2, Until: noon.Add(time.Second)}, {BranchID: fork, Whole: true}}
		for name, tc := range map[string]struct {
			q    timeline.Query
			want []string
		}{
			"from the fork":     {timeline.Query{Sight: sight, Sort: timeline.ByWhen, Limit: 10}, []string{"at the fork", "first", "own"}},
			"the other way":     {timeline.Query{Sight: sight, Sort: timeline.ByWhen, Descending: true, Limit: 2}, []string{"own", "first"}},
			"behind a place":    {timeline.Query{Sight: sight, Sort: timeline.ByWhen, Limit: 10, After: &cases.Cursor{Text: "2026-01-01", ID: "z"}}, []string{"first", "own"}},
			"by their creation": {timeline.Query{Sight: sight, Sort: timeline.ByCreated, Limit: 10, After: &cases.Cursor{Time: noon, ID: "z"}}, []string{"at the fork", "own"}},
			"from elsewhere":    {timeline.Query{Sight: []timeline.Segment{{BranchID: newID(), Whole: true}}, Limit: 10}, []string{}},
			"within dates":      {timeline.Query{From: "2026-01-02", To: "2026-01-04", Sort: timeline.ByWhen, Limit: 10}, []string{"first", "beyond it", "too late"}},
			"with words":        {timeline.Query{Words: []string{"fork", "the"}, Limit: 10}, []string{"at the fork"}},
			"of a kind":         {timeline.Query{Kinds: []string{timeline.Filing}, Limit: 10}, []string{}},
			"of an origin":      {timeline.Query{Origin: timeline.BySystem, ReviewStatus: timeline.Unreviewed, Limit: 10}, []string{}},
		} {
			got, err := store.List(t.Context(), "u:ann", line, tc.q)
			if diff := cmp.Diff(tc.want, entryTitles(got)); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		}
		if got, err := store.List(t.Context(), "u:eve", line, timeline.Query{Limit: 10}); err != nil || len(got) != 0 {
			t.Errorf("List of another tenant = %d, %v", len(got), err)
		}
	})
}

func TestDeadlinesComeByTheirDates(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, line := mongostore.NewEntries(db), newID()
		rejected := newDeadline("u:ann", line, "2026-01-01", timeline.Proposed)

		rejected.ReviewStatus = timeline.Rejected
		for _, e := range []timeline.Entry{
			newDeadline("u:ann", line, "2026-03-01", timeline.Confirmed), newDeadline("u:ann", line, "2026-02-01", timeline.Proposed), rejected,
			newDeadline("u:ann", line, "2026-01-01", timeline.Met), newDeadline("u:ann", newID(), "2026-01-01", timeline.Proposed), newEntry("u:ann", line, newID(), "fact"),
			newDeadline("u:eve", line, "2026-01-15", timeline.Confirmed),
		} {
			if err := store.Insert(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}

		undecided := []string{timeline.Proposed, timeline.Confirmed}
		for _, tc := range []struct {
			due  timeline.Due
			want []string
		}{
			{timeline.Due{Statuses: undecided}, []string{"2026-02-01", "2026-03-01"}},
			{timeline.Due{Statuses: []string{timeline.Confirmed}}, []string{"2026-03-01"}},
			{timeline.Due{Statuses: undecided, From: "2026-02-01", Before: "2026-03-01"}, []string{"2026-02-01"}},
			{timeline.Due{Statuses: undecided, From: "2026-02-02"}, []string{"2026-03-01"}},
			{timeline.Due{Statuses: undecided, From: "2026-03-02"}, []string{}},
		} {
			got, err := store.Deadlines(t.Context(), "u:ann", line, tc.due, 10)
			if diff := cmp.Diff(tc.want, entryTitles(got)); err != nil || diff != "" {
				t.Errorf("Deadlines of %+v: %v (-want +got):\n%s", tc.due, err, diff)
			}
			if n, err := store.CountDeadlines(t.Context(), "u:ann", line, tc.due); err != nil || n != len(tc.want) {
				t.Errorf("CountDeadlines of %+v = %d, %v, want %d", tc.due, n, err, len(tc.want))
			}
		}
		all, open, err := store.Count(t.Context(), "u:ann", line, nil)
		if err != nil || all != 5 || open != 2 {
			t.Errorf("Count = %d, %d, %v, want 5, 2", all, open, err)
		}
		late, err := store.Overdue(t.Context(), "2026-03-02", 10)
		if diff := cmp.Diff([]string{"2026-01-15", "2026-03-01"}, entryTitles(late)); err != nil || diff != "" {
			t.Errorf("Overdue: %v (-want +got):\n%s", err, diff)
		}
		if late, err := store.Overdue(t.Context(), "2026-03-01", 10); err != nil || len(late) != 1 {
			t.Errorf("Overdue before the day itself = %d, %v", len(late), err)
		}
	})
}

func TestDeclaredIndexesServeTheTimeline(t *testing.T) {
	t.Parallel()
	residual := []string{"sequence", "kind", "origin", "reviewStatus", "words"}
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{
			Name:       "List by date",
			Collection: "entries",
			Equal:      []string{"tenant", "timelineId", "branchId"},
			Sort:       []string{"dateKey", "id"},
			Range:      []string{"dateKey"},
			Residual:   residual,
		},
		stores.Query{
			Name:       "List by creation",
			Collection: "entries",
			Equal:      []string{"tenant", "timelineId", "branchId"},
			Sort:       []string{"createdAt", "id"},
			Residual:   residual,
		},
		stores.Query{Name: "Known", Collection: "entries", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "Deadlines",
			Collection: "entries",
			Equal:      []string{"tenant", "timelineId", "kind", "status"},
			Sort:       []string{"dueOn", "id"},
			Range:      []string{"dueOn"},
			Residual:   []string{"reviewStatus", "branchId"},
		},
		stores.Query{Name: "Count", Collection: "entries", Equal: []string{"tenant", "timelineId"}},
		stores.Query{
			Name:       "entries to purge",
			Collection: "entries",
			Equal:      []string{"tenant", "timelineId"},
			Residual:   []string{"createdAt"},
		},
		stores.Query{
			Name:       "Overdue",
			Collection: "entries",
			Equal:      []string{"status"},
			Sort:       []string{"dueOn"},
			Range:      []string{"dueOn"},
		},
	)
}
