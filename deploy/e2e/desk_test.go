package e2e_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/samples"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// asked runs a task to its end and returns the answer and the status of the phase.
func (w *world) asked(t *testing.T, bearer string, job api.AgentTask) (api.PhaseResponse, string) {
	t.Helper()
	f := w.post(bearer, job)
	if f.status != http.StatusOK {
		t.Fatalf("%q: %d %s", job.Prompt, f.status, f.answer.body)
	}
	frames := f.all()
	checkStream(t, job.SeedPhase.PhaseID, frames)
	r := frames[len(frames)-2].payload(t).Response
	if r == nil {
		t.Fatalf("%q has no answer", job.Prompt)
	}

	return *r, frames[len(frames)-1].payload(t).Status
}

// at is a task in a container of support or sales.
func at(containerType, containerID, requestType, prompt string) api.AgentTask {
	job := task(containerID, requestType, prompt)
	job.ContainerType = containerType

	return job
}

// order is an administrative task in a container of its own.
func order(prompt string) api.AgentTask {
	return at(api.ContainerSupport, uuid.NewString(), api.AdminReq, prompt)
}

func says(t *testing.T, what string, r api.PhaseResponse, kind string, words ...string) {
	t.Helper()

	for _, w := range words {
		if !strings.Contains(r.Text+strings.Join(r.Limits, "\n"), w) {
			t.Errorf("%s: the answer lacks %q:\n%s", what, w, r.Text)
		}
	}
	if r.Kind != kind {
		t.Errorf("%s: kind %s, want %s:\n%s", what, r.Kind, kind, r.Text)
	}
}

// An agent learns from support what was refused to it, and a container of support notes when a person is wanted.
func TestSupportKnowsTheCallersRefusals(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	agent, user := w.connect(ben), w.token(ben)
	caseID, _ := w.newCase(agent.bearer)
	bad := w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, "Write to jane.roe@example.com about the lease.",
		"Content-Type", "text/plain", "Content-Disposition", `attachment; filename="notes.txt"`)
	bad.refused(t, "an upload with an address", http.StatusForbidden, "identity_refused")

	box := uuid.NewString()
	for name, job := range map[string]api.AgentTask{
		"in a container of support": at(api.ContainerSupport, box, api.SupportReq, "Why was my upload refused?"),
		"in a case":                 task(caseID, api.SupportReq, "Why was my upload refused?"),
	} {
		r, _ := w.asked(t, agent.bearer, job)
		says(t, name, r, api.KindAnswer, "file.add", caseID, bad.err.RequestID, "identity_refused")
	}
	r, _ := w.asked(t, user, at(api.ContainerSupport, uuid.NewString(), api.SupportReq, "Why was my upload refused?"))
	says(t, "the agent's user", r, api.KindAnswer, "Nothing was refused to this credential")
	r, _ = w.asked(t, agent.bearer, at(api.ContainerSupport, box, api.SupportReq, "Which wine goes with fish?"))
	says(t, "what no entry answers", r, api.KindHandoff, "a person should answer")
	space := into[struct {
		Container struct {
			Handoff struct {
				Requested bool `json:"requested"`
			} `json:"handoff"`
		} `json:"container"`
	}](t, w.send(http.MethodGet, "/v1/workspace/support/"+box, agent.bearer, ""), http.StatusOK)
	if !space.Container.Handoff.Requested {
		t.Error("the container does not note that a person is wanted")
	}
}

func TestSalesSaysWhatIsConfigured(t *testing.T) {
	t.Parallel()
	facts, err := filepath.Abs("../samples/sales-facts.json")
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, map[string]string{"AGENT_SALES_FACTS": facts})
	user := w.token(ben)
	r, _ := w.asked(t, user, at(api.ContainerSales, uuid.NewString(), api.SalesReq, "How much does the plan cost for each person?"))
	says(t, "a price", r, api.KindAnswer, "the plan costs 40 US dollars for each person and month")
	r, _ = w.asked(t, user, at(api.ContainerSales, uuid.NewString(), api.SalesReq, "Will you win my lawsuit?"))
	says(t, "a promise", r, api.KindHandoff, "Nothing in the configured facts fits", "plans, limits, jurisdictions, security")
}

// What needs a person is refused to agents, however it is put; the deep link of a refusal is an address, not a right.
func TestS56WhatNeedsAHuman(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, user := w.connect(ada), w.token(ada)
	caseID, _ := w.newCase(user)
	k := into[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+caseID, user, ""), http.StatusOK)
	deadline := into[api.TimelineEntry](t, w.send(http.MethodPost, "/v1/timeline/"+k.TimelineID+"/entries", agent.bearer,
		`{"kind":"deadline","title":"Answer","dueOn":"2036-04-14"}`), http.StatusCreated)
	partner := w.partner(user)
	invite := into[api.Invite](t, w.send(http.MethodPost, "/v1/cases/"+caseID+"/partners/"+partner+"/invite", agent.bearer, `{"role":"second_opinion"}`), http.StatusAccepted)
	entry := "/v1/timeline/" + k.TimelineID + "/entries/" + deadline.EntryID
	links := map[string]string{}

	for _, tc := range []struct{ name, method, path, body string }{
		{"closing", http.MethodPatch, "/v1/cases/" + caseID, `{"status":"closed","closeReason":"settled"}`},
		{"closing, with another word", http.MethodPatch, "/v1/cases/" + caseID, `{"title":"Lease","status":"closed"}`},
		{"closing as the newest version", http.MethodPatch, "/v1/cases/" + caseID, `{"status":"archived"}`},
		{"deleting", http.MethodDelete, "/v1/cases/" + caseID, ""},
		{"deleting, and acknowledging", http.MethodDelete, "/v1/cases/" + caseID + "?acknowledgePending=true", ""},
		{"sending an invite", http.MethodPost, "/v1/invites/" + invite.InviteID + "/decision", `{"decision":"confirm"}`},
		{"sending it, conflicts attested", http.MethodPost, "/v1/invites/" + invite.InviteID + "/decision", `{"decision":"confirm","conflictAttested":true}`},
		{"confirming a deadline", http.MethodPatch, entry, `{"status":"confirmed"}`},
		{"confirming it as reviewed", http.MethodPatch, entry, `{"status":"confirmed","reviewStatus":"confirmed"}`},
	} {
		a := w.send(tc.method, tc.path, agent.bearer, tc.body)
		a.refused(t, tc.name, http.StatusForbidden, "human_required")
		if !strings.HasPrefix(a.err.DeepLink, w.Facts.BaseURL+"/i/") {
			t.Errorf("%s: deep link %q", tc.name, a.err.DeepLink)
			continue
		}
		links[tc.name] = strings.TrimPrefix(a.err.DeepLink, w.Facts.BaseURL)
	}

	for name, link := range links { // a page that says what to do; whoever fetches it, by whatever method, has done nothing
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			req := w.request(method, link, agent.bearer, nil)
			a, err := fetch(&http.Client{Transport: w.bare}, req)
			if err != nil || method != http.MethodGet && a.status < 400 {
				t.Errorf("%s: %s %s = %d, %v", name, method, link, a.status, err)
			}
		}
	}
	after := into[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+caseID, user, ""), http.StatusOK)
	if after.Status != k.Status {
		t.Errorf("the case is %s now", after.Status)
	}
	if i := into[api.Invite](t, w.send(http.MethodGet, "/v1/invites/"+invite.InviteID, user, ""), http.StatusOK); i.Status != "proposed" {
		t.Errorf("the invite is %s now", i.Status)
	}
	line := w.send(http.MethodGet, "/v1/timeline/"+k.TimelineID, user, "")
	if line.status != http.StatusOK || strings.Contains(string(line.body), `"confirmed"`) {
		t.Errorf("the timeline after all that: %d %s", line.status, line.body)
	}
	// The same requests are the right ones when a person makes them.
	into[any](t, w.send(http.MethodPatch, entry, user, `{"status":"confirmed"}`), http.StatusOK)
	into[any](t, w.send(http.MethodPost, "/v1/invites/"+invite.InviteID+"/decision", user, `{"decision":"confirm"}`), http.StatusOK)
	if a := w.send(http.MethodDelete, "/v1/cases/"+caseID+"?acknowledgePending=true", user, ""); a.status != http.StatusNoContent {
		t.Errorf("a person deletes: %d %s", a.status, a.body)
	}
}

// A person who runs a firm has every verb, their agent those that read, anybody else none.
func TestS56AdminVerbs(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("CASE_SWEEP_EVERY", "1h"))
	user := w.token(ada)
	adas, others := w.connect(ada), w.connect(cara)
	caseID, _ := w.newCase(user)
	doomed, _ := w.newCase(user)
	if r, status := w.asked(t, user, task(caseID, api.EvalReq, "Evaluate this case.")); status != api.PhaseCompleted {
		t.Fatalf("%s: %s", status, r.Text)
	}
	if a := w.send(http.MethodDelete, "/v1/cases/"+doomed, user, ""); a.status != http.StatusNoContent {
		t.Fatalf("delete: %d %s", a.status, a.body)
	}

	reading := map[string][]string{
		"rules_version": {"2026.1"}, "usage": {"| intake | 1 |", "| deleted | 1 |", "Files: "}, "list_pending_reviews": {caseID, `eval\_req`},
		"verify_audit": {"case: right", "party: ", "last hash"}, "make coffee": {"not begin with a known verb"},
	}
	for prompt, words := range reading {
		for who, bearer := range map[string]string{"an admin": user, "an admin's agent": adas.bearer} {
			r, status := w.asked(t, bearer, order(prompt))
			says(t, who+", "+prompt, r, api.KindAdminResult, words...)
			if status != api.PhaseCompleted {
				t.Errorf("%s, %s: %s", who, prompt, status)
			}
		}
	}
	entry := entries(t)[0]

	writing := map[string]string{
		"export_audit": "/v1/audit/{chain}", "retention_preview": "No cases are due", "retention_run " + uuid.NewString(): "Ask for retention_preview again",
		"reindex_case " + caseID: "rebuilt", "reindex_case " + doomed: "not_found",
	}
	for prompt, words := range writing {
		r, status := w.asked(t, adas.bearer, order(prompt))
		if status != api.PhaseRefused || r.Kind != api.KindRefusal || r.Refusal == nil || !strings.Contains(r.Refusal.DeepLink, "/i/admin") {
			t.Errorf("an admin's agent, %s: %s, %+v", prompt, status, r)
		}
		r, _ = w.asked(t, user, order(prompt))
		says(t, "an admin, "+prompt, r, api.KindAdminResult, words)
	}

	for _, prompt := range []string{"usage", "make coffee", "retention_preview"} {
		for who, bearer := range map[string]string{"a member": w.token(cara), "a member's agent": others.bearer} {
			f := w.post(bearer, order(prompt))
			f.answer.refused(t, who+", "+prompt, http.StatusForbidden, "forbidden")
		}
	}

	job := order("partners_import\n" + string(entry))
	r, _ := w.asked(t, user, job)
	says(t, "an import", r, api.KindAdminResult, "1 added")
	r, _ = w.asked(t, user, order("partners_import\n"+string(entry)+"\n{\"partnerId\":\"x\"}"))
	says(t, "an import that is wrong", r, api.KindAdminResult, "Nothing was done", "partners")
	if f := w.post(adas.bearer, order("partners_import\n"+string(entry))); f.status == http.StatusOK {
		if last := f.all(); last[len(last)-1].payload(t).Status != api.PhaseRefused {
			t.Error("an admin's agent imports partners")
		}
	} else {
		f.answer.refused(t, "an import by an agent", http.StatusForbidden, "identity_refused")
	}
	own := into[api.PartnerPage](t, w.send(http.MethodGet, "/v1/partners?limit=100", user, ""), http.StatusOK)
	if len(own.Items) != 1 {
		t.Errorf("the firm's own directory has %d entries, want the one imported", len(own.Items))
	}
	if others := into[api.PartnerPage](t, w.send(http.MethodGet, "/v1/partners?limit=100", w.token(ben), ""), http.StatusOK); len(others.Items) != 0 {
		t.Errorf("another firm sees %d entries of it", len(others.Items))
	}
	kept := w.send(http.MethodGet, "/v1/phases?phaseId="+job.SeedPhase.PhaseID, user, "")
	if strings.Contains(string(kept.body), "displayName") || !strings.Contains(string(kept.body), "partners_import (lines: 1)") {
		t.Errorf("the phase keeps %s", kept.body)
	}
}

// entries returns the entries of the sample directory.
func entries(t *testing.T) []json.RawMessage {
	t.Helper()
	var file struct {
		Partners []json.RawMessage `json:"partners"`
	}
	if err := json.Unmarshal(samples.Partners(), &file); err != nil {
		t.Fatal(err)
	}

	return file.Partners
}

// Retention by hand takes away what was previewed, when the same person confirms.
func TestAdminTakesAwayWhatIsDue(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("CASE_SWEEP_EVERY", "1h", overhear, "1"))
	user := w.token(ada)
	caseID, _ := w.newCase(user)
	if a := w.send(http.MethodDelete, "/v1/cases/"+caseID, user, ""); a.status != http.StatusNoContent {
		t.Fatalf("delete: %d %s", a.status, a.body)
	}
	w.age(t, caseID)
	r, _ := w.asked(t, user, order("retention_preview"))
	says(t, "preview", r, api.KindAdminResult, caseID, "can no longer be restored")
	_, rest, _ := strings.Cut(r.Text, "`retention_run ")
	token, _, _ := strings.Cut(rest, "`")
	r, _ = w.asked(t, w.token(dora), order("retention_run "+token))
	says(t, "another admin", r, api.KindAdminResult, "Nothing was done")
	r, _ = w.asked(t, user, order("retention_run "+token))
	says(t, "run", r, api.KindAdminResult, "Removed: 1 of 1")
	r, _ = w.asked(t, user, order("retention_preview"))
	says(t, "afterwards", r, api.KindAdminResult, "No cases are due")
	record := into[api.Page[api.AuditEvent]](t, w.send(http.MethodGet, "/v1/audit/case?action=case.purge&resourceId="+caseID, user, ""), http.StatusOK)
	if len(record.Items) != 1 || record.Items[0].Actor.Kind != "user" || record.Items[0].Actor.ID != ada.Subject {
		t.Errorf("on record is %+v, want that a person had it purged", record.Items)
	}
}

// age lets the time go by in which a deleted case could be restored.
func (w *world) age(t *testing.T, caseID string) {
	t.Helper()
	long := time.Now().UTC().Add(-31 * 24 * time.Hour)
	res, err := w.database("CASE_DATABASE").Collection("cases").UpdateOne(t.Context(), bson.M{"id": caseID}, bson.M{"$set": bson.M{"deletedAt": long, "purgeAt": long.Add(30 * 24 * time.Hour)}})
	if err != nil || res.MatchedCount != 1 {
		t.Fatalf("age a case: %v", err)
	}
}
