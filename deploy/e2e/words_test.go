package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// The number of a court's clerk identifies no client. Until an admin says so it is refused at the doors of all three services that take
// text; afterwards it passes at all of them, for that tenant alone.
func TestAWordThatAnAdminAllowsPassesEveryDoor(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, person, stranger := w.connect(ada), w.token(ada), w.connect(ben)
	const clerk = "+1 212 555 0143"
	doors := func(bearer string) map[string]func() answer {
		caseID, _ := w.newCase(bearer)
		send := func(method, path, body string, header ...string) func() answer {
			return func() answer { return w.send(method, path, bearer, body, header...) }
		}

		return map[string]func() answer{
			"a title":  send(http.MethodPatch, "/v1/cases/"+caseID, `{"title":"The clerk has `+clerk+`"}`, "Content-Type", "application/json"),
			"a search": send(http.MethodGet, "/v1/partners?q=%2B1+212+555+0143", ""),
			"notes": send(http.MethodPost, "/v1/parties", fmt.Sprintf(`{"caseId":%q,"kind":"government","role":"other","notes":"Clerk: %s"}`, caseID, clerk),
				"Content-Type", "application/json"),
			"a prompt": send(http.MethodPost, "/v1/agent", fmt.Sprintf(`{"sessionId":"s","containerId":%q,"containerType":"case","requestType":"case_req","prompt":"Who has %s?","seedPhase":{"phaseId":%q}}`,
				caseID, clerk, uuid.NewString()), "Content-Type", "application/json", "Accept", "text/event-stream"),
			"a file": send(http.MethodPost, "/v1/cases/"+caseID+"/files", "Ask the clerk at "+clerk+" about the hearing of [Party 1] on the lease of the premises, which was put off once more.",
				"Content-Type", "text/plain", "Content-Disposition", `attachment; filename="Document 1.txt"`),
		}
	}
	own, theirs := doors(agent.bearer), doors(stranger.bearer)
	refused := func(doors map[string]func() answer) {
		t.Helper()

		for door, send := range doors {
			if a := send(); a.status != 403 || a.err.Error != "identity_refused" {
				t.Errorf("%s: status %d: %s", door, a.status, a.body)
			}
		}
	}
	refused(own)
	if a := w.send(http.MethodPatch, "/v1/settings", person, `{"allowedWords":["+1 212 555 0143"]}`, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}

	for door, send := range own {
		testkit.UntilTrue(t, 10*time.Second, "the word passes in "+door, func() bool {
			a := send()
			if a.status >= 300 && a.err.Error != "identity_refused" {
				t.Fatalf("%s: status %d: %s", door, a.status, a.body)
			}

			return a.status < 300
		})
	}
	refused(theirs)
}

// The cut points that an admin sets decide the tier of the next evaluation, which says that it went by them; another tenant keeps the usual ones.
func TestAnEvaluationGoesByTheCutPointsOfItsTenant(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, stranger := w.connect(ada), w.connect(ben)
	evaluated := func(bearer string) *api.Evaluation {
		t.Helper()
		id, _ := w.newCase(bearer)
		frames := w.post(bearer, task(id, api.EvalReq, "Evaluate this case.")).all()
		kase := decoded[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+id, bearer, ""), 200)
		if kase.Complexity == nil || kase.Complexity.Tier == nil {
			t.Fatalf("no evaluation: %+v\n%s", kase.Complexity, texts(frames))
		}

		return kase.Complexity.Evaluation
	}
	usual := evaluated(agent.bearer)
	if *usual.Tier == 4 || usual.RubricVersion != "2026.1" {
		t.Fatalf("tier %d by rubric %s", *usual.Tier, usual.RubricVersion)
	}
	if a := w.send(http.MethodPatch, "/v1/settings", w.token(ada), `{"tierCutPoints":[1,2,3]}`, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	moved := evaluated(agent.bearer)
	if *moved.Tier != 4 || moved.Score != usual.Score || moved.RubricVersion != "2026.1 (cut points 1, 2, 3)" {
		t.Errorf("tier %d, score %v by rubric %s; want 4, %v by that of the cut points", *moved.Tier, moved.Score, moved.RubricVersion, usual.Score)
	}
	if theirs := evaluated(stranger.bearer); *theirs.Tier != *usual.Tier || theirs.RubricVersion != "2026.1" {
		t.Errorf("another tenant's tier is %d by rubric %s", *theirs.Tier, theirs.RubricVersion)
	}
}
