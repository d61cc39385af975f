package scripted

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Tasks keeps records of tasks in memory, for the one caller that a script has. It behaves as case-svc does.
type Tasks struct {
	Now func() time.Time

	mu  sync.Mutex
	all map[string]api.A2ATask
}

var errChanged = errs.New(errs.Conflict, "task_changed", "Another message to this task came first.")

// PutA2ATask saves a task that no turn answers yet.
func (s *Tasks) PutA2ATask(_ context.Context, in api.A2ATask) (api.A2ATask, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, there := s.all[in.TaskID]

	switch {
	case there && in.Version == 0:
		return was, nil
	case there && (was.Version != in.Version || api.A2AEnded(was.State)):
		return api.A2ATask{}, errChanged
	case !there:
		in.CreatedAt = api.At(s.Now())
	}
	in.Version++
	in.StatusAt = api.At(s.Now())
	s.keep(in)

	return in, nil
}

func (s *Tasks) keep(t api.A2ATask) {
	if s.all == nil {
		s.all = map[string]api.A2ATask{}
	}
	t.Turns = slices.Clone(t.Turns)
	s.all[t.TaskID] = t
}

// A2ATask returns a task.
func (s *Tasks) A2ATask(_ context.Context, taskID string) (api.A2ATask, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, there := s.all[taskID]
	if !there {
		return api.A2ATask{}, errs.ErrNotFound
	}
	t.Turns = slices.Clone(t.Turns)

	return t, nil
}

var errCursor = errs.New(errs.Invalid, "invalid_cursor", "The cursor is not one that a list gave.")

// A2ATasks lists tasks, those of the newest status first.
func (s *Tasks) A2ATasks(_ context.Context, q api.A2AQuery) (api.A2ATaskPage, error) {
	since, _ := time.Parse(time.RFC3339Nano, q.Since) // "" is no time, which comes before all
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []api.A2ATask

	for _, t := range s.all {
		fits := (q.ContextID == "" || t.ContextID == q.ContextID) && (q.State == "" || t.State == q.State)
		if fits && !t.StatusAt.Before(since) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b api.A2ATask) int {
		return cmp.Or(b.StatusAt.Compare(a.StatusAt.Time), cmp.Compare(b.TaskID, a.TaskID))
	})
	from, err := strconv.Atoi(cmp.Or(q.Cursor, "0"))
	if err != nil || from < 0 || from > len(found) {
		return api.A2ATaskPage{}, errCursor
	}
	page := api.A2ATaskPage{Items: found[from:min(len(found), from+q.Limit)], Total: len(found)}
	if from+q.Limit < len(found) {
		next := strconv.Itoa(from + q.Limit)
		page.NextCursor = &next
	}

	return page, nil
}

// begins puts a turn into its task, which is made if this is its first.
func (s *Tasks) begins(_ context.Context, o a2a.Order) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, there := s.all[o.Task.TaskID]

	begun := slices.ContainsFunc(t.Turns, func(told api.A2ATurn) bool { return told.PhaseID == o.TurnID })

	switch {
	case !there && o.Task.Turn > 0:
		return errs.ErrNotFound
	case begun:
		return nil
	case !there:
		t = api.A2ATask{TaskID: o.Task.TaskID, ContextID: o.Task.ContextID, CreatedAt: api.At(s.Now())}
	case api.A2AEnded(t.State), len(t.Turns) != o.Task.Turn:
		return errChanged
	}
	t.Turns = append(slices.Clone(t.Turns), api.A2ATurn{
		MessageID: o.Task.MessageID,
		PhaseID:   o.TurnID,
		Print:     o.Task.Print,
		Unread:    o.Task.Unread,
	})
	t.ContainerType, t.ContainerID = o.At.ContainerType, o.At.ContainerID
	t.State, t.StatusAt, t.Version = api.A2AWorking, api.At(s.Now()), t.Version+1
	s.keep(t)

	return nil
}

// stands brings a task up to how its newest turn stands.
func (s *Tasks) stands(_ context.Context, o a2a.Order, turn a2a.Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.all[o.Task.TaskID]
	at := slices.IndexFunc(t.Turns, func(told api.A2ATurn) bool { return told.PhaseID == o.TurnID })
	if at < 0 {
		return
	}
	// Readers may hold the slice of the record that went out before, so it is not written to.
	t.Turns = slices.Clone(t.Turns)
	t.Turns[at].Events = turn.Events
	if at == len(t.Turns)-1 && !api.A2AEnded(t.State) {
		t.State, t.StatusAt = turn.State, api.At(turn.At)
	}
	t.Version++
	s.keep(t)
}
