package timeline

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Revision is what a person decides of an entry; nil fields stay as they are.
type Revision struct {
	ReviewStatus      *string
	Status            *string // of a deadline
	ResponsibleUserID *string // of a deadline; "" for nobody
	Edit              Edit
}

// rounds bounds how often a change begins again because another writer was first.
const rounds = 5

// Revise applies a person's decision to the newest version of an entry.
func (s *Service) Revise(
	ctx context.Context, by audit.Actor, box phases.Container, id string, expected cases.Expected, r Revision,
) (Entry, error) {
	if box.Case != nil && box.Case.Over() {
		return Entry{}, cases.ErrOver
	}
	if err := s.checkRevision(ctx, by, box, &r); err != nil {
		return Entry{}, err
	}
	if err := s.checkEdit(ctx, box, r.Edit); err != nil {
		return Entry{}, err
	}

	for range rounds {
		e, err := s.Store.Get(ctx, box.Tenant, box.TimelineID, id)
		switch {
		case err != nil:
			return Entry{}, err
		case !expected.Holds(e.Version):
			return Entry{}, cases.ErrVersion
		}
		// The decision is about the entry as people see it now: one that has run out is missed, though the store says
		// confirmed.
		next, changed, err := r.apply(e.asOf(s.Now()), zone(box))
		if err != nil || !changed {
			return next, err
		}
		next.UpdatedAt = instant.Of(s.Now())
		record := audit.Entry{
			Tenant: box.Tenant, Actor: by, Action: "entry.update", ResourceType: "entry", ResourceID: id,
		}
		save := func() error { return s.Store.Replace(ctx, next) }
		putBack := func(ctx context.Context) error { return s.putBack(ctx, e, r) }

		err = audit.Do(ctx, s.Journal, record, func() error {
			return cases.Within(ctx, s.Cases, box.Case, by, cases.Case.Stands, save, putBack)
		})
		if errors.Is(err, errs.ErrTaken) {
			continue
		}
		next.Version++
		if err != nil {
			return Entry{}, err
		}

		return next, s.settle(ctx, box, next)
	}

	return Entry{}, cases.ErrBusy
}

// putBack gives an entry back what r changed of it.
func (s *Service) putBack(ctx context.Context, was Entry, r Revision) error {
	for range rounds {
		e, err := s.Store.Get(ctx, was.Tenant, was.TimelineID, was.ID)
		if err != nil {
			return err
		}
		e.UpdatedAt = instant.Of(s.Now())
		if err := s.Store.Replace(ctx, r.undone(e, was)); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

func (s *Service) checkRevision(ctx context.Context, by audit.Actor, box phases.Container, r *Revision) error {
	var f validate.List
	if r.ReviewStatus != nil {
		f.OneOf("reviewStatus", *r.ReviewStatus, vocabulary.EntryReviews.All()...)
	}
	if r.Status != nil {
		f.OneOf("status", *r.Status, vocabulary.DeadlineStatuses.All()...)
	}
	// "" takes the responsibility from whoever had it.
	if id := r.ResponsibleUserID; id != nil && *id != "" {
		if err := s.named(ctx, by, box, *id); err != nil {
			return err
		}
		*id = f.Line("responsibleUserId", *id, 1, maxUserID)
	}

	return f.Err()
}

// steps are the states that a person may take a deadline to, and back again.
var steps = map[string][]string{
	Proposed: {Confirmed, Vacated}, Confirmed: {Met, Vacated, Proposed}, Met: {Confirmed}, Vacated: {Proposed},
}

// apply returns the entry as it is to be, and whether that is something new.
func (r Revision) apply(e Entry, zone string) (next Entry, changed bool, err error) {
	next = e
	if err := r.Edit.apply(&next, zone); err != nil {
		return e, false, err
	}
	if r.ReviewStatus != nil {
		next.ReviewStatus = *r.ReviewStatus
	}
	if r.Status == nil && r.ResponsibleUserID == nil {
		next = r.settled(next)
		return next, !reflect.DeepEqual(next, e), nil
	}
	if e.Deadline == nil {
		var f validate.List
		f.Add("status", "is for entries of kind deadline only, as is responsibleUserId")

		return e, false, f.Err()
	}
	// A copy: the entry that was read is compared with this one.
	due := *next.Deadline
	if r.Status != nil && *r.Status != due.Status {
		if !slices.Contains(steps[due.Status], *r.Status) {
			return e, false, ErrTransition.WithDetails(errs.Detail{From: due.Status, To: *r.Status})
		}
		due.Status = *r.Status
	}
	if r.ResponsibleUserID != nil && *r.ResponsibleUserID != due.ResponsibleUserID {
		due.ResponsibleUserID = *r.ResponsibleUserID
	}
	next.Deadline = &due
	next = r.settled(next)

	return next, !reflect.DeepEqual(next, e), nil
}

// undone returns e with what r changes of it as it was before.
func (r Revision) undone(e, was Entry) Entry {
	if !r.Edit.empty() {
		e.Title, e.Detail, e.When = was.Title, was.Detail, was.When
	}
	e.ReviewStatus = was.ReviewStatus
	if e.Deadline == nil {
		return e
	}
	// Others may have changed the entry since. Only what this revision set goes back.
	due := *was.Deadline
	if r.ResponsibleUserID == nil {
		due.ResponsibleUserID = e.Deadline.ResponsibleUserID
	}
	e.Deadline = &due

	return e
}
