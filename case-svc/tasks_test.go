package casesvc_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/testkit/a2astore"
)

// turn is a phase of a task.
func turn(c api.Case, taskID string, index int) api.BeginPhase {
	in := beginning(c, api.CaseReq)
	in.A2A = &api.A2ABegin{
		TaskID: taskID, ContextID: "context", MessageID: fmt.Sprintf("m-%d", index), Turn: index,
		Print: digest("message"),
	}
	if index == 0 {
		in.PhaseID = taskID
	}

	return in
}

// stands wants a task to stand so, by itself and in the list.
func (w *world) stands(caller access.Caller, taskID, state string, turns int) api.A2ATask {
	w.t.Helper()
	got, err := w.as(caller).A2ATask(w.t.Context(), taskID)
	if err != nil || got.State != state || len(got.Turns) != turns {
		w.t.Errorf("the task is %+v, %v; want %s after %d messages", got, err, state, turns)
	}
	list, err := w.as(caller).A2ATasks(w.t.Context(), api.A2AQuery{State: state, Limit: 10})
	if err != nil || len(list.Items) != 1 || list.Items[0].TaskID != taskID || list.Total != 1 {
		w.t.Errorf("the list of %s is %+v, %v", state, list, err)
	}

	return got
}

// The records of tasks keep what whoever reads them relies on.
func TestRecordsOfTasks(t *testing.T) {
	t.Parallel()
	a2astore.Test(t, func(t *testing.T) a2astore.Keeper {
		w := start(t, nil)
		robot := agent("o:firm", "ann")
		client, c := w.as(robot), w.newCase(robot, nil)

		return a2astore.Keeper{
			Store: ticking{client, w},
			Begin: func(ctx context.Context, phaseID string, of api.A2ABegin) error {
				w.clock.Advance(time.Millisecond)
				in := beginning(c, api.CaseReq)
				in.PhaseID, in.A2A = phaseID, &of
				_, err := client.BeginPhase(ctx, in)

				return err
			},
			End: func(ctx context.Context, phaseID string, events int) error {
				in := answered(t, 1)
				in.Stream.EndSeq = events
				_, err := client.EndPhase(ctx, phaseID, in)

				return err
			},
		}
	})
}

// ticking lets a millisecond pass before each change, so that no two are of the same time.
type ticking struct {
	services.CaseClient

	w *world
}

// PutA2ATask saves a task a moment later.
func (s ticking) PutA2ATask(ctx context.Context, in api.A2ATask) (api.A2ATask, error) {
	s.w.clock.Advance(time.Millisecond)
	return s.CaseClient.PutA2ATask(ctx, in)
}

func TestATaskStandsAsItsNewestPhase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	client, ctx := w.as(robot), t.Context()
	c, taskID := w.newCase(robot, nil), uuid.NewString()
	first := turn(c, taskID, 0)
	if _, err := client.BeginPhase(ctx, first); err != nil {
		t.Fatal(err)
	}
	w.stands(robot, taskID, api.A2AWorking, 1)
	if _, err := client.BeginPhase(ctx, first); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if _, err := client.EndPhase(ctx, taskID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}
	if got := w.stands(robot, taskID, api.A2AInputRequired, 1); got.Turns[0].Events != 9 {
		t.Errorf("the turn has %d events", got.Turns[0].Events)
	}

	// Of two answers to the same question one becomes the next turn.
	second, other := turn(c, taskID, 1), turn(c, taskID, 1)
	if _, err := client.BeginPhase(ctx, second); err != nil {
		t.Fatal(err)
	}
	if _, err := client.EndPhase(ctx, second.PhaseID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.BeginPhase(ctx, other); code(err) != "task_changed" {
		t.Errorf("a second answer: %v", err)
	}
	w.stands(robot, taskID, api.A2AInputRequired, 2)

	path := "/v1/phases/" + second.PhaseID + "/review"
	review := w.json(user("o:firm", "ann"), http.MethodPost, path, m{"decision": "approved"})
	if review.Status != http.StatusOK {
		t.Fatalf("review: %d", review.Status)
	}
	w.stands(robot, taskID, api.A2ACompleted, 2)
	if _, err := client.BeginPhase(ctx, turn(c, taskID, 2)); code(err) != "task_changed" {
		t.Errorf("a message to an ended task: %v", err)
	}
	w.stands(robot, taskID, api.A2ACompleted, 2)
}

func TestATaskThatIsCancelledStaysSo(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	client, ctx := w.as(robot), t.Context()
	c, taskID := w.newCase(robot, nil), uuid.NewString()
	asked, err := client.PutA2ATask(ctx, api.A2ATask{
		TaskID: taskID, ContextID: "context", State: api.A2AInputRequired,
		Turns: []api.A2ATurn{{MessageID: "m-0", Text: "What about [Party 1]?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.stands(robot, taskID, api.A2AInputRequired, 1)
	asked.State = api.A2ACanceled
	if _, err := client.PutA2ATask(ctx, asked); err != nil {
		t.Fatal(err)
	}
	if _, err := client.BeginPhase(ctx, turn(c, taskID, 1)); code(err) != "task_changed" {
		t.Errorf("an answer to a cancelled task: %v", err)
	}
	if _, err := client.PutA2ATask(ctx, asked); code(err) != "task_changed" {
		t.Errorf("a cancelled task is cancelled again: %v", err)
	}
	w.stands(robot, taskID, api.A2ACanceled, 1)
}

// What cannot begin leaves no task, so that the same message can be sent again.
func TestWhatDoesNotBeginLeavesNoTask(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_LINE": "1"})
	robot := agent("o:firm", "ann")
	client, ctx := w.as(robot), t.Context()
	c := w.newCase(robot, nil)

	begin := func(in api.BeginPhase) error {
		in.Waiter = "w-" + in.PhaseID
		in.Fingerprint = digest(in.PhaseID)
		_, err := client.BeginPhase(ctx, in)

		return err
	}
	for range 2 { // one runs, one waits
		if err := begin(beginning(c, api.CaseReq)); err != nil {
			t.Fatal(err)
		}
	}
	taskID := uuid.NewString()
	if err := begin(turn(c, taskID, 0)); code(err) != "branch_busy" {
		t.Fatalf("a line that is full: %v", err)
	}
	if _, err := client.A2ATask(ctx, taskID); code(err) != "not_found" {
		t.Errorf("a task is left: %v", err)
	}

	// One that asked where it belongs still asks.
	asked, err := client.PutA2ATask(ctx, api.A2ATask{
		TaskID: taskID, ContextID: "context", State: api.A2AInputRequired, Turns: []api.A2ATurn{{MessageID: "m-0", Text: "What?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := begin(turn(c, taskID, 1)); code(err) != "branch_busy" {
		t.Fatalf("its answer: %v", err)
	}
	left := w.stands(robot, taskID, api.A2AInputRequired, 1)
	if left.ContainerID != "" || left.Turns[0] != asked.Turns[0] {
		t.Errorf("it stands as %+v", left)
	}
	if err := begin(turn(c, uuid.NewString(), 1)); code(err) != "not_found" {
		t.Errorf("an answer to no task: %v", err)
	}
}

func TestATaskIsItsOwners(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	c, taskID := w.newCase(robot, nil), uuid.NewString()
	if _, err := w.as(robot).BeginPhase(t.Context(), turn(c, taskID, 0)); err != nil {
		t.Fatal(err)
	}

	for who, other := range map[string]access.Caller{
		"a colleague": agent("o:firm", "ben"), "another firm": agent("o:other", "ann"),
	} {
		client := w.as(other)

		for what, ask := range map[string]func(context.Context) error{
			"get": func(ctx context.Context) error { _, err := client.A2ATask(ctx, taskID); return err },
			"put": func(ctx context.Context) error {
				_, err := client.PutA2ATask(ctx, api.A2ATask{
					TaskID: taskID, ContextID: "x", State: api.A2ACanceled, Version: 1, Turns: []api.A2ATurn{{MessageID: "m"}},
				})

				return err
			},
		} {
			if err := ask(t.Context()); code(err) != "not_found" {
				t.Errorf("%s: %s: %v", who, what, err)
			}
		}
		list, err := client.A2ATasks(t.Context(), api.A2AQuery{Limit: 10})
		if err != nil || len(list.Items) != 0 {
			t.Errorf("%s lists %+v, %v", who, list, err)
		}
	}
}
