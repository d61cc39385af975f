package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// A person in the browser sees an answer once, also when the process died after it had written all of it, and another
// one wrote it anew.
func TestTheAppShowsTheAnswerOfARunThatStartedOverOnce(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms")
	caseID, _ := r.newCase(r.token(ada))
	kase := into[api.Case](t, r.send(http.MethodGet, "/v1/cases/"+caseID, r.token(ada), ""), http.StatusOK)
	r.front.to(r.first.addr)
	r.cases.hold(false, func(req *http.Request) bool { return strings.HasSuffix(req.URL.Path, "/end") })
	tab := r.app(chromium.Start(t, nil), ada, "/app/cases/"+caseID+"/work")
	const counts = `(document.body.innerText.match(/2 passages match/g) || []).length`
	chromium.Eval[bool](tab, `window.most = 0; new MutationObserver(() => { window.most = Math.max(window.most, `+counts+
		`); }).observe(document.body, { childList: true, subtree: true, characterData: true }); true`)
	tab.Fill("What should it do?", question)
	tab.Press("Start")
	tab.Shows("2 passages match")
	r.cases.awaitHeld(t)
	r.front.to(r.second.addr)
	r.first.kill()
	r.cases.drop(r.t)

	var phases api.Page[api.PhaseSummary]
	testkit.Until(t, withinAMinute, func() error {
		phases = into[api.Page[api.PhaseSummary]](
			t,
			r.send(http.MethodGet, "/v1/phases?branchId="+kase.ActiveBranchID, r.token(ada), ""),
			http.StatusOK,
		)
		if len(phases.Items) != 1 || phases.Items[0].Status != api.PhaseCompleted || phases.Items[0].Attempt != 2 {
			return fmt.Errorf("the runs of the case: %+v", phases.Items)
		}

		return nil
	})
	tab.Provoked("ERR_HTTP2_PROTOCOL_ERROR") // the browser logs that its stream broke off
	tab.Until("the end of the run", `document.querySelector("#prompt") && `+counts+` === 1`)
	if most := chromium.Eval[int](tab, `window.most`); most != 1 {
		t.Errorf("the answer was shown %d times at once", most)
	}
}

// A person is told that leaving the page ends the wait for the branch, until the run has begun.
func TestTheAppTellsWhoWaitsInLineToStay(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t)
	caseID, _ := w.newCase(w.token(ada))
	tab := w.app(chromium.Start(t, nil), ada, "/app/cases/"+caseID+"/work")
	tab.Fill("What should it do?", question)

	ahead := task(caseID, api.CaseReq, question)
	cases.hold(false, searches)
	running := w.post(w.token(ada), ahead)
	cases.awaitHeld(t)

	tab.Press("Start")
	tab.Shows("place 1 in line")
	tab.Shows("it is taken out of the line")
	if strings.Contains(tab.Text(), "You may leave this page") {
		t.Error("whoever waits in line is told that the page may be left")
	}

	if a := w.send(
		http.MethodDelete, "/v1/agent/"+ahead.SeedPhase.PhaseID, w.token(ada), "",
	); a.status != http.StatusAccepted {
		t.Fatalf("cancel the run ahead: %d %s", a.status, a.body)
	}
	running.all()
	cases.awaitHeld(t) // the run of the page is at work
	tab.Shows("You may leave this page")
	if strings.Contains(tab.Text(), "out of the line") {
		t.Error("a run that is at work is said to wait in line")
	}
	cases.letGo()
	tab.Shows("2 passages match")
}

// A run that is taken up again does not look like one that has failed.
func TestTheAppShowsAnInterruptedRunAsOneThatGoesOn(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms")
	caseID, _ := r.newCase(r.token(ada))
	r.front.to(r.first.addr)
	takeUp := func(req *http.Request) bool { return strings.HasSuffix(req.URL.Path, "/continuation") }
	r.cases.hold(false, func(req *http.Request) bool { return searches(req) || takeUp(req) })
	r.post(r.token(ada), task(caseID, api.CaseReq, question))
	r.cases.awaitHeld(t)
	r.front.to(r.second.addr)
	r.first.kill()
	r.cases.awaitHeld(t) // somebody is about to take the run up

	tab := r.app(chromium.Start(t, nil), ada, "/app/cases/"+caseID+"/work")
	const tone = `document.querySelector("subrosa-phase .badge")?.className`
	tab.Until("the state of the run", tone+` !== undefined`)
	if got := chromium.Eval[string](tab, tone); got != "badge plain" {
		t.Errorf("a run that is interrupted reads %q:\n%s", got, tab.Text())
	}
	tab.Shows("Interrupted")
	r.cases.letGo()
	tab.Shows("2 passages match")
}

// A person writes an entry anew in the app, gives a deadline an hour at the place of its forum, and takes decisions
// back.
func TestTheAppEditsTheTimeline(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	caseID, _ := w.newCase(w.token(ada))
	kase := into[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+caseID, w.token(ada), ""), http.StatusOK)
	added := into[api.TimelineEntry](t, w.send(
		http.MethodPost, "/v1/timeline/"+kase.TimelineID+"/entries", w.token(ada),
		`{"kind":"deadline","title":"Answer of [Party 2]","dueOn":"2027-03-12","timeZone":"America/New_York"}`,
	), http.StatusCreated)
	now := func() api.TimelineEntry {
		path := "/v1/timeline/" + kase.TimelineID + "?kinds=deadline"
		line := into[api.Timeline](t, w.send(http.MethodGet, path, w.token(ada), ""), http.StatusOK)
		if len(line.Entries) != 1 || line.Entries[0].EntryID != added.EntryID {
			t.Fatalf("the deadlines are %+v", line.Entries)
		}

		return line.Entries[0]
	}
	tab := w.app(chromium.Start(t, nil), ada, "/app/cases/"+caseID+"/timeline")
	tab.Shows("Answer of [Party 2]")

	tab.Press("Confirm: Answer of [Party 2]")
	tab.Shows("The deadline is confirmed.")
	tab.Press("Undo: Answer of [Party 2]")
	tab.Shows("The deadline is proposed again.")
	if got := now(); got.Status != "proposed" || got.ReviewStatus != "unreviewed" {
		t.Errorf("taken back, the deadline is %s and %s", got.Status, got.ReviewStatus)
	}

	tab.Press("Edit: Answer of [Party 2]")
	tab.Fill("What it says", "Answer of [Party 2] to the complaint")
	tab.Fill("Day it is due", "2027-03-15") // the clocks have gone forward the day before
	tab.Fill("Hour, if one is stated", "17:00")
	tab.Press("Save")
	tab.Shows("The entry is changed.")
	tab.Shows("Answer of [Party 2] to the complaint")
	tab.Shows("17:00")
	due := func(want string) {
		t.Helper()
		if at := now().DueAt; at == nil || at.UTC().Format("2006-01-02T15:04Z") != want {
			t.Errorf("the deadline is due at %v, want %s", at, want)
		}
	}
	due("2027-03-15T21:00Z")

	// Another zone keeps the hour on the wall; a name is refused as it is everywhere, and what was typed stays.
	tab.Press("Edit: Answer of [Party 2] to the complaint")
	tab.Fill("Time zone of the forum", "America/Los_Angeles")
	tab.Press("Save")
	tab.Shows("America/Los_Angeles")
	due("2027-03-16T00:00Z")
	tab.Press("Edit: Answer of [Party 2] to the complaint")
	tab.Fill("What it says", "Answer of Jane Roe")
	tab.Press("Save")
	tab.Provoked("403")
	tab.Until("a refusal", `document.querySelector(".refusal, [role=alert]") !== null`)
	if got := now(); strings.Contains(got.Title, "Jane") {
		t.Errorf("the name is kept: %q", got.Title)
	}
}
