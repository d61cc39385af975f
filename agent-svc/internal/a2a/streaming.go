package a2a

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Sink takes the events of a stream. number is that of the event within its task, below 0 for one that has none. An
// error ends the stream.
type Sink func(number int, r Reply) error

// errStopped ends a stream that cannot come to its end here: its reader subscribes again.
var errStopped = errors.New("the stream ends before its task")

// Stream makes a message a turn of its task and sends the task and what follows until the turn has ended.
func (s *Service) Stream(ctx context.Context, p SendParams, owner, key string, known bool, out Sink) error {
	got, err := s.accept(ctx, p, owner, key)
	if err != nil {
		return err
	}

	if len(got.task.Turns) > 1 || settled(got.task.State) {
		return s.from(ctx, got.task, got.turn, known, out)
	}
	// Nothing of a task that has just begun has to be read: its message is at hand.
	first := s.fresh(got.task, p.Message)
	if err := out(0, Reply{Task: &first}); err != nil {
		return err
	}

	return s.follow(ctx, passage{task: got.task, turn: got.turn, known: known, out: out, begun: got.begun}, 0)
}

// fresh is a task of one message that is under way.
func (s *Service) fresh(t api.A2ATask, m Message) Task {
	said := Message{MessageID: m.MessageID, ContextID: t.ContextID, TaskID: t.TaskID, Role: RoleUser}
	for _, p := range m.Parts {
		if p.Raw == nil { // files are in the case now
			said.Parts = append(said.Parts, p)
		}
	}
	at := &Time{t.StatusAt.Time}

	return Task{
		ID:        t.TaskID,
		ContextID: t.ContextID,
		Status:    Status{State: t.State, Timestamp: at},
		History:   []Message{said},
		Metadata:  s.details(t, nil),
	}
}

// from sends a snapshot of the task at the start of a turn, then the events of the turn. Where nothing is under way the
// snapshot is all.
func (s *Service) from(ctx context.Context, t api.A2ATask, turn int, known bool, out Sink) error {
	if settled(t.State) {
		return s.snapshot(ctx, t, before(t, len(t.Turns)), out)
	}
	task, err := s.view(ctx, t, nil, true, t.Turns[turn].PhaseID)
	if err != nil {
		return err
	}
	// It may stand otherwise by now, which its events tell, with all that the turn has made.
	task.Status = Status{State: t.State, Timestamp: &Time{t.StatusAt.Time}}
	if err := out(before(t, turn), Reply{Task: &task}); err != nil {
		return err
	}

	return s.follow(ctx, passage{task: t, turn: turn, known: known, out: out}, 0)
}

// snapshot sends a task as it is.
func (s *Service) snapshot(ctx context.Context, t api.A2ATask, number int, out Sink) error {
	task, err := s.view(ctx, t, nil, true)
	if err != nil {
		return err
	}

	return out(number, Reply{Task: &task})
}

// before counts the events of the turns before one.
func before(t api.A2ATask, turn int) int {
	n := 0
	for _, earlier := range t.Turns[:turn] {
		n += earlier.Events
	}

	return n
}

// Subscribe sends a task as it is and what follows, until it has ended or waits for its client again. place, if it is
// not nil, is the number of the last event that the reader has: what follows it is sent instead, without the task.
func (s *Service) Subscribe(ctx context.Context, id string, place *int, known bool, out Sink) error {
	t, err := s.record(ctx, id)
	if err != nil {
		return err
	}
	if place != nil {
		return s.resume(ctx, t, *place, known, out)
	}
	state, err := s.stands(ctx, t)

	switch {
	case err != nil:
		return err
	case api.A2AEnded(state):
		return a2aerr.New(a2aerr.Unsupported, "The task has ended, so nothing follows. Ask for the task to read what it came to.")
	case state == api.A2AInputRequired:
		return s.attend(ctx, t, known, out)
	}
	t.State = state

	return s.from(ctx, t, len(t.Turns)-1, known, out)
}

// attend sends a task that waits for somebody, and what follows once it goes on.
func (s *Service) attend(ctx context.Context, t api.A2ATask, known bool, out Sink) error {
	task, err := s.view(ctx, t, nil, true)
	if err != nil {
		return err
	}
	if err := out(before(t, len(t.Turns)), Reply{Task: &task}); err != nil {
		return err
	}

	state := task.Status.State

	for ctx.Err() == nil && !s.Stops() {
		rest(ctx, s.Look)
		now, err := s.record(context.WithoutCancel(ctx), t.TaskID)
		if err != nil {
			return err
		}
		if state, err = s.news(ctx, t, now, state, known, out); err != nil || api.A2AEnded(state) {
			return err
		}
		t = now
	}

	return nil
}

// news sends what has become of a task since it was t: the events of all turns that came meanwhile, and then how it
// stands where that has changed. It returns the state that its reader knows of.
func (s *Service) news(
	ctx context.Context,
	t, now api.A2ATask,
	state string,
	known bool,
	out Sink,
) (string, error) {
	for turn := len(t.Turns); turn < len(now.Turns); turn++ {
		if now.Turns[turn].PhaseID == "" {
			continue // it asks again
		}
		if err := s.follow(ctx, passage{task: now, turn: turn, known: known, out: out}, 0); err != nil {
			return state, err
		}
		fresh, err := s.record(context.WithoutCancel(ctx), t.TaskID)
		if err != nil {
			return state, err
		}
		now.State, state = fresh.State, fresh.State
		now.Turns[turn].Events = fresh.Turns[turn].Events
	}
	if now.State == state {
		return state, nil
	}
	seen, err := s.view(ctx, now, nil, false)
	if err != nil {
		return state, err
	}
	update := StatusUpdate{TaskID: t.TaskID, ContextID: t.ContextID, Status: seen.Status}

	return now.State, out(-1, Reply{StatusUpdate: &update})
}

// resume sends what follows an event that the reader has. Where that is no longer kept, the task comes first, with the
// gap in its metadata.
func (s *Service) resume(ctx context.Context, t api.A2ATask, place int, known bool, out Sink) error {
	turn, base := 0, 0
	for turn < len(t.Turns)-1 && place >= base+t.Turns[turn].Events {
		base += t.Turns[turn].Events
		turn++
	}
	if place < 0 || t.Turns[turn].Events > 0 && place > base+t.Turns[turn].Events {
		return a2aerr.New(a2aerr.InvalidParams, "Last-Event-ID must be the id of an event of this task.")
	}

	for ; turn < len(t.Turns); turn++ {
		if t.Turns[turn].PhaseID != "" {
			p := passage{task: t, turn: turn, known: known, out: out}
			if err := s.follow(ctx, p, place-base); err != nil {
				return err
			}
		}
		base += t.Turns[turn].Events
		place = base
	}

	return nil
}

// passage is a turn whose events go to a reader.
type passage struct {
	task  api.A2ATask
	turn  int  // index of the message
	known bool // the reader knows the extension for phases
	out   Sink
	begun bool // this request has begun the turn
}

// source tells the events of the turn beyond after. Of a turn that has just begun nobody has to ask whose it is.
func (s *Service) source(ctx context.Context, p passage, after int, each func(Event)) (ended bool, err error) {
	turnID := p.task.Turns[p.turn].PhaseID
	if p.begun && after == 0 {
		return s.Work.Watch(ctx, turnID, each)
	}

	return s.Work.Follow(ctx, turnID, after, each)
}

// follow sends the events of a turn beyond after, until it has ended.
func (s *Service) follow(ctx context.Context, p passage, after int) error {
	base, turnID := before(p.task, p.turn), p.task.Turns[p.turn].PhaseID

	for ctx.Err() == nil {
		var failure error
		live, stop := context.WithCancel(ctx)
		ended, err := s.source(live, p, after, func(e Event) {
			if failure == nil && e.Seq > after+1 { // those between are gone, or never were
				failure = s.resync(ctx, p.task, base, after, e.Seq-1, p.out)
			}
			if failure == nil && e.Seq > after {
				failure = s.pass(ctx, p, base, e)
				after = e.Seq
			}
			if failure != nil {
				stop()
			}
		})
		stop()
		p.begun = false

		switch {
		case failure != nil:
			return failure
		case err != nil || ended:
			return owned(err)
		case s.Stops():
			return errStopped
		}
		now, err := s.Work.Look(context.WithoutCancel(ctx), turnID)
		if err != nil {
			return owned(err)
		}
		if settled(now.State) && now.Events > after {
			return s.resync(ctx, p.task, base, after, now.Events, p.out)
		}
		if settled(now.State) {
			return nil
		}
		rest(ctx, pause)
	}

	return nil
}

// resync sends a task in place of its events beyond after up to last, which are kept no longer, with the numbers that
// do not come.
func (s *Service) resync(ctx context.Context, t api.A2ATask, base, after, last int, out Sink) error {
	fresh, err := s.record(ctx, t.TaskID)
	if err != nil {
		return err
	}
	task, err := s.view(ctx, fresh, nil, true)
	if err != nil {
		return err
	}
	if task.Metadata == nil {
		task.Metadata = map[string]any{}
	}
	gap := map[string]any{"from": base + after + 1, "to": base + last}
	task.Metadata[s.Base+api.A2AResumable] = map[string]any{"gap": gap}

	return out(base+last, Reply{Task: &task})
}

// pass sends one event of a turn.
func (s *Service) pass(ctx context.Context, p passage, base int, e Event) error {
	t, turn := p.task, p.turn

	var details map[string]any
	if p.known && e.Details != nil {
		details = map[string]any{s.Base + api.A2ALegalPhase: e.Details}
	}
	if e.Artifact != nil {
		a := *e.Artifact
		a.TaskID, a.ContextID, a.Metadata = t.TaskID, t.ContextID, details

		return p.out(base+e.Seq, Reply{ArtifactUpdate: &a})
	}
	status := Status{State: api.A2AWorking}
	if e.Status != nil {
		status = *e.Status
	}

	switch {
	case e.Last:
		how, err := s.how(ctx, t.Turns[turn].PhaseID, e)
		if err != nil {
			return err
		}
		status = s.status(api.A2ATask{TaskID: t.TaskID, ContextID: t.ContextID, Turns: t.Turns[:turn+1]}, how)
	case status.Message != nil:
		status.Message.TaskID, status.Message.ContextID = t.TaskID, t.ContextID
	}
	if status.Timestamp == nil {
		status.Timestamp = &Time{s.Now()}
	}

	return p.out(base+e.Seq, Reply{StatusUpdate: &StatusUpdate{
		TaskID: t.TaskID, ContextID: t.ContextID, Status: status, Metadata: details,
	}})
}

// how returns the outcome of the turn whose last event is e.
func (s *Service) how(ctx context.Context, turnID string, e Event) (Turn, error) {
	if e.End != nil {
		return *e.End, nil
	}

	return s.Work.Look(context.WithoutCancel(ctx), turnID)
}
