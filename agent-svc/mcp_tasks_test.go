package agentsvc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// Capabilities of hosts.
const (
	followsTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	asksForms    = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	opensPages   = `{"elicitation":{"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	doesAll      = `{"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
)

// mcpTask is the result of a request about a task, or of a call that became one.
type mcpTask struct {
	ResultType, TaskID, Status, StatusMessage, CreatedAt, LastUpdatedAt string
	TTLMs                                                               *int64
	PollIntervalMs                                                      int64
	InputRequests                                                       map[string]struct {
		Method string
		Params struct {
			Mode, Message, URL string
			RequestedSchema    json.RawMessage
		}
	}
	Result            *inlined
	Content           json.RawMessage // of a result that is none of a task
	StructuredContent task
}

// inlined is the result of a task within it.
type inlined struct {
	mcp.CallToolResult
	ResultType string
}

// UnmarshalJSON reads the type too, which the library keeps to itself.
func (i *inlined) UnmarshalJSON(text []byte) error {
	var kind struct{ ResultType string }
	if err := json.Unmarshal(text, &kind); err != nil {
		return err
	}
	i.ResultType = kind.ResultType

	return json.Unmarshal(text, &i.CallToolResult)
}

// fault is an error of JSON-RPC.
type fault struct {
	Code    int
	Message string
	Data    struct {
		Error, Message, DeepLink string
		Details                  []errs.Detail
		RequiredCapabilities     struct{ Extensions map[string]any }
	}
}

// follower is a host of the newest version that sends its requests by hand.
type follower struct {
	host   *host
	base   string // of the replica
	caller access.Caller
	can    string // its capabilities
}

func (f follower) ask(t testing.TB, method, params string, header ...string) (mcpTask, fault, servicetest.Answer) {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(params), &all); err != nil {
		t.Fatal(err)
	}
	all["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    modern,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(f.can),
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": all})
	if err != nil {
		t.Fatal(err)
	}

	name, _ := all["name"].(string)
	if id, ok := all["taskId"].(string); ok {
		name = id
	}
	at := *f.host
	at.Base = f.base
	a := at.raw(t, f.caller, string(body), append([]string{
		"MCP-Protocol-Version", modern, "Mcp-Method", method, "Mcp-Name", name,
	}, header...)...)
	text := a.Body
	if _, data, ok := strings.Cut(string(text), "data: "); ok {
		text = []byte(data)
	}
	var answered struct {
		ID     int
		Result mcpTask
		Error  fault
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answered); err != nil || answered.ID != 7 {
		t.Fatalf("%s %s: %d %s: %v", method, params, a.Status, a.Body, err)
	}

	return answered.Result, answered.Error, a
}

// must is ask for what is to go well.
func (f follower) must(t testing.TB, method, params string) mcpTask {
	t.Helper()
	got, failed, _ := f.ask(t, method, params)
	if failed.Code != 0 {
		t.Fatalf("%s %s: %+v", method, params, failed)
	}

	return got
}

func (f follower) call(t testing.TB, arguments string) mcpTask {
	t.Helper()
	return f.must(t, "tools/call", `{"name":"legal_agent","arguments":`+arguments+`}`)
}

func (f follower) get(t testing.TB, id string) mcpTask {
	t.Helper()
	got := f.must(t, "tasks/get", `{"taskId":"`+id+`"}`)
	if got.TaskID != id || got.ResultType != "complete" || got.PollIntervalMs <= 0 {
		t.Errorf("tasks/get %s: %+v", id, got)
	}

	return got
}

// until asks for a task until it has a status.
func (f follower) until(t testing.TB, id, status string) (got mcpTask) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		if got = f.get(t, id); got.Status != status {
			return fmt.Errorf("the task is %s (%s)", got.Status, got.StatusMessage)
		}

		return nil
	})

	return got
}

// outcomeOf reads the result of a completed task, which is what the tool gives every host.
func outcomeOf(t testing.TB, got mcpTask) (out task) {
	t.Helper()
	if got.Result == nil || got.Result.ResultType != "complete" {
		t.Fatalf("no complete result: %+v", got)
	}
	if err := json.Unmarshal([]byte(outcome(t, "legal_agent", &got.Result.CallToolResult).text), &out); err != nil {
		t.Fatal(err)
	}

	return out
}

func (h *host) follower(can string) follower {
	return follower{host: h, base: h.Base, caller: application("ann", "agent:run"), can: can}
}

// TestLongWorkIsATask follows a run from its call to its result, over two replicas and the end of the first.
func TestLongWorkIsATask(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	f := h.follower(followsTasks)
	other := strings.Replace(question, "rent", "first day", 1)
	if quick := f.call(t, `{`+question+`}`); quick.ResultType != "complete" || quick.StructuredContent.State != "completed" {
		t.Errorf("work that ends within the wait: %+v", quick)
	}

	h.office.set(3 * time.Second)
	made := f.call(t, `{`+other+`,"waitSeconds":0}`)
	early := made.Result != nil || made.Content != nil
	if made.ResultType != "task" || made.Status != "working" || made.TaskID == "" || early {
		t.Fatalf("%+v", made)
	}
	if _, err := time.Parse(time.RFC3339Nano, made.CreatedAt); err != nil {
		t.Errorf("createdAt: %v", err)
	}

	elsewhere := f
	elsewhere.base = h.replica(t).Base
	if got := elsewhere.get(t, made.TaskID); got.Status != "working" || got.StatusMessage == "" {
		t.Errorf("on another replica, at once: %+v", got)
	}
	done := elsewhere.until(t, made.TaskID, "completed")
	if out := outcomeOf(t, done); out.State != "completed" || out.TaskID != made.TaskID || out.Message == "" {
		t.Errorf("%+v", out)
	}
	if again := f.get(t, made.TaskID); again.Status != "completed" || again.CreatedAt != made.CreatedAt {
		t.Errorf("asked again: %+v", again)
	}
	// An ended task stays as it is, and to cancel it is no mistake.
	ack := f.must(t, "tasks/cancel", `{"taskId":"`+made.TaskID+`"}`)
	if ack.ResultType != "complete" || ack.TaskID != "" {
		t.Errorf("the word on a cancellation: %+v", ack)
	}
	if got := f.get(t, made.TaskID); got.Status != "completed" {
		t.Errorf("after it: %+v", got)
	}
	// Whoever was told the end of a task begins another with the same words.
	h.office.set(0)
	if more := f.call(t, `{`+other+`}`); more.StructuredContent.TaskID == made.TaskID {
		t.Error("the same words went on being the same task")
	}
}

// TestATaskOutlivesItsProcess ends the replica that runs a task.
func TestATaskOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.set(time.Minute)
	var id string
	t.Run("the first replica", func(t *testing.T) {
		f := h.follower(followsTasks)
		f.base = h.replica(t).Base
		id = f.call(t, `{`+question+`,"waitSeconds":0}`).TaskID
		h.office.goOn(t)
	})

	got := h.follower(followsTasks).until(t, id, "completed")
	if out := outcomeOf(t, got); out.State != "completed" || len(out.Citations) == 0 {
		t.Errorf("%+v", out)
	}
}

func TestAFollowedTaskIsCancelled(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.set(time.Minute)
	f := h.follower(followsTasks)
	made := f.call(t, `{`+question+`,"waitSeconds":0}`)
	ack := f.must(t, "tasks/cancel", `{"taskId":"`+made.TaskID+`"}`)
	if ack.ResultType != "complete" || ack.TaskID != "" || ack.Status != "" {
		t.Errorf("%+v", ack)
	}
	if got := f.until(t, made.TaskID, "cancelled"); got.Result != nil {
		t.Errorf("%+v", got)
	}
	out := instruct(t, h.session(t, legacy, f.caller, nil), `{"taskId":"`+made.TaskID+`"}`)
	if out.State != "canceled" {
		t.Errorf("to a host without tasks: %+v", out)
	}
}

func (f follower) update(t testing.TB, id, key, response string) (mcpTask, fault) {
	t.Helper()
	got, failed, _ := f.ask(t, "tasks/update", `{"taskId":"`+id+`","inputResponses":{"`+key+`":`+response+`}}`)

	return got, failed
}

func accepts(answer string) string {
	return `{"action":"accept","content":{"answer":"` + answer + `"}}`
}

// TestATaskAsksItsUser has a question answered, by hosts that can and cannot ask.
func TestATaskAsksItsUser(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	f := h.follower(asksForms)
	begin := func(key string) mcpTask {
		return f.call(t, `{"message":"Draft something","caseId":"`+caseID+`","idempotencyKey":"`+key+`"}`)
	}
	made := begin("k1")
	if made.ResultType != "task" || made.Status != "input_required" || len(made.InputRequests) != 0 {
		t.Fatalf("%+v", made)
	}

	asked := f.get(t, made.TaskID)
	if asked.Status != "input_required" || len(asked.InputRequests) != 1 || asked.Result != nil {
		t.Fatalf("%+v", asked)
	}
	key := onlyKey(asked)
	in := asked.InputRequests[key]
	if in.Method != "elicitation/create" || in.Params.Mode != "form" || in.Params.Message == "" ||
		!strings.Contains(string(in.Params.RequestedSchema), `"answer"`) {
		t.Errorf("%+v", in)
	}
	plain := f
	plain.can = followsTasks
	if got := plain.get(t, made.TaskID); got.Status != "completed" || outcomeOf(t, got).State != "input_required" {
		t.Errorf("a host that cannot ask: %+v", got)
	}

	for response, code := range map[string]int{
		accepts(""): -32602, accepts(strings.Repeat("a", 32_001)): -32602,
		accepts("My client is John Smith, 12 Oak St, Fresno"): -32602,
		`{"action":"accept","content":{"answer":7}}`:          -32602,
		`{"action":"allow","content":{"answer":"a"}}`:         -32602,
		`{"action":"accept"}`:                                 -32602,
		`"yes"`:                                               -32602,
	} {
		_, failed := f.update(t, made.TaskID, key, response)
		if failed.Code != code || failed.Data.Error == "" || failed.Data.Message == "" {
			t.Errorf("%.60s: %+v", response, failed)
		}
	}
	named := accepts("Call John Smith at john.smith@example.com")
	_, failed := f.update(t, made.TaskID, key, named)
	if failed.Data.Error != "identity_refused" || failed.Data.DeepLink == "" {
		t.Errorf("an identity: %+v", failed)
	}
	n := h.office.begunSoFar()
	// The word on an answer may be lost, and an unknown key is ignored.
	for _, to := range []string{key, key, "answer-unknown"} {
		ack, failed := f.update(t, made.TaskID, to, accepts("List the amounts"))
		if ack.ResultType != "complete" || failed.Code != 0 {
			t.Errorf("to %s: %+v %+v", to, ack, failed)
		}
	}
	done := f.until(t, made.TaskID, "completed")
	if out := outcomeOf(t, done); out.State != "completed" || out.TaskID != made.TaskID || h.office.begunSoFar() != n+1 {
		t.Errorf("%+v, %d phases more", out, h.office.begunSoFar()-n)
	}

	// Declined, the task ends with the question; cancelled, without a result.
	other := begin("k2").TaskID
	if _, failed := f.update(t, other, onlyKey(f.get(t, other)), `{"action":"decline"}`); failed.Code != 0 {
		t.Error(failed)
	}
	if got := f.get(t, other); got.Status != "completed" || outcomeOf(t, got).State != "input_required" {
		t.Errorf("declined: %+v", got)
	}
	third := begin("k3").TaskID
	f.must(t, "tasks/cancel", `{"taskId":"`+third+`"}`)
	if got := f.get(t, third); got.Status != "cancelled" || len(got.InputRequests) != 0 {
		t.Errorf("cancelled: %+v", got)
	}
}

func onlyKey(got mcpTask) string {
	for key := range got.InputRequests {
		return key
	}

	return ""
}

// TestATaskWaitsForItsReview sends the user to the review of an answer, and tells what came of it.
func TestATaskWaitsForItsReview(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	review := func(t *testing.T, f follower, response string) (id string) {
		t.Helper()
		made := f.call(t, `{"message":"How complex is it?","requestType":"eval_req","caseId":"`+caseID+`","idempotencyKey":"`+t.Name()+`"}`)
		if made.ResultType != "task" || made.Status != "input_required" {
			t.Fatalf("%+v", made)
		}
		asked := f.get(t, made.TaskID)
		in := asked.InputRequests[onlyKey(asked)]
		page := strings.Contains(in.Params.URL, "/i/review?")
		if in.Params.Mode != "url" || !page || in.Params.RequestedSchema != nil {
			t.Fatalf("%+v", asked)
		}
		f.must(t, "tasks/update", `{"taskId":"`+made.TaskID+`","inputResponses":{"`+onlyKey(asked)+`":`+response+`}}`)

		return made.TaskID
	}

	for decision, wanted := range map[string]string{
		api.ReviewApproved: "", api.ReviewAmended: "As amended.", api.ReviewRejected: "",
	} {
		t.Run(decision, func(t *testing.T) {
			f := h.follower(opensPages)
			id := review(t, f, `{"action":"accept"}`)
			if got := f.get(t, id); got.Status != "working" || got.PollIntervalMs < 10_000 {
				t.Errorf("before the decision: %+v", got)
			}
			p := h.office.stands(id)
			at := api.At(time.Now())
			p.Review = api.Review{Required: true, Status: decision, At: &at, AmendedText: wanted}
			h.office.put(p)
			out := outcomeOf(t, f.until(t, id, "completed"))
			if out.Review == nil || out.Review.Status != decision || wanted != "" && out.Message != wanted {
				t.Errorf("%+v", out)
			}
			if rejected := strings.Contains(out.Next, "rejected"); rejected != (decision == api.ReviewRejected) {
				t.Errorf("what is next: %s", out.Next)
			}
		})
	}
	t.Run("declined", func(t *testing.T) {
		f := h.follower(doesAll)
		id := review(t, f, `{"action":"decline"}`)
		if out := outcomeOf(t, f.get(t, id)); out.State != "completed" || out.Review == nil || out.Review.Status != api.ReviewPending {
			t.Errorf("%+v", out)
		}
	})
	t.Run("cancelled while the reviewer reads", func(t *testing.T) {
		f := h.follower(doesAll)
		id := review(t, f, `{"action":"accept"}`)
		f.must(t, "tasks/cancel", `{"taskId":"`+id+`"}`)
		if got := f.get(t, id); got.Status != "cancelled" {
			t.Errorf("%+v", got)
		}
		p := h.office.stands(id)
		at := api.At(time.Now())
		p.Review = api.Review{Required: true, Status: api.ReviewApproved, At: &at}
		h.office.put(p)
		if got := f.get(t, id); got.Status != "cancelled" {
			t.Errorf("after the decision: %+v", got)
		}
	})
	t.Run("a host that opens no pages", func(t *testing.T) {
		f := h.follower(asksForms)
		if got := f.call(t, `{"message":"How complex is it?","requestType":"eval_req","caseId":"`+caseID+`","idempotencyKey":"plain"}`); got.ResultType != "complete" || got.StructuredContent.Review == nil {
			t.Errorf("%+v", got)
		}
	})
}

// TestTheEndOfATaskIsFinal goes on with tasks that their user has ended, as hosts without tasks do.
func TestTheEndOfATaskIsFinal(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	f := h.follower(asksForms)

	for end, wanted := range map[string]string{"decline": "completed", "cancel": "cancelled"} {
		t.Run(end, func(t *testing.T) {
			id := f.call(t, `{"message":"Draft something","caseId":"`+caseID+`","idempotencyKey":"`+end+`"}`).TaskID
			asked := f.get(t, id)
			if asked.Status != "input_required" || asked.TTLMs != nil {
				t.Errorf("before its end: %+v", asked)
			}
			if end == "cancel" {
				f.must(t, "tasks/cancel", `{"taskId":"`+id+`"}`)
			} else {
				f.update(t, id, onlyKey(asked), `{"action":"decline"}`)
			}
			ended := f.get(t, id)
			if ended.Status != wanted || ended.TTLMs == nil || *ended.TTLMs < (24*time.Hour).Milliseconds() {
				t.Errorf("at its end: %+v", ended)
			}

			h.office.set(3 * time.Second)
			defer h.office.set(0)
			more := f.call(t, `{"message":"List the amounts","taskId":"`+id+`","waitSeconds":0}`)
			if more.TaskID == id || more.Status != "working" {
				t.Errorf("what comes after it: %+v", more)
			}
			if got := f.get(t, id); got.Status != wanted {
				t.Errorf("while that works: %+v", got)
			}
			f.update(t, id, onlyKey(asked), accepts("List the dates"))
			f.must(t, "tasks/cancel", `{"taskId":"`+id+`"}`)
			if got := f.get(t, id); got.Status != wanted {
				t.Errorf("after a late answer and a late cancellation: %+v", got)
			}
			f.until(t, more.TaskID, "completed")
		})
	}
}

// TestTasksAreTheirUsers asks for tasks with every method as others, and as hosts that know none.
func TestTasksAreTheirUsers(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	f := h.follower(asksForms)
	made := f.call(t, `{"message":"Draft something","caseId":"`+caseID+`"}`)
	const tasks = "io.modelcontextprotocol/tasks"
	methods := map[string]string{
		"tasks/get": "", "tasks/cancel": "",
		"tasks/update": `,"inputResponses":{"answer-` + made.TaskID + `":` + accepts("a") + `}`,
	}

	for method, more := range methods {
		params := func(id string) string { return `{"taskId":"` + id + `"` + more + `}` }
		ben, weak := f, f
		ben.caller, weak.caller = application("ben", "agent:run"), application("ann", "cases:read")

		for _, id := range []string{made.TaskID, foreignID, "../../x", "", strings.Repeat("a", 5000)} {
			_, failed, a := ben.ask(t, method, params(id))
			if failed.Code != -32602 || a.Status != http.StatusBadRequest || failed.Data.Error != "not_found" {
				t.Errorf("%s of %.20q by another user: %d %+v", method, id, a.Status, failed)
			}
		}

		for _, can := range []string{`{}`, `{"extensions":{}}`, `{"extensions":{"` + tasks + `":null}}`} {
			none := f
			none.can = can
			_, failed, a := none.ask(t, method, params(made.TaskID))
			named := failed.Data.RequiredCapabilities.Extensions[tasks] != nil
			if failed.Code != -32021 || a.Status != http.StatusBadRequest || !named {
				t.Errorf("%s of a host with %s: %d %+v", method, can, a.Status, failed)
			}
		}
		a := weak.rawOf(t, method, params(made.TaskID))
		asked := a.Header.Get("WWW-Authenticate")
		if a.Status != http.StatusForbidden || !strings.Contains(asked, `insufficient_scope`) {
			t.Errorf("%s without the scope: %d %s", method, a.Status, a.Body)
		}
		_, failed, a := f.ask(t, method, params(made.TaskID), "Mcp-Name", foreignID)
		if failed.Code != -32020 || a.Status != http.StatusBadRequest {
			t.Errorf("%s routed by another id: %d %+v", method, a.Status, failed)
		}
		if _, failed, _ := f.ask(t, method, `{"taskId":7`+more+`}`); failed.Code != -32602 {
			t.Errorf("%s of a number: %+v", method, failed)
		}
	}

	for _, method := range []string{"tasks/list", "tasks/result"} {
		_, failed, a := f.ask(t, method, `{"taskId":"`+made.TaskID+`"}`)
		if failed.Code != -32601 || a.Status != http.StatusNotFound {
			t.Errorf("%s: %d %+v", method, a.Status, failed)
		}
	}
	none := f
	none.can = `{}`
	_, failed, _ := none.ask(t, "subscriptions/listen", `{"notifications":{"taskIds":["`+made.TaskID+`"]}}`)
	if failed.Code != -32021 {
		t.Errorf("to be told of tasks, undeclared: %+v", failed)
	}
	if got := f.get(t, made.TaskID); got.Status != "input_required" {
		t.Errorf("after all this: %+v", got)
	}
}

// rawOf is a request whose answer is no message of JSON-RPC.
func (f follower) rawOf(t testing.TB, method, params string) servicetest.Answer {
	t.Helper()
	meta := fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s}}`, modern, f.can)

	return f.host.raw(t, f.caller, message(method, strings.TrimSuffix(params, "}")+meta),
		"MCP-Protocol-Version", modern, "Mcp-Method", method, "Mcp-Name", strings.Split(params, `"`)[3])
}

// TestResultsAreSentOnce calls the tools by each version of the protocol: what has no structured results gets none.
func TestResultsAreSentOnce(t *testing.T) {
	t.Parallel()
	h := startMCP(t)

	for version, wanted := range map[string]bool{"2025-03-26": false, "2025-06-18": true, legacy: true} {
		ask := func(method, params string) string {
			a := h.raw(t, application("ann", "cases:read"), message(method, params), "MCP-Protocol-Version", version)
			return string(a.Body)
		}
		called := ask("tools/call", `{"name":"legal_lookup","arguments":{"view":"cases"}}`)
		got := strings.Contains(called, `"structuredContent"`)
		if got != wanted || !strings.Contains(called, `"type":"text"`) {
			t.Errorf("%s: %s", version, called)
		}
		listed := ask("tools/list", `{}`)
		if got := strings.Contains(listed, `"outputSchema"`); got != wanted {
			t.Errorf("%s lists %s", version, listed)
		}
	}
}

// TestUnknownArgumentsAreTold names the arguments that a tool takes to a model that made some up.
func TestUnknownArgumentsAreTold(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", all...), nil)

	for arguments, wanted := range map[string]string{
		`legal_lookup {"view":"cases","page":2}`:                       "cursor",
		`legal_agent {"message":"x","case":"y"}`:                       "caseId",
		`legal_lookup {"view":"cases","filters":{"colour":"blue"}}`:    "status",
		`legal_lookup {"view":"case","id":"` + caseID + `","extra":1}`: "filters",
	} {
		tool, given, _ := strings.Cut(arguments, " ")
		if c := call(t, s, tool, given); !c.IsError || !strings.Contains(c.text, wanted) {
			t.Errorf("%s: %s", arguments, c.text)
		}
	}
}
