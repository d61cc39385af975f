package invites

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// rule says from where a decision leads to where, and who takes it.
type rule struct {
	from    []string
	to      string
	firm    bool
	partner bool
}

func ruleOf(decision string) (rule, bool) {
	switch decision {
	case "confirm":
		return rule{[]string{Proposed}, Pending, true, false}, true
	case "revoke":
		return rule{[]string{Proposed, Pending}, Revoked, true, false}, true
	case "accept":
		return rule{[]string{Pending}, Accepted, false, true}, true
	case "decline":
		return rule{[]string{Pending}, Declined, false, true}, true
	case "end":
		return rule{[]string{Accepted}, Ended, true, true}, true
	}

	return rule{}, false
}

// Decision is what somebody decides about an invite.
type Decision struct {
	Decision         string // confirm, revoke, accept, decline, end
	ConflictAttested *bool  // of the partner
	// of the request, when it came with an Idempotency-Key: a repetition returns what the first one did
	Key string
}

// Decide carries a decision of a person out and returns the invite as that person sees it.
func (s *Service) Decide(ctx context.Context, seat Seat, by audit.Actor, id string, d Decision) (Seen, error) {
	seen, err := s.Find(ctx, seat, id)
	if err != nil {
		return Seen{}, err
	}
	r, known := ruleOf(d.Decision)
	if err := d.check(known, r); err != nil {
		return Seen{}, err
	}
	// A person can stand on both sides. The side that the decision belongs to is what counts.
	if !(r.firm && seen.Firm || r.partner && seen.Partner) {
		return Seen{}, ErrForbidden
	}
	// A repetition comes before the check of the state, which the first request has changed.
	if d.Key != "" && seen.DecisionKey == d.Key {
		return seen, nil
	}
	if err := r.follows(seen.StatusAt(s.Now())); err != nil {
		return Seen{}, err
	}
	if !seen.Firm || !r.firm { // on record as who acts in the tenant that invited them
		by = audit.Actor{Kind: audit.Partner, ID: seat.UserID, UserID: seat.UserID}
	}
	// A colleague has the rights of a member already. A grant would only take from them.
	if r.to == Accepted && seat.Tenant == seen.Tenant {
		return Seen{}, ErrColleague
	}
	change := func(i *Invite) { s.decided(i, r, d, seat) }
	if d.Decision == "confirm" {
		if change, err = s.sending(ctx, seen.Invite, change); err != nil {
			return Seen{}, err
		}
	}
	seen.Invite, err = s.carryOut(ctx, seen.Invite, by, "invite."+d.Decision, r, change)

	return seen, err
}

func (d Decision) check(known bool, r rule) error {
	var f validate.List
	if !known {
		f.Add("decision", "must be confirm, revoke, accept, decline or end")
	}

	switch attested := d.ConflictAttested; {
	case known && attested != nil && !r.partner:
		f.Add("conflictAttested", "is for the partner who accepts or declines")
	case attested != nil && !*attested && r.to == Accepted:
		f.Add("conflictAttested", "must be true to accept: with a conflict, decline")
	}

	return f.Err()
}

// follows returns ErrTransition unless the decision can follow a status.
func (r rule) follows(status string) error {
	if slices.Contains(r.from, status) {
		return nil
	}

	return ErrTransition.WithDetails(errs.Detail{From: status, To: r.to})
}

// decided writes a decision into the invite.
func (s *Service) decided(i *Invite, r rule, d Decision, seat Seat) {
	now := instant.Of(s.Now())
	i.Status, i.DecidedAt, i.DecisionKey = r.to, &now, d.Key
	if d.ConflictAttested != nil {
		i.ConflictAttested = d.ConflictAttested
	}

	switch r.to {
	// The grant is not open yet. Should this process die now, the sweep opens it after the grace.
	case Accepted:
		i.PartnerTenant = seat.Tenant
		i.Settled, i.SettleAt, i.Tries = false, now.Add(settleGrace), 0
	case Ended:
		i.Settled, i.SettleAt, i.Tries = false, now.Add(settleGrace), 0
	case Pending:
		i.SentAt, i.DecidedAt = &now, nil // the partner's decision is what counts
		i.ExpiresAt = now.Add(time.Duration(i.Hours) * time.Hour)
	}
}

// sending checks once more what may have changed since an agent proposed the invite, and gives the partner's account
// its address.
func (s *Service) sending(ctx context.Context, i Invite, then func(*Invite)) (func(*Invite), error) {
	matter, err := s.Cases.Matter(ctx, i.CaseID)
	if err != nil {
		return nil, err
	}
	partner, err := partners.Lookup(ctx, s.Directory, i.Tenant, i.PartnerID)
	if errors.Is(err, ErrNotFound) {
		err = ErrUnavailable
	}
	if err != nil {
		return nil, err
	}
	if err := s.possible(ctx, matter, partner, i); err != nil {
		return nil, err
	}
	// The address comes before the status: an invite that is sent and has no address could never be answered.
	if err := s.Addresses.Put(ctx, Address{partner.AccountUserID, i.ID, i.Tenant, i.CreatedAt}); err != nil {
		return nil, err
	}

	return func(i *Invite) {
		then(i)
		i.Facts, i.AccountUserID = matter.facts(), partner.AccountUserID
	}, nil
}

// carryOut changes the status under its version: of several decisions at the same moment one holds. What follows from
// it, the grants, can be redone from the stored status at any time.
func (s *Service) carryOut(
	ctx context.Context, i Invite, by audit.Actor, action string, r rule, change func(*Invite),
) (Invite, error) {
	var notices []recounts.Notice
	entry := audit.Entry{Tenant: i.Tenant, Actor: by, Action: action, ResourceType: "invite", ResourceID: i.ID}
	err := audit.Do(ctx, s.Journal, entry, func() error {
		var err error
		if notices, err = s.Recount.Announce(ctx, i.Tenant, i.CaseID); err != nil {
			return err
		}
		i, err = s.update(ctx, i, r, change)

		return err
	})
	if err != nil {
		return i, err
	}
	// The decision holds whether or not the grant can be written now; the caller is not told of a failure that mends
	// itself.
	if !i.Settled {
		if done, err := s.settle(ctx, i, by); err != nil {
			s.Log.WarnContext(ctx, "a grant is to be settled later", "err", err)
		} else {
			i = done
		}
	}
	s.Recount.Changed(ctx, notices)

	return i, nil
}

func (s *Service) update(ctx context.Context, i Invite, r rule, change func(*Invite)) (Invite, error) {
	for range tries {
		if err := r.follows(i.StatusAt(s.Now())); err != nil {
			return i, err
		}
		next := i
		change(&next)
		next.UpdatedAt = instant.Of(s.Now())
		// Of an acceptance and a revocation at once the second finds another status, and r.follows refuses it.
		next, err := s.Store.Replace(ctx, next)
		if !errors.Is(err, errs.ErrTaken) {
			return next, err
		}
		if i, err = s.Store.Get(ctx, i.Tenant, i.ID); err != nil {
			return i, err
		}
	}

	return i, ErrBusy
}

// expire writes down that the time of an invite is up.
func (s *Service) expire(ctx context.Context, i Invite, by audit.Actor) error {
	expired := rule{from: []string{Expired}, to: Expired}
	_, err := s.carryOut(ctx, i, by, "invite.expire", expired, func(i *Invite) {
		at := i.ExpiresAt
		i.Status, i.DecidedAt = Expired, &at
	})
	if errors.Is(err, ErrTransition) {
		return nil // somebody was quicker
	}

	return err
}

const (
	settleGrace = 15 * time.Second // longer than a request: until then its own process settles
	lastRetry   = time.Hour
)

// settle makes the grants say what the invite's status says: here and in case-svc. Each step may be repeated, and the
// end of a grant is final, so a crash between any two steps is mended by doing all of it again. The grant here opens
// first and ends last: whoever case-svc lets into a case is known here as a partner, and never taken for one of the
// case's own tenant.
func (s *Service) settle(ctx context.Context, i Invite, by audit.Actor) (Invite, error) {
	g := Grant{
		PartnerTenant: i.PartnerTenant,
		CaseID:        i.CaseID,
		UserID:        i.AccountUserID,
		CaseTenant:    i.Tenant,
		InviteID:      i.ID,
		PartnerID:     i.PartnerID,
		Scope:         i.Scope,
		Ended:         i.Status != Accepted,
	}
	action, steps := "grant.open", []func(context.Context, Grant) error{s.Grants.Put, s.Cases.PutGrant}
	if g.Ended {
		action = "grant.end"
		slices.Reverse(steps)
	}
	entry := audit.Entry{Tenant: i.Tenant, Actor: by, Action: action, ResourceType: "invite", ResourceID: i.ID}
	err := audit.Do(ctx, s.Journal, entry, func() error {
		for _, step := range steps {
			if err := step(ctx, g); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return i, err
	}
	i.Settled, i.SettleAt = true, never
	done, err := s.Store.Replace(ctx, i)
	if errors.Is(err, errs.ErrTaken) { // it was decided again meanwhile, and whoever did it settles it
		return s.Store.Get(ctx, i.Tenant, i.ID)
	}

	return done, err
}

// Sweep writes down what has expired and settles what its request did not come to, up to most invites.
func (s *Service) Sweep(ctx context.Context, most int) error {
	due, err := s.Store.Due(ctx, instant.Of(s.Now()), most)
	if err != nil {
		return err
	}
	by := audit.Actor{Kind: audit.Service}
	var all error

	for _, i := range due {
		if i.StatusAt(s.Now()) == Expired && i.Status == Pending {
			all = errors.Join(all, s.expire(ctx, i, by))
			continue
		}
		if i.Settled {
			continue
		}
		if _, err := s.settle(ctx, i, by); err != nil {
			all = errors.Join(all, err, s.later(ctx, i))
		}
	}

	return all
}

// later has the sweep try again after 1 s, 2 s, 4 s and so on, up to an hour.
func (s *Service) later(ctx context.Context, i Invite) error {
	// The shift is capped, or a count of tries that grew for days would overflow it.
	i.SettleAt = instant.Of(s.Now().Add(min(lastRetry, time.Second<<min(i.Tries, 20))))
	i.Tries++
	if _, err := s.Store.Replace(ctx, i); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil
}
