package casesvc_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// draftOf is a draft in two forms.
func draftOf(t *testing.T, phaseID, text string) api.SaveDraft {
	return api.SaveDraft{PhaseID: phaseID, Attempt: 1, DocType: "answer", Files: []api.DraftFile{
		{Name: "answer-draft.md", MediaType: "text/markdown", Content: []byte("# ANSWER\n\n" + text)},
		{Name: "answer-draft.docx", MediaType: docxType, Content: wordFile(t, "", "", "ANSWER", text)},
	}}
}

func TestADraftIsKeptOnce(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	client := w.as(robot)
	in := beginning(c, api.CaseReq)
	if _, err := client.BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	draft := draftOf(t, in.PhaseID, "[Party 1] demands payment of [Party 2].")
	draft.DocType = "demand_letter"
	got, err := client.SaveDraft(t.Context(), c.CaseID, draft)
	if err != nil || len(got.Items) != 2 {
		t.Fatalf("SaveDraft = %+v, %v", got, err)
	}

	for i, f := range got.Items {
		want := api.FileSource{Origin: "generated", PhaseID: in.PhaseID}
		if f.Source != want || f.Name != draft.Files[i].Name || f.DocType != "demand_letter" || !f.AgentReadable || f.DeidCheck.Status != "passed" || f.Duplicate || f.UploadedBy.ID != robot.ID() {
			t.Errorf("file = %+v", f)
		}
		if stored := into[api.File](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+f.FileID), 200); stored.Source != want {
			t.Errorf("stored file comes from %+v", stored.Source)
		}
		content := w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+f.FileID+"/content")
		if content.Status != 200 || string(content.Body) != string(draft.Files[i].Content) {
			t.Errorf("content of %s: %d, %d bytes", f.Name, content.Status, len(content.Body))
		}
	}

	for name, tc := range map[string]struct {
		fileIDs []string
		found   bool
	}{"all": {}, "named": {[]string{got.Items[0].FileID}, true}} {
		found, err := client.Search(t.Context(), c.CaseID, api.SearchCase{Query: "demands payment", FileIDs: tc.fileIDs, Limit: 5})
		if err != nil || len(found.Hits) > 0 != tc.found {
			t.Errorf("search in %s files = %+v, %v", name, found, err)
		}
	}
	again, err := client.SaveDraft(t.Context(), c.CaseID, draft)
	if err != nil || len(again.Items) != 2 || !again.Items[0].Duplicate || again.Items[0].FileID != got.Items[0].FileID || again.Items[1].FileID != got.Items[1].FileID {
		t.Errorf("again = %+v, %v", again, err)
	}
	if n := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts.Files; n != 2 {
		t.Errorf("the case counts %d files, want 2", n)
	}
	var bundle struct{ Checklist api.Checklist }
	if err := json.Unmarshal(w.get(ann, "/v1/workspace/case/"+c.CaseID).Body, &bundle); err != nil {
		t.Fatal(err)
	}
	if l := bundle.Checklist; l.Phase != "L100" || l.Present != 0 {
		t.Errorf("checklist %+v: a draft letter is no letter", l)
	}
}

func TestDraftsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_MAX_FILES": "3"})
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c, other := w.newCase(ann, nil), w.newCase(ann, nil)
	ended := w.work(t, robot, c, "")

	running, evaluating := beginning(c, api.CaseReq), beginning(other, api.EvalReq)
	for _, in := range []api.BeginPhase{running, evaluating} {
		if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	text := "[Party 2] denies each allegation of [Party 1]."

	for name, tc := range map[string]struct {
		caller authn.Caller
		caseID string
		change func(*api.SaveDraft)
		want   string
	}{
		"nothing":                  {robot, c.CaseID, func(in *api.SaveDraft) { in.Files = nil }, "validation_failed"},
		"too many forms":           {robot, c.CaseID, func(in *api.SaveDraft) { in.Files = slices.Repeat(in.Files, 3) }, "validation_failed"},
		"unknown type":             {robot, c.CaseID, func(in *api.SaveDraft) { in.DocType = "novel" }, "validation_failed"},
		"an identity in the text":  {robot, c.CaseID, func(in *api.SaveDraft) { in.Files[0].Content = []byte("Write to ann@example.com.") }, "identity_refused"},
		"an identity in the name":  {robot, c.CaseID, func(in *api.SaveDraft) { in.Files[1].Name = "ann@example.com.docx" }, "identity_refused"},
		"empty":                    {robot, c.CaseID, func(in *api.SaveDraft) { in.Files[0].Content = nil }, "empty_file"},
		"not what it says":         {robot, c.CaseID, func(in *api.SaveDraft) { in.Files[1].Content = []byte("plain") }, "media_type_mismatch"},
		"a phase that has ended":   {robot, c.CaseID, func(in *api.SaveDraft) { in.PhaseID = ended.PhaseID }, "invalid_transition"},
		"a phase of another case":  {robot, other.CaseID, func(*api.SaveDraft) {}, "not_found"},
		"a phase that evaluates":   {robot, other.CaseID, func(in *api.SaveDraft) { in.PhaseID = evaluating.PhaseID }, "not_found"},
		"a phase of nobody":        {robot, c.CaseID, func(in *api.SaveDraft) { in.PhaseID = uuid.NewString() }, "not_found"},
		"another tenant":           {agent("o:other", "eve"), c.CaseID, func(*api.SaveDraft) {}, "not_found"},
		"without the scope to run": {agent("o:firm", "ann", "cases:read", "files:write"), c.CaseID, func(*api.SaveDraft) {}, "scope_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			in := draftOf(t, running.PhaseID, text)
			tc.change(&in)
			if _, err := w.as(tc.caller).SaveDraft(t.Context(), tc.caseID, in); code(err) != tc.want {
				t.Errorf("SaveDraft = %v, want %q", err, tc.want)
			}
		})
	}
	if page := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200); len(page.Items) != 0 {
		t.Errorf("%d files came of what was refused", len(page.Items))
	}
	// What a run makes comes with the right to have it made: an application needs no right to write beside it.
	runner := authn.Caller{Kind: authn.OAuth, Tenant: "o:firm", UserID: "ann", ClientID: "https://host.example/client.json", Scopes: []string{authn.ScopeRun}, Roles: []string{authn.RoleMember}}
	for i, want := range []string{"", "case_quota_exceeded"} {
		_, err := w.as(runner).SaveDraft(t.Context(), c.CaseID, draftOf(t, running.PhaseID, text+" "+string(rune('A'+i))))
		if diff := cmp.Diff(want, code(err)); diff != "" {
			t.Errorf("draft %d of a case of three files (-want +got):\n%s", i+1, diff)
		}
	}
}
