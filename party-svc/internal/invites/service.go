package invites

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Service does what callers ask of invites. Who may ask for one is decided before; who may decide about one is decided
// here, since it hangs on the invite.
type Service struct {
	Store     Store
	Addresses Addresses
	Grants    Grants
	Directory partners.Store
	Cases     Cases
	Recount   *recounts.Service
	Journal   audit.Log
	Gate      guard.Gate
	Links     deeplink.Links
	Now       func() time.Time
	Log       *slog.Logger
}

const tries = 5 // of an update against other writers

// never is later than any sweep.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Never is the SettleAt of what needs no sweep.
func Never() time.Time { return never }

// Create makes an invite: a person's is sent at once, an agent's is proposed. Doing it again with the same id and
// fingerprint returns the invite that is there.
func (s *Service) Create(
	ctx context.Context, tenant string, by audit.Actor, id, fingerprint, caseID, partnerID string, d Draft,
) (Invite, error) {
	matter, err := s.Cases.Matter(ctx, caseID)
	if err != nil {
		return Invite{}, err
	}
	partner, err := partners.Lookup(ctx, s.Directory, tenant, partnerID)
	if err != nil {
		return Invite{}, err
	}
	if err := inputgate.Check(ctx, s.Gate, s.Links.To(deeplink.AddIdentity, caseID), d.Texts()...); err != nil {
		return Invite{}, err
	}
	// That a partner without a licence may act, as by pro hac vice, is a judgment that a lawyer answers for.
	if d.LicenceKnown && !by.Human() {
		return Invite{}, ErrHuman.WithDeepLink(s.Links.To(deeplink.ConfirmInvite, caseID))
	}
	now := instant.Of(s.Now())
	i := Invite{
		ID:          id,
		Tenant:      tenant,
		CaseID:      caseID,
		PartnerID:   partnerID,
		Version:     1,
		Status:      Proposed,
		Fingerprint: fingerprint,
		Facts:       matter.facts(),
		Settled:     true,
		SettleAt:    never,
		CreatedBy:   by,
		CreatedAt:   now,
		UpdatedAt:   now,
	}
	if err := d.apply(&i); err != nil {
		return Invite{}, err
	}
	i.ExpiresAt = now.Add(time.Duration(i.Hours) * time.Hour)
	// It comes before what may stand in the way: an invite that is there stands in the way of itself.
	if made, err := s.Store.Get(ctx, tenant, id); err == nil { // by an earlier try of the same request
		return made, sameRequest(made, i)
	} else if !errors.Is(err, ErrNotFound) {
		return Invite{}, err
	}
	if err := s.possible(ctx, matter, partner, i); err != nil {
		return Invite{}, err
	}
	if err := s.notYetInvited(ctx, i, by); err != nil {
		return Invite{}, err
	}
	action := "invite.propose"
	if by.Human() {
		action = "invite.send"
		i.Status, i.SentAt, i.AccountUserID = Pending, &now, partner.AccountUserID
	}

	return s.insert(ctx, i, by, action)
}

func sameRequest(made, asked Invite) error {
	if made.Fingerprint != asked.Fingerprint {
		return ErrKeyReused
	}

	return nil
}

// insert saves a new invite. The address of one that is sent comes first: an address without an invite leads nowhere,
// an invite without an address could never be answered.
func (s *Service) insert(ctx context.Context, i Invite, by audit.Actor, action string) (Invite, error) {
	var notices []recounts.Notice
	entry := audit.Entry{Tenant: i.Tenant, Actor: by, Action: action, ResourceType: "invite", ResourceID: i.ID}
	err := audit.Do(ctx, s.Journal, entry, func() error {
		var err error
		if notices, err = s.Recount.Announce(ctx, i.Tenant, i.CaseID); err != nil {
			return err
		}
		if i.Status == Pending {
			if err := s.Addresses.Put(ctx, Address{i.AccountUserID, i.ID, i.Tenant, i.CreatedAt}); err != nil {
				return err
			}
		}

		err = s.Store.Insert(ctx, i)
		switch {
		case errors.Is(err, ErrExists):
			made, err := s.Store.Get(ctx, i.Tenant, i.ID)
			if err != nil {
				return err
			}
			// The order matters: the right side is evaluated with the invite that was asked for.
			err, i = sameRequest(made, i), made

			return err
		case errors.Is(err, ErrOpen):
			_ = s.Addresses.Remove(ctx, i.AccountUserID, i.ID) // it leads nowhere
			return s.invited(ctx, i)
		}

		return err
	})
	if err == nil {
		s.Recount.Changed(ctx, notices)
	}

	return i, err
}

// possible checks what stands in the way of an invite on the side of the case and of the partner.
func (s *Service) possible(ctx context.Context, m Matter, p partners.Partner, i Invite) error {
	switch {
	case m.Status == "closed" || m.Status == "archived":
		return ErrCaseClosed
	// An invite shows the partner a part of the case. With an open conflict the firm itself may not be allowed to act.
	case m.ConflictStatus == "potential" || m.ConflictStatus == "blocked":
		return ErrConflict.WithDeepLink(s.Links.To(deeplink.ConflictCheck, m.CaseID))
	case !p.Invitable():
		return ErrUnavailable
	case i.Role == CoCounsel && m.Jurisdiction != "" && !p.Licensed(m.Jurisdiction) && !i.LicenceKnown:
		return ErrLicence
	// An empty scope opens nothing yet, and asking case-svc would cost a call.
	case len(i.Scope.BranchIDs)+len(i.Scope.FileIDs) == 0:
		return nil
	}

	return s.Cases.CheckScope(ctx, m.CaseID, i.Scope)
}

// notYetInvited clears an invite of the same partner out of the way that has expired, and refuses when there is one
// that has not.
func (s *Service) notYetInvited(ctx context.Context, i Invite, by audit.Actor) error {
	open, err := s.Store.OpenOf(ctx, i.Tenant, i.CaseID, i.PartnerID)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case open.StatusAt(s.Now()) != Expired:
		return alreadyInvited(open)
	}

	return s.expire(ctx, open, by)
}

func alreadyInvited(open Invite) error {
	return ErrInvited.WithDetails(errs.Detail{InviteID: open.ID})
}

// invited tells which invite won.
func (s *Service) invited(ctx context.Context, i Invite) error {
	open, err := s.Store.OpenOf(ctx, i.Tenant, i.CaseID, i.PartnerID)
	switch {
	case errors.Is(err, ErrNotFound):
		// The open invite that stood in the way was decided in the meantime, so the same request would go through now.
		return ErrBusy
	case err != nil:
		return err
	}

	return alreadyInvited(open)
}

// Seat is where somebody stands who asks for an invite.
type Seat struct {
	Tenant string
	UserID string
	Member bool // works on the tenant's cases
}

// Seen is an invite with the sides on which somebody stands to it.
type Seen struct {
	Invite
	Firm    bool
	Partner bool
}

// Find returns an invite that the seat can see: as the firm, or as the one it was sent to.
func (s *Service) Find(ctx context.Context, seat Seat, id string) (Seen, error) {
	a, err := s.Addresses.Get(ctx, seat.UserID, id)
	// The address leads to the tenant of the firm. Without one the caller can only be of the firm.
	addressed := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Seen{}, err
	}
	tenant := seat.Tenant
	if addressed {
		tenant = a.Tenant
	}
	i, err := s.Store.Get(ctx, tenant, id)
	if err != nil {
		return Seen{}, err
	}
	seen := Seen{
		i, seat.Member && i.Tenant == seat.Tenant, addressed && i.SentAt != nil && i.AccountUserID == seat.UserID,
	}
	// Whoever is on neither side learns no more than that there is nothing.
	if !seen.Firm && !seen.Partner {
		return Seen{}, ErrNotFound
	}

	return seen, nil
}

// Granted returns the grant of a user to a case of another tenant; granted is false when there is none. While the
// invite behind a grant is not accepted, though the grant may still have to be ended, the case is ErrNotFound.
func (s *Service) Granted(ctx context.Context, seat Seat, caseID string) (g Grant, granted bool, err error) {
	g, err = s.Grants.Get(ctx, seat.Tenant, caseID, seat.UserID)
	if errors.Is(err, ErrNotFound) {
		return g, false, nil
	}
	if err != nil {
		return g, false, err
	}

	return g, true, s.Holds(ctx, g)
}

// Holds returns ErrNotFound unless the invite behind a grant is accepted.
func (s *Service) Holds(ctx context.Context, g Grant) error {
	i, err := s.Store.Get(ctx, g.CaseTenant, g.InviteID)
	if err == nil && i.Status != Accepted {
		err = ErrNotFound
	}

	return err
}

// maxGrants bounds the grants of one user that are looked through.
const maxGrants = 100

// GrantsOf returns the grants of a user that have not ended, the invites behind which Holds is to be asked about.
func (s *Service) GrantsOf(ctx context.Context, seat Seat) ([]Grant, error) {
	return s.Grants.Of(ctx, seat.Tenant, seat.UserID, maxGrants)
}

// Addressed returns up to limit invites that were sent to an account, the newest first, and where they end; more tells
// that others follow.
func (s *Service) Addressed(
	ctx context.Context, userID string, after *Cursor, limit int, keep func(Invite) bool,
) (list []Invite, at Cursor, more bool, err error) {
	const page = 100
	for {
		addresses, err := s.Addresses.List(ctx, userID, after, page)
		if err != nil {
			return nil, at, false, err
		}

		for _, a := range addresses {
			i, err := s.Store.Get(ctx, a.Tenant, a.InviteID)
			// An address can be left of an invite that never went out, or went to another account: it leads nowhere.
			others := err == nil && (i.SentAt == nil || i.AccountUserID != userID || !keep(i))
			if errors.Is(err, ErrNotFound) || others {
				continue
			}
			if err != nil {
				return nil, at, false, err
			}
			if len(list) == limit {
				return list, at, true, nil
			}
			list, at = append(list, i), Cursor{a.CreatedAt, a.InviteID}
		}
		if len(addresses) < page {
			return list, at, false, nil
		}
		last := addresses[len(addresses)-1]
		after = &Cursor{last.CreatedAt, last.InviteID}
	}
}

// maxOfCase bounds the invites of one case that are looked at together.
const maxOfCase = 1000

// Engaged returns the partners that are not to be found for a case again: those with an open invite, and those who
// declined because of a conflict.
func (s *Service) Engaged(ctx context.Context, tenant, caseID string) (map[string]bool, error) {
	list, err := s.Store.List(ctx, tenant, caseID, "", nil, maxOfCase)
	if err != nil {
		return nil, err
	}

	out, now := map[string]bool{}, s.Now()
	for _, i := range list {
		status := i.StatusAt(now)
		// Who has said that there is a conflict must not be shown the case a second time.
		inConflict := status == Declined && i.ConflictAttested != nil && !*i.ConflictAttested
		if Open(status) || inConflict {
			out[i.PartnerID] = true
		}
	}

	return out, nil
}

// OpenOnes returns the invites of a case that are not over, the newest first.
func (s *Service) OpenOnes(ctx context.Context, tenant, caseID string) ([]Invite, error) {
	list, err := s.Store.List(ctx, tenant, caseID, "", nil, maxOfCase)
	if err != nil {
		return nil, err
	}
	var out []Invite

	for _, i := range list {
		if Open(i.StatusAt(s.Now())) {
			out = append(out, i)
		}
	}

	return out, nil
}
