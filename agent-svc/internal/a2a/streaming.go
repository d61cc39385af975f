package a2a

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Sink takes the events of a stream. number is that of the event within its task, below 0 for one that has none. A
// reply that holds nothing opens the stream, where its first event may be long in coming. An error ends the stream.
type Sink func(number int, r Reply) error

// errStopped ends a stream that cannot come to its end here: its reader subscribes again.
var errStopped = errors.New("the stream ends before its task")

// Stream makes a message a turn of its task and sends the task and what follows until the turn has ended.
func (s *Service) Stream(ctx context.Context, p SendParams, owner, key string, known bool, out Sink) error {
	if said := s.reply(p.Message); said != nil {
		return out(-1, Reply{Message: said})
	}
	got, err := s.accept(ctx, p, owner, key)
	if err != nil {
		return err
	}

	if settled(got.task.State) {
		return s.again(ctx, got, known, out)
	}
	if len(got.task.Turns) > 1 {
		_, err = s.from(ctx, got.task, got.turn, known, out)
		return err
	}
	// Nothing of a task that has just begun has to be read: its message is at hand.
	first := s.fresh(got.task, p.Message)
	if err := out(0, Reply{Task: &first}); err != nil {
		return err
	}

	_, err = s.follow(ctx, passage{
		task:  got.task,
		turn:  got.turn,
		known: known,
		out:   out,
		begun: got.begun,
	}, 0)

	return err
}

// again sends the stream of a message that came before, to a task on which nothing is under way: its events once more,
// where it is the newest message, and then how the task stands, where that is otherwise than they say. Of an older
// message, or one whose work is not there, the task is all.
func (s *Service) again(ctx context.Context, got accepted, known bool, out Sink) error {
	t, turnID := got.task, got.task.Turns[got.turn].PhaseID
	alone := got.turn < len(t.Turns)-1 || turnID == ""
	if !alone {
		_, err := s.Work.Look(ctx, turnID)
		if alone = errors.Is(err, errs.ErrNotFound); err != nil && !alone {
			return err
		}
	}
	if alone {
		_, err := s.snapshot(ctx, t, before(t, len(t.Turns)), out)
		return err
	}

	begun := t
	begun.State = api.A2AWorking
	told, err := s.from(ctx, begun, got.turn, known, out)
	// The events end with what the work said. What a person decided afterwards is in the record alone.
	if err != nil || told == t.State || !api.A2AEnded(t.State) {
		return err
	}
	seen, err := s.view(ctx, t, nil, false)
	if err != nil {
		return err
	}

	return out(-1, Reply{StatusUpdate: &StatusUpdate{TaskID: t.TaskID, ContextID: t.ContextID, Status: seen.Status}})
}

// fresh is a task of one message that is under way.
func (s *Service) fresh(t api.A2ATask, m Message) Task {
	said := Message{
		MessageID: m.MessageID,
		ContextID: t.ContextID,
		TaskID:    t.TaskID,
		Role:      RoleUser,
	}
	for _, p := range m.Parts {
		// Files are in the case now; sending their bytes back would double the answer.
		if p.Raw == nil {
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
// snapshot is all. It returns the state that the reader knows of at the end.
func (s *Service) from(ctx context.Context, t api.A2ATask, turn int, known bool, out Sink) (string, error) {
	if settled(t.State) {
		return s.snapshot(ctx, t, before(t, len(t.Turns)), out)
	}
	task, err := s.view(ctx, t, nil, true, t.Turns[turn].PhaseID)
	if err != nil {
		return t.State, err
	}
	// It may stand otherwise by now, which its events tell, with all that the turn has made.
	task.Status = Status{State: t.State, Timestamp: &Time{t.StatusAt.Time}}
	if err := out(before(t, turn), Reply{Task: &task}); err != nil {
		return t.State, err
	}

	return s.follow(ctx, passage{
		task:  t,
		turn:  turn,
		known: known,
		out:   out,
	}, 0)
}

// snapshot sends a task as it is, and returns its state.
func (s *Service) snapshot(ctx context.Context, t api.A2ATask, number int, out Sink) (string, error) {
	task, err := s.view(ctx, t, nil, true)
	if err != nil {
		return t.State, err
	}

	return task.Status.State, out(number, Reply{Task: &task})
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
		return a2aerr.New(
			a2aerr.Unsupported, "The task has ended, so nothing follows. Ask for the task to read what it came to.",
		)
	}
	t.State = state
	if state, err = s.from(ctx, t, len(t.Turns)-1, known, out); err != nil {
		return err
	}

	return s.attend(ctx, t, state, known, out)
}

// attend sends what becomes of a task that its reader knows as t and in a state, until it has ended: a task that waits
// for somebody goes on once that has been done.
func (s *Service) attend(ctx context.Context, t api.A2ATask, state string, known bool, out Sink) error {
	for !api.A2AEnded(state) && ctx.Err() == nil && !s.Stops() {
		rest(ctx, s.Look)
		// The look is finished even if the client leaves meanwhile: half a record would be told as an error.
		now, err := s.record(context.WithoutCancel(ctx), t.TaskID)
		if err != nil {
			return err
		}
		if t, state, err = s.news(ctx, t, now, state, known, out); err != nil {
			return err
		}
	}

	return nil
}

// news sends what has become of a task since it was t: the events of all turns that came meanwhile, and then how it
// stands where that has changed. It returns the task and the state that its reader knows of: a turn that could not
// begin after all is none.
func (s *Service) news(
	ctx context.Context,
	t, now api.A2ATask,
	state string,
	known bool,
	out Sink,
) (api.A2ATask, string, error) {
	for turn := len(t.Turns); turn < len(now.Turns); turn++ {
		if now.Turns[turn].PhaseID == "" {
			continue // the task asks again
		}
		told, err := s.follow(ctx, passage{
			task:  now,
			turn:  turn,
			known: known,
			out:   out,
		}, 0)
		if err != nil {
			return now, state, err
		}
		state = told
		fresh, err := s.record(context.WithoutCancel(ctx), t.TaskID)
		if err != nil {
			return now, state, err
		}
		// The turn was taken back: its work could not begin after all.
		if len(fresh.Turns) <= turn {
			now = fresh
			break
		}
		now.State = fresh.State
		now.Turns[turn].Events = fresh.Turns[turn].Events
	}
	// The record may lag behind the last event.
	if now.State == state || !settled(now.State) {
		return now, state, nil
	}
	seen, err := s.view(ctx, now, nil, false)
	if err != nil {
		return now, state, err
	}
	update := StatusUpdate{TaskID: t.TaskID, ContextID: t.ContextID, Status: seen.Status}

	return now, now.State, out(-1, Reply{StatusUpdate: &update})
}

// resume sends what follows an event that the reader has. Where that is no longer kept, the task comes first, with the
// gap in its metadata.
func (s *Service) resume(ctx context.Context, t api.A2ATask, place int, known bool, out Sink) error {
	turn, base := 0, 0
	for turn < len(t.Turns)-1 && place >= base+t.Turns[turn].Events {
		base += t.Turns[turn].Events
		turn++
	}
	newest, err := s.newest(ctx, t)
	if err != nil {
		return err
	}
	state := newest.State
	if beyond(t, newest, place) {
		return errPlace
	}
	// The headers go out at once: the next event may be minutes away, and a client would take the silence for a
	// failure.
	if err := out(-1, Reply{}); err != nil {
		return err
	}
	// What a person decided is told by the task; its stream has what the work on it told.
	over := api.A2AEnded(state)

	for ; turn < len(t.Turns); turn++ {
		if t.Turns[turn].PhaseID != "" {
			p := passage{
				task:  t,
				turn:  turn,
				known: known,
				out:   out,
			}
			told, err := s.follow(ctx, p, place-base)
			if err != nil {
				return err
			}
			state = told
		}
		base += t.Turns[turn].Events
		place = base
	}
	if over {
		return nil
	}

	return s.attend(ctx, t, state, known, out)
}

// beyond reports whether no event of a task on which nothing is under way can have a number. What was lost counts no
// events, though its readers had some.
func beyond(t api.A2ATask, newest Turn, place int) bool {
	last := len(t.Turns) - 1
	events := max(t.Turns[last].Events, newest.Events)
	if !settled(newest.State) || events == 0 && !waits(newest.State) {
		return false
	}

	return place > before(t, last)+events
}

var errPlace = a2aerr.New(
	a2aerr.InvalidParams,
	"Last-Event-ID must be the id of an event of this task. Leave it out to begin with the task as it is.",
)

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

// follow sends the events of a turn beyond after, until it has ended. It returns the state that the turn left its task
// in, or the one that the task has where the stream ends before.
func (s *Service) follow(ctx context.Context, p passage, after int) (state string, err error) {
	base, turnID := before(p.task, p.turn), p.task.Turns[p.turn].PhaseID
	state = p.task.State

	for ctx.Err() == nil {
		var failure error
		live, stop := context.WithCancel(ctx)
		ended, err := s.source(live, p, after, func(e Event) {
			// Those between are gone, or never were.
			if failure == nil && e.Seq > after+1 {
				state, failure = s.resync(ctx, p.task, base, after, e.Seq-1, p.out)
			}
			if failure == nil && e.Seq > after {
				state, failure = s.pass(ctx, p, base, e)
				after = e.Seq
			}
			if failure != nil {
				stop()
			}
		})
		stop()
		// From the second round on others may have taken the turn up, so whose it is must be asked.
		p.begun = false

		switch {
		case failure != nil:
			return state, failure
		case errors.Is(err, errs.ErrNotFound) && s.waitsForWork(ctx, p):
			if s.Stops() {
				return state, errStopped
			}

			continue
		case errors.Is(err, errs.ErrNotFound):
			return s.lost(ctx, p, base, after)
		case err != nil:
			return state, err
		case ended:
			return s.left(ctx, p, state)
		case s.Stops():
			return state, errStopped
		}
		// The events ended without the last one: the record says whether anything is still to come.
		now, err := s.Work.Look(context.WithoutCancel(ctx), turnID)

		switch {
		case errors.Is(err, errs.ErrNotFound):
			return s.lost(ctx, p, base, after)
		case err != nil:
			return state, err
		case settled(now.State) && now.Events > after:
			return s.resync(ctx, p.task, base, after, now.Events, p.out)
		case settled(now.State):
			return now.State, nil
		}
		rest(ctx, pause)
	}

	return state, nil
}

// waitsForWork waits a moment where the work of a turn may still be stored, or begun by the same message.
func (s *Service) waitsForWork(ctx context.Context, p passage) bool {
	now, err := s.record(context.WithoutCancel(ctx), p.task.TaskID)
	if err != nil || p.turn != len(now.Turns)-1 || settled(now.State) {
		return false
	}
	rest(ctx, pause)

	return true
}

// left is the state that an ended turn left its task in: a reader that had all of its events was told before.
func (s *Service) left(ctx context.Context, p passage, state string) (string, error) {
	if settled(state) {
		return state, nil
	}
	turn, err := s.Work.Look(context.WithoutCancel(ctx), p.task.Turns[p.turn].PhaseID)

	return turn.State, err
}

// lost tells the reader of a turn of which nothing is there how its task stands: the turn was lost in line or never
// began, or what it made is no longer kept. Events that the record counts are told as a gap.
func (s *Service) lost(ctx context.Context, p passage, base, after int) (string, error) {
	had := p.task.Turns[p.turn].Events
	if had > after {
		return s.resync(ctx, p.task, base, after, had, p.out)
	}
	if p.turn < len(p.task.Turns)-1 || had > 0 && api.A2AEnded(p.task.State) {
		return p.task.State, nil
	}

	fresh, err := s.record(context.WithoutCancel(ctx), p.task.TaskID)
	if err != nil {
		return p.task.State, err
	}
	task, err := s.view(ctx, fresh, nil, false)
	if err != nil {
		return p.task.State, err
	}
	update := StatusUpdate{TaskID: task.ID, ContextID: task.ContextID, Status: task.Status}

	return task.Status.State, p.out(-1, Reply{StatusUpdate: &update})
}

// resync sends a task in place of its events beyond after up to last, which are kept no longer, with the numbers that
// do not come.
func (s *Service) resync(ctx context.Context, t api.A2ATask, base, after, last int, out Sink) (string, error) {
	fresh, err := s.record(ctx, t.TaskID)
	if err != nil {
		return t.State, err
	}
	task, err := s.view(ctx, fresh, nil, true)
	if err != nil {
		return t.State, err
	}
	if task.Metadata == nil {
		task.Metadata = map[string]any{}
	}
	gap := map[string]any{"from": base + after + 1, "to": base + last}
	task.Metadata[s.Base+api.A2AResumable] = map[string]any{"gap": gap}

	return task.Status.State, out(base+last, Reply{Task: &task})
}

// pass sends one event of a turn. It returns the state that the last one leaves the task in, and for any other the one
// that the task had before.
func (s *Service) pass(ctx context.Context, p passage, base int, e Event) (string, error) {
	t, turn := p.task, p.turn

	var details map[string]any
	if p.known && e.Details != nil {
		details = map[string]any{s.Base + api.A2ALegalPhase: e.Details()}
	}
	if e.Artifact != nil {
		a := *e.Artifact
		a.TaskID, a.ContextID, a.Metadata = t.TaskID, t.ContextID, details

		return t.State, p.out(base+e.Seq, Reply{ArtifactUpdate: &a})
	}
	state, status := t.State, Status{State: api.A2AWorking}
	if e.Status != nil {
		status = *e.Status
	}

	switch {
	case e.Last:
		how, err := s.how(ctx, t.Turns[turn].PhaseID, e)
		if err != nil {
			return state, err
		}
		status = s.status(api.A2ATask{TaskID: t.TaskID, ContextID: t.ContextID, Turns: t.Turns[:turn+1]}, how)
		state = status.State
	// Other readers may be sending the event's own message, so a copy gets the ids.
	case status.Message != nil:
		m := *status.Message
		m.TaskID, m.ContextID = t.TaskID, t.ContextID
		status.Message = &m
	}
	if status.Timestamp == nil {
		status.Timestamp = &Time{s.Now()}
	}

	return state, p.out(base+e.Seq, Reply{StatusUpdate: &StatusUpdate{
		TaskID:    t.TaskID,
		ContextID: t.ContextID,
		Status:    status,
		Metadata:  details,
	}})
}

// how returns the outcome of the turn whose last event is e.
func (s *Service) how(ctx context.Context, turnID string, e Event) (Turn, error) {
	if e.End != nil {
		return *e.End, nil
	}

	return s.Work.Look(context.WithoutCancel(ctx), turnID)
}
