package a2a_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

type caller = func(operation string, params object, header http.Header) reply

// Every error of the protocol, by what leads to it, as both bindings tell it (specification 1.0.1, sections 3.3.2, 5.4,
// 9.5 and 11.6).
func TestErrors(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		done := call("SendMessage", message("How long?", nil), nil)
		ended := dig(done.body, "task", "id")
		nobodys := object{"id": uuid.NewString()}

		for name, tc := range map[string]struct {
			operation string
			params    object
			header    http.Header
			reason    string
			code      float64 // of JSON-RPC
			status    int     // of HTTP
		}{
			"no version is 0.3":        {"GetTask", nobodys, http.Header{"A2A-Version": {""}}, "VERSION_NOT_SUPPORTED", -32009, 400},
			"an unknown version":       {"ListTasks", object{}, http.Header{"A2A-Version": {"9.9"}}, "VERSION_NOT_SUPPORTED", -32009, 400},
			"0.3":                      {"SendMessage", message("x", nil), http.Header{"A2A-Version": {"0.3"}}, "VERSION_NOT_SUPPORTED", -32009, 400},
			"a version that is words":  {"ListTasks", object{}, http.Header{"A2A-Version": {"1.0 or so"}}, "VERSION_NOT_SUPPORTED", -32009, 400},
			"another content type":     {"SendMessage", message("x", nil), http.Header{"Content-Type": {"text/plain"}}, "CONTENT_TYPE_NOT_SUPPORTED", -32005, 415},
			"get of nobody's task":     {"GetTask", nobodys, nil, "TASK_NOT_FOUND", -32001, 404},
			"get of no id":             {"GetTask", object{"id": "nonsense"}, nil, "TASK_NOT_FOUND", -32001, 404},
			"cancel of nobody's task":  {"CancelTask", nobodys, nil, "TASK_NOT_FOUND", -32001, 404},
			"subscribe to nobody's":    {"SubscribeToTask", nobodys, nil, "TASK_NOT_FOUND", -32001, 404},
			"message to nobody's task": {"SendMessage", message("x", object{"taskId": uuid.NewString()}), nil, "TASK_NOT_FOUND", -32001, 404},
			"stream to nobody's task":  {"SendStreamingMessage", message("x", object{"taskId": uuid.NewString()}), nil, "TASK_NOT_FOUND", -32001, 404},
			"cancel of an ended task":  {"CancelTask", object{"id": ended}, nil, "TASK_NOT_CANCELABLE", -32002, 400},
			"message to an ended task": {"SendMessage", message("x", object{"taskId": ended}), nil, "UNSUPPORTED_OPERATION", -32004, 400},
			"stream to an ended task":  {"SendStreamingMessage", message("x", object{"taskId": ended}), nil, "UNSUPPORTED_OPERATION", -32004, 400},
			"subscribe to an ended":    {"SubscribeToTask", object{"id": ended}, nil, "UNSUPPORTED_OPERATION", -32004, 400},
			"another context": {
				"SendMessage", message("x", object{"taskId": ended, "contextId": "other"}), nil, "INVALID_PARAMS", -32602, 400,
			},
			"push: create": {"CreateTaskPushNotificationConfig", object{}, nil, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400},
			"push: get":    {"GetTaskPushNotificationConfig", object{}, nil, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400},
			"push: list":   {"ListTaskPushNotificationConfigs", object{}, nil, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400},
			"push: delete": {"DeleteTaskPushNotificationConfig", object{}, nil, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400},
			"push with a message": {"SendMessage", object{
				"message":       message("x", nil)["message"],
				"configuration": object{"taskPushNotificationConfig": object{"url": "https://example.com"}},
			}, nil, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400},
			"the extended card":         {"GetExtendedAgentCard", object{}, nil, "UNSUPPORTED_OPERATION", -32004, 400},
			"no message":                {"SendMessage", object{}, nil, "INVALID_PARAMS", -32602, 400},
			"no parts":                  {"SendMessage", object{"message": object{"messageId": "1", "role": "ROLE_USER"}}, nil, "INVALID_PARAMS", -32602, 400},
			"empty parts":               {"SendMessage", message("x", object{"parts": []any{}}), nil, "INVALID_PARAMS", -32602, 400},
			"a part of two":             {"SendMessage", message("x", object{"parts": []any{object{"text": "x", "url": "https://example.com"}}}), nil, "INVALID_PARAMS", -32602, 400},
			"a part of none":            {"SendMessage", message("x", object{"parts": []any{object{"mediaType": "text/plain"}}}), nil, "INVALID_PARAMS", -32602, 400},
			"no message id":             {"SendMessage", message("x", object{"messageId": ""}), nil, "INVALID_PARAMS", -32602, 400},
			"the agent's role":          {"SendMessage", message("x", object{"role": "ROLE_AGENT"}), nil, "INVALID_PARAMS", -32602, 400},
			"a role of 0.3":             {"SendMessage", message("x", object{"role": "user"}), nil, "INVALID_PARAMS", -32602, 400},
			"no base64":                 {"SendMessage", message("x", object{"parts": []any{object{"raw": "%%"}}}), nil, "INVALID_PARAMS", -32602, 400},
			"a media type of two lines": {"SendMessage", message("x", object{"parts": []any{object{"raw": "eA==", "mediaType": "text/plain\r\nX: y"}}}), nil, "INVALID_PARAMS", -32602, 400},
			"a file name of two lines":  {"SendMessage", message("x", object{"parts": []any{object{"raw": "eA==", "filename": "a\nb"}}}), nil, "INVALID_PARAMS", -32602, 400},
			"nothing to read":           {"SendMessage", message("x", object{"parts": []any{object{"url": "https://example.com"}}}), nil, "CONTENT_TYPE_NOT_SUPPORTED", -32005, 400},
			"a page of none":            {"ListTasks", object{"pageSize": 0}, nil, "INVALID_PARAMS", -32602, 400},
			"a page of too many":        {"ListTasks", object{"pageSize": 101}, nil, "INVALID_PARAMS", -32602, 400},
			"a page below zero":         {"ListTasks", object{"pageSize": -1}, nil, "INVALID_PARAMS", -32602, 400},
			"an unknown state":          {"ListTasks", object{"status": "working"}, nil, "INVALID_PARAMS", -32602, 400},
			"a token of nobody":         {"ListTasks", object{"pageToken": "nonsense"}, nil, "INVALID_PARAMS", -32602, 400},
			"a time that is none":       {"ListTasks", object{"statusTimestampAfter": "yesterday"}, nil, "INVALID_PARAMS", -32602, 400},
			"a history below zero":      {"GetTask", object{"id": ended, "historyLength": -1}, nil, "INVALID_PARAMS", -32602, 400},
			"a place that is none":      {"SubscribeToTask", object{"id": ended}, http.Header{"Last-Event-ID": {"x"}}, "INVALID_PARAMS", -32602, 400},
			"a place beyond the end":    {"SubscribeToTask", object{"id": ended}, http.Header{"Last-Event-ID": {"99"}}, "INVALID_PARAMS", -32602, 400},
		} {
			got := call(tc.operation, tc.params, tc.header)
			code, status := tc.code, http.StatusOK
			if got.rest {
				code, status = float64(tc.status), tc.status
			}
			if !got.failed || got.reason() != tc.reason || got.body["code"] != code || got.status != status {
				b.Errorf("%s: status %d, %v", name, got.status, got.body)
			}
			if info, _ := got.body["message"].(string); !strings.HasSuffix(info, ".") {
				b.Errorf("%s: the message is no sentence: %q", name, info)
			}
			if got.header.Get("A2A-Version") != "1.0" {
				b.Errorf("%s: the answer names no version", name)
			}
		}
	})
}

var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// A message becomes a task, which can be read, listed and told from others.
func TestAMessageBecomesATask(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		sent := message("How long is the notice?", object{"contextId": "matter-1"})
		got := call("SendMessage", sent, nil)
		task, _ := got.body["task"].(object)
		at, _ := dig(task, "status", "timestamp").(string)
		if got.failed || len(got.body) != 1 || stateOf(task) != "TASK_STATE_COMPLETED" ||
			task["contextId"] != "matter-1" ||
			!instant.MatchString(at) {
			b.Fatalf("the answer is %v", got.body)
		}
		artifacts, _ := task["artifacts"].([]any)
		if len(artifacts) != 1 || encoded(dig(artifacts[0], "parts")) != `[{"text":"Thirty "},{"text":"days."}]` {
			b.Errorf("the artifacts are %v", artifacts)
		}

		for name, tc := range map[string]struct {
			params  object
			history int
		}{
			"all of the history": {object{"id": task["id"]}, 1}, "none": {object{"id": task["id"], "historyLength": 0}, 0},
			"one": {object{"id": task["id"], "historyLength": 1}, 1}, "more than there is": {
				object{"id": task["id"], "historyLength": 2147483647}, 1,
			},
		} {
			read := call("GetTask", tc.params, nil)
			history, _ := read.body["history"].([]any)
			if read.body["id"] != task["id"] || stateOf(read.body) != "TASK_STATE_COMPLETED" ||
				len(history) != tc.history {
				b.Errorf("%s: %v", name, read.body)
			}

			for _, m := range history {
				if dig(m, "messageId") != dig(sent, "message", "messageId") || dig(m, "role") != "ROLE_USER" {
					b.Errorf("%s: the history holds %v", name, m)
				}
			}
		}
	})
}

// Lists are of the newest status first, in pages, with all of their fields.
func TestLists(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		empty := call("ListTasks", object{}, nil)
		if encoded(empty.body) != `{"nextPageToken":"","pageSize":50,"tasks":[],"totalSize":0}` {
			b.Errorf("no tasks are %v", empty.body)
		}
		var made []string

		for _, text := range []string{"one", "two", "which one", "fail"} {
			context := "c-" + text[:3]
			got := call("SendMessage", message(text, object{"contextId": context}), nil)
			id, _ := dig(got.body, "task", "id").(string)
			made = append([]string{id}, made...)
		}

		if found := b.pages(call, 2, 4.0); !slices.Equal(found, made) {
			b.Errorf("the list is %v, want %v", found, made)
		}

		for name, tc := range map[string]struct {
			params object
			want   int
		}{
			"of a context":             {object{"contextId": "c-two"}, 1},
			"of a state":               {object{"status": "TASK_STATE_INPUT_REQUIRED"}, 1},
			"of both":                  {object{"contextId": "c-one", "status": "TASK_STATE_FAILED"}, 0},
			"after a time to come":     {object{"statusTimestampAfter": "2100-01-01T00:00:00Z"}, 0},
			"after a time that passed": {object{"statusTimestampAfter": "2020-01-01T00:00:00.000Z"}, 4},
		} {
			page := call("ListTasks", tc.params, nil)
			if tasks, _ := page.body["tasks"].([]any); len(tasks) != tc.want {
				b.Errorf("%s: %v", name, page.body)
			}
		}
		whole := call("ListTasks", object{"includeArtifacts": true, "contextId": "c-one"}, nil)
		tasks, _ := whole.body["tasks"].([]any)
		if len(tasks) != 1 || dig(tasks[0], "artifacts") == nil {
			b.Errorf("artifacts were asked for: %v", whole.body)
		}
	})
}

// pages reads a list page by page and returns the ids of its tasks.
func (b *bench) pages(call caller, size int, total any) (found []string) {
	b.Helper()
	params := object{"pageSize": size}

	for range 10 {
		page := call("ListTasks", params, nil)

		tasks, _ := page.body["tasks"].([]any)
		for _, task := range tasks {
			id, _ := dig(task, "id").(string)
			found = append(found, id)
			if dig(task, "artifacts") != nil || dig(task, "history") != nil {
				b.Errorf("a list shows artifacts that nobody asked for: %v", task)
			}
		}
		if page.body["totalSize"] != total || page.body["pageSize"] != float64(size) {
			b.Errorf("the page counts %v", page.body)
		}
		token, _ := page.body["nextPageToken"].(string)
		if token == "" {
			break
		}
		params["pageToken"] = token
	}

	return found
}

// A task that asks goes on with the answer, in the same task and context.
func TestATaskThatAsks(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		asks := call("SendMessage", message("which", nil), nil)
		task, _ := asks.body["task"].(object)
		if stateOf(task) != "TASK_STATE_INPUT_REQUIRED" || encoded(dig(task, "status", "message", "parts")) !=
			`[{"mediaType":"text/plain","text":"Which of the two?"}]` {
			b.Fatalf("the task asks %v", task)
		}
		answer := call("SendMessage", message("both", object{"taskId": task["id"]}), nil)
		now, _ := answer.body["task"].(object)
		history, _ := now["history"].([]any)
		if now["id"] != task["id"] || now["contextId"] != task["contextId"] ||
			stateOf(now) != "TASK_STATE_COMPLETED" ||
			len(history) != 3 {
			b.Errorf("the answer leads to %v", now)
		}

		again := call("SendMessage", message("which", nil), nil)
		id := dig(again.body, "task", "id")
		cancelled := call("CancelTask", object{"id": id}, nil)
		if stateOf(cancelled.body) != "TASK_STATE_CANCELED" {
			b.Errorf("a task that asks cannot be cancelled: %v", cancelled.body)
		}
	})
}

// SendMessage answers at once where the client does not want to wait, and a running task can be cancelled.
func TestNotWaiting(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		params := message("never", nil)
		params["configuration"] = object{"returnImmediately": true}
		got := call("SendMessage", params, nil)
		id := dig(got.body, "task", "id")
		if stateOf(got.body) != "TASK_STATE_WORKING" {
			b.Fatalf("the task is %v", got.body)
		}
		busy := call("SendMessage", message("more", object{"taskId": id}), nil)
		if busy.reason() != "UNSUPPORTED_OPERATION" {
			b.Errorf("a working task takes a message: %v", busy.body)
		}
		over := call("CancelTask", object{"id": id}, nil)
		if stateOf(over.body) != "TASK_STATE_CANCELED" {
			b.Errorf("the cancelled task is %v", over.body)
		}
	})
}

// Members are taken in both spellings, unknown ones are ignored, and numbers may be text, as ProtoJSON has it.
func TestSpellings(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		got := call("SendMessage", object{
			"message": object{
				"message_id": "m-1", "context_id": "c-1", "role": "ROLE_USER",
				"parts":   []any{object{"text": "x", "media_type": "text/plain"}},
				"unknown": []any{1, object{"deep": true}},
			},
			"configuration": object{
				"return_immediately":    false,
				"history_length":        "0",
				"accepted_output_modes": []any{"text/plain"},
			},
		}, nil)
		if dig(got.body, "task", "contextId") != "c-1" || dig(got.body, "task", "history") != nil {
			b.Errorf("the answer is %v", got.body)
		}
		two := object{"page_size": 1, "pageSize": 2}
		if got := call("ListTasks", two, nil); got.reason() != "INVALID_PARAMS" {
			b.Errorf("both spellings of one parameter: %v", got.body)
		}
		page := call("ListTasks", object{"page_size": 1, "context_id": "c-1"}, nil)
		if page.body["pageSize"] != 1.0 || page.body["totalSize"] != 1.0 {
			b.Errorf("the list is %v", page.body)
		}
	})
}

// A key makes a message safe to repeat; another message under the same key is refused.
func TestAKeyMakesOneTask(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		key := http.Header{"Idempotency-Key": {"k-1"}}
		params := message("x", nil)
		first, second := call("SendMessage", params, key), call("SendMessage", params, key)
		if first.failed || dig(first.body, "task", "id") != dig(second.body, "task", "id") {
			b.Errorf("two tasks: %v and %v", first.body, second.body)
		}
		changed := message("y", object{"messageId": dig(params, "message", "messageId")})
		if other := call("SendMessage", changed, key); other.reason() != "INVALID_PARAMS" {
			b.Errorf("another text under the key: %v", other.body)
		}
		if other := call("SendMessage", message("y", nil), key); other.reason() != "INVALID_PARAMS" {
			b.Errorf("another message under the key: %v", other.body)
		}
		if free := call("SendMessage", params, nil); dig(free.body, "task", "id") == dig(first.body, "task", "id") {
			b.Error("a messageId alone makes two messages one")
		}
	})
}

// What is not JSON-RPC is refused with the id of the request, where it can be read.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	b := start(t)

	for name, tc := range map[string]struct {
		body string
		code float64
		id   any
	}{
		"no JSON":          {`{"jsonrpc": "2.0", `, -32700, nil},
		"nothing":          {"", -32700, nil},
		"repeated members": {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ListTasks"}`, -32700, nil},
		"half a character": {`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"contextId":"\ud800"}}`, -32700, nil},
		"no UTF-8":         {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, nil},
		"two values":       {`{} {}`, -32700, nil},
		"a batch":          {`[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]`, -32600, nil},
		"half a batch":     {`[{"jsonrpc":"2.0"`, -32700, nil},
		"null":             {`null`, -32600, nil},
		"a number":         {` 1 `, -32600, nil},
		"a text":           {`"x"`, -32600, nil},
		"another protocol": {`{"jsonrpc":"1.0","id":3,"method":"ListTasks"}`, -32600, 3.0},
		"no method":        {`{"jsonrpc":"2.0","id":"a"}`, -32600, "a"},
		"no id":            {`{"jsonrpc":"2.0","method":"ListTasks"}`, -32600, nil},
		"an object as id":  {`{"jsonrpc":"2.0","id":{},"method":"ListTasks"}`, -32600, nil},
		"no such method":   {`{"jsonrpc":"2.0","id":"a","method":"message/send"}`, -32601, "a"},
		"a list as params": {`{"jsonrpc":"2.0","id":4,"method":"ListTasks","params":[]}`, -32602, 4.0},
		"a text as params": {`{"jsonrpc":"2.0","id":4,"method":"GetTask","params":"x"}`, -32602, 4.0},
	} {
		got := read(t, b.do(http.MethodPost, "/a2a/rpc", http.Header{"Content-Type": {"application/json"}}, tc.body))
		if dig(got, "error", "code") != tc.code || got["id"] != tc.id || got["jsonrpc"] != "2.0" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if resp := b.do(http.MethodGet, "/a2a/rpc", nil, ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET is %d", resp.StatusCode)
	}
}

// The paths of the HTTP+JSON binding, with the methods of each, and under a tenant.
func TestPaths(t *testing.T) {
	t.Parallel()
	b := start(t)

	for name, tc := range map[string]struct {
		method, path string
		status       int
	}{
		"a list under a tenant":      {http.MethodGet, "/firm/tasks", 200},
		"a task without an id":       {http.MethodGet, "/tasks/", 404},
		"a stream without an id":     {http.MethodGet, "/firm/tasks/:subscribe", 404},
		"no such path":               {http.MethodGet, "/nothing", 404},
		"no such verb":               {http.MethodPost, "/tasks/x:explode", 404},
		"a list by POST":             {http.MethodPost, "/tasks", 405},
		"a message by GET":           {http.MethodGet, "/message:send", 405},
		"a message without a body":   {http.MethodPost, "/message:send", 400},
		"cancel by GET":              {http.MethodGet, "/tasks/x:cancel", 405},
		"subscribe by GET":           {http.MethodGet, "/tasks/" + uuid.NewString() + ":subscribe", 404},
		"cancel without a body":      {http.MethodPost, "/tasks/" + uuid.NewString() + ":cancel", 404},
		"a parameter given twice":    {http.MethodGet, "/tasks?pageSize=1&pageSize=2", 400},
		"a parameter of no value":    {http.MethodGet, "/tasks?pageSize=", 400},
		"an escape that is none":     {http.MethodGet, "/tasks?contextId=%zz", 400},
		"another separator":          {http.MethodGet, "/tasks?pageSize=1;contextId=x", 400},
		"no flag":                    {http.MethodGet, "/tasks?includeArtifacts=maybe", 400},
		"a flag as a number":         {http.MethodGet, "/tasks?includeArtifacts=1", 400},
		"a flag in capitals":         {http.MethodGet, "/tasks?includeArtifacts=TRUE", 400},
		"a flag":                     {http.MethodGet, "/tasks?includeArtifacts=false", 200},
		"a number":                   {http.MethodGet, "/tasks?pageSize=5&historyLength=0", 200},
		"a number with a zero":       {http.MethodGet, "/tasks?pageSize=05", 400},
		"a number with a sign":       {http.MethodGet, "/tasks?pageSize=%2B5", 400},
		"a number with a fraction":   {http.MethodGet, "/tasks?pageSize=5.0", 400},
		"a number with an exponent":  {http.MethodGet, "/tasks?pageSize=1e1", 400},
		"a number with a blank":      {http.MethodGet, "/tasks?pageSize=5%20", 400},
		"a number of base 16":        {http.MethodGet, "/tasks?pageSize=0x5", 400},
		"a number with a bar":        {http.MethodGet, "/tasks?pageSize=1_0", 400},
		"a number in wide digits":    {http.MethodGet, "/tasks?pageSize=%EF%BC%95", 400},
		"minus zero":                 {http.MethodGet, "/tasks?historyLength=-0", 400},
		"the version in the query":   {http.MethodGet, "/tasks?A2A-Version=1.0", 200},
		"a config below no such way": {http.MethodPut, "/tasks/x/pushNotificationConfigs/y", 405},
	} {
		got := b.rest(tc.method, tc.path, "", nil)
		if got.status != tc.status {
			t.Errorf("%s: %d, want %d: %v", name, got.status, tc.status, got.body)
		}
		if got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: the answer is %s", name, got.header.Get("Content-Type"))
		}
	}
	media := b.rest(http.MethodGet, "/tasks", "", http.Header{"Accept": {"application/a2a+json"}})
	if media.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("the answer is %s", media.header.Get("Content-Type"))
	}
}

// Extensions that the client asks for and the service has are told back; the others are ignored.
func TestExtensions(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		const own = "https://subrosa.example/a2a/ext/resumable-stream/v1"
		asked := http.Header{"A2A-Extensions": {own + ", https://example.com/other, " + own}}
		if got := call("ListTasks", object{}, asked); got.header.Get("A2A-Extensions") != own {
			b.Errorf("activated are %q", got.header.Get("A2A-Extensions"))
		}
		if got := call("ListTasks", object{}, nil); got.header.Get("A2A-Extensions") != "" {
			b.Errorf("activated without being asked: %q", got.header.Get("A2A-Extensions"))
		}
	})
}

// A part that nobody reads fails no message, and the task says that it was not read.
func TestAPartThatNobodyReads(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		lease := object{"url": "https://example.com/lease.pdf", "mediaType": "application/pdf"}
		parts := []any{object{"text": "How long?"}, lease}
		got := call("SendMessage", message("", object{"parts": parts}), nil)
		const under = "https://subrosa.example/a2a/ext/legal-phase/v1"
		unread := dig(got.body, "task", "metadata", under, "partsNotRead")
		if unread != 1.0 || stateOf(got.body) != "TASK_STATE_COMPLETED" {
			b.Errorf("the task is %v", got.body)
		}
	})
}

// A page that tells artifacts is short, however many tasks are asked for, and another follows.
func TestPagesWithArtifactsAreShort(t *testing.T) {
	t.Parallel()

	b := start(t)
	for range 21 {
		b.rpc("SendMessage", message("x", nil), nil)
	}
	page := b.rpc("ListTasks", object{"pageSize": 100, "includeArtifacts": true}, nil)

	tasks, _ := page.body["tasks"].([]any)
	token, _ := page.body["nextPageToken"].(string)
	if len(tasks) != 20 || token == "" || page.body["totalSize"] != 21.0 {
		t.Errorf("%d tasks of %v, token %q", len(tasks), page.body["totalSize"], token)
	}
}
