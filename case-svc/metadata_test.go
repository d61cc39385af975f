package casesvc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestAnAdminSeesOfTheWorkThatItIsThere(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot, root := user("o:firm", "ann"), agent("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin)
	c := w.newCase(ann, m{"title": "Secret lease"})
	fork := w.newBranch(ann, m{"timelineId": c.TimelineID, "title": "Secret theory"})
	p := w.work(t, robot, c, fork.BranchID)
	w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Secret answer due", "dueOn": "2026-04-01", "detail": "Secret detail"})
	w.json(ann, http.MethodPost, "/v1/phases/"+p.PhaseID+"/review", m{"decision": "approved", "note": "Secret note"})
	w.json(ann, http.MethodPost, "/v1/phases/"+p.PhaseID+"/review", m{"comment": "Secret comment"})

	branch := into[api.Branch](t, w.get(root, "/v1/branch/"+fork.BranchID), 200)
	if branch.BranchID != fork.BranchID || branch.OwnPhaseCount != 1 || len(branch.Lineage) != 2 {
		t.Errorf("branch = %+v", branch)
	}
	line := into[api.Timeline](t, w.get(root, "/v1/timeline/"+c.TimelineID), 200)
	if line.Counts.Branches != 2 || len(line.Branches) != 2 || len(line.Deadlines) != 1 || line.Deadlines[0].Deadline.DueOn != "2026-04-01" || len(line.Entries) == 0 {
		t.Errorf("timeline = %+v", line)
	}
	whole := into[api.Phase](t, w.get(root, "/v1/phases?phaseId="+p.PhaseID), 200)
	if whole.Status != api.PhaseCompleted || whole.Review.Status != api.ReviewApproved || whole.Prompt != "" || whole.Response != nil {
		t.Errorf("phase = %+v", whole)
	}
	if list := into[api.Page[api.Phase]](t, w.get(root, "/v1/phases?branchId="+fork.BranchID), 200); len(list.Items) != 1 || list.Items[0].Response != nil {
		t.Errorf("phases = %+v", list.Items)
	}

	for _, path := range []string{
		"/v1/branch/" + fork.BranchID, "/v1/timeline/" + c.TimelineID, "/v1/timeline/" + c.TimelineID + "?branchId=" + fork.BranchID, "/v1/phases?phaseId=" + p.PhaseID,
		"/v1/phases?branchId=" + fork.BranchID, "/v1/phases?view=summary&branchId=" + fork.BranchID, "/v1/workspace/case/" + c.CaseID,
	} {
		a := w.get(root, path)
		if text := strings.ToLower(string(a.Body)); a.Status != 200 || strings.Contains(text, "secret") || strings.Contains(text, strings.ToLower(p.Prompt)) {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	refused(t, w.get(root, "/v1/timeline/"+c.TimelineID+"?q=secret"), 403, "forbidden")
	refused(t, w.get(root, "/v1/timeline/"+c.TimelineID, "Accept", "text/calendar"), 403, "forbidden")
	refused(t, w.json(root, http.MethodPost, "/v1/phases/"+p.PhaseID+"/review", m{"decision": "rejected"}), 403, "forbidden")
	refused(t, w.json(root, http.MethodPost, "/v1/timeline/"+c.TimelineID+"/entries", m{"kind": "fact", "title": "x"}), 403, "forbidden")
	refused(t, w.get(agent("o:firm", "root"), "/v1/branch/"+fork.BranchID+"x"), 404, "not_found")
}

func TestAPartnerSeesNoTitleBeyondItsScope(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	ann := user("o:firm", "ann")
	if a := s.json(ann, http.MethodPatch, "/v1/branch/"+s.kase.ActiveBranchID, m{"title": "Our own theory"}); a.Status != 200 {
		t.Fatalf("rename the root: %d %s", a.Status, a.Body)
	}
	if a := s.json(ann, http.MethodPatch, "/v1/branch/"+s.fork.BranchID, m{"title": "For the expert"}); a.Status != 200 {
		t.Fatalf("rename the fork: %d %s", a.Status, a.Body)
	}
	b := into[api.Branch](t, s.get(pat, "/v1/branch/"+s.fork.BranchID), 200)
	if len(b.Lineage) != 2 || b.Lineage[0].Title != "" || b.Lineage[1].Title != "For the expert" || b.Title != "For the expert" {
		t.Errorf("lineage for the partner = %+v", b.Lineage)
	}
	if b := into[api.Branch](t, s.get(ann, "/v1/branch/"+s.fork.BranchID), 200); b.Lineage[0].Title != "Our own theory" {
		t.Errorf("lineage for the firm = %+v", b.Lineage)
	}
}

func TestWithWhatACaseConflictsIsForTheFirm(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	ann, path := user("o:firm", "ann"), "/v1/cases/"+s.kase.CaseID

	roster := clients([]string{party1})
	for i := range 120 {
		roster.Conflict.Hits = append(roster.Conflict.Hits, api.ConflictHit{CaseID: fmt.Sprintf("0190a3b1-0000-7000-8000-%012d", i), Roles: []string{"defendant", "witness"}})
	}
	roster.Conflict.Unlisted = 1200
	s.parties.has(s.kase.CaseID, roster)
	if a := s.json(ann, http.MethodPost, "/internal/cases/"+s.kase.CaseID+"/recount", nil); a.Status != 204 {
		t.Fatalf("recount: %d %s", a.Status, a.Body)
	}
	decided := into[api.Case](t, s.json(ann, http.MethodPost, path+"/conflict", m{"decision": "waived", "reason": "Both sides agreed."}), 200)
	if diff := cmp.Diff(roster.Conflict.Hits[:100], decided.Conflict.Hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if decided.Conflict.Reason != "Both sides agreed." {
		t.Errorf("decided: %+v", decided.Conflict)
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		want   string
	}{
		"member":  {user("o:firm", "bob", access.RoleMember), "Both sides agreed."},
		"admin":   {user("o:firm", "root", access.RoleAdmin), ""},
		"agent":   {agent("o:firm", "ann"), ""},
		"partner": {pat, ""},
	} {
		got := into[api.Case](t, s.get(tc.caller, path), 200).Conflict
		if got.Status != "waived" || got.Reason != tc.want {
			t.Errorf("%s: %+v, want the reason %q", name, got, tc.want)
		}
		if firm := tc.want != ""; firm != (len(got.Hits) == 100) || !firm && got.Hits != nil {
			t.Errorf("%s sees %d hits", name, len(got.Hits))
		}
		if counted := name != "partner"; counted != (got.HitCount == 120 && got.HitCountCapped) {
			t.Errorf("%s: %d hits, capped %v", name, got.HitCount, got.HitCountCapped)
		}
	}
}

func TestARepeatedReviewWritesTheNoteThatWasLost(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	p := w.work(t, agent("o:firm", "ann"), c, "")
	path := "/v1/phases/" + p.PhaseID + "/review"
	into[api.Phase](t, w.json(ann, http.MethodPost, path, m{"decision": "approved"}), 200)
	notes := func() []api.TimelineEntry {
		return into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?kinds=review"), 200).Entries
	}
	before := notes()
	if len(before) != 1 {
		t.Fatalf("notes = %+v", before)
	}
	if _, err := w.database().Collection("entries").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "o:firm/" + before[0].EntryID}}); err != nil {
		t.Fatal(err)
	}
	if lost := notes(); len(lost) != 0 {
		t.Fatalf("the note is still there: %+v", lost)
	}
	refused(t, w.json(user("o:firm", "bob"), http.MethodPost, path, m{"decision": "rejected"}), 409, "already_reviewed")
	after := notes()
	if len(after) != 1 || after[0].EntryID != before[0].EntryID || after[0].Title != before[0].Title || after[0].CreatedBy != before[0].CreatedBy {
		t.Errorf("notes = %+v, want %+v", after, before)
	}
}
