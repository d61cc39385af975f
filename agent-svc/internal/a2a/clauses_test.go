package a2a_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
)

// A task that has ended takes no message, no cancel and no subscriber, however it ended, and stays as it is
// (specification 1.0.1, sections 3.1.1, 3.1.2, 3.1.5, 3.1.6 and 3.3.1).
func TestEndedTasksStayAsTheyAre(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for text, state := range map[string]string{
			"How long?": "TASK_STATE_COMPLETED", "fail": "TASK_STATE_FAILED", "reject": "TASK_STATE_REJECTED",
			"which": "TASK_STATE_CANCELED",
		} {
			sent := call("SendMessage", message(text, nil), nil)
			id := dig(sent.body, "task", "id")
			if state == "TASK_STATE_CANCELED" {
				_ = call("CancelTask", object{"id": id}, nil)
			}
			before := call("GetTask", object{"id": id}, nil)
			if stateOf(before.body) != state {
				b.Fatalf("%q ends as %v", text, before.body)
			}

			for operation, want := range map[string]string{
				"SendMessage": "UNSUPPORTED_OPERATION", "SendStreamingMessage": "UNSUPPORTED_OPERATION",
				"SubscribeToTask": "UNSUPPORTED_OPERATION", "CancelTask": "TASK_NOT_CANCELABLE",
			} {
				params := object{"id": id}
				if strings.HasPrefix(operation, "Send") {
					params = message("more", object{"taskId": id})
				}
				if got := call(operation, params, nil); got.reason() != want {
					b.Errorf("%s of a task that is %s: %v", operation, state, got.body)
				}
			}
			if after := call("GetTask", object{"id": id}, nil); encoded(after.body) != encoded(before.body) {
				b.Errorf("the ended task was %v and is %v", before.body, after.body)
			}
		}
	})
}

// Patches of a version are that version, names of headers have no case, and the version may stand in the query
// (sections 3.2.6, 3.6 and 3.6.1).
func TestVersionsThatAreSpoken(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for name, header := range map[string]http.Header{
			"major and minor": {"A2A-Version": {"1.0"}}, "a patch": {"A2A-Version": {"1.0.1"}},
			"a name in small letters": {"a2a-version": {"1.0"}},
		} {
			if got := call("ListTasks", object{}, header); got.failed {
				b.Errorf("%s: %v", name, got.body)
			}
		}

		for name, header := range map[string]http.Header{
			"a later minor": {"A2A-Version": {"1.1"}}, "a later major": {"A2A-Version": {"2.0"}},
			"a major alone": {"A2A-Version": {"1"}}, "two versions": {"A2A-Version": {"1.0, 0.3"}},
		} {
			if got := call("ListTasks", object{}, header); got.reason() != "VERSION_NOT_SUPPORTED" {
				b.Errorf("%s: %v", name, got.body)
			}
		}
	})
}

// Both media types of the protocol are taken, with a character set too; JSON-RPC answers as application/json
// (sections 9.1, 11.1 and 14.1.1).
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for _, media := range []string{
			"application/json", "application/a2a+json", "application/json; charset=utf-8", "Application/JSON",
		} {
			got := call("SendMessage", message("How long?", nil), http.Header{"Content-Type": {media}})
			if got.failed || got.header.Get("Content-Type") != "application/json" {
				b.Errorf("%s: answered as %s: %v", media, got.header.Get("Content-Type"), got.body)
			}
		}

		for _, media := range []string{"text/json", "application/xml", "application/json-seq", "json"} {
			got := call("SendMessage", message("How long?", nil), http.Header{"Content-Type": {media}})
			if got.reason() != "CONTENT_TYPE_NOT_SUPPORTED" {
				b.Errorf("%s: %v", media, got.body)
			}
		}
	})
}

// Every task and every context has an id of its own, which each answer tells; a context that the client names is
// kept, and that of a task is known from the task (sections 3.4.1 to 3.4.3).
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		var tasks, contexts []string

		for _, context := range []string{"", "", "c & d = ü/1", "c & d = ü/1"} {
			params := message("How long?", nil)
			if context != "" {
				params = message("How long?", object{"contextId": context})
			}
			got := call("SendMessage", params, nil)
			id, _ := dig(got.body, "task", "id").(string)
			under, _ := dig(got.body, "task", "contextId").(string)
			if id == "" || under == "" || (context != "" && under != context) || slices.Contains(tasks, id) {
				b.Errorf("the task is %v", got.body)
			}
			tasks, contexts = append(tasks, id), append(contexts, under)
		}
		if contexts[0] == contexts[1] {
			b.Errorf("two messages without a context share %q", contexts[0])
		}

		context := "c & d = ü/1"
		if !strings.HasPrefix(b.Name(), "TestIdentifiers/JSONRPC") {
			context = url.QueryEscape(context)
		}
		page := call("ListTasks", object{"contextId": context}, nil)
		if page.body["totalSize"] != 2.0 {
			b.Errorf("the context has %v", page.body)
		}
		asks := call("SendMessage", message("which", object{"contextId": "asks"}), nil)
		id := dig(asks.body, "task", "id")
		other := call("SendMessage", message("both", object{"taskId": id, "contextId": "other"}), nil)
		if other.reason() != "INVALID_PARAMS" {
			b.Errorf("the task's context is another: %v", other.body)
		}
		answer := call("SendMessage", message("both", object{"taskId": id}), nil)
		if dig(answer.body, "task", "contextId") != "asks" {
			b.Errorf("the context of the task is not known: %v", answer.body)
		}
	})
}

// A task whose status changes goes to the head of the list (section 3.1.4).
func TestListsFollowTheStatus(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		first := dig(call("SendMessage", message("which", nil), nil).body, "task", "id")
		second := dig(call("SendMessage", message("How long?", nil), nil).body, "task", "id")
		order := func() []any {
			tasks, _ := call("ListTasks", object{}, nil).body["tasks"].([]any)

			var ids []any
			for _, task := range tasks {
				ids = append(ids, dig(task, "id"))
			}

			return ids
		}
		if got := order(); !slices.Equal(got, []any{second, first}) {
			b.Errorf("the list is %v", got)
		}
		_ = call("SendMessage", message("both", object{"taskId": first}), nil)
		if got := order(); !slices.Equal(got, []any{first, second}) {
			b.Errorf("after the answer the list is %v", got)
		}
	})
}

// A field that is wrong is told once, with one reason.
func TestOneFaultForAField(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for field, wrong := range map[string]any{
			"role": 1.0, "messageId": 5.0, "contextId": []any{}, "taskId": object{}, "metadata": "x",
		} {
			got := call("SendMessage", message("x", object{field: wrong}), nil)
			told, _ := got.body["message"].(string)
			if got.reason() != "INVALID_PARAMS" || strings.Count(told, "message."+field) != 1 {
				b.Errorf("%s: %s", field, told)
			}
		}
	})
}

// Each detail of an error has a type, the reasons are of the protocol's domain, and an error of a parameter names it
// (sections 3.3.2, 9.5 and 11.6).
func TestDetailsOfErrorsHaveTypes(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for name, got := range map[string]reply{
			"of the protocol": call("GetTask", object{"id": "nobody"}, nil),
			"of a parameter":  call("ListTasks", object{"pageSize": 101}, nil),
			"of the version":  call("ListTasks", object{}, http.Header{"A2A-Version": {"9.9"}}),
		} {
			list, _ := got.body["data"].([]any)
			if got.rest {
				list, _ = got.body["details"].([]any)
			}
			if len(list) == 0 {
				b.Errorf("%s: no details: %v", name, got.body)
			}

			for _, detail := range list {
				kind, _ := dig(detail, "@type").(string)
				if !strings.HasPrefix(kind, "type.googleapis.com/google.rpc.") {
					b.Errorf("%s: a detail of the type %q", name, kind)
				}
				if strings.HasSuffix(kind, ".ErrorInfo") && dig(detail, "domain") != "a2a-protocol.org" {
					b.Errorf("%s: the detail is %v", name, detail)
				}
			}
		}

		for parameter, value := range map[string]any{
			"pageSize": 101, "pageToken": "nonsense", "status": "working", "statusTimestampAfter": "soon",
			"historyLength": -1,
		} {
			page := call("ListTasks", object{parameter: value}, nil)
			if told, _ := page.body["message"].(string); !strings.Contains(told, parameter) {
				b.Errorf("%s is not named: %v", parameter, page.body)
			}
		}
	})
}

// A version of an extension that is not offered is ignored, and no other version takes its place (section 4.6.3).
func TestAnotherVersionOfAnExtension(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		for _, version := range []string{"v2", "v0", "v1.1", ""} {
			asked := http.Header{"A2A-Extensions": {serviceAddress + "/a2a/ext/resumable-stream/" + version}}
			got := call("SendMessage", message("How long?", nil), asked)
			if got.failed || got.header.Get("A2A-Extensions") != "" {
				b.Errorf("%q activates %q: %v", version, got.header.Get("A2A-Extensions"), got.body)
			}
		}
	})
}

// What is sent has names in camelCase, enumerations by their names in the definition, and times in UTC
// (sections 5.5 and 5.6.1).
func TestNamesAndTimesAsProtoJSON(t *testing.T) {
	t.Parallel()
	streams(t, func(b *bench, open open, call caller) {
		seen := b.listen(open("SendStreamingMessage", message("How long?", nil), nil), nil)
		asks := call("SendMessage", message("which", nil), nil)
		list := call("ListTasks", object{"includeArtifacts": true}, nil)

		for _, e := range seen {
			b.asProtoJSON(e.data)
		}
		b.asProtoJSON(asks.body)
		b.asProtoJSON(list.body)
	})
}

// asProtoJSON holds a value and all below it to the form of ProtoJSON. What stands in metadata and in data parts is
// the client's or an extension's.
func (b *bench) asProtoJSON(value any) {
	b.Helper()

	switch value := value.(type) {
	case []any:
		for _, v := range value {
			b.asProtoJSON(v)
		}
	case object:
		for name, v := range value {
			text, _ := v.(string)
			switch {
			case strings.Contains(name, "_") || unicode.IsUpper(rune(name[0])):
				b.Errorf("a member is called %q", name)
			case v == nil:
				b.Errorf("%s is null", name)
			case name == "state" && !strings.HasPrefix(text, "TASK_STATE_"):
				b.Errorf("the state is %q", text)
			case name == "role" && text != "ROLE_USER" && text != "ROLE_AGENT":
				b.Errorf("the role is %q", text)
			case name == "timestamp" && !instant.MatchString(text):
				b.Errorf("the time is %q", text)
			}
			if name != "metadata" && name != "data" {
				b.asProtoJSON(v)
			}
		}
	}
}

// Each call is reported once, with the operation and what it was refused with.
func TestCallsAreReported(t *testing.T) {
	t.Parallel()
	both(t, func(b *bench, call caller) {
		last := func() a2a.Call {
			b.Helper()
			select {
			case c := <-b.calls:
				return c
			case <-b.Context().Done():
				b.Fatal("the call was not reported")
				return a2a.Call{}
			}
		}

		for operation, tc := range map[string]struct {
			params object
			reason string
		}{
			"SendMessage": {message("How long?", nil), ""}, "ListTasks": {object{}, ""},
			"SendStreamingMessage":             {object{}, "INVALID_PARAMS"},
			"GetTask":                          {object{"id": "nobody"}, "TASK_NOT_FOUND"},
			"CancelTask":                       {object{"id": "nobody"}, "TASK_NOT_FOUND"},
			"SubscribeToTask":                  {object{"id": "nobody"}, "TASK_NOT_FOUND"},
			"GetExtendedAgentCard":             {object{}, "UNSUPPORTED_OPERATION"},
			"CreateTaskPushNotificationConfig": {object{}, "PUSH_NOTIFICATION_NOT_SUPPORTED"},
			"DeleteTaskPushNotificationConfig": {object{}, "PUSH_NOTIFICATION_NOT_SUPPORTED"},
		} {
			got := call(operation, tc.params, nil)
			c, reason, code := last(), "", 0
			if c.Failure != nil {
				reason = c.Failure.Reason
				said, _ := got.body["code"].(float64)
				code = int(said)
			}
			if c.Method != operation || reason != tc.reason || c.Code() != code {
				b.Errorf("%s is reported as %+v, refused as %q", operation, c, reason)
			}
		}
	})
	b := start(t)
	b.rpc("NoSuchMethod", object{}, nil)
	if c := <-b.calls; c.Method != "_OTHER" || c.Binding != a2a.BindingRPC {
		t.Errorf("a method that there is not is reported as %+v", c)
	}
}
