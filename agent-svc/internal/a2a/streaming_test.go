package a2a_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// open sends a request for a stream.
type open = func(operation string, params object, header http.Header) *http.Response

// streams runs a test in either binding: open sends a request for a stream, call an ordinary one.
func streams(t *testing.T, test func(b *bench, open open, call caller)) {
	t.Helper()
	streamsOf(t, script, test)
}

// streamsOf is streams over another script.
func streamsOf(
	t *testing.T,
	script string,
	test func(b *bench, open open, call caller),
	changes ...func(*a2a.Endpoint),
) {
	t.Helper()
	t.Run("JSONRPC", func(t *testing.T) {
		t.Parallel()
		b := play(t, script, changes...)
		test(b, func(operation string, params object, header http.Header) *http.Response {
			body := encoded(object{"jsonrpc": "2.0", "id": "s", "method": operation, "params": params})
			return b.do(http.MethodPost, "/a2a/rpc", header, body)
		}, func(operation string, params object, header http.Header) reply {
			return b.rpc(operation, params, header)
		})
	})
	t.Run("HTTP+JSON", func(t *testing.T) {
		t.Parallel()
		b := play(t, script, changes...)
		test(b, func(operation string, params object, header http.Header) *http.Response {
			if operation == "SubscribeToTask" {
				id, _ := params["id"].(string)
				return b.do(http.MethodGet, "/a2a/rest/tasks/"+id+":subscribe", header, "")
			}

			return b.do(http.MethodPost, "/a2a/rest/message:stream", header, encoded(params))
		}, b.restCall)
	})
}

// A stream begins with the task and ends with its end; its events are numbered without a gap.
func TestAStreamBeginsAndEnds(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, _ caller) {
		got := b.listen(open("SendStreamingMessage", message("How long?", nil), nil), nil)
		if len(got) != 5 {
			b.Fatalf("%d events: %v", len(got), got)
		}

		for i, e := range got {
			if e.id != strconv.Itoa(i) {
				b.Errorf("event %d has the id %q", i, e.id)
			}
			if len(e.data) != 1 {
				b.Errorf("event %d holds %v", i, e.data)
			}
		}
		if got[0].data["task"] == nil || stateOf(got[0].data) != "TASK_STATE_WORKING" {
			b.Errorf("the first event is %v", got[0].data)
		}
		if dig(got[3].data, "artifactUpdate", "append") != true ||
			dig(got[3].data, "artifactUpdate", "lastChunk") != true {
			b.Errorf("the last piece is %v", got[3].data)
		}
		if last := got[4].data; stateOf(last) != "TASK_STATE_COMPLETED" ||
			dig(last, "statusUpdate", "taskId") != dig(got[0].data, "task", "id") {
			b.Errorf("the last event is %v", last)
		}
	})
}

// All readers of a task get the same events in the same order, and one that leaves changes nothing for the others.
func TestReadersGetTheSameEvents(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, call caller) {
		params := message("never", nil)
		first := open("SendStreamingMessage", params, nil)
		begun := b.listen(first, func(e event) bool { return e.id == "1" })
		id, _ := dig(begun[0].data, "task", "id").(string)
		leaves := open("SubscribeToTask", object{"id": id}, nil)
		_ = b.listen(leaves, func(event) bool { return true })
		_ = leaves.Body.Close()

		var under sync.WaitGroup

		seen := make([][]event, 8)
		for i := range seen {
			resp := open("SubscribeToTask", object{"id": id}, nil)
			under.Go(func() { seen[i] = b.listen(resp, nil) })
		}
		if got := call("CancelTask", object{"id": id}, nil); stateOf(got.body) != "TASK_STATE_CANCELED" {
			b.Errorf("cancel: %v", got.body)
		}
		under.Wait()

		for i, events := range seen {
			if len(events) != 3 || encoded(texts(events)) != encoded(texts(seen[0])) ||
				stateOf(events[2].data) != "TASK_STATE_CANCELED" {
				b.Errorf("reader %d got %v", i, events)
			}
		}
	})
}

func texts(events []event) (all []string) {
	for _, e := range events {
		all = append(all, e.id+" "+encoded(e.data))
	}

	return all
}

// A reader that names the last event it has gets what follows, and nothing twice, also after the task has ended.
func TestAStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, _ caller) {
		whole := b.listen(open("SendStreamingMessage", message("How long?", nil), nil), nil)
		id, _ := dig(whole[0].data, "task", "id").(string)

		for place := range whole {
			header := http.Header{"Last-Event-ID": {strconv.Itoa(place)}}
			rest := b.listen(open("SubscribeToTask", object{"id": id}, header), nil)
			if encoded(texts(rest)) != encoded(texts(whole[place+1:])) {
				b.Errorf("after %d: %v", place, texts(rest))
			}
		}

		// A task of two turns numbers the events of both.
		asks := b.listen(open("SendStreamingMessage", message("which", nil), nil), nil)
		task, _ := dig(asks[0].data, "task").(object)
		answered := b.listen(open("SendStreamingMessage", message("both", object{"taskId": task["id"]}), nil), nil)
		first, second := asks[len(asks)-1], answered[1]
		if n, _ := strconv.Atoi(first.id); second.id != strconv.Itoa(n+1) {
			b.Errorf("the second turn goes on with %q after %q", second.id, first.id)
		}
		one := http.Header{"Last-Event-ID": {"1"}}
		all := b.listen(open("SubscribeToTask", object{"id": task["id"]}, one), nil)
		if want := append(asks[2:], answered[1:]...); encoded(texts(all)) != encoded(texts(want)) {
			b.Errorf("over both turns: %v\nwant %v", texts(all), texts(want))
		}
	})
}

// A subscriber to a task that asks sees it go on.
func TestASubscriberWaitsWithTheTask(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, call caller) {
		asks := call("SendMessage", message("which", nil), nil)
		id := dig(asks.body, "task", "id")
		resp := open("SubscribeToTask", object{"id": id}, nil)
		var got []event
		var under sync.WaitGroup
		began := make(chan struct{})
		under.Go(func() {
			got = b.listen(resp, func(e event) bool {
				if e.data["task"] != nil {
					close(began)
				}

				return stateOf(e.data) == "TASK_STATE_COMPLETED"
			})
		})
		<-began
		_ = call("SendMessage", message("both", object{"taskId": id}), nil)
		under.Wait()

		var numbers []string
		for _, e := range got {
			numbers = append(numbers, e.id)
		}
		if !slices.Equal(numbers, []string{"2", "3", "4"}) || stateOf(got[0].data) != "TASK_STATE_INPUT_REQUIRED" ||
			stateOf(got[2].data) != "TASK_STATE_COMPLETED" {
			b.Errorf("the subscriber got %v", got)
		}
	})
}

// A subscriber stays with a task from before it asks until it ends, also one that takes its stream up again while the
// task asks: the subscription of a task ends with the task (specification 1.0.1, section 3.1.6).
func TestASubscriptionEndsWithItsTask(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, call caller) {
		for name, header := range map[string]http.Header{
			"from the beginning": {"Last-Event-ID": {"0"}}, "from the middle": {"Last-Event-ID": {"1"}},
			"with all events": {"Last-Event-ID": {"2"}}, "without a place": nil,
		} {
			asks := call("SendMessage", message("which", nil), nil)
			id := dig(asks.body, "task", "id")
			if resp := open("SendStreamingMessage", message("which", object{"taskId": id}), nil); resp != nil {
				_ = b.listen(resp, nil) // the message asks again, and its own stream ends with that
			}
			resp := open("SubscribeToTask", object{"id": id}, header)
			var got []event
			var under sync.WaitGroup

			under.Go(func() { got = b.listen(resp, nil) })
			if over := call("SendMessage", message("both", object{"taskId": id}), nil); over.failed {
				b.Fatalf("%s: the answer is %v", name, over.body)
			}
			under.Wait()

			if len(got) == 0 || stateOf(got[len(got)-1].data) != "TASK_STATE_COMPLETED" || got[len(got)-1].id != "6" {
				b.Errorf("%s: the subscriber got %v", name, texts(got))
			}
		}
	})
}

// A subscriber that came while the task was at work stays when it asks.
func TestASubscriberStaysWhenTheTaskAsks(t *testing.T) {
	t.Parallel()
	const slow = `{"rules": [
	  {"text": "both", "answer": true, "steps": [{"state": "TASK_STATE_COMPLETED"}]},
	  {"steps": [{"say": "Looking"}, {"after": "100ms", "state": "TASK_STATE_INPUT_REQUIRED", "say": "Which?"}]}]}`
	streamsOf(t, slow, func(b *bench, open open, call caller) {
		got := followedUntilAnswered(b, open, call)
		// On a busy machine a subscriber can come after the question, which is not what this is about.
		for tries := 1; tries < 10 && len(got) > 0 && asksBack(got[0]); tries++ {
			got = followedUntilAnswered(b, open, call)
		}

		if n := len(got); n != 4 || stateOf(got[n-1].data) != "TASK_STATE_COMPLETED" || got[n-1].id != "3" {
			b.Errorf("the subscriber got %v", texts(got))
		}
	})
}

func asksBack(e event) bool { return stateOf(e.data) == "TASK_STATE_INPUT_REQUIRED" }

// followedUntilAnswered begins a task, answers what it asks and returns what a subscriber was told meanwhile.
func followedUntilAnswered(b *bench, open open, call caller) (got []event) {
	at := message("How long?", nil)
	at["configuration"] = object{"returnImmediately": true}
	id := dig(call("SendMessage", at, nil).body, "task", "id")
	asked := make(chan struct{})
	resp := open("SubscribeToTask", object{"id": id}, nil)
	var under sync.WaitGroup

	under.Go(func() {
		got = b.listen(resp, func(e event) bool {
			if asksBack(e) {
				close(asked)
			}

			return false
		})
	})
	<-asked
	_ = call("SendMessage", message("both", object{"taskId": id}), nil)
	under.Wait()

	return got
}

// What fails before the first event is an ordinary answer, not a stream.
func TestNoStreamBeforeItIsSure(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, _ caller) {
		for name, params := range map[string]object{
			"no message": {}, "no parts": {"message": object{"messageId": "m", "role": "ROLE_USER"}},
		} {
			resp := open("SendStreamingMessage", params, nil)
			if media := resp.Header.Get("Content-Type"); media != "application/json" {
				b.Errorf("%s: the answer is %s", name, media)
			}
		}
	})
}

// Many copies of one message under one key are one task.
func TestManyCopiesAreOneTask(t *testing.T) {
	t.Parallel()
	b := start(t)
	params, key := message("x", nil), http.Header{"Idempotency-Key": {"many"}}
	ids := make([]any, 64)
	var under sync.WaitGroup

	for i := range ids {
		under.Go(func() { ids[i] = dig(b.rpc("SendMessage", params, key).body, "task", "id") })
	}
	under.Wait()

	for _, id := range ids {
		if id == nil || id != ids[0] {
			t.Fatalf("the tasks are %v", ids)
		}
	}
	page := b.rpc("ListTasks", object{}, nil)
	if page.body["totalSize"] != 1.0 {
		t.Errorf("there are %v", page.body)
	}
}

func TestMain(m *testing.M) { testkit.Main(m) }
