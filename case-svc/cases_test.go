package casesvc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// m is a body of JSON.
type m = map[string]any

func TestCreateCase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	t.Run("without a body", func(t *testing.T) {
		a := w.json(ann, http.MethodPost, "/v1/cases", nil)
		c := into[api.Case](t, a, 201)
		if a.Header.Get("Location") != "/v1/cases/"+c.CaseID || a.Header.Get("ETag") != `"1"` || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers = %v", a.Header)
		}
		if c.Title != "Untitled matter" || c.Status != "intake" || c.Supervision.ResponsibleUserID != "ann" || c.TimelineID == "" || c.ActiveBranchID == "" {
			t.Errorf("case = %+v", c)
		}
	})
	t.Run("with every field", func(t *testing.T) {
		body := m{
			"title": "Eviction of [Party 1]", "summary": "The lease ended.", "status": "intake", "matterKind": "litigation", "jurisdiction": "US-CA", "side": "respondent",
			"practiceAreas": []m{{"scheme": "LIST", "code": "HO-02-00-00-00", "primary": true}}, "jointRepresentation": true,
			"forum": m{"system": "state", "courtCode": "casuper", "docketLabel": "[Docket 1]", "timeZone": "America/Los_Angeles"},
			"stage": m{"codeSet": "litigation", "phase": "L200", "task": "L210"}, "amountInControversy": m{"amount": "4200.50", "currency": "USD", "basis": "stated"},
			"stakes": []string{"housing"}, "supervision": m{"responsibleUserId": "bob", "professionalKind": "lawyer", "licenceJurisdictions": []string{"US-CA"}},
			"confidentiality": m{"privilege": "attorney_client", "aiPolicy": "model_allowed", "clientConsent": "obtained"},
			"retention":       m{"legalHold": true, "policyCode": "default"}, "language": "en", "tags": []string{"Urgent"}, "externalRef": "firm 7",
		}
		c := into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases", body), 201)
		got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200)
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("what was made is not what is there (-made +there):\n%s", diff)
		}
		if got.PracticeAreas[0].Label != "Eviction" || got.AmountInControversy.Amount != "4200.50" || got.Supervision.ResponsibleUserID != "bob" || !got.Retention.LegalHold {
			t.Errorf("case = %+v", got)
		}
		refused(t, w.json(ann, http.MethodPost, "/v1/cases", m{"externalRef": "firm 7"}), 409, "external_ref_taken")
	})
	t.Run("by an agent", func(t *testing.T) {
		c := into[api.Case](t, w.json(agent("o:firm", "ann"), http.MethodPost, "/v1/cases", m{}), 201)
		if c.CreatedBy.Kind != "agent" || c.CreatedBy.UserID != "ann" || c.Supervision.ResponsibleUserID != "ann" {
			t.Errorf("created by %+v, supervised by %s", c.CreatedBy, c.Supervision.ResponsibleUserID)
		}
	})
	t.Run("by an admin who is nothing else", func(t *testing.T) {
		admin := user("o:firm", "root", access.RoleAdmin)
		c := into[api.Case](t, w.json(admin, http.MethodPost, "/v1/cases", m{"title": "Lease of [Party 1]"}), 201)
		if c.Title != "" || c.MatterKind != "" || c.CaseID == "" {
			t.Errorf("an admin sees %+v", c)
		}
		refused(t, w.json(admin, http.MethodPost, "/v1/cases", m{"supervision": m{"responsibleUserId": "bob"}}), 403, "forbidden")
		into[api.Case](t, w.json(admin, http.MethodPost, "/v1/cases", m{"retention": m{"legalHold": true}}), 201)
	})

	for _, field := range []string{"supervision", "confidentiality", "retention"} {
		t.Run(field+" by an agent", func(t *testing.T) {
			e := refused(t, w.json(agent("o:firm", "ann"), http.MethodPost, "/v1/cases", m{field: m{}}), 403, "human_required")
			if e.DeepLink != "https://subrosa.test/i/case_settings" {
				t.Errorf("deep link = %s", e.DeepLink)
			}
		})
	}
}

func TestWhatCreateCaseRefuses(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")

	for _, tc := range []struct {
		name, contentType, body string
		status                  int
		code                    string
	}{
		{"no JSON", "application/json", `{"title":`, 400, "malformed_json"},
		{"two values", "application/json", `{} {}`, 400, "malformed_json"},
		{"a key twice", "application/json", `{"title":"abc","title":"def"}`, 400, "malformed_json"},
		{"a list", "application/json", `[]`, 400, "validation_failed"},
		{"wrong type", "application/json", `{"title":7}`, 400, "validation_failed"},
		{"wrong media type", "text/plain", `{}`, 415, "unsupported_media_type"},
		{"unknown field", "application/json", `{"colour":"red"}`, 400, "unknown_field"},
		{"field set by the server", "application/json", `{"caseId":"x"}`, 400, "unknown_field"},
		{"field in another case", "application/json", `{"Title":"abc"}`, 400, "unknown_field"},
		{"field that asks for an identity", "application/json", `{"forum":{"e-mail":""}}`, 403, "identity_refused"},
		{"e-mail in the title", "application/json", `{"title":"Lease of ann@example.com"}`, 403, "identity_refused"},
		{"name with an encoded blank in the title", "application/json", `{"title":"lease of halvard%20ostrowe"}`, 403, "identity_refused"},
		{"name in quoted-printable in the summary", "application/json", `{"summary":"ask halvard=20ostrowe"}`, 403, "identity_refused"},
		{"telephone in the summary", "application/json", `{"summary":"call +1 212 555 0143"}`, 403, "identity_refused"},
		{"SSN in a tag", "application/json", `{"tags":["ok","123-45-6789"]}`, 403, "identity_refused"},
		{"docket number as reference", "application/json", `{"externalRef":"1:17-cv-00072"}`, 403, "identity_refused"},
		{"a name as the code of a court", "application/json", `{"forum":{"system":"federal","courtCode":"john_smith"}}`, 403, "identity_refused"},
		{"label gone wrong", "application/json", `{"title":"Lease of [Party 0]"}`, 403, "identity_refused"},
		{"too large", "application/json", `{"summary":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "body_too_large"},
		{"too deep", "application/json", `{"title":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, 400, "malformed_json"},
		{"not UTF-8", "application/json", "{\"title\":\"ab\xff\"}", 400, "malformed_json"},
		{"status of its own", "application/json", `{"status":"open"}`, 400, "validation_failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.do(call{Method: http.MethodPost, Path: "/v1/cases", Caller: ann, Header: map[string]string{"Content-Type": tc.contentType}, Body: []byte(tc.body)})
			e := refused(t, a, tc.status, tc.code)
			if tc.code == "identity_refused" && len(e.Details) == 0 {
				t.Errorf("a refusal that does not say where: %s", a.Body)
			}

			for _, secret := range []string{"ann@example.com", "555 0143", "6789", "00072"} {
				if strings.Contains(string(a.Body), secret) {
					t.Errorf("the answer repeats the identity: %s", a.Body)
				}
			}
		})
	}
	page := into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases"), 200)
	if len(page.Items) != 0 {
		t.Errorf("%d cases were made of what was refused", len(page.Items))
	}
	if logs := w.logs.String(); strings.Contains(logs, "example.com") || strings.Contains(logs, "request failed") {
		t.Errorf("logs = %s", logs)
	}
}

func TestRights(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	owner := user("o:firm", "ann")
	c := into[api.Case](t, w.json(owner, http.MethodPost, "/v1/cases", nil), 201)
	one, list := "/v1/cases/"+c.CaseID, "/v1/cases"

	callers := map[string]access.Caller{
		"owner": user("o:firm", "ann", access.RoleOwner), "member": user("o:firm", "bob", access.RoleMember), "admin": user("o:firm", "root", access.RoleAdmin), "nobody": user("o:firm", "guest", "guest"),
		"agent": agent("o:firm", "bob"), "reading agent": agent("o:firm", "bob", "cases:read"), "OAuth client": {Kind: access.OAuth, Tenant: "o:firm", UserID: "bob", ClientID: "c", Roles: []string{access.RoleMember}, Scopes: []string{"cases:read", "files:read"}},
		"service": {Kind: access.Service, Tenant: "o:firm"}, "public": {Kind: access.Public}, "other tenant": user("o:other", "eve"),
	}
	for _, role := range access.Roles() {
		if c, ok := callers[role]; !ok || !slices.Equal(c.Roles, []string{role}) {
			t.Errorf("no caller is %s and nothing else", role)
		}
	}

	for _, tc := range []struct {
		method, path string
		want         map[string]string // code of the refusal; callers that are not named get through
	}{
		{http.MethodPost, list, map[string]string{"nobody": "forbidden", "reading agent": "scope_missing", "OAuth client": "scope_missing", "service": "forbidden", "public": "forbidden"}},
		{http.MethodGet, list, map[string]string{"nobody": "forbidden", "service": "forbidden", "public": "forbidden"}},
		{http.MethodGet, one, map[string]string{"nobody": "forbidden", "service": "forbidden", "public": "forbidden", "other tenant": "not_found"}},
		{http.MethodGet, one + "/files", map[string]string{"admin": "forbidden", "nobody": "forbidden", "reading agent": "scope_missing", "service": "forbidden", "public": "forbidden", "other tenant": "not_found"}},
		{http.MethodPost, one + "/files", map[string]string{"owner": "unsupported_media_type", "member": "unsupported_media_type", "agent": "unsupported_media_type", "admin": "forbidden", "nobody": "forbidden", "reading agent": "scope_missing", "OAuth client": "scope_missing", "service": "forbidden", "public": "forbidden", "other tenant": "not_found"}},
		{http.MethodGet, "/internal/open-phases", map[string]string{"owner": "forbidden", "member": "forbidden", "admin": "forbidden", "nobody": "forbidden", "agent": "forbidden", "reading agent": "forbidden", "OAuth client": "forbidden", "public": "forbidden", "other tenant": "forbidden"}},
		{http.MethodGet, "/internal/containers/case/" + c.CaseID, map[string]string{"admin": "forbidden", "nobody": "forbidden", "service": "forbidden", "public": "forbidden", "other tenant": "not_found"}},
		{http.MethodDelete, one, map[string]string{"member": "forbidden", "admin": "forbidden", "nobody": "forbidden", "agent": "human_required", "reading agent": "scope_missing", "OAuth client": "scope_missing", "service": "forbidden", "public": "forbidden", "other tenant": "not_found", "owner": "version_mismatch"}},
	} {
		for name, caller := range callers {
			t.Run(tc.method+" "+tc.path[:min(len(tc.path), 20)]+" by "+name, func(t *testing.T) {
				a := w.json(caller, tc.method, tc.path, nil, "If-Match", `"77"`)
				var got struct{ Error string }
				if a.Status >= 400 {
					if err := json.Unmarshal(a.Body, &got); err != nil {
						t.Fatal(err)
					}
				}
				if got.Error != tc.want[name] {
					t.Errorf("status %d, error %q, want %q", a.Status, got.Error, tc.want[name])
				}
			})
		}
	}
	t.Run("without a token", func(t *testing.T) {
		for _, header := range []map[string]string{nil, {"Authorization": "Bearer x.y.z"}, {"Authorization": "Basic abc"}} {
			refused(t, w.do(call{Method: http.MethodGet, Path: list, Header: header}), 401, "internal_token_refused")
		}
	})
	t.Run("unknown paths and methods", func(t *testing.T) {
		refused(t, w.get(owner, "/v1/other"), 404, "not_found")
		refused(t, w.json(owner, http.MethodPatch, list, m{}), 405, "method_not_allowed")
	})
}

func TestAnotherTenantsCaseLooksLikeNone(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := into[api.Case](t, w.json(user("o:firm", "ann"), http.MethodPost, "/v1/cases", m{"externalRef": "firm 7"}), 201)
	eve := user("o:other", "eve")
	none := "0190a3b1-0000-7000-8000-000000000001"

	body := func(a answer) string {
		t.Helper()
		e := refused(t, a, 404, "not_found")
		e.RequestID = ""
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}

		return string(b)
	}
	for _, path := range []string{"/v1/cases/%s", "/v1/cases?caseId=%s", "/v1/cases/%s/files", "/v1/cases/%s/files/" + none, "/v1/cases/%s/files/" + none + "/text", "/v1/cases/%s/files/" + none + "/content"} {
		theirs, nobodys := body(w.get(eve, fmt.Sprintf(path, c.CaseID))), body(w.get(eve, fmt.Sprintf(path, none)))
		if theirs != nobodys {
			t.Errorf("%s: another tenant's answer %s differs from %s", path, theirs, nobodys)
		}
		body(w.get(eve, fmt.Sprintf(path, "no-id-at-all")))
	}
	body(w.json(eve, http.MethodDelete, "/v1/cases/"+c.CaseID, nil))
	if page := into[api.Page[api.CaseRow]](t, w.get(eve, "/v1/cases?externalRef=firm+7"), 200); len(page.Items) != 0 {
		t.Errorf("another tenant lists %d cases", len(page.Items))
	}
}

func TestConditionalReads(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")

	c := into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases", nil), 201)
	for _, path := range []string{"/v1/cases/" + c.CaseID, "/v1/cases?caseId=" + c.CaseID, "/v1/cases"} {
		a := w.get(ann, path)
		etag := a.Header.Get("ETag")
		if a.Status != 200 || etag == "" {
			t.Fatalf("%s: status %d, ETag %q", path, a.Status, etag)
		}

		for header, want := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, "x": 200, "": 200} {
			b := w.get(ann, path, "If-None-Match", header)
			if b.Status != want || want == 304 && (len(b.Body) != 0 || b.Header.Get("ETag") != etag) {
				t.Errorf("%s with If-None-Match %s: status %d, %d bytes, want %d", path, header, b.Status, len(b.Body), want)
			}
		}
	}
	one := into[api.Case](t, w.get(ann, "/v1/cases?caseId="+c.CaseID), 200)
	if diff := cmp.Diff(c, one); diff != "" {
		t.Errorf("by query (-made +got):\n%s", diff)
	}
	refused(t, w.get(ann, "/v1/cases?limit=5&caseId="+c.CaseID), 400, "invalid_parameter")
	refused(t, w.get(ann, "/v1/cases/"+c.CaseID+"?include=files"), 400, "invalid_parameter")
	refused(t, w.get(ann, "/v1/cases?include=parties"), 400, "invalid_parameter")
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	post := func(caller access.Caller, key string, body any) answer {
		return w.json(caller, http.MethodPost, "/v1/cases", body, "Idempotency-Key", key)
	}
	t.Run("the same request gets the same answer", func(t *testing.T) {
		first, again := post(ann, "k1", m{"title": "One matter", "side": "both"}), post(ann, "k1", m{"side": "both", "title": "One matter"})
		into[api.Case](t, first, 201)
		if string(again.Body) != string(first.Body) || again.Status != 201 || again.Header.Get("Location") != first.Header.Get("Location") || again.Header.Get("ETag") != `"1"` {
			t.Errorf("replay = %d %v %s", again.Status, again.Header, again.Body)
		}
		if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("replayed = %q then %q", first.Header.Get("Idempotency-Replayed"), again.Header.Get("Idempotency-Replayed"))
		}
	})
	t.Run("another body is refused", func(t *testing.T) {
		refused(t, post(ann, "k1", m{"title": "Other matter"}), 400, "idempotency_key_reused")
	})
	t.Run("a key belongs to its actor and tenant", func(t *testing.T) {
		seen := map[string]bool{}
		for _, caller := range []access.Caller{ann, agent("u:ann", "ann"), user("u:bob", "ann"), user("u:ann", "bob")} {
			seen[into[api.Case](t, post(caller, "k2", nil), 201).CaseID] = true
		}
		if len(seen) != 4 {
			t.Errorf("%d cases, want 4", len(seen))
		}
	})
	t.Run("racers make one case", func(t *testing.T) {
		var all sync.WaitGroup
		var mu sync.Mutex
		ids, busy := map[string]bool{}, 0

		for range 8 {
			all.Go(func() {
				a, err := w.try(call{Method: http.MethodPost, Path: "/v1/cases", Caller: ann, Header: map[string]string{"Idempotency-Key": "k3"}})
				mu.Lock()
				defer mu.Unlock()

				switch {
				case err != nil:
					t.Error(err)
				case a.Status == 201:
					var c api.Case
					_ = json.Unmarshal(a.Body, &c)
					ids[c.CaseID] = true
				case a.Status == 409 && strings.Contains(string(a.Body), "idempotency_in_progress") && a.Header.Get("Retry-After") != "":
					busy++
				default:
					t.Errorf("status %d: %s", a.Status, a.Body)
				}
			})
		}
		all.Wait()
		if len(ids) != 1 {
			t.Errorf("%d cases were made, %d callers were told to wait", len(ids), busy)
		}
	})
	t.Run("a refused request leaves the key free", func(t *testing.T) {
		refused(t, post(ann, "k4", m{"title": "ab"}), 400, "validation_failed")
		into[api.Case](t, post(ann, "k4", m{"title": "Long enough"}), 201)
	})
	t.Run("after a day the answer is forgotten, but not the case", func(t *testing.T) {
		first := into[api.Case](t, post(ann, "k5", nil), 201)
		w.clock.Advance(25 * time.Hour)
		a := post(ann, "k5", nil)
		if c := into[api.Case](t, a, 201); c.CaseID != first.CaseID || a.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("case %s, replayed %q, want %s anew", c.CaseID, a.Header.Get("Idempotency-Replayed"), first.CaseID)
		}
	})

	t.Run("of a case that was deleted there is no answer", func(t *testing.T) {
		owner := user("o:firm", "owner")

		for i, later := range []time.Duration{0, time.Hour, 25 * time.Hour, 40 * 24 * time.Hour} {
			key := fmt.Sprint("gone", i)
			first := into[api.Case](t, post(owner, key, m{"title": "A matter that goes"}), 201)
			if a := w.json(owner, http.MethodDelete, "/v1/cases/"+first.CaseID, nil); a.Status != 204 {
				t.Fatalf("delete: %d %s", a.Status, a.Body)
			}
			w.clock.Advance(later)
			again := post(owner, key, m{"title": "A matter that goes"})
			refused(t, again, 409, "resource_gone")
			if strings.Contains(string(again.Body), "A matter that goes") {
				t.Error("the answer repeats what was deleted")
			}
			into[api.Case](t, post(owner, key+"anew", m{"title": "A matter that goes"}), 201)
		}
	})

	for name, key := range map[string]string{"too long": strings.Repeat("k", 256), "with a blank": "a b", "not ASCII": "ä"} {
		t.Run(name, func(t *testing.T) { refused(t, post(ann, key, nil), 400, "invalid_parameter") })
	}
}

func TestListCases(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	made := map[string]string{}

	for i, body := range []m{
		{"title": "Beta matter", "jurisdiction": "US-CA", "tags": []string{"b"}, "side": "claimant", "matterKind": "advisory"},
		{"title": "alpha matter", "jurisdiction": "US", "practiceAreas": []m{{"scheme": "LIST", "code": "HO-02-00-00-00"}}, "externalRef": "r1"},
		{"title": "Gamma matter", "jurisdiction": "GB-ENG", "supervision": m{"responsibleUserId": "bob"}},
	} {
		w.clock.Advance(time.Second)
		made[[]string{"beta", "alpha", "gamma"}[i]] = into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases", body), 201).CaseID
	}
	middle := w.clock.Now().Add(-time.Second).Format(time.RFC3339Nano)
	names := func(page api.Page[api.CaseRow]) []string {
		var all []string

		for _, row := range page.Items {
			for name, id := range made {
				if id == row.CaseID {
					all = append(all, name)
				}
			}
		}

		return all
	}

	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"", []string{"gamma", "alpha", "beta"}},
		{"sort=updatedAt", []string{"beta", "alpha", "gamma"}},
		{"sort=-createdAt", []string{"gamma", "alpha", "beta"}},
		{"sort=createdAt", []string{"beta", "alpha", "gamma"}},
		{"sort=title", []string{"alpha", "beta", "gamma"}},
		{"jurisdiction=US&sort=title", []string{"alpha", "beta"}},
		{"jurisdiction=US-CA", []string{"beta"}},
		{"practiceArea=housing", []string{"alpha"}},
		{"practiceArea=HO-02", []string{"alpha"}},
		{"practiceArea=HO-02-00-00-00", []string{"alpha"}},
		{"practiceArea=family", nil},
		{"tag=B", []string{"beta"}},
		{"side=claimant", []string{"beta"}},
		{"matterKind=advisory", []string{"beta"}},
		{"responsibleUserId=bob", []string{"gamma"}},
		{"externalRef=r1", []string{"alpha"}},
		{"status=intake,open&tier=unrated&sort=title", []string{"alpha", "beta", "gamma"}},
		{"status=closed", nil},
		{"tier=1,2", nil},
		{"updatedSince=" + url.QueryEscape(middle), []string{"gamma", "alpha"}},
	} {
		t.Run(tc.query, func(t *testing.T) {
			page := into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases?includeTotal=true&"+tc.query), 200)
			if diff := cmp.Diff(tc.want, names(page)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if page.Total == nil || *page.Total != len(tc.want) || page.TotalCapped || page.NextCursor != nil || page.Limit != 25 {
				t.Errorf("page = total %v, capped %t, cursor %v, limit %d", page.Total, page.TotalCapped, page.NextCursor, page.Limit)
			}
		})
	}
	t.Run("an admin sees no content", func(t *testing.T) {
		root := user("u:ann", "root", access.RoleAdmin)
		page := into[api.Page[api.CaseRow]](t, w.get(root, "/v1/cases?status=intake&sort=createdAt"), 200)
		if len(page.Items) != 3 || slices.ContainsFunc(page.Items, func(r api.CaseRow) bool { return r.Title+r.Jurisdiction+r.MatterKind != "" || len(r.Tags) > 0 }) {
			t.Errorf("rows = %+v", page.Items)
		}

		for _, query := range []string{"sort=title", "tag=b", "jurisdiction=US", "practiceArea=HO", "tier=1", "side=both", "matterKind=other", "externalRef=r1"} {
			refused(t, w.get(root, "/v1/cases?"+query), 403, "forbidden")
		}
	})
	t.Run("wrong parameters", func(t *testing.T) {
		for _, query := range []string{
			"limit=0", "limit=101", "limit=x", "limit=5&limit=6", "sort=-title", "sort=tier", "tier=5", "status=lost", "side=ours", "matterKind=war", "jurisdiction=usa",
			"practiceArea=ZZ", "practiceArea=cooking", "updatedSince=yesterday", "includeTotal=yes", "colour=red", "offset=5", "q=%22", "q=", "stage=210", "privilege=secret", "deadlineBefore=soon", "hasPendingReview=2", "legalHold=yes", "includeDeleted=true", "fields=all", "q=" + strings.Repeat("x", 201), "tag=%ff", "limit=%zz", "tag=" + strings.Repeat("x", 41), "externalRef=" + strings.Repeat("x", 65), "responsibleUserId=" + strings.Repeat("x", 256),
		} {
			refused(t, w.get(ann, "/v1/cases?"+query), 400, "invalid_parameter")
		}
	})
	t.Run("pages", func(t *testing.T) {
		for _, sort := range []string{"title", "-updatedAt", "createdAt"} {
			var all []string

			path := "/v1/cases?limit=1&sort=" + sort
			for cursor := ""; ; {
				page := into[api.Page[api.CaseRow]](t, w.get(ann, path+cursor), 200)
				all = append(all, names(page)...)
				if page.NextCursor == nil {
					break
				}
				cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
			}
			if len(all) != 3 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 3 {
				t.Errorf("sort=%s: pages give %v", sort, all)
			}
		}
	})
	t.Run("cursors belong to their list", func(t *testing.T) {
		page := into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases?limit=1&sort=title"), 200)
		if page.NextCursor == nil {
			t.Fatal("no cursor")
		}
		cursor := url.QueryEscape(*page.NextCursor)
		if strings.Contains(*page.NextCursor, "alpha") {
			t.Error("the cursor shows a title")
		}

		for name, path := range map[string]string{
			"another order": "sort=-updatedAt&cursor=" + cursor, "another filter": "sort=title&status=open&cursor=" + cursor, "nothing": "sort=title&cursor=x",
			"a bit more": "sort=title&cursor=" + cursor + "A", "a bit less": "sort=title&cursor=" + cursor[:len(cursor)-2],
		} {
			t.Run(name, func(t *testing.T) { refused(t, w.get(ann, "/v1/cases?"+path), 400, "invalid_cursor") })
		}
		refused(t, w.get(user("u:eve", "eve"), "/v1/cases?sort=title&cursor="+cursor), 400, "invalid_cursor")
		into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases?sort=title&limit=5&cursor="+cursor), 200) // the size of a page may change
		w.clock.Advance(24 * time.Hour)
		refused(t, w.get(ann, "/v1/cases?sort=title&cursor="+cursor), 400, "invalid_cursor")
	})
}

func TestDeleteCase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	owner, member, robot := user("o:firm", "ann"), user("o:firm", "bob", access.RoleMember), agent("o:firm", "ann")
	create := func(caller access.Caller, body m) api.Case {
		t.Helper()
		return into[api.Case](t, w.json(caller, http.MethodPost, "/v1/cases", body), 201)
	}
	del := func(caller access.Caller, c api.Case, header ...string) answer {
		return w.json(caller, http.MethodDelete, "/v1/cases/"+c.CaseID, nil, header...)
	}
	t.Run("gone at once for all reads", func(t *testing.T) {
		c := create(owner, m{"externalRef": "gone"})
		f := into[struct{ Items []api.File }](t, w.upload(owner, c.CaseID, nil, textFile("a.txt", complaint)), 201).Items[0]
		if a := del(owner, c); a.Status != 204 || len(a.Body) != 0 {
			t.Fatalf("status %d: %s", a.Status, a.Body)
		}

		file := "/v1/cases/" + c.CaseID + "/files"
		for _, path := range []string{"/v1/cases/" + c.CaseID, "/v1/cases?caseId=" + c.CaseID, file, file + "/" + f.FileID, file + "/" + f.FileID + "/text", file + "/" + f.FileID + "/content", "/internal/containers/case/" + c.CaseID} {
			refused(t, w.get(owner, path), 404, "not_found")
		}
		refused(t, w.json(owner, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", api.SearchCase{Query: "landlord", Limit: 5}), 404, "not_found")
		refused(t, w.upload(owner, c.CaseID, nil, textFile("b.txt", "text")), 404, "not_found")
		if page := into[api.Page[api.CaseRow]](t, w.get(owner, "/v1/cases?externalRef=gone"), 200); len(page.Items) != 0 {
			t.Error("the list still has it")
		}
		refused(t, del(owner, c), 404, "not_found")
		create(owner, m{"externalRef": "gone"})
	})
	t.Run("conditions", func(t *testing.T) {
		c := create(owner, nil)
		refused(t, del(owner, c, "If-Match", `"2"`), 412, "version_mismatch")
		refused(t, del(owner, c, "If-Match", `W/"1"`), 412, "version_mismatch")
		refused(t, del(owner, c, "If-Match", `1`), 412, "version_mismatch")
		if a := del(owner, c, "If-Match", `"7", "1"`); a.Status != 204 {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
		if a := del(owner, create(owner, nil), "If-Match", `*`); a.Status != 204 {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
	})
	t.Run("legal hold", func(t *testing.T) {
		refused(t, del(owner, create(owner, m{"retention": m{"legalHold": true}})), 409, "legal_hold")
	})
	t.Run("who may", func(t *testing.T) {
		refused(t, del(member, create(owner, nil)), 403, "forbidden")
		c := create(owner, nil)
		if e := refused(t, del(robot, c), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/case_settings?case="+c.CaseID {
			t.Errorf("deep link = %s", e.DeepLink)
		}
		if a := del(robot, create(robot, nil)); a.Status != 204 {
			t.Errorf("an agent's own untouched intake: status %d: %s", a.Status, a.Body)
		}
		refused(t, del(agent("o:firm", "bob"), create(robot, nil)), 403, "human_required")
	})
	t.Run("an intake in which people had a hand", func(t *testing.T) {
		entry := m{"kind": "fact", "title": "Notice was given", "when": m{"on": "2026-02-01", "precision": "day"}}

		for name, work := range map[string]func(by access.Caller, c api.Case) answer{
			"a file": func(by access.Caller, c api.Case) answer {
				return w.upload(by, c.CaseID, nil, textFile("a.txt", complaint))
			},
			"a change": func(by access.Caller, c api.Case) answer { return w.patch(by, c.CaseID, m{"summary": "Looked at it"}) },
			"an entry": func(by access.Caller, c api.Case) answer {
				return w.json(by, http.MethodPost, "/v1/timeline/"+c.TimelineID+"/entries", entry)
			},
			"a branch": func(by access.Caller, c api.Case) answer {
				return w.json(by, http.MethodPost, "/v1/branch", m{"timelineId": c.TimelineID})
			},
			"a branch's title": func(by access.Caller, c api.Case) answer {
				return w.json(by, http.MethodPatch, "/v1/branch/"+c.ActiveBranchID, m{"title": "Our view"})
			},
		} {
			own := create(robot, nil)
			if a := work(robot, own); a.Status >= 300 {
				t.Fatalf("%s by the agent: %d %s", name, a.Status, a.Body)
			}
			if a := del(robot, own); a.Status != 204 {
				t.Errorf("%s by the agent itself keeps it from deleting its intake: %d %s", name, a.Status, a.Body)
			}

			for who, by := range map[string]access.Caller{
				"a colleague":          member,
				"the agent's own user": owner,
				"another's agent":      agent("o:firm", "bob"),
			} {
				touched := create(robot, nil)
				if a := work(by, touched); a.Status >= 300 {
					t.Fatalf("%s by %s: %d %s", name, who, a.Status, a.Body)
				}
				if a := del(robot, touched); a.Status != 403 {
					t.Errorf("an agent deletes an intake with %s by %s: %d %s", name, who, a.Status, a.Body)
				}
			}
		}
		decided := create(robot, nil)
		into[api.Case](t, w.json(member, http.MethodPost, "/v1/cases/"+decided.CaseID+"/conflict", m{"decision": "clear", "reason": "Looked into"}), 200)
		refused(t, del(robot, decided), 403, "human_required")
		restored := create(robot, nil)
		del(robot, restored)
		into[api.Case](t, w.json(owner, http.MethodPost, "/v1/cases/"+restored.CaseID+"/restore", nil), 200)
		refused(t, del(robot, restored), 403, "human_required")
		withParties := create(robot, nil)
		w.parties.touched(withParties.CaseID)
		refused(t, del(robot, withParties), 403, "human_required")
		w.parties.goAway(true)
		refused(t, del(robot, create(robot, nil)), 503, "unavailable")
		w.parties.goAway(false)
	})
	t.Run("wrong parameter", func(t *testing.T) {
		c := create(owner, nil)
		refused(t, w.json(owner, http.MethodDelete, "/v1/cases/"+c.CaseID+"?acknowledgePending=maybe", nil), 400, "invalid_parameter")
		refused(t, w.json(owner, http.MethodDelete, "/v1/cases/"+c.CaseID+"?force=true", nil), 400, "invalid_parameter")
	})
	t.Run("one of many deletes", func(t *testing.T) {
		c := create(owner, nil)
		var all sync.WaitGroup
		var mu sync.Mutex
		done := map[int]int{}

		for range 6 {
			all.Go(func() {
				a, err := w.try(call{Method: http.MethodDelete, Path: "/v1/cases/" + c.CaseID, Caller: owner})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				done[a.Status]++
			})
		}
		all.Wait()
		if done[204] != 1 || done[204]+done[404] != 6 {
			t.Errorf("statuses = %v, want one 204 and else 404", done)
		}
	})
}
