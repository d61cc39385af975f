// Package tasks keeps the tasks of the agent-to-agent protocol: whose they are, which phases they became, and how they
// stand. What was said and answered stays with the phases, which are the record of work.
package tasks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Limits of a task, in code points.
const (
	maxText = api.MaxPrompt
)

// keepUnanswered is how long a task without a phase is kept. All others are deleted with their case.
const keepUnanswered = 30 * 24 * time.Hour

var (
	// ErrChanged refuses a change of a task that has changed or ended meanwhile.
	ErrChanged = errs.New(
		errs.Conflict,
		"task_changed",
		"This task has ended, or another message to it came first. Read the task. "+
			"If it waits for a message, send yours again.",
	)
	// ErrManyTurns refuses one more message to a task.
	ErrManyTurns = errs.New(
		errs.Conflict,
		"too_many_turns",
		"This task has reached its limit of messages. Start a new task with a message that names no task.",
	)
)

// Turn is one message of the client.
type Turn struct {
	MessageID string
	PhaseID   string // "" for one that no phase answers
	Text      string // of one that no phase answers
	Events    int    // of the phase's stream, once it has ended
	Unread    int    // parts of the message that nobody reads
	Print     string // SHA-256 of what the message holds
	Key       string // of one that no phase answers: finds it when it is sent again; "" where it came without a key
}

// Task is the record of a task. It is its owner's alone: no other user of the tenant finds it.
type Task struct {
	ID            string
	Tenant        string
	Owner         string // user
	ContextID     string
	ContainerType string
	ContainerID   string
	State         string
	StatusAt      time.Time
	CreatedAt     time.Time
	Turns         []Turn
	Version       int64
}

// Filter chooses tasks of an owner; empty fields choose all.
type Filter struct {
	ContextID string
	State     string
	Since     time.Time // of the status
}

// Store keeps tasks. A task of another owner, or another tenant, is errs.ErrNotFound.
type Store interface {
	// Insert saves a new task, or returns errs.ErrTaken.
	Insert(ctx context.Context, t Task) error
	// Replace saves t, with the next version, over the stored task of the version of t, or returns errs.ErrTaken.
	Replace(ctx context.Context, t Task) error
	Get(ctx context.Context, tenant, owner, id string) (Task, error)
	// Of returns the task whoever owns it.
	Of(ctx context.Context, tenant, id string) (Task, error)
	// List returns up to limit tasks of an owner that come after a place, those of the newest status first.
	List(ctx context.Context, tenant, owner string, f Filter, after *cases.Cursor, limit int) ([]Task, error)
	// Count counts the tasks of an owner, up to most.
	Count(ctx context.Context, tenant, owner string, f Filter, most int) (int, error)
	// Remove deletes the task of the version of t; it is no error when it is not there or another.
	Remove(ctx context.Context, t Task) error
	// Standing returns up to most tasks of all tenants that have stood in a state since before a time, the oldest
	// first, of those that come after a place; nil begins.
	Standing(ctx context.Context, state string, after *cases.Cursor, before time.Time, most int) ([]Task, error)
	// Forget removes up to most tasks of all tenants without a container whose status is older than a time.
	Forget(ctx context.Context, before time.Time, most int) error
}

// Service does what callers and phases ask of tasks. Who may ask is decided before.
type Service struct {
	Store   Store
	Journal audit.Log
	Gate    guard.Gate
	Links   deeplink.Links
	Now     func() time.Time

	mu     sync.Mutex
	looked map[string]*cases.Cursor // at which the last look at the tasks of a state ended; nil at their end
}

// rounds bounds how often a change begins again because another writer was first.
const rounds = 5

// Begins puts a phase into its task, which is made if this is its first.
func (d *Service) Begins(ctx context.Context, p phases.Phase, turn phases.Turn) error {
	// The client chooses both names, and could put a person's name into them.
	err := inputgate.Check(ctx, d.Gate, d.Links.To(deeplink.AddIdentity, ""),
		inputgate.Text{Channel: guard.ChosenID, Path: "messageId", Value: turn.MessageID},
		inputgate.Text{Channel: guard.ChosenID, Path: "contextId", Value: turn.ContextID})
	if err != nil {
		return err
	}

	fresh := d.with(Task{
		ID: turn.TaskID, Tenant: p.Tenant, Owner: p.CreatedBy.UserID, ContextID: turn.ContextID,
		CreatedAt: instant.Of(d.Now()), Version: 1,
	}, p, turn)
	if p.ID == turn.TaskID { // the first of its task, unless it is sent again
		if err := d.Store.Insert(ctx, fresh); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	for range rounds {
		t, err := d.Store.Of(ctx, p.Tenant, turn.TaskID)

		switch {
		case errors.Is(err, errs.ErrNotFound) && turn.Index > 0:
			return err // it was forgotten meanwhile
		case errors.Is(err, errs.ErrNotFound):
			err = d.Store.Insert(ctx, fresh)
		case err != nil:
			return err
		case t.Owner != p.CreatedBy.UserID:
			return errs.ErrNotFound
		case t.endedWith(p):
			return ErrChanged // its wait was let go of, and its client was told
		// The same message was recorded before, by a request whose answer was lost.
		case t.at(p.ID) >= 0:
			return nil
		case api.A2AEnded(t.State), len(t.Turns) != turn.Index:
			return ErrChanged // it was cancelled, or another message came first
		case len(t.Turns) >= api.MaxA2ATurns:
			return ErrManyTurns
		default:
			err = d.Store.Replace(ctx, d.with(t, p, turn))
		}
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

func (d *Service) with(t Task, p phases.Phase, turn phases.Turn) Task {
	// The task that was read may be tried again, so its array is not written.
	t.Turns = append(slices.Clip(t.Turns), Turn{
		MessageID: turn.MessageID, PhaseID: p.ID, Unread: turn.Unread, Print: turn.Print,
	})
	t.ContainerType, t.ContainerID = p.ContainerType, p.ContainerID
	t.State, t.StatusAt = stateOf(p), instant.Of(d.Now())

	return t
}

func stateOf(p phases.Phase) string { return api.A2AStateOf(p.Status, p.Kind, p.Review.Status) }

// at is the index of the turn that a phase answers, below 0 for none.
func (t Task) at(phaseID string) int {
	return slices.IndexFunc(t.Turns, func(turn Turn) bool { return turn.PhaseID == phaseID })
}

// endedWith reports whether the task has ended though p, which one of its messages became, is to wait or to run.
func (t Task) endedWith(p phases.Phase) bool {
	begins := p.Status == phases.Queued || p.Status == phases.Running

	return begins && t.at(p.ID) >= 0 && api.A2AEnded(t.State)
}

// begun reports whether a phase answers any of its messages.
func (t Task) begun() bool {
	return slices.ContainsFunc(t.Turns, func(turn Turn) bool { return turn.PhaseID != "" })
}

// Undo takes a phase out of its task again that could not be stored: what is refused leaves no task, and no turn of
// one.
func (d *Service) Undo(ctx context.Context, p phases.Phase) error {
	for range rounds {
		t, err := d.Store.Of(ctx, p.Tenant, p.TaskID)

		switch {
		case errors.Is(err, errs.ErrNotFound):
			return nil
		case err != nil:
			return err
		// Only the newest turn can be taken back: a later one rests on it.
		case t.at(p.ID) < 0 || t.at(p.ID) != len(t.Turns)-1 || api.A2AEnded(t.State):
			return nil
		case len(t.Turns) == 1:
			err = d.Store.Remove(ctx, t)
		default: // it waited for this message
			t.Turns, t.State = t.Turns[:len(t.Turns)-1], api.A2AInputRequired
			if !t.begun() {
				t.ContainerType, t.ContainerID = "", ""
			}
			err = d.Store.Replace(ctx, t)
		}
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

// Stands brings the task of a phase up to how the phase stands, unless a newer one has begun.
func (d *Service) Stands(ctx context.Context, p phases.Phase) error {
	for range rounds {
		t, err := d.Store.Of(ctx, p.Tenant, p.TaskID)
		if errors.Is(err, errs.ErrNotFound) {
			return nil // purged
		}
		if err != nil {
			return err
		}
		at := t.at(p.ID)
		if at < 0 {
			return nil
		}
		settled := at < len(t.Turns)-1 || api.A2AEnded(t.State) || t.State == stateOf(p)
		// The number of events is kept for old turns too: readers replay them from it.
		if settled && t.Turns[at].Events == p.Stream.EndSeq {
			return nil
		}
		t.Turns = slices.Clone(t.Turns)

		t.Turns[at].Events = p.Stream.EndSeq
		if !settled {
			t.State, t.StatusAt = stateOf(p), instant.Of(d.Now())
		}
		if err := d.Store.Replace(ctx, t); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

// stillBeginning is for how much longer than a wait in line a task may be said to be under way before its phase is
// looked for: the request that begins a phase records it in its task first, and takes seconds at most. No other service
// has such a time: until the record says that the task has failed, clients are told that it is under way.
const stillBeginning = time.Minute

// Waiting returns the newest phases of tasks that have waited in line since before a time, or have been under way for
// so long that the phase must be there. Each look is at up to most of either, and goes on where the last one ended:
// whoever has many tasks that stand for long keeps nobody else's from being looked at.
func (d *Service) Waiting(ctx context.Context, before time.Time, most int) ([]phases.Phase, error) {
	found, err := d.standing(ctx, api.A2ASubmitted, before, most)
	begun, failed := d.standing(ctx, api.A2AWorking, before.Add(-stillBeginning), most)
	err = errors.Join(err, failed)
	var waiting []phases.Phase

	for _, t := range append(found, begun...) {
		if newest := t.Turns[len(t.Turns)-1]; newest.PhaseID != "" {
			waiting = append(waiting, phases.Phase{ID: newest.PhaseID, Tenant: t.Tenant, TaskID: t.ID})
		}
	}

	return waiting, err
}

// standing returns the next up to most tasks that have stood in a state since before a time.
func (d *Service) standing(ctx context.Context, state string, before time.Time, most int) ([]Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, err := d.Store.Standing(ctx, state, d.looked[state], before, most)
	if err != nil {
		return nil, err
	}
	if d.looked == nil {
		d.looked = map[string]*cases.Cursor{}
	}
	// The look has come to the end, and the next one begins again with the oldest.
	d.looked[state] = nil
	if n := len(found); n == most && n > 0 {
		d.looked[state] = &cases.Cursor{Time: found[n-1].StatusAt, ID: found[n-1].ID}
	}

	return found, nil
}

// Put saves a task whose newest message no phase answers: a new one of version 0, or the next version. A new one that
// is there already comes back as it is.
func (d *Service) Put(ctx context.Context, by audit.Actor, t Task) (Task, error) {
	if err := d.check(ctx, &t); err != nil {
		return Task{}, err
	}

	now := instant.Of(d.Now())
	if t.Version == 0 {
		t.StatusAt, t.CreatedAt, t.Version = now, now, 1

		err := audit.Do(ctx, d.Journal, entry(by, "task.ask", t), func() error { return d.Store.Insert(ctx, t) })
		if errors.Is(err, errs.ErrTaken) {
			return d.Store.Get(ctx, t.Tenant, t.Owner, t.ID)
		}

		return t, err
	}
	was, err := d.Store.Get(ctx, t.Tenant, t.Owner, t.ID)
	if err != nil {
		return Task{}, err
	}
	// An ended task never changes: clients have stopped asking.
	if api.A2AEnded(was.State) {
		return Task{}, ErrChanged
	}
	t.CreatedAt, t.StatusAt, t.ContextID = was.CreatedAt, now, was.ContextID
	t.ContainerType, t.ContainerID = was.ContainerType, was.ContainerID

	action := "task.ask"
	if t.State == api.A2ACanceled {
		action = "task.cancel"
	}

	err = audit.Do(ctx, d.Journal, entry(by, action, t), func() error { return d.Store.Replace(ctx, t) })
	if errors.Is(err, errs.ErrTaken) {
		err = ErrChanged
	}
	t.Version++

	return t, err
}

func entry(by audit.Actor, action string, t Task) audit.Entry {
	return audit.Entry{Tenant: t.Tenant, Actor: by, Action: action, ResourceType: "task", ResourceID: t.ID}
}

func (d *Service) check(ctx context.Context, t *Task) error {
	var f validate.List
	if !ids.Valid(t.ID) {
		f.Add("taskId", "must be a UUID in lower case")
	}
	t.ContextID = f.Line("contextId", t.ContextID, 1, api.MaxA2AName)
	f.OneOf("state", t.State, api.A2AInputRequired, api.A2ACanceled, api.A2ARejected)
	if n := len(t.Turns); n == 0 || n > api.MaxA2ATurns {
		f.Add("turns", "must be 1 to 50")
	}
	words := []inputgate.Text{{Channel: guard.ChosenID, Path: "contextId", Value: t.ContextID}}
	said := 0

	for i := range t.Turns {
		turn := &t.Turns[i]
		turn.MessageID = f.Line("turns.messageId", turn.MessageID, 1, api.MaxA2AName)
		turn.Text = f.Prose("turns.text", turn.Text, 0, maxText)
		if turn.Key != "" && !ids.Valid(turn.Key) {
			f.Add("turns.key", "must be a UUID in lower case")
		}
		// The texts become one prompt when a case is named, and must fit into one.
		said += utf8.RuneCountInString(turn.Text)
		words = append(words,
			inputgate.Text{Channel: guard.ChosenID, Path: "messageId", Value: turn.MessageID},
			inputgate.Text{Channel: guard.Prompt, Path: "text", Value: turn.Text})
	}
	if said > maxText {
		f.Add("turns.text", "must be at most 32000 characters together; name the case")
	}
	if err := f.Err(); err != nil {
		return err
	}

	return inputgate.Check(ctx, d.Gate, d.Links.To(deeplink.AddIdentity, ""), words...)
}

// Forget removes up to most tasks that lacked something for so long that nobody will give it any more.
func (d *Service) Forget(ctx context.Context, most int) error {
	return d.Store.Forget(ctx, d.Now().Add(-keepUnanswered), most)
}
