package agentsvc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"pgregory.net/rapid"
)

// task is an outcome of legal_agent.
type task struct {
	State, Message, Question, TaskID, ContextID, CaseID, DeepLink, Next string
	Citations                                                           []struct {
		N, CharStart, CharEnd int
		FileID, Quote, ID     string
		URL, RetrievedAt      string
	}
	Artifacts []struct{ ID, Name, MIMEType, URL string }
	Changes   []struct {
		Type, ID, Action, Summary string
		Version                   int
	}
	Review *struct {
		Required    bool
		Status, URL string
	}
	Preview     bool
	Suggestions []api.Suggestion
}

func instruct(t testing.TB, s *mcp.ClientSession, arguments string) task {
	t.Helper()
	c := call(t, s, "legal_agent", arguments)
	if c.IsError {
		t.Fatalf("%s: %s", arguments, c.text)
	}
	var out task
	if err := json.Unmarshal([]byte(c.text), &out); err != nil {
		t.Fatal(err)
	}

	return out
}

const question = `"message":"What does the file say about \"rent\"?","caseId":"` + caseID + `"`

func TestAMessageIsWork(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		h := startMCP(t)
		s := h.session(t, era, application("ann", "agent:run"), nil)
		out := instruct(t, s, `{`+question+`}`)
		if out.State != "completed" || out.TaskID == "" || out.ContextID != "mcp-"+out.TaskID || out.CaseID != caseID || out.Message == "" {
			t.Fatalf("%+v", out)
		}
		if len(out.Citations) == 0 || out.Citations[0].N != 1 || out.Citations[0].FileID != fileID || !strings.Contains(out.Citations[0].Quote, "Tenant pays") {
			t.Errorf("citations: %+v", out.Citations)
		}
		if c := out.Citations[0]; c.ID != fmt.Sprintf("%s:%d-%d", c.FileID, c.CharStart, c.CharEnd) ||
			c.RetrievedAt == "" || !strings.Contains(c.URL, c.FileID) {
			t.Errorf("the citation cannot be cited: %+v", c)
		}
		if other := instruct(t, h.session(t, era, application("ben", "agent:run"), nil), `{`+question+`}`); other.TaskID == out.TaskID {
			t.Error("another user's request is the same task")
		}
		if stands := instruct(t, s, `{"taskId":"`+out.TaskID+`"}`); stands.State != "completed" || stands.Message != out.Message {
			t.Errorf("later: %+v", stands)
		}
	})
}

func TestKeysOfRequests(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	one := instruct(t, s, `{`+question+`,"idempotencyKey":"k1"}`)
	two := instruct(t, s, `{`+question+`,"idempotencyKey":"k1"}`)
	three := instruct(t, s, `{`+question+`,"idempotencyKey":"k2"}`)
	if one.TaskID != two.TaskID || one.TaskID == three.TaskID {
		t.Errorf("tasks %s, %s, %s", one.TaskID, two.TaskID, three.TaskID)
	}
	if c := call(t, s, "legal_agent", `{"message":"List the parties","caseId":"`+caseID+`","idempotencyKey":"k1"}`); !c.IsError || c.refusal.Error != "phase_conflict" {
		t.Errorf("the key of another request: %s", c.text)
	}
	if c := call(t, s, "legal_agent", `{`+question+`,"idempotencyKey":""}`); !c.IsError || c.refusal.Error != "validation_failed" {
		t.Errorf("an empty key: %s", c.text)
	}
	h.office.set(time.Second)
	var wg sync.WaitGroup

	tasks := make([]string, 8)
	for i := range tasks {
		wg.Go(func() {
			tasks[i] = instruct(t, s, `{"message":"List the amounts","caseId":"`+caseID+`","waitSeconds":0}`).TaskID
		})
	}
	wg.Wait()
	slices.Sort(tasks)
	if tasks = slices.Compact(tasks); len(tasks) != 1 {
		t.Errorf("the same request at the same time began %d tasks", len(tasks))
	}
}

// TestWorkThatTakesLonger leaves a call before its work is done, and goes on with it from another replica.
func TestWorkThatTakesLonger(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		h := startMCP(t)
		h.office.set(2500 * time.Millisecond)
		var mu sync.Mutex
		var steps []float64
		var said []string
		s := h.session(t, era, application("ann", "agent:run"), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			steps, said = append(steps, r.Params.Progress), append(said, r.Params.Message)
		}})
		params := &mcp.CallToolParams{Name: "legal_agent", Arguments: json.RawMessage(`{` + question + `,"waitSeconds":1}`)}
		params.SetProgressToken("p1")
		r, err := s.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		var out task
		if err := json.Unmarshal([]byte(outcome(t, "legal_agent", r).text), &out); err != nil || out.State != "working" || out.TaskID == "" || !strings.Contains(out.Next, out.TaskID) || out.Message == "" {
			t.Fatalf("after a second: %+v, %v", out, err)
		}
		mu.Lock()
		if len(steps) < 3 || !slices.IsSorted(steps) || steps[0] != 1 || len(slices.Compact(slices.Clone(steps))) != len(steps) || !slices.Contains(said, "Searching the files of the case") {
			t.Errorf("progress %v, %q", steps, said)
		}
		mu.Unlock()
		elsewhere := h.sessionAt(t, h.replica(t).Base, era, application("ann", "agent:run"), nil)
		if out = instruct(t, elsewhere, `{"taskId":"`+out.TaskID+`","waitSeconds":20}`); out.State != "completed" || len(out.Citations) == 0 {
			t.Errorf("from another replica: %+v", out)
		}
	})
}

// TestAProcessThatStops leaves a run, and a caller who waits for it, to another replica.
func TestAProcessThatStops(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.set(time.Minute)
	ctx := t.Context()
	answers := make(chan servicetest.Answer, 1)
	t.Run("the first replica", func(t *testing.T) {
		one := *h

		one.Door = h.replica(t)
		go func() {
			a, err := one.Try(ctx, servicetest.Call{Method: http.MethodPost, Path: "/api/mcp", Caller: application("ann", "agent:run"), Header: map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": legacy,
			}, Body: []byte(message("tools/call", `{"name":"legal_agent","arguments":{`+question+`,"waitSeconds":240}}`))})
			if err != nil {
				t.Errorf("the call that waited: %v", err)
			}
			answers <- a
		}()
		h.office.goOn(t)
	})
	_, data, _ := strings.Cut(string((<-answers).Body), "data: ")
	var r struct{ Result mcp.CallToolResult }
	if err := json.Unmarshal([]byte(data), &r); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	var out task
	if err := json.Unmarshal([]byte(outcome(t, "legal_agent", &r.Result).text), &out); err != nil || out.State != "working" {
		t.Fatalf("%+v, %v", out, err)
	}
	if out = instruct(t, h.session(t, modern, application("ann", "agent:run"), nil), `{"taskId":"`+out.TaskID+`"}`); out.State != "completed" || len(out.Citations) == 0 {
		t.Errorf("taken up: %+v", out)
	}
	if p := h.office.stands(out.TaskID); p.Attempt != 2 {
		t.Errorf("attempt %d", p.Attempt)
	}
	left := h.office.last(t, "/internal/phases/"+out.TaskID+"/interrupt")
	if !strings.Contains(left.Body, `"handedOver":true`) {
		t.Errorf("the process that stopped left its run as if it had died: %s", left.Body)
	}
}

func TestATaskIsCancelled(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_LEASE", "600ms")
	h.office.set(time.Minute)
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	out := instruct(t, s, `{`+question+`,"waitSeconds":0}`)
	if out.State != "working" {
		t.Fatalf("%+v", out)
	}
	if c := call(t, s, "legal_agent", `{"taskId":"`+out.TaskID+`","message":"and now?"}`); !c.IsError || c.refusal.Error != "phase_running" {
		t.Errorf("an answer while it works: %s", c.text)
	}
	if out = instruct(t, s, `{"taskId":"`+out.TaskID+`","cancel":true}`); out.State != "canceled" {
		t.Errorf("cancelled: %+v", out)
	}
	if out = instruct(t, s, `{"taskId":"`+out.TaskID+`","cancel":true}`); out.State != "canceled" {
		t.Errorf("cancelled again: %+v", out)
	}
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, legacy, application("ann", "agent:run"), nil)
	asked := instruct(t, s, `{"message":"Draft something","caseId":"`+caseID+`"}`)
	if asked.State != "input_required" || asked.Question == "" || !strings.Contains(asked.Next, asked.TaskID) {
		t.Fatalf("%+v", asked)
	}
	answer := `{"taskId":"` + asked.TaskID + `","message":"List the amounts"}`
	done := instruct(t, s, answer)
	if done.State != "completed" || done.TaskID != asked.TaskID || done.ContextID != asked.ContextID {
		t.Errorf("answered: %+v", done)
	}
	n := h.office.begunSoFar()
	if stands := instruct(t, s, `{"taskId":"`+asked.TaskID+`"}`); stands.Message != done.Message {
		t.Errorf("the task stands at %+v", stands)
	}
	if more := instruct(t, s, `{"taskId":"`+asked.TaskID+`","message":"List the parties"}`); more.State != "completed" || h.office.begunSoFar() != n+1 {
		t.Errorf("a further message: %+v", more)
	}
}

func TestConversationsWithoutACase(t *testing.T) {
	t.Parallel()
	h := startMCP(t)

	s := h.session(t, modern, application("ann", "agent:run"), nil)
	for _, kind := range []string{"support", "sales"} {
		out := instruct(t, s, `{"message":"How do I connect an agent?","requestType":"`+kind+`_req"}`)
		if out.State != "completed" && out.State != "input_required" || out.CaseID != "" {
			t.Errorf("%s: %+v", kind, out)
		}
		if kind == "sales" && out.DeepLink == "" {
			t.Errorf("nothing is configured to say, and no link to a person: %+v", out)
		}
		if p := h.office.stands(out.TaskID); p.ContainerType != kind || p.ContainerID == "" {
			t.Errorf("%s: %+v", kind, p)
		}
	}
	if out := instruct(t, s, `{"message":"How do I add a file?"}`); h.office.stands(out.TaskID).RequestType != api.SupportReq {
		t.Errorf("without a type and a case: %+v", out)
	}
}

func TestOperationsAreMade(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	eras(t, func(t *testing.T, era string) {
		s := h.session(t, era, application("ann", all...), nil)
		for _, tc := range []struct {
			name, arguments, method, path, body string // of the request that went out; body is a part of it
			kind, id, action                    string // of the change
			header                              map[string]string
		}{
			{"a case", `{"operation":"create_case","arguments":{"title":"Lease of [Party 1]"},"idempotencyKey":"c1"}`, "POST", "/v1/cases", `{"title":"Lease of [Party 1]"}`, "case", caseID, "created", map[string]string{"Idempotency-Key": "c1"}},
			{"a change of a case", `{"operation":"update_case","caseId":"` + caseID + `","ifMatch":"3","arguments":{"summary":null}}`, "PATCH", "/v1/cases/" + caseID, `{"summary":null}`, "case", caseID, "updated", map[string]string{"If-Match": `"3"`, "Content-Type": "application/merge-patch+json"}},
			{"a file", `{"operation":"add_file","caseId":"` + caseID + `","arguments":{"name":"note.md","text":"# [Party 1]","metadata":{"docType":"note"}}}`, "POST", "/v1/cases/" + caseID + "/files", "# [Party 1]", "file", fileID, "created", nil},
			{"an entry", `{"operation":"add_timeline_entry","caseId":"` + caseID + `","arguments":{"kind":"fact","title":"x"}}`, "POST", "/v1/timeline/" + timelineID + "/entries", `{"kind":"fact","title":"x"}`, "entry", "00000000-0000-7000-8000-0000000000e2", "created", nil},
			{"a branch", `{"operation":"create_branch","caseId":"` + caseID + `","arguments":{"title":"Another view"}}`, "POST", "/v1/branch", `"timelineId":"` + timelineID + `"`, "branch", branchID, "created", nil},
			{"a change of a branch", `{"operation":"update_branch","branchId":"` + branchID + `","arguments":{"title":"x"}}`, "PATCH", "/v1/branch/" + branchID, `{"title":"x"}`, "branch", branchID, "updated", nil},
			{"a party", `{"operation":"create_party","caseId":"` + caseID + `","arguments":{"kind":"individual","role":"witness"}}`, "POST", "/v1/parties", `"caseId":"` + caseID + `"`, "party", partyID, "created", nil},
			{"a change of a party", `{"operation":"update_party","ifMatch":"\"1\"","arguments":{"partyId":"` + partyID + `","kind":"individual"}}`, "PUT", "/v1/parties/" + partyID, `{"kind":"individual"}`, "party", partyID, "updated", map[string]string{"If-Match": `"1"`}},
			{"an invitation", `{"operation":"invite_partner","caseId":"` + caseID + `","arguments":{"partnerId":"` + partyID + `","role":"second_opinion"}}`, "POST", "/v1/cases/" + caseID + "/partners/" + partyID + "/invite", `{"role":"second_opinion"}`, "invite", inviteID, "proposed", nil},
		} {
			t.Run(tc.name, func(t *testing.T) {
				before := h.office.count(tc.method, tc.path)
				would := instruct(t, s, strings.Replace(tc.arguments, "{", `{"preview":true,`, 1))
				told := strings.HasPrefix(would.Message, "Nothing was changed. ")
				if !told || !would.Preview || len(would.Changes) > 0 {
					t.Errorf("a preview says %+v", would)
				}
				if n := h.office.count(tc.method, tc.path) - before; n != 0 {
					t.Errorf("a preview wrote %d times", n)
				}

				out := instruct(t, s, tc.arguments)
				if out.Preview {
					t.Errorf("what was done is told as a preview: %+v", out)
				}
				sent := h.office.last(t, tc.path)
				if sent.Method != tc.method || sent.Path != tc.path || !strings.Contains(sent.Body, tc.body) || sent.Caller.ClientID == "" {
					t.Errorf("sent %s %s %s", sent.Method, sent.Path, sent.Body)
				}

				for name, want := range tc.header {
					if got := sent.Header.Get(name); got != want {
						t.Errorf("%s = %q, want %q", name, got, want)
					}
				}
				if out.State != "completed" || len(out.Changes) != 1 || out.Changes[0].Type != tc.kind || out.Changes[0].ID != tc.id || out.Changes[0].Action != tc.action {
					t.Errorf("%+v", out)
				}
				if tc.action == "proposed" && out.DeepLink != "https://subrosa.test/i/confirm_invite?invite="+inviteID {
					t.Errorf("the link is %q", out.DeepLink)
				}
			})
		}
	})
}

func TestAFileThatIsThereAlready(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", all...), nil)
	out := instruct(
		t,
		s,
		`{"operation":"add_file","caseId":"`+caseID+`","arguments":{"name":"again.txt","text":"`+alreadyThere+`"}}`,
	)
	if out.State != "completed" || len(out.Changes) != 0 ||
		out.Message != "The case already has this text as file "+fileID+", called Lease.pdf. Nothing was added." {
		t.Errorf("%+v", out)
	}
}

func TestWhatOnlyAPersonDoes(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	mine := h.office.phase("ann", api.PhaseCompleted)

	s := h.session(t, modern, application("ann", all...), nil)
	for name, tc := range map[string]struct{ arguments, link, says string }{
		"deleting a case":        {`{"operation":"delete_case","caseId":"` + caseID + `"}`, "case_settings?case=" + caseID, ""},
		"closing a case":         {`{"operation":"update_case","caseId":"` + caseID + `","arguments":{"status":"closed"}}`, "case_settings?case=" + caseID, ""},
		"reviewing":              {`{"operation":"review_phase","arguments":{"phaseId":"` + mine + `","decision":"approved"}}`, "review?phase=" + mine, ""},
		"connecting an agent":    {`{"operation":"connect_agent"}`, "agent", ""},
		"disconnecting an agent": {`{"operation":"disconnect_agent","arguments":{"agentId":"x"}}`, "agent", ""},
		"a name in a message":    {`{"message":"Call Jane Roe at 415-555-0134","caseId":"` + caseID + `"}`, "add_identity?case=" + caseID, "message phone"},
		"a name in an operation": {`{"operation":"create_case","arguments":{"title":"Jane v. Roe"}}`, "add_identity", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := instruct(t, s, tc.arguments)
			if out.State != "rejected" || !strings.HasPrefix(out.DeepLink, "https://subrosa.test/i/"+tc.link) || out.Next == "" || !strings.Contains(out.Message, tc.says) || strings.Contains(out.Message, "Jane") {
				t.Errorf("%+v, want the link %s", out, tc.link)
			}
		})
	}
	if n := h.office.count(http.MethodPost, "/internal/refusals"); n != 3 {
		t.Errorf("%d refusals on record, want those of the message and the agent, 3", n)
	}

	for _, secret := range []string{"Jane", "415-555"} {
		if strings.Contains(h.logged.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	// A run that ends refused, because what was asked needs a real identity.
	if out := instruct(t, s, `{"message":"Serve the complaint on [Party 2]","caseId":"`+caseID+`"}`); out.State != "rejected" || !strings.HasPrefix(out.DeepLink, "https://subrosa.test/i/") {
		t.Errorf("a run that needs an identity: %+v", out)
	}
}

func TestInstructionsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	others := h.office.phase("ben", api.PhaseCompleted)
	eras(t, func(t *testing.T, era string) {
		s := h.session(t, era, application("ann", all...), nil)

		unknown := call(t, s, "legal_agent", `{"taskId":"`+foreignID+`"}`)
		for name, tc := range map[string]struct{ arguments, code, says string }{
			"nothing":                         {`{}`, "validation_failed", "one of message, operation and taskId"},
			"two things":                      {`{"message":"x","operation":"create_case"}`, "validation_failed", "one of"},
			"cancel of nothing":               {`{"cancel":true}`, "validation_failed", "one of"},
			"cancel with a message":           {`{"cancel":true,"taskId":"` + others + `","message":"x"}`, "validation_failed", "one of"},
			"work on no case":                 {`{"message":"x","requestType":"eval_req"}`, "validation_failed", "caseId"},
			"administration":                  {`{"message":"x","requestType":"admin_req"}`, "validation_failed", "requestType"},
			"too long a wait":                 {`{"message":"x","waitSeconds":241}`, "validation_failed", "waitSeconds"},
			"an empty message":                {`{"message":"  "}`, "validation_failed", "message"},
			"an operation that is none":       {`{"operation":"fly"}`, "validation_failed", "create_case"},
			"arguments of nothing":            {`{"message":"x","arguments":{}}`, "validation_failed", "arguments"},
			"arguments that are none":         {`{"operation":"create_case","arguments":[]}`, "validation_failed", "arguments"},
			"an operation without its case":   {`{"operation":"update_case","arguments":{}}`, "validation_failed", "arguments.caseId"},
			"two cases":                       {`{"operation":"update_case","caseId":"` + caseID + `","arguments":{"caseId":"` + foreignID + `"}}`, "validation_failed", "differs"},
			"a file without text":             {`{"operation":"add_file","caseId":"` + caseID + `","arguments":{"name":"a.txt"}}`, "validation_failed", "arguments.text"},
			"a version that is none any more": {`{"operation":"update_case","caseId":"` + caseID + `","ifMatch":"2","arguments":{}}`, "version_mismatch", "again"},
			"an unknown field":                {`{"task":"x"}`, "unknown_field", "task"},
			"an id that is none":              {`{"taskId":"../x"}`, "validation_failed", "taskId"},
			"another user's task":             {`{"taskId":"` + others + `"}`, "not_found", ""},
			"cancel of another user's task":   {`{"taskId":"` + others + `","cancel":true}`, "not_found", ""},
			"answer to another user's task":   {`{"taskId":"` + others + `","message":"x"}`, "not_found", ""},
			"a case that is unknown":          {`{"message":"List the parties","caseId":"` + foreignID + `"}`, "not_found", ""},
		} {
			t.Run(name, func(t *testing.T) {
				c := call(t, s, "legal_agent", tc.arguments)
				if !c.IsError || c.refusal.Error != tc.code || !strings.Contains(c.text, tc.says) {
					t.Fatalf("%s, want %s that says %q", c.text, tc.code, tc.says)
				}
				if tc.code == "not_found" && c.refusal.Message != unknown.refusal.Message {
					t.Errorf("%q differs from what an unknown id gets", c.refusal.Message)
				}
			})
		}
	})
}

func TestScopesOfInstructions(t *testing.T) {
	t.Parallel()

	h := startMCP(t)
	for _, tc := range []struct {
		arguments string
		granted   []string
		want      string
	}{
		{`{"message":"x","caseId":"` + caseID + `"}`, []string{"cases:read"}, "cases:read agent:run"},
		{`{"message":"x"}`, []string{"cases:write"}, "cases:write agent:run"},
		{`{"taskId":"` + foreignID + `"}`, []string{"cases:read", "cases:write"}, "cases:read cases:write agent:run"},
		{`{"operation":"create_branch"}`, []string{"cases:write"}, "cases:write agent:run"},
		{`{"operation":"create_case"}`, []string{"agent:run"}, "cases:write agent:run"},
		{`{"operation":"delete_case"}`, []string{"cases:read"}, "cases:read cases:write"},
		{`{"operation":"create_case"}`, []string{"cases:write"}, ""},
		{`{"message":"x","operation":"create_case"}`, []string{"cases:write"}, "cases:write agent:run"},
		{`{}`, nil, "agent:run"},
	} {
		a := h.raw(t, application("ann", tc.granted...), message("tools/call", `{"name":"legal_agent","arguments":`+tc.arguments+`}`))
		got := a.Header.Get("WWW-Authenticate")
		if tc.want == "" {
			if a.Status != http.StatusOK || got != "" {
				t.Errorf("%s with %v: %d %s", tc.arguments, tc.granted, a.Status, got)
			}
		} else if a.Status != http.StatusForbidden || !strings.Contains(got, `scope="`+tc.want+`"`) {
			t.Errorf("%s with %v: %d %s, want %s", tc.arguments, tc.granted, a.Status, got, tc.want)
		}
	}
}

// TestAnyInstructionIsAnsweredInForm sends arguments of all sorts.
func TestAnyInstructionIsAnsweredInForm(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_RUNS_PER_CALLER", "256", "AGENT_MCP_RUNS_PER_MINUTE", "100000")
	mine, others := h.office.phase("ann", api.PhaseCompleted), h.office.phase("ben", api.PhaseFailed)
	s := h.session(t, legacy, application("ann", all...), nil)
	values := map[string]*rapid.Generator[any]{
		"message": rapid.SampledFrom([]any{"List the parties", "Draft something", "", "\x00", 7, "Jane Roe"}), "taskId": rapid.SampledFrom([]any{mine, others, foreignID, "x", nil}), "cancel": rapid.SampledFrom([]any{true, false, "yes"}),
		"requestType": rapid.SampledFrom([]any{"eval_req", "case_req", "support_req", "sales_req", "admin_req", 1}), "caseId": rapid.SampledFrom([]any{caseID, foreignID, "", 1}),
		"containerId": rapid.SampledFrom([]any{foreignID, "x"}), "branchId": rapid.SampledFrom([]any{branchID, "x"}), "fileIds": rapid.SampledFrom([]any{[]any{}, []any{fileID}, []any{1}, "x"}),
		"operation": rapid.SampledFrom([]any{"create_case", "update_case", "delete_case", "add_file", "add_timeline_entry", "create_branch", "update_branch", "create_party", "update_party", "invite_partner", "review_phase", "connect_agent", "disconnect_agent", "x", 1}),
		"arguments": rapid.SampledFrom([]any{map[string]any{}, map[string]any{"title": "x", "partyId": partyID}, map[string]any{"name": "a.txt", "text": "x"}, map[string]any{"partnerId": 1, "caseId": []any{}}, nil, "x"}),
		"ifMatch":   rapid.SampledFrom([]any{"3", `"3"`, "x\n", 3}), "idempotencyKey": rapid.SampledFrom([]any{"", "k", "\n", strings.Repeat("k", 300)}), "waitSeconds": rapid.SampledFrom([]any{0, 1, 5, -1, 1000, "1"}), "other": rapid.SampledFrom([]any{1}),
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		arguments := map[string]any{"waitSeconds": 2}

		for _, name := range names {
			if rapid.IntRange(0, 4).Draw(r, "with "+name) == 0 {
				arguments[name] = values[name].Draw(r, name)
			}
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			r.Fatal(err)
		}
		if c := call(t, s, "legal_agent", string(text)); c.IsError && c.refusal.Error == "internal" {
			r.Errorf("%s: %s", text, c.text)
		}
	})
}

// TestSignsOfLife waits for a run that does nothing for a while: whoever watches must hear of it every few seconds, or a proxy closes the stream.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_MCP_SIGNS", "300ms")
	h.office.set(time.Minute)
	var mu sync.Mutex
	var last string
	heard := 0 // repetitions
	s := h.session(t, modern, application("ann", "agent:run"), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if r.Params.Message == last {
			heard++
		}
		last = r.Params.Message
	}})
	params := &mcp.CallToolParams{Name: "legal_agent", Arguments: json.RawMessage(`{` + question + `,"waitSeconds":3}`)}
	params.SetProgressToken("p")
	r, err := s.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	outcome(t, "legal_agent", r)
	mu.Lock()
	defer mu.Unlock()
	if heard < 2 {
		t.Errorf("%d signs of life in three seconds, one each 300 ms; the last was %q", heard, last)
	}
}
