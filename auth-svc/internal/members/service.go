package members

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Service keeps the record of members and ends their access. It is safe for concurrent use.
type Service struct {
	Store   Store
	Access  Access
	Holders Holders
	Audit   audit.Log
	Now     func() time.Time
	// Absence is how long a member may not have signed in before their access ends; 0 for ever.
	Absence time.Duration
	// KeyLife is how long an agent's key is good; 0 for ever.
	KeyLife time.Duration
}

func (d *Service) now() time.Time { return instant.Of(d.Now()) }

// Seen notes that the provider has sent a user, who has the roles of the caller from now on, and returns
// access.ErrSuspended when the firm has ended their access. Whoever had only been away is back.
func (d *Service) Seen(ctx context.Context, c access.Caller) error {
	for range tries {
		m, err := d.Store.Find(ctx, c.Tenant, c.UserID)
		if errors.Is(err, ErrNoMember) {
			err = d.Store.Insert(ctx, d.newMember(c))
			if !errors.Is(err, errs.ErrTaken) {
				return err
			}

			continue
		}
		if err != nil {
			return err
		}
		if !m.Has() && m.Why != Absent {
			return access.ErrSuspended
		}
		err = d.sighted(ctx, m, c)
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return errs.ErrUnavailable
}

func (d *Service) newMember(c access.Caller) Member {
	now := d.now()

	return Member{
		Tenant:    c.Tenant,
		UserID:    c.UserID,
		Roles:     c.Roles,
		RolesAt:   d.said(c),
		FirstSeen: now,
		LastSeen:  now,
		State:     Active,
		Version:   1,
	}
}

// said returns when the provider said what a caller brings.
func (d *Service) said(c access.Caller) time.Time {
	if at := c.Issued; !at.IsZero() {
		return instant.Of(at)
	}

	return d.now()
}

// sighted moves a member's record on. What lives in their name gets new roles before the record has them, so that a
// repetition does it again.
func (d *Service) sighted(ctx context.Context, m Member, c access.Caller) error {
	now, said := d.now(), d.said(c)
	back := !m.Has()
	newer := !said.Before(m.RolesAt) && !slices.Equal(m.Roles, c.Roles)
	moved := back || newer || now.Sub(m.LastSeen) >= seenStep
	if !back && !m.RestoredAt.IsZero() {
		// Whoever missed it, because Redis lost it, would refuse the member until it is started again.
		var err error
		if m, err = d.welcome(ctx, m); err != nil {
			return err
		}
		if now.Sub(m.RestoredAt) >= retold { // that was the last time
			m.RestoredAt, moved = time.Time{}, true
		}
	}
	if !moved {
		return nil
	}
	if newer {
		if err := d.Access.Roles(ctx, m.Tenant, m.UserID, c.Roles); err != nil {
			return err
		}
		m.Roles, m.RolesAt = c.Roles, said
	}
	m.LastSeen = now
	if !back {
		return d.Store.Replace(ctx, m)
	}
	if err := d.record(ctx, c, m.Tenant, m.UserID, returned, ok); err != nil {
		return err
	}
	m.State, m.Why, m.EndedAt, m.EndedBy, m.RestoredAt, m.Untold = Active, "", time.Time{}, "", now, true
	if err := d.Store.Replace(ctx, m); err != nil {
		return err
	}
	m.Version++
	_, err := d.welcome(ctx, m)

	return err
}

// welcome tells every process that a member has access, and returns errs.ErrTaken when it has ended meanwhile.
func (d *Service) welcome(ctx context.Context, m Member) (Member, error) {
	m, err := d.tell(ctx, m)
	if err == nil && !m.Has() {
		err = errs.ErrTaken
	}

	return m, err
}

// tell tells every process whether a member has access, and returns what the record says afterwards. Whoever changes
// that marks the record as untold. The mark goes when the word about that very version is out, and what fails before is
// told by the sweep. The record may change before the word is out, and the word about that change be out already: the
// word about the higher version counts, whatever their order.
func (d *Service) tell(ctx context.Context, m Member) (Member, error) {
	for range tries {
		if err := d.Access.Announce(ctx, m); err != nil {
			return m, err
		}
		now, err := d.Store.Find(ctx, m.Tenant, m.UserID)
		if err != nil {
			return m, err
		}
		if now.Has() != m.Has() || now.Untold && now.Version != m.Version {
			m = now
			continue
		}

		return d.told(ctx, now)
	}

	return m, errs.ErrUnavailable
}

// told takes the mark off a record whose word is out. Whoever changes the record meanwhile leaves the mark on it.
func (d *Service) told(ctx context.Context, m Member) (Member, error) {
	if !m.Untold {
		return m, nil
	}
	next := m
	next.Untold = false
	err := d.Store.Replace(ctx, next)
	if errors.Is(err, errs.ErrTaken) {
		return d.Store.Find(ctx, m.Tenant, m.UserID)
	}
	next.Version++

	return next, err
}

// Standing says what a member may do now. known is false for a user whom this record has never seen, as those who
// signed in before it was kept: they stand, with the roles that they had.
func (d *Service) Standing(ctx context.Context, tenant, userID string) (m Member, known bool, err error) {
	m, err = d.Store.Find(ctx, tenant, userID)
	if errors.Is(err, ErrNoMember) {
		return Member{}, false, nil
	}

	return m, err == nil, err
}

// Stands reports whether a user has access to a tenant.
func (d *Service) Stands(ctx context.Context, tenant, userID string) (bool, error) {
	m, known, err := d.Standing(ctx, tenant, userID)
	return err == nil && (!known || m.Has()), err
}

// RolesNow returns the roles that a user has now, or before for one whom this record does not know.
func (d *Service) RolesNow(ctx context.Context, tenant, userID string, before []string) ([]string, error) {
	m, known, err := d.Standing(ctx, tenant, userID)
	if err != nil || !known {
		return before, err
	}

	return m.Roles, nil
}

// KeyExpired reports whether a key of a member's agent, made at that time, is no good any more.
func (d *Service) KeyExpired(m Member, made time.Time) bool {
	now := d.now()
	if d.KeyLife > 0 && !now.Before(made.Add(d.KeyLife)) {
		return true
	}

	return made.Before(m.KeyExpiresAt) && !now.Before(m.KeyExpiresAt)
}

// List returns up to limit members of the caller's tenant after the one named. It is for owners and administrators.
func (d *Service) List(ctx context.Context, by access.Caller, after string, limit int) ([]Member, error) {
	if !manages(by) {
		return nil, access.ErrForbidden
	}

	return d.Store.List(ctx, by.Tenant, after, limit)
}

func manages(c access.Caller) bool { return c.HasRole(access.RoleOwner) || c.HasRole(access.RoleAdmin) }

// Left says what an offboarding came to.
type Left struct {
	Member
	HeldKey bool // the member held the firm's key, which should be rotated
}

// Offboard ends the access of a member of the caller's tenant, everywhere. It may be repeated, and finishes then what
// was left. The last owner cannot be offboarded, nor the last holder of the firm's key.
func (d *Service) Offboard(ctx context.Context, by access.Caller, userID string) (Left, error) {
	if !manages(by) {
		return Left{}, d.refuse(ctx, by, userID, offboarded, access.ErrForbidden)
	}
	m, err := d.Store.Find(ctx, by.Tenant, userID)
	if err != nil {
		return Left{}, err
	}
	holders, err := d.Holders.Holders(ctx, by.Tenant)
	if err != nil {
		return Left{}, err
	}
	if err := d.replaceable(ctx, m, holders); err != nil {
		return Left{}, d.refuse(ctx, by, userID, offboarded, err)
	}
	if m.Has() || m.Why == Absent {
		if err := d.record(ctx, by, m.Tenant, m.UserID, offboarded, ok); err != nil {
			return Left{}, err
		}
	}
	if m, err = d.suspend(ctx, m, Offboarded, by.UserID); err != nil {
		return Left{}, err
	}
	// Two who offboard each other at once must not both succeed: whoever finds nobody left takes it back.
	if err := d.replaceable(ctx, m, holders); err != nil {
		return Left{}, errors.Join(d.refuse(ctx, by, userID, offboarded, err), d.restore(ctx, by, m, reinstated))
	}

	m, err = d.settle(ctx, m)

	return Left{m, slices.Contains(holders, userID)}, err
}

// record puts an action on a member on record; the zero caller means that it came about by itself.
func (d *Service) record(ctx context.Context, by access.Caller, tenant, userID, action, outcome string) error {
	actor := audit.Actor{Kind: audit.Service, ID: "auth-svc", UserID: userID}
	if by.Kind != "" {
		actor = audit.Actor{Kind: string(by.Kind), ID: by.ID(), UserID: by.UserID}
	}

	return d.Audit.Record(ctx, audit.Entry{
		Tenant:       tenant,
		Actor:        actor,
		Action:       action,
		ResourceType: "member",
		ResourceID:   userID,
		Outcome:      outcome,
	})
}

func (d *Service) refuse(ctx context.Context, by access.Caller, userID, action string, why error) error {
	if err := d.record(ctx, by, by.Tenant, userID, action, refused); err != nil {
		return fmt.Errorf("record a refusal: %w", err)
	}

	return why
}

// replaceable returns ErrLastOwner or ErrLastHolder when nobody else has what the member has.
func (d *Service) replaceable(ctx context.Context, m Member, holders []string) error {
	owner, holder := !m.HasRole(access.RoleOwner), !slices.Contains(holders, m.UserID)

	for after := ""; ; {
		page, err := d.Store.List(ctx, m.Tenant, after, pageSize)
		if err != nil {
			return err
		}

		for _, other := range page {
			if other.UserID == m.UserID || !other.Has() {
				continue
			}
			owner = owner || other.HasRole(access.RoleOwner)
			holder = holder || slices.Contains(holders, other.UserID)
		}

		switch {
		case owner && holder:
			return nil
		case len(page) == pageSize:
			after = page[pageSize-1].UserID
		case !owner:
			return ErrLastOwner
		default:
			return ErrLastHolder
		}
	}
}

// suspend puts on record that a member's access has ended; the first reason stays, but that of an absence. Whoever was
// taken for absent and has come meanwhile keeps access.
func (d *Service) suspend(ctx context.Context, m Member, why Reason, by string) (Member, error) {
	for range tries {
		if !m.Has() && m.Why != Absent {
			return m, nil
		}
		next := m
		next.State, next.Why, next.EndedAt, next.EndedBy, next.Untold = Leaving, why, d.now(), by, true
		err := d.Store.Replace(ctx, next)
		if err == nil {
			next.Version++
			return next, nil
		}
		if !errors.Is(err, errs.ErrTaken) {
			return m, err
		}
		seen := m.LastSeen
		if m, err = d.Store.Find(ctx, m.Tenant, m.UserID); err != nil {
			return m, err
		}
		if why == Absent && m.LastSeen.After(seen) {
			return m, nil
		}
	}

	return m, errs.ErrUnavailable
}

// settle ends what was handed out to a member whose access has ended. What fails is done by the sweep.
func (d *Service) settle(ctx context.Context, m Member) (Member, error) {
	now, err := d.tell(ctx, m)
	if err != nil {
		return m, err
	}
	if err := d.Access.EndAll(ctx, m.Tenant, m.UserID); err != nil {
		return m, err
	}
	if now.State != Leaving { // somebody else has finished it, or lifted it
		return now, nil
	}
	next := now
	next.State = Suspended
	err = d.Store.Replace(ctx, next)
	if errors.Is(err, errs.ErrTaken) { // somebody else has finished it, or lifted it
		return d.Store.Find(ctx, m.Tenant, m.UserID)
	}
	next.Version++

	return next, err
}

// Reinstate lifts the suspension of a member. It is for owners. Keys, grants and sessions do not come back: the member
// signs in and connects anew. It may be repeated.
func (d *Service) Reinstate(ctx context.Context, by access.Caller, userID string) (Member, error) {
	if !by.HasRole(access.RoleOwner) {
		return Member{}, d.refuse(ctx, by, userID, reinstated, access.ErrForbidden)
	}
	m, err := d.Store.Find(ctx, by.Tenant, userID)
	if err != nil {
		return Member{}, err
	}
	if m.Has() {
		return d.tell(ctx, m) // an earlier call may have failed there
	}
	if m.State == Leaving { // what was handed out must not come back to life
		if m, err = d.settle(ctx, m); err != nil {
			return Member{}, err
		}
	}
	if err := d.restore(ctx, by, m, reinstated); err != nil {
		return Member{}, err
	}

	return d.Store.Find(ctx, by.Tenant, userID)
}

// restore gives a member's access back.
func (d *Service) restore(ctx context.Context, by access.Caller, m Member, action string) error {
	if err := d.record(ctx, by, m.Tenant, m.UserID, action, ok); err != nil {
		return err
	}
	m.State, m.Why, m.EndedAt, m.EndedBy, m.RestoredAt, m.Untold = Active, "", time.Time{}, "", d.now(), true
	m.LastSeen = d.now() // or an absence would end it again at once
	if err := d.Store.Replace(ctx, m); err != nil {
		if errors.Is(err, errs.ErrTaken) {
			return errs.ErrUnavailable
		}

		return err
	}
	m.Version++
	_, err := d.tell(ctx, m)

	return err
}

// ExpireKeys says from when on the keys that the member's agent has now are no good; the zero time takes that back.
// It is for owners and administrators, and for the member. A time that has gone by is now: a key made after it would
// stay good otherwise, although whoever asks wants it to end.
func (d *Service) ExpireKeys(ctx context.Context, by access.Caller, userID string, at time.Time) (Member, error) {
	if !manages(by) && by.UserID != userID {
		return Member{}, d.refuse(ctx, by, userID, expirySet, access.ErrForbidden)
	}
	if now := d.now(); !at.IsZero() && at.Before(now) {
		at = now
	}

	for range tries {
		m, err := d.Store.Find(ctx, by.Tenant, userID)
		if err != nil {
			return Member{}, err
		}
		if err := d.record(ctx, by, m.Tenant, m.UserID, expirySet, ok); err != nil {
			return Member{}, err
		}
		m.KeyExpiresAt = instant.Of(at)
		err = d.Store.Replace(ctx, m)
		if err == nil {
			return m, nil
		}
		if !errors.Is(err, errs.ErrTaken) {
			return Member{}, err
		}
	}

	return Member{}, errs.ErrUnavailable
}

// Sweep finishes departures that were left half way, tells what was not told, and ends the access of members who were
// absent for too long.
func (d *Service) Sweep(ctx context.Context) error {
	leaving, err := d.Store.Leaving(ctx, sweepBatch)
	if err != nil {
		return fmt.Errorf("list leaving members: %w", err)
	}
	var failed []error

	for _, m := range leaving {
		if _, err := d.settle(ctx, m); err != nil {
			failed = append(failed, fmt.Errorf("finish a departure: %w", err))
		}
	}
	failed = append(failed, d.sweepUntold(ctx))
	if d.Absence > 0 {
		failed = append(failed, d.sweepAbsent(ctx))
	}

	return errors.Join(failed...)
}

func (d *Service) sweepUntold(ctx context.Context) error {
	untold, err := d.Store.Untold(ctx, sweepBatch)
	if err != nil {
		return fmt.Errorf("list untold members: %w", err)
	}
	var failed []error

	for _, m := range untold {
		if _, err := d.tell(ctx, m); err != nil {
			failed = append(failed, fmt.Errorf("tell who has access: %w", err))
		}
	}

	return errors.Join(failed...)
}

func (d *Service) sweepAbsent(ctx context.Context) error {
	unseen, err := d.Store.Unseen(ctx, d.now().Add(-d.Absence), sweepBatch)
	if err != nil {
		return fmt.Errorf("list absent members: %w", err)
	}
	var failed []error

	for _, m := range unseen {
		if err := d.endAbsent(ctx, m); err != nil {
			failed = append(failed, fmt.Errorf("end the access of an absent member: %w", err))
		}
	}

	return errors.Join(failed...)
}

// endAbsent ends the access of a member who was absent for too long. One whom the firm cannot do without is looked at
// again when as much time has passed.
func (d *Service) endAbsent(ctx context.Context, m Member) error {
	ended, err := d.endGone(ctx, m, absent)
	if ended || err != nil {
		return err
	}
	m.LastSeen = d.now()
	if err := d.Store.Replace(ctx, m); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil // they have come back
}

// endGone ends the access of a member whom the provider does not send any more, by the name that this has on the
// record. ended is false when the firm would be without an owner or without its key, or when the member has come back.
func (d *Service) endGone(ctx context.Context, m Member, action string) (ended bool, err error) {
	holders, err := d.Holders.Holders(ctx, m.Tenant)
	if err != nil {
		return false, err
	}
	err = d.replaceable(ctx, m, holders)
	if errors.Is(err, ErrLastOwner) || errors.Is(err, ErrLastHolder) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := d.record(ctx, access.Caller{}, m.Tenant, m.UserID, action, ok); err != nil {
		return false, err
	}
	if m, err = d.suspend(ctx, m, Absent, ""); err != nil || m.Has() {
		return false, err
	}
	_, err = d.settle(ctx, m)

	return err == nil, err
}
