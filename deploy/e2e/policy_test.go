package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// verdict is what the policy says to a kind of caller.
type verdict string

// The verdicts.
const (
	yes       verdict = ""
	forbidden verdict = "forbidden"
	hidden    verdict = "not_found"      // outside of what the caller sees
	human     verdict = "human_required" // with a deep link for a person
	identity  verdict = "identity_refused"
)

// rule is the policy of one operation: for people who are owner, member or admin and nothing else, and for the
// agents of the same three; agent is that of a member.
type rule struct{ owner, member, admin, ownersAgent, agent, adminsAgent verdict }

// The rules that several operations have.
var (
	everybody  = rule{}
	casework   = rule{yes, yes, forbidden, yes, yes, forbidden}          // what a case says, and work on it
	decisions  = rule{yes, yes, forbidden, human, human, human}          // what only a person who works on cases may do
	personal   = rule{yes, yes, yes, human, human, human}                // what every person may do, and no machine
	browsers   = rule{yes, yes, forbidden, identity, identity, identity} // what browsers seal
	tenantwide = rule{forbidden, forbidden, yes, human, human, human}    // what runs the tenant
)

// policy is who may do what, by operation, or by operation and example where the examples differ. Metadata alone is told apart below.
var policy = map[string]rule{
	"createRegistrationToken": personal, "getMyAgent": personal, "disconnectAgent": personal, "checkAgentHealth": everybody,
	"runAgent": casework, "followRun": casework, "cancelRun": casework,
	"createCase": everybody, "listCases": everybody, "getCase": everybody, "updateCase/rename": casework, "updateCase/hold": {yes, yes, yes, human, human, forbidden},
	"deleteCase": {yes, forbidden, forbidden, human, human, human}, "restoreCase": {yes, forbidden, forbidden, human, human, human},
	"exportCase": decisions, "decideConflict": decisions, "clearFindings": decisions, "deleteFile": decisions, "reviewEntry": decisions, "reviewPhase": decisions, "decideInvite": {yes, yes, hidden, human, human, human},
	"addFiles": casework, "listFiles": casework, "getFile": casework, "getFileContent": casework, "getFileText": casework,
	"getWorkspace": everybody, "getTimeline": everybody, "addEntry": casework, "createBranch": casework, "getBranch": everybody, "updateBranch": casework, "listPhases": everybody,
	"createParty": casework, "listParties": casework, "getParty": casework, "replaceParty": casework,
	"getVault": browsers, "saveVault": browsers, "listVaultMembers": browsers, "giveVaultKey": browsers, "rotateVaultKey": {yes, forbidden, forbidden, identity, identity, identity},
	"getSealedLabels": browsers, "saveSealedLabels": browsers,
	"listGrants": personal, "endGrant": {hidden, hidden, hidden, human, human, human}, // what somebody else let in; their own is tested with the sign-in
	"listMembers":    {yes, forbidden, yes, yes, forbidden, yes},
	"offboardMember": {yes, forbidden, yes, human, human, human}, "reinstateMember": {yes, forbidden, forbidden, human, human, human},
	"expireMemberKeys": {yes, forbidden, yes, human, human, human},
	"searchPartners":   everybody, "invitePartner": casework, "listInvites": casework, "getInvite": {yes, yes, hidden, yes, yes, forbidden},
	"getMe": everybody, "getSettings": everybody, "updateSettings": tenantwide,
	"listCaseAudit": personal, "listPartyAudit": personal, "listAgentAudit": personal, "listSignInAudit": personal,
}

// cast is a kind of caller with the column of the policy that it stands in.
type cast struct {
	name   string
	person devidp.Person
	agent  bool
	of     func(rule) verdict
}

var casts = []cast{
	{"an owner", otto, false, func(r rule) verdict { return r.owner }},
	{"a member", cara, false, func(r rule) verdict { return r.member }},
	{"an admin", dora, false, func(r rule) verdict { return r.admin }},
	{"an owner's agent", otto, true, func(r rule) verdict { return r.ownersAgent }},
	{"a member's agent", cara, true, func(r rule) verdict { return r.agent }},
	{"an admin's agent", dora, true, func(r rule) verdict { return r.adminsAgent }},
}

// TestS05ThePolicy holds every operation against the written policy, for every kind of caller. An operation without a row fails.
func TestS05ThePolicy(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(overhear, "1"))

	agents := map[string]connected{}
	for _, p := range []devidp.Person{ada, otto, cara, dora, fay} {
		agents[p.Subject] = w.connect(p)
	}
	b := w.furnish(ada, agents[ada.Subject].bearer)
	w.vaulted(otto, ada)
	w.vaulted(cara, ada)

	arrange := w.arrangements(b)
	for _, own := range []string{"createRegistrationToken", "getMyAgent", "checkAgentHealth", "disconnectAgent"} {
		delete(arrange, own) // these speak of the caller's own agent
	}
	used := map[string]bool{}

	for _, role := range access.Roles() {
		for _, agent := range []bool{false, true} {
			plays := func(c cast) bool { return c.agent == agent && slices.Equal(c.person.Roles, []string{role}) }
			if !slices.ContainsFunc(casts, plays) {
				t.Errorf("nobody of the cast is %s and nothing else, with an agent: %t", role, agent)
			}
		}
	}

	for _, o := range everyOperation(t) {
		if o.open() || o.foreign() {
			continue
		}

		for _, example := range o.examples() {
			name := o.id + "/" + example
			if _, ok := policy[name]; !ok {
				name = o.id
			}
			row, ok := policy[name]
			if !ok {
				t.Errorf("%s (%s) has no row in the policy", o.id, example)
				continue
			}

			used[name] = true
			for _, c := range casts {
				t.Run(o.id+"/"+example+"/"+c.name, func(t *testing.T) {
					w := w.in(t)
					values, want := b, 0
					if prepare := arrange[o.id]; prepare != nil {
						values, want = prepare(w)
					}
					own := []string{"agentId", "sessionId", "userId"}
					if values["userId"] == gil.Subject { // it is about somebody else
						own = own[:2]
					}
					values = values.from(bindings{
						"agentId": agents[c.person.Subject].AgentID, "sessionId": uuid.NewString(), "userId": c.person.Subject,
					}, own...)
					bearer := w.token(c.person)
					if c.agent {
						bearer = agents[c.person.Subject].bearer
					}

					a := w.callFor(o, example, bearer, values)
					switch verdict := c.of(row); {
					case verdict == hidden:
						a.refused(t, o.id, http.StatusNotFound, "not_found")
					case verdict != yes:
						a.refused(t, o.id, http.StatusForbidden, string(verdict))
						if (verdict == human || verdict == identity) && !strings.HasPrefix(a.err.DeepLink, w.Facts.BaseURL+"/i/") {
							t.Errorf("deepLink = %q", a.err.DeepLink)
						}
					case a.status != want && !slices.Contains(o.success, a.status) && (o.id != "createRegistrationToken" || a.err.Error != "agent_connected"):
						t.Errorf("%d %.300s, want success", a.status, a.body)
					}
					if o.id == "disconnectAgent" && a.status == http.StatusNoContent {
						agents[c.person.Subject] = w.connect(c.person)
					}
				})
			}
		}
	}

	for name := range policy {
		if !used[name] {
			t.Errorf("the policy has a row for %s, which is no operation", name)
		}
	}
	t.Run("another tenant", func(t *testing.T) { w.in(t).stranger(agents[fay.Subject], b) })
	t.Run("OAuth", func(t *testing.T) { w.in(t).granted(b) })
	t.Run("metadata", func(t *testing.T) { w.in(t).metadataOnly(agents[dora.Subject].bearer, b) })
	t.Run("nobody", func(t *testing.T) { w.in(t).nobody(agents[cara.Subject].bearer, b) })
	t.Run("scopes", func(t *testing.T) { w.in(t).scopes(agents[ada.Subject].AgentID, b) })
}

// stranger checks that an owner of another tenant, and their agent, find nothing of what is named, whatever they might do at home.
func (w *world) stranger(theirs connected, b bindings) {
	tried := 0

	for _, o := range everyOperation(w.t) {
		if o.open() || o.id == "searchPartners" || !o.names(b) {
			continue
		}
		tried++

		for _, example := range o.examples() {
			values := b.from(bindings{"agentId": strangers()["agentId"], "sessionId": uuid.NewString(), "phaseId": b["phaseId"]}, "agentId", "sessionId", "phaseId")
			a := w.callFor(o, example, w.token(fay), values)
			a.refused(w.t, o.id+"/"+example+" by an owner of another tenant", http.StatusNotFound, "not_found")
			a = w.callFor(o, example, theirs.bearer, values)
			if a.status != http.StatusForbidden || a.err.Error != "human_required" && a.err.Error != "identity_refused" { // refused before the thing is looked for
				a.refused(w.t, o.id+"/"+example+" by their agent", http.StatusNotFound, "not_found")
			}
		}
	}
	if tried < 30 {
		w.t.Errorf("%d operations were tried", tried)
	}
}

// names reports whether the operation is called with an id of something.
func (o documented) names(b bindings) bool {
	for _, p := range o.parameters {
		if _, bound := b[p.Value.Name]; bound && strings.HasSuffix(p.Value.Name, "Id") && (p.Value.In == "path" || p.Value.Example != nil) {
			return true
		}
	}

	for _, body := range o.bodies {
		if fields, ok := body.(map[string]any); ok {
			for _, name := range []string{"caseId", "timelineId", "containerId"} {
				if _, ok := fields[name]; ok {
					return true
				}
			}
		}
	}

	return o.id == "listInvites"
}

// granted checks what a client may to which a user granted every scope: what the user's agent may, in that user's roles.
func (w *world) granted(b bindings) {
	arrange := w.arrangements(b)
	for _, o := range everyOperation(w.t) {
		if o.scope == "" {
			continue
		}

		for _, example := range o.examples() {
			row, ok := policy[o.id+"/"+example]
			if !ok {
				row = policy[o.id]
			}
			if serviceOf(o) == "agent-svc" { // runs are for users and agents
				row = rule{agent: forbidden, adminsAgent: forbidden}
			}

			for who, c := range map[string]struct {
				person devidp.Person
				want   verdict
			}{"a member": {cara, row.agent}, "an admin": {dora, row.adminsAgent}} {
				values, want := b, 0
				if prepare := arrange[o.id]; prepare != nil {
					values, want = prepare(w)
				}
				token := w.internal(
					"gateway",
					access.Caller{
						Kind:     access.OAuth,
						Tenant:   "o:oak",
						UserID:   c.person.Subject,
						ClientID: "client",
						Scopes:   access.AgentScopes(),
						Roles:    c.person.Roles,
					},
				)
				path := o.address(values)
				if o.id == "listInvites" {
					path += "?caseId=" + values["caseId"]
				}
				if o.id == "listCases" {
					path = o.path
				}
				req := w.request(o.method, path, token, strings.NewReader(o.body(w.t, example, values)), "Content-Type", o.mediaType)
				if o.mediaType == "" {
					req = w.request(o.method, path, token, nil)
				}
				req.URL.Scheme, req.URL.Host = "http", w.Services[serviceOf(o)].Addr()

				a := w.do(&http.Client{}, req)
				switch {
				case c.want == hidden:
					a.refused(w.t, o.id+" by a client of "+who, http.StatusNotFound, "not_found")
				case c.want != yes:
					a.refused(w.t, o.id+" by a client of "+who, http.StatusForbidden, string(c.want))
				case a.status != want && !slices.Contains(o.success, a.status):
					w.t.Errorf("%s/%s by a client of %s: %d %.300s, want success", o.id, example, who, a.status, a.body)
				}
			}
		}
	}
}

// callFor is call with what an operation needs besides its examples.
func (w *world) callFor(o documented, example, bearer string, b bindings) answer {
	w.t.Helper()

	switch o.id {
	case "listInvites":
		return w.send(o.method, o.path+"?caseId="+b["caseId"], bearer, "")
	case "listCases": // searching is for those who read what cases say
		return w.send(o.method, o.path, bearer, "")
	}

	return w.call(o, example, bearer, b)
}

// metadataOnly checks what somebody who runs the tenant sees of cases: that they are there, and nothing of what they say.
func (w *world) metadataOnly(agent string, b bindings) {
	into[map[string]any](w.t, w.send(http.MethodPatch, "/v1/cases/"+b["caseId"], w.token(ada), `{"title":"Mongoose matter","summary":"The armadillo clause.","tags":["antelope"]}`), http.StatusOK)

	for _, path := range []string{
		"/v1/cases/" + b["caseId"], "/v1/cases", "/v1/cases?fields=full", "/v1/cases?caseId=" + b["caseId"], "/v1/workspace/case/" + b["caseId"],
		"/v1/timeline/" + b["timelineId"], "/v1/branch/" + b["branchId"], "/v1/phases?branchId=" + b["branchId"], "/v1/phases?phaseId=" + b["phaseId"],
	} {
		for who, bearer := range map[string]string{"an admin": w.token(dora), "an admin's agent": agent} {
			a := w.send(http.MethodGet, path, bearer, "")
			if a.status != http.StatusOK {
				w.t.Errorf("GET %s by %s: %d %s", path, who, a.status, a.body)
			}

			for _, word := range []string{"Mongoose", "armadillo", "antelope", "complaint.md", "[Party 1]", "Evaluate this case", b["fileId"]} {
				if strings.Contains(string(a.body), word) {
					w.t.Errorf("GET %s tells %s %q: %s", path, who, word, a.body)
				}
			}
		}
	}

	for _, query := range []string{"q=Mongoose", "tag=antelope"} {
		a := w.send(http.MethodGet, "/v1/cases?"+query, w.token(dora), "")
		if a.status == http.StatusOK && strings.Contains(string(a.body), b["caseId"]) {
			w.t.Errorf("an admin learns by %s what a case says: %s", query, a.body)
		}
	}
}

// nobody checks that without a good credential every operation is closed.
func (w *world) nobody(good string, b bindings) {
	header, claims, _ := parts(w.t, good)
	key := w.ring()

	expired := signed(w.t, jwt.SigningMethodES256, key.Key, header, with(claims, "exp", time.Now().Add(-time.Hour).Unix()))
	for _, o := range everyOperation(w.t) {
		if o.open() {
			continue
		}

		for who, bearer := range map[string]string{"nobody": "", "garbage": "x.y.z", "an expired bearer": expired} {
			w.callFor(o, o.examples()[0], bearer, b).refused(w.t, o.id+" by "+who, http.StatusUnauthorized, "unauthenticated")
		}
	}
}

// serviceOf names the service that answers an operation.
func serviceOf(o documented) string {
	switch {
	case o.path == "/v1/agent" || strings.HasPrefix(o.path, "/v1/agent/"):
		return "agent-svc"
	case strings.HasPrefix(o.path, "/v1/part") || strings.HasPrefix(o.path, "/v1/invites") || strings.HasSuffix(o.path, "/invite"):
		return "party-svc"
	}

	return "case-svc"
}

// scopes checks that a machine without the scope of an operation is refused there, whatever other scopes it has.
func (w *world) scopes(agentID string, b bindings) {
	tried := 0

	for _, o := range everyOperation(w.t) {
		if o.scope == "" {
			continue
		}
		tried++
		rest := slices.DeleteFunc(access.AgentScopes(), func(s string) bool { return s == o.scope })
		token := w.internal("gateway", access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: ada.Subject, AgentID: agentID, Scopes: rest, Roles: ada.Roles})
		example := o.examples()[0]
		path := o.address(b)
		if o.id == "listInvites" {
			path += "?caseId=" + b["caseId"]
		}
		req := w.request(o.method, path, token, strings.NewReader(o.body(w.t, example, b)), "Content-Type", o.mediaType)
		req.URL.Scheme, req.URL.Host = "http", w.Services[serviceOf(o)].Addr()
		w.do(&http.Client{}, req).refused(w.t, o.id+" without "+o.scope, http.StatusForbidden, "scope_missing")
	}
	if tried < 20 {
		w.t.Errorf("%d operations were tried", tried)
	}
}
