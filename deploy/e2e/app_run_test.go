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
	r.cases.letGo()

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
