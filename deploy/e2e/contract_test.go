package e2e_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestTheExamplesOfTheDocumentWork calls every operation of the OpenAPI document as its examples do. The judge of the world checks that
// requests and answers are as the document says.
func TestTheExamplesOfTheDocumentWork(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(overhear, "1"))
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"] = agent.AgentID
	arrange := w.arrangements(b)

	for _, o := range everyOperation(t) {
		for _, example := range o.examples() {
			t.Run(o.id+"/"+example, func(t *testing.T) {
				w := w.in(t)
				values, want := b, 0
				if prepare := arrange[o.id]; prepare != nil {
					values, want = prepare(w)
				}
				bearer := user
				if o.open() {
					bearer = ""
				}
				a := w.call(o, example, bearer, values)
				if want != 0 && a.status != want || want == 0 && !slices.Contains(o.success, a.status) {
					t.Errorf("%s %s: %d %.400s, want %v %d", o.method, o.address(values), a.status, a.body, o.success, want)
				}

				for _, name := range o.headers[a.status] {
					if name != "Phase-Replay" && a.header.Get(name) == "" { // Phase-Replay comes only when the run had begun already
						t.Errorf("%s %s: %d without the header %s", o.method, o.address(values), a.status, name)
					}
				}
			})
		}
	}
}

// TestEveryRowOfTheEndpointTables calls each row of the interface specification's tables, as an agent where an agent may.
func TestEveryRowOfTheEndpointTables(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	host := w.cardHost()
	user := w.token(ada)
	var registered api.RegisteredAgent
	var bearer api.BearerToken
	var k api.Case
	var party api.Party
	var branch api.Branch
	body := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}

		return string(raw)
	}
	row := func(name string, f func(t *testing.T, w *world)) {
		t.Helper()
		if !t.Run(name, func(t *testing.T) { f(t, w.in(t)) }) {
			t.FailNow() // the rows build on each other
		}
	}
	agent := func(w *world, method, path, text string, headers ...string) answer {
		return w.send(method, path, bearer.BearerToken, text, headers...)
	}
	row("GET /.well-known/agent.json", func(t *testing.T, w *world) {
		card := into[map[string]any](t, w.send(http.MethodGet, "/.well-known/agent.json", "", ""), http.StatusOK)
		if card["url"] != w.Facts.BaseURL+"/api/mcp" || card["preferredTransport"] != "mcp" {
			t.Errorf("card = %v", card)
		}
	})
	var token api.RegistrationToken
	row("POST /v1/agents/registration-token", func(t *testing.T, w *world) {
		w.send(http.MethodPost, "/v1/agents/registration-token", "", "").refused(t, "nobody", http.StatusUnauthorized, "unauthenticated")
		if token = into[api.RegistrationToken](t, w.send(http.MethodPost, "/v1/agents/registration-token", user, ""), http.StatusCreated); token.ExpiresInSeconds != 600 {
			t.Errorf("token = %+v", token)
		}
	})
	row("POST /v1/agents/register", func(t *testing.T, w *world) {
		w.send(http.MethodPost, "/v1/agents/register", "", `{"registration_token":"`+token.RegistrationToken+`"}`).refused(t, "missing fields", http.StatusBadRequest, "validation_failed")
		w.register("sbr_rt_unknown", host.url).refused(t, "invalid token", http.StatusUnauthorized, "registration_token_invalid")
		registered = into[api.RegisteredAgent](t, w.register(token.RegistrationToken, host.url), http.StatusCreated)
		if registered.Status != "active" || registered.SharedAPIKey == "" {
			t.Errorf("agent = %+v", registered)
		}
		w.send(http.MethodPost, "/v1/agents/registration-token", user, "").refused(t, "a second agent", http.StatusConflict, "agent_connected")
	})
	row("GET /v1/agents/me", func(t *testing.T, w *world) {
		if me := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", user, ""), http.StatusOK); me.AgentID != registered.AgentID {
			t.Errorf("agent = %+v", me)
		}
	})
	row("POST /v1/auth/token", func(t *testing.T, w *world) {
		bearer = into[api.BearerToken](t, w.send(http.MethodPost, "/v1/auth/token", "", body(api.TokenRequest{APIKey: registered.SharedAPIKey})), http.StatusOK)
		if bearer.ExpiresIn != 3600 {
			t.Errorf("bearer expires in %d", bearer.ExpiresIn)
		}
	})
	row("GET /v1/agents/{agentId}/health", func(t *testing.T, w *world) {
		path := "/v1/agents/" + registered.AgentID + "/health"
		if h := into[api.AgentHealth](t, w.send(http.MethodGet, path, user, ""), http.StatusOK); h.Status != "healthy" {
			t.Errorf("health = %+v", h)
		}
		if h := into[api.AgentHealth](t, agent(w, http.MethodGet, path, ""), http.StatusOK); h.Status != "healthy" {
			t.Errorf("health for the agent itself = %+v", h)
		}
		other := w.connect(cara)
		other.card.serve("no card")
		path = "/v1/agents/" + other.AgentID + "/health"
		if h := into[api.AgentHealth](t, w.send(http.MethodGet, path, other.bearer, ""), http.StatusServiceUnavailable); h.Status != "unhealthy" || h.Error == "" {
			t.Errorf("health = %+v", h)
		}
	})
	row("POST /v1/cases", func(t *testing.T, w *world) {
		k = into[api.Case](t, agent(w, http.MethodPost, "/v1/cases", ""), http.StatusCreated)
	})
	row("GET /v1/cases?caseId={id}", func(t *testing.T, w *world) {
		if got := into[api.Case](t, agent(w, http.MethodGet, "/v1/cases?caseId="+k.CaseID, ""), http.StatusOK); got.CaseID != k.CaseID {
			t.Errorf("case = %+v", got)
		}
	})
	row("GET /v1/cases", func(t *testing.T, w *world) {
		if got := into[api.Page[api.CaseRow]](t, agent(w, http.MethodGet, "/v1/cases", ""), http.StatusOK); len(got.Items) != 1 {
			t.Errorf("cases = %+v", got)
		}
	})
	row("PATCH /v1/cases/{caseId}", func(t *testing.T, w *world) {
		a := agent(w, http.MethodPatch, "/v1/cases/"+k.CaseID, `{"title":"Lease of [Party 1]"}`, "Content-Type", "application/merge-patch+json")
		if got := into[api.Case](t, a, http.StatusOK); got.Title != "Lease of [Party 1]" || got.Version <= k.Version {
			t.Errorf("case = %+v", got)
		}
	})
	row("POST /v1/cases/{caseId}/files", func(t *testing.T, w *world) {
		into[any](t, agent(w, http.MethodPost, "/v1/cases/"+k.CaseID+"/files", complaint, "Content-Type", "text/plain"), http.StatusCreated)
	})
	row("GET /v1/cases/{caseId}/files", func(t *testing.T, w *world) {
		if got := into[api.Page[api.File]](t, agent(w, http.MethodGet, "/v1/cases/"+k.CaseID+"/files", ""), http.StatusOK); len(got.Items) != 1 {
			t.Errorf("files = %+v", got)
		}
	})
	row("POST /v1/agent", func(t *testing.T, w *world) { w.ended(bearer.BearerToken, k.CaseID) })
	row("GET /v1/workspace/{containerType}/{containerId}", func(t *testing.T, w *world) {
		got := into[map[string]any](t, agent(w, http.MethodGet, "/v1/workspace/case/"+k.CaseID, ""), http.StatusOK)
		if got["containerId"] != k.CaseID || len(got["unavailable"].([]any)) != 0 {
			t.Errorf("workspace = %v", got)
		}
		agent(w, http.MethodGet, "/v1/workspace/novel/"+k.CaseID, "").refused(t, "unknown type", http.StatusBadRequest, "invalid_parameter")
	})
	row("GET /v1/timeline/{timelineId}", func(t *testing.T, w *world) {
		if got := into[map[string]any](t, agent(w, http.MethodGet, "/v1/timeline/"+k.TimelineID, ""), http.StatusOK); got["containerId"] != k.CaseID {
			t.Errorf("timeline = %v", got)
		}
	})
	row("POST /v1/branch", func(t *testing.T, w *world) {
		branch = into[api.Branch](t, agent(w, http.MethodPost, "/v1/branch", `{"timelineId":"`+k.TimelineID+`"}`), http.StatusCreated)
	})
	row("GET /v1/branch/{branchId}", func(t *testing.T, w *world) {
		if got := into[api.Branch](t, agent(w, http.MethodGet, "/v1/branch/"+branch.BranchID, ""), http.StatusOK); got.ParentBranchID == nil || *got.ParentBranchID != k.ActiveBranchID {
			t.Errorf("branch = %+v", got)
		}
	})
	row("GET /v1/phases?branchId={id}", func(t *testing.T, w *world) {
		if got := into[api.Page[api.Phase]](t, agent(w, http.MethodGet, "/v1/phases?branchId="+branch.BranchID, ""), http.StatusOK); len(got.Items) != 1 {
			t.Errorf("phases = %+v", got)
		}
	})
	row("POST /v1/parties", func(t *testing.T, w *world) {
		party = into[api.Party](t, agent(w, http.MethodPost, "/v1/parties", `{"caseId":"`+k.CaseID+`","kind":"individual","role":"plaintiff"}`), http.StatusCreated)
		if party.Label != "[Party 1]" {
			t.Errorf("party = %+v", party)
		}
	})
	row("GET /v1/parties", func(t *testing.T, w *world) {
		if got := into[api.Page[api.Party]](t, agent(w, http.MethodGet, "/v1/parties?caseId="+k.CaseID, ""), http.StatusOK); len(got.Items) != 1 {
			t.Errorf("parties = %+v", got)
		}
	})
	row("GET /v1/parties/{partyId}", func(t *testing.T, w *world) {
		into[api.Party](t, agent(w, http.MethodGet, "/v1/parties/"+party.PartyID, ""), http.StatusOK)
	})
	row("PUT /v1/parties/{partyId}", func(t *testing.T, w *world) {
		got := into[api.Party](t, agent(w, http.MethodPut, "/v1/parties/"+party.PartyID, `{"kind":"individual","role":"petitioner"}`), http.StatusOK)
		if got.Role != "petitioner" || got.Label != party.Label {
			t.Errorf("party = %+v", got)
		}
	})
	var partner string
	row("GET /v1/partners", func(t *testing.T, w *world) { partner = w.partner(bearer.BearerToken) })
	row("POST /v1/cases/{caseId}/partners/{partnerId}/invite", func(t *testing.T, w *world) {
		a := agent(w, http.MethodPost, "/v1/cases/"+k.CaseID+"/partners/"+partner+"/invite", `{"role":"second_opinion"}`)
		got := into[map[string]any](t, a, http.StatusAccepted)
		if link, _ := got["deepLink"].(string); got["status"] != "proposed" || !strings.Contains(link, "/i/confirm_invite") {
			t.Errorf("invite = %v", got)
		}
	})
	row("DELETE /v1/cases/{caseId}", func(t *testing.T, w *world) {
		agent(w, http.MethodDelete, "/v1/cases/"+k.CaseID, "").refused(t, "a case with a pending review", http.StatusForbidden, "human_required")
		if a := w.send(http.MethodDelete, "/v1/cases/"+k.CaseID+"?acknowledgePending=true", user, ""); a.status != http.StatusNoContent {
			t.Errorf("delete: %d %s", a.status, a.body)
		}
	})
	row("DELETE /v1/agents/{agentId}", func(t *testing.T, w *world) {
		w.send(http.MethodDelete, "/v1/agents/"+registered.AgentID, w.token(cara), "").refused(t, "a colleague", http.StatusForbidden, "forbidden")
		if a := w.send(http.MethodDelete, "/v1/agents/"+registered.AgentID, user, ""); a.status != http.StatusNoContent {
			t.Errorf("disconnect: %d %s", a.status, a.body)
		}
		agent(w, http.MethodGet, "/v1/cases", "").refused(t, "its bearer", http.StatusUnauthorized, "unauthenticated")
	})
}
