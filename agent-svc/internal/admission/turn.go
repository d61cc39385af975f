package admission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Ahead tells when the run is over that a phase waits for.
type Ahead interface {
	// Await returns when the run has ended, at the latest after a while or when ctx ends, and reports whether it has.
	Await(ctx context.Context, k stream.Key, while time.Duration) (ended bool)
}

// Turn is a phase that waits for its branch. It holds neither a place for a run nor a lease.
type Turn struct {
	desk    *Service
	caller  access.Caller
	task    api.AgentTask
	request api.BeginPhase
	at      api.BegunPhase // where the phase stands in line
	told    int            // the place that its readers know of
	over    string         // the phase that had the branch and was seen to end

	outlives bool // the request that began it, so nobody ends the wait when its caller has to go
}

// Outlive has the turn wait on its own. When it comes, the caller must still stand; the run goes on by a token of its
// own, as one that is taken up.
func (t *Turn) Outlive(ctx context.Context) {
	t.outlives = true
	t.desk.Runs.Background(ctx, func(ctx context.Context) { t.Wait(ctx, nil) })
}

// askEvery is how often a phase in line is asked for: case-svc lets one go that nobody asks for within 12 s.
const (
	askEvery = time.Second
	askSoon  = 100 * time.Millisecond // when nobody has the branch, or a run that has ended
)

// farewell is the time in which a place in line is given back whose client has gone.
const farewell = 2 * time.Second

// Wait waits until the phase runs or has ended. It returns false when the phase is no longer in line and its stream
// has no end: ctx ended, which takes the phase out of the line unless keep says otherwise, or the line has no room
// for it any more.
func (t *Turn) Wait(ctx context.Context, keep func() bool) bool {
	d, k := t.desk, KeyOf(t.caller, t.request.PhaseID)

	waited, stop := context.WithTimeout(ctx, d.LineWait)
	defer stop()

	for {
		t.tell(ctx, k)
		t.pause(waited)

		switch {
		case ctx.Err() != nil:
			t.leave(ctx, keep)
			return false
		case waited.Err() != nil:
			return t.giveUp(ctx, k, runs.ErrWaited)
		}

		// Every look renews the place in line, so it must come well within the 12 s after which case-svc lets it go.
		done, err := t.ask(ctx)
		switch refused := errs.From(err); {
		case done:
			return true
		case err == nil, ctx.Err() != nil:
			// asked again in a moment
		case refused.Code == "branch_busy", refused.Code == "task_changed":
			// case-svc has let the phase go; a further look would begin it anew at the end of the line.
			return false
		case passes(refused), refused.Kind == errs.NotFound:
			// asked again in a moment
		default:
			return t.giveUp(ctx, k, err)
		}
	}
}

// pause waits until the run ahead is over, or it is time to ask again.
func (t *Turn) pause(ctx context.Context) {
	if ahead := t.at.Ahead; ahead != "" && ahead != t.over {
		if t.desk.Ahead.Await(ctx, stream.Key{Tenant: t.caller.Tenant, PhaseID: ahead}, askEvery) {
			t.over = ahead
		}

		return
	}

	soon := time.NewTimer(askSoon) // the branch is between two phases
	defer soon.Stop()
	select {
	case <-soon.C:
	case <-ctx.Done():
	}
}

// ask asks whether the turn has come, and starts the run if so. done is true when the phase waits no longer.
func (t *Turn) ask(ctx context.Context) (done bool, err error) {
	// A place is taken before the turn: with the branch and no place, the phase would keep others from the branch.
	// Without a place it passes its turn on and stays in line.
	giveBack, full := t.desk.Runs.Reserve(t.caller.Tenant, Identity(t.caller))
	request := t.request
	request.Hold, request.Pass = false, full != nil

	begun, err := t.desk.Cases.BeginPhase(ctx, request)
	switch {
	case err == nil && begun.Run:
		return true, t.begin(ctx, begun, runs.Slot{GiveBack: giveBack})
	case full == nil:
		giveBack()
	}
	if err != nil {
		return false, err
	}
	t.at = begun

	return begun.Phase.Status != api.PhaseQueued, nil
}

// begin starts the run. One that waited on its own does not begin when its caller no longer has access. Where that
// cannot be found out, nobody runs the phase, and it is taken up like one whose process died.
func (t *Turn) begin(ctx context.Context, begun api.BegunPhase, place runs.Slot) error {
	if !t.outlives {
		return t.desk.start(ctx, t.caller, t.task, begun, place)
	}
	k := KeyOf(t.caller, begun.Phase.PhaseID)
	// The request's token may have expired while the phase waited, so the service asks for a new one in the caller's
	// name.
	asService := access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: k.Tenant}, "")

	token, err := t.desk.continues(asService, begun.Phase.PhaseID)
	if err == nil {
		return t.desk.start(access.WithCaller(ctx, t.caller, token), t.caller, t.task, begun, place)
	}
	place.GiveBack()
	if errors.Is(final(err), runs.ErrCallerGone) {
		return t.desk.Runs.GiveUp(asService, k, begun.Phase.Attempt, runs.ErrCallerGone)
	}

	t.desk.Runs.Log.WarnContext(
		ctx, "cannot tell whether the caller of a run still has access; the run will be taken up later", "err", err,
	)

	return nil
}

// continues returns a token for a phase, in the name of whoever asked for it, or why there is none.
func (d *Service) continues(ctx context.Context, phaseID string) (string, error) {
	c, err := d.Cases.Continuation(ctx, phaseID)
	if err != nil {
		return "", err
	}

	return d.Auth.ContinueRun(ctx, c.Voucher)
}

// tell tells the readers where the phase stands in line, when that has changed. Another writer's number is no matter:
// the next change is told again. Once another process has begun the run, which may wait here as well, the stream is its
// alone.
func (t *Turn) tell(ctx context.Context, k stream.Key) {
	if t.at.Place == t.told || t.at.Place == 0 {
		return
	}
	newest, _, err := t.desk.Runs.Events.Newest(ctx, k)
	// Any other event means that a run has begun elsewhere: an event of ours would take a number from its attempt.
	if err != nil || newest.Seq > 0 && !isPlace(newest) {
		return
	}
	e := api.StatusEvent{
		EventHead: api.EventHead{
			Type:    api.EventStatus,
			Seq:     newest.Seq + 1,
			PhaseID: k.PhaseID,
			TS:      api.At(t.desk.Now()),
		},
		Status:  api.StatusProcessing,
		Message: fmt.Sprintf(api.InLine+"place %d in line", t.at.Place),
	}
	data, err := stream.Encode(e)
	if err != nil {
		return
	}
	event := stream.Event{
		Seq:    e.Seq,
		Kind:   e.Type,
		Data:   data,
		Status: e.Status,
	}
	if t.desk.Runs.Events.Append(ctx, k, event) == nil {
		t.told = t.at.Place
	}
}

// isPlace reports whether an event tells a place in line. While a run has no other events, it has not begun.
func isPlace(e stream.Event) bool {
	return e.Kind == api.EventStatus && e.Status == api.StatusProcessing
}

// giveUp ends the phase for a reason that its readers are told.
func (t *Turn) giveUp(ctx context.Context, k stream.Key, why error) bool {
	err := t.desk.Runs.GiveUp(ctx, k, api.WaitAttempt, why)
	if err != nil {
		t.desk.Runs.Log.WarnContext(
			ctx, "a phase that waited could not be ended; it leaves the line by itself", "err", err,
		)
	}

	return err == nil
}

// leave takes the phase out of the line.
func (t *Turn) leave(ctx context.Context, keep func() bool) {
	if keep != nil && keep() {
		return
	}

	// ctx has ended with the client, so giving the place back needs a time of its own.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	err := t.desk.Cases.LeaveLine(last, t.request.PhaseID, t.request.Waiter)
	if err != nil && !errors.Is(err, errs.ErrNotFound) {
		t.desk.Runs.Log.InfoContext(ctx, "a place in line could not be given back; it will expire", "err", err)
	}
}
