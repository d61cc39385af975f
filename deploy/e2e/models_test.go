package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// chatServer is a language model behind chat completions: it searches once and then says its answer.
type chatServer struct {
	*httptest.Server
	mu       sync.Mutex
	answer   string
	status   int // of an answer that is none
	received []string
	heads    []http.Header
}

func newChatServer(t *testing.T) *chatServer {
	c := &chatServer{}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)

	return c
}

// settings make it the model of a world.
func (c *chatServer) settings() map[string]string {
	return unlimited(
		"AGENT_MODEL_PROVIDER", "openai", "AGENT_MODEL_URL", c.URL+"/v1", "AGENT_MODEL_NAME", "m-large-20260101", "AGENT_MODEL_KEY", "key-of-the-model", "AGENT_MODEL_LOCAL", "true",
		"AGENT_MODEL_TRAINS_ON_INPUT", "false", "AGENT_MODEL_RETENTION_DAYS", "0", "AGENT_MODEL_REGION", "here", "CASE_MODEL_CONFIGURED", "true", "CASE_MODEL_LOCAL", "true",
	)
}

func (c *chatServer) set(status int, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.answer, c.received = status, answer, nil
}

func (c *chatServer) sent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.received
}

// headers returns what requests said under a header's name.
func (c *chatServer) headers(name string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	var all []string
	for _, h := range c.heads {
		all = append(all, h.Values(name)...)
	}

	return all
}

func (c *chatServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	c.received = append(c.received, string(body))
	c.heads = append(c.heads, r.Header)
	status, answer := c.status, c.answer
	c.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer key-of-the-model" {
		status = http.StatusUnauthorized
	}
	if status != 0 {
		http.Error(w, `{"error":{"message":"no","type":"server_error"}}`, status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		data, _ := json.Marshal(map[string]any{
			"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
			"usage": map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
		})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}
	if strings.Contains(string(body), `"role":"tool"`) {
		chunk(map[string]any{"content": answer}, nil)
		chunk(map[string]any{}, "stop")
	} else {
		call := map[string]any{"index": 0, "id": "call_1", "type": "function", "function": map[string]string{"name": "search_passages", "arguments": `{"query":"terminate written notice"}`}}
		chunk(map[string]any{"tool_calls": []any{call}}, "tool_calls")
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func TestALanguageModelWhereTheCaseAllowsIt(t *testing.T) {
	t.Parallel()
	chat := newChatServer(t)
	w := start(t, chat.settings())
	agent, person := w.connect(ada), w.token(ada)
	caseID, fileID := w.newCase(agent.bearer)
	const prompt = "How may the agreement be terminated?"
	const good = "Either of them may terminate by “written notice of thirty days” [1]."
	ask := func(mode string) *follower {
		in := task(caseID, api.CaseReq, prompt)
		in.Options = &api.TaskOptions{Mode: mode}

		return w.post(agent.bearer, in)
	}
	run := func(mode string) (phase api.Phase, frames []frame) {
		t.Helper()
		in := task(caseID, api.CaseReq, prompt)
		in.Options = &api.TaskOptions{Mode: mode}
		frames = w.post(agent.bearer, in).all()
		checkStream(t, in.SeedPhase.PhaseID, frames)

		return into[api.Phase](t, w.send(http.MethodGet, "/v1/phases?phaseId="+in.SeedPhase.PhaseID, agent.bearer, ""), 200), frames
	}
	chat.set(0, good)

	// No case allows a model until a user says so.
	ask("model").answer.refused(t, "a model that the case forbids", 403, "ai_policy_forbids")
	if p, _ := run("auto"); p.Engine.Mode != api.ModeDeterministic || !strings.Contains(p.Engine.FallbackReason, "does not allow") || p.Response.Limits[0] != p.Engine.FallbackReason {
		t.Errorf("the forbidden model: %+v", p.Engine)
	}
	if len(chat.sent()) > 0 {
		t.Fatalf("the model was sent %q", chat.sent())
	}
	engine := func() api.WorkspaceEngine {
		return into[api.Workspace[api.Case]](t, w.send(http.MethodGet, "/v1/workspace/case/"+caseID, agent.bearer, ""), 200).Engine
	}
	if e := engine(); e.Mode != api.ModeDeterministic || !e.ModelConfigured {
		t.Errorf("the workspace says %+v", e)
	}
	if a := w.send(http.MethodPatch, "/v1/cases/"+caseID, person, `{"confidentiality":{"aiPolicy":"local_model_only"}}`, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if e := engine(); e.Mode != api.ModeModel {
		t.Errorf("the workspace says %+v", e)
	}

	for _, mode := range []string{"auto", "model"} {
		p, frames := run(mode)
		if m := p.Engine.Model; p.Engine.Mode != api.ModeModel || m == nil || m.Provider != "openai" || m.Name != "m-large-20260101" || m.TemplateVersion == "" {
			t.Errorf("%s: engine %+v", mode, p.Engine)
		}
		if !strings.HasPrefix(p.Response.Text, good) || len(p.Response.Citations) != 1 || p.Response.Citations[0].Source.FileID != fileID || p.Review.Status != api.ReviewPending {
			t.Errorf("%s: %q, citations %+v, review %+v", mode, p.Response.Text, p.Response.Citations, p.Review)
		}
		if p.Usage.InputTokens != 200 || p.Usage.OutputTokens != 20 || p.Usage.PassagesRead != 1 {
			t.Errorf("%s: usage %+v", mode, p.Usage)
		}
		if said := texts(frames); !strings.Contains(said, `"status":"reasoning"`) || !strings.Contains(said, `"model":{"provider":"openai"`) || strings.Contains(said, "passage 1 |") {
			t.Errorf("%s: the stream says %s", mode, said)
		}
	}
	if sent := chat.sent(); len(sent) != 4 || strings.Contains(strings.Join(sent, ""), caseID) || strings.Contains(strings.Join(sent, ""), fileID) {
		t.Errorf("the model was sent %q", sent)
	}

	// What the model gets wrong never leaves.
	chat.set(0, "The Defendant is quillon@zorbanek.example [1].")
	if _, frames := run("model"); !strings.Contains(texts(frames), `"error":"output_blocked"`) || strings.Contains(texts(frames), "zorbanek") {
		t.Errorf("an identity: %s", texts(frames))
	}
	chat.set(0, "The notice takes ninety-nine days [1].")
	if p, _ := run("model"); p.Engine.Mode != api.ModeDeterministic || p.Engine.Model != nil || !strings.Contains(p.Engine.FallbackReason, "borne out") || p.Usage.InputTokens == 0 {
		t.Errorf("nothing borne out: %+v", p.Engine)
	}
	chat.set(401, "")
	if _, frames := run("model"); !strings.Contains(texts(frames), `"error":"model_unavailable"`) {
		t.Errorf("a wrong key: %s", texts(frames))
	}
	if p, _ := run("auto"); !strings.Contains(p.Engine.FallbackReason, "could not be reached") || p.Response.Kind != api.KindAnswer {
		t.Errorf("a wrong key: %+v", p.Engine)
	}

	// A policy that changes ends no work that was done: the same request still gets its stream, another one does not.
	chat.set(0, good)
	again := task(caseID, api.CaseReq, prompt)
	again.Options = &api.TaskOptions{Mode: "model"}
	first := w.post(agent.bearer, again).all()
	if a := w.send(http.MethodPatch, "/v1/cases/"+caseID, person, `{"confidentiality":{"aiPolicy":"no_model"}}`, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	replay := w.post(agent.bearer, again)
	if got := replay.all(); replay.header.Get("Phase-Replay") != "true" || texts(stored(got)) != texts(stored(first)) {
		t.Errorf("the replay differs: %s", texts(got))
	}
	ask("model").answer.refused(t, "a model that the case forbids again", 403, "ai_policy_forbids")
	if logs := w.logs.String(); strings.Contains(logs, "key-of-the-model") || strings.Contains(logs, "written notice of thirty") || strings.Contains(logs, "zorbanek") {
		t.Error("the logs hold the key or content")
	}
}

func TestAModelThatIsDemandedWhereThereIsNone(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	in := task(caseID, api.CaseReq, "How may the agreement be terminated?")
	in.Options = &api.TaskOptions{Mode: "model"}
	w.post(agent.bearer, in).answer.refused(t, "a model", 503, "model_unavailable")
	in.Options.Mode = "auto"
	w.post(agent.bearer, in).all()
	in.Options.Mode = "model" // another request under the same phase
	w.post(agent.bearer, in).answer.refused(t, "a model for a phase that is there", 503, "model_unavailable")
}
