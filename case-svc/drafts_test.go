package casesvc_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
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
		caller access.Caller
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
	runner := access.Caller{Kind: access.OAuth, Tenant: "o:firm", UserID: "ann", ClientID: "https://host.example/client.json", Scopes: []string{access.ScopeRun}, Roles: []string{access.RoleMember}}
	for i, want := range []string{"", "case_quota_exceeded"} {
		_, err := w.as(runner).SaveDraft(t.Context(), c.CaseID, draftOf(t, running.PhaseID, text+" "+string(rune('A'+i))))
		if diff := cmp.Diff(want, code(err)); diff != "" {
			t.Errorf("draft %d of a case of three files (-want +got):\n%s", i+1, diff)
		}
	}
}

// TestARunWritesWhatAPersonCleared has a person clear a word in a file. What a run takes from that file goes into the
// timeline and into a draft, which stays with agents when the rules change; no other word does.
func TestARunWritesWhatAPersonCleared(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c, elsewhere := w.newCase(ann, nil), w.newCase(ann, nil)
	const said = "The clerk Zebulon Quartermain took the lease of [Party 1] on 5 January 2026."

	var marks []api.Mark
	for _, f := range guard.New().Check(t.Context(), guard.FileText, said) {
		marks = append(marks, api.Mark{Path: "text", Kind: f.Kind, Start: f.Start, End: f.End})
	}
	clearance := api.Clearance{SHA256: sha256Hex([]byte(said)), Marks: marks}
	into[api.Clearance](t, w.json(ann, "POST", "/v1/cases/"+c.CaseID+"/files/clearances", clearance), 201)
	file := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", said)), 201).Items[0]

	client := w.as(robot)
	begin := func(in api.Case) string {
		t.Helper()
		phase := beginning(in, api.CaseReq)
		if _, err := client.BeginPhase(t.Context(), phase); err != nil {
			t.Fatal(err)
		}

		return phase.PhaseID
	}
	here, there := begin(c), begin(elsewhere)
	propose := func(in api.Case, phase, title string, sources ...api.SourceRef) error {
		_, err := client.ProposeEntries(t.Context(), in.TimelineID, api.ProposeEntries{
			PhaseID: phase, Attempt: 1, Origin: "computed", Entries: []api.EntryContent{{
				Kind: api.EntryFact, Title: title, Sources: sources,
				When: &api.When{On: "2026-01-05", Precision: "day"},
			}},
		})

		return err
	}
	source := api.SourceRef{FileID: file.FileID, TextVersion: 1, CharEnd: len(said), Quote: said}
	const other = "The clerk Barnabas Quartermain took the lease of [Party 1]."

	for _, tc := range []struct {
		name  string
		in    api.Case
		phase string
		title string
		from  []api.SourceRef
		want  string
	}{
		{"what was cleared, with its source", c, here, said, []api.SourceRef{source}, ""},
		{"another name", c, here, other, []api.SourceRef{}, "identity_refused"},
		{"the same name in a case without the clearance", elsewhere, there, said, []api.SourceRef{}, "identity_refused"},
	} {
		if err := propose(tc.in, tc.phase, tc.title, tc.from...); code(err) != tc.want {
			t.Errorf("%s: an entry gets %v, want %q", tc.name, err, tc.want)
		}
		if _, err := client.SaveDraft(t.Context(), tc.in.CaseID, draftOf(t, tc.phase, tc.title)); code(err) != tc.want {
			t.Errorf("%s: a draft gets %v, want %q", tc.name, err, tc.want)
		}
	}

	// The answer may quote it, in this case alone.
	for _, tc := range []struct{ name, phase, text, want string }{
		{"another name", here, other, "identity_refused"},
		{"the same name in a case without the clearance", there, said, "identity_refused"},
		{"what was cleared", here, said, ""},
	} {
		end := answered(t, 1)
		end.Response.Text = "The file says: " + tc.text
		end.ResponseSHA256 = digest(string(wire(t, *end.Response)))
		if _, err := client.EndPhase(t.Context(), tc.phase, end); code(err) != tc.want {
			t.Errorf("%s: an answer gets %v, want %q", tc.name, err, tc.want)
		}
	}

	// A person who edits the entry may leave the word where it is.
	line := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID), 200)
	at := slices.IndexFunc(line.Entries, func(e api.TimelineEntry) bool { return e.Title == said })
	if at < 0 {
		t.Fatalf("the entry is not in the timeline: %+v", line.Entries)
	}
	path := "/v1/timeline/" + c.TimelineID + "/entries/" + line.Entries[at].EntryID
	into[api.TimelineEntry](t, w.json(ann, "PATCH", path, m{"title": "Zebulon Quartermain took the lease"}), 200)
	refused(t, w.json(ann, "PATCH", path, m{"title": "Barnabas Quartermain took it"}), 403, "identity_refused")

	// Rules that change find the same word in the draft, and the same clearance of it.
	earlier := bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier-1"}}}}
	if _, err := w.database().Collection("files").UpdateMany(t.Context(), bson.D{}, earlier); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, testkit.Patience, func() error {
		for _, f := range into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200).Items {
			if f.DeidCheck.DetectorVersion != guard.Version() || !f.AgentReadable {
				return fmt.Errorf("%s: check %+v, readable %t", f.Name, f.DeidCheck, f.AgentReadable)
			}
		}

		return nil
	})
}
