package answers_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// bureau is what the services would answer, and what they were asked to do.
type bureau struct {
	refusals api.Refusals
	usage    api.TenantUsage
	members  map[string]api.MemberList     // by the cursor of the page
	waiting  map[string]api.WaitingReviews // by the phase that they come after
	chains   map[string][]api.ChainCheck   // what each check in turn comes to
	preview  api.RetentionPreview
	runs     []api.RetentionRun // what each call does
	index    api.Reindexed
	loaded   api.ImportedPartners
	err      error
	asked    []string
}

func (b *bureau) ask(what string) error {
	b.asked = append(b.asked, what)
	return b.err
}

func (b *bureau) Refusals(context.Context) (api.Refusals, error) {
	return b.refusals, b.ask("refusals")
}

func (b *bureau) Usage(context.Context) (api.TenantUsage, error) { return b.usage, b.ask("usage") }

func (b *bureau) WaitingReviews(_ context.Context, after string) (api.WaitingReviews, error) {
	return b.waiting[after], b.ask("reviews " + after)
}

func (b *bureau) Members(_ context.Context, cursor string) (api.MemberList, error) {
	return b.members[cursor], b.ask("members " + cursor)
}

func (b *bureau) CheckChain(_ context.Context, chain string, from api.ChainCheck) (api.ChainCheck, error) {
	for _, next := range b.chains[chain] {
		if next.Seq > from.Seq || next.Seq == 0 || next.Broken != nil {
			return next, b.ask(fmt.Sprint("check ", chain, " from ", from.Seq))
		}
	}

	return from, b.ask("check beyond the end")
}

func (b *bureau) PreviewRetention(context.Context) (api.RetentionPreview, error) {
	return b.preview, b.ask("preview")
}

func (b *bureau) RunRetention(_ context.Context, token string) (api.RetentionRun, error) {
	if err := b.ask("run " + token); err != nil {
		return api.RetentionRun{}, err
	}
	ran := b.runs[0]
	b.runs = b.runs[1:]

	return ran, nil
}

func (b *bureau) Reindex(_ context.Context, caseID string) (api.Reindexed, error) {
	return b.index, b.ask("reindex " + caseID)
}

func (b *bureau) ImportPartners(_ context.Context, entries []json.RawMessage) (api.ImportedPartners, error) {
	return b.loaded, b.ask(fmt.Sprint("import ", len(entries)))
}

// byAdmin is an admin_req of a signed-in administrator, byAdminsAgent one of that person's agent.
func byAdmin(b *bureau, prompt string) legal.Task {
	t := byAdminsAgent(b, prompt)
	t.Office = b

	return t
}

func byAdminsAgent(b *bureau, prompt string) legal.Task {
	t := task(api.AdminReq, prompt)
	t.Roles, t.Oversight = []string{"admin"}, b

	return t
}

func asked(b *bureau, prompt string) legal.Task {
	t := task(api.SupportReq, prompt)
	t.Record = b

	return t
}

const (
	oneID = "01980a3b-1000-7000-8000-00000000000a"
	twoID = "01980a3b-1000-7000-8000-00000000000b"
)

var hash = strings.Repeat("7f3a", 16)

func at(minute int) api.Instant { return api.At(time.Date(2026, 3, 4, 5, minute, 6, 0, time.UTC)) }

// wants fails unless the answer holds each of some words, and passes the gate.
func wants(t *testing.T, r api.PhaseResponse, kind string, words ...string) {
	t.Helper()
	if r.Kind != kind {
		t.Errorf("kind %s, want %s\n%s", r.Kind, kind, r.Text)
	}

	all := r.Text + "\n" + strings.Join(r.Limits, "\n") + "\n" + strings.Join(r.Questions, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("the answer lacks %q:\n%s", w, all)
		}
	}
	if bad := dirty(r); len(bad) > 0 {
		t.Errorf("the gate would hold back %q", bad)
	}
}

func TestSupport(t *testing.T) {
	refusals := api.Refusals{Searched: 1000, Items: []api.Refused{
		{At: at(3), Action: "file.add", ResourceType: "case", ResourceID: oneID, RequestID: "01980a3b-2222-7000-8000-00000000000c"},
		{At: at(2), Action: "prompt.refused", ResourceType: "phase", ResourceID: twoID, RequestID: "req-7"},
		{At: at(1), Action: "case.delete", ResourceType: "case", ResourceID: oneID, RequestID: "jane.roe@example.com"},
	}}
	for _, tc := range []struct {
		name, prompt string
		refusals     api.Refusals
		kind         string
		want, not    []string
	}{
		{"an error code", "What does branch_busy mean?", refusals, api.KindAnswer, []string{"A phase is already running on the branch"}, []string{oneID}},
		{"not in the catalogue", "What is the capital of France?", refusals, api.KindHandoff, []string{"a person should answer"}, []string{oneID}},
		{"why an upload was refused", "Why was my upload refused?", refusals, api.KindAnswer, []string{"file.add", oneID, "2026-03-04 05:03:06 UTC", "01980a3b-2222-7000-8000-00000000000c", "Something could be a real identity", "A file cannot be shown", "1,000"}, []string{"prompt.refused", "case.delete"}},
		{"by requestId", "What was rejected with requestId req-7?", refusals, api.KindAnswer, []string{"prompt.refused", twoID, "Something could be a real identity"}, []string{"file.add"}},
		{"all of them", "What was denied to me lately?", refusals, api.KindAnswer, []string{"file.add", "prompt.refused", "case.delete", "left out"}, []string{"jane.roe"}},
		{"none", "Why was my upload refused?", api.Refusals{Searched: 1000}, api.KindAnswer, []string{"Nothing was refused to this credential lately", "Something could be a real identity"}, []string{"|"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := &bureau{refusals: tc.refusals}
			r, d := do(t, asked(b, tc.prompt), newCaseFiles())
			wants(t, r, tc.kind, tc.want...)

			for _, w := range tc.not {
				if strings.Contains(r.Text, w) {
					t.Errorf("the answer holds %q:\n%s", w, r.Text)
				}
			}
			if d.open != 0 || r.HumanReview.DeepLink != links("handoff") {
				t.Errorf("%d tools are left open; link %s", d.open, r.HumanReview.DeepLink)
			}
		})
	}
	r, _ := do(t, asked(&bureau{err: errs.ErrUnavailable}, "Why was my upload refused?"), newCaseFiles())
	wants(t, r, api.KindAnswer, "could not be looked up", "Something could be a real identity")
	r, _ = do(t, task(api.SupportReq, "Why was my upload refused?"), newCaseFiles())
	wants(t, r, api.KindAnswer, "Something could be a real identity")
}

func TestSales(t *testing.T) {
	sheet, err := sales.Read(t.Context(), strings.NewReader(`{"version":"2026-03","facts":[
		{"topic":"plans","title":"The team plan","text":"The team plan costs 40 US dollars for each person and month.","words":"price cost how much lawyers"},
		{"topic":"security","title":"Where data lies","text":"Data stays in the region that the operator chose.","words":"hosting location"}]}`), guard.New())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sheet *sales.Sheet, prompt string) api.PhaseResponse {
		t.Helper()
		e := answers.NewEngine(guard.New())
		e.Facts = sheet
		r, err := e.Do(t.Context(), task(api.SalesReq, prompt), newCaseFiles(), &diary{})
		if err != nil {
			t.Fatal(err)
		}

		return r
	}
	r := ask(sheet, "How much does the team plan cost for ten lawyers?")
	wants(t, r, api.KindAnswer, "The team plan costs 40 US dollars for each person and month.", "version 2026-03", "How many people")
	if strings.Contains(r.Text, "400") || strings.Contains(r.Text, "region") {
		t.Errorf("something is added:\n%s", r.Text)
	}
	r = ask(sheet, "Do you give a discount to law schools?")
	wants(t, r, api.KindHandoff, "Nothing in the configured facts fits", "plans, security")
	r = ask(nil, "What is the price for ten lawyers?")
	wants(t, r, api.KindHandoff, "No price information is configured", "none are invented")
	r = ask(sheet, "What does the team plan cost?\npeople: 12\nPractice areas: housing; jurisdictions: US-CA")
	wants(t, r, api.KindAnswer, "- People: 12", "- Practice areas: housing", "- Jurisdictions: US-CA", "Must data stay", "cases a month")
	if len(r.Questions) != 2 {
		t.Errorf("questions %q, want the two that are open", r.Questions)
	}
}

func TestAdminReads(t *testing.T) {
	b := &bureau{
		usage: api.TenantUsage{
			Cases: map[string]int{"open": 3, "on_hold": 1, "deleted": 2}, Files: 10_000, Bytes: 3 << 30, Since: at(1), Most: 10_000,
			Phases: []api.PhaseCount{{RequestType: "case_req", Status: "completed", Count: 41}, {RequestType: "eval_req", Status: "failed", Count: 1}},
		},
		waiting: map[string]api.WaitingReviews{
			"":    {After: twoID, Items: []api.WaitingReview{{PhaseID: twoID, CaseID: oneID, RequestType: "case_req", Since: at(2), Reasons: []string{"states_law", "has_draft"}}}},
			twoID: {},
		},
		chains: map[string][]api.ChainCheck{"case": {{Seq: 20_000, Hash: hash}, {Seq: 31_234, Hash: hash, Whole: true}}, "party": {{Whole: true}}},
	}
	for _, tc := range []struct {
		prompt string
		want   []string
	}{
		{"help", []string{"`verify_audit`", "`retention_run TOKEN`"}},
		{"make coffee", []string{"not begin with a known verb", "`usage`"}},
		{"rules_version", []string{legal.RulesVersion}},
		{"Usage.", []string{`| on\_hold | 1 |`, "| open | 3 |", "| archived | 0 |", "at least 10,000", "3.0 GiB", `| case\_req | completed | 41 |`}},
		{"list_pending_reviews", []string{twoID, oneID, `states\_law, has\_draft`, "2026-03-04 05:02:06 UTC", "`list_pending_reviews " + twoID + "`"}},
		{"list_pending_reviews " + twoID, []string{"No phase waits"}},
		{"list_pending_reviews everything", []string{"Nothing was listed"}},
		{"verify_audit", []string{"case: right, 31,234 events, last hash `" + hash + "`", "party: no event yet"}},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			for name, tk := range map[string]legal.Task{"person": byAdmin(b, tc.prompt), "agent": byAdminsAgent(b, tc.prompt)} {
				r, d := do(t, tk, newCaseFiles())
				wants(t, r, api.KindAdminResult, tc.want...)
				if d.open != 0 {
					t.Errorf("%s: %d tools are left open", name, d.open)
				}
			}
		})
	}
	b.chains["party"] = []api.ChainCheck{{Seq: 16, Hash: hash, Broken: &api.BrokenChain{Seq: 17, Reason: "it is missing"}}}
	r, _ := do(t, byAdmin(b, "verify_audit"), newCaseFiles())
	wants(t, r, api.KindAdminResult, "party: **broken at event 17**: it is missing. Right before it: 16 events.")
	r, _ = do(t, byAdmin(b, "export_audit"), newCaseFiles())
	wants(t, r, api.KindAdminResult, "case: right, 31,234 events, last hash `"+hash+"`", "broken at event 17", "GET /v1/audit/{chain}", "subrosa audit verify")
	if r.HumanReview.DeepLink != links("audit") {
		t.Errorf("linked to %s", r.HumanReview.DeepLink)
	}
}

func TestAdminWrites(t *testing.T) {
	b := &bureau{
		preview: api.RetentionPreview{Token: twoID, ExpiresAt: at(9), Held: 4, Soon: 2, Due: []api.DueCase{{CaseID: oneID, Reason: api.DueDeleted, DueAt: at(1)}}},
		runs:    []api.RetentionRun{{Removed: 2, NoLonger: 1, Left: 1, Previewed: 4}, {Removed: 1, NoLonger: 3, Previewed: 4}},
		index:   api.Reindexed{Files: 3, Unreadable: 1, Passages: 77}, loaded: api.ImportedPartners{Added: 2, Unchanged: 1},
	}
	for _, tc := range []struct {
		prompt, asked string
		want          []string
	}{
		{"retention_preview", "preview", []string{oneID, "deleted, and can no longer be restored", "`retention_run " + twoID + "`", "2026-03-04 05:09:06 UTC", "never removed: 4", "within 30 days: 2"}},
		{"retention_run " + twoID, "run " + twoID, []string{"Removed: 3 of 4", "left alone: 1"}},
		{"retention_run all", "", []string{"Nothing was done"}},
		{"reindex_case " + oneID, "reindex " + oneID, []string{"Passages: 77. Files: 3.", "of memory for an index: 1."}},
		{"reindex_case", "", []string{"Nothing was done"}},
		{"partners_import\n{\"partnerId\":\"a\"}\n\n{\"partnerId\":\"b\"}", "import 2", []string{"2 added, 0 changed, 1 as they were"}},
		{"partners_import\n{\"partnerId\":\"a\"}\nJane Roe, attorney", "", []string{"line 2 after the verb is not a JSON object"}},
		{"partners_import", "", []string{"Nothing was done"}},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			b.asked = nil
			r, _ := do(t, byAdmin(b, tc.prompt), newCaseFiles())
			wants(t, r, api.KindAdminResult, tc.want...)
			if tc.asked == "" && len(b.asked) != 0 || tc.asked != "" && !slices.Contains(b.asked, tc.asked) {
				t.Errorf("asked for %q, want %q", b.asked, tc.asked)
			}
			b.asked = nil
			r, _ = do(t, byAdminsAgent(b, tc.prompt), newCaseFiles())
			wants(t, r, api.KindRefusal)
			if r.Refusal == nil || r.Refusal.DeepLink != links("admin") || len(b.asked) != 0 {
				t.Errorf("an agent: refusal %+v, asked for %q", r.Refusal, b.asked)
			}
		})
	}
	r, _ := do(t, byAdminsAgent(b, "export_audit"), newCaseFiles())
	wants(t, r, api.KindRefusal, "an agent has the reading verbs")
	r, _ = do(t, task(api.AdminReq, "usage"), newCaseFiles())
	wants(t, r, api.KindRefusal, "for administrators")
}

// What a service will not do is an answer; what it cannot do now ends the run.
func TestAdminWhenTheServicesSayNo(t *testing.T) {
	prompts := []string{"retention_preview", "retention_run " + twoID, "reindex_case " + oneID, "partners_import {}"}

	no := errs.New(errs.Invalid, "validation_failed", "The input is not right.").WithDetails(errs.Detail{Path: "partners[1].kind", Message: "must be one of lawyer"})
	for _, p := range prompts {
		r, _ := do(t, byAdmin(&bureau{err: fmt.Errorf("doing it: %w", no)}, p), newCaseFiles())
		wants(t, r, api.KindAdminResult, "Nothing was done: The input is not right.", "must be one of lawyer")
	}

	for _, p := range append(prompts, "usage", "list_pending_reviews", "verify_audit", "export_audit") {
		_, err := answers.NewEngine(guard.New()).Do(
			t.Context(), byAdmin(&bureau{err: errs.ErrUnavailable}, p), newCaseFiles(), &diary{},
		)
		if !errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("%s: %v, want the failure", p, err)
		}
	}
}

// Answers of administrative verbs are made of ids, digests and counts; none of these may be taken for an identity, whatever its digits.
func TestWhatAdministratorsReadPassesTheGate(t *testing.T) {
	for i := range 100 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		digest, phase, kase := hex.EncodeToString(sum[:]), uuid.NewString(), uuid.NewString()
		n := int64(i*i*337 + 1)

		b := &bureau{
			usage: api.TenantUsage{
				Cases: map[string]int{"open": int(n)}, Files: int(n), Bytes: n * n, Since: at(i % 60), Most: 10_000, Phases: []api.PhaseCount{{RequestType: "case_req", Status: "completed", Count: int(n)}},
			},
			waiting: map[string]api.WaitingReviews{"": {After: phase, Items: []api.WaitingReview{{PhaseID: phase, CaseID: kase, RequestType: "case_req", Since: at(i % 60), Reasons: []string{"states_law"}}}}},
			chains:  map[string][]api.ChainCheck{"case": {{Seq: n, Hash: digest, Whole: true}}, "party": {{Seq: n, Hash: digest, Broken: &api.BrokenChain{Seq: n + 1, Reason: "it is missing"}}}},
			preview: api.RetentionPreview{Token: phase, ExpiresAt: at(i % 60), Held: int(n), Soon: int(n), Due: []api.DueCase{{CaseID: kase, Reason: api.DueRetention, DueAt: at(i % 60)}}},
			runs:    []api.RetentionRun{{Removed: int(n), Previewed: int(n)}}, index: api.Reindexed{Files: int(n), Unreadable: int(n), Passages: int(n)},
		}
		for _, p := range []string{"usage", "list_pending_reviews", "verify_audit", "export_audit", "retention_preview", "retention_run " + phase, "reindex_case " + kase} {
			r, _ := do(t, byAdmin(b, p), newCaseFiles())
			if bad := dirty(r); len(bad) > 0 {
				t.Fatalf("%s: the gate would hold back %q", p, bad)
			}
		}
	}
}
