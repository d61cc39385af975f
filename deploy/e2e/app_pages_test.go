package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/gateway/web"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// pictures names the variable with a folder that pages are painted into.
const pictures = "SCREENSHOTS"

// paint keeps a picture of the page, if anybody wants one.
func paint(tab *chromium.Tab, name string) {
	tab.T.Helper()
	dir := os.Getenv(pictures)
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), tab.Screenshot(), 0o600); err != nil {
		tab.T.Fatal(err)
	}
}

// look is how a page is looked at.
type look struct {
	width int64
	dark  bool
}

// twoFrames is a promise that the page keeps after it was painted twice: pictures have their new width by then.
const twoFrames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

// Every page is sound: no complaint on the console, nothing that axe finds, and no scrolling sideways on a telephone.
func TestEveryPageOfTheAppIsSound(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, fileID := w.newCase(w.token(ada))
	if _, status := w.asked(t, w.token(ada), task(caseID, api.EvalReq, "Evaluate this case.")); status != api.PhaseCompleted {
		t.Fatal(status)
	}
	into[api.Party](t, w.send(http.MethodPost, "/v1/parties", w.token(ada), `{"caseId":"`+caseID+`","kind":"individual","role":"plaintiff"}`), http.StatusCreated)
	w.letIn(ada, "cases:read")
	tab := w.app(chromium.Start(t, nil), ada, "/app/agent")
	tab.Shows(agent.AgentID)

	pages := map[string]string{
		"cases": "/app/cases", "case": "/app/cases/" + caseID, "files": "/app/cases/" + caseID + "/files", "file": "/app/cases/" + caseID + "/files/" + fileID,
		"timeline": "/app/cases/" + caseID + "/timeline", "branches": "/app/cases/" + caseID + "/branches", "work": "/app/cases/" + caseID + "/work", "parties": "/app/cases/" + caseID + "/parties",
		"settings": "/app/cases/" + caseID + "/settings", "review": "/app/review", "partners": "/app/partners", "partners-for-case": "/app/partners?case=" + caseID, "invitations": "/app/invites?case=" + caseID,
		"vault": "/app/vault", "redact": "/app/redact?case=" + caseID, "agent": "/app/agent", "applications": "/app/applications", "audit": "/app/audit", "organization": "/app/organization", "members": "/app/members",
		"nothing": "/app/nothing",
	}
	for n, name := range slices.Sorted(maps.Keys(pages)) {
		path := pages[name]
		// Every other page is loaded wide and dark, so that complaints of loading are seen in both looks. The code of
		// the app asks for no colours, and for its width in pictures alone, which follow it: a page that is there
		// already looks as one that comes anew.
		looks := []look{{360, false}, {1600, true}}
		if n%2 == 1 {
			slices.Reverse(looks)
		}
		if os.Getenv(pictures) != "" {
			looks = append(looks, look{1280, false})
		}

		for i, look := range looks {
			tab.Size(look.width, 900, look.dark)
			if i == 0 {
				tab.Visit(w.Facts.BaseURL + path)
			}
			tab.Until(name, `document.querySelector("main h1") && !document.querySelector(".waiting")`)
			chromium.Eval[bool](tab, twoFrames)
			what := fmt.Sprintf("%s, %d px, dark %t", name, look.width, look.dark)
			if name != "nothing" && strings.Contains(tab.Text(), "There is nothing here") {
				t.Errorf("%s: there is no such page", what)
			}
			tab.Accessible(what)
			tab.Fits(what)
			if small := chromium.Eval[string](tab, `[...document.querySelectorAll("main button, main select, header a, header summary")].filter((e) => e.checkVisibility() && (e.offsetHeight < 24 || e.offsetWidth < 24)).map((e) => e.outerHTML.slice(0, 100))[0] ?? ""`); small != "" {
				t.Errorf("%s: a target of less than 24 px: %s", what, small)
			}
			paint(tab, fmt.Sprintf("%s-%d", name, look.width))

			for _, complaint := range tab.Complaints() {
				t.Errorf("%s: %s", what, complaint)
			}
		}
	}
}

func TestDeepLinksLeadToTheirActions(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	caseID, fileID := w.newCase(w.token(ada))
	b := chromium.Start(t, nil)

	tab := w.app(b, ada, "/i/audit")
	for _, action := range web.Actions() {
		tab.Visit(w.Facts.BaseURL + "/i/" + action + "?case=" + caseID)
		tab.Until(action, `document.querySelector("main h1") && !document.querySelector(".waiting")`)
		if text := tab.Text(); strings.Contains(text, "There is nothing here") || strings.Contains(text, "could not be loaded") {
			t.Errorf("%s leads to nothing: %s", action, tab.Address())
		}
		if at := tab.Address(); action != "handoff" && !strings.Contains(at, "/app/") {
			t.Errorf("%s stays at %s", action, at)
		}
	}
	// So do the addresses of cases that hosts and the command line show.
	space := decoded[struct {
		Links struct{ Browser string }
	}](t, w.send(http.MethodGet, "/v1/workspace/case/"+caseID, w.token(ada), ""), http.StatusOK)
	for address, want := range map[string]string{space.Links.Browser: "/app/cases/" + caseID, space.Links.Browser + "?file=" + fileID: "/app/cases/" + caseID + "/files/" + fileID} {
		tab.Visit(address)
		tab.Until(want, `location.pathname === "`+want+`" && document.querySelector("main h1") && !document.querySelector(".waiting")`)
	}
	// What a link carries besides ids goes nowhere.
	tab.Visit(w.Facts.BaseURL + "/i/review?case=javascript:alert(1)&phase=%3Cb%3E")
	tab.Until("a page", `document.querySelector("main h1") && !document.querySelector(".waiting")`)
	if at := tab.Address(); strings.Contains(at, "javascript") || strings.Contains(at, "%3C") {
		t.Errorf("the link led to %s", at)
	}
}

// An agent is refused what only a person may do; the link of the refusal leads a person, by way of the sign-in, to where it is done.
func TestARefusedCallIsFinishedInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	job := task(caseID, api.EvalReq, "Evaluate this case.")
	if _, status := w.asked(t, agent.bearer, job); status != api.PhaseCompleted {
		t.Fatal(status)
	}
	phase := job.SeedPhase.PhaseID
	refused := w.send(http.MethodPost, "/v1/phases/"+phase+"/review", agent.bearer, `{"decision":"approved"}`)
	refused.refused(t, "an agent's review", http.StatusForbidden, "human_required")
	b := chromium.Start(t, nil)
	tab := b.Tab(t)
	tab.Visit(refused.err.DeepLink)
	w.signIn(tab, ada)
	tab.Press("Approve")
	tab.Shows("Approved, with your name on record.")
	if got := into[api.Phase](t, w.send(http.MethodGet, "/v1/phases?phaseId="+phase, agent.bearer, ""), http.StatusOK); got.Review.Status != "approved" {
		t.Fatalf("the review is %+v", got.Review)
	}

	// Closing the case is a person's as well.
	refused = w.send(http.MethodPatch, "/v1/cases/"+caseID, agent.bearer, `{"status":"closed","closeReason":"withdrawn"}`)
	refused.refused(t, "an agent's closing", http.StatusForbidden, "human_required")
	tab.Visit(refused.err.DeepLink)
	tab.Until("the settings of the case", `location.pathname.endsWith("/settings") && document.querySelector("main h1") && !document.querySelector(".waiting")`)
	tab.Shows("Delete")
}
