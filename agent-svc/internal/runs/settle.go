package runs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Settle looks after a run whose process is gone, with the rights that ctx carries. A phase that has ended gets the
// events that its process did not write any more; one that has not is marked as interrupted, so that the same request
// runs it again, unless it was to be cancelled: then it ends so.
func (r *Runs) Settle(ctx context.Context, k stream.Key) (api.Phase, error) {
	phase, err := r.Phases.Phase(ctx, k.PhaseID)
	if err != nil {
		return api.Phase{}, err
	}
	if Ended(phase) {
		return phase, r.complete(ctx, k, phase)
	}
	if phase.Status != api.PhaseRunning {
		return phase, nil
	}

	return r.orphaned(ctx, k, phase.Attempt)
}

// orphaned marks an attempt whose process is gone as interrupted, or ends it when somebody wanted its end before the
// process went.
func (r *Runs) orphaned(ctx context.Context, k stream.Key, attempt int) (api.Phase, error) {
	p, err := r.leave(ctx, k, attempt, r.Phases.InterruptPhase)
	if p.Interrupted {
		r.lost(ctx, BecameLost)
	}

	return p.Phase, err
}

// handOver is orphaned for an attempt of this process, which was told to stop.
func (r *Runs) handOver(ctx context.Context, k stream.Key, attempt int) (api.Phase, error) {
	p, err := r.leave(ctx, k, attempt, r.Phases.HandOverPhase)
	return p.Phase, err
}

func (r *Runs) leave(
	ctx context.Context, k stream.Key, attempt int,
	mark func(context.Context, string, int) (api.InterruptedPhase, error),
) (api.InterruptedPhase, error) {
	// Somebody may have asked for the end just before the process died; the wish outlives it in Redis.
	unwanted, err := r.Leases.Unwanted(ctx, k)
	if err != nil {
		return api.InterruptedPhase{}, err
	}
	if unwanted {
		p, err := r.end(ctx, k, attempt, errCancelled)
		return api.InterruptedPhase{Phase: p}, err
	}

	return mark(ctx, k.PhaseID, attempt)
}

// Abandon ends a run that is interrupted or waits in line as cancelled, so that nobody takes it up. The phase comes
// back as it stands, which is running when somebody was quicker.
func (r *Runs) Abandon(ctx context.Context, k stream.Key, p api.Phase) (api.Phase, error) {
	// A phase in line has no attempt yet, and case-svc wants to know that the end is meant for the wait.
	attempt := p.Attempt
	if p.Status == api.PhaseQueued {
		attempt = api.WaitAttempt
	}

	ended, err := r.end(ctx, k, attempt, errCancelled)
	if err != nil && errs.From(err).Kind == errs.Conflict {
		return r.Phases.Phase(ctx, k.PhaseID)
	}

	return ended, err
}

// Why runs end that nobody runs any more.
var (
	ErrInterrupted = errors.New("the run was interrupted as often as it may be")
	ErrNobody      = errors.New("nobody could take the run up")
	ErrCallerGone  = errors.New("whoever asked for the run has no access any more")
	ErrWaited      = errors.New("the branch did not become free in time")
)

// GiveUp ends a phase that nobody runs, for a reason that its readers are told. On a conflict somebody has it by now,
// or it has ended.
func (r *Runs) GiveUp(ctx context.Context, k stream.Key, attempt int, why error) error {
	_, err := r.end(ctx, k, attempt, why)
	if err != nil && errs.From(err).Kind != errs.Conflict {
		return err
	}
	if err == nil {
		r.lost(ctx, became(why))
	}

	return nil
}

// end ends an attempt that nobody runs, and writes the events that its process did not write any more.
func (r *Runs) end(ctx context.Context, k stream.Key, attempt int, why error) (api.Phase, error) {
	left, err := r.left(ctx, k)
	if err != nil {
		return api.Phase{}, err
	}
	// The tools end before the phase does: case-svc keeps the numbers of the last two events, and nothing may come
	// between.
	if err := r.closeTools(ctx, k, &left); err != nil {
		return api.Phase{}, err
	}
	status, problem := verdict(why, "")
	phase, err := r.Phases.EndPhase(ctx, k.PhaseID, api.EndPhase{
		Attempt: attempt,
		Status:  status,
		Engine:  EngineOf(),
		Error:   &problem,
		Stream:  api.StreamMarks{PhaseStartSeq: left.start, ResponseSeq: left.newest + 1, EndSeq: left.newest + 2},
	})
	if err != nil {
		return api.Phase{}, err
	}

	return phase, r.complete(ctx, k, phase)
}

const logPage = 200

// remains are what a process left of a run in its log.
type remains struct {
	start  int              // number of the last phase_start; 0 for none
	newest int              // of the newest event, or of the newest that may have been lost
	open   []api.ToolStatus // tools of the last attempt that have not ended, in the order of their beginning
}

// left reads what a process left of a run.
func (r *Runs) left(ctx context.Context, k stream.Key) (remains, error) {
	var found remains

	for {
		page, err := r.Events.After(ctx, k, found.newest, logPage)
		if err != nil {
			return remains{}, err
		}

		for _, e := range page {
			found.take(e)
		}
		if len(page) < logPage {
			break
		}
	}

	// After a failover the log may lack its last events, and their numbers may be known to readers.
	_, moved, err := r.Events.Standing(ctx, k)
	if err == nil && moved {
		found.newest += lostStream
	}

	return found, err
}

func (found *remains) take(e stream.Event) {
	found.newest = e.Seq
	if e.Kind == api.EventPhaseStart {
		found.start, found.open = e.Seq, nil
	}
	// Only a tool's status says whether the tool is still open.
	var status api.StatusEvent
	if e.Kind != api.EventStatus || json.Unmarshal(e.Data, &status) != nil || status.Tool == nil {
		return
	}
	if status.Tool.Outcome == nil {
		found.open = append(found.open, *status.Tool)
		return
	}
	found.open = slices.DeleteFunc(found.open, func(t api.ToolStatus) bool { return t.CallID == status.Tool.CallID })
}

// closeTools ends the tools that an attempt left open: an attempt that ends leaves no tool open.
func (r *Runs) closeTools(ctx context.Context, k stream.Key, left *remains) error {
	failed := "failed"

	for _, tool := range left.open {
		e := api.StatusEvent{
			EventHead: api.EventHead{
				Type:    api.EventStatus,
				Seq:     left.newest + 1,
				PhaseID: k.PhaseID,
				TS:      api.At(r.Now()),
			},
			Status: api.StatusTool,
			Tool: &api.ToolStatus{
				CallID:  tool.CallID,
				Name:    tool.Name,
				Outcome: &failed,
				Summary: "Ended with the run",
			},
		}
		data, err := stream.Encode(e)
		if err != nil {
			return err
		}
		event := stream.Event{
			Seq:    e.Seq,
			Kind:   e.Type,
			Data:   data,
			Status: e.Status,
		}
		if err := r.Events.Append(ctx, k, event); err != nil {
			return err // another writer: whoever looks next reads anew
		}
		left.newest = e.Seq
	}

	return nil
}

// Ended reports whether a phase will not run again.
func Ended(p api.Phase) bool {
	switch p.Status {
	case api.PhaseCompleted, api.PhaseRefused, api.PhaseFailed, api.PhaseCancelled:
		return true
	}

	return false
}

// complete writes the last two events of an ended phase if they are missing, under the numbers on record, or the next
// ones should an event of its process have come into the log late and taken those. A stream that is gone altogether
// stays gone: its readers get the phase rebuilt.
func (r *Runs) complete(ctx context.Context, k stream.Key, p api.Phase) error {
	for range maxLost {
		newest, ok, err := r.Events.Newest(ctx, k)
		// A phase that ended before its first event never had a stream; any other without one has lost it for good.
		if err != nil || !ok && p.Stream.ResponseSeq != 1 || newest.Last {
			return err
		}
		// The log may hold an event that arrived late under the number on record. Two numbers that are free are as
		// good.
		first := max(p.Stream.ResponseSeq, newest.Seq+1)
		p.Stream.ResponseSeq, p.Stream.EndSeq = first, first+1
		payloads := tail(p, r.Now())

		events := make([]stream.Event, len(payloads))
		for i, e := range payloads {
			data, err := stream.Encode(e.body)
			if err != nil {
				return err
			}
			events[i] = stream.Event{
				Seq:  first + i,
				Kind: e.kind,
				Data: data,
				Last: e.kind == api.EventPhaseEnd,
			}
		}
		// Whoever wrote at the same time may have written this very end, which the next look shows.
		if err := r.Events.Append(ctx, k, events...); !errors.Is(err, stream.ErrTaken) {
			return err
		}
	}

	return stream.ErrTaken
}
