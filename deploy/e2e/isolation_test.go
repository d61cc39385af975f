package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// ids are the parameters of the path that name something of a tenant.
func (o documented) ids() []string {
	var all []string

	for _, p := range o.parameters {
		if p.Value.In == "path" && strings.HasSuffix(p.Value.Name, "Id") {
			all = append(all, p.Value.Name)
		}
	}
	slices.Sort(all)

	return slices.Compact(all)
}

// examples are the names of the operation's bodies, or none of them.
func (o documented) examples() []string {
	if len(o.bodies) == 0 {
		return []string{"no body"}
	}

	return slices.Sorted(maps.Keys(o.bodies))
}

// from returns b with the values that another has for some names.
func (b bindings) from(other bindings, names ...string) bindings {
	mixed := maps.Clone(b)
	for _, name := range names {
		mixed[name] = other[name]
	}

	return mixed
}

// changing are the headers that differ from answer to answer.
var changing = []string{"Date", "X-Request-Id", "Ratelimit", "Ratelimit-Policy", "Content-Length"}

// lasting returns what every answer of one sort has the same.
func lasting(a answer) http.Header {
	h := a.header.Clone()
	for _, name := range changing {
		h.Del(name)
	}

	return h
}

// forPersons reports whether both answers send an agent to a person without having looked for the thing: they differ in its id alone.
func forPersons(theirs, unknown answer, id, otherID string) bool {
	return theirs.status == http.StatusForbidden && theirs.err.Error == "human_required" && unknown.status == theirs.status &&
		bytes.Equal(bytes.ReplaceAll(withoutRequestID(theirs), []byte(id), nil), bytes.ReplaceAll(withoutRequestID(unknown), []byte(otherID), nil))
}

// indistinct checks that a thing of another is answered like a thing that does not exist, to the byte.
func indistinct(t *testing.T, what string, theirs, unknown answer) {
	t.Helper()
	theirs.refused(t, what, http.StatusNotFound, "not_found")
	if unknown.status != theirs.status || !bytes.Equal(withoutRequestID(theirs), withoutRequestID(unknown)) {
		t.Errorf("%s: %d %s, of what does not exist: %d %s", what, theirs.status, theirs.body, unknown.status, unknown.body)
	}
	if got, want := lasting(theirs), lasting(unknown); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: headers %v, of what does not exist: %v", what, got, want)
	}
}

// unread are reads whose answers say when they were given.
var unread = []string{"exportCase", "followRun", "checkAgentHealth"}

// cursor is the place where a list goes on; it says when it was given.
var cursor = regexp.MustCompile(`"nextCursor":"[^"]*"`)

// seen is what a person reads of their things by every operation that only reads.
func (w *world) seen(bearer string, b bindings) map[string]string {
	w.t.Helper()
	all := map[string]string{}

	for _, o := range everyOperation(w.t) {
		if o.method != http.MethodGet || !o.people || slices.Contains(unread, o.id) {
			continue
		}

		a := w.call(o, "", bearer, b)
		for range 50 { // on a busy machine parts of an answer may not come in time, which it says
			if !bytes.Contains(a.body, []byte(`"unavailable":["`)) {
				break
			}
			a = w.call(o, "", bearer, b)
		}
		if a.status != http.StatusOK {
			w.t.Fatalf("%s of the owner: %d %s", o.id, a.status, a.body)
		}
		all[o.id] = cursor.ReplaceAllString(string(a.body), "")
	}

	return all
}

// atRest is what is seen once what follows from earlier changes has followed.
func (w *world) atRest(bearer string, b bindings) map[string]string {
	w.t.Helper()

	last := w.seen(bearer, b)
	for range 20 {
		now := w.seen(bearer, b)
		if maps.Equal(last, now) {
			return now
		}
		last = now
	}

	for id, is := range w.seen(bearer, b) {
		if last[id] != is {
			w.t.Fatalf("what %s says does not come to rest: %s, %s", id, last[id], is)
		}
	}

	return last
}

// subsets returns every choice of at least one name.
func subsets(names []string) [][]string {
	var all [][]string

	for bits := 1; bits < 1<<len(names); bits++ {
		var chosen []string

		for i, name := range names {
			if bits&(1<<i) != 0 {
				chosen = append(chosen, name)
			}
		}
		all = append(all, chosen)
	}

	return all
}

// Every operation with an id in its path answers another tenant's ids, alone or among the caller's own, like ids that nothing has; a
// new operation is in here by itself. Nothing of the other tenant changes, its audit record included.
func TestS01S02OtherTenantsThingsDoNotExist(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(overhear, "1"))
	attacker, victim := w.connect(ada), w.connect(ben)
	mine, theirs, nothing := w.furnish(ada, attacker.bearer), w.furnish(ben, victim.bearer), strangers()
	mine["agentId"], theirs["agentId"] = attacker.AgentID, victim.AgentID
	before := w.atRest(w.token(ben), theirs)
	callers := map[string]string{"a user": w.token(ada), "an agent": attacker.bearer}
	var tried atomic.Int64
	t.Run("operations", func(t *testing.T) {
		for _, o := range everyOperation(t) {
			// The directory is everybody's.
			names := slices.DeleteFunc(o.ids(), func(name string) bool { return mine[name] == theirs[name] })
			if len(names) == 0 || o.open() {
				continue
			}

			for who, bearer := range callers {
				if who == "an agent" && !o.agents {
					continue
				}
				t.Run(o.id+" by "+who, func(t *testing.T) {
					t.Parallel()
					w := w.in(t)
					found := 0

					for _, chosen := range subsets(names) {
						for _, example := range o.examples() {
							what := fmt.Sprintf("%s %s (%s) with another tenant's %v", o.method, o.path, example, chosen)
							a, unknown := w.call(o, example, bearer, mine.from(theirs, chosen...)), w.call(o, example, bearer, mine.from(nothing, chosen...))
							if who == "an agent" && forPersons(a, unknown, theirs[chosen[0]], nothing[chosen[0]]) {
								continue
							}
							indistinct(t, what, a, unknown)
							found++
						}
					}
					tried.Add(int64(found))
					if found == 0 {
						t.Error("nothing was looked for")
					}
				})
			}
		}
	})
	if tried := tried.Load(); tried < 60 {
		t.Errorf("%d ways were tried, want all", tried)
	}

	for who, bearer := range callers {
		indistinct(t, "GET /v1/cases?caseId= by "+who, w.send(http.MethodGet, "/v1/cases?caseId="+theirs["caseId"], bearer, ""), w.send(http.MethodGet, "/v1/cases?caseId="+nothing["caseId"], bearer, ""))
	}

	after := w.seen(w.token(ben), theirs)
	for id, was := range before {
		if after[id] != was {
			t.Errorf("%s of the other tenant was %s and is %s", id, was, after[id])
		}
	}
	colleague := w.connect(cara)
	w.send(http.MethodDelete, "/v1/agents/"+colleague.AgentID, w.token(ada), "").refused(t, "a colleague's agent", http.StatusForbidden, "forbidden")
	if me := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(cara), ""), http.StatusOK); me.AgentID != colleague.AgentID || me.Status != "active" {
		t.Errorf("the colleague's agent = %+v", me)
	}
}

// placed returns a JSON body with a value at a path of fields.
func placed(t *testing.T, body, path string, value any) string {
	t.Helper()
	all := map[string]any{}
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatal(err)
	}

	at, steps := all, strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		inner, ok := at[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[step] = inner
		}
		at = inner
	}
	at[steps[len(steps)-1]] = value

	return encoded(t, all)
}

// Another tenant's ids in bodies and filters link nothing.
func TestS03OtherTenantsIdsInBodies(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	attacker, victim := w.connect(ada), w.connect(ben)
	mine, theirs, nothing := w.furnish(ada, attacker.bearer), w.furnish(ben, victim.bearer), strangers()
	before, own := w.atRest(w.token(ben), theirs), w.atRest(w.token(ada), mine)
	job := encoded(t, task(mine["caseId"], api.CaseReq, question))
	party := `{"caseId":"` + mine["caseId"] + `","kind":"individual","role":"other"}`
	put := `{"kind":"individual","role":"plaintiff","side":"ours","isClient":true}`
	entry := `{"kind":"fact","when":{"on":"2026-02-03","precision":"day"},"title":"[Party 1] gave notice"}`
	source := func(fileID string) any {
		return []any{map[string]any{"fileId": fileID, "textVersion": 1, "charStart": 0, "charEnd": 11, "quote": "# COMPLAINT"}}
	}
	plain, list := func(id string) any { return id }, func(id string) any { return []any{id} }

	cases, branch, phase := "/v1/cases/"+mine["caseId"], `{"timelineId":"`+mine["timelineId"]+`"}`, "seedPhase."
	for name, c := range map[string]struct {
		method, path, body, field string
		of                        string // whose id it is
		value                     func(id string) any
		code                      string // of the refusal
	}{
		"party for a case":          {http.MethodPost, "/v1/parties", party, "caseId", "caseId", plain, "not_found"},
		"party merged into another": {http.MethodPut, "/v1/parties/" + mine["partyId"], placed(t, put, "status", "merged"), "mergedIntoPartyId", "partyId", plain, "validation_failed"},
		"client of a case":          {http.MethodPatch, cases, "{}", "clientPartyId", "partyId", plain, "validation_failed"},
		"active branch":             {http.MethodPatch, cases, "{}", "activeBranchId", "branchId", plain, "validation_failed"},
		"invite with a branch":      {http.MethodPost, cases + "/partners/" + w.another(w.token(ada), mine["partnerId"]) + "/invite", `{"role":"expert"}`, "scope.branchIds", "branchId", list, "scope_not_in_case"},
		"invite with a file":        {http.MethodPost, cases + "/partners/" + w.another(w.token(ada), mine["partnerId"]) + "/invite", `{"role":"expert"}`, "scope.fileIds", "fileId", list, "scope_not_in_case"},
		"branch of a timeline":      {http.MethodPost, "/v1/branch", "{}", "timelineId", "timelineId", plain, "not_found"},
		"branch from a phase":       {http.MethodPost, "/v1/branch", branch, "fromPhaseId", "phaseId", plain, "not_found"},
		"branch of a branch":        {http.MethodPost, "/v1/branch", branch, "parentBranchId", "branchId", plain, "not_found"},
		"run in a container":        {http.MethodPost, "/v1/agent", job, "containerId", "containerId", plain, "not_found"},
		"run on a branch":           {http.MethodPost, "/v1/agent", job, phase + "branchId", "branchId", plain, "not_found"},
		"run after a phase":         {http.MethodPost, "/v1/agent", job, phase + "parentPhaseId", "phaseId", plain, "phase_conflict"},
		"run over files":            {http.MethodPost, "/v1/agent", job, "fileIds", "fileId", list, "not_found"},
		"entry with a source":       {http.MethodPost, "/v1/timeline/" + mine["timelineId"] + "/entries", entry, "sources", "fileId", source, "validation_failed"},
		"entry on a branch":         {http.MethodPost, "/v1/timeline/" + mine["timelineId"] + "/entries", entry, "branchId", "branchId", plain, "unknown_field"},
		"entry of a phase":          {http.MethodPost, "/v1/timeline/" + mine["timelineId"] + "/entries", entry, "phaseId", "phaseId", plain, "unknown_field"},
	} {
		for who, bearer := range map[string]string{"user": w.token(ada), "agent": attacker.bearer} {
			ask := func(ids bindings) answer {
				return w.send(c.method, c.path, bearer, placed(t, c.body, c.field, c.value(ids[c.of])))
			}
			a, unknown := ask(theirs), ask(nothing)

			status, code := http.StatusBadRequest, c.code
			switch {
			case c.field == "activeBranchId" && who == "agent":
				status, code = http.StatusForbidden, "human_required"
			case code == "not_found":
				status = http.StatusNotFound
			case code == "phase_conflict":
				status = http.StatusConflict
			}
			a.refused(t, name+" by the "+who, status, code)
			if unknown.status != a.status || !bytes.Equal(without(unknown, nothing[c.of]), without(a, theirs[c.of])) {
				t.Errorf("%s by the %s: %d %s, of what does not exist: %d %s", name, who, a.status, a.body, unknown.status, unknown.body)
			}
			a.discreet(t, name)
		}
	}

	for name, field := range map[string]string{"a file in place of": "supersedesFileId", "an original of": "sealedFileId"} {
		ask := func(ids bindings) answer {
			body, media := form(t, `[{"`+field+`":"`+ids["fileId"]+`"}]`, "b.txt", "A text of [Party 1] that is new: "+name)
			return w.send(http.MethodPost, cases+"/files", w.token(ada), body, "Content-Type", media)
		}
		a, unknown := ask(theirs), ask(nothing)
		a.refused(t, name, http.StatusBadRequest, "validation_failed")
		if unknown.status != a.status || !bytes.Equal(without(unknown, nothing["fileId"]), without(a, theirs["fileId"])) {
			t.Errorf("%s: %d %s, of what does not exist: %d %s", name, a.status, a.body, unknown.status, unknown.body)
		}
	}

	for _, query := range []string{
		"/v1/phases?branchId=" + theirs["branchId"], "/v1/phases?phaseId=" + theirs["phaseId"], "/v1/timeline/" + mine["timelineId"] + "?branchId=" + theirs["branchId"],
		"/v1/workspace/case/" + mine["caseId"] + "?branchId=" + theirs["branchId"], "/v1/partners?forCaseId=" + theirs["caseId"], "/v1/invites?caseId=" + theirs["caseId"],
		"/v1/parties?caseId=" + theirs["caseId"], "/v1/cases?caseId=" + theirs["caseId"],
	} {
		for who, bearer := range map[string]string{"user": w.token(ada), "agent": attacker.bearer} {
			w.send(http.MethodGet, query, bearer, "").refused(t, "GET "+query+" by the "+who, http.StatusNotFound, "not_found")
		}
	}

	after := w.seen(w.token(ben), theirs)
	for id, was := range before {
		if is := after[id]; is != was {
			t.Errorf("%s of the other tenant was %s and is %s", id, was, is)
		}
	}

	for id, is := range w.atRest(w.token(ada), mine) {
		for name, value := range theirs {
			if strings.Contains(is, value) && !strings.Contains(own[id], value) && !strings.HasPrefix(id, "audit") {
				t.Errorf("%s of the attacker shows the other tenant's %s", id, name)
			}
		}
	}
}

// without is the body of an answer without its request's id and an id of the caller's.
func without(a answer, id string) []byte {
	return bytes.ReplaceAll(withoutRequestID(a), []byte(id), nil)
}

// another returns a professional of the directory who can be invited and is not the one given.
func (w *world) another(bearer, partnerID string) string {
	w.t.Helper()

	for _, p := range into[api.PartnerPage](w.t, w.send(http.MethodGet, "/v1/partners?limit=100", bearer, ""), http.StatusOK).Items {
		if p.PartnerID != partnerID {
			return p.PartnerID
		}
	}
	w.t.Fatal("the directory has nobody else")

	return ""
}

// No filter reaches beyond the caller's tenant.
func TestS04FiltersStayInTheTenant(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	attacker, victim := w.connect(ada), w.connect(ben)
	mine, theirs := w.furnish(ada, attacker.bearer), w.furnish(ben, victim.bearer)
	whoami := func(bearer string) (me struct{ User, Tenant string }) {
		return into[struct{ User, Tenant string }](t, w.send(http.MethodGet, "/v1/me", bearer, ""), http.StatusOK)
	}
	ofBen := whoami(w.token(ben))

	lists := 0
	for _, o := range everyOperation(t) {
		if o.method != http.MethodGet || o.open() || !o.lists() {
			continue
		}
		lists++

		for who, bearer := range map[string]string{"user": w.token(ada), "agent": attacker.bearer} {
			if who == "agent" && !o.agents {
				continue
			}

			path, _, _ := strings.Cut(o.address(mine), "?")
			for _, filter := range []string{"owner=" + ofBen.User, "userId=" + ofBen.User, "tenant=" + ofBen.Tenant, "tenant=", "tenantId=x", "organization=elm"} {
				w.send(http.MethodGet, path+"?"+filter, bearer, "").refused(t, o.id+"?"+filter+" by the "+who, http.StatusBadRequest, "invalid_parameter")
			}

			for _, p := range o.parameters {
				value := theirs[p.Value.Name]
				switch p.Value.Name {
				case "responsibleUserId":
					value = ofBen.User
				case "resourceId":
					value = theirs["caseId"]
				}
				if p.Value.In != "query" || value == "" {
					continue
				}
				a := w.send(http.MethodGet, path+"?"+p.Value.Name+"="+value, bearer, "")
				if a.status == http.StatusOK {
					if page := into[struct{ Items []any }](t, a, http.StatusOK); len(page.Items) > 0 {
						t.Errorf("%s by the %s: %s of the other tenant gives %.300s", o.id, who, p.Value.Name, a.body)
					}
				} else if a.status != http.StatusNotFound {
					a.refused(t, o.id+" by the "+who+" with the other tenant's "+p.Value.Name, http.StatusBadRequest, "invalid_parameter")
				}
			}
			if o.id == "searchPartners" {
				continue // the directory is everybody's
			}

			a := w.call(o, "", bearer, mine)
			for name, value := range theirs {
				if value == mine[name] {
					continue
				}

				// As a word: the id of a person may stand inside one, as ben does in benefit.
				word := regexp.MustCompile(`\b` + regexp.QuoteMeta(value) + `\b`)
				if at := word.FindIndex(a.body); at != nil {
					around := a.body[max(0, at[0]-30):min(len(a.body), at[1]+30)]
					t.Errorf("%s by the %s shows the other tenant's %s: %s", o.id, who, name, around)
				}
			}
		}
	}
	if lists < 9 {
		t.Errorf("%d lists were tried", lists)
	}
}

// lists reports whether the operation answers pages.
func (o documented) lists() bool {
	return slices.ContainsFunc(o.parameters, func(p *openapi3.ParameterRef) bool { return p.Value.In == "query" && p.Value.Name == "cursor" })
}
