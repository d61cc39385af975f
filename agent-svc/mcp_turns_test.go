package agentsvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// leave makes a call of legal_agent and leaves before it is answered, once the office shows that its run is at work.
func (h *host) leave(t *testing.T, arguments string) {
	t.Helper()
	searches := h.office.count(http.MethodPost, "/internal/cases/"+caseID+"/search")
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	token, err := h.Signer.Token(application("ann", "agent:run"))
	if err != nil {
		t.Fatal(err)
	}

	go func() {
		defer close(left)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.Base+"/api/mcp", strings.NewReader(message("tools/call", `{"name":"legal_agent","arguments":`+arguments+`}`)))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {legacy}}
		if resp, err := h.Client.Do(r); err == nil {
			_ = resp.Body.Close()
		}
	}()
	testkit.Until(t, testkit.Patience, func() error {
		if h.office.count(http.MethodPost, "/internal/cases/"+caseID+"/search") == searches {
			return errors.New("the run has not come to its search")
		}

		return nil
	})
	leave()
	<-left
}

// ended waits until all phases of the office have ended and returns how many there are.
func (h *host) ended(t *testing.T) (n int) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		h.office.mu.Lock()
		defer h.office.mu.Unlock()

		for _, p := range h.office.phases {
			if p.Status == api.PhaseRunning {
				return errors.New("a phase is running")
			}
		}
		n = len(h.office.phases)

		return nil
	})

	return n
}

// TestTheSameWordsAgain are the same request only while nobody was told how it ended.
func TestTheSameWordsAgain(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.set(700 * time.Millisecond)
	s := h.session(t, legacy, application("ann", "agent:run"), nil)
	h.leave(t, `{`+question+`}`)
	working := instruct(t, s, `{`+question+`,"waitSeconds":0}`)
	if n := h.ended(t); n != 1 || working.State != "working" {
		t.Fatalf("sent again while it works: %+v, %d phases", working, n)
	}
	told := instruct(t, s, `{`+question+`}`)
	if told.TaskID != working.TaskID || told.State != "completed" {
		t.Fatalf("sent again after an end that nobody heard of: %+v, want the task %s", told, working.TaskID)
	}
	if fresh := instruct(t, s, `{`+question+`}`); fresh.TaskID == told.TaskID || fresh.State != "completed" {
		t.Errorf("sent again after its end was told: %+v", fresh)
	}
	heard := instruct(t, s, `{`+question+`,"waitSeconds":0}`)
	instruct(t, s, `{"taskId":"`+heard.TaskID+`"}`)
	if fresh := instruct(t, s, `{`+question+`}`); fresh.TaskID == heard.TaskID {
		t.Error("sent again after its end was told to who waited for it: the same task")
	}
}

// TestTheSameAnswerToTwoQuestions is an answer to each.
func TestTheSameAnswerToTwoQuestions(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	asked := instruct(t, s, `{"message":"Draft something","caseId":"`+caseID+`"}`)

	answer := func(words, more string) task {
		return instruct(t, s, fmt.Sprintf(`{"taskId":%q,"message":%q%s}`, asked.TaskID, words, more))
	}
	for n := 2; n < 5; n++ {
		if out := answer("Draft something", ""); out.State != "input_required" || h.office.begunSoFar() != n {
			t.Fatalf("question %d is answered: %+v, %d phases", n-1, out, h.office.begunSoFar())
		}
	}
	// A stream that breaks: the answer is sent again, and is one turn.
	h.office.set(700 * time.Millisecond)
	h.leave(t, fmt.Sprintf(`{"taskId":%q,"message":"What does the file say about \"rent\"?"}`, asked.TaskID))
	if out := answer(`What does the file say about "rent"?`, ""); out.State != "completed" || h.office.begunSoFar() != 5 {
		t.Errorf("sent again while it works: %+v, %d phases", out, h.office.begunSoFar())
	}
	h.leave(t, fmt.Sprintf(`{"taskId":%q,"message":"What does the file say about \"rent\"?"}`, asked.TaskID))
	h.ended(t)
	if out := answer(`What does the file say about "rent"?`, ""); out.State != "completed" || h.office.begunSoFar() != 6 {
		t.Errorf("sent again after an end that nobody heard of: %+v, %d phases", out, h.office.begunSoFar())
	}
	// A key is one answer for good.
	h.office.set(0)
	one, n := answer("List the amounts", `,"idempotencyKey":"a1"`), h.office.begunSoFar()
	answer("List the parties", "")
	if two := answer("List the amounts", `,"idempotencyKey":"a1"`); two.Message != one.Message || h.office.begunSoFar() != n+1 {
		t.Errorf("a key again: %+v, then %+v, %d phases after %d", one, two, h.office.begunSoFar(), n)
	}
	if c := call(t, s, "legal_agent", `{"taskId":"`+asked.TaskID+`","message":"List the parties","idempotencyKey":"a1"}`); !c.IsError || c.refusal.Error != "phase_conflict" {
		t.Errorf("the key of another answer: %s", c.text)
	}
}

func TestAnApplicationAnswersNoAdministration(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	id := h.office.phase("ann", api.PhaseCompleted)
	p := h.office.stands(id)
	p.RequestType = api.AdminReq
	h.office.put(p)
	caller := application("ann", "agent:run")
	caller.Roles = append(caller.Roles, "admin")
	s := h.session(t, modern, caller, nil)
	if c := call(t, s, "legal_agent", `{"taskId":"`+id+`","message":"List the agents"}`); !c.IsError || c.refusal.Error != "forbidden" || h.office.begunSoFar() != 1 {
		t.Errorf("%s", c.text)
	}
}

// TestAConflictReplacesNoTask has another request come under the key of a run, whose process then stops: it is taken up as it was.
func TestAConflictReplacesNoTask(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.set(time.Minute)
	var out task
	t.Run("the first replica", func(t *testing.T) {
		s := h.sessionAt(t, h.replica(t).Base, modern, application("ann", "agent:run"), nil)
		out = instruct(t, s, `{`+question+`,"idempotencyKey":"k","waitSeconds":0}`)
		if c := call(t, s, "legal_agent", `{"message":"List the amounts","caseId":"`+caseID+`","idempotencyKey":"k"}`); !c.IsError || c.refusal.Error != "phase_conflict" {
			t.Errorf("another request: %s", c.text)
		}
		h.office.goOn(t)
	})
	if out = instruct(t, h.session(t, modern, application("ann", "agent:run"), nil), `{"taskId":"`+out.TaskID+`"}`); out.State != "completed" || len(out.Citations) == 0 {
		t.Errorf("taken up: %+v", out)
	}
}

// TestAnInterruptedTaskIsCancelled, and nobody takes it up any more, whichever way it was cancelled.
func TestAnInterruptedTaskIsCancelled(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", "agent:run"), nil)

	id := h.office.phase("ann", api.PhaseInterrupted)
	for _, arguments := range []string{`{"taskId":"` + id + `","cancel":true}`, `{"taskId":"` + id + `"}`} {
		if out := instruct(t, s, arguments); out.State != "canceled" {
			t.Errorf("%s: %+v", arguments, out)
		}
	}
	overHTTP := h.office.phase("ann", api.PhaseInterrupted)
	cancel := servicetest.Call{Method: http.MethodDelete, Path: "/v1/agent/" + overHTTP, Caller: servicetest.User("o:oak", "ann")}
	if a := h.Do(t, cancel); a.Status != http.StatusAccepted || h.office.stands(overHTTP).Status != api.PhaseCancelled {
		t.Errorf("over HTTP: %d %s, the phase is %s", a.Status, a.Body, h.office.stands(overHTTP).Status)
	}
	servicetest.Refused(t, h.Do(t, cancel), http.StatusConflict, "invalid_transition")
}

// TestACancelledTaskWhoseProcessDied is not taken up by whoever cancels it or waits for it.
func TestACancelledTaskWhoseProcessDied(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_LEASE", "600ms")
	id := h.office.phase("ann", api.PhaseRunning) // without a process
	if a := h.Do(t, servicetest.Call{Method: http.MethodDelete, Path: "/v1/agent/" + id, Caller: servicetest.User("o:oak", "ann")}); a.Status != http.StatusAccepted {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	if out := instruct(t, s, `{"taskId":"`+id+`","waitSeconds":20}`); out.State != "canceled" || h.office.stands(id).Attempt != 1 {
		t.Errorf("%+v, attempt %d", out, h.office.stands(id).Attempt)
	}
}

// TestAWaitThatFails leaves the caller with the task that has begun.
func TestAWaitThatFails(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.hidePhases()
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	if out := instruct(t, s, `{`+question+`,"waitSeconds":5}`); out.State != "working" || out.TaskID == "" || out.Next == "" {
		t.Errorf("%+v", out)
	}
}

// TestThePaceOfTasks is one for all replicas and for each user; waiting and cancelling do not count.
func TestThePaceOfTasks(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_MCP_RUNS_PER_MINUTE", "3")
	s, elsewhere := h.session(t, modern, application("ann", "agent:run"), nil), h.sessionAt(t, h.replica(t).Base, legacy, application("ann", "agent:run"), nil)
	first := instruct(t, s, `{`+question+`,"idempotencyKey":"1"}`)
	instruct(t, elsewhere, `{`+question+`,"idempotencyKey":"2"}`)
	instruct(t, s, `{"taskId":"`+first.TaskID+`","message":"List the amounts"}`)

	for name, arguments := range map[string]string{"a task": `{` + question + `,"idempotencyKey":"3"}`, "an answer": `{"taskId":"` + first.TaskID + `","message":"List the parties"}`} {
		c := call(t, elsewhere, "legal_agent", arguments)
		if !c.IsError || c.refusal.Error != "rate_limited" || !strings.Contains(c.refusal.Message, "seconds") {
			t.Errorf("%s too many: %s", name, c.text)
		}
	}
	if n := h.office.begunSoFar(); n != 3 {
		t.Errorf("%d phases, want 3", n)
	}
	if out := instruct(t, s, `{"taskId":"`+first.TaskID+`"}`); out.State != "completed" {
		t.Errorf("waiting: %+v", out)
	}
	if out := instruct(t, h.session(t, modern, application("ben", "agent:run"), nil), `{`+question+`}`); out.State != "completed" {
		t.Errorf("another user: %+v", out)
	}
}

// TestRequestsAtOnce are bounded, but for those that wait for a run or read its stream.
func TestRequestsAtOnce(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_IN_FLIGHT", "1")
	h.office.set(time.Minute)
	session := func(era string) (s *mcp.ClientSession) { // the one place may not be free yet when an answer has come
		testkit.Until(t, 20*time.Second, func() (err error) {
			s, err = h.connect(t, h.Base, era, application("ann", "agent:run"), nil)
			return err
		})

		return s
	}

	out := instruct(t, session(modern), `{`+question+`,"waitSeconds":0}`)
	reads := func() int { return h.office.count(http.MethodGet, "/internal/phases/"+out.TaskID) }
	beside := session(modern)
	waiting := []*mcp.ClientSession{session(modern), session(legacy)}
	answered := make(chan struct{}, len(waiting))

	for _, s := range waiting {
		before := reads()

		go func() {
			arguments := json.RawMessage(`{"taskId":"` + out.TaskID + `","waitSeconds":30}`)
			for t.Context().Err() == nil { // the first may still be asking, and then this one is refused
				if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "legal_agent", Arguments: arguments}); err == nil {
					answered <- struct{}{}
					return
				}
			}
		}()
		testkit.Until(t, 20*time.Second, func() error {
			if reads() == before {
				return errors.New("a call has not asked for its task")
			}

			return nil
		})
	}
	testkit.Until(t, 20*time.Second, func() error { // the second steps aside a moment after it has asked
		r, err := beside.CallTool(t.Context(), &mcp.CallToolParams{Name: "legal_lookup", Arguments: json.RawMessage(`{"view":"cases"}`)})
		if err == nil && r.IsError {
			err = errors.New(outcome(t, "legal_lookup", r).text)
		}

		return err
	})
	if len(answered) > 0 {
		t.Fatalf("%d of two calls did not wait", len(answered))
	}
	h.office.mu.Lock() // whoever asks the office now has to wait
	defer h.office.mu.Unlock()

	before := h.office.arrived.Load()
	go func() {
		_, _ = h.Try(t.Context(), servicetest.Call{Method: http.MethodGet, Path: "/v1/agent/" + out.TaskID, Caller: servicetest.User("o:oak", "ann"), Header: map[string]string{"Accept": "text/event-stream"}})
	}()
	testkit.Until(t, 20*time.Second, func() error {
		if h.office.arrived.Load() == before {
			return errors.New("the stream has not asked for its phase")
		}

		return nil
	})
	servicetest.Refused(t, h.raw(t, application("ann", "agent:run"), message("tools/list", `{}`)), http.StatusServiceUnavailable, "unavailable")
}

// TestLongOutcomes stay within what hosts take, and say where the rest is.
func TestLongOutcomes(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	put := func(r api.PhaseResponse) string {
		id := h.office.phase("ann", api.PhaseCompleted)
		p := h.office.stands(id)
		p.Response = &r
		h.office.put(p)

		return id
	}

	long := api.PhaseResponse{Kind: api.KindAnswer, Text: strings.Repeat("Rent \"due\". ", 2500)}
	for n := range 50 {
		long.Citations = append(long.Citations, api.Citation{N: n + 1, Source: api.SourceRef{FileID: fileID, CharEnd: 900, Quote: strings.Repeat("The \"Tenant\" ", 80)}})
		proposed := api.Proposal{EntryID: fmt.Sprintf("00000000-0000-7000-8000-%012d", n)}
		proposed.Title = strings.Repeat("Answer ", 40)
		long.Deadlines = append(long.Deadlines, proposed)
	}

	for name, tc := range map[string]struct {
		response api.PhaseResponse
		more     bool
	}{
		"everything at its most":  {long, true},
		"a text at its limit":     {api.PhaseResponse{Kind: api.KindAnswer, Text: strings.Repeat("x", 24_000)}, false},
		"a character beyond it":   {api.PhaseResponse{Kind: api.KindAnswer, Text: strings.Repeat("x", 24_001)}, true},
		"three characters beyond": {api.PhaseResponse{Kind: api.KindAnswer, Text: strings.Repeat("x", 24_003)}, true},
	} {
		id := put(tc.response)
		out := instruct(t, s, `{"taskId":"`+id+`"}`) // which measures it
		if got := strings.Contains(out.Next, "view task, id "+id); got != tc.more {
			t.Errorf("%s: next is %q", name, out.Next)
		}
	}
}

// TestFailuresSpeakOfTheTool, not of the routes behind it.
func TestFailuresSpeakOfTheTool(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_RUNS_PER_CALLER", "1")
	h.office.set(time.Minute)
	s := h.session(t, modern, application("ann", "agent:run"), nil)
	instruct(t, s, `{`+question+`,"idempotencyKey":"k","waitSeconds":0}`)

	for name, tc := range map[string]struct{ arguments, code, says string }{
		"runs at once":           {`{` + question + `}`, "too_many_streams", "taskId and cancel"},
		"a message beyond words": {`{"message":"a\u0001b"}`, "validation_failed", `"path":"message"`},
	} {
		if c := call(t, s, "legal_agent", tc.arguments); !c.IsError || c.refusal.Error != tc.code || !strings.Contains(c.text, tc.says) || strings.Contains(c.text, "DELETE") || strings.Contains(c.text, "phaseId") || strings.Contains(c.text, "prompt") {
			t.Errorf("%s: %s", name, c.text)
		}
	}
	other := startMCP(t)
	s = other.session(t, modern, application("ann", "agent:run"), nil)
	instruct(t, s, `{`+question+`,"idempotencyKey":"k"}`)
	if c := call(t, s, "legal_agent", `{"message":"List the parties","caseId":"`+caseID+`","idempotencyKey":"k"}`); !strings.Contains(c.refusal.Message, "idempotencyKey") || strings.Contains(c.text, "phaseId") {
		t.Errorf("the key of another request: %s", c.text)
	}
	away := startMCP(t, "CASE_URL", "http://127.0.0.1:1")
	if c := call(t, away.session(t, modern, application("ann", "agent:run"), nil), "legal_lookup", `{"view":"cases"}`); strings.Contains(c.text, "Retry-After") || !strings.Contains(c.text, "seconds") {
		t.Errorf("a service that is away: %s", c.text)
	}
}
