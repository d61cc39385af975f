package cases

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Edit is a change that a caller asks for.
type Edit struct {
	Fields []Field // what it touches
	// Merge returns the writable part of a case as the caller wants it, given how it stands. It may be asked several
	// times. What it does not touch is not looked at.
	Merge func(Draft) (Draft, error)
	// AcknowledgePending lets a person close a case although phases of it wait for review.
	AcknowledgePending bool
	// Owner says that the caller is an owner of the tenant.
	Owner bool

	clients *hold // on the clients of the case while the edit is made
}

func (e Edit) touches(field Field) bool { return slices.Contains(e.Fields, field) }

// Branches tells about the branches of a timeline.
type Branches interface {
	// OnTimeline reports whether the timeline has the branch, and whether that is archived.
	OnTimeline(ctx context.Context, tenant string, timelineID, branchID string) (there, archived bool, err error)
}

// Sources tells whether quotes stand where they are said to.
type Sources interface {
	// Quoted reports whether the passage of a file of the case says what the source quotes.
	Quoted(ctx context.Context, tenant string, caseID string, source SourceRef) (bool, error)
}

// Policies tells a tenant's settings.
type Policies interface {
	Terms(ctx context.Context, tenant string) (Terms, error)
}

// Change applies an edit to the newest version of a case. Whether the caller may touch the fields was decided before.
func (s *Service) Change(
	ctx context.Context, tenant string, by audit.Actor, id string, expected Expected, edit Edit,
) (Case, error) {
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()

	// It is given back when the edit is saved or refused, whatever happens in between.
	edit.clients = &hold{rosters: s.Rosters}
	defer edit.clients.end()
	from := ""
	changed, err := s.change(ctx, tenant, id, expected, func(c Case) (Case, audit.Entry, error) {
		from = c.Status
		next, err := s.revise(ctx, by, c, edit)

		return next, audit.Entry{
			Tenant: tenant, Actor: by, Action: actionOf(c, next), ResourceType: "case", ResourceID: id,
		}, err
	})
	if err == nil && from != changed.Status {
		s.moved(ctx, by, from, changed)
	}

	return changed, err
}

// changeTime bounds an edit: shorter than the clients of a case can be held, so that nothing is saved under a hold that
// is over.
const changeTime = 10 * time.Second

// hold keeps the clients of a case as they are from the first look at them until the edit that depends on them is saved
// or given up.
type hold struct {
	rosters Rosters
	release func()
}

// roster returns the roster of a case whose clients are held.
func (h *hold) roster(ctx context.Context, c Case) (Roster, error) {
	// An edit asks twice at most, and both answers must be about the same clients.
	if h.release == nil {
		release, err := h.rosters.Hold(ctx, c.ID)
		if err != nil {
			return Roster{}, err
		}
		h.release = release
	}

	return h.rosters.Roster(ctx, c.Tenant, c.ID)
}

func (h *hold) end() {
	if h.release != nil {
		h.release()
	}
}

// moved tells of a change of state.
func (s *Service) moved(ctx context.Context, by audit.Actor, from string, now Case) {
	if s.Moved != nil {
		_ = s.Moved(context.WithoutCancel(ctx), by, from, now) // what counts is in the case and on record
	}
}

// actionOf names a change by what matters most in it.
func actionOf(was, will Case) string {
	verbs := map[string]string{Open: "case.open", OnHold: "case.pause", Closed: "case.close", Archived: "case.archive"}
	switch {
	case was.Status != will.Status && was.Status == Closed && will.Status == Open:
		return "case.reopen"
	case was.Status != will.Status:
		return verbs[will.Status]
	case !was.Retention.LegalHold && will.Retention.LegalHold:
		return "case.hold"
	case was.Retention.LegalHold && !will.Retention.LegalHold:
		return "case.lift_hold"
	case !sameOverride(was.Override, will.Override):
		return "case.override_tier"
	case was.ActiveBranchID != will.ActiveBranchID:
		return "case.adopt_branch"
	}

	return "case.update"
}

func sameOverride(a, b *Override) bool { return a == b || a != nil && b != nil && *a == *b }

func (s *Service) revise(ctx context.Context, by audit.Actor, c Case, edit Edit) (Case, error) {
	d, err := edit.Merge(c.Draft())
	if err != nil {
		return Case{}, err
	}
	if err := inputgate.Check(
		ctx, s.Gate, s.Links.To(deeplink.AddIdentity, c.ID), d.Texts(by, edit.Fields)...,
	); err != nil {
		return Case{}, err
	}
	e := editor{Case: c, by: by, now: s.Now()}
	// Only these two go by the settings of the firm. Other edits save the read.
	if edit.touches(FieldStatus) || edit.touches(FieldPolicyCode) {
		if e.terms, err = s.Policies.Terms(ctx, c.Tenant); err != nil {
			return Case{}, err
		}
	}

	for _, field := range edit.Fields {
		if field == FieldStatus {
			continue // last, when what it depends on is in place
		}
		if err := e.take(field, d); err != nil {
			return Case{}, s.withLink(err, c.ID)
		}
	}
	if edit.touches(FieldStatus) {
		e.f.OneOf("status", *d.Status, vocabulary.CaseStatuses.All()...)
	}
	if err := s.look(ctx, c, &e, edit); err != nil {
		return Case{}, err
	}
	if edit.touches(FieldStatus) && *d.Status != c.Status {
		if err := s.move(ctx, &e, edit, *d.Status); err != nil {
			return Case{}, err
		}
	}
	if err := jointly(ctx, c, e.Case, edit); err != nil {
		return Case{}, err
	}
	// Reopening and changing the content in one edit is allowed, so both ends are looked at.
	if c.Over() && e.Over() && slices.ContainsFunc(edit.Fields, Field.content) {
		return Case{}, ErrOver
	}
	if edit.touches(FieldCloseReason) && e.CloseReason != "" && !e.Over() {
		return Case{}, validate.ErrInvalid.WithDetails(
			errs.Detail{Path: "closeReason", Message: "goes with the status closed only"},
		)
	}

	return e.Case, nil
}

// jointly refuses an edit that leaves a case under way with several clients who are not represented jointly. A case
// that stays under way without having been joint has one client: party-svc sees to that.
func jointly(ctx context.Context, was, will Case, edit Edit) error {
	if !will.UnderWay() || will.Joint {
		return nil
	}
	checked := was.Status == Intake // with all conditions of an intake
	if checked || was.UnderWay() && !was.Joint {
		return nil
	}
	roster, err := edit.clients.roster(ctx, will)
	if err == nil && len(roster.Clients) > 1 {
		err = unmet(was.Status, will.Status, "jointRepresentation")
	}

	return err
}

// look checks what the edit refers to, after its own form.
func (s *Service) look(ctx context.Context, was Case, e *editor, edit Edit) error {
	// What is malformed is not looked up: the store would be asked for an id that cannot exist.
	if err := e.f.Err(); err != nil {
		return err
	}
	// Who the client is already need not be looked up again, which works while party-svc is away.
	if edit.touches(FieldClientPartyID) && e.ClientPartyID != "" && e.ClientPartyID != was.ClientPartyID {
		r, err := s.Rosters.Roster(ctx, e.Tenant, e.ID)
		if err != nil {
			return err
		}
		if !slices.Contains(r.Clients, e.ClientPartyID) {
			e.f.Add("clientPartyId", "must be an active party of the case that is marked as a client")
		}
	}
	if edit.touches(FieldActiveBranchID) && e.ActiveBranchID != was.ActiveBranchID {
		there, archived, err := s.Branches.OnTimeline(ctx, e.Tenant, e.TimelineID, e.ActiveBranchID)
		switch {
		case err != nil:
			return err
		case !there:
			e.f.Add("activeBranchId", "must be a branch of the case's timeline")
		case archived:
			return ErrArchived
		}
	}
	if a := e.Amount; edit.touches(FieldAmount) && a != nil && a.Source != nil {
		quoted, err := s.Sources.Quoted(ctx, e.Tenant, e.ID, *a.Source)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if !quoted {
			e.f.Add(
				"amountInControversy.source",
				"must point at a passage of an active file of the case that says what it quotes",
			)
		}
	}

	return e.f.Err()
}
