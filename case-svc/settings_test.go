package casesvc_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestSettingsOfATenant(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, root, robot := user("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin), agent("o:firm", "ann")
	change := func(caller access.Caller, body any, header ...string) answer {
		return w.json(caller, http.MethodPatch, "/v1/settings", body, header...)
	}
	defaults := api.Settings{
		Retention: map[string]int{"default": 7}, OpenedBy: "users", ConflictPolicy: "flag", TierCutPoints: []int{
			20, 40,
			60,
		}, AllowedWords: []string{}, Authorities: []string{},
		DefaultAIPolicy: "no_model", A2ADefaultContainer: "ask", Version: 1,
	}

	for name, caller := range map[string]access.Caller{"a person": ann, "an admin": root, "an agent": robot} {
		a := w.get(caller, "/v1/settings")
		if diff := cmp.Diff(defaults, into[api.Settings](t, a, 200)); diff != "" || a.Header.Get("ETag") != `"1"` {
			t.Errorf("%s reads %s (-want +got):\n%s", name, a.Header.Get("ETag"), diff)
		}
	}
	if a := w.get(ann, "/v1/settings", "If-None-Match", `"1"`); a.Status != 304 {
		t.Errorf("unchanged: status %d", a.Status)
	}
	t.Run("who may change them", func(t *testing.T) {
		refused(t, change(ann, m{"openedBy": "agents"}), 403, "forbidden")
		refused(t, w.get(agent("o:firm", "ann", "files:read"), "/v1/settings"), 403, "scope_missing")
		if e := refused(t, change(robot, m{"openedBy": "agents"}), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/admin" {
			t.Errorf("deep link = %s", e.DeepLink)
		}
	})
	t.Run("a merge patch", func(t *testing.T) {
		refused(t, change(root, m{"openedBy": "agents"}, "If-Match", `"2"`), 412, "version_mismatch")
		rules := m{
			"version": "ca-1", "rules": []m{{"ruleId": "answer", "jurisdiction": "US-CA", "trigger": "service", "act": "answer", "citation": "CCP 412.20", "count": 30, "unit": "days", "direction": "forward"}},
			"holidays": []m{{"jurisdiction": "US-CA", "days": []string{"2026-03-31"}}},
		}
		a := change(root, m{
			"retention": m{"probate": 20}, "archiveAfterDays": 90, "tierCutPoints": []int{10, 30, 50},
			"deadlineRules": rules, "allowedWords": []string{"Sherman Act"}, "defaultAiPolicy": "local_model_only",
			"a2aDefaultContainer": "new_case",
		}, "If-Match", `"1"`)
		got := into[api.Settings](t, a, 200)
		days := 90
		want := api.Settings{
			Retention: map[string]int{"default": 7, "probate": 20}, ArchiveAfterDays: &days, OpenedBy: "users", ConflictPolicy: "flag", TierCutPoints: []int{10, 30, 50},
			DeadlineRules: &api.DeadlineRules{Version: "ca-1", Rules: []api.DeadlineRule{{
				RuleID: "answer", Jurisdiction: "US-CA", Trigger: "service", Act: "answer", Citation: "CCP 412.20", Count: 30, Unit: "days", Direction: "forward",
			}}, Holidays: []api.HolidayList{{Jurisdiction: "US-CA", Days: []string{"2026-03-31"}}}},
			AllowedWords: []string{"Sherman Act"}, Authorities: []string{},
			DefaultAIPolicy: "local_model_only", A2ADefaultContainer: "new_case",
			Version: 2,
		}
		if diff := cmp.Diff(want, got); diff != "" || a.Header.Get("ETag") != `"2"` {
			t.Errorf("answered %s (-want +got):\n%s", a.Header.Get("ETag"), diff)
		}
		if diff := cmp.Diff(want, into[api.Settings](t, w.get(ann, "/v1/settings"), 200)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		if c := w.newCase(ann, nil); c.Confidentiality.AIPolicy != "local_model_only" {
			t.Errorf("a new case has the policy %s", c.Confidentiality.AIPolicy)
		}
		cleared := into[api.Settings](t, change(root, m{"retention": m{"probate": nil}, "archiveAfterDays": nil, "deadlineRules": nil}), 200)
		if len(cleared.Retention) != 1 || cleared.ArchiveAfterDays != nil || cleared.DeadlineRules != nil || cleared.Version != 3 {
			t.Errorf("cleared = %+v", cleared)
		}
		if same := into[api.Settings](t, change(root, m{"conflictPolicy": "flag"}), 200); same.Version != 3 {
			t.Errorf("a change to what is has version %d", same.Version)
		}
	})
	t.Run("what is refused", func(t *testing.T) {
		for _, tc := range []struct {
			name, path string
			body       any
			status     int
			code       string
		}{
			{"an unknown member", "colour", m{"colour": 1}, 400, "unknown_field"},
			{"an unknown member of a rule", "deadlineRules.rules[].colour", m{"deadlineRules": m{"rules": []m{{"colour": 1}}}}, 400, "unknown_field"},
			{"the version", "version", m{"version": 7}, 400, "validation_failed"},
			{"nobody who opens", "openedBy", m{"openedBy": nil}, 400, "validation_failed"},
			{"somebody else who opens", "openedBy", m{"openedBy": "everybody"}, 400, "validation_failed"},
			{"another place for messages", "a2aDefaultContainer", m{"a2aDefaultContainer": "anywhere"}, 400, "validation_failed"},
			{"no default policy", "retention", m{"retention": m{"default": nil}}, 400, "validation_failed"},
			{"a policy of no years", "retention", m{"retention": m{"x": 0}}, 400, "validation_failed"},
			{"a policy with a name of its own form", "retention", m{"retention": m{"a b": 3}}, 400, "validation_failed"},
			{"cut points that fall", "tierCutPoints", m{"tierCutPoints": []int{40, 20, 60}}, 400, "validation_failed"},
			{"two cut points", "tierCutPoints", m{"tierCutPoints": []int{20, 40}}, 400, "validation_failed"},
			{"archiving at once", "archiveAfterDays", m{"archiveAfterDays": 0}, 400, "validation_failed"},
			{"a wrong label as a word", "allowedWords[0]", m{"allowedWords": []string{"[Party one]"}}, 400, "validation_failed"},
			{"a word of two lines", "allowedWords[1]", m{"allowedWords": []string{"a", "b\nc"}}, 400, "validation_failed"},
			{"a number as a word", "allowedWords[0]", m{"allowedWords": []string{"No 123-45-6789"}}, 400, "validation_failed"},
			{"too many words", "allowedWords", m{"allowedWords": strings.Split(strings.Repeat("word ", 1001), " ")}, 400, "validation_failed"},
			{
				"a citation without a number", "authorities[1]",
				m{"authorities": []string{
					"347 U.S. 483",
					"Black letter",
				}},
				400,
				"validation_failed",
			},
			{
				"a citation twice", "authorities[1]",
				m{"authorities": []string{"347 U.S. 483", " 347 u.s. 483 "}},
				400,
				"validation_failed",
			},
			{
				"a citation that is too long", "authorities[0]",
				m{"authorities": []string{"347 U.S. 483" + strings.Repeat(" and so on", 20)}},
				400,
				"validation_failed",
			},
			{"too many citations", "authorities", m{"authorities": citations(5001)}, 400, "validation_failed"},
			{
				"a person among the citations", "authorities[0]",
				m{"authorities": []string{"ann@example.com 3"}},
				403,
				"identity_refused",
			},
			{"a rule twice", "deadlineRules.rules[1].ruleId", m{"deadlineRules": m{"version": "1", "rules": []m{{"ruleId": "a"}, {"ruleId": "a"}}}}, 400, "validation_failed"},
			{"an address as a version", "deadlineRules.version", m{"deadlineRules": m{"version": "by ann@example.com", "rules": []m{}}}, 403, "identity_refused"},
			{"a telephone in a rule", "deadlineRules.rules[0].act", m{"deadlineRules": m{"version": "1", "rules": []m{{"act": "call +1 212 555 0143"}}}}, 403, "identity_refused"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				e := refused(t, change(root, tc.body), tc.status, tc.code)
				if len(e.Details) == 0 || !strings.Contains(paths(e.Details), " "+tc.path+" ") {
					t.Errorf("details = %+v, want %s", e.Details, tc.path)
				}
			})
		}
	})
	if got := into[api.Settings](t, w.get(user("o:other", "eve"), "/v1/settings"), 200); got.Version != 1 {
		t.Errorf("another tenant has version %d", got.Version)
	}
}

func citations(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%d F.3d %d", 1+i%900, 1+i)
	}

	return list
}

// TestAuthoritiesOfATenant loads as many citations as there may be, and reads them as a run does.
func TestAuthoritiesOfATenant(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	root, robot := user("o:firm", "root", access.RoleAdmin), agent("o:firm", "ann", "parties:write")
	read := func(caller access.Caller) []string {
		t.Helper()
		return into[api.Authorities](t, w.get(caller, "/internal/settings/authorities"), 200).Citations
	}
	change := func(caller access.Caller, list any) answer {
		return w.json(caller, http.MethodPatch, "/v1/settings", m{"authorities": list})
	}
	if got := read(robot); len(got) != 0 {
		t.Errorf("before any were loaded there are %q", got)
	}
	refused(t, change(agent("o:firm", "root"), citations(1)), 403, "human_required")
	want := citations(5000)
	if got := into[api.Settings](t, change(root, want), 200); !slices.Equal(got.Authorities, want) {
		t.Errorf("%d of %d citations came back", len(got.Authorities), len(want))
	}
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"openedBy": "agents"}), 200)
	if got := read(robot); !slices.Equal(got, want) {
		t.Errorf("after another change %d of %d citations are there", len(got), len(want))
	}
	if got := read(agent("o:other", "eve")); len(got) != 0 {
		t.Errorf("another tenant has %d citations", len(got))
	}
	if got := into[api.Settings](t, change(root, nil), 200); len(got.Authorities) != 0 || len(read(robot)) != 0 {
		t.Errorf("cleared, there are %d citations", len(got.Authorities))
	}
}

// TestRulesOfDeadlinesReachRuns wants a case_req to begin with what of the rule file may apply to its case, and no other request.
func TestRulesOfDeadlinesReachRuns(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, root, robot := user("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin), agent("o:firm", "ann")
	begun := func(requestType string, body m) *api.DeadlineRules {
		t.Helper()
		in := beginning(w.newCase(ann, body), requestType)

		return into[api.BegunPhase](t, w.json(robot, http.MethodPost, "/internal/phases", in), 200).Container.DeadlineRules
	}
	inOregon := m{"jurisdiction": "US-OR"}
	if got := begun(api.CaseReq, inOregon); got != nil {
		t.Errorf("without a rule file a run gets %+v", got)
	}
	rule := func(id, jurisdiction string) m {
		return m{"ruleId": id, "jurisdiction": jurisdiction, "trigger": "service_complaint", "act": "answer", "citation": "Rule 7", "count": 30, "unit": "days", "direction": "forward"}
	}
	file := m{
		"version": "3", "rules": []m{rule("a", "US-OR"), rule("b", "US-CA"), rule("c", "US")},
		"holidays": []m{{"jurisdiction": "US-CA", "days": []string{"2026-03-31"}}, {"jurisdiction": "US-OR", "days": []string{"2026-04-01"}}},
	}
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"deadlineRules": file}), 200)

	for _, tc := range []struct {
		name, requestType string
		body              m
		rules, days       string
	}{
		{"of its jurisdiction", api.CaseReq, inOregon, "ac", "2026-04-01"},
		{"of another", api.CaseReq, m{"jurisdiction": "US-NV"}, "c", ""},
		{"without one", api.CaseReq, nil, "c", ""},
		{"an evaluation", api.EvalReq, inOregon, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rules, days := "", ""
			if got := begun(tc.requestType, tc.body); got != nil {
				for _, r := range got.Rules {
					rules += r.RuleID
				}

				for _, h := range got.Holidays {
					days += strings.Join(h.Days, " ")
				}
			}
			if rules != tc.rules || days != tc.days {
				t.Errorf("rules %q and days %q, want %q and %q", rules, days, tc.rules, tc.days)
			}
		})
	}
}

// What an admin allows passes as a whole and for the tenant alone; what identifies a person by itself cannot be allowed.
func TestAllowedWords(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, root, eve := user("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin), user("o:other", "eve")
	title := func(caller access.Caller, text string) answer {
		return w.json(caller, http.MethodPost, "/v1/cases", m{"title": text})
	}
	upload := func(caller access.Caller, c api.Case) answer {
		return w.upload(caller, c.CaseID, nil, textFile("a.txt", complaint+"\n\nThe clerk has 212-555-0143.\n"))
	}
	own, theirs := w.newCase(ann, nil), w.newCase(eve, nil)
	refused(t, title(ann, "Ask (212) 555-0143"), 403, "identity_refused")
	refused(t, upload(ann, own), 403, "identity_refused")
	allowed := []string{"(212) 555-0143", "212-555-0143", "Clerk@Court.example"}
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"allowedWords": allowed}), 200)
	w.clock.Advance(6 * time.Second)

	for _, text := range []string{"Ask (212) 555-0143", "Ask 212-555-0143.", "Write to clerk@COURT.example"} {
		into[api.Case](t, title(ann, text), 201)
	}
	into[uploaded](t, upload(ann, own), 201)

	for _, text := range []string{"Ask 212-555-0144", "Ask +1 212-555-0143", "Write to a.clerk@court.example", "212-555-0143 or 212-555-0199", "SSN 123-45-6789", "[Party one]"} {
		refused(t, title(ann, text), 403, "identity_refused")
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/cases", m{"phone": "212-555-0143"}), 403, "identity_refused")
	refused(t, title(eve, "Ask 212-555-0143"), 403, "identity_refused")
	refused(t, upload(eve, theirs), 403, "identity_refused")
	words := into[api.AllowedWords](t, w.get(agent("o:firm", "ann", "parties:write"), "/internal/settings/allowed-words"), 200).Words
	if diff := cmp.Diff(allowed, words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"allowedWords": nil}), 200)
	w.clock.Advance(6 * time.Second)
	refused(t, title(ann, "Ask 212-555-0143"), 403, "identity_refused")
}
