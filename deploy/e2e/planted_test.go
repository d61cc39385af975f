package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// identities are what the tests plant: a person's name, address and number, of words that occur nowhere else.
var identities = []string{"Mr Quillon Zorbanek", "quillon.zorbanek@zorbanek.example", "+1 212 555 0187"}

// marks are what must be found nowhere of them, in lower case.
var marks = []string{"quillon", "zorbanek", "212 555 0187", "2125550187"}

// keys are identities in the form of a name that a program could give to a field, a header's value or a part of an address.
var keys = []string{"Mr Quillon Zorbanek", "QuillonZorbanek", "quillon_zorbanek", "quillon.zorbanek@zorbanek.example"}

// formed are free texts that must be of a form or on a list, and are refused for that before anybody looks for an identity in them.
var formed = map[string]string{
	"registration_token": "a secret that this service made", "api_key": "likewise", "agent_card_url": "the https address of a public host",
	"attributes.languages": "language tags", "language": "likewise", "options.language": "likewise", "timeZone": "a zone of the list", "forum.timeZone": "likewise",
	"forum.courtCode": "a court's code", "practiceAreas[0].code": "a code of the list", "stage.phase": "likewise", "stage.task": "likewise", "computation.ruleId": "a rule of the settings",
	"retention.policyCode": "a policy of the settings", "retention.*": "of the form of a code", "supervision.licenceJurisdictions": "codes of countries and states",
	"deadlineRules.holidays[0].jurisdiction": "likewise", "deadlineRules.rules[0].jurisdiction": "likewise", "clientPartyId": "the id of a party", "marks[0].path": "a word of a refusal",
	"identityRef": "random, by the browser", "sealed.aad": "beside a ciphertext, checked against the ids", "sealed.ct": "a ciphertext", "sealed.iv": "its start",
	"keys[0].userId": "a member who has a vault", "remove": "likewise", "publicKey": "a point of a curve", "ephemeralKey": "likewise", "keys[0].ephemeralKey": "likewise", "keys[0].publicKey": "likewise",
	"blob": "a ciphertext, longer than a name", "ct": "likewise", "keys[0].ct": "likewise",
}

// chosen are ids that callers make or an identity provider gave, and codes of which there is no list: letters and digits in any mixture,
// looked through for what is evident.
var chosen = map[string]bool{"sessionId": true, "responsibleUserId": true, "supervision.responsibleUserId": true, "forum.courtCode": true}

// alone are texts that do not go with the rest of their body.
var alone = map[string]bool{"reviewPhase.comment": true}

// meant are texts that may hold what the gate finds.
var meant = map[string]string{
	"iv": "chance, by a person's browser: any 12 bytes", "keys[0].iv": "likewise",
	"allowedWords": "the words that an admin says identify no client, on record",
}

// codes are identities of the form that codes have.
var codes = []string{"quillon_zorbanek", "zorbanek"}

// grower plants texts in a world and remembers all answers.
type grower struct {
	*world
	answers []byte
	planted int            // texts sent
	refused map[string]int // by code
	gated   map[string]bool
	reading bool // what is sent now changes nothing
}

// plant sends a request that holds an identity and keeps the answer.
func (g *grower) plant(req *http.Request) answer {
	g.t.Helper()
	g.planted++
	with := g.http
	if !strings.HasPrefix(req.URL.Path, "/v1/") {
		with = &http.Client{Transport: g.bare} // pages for everybody take any query, which the document does not say
	}
	a := g.do(with, req)
	g.keep(a)

	return a
}

func (g *grower) keep(a answer) {
	g.answers = append(g.answers, a.body...)
	for name, values := range a.header {
		g.answers = append(g.answers, "\n"+name+": "+strings.Join(values, ", ")...)
	}
	g.refused[a.err.Error]++
}

// pointsAt checks that a refusal names the field, and that what it found lies within the value and covers what was planted there.
func (g *grower) pointsAt(what string, a answer, path, value string, container string) {
	g.t.Helper()
	first, last := len(value), 0

	for _, d := range a.err.Details {
		if d.Start == nil && (d.Kind == guard.KindOperation || d.Kind == guard.KindFieldName) && strings.HasPrefix(path, d.Path) {
			return // what is asked for is refused as such, whatever it says
		}
		if d.Path != path {
			g.t.Errorf("%s: a detail points at %q, want %q: %s", what, d.Path, path, a.body)
			return
		}
		if value == "" {
			continue
		}
		if d.Start == nil || d.End == nil || *d.Start < 0 || *d.Start >= *d.End || *d.End > len(value) || d.Kind == "" {
			g.t.Errorf("%s: a detail lies outside the value of %d bytes: %s", what, len(value), a.body)
			return
		}
		first, last = min(first, *d.Start), max(last, *d.End)
	}
	lower := strings.ToLower(value)
	if slices.Contains(codes, value) {
		lower = "" // in a code one part is enough
	}

	for _, mark := range marks {
		if at := strings.Index(lower, mark); at >= 0 && (first > at || last < at+len(mark)) {
			g.t.Errorf("%s: the details cover %d to %d of %q", what, first, last, value)
		}
	}
	if len(a.err.Details) == 0 {
		g.t.Errorf("%s: a refusal without details: %s", what, a.body)
	}
	if !strings.HasPrefix(a.err.DeepLink, g.Facts.BaseURL+"/i/") || container != "" && !strings.Contains(a.err.DeepLink, container) {
		g.t.Errorf("%s: the deep link %q does not name an action and %s", what, a.err.DeepLink, container)
	}
}

// isRefused checks what a planted text was told.
func (g *grower) isRefused(what string, a answer, path, value, container string) {
	g.t.Helper()
	if a.status < http.StatusBadRequest && g.reading {
		return // it looks for what nobody has
	}
	if a.status < http.StatusBadRequest || a.status >= http.StatusInternalServerError {
		g.t.Errorf("%s: %d %.200s", what, a.status, a.body)
		return
	}
	if a.err.Error == "identity_refused" {
		g.gated[what] = true
		g.pointsAt(what, a, path, value, container)
	}
}

// bodies plants identities in every text of every JSON body.
func (g *grower) bodies(all []documented, b bindings, bearers map[string]string) {
	for _, o := range all {
		if !strings.HasSuffix(o.mediaType, "json") || o.foreign() { // what an application says of itself is no text of a case
			continue
		}

		for who, bearer := range bearers {
			if o.open() {
				bearer = ""
			}
			if o.open() && who == "agent" {
				continue
			}
			seen := map[string]bool{}
			textsOf(o.schema, nil, func(at place, s *openapi3.Schema) {
				if field := strings.TrimSuffix(at.String(), "[0]"); meant[field] == "" && !seen[field] {
					seen[field] = true
					g.field(o, who, bearer, at, s, b)
				}
			})
			if who == "user" || !o.people {
				g.names(o, bearer, b)
			}
		}
	}
}

// field plants identities in one text of a body.
func (g *grower) field(o documented, who, bearer string, at place, s *openapi3.Schema, b bindings) {
	g.t.Helper()
	name := strings.TrimSuffix(at.String(), "[0]")
	values := slices.Clone(identities)
	if who == "user" && !chosen[name] {
		values = append(values, codes...)
	}

	for i, value := range values {
		a := g.body(o, bearer, b, func(body any) any {
			if alone[o.id+"."+name] {
				body = map[string]any{}
			}

			return planting(body, o.schema, at, value, b)
		})
		what := fmt.Sprintf("%s by the %s: %s", o.id, who, at)
		g.isRefused(what, a, strings.TrimSuffix(at.String(), ".*"), value, g.containerOf(o, b))
		gated := a.err.Error == "identity_refused" || a.err.Error == "human_required"
		if i < len(identities) && mayCall(o, who) && free(s) && formed[name] == "" && !gated {
			g.t.Errorf("%s: %q was not refused by the gate: %d %s", what, value, a.status, a.body)
		}
	}
}

func mayCall(o documented, who string) bool {
	return o.open() || who == "user" && o.people || who == "agent" && o.agents
}

// containerOf is the case that an operation works in, which deep links name.
func (g *grower) containerOf(o documented, b bindings) string {
	if strings.Contains(o.path, "{caseId}") || o.id == "createParty" || o.id == "runAgent" {
		return b["caseId"]
	}

	return ""
}

// names plants identities as the names of fields, beside the good ones and within each object.
func (g *grower) names(o documented, bearer string, b bindings) {
	objects := []place{{}}

	for _, f := range fieldsOf(o.schema) {
		if f.schema.Type.Includes("object") && len(f.schema.Properties) > 0 {
			objects = append(objects, f.path)
		}
	}

	for _, at := range objects {
		for _, key := range keys {
			a := g.body(o, bearer, b, func(body any) any {
				return planting(body, o.schema, append(slices.Clone(at), "*"), key, b)
			})
			if a.status < http.StatusBadRequest {
				g.t.Errorf("%s: a field called %s in %s: %d %.200s", o.id, key, at, a.status, a.body)
			}
		}
	}
}

// body sends an operation its example with something else in it.
func (g *grower) body(o documented, bearer string, b bindings, change func(body any) any) answer {
	g.t.Helper()
	var body any
	if err := json.Unmarshal([]byte(o.body(g.t, o.examples()[0], b)), &body); err != nil {
		g.t.Fatal(err)
	}
	if o.id == "runAgent" {
		body.(map[string]any)["seedPhase"] = map[string]any{"phaseId": uuid.NewString()}
	}
	text, err := json.Marshal(change(body))
	if err != nil {
		g.t.Fatal(err)
	}

	return g.plant(g.request(o.method, o.address(b), bearer, bytes.NewReader(text), "Content-Type", o.mediaType))
}

// example sends the example of an operation to an address.
func (g *grower) example(o documented, bearer, address string, b bindings, headers ...string) answer {
	g.t.Helper()
	if o.mediaType == "" {
		return g.plant(g.request(o.method, address, bearer, nil, headers...))
	}
	body := strings.NewReader(o.body(g.t, o.examples()[0], b))

	return g.plant(g.request(o.method, address, bearer, body, append([]string{"Content-Type", o.mediaType}, headers...)...))
}

// addresses plants identities in every part of the address of every operation, and in an address that is none.
func (g *grower) addresses(all []documented, b bindings, bearers map[string]string) {
	for _, o := range all {
		g.reading = o.method == http.MethodGet

		path, _, _ := strings.Cut(o.address(b), "?")
		for who, bearer := range bearers {
			send := func(address string) answer { return g.example(o, bearer, address, b) }

			for _, value := range identities[:2] {
				for _, p := range o.parameters {
					switch p.Value.In {
					case "query":
						a := send(path + "?" + url.Values{p.Value.Name: {value}}.Encode())
						g.isRefused(o.id+" by the "+who+": "+p.Value.Name, a, p.Value.Name, value, "")
					case "path":
						a := send(strings.Replace(o.address(bound(b, p.Value.Name, "PLACE")), "PLACE", url.PathEscape(value), 1))
						if a.status < http.StatusBadRequest {
							g.t.Errorf("%s: %s in the path: %d %.200s", o.id, value, a.status, a.body)
						}
					}
				}
				if who == "agent" {
					continue
				}

				for _, query := range []string{url.QueryEscape(value) + "=1", "word=" + url.QueryEscape(value), url.QueryEscape(value)} {
					if a := send(path + "?" + query); a.status < http.StatusBadRequest && strings.HasPrefix(o.path, "/v1/") {
						g.t.Errorf("%s: ?%s: %d %.200s", o.id, query, a.status, a.body)
					}
				}
			}
		}
	}
	g.reading = false

	for _, value := range append(slices.Clone(identities), keys...) {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			for _, address := range []string{"/", "/v1/", "/v1/cases/x/", "/internal/", "/docs/", "/i/"} {
				g.plant(g.request(method, address+url.PathEscape(value), bearers["user"], nil))
			}
		}
	}
}

// bound returns b with another value for a name.
func bound(b bindings, name, value string) bindings {
	out := maps.Clone(b)
	out[name] = value

	return out
}

// headers plants identities in the headers that operations have, and in those that anybody may send.
func (g *grower) headers(all []documented, b bindings, bearers map[string]string) {
	none := strangers()

	for _, o := range all {
		values := b
		if o.method == http.MethodDelete || o.id == "restoreCase" {
			values = none
		}

		for _, bearer := range bearers {
			send := func(headers ...string) {
				g.example(o, bearer, o.address(values), bound(values, "phaseId", uuid.NewString()), headers...)
			}

			for _, p := range o.parameters {
				if p.Value.In == "header" {
					send(p.Value.Name, identities[1])
					send(p.Value.Name, `"`+identities[0]+`"`)
				}
			}
			send("User-Agent", identities[0], "Referer", "https://app.example/?"+url.QueryEscape(identities[1]), "X-Request-Id", "quillon-zorbanek", "Cookie", "who="+identities[1], "Origin", "https://zorbanek.example",
				"X-Forwarded-For", "zorbanek", "Forwarded", "for=zorbanek", "X-Forwarded-Host", "zorbanek.example", "Accept-Language", "quillon", "From", identities[1], "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
				"Tracestate", "quillon=zorbanek", "Baggage", "who=Quillon%20Zorbanek", "X-Quillon", identities[0])
		}
	}
	g.plant(g.request(http.MethodGet, "/v1/cases", identities[1], nil))
	g.plant(g.request("QUILLON", "/v1/cases", bearers["user"], nil))
	req := g.request(http.MethodGet, "/v1/cases", bearers["user"], nil)
	req.Host = "quillon-zorbanek.example"
	g.plant(req)
	g.plant(g.request(http.MethodPost, "/v1/cases", bearers["user"], strings.NewReader("{}"), "Content-Type", `application/json; who="Quillon Zorbanek"`))
}

// uploads plants identities in everything that an upload is made of.
func (g *grower) uploads(caseID string, bearers map[string]string) {
	path := "/v1/cases/" + caseID + "/files"
	n := 0
	text := func() string {
		n++
		return "The rent of [Property 1] is due" + strings.Repeat(" and payable", n) + ".\n"
	}

	for who, bearer := range bearers {
		send := func(what, body, media, at, value string, headers ...string) {
			a := g.plant(g.request(http.MethodPost, path, bearer, strings.NewReader(body), append([]string{"Content-Type", media}, headers...)...))
			g.isRefused("an upload by the "+who+": "+what, a, at, value, caseID)
			if a.err.Error != "identity_refused" && at != "" {
				g.t.Errorf("an upload by the %s: %s: %d %s, want identity_refused", who, what, a.status, a.body)
			}
		}
		for _, value := range identities {
			raw := text() + value + "\n"
			send("text", raw, "text/plain", "text", raw)
			send("name", text(), "text/plain", "name", value+".txt", "Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": value + ".txt"}))
			send("text as Markdown", raw, "text/markdown", "text", raw)
			send("hidden text", "<!doctype html><p>"+text()+"</p><p hidden>"+value, "text/html", "hiddenText", "")
			send(
				"a header",
				"From: [Party 1]\nSubject: Notice\nReply-To: "+value+"\n\n"+text(),
				"message/rfc822",
				"headers",
				"",
			)
			body, media := form(g.t, "", "a.txt", raw)
			send("text in a form", body, media, "text", raw)
			body, media = form(g.t, "", value+".txt", text())
			send("name in a form", body, media, "name", value+".txt")

			for _, field := range []string{"name", "description", "docType", "producedBy", "documentOn", "supersedesFileId"} {
				body, media = form(g.t, encoded(g.t, []any{map[string]any{field: value}}), "a.txt", text())
				at := ""
				if field == "name" || field == "description" {
					at = "metadata[0]." + field
				}
				send(field+" of the metadata", body, media, at, value)
			}
		}

		for _, key := range keys {
			body, media := form(g.t, encoded(g.t, []any{map[string]any{key: 1}}), "a.txt", text())
			send("a field of the metadata", body, media, "", "")
			body, media = form(g.t, "", "a.txt", text())
			send("a part", strings.ReplaceAll(body, `name="file"`, `name="`+key+`"`), media, "", "")
			g.reading = true // a header of a part that nobody reads is thrown away
			send("a header of a part", strings.Replace(body, "Content-Disposition", "X-Who: "+key+"\r\nContent-Disposition", 1), media+`; who="`+key+`"`, "", "")
			g.reading = false
			send("the type of a part", strings.Replace(body, "application/octet-stream", "text/"+strings.ReplaceAll(key, " ", ""), 1), media, "", "")
		}
		send("a boundary", "--QuillonZorbanek--", "multipart/form-data; boundary=QuillonZorbanek", "", "")
	}
}

// cards plants identities in what is fetched from elsewhere: every text of an agent's card, and its headers.
func (g *grower) cards(p devidp.Person) {
	for _, value := range identities {
		token := g.registrationToken(p) // which may be tried a few times only
		for _, field := range []string{"name", "description"} {
			host := g.cardHost()
			host.serve(encoded(g.t, with(map[string]any{"name": "Test agent", "description": "Works by label.", "url": "https://agents.com/test", "protocols": []any{"a2a/1.0"}}, field, value)))
			g.planted++
			a := g.register(token, host.url)
			g.keep(a)
			g.isRefused("a card: "+field, a, field, value, "")
			if a.err.Error != "identity_refused" {
				g.t.Errorf("a card whose %s is %q: %d %s", field, value, a.status, a.body)
			}
		}
	}
	host := g.cardHost()
	host.serve(encoded(g.t, map[string]any{"name": "Test agent", "description": "Works by label.", "url": "https://agents.com/test", "protocols": []any{"a2a/1.0"}, "provider": map[string]any{"contact": identities[1], keys[0]: 1}}))
	g.planted++
	a := g.register(g.registrationToken(p), host.url)
	a.body = bytes.ReplaceAll(a.body, []byte("shared_api_key"), nil)
	g.keep(a)
	if a.status != http.StatusCreated { // what is not shown is not kept either
		g.t.Errorf("a card with a contact: %d %s", a.status, a.body)
	}
}

// runs has the agent asked for what needs an identity, and for what would be one.
func (g *grower) runs(caseID, bearer string) {
	ask := func(prompt string) (api.AgentTask, answer) {
		job := task(caseID, api.CaseReq, prompt)
		a := g.plant(g.request(http.MethodPost, "/v1/agent", bearer, strings.NewReader(encoded(g.t, job)), "Content-Type", "application/json", "Accept", "text/event-stream"))

		return job, a
	}
	for _, value := range identities {
		_, a := ask("Where does " + value + " stand?")
		a.refused(g.t, "a prompt with "+value, http.StatusForbidden, "identity_refused")
	}

	job, a := ask("Send an e-mail to [Party 1] about the rent.")
	for _, want := range []string{"event: direct_response", `"kind":"refusal"`, `"status":"refused"`, "/i/contact?case=" + caseID + "&phase=" + job.SeedPhase.PhaseID} {
		if a.status != http.StatusOK || !bytes.Contains(a.body, []byte(want)) {
			g.t.Errorf("a task that needs an identity: %d, without %s in %s", a.status, want, a.body)
		}
	}
}

func TestNoPlantedIdentityIsKeptOrRepeated(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	w, otlp, metrics := observed(t)
	agent := w.connect(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"], b["forCaseId"], b["case"], b["responsibleUserId"] = agent.AgentID, b["caseId"], b["caseId"], "ada"
	b["activeBranchId"], b["clientPartyId"] = b["branchId"], b["partyId"]
	g := &grower{world: w, refused: map[string]int{}, gated: map[string]bool{}}
	all := everyOperation(t)
	bearers := map[string]string{"user": w.token(ada), "agent": agent.bearer}

	// What is legal is found where it is kept, or this test would see nothing.
	control := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", agent.bearer, `{"title":"Lease of a mongoose","summary":"[Party 1] keeps it."}`), http.StatusCreated)
	into[any](t, w.send(http.MethodPost, "/v1/cases/"+control.CaseID+"/files", agent.bearer, "The armadillo clause binds [Party 1].", "Content-Type", "text/plain"), http.StatusCreated)

	g.bodies(all, b, bearers)
	g.addresses(all, b, bearers)
	g.uploads(b["caseId"], bearers)
	g.headers(all, b, bearers)
	g.cards(cara)
	g.runs(b["caseId"], agent.bearer)

	places := w.everywhere(otlp, metrics, g.answers)
	for place, signs := range map[string][]string{
		"answers": {"identity_refused"}, "metrics": {"http_server"}, "Redis": {"at:{" + agent.AgentID}, "MongoDB": {"mongoose", "armadillo", "prompt.refused", "party"}, "files": {w.Facts.BaseURL},
		"logs": {`"service":"registry-svc"`}, "exported traces": {"/v1/agents/register", "/v1/parties"}, "exported logs": {"registry-svc"}, "exported metrics": {"http.server"},
	} {
		for _, sign := range signs {
			if !bytes.Contains(places[place], []byte(sign)) {
				t.Errorf("%s (%d bytes) do not hold %q: they were not collected", place, len(places[place]), sign)
			}
		}
	}
	nowhere(t, places, marks...)
	if g.planted < 2500 || len(g.gated) < 100 {
		t.Errorf("%d texts were planted, and the gate refused %d fields", g.planted, len(g.gated))
	}
	t.Logf("%d texts planted, %d fields refused by the gate, answers %v", g.planted, len(g.gated), g.refused)
}
