package cases

import (
	"context"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// move takes the edited case to another state, if the table of transitions lets the actor.
func (s *Service) move(ctx context.Context, e *editor, edit Edit, to string) error {
	from := e.Status

	human := ErrHuman.WithDeepLink(s.Links.To(deeplink.CaseSettings, e.ID))
	switch {
	case from == Intake && to == Open:
		if err := s.open(ctx, e, edit); err != nil {
			return err
		}
	case from == Open && to == OnHold, from == OnHold && to == Open:
	// What follows only a person may do.
	case !e.by.Human():
		return human
	case to == Closed && (from == Intake || from == Open || from == OnHold):
		if err := s.close(ctx, e, edit); err != nil {
			return err
		}
	case from == Closed && to == Open:
		if e.OpenedOn == "" { // declined as an intake: this is its first opening
			if err := s.open(ctx, e, edit); err != nil {
				return err
			}
		}
		e.ClosedOn, e.CloseReason, e.Retention.RetainUntil = "", "", ""
	case from == Closed && to == Archived:
		if e.Retention.LegalHold {
			return unmet(from, to, "legalHold")
		}
	default:
		return unmet(from, to)
	}
	e.Status = to

	return nil
}

// unmet refuses a transition and names what it lacks.
func unmet(from, to string, conditions ...string) error {
	return ErrTransition.WithDetails(errs.Detail{From: from, To: to, Unmet: conditions})
}

// open checks the conditions under which a case becomes an open matter for the first time.
func (s *Service) open(ctx context.Context, e *editor, edit Edit) error {
	// Only agents that the firm lets open cases get further; other programs never do.
	machine := !e.by.Human()
	switch {
	case machine && (e.by.Kind != audit.Agent || e.terms.OpenedBy != OpenedByAgents):
		return ErrHuman.WithDeepLink(s.Links.To(deeplink.CaseSettings, e.ID))
	case e.terms.OpenedBy == OpenedByOwners && !machine && !edit.Owner:
		return ErrOwners
	}
	roster, err := edit.clients.roster(ctx, e.Case)
	if err != nil {
		return err
	}
	e.Conflict.found(roster, e.now)
	// Whether a conflict may be passed over is a question of professional duty, which a person answers.
	if machine && e.Conflict.Status != Clear && e.Conflict.Status != Waived {
		return ErrHuman.WithDeepLink(s.Links.To(deeplink.ConflictCheck, e.ID))
	}
	e.Counts.Parties, e.Counts.Invites = roster.Parties, roster.Invites
	// All that is missing is told at once, so that a caller mends it in one round.
	var lacks []string

	for _, condition := range []struct {
		name string
		met  bool
	}{
		{"jurisdiction", e.Jurisdiction != ""},
		{"practiceAreas", len(e.PracticeAreas) > 0},
		{"supervisor", e.Supervision.ResponsibleUserID != ""},
		{"client", len(roster.Clients) > 0},
		{"jointRepresentation", len(roster.Clients) < 2 || e.Joint},
		{"conflict", e.Conflict.Status != NotRun && e.Conflict.Status != Blocked},
	} {
		if !condition.met {
			lacks = append(lacks, condition.name)
		}
	}
	if len(lacks) > 0 {
		return unmet(e.Status, Open, lacks...)
	}
	e.OpenedOn = Day(e.now)

	return nil
}

// close checks the conditions under which a matter ends, and sets how long it is kept.
func (s *Service) close(ctx context.Context, e *editor, edit Edit) error {
	// An intake that never became a matter cannot have been settled or decided.
	if e.CloseReason == "" || e.Status == Intake && !slices.Contains([]string{"declined", "referred"}, e.CloseReason) {
		return unmet(e.Status, Closed, "closeReason")
	}

	switch phase, err := s.Contents.OpenPhase(ctx, e.Tenant, e.ID); {
	case err != nil:
		return err
	case phase != "":
		return ErrBranchBusy.WithDetails(errs.Detail{RunningPhaseID: phase})
	}
	// Drafts that nobody has reviewed would be frozen with the case, unless a person says that this is meant.
	if e.Status != Intake && !edit.AcknowledgePending {
		if _, _, pending, err := s.Contents.Tally(ctx, e.Tenant, e.ID); err != nil {
			return err
		} else if pending > 0 {
			return ErrReviewPending
		}
	}
	e.ClosedOn = Day(e.now)
	e.retain()

	return nil
}

// Archive takes a case that was closed on day or before to the archive, on behalf of the tenant's settings. One that is
// not so any more, or is under legal hold, stays as it is.
func (s *Service) Archive(ctx context.Context, tenant string, id, day string) error {
	entry := audit.Entry{
		Tenant: tenant, Actor: audit.Actor{Kind: audit.Service},
		Action: "case.archive", ResourceType: "case", ResourceID: id,
	}
	from := ""
	changed, err := s.change(ctx, tenant, id, nil, func(c Case) (Case, audit.Entry, error) {
		// The sweep has listed it a while ago. A person may have reopened or held it since.
		if c.Status == Closed && c.ClosedOn != "" && c.ClosedOn <= day && !c.Retention.LegalHold {
			c.Status, from = Archived, c.Status
		}

		return c, entry, nil
	})
	if err == nil && from != "" && changed.Status == Archived {
		s.moved(ctx, entry.Actor, from, changed)
	}

	return err
}
