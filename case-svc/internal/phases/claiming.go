package phases

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// ClaimLease is how long a claim without a phase is respected: the time between its insert and the phase's is
// milliseconds, so after this its maker is gone.
const ClaimLease = 15 * time.Second

// endsWithin bounds each part of what is done to its end.
const endsWithin = 5 * time.Second

// toTheEnd returns a context for what is done whatever becomes of whoever asked for it, and of the time that it had.
func toTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), endsWithin)
}

// giveUp releases a claim that led to no phase. A twin of the same request may have stored the phase meanwhile.
func (l *Service) giveUp(ctx context.Context, tenant string, branchID, phaseID string) error {
	ctx, cancel := toTheEnd(ctx)
	defer cancel()

	// Without the look a claim could be taken from a phase that runs.
	p, err := l.Records.Get(ctx, tenant, phaseID)
	switch {
	case errors.Is(err, ErrNotFound):
		return l.Claims.Release(ctx, tenant, branchID, phaseID)
	case err != nil:
		return err
	}

	return l.unclaim(ctx, p, branchID)
}

// unclaim releases the claim of a stored phase on a branch that is not its own. A phase that has ended is seen to,
// which releases the claim on its own branch.
func (l *Service) unclaim(ctx context.Context, p Phase, branchID string) error {
	if p.BranchID != branchID {
		if err := l.Claims.Release(ctx, p.Tenant, branchID, p.ID); err != nil {
			return err
		}
	}
	if p.Open() || p.Status == Queued {
		return nil
	}

	// Its process may have died after the end and before what follows, and the branch would stay taken.
	return l.settle(ctx, p)
}

// branch returns the branch that the phase goes on. A root branch that a crash kept from being made is made now.
func (l *Service) branch(ctx context.Context, by audit.Actor, b Begin, box Container) (Branch, error) {
	id := b.BranchID
	if id == "" {
		id = box.ActiveBranchID
	}

	branch, err := l.rooted(ctx, box, id)
	switch {
	case err != nil:
		return Branch{}, err
	case branch.Archived:
		return Branch{}, ErrBranchArchived
	}

	return branch, nil
}

// branchOf returns the id of the branch that the phase goes on. That of the container needs no look; what a request
// names may be anything, and is not claimed before it is known to be a branch of the container.
func (l *Service) branchOf(ctx context.Context, by audit.Actor, b Begin, box Container) (string, error) {
	if b.BranchID == "" || b.BranchID == box.ActiveBranchID {
		return box.ActiveBranchID, nil
	}
	branch, err := l.branch(ctx, by, b, box)

	return branch.ID, err
}

// claim takes the branch for phaseID, over claims that a crash left.
func (l *Service) claim(ctx context.Context, branch Branch, phaseID string) error {
	mine := Claim{
		BranchID: branch.ID,
		Tenant:   branch.Tenant,
		Version:  1,
		PhaseID:  phaseID,
		Since:    instant.Of(l.Now()),
	}
	for range 3 { // each round follows a change by somebody else
		held, err := l.Claims.Claim(ctx, mine)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errs.ErrTaken):
			return err
		case held.PhaseID == "": // released between the insert and the look
			continue
		case held.PhaseID == phaseID:
			return nil
		}
		again, err := l.inherit(ctx, held, mine)
		if err != nil || !again {
			return err
		}
	}

	return ErrBranchBusy
}

// inherit deals with another phase's claim: it is respected, or a crash left it. again means that the claim is to be
// tried anew.
func (l *Service) inherit(ctx context.Context, held, mine Claim) (again bool, err error) {
	other, err := l.Records.Get(ctx, held.Tenant, held.PhaseID)
	switch {
	// The claim comes before its phase. For the time of a lease the phase may still be on its way.
	case errors.Is(err, ErrNotFound):
		if mine.Since.Sub(held.Since) < ClaimLease {
			return false, busyWith(held.PhaseID)
		}
		mine.Version = held.Version
		// The takeover replaces the version that was seen, so of two who find a dead claim one gets it.
		if err := l.Claims.TakeOver(ctx, mine); errors.Is(err, errs.ErrTaken) {
			return true, nil
		} else if err != nil {
			return false, err
		}

		return false, nil
	case err != nil:
		return false, err
	case other.BranchID != held.BranchID: // its id was used again; it never comes here
		return true, l.Claims.Release(ctx, held.Tenant, held.BranchID, held.PhaseID)
	// A phase that is interrupted keeps its branch: it is taken up again, and its line waits.
	case other.Open():
		return false, busyWith(other.ID)
	case other.Status == Queued: // its turn came, and its process may have died before it began
		if mine.Since.Sub(held.Since) < ClaimLease {
			return false, busyWith(other.ID)
		}

		return true, l.Claims.Release(ctx, held.Tenant, held.BranchID, held.PhaseID)
	}

	return true, l.settle(ctx, other)
}

func busyWith(phaseID string) error {
	return ErrBranchBusy.WithDetails(errs.Detail{RunningPhaseID: phaseID})
}

// outrun tells whose phase took the number of p: its claim was taken over while its maker slept. One that has ended
// without the branch having learned of it is seen to.
func (l *Service) outrun(ctx context.Context, p Phase) error {
	winner, err := l.Records.Numbered(ctx, p.Tenant, p.BranchID, p.Sequence)
	// The head of the branch stands before the number that is taken, so the next phase would fail in the same way.
	if err == nil && !winner.Open() && winner.Placed() {
		err = l.settle(ctx, winner)
	}
	if err != nil || !winner.Open() {
		return errors.Join(ErrBranchBusy, err)
	}

	return busyWith(winner.ID)
}
