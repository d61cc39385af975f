package e2e_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// bearerOf adds an agent's bearer to what a client of the protocol sends.
type bearerOf struct {
	next   http.RoundTripper
	bearer string
	key    string // Idempotency-Key, "" for none
	place  string // Last-Event-ID, "" for none
}

func (b bearerOf) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.bearer)

	for name, value := range map[string]string{"Idempotency-Key": b.key, "Last-Event-ID": b.place} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}

	return b.next.RoundTrip(r)
}

// speaks returns the official client, unchanged, for one binding of the service.
func (w *world) speaks(binding a2a.TransportProtocol, with bearerOf) *a2aclient.Client {
	w.t.Helper()
	if with.next == nil {
		with.next = w.bare
	}
	card := w.a2aCard()
	card.SupportedInterfaces = slices.DeleteFunc(
		slices.Clone(card.SupportedInterfaces),
		func(i *a2a.AgentInterface) bool {
			return i.ProtocolBinding != binding
		},
	)
	own := &http.Client{Transport: with}
	c, err := a2aclient.NewFromCard(
		w.t.Context(),
		card,
		a2aclient.WithJSONRPCTransport(own),
		a2aclient.WithRESTTransport(own),
	)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = c.Destroy() })

	return c
}

func (w *world) a2aCard() *a2a.AgentCard {
	w.t.Helper()
	got := w.send(http.MethodGet, "/.well-known/agent-card.json", "", "")
	var card a2a.AgentCard
	if err := json.Unmarshal(got.body, &card); err != nil || got.status != http.StatusOK {
		w.t.Fatalf("the card: %d, %v", got.status, err)
	}

	return &card
}

// messageOn is a message about a case.
func messageOn(caseID, text string) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))
	if caseID != "" {
		m.Metadata = map[string]any{"caseId": caseID}
	}

	return &a2a.SendMessageRequest{Message: m}
}

func taskOf(t *testing.T, result a2a.SendMessageResult, err error) *a2a.Task {
	t.Helper()
	task, ok := result.(*a2a.Task)
	if err != nil || !ok {
		t.Fatalf("no task but %T: %v", result, err)
	}

	return task
}

// bindings runs a test with the official client in either binding.
func eachBinding(t *testing.T, w *world, agent connected, test func(t *testing.T, w *world, c *a2aclient.Client)) {
	t.Helper()

	for _, binding := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON} {
		t.Run(string(binding), func(t *testing.T) {
			w := w.in(t)
			test(t, w, w.speaks(binding, bearerOf{bearer: agent.bearer}))
		})
	}
}

// The official client does what the protocol is for, through the gateway: card, send, stream, a question back, its
// answer, the list and a cancel.
func TestTheOfficialClientOfA2A(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	eachBinding(t, w, agent, func(t *testing.T, w *world, c *a2aclient.Client) {
		ctx := t.Context()
		asks, err := c.SendMessage(ctx, messageOn("", question))
		task := taskOf(t, asks, err)
		if task.Status.State != a2a.TaskStateInputRequired || task.Status.Message == nil {
			t.Fatalf("a message about no case: %+v", task.Status)
		}
		answer := a2a.NewMessageForTask(a2a.MessageRoleUser, task, a2a.NewTextPart(caseID))
		done, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer})
		answered := taskOf(t, done, err)
		if answered.ID != task.ID || answered.Status.State == a2a.TaskStateFailed || len(answered.Artifacts) != 1 {
			t.Fatalf("the answered task is %+v", answered)
		}
		if phase := w.phase(agent.bearer, string(answered.Artifacts[0].ID)); phase.Prompt != question ||
			phase.ContainerID != caseID {
			t.Errorf("the phase is about %s and asks %q", phase.ContainerID, phase.Prompt)
		}

		id, text := streamed(t, c, messageOn(caseID, question))
		got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
		if err != nil || len(got.Artifacts) != 1 || got.Artifacts[0].Parts[0].Text() != text {
			t.Errorf("the task read afterwards: %+v, %v\nstreamed: %s", got, err, text)
		}
		list, err := c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1})
		if err != nil || len(list.Tasks) != 1 || list.TotalSize < 2 || list.Tasks[0].ID != id {
			t.Errorf("the list is %+v, %v", list, err)
		}
		nobodys := &a2a.CancelTaskRequest{ID: "01900000-0000-7000-8000-000000000000"}
		if _, err := c.CancelTask(ctx, nobodys); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("cancel of nobody's task: %v", err)
		}
		open := sent(c.SendMessage(ctx, messageOn("", "x")))
		over, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: open.ID})
		if err != nil || over.Status.State != a2a.TaskStateCanceled {
			t.Errorf("cancel: %+v, %v", over, err)
		}
	})
}

// streamed sends a message, reads its stream to the end and returns the id of its task and the text of its answer.
func streamed(t *testing.T, c *a2aclient.Client, m *a2a.SendMessageRequest) (id a2a.TaskID, text string) {
	t.Helper()
	var kinds []string

	for e, err := range c.SendStreamingMessage(t.Context(), m) {
		if err != nil {
			t.Fatal(err)
		}

		switch e := e.(type) {
		case *a2a.Task:
			kinds, id = append(kinds, "task"), e.ID
		case *a2a.TaskStatusUpdateEvent:
			kinds = append(kinds, string(e.Status.State))
		case *a2a.TaskArtifactUpdateEvent:
			if !e.Append {
				text = ""
			}
			text += e.Artifact.Parts[0].Text()
		}
	}
	if len(kinds) < 3 || kinds[0] != "task" || kinds[len(kinds)-1] == string(a2a.TaskStateWorking) {
		t.Errorf("the stream tells %v", kinds)
	}

	return id, text
}

func sent(result a2a.SendMessageResult, _ error) *a2a.Task {
	task, _ := result.(*a2a.Task)
	return task
}

// rest sends a request of the HTTP+JSON binding, which the OpenAPI document only names.
func (w *world) rest(method, path, bearer, body string) answer {
	w.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}

	return w.do(&http.Client{Transport: w.bare}, w.request(method, "/a2a/rest"+path, bearer, r, "A2A-Version", "1.0"))
}

// phase reads a phase.
func (w *world) phase(bearer, id string) api.Phase {
	w.t.Helper()
	return into[api.Phase](w.t, w.send(http.MethodGet, "/v1/phases?phaseId="+id, bearer, ""), http.StatusOK)
}

// The signed card is the protocol's, signed by a key that we publish, and the same from every replica.
func TestTheSignedCard(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	got := w.send(http.MethodGet, "/.well-known/agent-card.json", "", "")
	card := into[api.A2ACard](t, got, http.StatusOK)
	if len(card.Signatures) != 1 || len(card.SupportedInterfaces) != 2 ||
		card.SupportedInterfaces[0].ProtocolVersion != "1.0" {
		t.Fatalf("the card is %s", got.body)
	}
	signed := card.Signatures[0]
	payload, err := card.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	header, _ := base64.RawURLEncoding.DecodeString(signed.Protected)
	var named struct{ Alg, Typ, Kid string }
	if err := json.Unmarshal(header, &named); err != nil || named.Alg != "ES256" {
		t.Fatalf("the header is %s", header)
	}
	digest := sha256.Sum256([]byte(signed.Protected + "." + base64.RawURLEncoding.EncodeToString(payload)))
	signature, _ := base64.RawURLEncoding.DecodeString(signed.Signature)
	key := w.publicKey(named.Kid)
	if len(signature) != 64 ||
		!ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is not over this card")
	}

	for range 4 { // each from the other replica
		again := w.send(http.MethodGet, "/.well-known/agent-card.json", "", "")
		if !bytes.Equal(again.body, got.body) {
			t.Error("two replicas serve two cards")
		}
	}
	same := w.send(http.MethodGet, "/.well-known/agent-card.json", "", "", "If-None-Match", got.header.Get("ETag"))
	if same.status != http.StatusNotModified {
		t.Errorf("whoever has the card gets %d", same.status)
	}
}

// a2aOperations are the eleven operations of the protocol, in either binding, as requests about a task. Those whose id
// stands in a path have it as ID.
var a2aOperations = []struct {
	name         string
	method, path string // of HTTP+JSON
	params       string // of JSON-RPC, and the body of HTTP+JSON where it has one
	reason       string // with which a task of somebody else is refused; "" for an answer without it
}{
	{"SendMessage", http.MethodPost, "/message:send", a2aMessage, "TASK_NOT_FOUND"},
	{"SendStreamingMessage", http.MethodPost, "/message:stream", a2aMessage, "TASK_NOT_FOUND"},
	{"GetTask", http.MethodGet, "/tasks/ID", `{"id":"ID"}`, "TASK_NOT_FOUND"},
	{"ListTasks", http.MethodGet, "/tasks?contextId=CONTEXT", `{"contextId":"CONTEXT"}`, ""},
	{"CancelTask", http.MethodPost, "/tasks/ID:cancel", `{"id":"ID"}`, "TASK_NOT_FOUND"},
	{"SubscribeToTask", http.MethodPost, "/tasks/ID:subscribe", `{"id":"ID"}`, "TASK_NOT_FOUND"},
	{
		"CreateTaskPushNotificationConfig", http.MethodPost, "/tasks/ID/pushNotificationConfigs",
		`{"taskId":"ID","url":"https://agents.com/hook"}`, "PUSH_NOTIFICATION_NOT_SUPPORTED",
	},
	{
		"GetTaskPushNotificationConfig", http.MethodGet, "/tasks/ID/pushNotificationConfigs/1",
		`{"taskId":"ID","id":"1"}`, "PUSH_NOTIFICATION_NOT_SUPPORTED",
	},
	{
		"ListTaskPushNotificationConfigs", http.MethodGet, "/tasks/ID/pushNotificationConfigs",
		`{"taskId":"ID"}`, "PUSH_NOTIFICATION_NOT_SUPPORTED",
	},
	{
		"DeleteTaskPushNotificationConfig", http.MethodDelete, "/tasks/ID/pushNotificationConfigs/1",
		`{"taskId":"ID","id":"1"}`, "PUSH_NOTIFICATION_NOT_SUPPORTED",
	},
	{"GetExtendedAgentCard", http.MethodGet, "/extendedAgentCard", `{}`, "UNSUPPORTED_OPERATION"},
}

const a2aMessage = `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"ID","parts":[{"text":"x"}]}}`

// A task of one owner is to another as if it were not there, in every operation and either binding: its id is answered
// with the bytes that a random one gets, and its context has no tasks. Other kinds of caller have no way in.
func TestTasksAreTheirOwners(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, other, colleague := w.connect(ada), w.connect(ben), w.connect(cara)
	caseID, _ := w.newCase(agent.bearer)
	c := w.speaks(a2a.TransportProtocolJSONRPC, bearerOf{bearer: agent.bearer})
	tasks := map[string]*a2a.Task{ // one has ended, the other waits
		"an ended task": sent(c.SendMessage(t.Context(), messageOn(caseID, question))),
		"an open task":  sent(c.SendMessage(t.Context(), messageOn("", question))),
	}

	for who, bearer := range map[string]string{"another firm": other.bearer, "a colleague": colleague.bearer} {
		for what, task := range tasks {
			w.hides(who+", "+what, bearer, task)
		}
		list := w.rest(http.MethodGet, "/tasks?pageSize=100", bearer, "")
		if !strings.Contains(string(list.body), `"totalSize":0`) {
			t.Errorf("%s lists %s", who, list.body)
		}
	}

	for what, task := range tasks { // nothing has become of them
		now, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
		if err != nil || now.Status.State != task.Status.State || len(now.History) != len(task.History) {
			t.Errorf("%s is %+v, %v, and was %+v", what, now, err, task)
		}
	}

	for who, bearer := range map[string]string{"nobody": "", "a person": w.token(ada), "words": "nonsense"} {
		for _, path := range []string{"/a2a/rpc", "/a2a/rest/message:send"} {
			if got := w.send(http.MethodPost, path, bearer, `{}`, "A2A-Version", "1.0"); got.status != http.StatusUnauthorized {
				t.Errorf("%s at %s: %d", who, path, got.status)
			}
		}
	}
}

// hides checks that no operation tells somebody's task from one that there is not.
func (w *world) hides(what, bearer string, task *a2a.Task) {
	w.t.Helper()

	for _, op := range a2aOperations {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
			for _, place := range []string{"", "0"} {
				ask := func(id, context string) string {
					fill := strings.NewReplacer("ID", id, "CONTEXT", context).Replace
					return w.ofA2A(binding, op.method, fill(op.path), op.name, fill(op.params), bearer, place)
				}
				theirs, nobodys := ask(string(task.ID), task.ContextID), ask(uuid.NewString(), uuid.NewString())
				if theirs != nobodys || !strings.Contains(theirs, op.reason) {
					w.t.Errorf("%s: %s by %s: %s, and of nobody's: %s", what, op.name, binding, theirs, nobodys)
				}
			}
		}
	}
}

// ofA2A sends a request of the protocol in a binding and returns the status and the body of its answer. place is the
// last event that the caller has, "" for none.
func (w *world) ofA2A(binding, method, path, operation, params, bearer, place string) string {
	w.t.Helper()
	headers := []string{"A2A-Version", "1.0"}
	if place != "" {
		headers = append(headers, "Last-Event-ID", place)
	}
	path, body := "/a2a/rest"+path, params

	switch {
	case binding == "JSONRPC":
		method, path = http.MethodPost, "/a2a/rpc"
		body = `{"jsonrpc":"2.0","id":1,"method":"` + operation + `","params":` + params + `}`
	case method != http.MethodPost:
		body = ""
	}
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	got := w.do(&http.Client{Transport: w.bare}, w.request(method, path, bearer, r, headers...))

	return fmt.Sprintf("%d %s", got.status, got.body)
}

// What could be an identity is refused with the page where a person mends it, and is kept nowhere.
func TestAnIdentityInAMessage(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)

	for what, m := range map[string]string{
		"the text":       `{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},"parts":[{"text":"What did Margaret Thornbury sign?"}]}`,
		"a data part":    `{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},"parts":[{"data":{"client":"Margaret Thornbury"}}]}`,
		"without a case": `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"What did Margaret Thornbury sign?"}]}`,
		"the context":    `{"messageId":"m","contextId":"Margaret Thornbury","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},"parts":[{"text":"x"}]}`,
		"the message id": `{"messageId":"Margaret Thornbury","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},"parts":[{"text":"x"}]}`,
		"a file":         `{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},"parts":[{"text":"x"},{"raw":"` + base64.StdEncoding.EncodeToString([]byte("Signed by Margaret Thornbury.")) + `","filename":"a.txt","mediaType":"text/plain"}]}`,
	} {
		got := w.rest(http.MethodPost, "/message:send", agent.bearer, `{"message":`+m+`}`)
		if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), "/i/") ||
			!strings.Contains(string(got.body), "identity") {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
		if strings.Contains(strings.ToLower(string(got.body)), "thornbury") {
			t.Errorf("%s: the refusal says the name", what)
		}
	}
	if strings.Contains(w.logs.String(), "Thornbury") {
		t.Error("the name is in the log")
	}
	list := w.rest(http.MethodGet, "/tasks", agent.bearer, "")
	if !strings.Contains(string(list.body), `"totalSize":0`) {
		t.Errorf("refused messages left tasks: %s", list.body)
	}
}

// Files in a message become files of the case, which the answer may read.
func TestAFileInAMessage(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	c := w.speaks(a2a.TransportProtocolHTTPJSON, bearerOf{bearer: agent.bearer})
	send := messageOn(caseID, "What is the notice period for termination?")
	part := a2a.NewRawPart([]byte("# Lease\n\nThe notice period for termination is 47 days.\n"))
	part.Filename, part.MediaType = "lease.md", "text/markdown"
	send.Message.Parts = append(send.Message.Parts, part)
	task := sent(c.SendMessage(t.Context(), send))
	if task == nil || len(task.Artifacts) != 1 || !strings.Contains(task.Artifacts[0].Parts[0].Text(), "47 days") {
		t.Errorf("the answer does not read the file: %+v", task)
	}
}

// Files have no place without a case, and no more than a task may have go into one: nothing of the message is kept.
func TestFilesThatHaveNoPlace(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	files := strings.Repeat(`,{"raw":"VGhlIGxlYXNlLg==","filename":"a.txt"}`, 51)

	for what, m := range map[string]string{
		"no case": `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"},{"raw":"eA==","filename":"a.txt"}]}`,
		"51 files": `{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},` +
			`"parts":[{"text":"x"}` + files + `]}`,
	} {
		got := w.rest(http.MethodPost, "/message:send", agent.bearer, `{"message":`+m+`}`)
		if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), "iles") {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	page, err := w.as(agent.bearer).Files(t.Context(), caseID, "", 100)
	if err != nil || len(page.Items) != 1 {
		t.Errorf("the case has %d files, %v", len(page.Items), err)
	}
	list := w.rest(http.MethodGet, "/tasks", agent.bearer, "")
	if !strings.Contains(string(list.body), `"totalSize":0`) {
		t.Errorf("refused messages left tasks: %s", list.body)
	}
}

// Many copies of one message under one key are one task, over all replicas.
func TestOneKeyIsOneTask(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	c := w.speaks(a2a.TransportProtocolJSONRPC, bearerOf{bearer: agent.bearer, key: "the-one"})
	send := messageOn(caseID, question)
	send.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	ids := make([]a2a.TaskID, 64)
	var under sync.WaitGroup

	for i := range ids {
		under.Go(func() {
			own := *send // the client writes into its request
			task, err := c.SendMessage(t.Context(), &own)
			if err != nil {
				t.Errorf("copy %d: %v", i, err)
				return
			}
			ids[i] = sent(task, nil).ID
		})
	}
	under.Wait()
	if ids[0] == "" || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 1 {
		t.Errorf("the tasks are %v", ids)
	}
	list := into[struct{ TotalSize int }](t, w.rest(http.MethodGet, "/tasks", agent.bearer, ""), http.StatusOK)
	if list.TotalSize != 1 {
		t.Errorf("there are %d tasks", list.TotalSize)
	}
	path := "/v1/phases?mine=true&limit=100&containerId=" + caseID
	phases := into[api.Page[api.Phase]](t, w.send(http.MethodGet, path, agent.bearer, ""), http.StatusOK)
	if len(phases.Items) != 1 || phases.Items[0].PhaseID != string(ids[0]) || phases.Items[0].Attempt != 1 {
		t.Errorf("%d phases worked on it", len(phases.Items))
	}
}

// A review that waits is told with the page where a person does it; the decision ends the task.
func TestAReviewEndsATask(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	c := w.speaks(a2a.TransportProtocolJSONRPC, bearerOf{bearer: agent.bearer})

	for decision, want := range map[string]a2a.TaskState{
		"approved": a2a.TaskStateCompleted, "rejected": a2a.TaskStateRejected,
	} {
		send := messageOn(caseID, "Evaluate this case.")
		send.Message.Metadata[w.Facts.BaseURL+"/a2a/ext/legal-phase/v1"] = map[string]any{
			"caseId":      caseID,
			"requestType": api.EvalReq,
		}
		task := sent(c.SendMessage(t.Context(), send))
		if task == nil || task.Status.State != a2a.TaskStateInputRequired ||
			!strings.Contains(jsonOf(t, task.Status), "/i/review") {
			t.Fatalf("an evaluation that waits for review: %s", jsonOf(t, task))
		}
		phaseID := string(task.Artifacts[0].ID)
		w.takesNoMessage(c, task)
		got := w.send(
			http.MethodPost,
			"/v1/phases/"+phaseID+"/review",
			w.token(ada),
			`{"decision":"`+decision+`","note":"Read."}`,
		)
		if got.status != http.StatusOK {
			t.Fatalf("review: %d %s", got.status, got.body)
		}
		now, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
		if err != nil || now.Status.State != want {
			t.Errorf("%s: the task is %+v, %v", decision, now, err)
		}
		list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{Status: want})
		if err != nil || len(list.Tasks) != 1 || list.Tasks[0].ID != task.ID {
			t.Errorf("%s: the list says %+v, %v", decision, list, err)
		}
	}
}

// takesNoMessage reports a task that an agent can take out of its review by another message.
func (w *world) takesNoMessage(c *a2aclient.Client, task *a2a.Task) {
	w.t.Helper()
	more := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("And what is the notice period?"))
	more.TaskID = task.ID
	_, err := c.SendMessage(w.t.Context(), &a2a.SendMessageRequest{Message: more})

	var refused *a2a.Error
	if !errors.Is(err, a2a.ErrUnsupportedOperation) || !errors.As(err, &refused) ||
		!strings.Contains(jsonOf(w.t, refused.TypedDetails), "/i/review") {
		w.t.Errorf("a message to a task in review: %v", err)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// publicKey is the key of the published set that has an id.
func (w *world) publicKey(kid string) *ecdsa.PublicKey {
	w.t.Helper()
	set := into[struct{ Keys []struct{ Kid, X, Y string } }](
		w.t,
		w.send(http.MethodGet, "/.well-known/jwks.json", "", ""),
		http.StatusOK,
	)

	for _, k := range set.Keys {
		if k.Kid == kid {
			x, _ := base64.RawURLEncoding.DecodeString(k.X)
			y, _ := base64.RawURLEncoding.DecodeString(k.Y)
			point := slices.Concat([]byte{4}, x, y) // uncompressed, by SEC 1

			key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
			if err != nil {
				w.t.Fatal(err)
			}

			return key
		}
	}
	w.t.Fatalf("no key %s is published", kid)

	return nil
}

// numbered is one event of a stream of the protocol as it came: its number and its data.
type numbered struct{ id, data string }

// listenTo reads a stream of the HTTP+JSON binding until it ends or breaks. place is the last event that the reader
// has; each is told how many have come.
func (w *world) listenTo(method, path, bearer, body, place string, each ...func(int)) (all []numbered) {
	w.t.Helper()
	headers := []string{"A2A-Version", "1.0"}
	if place != "" {
		headers = append(headers, "Last-Event-ID", place)
	}
	var sent io.Reader
	if body != "" {
		sent = strings.NewReader(body)
	}
	resp, err := (&http.Client{Transport: w.bare}).Do(w.request(method, "/a2a/rest"+path, bearer, sent, headers...))
	if err != nil {
		return nil // the replica is gone
	}

	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		return nil
	}

	var id string

	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = rest
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			all = append(all, numbered{id, data})
			for _, told := range each {
				told(len(all))
			}
		}
	}

	return all
}

// A replica is killed while a subscriber follows a task: with Last-Event-ID the subscriber gets each event once, and
// the task ends.
func TestAKilledReplicaAndATask(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms")
	agent := r.connect(ada)
	caseID, _ := r.newCase(agent.bearer)
	r.front.to(r.first.addr)
	r.cases.hold(false, searches)

	var got []numbered
	var under sync.WaitGroup
	some := make(chan struct{})
	under.Go(func() {
		body := `{"message":{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},` +
			`"parts":[{"text":"` + question + `"}]}}`
		got = r.listenTo(http.MethodPost, "/message:stream", agent.bearer, body, "", func(n int) {
			if n == 3 {
				close(some)
			}
		})
	})
	r.cases.awaitHeld(t)
	select {
	case <-some:
	case <-time.After(testkit.Patience):
		t.Fatal("three events did not come")
	}
	r.first.kill()
	under.Wait()
	if len(got) < 2 {
		t.Fatalf("before the kill came %v", got)
	}
	r.front.to(r.second.addr)
	r.cases.letGo()
	var begun struct{ Task struct{ ID string } }
	if err := json.Unmarshal([]byte(got[0].data), &begun); err != nil {
		t.Fatal(err)
	}

	path := "/tasks/" + begun.Task.ID + ":subscribe"
	testkit.Until(t, withinAMinute, func() error {
		got = append(got, r.listenTo(http.MethodPost, path, agent.bearer, "", got[len(got)-1].id)...)
		if last := got[len(got)-1].data; !strings.Contains(last, "TASK_STATE_COMPLETED") &&
			!strings.Contains(last, "TASK_STATE_INPUT_REQUIRED") {
			return fmt.Errorf("the last event is %s", last)
		}

		return nil
	})
	whole := r.listenTo(http.MethodPost, path, agent.bearer, "", "0")
	if !slices.Equal(got[1:], whole) {
		t.Errorf("the subscriber got\n%v\nof\n%v", got[1:], whole)
	}

	for i, e := range whole {
		if e.id != strconv.Itoa(i+1) {
			t.Errorf("event %d has the number %s", i+1, e.id)
		}
	}
}

// Events of a task that Redis lost come neither in silence nor under another number: the task stands in their place,
// with the numbers that do not come.
func TestEventsOfATaskThatRedisLost(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	rdb := w.rdb()

	for name, tc := range map[string]struct {
		lost []int // numbers of events
		gaps []string
	}{
		"one":           {[]int{3}, []string{"3-3"}},
		"some in a row": {[]int{3, 4}, []string{"3-4"}},
		"in two places": {[]int{3, 5, 6}, []string{"3-3", "5-6"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			body := `{"message":{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},` +
				`"parts":[{"text":"` + question + `"}]}}`
			whole := w.listenTo(http.MethodPost, "/message:stream", agent.bearer, body, "")
			var first struct{ Task struct{ ID string } }
			if err := json.Unmarshal([]byte(whole[0].data), &first); err != nil {
				t.Fatal(err)
			}
			log := "ev:{o:oak/" + first.Task.ID + "}"
			all, err := rdb.XRange(t.Context(), log, "-", "+").Result()
			if err != nil {
				t.Fatal(err)
			}

			for _, n := range tc.lost {
				if err := rdb.XDel(t.Context(), log, all[n-1].ID).Err(); err != nil {
					t.Fatal(err)
				}
			}

			told := w.listenTo(http.MethodPost, "/tasks/"+first.Task.ID+":subscribe", agent.bearer, "", "1")
			gaps, next := gapsOfTask(t, told, 2)
			if !slices.Equal(gaps, tc.gaps) || next != len(all)+1 {
				t.Errorf("the gaps are %q, want %q; the last number is %d of %d", gaps, tc.gaps, next-1, len(all))
			}
		})
	}
}

// gapsOfTask returns the gaps that the events of a task tell of, from a number on, and the number behind the last one.
// Apart from the gaps no number may be missing.
func gapsOfTask(t *testing.T, events []numbered, next int) (gaps []string, behind int) {
	t.Helper()

	for _, e := range events {
		var told struct {
			Task *struct {
				Metadata map[string]struct{ Gap api.Gap }
			}
		}
		if err := json.Unmarshal([]byte(e.data), &told); err != nil {
			t.Fatal(err)
		}
		if told.Task == nil {
			if e.id != strconv.Itoa(next) {
				t.Fatalf("number %s, want %d: %s", e.id, next, e.data)
			}
			next++

			continue
		}

		for _, m := range told.Task.Metadata {
			if m.Gap.To == 0 {
				continue // of another extension
			}
			gaps = append(gaps, fmt.Sprintf("%d-%d", m.Gap.From, m.Gap.To))
			if m.Gap.From != next || e.id != strconv.Itoa(m.Gap.To) {
				t.Errorf("number %s has the gap %+v, want one from %d", e.id, m.Gap, next)
			}
			next = m.Gap.To + 1
		}
	}

	return gaps, next
}
