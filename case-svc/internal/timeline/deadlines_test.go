package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// reading counts the deadlines that it hands out.
type reading struct {
	timeline.Store
	read int
}

func (r *reading) Deadlines(ctx context.Context, tenant, timelineID string, d timeline.Due, limit int) ([]timeline.Entry, error) {
	list, err := r.Store.Deadlines(ctx, tenant, timelineID, d, limit)
	r.read += len(list)

	return list, err
}

type noRecord struct{}

func (noRecord) Record(context.Context, audit.Entry) error { return nil }

// What a case derives from its deadlines is right to the hour in each zone, and costs the same however many there are.
func TestWhatACaseDerivesFromItsDeadlines(t *testing.T) {
	t.Parallel()
	db := stores.Mongo(t)
	branches, kept := mongostore.NewBranchStore(db), mongostore.NewCases(db)
	ann := audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	type due struct{ on, zone, status string }

	many := func(n int, more ...due) []due {
		for i := range n {
			day := noon.AddDate(0, 0, 10+i).Format(time.DateOnly)
			more = append(more, due{day, "UTC", timeline.Confirmed}, due{day, "UTC", timeline.Proposed}, due{day, "UTC", timeline.Met})
		}

		return more
	}
	for _, tc := range []struct {
		name  string
		all   []due
		next  string
		count int
	}{
		{"only the new one", nil, "2026-12-31", 1},
		{"a proposal that is long over", []due{{"2020-01-01", "UTC", timeline.Proposed}}, "2020-01-01", 2},
		{"a confirmed one that ran out yesterday", []due{{"2026-03-03", "UTC", timeline.Confirmed}}, "2026-12-31", 1},
		{"one that is due today", []due{{"2026-03-04", "UTC", timeline.Confirmed}}, "2026-03-04", 2},
		{"one due yesterday where today has just begun", []due{{"2026-03-03", "Etc/GMT+12", timeline.Confirmed}}, "2026-12-31", 1},
		{"one due today where it is tomorrow already", []due{{"2026-03-04", "Pacific/Kiritimati", timeline.Confirmed}}, "2026-12-31", 1},
		{"one due tomorrow where it is tomorrow already", []due{{"2026-03-05", "Pacific/Kiritimati", timeline.Confirmed}}, "2026-03-05", 2},
		{"many", many(100, due{"2026-03-05", "UTC", timeline.Confirmed}, due{"2026-03-01", "UTC", timeline.Confirmed}), "2026-03-05", 202},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{}, noon)
			made := kept.Create(t.Context(), c)
			rooted := branches.EnsureRoot(t.Context(), c.Tenant, "case", c.ID, ann, noon)
			if err := errors.Join(err, made, rooted); err != nil {
				t.Fatal(err)
			}
			store := &reading{Store: mongostore.NewEntries(db)}

			for i, d := range tc.all {
				e := timeline.Entry{
					ID: uuid.NewString(), Tenant: c.Tenant, Version: 1, TimelineID: c.TimelineID, ContainerID: c.ID, BranchID: c.ActiveBranchID, Kind: timeline.DeadlineKind,
					Title: fmt.Sprint("Deadline ", i), Deadline: &timeline.Deadline{DueOn: d.on, TimeZone: d.zone, Status: d.status}, CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
				}
				if err := store.Insert(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			var next *timeline.Next
			var open int
			s := &timeline.Service{
				Store: store, Cases: kept, Branches: branches, Journal: noRecord{}, Gate: guard.New(),
				Links: "https://subrosa.test", Now: func() time.Time { return noon },
				Derive: func(ctx context.Context, _, _ string, read func(context.Context) (*timeline.Next, int, error)) (err error) {
					next, open, err = read(ctx)
					return err
				},
			}
			box := phases.Container{ID: c.ID, Tenant: c.Tenant, Type: phases.CaseContainer, TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID, Case: &c}
			draft := timeline.Draft{Kind: timeline.DeadlineKind, Title: "The new one", Deadline: timeline.Deadline{DueOn: "2026-12-31"}}
			if _, err := s.Add(t.Context(), ann, box, uuid.NewString(), draft); err != nil {
				t.Fatal(err)
			}
			if next == nil || next.DueOn != tc.next || open != tc.count {
				t.Errorf("next = %+v, open = %d, want %s, %d", next, open, tc.next, tc.count)
			}
			if store.read > 4 {
				t.Errorf("%d deadlines were read for it", store.read)
			}
		})
	}
}
