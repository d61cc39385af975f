package e2e_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestWhatCanBeAskedOfACase asks for what needs more than the text of files: every answer ends as it should, and says what it is for.
func TestWhatCanBeAskedOfACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	agent := w.connect(ben)

	caseID, _ := w.newCase(agent.bearer)
	for _, file := range [][2]string{{"lease-a.txt", "The term begins on March 1, 2026. Pets are allowed.\n"}, {"lease-b.txt", "The term begins on April 1, 2026. Pets are allowed.\n"}} {
		if _, err := w.as(agent.bearer).Upload(t.Context(), caseID, file[0], "text/plain", strings.NewReader(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	into[api.Party](t, w.send("POST", "/v1/parties", agent.bearer, `{"caseId":"`+caseID+`","label":"[Party 1]","kind":"individual","role":"plaintiff","side":"ours"}`), 201)

	for _, tt := range []struct{ prompt, kind, says string }{
		{"Who are the parties?", api.KindAnswer, "1 party is on record"},
		{"Which partners fit this case?", api.KindAnswer, "professional"},
		{"Which documents are missing?", api.KindChecklist, "- [ ] engagement letter"},
		{"Compare lease-a.txt and lease-b.txt", api.KindComparison, "2026-03-01 → 2026-04-01"},
		{"What are the strengths of the case?", api.KindAnswer, "### Breach of contract"},
	} {
		in := task(caseID, api.CaseReq, tt.prompt)
		frames := w.post(agent.bearer, in).all()
		checkStream(t, in.SeedPhase.PhaseID, frames)
		r := frames[len(frames)-2].payload(t).Response
		if r == nil || r.Kind != tt.kind || !strings.Contains(r.Text, tt.says) {
			t.Errorf("%q is answered by %+v, want %s with %q", tt.prompt, r, tt.kind, tt.says)
		}
	}
}
