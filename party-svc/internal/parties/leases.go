package parties

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Leases serialise the few changes that are right only if no other of their kind happens meanwhile. There is one turn
// for each case, for changes of its clients and for merges, and one for each tenant that blocks conflicts, for what
// could make one.
type Leases interface {
	// Take gives the turn of what to holder until it is given back or its time is up. ErrBusy: somebody else has it.
	Take(ctx context.Context, tenant, what, holder string, now, until time.Time) error
	// GiveBack ends the turn if holder has it.
	GiveBack(ctx context.Context, tenant, what, holder string) error
}

const (
	turnTime  = 15 * time.Second // after which the turn of a process that died is free
	turnWork  = 10 * time.Second // for the work within a turn, so that it ends before the turn does
	turnTries = 100
	turnWait  = 30 * time.Millisecond

	conflictTurn = "conflicts" // no case has this id
)

// inTurn runs work, which makes before into after, with the turns that this takes, always in the same order. waited
// says that there are any: what was looked at before may have changed since.
func (s *Service) inTurn(
	ctx context.Context, before, after Party, work func(ctx context.Context, waited bool) error,
) error {
	turns, err := s.turns(ctx, before, after)
	if err != nil {
		return err
	}

	holder := uuid.NewString()
	for i, what := range turns {
		if err := s.TakeLease(ctx, after.Tenant, what, holder); err != nil {
			return err
		}
		defer s.GiveLeaseBack(ctx, after.Tenant, what, holder)
		// The work has less time than a turn lasts, from the first turn on, so that nothing is written under one that
		// is over.
		if i == 0 {
			var cancel context.CancelFunc

			ctx, cancel = context.WithTimeout(ctx, turnWork)
			defer cancel()
		}
	}

	return work(ctx, len(turns) > 0)
}

// turns names the turns that a change takes.
func (s *Service) turns(ctx context.Context, before, after Party) ([]string, error) {
	var list []string
	// Two parties that are added at once in two cases could each find no conflict. Only a firm that blocks conflicts
	// pays for the turn.
	if after.comparable() && !after.comparesLike(before) {
		blocks, err := s.Cases.BlocksConflicts(ctx)
		if err != nil {
			return nil, err
		}
		if blocks {
			list = append(list, conflictTurn)
		}
	}
	// Two changes at once could leave a case without a client, or merge two parties into each other.
	if before.Client() != after.Client() || after.Status == Merged && before.MergedInto != after.MergedInto {
		list = append(list, after.CaseID)
	}

	return list, nil
}

// TakeLease waits for a turn. ErrBusy: it did not come in time.
func (s *Service) TakeLease(ctx context.Context, tenant, what, holder string) error {
	err := error(ErrBusy)

	for range turnTries {
		now := s.Now()
		err = s.Leases.Take(ctx, tenant, what, holder, instant.Of(now), instant.Of(now.Add(turnTime)))
		if !errors.Is(err, ErrBusy) {
			return err
		}
		timer := time.NewTimer(turnWait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}

	return err
}

// GiveLeaseBack ends a turn. Should this fail, its time runs out.
func (s *Service) GiveLeaseBack(ctx context.Context, tenant, what, holder string) {
	_ = s.Leases.GiveBack(context.WithoutCancel(ctx), tenant, what, holder)
}

// clientsFit holds a change against what a case under way needs: a client, and one alone unless several are represented
// jointly.
func (s *Service) clientsFit(ctx context.Context, kase Case, before, after Party) error {
	if !kase.underWay() || before.Client() == after.Client() {
		return nil
	}
	yes := true
	// Two are enough: one may be the party itself.
	found, err := s.Store.List(ctx, after.Tenant, Filter{
		CaseID:   after.CaseID,
		IsClient: &yes,
		Status:   Active,
		Plain:    true,
	}, nil, 2)
	if err != nil {
		return err
	}

	others := slices.ContainsFunc(found, func(p Party) bool { return p.ID != after.ID })
	switch {
	case after.Client() && others && !kase.Joint:
		return ErrJoint.WithDetails(
			errs.Detail{From: kase.Status, To: kase.Status, Unmet: []string{"jointRepresentation"}},
		)
	case !after.Client() && !others:
		return ErrClient
	}

	return nil
}
