package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// everything that can be asked of a case, by one example each.
var everything = []string{
	"What is the notice period for termination?", "List the amounts", "List the parties", "Make a chronology",
	"List the deadlines", "List the authorities", "Summarise the files", "Which documents are missing?",
	"Which elements must be shown?", "Draft a demand letter", "Compare the two agreements", "What comes next?",
	"Check the cross-references", "Find a partner for this case", "Help",
}

// Work that waited in line on its own begins by a continuation token, which opens all that its answers need, whatever
// is asked.
func TestWorkThatWaitedInLine(t *testing.T) {
	t.Parallel()
	w := startReplicas(t, "CASE_LINE", "40", "AGENT_LINE_WAIT", "2m")
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	w.front.to(w.first.addr)

	w.cases.hold(false, searches)
	defer w.cases.letGo()

	body := func(n int, requestType, text string) string {
		return fmt.Sprintf(`{"message":{"messageId":"m%d","role":"ROLE_USER","metadata":{"%s/a2a/ext/legal-phase/v1":`+
			`{"caseId":"%s","requestType":"%s"}},"parts":[{"text":"%s"}]},"configuration":{"returnImmediately":true}}`,
			n, w.Facts.BaseURL, caseID, requestType, text)
	}
	_ = w.keyed(agent.bearer, body(0, api.CaseReq, question), "runs")
	w.cases.awaitHeld(t)
	asked := map[string]string{}

	for n, text := range everything {
		asked[w.keyed(agent.bearer, body(n+1, api.CaseReq, text), fmt.Sprint("waits ", n)).ID] = text
	}
	evaluated := w.keyed(agent.bearer, body(99, api.EvalReq, "Evaluate this case."), "is evaluated")
	asked[evaluated.ID] = "an evaluation"
	w.cases.letGo()

	for id, text := range asked {
		testkit.Until(t, withinAMinute, func() error {
			got := into[toldTask](t, w.rest(http.MethodGet, "/tasks/"+id, agent.bearer, ""), http.StatusOK)

			switch got.Status.State {
			case a2a.TaskStateCompleted, a2a.TaskStateInputRequired:
				return nil
			case a2a.TaskStateFailed, a2a.TaskStateRejected, a2a.TaskStateCanceled:
				whole := w.rest(http.MethodGet, "/tasks/"+id, agent.bearer, "")
				t.Errorf("%s: %s", text, strings.TrimSpace(string(whole.body)))

				return nil
			}

			return fmt.Errorf("%s: %s", text, got.Status.State)
		})
	}
}
