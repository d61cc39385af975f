package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A person clears a word in a file. Whatever an agent has made from that file then comes to its end: answers quote the
// word, and every other kind of run works beside it.
func TestRunsQuoteWhatAPersonCleared(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	const said = "The clerk Zebulon Quartermain asked for the keys of the mill.\n\n" +
		"Zebulon Quartermain shall file the inventory by May 4, 2027. The hearing is set for June 1, 2027 at 9:30 a.m.\n"

	var marks []api.Mark
	for _, f := range guard.New().Check(t.Context(), guard.FileText, said) {
		marks = append(marks, api.Mark{Path: "text", Kind: f.Kind, Start: f.Start, End: f.End})
	}
	if len(marks) == 0 {
		t.Fatal("the guard finds nothing to clear")
	}
	sum := sha256.Sum256([]byte(said))
	clearance := encoded(t, api.Clearance{SHA256: hex.EncodeToString(sum[:]), Marks: marks})
	path, user := "/v1/cases/"+caseID+"/files", w.token(ada)
	cleared := w.send(http.MethodPost, path+"/clearances", user, clearance, "Content-Type", "application/json")
	into[any](t, cleared, http.StatusCreated)
	into[any](t, w.send(http.MethodPost, path, user, said, "Content-Type", "text/plain"), http.StatusCreated)

	for _, job := range []struct {
		kind, prompt string
		quotes       bool
	}{
		{api.CaseReq, "Who asked for the keys?", true},
		{api.CaseReq, "List the deadlines", true},
		{api.CaseReq, "Build a chronology of the case", true},
		{api.CaseReq, "Draft a chronology memo", false},
		{api.EvalReq, "Evaluate this case", false},
	} {
		response, status := w.asked(t, agent.bearer, task(caseID, job.kind, job.prompt))
		if status != api.PhaseCompleted {
			t.Errorf("%s %q ends as %s", job.kind, job.prompt, status)
		}
		if quoted := strings.Contains(response.Text, "Zebulon Quartermain"); job.quotes && !quoted {
			t.Errorf("%q does not quote the word: %s", job.prompt, response.Text)
		}
	}
}
