package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// specimens are good values of what a schema does not tell enough about, by the name of the parameter or field.
var specimens = map[string]any{
	"practiceArea": "HO-02", "jurisdiction": "US-CA", "residence": "US-CA", "stage": "L2", "language": "en", "languages": "en", "timeZone": "America/New_York",
	"docketLabel": "[Docket 1]", "code": "HO-02-00-00-00", "phase": "L100", "task": "L110", "courtCode": "nysd", "licenceJurisdictions": "US-CA",
	"amount": "80000.00", "currency": "USD", "docType": "complaint", "ruleId": "answer_complaint", "policyCode": "default", "tierCutPoints": []any{20, 40, 60},
	"sha256": strings.Repeat("ab", 32), "path": "text", "scope": map[string]any{}, "action": "case.create", "q": "lease", "identityRef": strings.Repeat("r", 22),
	"conflictTokens": strings.Repeat("A", 43), "dueAt": "2026-04-13T12:00:00Z", "dueOn": "2026-04-13", "latestOn": "2026-04-14", "sessionId": "session", "charEnd": 4, "iv": strings.Repeat("A", 16), "ct": strings.Repeat("A", 64), "keyVersion": 1, "publicKey": firmPoint, "ephemeralKey": firmPoint, "blob": strings.Repeat("A", 200),
}

// specimen returns a value that the schema of a name allows. Of an object it is what must be there.
func specimen(name string, s *openapi3.Schema, b bindings) any {
	if v, ok := specimens[name]; ok && !s.Type.Includes("object") {
		if s.Type.Includes("array") && !isList(v) {
			return []any{v}
		}

		return v
	}
	if bound, ok := b[name]; ok {
		return bound
	}

	switch {
	case len(s.OneOf) > 0:
		return specimen(name, s.OneOf[0].Value, b)
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Example != nil:
		return s.Example
	case s.Format == "uuid":
		return uuid.NewString()
	case s.Format == "date":
		return "2026-03-04"
	}

	return plain(name, s, b)
}

func isList(v any) bool { _, ok := v.([]any); return ok }

// plain returns the value of a schema that says nothing but a type and bounds.
func plain(name string, s *openapi3.Schema, b bindings) any {
	switch {
	case s.Type.Includes("boolean"):
		return true
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		if s.Min != nil {
			return *s.Min
		}

		return 1
	case s.Type.Includes("array"):
		return []any{specimen(name, s.Items.Value, b)}
	case s.Type.Includes("object"):
		out := map[string]any{}
		for _, must := range s.Required {
			out[must] = specimen(must, s.Properties[must].Value, b)
		}

		return out
	}

	return "words"
}

// companions are what a parameter does not come without, by operation and parameter, and by operation alone for all others of it.
var companions = map[string]string{
	"listCases.includeDeleted": "updatedSince=2026-03-04T05:06:07.089Z", "listPhases": "branchId={branchId}", "listPhases.containerId": "mine=true", "listPhases.phaseId": "", "listPhases.mine": "",
	"listPhases.branchId": "", "listPhases.mine=false": "branchId={branchId}", "listFiles.sort=relevance": "q=rent", "listCases.include": "caseId={caseId}",
}

// things are what a parameter goes with alone, in the place of what the path of its operation names for all others.
var things = map[string]string{"getFileContent.form": "wordFileId"}

// choices are the values that a parameter is tried with: each of an enumeration, and all of it where there may be several.
func choices(p *openapi3.Parameter, b bindings) []string {
	s := p.Schema.Value
	var all []string

	switch list := s.Type.Is("array"); {
	case p.Name == "cursor":
		return nil // one is good for the list that gave it alone, and the tests of the lists follow theirs
	case list && len(s.Items.Value.Enum) > 0:
		for _, v := range s.Items.Value.Enum {
			all = append(all, fmt.Sprint(v))
		}

		return append(all, strings.Join(all, ","))
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			all = append(all, fmt.Sprint(v))
		}

		return all
	case list:
		return []string{fmt.Sprint(specimen("", s.Items.Value, b))}
	case s.Type.Is("boolean"):
		return []string{"true", "false"}
	}

	return []string{fmt.Sprint(specimen(p.Name, s, b))}
}

// What the document lets a query ask for is never a bad request. That nothing else is taken is what the judge of every test sees to.
func TestEveryDocumentedParameterIsTaken(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(overhear, "1"))
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"], b["forCaseId"], b["case"], b["responsibleUserId"] = agent.AgentID, b["caseId"], b["caseId"], "ada"
	word := w.send(http.MethodPost, "/v1/cases/"+b["caseId"]+"/files", user, docx(t), "Content-Type", extract.DOCX,
		"Content-Disposition", `attachment; filename="lease.docx"`)
	b["wordFileId"] = into[struct{ Items []api.File }](t, word, http.StatusCreated).Items[0].FileID
	tried := 0
	all := everyOperation(t)
	slices.SortStableFunc(all, func(x, y documented) int {
		return strings.Compare(strings.TrimSuffix(x.method, "GET"), strings.TrimSuffix(y.method, "GET"))
	}) // read before it is deleted

	for _, o := range all {
		if o.foreign() {
			continue
		}

		path, _, _ := strings.Cut(o.address(b), "?")
		for _, p := range o.parameters {
			if p.Value.In != "query" {
				continue
			}

			for _, value := range choices(p.Value, b) {
				key := o.id + "." + p.Value.Name
				with, ok := companions[key+"="+value]
				if !ok {
					if with, ok = companions[key]; !ok {
						with = companions[o.id]
					}
				}
				query, err := url.ParseQuery(strings.NewReplacer("{branchId}", b["branchId"], "{caseId}", b["caseId"]).Replace(with))
				if err != nil {
					t.Fatal(err)
				}
				query.Set(p.Value.Name, value)
				headers := []string{"Content-Type", o.mediaType}
				if p.Value.Name == "remindDaysBefore" {
					headers = append(headers, "Accept", "text/calendar")
				}
				at := path
				if thing, ok := things[key]; ok {
					at = strings.ReplaceAll(path, b["fileId"], b[thing])
				}
				tried++
				a := w.send(o.method, at+"?"+query.Encode(), user, o.body(t, o.examples()[0], b), headers...)
				if a.status == http.StatusBadRequest || o.method == http.MethodGet && a.status != http.StatusOK {
					t.Errorf("%s %s?%s: %d %s", o.method, o.path, query.Encode(), a.status, a.body)
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d queries were tried", tried)
	}
}

// The values that a query must not have are refused, or taken by the document too: the judge of the test holds each answer against it.
func TestOddValuesOfQueryParameters(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	odd := []string{
		"", " ", "0", "-1", "+1", "01", "1.0", "1e1", "0x1", "9223372036854775808", "true ", "TRUE", "1", "null", ",", "a,", ",a", "active,active", "*", "%", "é", "🙂",
		"2026-02-30", "2026-2-3", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z", "01981F6A-5B7E-7C3D-9A10-4F2B8F6F1A04", "{}", "US-", "us-ca", strings.Repeat("a", 5000),
	}

	for _, o := range everyOperation(t) {
		if o.foreign() || o.method != http.MethodGet || o.open() || o.id == "followRun" {
			continue
		}

		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)

			path, _, _ := strings.Cut(o.address(b), "?")
			for _, p := range o.parameters {
				if p.Value.In != "query" {
					continue
				}

				values := slices.Clone(odd)
				for _, good := range choices(p.Value, b) {
					values = append(values, good+",", ","+good, good+" ", good+","+good, strings.ToUpper(good), good+"\x00")
				}

				for _, value := range values {
					query := url.Values{p.Value.Name: {value}}.Encode()
					a := w.send(http.MethodGet, path+"?"+query, user, "")
					if a.status != http.StatusOK && a.status != http.StatusBadRequest && a.status != http.StatusForbidden && a.status != http.StatusNotFound {
						t.Errorf("GET %s?%.200s: %d %s", o.path, query, a.status, a.body)
					}
					if value == "" {
						a.refused(t, "GET "+o.path+"?"+query, http.StatusBadRequest, "invalid_parameter")
					}
				}
			}
		})
	}
}

// conditional are fields whose good value is refused beside the example's other fields, each with what it is told then.
var conditional = map[string]string{
	"createCase.amountInControversy.source": "goes with the basis extracted only", "updateCase.amountInControversy.source": "goes with the basis extracted only", "addEntry.sources": "must quote",
	"createCase.retention.holdReason": "goes with a legal hold only", "updateCase.closeReason": "goes with the status closed", "decideInvite.conflictAttested": "is for the partner",
	"createParty.mergedIntoPartyId": "unless the status is merged", "replaceParty.mergedIntoPartyId": "unless the status is merged", "reviewPhase.amendedText": "decision amended",
	"createParty.sealed.aad": "the caseId, a colon", "replaceParty.sealed.aad": "the caseId, a colon", "reviewEntry.status": "kind deadline", "reviewEntry.dueOn": "kind deadline", "addEntry.when.ambiguous": "two readings", "addEntry.when.on": "must be dueOn",
}

// field is one of a request's body: where it stands, and its schema.
type field struct {
	path   []string // the names of the objects around it, and its own
	schema *openapi3.Schema
}

func (f field) name() string { return f.path[len(f.path)-1] }

// fieldsOf lists the fields of a body's schema, those of the objects in it as well.
func fieldsOf(s *openapi3.Schema, at ...string) []field {
	if len(s.OneOf) > 0 {
		s = s.OneOf[0].Value
	}
	var all []field

	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inner := s.Properties[name].Value
		path := append(slices.Clone(at), name)
		all = append(append(all, field{path, inner}), fieldsOf(inner, path...)...)
	}

	return all
}

// put sets the field in a body, which gets what its objects need.
func (f field) put(body map[string]any, s *openapi3.Schema, v any, b bindings) {
	for _, name := range f.path[:len(f.path)-1] {
		if len(s.OneOf) > 0 {
			s = s.OneOf[0].Value
		}
		s = s.Properties[name].Value
		inner, ok := body[name].(map[string]any)
		if !ok {
			if inner, ok = specimen(name, s, b).(map[string]any); !ok {
				inner = map[string]any{}
			}
			body[name] = inner
		}
		body = inner
	}
	body[f.name()] = v
}

// The fields that the document gives a body and those that the service reads are the same: no good value of a documented field is refused
// for its field, and no field is taken that the document gives to other bodies alone.
func TestBodiesHaveTheFieldsOfTheDocument(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(overhear, "1"))
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	b["activeBranchId"], b["clientPartyId"] = b["branchId"], b["partyId"]
	var ops []documented
	names := map[string]bool{}

	for _, o := range everyOperation(t) {
		if !strings.HasSuffix(o.mediaType, "json") || o.foreign() {
			continue
		}

		ops = append(ops, o)
		for name := range o.schema.Properties {
			names[name] = true
		}
	}
	var tried atomic.Int64
	t.Run("operations", func(t *testing.T) {
		for _, o := range ops {
			t.Run(o.id, func(t *testing.T) {
				t.Parallel()
				w := w.in(t)
				bearer := user
				if o.open() {
					bearer = ""
				}
				fresh := func() map[string]any {
					var body map[string]any
					if err := json.Unmarshal([]byte(o.body(t, o.examples()[0], b)), &body); err != nil {
						t.Fatal(err)
					}

					return body
				}

				send := func(body map[string]any) answer {
					tried.Add(1)
					return w.send(o.method, o.address(b), bearer, encoded(t, body), "Content-Type", o.mediaType)
				}
				for _, f := range fieldsOf(o.schema) {
					body := fresh()
					f.put(body, o.schema, specimen(f.name(), f.schema, b), b)
					a := send(body)
					path := strings.Join(f.path, ".")
					i := slices.IndexFunc(a.err.Details, func(d errs.Detail) bool { return d.Path == path || strings.HasPrefix(d.Path, path+"[") })
					if a.status != http.StatusBadRequest || i < 0 {
						continue
					}
					if told := conditional[o.id+"."+path]; told == "" || !strings.Contains(a.err.Details[i].Message, told) {
						t.Errorf("%s: %s in %s: %s", o.id, path, encoded(t, body), a.body)
					}
				}

				for name := range names {
					if o.schema.Properties[name] == nil {
						body := fresh()
						body[name] = "words"
						if a := send(body); a.status != http.StatusBadRequest && a.status != http.StatusForbidden {
							t.Errorf("%s takes %s, which the document does not have there: %d %s", o.id, name, a.status, a.body)
						}
					}
				}
			})
		}
	})
	if tried := tried.Load(); tried < 700 {
		t.Errorf("%d bodies were tried", tried)
	}
}
