package casesvc_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

func (w *world) patch(caller access.Caller, id string, body any, header ...string) answer {
	w.t.Helper()
	return w.json(caller, http.MethodPatch, "/v1/cases/"+id, body, header...)
}

// readyIntake is an intake that lacks nothing to be opened, whose one client is party.
func (w *world) readyIntake(caller access.Caller, party string) api.Case {
	w.t.Helper()
	c := w.newCase(caller, m{"jurisdiction": "US-CA", "practiceAreas": []m{{"scheme": "LIST", "code": "HO-02-00-00-00"}}})
	w.parties.has(c.CaseID, clients([]string{party}))

	return c
}

const party1 = "0190a3b1-0000-7000-8000-000000000001"

func TestMergePatchOfACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")

	c := w.newCase(ann, m{
		"title": "Lease of [Party 1]", "summary": "Old", "forum": m{"system": "state", "courtCode": "casuper", "docketLabel": "[Docket 1]"}, "tags": []string{"a", "b"},
		"supervision":         m{"responsibleUserId": "bob", "professionalKind": "lawyer"},
		"amountInControversy": m{"amount": "10.00", "currency": "USD", "basis": "stated"}, "externalRef": "firm 7",
	})
	for _, tc := range []struct {
		name  string
		patch m
		check func(api.Case) bool
	}{
		{"nothing", m{}, func(got api.Case) bool { return got.Version == c.Version }},
		{"the same again", m{"title": "Lease of [Party 1]", "tags": []string{"A", "b"}}, func(got api.Case) bool { return got.Version == c.Version }},
		{"one field", m{"summary": "New"}, func(got api.Case) bool { return got.Summary == "New" && got.Title == c.Title }},
		{"null clears", m{"summary": nil, "externalRef": nil, "amountInControversy": nil, "tags": nil}, func(got api.Case) bool {
			return got.Summary == "" && got.ExternalRef == "" && got.AmountInControversy == nil && len(got.Tags) == 0
		}},
		{"null gives the default title back", m{"title": nil}, func(got api.Case) bool { return got.Title == "Untitled matter" && got.TitleBasis == "default" }},
		{"an object is merged", m{"forum": m{"courtCode": nil, "timeZone": "America/Los_Angeles"}}, func(got api.Case) bool {
			return cmp.Equal(got.Forum, &api.Forum{System: "state", DocketLabel: "[Docket 1]", TimeZone: "America/Los_Angeles"})
		}},
		{"an object is taken away", m{"forum": nil}, func(got api.Case) bool { return got.Forum == nil }},
		{"a list is replaced", m{"tags": []string{"c"}, "stakes": []string{"housing"}}, func(got api.Case) bool {
			return slices.Equal(got.Tags, []string{"c"}) && slices.Equal(got.Stakes, []string{"housing"})
		}},
		{"what a person answers for", m{"supervision": m{"licenceJurisdictions": []string{"US-CA"}}}, func(got api.Case) bool {
			return got.Supervision.ResponsibleUserID == "bob" && got.Supervision.ProfessionalKind == "lawyer" && len(got.Supervision.LicenceJurisdictions) == 1
		}},
		{"a tier of a person's own", m{"complexity": m{"override": m{"tier": 3, "reason": "Two forums"}}}, func(got api.Case) bool {
			return got.Complexity != nil && got.Complexity.Evaluation == nil && got.Complexity.Override.Tier == 3 && got.Complexity.Override.ByUserID == "ann"
		}},
		{"and its end", m{"complexity": m{"override": nil}}, func(got api.Case) bool { return got.Complexity == nil }},
		{"a legal hold", m{"retention": m{"legalHold": true, "holdReason": "Litigation is expected"}}, func(got api.Case) bool {
			return got.Retention.LegalHold && got.Retention.HoldByUserID == "ann" && got.Retention.HoldReason != ""
		}},
		{"a hold that is lifted", m{"retention": m{"legalHold": false}}, func(got api.Case) bool {
			return cmp.Equal(got.Retention, api.Retention{PolicyCode: "default"})
		}},
		{"the root branch", m{"activeBranchId": c.ActiveBranchID}, func(got api.Case) bool { return got.ActiveBranchID == c.ActiveBranchID }},
		{"another jurisdiction", m{"jurisdiction": "GB-EAW", "language": "en-GB", "side": "claimant", "matterKind": "advisory", "jointRepresentation": true}, func(got api.Case) bool {
			return got.Jurisdiction == "GB-EAW" && got.Language == "en-GB" && got.Side == "claimant" && got.MatterKind == "advisory" && got.JointRepresentation
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.patch(ann, c.CaseID, tc.patch)
			got := into[api.Case](t, a, 200)
			if !tc.check(got) {
				t.Errorf("case = %s", a.Body)
			}
			if a.Header.Get("ETag") != `"`+strconv.Itoa(got.Version)+`"` {
				t.Errorf("ETag = %s of version %d", a.Header.Get("ETag"), got.Version)
			}
			if diff := cmp.Diff(got, into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200)); diff != "" {
				t.Errorf("what was answered is not what is there (-answered +there):\n%s", diff)
			}
		})
	}
	t.Run("the media type of merge patches", func(t *testing.T) {
		into[api.Case](t, w.patch(ann, c.CaseID, m{"summary": "x"}, "Content-Type", "application/merge-patch+json"), 200)
		if a := w.patch(ann, c.CaseID, m{"summary": "x"}, "Content-Type", "application/json-patch+json"); a.Status != 415 || a.Header.Get("Accept-Patch") == "" {
			t.Errorf("status %d, Accept-Patch %q", a.Status, a.Header.Get("Accept-Patch"))
		}
	})
	t.Run("a reference that is taken", func(t *testing.T) {
		w.newCase(ann, m{"externalRef": "firm 8"})
		refused(t, w.patch(ann, c.CaseID, m{"externalRef": "firm 8"}), 409, "external_ref_taken")
	})
}

func TestWhatAMergePatchIsRefusedFor(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)

	for _, tc := range []struct {
		name, body, path string
		status           int
		code             string
	}{
		{"no object", `[]`, "", 400, "validation_failed"},
		{"null", `null`, "", 400, "validation_failed"},
		{"a member twice", `{"title":"abc","title":"abd"}`, "", 400, "malformed_json"},
		{"an unknown member", `{"colour":1}`, "colour", 400, "unknown_field"},
		{"an unknown member within", `{"forum":{"judge":"x"}}`, "forum.judge", 400, "unknown_field"},
		{"a member that asks for an identity", `{"supervision":{"email":""}}`, "supervision.email", 403, "identity_refused"},
		{"an e-mail in the title", `{"title":"Lease of ann@example.com"}`, "title", 403, "identity_refused"},
		{"a telephone in a hold's reason", `{"retention":{"legalHold":true,"holdReason":"call +1 212 555 0143"}}`, "retention.holdReason", 403, "identity_refused"},
		{"a docket number as reference", `{"externalRef":"1:17-cv-00072"}`, "externalRef", 403, "identity_refused"},
		{"the id", `{"caseId":"x"}`, "caseId", 400, "validation_failed"},
		{"the counts", `{"counts":{"files":3}}`, "counts", 400, "validation_failed"},
		{"the evaluation", `{"complexity":{"tier":1}}`, "complexity.tier", 400, "validation_failed"},
		{"who holds", `{"retention":{"holdByUserId":"x"}}`, "retention.holdByUserId", 400, "validation_failed"},
		{"a label of an area", `{"practiceAreas":[{"scheme":"LIST","code":"HO-00-00-00-00","label":"x"}]}`, "practiceAreas[0].label", 400, "validation_failed"},
		{"the wrong type", `{"tags":"a"}`, "tags", 400, "validation_failed"},
		{"a status of nothing", `{"status":null}`, "status", 400, "validation_failed"},
		{"a status that is none", `{"status":"lost"}`, "status", 400, "validation_failed"},
		{"no stage", `{"stage":null}`, "stage", 400, "validation_failed"},
		{"no system", `{"forum":{"system":null}}`, "forum.system", 400, "validation_failed"},
		{"a label that is none", `{"forum":{"system":"state","docketLabel":"x"}}`, "forum.docketLabel", 400, "unknown_label"},
		{"a country that is none", `{"jurisdiction":"XX"}`, "jurisdiction", 400, "validation_failed"},
		{"a part that is none", `{"jurisdiction":"US-XX"}`, "jurisdiction", 400, "validation_failed"},
		{"a task of another phase", `{"stage":{"phase":"L200"}}`, "stage", 400, "validation_failed"},
		{"a policy that is none", `{"retention":{"policyCode":"forever"}}`, "retention.policyCode", 400, "validation_failed"},
		{"a reason without a hold", `{"retention":{"holdReason":"x"}}`, "retention.holdReason", 400, "validation_failed"},
		{"a model against the client's will", `{"confidentiality":{"aiPolicy":"model_allowed","clientConsent":"refused"}}`, "confidentiality.aiPolicy", 400, "validation_failed"},
		{"a tier that is none", `{"complexity":{"override":{"tier":5,"reason":"x"}}}`, "complexity.override.tier", 400, "validation_failed"},
		{"a tier without a reason", `{"complexity":{"override":{"tier":2}}}`, "complexity.override.reason", 400, "validation_failed"},
		{"a client that is no party", `{"clientPartyId":"` + party1 + `"}`, "clientPartyId", 400, "validation_failed"},
		{"a branch of nowhere", `{"activeBranchId":"` + party1 + `"}`, "activeBranchId", 400, "validation_failed"},
		{"a reason to close without closing", `{"closeReason":"settled"}`, "closeReason", 400, "validation_failed"},
		{"an extracted amount without a source", `{"amountInControversy":{"amount":"1","currency":"USD","basis":"extracted"}}`, "amountInControversy.source", 400, "validation_failed"},
		{
			"a source of no file", `{"amountInControversy":{"amount":"1","currency":"USD","basis":"extracted","source":{"fileId":"` + party1 + `","textVersion":1,"charStart":0,"charEnd":3,"quote":"abc"}}}`,
			"amountInControversy.source", 400, "validation_failed",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := refused(t, w.do(call{Method: http.MethodPatch, Path: "/v1/cases/" + c.CaseID, Caller: ann, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(tc.body)}), tc.status, tc.code)
			if tc.path != "" && (len(e.Details) == 0 || !slices.ContainsFunc(e.Details, func(d errs.Detail) bool { return d.Path == tc.path })) {
				t.Errorf("details = %+v, want %s", e.Details, tc.path)
			}
			if tc.code == "identity_refused" && !strings.Contains(e.DeepLink, "add_identity?case="+c.CaseID) {
				t.Errorf("deep link = %s", e.DeepLink)
			}
		})
	}
	if got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200); got.Version != c.Version {
		t.Errorf("a refused change was saved: version %d, was %d", got.Version, c.Version)
	}
}

func TestWhoMayChangeWhat(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot, root := user("o:firm", "ann"), agent("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin)
	c := w.newCase(ann, nil)

	link := "https://subrosa.test/i/case_settings?case=" + c.CaseID
	for _, body := range []m{
		{"supervision": m{}},
		{"confidentiality": m{"aiPolicy": "no_model"}},
		{"retention": m{"legalHold": true}},
		{"retention": m{"policyCode": "default"}},
		{"complexity": m{"override": nil}},
		{"closeReason": "other"},
		{"activeBranchId": c.ActiveBranchID},
		{"title": "A good title", "supervision": m{}},
		{"status": "closed"},
		{"status": "open"},
		{"status": "archived"},
	} {
		if e := refused(t, w.patch(robot, c.CaseID, body), 403, "human_required"); e.DeepLink != link {
			t.Errorf("%v: deep link = %s", body, e.DeepLink)
		}
	}
	into[api.Case](t, w.patch(robot, c.CaseID, m{"title": "Lease of [Party 1]", "tags": []string{"x"}}), 200)
	refused(t, w.patch(agent("o:firm", "ann", "cases:read"), c.CaseID, m{"title": "A title"}), 403, "scope_missing")
	refused(t, w.patch(root, c.CaseID, m{"title": "A title"}), 403, "forbidden")
	refused(t, w.patch(root, c.CaseID, m{"retention": m{"policyCode": "default"}}), 403, "forbidden")
	if got := into[api.Case](t, w.patch(root, c.CaseID, m{"retention": m{"legalHold": true}}), 200); got.Title != "" || !got.Retention.LegalHold {
		t.Errorf("an admin sees %+v", got)
	}
	eve := user("o:other", "eve")
	unknown := refused(t, w.patch(eve, party1, m{"title": "A title"}), 404, "not_found")
	if e := refused(t, w.patch(eve, c.CaseID, m{"title": "A title"}), 404, "not_found"); e.Message != unknown.Message {
		t.Errorf("another tenant's case answers %q, an unknown one %q", e.Message, unknown.Message)
	}
}

func TestConditionalChanges(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	refused(t, w.patch(ann, c.CaseID, m{"summary": "x"}, "If-Match", `"7"`), 412, "version_mismatch")
	into[api.Case](t, w.patch(ann, c.CaseID, m{"summary": "x"}, "If-Match", `"1"`), 200)
	refused(t, w.patch(ann, c.CaseID, m{"summary": "y"}, "If-Match", `"1"`), 412, "version_mismatch")
	t.Run("each of many changes is made or refused", func(t *testing.T) {
		var all sync.WaitGroup
		var mu sync.Mutex
		done := 0

		for i := range 6 {
			all.Go(func() {
				body := `{"summary":"writer ` + strconv.Itoa(i) + `"}`
				a, err := w.try(call{Method: http.MethodPatch, Path: "/v1/cases/" + c.CaseID, Caller: ann, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(body)})
				mu.Lock()
				defer mu.Unlock()

				switch {
				case err != nil:
					t.Error(err)
				case a.Status == 200:
					done++
				case a.Status != 409 || !strings.Contains(string(a.Body), "write_conflict"):
					t.Errorf("status %d: %s", a.Status, a.Body)
				}
			})
		}
		all.Wait()
		if got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200); got.Version != 2+done || done == 0 {
			t.Errorf("%d changes were acknowledged; the case is at version %d", done, got.Version)
		}
	})
}
