package parties

import (
	"context"
	"errors"
	"slices"

	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Expected are the versions that a caller made a condition; nil means no condition.
type Expected []int64

// Holds reports whether version meets the condition.
func (e Expected) Holds(version int64) bool { return e == nil || slices.Contains(e, version) }

// Change is what a PUT asks for.
type Change struct {
	Draft    Draft
	Label    *string // must be the party's own when given
	CaseID   *string // likewise
	Expected Expected
}

// Update replaces the writable part of a party.
func (s *Service) Update(ctx context.Context, tenant string, by audit.Actor, id string, c Change) (Party, error) {
	p, err := s.Store.Get(ctx, tenant, id)
	if err != nil {
		return Party{}, err
	}
	kase, err := s.Cases.Case(ctx, p.CaseID)
	if err != nil {
		return Party{}, err
	}
	if err := inputgate.Check(ctx, s.Gate, s.Links.To(deeplink.AddIdentity, p.CaseID), c.Draft.Texts()...); err != nil {
		return Party{}, err
	}
	u := update{Service: s, by: by, kase: kase, change: c}
	if _, _, err := u.plan(ctx, p); err != nil { // what is refused is not on record as begun
		return Party{}, err
	}
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "party.update", ResourceType: "party", ResourceID: id}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		p, err = u.save(ctx, tenant, id)
		return err
	})
	if err == nil {
		s.Recount.Changed(ctx, u.notices)
	}

	return p, err
}

// update is one change under way.
type update struct {
	*Service
	by      audit.Actor
	kase    Case
	change  Change
	notices []recounts.Notice
}

// plan returns what the party becomes, and which cases that bears on.
func (u *update) plan(ctx context.Context, p Party) (Party, []string, error) {
	if !u.change.Expected.Holds(p.Version) {
		return Party{}, nil, errs.ErrVersion
	}
	if l := u.change.Label; l != nil && *l != p.Label {
		return Party{}, nil, ErrLabelImmutable
	}
	var f validate.List
	if id := u.change.CaseID; id != nil && *id != p.CaseID {
		f.Add("caseId", "must be the party's own: a party never changes its case")
	}
	if err := f.Err(); err != nil {
		return Party{}, nil, err
	}
	next := p
	if err := u.change.Draft.apply(&next); err != nil {
		return Party{}, nil, err
	}
	// A firm that replaces its key has to seal the parties of closed cases anew.
	if u.kase.Over() && !onlySealing(p, next) {
		return Party{}, nil, ErrCaseClosed
	}
	if err := u.freshly(ctx, p, next); err != nil {
		return Party{}, nil, err
	}
	hits, err := u.admissible(ctx, p, next)
	if err != nil {
		return Party{}, nil, err
	}
	if err := u.clientsFit(ctx, u.kase, p, next); err != nil {
		return Party{}, nil, err
	}
	if err := u.mergeable(ctx, next); err != nil {
		return Party{}, nil, err
	}
	next.UpdatedAt = instant.Of(u.Now())
	// An agent may delete a case that only it and its kin have worked on. This records that somebody else has.
	next.Shared = p.Shared || u.by.Human() || u.by.UserID != p.CreatedBy.UserID
	if !next.comparesLike(p) {
		next.ComparedAt = next.UpdatedAt
	}

	return next, affected(p.CaseID, hits), nil
}

// onlySealing reports whether two states of a party differ in what a browser encrypts alone: that goes on in closed
// cases, when the firm key changes.
func onlySealing(a, b Party) bool {
	// An array compares by value, and a field that is added to it is compared too.
	open := func(p Party) [10]string {
		return [...]string{
			p.Kind, p.Role, p.Side, p.Representation, p.Notes,
			p.Status, p.MergedInto, p.JoinedOn, p.LeftOn, p.IdentityRef,
		}
	}

	return open(a) == open(b) && a.IsClient == b.IsClient && sameAttributes(a.Attributes, b.Attributes)
}

func sameAttributes(a, b Attributes) bool {
	needs := func(p *bool) int {
		switch {
		case p == nil:
			return 0
		case *p:
			return 1
		}

		return 2
	}

	if !slices.Equal(a.Languages, b.Languages) || needs(a.NeedsInterpreter) != needs(b.NeedsInterpreter) {
		return false
	}

	return a.EntityType == b.EntityType && a.AgeBand == b.AgeBand && a.Residence == b.Residence
}

// mergeable checks what a merged party was merged into: another party of the case, from which no chain of merges leads
// back.
func (s *Service) mergeable(ctx context.Context, p Party) error {
	if p.Status != Merged {
		return nil
	}

	for at, steps := p.MergedInto, 0; at != ""; steps++ {
		// A circle that is stored already, by a defect, must not hold the request for ever.
		if at == p.ID || steps > MaxParties {
			return ErrMergeCycle
		}
		into, err := s.Store.Get(ctx, p.Tenant, at)
		if errors.Is(err, ErrNotFound) || err == nil && into.CaseID != p.CaseID {
			var f validate.List
			f.Add("mergedIntoPartyId", "must be the partyId of another party of the case")

			return f.Err()
		}
		if err != nil {
			return err
		}
		at = into.MergedInto
	}

	return nil
}

// save carries the plan out on the newest version.
func (u *update) save(ctx context.Context, tenant, id string) (Party, error) {
	for range tries {
		p, err := u.Store.Get(ctx, tenant, id)
		if err != nil {
			return Party{}, err
		}
		next, cases, err := u.plan(ctx, p)
		if err != nil {
			return Party{}, err
		}
		// The turn is taken after planning, because the plan tells which turns the change needs.
		err = u.inTurn(ctx, p, next, func(ctx context.Context, waited bool) error {
			if waited {
				if next, cases, err = u.replan(ctx, p); err != nil {
					return err
				}
			}
			if u.notices, err = u.Recount.Announce(ctx, tenant, cases...); err != nil {
				return err
			}
			next, err = u.Store.Replace(ctx, next)

			return err
		})
		if !errors.Is(err, errs.ErrTaken) {
			return next, err
		}
	}

	return Party{}, ErrBusy
}

// replan plans again from the newest state of the case.
func (u *update) replan(ctx context.Context, p Party) (next Party, cases []string, err error) {
	if u.kase, err = u.Cases.Case(ctx, p.CaseID); err != nil {
		return Party{}, nil, err
	}

	return u.plan(ctx, p)
}
