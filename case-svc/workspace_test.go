package casesvc_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

type caseSpace = api.Workspace[api.Case]

// commands counts what a call sends to MongoDB.
func (w *world) commands(do func()) int {
	w.t.Helper()
	before := len(w.spans.Ended())
	do()
	n := 0

	for _, s := range w.spans.Ended()[before:] {
		if strings.HasSuffix(s.InstrumentationScope().Name, "/mongox") {
			n++
		}
	}

	return n
}

// workspaceTrips is how many commands a workspace of a case takes: the case, its branches, and side by side the open phases, the latest
// phases, those that wait for review, the deadlines, a page of files and their types.
const workspaceTrips = 8

func TestAWorkspaceTakesAsManyRoundTripsWhateverItHolds(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "1h"})
	robot := agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	read := func() {
		into[caseSpace](t, w.get(robot, "/v1/workspace/case/"+c.CaseID), 200)
	}
	if n := w.commands(read); n != workspaceTrips {
		t.Errorf("an empty workspace takes %d commands, want %d", n, workspaceTrips)
	}

	branch := c.ActiveBranchID
	for i := range 12 {
		into[uploaded](t, w.upload(robot, c.CaseID, nil, textFile(fmt.Sprintf("%d.txt", i), fmt.Sprint(complaint, i))), 201)
		w.work(t, robot, c, branch)
		w.newEntry(robot, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": fmt.Sprintf("2026-04-%02d", i+1)})
		if i%4 == 3 {
			branch = w.newBranch(robot, m{"timelineId": c.TimelineID, "parentBranchId": branch}).BranchID
		}
	}
	if n := w.commands(func() { into[caseSpace](t, w.get(robot, "/v1/workspace/case/"+c.CaseID+"?branchId="+branch), 200) }); n != workspaceTrips {
		t.Errorf("a full workspace takes %d commands, want %d", n, workspaceTrips)
	}
}

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, m{"title": "Eviction of [Party 1]", "stage": m{"codeSet": "litigation", "phase": "L200"}, "forum": m{"system": "state"}})
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201)
	w.parties.has(c.CaseID, api.Roster{
		Parties: []api.Party{{PartyID: uuid.NewString(), CaseID: c.CaseID, Version: 1, Label: "[Party 1]", Kind: "individual", Role: "defendant", Side: "ours", IsClient: true, Status: "active"}},
		Invites: []api.RosterInvite{{PartnerID: uuid.NewString(), InviteID: uuid.NewString(), Status: "accepted"}},
	})
	first := w.work(t, robot, c, "")
	w.clock.Advance(time.Second)
	fork := w.newBranch(ann, m{"timelineId": c.TimelineID, "fromPhaseId": first.PhaseID, "title": "Other view"})
	second := w.work(t, robot, c, fork.BranchID)
	w.newEntry(robot, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-03-24"})
	path := "/v1/workspace/case/" + c.CaseID
	whole := w.get(robot, path+"?branchId="+fork.BranchID)
	golden(t, "workspace", whole.Body)
	got := into[caseSpace](t, whole, 200)
	if len(got.RecentPhases) != 2 || got.RecentPhases[0].PhaseID != second.PhaseID || got.RecentPhases[1].PhaseID != first.PhaseID || len(got.PendingReviews) != 2 {
		t.Errorf("recent = %+v, waiting = %+v", got.RecentPhases, got.PendingReviews)
	}
	if a := w.get(robot, path+"?branchId="+fork.BranchID, "If-None-Match", whole.Header.Get("ETag")); a.Status != 304 {
		t.Errorf("If-None-Match = %d", a.Status)
	}
	if active := into[caseSpace](t, w.get(ann, path), 200); len(active.RecentPhases) != 1 || !active.Permissions.CanInvite || active.Timeline.Branches[0].BranchID != c.ActiveBranchID {
		t.Errorf("by default = %+v", active.Timeline)
	}
	w.parties.goAway(true)
	if got := into[caseSpace](t, w.get(robot, path), 200); !cmp.Equal(got.Unavailable, []string{"parties", "partners"}) || len(got.Parties)+len(got.Partners) != 0 {
		t.Errorf("without party-svc = %+v", got.Unavailable)
	}
	reader := into[caseSpace](t, w.get(agent("o:firm", "ann", "cases:read"), path), 200)
	if diff := cmp.Diff(api.Permissions{AllowedRequestTypes: []string{}}, reader.Permissions); diff != "" || len(reader.Files.Items) != 0 || len(reader.Unavailable) != 0 || reader.Checklist == nil {
		t.Errorf("with cases:read alone = %+v", reader)
	}
	admin := into[caseSpace](t, w.get(user("o:firm", "root", access.RoleAdmin), path), 200)
	if admin.Container.Title != "" || len(admin.Files.Items)+len(admin.RecentPhases)+len(admin.Deadlines)+len(admin.Timeline.Branches)+len(admin.PendingReviews) != 0 || admin.Checklist != nil || admin.Container.Counts.Phases != 2 {
		t.Errorf("for an admin = %+v", admin)
	}
	refused(t, w.get(ann, "/v1/workspace/matter/"+c.CaseID), 400, "invalid_parameter")
	refused(t, w.get(ann, path+"?x=1"), 400, "invalid_parameter")
	refused(t, w.get(agent("o:firm", "ann", "files:read"), path), 403, "scope_missing")

	for _, bad := range []string{path + "?branchId=" + uuid.NewString(), "/v1/workspace/case/" + uuid.NewString(), "/v1/workspace/case/x", "/v1/workspace/support/" + c.CaseID} {
		refused(t, w.get(ann, bad), 404, "not_found")
	}
	refused(t, w.get(user("o:other", "eve"), path), 404, "not_found")
}

func TestAWorkspaceShowsThePageOfFilesThatTheListGoesOnFrom(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")

	c := w.newCase(ann, nil)

	var all []part
	for i := range 51 {
		all = append(all, textFile(fmt.Sprintf("%d.txt", i), fmt.Sprint("Exhibit ", i)))
	}

	// The oldest and the newest come alone, so that there is one order of the two.
	batches := slices.Concat([][]part{all[:1]}, slices.Collect(slices.Chunk(all[1:50], 10)), [][]part{all[50:]})
	for _, batch := range batches {
		w.clock.Advance(time.Second)
		into[uploaded](t, w.upload(ann, c.CaseID, nil, batch...), 201)
	}
	files := into[caseSpace](t, w.get(ann, "/v1/workspace/case/"+c.CaseID), 200).Files
	if len(files.Items) != 50 || files.NextCursor == nil || files.Items[0].Name != "50.txt" {
		t.Fatalf("%d files, next %v", len(files.Items), files.NextCursor)
	}
	rest := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files?cursor="+*files.NextCursor), 200)
	if len(rest.Items) != 1 || rest.Items[0].Name != "0.txt" {
		t.Errorf("the rest = %+v", rest.Items)
	}
}

func TestSupportWorkspaces(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot, root := user("o:firm", "ann"), agent("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin)
	in := beginning(api.Case{CaseID: uuid.NewString()}, api.SupportReq)
	in.ContainerType = api.ContainerSupport
	path := "/v1/workspace/support/" + in.ContainerID
	refused(t, w.get(ann, path), 404, "not_found")
	begun, err := w.as(robot).BeginPhase(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	type space = api.Workspace[api.SupportContainer]
	got := into[space](t, w.get(root, path), 200)
	at := api.At(w.clock.Now())
	want := api.SupportContainer{
		ContainerID: in.ContainerID, ContainerType: "support", Title: "Support request", Status: "open", Priority: "normal", TimelineID: begun.Phase.TimelineID,
		ActiveBranchID: begun.Phase.BranchID, Version: 1, CreatedAt: at, UpdatedAt: at,
	}
	if diff := cmp.Diff(want, got.Container); diff != "" {
		t.Errorf("container (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(api.Permissions{CanRunAgent: true, AllowedRequestTypes: []string{"support_req", "admin_req"}}, got.Permissions); diff != "" || got.Checklist != nil {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	w.clock.Advance(time.Second)
	end := answered(t, 1)
	response := *end.Response
	response.Kind = api.KindHandoff
	end.Response, end.ResponseSHA256 = &response, digest(string(wire(t, response)))
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, end); err != nil {
		t.Fatal(err)
	}
	at = api.At(w.clock.Now())
	if got := into[space](t, w.get(ann, path), 200); !got.Container.Handoff.Requested || got.Container.Version != 2 || *got.Container.Handoff.At != at || len(got.RecentPhases) != 1 {
		t.Errorf("after a handoff = %+v", got.Container)
	}
	next := in
	next.PhaseID = uuid.NewString()
	if _, err := w.as(robot).BeginPhase(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	response.Kind = api.KindClarification
	end.Response, end.ResponseSHA256 = &response, digest(string(wire(t, response)))
	if _, err := w.as(robot).EndPhase(t.Context(), next.PhaseID, end); err != nil {
		t.Fatal(err)
	}
	if got := into[space](t, w.get(ann, path), 200); got.Container.Status != "waiting_on_user" || !got.Container.Handoff.Requested {
		t.Errorf("after a question = %+v", got.Container)
	}
	timeline := into[api.Timeline](t, w.get(root, "/v1/timeline/"+begun.Phase.TimelineID), 200)
	if len(timeline.Entries) != 2 || timeline.ContainerType != "support" {
		t.Errorf("timeline = %+v", timeline)
	}
	into[api.TimelineEntry](t, w.json(root, http.MethodPost, "/v1/timeline/"+begun.Phase.TimelineID+"/entries", m{"kind": "communication", "title": "Called back"}), 201)
	refused(t, w.get(user("o:other", "eve"), path), 404, "not_found")
}

// TestChecklistForARun wants agent-svc to learn which documents a case has and lacks, as its caller may see it.
func TestChecklistForARun(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", "UNITED STATES DISTRICT COURT\n\nCOMPLAINT\n\n[Party 1] sues [Party 2].\n")), 201)
	got, err := w.as(agent("o:firm", "ann")).Checklist(t.Context(), c.CaseID)
	if err != nil || len(got.Missing) == 0 {
		t.Fatalf("Checklist = %+v, %v", got, err)
	}
	shown := into[api.Workspace[api.Case]](t, w.get(ann, "/v1/workspace/case/"+c.CaseID), 200).Checklist
	if shown.Phase != got.Phase || shown.Present != len(got.Present) || shown.Missing != len(got.Missing) {
		t.Errorf("the run is told %+v, the workspace says %+v", got, *shown)
	}
	if _, err := w.as(agent("o:other", "eve")).Checklist(t.Context(), c.CaseID); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("of another tenant: %v, want not found", err)
	}
}
