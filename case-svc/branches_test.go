package casesvc_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// work has a phase begun and ended on a branch, "" being the active one.
func (w *world) work(t *testing.T, caller access.Caller, c api.Case, branchID string) api.Phase {
	t.Helper()
	in := beginning(c, api.CaseReq)
	in.BranchID = branchID
	client := w.as(caller)
	begun, err := client.BeginPhase(t.Context(), in)
	if err != nil {
		t.Fatalf("BeginPhase: %v", err)
	}
	w.clock.Advance(time.Second)
	p, err := client.EndPhase(t.Context(), in.PhaseID, answered(t, begun.Phase.Attempt))
	if err != nil {
		t.Fatalf("EndPhase: %v", err)
	}

	return p
}

func (w *world) newBranch(caller access.Caller, body m) api.Branch {
	w.t.Helper()
	return into[api.Branch](w.t, w.json(caller, http.MethodPost, "/v1/branch", body), 201)
}

func TestBranchesFork(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	first := w.work(t, robot, c, "")
	second := w.work(t, robot, c, "")
	made := w.json(robot, http.MethodPost, "/v1/branch", m{"timelineId": c.TimelineID, "fromPhaseId": first.PhaseID, "title": "What if [Party 2] paid", "purpose": "opposing_view"})
	fork := into[api.Branch](t, made, 201)
	at := api.At(w.clock.Now())
	want := api.Branch{
		BranchID: fork.BranchID, Version: 1, TimelineID: c.TimelineID, ContainerType: "case", ContainerID: c.CaseID, Title: "What if [Party 2] paid", Purpose: "opposing_view",
		ParentBranchID: &c.ActiveBranchID, ForkPhaseID: &first.PhaseID, Status: "active", InheritedPhaseCount: 1, Depth: 1, SharedWithInviteIDs: []string{},
		CreatedBy: api.Actor{Kind: "agent", ID: robot.AgentID, UserID: "ann"}, CreatedAt: at, UpdatedAt: at,
		Lineage: []api.LineageStep{{BranchID: c.ActiveBranchID, Title: "main", PhaseCount: 1}, {BranchID: fork.BranchID, Title: "What if [Party 2] paid", ForkPhaseID: &first.PhaseID}},
	}
	if diff := cmp.Diff(want, fork); diff != "" {
		t.Errorf("fork (-want +got):\n%s", diff)
	}
	if made.Header.Get("Location") != "/v1/branch/"+fork.BranchID || made.Header.Get("ETag") != `"1"` {
		t.Errorf("Location, ETag = %q, %q", made.Header.Get("Location"), made.Header.Get("ETag"))
	}
	third := w.work(t, robot, c, fork.BranchID)
	if third.Sequence != 1 || third.ParentPhaseID == nil || *third.ParentPhaseID != first.PhaseID || third.PrevHash != first.Hash {
		t.Errorf("first phase of the fork = %d after %v with %s", third.Sequence, third.ParentPhaseID, third.PrevHash)
	}
	if root := into[api.Branch](t, w.get(ann, "/v1/branch/"+c.ActiveBranchID), 200); root.OwnPhaseCount != 2 || *root.HeadPhaseID != second.PhaseID || root.ParentBranchID != nil || root.Depth != 0 || len(root.Lineage) != 1 {
		t.Errorf("root = %+v", root)
	}
	grandchild := w.newBranch(ann, m{"timelineId": c.TimelineID, "parentBranchId": fork.BranchID})
	if grandchild.Title != "Branch 3" || grandchild.Purpose != "alternative" || grandchild.Depth != 2 || grandchild.InheritedPhaseCount != 2 || *grandchild.ForkPhaseID != third.PhaseID {
		t.Errorf("grandchild = %+v", grandchild)
	}
	// A parent without phases of its own gives no fork point, but all that it sees itself.
	leaf := w.newBranch(ann, m{"timelineId": c.TimelineID, "parentBranchId": grandchild.BranchID})
	if leaf.ForkPhaseID != nil || leaf.InheritedPhaseCount != 2 || len(leaf.Lineage) != 4 {
		t.Errorf("leaf = %+v", leaf)
	}
	if p := w.work(t, robot, c, leaf.BranchID); *p.ParentPhaseID != third.PhaseID || p.PrevHash != third.Hash {
		t.Errorf("first phase of the leaf follows %s", *p.ParentPhaseID)
	}
	got := w.get(ann, "/v1/branch/"+leaf.BranchID)
	if a := w.get(ann, "/v1/branch/"+leaf.BranchID, "If-None-Match", got.Header.Get("ETag")); a.Status != 304 {
		t.Errorf("If-None-Match = %d", a.Status)
	}
	in := beginning(c, api.CaseReq)
	in.BranchID, in.ParentPhaseID = grandchild.BranchID, third.PhaseID
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	busy := w.get(ann, "/v1/branch/"+grandchild.BranchID, "If-None-Match", `"1"`)
	if b := into[api.Branch](t, busy, 200); b.RunningPhaseID == nil || *b.RunningPhaseID != in.PhaseID || b.OwnPhaseCount != 1 {
		t.Errorf("branch while a phase runs = %+v", b)
	}
	e := refused(t, w.json(ann, http.MethodPost, "/v1/branch", m{"timelineId": c.TimelineID, "fromPhaseId": in.PhaseID}), 409, "phase_running")
	if len(e.Details) != 1 || e.Details[0].RunningPhaseID != in.PhaseID {
		t.Errorf("details = %+v", e.Details)
	}
}

func TestForksAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c, other := w.newCase(robot, nil), w.newCase(robot, nil)
	elsewhere := w.work(t, robot, other, "")
	here := w.work(t, robot, c, "")

	fork := w.newBranch(ann, m{"timelineId": c.TimelineID})
	for _, tc := range []struct {
		name   string
		caller access.Caller
		body   m
		status int
		code   string
	}{
		{"no timeline", ann, m{}, 400, "validation_failed"},
		{"unknown timeline", ann, m{"timelineId": uuid.NewString()}, 404, "not_found"},
		{"another tenant's timeline", user("o:other", "eve"), m{"timelineId": c.TimelineID}, 404, "not_found"},
		{"unknown phase", ann, m{"timelineId": c.TimelineID, "fromPhaseId": uuid.NewString()}, 404, "not_found"},
		{"phase of another timeline", ann, m{"timelineId": c.TimelineID, "fromPhaseId": elsewhere.PhaseID}, 400, "phase_not_on_timeline"},
		{"parent of another timeline", ann, m{"timelineId": c.TimelineID, "parentBranchId": other.ActiveBranchID}, 404, "not_found"},
		{"parent that is not the phase's", ann, m{"timelineId": c.TimelineID, "fromPhaseId": here.PhaseID, "parentBranchId": fork.BranchID}, 400, "validation_failed"},
		{"id that is none", ann, m{"timelineId": c.TimelineID, "fromPhaseId": "x"}, 400, "validation_failed"},
		{"purpose of the root", ann, m{"timelineId": c.TimelineID, "purpose": "main"}, 400, "validation_failed"},
		{"long title", ann, m{"timelineId": c.TimelineID, "title": strings.Repeat("long ", 25)}, 400, "validation_failed"},
		{"identity in the title", robot, m{"timelineId": c.TimelineID, "title": "Ask ann@example.com"}, 403, "identity_refused"},
		{"unknown field", ann, m{"timelineId": c.TimelineID, "colour": 1}, 400, "unknown_field"},
		{"field of an identity", ann, m{"timelineId": c.TimelineID, "lastName": ""}, 403, "identity_refused"},
		{"admin", user("o:firm", "root", access.RoleAdmin), m{"timelineId": c.TimelineID}, 403, "forbidden"},
		{"agent without the scope", agent("o:firm", "ann", "cases:read"), m{"timelineId": c.TimelineID}, 403, "scope_missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused(t, w.json(tc.caller, http.MethodPost, "/v1/branch", tc.body), tc.status, tc.code)
		})
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/branch?x=1", m{"timelineId": c.TimelineID}), 400, "invalid_parameter")

	for _, id := range []string{"x", uuid.NewString()} {
		refused(t, w.get(ann, "/v1/branch/"+id), 404, "not_found")
	}
	refused(t, w.get(user("o:other", "eve"), "/v1/branch/"+fork.BranchID), 404, "not_found")
}

func TestForksHaveTheirLimits(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)

	parent := c.ActiveBranchID
	for n := range 16 {
		b := w.newBranch(ann, m{"timelineId": c.TimelineID, "parentBranchId": parent})
		if b.Depth != n+1 {
			t.Fatalf("depth = %d, want %d", b.Depth, n+1)
		}
		parent = b.BranchID
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/branch", m{"timelineId": c.TimelineID, "parentBranchId": parent}), 400, "depth_exceeded")
	branches := mongostore.NewBranchStore(w.database())

	for n := 18; n <= 196; n++ {
		b := phases.Branch{ID: uuid.NewString(), Tenant: "o:firm", Version: 1, Number: n, TimelineID: c.TimelineID, ContainerType: "case", ContainerID: c.CaseID, ParentID: c.ActiveBranchID}
		if err := branches.InsertBranch(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	// 196 are there. Many at once come to 200, and not to one more.
	var all sync.WaitGroup
	answers := make(chan answer, 8)

	for range 8 {
		all.Go(func() {
			a, err := w.try(call{Method: http.MethodPost, Path: "/v1/branch", Caller: ann, Header: map[string]string{"Content-Type": "application/json"}, Body: fmt.Appendf(nil, `{"timelineId":%q}`, c.TimelineID)})
			if err != nil {
				t.Error(err)
			}
			answers <- a
		})
	}
	all.Wait()
	close(answers)
	var titles []string

	for a := range answers {
		if a.Status == 201 {
			titles = append(titles, into[api.Branch](t, a, 201).Title)
		} else {
			refused(t, a, 409, "branch_limit")
		}
	}
	slices.Sort(titles)
	if diff := cmp.Diff([]string{"Branch 197", "Branch 198", "Branch 199", "Branch 200"}, titles); diff != "" {
		t.Errorf("the last branches (-want +got):\n%s", diff)
	}
}

func TestForksAreMadeOncePerKey(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	body := m{"timelineId": c.TimelineID, "title": "One"}
	first := w.json(ann, http.MethodPost, "/v1/branch", body, "Idempotency-Key", "k")
	again := w.json(ann, http.MethodPost, "/v1/branch", body, "Idempotency-Key", "k")
	if first.Status != 201 || again.Status != 201 || string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d, again %d %s", first.Status, again.Status, again.Body)
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/branch", m{"timelineId": c.TimelineID, "title": "Two"}, "Idempotency-Key", "k"), 400, "idempotency_key_reused")
}

func TestBranchesChange(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	b := w.newBranch(robot, m{"timelineId": c.TimelineID})
	path := "/v1/branch/" + b.BranchID
	renamed := into[api.Branch](t, w.json(robot, http.MethodPatch, path, m{"title": " New "}, "If-Match", `"1"`, "Content-Type", "application/merge-patch+json"), 200)
	if renamed.Title != "New" || renamed.Version != 2 {
		t.Errorf("renamed = %+v", renamed)
	}
	refused(t, w.json(ann, http.MethodPatch, path, m{"title": "Late"}, "If-Match", `"1"`), 412, "version_mismatch")
	e := refused(t, w.json(robot, http.MethodPatch, path, m{"status": "archived"}), 403, "human_required")
	if e.DeepLink != "https://subrosa.test/i/case_settings?case="+c.CaseID {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	refused(t, w.json(ann, http.MethodPatch, path, m{"status": nil}), 400, "validation_failed")
	refused(t, w.json(ann, http.MethodPatch, path, m{"status": "gone"}), 400, "validation_failed")
	refused(t, w.json(ann, http.MethodPatch, path, m{"title": "Ask ann@example.com"}), 403, "identity_refused")
	refused(t, w.json(ann, http.MethodPatch, path, m{"purpose": "draft"}), 400, "unknown_field")
	refused(t, w.json(user("o:other", "eve"), http.MethodPatch, path, m{"title": "x"}), 404, "not_found")
	refused(
		t,
		w.json(user("o:firm", "root", access.RoleAdmin), http.MethodPatch, path, m{"title": "x"}),
		403,
		"forbidden",
	)
	refused(
		t,
		w.json(ann, http.MethodPatch, "/v1/branch/"+c.ActiveBranchID, m{"status": "archived"}),
		409,
		"invalid_transition",
	)
	in := beginning(c, api.CaseReq)
	in.BranchID = b.BranchID
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if e := refused(t, w.json(ann, http.MethodPatch, path, m{"status": "archived"}), 409, "branch_busy"); e.Details[0].RunningPhaseID != in.PhaseID {
		t.Errorf("details = %+v", e.Details)
	}
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}
	if got := into[api.Branch](t, w.json(ann, http.MethodPatch, path, m{"status": "archived"}), 200); got.Status != "archived" {
		t.Errorf("status = %s", got.Status)
	}
	in = beginning(c, api.CaseReq)
	in.BranchID = b.BranchID
	if _, err := w.as(robot).BeginPhase(t.Context(), in); code(err) != "branch_archived" {
		t.Errorf("BeginPhase on an archived branch = %v", err)
	}
	if got := into[api.Branch](t, w.json(ann, http.MethodPatch, path, m{"status": "active"}), 200); got.Status != "active" {
		t.Errorf("status = %s", got.Status)
	}
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Errorf("BeginPhase on a branch that was brought back = %v", err)
	}
}

func TestABranchOfAClosedCaseStaysAsItIs(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.readyIntake(ann, party1)
	path := "/v1/branch/" + w.newBranch(ann, m{"timelineId": c.TimelineID}).BranchID
	before := w.get(ann, path)
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "declined"}), 200)

	for _, by := range []access.Caller{ann, robot} {
		refused(t, w.json(by, http.MethodPatch, path, m{"title": "Late"}), 409, "case_closed")
	}
	refused(t, w.json(ann, http.MethodPatch, path, m{"status": "archived"}), 409, "case_closed")
	if after := w.get(ann, path); string(after.Body) != string(before.Body) {
		t.Errorf("the branch = %s, want %s", after.Body, before.Body)
	}
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "open"}), 200)
	into[api.Branch](t, w.json(ann, http.MethodPatch, path, m{"title": "In time"}), 200)
}

func TestACaseHasItsContainerToItself(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	in := beginning(c, api.SupportReq)
	in.ContainerType = api.ContainerSupport
	if _, err := w.as(robot).BeginPhase(t.Context(), in); code(err) != "not_found" {
		t.Errorf("a support container of a case's id: %v", err)
	}
}
