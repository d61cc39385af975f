// Package runs carries tasks through: one run for each phase, with its lease, its events and its end on record, whoever
// watches and whoever leaves.
package runs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Engine does the work of a task. It returns when ctx ends.
type Engine interface {
	Do(ctx context.Context, task legal.Task, sources legal.Sources, report legal.Report) (api.PhaseResponse, error)
}

// PhaseClient keeps phases; it is case-svc, called with the rights of whoever ctx acts for.
type PhaseClient interface {
	Phase(ctx context.Context, phaseID string) (api.Phase, error)
	EndPhase(ctx context.Context, phaseID string, in api.EndPhase) (api.Phase, error)
	InterruptPhase(ctx context.Context, phaseID string, attempt int) (api.InterruptedPhase, error)
	HandOverPhase(ctx context.Context, phaseID string, attempt int) (api.InterruptedPhase, error)
	OpenPhases(ctx context.Context, while time.Duration, cursor string, limit int) (api.OpenPages, error)
	RecordEvaluation(ctx context.Context, caseID string, in api.RecordEvaluation) (api.Case, error)
}

// Leases says who runs what.
type Leases interface {
	Acquire(ctx context.Context, k stream.Key, holder string) error
	Renew(ctx context.Context, k stream.Key, holder string) (redisstore.State, error)
	Release(ctx context.Context, k stream.Key, holder string) error
	Alive(ctx context.Context, k stream.Key) (bool, error)
	Unwanted(ctx context.Context, k stream.Key) (bool, error)
}

// Timing holds the times of runs.
type Timing struct {
	Renew  time.Duration // between renewals of a lease; a third of its life
	Heed   time.Duration // between looks whether somebody wants a run to end; 0 leaves it to the renewals
	Patch  time.Duration // how long a write to a store that is away is tried again
	Sweep  time.Duration // between looks for runs that nobody runs
	Orphan time.Duration // runs that began within this time are not looked for: the life of a lease
	GiveUp time.Duration // an interrupted run that nobody could take up fails after this
	Apart  time.Duration // how long an interrupted run waits for others that may kill its process; 0 for not at all
}

// DefaultTiming is what production uses.
func DefaultTiming() Timing {
	return Timing{
		Renew:  3 * time.Second,
		Heed:   250 * time.Millisecond,
		Patch:  5 * time.Second,
		Sweep:  3 * time.Second,
		Orphan: 9 * time.Second,
		GiveUp: 2 * time.Minute,
		Apart:  time.Minute,
	}
}

// Runs starts runs and settles those whose process died. Close ends it.
type Runs struct {
	Events   *stream.Log
	Leases   Leases
	Phases   PhaseClient
	Engine   Engine
	Gate     guard.Gate
	Timing   Timing
	AsTenant func(ctx context.Context, tenant string) context.Context // acts as the service for a tenant, "" for all
	Now      func() time.Time
	Log      *slog.Logger
	// told of each end of a run that went on record; nil for nobody
	Observe func(ctx context.Context, o Outcome)
	// has this process go on with an interrupted run, if it can; nil for a process that takes nothing up
	TakeUp func(ctx context.Context, p api.OpenPhase) error
	// reports members whose access the firm has ended, by the name in their jobs; nil for nobody
	Gone func(member string) bool
	// told what becomes of runs whose process died; nil for nobody
	Lost func(ctx context.Context, became string)

	holder  string
	slots   *slots
	apart   *isolation
	base    context.Context
	stop    context.CancelCauseFunc
	under   sync.WaitGroup
	Running atomic.Int64

	sweeping sync.Mutex // one sweep at a time
	mu       sync.Mutex
	suspects map[suspect]bool // attempts that the last sweep found without a lease
}

// Outcome is what a run came to, in fixed words and figures.
type Outcome struct {
	Asked  string // see legal.Task.Asks
	Status string // of the phase
	Mode   string // of the engine that answered
	Tier   string // name of the tier that an evaluation found, "" for other runs
	Took   time.Duration
}

// errHandover ends the runs of a process that stops: they are taken up again elsewhere.
var errHandover = errors.New("the process stops")

// Open makes r ready for runs within limits.
func (r *Runs) Open(limits Limits) {
	r.holder = uuid.NewString()
	r.slots = newSlots(limits, r.Now)
	r.apart = newIsolation(r.Timing.Apart, r.Now, r.slots)
	r.slots.empty = r.apart.signal
	r.base, r.stop = context.WithCancelCause(context.Background())
}

// Close hands the runs of this process over and waits until that is done or ctx ends.
func (r *Runs) Close(ctx context.Context) error {
	// Closing must not wait for ever: a run that hangs would keep the process from stopping.
	r.stop(errHandover)
	done := make(chan struct{})

	go func() { r.under.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Background does work in this process that ends with it: ctx ends when the process hands its runs over.
func (r *Runs) Background(ctx context.Context, work func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(r.base, func() { cancel(context.Cause(r.base)) })
	r.under.Go(func() {
		defer cancel(nil)
		defer unlink()
		work(ctx)
	})
}

// Reserve takes a place for a run of a caller; the caller passes it to Start, or gives it back. It returns ErrFull or
// ErrTooMany.
func (r *Runs) Reserve(tenant, caller string) (giveBack func(), err error) {
	return r.slots.take(tenant, caller)
}

// Enter is Reserve for a new run: while a run is alone in this process, it waits for a few seconds.
func (r *Runs) Enter(ctx context.Context, tenant, caller string) (giveBack func(), err error) {
	return r.slots.enter(ctx, tenant, caller)
}

// Slot is that of a run that is taken up. GiveBack gives it back.
type Slot struct {
	GiveBack func()
	Alone    time.Duration // for how long the run has this process for itself; 0 for one that shares it
	share    func()
}

// ReserveFor takes a place for a run that is taken up. One that is to be alone gets that, unless this process has other
// runs and it has waited for as long as any may: then it shares the process.
func (r *Runs) ReserveFor(p api.OpenPhase, tenant, caller string) (Slot, error) {
	take := r.slots.take

	// A run's last attempt is alone, so that a death of the process tells that it was this run's doing.
	if p.Last {
		if giveBack, share, ok := r.slots.takeAlone(tenant, caller); ok {
			return Slot{giveBack, time.Duration(p.AloneMs) * time.Millisecond, share}, nil
		}
		if r.Now().Sub(p.Since.Time) < r.Timing.Apart {
			return Slot{}, ErrApart
		}
		take = r.slots.takeBeside
	}
	giveBack, err := take(tenant, caller)

	return Slot{GiveBack: giveBack}, err
}

// Job is a run about to start.
type Job struct {
	Key     stream.Key
	Phase   api.Phase
	Task    legal.Task
	Sources legal.Sources
	Limit   time.Duration
	Place   Slot   // of a run that is taken up
	Member  string // whoever asked, by the name of access.MemberOf
}

// Start runs the job in the background with the rights that ctx carries, but not its end: a client that leaves cancels
// nothing. It returns when the lease is held, so that whoever attaches next finds somebody at work. done is called at
// the end of the run.
func (r *Runs) Start(ctx context.Context, job Job, done func()) error {
	// The phase is this run's already: a caller who leaves at this moment must not leave its branch blocked.
	acquiring, cancelAcquire := context.WithTimeout(context.WithoutCancel(ctx), r.Timing.Patch)
	defer cancelAcquire()
	if err := r.Leases.Acquire(acquiring, job.Key, r.holderOf(job.Phase)); err != nil {
		done()
		return err
	}
	// Values of the request (caller, trace) live on in the run; its cancellation does not.
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(r.base, func() { cancel(context.Cause(r.base)) })
	r.Running.Add(1)
	// This comes before the goroutine: a run that ends at once must find the suspicion that it is to clear.
	stopSharing := r.apart.begins(job.Key, job.Place)
	r.under.Go(func() {
		defer stopSharing()
		defer r.apart.ends(job.Key)
		defer done()
		defer r.Running.Add(-1)
		defer unlink()
		r.run(running, cancel, job)
	})

	return nil
}

// Unheard reports whether nothing of a run is known: it has no events. Redis may have lost them, so it is no proof.
func (r *Runs) Unheard(ctx context.Context, k stream.Key) bool {
	_, there, err := r.Events.Newest(ctx, k)
	return err == nil && !there
}

func (r *Runs) holderOf(p api.Phase) string { return r.holder + ":" + p.PhaseID }

// Reasons for which a run ends early.
var (
	errTakenOver = errors.New("another process has the run")
	errCancelled = errors.New("the run was cancelled")
)

func (r *Runs) run(ctx context.Context, cancel context.CancelCauseFunc, job Job) {
	defer cancel(nil)
	holder := r.holderOf(job.Phase)
	// The lease is renewed beside the work. A renewal that is late by its life makes others take the run up.
	var renewing sync.WaitGroup
	renewing.Go(func() { r.renew(ctx, cancel, job, holder) })
	limit := time.AfterFunc(job.Limit, func() { cancel(legal.ErrTimeLimit) })
	a := &attempt{
		Runs:   r,
		job:    job,
		gate:   legal.Clearing(r.Gate, job.Sources),
		began:  r.Now(),
		open:   map[string]openTool{},
		abort:  cancel,
		caller: context.WithoutCancel(ctx),
	}
	err := a.do(ctx)
	// The time limit bounds the work alone; writing its end down must not be cut off by it.
	limit.Stop()
	a.finish(ctx, err)
	// The renewals end before the lease is given up, or the last one would take it again.
	cancel(nil)
	renewing.Wait()

	last, stop := context.WithTimeout(context.WithoutCancel(ctx), r.Timing.Patch)
	defer stop()
	if err := r.Leases.Release(last, job.Key, holder); err != nil {
		r.Log.WarnContext(ctx, "a lease could not be given up; it will run out", "err", err)
	}
}

// departed reports whether the firm has ended the access of whoever asked for the job.
func (r *Runs) departed(job Job) bool { return r.Gone != nil && job.Member != "" && r.Gone(job.Member) }

// renew keeps the lease until ctx ends, and ends the run when the lease is lost, when somebody wants it to end, or when
// whoever asked for it has no access any more.
func (r *Runs) renew(ctx context.Context, cancel context.CancelCauseFunc, job Job, holder string) {
	k := job.Key
	// Whoever was offboarded between the request and this moment is in no later message.
	if r.departed(job) {
		cancel(ErrCallerGone)
	}

	tick := time.NewTicker(r.Timing.Renew)
	defer tick.Stop()

	heed := time.NewTicker(cmp.Or(r.Timing.Heed, r.Timing.Renew))
	defer heed.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-heed.C:
			unwanted, err := r.Leases.Unwanted(ctx, k)
			if err == nil && unwanted {
				cancel(errCancelled)
			}
			if r.departed(job) {
				cancel(ErrCallerGone)
			}

			continue // what Redis cannot say now, the renewal will
		case <-tick.C:
		}

		state, err := r.Leases.Renew(ctx, k, holder)
		switch {
		case err != nil:
			r.Log.WarnContext(ctx, "a lease could not be renewed", "err", err)
		case state == redisstore.Lost:
			cancel(errTakenOver)
		case state == redisstore.Cancelled:
			cancel(errCancelled)
		}
	}
}

// EngineOf says what answers: rules alone.
func EngineOf() api.Engine {
	return api.Engine{Mode: "deterministic", RulesVersion: legal.RulesVersion}
}
