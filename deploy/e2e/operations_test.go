package e2e_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/samples"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// documented is one operation of the OpenAPI document, with what it takes to call it as its examples do.
type documented struct {
	id, method, path string           // the path is a template in OpenAPI's form
	people, agents   bool             // who may call it
	scope            string           // that an agent needs
	success          []int            // statuses
	headers          map[int][]string // that a success carries, by status
	parameters       openapi3.Parameters
	mediaType        string
	bodies           map[string]any   // by the name of the example
	schema           *openapi3.Schema // of the bodies
	mustHaveBody     bool
}

// everyOperation reads the document's operations, in the order of their paths.
func everyOperation(t testing.TB) []documented {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	var all []documented

	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o := documented{id: op.OperationID, method: method, path: path, parameters: append(slices.Clone(item.Parameters), op.Parameters...), bodies: map[string]any{}}
			security := doc.Security
			if op.Security != nil {
				security = *op.Security
			}

			for _, requirement := range security {
				if _, ok := requirement["userSession"]; ok {
					o.people = true
				}
				if scopes, ok := requirement["agentBearer"]; ok {
					o.agents, o.scope = true, strings.Join(scopes, " ")
				}
			}
			o.readAnswers(op.Responses)
			o.readBody(op.RequestBody)
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(x, y documented) int { return strings.Compare(x.path+x.method, y.path+y.method) })

	return all
}

func (o *documented) readAnswers(answers *openapi3.Responses) {
	o.headers = map[int][]string{}

	for text, answer := range answers.Map() {
		status, err := strconv.Atoi(text)
		if err != nil || status >= http.StatusMultipleChoices {
			continue
		}
		o.success = append(o.success, status)
		o.headers[status] = slices.Sorted(maps.Keys(answer.Value.Headers))
	}
}

func (o *documented) readBody(body *openapi3.RequestBodyRef) {
	if body == nil {
		return
	}

	o.mustHaveBody = body.Value.Required
	for mediaType, content := range body.Value.Content {
		if content.Example != nil {
			o.mediaType, o.schema, o.bodies["example"] = mediaType, content.Schema.Value, content.Example
		}

		for name, example := range content.Examples {
			o.mediaType, o.schema, o.bodies[name] = mediaType, content.Schema.Value, example.Value.Value
		}
	}
}

// open reports whether anybody may call the operation.
func (o documented) open() bool { return !o.people && !o.agents }

// foreign reports whether the operation has the forms of another standard (OAuth, MCP, A2A), or is for browsers and
// their cookies: tests of its own hold it to them.
func (o documented) foreign() bool {
	return slices.ContainsFunc(
		[]string{"/oauth/", "/auth/", "/api/mcp", "/a2a/", "/.well-known/oauth-"},
		func(below string) bool { return strings.HasPrefix(o.path, below) },
	)
}

// takes reports whether the operation has a parameter of the name, which is a header's or a query's.
func (o documented) takes(name string) bool {
	return slices.ContainsFunc(o.parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == name && p.Value.In != "path" })
}

// partnerOfBen is the professional of the sample directory whose invites Ben answers.
const partnerOfBen = "Thaddeus Clausewick"

// bindings are the values that stand in a world for those of the examples, by the name of a parameter or a field.
type bindings map[string]string

// address fills in the path, and those query parameters that have an example.
func (o documented) address(b bindings) string {
	path, query := o.path, url.Values{}
	for _, p := range o.parameters {
		value := b[p.Value.Name]
		if example, ok := p.Value.Example.(string); ok && value == "" {
			value = example
		}

		switch p.Value.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", url.PathEscape(value))
		case "query":
			if _, ok := p.Value.Example.(string); ok {
				query.Set(p.Value.Name, value)
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}

	return path
}

// body is an example with the world's values in it.
func (o documented) body(t testing.TB, name string, b bindings) string {
	t.Helper()
	example, ok := o.bodies[name]
	if !ok {
		return ""
	}
	if text, ok := example.(string); ok && !strings.HasSuffix(o.mediaType, "json") {
		return text
	}
	raw, err := json.Marshal(b.put(example))
	if err != nil {
		t.Fatal(err)
	}

	return string(raw)
}

// put replaces what is bound, in depth.
func (b bindings) put(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}

		for key, inner := range v {
			if bound, ok := b[key]; ok {
				if _, isText := inner.(string); isText {
					inner = bound
				}
			}
			out[key] = b.put(inner)
		}

		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = b.put(v[i])
		}

		return out
	}

	return v
}

// call sends an operation as its example does.
func (w *world) call(o documented, example, bearer string, b bindings) answer {
	w.t.Helper()
	var headers []string
	if o.mediaType != "" {
		headers = append(headers, "Content-Type", o.mediaType)
	}

	return w.send(o.method, o.address(b), bearer, o.body(w.t, example, b), headers...)
}

// furnish makes one of everything that an id can name, in the name of a person and an agent of theirs, and returns the ids.
func (w *world) furnish(p devidp.Person, bearer string) bindings {
	w.t.Helper()
	user := w.token(p)
	k := into[api.Case](w.t, w.send(http.MethodPost, "/v1/cases", user, `{"title":"Lease of [Property 1]","jurisdiction":"US-CA","practiceAreas":[{"scheme":"LIST","code":"HO-02-00-00-00","primary":true}]}`), http.StatusCreated)
	b := bindings{"caseId": k.CaseID, "containerId": k.CaseID, "containerType": "case", "timelineId": k.TimelineID, "branchId": k.ActiveBranchID, "action": "review", "asset": "init.js"}
	file := w.send(http.MethodPost, "/v1/cases/"+k.CaseID+"/files", user, complaint, "Content-Type", "text/markdown", "Content-Disposition", `attachment; filename="complaint.md"`)
	b["fileId"] = into[struct{ Items []api.File }](w.t, file, http.StatusCreated).Items[0].FileID
	b["phaseId"] = w.ended(bearer, k.CaseID)
	b["partyId"] = into[api.Party](w.t, w.send(http.MethodPost, "/v1/parties", user, `{"caseId":"`+k.CaseID+`","kind":"individual","role":"plaintiff","side":"ours","isClient":true}`), http.StatusCreated).PartyID
	b["entryId"] = w.entry(user, k.TimelineID)
	b["partnerId"] = w.partner(user)
	b["inviteId"] = w.invite(user, k.CaseID, b["partnerId"])
	b["userId"], b["keyVersion"] = p.Subject, "1"
	w.vaulted(p, p)
	sealed := w.send(http.MethodPut, "/v1/cases/"+k.CaseID+"/sealed-labels", user, `{"keyVersion":1,"iv":"`+strings.Repeat("A", 16)+`","ct":"`+strings.Repeat("A", 64)+`"}`)
	into[api.SealedLabels](w.t, sealed, http.StatusCreated)

	return b
}

// firmPoint is the public key of every vault of the tests, the one of the document's example: saving that vault again changes no key.
const firmPoint = "BG2HKHN0fbRwpplaAQT5-e7yD9DRh6bBbw0LtbD2ZpQdvDAUkr2zYewRt6cKqAuZIIHAtSigzrpmEqJx29Ni46o"

// wrapped is a firm key as a browser wraps it, but for the secret in it.
func wrapped() map[string]any {
	return map[string]any{"publicKey": firmPoint, "ephemeralKey": firmPoint, "iv": strings.Repeat("A", 16), "ct": strings.Repeat("A", 64)}
}

// vaulted gives a person a vault, and has holder wrap the first firm key to it; a holder who is that person makes the key.
func (w *world) vaulted(p, holder devidp.Person) {
	w.t.Helper()
	saved := w.send(http.MethodPut, "/v1/vault", w.token(p), `{"publicKey":"`+firmPoint+`","blob":"`+strings.Repeat("A", 200)+`"}`)
	if saved.status != http.StatusOK && saved.status != http.StatusCreated {
		w.t.Fatalf("vault: %d %s", saved.status, saved.body)
	}
	if into[api.Vault](w.t, saved, saved.status).KeyVersion > 0 && p.Subject == holder.Subject {
		return // made before
	}
	key := wrapped()
	if p.Subject == holder.Subject {
		key["userId"] = p.Subject
		into[api.Vault](w.t, w.send(http.MethodPost, "/v1/vault/rotate", w.token(p), textOf(w.t, map[string]any{"keyVersion": 1, "keys": []any{key}})), http.StatusCreated)

		return
	}
	into[api.WrappedKey](w.t, w.send(http.MethodPut, "/v1/vault/members/"+p.Subject+"/keys/1", w.token(holder), textOf(w.t, key)), http.StatusCreated)
}

func textOf(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return string(raw)
}

// ended runs an evaluation to its end and returns its phase.
func (w *world) ended(bearer, caseID string) string {
	w.t.Helper()
	t := task(caseID, api.EvalReq, "Evaluate this case.")
	body, err := json.Marshal(t)
	if err != nil {
		w.t.Fatal(err)
	}
	a := w.send(http.MethodPost, "/v1/agent", bearer, string(body), "Accept", "text/event-stream")
	if a.status != http.StatusOK || !strings.Contains(string(a.body), "event: phase_end") {
		w.t.Fatalf("run: %d %.300s", a.status, a.body)
	}

	return t.SeedPhase.PhaseID
}

func (w *world) entry(bearer, timelineID string) string {
	w.t.Helper()
	a := w.send(http.MethodPost, "/v1/timeline/"+timelineID+"/entries", bearer, `{"kind":"fact","when":{"on":"2026-02-03","precision":"day"},"title":"[Party 1] gave notice"}`)

	return into[struct {
		EntryID string `json:"entryId"`
	}](w.t, a, http.StatusCreated).EntryID
}

// partner returns a professional of the sample directory who can answer invites.
func (w *world) partner(bearer string) string {
	w.t.Helper()
	if _, err := partysvc.LoadPartners(w.t.Context(), w.EnvironOf("party-svc"), time.Now, bytes.NewReader(samples.Partners())); err != nil {
		w.t.Fatal(err)
	}

	a := w.send(http.MethodGet, "/v1/partners?limit=100", bearer, "")
	for _, p := range into[struct {
		Items []struct {
			PartnerID   string `json:"partnerId"`
			DisplayName string `json:"displayName"`
		}
	}](w.t, a, http.StatusOK).Items {
		if p.DisplayName == partnerOfBen {
			return p.PartnerID
		}
	}
	w.t.Fatal("the sample directory has no " + partnerOfBen)

	return ""
}

func (w *world) invite(bearer, caseID, partnerID string) string {
	w.t.Helper()
	a := w.send(http.MethodPost, "/v1/cases/"+caseID+"/partners/"+partnerID+"/invite", bearer, `{"role":"second_opinion"}`)

	return into[struct {
		InviteID string `json:"inviteId"`
	}](w.t, a, http.StatusCreated).InviteID
}

// strangers returns bindings whose ids name nothing.
func strangers() bindings {
	b := bindings{"containerType": "case", "action": "review", "asset": "init.js", "userId": "nobody", "keyVersion": "1", "agentId": "agt_" + uuid.Must(uuid.NewV7()).String()}
	for _, name := range []string{"caseId", "containerId", "timelineId", "branchId", "fileId", "phaseId", "partyId", "entryId", "partnerId", "inviteId"} {
		b[name] = uuid.Must(uuid.NewV7()).String()
	}

	return b
}

// arrangements are what an operation needs that the others would spoil, made by Ada among her things b, and what it answers where that is
// no success.
func (w *world) arrangements(b bindings) map[string]func(w *world) (bindings, int) {
	w.t.Helper()
	user := w.token(ada)
	fresh := func(w *world) string {
		return into[api.Case](w.t, w.send(http.MethodPost, "/v1/cases", user, "{}"), http.StatusCreated).CaseID
	}
	with := func(more ...string) bindings {
		all := bindings{}
		for k, v := range b {
			all[k] = v
		}

		for i := 0; i+1 < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}

		return all
	}
	empty := func(*world) (bindings, int) { return b, http.StatusBadRequest } // without the parameters that a sign-in has

	return map[string]func(w *world) (bindings, int){
		"createRegistrationToken": func(w *world) (bindings, int) { w.disconnect(ada); return b, 0 },
		"registerAgent": func(w *world) (bindings, int) {
			w.disconnect(ada)
			return with("registration_token", w.registrationToken(ada), "agent_card_url", w.cardHost().url), 0
		},
		"exchangeKey": func(w *world) (bindings, int) {
			w.disconnect(ada)
			c := w.connect(ada)

			return with("api_key", c.SharedAPIKey), 0
		},
		"getMyAgent":       func(w *world) (bindings, int) { w.disconnect(ada); w.connect(ada); return b, 0 },
		"checkAgentHealth": func(w *world) (bindings, int) { w.disconnect(ada); return with("agentId", w.connect(ada).AgentID), 0 },
		"disconnectAgent":  func(w *world) (bindings, int) { w.disconnect(ada); return with("agentId", w.connect(ada).AgentID), 0 },
		"runAgent":         func(*world) (bindings, int) { return with("phaseId", uuid.NewString()), 0 },
		"cancelRun":        func(*world) (bindings, int) { return b, http.StatusConflict }, // it has ended
		"deleteCase":       func(w *world) (bindings, int) { return with("caseId", fresh(w)), 0 },
		"restoreCase": func(w *world) (bindings, int) {
			id := fresh(w)
			if a := w.send(http.MethodDelete, "/v1/cases/"+id, user, ""); a.status != http.StatusNoContent {
				w.t.Fatalf("delete: %d %s", a.status, a.body)
			}

			return with("caseId", id), 0
		},
		"deleteFile": func(w *world) (bindings, int) {
			id := fresh(w)
			a := w.send(http.MethodPost, "/v1/cases/"+id+"/files", user, "Text.", "Content-Type", "text/plain")

			return with("caseId", id, "fileId", into[struct{ Items []api.File }](w.t, a, http.StatusCreated).Items[0].FileID), 0
		},
		"createParty":   func(w *world) (bindings, int) { return with("caseId", fresh(w)), 0 },
		"invitePartner": func(w *world) (bindings, int) { return with("caseId", fresh(w)), 0 },
		"decideInvite": func(w *world) (bindings, int) {
			return with("inviteId", w.invite(user, fresh(w), b["partnerId"])), 0
		},
		"reviewPhase": func(w *world) (bindings, int) { return with("phaseId", w.ended(user, fresh(w))), 0 },
		"endGrant": func(w *world) (bindings, int) {
			w.letIn(ada, "cases:read")
			grants := into[api.Page[api.AppGrant]](w.t, w.send(http.MethodGet, "/v1/grants", user, ""), http.StatusOK).Items

			return with("grantId", grants[0].GrantID), 0
		},
		"offboardMember": func(w *world) (bindings, int) { w.joined(); return with("userId", gil.Subject), 0 },
		"reinstateMember": func(w *world) (bindings, int) {
			w.joined()
			w.offboard(otto, gil.Subject)

			return with("userId", gil.Subject), 0
		},
		"expireMemberKeys":     func(w *world) (bindings, int) { w.joined(); return with("userId", gil.Subject), 0 },
		"callMcp":              func(*world) (bindings, int) { return b, http.StatusUnauthorized },
		"callA2a":              func(*world) (bindings, int) { return b, http.StatusUnauthorized }, // a person has no way in
		"authorizeApplication": empty,
		"returnFromProvider":   empty,
		"giveConsent":          empty,
		"finishSignIn":         empty,
		"signIn":               func(*world) (bindings, int) { return b, http.StatusSeeOther },
		"signOut":              func(*world) (bindings, int) { return b, http.StatusForbidden }, // it does not come from a page
		"exchangeCode":         empty,
		"revokeGrant":          empty,
		"rotateVaultKey":       func(*world) (bindings, int) { return b, http.StatusConflict }, // the firm has its first key
	}
}
