package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/scripted"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// sut is the scripted agent, as a conformance kit finds it.
type sut struct {
	*testing.T

	base   string
	client *http.Client
}

func open(t *testing.T) *sut {
	t.Helper()
	return openWith(t, nil)
}

// openWith is a scripted agent with other statuses of HTTP, by the code of an error.
func openWith(t *testing.T, statuses map[int]int) *sut {
	t.Helper()
	launch.Globals()
	handler, stop, err := scripted.Serve(
		strings.NewReader(script), "http://127.0.0.1:9999", statuses, time.Now, telemetry.Discard(name, io.Discard),
	)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.Close(); stop() })

	return &sut{t, server.URL, server.Client()}
}

// send sends a request of a kit, which has no credential.
func (s *sut) send(method, path, body string, header ...string) (*http.Response, []byte) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Content-Type", "application/json")

	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}

	return resp, text
}

// said is what of an answer the tests look at, in either binding.
type said struct {
	Task *struct {
		ID        string
		ContextID string
		Status    struct{ State string }
		Artifacts []struct{ Parts []map[string]any }
		History   []any
	}
	Error *struct {
		Code    int
		Data    []struct{ Reason string }
		Details []struct{ Reason string }
	}
}

// call sends an operation in a binding: those of messages and of a task.
func (s *sut) call(rest bool, operation string, params map[string]any) (out said) {
	s.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		s.Fatal(err)
	}
	if !rest {
		sent := `{"jsonrpc":"2.0","id":1,"method":"` + operation + `","params":` + string(text) + `}`
		_, body := s.send(http.MethodPost, "/a2a/rpc", sent)
		var envelope struct{ Result, Error json.RawMessage }
		if err := json.Unmarshal(body, &envelope); err != nil {
			s.Fatalf("%s: %s", operation, body)
		}
		read(s, envelope.Error, &out.Error)
		if operation == "SendMessage" {
			read(s, envelope.Result, &out)
		} else {
			read(s, envelope.Result, &out.Task)
		}

		return out
	}
	id, _ := params["id"].(string)
	method, path, sent := http.MethodPost, "/message:send", string(text)

	switch operation {
	case "GetTask":
		method, path, sent = http.MethodGet, "/tasks/"+id, ""
	case "CancelTask":
		path, sent = "/tasks/"+id+":cancel", ""
	case "SubscribeToTask":
		path, sent = "/tasks/"+id+":subscribe", ""
	}
	resp, body := s.send(method, "/a2a/rest"+path, sent)
	if operation == "SendMessage" || resp.StatusCode != http.StatusOK {
		read(s, body, &out)
	} else {
		read(s, body, &out.Task)
	}

	return out
}

func read(s *sut, text []byte, into any) {
	s.Helper()
	if len(text) == 0 {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		s.Fatalf("%v: %s", err, text)
	}
}

// reason is why an answer refuses, "" for one that does not.
func (a said) reason() string {
	if a.Error == nil || len(a.Error.Data)+len(a.Error.Details) == 0 {
		return ""
	}

	return append(a.Error.Data, a.Error.Details...)[0].Reason
}

func (a said) state() string {
	if a.Task == nil {
		return ""
	}

	return a.Task.Status.State
}

// message is one whose id begins as a kit's does.
func message(prefix string, more map[string]any) map[string]any {
	m := map[string]any{
		"messageId": prefix + "-" + uuid.NewString()[:8], "role": "ROLE_USER",
		"parts": []any{map[string]any{"text": "A message of a kit"}},
	}
	for name, value := range more {
		m[name] = value
	}

	return map[string]any{"message": m}
}

// The built-in script does for each message of the protocol's own kit what the kit asks of an agent, in both bindings.
func TestTheScenariosOfTheKit(t *testing.T) {
	t.Parallel()

	for binding, rest := range map[string]bool{"JSONRPC": false, "HTTP+JSON": true} {
		t.Run(binding, func(t *testing.T) {
			t.Parallel()
			s := open(t)

			for prefix, want := range map[string]string{
				"tck-complete-task": "TASK_STATE_COMPLETED", "tck-input-required": "TASK_STATE_INPUT_REQUIRED",
				"tck-auth-required": "TASK_STATE_AUTH_REQUIRED", "tck-reject-task": "TASK_STATE_REJECTED",
				"tck-artifact-text": "TASK_STATE_COMPLETED", "tck-artifact-file": "TASK_STATE_COMPLETED",
				"tck-artifact-file-url": "TASK_STATE_COMPLETED", "tck-artifact-data": "TASK_STATE_COMPLETED",
				"tck-stream-artifact-text": "TASK_STATE_COMPLETED", "tck-stream-artifact-file": "TASK_STATE_COMPLETED",
				"tck-stream-artifact-chunked": "TASK_STATE_COMPLETED",
				"tck-delayed-complete":        "TASK_STATE_COMPLETED", "tck-anything-else": "TASK_STATE_COMPLETED",
			} {
				got := s.call(rest, "SendMessage", message(prefix, nil))
				if got.state() != want || got.Task.ID == "" || got.Task.ContextID == "" {
					t.Fatalf("%s: %+v %+v", prefix, got.Task, got.Error)
				}
				if again := s.call(rest, "GetTask", map[string]any{"id": got.Task.ID}); again.state() != want {
					t.Errorf("%s: read it is %+v", prefix, again)
				}
				if parts := partsOfTheKit[prefix]; parts != nil && !got.holds(parts) {
					t.Errorf("%s: the artifacts are %v, want one with %v", prefix, got.Task.Artifacts, parts)
				}
			}
			at := message("tck-delayed-complete", nil)
			at["configuration"] = map[string]any{"returnImmediately": true}
			if got := s.call(rest, "SendMessage", at); got.state() != "TASK_STATE_WORKING" {
				t.Errorf("not waited for: %+v", got.Task)
			}
			s.waiting(rest)
			s.refused(rest)
		})
	}
}

// partsOfTheKit are the members of the parts that the kit looks for in the only artifact of a task.
var partsOfTheKit = map[string][]map[string]any{
	"tck-artifact-text": {{"text": "Generated text content"}},
	"tck-artifact-data": {{"data": map[string]any{"key": "value", "count": 42.0}}},
	"tck-artifact-file": {{"raw": "VGhpcnR5IGRheXMu", "filename": "output.txt", "mediaType": "text/plain"}},
	"tck-artifact-file-url": {
		{"url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain"},
	},
	"tck-stream-artifact-text":    {{"text": "Streamed text content"}},
	"tck-stream-artifact-file":    {{"filename": "output.txt", "mediaType": "text/plain"}},
	"tck-stream-artifact-chunked": {{"text": "chunk-1 "}, {"text": "chunk-2"}},
}

// holds reports whether the task has one artifact of these parts, which may have other members beside.
func (a said) holds(parts []map[string]any) bool {
	if len(a.Task.Artifacts) != 1 || len(a.Task.Artifacts[0].Parts) != len(parts) {
		return false
	}

	for i, want := range parts {
		for name, value := range want {
			if !reflect.DeepEqual(a.Task.Artifacts[0].Parts[i][name], value) {
				return false
			}
		}
	}

	return true
}

// waiting holds tasks that wait for somebody to what the protocol says of them.
func (s *sut) waiting(rest bool) {
	s.Helper()

	for _, prefix := range []string{"tck-input-required", "tck-auth-required"} {
		task := s.call(rest, "SendMessage", message(prefix, nil)).Task
		other := map[string]any{"taskId": task.ID, "contextId": "another"}
		if got := s.call(rest, "SendMessage", message("tck-mismatch", other)); got.reason() != "INVALID_PARAMS" {
			s.Errorf("%s: another context: %+v", prefix, got.Error)
		}
		answer := message("tck-complete-task", map[string]any{"taskId": task.ID})
		answer["configuration"] = map[string]any{"historyLength": 0}
		got := s.call(rest, "SendMessage", answer)
		if got.state() != "TASK_STATE_COMPLETED" || got.Task.ContextID != task.ContextID || len(got.Task.History) != 0 {
			s.Errorf("%s: the answered task is %+v %+v", prefix, got.Task, got.Error)
		}

		for operation, want := range map[string]string{
			"SendMessage": "UNSUPPORTED_OPERATION", "CancelTask": "TASK_NOT_CANCELABLE",
			"SubscribeToTask": "UNSUPPORTED_OPERATION",
		} {
			params := map[string]any{"id": task.ID}
			if operation == "SendMessage" {
				params = message("tck-terminal", map[string]any{"taskId": task.ID})
			}
			if got := s.call(rest, operation, params); got.reason() != want {
				s.Errorf("%s: %s of an ended task: %+v", prefix, operation, got)
			}
		}
		left := s.call(rest, "SendMessage", message(prefix, nil)).Task
		if got := s.call(rest, "CancelTask", map[string]any{"id": left.ID}); got.state() != "TASK_STATE_CANCELED" {
			s.Errorf("%s: cancelled it is %+v", prefix, got)
		}
	}
}

func (s *sut) refused(rest bool) {
	s.Helper()
	strange := map[string]any{"parts": []any{map[string]any{
		"raw": "dGNr", "mediaType": "application/x-unsupported-tck-type",
	}}}
	got := s.call(rest, "SendMessage", message("tck-send-003", strange))
	if got.reason() != "CONTENT_TYPE_NOT_SUPPORTED" {
		s.Errorf("a type that is not read: %+v", got)
	}
	nobody := map[string]any{"taskId": "tck-nonexistent"}
	if got = s.call(rest, "SendMessage", message("tck-multi-004", nobody)); got.reason() != "TASK_NOT_FOUND" {
		s.Errorf("a message to no task: %+v", got)
	}

	for _, operation := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
		if got := s.call(rest, operation, map[string]any{"id": "tck-nonexistent"}); got.reason() != "TASK_NOT_FOUND" {
			s.Errorf("%s of no task: %+v", operation, got)
		}
	}
}

// A kit may want the statuses of either version of the protocol; without a wish they are the product's.
func TestTheStatusesOfHTTP(t *testing.T) {
	t.Parallel()
	const unread = `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unknown"}]}}`

	for name, tc := range map[string]struct{ media, cancel, body, part int }{
		"the product's": {0, http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusBadRequest},
		"1.0.1":         {http.StatusBadRequest, http.StatusBadRequest, http.StatusBadRequest, http.StatusBadRequest},
		"1.0.0": {
			http.StatusUnsupportedMediaType, http.StatusConflict,
			http.StatusUnsupportedMediaType, http.StatusUnsupportedMediaType,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statuses, err := statusesOf(tc.media, tc.cancel)
			if err != nil {
				t.Fatal(err)
			}
			s := openWith(t, statuses)
			refused := func(want int, reason, path, body string, header ...string) {
				t.Helper()
				resp, text := s.send(http.MethodPost, "/a2a/rest"+path, body, header...)
				var got said
				read(s, text, &got)
				if resp.StatusCode != want || got.reason() != reason || got.Error.Code != want {
					t.Errorf("%s: %d %s, want %d", path, resp.StatusCode, text, want)
				}
			}
			task := s.call(true, "SendMessage", message("tck-complete-task", nil)).Task

			refused(tc.body, "CONTENT_TYPE_NOT_SUPPORTED", "/message:send", "{}", "Content-Type", "text/plain")
			refused(tc.part, "CONTENT_TYPE_NOT_SUPPORTED", "/message:send", unread)
			refused(tc.cancel, "TASK_NOT_CANCELABLE", "/tasks/"+task.ID+":cancel", "")
		})
	}

	for _, wrong := range [][2]int{{500, 400}, {0, 404}} {
		if _, err := statusesOf(wrong[0], wrong[1]); err == nil {
			t.Errorf("the statuses %v are taken", wrong)
		}
	}
}

// A message that begins no task is answered by a message alone, in a stream too.
func TestAMessageForAMessage(t *testing.T) {
	t.Parallel()
	s := open(t)
	type answer struct {
		Task    map[string]any
		Message struct {
			MessageID, ContextID, Role string
			Parts                      []struct{ Text string }
		}
	}
	text, err := json.Marshal(message("tck-message-response", map[string]any{"contextId": "mine"}))
	if err != nil {
		t.Fatal(err)
	}
	right := func(how string, body []byte) {
		t.Helper()
		var got answer
		read(s, body, &got)
		said := got.Message
		if got.Task != nil || said.Role != "ROLE_AGENT" || said.ContextID != "mine" || said.MessageID == "" ||
			len(said.Parts) != 1 || said.Parts[0].Text != "Direct message response" {
			t.Errorf("%s: %s", how, body)
		}
	}

	_, body := s.send(http.MethodPost, "/a2a/rest/message:send", string(text))
	right("HTTP+JSON", body)
	call := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + string(text) + `}`
	_, body = s.send(http.MethodPost, "/a2a/rpc", call)
	var envelope struct{ Result json.RawMessage }
	read(s, body, &envelope)
	right("JSON-RPC", envelope.Result)
	_, body = s.send(http.MethodPost, "/a2a/rest/message:stream", string(text))
	event, rest, _ := strings.Cut(strings.TrimPrefix(string(body), "data: "), "\n\n")
	if right("a stream", []byte(event)); rest != "" {
		t.Errorf("the stream goes on after its message: %s", rest)
	}
}

// Two subscribers to a task that waits get the same events, which end with the task.
func TestSubscribersOfTheKit(t *testing.T) {
	t.Parallel()
	s := open(t)
	task := s.call(true, "SendMessage", message("tck-input-required", nil)).Task
	ended := make(chan []string, 2)

	for range cap(ended) {
		begun := make(chan struct{})
		go func() { ended <- s.events("/a2a/rest/tasks/"+task.ID+":subscribe", begun) }()
		<-begun
	}
	s.call(true, "SendMessage", message("tck-complete-task", map[string]any{"taskId": task.ID}))
	first, second := <-ended, <-ended
	if len(first) < 2 || strings.Join(first, "\n") != strings.Join(second, "\n") ||
		!strings.Contains(first[0], `"task"`) || !strings.Contains(first[len(first)-1], "TASK_STATE_COMPLETED") {
		t.Errorf("the subscribers got\n%s\nand\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
}

// events reads a stream to its end, and tells when its first event came.
func (s *sut) events(path string, begun chan struct{}) (all []string) {
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.base+path, nil)
	if err != nil {
		s.Error(err)
		close(begun)

		return nil
	}
	req.Header.Set("A2A-Version", "1.0")
	resp, err := s.client.Do(req)
	if err != nil {
		s.Error(err)
		close(begun)

		return nil
	}

	defer func() { _ = resp.Body.Close() }()

	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			all = append(all, data)
			if len(all) == 1 {
				close(begun)
			}
		}
	}

	return all
}

// The card is signed by a key that the agent publishes, and whoever has it is told so.
func TestTheCardOfTheScriptedAgent(t *testing.T) {
	t.Parallel()
	s := open(t)
	resp, body := s.send(http.MethodGet, "/.well-known/agent-card.json", "")
	var card api.A2ACard
	if err := json.Unmarshal(body, &card); err != nil || len(card.Signatures) != 1 {
		t.Fatalf("the card is %s, %v", body, err)
	}
	if !strings.Contains(resp.Header.Get("Cache-Control"), "max-age") || resp.Header.Get("ETag") == "" {
		t.Errorf("its headers are %v", resp.Header)
	}
	if bytes.Contains(body, []byte(`"required":false`)) {
		t.Errorf("the card has defaults that the form for signatures leaves out (section 8.4.1): %s", body)
	}
	same, _ := s.send(http.MethodGet, "/.well-known/agent-card.json", "", "If-None-Match", resp.Header.Get("ETag"))
	if same.StatusCode != http.StatusNotModified {
		t.Errorf("whoever has it gets %d", same.StatusCode)
	}

	_, text := s.send(http.MethodGet, "/.well-known/jwks.json", "")
	var set struct{ Keys []struct{ Kid, X, Y string } }
	if err := json.Unmarshal(text, &set); err != nil || len(set.Keys) != 1 {
		t.Fatalf("the keys are %s, %v", text, err)
	}
	x, _ := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	y, _ := base64.RawURLEncoding.DecodeString(set.Keys[0].Y)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), bytes.Join([][]byte{{4}, x, y}, nil))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := card.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(card.Signatures[0].Protected + "." + base64.RawURLEncoding.EncodeToString(payload)))
	signature, _ := base64.RawURLEncoding.DecodeString(card.Signatures[0].Signature)
	if len(signature) != 64 || !ecdsa.Verify(
		key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]),
	) {
		t.Error("the signature is not over this card")
	}
}

// A credential of one's own is not replaced, and what is refused before the protocol has its form.
func TestTheGuardOfTheScriptedAgent(t *testing.T) {
	t.Parallel()
	s := open(t)

	for what, tc := range map[string]struct {
		method, path string
		header       []string
		status       int
	}{
		"a credential that is none":  {http.MethodGet, "/a2a/rest/tasks", []string{"Authorization", "Bearer x"}, 401},
		"none, by HTTP+JSON":         {http.MethodGet, "/a2a/rest/tasks", nil, 200},
		"an address beside":          {http.MethodGet, "/a2a/other", nil, 404},
		"JSON-RPC with a slash":      {http.MethodGet, "/a2a/rpc/", nil, 405},
		"no version":                 {http.MethodGet, "/a2a/rest/tasks", []string{"A2A-Version", ""}, 400},
		"HTTP+JSON at its own place": {http.MethodGet, "/a2a/rest", nil, 404},
	} {
		resp, body := s.send(tc.method, tc.path, "", tc.header...)
		if resp.StatusCode != tc.status || !json.Valid(body) {
			t.Errorf("%s: %d %s", what, resp.StatusCode, body)
		}
	}
}
