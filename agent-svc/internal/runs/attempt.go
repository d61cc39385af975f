package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// attempt is one try at a phase. Its events have dense numbers and follow the grammar of the interface.
type attempt struct {
	*Runs
	job    Job
	gate   guard.Gate // of what it says: the runs' gate, with what people have cleared in the case
	began  time.Time
	caller context.Context // in whose name the gate judges; it does not end

	mu       sync.Mutex // engines may report from several goroutines
	seq      int
	startSeq int
	calls    []api.ToolCall
	open     map[string]openTool
	usage    api.Usage
	failed   error // of an append; ends the run
	abort    context.CancelCauseFunc
}

type openTool struct {
	call  api.ToolCall
	began time.Time
}

func (a *attempt) head(kind string) api.EventHead {
	return api.EventHead{
		Type:    kind,
		Seq:     a.seq + 1,
		PhaseID: a.job.Key.PhaseID,
		TS:      api.At(a.Now()),
	}
}

func (a *attempt) engine() api.Engine { return a.job.Phase.Engine }

// do begins the attempt, has the engine work, and puts the end on record; the last two events follow the record.
func (a *attempt) do(ctx context.Context) error {
	err := a.work(ctx)
	// An engine that ran out of time says how far it came, which is worth more to the reader than the bare cause.
	if unfinished := (*legal.Unfinished)(nil); errors.As(err, &unfinished) {
		return err
	}
	// What broke because the run was told to end is not why it ended.
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}

	return err
}

func (a *attempt) work(ctx context.Context) error {
	if err := a.begin(ctx); err != nil {
		return err
	}
	response, err := a.engineDoes(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()

	// A lost event comes before the engine's own failure: the engine mostly fails because that stopped it.
	switch {
	case a.failed != nil:
		return a.failed
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}

	return a.respond(ctx, whole(response))
}

var errPanic = errors.New("the engine panicked")

// engineDoes keeps a panic of the engine, which reads what anybody may have written, from ending the runs of
// everybody. What was panicked with may hold anything, so only the stack is logged.
func (a *attempt) engineDoes(ctx context.Context) (response api.PhaseResponse, err error) {
	defer func() {
		if recover() != nil {
			a.Log.ErrorContext(ctx, "the engine panicked", "stack", string(debug.Stack()))
			err = errPanic
		}
	}()

	return a.Engine.Do(ctx, a.job.Task, a.job.Sources, a)
}

// lostStream is the room that an attempt leaves for the numbers of the one before it whose events are lost, all or the
// last ones: readers who have one of those are told of the gap, and miss nothing of this attempt.
const lostStream = 5_000

// begin writes the first two events. A process that lost the run may still write until it learns of that, so the
// place is looked up again when it is taken, for as long as Timing.Patch. Whoever finds events there makes sure,
// after it has looked, that the run is still its own: else an attempt that was slow to begin could follow the one
// that took over from it.
func (a *attempt) begin(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()

	// Whoever still finds its numbers taken after Timing.Patch does not have the run any more.
	patience := time.NewTimer(a.Timing.Patch)
	defer patience.Stop()

	for {
		select {
		case <-patience.C:
			return errTakenOver
		default:
		}
		newest, moved, err := a.Events.Standing(ctx, a.job.Key)
		if err != nil {
			return err
		}
		a.seq = newest.Seq
		// The two events may be stored although the answer to writing them was lost.
		if a.opened(newest) {
			a.startSeq = a.seq
			return nil
		}
		// The numbers of events that Redis lost must not come again: readers that hold them would take the new events
		// for the old ones.
		empty := newest.Seq == 0
		switch {
		case empty:
			a.seq = (a.job.Phase.Attempt - 1) * lostStream
		case moved:
			a.seq += lostStream
		}
		// Somebody has ended the phase; nothing may follow its last event.
		if newest.Last {
			return errTakenOver
		}
		if newest.Seq > 0 {
			if err := a.owns(ctx); err != nil {
				return err
			}
		}
		accepted := api.StatusEvent{
			EventHead: a.head(api.EventStatus),
			Status:    api.StatusProcessing,
			Message:   "Request accepted",
		}
		p := a.job.Phase
		started := api.PhaseStartEvent{
			EventHead:     a.head(api.EventPhaseStart),
			BranchID:      p.BranchID,
			TimelineID:    p.TimelineID,
			Sequence:      p.Sequence,
			ParentPhaseID: p.ParentPhaseID,
			RequestType:   p.RequestType,
			ContainerType: p.ContainerType,
			ContainerID:   p.ContainerID,
			Attempt:       p.Attempt,
			Engine:        a.engine(),
		}

		// Both heads were made before either event was stored, so the second one moves on by one.
		started.Seq++
		taken := payload{
			kind:   accepted.Type,
			body:   accepted,
			status: accepted.Status,
			alone:  empty,
		}

		// Either both events are in the log or neither is: a reader never sees an attempt without its start.
		switch err = a.append(ctx, taken, payload{kind: started.Type, body: started}); {
		case err == nil:
			a.startSeq = a.seq
			return nil
		case !errors.Is(err, stream.ErrTaken):
			return err
		}
	}
}

// owns returns errTakenOver when somebody else has the lease of the run.
func (a *attempt) owns(ctx context.Context) error {
	return a.patiently(ctx, func() error {
		// Redis may have lost the lease without anybody else taking it; only a lease that another one holds ends the
		// run.
		state, err := a.Leases.Renew(ctx, a.job.Key, a.holderOf(a.job.Phase))
		if err == nil && state == redisstore.Lost {
			return errTakenOver
		}

		return err
	})
}

// opened reports whether the newest event is the phase_start of this attempt, stored though its answer was lost.
func (a *attempt) opened(newest stream.Event) bool {
	var start api.PhaseStartEvent

	return newest.Kind == api.EventPhaseStart && json.Unmarshal(newest.Data, &start) == nil &&
		start.Attempt == a.job.Phase.Attempt
}

// caughtUp takes note of events that were stored although their answers were lost, so that the next ones follow them
// and every tool ends once.
func (a *attempt) caughtUp(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var stored []stream.Event
	err := a.patiently(ctx, func() (err error) {
		stored, err = a.Events.After(ctx, a.job.Key, a.seq, maxLost)
		return err
	})
	if err != nil {
		return err
	}

	// A phase_start that is not ours means that another attempt follows, and that all that we write now is in its way.
	for _, e := range stored {
		if e.Kind == api.EventPhaseStart {
			return errTakenOver
		}
		a.seq = e.Seq
		var status api.StatusEvent
		if e.Kind != api.EventStatus || json.Unmarshal(e.Data, &status) != nil || status.Tool == nil {
			continue
		}
		if status.Tool.Outcome != nil {
			delete(a.open, status.Tool.CallID)
		} else if _, known := a.open[status.Tool.CallID]; !known {
			a.open[status.Tool.CallID] = openTool{
				api.ToolCall{CallID: status.Tool.CallID, Name: status.Tool.Name},
				a.Now(),
			}
		}
	}

	return nil
}

// maxLost bounds the events of one batch.
const maxLost = 10

// payload is an event that is about to get its number.
type payload struct {
	kind   string
	body   any
	status string
	passed bool // the gate has passed what it says, as a part of the answer
	alone  bool // see stream.Event
}

// append sends events through the gate and stores them under the next numbers, trying again for a while when the store
// is away; a.mu is held. The numbers within the bodies were given by head. It returns errBlocked when one of them may
// not leave; then none does.
func (a *attempt) append(ctx context.Context, payloads ...payload) error {
	events := make([]stream.Event, len(payloads))
	// Nothing is stored until every event has passed: part of a batch would already say what the rest must not.
	for i, p := range payloads {
		if !p.passed && a.identifies(p.body) {
			return errBlocked
		}
		data, err := stream.Encode(p.body)
		if err != nil {
			return err
		}
		events[i] = stream.Event{
			Seq:    a.seq + 1 + i,
			Kind:   p.kind,
			Data:   data,
			Status: p.status,
			Last:   p.kind == api.EventPhaseEnd,
			Alone:  p.alone,
		}
	}
	if err := a.patiently(ctx, func() error { return a.Events.Append(ctx, a.job.Key, events...) }); err != nil {
		return err
	}
	// The numbers move on only when the store has the events, so a failed append leaves no gap.
	a.seq += len(events)

	return nil
}

const patchPause = 100 * time.Millisecond

// patiently repeats a step that is safe to repeat while a store is away, for as long as Timing.Patch.
func (a *attempt) patiently(ctx context.Context, step func() error) error {
	deadline := time.NewTimer(a.Timing.Patch)
	defer deadline.Stop()

	for {
		// Only a store that is away is asked again: the same number written twice is either ours already or taken.
		err := step()
		if err == nil || !errors.Is(err, errs.ErrUnavailable) {
			return err
		}
		pause := time.NewTimer(patchPause)
		select {
		case <-pause.C:
		case <-deadline.C:
			pause.Stop()
			return err
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// respond sends the answer through the gate as a whole, streams its text, and ends the phase: on record first, then
// by the last two events. It returns errBlocked when the answer may not leave.
func (a *attempt) respond(ctx context.Context, response api.PhaseResponse) error {
	// The answer is judged whole before its first piece leaves: an identity may lie across two pieces.
	if a.identifies(response) {
		return errBlocked
	}
	if err := a.text(ctx, response.Text); err != nil {
		return err
	}
	// The evaluation goes on the case before the phase ends, so a completed phase never lacks its tier.
	if response.Evaluation != nil && a.job.Task.Container.ContainerType == api.ContainerCase {
		record := api.RecordEvaluation{PhaseID: a.job.Key.PhaseID, Evaluation: *response.Evaluation}
		if a.job.Phase.Attempt > 1 {
			record.Attempt = a.job.Phase.Attempt
		}
		if err := a.patiently(ctx, func() error {
			_, err := a.Phases.RecordEvaluation(ctx, a.job.Task.Container.ContainerID, record)
			return err
		}); err != nil {
			return err
		}
	}
	status := api.PhaseCompleted
	if response.Kind == api.KindRefusal {
		status = api.PhaseRefused
	}
	// The hash covers the bytes that readers get, so it is taken of the same encoding as the event's.
	encoded, err := stream.Encode(response)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(encoded)
	end := a.end(status)
	end.Response, end.ResponseSHA256 = &response, hex.EncodeToString(sum[:])
	phase, err := a.record(ctx, end)
	if err != nil {
		return err
	}
	// From here on the phase has ended, so the two events are written even if the run is told to stop.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Timing.Patch)
	defer cancel()
	a.conclude(last, phase)

	return nil
}

// whole returns r with empty lists where it has none, so that it comes back from the record byte for byte as it was.
func whole(r api.PhaseResponse) api.PhaseResponse {
	r.Citations, r.Authorities = filled(r.Citations), filled(r.Authorities)
	r.Deadlines, r.Entries, r.Drafts = filled(r.Deadlines), filled(r.Entries), filled(r.Drafts)
	r.Questions, r.SuggestedNext, r.Limits = filled(r.Questions), filled(r.SuggestedNext), filled(r.Limits)
	r.HumanReview.Reasons = filled(r.HumanReview.Reasons)
	if r.Evaluation == nil {
		return r
	}
	e := *r.Evaluation
	e.Floors, e.Missing = filled(e.Floors), filled(e.Missing)
	e.Questions, e.Suggested.NextSteps = filled(e.Questions), filled(e.Suggested.NextSteps)

	// The list of the engine's own evaluation stays as it is; others may hold it.
	e.Breakdown = slices.Clone(filled(e.Breakdown))
	for i := range e.Breakdown {
		e.Breakdown[i].Sources = filled(e.Breakdown[i].Sources)
	}
	r.Evaluation = &e

	return r
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}

	return list
}

// text streams the answer's text, in pieces that add up to it byte for byte.
func (a *attempt) text(ctx context.Context, text string) error {
	responding := api.StatusEvent{EventHead: a.head(api.EventStatus), Status: api.StatusResponding}
	begins := payload{kind: api.EventStatus, body: responding, status: api.StatusResponding}
	if err := a.append(ctx, begins); err != nil {
		return err
	}

	for i, delta := range chunks(text) {
		e := api.ContentChunkEvent{
			EventHead: a.head(api.EventContentChunk),
			Index:     i,
			Delta:     delta,
			Format:    "text/markdown",
		}
		if err := a.append(ctx, payload{kind: api.EventContentChunk, body: e, passed: true}); err != nil {
			return err
		}
	}

	return nil
}

// end is what goes on record; the two events that follow it have the next two numbers.
func (a *attempt) end(status string) api.EndPhase {
	a.usage.WallMs = a.Now().Sub(a.began).Milliseconds()

	return api.EndPhase{
		Attempt:   a.job.Phase.Attempt,
		Status:    status,
		Engine:    a.engine(),
		ToolCalls: a.calls,
		Usage:     a.usage,
		Stream:    api.StreamMarks{PhaseStartSeq: a.startSeq, ResponseSeq: a.seq + 1, EndSeq: a.seq + 2},
	}
}

func (a *attempt) record(ctx context.Context, end api.EndPhase) (api.Phase, error) {
	var phase api.Phase
	err := a.patiently(ctx, func() (err error) {
		phase, err = a.Phases.EndPhase(ctx, a.job.Key.PhaseID, end)
		return err
	})
	if err == nil {
		a.observe(ctx, end.Status, end.Engine.Mode, end.Response)
	}

	return phase, err
}

func (a *attempt) observe(ctx context.Context, status, mode string, response *api.PhaseResponse) {
	if a.Observe == nil {
		return
	}
	o := Outcome{
		Asked:  answers.Asks(a.job.Task),
		Status: status,
		Mode:   mode,
		Took:   a.Now().Sub(a.began),
	}
	if response != nil && response.Evaluation != nil {
		o.Tier = response.Evaluation.TierName
	}
	a.Observe(ctx, o)
}

// finish deals with an attempt that did not get through.
func (a *attempt) finish(ctx context.Context, err error) {
	if err == nil {
		return
	}

	// ctx has ended with the run; what is left to write has a time of its own, for the record and for the events after
	// it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*a.Timing.Patch)
	defer cancel()

	switch {
	case errors.Is(err, errTakenOver), errors.Is(err, stream.ErrTaken):
		a.Log.InfoContext(ctx, "a run was taken over by another process")
		return
	// A run that is handed over keeps its phase open, so its stream gets no end here.
	case errors.Is(err, errHandover):
		if _, err := a.handOver(ctx, a.job.Key, a.job.Phase.Attempt); err != nil {
			a.Log.WarnContext(ctx, "a run could not be handed over; its lease will run out", "err", err)
		}

		return
	}
	// An attempt that was told to end before it had said that it begins says so first: readers expect a start before
	// every end.
	begun := a.caughtUp
	if a.startSeq == 0 {
		begun = a.begin
	}
	unread := false

	switch err := begun(ctx); {
	case err == nil:
	case a.startSeq > 0 && errors.Is(err, errs.ErrUnavailable):
		// The end goes on record all the same, which frees the branch; its events follow when the store is back.
		a.Log.WarnContext(ctx, "the events of a run could not be read before its end", "err", err)
		unread = true
	default:
		a.Log.WarnContext(ctx, "a run could not go on with its stream; it will be interrupted", "err", err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()

	// The failure that ended the run must not keep its tools open on record.
	a.failed = nil
	for id := range a.open {
		a.closeTool(id, "failed", "Ended with the run")
	}
	// What was stored although its answer was lost, or will be when the store wakes up, keeps its numbers.
	if unread || a.failed != nil {
		a.seq += maxLost
	}
	status, problem := verdict(err, telemetry.RequestID(ctx))
	// The sentence of a failure may quote what the engine read. Our own sentence for internal faults quotes nothing.
	if errors.Is(err, errBlocked) || problem.Error != errs.ErrInternal.Code && a.identifies(problem) {
		if err = a.respond(ctx, a.refusal()); err == nil || errors.Is(err, stream.ErrTaken) {
			return
		}
		status, problem = verdict(err, telemetry.RequestID(ctx))
	}
	if problem.Error == errs.ErrInternal.Code {
		a.Log.ErrorContext(ctx, "a run failed", "err", err)
	}
	end := a.end(status)
	end.Error = &problem

	phase, err := a.record(ctx, end)
	switch {
	case err == nil:
		a.conclude(ctx, phase)
	case errs.From(err).Kind == errs.Conflict:
		a.superseded(ctx)
	default:
		a.Log.WarnContext(ctx, "the end of a run could not be put on record; it will be interrupted", "err", err)
	}
}

// conclude streams the end of a phase that is on record.
func (a *attempt) conclude(ctx context.Context, phase api.Phase) {
	if err := a.patiently(ctx, func() error { return a.complete(ctx, a.job.Key, phase) }); err != nil {
		a.Log.WarnContext(
			ctx, "the end of a run could not be streamed; the record has it for its readers", "err", err,
		)
	}
}

// superseded deals with an end that was refused: the answer to the step that ended the phase never came, or somebody
// else has the run.
func (a *attempt) superseded(ctx context.Context) {
	phase, err := a.Phases.Phase(ctx, a.job.Key.PhaseID)
	switch {
	case err != nil:
		a.Log.WarnContext(
			ctx, "cannot tell whether the end of a run is on record; its readers have it settled", "err", err,
		)
	case !Ended(phase) || phase.Attempt != a.job.Phase.Attempt:
		a.Log.InfoContext(ctx, "a run was taken over by another process")
	default:
		a.observe(ctx, phase.Status, phase.Engine.Mode, phase.Response)
		a.conclude(ctx, phase)
	}
}
