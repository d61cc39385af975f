package a2a_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a/scripted"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// script has one message for each thing that a task can do.
const script = `{"rules": [
  {"text": "both", "answer": true, "steps": [
    {"artifact": {"artifactId": "answer", "parts": [{"text": "Both."}]}, "lastChunk": true},
    {"state": "TASK_STATE_COMPLETED"}]},
  {"text": "which", "steps": [{"say": "Looking"}, {"state": "TASK_STATE_INPUT_REQUIRED", "say": "Which of the two?"}]},
  {"text": "never", "steps": [{"say": "Working"}, {"after": "1h", "state": "TASK_STATE_COMPLETED"}]},
  {"text": "fail", "steps": [{"say": "Working"}, {"state": "TASK_STATE_FAILED", "say": "It cannot be done."}]},
  {"text": "reject", "steps": [{"state": "TASK_STATE_REJECTED", "say": "Not here."}]},
  {"steps": [
    {"say": "Reading"},
    {"artifact": {"artifactId": "answer", "parts": [{"text": "Thirty "}]}},
    {"artifact": {"artifactId": "answer", "parts": [{"text": "days."}]}, "append": true, "lastChunk": true},
    {"state": "TASK_STATE_COMPLETED"}]}
]}`

// serviceAddress is the public address of the service that the tests run.
const serviceAddress = "https://subrosa.example"

// bench is an endpoint over a script, in both bindings.
type bench struct {
	*testing.T

	base   string
	client *http.Client
	worker *scripted.Worker
	tasks  *scripted.Tasks
	calls  chan a2a.Call // as the endpoint reported them
}

func start(t *testing.T) *bench {
	t.Helper()
	return play(t, script)
}

// play is an endpoint over another script. Each change alters the endpoint before it serves.
func play(t *testing.T, script string, changes ...func(*a2a.Endpoint)) *bench {
	t.Helper()
	rules, err := scripted.Read(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	now := ticking()
	tasks := &scripted.Tasks{Now: now}
	worker := &scripted.Worker{Script: rules, Tasks: tasks, Now: now}
	t.Cleanup(worker.Close)
	seen := make(chan a2a.Call, 1000)
	e := &a2a.Endpoint{
		Service: &a2a.Service{
			Work: worker, Tasks: tasks, Base: serviceAddress, Beat: time.Second, Wait: testkit.Patience,
			Look: 10 * time.Millisecond, Stops: func() bool { return false }, Now: now,
		},
		Owner:    func(context.Context) string { return "o:firm|ann" },
		Enter:    func(context.Context) (func(), error) { return func() {}, nil },
		Patience: testkit.Patience, Log: slog.New(slog.DiscardHandler),
		Observe: func(_ context.Context, c a2a.Call) { seen <- c },
	}

	for _, change := range changes {
		change(e)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/a2a/rpc", e.ServeRPC)
	mux.Handle("/a2a/rest/", http.StripPrefix("/a2a/rest", http.HandlerFunc(e.ServeREST)))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	return &bench{T: t, base: server.URL, client: server.Client(), worker: worker, tasks: tasks, calls: seen}
}

// ticking is a clock that tells another millisecond each time, so that no two changes of tasks have the same.
func ticking() func() time.Time {
	began, ticks := time.Now(), new(atomic.Int64)
	return func() time.Time { return began.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

type object = map[string]any

// reply is an answer, whichever the binding.
type reply struct {
	status int
	header http.Header
	body   object // the result, or the error
	failed bool
	rest   bool // of the HTTP+JSON binding
}

// failure is what the answer refuses with: the JSON-RPC code or the HTTP status, and the reason.
func (r reply) reason() string {
	list, _ := r.body["data"].([]any)
	if list == nil {
		list, _ = r.body["details"].([]any)
	}
	if len(list) == 0 {
		return ""
	}
	info, _ := list[0].(object)
	reason, _ := info["reason"].(string)

	return reason
}

func (b *bench) do(method, path string, header http.Header, body string) *http.Response {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), testkit.Patience)
	b.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}

	for name, values := range header {
		req.Header.Del(name)
		if values[0] != "" {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = resp.Body.Close() })

	return resp
}

func read(t testing.TB, resp *http.Response) object {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}

	return out
}

// rpc calls a method of the JSON-RPC binding.
func (b *bench) rpc(method string, params any, header http.Header) reply {
	b.Helper()
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
	if err != nil {
		b.Fatal(err)
	}
	resp := b.do(http.MethodPost, "/a2a/rpc", header, string(body))
	envelope := read(b, resp)
	if envelope["id"] != 7.0 { // a refusal names its request too
		b.Errorf("%s is answered as the request %v, want 7: %v", method, envelope["id"], envelope)
	}

	return rpcReply(b, resp, envelope)
}

func rpcReply(t testing.TB, resp *http.Response, envelope object) reply {
	t.Helper()
	out := reply{status: resp.StatusCode, header: resp.Header}
	out.body, _ = envelope["result"].(object)
	if failure, ok := envelope["error"].(object); ok {
		out.body, out.failed = failure, true
	}
	if envelope["jsonrpc"] != "2.0" || (out.body == nil) {
		t.Errorf("no answer of JSON-RPC: %v", envelope)
	}

	return out
}

// rest calls an operation of the HTTP+JSON binding.
func (b *bench) rest(method, path, body string, header http.Header) reply {
	b.Helper()
	resp := b.do(method, "/a2a/rest"+path, header, body)
	out := reply{status: resp.StatusCode, header: resp.Header, body: read(b, resp), rest: true}
	if failure, ok := out.body["error"].(object); ok {
		out.body, out.failed = failure, true
	}

	return out
}

// message is the parameters of a message.
func message(text string, more object) object {
	m := object{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []any{object{"text": text}}}
	for name, value := range more {
		m[name] = value
	}

	return object{"message": m}
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // of maps and texts alone
	return string(text)
}

// both runs a test in either binding: call sends the parameters of an operation.
func both(
	t *testing.T,
	test func(b *bench, call func(operation string, params object, header http.Header) reply),
	changes ...func(*a2a.Endpoint),
) {
	t.Helper()
	t.Run("JSONRPC", func(t *testing.T) {
		t.Parallel()
		b := play(t, script, changes...)
		test(b, func(operation string, params object, header http.Header) reply {
			return b.rpc(operation, params, header)
		})
	})
	t.Run("HTTP+JSON", func(t *testing.T) {
		t.Parallel()
		b := play(t, script, changes...)
		test(b, b.restCall)
	})
}

// restCall is an operation of the HTTP+JSON binding by the name that JSON-RPC has for it.
func (b *bench) restCall(operation string, params object, header http.Header) reply {
	b.Helper()
	id, _ := params["id"].(string)

	switch operation {
	case "SendMessage":
		return b.rest(http.MethodPost, "/message:send", encoded(params), header)
	case "SendStreamingMessage":
		return b.rest(http.MethodPost, "/message:stream", encoded(params), header)
	case "SubscribeToTask":
		return b.rest(http.MethodPost, "/tasks/"+id+":subscribe", "", header)
	case "CancelTask":
		return b.rest(http.MethodPost, "/tasks/"+id+":cancel", "{}", header)
	case "GetTask":
		return b.rest(http.MethodGet, "/tasks/"+id+query(params, "id"), "", header)
	case "ListTasks":
		return b.rest(http.MethodGet, "/tasks"+query(params, ""), "", header)
	case "GetExtendedAgentCard":
		return b.rest(http.MethodGet, "/extendedAgentCard", "", header)
	case "CreateTaskPushNotificationConfig":
		return b.rest(http.MethodPost, "/tasks/x/pushNotificationConfigs", "{}", header)
	case "GetTaskPushNotificationConfig":
		return b.rest(http.MethodGet, "/tasks/x/pushNotificationConfigs/y", "", header)
	case "ListTaskPushNotificationConfigs":
		return b.rest(http.MethodGet, "/tasks/x/pushNotificationConfigs", "", header)
	case "DeleteTaskPushNotificationConfig":
		return b.rest(http.MethodDelete, "/tasks/x/pushNotificationConfigs/y", "", header)
	}
	b.Fatalf("no operation %s", operation)

	return reply{}
}

func query(params object, except string) string {
	var parts []string

	for name, value := range params {
		if name != except {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	if parts == nil {
		return ""
	}

	return "?" + strings.Join(parts, "&")
}

// event is one event of a stream.
type event struct {
	id   string
	data object
}

// listen reads a stream of either binding until it ends, or until until says so.
func (b *bench) listen(resp *http.Response, until func(event) bool) []event {
	b.Helper()
	if media := resp.Header.Get("Content-Type"); media != "text/event-stream" {
		b.Fatalf("the answer is %s: %v", media, read(b, resp))
	}
	var all []event
	now := event{}
	lines := bufio.NewScanner(resp.Body)

	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case len(line) == 0 && now.data != nil:
			all = append(all, now)
			if until != nil && until(now) {
				return all
			}
			now = event{}
		case bytes.HasPrefix(line, []byte("id: ")):
			now.id = string(line[4:])
		case bytes.HasPrefix(line, []byte("data: ")):
			if err := json.Unmarshal(line[6:], &now.data); err != nil {
				b.Fatal(err)
			}
			if result, ok := now.data["result"].(object); ok {
				now.data = result
			}
		}
	}

	return all
}

// dig follows names into an object.
func dig(v any, path ...string) any {
	for _, name := range path {
		o, _ := v.(object)
		v = o[name]
	}

	return v
}

func stateOf(v any) string {
	for _, path := range [][]string{
		{"status", "state"}, {"task", "status", "state"}, {"statusUpdate", "status", "state"},
	} {
		if s, ok := dig(v, path...).(string); ok {
			return s
		}
	}

	return ""
}
