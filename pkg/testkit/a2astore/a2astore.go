// Package a2astore holds what the records of tasks of the agent-to-agent protocol promise, as a test of whoever keeps
// them: case-svc, and the scripted agent that conformance kits are run against.
package a2astore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Store keeps records of tasks for one owner.
type Store interface {
	PutA2ATask(ctx context.Context, in api.A2ATask) (api.A2ATask, error)
	A2ATask(ctx context.Context, taskID string) (api.A2ATask, error)
	A2ATasks(ctx context.Context, q api.A2AQuery) (api.A2ATaskPage, error)
}

// Keeper is a store with what changes its records beside it.
type Keeper struct {
	Store

	// Begin records the turn of a message that work begins on.
	Begin func(ctx context.Context, phaseID string, turn api.A2ABegin) error
	// End records that the work of a turn left its task waiting for somebody, after events.
	End func(ctx context.Context, phaseID string, events int) error
}

// Test holds a keeper to what is promised. open gives a fresh one.
func Test(t *testing.T, open func(t *testing.T) Keeper) {
	t.Helper()

	for name, test := range map[string]func(*testing.T, keeper){
		"a task that asks":         asks,
		"a task that is worked on": works,
		"a task that has ended":    ended,
		"lists":                    lists,
		"pages":                    pages,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, keeper{open(t)})
		})
	}
}

type keeper struct{ Keeper }

// code is that of an error, "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}

	return errs.From(err).Code
}

// asked saves a task that asks where it belongs.
func (k keeper) asked(t *testing.T, context string) api.A2ATask {
	t.Helper()
	saved, err := k.PutA2ATask(t.Context(), api.A2ATask{
		TaskID: uuid.NewString(), ContextID: context, State: api.A2AInputRequired,
		Turns: []api.A2ATurn{{MessageID: "m-0", Text: "What is due?", Print: "p-0", Key: uuid.NewString()}},
	})
	if err != nil {
		t.Fatal(err)
	}

	return saved
}

// begun records that work begins on the next message of a task, and returns the id of the work.
func (k keeper) begun(t *testing.T, taskID, context string, index int) string {
	t.Helper()
	phaseID := uuid.NewString()
	if index == 0 {
		phaseID = taskID
	}
	if err := k.Begin(t.Context(), phaseID, turn(taskID, context, index)); err != nil {
		t.Fatal(err)
	}

	return phaseID
}

func turn(taskID, context string, index int) api.A2ABegin {
	return api.A2ABegin{
		TaskID: taskID, ContextID: context, MessageID: fmt.Sprintf("m-%d", index), Turn: index, Print: "p",
	}
}

// stands wants a task to be so, with so many messages.
func (k keeper) stands(t *testing.T, taskID, state string, turns int) api.A2ATask {
	t.Helper()
	got, err := k.A2ATask(t.Context(), taskID)
	if err != nil || got.State != state || len(got.Turns) != turns {
		t.Fatalf("the task is %+v, %v; want %s after %d messages", got, err, state, turns)
	}

	return got
}

func asks(t *testing.T, k keeper) {
	ctx := t.Context()
	if _, err := k.A2ATask(ctx, uuid.NewString()); code(err) != "not_found" {
		t.Errorf("a task that there is not: %v", err)
	}
	first := k.asked(t, "c")
	if first.Version != 1 || first.CreatedAt.IsZero() || first.StatusAt.IsZero() {
		t.Errorf("the saved task is %+v", first)
	}
	again := first
	again.Version, again.Turns = 0, []api.A2ATurn{{MessageID: "other", Text: "Other."}}
	if got, err := k.PutA2ATask(ctx, again); err != nil || got.Turns[0] != first.Turns[0] {
		t.Errorf("a new one that is there comes back as %+v, %v", got, err)
	}
	next := first
	next.Turns = append(slices.Clone(first.Turns), api.A2ATurn{MessageID: "m-1", Text: "This."})
	if got, err := k.PutA2ATask(ctx, next); err != nil || got.Version != 2 || len(got.Turns) != 2 {
		t.Errorf("the next version is %+v, %v", got, err)
	}
	if _, err := k.PutA2ATask(ctx, next); code(err) != "task_changed" {
		t.Errorf("a version that is past: %v", err)
	}
	if got := k.stands(t, first.TaskID, api.A2AInputRequired, 2); got.Turns[0] != first.Turns[0] {
		t.Errorf("its first message is %+v", got.Turns[0])
	}
}

func works(t *testing.T, k keeper) {
	ctx := t.Context()
	asked := k.asked(t, "c")
	phaseID := k.begun(t, asked.TaskID, "c", 1)
	if got := k.stands(t, asked.TaskID, api.A2AWorking, 2); got.ContainerID == "" || got.Turns[1].PhaseID != phaseID {
		t.Errorf("it is worked on as %+v", got)
	}
	if err := k.Begin(ctx, phaseID, turn(asked.TaskID, "c", 1)); err != nil {
		t.Errorf("the same work again: %v", err)
	}
	k.stands(t, asked.TaskID, api.A2AWorking, 2)
	if err := k.End(ctx, phaseID, 9); err != nil {
		t.Fatal(err)
	}
	if got := k.stands(t, asked.TaskID, api.A2AInputRequired, 2); got.Turns[1].Events != 9 || got.Turns[0].Events != 0 {
		t.Errorf("the turns have %d and %d events", got.Turns[0].Events, got.Turns[1].Events)
	}
	if err := k.Begin(ctx, uuid.NewString(), turn(asked.TaskID, "c", 1)); code(err) != "task_changed" {
		t.Errorf("other work on the same message: %v", err)
	}
	if err := k.Begin(ctx, uuid.NewString(), turn(uuid.NewString(), "c", 1)); code(err) != "not_found" {
		t.Errorf("an answer to no task: %v", err)
	}
}

func ended(t *testing.T, k keeper) {
	ctx := t.Context()
	task := k.asked(t, "c")
	task.State = api.A2ACanceled
	if _, err := k.PutA2ATask(ctx, task); err != nil {
		t.Fatal(err)
	}
	over := k.stands(t, task.TaskID, api.A2ACanceled, 1)
	if _, err := k.PutA2ATask(ctx, over); code(err) != "task_changed" {
		t.Errorf("it ends again: %v", err)
	}
	if err := k.Begin(ctx, uuid.NewString(), turn(task.TaskID, "c", 1)); code(err) != "task_changed" {
		t.Errorf("it takes an answer: %v", err)
	}
	now := k.stands(t, task.TaskID, api.A2ACanceled, 1)
	if now.Version != over.Version || now.StatusAt != over.StatusAt {
		t.Errorf("it was %+v and is %+v", over, now)
	}
}

// found lists tasks and returns their ids.
func (k keeper) found(t *testing.T, q api.A2AQuery) []string {
	t.Helper()
	q.Limit = 100
	page, err := k.A2ATasks(t.Context(), q)
	if err != nil || page.NextCursor != nil || page.Total != len(page.Items) {
		t.Fatalf("%+v: %+v, %v", q, page, err)
	}

	var all []string
	for _, task := range page.Items {
		all = append(all, task.TaskID)
	}

	return all
}

func lists(t *testing.T, k keeper) {
	if got := k.found(t, api.A2AQuery{}); got != nil {
		t.Errorf("before there are any: %v", got)
	}
	older, newer, third := k.asked(t, "c"), k.asked(t, "c"), k.asked(t, "d")
	k.begun(t, older.TaskID, "c", 1) // which makes its status the newest
	since := k.stands(t, third.TaskID, api.A2AInputRequired, 1).StatusAt.UTC().Format("2006-01-02T15:04:05.000Z07:00")

	for name, tc := range map[string]struct {
		q    api.A2AQuery
		want []string
	}{
		"all":                 {api.A2AQuery{}, []string{older.TaskID, third.TaskID, newer.TaskID}},
		"a context":           {api.A2AQuery{ContextID: "c"}, []string{older.TaskID, newer.TaskID}},
		"a state":             {api.A2AQuery{State: api.A2AInputRequired}, []string{third.TaskID, newer.TaskID}},
		"from a time on":      {api.A2AQuery{Since: since}, []string{older.TaskID, third.TaskID}},
		"a context that none": {api.A2AQuery{ContextID: "x"}, nil},
	} {
		if got := k.found(t, tc.q); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

func pages(t *testing.T, k keeper) {
	var made, got []string
	for range 5 {
		made = append([]string{k.asked(t, "c").TaskID}, made...)
	}
	q := api.A2AQuery{ContextID: "c", Limit: 2}

	for {
		page, err := k.A2ATasks(t.Context(), q)
		if err != nil || page.Total != 5 {
			t.Fatalf("%+v, %v", page, err)
		}

		for _, task := range page.Items {
			got = append(got, task.TaskID)
		}
		if page.NextCursor == nil {
			break
		}
		q.Cursor = *page.NextCursor
	}
	if !slices.Equal(got, made) {
		t.Errorf("the pages have %v, want %v", got, made)
	}
	q.Cursor = "nonsense"
	if _, err := k.A2ATasks(t.Context(), q); code(err) != "invalid_cursor" {
		t.Errorf("a cursor of no list: %v", err)
	}
}
