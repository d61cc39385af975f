package e2e_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestChronologyGoesIntoTheTimeline asks twice for a chronology: what it finds is in the timeline once, unreviewed, with its source.
func TestChronologyGoesIntoTheTimeline(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	agent := w.connect(ben)
	caseID, _ := w.newCase(agent.bearer)
	const dated = "On March 3, 2026 [Party 1] signed the lease. [Party 2] paid $500 on 04/05/2026.\n\nThe roof has leaked since June 2025.\n"
	if _, err := w.as(agent.bearer).Upload(t.Context(), caseID, "notes.txt", "text/plain", strings.NewReader(dated)); err != nil {
		t.Fatal(err)
	}
	kase := into[api.Case](t, w.send("GET", "/v1/cases/"+caseID, agent.bearer, ""), 200)
	ask := func() api.PhaseResponse {
		in := task(caseID, api.CaseReq, "Build a chronology")
		frames := w.post(agent.bearer, in).all()
		checkStream(t, in.SeedPhase.PhaseID, frames)

		return *frames[len(frames)-2].payload(t).Response
	}
	listed := func() []api.TimelineEntry {
		list := into[api.Timeline](t, w.send("GET", "/v1/timeline/"+kase.TimelineID+"?include=entries&origin=extracted&limit=100", agent.bearer, ""), 200)
		return list.Entries
	}
	first := ask()
	entries := listed()
	if len(first.Entries) != 3 || len(entries) != len(first.Entries) {
		t.Fatalf("%d entries in the answer, %d in the timeline", len(first.Entries), len(entries))
	}

	there := map[string]api.TimelineEntry{}
	for _, e := range entries {
		there[e.EntryID] = e
		if e.ReviewStatus != "unreviewed" || len(e.Sources) == 0 || e.Sources[0].Quote == "" {
			t.Errorf("entry %+v; want it unreviewed and with its source", e)
		}
	}

	for _, e := range first.Entries {
		if there[e.EntryID].Title != e.Title {
			t.Errorf("the answer names entry %q %q, the timeline has %q", e.EntryID, e.Title, there[e.EntryID].Title)
		}
	}
	ask()
	if again := listed(); len(again) != len(entries) {
		t.Errorf("asked again, the timeline has %d entries instead of %d", len(again), len(entries))
	}
}
