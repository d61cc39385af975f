package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// opened is a case of Ada's of which one branch and one file are open to Ben, who is of another firm.
type opened struct {
	*world
	agent      connected
	b          bindings // what is open
	root, past string   // the branch that is not, and its last phase
	closed     string   // a file that is not
}

// open has Ada invite Ben and Ben accept.
func (w *world) open() opened {
	w.t.Helper()
	o := opened{world: w, agent: w.connect(ada)}
	user := w.token(ada)
	o.b = w.furnish(ada, o.agent.bearer)
	o.b["agentId"], o.root, o.closed = o.agent.AgentID, o.b["branchId"], o.b["fileId"]
	w.decide(user, o.b["inviteId"], `{"decision":"revoke"}`)
	a := w.send(http.MethodPost, "/v1/cases/"+o.b["caseId"]+"/files", user, "The rent of [Party 1] is due on the first day of each month.", "Content-Type", "text/plain")
	o.b["fileId"] = into[struct{ Items []api.File }](w.t, a, http.StatusCreated).Items[0].FileID
	fork := into[api.Branch](w.t, w.send(http.MethodPost, "/v1/branch", user, `{"timelineId":"`+o.b["timelineId"]+`","title":"For a second opinion"}`), http.StatusCreated)
	o.b["branchId"] = fork.BranchID
	o.past = w.ended(user, o.b["caseId"]) // after the fork, on the root branch
	scope := fmt.Sprintf(`{"role":"second_opinion","scope":{"branchIds":[%q],"fileIds":[%q]}}`, fork.BranchID, o.b["fileId"])
	path := "/v1/cases/" + o.b["caseId"] + "/partners/" + o.b["partnerId"] + "/invite"
	i := into[api.SeenInvite](w.t, w.send(http.MethodPost, path, user, scope), http.StatusCreated)
	o.b["inviteId"] = i.InviteID
	w.send(http.MethodGet, "/v1/cases/"+o.b["caseId"], w.token(ben), "").refused(w.t, "before acceptance", http.StatusNotFound, "not_found")
	w.decide(w.token(ben), i.InviteID, `{"decision":"accept","conflictAttested":true}`)

	return o
}

// decide takes a decision about an invite.
func (w *world) decide(bearer, inviteID, decision string) api.SeenInvite {
	w.t.Helper()
	a := w.send(http.MethodPost, "/v1/invites/"+inviteID+"/decision", bearer, decision)

	return into[api.SeenInvite](w.t, a, http.StatusOK)
}

// forPartners are the operations by which an invited partner reads what is open to it. All others are closed.
var forPartners = []string{
	"getCase", "getFile", "getFileContent", "getFileText", "getWorkspace", "getTimeline", "getBranch", "getParty", "getInvite", "followRun",
}

// An invite is accepted over all services: the partner reads its branch and its file and nothing else, changes nothing, and is a stranger
// again when the invite ends.
func TestS60AnInvitedPartnerReadsItsScopeAndNoMore(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	o := w.open()
	partner := w.token(ben)
	t.Run("what is open", func(t *testing.T) { o.world = w.in(t); o.reads(partner) })
	t.Run("what is not", func(t *testing.T) { o.world = w.in(t); o.isClosed(partner) })
	t.Run("the partner's agent", func(t *testing.T) {
		o.world = w.in(t)
		o.isStrange("the partner's agent", w.in(t).connect(ben).bearer, true)
	})
	t.Run("colleagues of the partner", func(t *testing.T) { o.world = w.in(t); o.isStrange("a colleague", w.in(t).token(fay), false) })
	t.Run("on record", func(t *testing.T) {
		o.world = w.in(t)
		page := into[api.Page[api.AuditEvent]](t, w.send(http.MethodGet, "/v1/audit/case?resourceId="+o.b["fileId"], w.token(ada), ""), http.StatusOK)
		if !slices.ContainsFunc(page.Items, func(e api.AuditEvent) bool {
			return e.Actor.Kind == "partner" && e.Action == "file.read" && e.Outcome == "ok"
		}) {
			t.Errorf("the firm's record of the file: %+v", page.Items)
		}
	})
	t.Run("after the end", func(t *testing.T) {
		o.world = w.in(t)
		if i := w.in(t).decide(w.token(ada), o.b["inviteId"], `{"decision":"end"}`); i.Status != "ended" {
			t.Fatalf("status = %s", i.Status)
		}
		o.isStrange("the partner", partner, false)
		a := w.in(t).send(http.MethodGet, "/v1/invites/"+o.b["inviteId"], partner, "")
		if i := into[api.SeenInvite](t, a, http.StatusOK); i.Status != "ended" || i.CaseID != "" {
			t.Errorf("the partner's view of the invite = %+v", i)
		}
	})
}

// reads checks what a partner sees.
func (o opened) reads(partner string) {
	t := o.t
	get := func(path string) answer { t.Helper(); return o.send(http.MethodGet, path, partner, "") }
	kase := into[api.Case](t, get("/v1/cases/"+o.b["caseId"]), http.StatusOK)
	if kase.CaseID != o.b["caseId"] {
		t.Errorf("case = %+v", kase)
	}
	list := into[api.Page[api.File]](t, get("/v1/cases/"+o.b["caseId"]+"/files"), http.StatusOK)
	if len(list.Items) != 1 || list.Items[0].FileID != o.b["fileId"] {
		t.Errorf("files = %+v", list.Items)
	}
	phases := into[api.Page[api.Phase]](t, get("/v1/phases?branchId="+o.b["branchId"]), http.StatusOK)
	if len(phases.Items) != 1 || phases.Items[0].PhaseID != o.b["phaseId"] {
		t.Errorf("phases = %+v", phases.Items)
	}
	if own := into[api.Page[api.CaseRow]](t, get("/v1/cases"), http.StatusOK); len(own.Items) != 0 {
		t.Errorf("the partner's own cases = %+v", own.Items)
	}

	for _, p := range into[api.Page[api.Party]](t, get("/v1/parties?caseId="+o.b["caseId"]), http.StatusOK).Items {
		if p.Label != "[Party 1]" || p.Sealed != nil || p.IdentityRef != "" {
			t.Errorf("party = %+v", p)
		}
	}

	for _, op := range everyOperation(t) {
		if !slices.Contains(forPartners, op.id) {
			continue
		}
		a := o.call(op, "", partner, o.b)
		if a.status != http.StatusOK {
			t.Errorf("%s: %d %s", op.id, a.status, a.body)
		}

		for what, id := range map[string]string{"branch": o.root, "phase": o.past, "file": o.closed} {
			// What an open phase says is open with it, and what an open branch is forked from is named.
			if strings.Contains(string(a.body), id) && what != "branch" && op.id != "followRun" {
				t.Errorf("%s shows a %s that is not open: %s", op.id, what, a.body)
			}
		}
	}
}

// isClosed checks that nothing else can be read, and nothing changed.
func (o opened) isClosed(partner string) {
	t := o.t
	before := o.atRest(o.token(ada), o.b)

	for _, op := range everyOperation(t) {
		if len(op.ids()) == 0 || op.open() || slices.Contains(forPartners, op.id) || op.id == "decideInvite" {
			continue
		}

		for _, example := range op.examples() {
			a := o.call(op, example, partner, o.b)
			if a.status != http.StatusForbidden && a.status != http.StatusNotFound {
				t.Errorf("%s (%s): %d %s, want 403 or 404", op.id, example, a.status, a.body)
			}
		}
	}

	for what, decision := range map[string]string{"confirm": `{"decision":"confirm"}`, "revoke": `{"decision":"revoke"}`} {
		o.send(http.MethodPost, "/v1/invites/"+o.b["inviteId"]+"/decision", partner, decision).refused(t, what, http.StatusForbidden, "forbidden")
	}
	unknown := strangers()

	for name, beyond := range map[string]bindings{
		"a branch": o.b.from(bindings{"branchId": o.root}, "branchId"), "a phase": o.b.from(bindings{"phaseId": o.past}, "phaseId"), "a file": o.b.from(bindings{"fileId": o.closed}, "fileId"),
	} {
		for _, op := range everyOperation(t) {
			id := map[string]string{"a branch": "branchId", "a phase": "phaseId", "a file": "fileId"}[name]
			if slices.Contains(op.ids(), id) && slices.Contains(forPartners, op.id) {
				indistinct(t, op.id+" of "+name+" outside the scope", o.call(op, "", partner, beyond), o.call(op, "", partner, o.b.from(unknown, id)))
			}
		}
	}

	for _, query := range []string{"/v1/phases?branchId=" + o.root, "/v1/phases?phaseId=" + o.past, "/v1/timeline/" + o.b["timelineId"] + "?branchId=" + o.root, "/v1/workspace/case/" + o.b["caseId"] + "?branchId=" + o.root} {
		o.send(http.MethodGet, query, partner, "").refused(t, query, http.StatusNotFound, "not_found")
	}

	for what, body := range map[string]string{
		"a run": encoded(t, task(o.b["caseId"], api.CaseReq, question)), "a branch": `{"timelineId":"` + o.b["timelineId"] + `"}`, "a party": `{"caseId":"` + o.b["caseId"] + `","kind":"individual","role":"other"}`,
	} {
		path := map[string]string{"a run": "/v1/agent", "a branch": "/v1/branch", "a party": "/v1/parties"}[what]
		if a := o.send(http.MethodPost, path, partner, body); a.status != http.StatusForbidden && a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s, want 403 or 404", what, a.status, a.body)
		}
	}
	after := o.atRest(o.token(ada), o.b)
	maps.DeleteFunc(after, func(id, _ string) bool {
		return strings.HasPrefix(id, "listCaseAudit") // it tells what was refused
	})

	for id, is := range after {
		if before[id] != is {
			t.Errorf("%s of the firm was %s and is %s", id, before[id], is)
		}
	}
}

// isStrange checks that the case is closed to somebody as if it did not exist.
func (o opened) isStrange(who, bearer string, machine bool) {
	unknown := strangers()

	for _, op := range everyOperation(o.t) {
		names := op.ids()
		invite := slices.Contains(names, "inviteId")
		if len(names) == 0 || op.open() || machine && !op.agents || invite && who == "the partner" {
			continue
		}

		for _, example := range op.examples() {
			a, other := o.call(op, example, bearer, o.b), o.call(op, example, bearer, o.b.from(unknown, names...))
			if machine && forPersons(a, other, o.b[names[0]], unknown[names[0]]) {
				continue
			}
			indistinct(o.t, op.id+" ("+example+") by "+who, a, other)
		}
	}
}

// Entries, phases and files name who wrote them, and no machine takes back what another wrote.
func TestS60TheRecordIsAppendOnly(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owners, agent := w.connect(ada), w.connect(cara)
	b := w.furnish(ada, owners.bearer)
	fact := `{"kind":"fact","when":{"on":"2026-02-05","precision":"day"},"title":"[Party 1] answered"`
	w.send(http.MethodPost, "/v1/timeline/"+b["timelineId"]+"/entries", agent.bearer, fact+`,"createdBy":{"kind":"user","id":"ada"}}`).refused(t, "an author in the body", http.StatusBadRequest, "unknown_field")
	into[any](t, w.send(http.MethodPost, "/v1/timeline/"+b["timelineId"]+"/entries", agent.bearer, fact+"}"), http.StatusCreated)

	before := w.atRest(w.token(ada), b)
	for _, path := range []string{
		"/v1/timeline/" + b["timelineId"], "/v1/timeline/" + b["timelineId"] + "/entries/" + b["entryId"], "/v1/phases/" + b["phaseId"], "/v1/phases?phaseId=" + b["phaseId"], "/v1/phases/" + b["phaseId"] + "/review",
		"/v1/branch/" + b["branchId"], "/v1/cases/" + b["caseId"] + "/files/" + b["fileId"], "/v1/cases/" + b["caseId"] + "/files/" + b["fileId"] + "/text", "/v1/cases/" + b["caseId"] + "/files/" + b["fileId"] + "/content",
		"/v1/agent/" + b["phaseId"], "/v1/parties/" + b["partyId"], "/v1/audit/case",
	} {
		for _, method := range []string{http.MethodDelete, http.MethodPut, http.MethodPatch} {
			if method == http.MethodPut && strings.HasPrefix(path, "/v1/parties") || method == http.MethodPatch && strings.HasPrefix(path, "/v1/branch") {
				continue // labels and titles belong to all who work on the case
			}
			a := w.send(method, path, agent.bearer, `{"title":"Another"}`)
			if path == "/v1/agent/"+b["phaseId"] && method == http.MethodDelete {
				a.refused(t, "cancelling what has ended", http.StatusConflict, "invalid_transition")
				continue
			}
			if !slices.Contains([]int{http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed}, a.status) {
				t.Errorf("%s %s by another agent: %d %s", method, path, a.status, a.body)
			}
		}
	}
	w.send(http.MethodDelete, "/v1/cases/"+b["caseId"], agent.bearer, "").refused(t, "deleting another's case", http.StatusForbidden, "human_required")

	after := w.seen(w.token(ada), b)
	for _, id := range []string{"getCase", "getTimeline", "getFile", "getFileText", "listPhases", "getBranch", "getParty"} {
		if before[id] != after[id] {
			t.Errorf("%s was %s and is %s", id, before[id], after[id])
		}
	}
	authors := map[string]string{}

	for _, e := range into[api.Timeline](t, w.send(http.MethodGet, "/v1/timeline/"+b["timelineId"], w.token(ada), ""), http.StatusOK).Entries {
		if e.CreatedBy.Kind == "" || e.CreatedBy.ID == "" {
			t.Errorf("an entry of nobody: %+v", e)
		}
		authors[e.Title] = e.CreatedBy.Kind + " " + e.CreatedBy.ID + " for " + e.CreatedBy.UserID
	}
	if got, want := authors["[Party 1] answered"], "agent "+agent.AgentID+" for cara"; got != want {
		t.Errorf("author = %s, want %s", got, want)
	}
	if got, want := authors["[Party 1] gave notice"], "user ada for ada"; got != want {
		t.Errorf("author = %s, want %s", got, want)
	}
}
