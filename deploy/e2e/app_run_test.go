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
	const counts = `(document.body.innerText.match(/1 passage matches/g) || []).length`
	chromium.Eval[bool](tab, `window.most = 0; new MutationObserver(() => { window.most = Math.max(window.most, `+counts+
		`); }).observe(document.body, { childList: true, subtree: true, characterData: true }); true`)
	tab.Fill("What should it do?", question)
	tab.Press("Start")
	tab.Shows("1 passage matches")
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
	tab.Shows("you take it out of the line")
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
	tab.Shows("1 passage matches")
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
	tab.Shows("1 passage matches")
}
