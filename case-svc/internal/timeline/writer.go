package timeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// note is something that the service itself did.
type note struct {
	kind    string
	subject string // what makes it one of its kind; a repetition with the same subject adds nothing
	title   string
	at      time.Time
}

// write puts a note on a branch.
func (s *Service) write(ctx context.Context, by audit.Actor, place Entry, n note) error {
	return s.insert(ctx, n.on(by, place))
}

// on is the entry of a note at a place.
func (n note) on(by audit.Actor, place Entry) Entry {
	at := instant.Of(n.at)
	place.Version, place.Kind, place.Title, place.Origin, place.ReviewStatus = 1, n.kind, n.title, BySystem, Unreviewed
	place.When = When{On: at.Format(dateForm), Precision: "day"}
	place.CreatedBy, place.CreatedAt, place.UpdatedAt = by, at, at
	place.ID = cases.DerivedID("entry", place.TimelineID, n.kind, n.subject)

	return place
}

// PhaseEnded notes that a phase has ended.
func (s *Service) PhaseEnded(ctx context.Context, p phases.Phase) error {
	return s.insert(ctx, EndOf(p))
}

// EndOf is the note that a phase has ended.
func EndOf(p phases.Phase) Entry {
	ended := note{kind: PhaseKind, subject: p.ID, title: "Phase " + p.Status + ": " + p.RequestType, at: p.EndedAt}
	return ended.on(p.CreatedBy, ofPhase(p))
}

// PhaseReviewed notes a person's decision on a phase.
func (s *Service) PhaseReviewed(ctx context.Context, by audit.Actor, p phases.Phase) error {
	return s.write(ctx, by, ofPhase(p), note{
		kind:    ReviewKind,
		subject: p.ID,
		title:   "Review: " + p.Review.Status,
		at:      p.Review.At,
	})
}

func ofPhase(p phases.Phase) Entry {
	return Entry{
		Tenant:      p.Tenant,
		TimelineID:  p.TimelineID,
		ContainerID: p.ContainerID,
		BranchID:    p.BranchID,
		Sequence:    p.Sequence,
		PhaseID:     p.ID,
	}
}

// FileAdded notes that a file came to a case. Its name has passed the gate.
func (s *Service) FileAdded(ctx context.Context, by audit.Actor, c cases.Case, fileID, name string) error {
	title := []rune("File added: " + name)

	return s.ofCase(
		ctx, by, c, note{kind: FileAdded, subject: fileID, title: string(title[:min(len(title), maxTitle)])},
	)
}

// StatusChanged notes that the case, as it is now, came from another state.
func (s *Service) StatusChanged(ctx context.Context, by audit.Actor, from string, now cases.Case) error {
	subject := from + ">" + now.Status + " " + now.UpdatedAt.Format(time.RFC3339Nano)

	return s.ofCase(
		ctx, by, now, note{kind: StatusChange, subject: subject, title: "Status: " + from + " to " + now.Status},
	)
}

// Invited notes what became of an invite.
func (s *Service) Invited(ctx context.Context, by audit.Actor, c cases.Case, inviteID, became string) error {
	return s.ofCase(ctx, by, c, note{kind: Invite, subject: inviteID + " " + became, title: "Invite " + became})
}

// ofCase puts a note on the active branch of a case.
func (s *Service) ofCase(ctx context.Context, by audit.Actor, c cases.Case, n note) error {
	branch, err := s.Branches.Branch(ctx, c.Tenant, c.ActiveBranchID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	n.at = s.Now() // a root branch that is still to be made has no phases
	place := Entry{
		Tenant:      c.Tenant,
		TimelineID:  c.TimelineID,
		ContainerID: c.ID,
		BranchID:    c.ActiveBranchID,
		Sequence:    branch.HeadSequence,
	}

	return s.write(ctx, by, place, n)
}

// Sweep writes down which confirmed deadlines were missed: up to most of all tenants.
func (s *Service) Sweep(ctx context.Context, most int) error {
	now := s.Now()
	due, err := s.Store.Overdue(ctx, now.UTC().Add(ahead).Format(dateForm), most)
	if err != nil {
		return err
	}
	var all error // one entry that cannot be written must not keep the others

	for _, e := range due {
		if err := s.miss(ctx, e, now); err != nil {
			all = errors.Join(all, fmt.Errorf("note that deadline %s was missed: %w", e.ID, err))
		}
	}

	return all
}

// miss writes down that a deadline was missed, if it was.
func (s *Service) miss(ctx context.Context, e Entry, now time.Time) error {
	late := e.asOf(now)
	if late.Deadline.Status != Missed {
		return nil
	}
	late.UpdatedAt = instant.Of(now)
	entry := audit.Entry{
		Tenant: e.Tenant, Actor: audit.Actor{Kind: audit.Service},
		Action: "entry.missed", ResourceType: "entry", ResourceID: e.ID,
	}
	err := audit.Do(ctx, s.Journal, entry, func() error { return s.Store.Replace(ctx, late) })
	if errors.Is(err, errs.ErrTaken) {
		return nil // a person was first
	}
	if err != nil {
		return err
	}

	return s.recount(ctx, e.Tenant, e.TimelineID, e.ContainerID)
}
