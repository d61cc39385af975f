package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// attempt is one try at a phase. Its events have dense numbers and follow the grammar of the interface.
type attempt struct {
	*Runs
	job   Job
	began time.Time

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
	return api.EventHead{Type: kind, Seq: a.seq + 1, PhaseID: a.job.Key.PhaseID, TS: api.At(a.Now())}
}

func (a *attempt) engine() api.Engine { return a.job.Phase.Engine }

// do begins the attempt, has the engine work, and puts the end on record; the last two events follow the record.
func (a *attempt) do(ctx context.Context) error {
	err := a.work(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // what broke because the run was told to end is not why it ended
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

// engineDoes keeps a panic of the engine, which reads what anybody may have written, from ending the runs of everybody. What was
// panicked with may hold anything, so only the stack is logged.
func (a *attempt) engineDoes(ctx context.Context) (response api.PhaseResponse, err error) {
	defer func() {
		if recover() != nil {
			a.Log.ErrorContext(ctx, "the engine panicked", "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return a.Engine.Do(ctx, a.job.Task, a.job.Sources, a)
}

// begin writes the first two events. A process that lost the run may still write for a moment, so the place is looked up again when
// it is taken.
func (a *attempt) begin(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	const tries = 5
	for range tries {
		newest, _, err := a.Events.Newest(ctx, a.job.Key)
		if err != nil {
			return err
		}
		a.seq = newest.Seq
		accepted := api.StatusEvent{EventHead: a.head(api.EventStatus), Status: api.StatusProcessing, Message: "Request accepted"}
		p := a.job.Phase
		started := api.PhaseStartEvent{
			EventHead: a.head(api.EventPhaseStart), BranchID: p.BranchID, TimelineID: p.TimelineID, Sequence: p.Sequence, ParentPhaseID: p.ParentPhaseID,
			RequestType: p.RequestType, ContainerType: p.ContainerType, ContainerID: p.ContainerID, Attempt: p.Attempt, Engine: a.engine(),
		}
		started.Seq++
		if err = a.append(ctx, payload{accepted.Type, accepted, accepted.Status}, payload{started.Type, started, ""}); !errors.Is(err, stream.ErrTaken) {
			a.startSeq = a.seq
			return err
		}
	}
	return errTakenOver
}

// payload is an event that is about to get its number.
type payload struct {
	kind   string
	body   any
	status string
}

// append stores events under the next numbers, trying again for a while when the store is away; a.mu is held. The numbers within the
// bodies were given by head.
func (a *attempt) append(ctx context.Context, payloads ...payload) error {
	events := make([]stream.Event, len(payloads))
	for i, p := range payloads {
		data, err := stream.Encode(p.body)
		if err != nil {
			return err
		}
		events[i] = stream.Event{Seq: a.seq + 1 + i, Kind: p.kind, Data: data, Status: p.status, Last: p.kind == api.EventPhaseEnd}
	}
	if err := a.patiently(ctx, func() error { return a.Events.Append(ctx, a.job.Key, events...) }); err != nil {
		return err
	}
	a.seq += len(events)
	return nil
}

const patchPause = 100 * time.Millisecond

// patiently repeats a step that is safe to repeat while a store is away, for as long as Timing.Patch.
func (a *attempt) patiently(ctx context.Context, step func() error) error {
	deadline := time.NewTimer(a.Timing.Patch)
	defer deadline.Stop()
	for {
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

// emit stores one event of the work; a failure ends the run at the engine's next step.
func (a *attempt) emit(body func(head api.EventHead) any, kind, status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.emitLocked(body, kind, status)
}

func (a *attempt) emitLocked(body func(head api.EventHead) any, kind, status string) {
	if a.failed != nil {
		return
	}
	ctx, cancel := context.WithTimeout(a.base, a.Timing.Patch)
	defer cancel()
	if a.failed = a.append(ctx, payload{kind, body(a.head(kind)), status}); a.failed != nil {
		a.abort(a.failed)
	}
}

func (a *attempt) status(e api.StatusEvent) {
	a.emit(func(head api.EventHead) any { e.EventHead = head; return e }, api.EventStatus, e.Status)
}

// Plan implements legal.Report.
func (a *attempt) Plan(message string, steps ...string) {
	a.status(api.StatusEvent{Status: api.StatusOrchestrating, Message: message, Plan: steps})
}

// Working implements legal.Report.
func (a *attempt) Working(message string, done, total int) {
	a.status(api.StatusEvent{Status: api.StatusWorking, Message: message, Progress: &api.Progress{Done: done, Total: total}})
}

// Reasoning implements legal.Report.
func (a *attempt) Reasoning(message string) {
	a.status(api.StatusEvent{Status: api.StatusReasoning, Message: message})
}

// Read implements legal.Report.
func (a *attempt) Read(passages int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.PassagesRead += passages
}

// Tool implements legal.Report.
func (a *attempt) Tool(name, summary string, args ...string) func(outcome, summary string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.ToolCallCount++
	id := fmt.Sprintf("c%d", a.usage.ToolCallCount)
	digest := sha256.New()
	for _, arg := range args {
		fmt.Fprintf(digest, "%d:%s", len(arg), arg)
	}
	if a.open == nil {
		a.open = map[string]openTool{}
	}
	a.open[id] = openTool{api.ToolCall{CallID: id, Name: name, ArgsDigest: hex.EncodeToString(digest.Sum(nil)[:16])}, a.Now()}
	a.emitLocked(func(head api.EventHead) any {
		return api.StatusEvent{EventHead: head, Status: api.StatusTool, Tool: &api.ToolStatus{CallID: id, Name: name, Summary: summary}}
	}, api.EventStatus, api.StatusTool)
	return func(outcome, summary string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.closeTool(id, outcome, summary)
	}
}

func (a *attempt) closeTool(id, outcome, summary string) {
	tool, ok := a.open[id]
	if !ok {
		return
	}
	delete(a.open, id)
	took := a.Now().Sub(tool.began).Milliseconds()
	tool.call.Outcome, tool.call.Summary, tool.call.DurationMs = outcome, summary, took
	a.calls = append(a.calls, tool.call)
	a.emitLocked(func(head api.EventHead) any {
		return api.StatusEvent{EventHead: head, Status: api.StatusTool, Tool: &api.ToolStatus{CallID: id, Name: tool.call.Name, Outcome: &outcome, Summary: summary, DurationMs: &took}}
	}, api.EventStatus, api.StatusTool)
}

// errBlocked means that an answer held what could be an identity; nothing of it has left.
var errBlocked = errors.New("the answer holds what could be an identity")

// respond checks the answer as a whole, streams its text, and ends the phase: on record first, then by the last two events.
func (a *attempt) respond(ctx context.Context, response api.PhaseResponse) error {
	if a.identifies(ctx, response) {
		return errBlocked
	}
	if err := a.text(ctx, response.Text); err != nil {
		return err
	}
	if response.Evaluation != nil && a.job.Task.Container.ContainerType == api.ContainerCase {
		record := api.RecordEvaluation{PhaseID: a.job.Key.PhaseID, Evaluation: *response.Evaluation}
		if err := a.patiently(ctx, func() error {
			_, err := a.Ledger.RecordEvaluation(ctx, a.job.Task.Container.ContainerID, record)
			return err
		}); err != nil {
			return err
		}
	}
	status := api.PhaseCompleted
	if response.Kind == api.KindRefusal {
		status = api.PhaseRefused
	}
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
	if err := a.append(last, tail(phase, a.Now())...); err != nil {
		a.Log.WarnContext(ctx, "the end of a run could not be streamed; readers rebuild it from the record", "err", err)
	}
	return nil
}

// whole returns r with empty lists where it has none, so that it comes back from the record byte for byte as it was.
func whole(r api.PhaseResponse) api.PhaseResponse {
	r.Citations, r.Authorities = filled(r.Citations), filled(r.Authorities)
	r.Questions, r.SuggestedNext, r.Limits = filled(r.Questions), filled(r.SuggestedNext), filled(r.Limits)
	r.HumanReview.Reasons = filled(r.HumanReview.Reasons)
	if r.Evaluation == nil {
		return r
	}
	e := *r.Evaluation
	e.Floors, e.Missing, e.Questions, e.Suggested.NextSteps = filled(e.Floors), filled(e.Missing), filled(e.Questions), filled(e.Suggested.NextSteps)
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

// identifies checks every part of an answer that a person will read.
func (a *attempt) identifies(ctx context.Context, r api.PhaseResponse) bool {
	texts := append([]string{r.Text}, r.Questions...)
	texts = append(texts, r.Limits...)
	for _, c := range r.Citations {
		texts = append(texts, c.Source.Quote)
	}
	for _, s := range r.SuggestedNext {
		texts = append(texts, s.Prompt)
	}
	if r.Evaluation != nil {
		texts = append(texts, r.Evaluation.Suggested.Title)
	}
	for _, text := range texts {
		if len(a.Gate.Check(ctx, guard.Event, text)) > 0 {
			return true
		}
	}
	return false
}

// text streams the answer's text, in pieces that add up to it byte for byte.
func (a *attempt) text(ctx context.Context, text string) error {
	responding := api.StatusEvent{EventHead: a.head(api.EventStatus), Status: api.StatusResponding}
	if err := a.append(ctx, payload{api.EventStatus, responding, api.StatusResponding}); err != nil {
		return err
	}
	for i, delta := range chunks(text) {
		e := api.ContentChunkEvent{EventHead: a.head(api.EventContentChunk), Index: i, Delta: delta, Format: "text/markdown"}
		if err := a.append(ctx, payload{api.EventContentChunk, e, ""}); err != nil {
			return err
		}
	}
	return nil
}

// end is what goes on record; the two events that follow it have the next two numbers.
func (a *attempt) end(status string) api.EndPhase {
	a.usage.WallMs = a.Now().Sub(a.began).Milliseconds()
	return api.EndPhase{
		Attempt: a.job.Phase.Attempt, Status: status, Engine: a.engine(), ToolCalls: a.calls, Usage: a.usage,
		Stream: api.StreamMarks{PhaseStartSeq: a.startSeq, ResponseSeq: a.seq + 1, EndSeq: a.seq + 2},
	}
}

func (a *attempt) record(ctx context.Context, end api.EndPhase) (api.Phase, error) {
	var phase api.Phase
	err := a.patiently(ctx, func() (err error) {
		phase, err = a.Ledger.EndPhase(ctx, a.job.Key.PhaseID, end)
		return err
	})
	return phase, err
}

// finish deals with an attempt that did not get through.
func (a *attempt) finish(ctx context.Context, err error) {
	if err == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*a.Timing.Patch)
	defer cancel()
	switch {
	case errors.Is(err, errTakenOver), errors.Is(err, stream.ErrTaken):
		a.Log.InfoContext(ctx, "a run was taken over by another process")
		return
	case errors.Is(err, errHandover):
		if _, err := a.Ledger.InterruptPhase(ctx, a.job.Key.PhaseID, a.job.Phase.Attempt); err != nil {
			a.Log.WarnContext(ctx, "a run could not be handed over; its lease will run out", "err", err)
		}
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = nil
	for id := range a.open {
		a.closeTool(id, "failed", "Ended with the run")
	}
	status, problem := verdict(err, telemetry.RequestID(ctx))
	if problem.Error == errs.ErrInternal.Code {
		a.Log.ErrorContext(ctx, "a run failed", "err", err)
	}
	end := a.end(status)
	end.Error = &problem
	phase, err := a.record(ctx, end)
	if err != nil {
		a.Log.WarnContext(ctx, "the end of a run could not be put on record; it will be interrupted", "err", err)
		return
	}
	if err := a.append(ctx, tail(phase, a.Now())...); err != nil {
		a.Log.WarnContext(ctx, "the end of a run could not be streamed; readers rebuild it from the record", "err", err)
	}
}

// verdict says how a failure is told to the reader. The text of an unclassified error stays inside.
func verdict(err error, requestID string) (status string, problem api.PhaseError) {
	known := errs.From(err)
	switch {
	case errors.Is(err, errCancelled):
		return api.PhaseCancelled, api.PhaseError{Error: "cancelled", Message: "The run was cancelled. Start a new phase to go on."}
	case errors.Is(err, errTimeLimit):
		return api.PhaseFailed, api.PhaseError{Error: "time_limit", Message: "The run took longer than maxSeconds allows. Ask for less, or allow more.", Retryable: true}
	case errors.Is(err, errBlocked):
		return api.PhaseFailed, api.PhaseError{Error: "output_blocked", Message: "The answer held what could be an identity, so nothing of it was sent. Check the files of the case."}
	case errors.Is(err, stream.ErrTooMany):
		return api.PhaseFailed, api.PhaseError{Error: "budget_exceeded", Message: "The run produced more events than a run may have. Ask for less at once."}
	case known.Kind == errs.Unavailable:
		return api.PhaseFailed, api.PhaseError{Error: "store_unavailable", Message: "A store or service could not be reached. Start a new phase in a moment.", Retryable: true}
	case known.Kind != errs.Internal:
		return api.PhaseFailed, api.PhaseError{Error: known.Code, Message: known.Message}
	}
	return api.PhaseFailed, api.PhaseError{Error: "internal", Message: "Something went wrong on our side (request " + requestID + "). Start a new phase to try again.", Retryable: true}
}
