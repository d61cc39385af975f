package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// TestDraftsAreFilesOfTheCase asks for drafts of the sample complaint, fetches both forms and reads the Word file as an upload is read. Asked
// again, the case has no file more.
func TestDraftsAreFilesOfTheCase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	agent := w.connect(ben)
	caseID, _ := w.newCase(agent.bearer)
	complaint, err := os.ReadFile(filepath.Join("..", "samples", "complaint.md"))
	if err != nil {
		t.Fatal(err)
	}
	brought, err := w.as(agent.bearer).Upload(t.Context(), caseID, "complaint.md", "text/markdown", bytes.NewReader(complaint))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(prompt string) (api.PhaseResponse, string) {
		in := task(caseID, api.CaseReq, prompt)
		in.FileIDs = []string{brought.FileID}
		frames := w.post(agent.bearer, in).all()
		checkStream(t, in.SeedPhase.PhaseID, frames)

		return *frames[len(frames)-2].payload(t).Response, in.SeedPhase.PhaseID
	}
	counted := func() int {
		return into[api.Case](t, w.send("GET", "/v1/cases/"+caseID, agent.bearer, ""), 200).Counts.Files
	}
	before := counted()
	first, phaseID := ask("Draft an answer to the complaint")
	if first.Kind != api.KindDraft || len(first.Drafts) != 2 || !slices.Equal(first.HumanReview.Reasons, []string{"has_draft"}) || counted() != before+2 {
		t.Fatalf("kind %s, drafts %+v, limits %q, review %+v, %d files before and %d after", first.Kind, first.Drafts, first.Limits, first.HumanReview, before, counted())
	}
	texts := map[string]string{}

	for _, d := range first.Drafts {
		path := "/v1/cases/" + caseID + "/files/" + d.FileID
		f := into[api.File](t, w.send("GET", path, agent.bearer, ""), 200)
		if want := (api.FileSource{Origin: "generated", PhaseID: phaseID}); f.Source != want || f.DocType != "answer" || !f.AgentReadable {
			t.Errorf("file %+v", f)
		}
		content := w.send("GET", path+"/content", agent.bearer, "")
		doc, err := extract.Extract(t.Context(), bytes.NewReader(content.body), int64(len(content.body)), f.MediaType, extract.DefaultLimits())
		if err != nil || doc.Status != extract.OK {
			t.Fatalf("%s reads as %s: %v", f.Name, doc.Status, err)
		}
		texts[f.Name] = strings.Join(strings.Fields(doc.Text), " ")
	}

	for _, name := range []string{"answer-draft.md", "answer-draft.docx"} {
		for _, want := range []string{
			"Draft by software, not reviewed; labels stand for real names, which only your browser can fill", "[Docket 1]", "SOUTHERN DISTRICT OF NEW YORK", "Answering paragraph 24",
			"PRAYER FOR RELIEF", "CERTIFICATE OF SERVICE", "{{attorneyName}}",
		} {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s lacks %q: %.300s", name, want, texts[name])
			}
		}
	}
	if again, _ := ask("Draft an answer to the complaint"); len(again.Drafts) != 2 || again.Drafts[0].FileID != first.Drafts[0].FileID || again.Drafts[1].FileID != first.Drafts[1].FileID || counted() != before+2 {
		t.Errorf("asked again: drafts %+v, %d files", again.Drafts, counted())
	}

	for _, prompt := range []string{
		"Draft a demand letter to [Party 2]", "Write a litigation hold letter", "Draft a complaint", "Draft a motion to dismiss", "Prepare first interrogatories to [Party 2]",
		"Prepare first requests for production", "Prepare first requests for admission", "Draft a privilege log", "Draft a chronology memo", "Draft a case assessment memo",
		"Draft a client status letter", "Draft a settlement agreement outline", "Draft an NDA issue list",
	} {
		if r, _ := ask(prompt); r.Kind != api.KindDraft || len(r.Drafts) != 2 {
			t.Errorf("%s: kind %s, drafts %+v, limits %q", prompt, r.Kind, r.Drafts, r.Limits)
		}
	}
	if n := counted(); n != before+28 {
		t.Errorf("fourteen drafts made %d files", n-before)
	}
}
