package agenttool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// space is the name space of ids that must come out the same on every replica.
var space = ids.Space(uuid.MustParse("2f1b7a36-9a0e-5c4e-8a5d-6d2f0f2c7e11"))

// mostTurns bounds how often a task may be answered.
const mostTurns = 50

var (
	errBusy = errs.New(
		errs.Conflict,
		"phase_running",
		"This task is still working. Call again with taskId alone to wait for it, and answer it when it has ended.",
	)
	errRate = errs.New(
		errs.TooMany, "rate_limited", "Too many tasks and answers in a minute. Send this again later.",
	)
	errNotYours = errs.New(
		errs.Forbidden,
		"forbidden",
		"An application cannot go on with administrative work. Begin a task of your own: send message without taskId.",
	)
	errManyTurns = errs.New(
		errs.Conflict,
		"too_many_turns",
		"This task has reached its limit of answers. Start a new task: send message without taskId.",
	)
)

// digest tells whether two calls are the same request: how long they wait does not matter.
func (c call) digest(caller access.Caller) (string, error) {
	// A request under a key is known by the key alone: the same key with other words is a mistake that must show.
	c.WaitSeconds = 0
	if c.IdempotencyKey != nil {
		c = call{IdempotencyKey: c.IdempotencyKey, TaskID: c.TaskID}
	}
	text, err := json.Marshal([]any{caller.Tenant, caller.UserID, caller.ClientID, c})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:]), nil
}

// begin has the agent work on something new. A request that is sent again is the task that it began before: under a key
// always, else until somebody was told how that task ended.
func (d *Service) begin(ctx context.Context, caller access.Caller, c call, in *protocol.Call) (protocol.Answer, error) {
	// Under a key the id of the task follows from the key, so every replica and every repetition finds the same one.
	id := space.Derive("task", caller.Tenant, caller.UserID, caller.ClientID, c.key())
	if c.IdempotencyKey == nil {
		digest, err := c.digest(caller)
		if err != nil {
			return protocol.Answer{}, err
		}
		if id, err = d.Handles.Once(ctx, digest, ids.New()); err != nil {
			return protocol.Answer{}, err
		}
		// Bound before the run begins: a run may end before this call gets to say anything about it.
		if err := d.Handles.Bind(ctx, admission.KeyOf(caller, id), digest, id); err != nil {
			return protocol.Answer{}, err
		}
	}
	kind, container := c.container(id)
	phase, err := d.run(ctx, caller, api.AgentTask{
		SessionID:     "mcp-" + id,
		SeedPhase:     api.SeedPhase{PhaseID: id, BranchID: c.BranchID},
		ContainerID:   container,
		ContainerType: kind,
		RequestType:   c.RequestType,
		Prompt:        c.Message,
		FileIDs:       c.FileIDs,
	})
	if err != nil {
		return protocol.Answer{}, err
	}

	return d.follow(ctx, caller, c, in, id, phase), nil
}

// run takes a task in as the HTTP interface does. What has begun is not left half done when the caller leaves.
func (d *Service) run(ctx context.Context, caller access.Caller, task api.AgentTask) (api.Phase, error) {
	// Every begun task counts, also one that is refused later: guesses at names must not be free.
	if wait := d.Pace.Take(ctx, caller.Tenant+"|"+admission.Identity(caller)); wait > 0 {
		return api.Phase{}, errRate.WithMessage("Too many tasks and answers in a minute. Send this again in " +
			errs.Seconds(wait) + "; waiting for a task with taskId alone does not count.").WithRetryAfter(wait)
	}

	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), spare)
	defer done()
	if err := d.Intake.Admit(ctx, caller, &task); err != nil {
		return api.Phase{}, err
	}
	begun, err := d.Intake.Begin(ctx, caller, task)
	// A task outlives the call that began it, and so does its place in line.
	if begun.Turn != nil {
		place := redisstore.WaitingTask{
			UserID:        caller.UserID,
			SessionID:     task.SessionID,
			RequestType:   task.RequestType,
			ContainerType: task.ContainerType,
			ContainerID:   task.ContainerID,
		}
		// Without it whoever asks for a task that is lost is told that there is none.
		_ = d.Handles.Waits(ctx, admission.KeyOf(caller, begun.Phase.PhaseID), place)
		begun.Turn.Outlive(ctx)
	}

	return begun.Phase, err
}

// own returns a phase of the caller's user. That of another user is not told from one that does not exist.
func (d *Service) own(ctx context.Context, caller access.Caller, id string) (api.Phase, error) {
	phase, err := d.Cases.Phase(ctx, id)
	// No phase is on record of a task that waited in line and was lost with its process.
	if errors.Is(err, errs.ErrNotFound) {
		return d.Handles.Lost(ctx, admission.KeyOf(caller, id), caller.UserID)
	}
	if err == nil && phase.CreatedBy.UserID != caller.UserID {
		return api.Phase{}, fmt.Errorf("find task: %w", errs.ErrNotFound)
	}

	return phase, err
}

// newest returns the latest phase of a task: each answer opened the next, whose id is made of the one before.
func (d *Service) newest(
	ctx context.Context,
	caller access.Caller,
	taskID string,
) (phase api.Phase, turns int, err error) {
	if phase, err = d.own(ctx, caller, taskID); err != nil {
		return phase, 0, err
	}

	for turns = 1; turns < mostTurns; turns++ {
		next, err := d.own(ctx, caller, nextTurn(phase.PhaseID))
		if errors.Is(err, errs.ErrNotFound) {
			return phase, turns, nil
		}
		if err != nil {
			return phase, turns, err
		}
		phase = next
	}

	return phase, turns, nil
}

func nextTurn(phaseID string) string { return space.Derive("turn", phaseID) }

// wait goes on with a task.
func (d *Service) wait(ctx context.Context, caller access.Caller, c call, in *protocol.Call) (protocol.Answer, error) {
	phase, _, err := d.newest(ctx, caller, c.TaskID)
	if err != nil {
		return protocol.Answer{}, err
	}

	return d.follow(ctx, caller, c, in, c.TaskID, phase), nil
}

// reply answers a task: the next phase of the same conversation. An answer that is sent again is the phase that it
// opened before: under a key always, else as long as that phase is the newest and nobody was told how it ended.
func (d *Service) reply(ctx context.Context, caller access.Caller, c call, in *protocol.Call) (protocol.Answer, error) {
	digest, err := c.digest(caller)
	if err != nil {
		return protocol.Answer{}, err
	}
	phase, turns, err := d.newest(ctx, caller, c.TaskID)
	if err != nil {
		return protocol.Answer{}, err
	}
	if requestTypes[phase.RequestType] == "" {
		return protocol.Answer{}, errNotYours
	}

	answered, again, err := d.before(ctx, caller, c, digest, phase)
	switch {
	case err != nil:
		return protocol.Answer{}, err
	case again:
		phase = answered
	case !runs.Ended(phase):
		return protocol.Answer{}, errBusy
	case turns >= mostTurns:
		return protocol.Answer{}, errManyTurns
	}
	// The answer is kept before the turn begins, so a repetition that comes while it begins finds it.
	if !again {
		if err := d.Handles.Sends(ctx, digest, phase.PhaseID, c.IdempotencyKey != nil); err != nil {
			return protocol.Answer{}, err
		}
	}
	next := nextTurn(phase.PhaseID)
	if c.IdempotencyKey == nil {
		if err := d.Handles.Bind(ctx, admission.KeyOf(caller, next), digest, phase.PhaseID); err != nil {
			return protocol.Answer{}, err
		}
	}
	answer, err := d.run(ctx, caller, api.AgentTask{
		SessionID:     phase.SessionID,
		SeedPhase:     api.SeedPhase{PhaseID: next, BranchID: phase.BranchID},
		ContainerID:   phase.ContainerID,
		ContainerType: phase.ContainerType,
		RequestType:   phase.RequestType,
		Prompt:        c.Message,
		FileIDs:       c.FileIDs,
	})
	if err != nil {
		return protocol.Answer{}, err
	}

	return d.follow(ctx, caller, c, in, c.TaskID, answer), nil
}

// before finds the phase that this answer was given to before, if it has opened the next one.
func (d *Service) before(
	ctx context.Context,
	caller access.Caller,
	c call,
	digest string,
	newest api.Phase,
) (phase api.Phase, ok bool, err error) {
	id, ok, err := d.Handles.Sent(ctx, digest)
	if err != nil || !ok {
		return api.Phase{}, false, err
	}
	opened := nextTurn(id)
	// Without a key the same words are the same answer only while nothing came after them: "yes" may answer two
	// questions.
	if c.IdempotencyKey == nil && opened != newest.PhaseID {
		return api.Phase{}, false, nil
	}
	if _, err = d.own(ctx, caller, opened); err == nil {
		phase, err = d.own(ctx, caller, id)
	}
	// The turn was never opened: the answer was refused.
	if errors.Is(err, errs.ErrNotFound) {
		return api.Phase{}, false, nil
	}

	return phase, err == nil, err
}

// cancel stops a task. One that has ended stays as it is.
func (d *Service) cancel(ctx context.Context, caller access.Caller, c call) (protocol.Answer, error) {
	phase, _, err := d.newest(ctx, caller, c.TaskID)
	if err != nil {
		return protocol.Answer{}, err
	}
	if !runs.Ended(phase) {
		if err := d.Intake.End(ctx, caller, phase.PhaseID); err != nil {
			return protocol.Answer{}, err
		}
		// If the phase cannot be read, it is told as it stood.
		if now, err := d.own(ctx, caller, phase.PhaseID); err == nil {
			phase = now
		}
	}
	c.WaitSeconds = min(c.WaitSeconds, cancelWait)

	return d.follow(ctx, caller, c, &protocol.Call{}, c.TaskID, phase), nil
}

const (
	cancelWait = 10 // seconds that a cancelled task is waited for
	again      = 500 * time.Millisecond
)

// follow waits for the end of a phase, as long as the call wants to, and tells how the task stands then. The run is the
// server's: whether anybody waits does not matter to it, nor whether the wait fails. A host that follows tasks gets one
// for new work that has not ended or that its user has to answer.
func (d *Service) follow(
	ctx context.Context, caller access.Caller, c call, in *protocol.Call, taskID string, phase api.Phase,
) protocol.Answer {
	said := ""
	if !runs.Ended(phase) && c.WaitSeconds > 0 {
		// Without a place for another wait the task is told as it stands; whoever asks again may find one.
		if release, err := d.Place(caller); err == nil {
			httpx.StepAside(ctx)
			phase, said = d.watch(ctx, caller, c, in, phase)
			release()
		}
	}
	if in.Host.Tasks && c.Message != "" {
		task, err := d.stands(ctx, caller, phase, in.Host)
		// A task with a result already is told like to any other host.
		if err == nil && task.Result.Value == nil {
			task.Message = cmp.Or(said, task.Message)
			return protocol.Answer{Task: &task}
		}
	}

	out := d.tell(ctx, taskID, phase)
	if out.State == working && said != "" {
		out.Message = said + "."
	}
	// Only an end that somebody was there to hear is forgotten: a caller that left will send the request again.
	if runs.Ended(phase) && ctx.Err() == nil {
		_ = d.Handles.Forget(context.WithoutCancel(ctx), admission.KeyOf(caller, phase.PhaseID))
	}

	return protocol.Answer{Value: out}
}

// watch follows a phase until it ends, the call has waited enough, or the wait fails, and returns the phase as it was
// last seen with the last that was said of it. A phase that nobody runs is ended when the call is to cancel it; else
// the service takes it up again.
func (d *Service) watch(
	ctx context.Context,
	caller access.Caller,
	c call,
	in *protocol.Call,
	phase api.Phase,
) (api.Phase, string) {
	waiting, stop := context.WithTimeout(ctx, time.Duration(c.WaitSeconds)*time.Second)
	defer stop()

	w := &watcher{call: in, last: "The task is under way"}
	defer w.keepAlive(waiting, d.Alive)()

	k, seq := admission.KeyOf(caller, phase.PhaseID), 0
	for waiting.Err() == nil && !d.Streams.Stops() {
		// Nobody runs it, so nobody would hear the wish to end it. On a conflict it has ended meanwhile.
		if phase.Status == api.PhaseInterrupted && c.Cancel {
			err := d.Intake.End(ctx, caller, phase.PhaseID)
			if err != nil && errs.From(err).Kind != errs.Conflict {
				return phase, w.said()
			}
		}
		if _, err := d.Streams.Follow(waiting, k, seq, func(e stream.Event) { seq = e.Seq; w.tell(e) }); err != nil {
			return phase, w.said()
		}
		// Follow ends without the last event when its log is gone or its feed was; the record says which.
		now, err := d.own(context.WithoutCancel(ctx), caller, phase.PhaseID)
		if err != nil {
			return phase, w.said()
		}
		if phase = now; runs.Ended(phase) {
			break
		}
		// The log may lag behind the record for a moment.
		pause(waiting, again)
	}

	return phase, w.said()
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// watcher passes on what a run does to a caller who wants to know.
type watcher struct {
	call *protocol.Call
	mu   sync.Mutex
	last string
}

func (w *watcher) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.last
}

// tell passes an event on in words.
func (w *watcher) tell(e stream.Event) {
	said := inWords(e)
	if said == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = said
	w.call.Progress(said)
}

// inWords says what a run did, "" for what is not told. Words of the answer are not: they come whole, with their
// sources.
func inWords(e stream.Event) string {
	var s api.StatusEvent
	if e.Kind != api.EventStatus || json.Unmarshal(e.Data, &s) != nil {
		return ""
	}

	said := s.Message
	switch {
	case s.Tool != nil:
		said = cmp.Or(s.Tool.Summary, s.Tool.Name)
	case s.Status == api.StatusResponding:
		said = "Writing the answer"
	}
	if said != "" && s.Progress != nil && s.Progress.Total > 0 {
		said = fmt.Sprintf("%s (%d of %d)", said, s.Progress.Done, s.Progress.Total)
	}

	return said
}

// keepAlive repeats the last words while nothing happens, until the function it returns is called.
func (w *watcher) keepAlive(ctx context.Context, every time.Duration) (stop func()) {
	if !w.call.Watched() {
		return func() {}
	}

	return httpx.KeepAlive(ctx, every, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.call.Progress(w.last)
	})
}
