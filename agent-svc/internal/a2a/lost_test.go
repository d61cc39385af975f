package a2a_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// unsteady works as another worker does, but that the work on messages that say "dies" is never there, and messages
// that name no case have to.
type unsteady struct {
	a2a.Worker

	mu    sync.Mutex
	gone  map[string]bool // turns of which nothing is there
	twice bool            // a message that is sent again does not die again
}

// failure is how work fails.
type failure struct {
	twice bool // as in unsteady
	told  bool // the records of tasks say that they have failed
}

// Destination asks for a case unless the words name one.
func (w *unsteady) Place(
	ctx context.Context, m a2a.Message, more map[string]any, t api.A2ATask,
) (a2a.Destination, bool, error) {
	if text := *m.Parts[0].Text; strings.Contains(text, "where") {
		return a2a.Destination{}, true, nil
	}

	return w.Worker.Place(ctx, m, more, t)
}

// errRefused refuses a field by the name that it has behind the endpoint.
var errRefused = errs.New(errs.Invalid, "validation_failed", "Fix the fields.").
	WithDetails(errs.Detail{Path: "prompt", Message: "must be text"})

// Begin begins a turn that has its record and nothing else.
func (w *unsteady) Begin(ctx context.Context, o *a2a.Order) (a2a.Turn, error) {
	turn, err := w.Worker.Begin(ctx, o)
	w.mu.Lock()
	defer w.mu.Unlock()

	switch {
	case strings.Contains(o.Text, "refused"):
		return a2a.Turn{}, errRefused
	case strings.Contains(o.Text, "forbidden"):
		return a2a.Turn{}, access.ErrScope
	}
	if !strings.Contains(o.Text, "dies") {
		return turn, err
	}
	if w.gone[o.TurnID] && w.twice {
		delete(w.gone, o.TurnID)
		return turn, err
	}
	w.gone[o.TurnID] = true

	return a2a.Turn{}, errs.ErrUnavailable
}

func (w *unsteady) lost(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone[id] {
		return errs.ErrNotFound
	}

	return nil
}

// Look finds no turn that is gone.
func (w *unsteady) Look(ctx context.Context, id string) (a2a.Turn, error) {
	if err := w.lost(id); err != nil {
		return a2a.Turn{}, err
	}

	return w.Worker.Look(ctx, id)
}

// Follow finds no turn that is gone.
func (w *unsteady) Follow(ctx context.Context, id string, after int, each func(a2a.Event)) (bool, error) {
	if err := w.lost(id); err != nil {
		return false, err
	}

	return w.Worker.Follow(ctx, id, after, each)
}

// Cancel finds no turn that is gone.
func (w *unsteady) Cancel(ctx context.Context, id string) error {
	if err := w.lost(id); err != nil {
		return err
	}

	return w.Worker.Cancel(ctx, id)
}

// failing are the records of tasks after somebody has told them that their work is gone.
type failing struct {
	a2a.Tasks

	worker *unsteady
}

// A2ATask returns a task that has failed where its work is gone.
func (s failing) A2ATask(ctx context.Context, id string) (api.A2ATask, error) {
	t, err := s.Tasks.A2ATask(ctx, id)
	if err == nil && s.worker.lost(t.Turns[len(t.Turns)-1].PhaseID) != nil {
		t.State = api.A2AFailed
	}

	return t, err
}

// unsteadily has an endpoint work so.
func unsteadily(how failure) func(*a2a.Endpoint) {
	return func(e *a2a.Endpoint) {
		w := &unsteady{Worker: e.Service.Work, gone: map[string]bool{}, twice: how.twice}
		e.Service.Work = w
		if how.told {
			e.Service.Tasks = failing{e.Service.Tasks, w}
		}
	}
}

// onlyTask returns the id of the only task that there is.
func (b *bench) onlyTask(call caller) string {
	b.Helper()
	page := call("ListTasks", object{}, nil)
	tasks, _ := page.body["tasks"].([]any)
	if len(tasks) != 1 {
		b.Fatalf("there are %v", page.body)
	}
	id, _ := dig(tasks[0], "id").(string)

	return id
}

// A task whose record says that its work is gone has failed, however one asks: by itself, by its stream, and by sending
// its message again.
func TestATaskWhoseWorkIsGone(t *testing.T) {
	t.Parallel()
	streamsOf(t, script, func(b *bench, open open, call caller) {
		asks := call("SendMessage", message("which", nil), nil)
		id, _ := dig(asks.body, "task", "id").(string)
		key := http.Header{"Idempotency-Key": {"the answer"}}
		answer := message("it never dies", object{"taskId": id})
		if got := call("SendMessage", answer, key); !got.failed {
			b.Fatalf("it did not die: %v", got.body)
		}

		if got := call("GetTask", object{"id": id}, nil); stateOf(got.body) != "TASK_STATE_FAILED" {
			b.Errorf("the task is %v", got.body)
		}

		for _, place := range []string{"0", "1", "2"} {
			resp := open("SubscribeToTask", object{"id": id}, http.Header{"Last-Event-ID": {place}})
			got := b.listen(resp, nil)
			if len(got) == 0 || stateOf(got[len(got)-1].data) != "TASK_STATE_FAILED" || got[len(got)-1].id != "" {
				b.Errorf("after %s: %v", place, got)
			}
		}
		if got := call("SubscribeToTask", object{"id": id}, nil); got.reason() != "UNSUPPORTED_OPERATION" {
			b.Errorf("a subscriber without a place: %v", got.body)
		}
	}, unsteadily(failure{told: true}))
}

// A task that was told that its work is gone has failed for whoever sends its message again, too.
func TestAMessageOfAFailedTaskIsSentAgain(t *testing.T) {
	t.Parallel()
	streamsOf(t, script, func(b *bench, open open, call caller) {
		key, sent := http.Header{"Idempotency-Key": {"once"}}, message("it never dies", nil)
		if got := call("SendMessage", sent, key); !got.failed {
			b.Fatalf("it did not die: %v", got.body)
		}
		id := b.onlyTask(call)
		if got := call("SendMessage", sent, key); stateOf(got.body) != "TASK_STATE_FAILED" {
			b.Errorf("sent again it is %v", got.body)
		}

		for what, resp := range map[string]*http.Response{
			"the message again": open("SendStreamingMessage", sent, key),
			"its stream":        open("SubscribeToTask", object{"id": id}, http.Header{"Last-Event-ID": {"0"}}),
		} {
			got := b.listen(resp, nil)
			if len(got) != 1 || stateOf(got[0].data) != "TASK_STATE_FAILED" {
				b.Errorf("%s: %v", what, got)
			}
		}
	}, unsteadily(failure{told: true}))
}

// A turn that was recorded and never began, since a process died in between, begins when its message is sent again.
func TestAMessageThatNeverBeganBeginsAgain(t *testing.T) {
	t.Parallel()
	streamsOf(t, script, func(b *bench, open open, call caller) {
		key := http.Header{"Idempotency-Key": {"once"}}
		first := message("this dies", nil)
		if got := call("SendMessage", first, key); !got.failed {
			b.Fatalf("it did not die: %v", got.body)
		}
		id := b.onlyTask(call)
		if other := call("SendMessage", message("that dies", nil), key); other.reason() != "INVALID_PARAMS" {
			b.Errorf("another message under the key: %v", other.body)
		}
		again := b.listen(open("SendStreamingMessage", first, key), nil)
		if taskOfEvents(again) != id || stateOf(again[len(again)-1].data) != "TASK_STATE_COMPLETED" {
			b.Errorf("sent again it is %v", again)
		}

		asks := call("SendMessage", message("which", nil), nil)
		task := dig(asks.body, "task", "id")
		answer := message("both dies", object{"taskId": task})
		if got := call("SendMessage", answer, key); !got.failed {
			b.Fatalf("the answer did not die: %v", got.body)
		}
		if got := call("SendMessage", answer, key); stateOf(got.body) != "TASK_STATE_COMPLETED" {
			b.Errorf("the answer sent again: %v", got.body)
		}
	}, unsteadily(failure{twice: true}))
}

// A task that its message may still begin again has ended for nobody: whoever reads it is told that it is under way,
// and goes on with it.
func TestATaskThatMayBeginAgainHasNotEnded(t *testing.T) {
	t.Parallel()
	streamsOf(t, script, func(b *bench, open open, call caller) {
		key, sent := http.Header{"Idempotency-Key": {"once"}}, message("it never dies", nil)
		sent["configuration"] = object{"returnImmediately": true}
		if got := call("SendMessage", sent, key); !got.failed {
			b.Fatalf("it did not die: %v", got.body)
		}
		id := b.onlyTask(call)
		if got := call("GetTask", object{"id": id}, nil); stateOf(got.body) != "TASK_STATE_WORKING" {
			b.Errorf("before it begins again it is %v", got.body)
		}
		if got := call("CancelTask", object{"id": id}, nil); got.reason() != "TASK_NOT_CANCELABLE" {
			b.Errorf("cancelled before it begins again: %v", got.body)
		}
		reader := open("SubscribeToTask", object{"id": id}, nil)
		if got := call("SendMessage", sent, key); stateOf(got.body) != "TASK_STATE_WORKING" {
			b.Errorf("sent again it is %v", got.body)
		}
		all := b.listen(reader, func(e event) bool { return e.id == "1" })
		if n := len(all); n != 2 || stateOf(all[1].data) != "TASK_STATE_WORKING" {
			b.Errorf("who read before it began again got %v", texts(all))
		}
	}, unsteadily(failure{twice: true}))
}

// A message that names no case is one message however often it comes under its key, and another one without a key.
func TestAMessageThatNamesNoCaseHasItsKey(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		asks := call("SendMessage", message("where to?", nil), nil)
		id := dig(asks.body, "task", "id")
		answer := message("where else?", object{"taskId": id})
		said := func(key string) int {
			header := http.Header{}
			if key != "" {
				header.Set("Idempotency-Key", key)
			}
			got := call("SendMessage", answer, header)
			history, _ := dig(got.body, "task", "history").([]any)
			if stateOf(got.body) != "TASK_STATE_INPUT_REQUIRED" {
				b.Errorf("the answer is %v", got.body)
			}
			n := 0

			for _, m := range history {
				if dig(m, "role") == "ROLE_USER" {
					n++
				}
			}

			return n
		}
		if first, second := said("k"), said("k"); first != 2 || second != 2 {
			b.Errorf("the history has %d messages and then %d", first, second)
		}
		header := http.Header{"Idempotency-Key": {"k"}}
		other := message("where, now?", object{"taskId": id})
		if got := call("SendMessage", other, header); got.reason() != "INVALID_PARAMS" {
			b.Errorf("another message under the key: %v", got.body)
		}
		if third := said(""); third != 3 {
			b.Errorf("without a key the history has %d messages", third)
		}

		// Of many copies at once each is answered, and one is kept.
		many := message("where after all?", object{"taskId": id})
		var under sync.WaitGroup

		for range 16 {
			under.Go(func() {
				got := call("SendMessage", many, http.Header{"Idempotency-Key": {"many"}})
				if got.failed {
					b.Errorf("a copy is refused: %v", got.body)
				}
			})
		}
		under.Wait()
		if fifth := said(""); fifth != 5 {
			b.Errorf("after many copies the history has %d messages, want 5", fifth)
		}
	}, unsteadily(failure{twice: true}))
}

// The history has every message as it was sent, also the one that only named the case, and what it answered.
func TestTheHistoryOfATaskThatAskedWhere(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		history := func(answer string) string {
			b.Helper()
			id := dig(call("SendMessage", message("How long, and where?", nil), nil).body, "task", "id")
			call("SendMessage", message("No idea where.", object{"taskId": id}), nil)
			got := call("SendMessage", message(answer, object{"taskId": id}), nil)
			if stateOf(got.body) != "TASK_STATE_COMPLETED" {
				b.Errorf("%s: %v", answer, got.body)
			}
			said, _ := dig(got.body, "task", "history").([]any)
			var texts []string

			for _, m := range said {
				parts, _ := dig(m, "parts").([]any)
				text, _ := dig(parts[0], "text").(string)
				texts = append(texts, strings.TrimSuffix(text, " Answer with the id of the case, or name it in the metadata of the message."))
			}

			return strings.Join(texts, "|")
		}
		const asked = "How long, and where?|Which case is this about?|No idea where.|Which case is this about?|"

		for _, answer := range []string{"script", "In the newest one, please."} { // script is where the script works
			if got := history(answer); got != asked+answer {
				b.Errorf("the history is %s", got)
			}
		}
	}, unsteadily(failure{}))
}

// Of equal answers at once without a key one is the next message. The others are told that another one came first, or
// that the task works or has ended by now.
func TestEqualAnswersAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		id := dig(call("SendMessage", message("which", nil), nil).body, "task", "id")
		answer := message("both", object{"taskId": id})
		var under sync.WaitGroup
		var answered, refused atomic.Int64

		for range 6 {
			under.Go(func() {
				switch got := call("SendMessage", answer, nil); {
				case stateOf(got.body) == "TASK_STATE_COMPLETED":
					answered.Add(1)
				case got.reason() == "UNSUPPORTED_OPERATION":
					refused.Add(1)
				default:
					b.Errorf("an answer got %v", got.body)
				}
			})
		}
		under.Wait()
		if answered.Load() != 1 || refused.Load() != 5 {
			b.Errorf("%d answers were taken and %d refused, want 1 and 5", answered.Load(), refused.Load())
		}
		task := call("GetTask", object{"id": id}, nil)
		if history, _ := dig(task.body, "history").([]any); len(history) != 3 {
			b.Errorf("the history is %v", history)
		}
	})
}

// old are the records of a case-svc that knows no keys of messages.
type old struct{ a2a.Tasks }

// PutA2ATask refuses members that it does not know.
func (s old) PutA2ATask(ctx context.Context, in api.A2ATask) (api.A2ATask, error) {
	for _, turn := range in.Turns {
		if turn.Key != "" {
			return api.A2ATask{}, errs.New(errs.Invalid, "unknown_field", "There is no field turns.key.")
		}
	}

	return s.Tasks.PutA2ATask(ctx, in)
}

// A message with a key is taken while case-svc is still of the version before, which keeps none.
func TestAKeyBesideAnOldStore(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		id := dig(call("SendMessage", message("where to?", nil), nil).body, "task", "id")
		key, answer := http.Header{"Idempotency-Key": {"k"}}, message("where else?", object{"taskId": id})
		if got := call("SendMessage", answer, key); stateOf(got.body) != "TASK_STATE_INPUT_REQUIRED" {
			b.Errorf("the answer is %v", got.body)
		}
	}, unsteadily(failure{}), func(e *a2a.Endpoint) { e.Service.Tasks = old{e.Service.Tasks} })
}

// slow stores the work on messages that say "slow" a moment after their records.
type slow struct {
	a2a.Worker

	mu      sync.Mutex
	missing map[string]int // how many more looks do not find a turn
}

// Begin begins a turn that cannot be found at first.
func (w *slow) Begin(ctx context.Context, o *a2a.Order) (a2a.Turn, error) {
	if strings.Contains(o.Text, "slow") {
		w.mu.Lock()
		w.missing[o.TurnID] = 2
		w.mu.Unlock()
	}

	return w.Worker.Begin(ctx, o)
}

func (w *slow) absent(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.missing[id]--

	return w.missing[id] >= 0
}

// Look finds a turn once its work is stored.
func (w *slow) Look(ctx context.Context, id string) (a2a.Turn, error) {
	if w.absent(id) {
		return a2a.Turn{}, errs.ErrNotFound
	}

	return w.Worker.Look(ctx, id)
}

// Follow finds a turn once its work is stored.
func (w *slow) Follow(ctx context.Context, id string, after int, each func(a2a.Event)) (bool, error) {
	if w.absent(id) {
		return false, errs.ErrNotFound
	}

	return w.Worker.Follow(ctx, id, after, each)
}

// A turn that has its record and not yet its work is under way, for whoever asks in that moment.
func TestWorkThatIsAboutToBeStored(t *testing.T) {
	t.Parallel()
	const table = `{"rules": [
	  {"text": "slow", "answer": true, "steps": [{"after": "900ms", "state": "TASK_STATE_COMPLETED"}]},
	  {"steps": [{"say": "Looking"}, {"state": "TASK_STATE_INPUT_REQUIRED", "say": "Which?"}]}]}`
	streamsOf(t, table, func(b *bench, open open, call caller) {
		asks := call("SendMessage", message("Which?", nil), nil)
		id := dig(asks.body, "task", "id")
		resp := open("SubscribeToTask", object{"id": id}, nil)
		answer := message("both, slow", object{"taskId": id})
		answer["configuration"] = object{"returnImmediately": true}
		if got := call("SendMessage", answer, nil); got.failed || stateOf(got.body) == "TASK_STATE_FAILED" {
			b.Errorf("the answer is %v", got.body)
		}
		got := b.listen(resp, nil)
		if n := len(got); n != 2 || stateOf(got[n-1].data) != "TASK_STATE_COMPLETED" || got[n-1].id != "3" {
			b.Errorf("the subscriber got %v", texts(got))
		}
	}, func(e *a2a.Endpoint) {
		e.Service.Work = &slow{Worker: e.Service.Work, missing: map[string]int{}}
	})
}

// A message whose sender does not wait takes no place of those for calls that stay open.
func TestWhoDoesNotWaitTakesNoPlace(t *testing.T) {
	t.Parallel()
	full := func(e *a2a.Endpoint) {
		e.Enter = func(context.Context) (func(), error) {
			return nil, errs.New(errs.TooMany, "too_many_streams", "Too many streams are open. Close one.")
		}
	}
	both(t, func(b *bench, call caller) {
		if got := call("SendMessage", message("How long?", nil), nil); got.reason() != "RESOURCE_EXHAUSTED" {
			b.Errorf("where all places are taken: %v", got.body)
		}
		at := message("How long?", nil)
		at["configuration"] = object{"returnImmediately": true}
		if got := call("SendMessage", at, nil); got.failed {
			b.Errorf("a message that is not waited for: %v", got.body)
		}
	}, full)
}

// Whoever may not have the agent work is told that, and what is missing, and gets no task (section 3.3.2).
func TestWhoMayNotAsk(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		got := call("SendMessage", message("forbidden", nil), nil)
		told, _ := got.body["message"].(string)
		if got.reason() != "PERMISSION_DENIED" || !strings.Contains(told, "scope") {
			b.Errorf("it is told %v", got.body)
		}
	}, unsteadily(failure{}))
}

// A message that is too long is refused by the name of what was sent, with a place to work on it and without, and so
// are messages that are too long together.
func TestAMessageThatIsTooLong(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		refused := func(what string, got reply) {
			b.Helper()
			told, _ := got.body["message"].(string)
			if got.reason() != "INVALID_PARAMS" || !strings.Contains(told, "32,000 characters") ||
				strings.Contains(told, "turns") {
				b.Errorf("%s: %v", what, got.body)
			}
		}
		long, half := strings.Repeat("a ", api.MaxPrompt/2)+"b", strings.Repeat("a ", api.MaxPrompt/4)

		named := call("SendMessage", message("refused", nil), nil)
		if !strings.Contains(encoded(named.body), "message.parts: must be text") {
			b.Errorf("a field by another name: %v", named.body)
		}
		refused("a task", call("SendMessage", message(long, nil), nil))
		refused("a question", call("SendMessage", message("where "+long, nil), nil))
		id := dig(call("SendMessage", message("where "+half, nil), nil).body, "task", "id")
		refused("an answer", call("SendMessage", message("b "+half, object{"taskId": id}), nil))
		if got := call("SendMessage", message("script", object{"taskId": id}), nil); got.failed {
			b.Errorf("an answer that is short enough: %v", got.body)
		}
	}, unsteadily(failure{}))
}
