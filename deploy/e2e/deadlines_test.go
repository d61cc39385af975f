package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestDeadlinesGoIntoTheTimeline uploads a proof of service and asks for the deadlines, first by the federal rules and then by the firm's own:
// what is computed is in the timeline as an unreviewed proposal with its computation and source, once.
func TestDeadlinesGoIntoTheTimeline(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	served := time.Now().UTC().AddDate(0, 0, -3)
	const caption = "UNITED STATES DISTRICT COURT\nDISTRICT OF OREGON\n\n[Party 1], Plaintiff,\nv.\n[Party 2], Defendant.\n\n"
	proof := caption + "PROOF OF SERVICE\n\nOn " + served.Format("January 2, 2006") + ", I personally served the Summons and Complaint on [Party 2].\n"
	if _, err := w.as(agent.bearer).Upload(t.Context(), caseID, "proof.txt", "text/plain", strings.NewReader(proof)); err != nil {
		t.Fatal(err)
	}
	kase := into[api.Case](t, w.send("GET", "/v1/cases/"+caseID, agent.bearer, ""), 200)
	ask := func() api.PhaseResponse {
		in := task(caseID, api.CaseReq, "List the deadlines")
		frames := w.post(agent.bearer, in).all()
		checkStream(t, in.SeedPhase.PhaseID, frames)

		return *frames[len(frames)-2].payload(t).Response
	}
	computed := func() map[string]api.TimelineEntry {
		found := map[string]api.TimelineEntry{}
		for _, e := range into[api.Timeline](t, w.send("GET", "/v1/timeline/"+kase.TimelineID+"?include=entries&origin=computed&limit=100", agent.bearer, ""), 200).Entries {
			found[e.EntryID] = e
		}

		return found
	}
	r := ask()
	entries := computed()
	rules := map[string]string{}

	for _, p := range r.Deadlines {
		if p.Computation == nil {
			continue
		}
		rules[p.Computation.RuleID] = p.DueOn
		e, ok := entries[p.EntryID]
		if !ok || e.Deadline == nil || e.DueOn != p.DueOn || e.ReviewStatus != "unreviewed" || e.Status != "proposed" || e.Certainty != "computed" || e.Computation.TriggerSource == nil {
			t.Errorf("proposal %+v is in the timeline as %+v", p, e)
		}
	}
	due, _ := time.Parse(time.DateOnly, rules["answer_complaint"])
	if days := due.Sub(served.Truncate(24*time.Hour)).Hours() / 24; r.Kind != api.KindDeadlines || days < 21 || days > 25 || due.Weekday()%6 == 0 || len(entries) != len(rules) || !r.HumanReview.Required {
		t.Errorf("a %s with the deadlines %v, %d in the timeline, review %+v", r.Kind, rules, len(entries), r.HumanReview)
	}
	ask()
	if again := computed(); len(again) != len(entries) {
		t.Errorf("asked again, the timeline has %d computed entries instead of %d", len(again), len(entries))
	}
	own := `{"deadlineRules":{"version":"2","rules":[{"ruleId":"answer_complaint","jurisdiction":"US","trigger":"service_complaint","act":"answer","citation":"Local Rule 9","count":10,"unit":"days","direction":"forward"}]}}`
	if a := w.send("PATCH", "/v1/settings", w.token(ada), own, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("settings: status %d: %s", a.status, a.body)
	}
	if r := ask(); !strings.Contains(r.Text, "Local Rule 9") || strings.Contains(r.Text, "12(a)(1)(A)(i)") {
		t.Errorf("with a rule of the firm's own the answer is\n%s", r.Text)
	}
}
