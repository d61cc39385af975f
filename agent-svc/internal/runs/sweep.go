package runs

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"golang.org/x/sync/errgroup"
)

// Bounds of a sweep. What it does not come to is first the next time, since the longest open come first.
const (
	sweepPage  = 200
	sweepPages = 50
	sweepers   = 8 // runs that are looked after at once
)

// What becomes of runs whose process died, as metrics name it.
const (
	BecameLost       = "lost" // found without a process
	BecameTakenUp    = "taken_up"
	BecameFailed     = "failed"
	BecameCallerGone = "caller_gone"
	becameOther      = "ended"
)

// Fates returns all that becomes of runs whose process died.
func Fates() []string {
	return []string{BecameLost, BecameTakenUp, BecameFailed, BecameCallerGone, becameOther}
}

func became(why error) string {
	switch {
	case errors.Is(why, ErrInterrupted), errors.Is(why, ErrNobody):
		return BecameFailed
	case errors.Is(why, ErrCallerGone):
		return BecameCallerGone
	}

	return becameOther
}

func (r *Runs) lost(ctx context.Context, became string) {
	if r.Lost != nil {
		r.Lost(ctx, became)
	}
}

// TookUp notes that this process goes on with a run whose process died.
func (r *Runs) TookUp(ctx context.Context) { r.lost(ctx, BecameTakenUp) }

// suspect is an attempt that was found without a lease.
type suspect struct {
	key     stream.Key
	attempt int
}

// Sweep looks after runs that nobody watches: those whose process is gone are interrupted, and taken up by this
// process if it has a place for them; those that may not run again are ended, which frees their branch. Several
// replicas may sweep at once: each step is one that only one of them can take.
func (r *Runs) Sweep(ctx context.Context) error {
	r.sweeping.Lock()
	defer r.sweeping.Unlock()
	// Suspects are those of this sweep alone: a run found without a lease twice in a row is what counts.
	r.mu.Lock()
	before := r.suspects
	found := map[suspect]bool{}
	r.suspects = found
	r.mu.Unlock()
	var all error
	var due []api.OpenPhase

	for cursor, n := "", 0; n < sweepPages; n++ {
		page, err := r.Phases.OpenPhases(r.AsTenant(ctx, ""), r.Timing.Orphan, cursor, sweepPage)
		if err != nil {
			return errors.Join(all, err)
		}
		// Bounded, so that a sweep after the death of a big process does not itself fill the stores.
		var group errgroup.Group
		group.SetLimit(sweepers)
		failed := make([]error, len(page.Items))
		ready := make([]bool, len(page.Items))

		for i, p := range page.Items {
			group.Go(func() error {
				ready[i], failed[i] = r.sweep(r.AsTenant(ctx, p.Tenant), p, before)
				return nil
			})
		}
		// One run that cannot be settled keeps no other from it.
		_ = group.Wait()
		all = errors.Join(all, errors.Join(failed...))

		for i, p := range page.Items {
			if ready[i] {
				due = append(due, p)
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}

	if r.TakeUp == nil {
		return all
	}
	r.apart.await(due)

	return errors.Join(all, r.takeUp(ctx))
}

// sweep looks after one run. ready is true for one that may be taken up.
func (r *Runs) sweep(ctx context.Context, p api.OpenPhase, before map[suspect]bool) (ready bool, err error) {
	k := keyOf(p)
	// A lease is the only sign of life: the process that holds it may be any.
	alive, err := r.Leases.Alive(ctx, k)
	if err != nil || alive {
		return false, err
	}

	switch {
	case p.Status == api.PhaseRunning:
		return false, r.interrupt(ctx, k, p.Attempt, before)
	case p.Spent:
		return false, r.GiveUp(ctx, k, p.Attempt, ErrInterrupted)
	case r.Now().Sub(p.Since.Time) >= r.patience(p):
		return false, r.GiveUp(ctx, k, p.Attempt, ErrNobody)
	}

	return p.Due, nil
}

// longerAlone is how many times as long a run waits that is to be alone: others before it need a process each as well.
const longerAlone = 5

// patience is how long an interrupted run waits for somebody to take it up.
func (r *Runs) patience(p api.OpenPhase) time.Duration {
	if p.Last {
		return longerAlone * r.Timing.GiveUp
	}

	return r.Timing.GiveUp
}

// takeUp has this process take up as many of the runs that are due as may begin beside each other.
func (r *Runs) takeUp(ctx context.Context) error {
	var all error

	for {
		admitted := r.apart.admit()
		if len(admitted) == 0 {
			return all
		}
		var group errgroup.Group
		group.SetLimit(sweepers)
		failed := make([]error, len(admitted))

		for i, p := range admitted {
			group.Go(func() error {
				failed[i] = r.TakeUp(r.AsTenant(ctx, p.Tenant), p)
				// A run that began here is cleared by its end; this clears the others, or they would hold their places
				// for ever.
				r.apart.drop(keyOf(p))

				return nil
			})
		}
		_ = group.Wait()
		all = errors.Join(all, errors.Join(failed...))
	}
}

// interrupt interrupts a run that this sweep and the one before found without a lease: after one look its holder may
// still renew a lease that Redis lost.
func (r *Runs) interrupt(ctx context.Context, k stream.Key, attempt int, before map[suspect]bool) error {
	s := suspect{k, attempt}
	if !before[s] {
		r.mu.Lock()
		r.suspects[s] = true
		r.mu.Unlock()

		return nil
	}
	_, err := r.orphaned(ctx, k, attempt)

	return err
}

// Watch sweeps until ctx ends. The first look comes before any new run: one that is to be alone finds the process empty
// then, even where new runs kill one process after another.
func (r *Runs) Watch(ctx context.Context) {
	// The door is shut before the first look; a run that kills processes would otherwise never be alone in this one.
	r.slots.drain()
	if err := r.Sweep(ctx); err != nil {
		r.slots.reopen() // the next look says why
	}

	tick := time.NewTicker(r.Timing.Sweep)
	defer tick.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := r.Sweep(ctx); err != nil && ctx.Err() == nil {
				r.Log.WarnContext(ctx, "the sweep of runs is not finished", "err", err)
			}
		case <-r.apart.left: // others have waited for that
			if err := r.takeUp(ctx); err != nil && ctx.Err() == nil {
				r.Log.WarnContext(ctx, "not every run could be taken up; the next sweep tries again", "err", err)
			}
		}
	}
}
