// Package scripted works on tasks of the agent-to-agent protocol by a table instead of an agent: so the protocol can be
// held against conformance kits, which send messages that no lawyer would.
package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Script is a table of messages and what each leads to. The first rule that fits a message holds; the last should fit
// every message.
type Script struct {
	Rules []Rule `json:"rules"`
}

// Rule says what the task of a message does. An empty condition fits every message.
type Rule struct {
	MessageID string `json:"messageId,omitempty"` // how the id of the message begins
	Text      string `json:"text,omitempty"`      // what its text holds, in any case of letters
	Answer    bool   `json:"answer,omitempty"`    // only a message to a task that waits for one
	Reply     string `json:"reply,omitempty"`     // answers the message by itself, without a task
	Steps     []Step `json:"steps,omitempty"`
}

// Step is one event of a task, after a pause. A step with an artifact sends it; any other changes how the task stands.
// The last step decides how the task stands in the end, which is TASK_STATE_COMPLETED where it does not say.
type Step struct {
	After    Pause         `json:"after,omitempty"` // such as 200ms
	State    string        `json:"state,omitempty"`
	Say      string        `json:"say,omitempty"`
	Artifact *a2a.Artifact `json:"artifact,omitempty"`
	Append   bool          `json:"append,omitempty"`    // to the artifact of that id that was sent before
	Last     bool          `json:"lastChunk,omitempty"` // of the artifact
}

// Pause is a duration in Go's form.
type Pause time.Duration

// UnmarshalJSON reads the form.
func (p *Pause) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	d, err := time.ParseDuration(s)
	*p = Pause(d)

	return err
}

// Read reads a script, strictly.
func Read(r io.Reader) (Script, error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return Script{}, err
	}
	var s Script
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("the script cannot be read: %w", err)
	}
	if len(s.Rules) == 0 {
		return Script{}, errors.New("the script has no rules")
	}

	return s, nil
}

// fits reports whether a rule is for a message of this id and text.
func (r Rule) fits(messageID, text string) bool {
	return strings.HasPrefix(messageID, r.MessageID) && strings.Contains(strings.ToLower(text), strings.ToLower(r.Text))
}

func (s Script) rule(o a2a.Order, answers bool) (Rule, bool) {
	for _, r := range s.Rules {
		if r.Reply == "" && (answers || !r.Answer) && r.fits(o.Task.MessageID, o.Text) {
			return r, true
		}
	}

	return Rule{}, false
}

// Reply is what a message that begins a task by no rule is answered with.
func (s Script) Reply(m a2a.Message) ([]a2a.Part, bool) {
	var text strings.Builder

	for _, p := range m.Parts {
		if p.Text != nil {
			text.WriteString(*p.Text + "\n\n")
		}
	}

	for _, r := range s.Rules {
		if !r.Answer && r.fits(m.MessageID, text.String()) {
			return []a2a.Part{a2a.TextPart(r.Reply, "text/plain")}, r.Reply != ""
		}
	}

	return nil, false
}

// Worker is an a2a.Worker that plays a script.
type Worker struct {
	Script Script
	Tasks  *Tasks
	Now    func() time.Time

	mu    sync.Mutex
	turns map[string]*turn
	under sync.WaitGroup
}

// turn is one play of a rule.
type turn struct {
	told    a2a.Turn
	events  []a2a.Event // those that are kept, in their order
	newest  int         // number of the last event
	over    bool
	changed chan struct{} // closed and replaced at every event
	cancel  context.CancelFunc
}

// Place takes every message as it comes.
func (w *Worker) Place(context.Context, a2a.Message, map[string]any, api.A2ATask) (a2a.Destination, bool, error) {
	return a2a.Destination{ContainerType: api.ContainerSupport, ContainerID: "script"}, false, nil
}

var errNoRule = errs.New(
	errs.Invalid,
	"validation_failed",
	"No rule of the script fits this message. Add one that fits every message at the end.",
)

// Begin plays the rule of a message.
func (w *Worker) Begin(ctx context.Context, order *a2a.Order) (a2a.Turn, error) {
	o := *order
	answers := o.TurnID != o.Task.TaskID
	rule, ok := w.Script.rule(o, answers)
	if !ok {
		return a2a.Turn{}, errNoRule
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.turns == nil {
		w.turns = map[string]*turn{}
	}
	if there := w.turns[o.TurnID]; there != nil {
		return there.told, nil
	}
	if err := w.Tasks.begins(ctx, o); err != nil {
		return a2a.Turn{}, err
	}
	playing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &turn{
		told: a2a.Turn{
			ID:     o.TurnID,
			State:  api.A2AWorking,
			At:     w.Now(),
			Prompt: o.Text,
		},
		changed: make(chan struct{}), cancel: cancel,
	}
	w.turns[o.TurnID] = t
	told := t.told
	w.under.Go(func() { w.play(playing, o, t, rule) })

	return told, nil
}

// Close ends what is played and waits for it.
func (w *Worker) Close() {
	w.mu.Lock()
	for _, t := range w.turns {
		t.cancel()
	}
	w.mu.Unlock()
	w.under.Wait()
}

func (w *Worker) play(ctx context.Context, o a2a.Order, t *turn, rule Rule) {
	defer t.cancel()

	for i, step := range rule.Steps {
		wait := time.NewTimer(time.Duration(step.After))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			w.end(ctx, o, t, Step{State: api.A2ACanceled, Say: "The task was cancelled."})

			return
		}
		if i == len(rule.Steps)-1 && step.Artifact == nil {
			w.end(ctx, o, t, step)
			return
		}
		w.step(o, t, step)
	}
	w.end(ctx, o, t, Step{})
}

// step is one event that does not end the turn.
func (w *Worker) step(o a2a.Order, t *turn, step Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var e a2a.Event

	if step.Artifact == nil {
		at := a2a.Time{Time: w.Now()}
		e.Status = &a2a.Status{State: step.State, Timestamp: &at}
		if step.State == "" {
			e.Status.State = api.A2AWorking
		}
		if step.Say != "" {
			e.Status.Message = &a2a.Message{
				MessageID: fmt.Sprintf("%s-%d", o.TurnID, t.newest+1), Role: a2a.RoleAgent,
				Parts: []a2a.Part{a2a.TextPart(step.Say, "text/plain")},
			}
		}
	} else {
		e.Artifact = &a2a.ArtifactUpdate{Artifact: *step.Artifact, Append: step.Append, LastChunk: step.Last}
		t.told.Keep(*step.Artifact, step.Append)
	}
	t.tell(e)
}

// end is the last event of a turn.
func (w *Worker) end(ctx context.Context, o a2a.Order, t *turn, step Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if step.State == "" {
		step.State = api.A2ACompleted
	}
	t.told.State, t.told.Note, t.told.At, t.told.Events = step.State, step.Say, w.Now(), t.newest+1
	w.Tasks.stands(context.WithoutCancel(ctx), o, t.told)
	t.over = true
	t.tell(a2a.Event{Last: true})
}

// tell adds an event, with the next number.
func (t *turn) tell(e a2a.Event) {
	t.newest++
	e.Seq = t.newest
	t.events = append(t.events, e)
	close(t.changed)
	t.changed = make(chan struct{})
}

// Look returns how a turn stands.
func (w *Worker) Look(_ context.Context, id string) (a2a.Turn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.turns[id]; t != nil {
		return t.told, nil
	}

	return a2a.Turn{}, errs.ErrNotFound
}

// Watch tells the events of a turn from the first.
func (w *Worker) Watch(ctx context.Context, id string, each func(a2a.Event)) (bool, error) {
	return w.Follow(ctx, id, 0, each)
}

// Follow tells the events of a turn.
func (w *Worker) Follow(ctx context.Context, id string, after int, each func(a2a.Event)) (bool, error) {
	for {
		w.mu.Lock()
		t := w.turns[id]
		if t == nil {
			w.mu.Unlock()
			return false, errs.ErrNotFound
		}
		fresh, over, newest, changed := t.beyond(after), t.over, t.newest, t.changed
		w.mu.Unlock()

		last := after >= newest

		for _, e := range fresh {
			each(e)
			after, last = e.Seq, e.Last
		}
		if over {
			return last, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, nil
		}
	}
}

// beyond are the events after one that are kept.
func (t *turn) beyond(after int) []a2a.Event {
	i := slices.IndexFunc(t.events, func(e a2a.Event) bool { return e.Seq > after })
	if i < 0 {
		return nil
	}

	return slices.Clone(t.events[i:])
}

// Lose keeps events of an ended turn no longer, by their numbers within it.
func (w *Worker) Lose(id string, numbers ...int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.turns[id]
	t.events = slices.DeleteFunc(slices.Clone(t.events), func(e a2a.Event) bool {
		return slices.Contains(numbers, e.Seq)
	})
}

var errOver = errs.New(errs.Conflict, "invalid_transition", "The task has ended.")

// Cancel ends a turn.
func (w *Worker) Cancel(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.turns[id]

	switch {
	case t == nil:
		return errs.ErrNotFound
	case t.over:
		return errOver
	}
	t.cancel()

	return nil
}
