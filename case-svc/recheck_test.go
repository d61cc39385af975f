package casesvc_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// A file that passed other rules is judged by the present ones: agents lose what does not pass, and a person's clearance gives it back.
func TestStoredFilesAreCheckedAgain(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot, root := user("o:firm", "ann"), agent("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin)
	allow := func(words any) {
		t.Helper()
		into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"allowedWords": words}), 200)
		w.clock.Advance(6 * time.Second) // so long words are known
	}
	allow([]string{"Zorbanek"})
	c := w.newCase(ann, nil)
	const text = "The clerk Zorbanek took the lease of [Party 1]."
	doubtful := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", text)), 201).Items[0]
	plain := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "The lease of [Party 2].")), 201).Items[0]
	lost := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("c.txt", "The lease of [Party 3].")), 201).Items[0]
	if res, err := w.database().Collection("fs.files").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "o:firm/" + lost.FileID}}); err != nil || res.DeletedCount != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	allow(nil)
	docs := w.database().Collection("files")
	age := func() {
		t.Helper()
		if _, err := docs.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier-1"}}}}); err != nil {
			t.Fatal(err)
		}
	}
	file := func(id string) string { return "/v1/cases/" + c.CaseID + "/files/" + id }
	eventually := func(id, status string) {
		t.Helper()
		testkit.Until(t, testkit.Patience, func() error {
			f := into[api.File](t, w.get(ann, file(id)), 200)
			if f.DeidCheck.Status != status || f.DeidCheck.DetectorVersion != guard.Version() || f.AgentReadable != (status == "passed") {
				return fmt.Errorf("check %+v, readable %t, want %s", f.DeidCheck, f.AgentReadable, status)
			}

			return nil
		})
	}
	age()
	eventually(doubtful.FileID, "refused")
	eventually(plain.FileID, "passed")
	eventually(lost.FileID, "refused") // nobody can look at it any more

	for _, route := range []string{"/text", "/content"} {
		if e := refused(t, w.get(robot, file(doubtful.FileID)+route), 403, "identity_unverifiable"); !strings.Contains(e.DeepLink, "/i/redact_file?case="+c.CaseID) {
			t.Errorf("%s: deep link %q", route, e.DeepLink)
		}
	}
	into[api.FileText](t, w.get(robot, file(plain.FileID)+"/text"), 200)
	into[api.FileText](t, w.get(ann, file(doubtful.FileID)+"/text"), 200) // it is the firm's own
	if hits := into[api.Page[api.File]](t, w.get(robot, "/v1/cases/"+c.CaseID+"/files?q=lease"), 200).Items; len(hits) != 1 || hits[0].FileID != plain.FileID {
		t.Errorf("an agent's search finds %d files", len(hits))
	}

	var marks []api.Mark
	for _, f := range guard.New().Check(t.Context(), guard.FileText, text) {
		marks = append(marks, api.Mark{Path: "text", Kind: f.Kind, Start: f.Start, End: f.End})
	}
	into[api.Clearance](t, w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/files/clearances", api.Clearance{SHA256: doubtful.SHA256, Marks: marks}), 201)
	into[api.FileText](t, w.get(robot, file(doubtful.FileID)+"/text"), 200)
	age()
	eventually(doubtful.FileID, "passed")
	var got []entry

	for _, d := range w.deeds("o:firm") {
		if d.Action == "file.hold" || d.Action == "file.release" || d.Action == "file.clear" {
			got = append(got, d)
		}
	}
	want := []entry{
		{"service", "", "file.hold", "file", doubtful.FileID, "ok"},
		{"service", "", "file.hold", "file", lost.FileID, "ok"},
		{"user", "ann", "file.clear", "case", c.CaseID, "ok"},
		{"service", "", "file.release", "file", doubtful.FileID, "ok"},
	}
	byID := func(a, b entry) int { return strings.Compare(a.Action+a.ID, b.Action+b.ID) }
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}
