package casesvc_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestAPersonReviewsAPhase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, bob, robot := user("o:firm", "ann"), user("o:firm", "bob"), agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	path := "/v1/phases/" + in.PhaseID + "/review"
	e := refused(t, w.json(ann, http.MethodPost, path, m{"decision": "approved"}), 409, "phase_running")
	if e.Details[0].RunningPhaseID != in.PhaseID {
		t.Errorf("details = %+v", e.Details)
	}
	ended, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if e := refused(t, w.json(robot, http.MethodPost, path, m{"decision": "approved"}), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/review?phase="+in.PhaseID {
		t.Errorf("deep link = %s", e.DeepLink)
	}

	for _, tc := range []struct {
		name   string
		body   m
		status int
		code   string
	}{
		{"nothing", nil, 415, "unsupported_media_type"},
		{"neither", m{"note": "x"}, 400, "validation_failed"},
		{"both", m{"decision": "approved", "comment": "x"}, 400, "validation_failed"},
		{"unknown decision", m{"decision": "maybe"}, 400, "validation_failed"},
		{"amended without a text", m{"decision": "amended"}, 400, "validation_failed"},
		{"text without amending", m{"decision": "approved", "amendedText": "x"}, 400, "validation_failed"},
		{"comment with a note", m{"comment": "x", "note": "y"}, 400, "validation_failed"},
		{"long note", m{"decision": "approved", "note": strings.Repeat("long ", 401)}, 400, "validation_failed"},
		{"long comment", m{"comment": strings.Repeat("long ", 201)}, 400, "validation_failed"},
		{"identity in the note", m{"decision": "approved", "note": "Ask ann@example.com"}, 403, "identity_refused"},
		{"identity in the text", m{"decision": "amended", "amendedText": "Ask ann@example.com"}, 403, "identity_refused"},
		{"identity in the comment", m{"comment": "Ask ann@example.com"}, 403, "identity_refused"},
		{"unknown field", m{"decision": "approved", "colour": 1}, 400, "unknown_field"},
		{"field of an identity", m{"decision": "approved", "e_mail": ""}, 403, "identity_refused"},
	} {
		t.Run(
			tc.name,
			func(t *testing.T) { refused(t, w.json(ann, http.MethodPost, path, tc.body), tc.status, tc.code) },
		)
	}
	refused(
		t,
		w.json(user("o:firm", "root", access.RoleAdmin), http.MethodPost, path, m{"decision": "approved"}),
		403,
		"forbidden",
	)
	refused(t, w.json(user("o:other", "eve"), http.MethodPost, path, m{"decision": "approved"}), 404, "not_found")
	refused(t, w.json(ann, http.MethodPost, "/v1/phases/x/review", m{"decision": "approved"}), 404, "not_found")

	w.clock.Advance(time.Minute)
	commented := into[api.Phase](t, w.json(bob, http.MethodPost, path, m{"comment": "Page 3?"}), 200)
	said := api.Comment{UserID: "bob", At: api.At(w.clock.Now()), Text: "Page 3?"}
	if diff := cmp.Diff(api.Review{Required: true, Status: "pending", Comments: []api.Comment{said}}, commented.Review); diff != "" {
		t.Errorf("after a comment (-want +got):\n%s", diff)
	}
	w.clock.Advance(time.Minute)
	at := api.At(w.clock.Now())
	want := ended
	want.Review = api.Review{
		Required: true, Status: "amended", ReviewerUserID: "ann", At: &at, ResponseSHA256: ended.ResponseSHA256, Note: "Section 5.", AmendedText: "It is section 5.", Comments: []api.Comment{said},
	}
	got := into[api.Phase](t, w.json(ann, http.MethodPost, path, m{"decision": "amended", "note": "Section 5.", "amendedText": "It is section 5."}), 200)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reviewed (-want +got):\n%s", diff)
	}
	refused(t, w.json(bob, http.MethodPost, path, m{"decision": "rejected"}), 409, "already_reviewed")
	read := w.get(robot, "/v1/phases?phaseId="+in.PhaseID)
	if diff := cmp.Diff(want, into[api.Phase](t, read, 200)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if a := w.get(robot, "/v1/phases?phaseId="+in.PhaseID, "If-None-Match", read.Header.Get("ETag")); a.Status != 304 {
		t.Errorf("If-None-Match = %d", a.Status)
	}
	if counts := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts; counts.PendingReviews != 0 {
		t.Errorf("counts = %+v", counts)
	}

	for range 49 {
		into[api.Phase](t, w.json(bob, http.MethodPost, path, m{"comment": "Again."}), 200)
	}
	refused(t, w.json(bob, http.MethodPost, path, m{"comment": "Once more."}), 400, "validation_failed")
}

func TestWhatHasNoAnswerCannotBeSigned(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	in := beginning(w.newCase(robot, nil), api.CaseReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	failure := api.EndPhase{Attempt: 1, Status: api.PhaseFailed, Error: &api.PhaseError{Error: "internal", Message: "No."}, Engine: in.Engine}
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, failure); err != nil {
		t.Fatal(err)
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/phases/"+in.PhaseID+"/review", m{"decision": "approved"}), 409, "invalid_transition")
	into[api.Phase](t, w.json(ann, http.MethodPost, "/v1/phases/"+in.PhaseID+"/review", m{"comment": "Why?"}), 200)
}

func TestOneOfTwoReviewersDecides(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")

	c := w.newCase(robot, nil)
	for range 4 {
		p := w.work(t, robot, c, "")
		var all sync.WaitGroup
		statuses := make(chan answer, 4)

		for i, decision := range []string{"approved", "rejected", "approved", "rejected"} {
			all.Go(func() {
				body := []byte(`{"decision":"` + decision + `"}`)
				a, err := w.try(call{Method: http.MethodPost, Path: "/v1/phases/" + p.PhaseID + "/review", Caller: user("o:firm", string(rune('a'+i))), Header: map[string]string{"Content-Type": "application/json"}, Body: body})
				if err != nil {
					t.Error(err)
				}
				statuses <- a
			})
		}
		all.Wait()
		close(statuses)
		var winner api.Phase
		won := 0

		for a := range statuses {
			if a.Status == 200 {
				winner = into[api.Phase](t, a, 200)
				won++
			} else {
				refused(t, a, 409, "already_reviewed")
			}
		}
		stored := into[api.Phase](t, w.get(robot, "/v1/phases?phaseId="+p.PhaseID), 200)
		if won != 1 || !cmp.Equal(stored.Review, winner.Review) {
			t.Errorf("%d decisions were taken; stored %+v, answered %+v", won, stored.Review, winner.Review)
		}
	}
}

// A verdict with a key is given once, even when its answer is no longer kept.
func TestRepeatedReviews(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	p := w.work(t, robot, w.newCase(robot, nil), "")
	path := "/v1/phases/" + p.PhaseID + "/review"

	for key, body := range map[string]m{"said": {"comment": "Page 3?"}, "decided": {"decision": "approved"}} {
		ask := func() answer { return w.json(ann, http.MethodPost, path, body, "Idempotency-Key", key) }
		first, again := ask(), ask()
		if first.Status != 200 || string(first.Body) != string(again.Body) || again.Header.Get("ETag") != first.Header.Get("ETag") || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: %d %s, again %d %s", key, first.Status, first.Body, again.Status, again.Body)
		}
		refused(t, w.json(ann, http.MethodPost, path, m{"comment": "Another."}, "Idempotency-Key", key), 400, "idempotency_key_reused")
	}
	before := into[api.Phase](t, w.get(ann, "/v1/phases?phaseId="+p.PhaseID), 200)
	if len(before.Review.Comments) != 1 || before.Review.Status != "approved" {
		t.Fatalf("review = %+v", before.Review)
	}
	w.clock.Advance(25 * time.Hour)

	for key, body := range map[string]m{"said": {"comment": "Page 3?"}, "decided": {"decision": "approved"}} {
		a := w.json(ann, http.MethodPost, path, body, "Idempotency-Key", key)
		if got := into[api.Phase](t, a, 200); !cmp.Equal(got, before) || a.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s, when no answer is kept: %d %s", key, a.Status, a.Body)
		}
	}
	refused(t, w.json(ann, http.MethodPost, path, m{"decision": "approved"}, "Idempotency-Key", "new"), 409, "already_reviewed")
}

type phasePage = api.Page[api.Phase]

func phaseIDs(t *testing.T, a answer) []string {
	t.Helper()

	list := []string{}
	for _, p := range into[phasePage](t, a, 200).Items {
		list = append(list, p.PhaseID)
	}

	return list
}

func TestPhasesAreListed(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	first := w.work(t, robot, c, "")
	second := w.work(t, robot, c, "")
	fork := w.newBranch(ann, m{"timelineId": c.TimelineID, "fromPhaseId": first.PhaseID})
	third := w.work(t, robot, c, fork.BranchID)
	since := w.clock.Now().UTC().Format(time.RFC3339Nano)
	fourth := w.work(t, ann, c, fork.BranchID)
	into[api.Phase](t, w.json(ann, http.MethodPost, "/v1/phases/"+third.PhaseID+"/review", m{"decision": "approved"}), 200)
	in := beginning(c, api.EvalReq)
	in.BranchID = fork.BranchID
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	help := beginning(api.Case{CaseID: uuid.NewString()}, api.SupportReq)
	help.ContainerType = api.ContainerSupport
	w.clock.Advance(time.Second)
	if _, err := w.as(robot).BeginPhase(t.Context(), help); err != nil {
		t.Fatal(err)
	}

	on := "branchId=" + fork.BranchID
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"branchId=" + c.ActiveBranchID, []string{first.PhaseID, second.PhaseID}},
		{on, []string{first.PhaseID, third.PhaseID, fourth.PhaseID, in.PhaseID}},
		{on + "&order=desc&view=full", []string{in.PhaseID, fourth.PhaseID, third.PhaseID, first.PhaseID}},
		{on + "&includeInherited=false", []string{third.PhaseID, fourth.PhaseID, in.PhaseID}},
		{on + "&status=running", []string{in.PhaseID}},
		{on + "&status=running,completed&requestType=case_req", []string{first.PhaseID, third.PhaseID, fourth.PhaseID}},
		{on + "&requestType=eval_req", []string{in.PhaseID}},
		{on + "&reviewStatus=pending", []string{first.PhaseID, fourth.PhaseID}},
		{on + "&reviewStatus=approved", []string{third.PhaseID}},
		{on + "&since=" + since, []string{fourth.PhaseID, in.PhaseID}},
		{"mine=true", []string{help.PhaseID, in.PhaseID, fourth.PhaseID, third.PhaseID, second.PhaseID, first.PhaseID}},
		{"mine=true&containerId=" + help.ContainerID, []string{help.PhaseID}},
		{"mine=true&status=completed&reviewStatus=approved", []string{third.PhaseID}},
	} {
		if tc.query == "mine=true" {
			// Two of the same moment come in the order of their ids.
			got := phaseIDs(t, w.get(ann, "/v1/phases?"+tc.query))
			if len(got) != len(tc.want) || got[0] != tc.want[0] || got[5] != tc.want[5] {
				t.Errorf("%s = %v, want %v", tc.query, got, tc.want)
			}

			continue
		}
		if diff := cmp.Diff(tc.want, phaseIDs(t, w.get(ann, "/v1/phases?"+tc.query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.query, diff)
		}
	}
	var paged []string

	cursor := ""
	for {
		page := into[phasePage](t, w.get(ann, "/v1/phases?limit=2&"+on+cursor), 200)
		for _, p := range page.Items {
			paged = append(paged, p.PhaseID)
			if p.ToolCalls != nil {
				t.Error("a list shows the uses of tools")
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if diff := cmp.Diff([]string{first.PhaseID, third.PhaseID, fourth.PhaseID, in.PhaseID}, paged); diff != "" {
		t.Errorf("page by page (-want +got):\n%s", diff)
	}
	brief := into[api.Page[api.PhaseSummary]](t, w.get(ann, "/v1/phases?view=summary&limit=2&"+on), 200)
	ended := *third.EndedAt
	signed := into[api.Phase](t, w.get(ann, "/v1/phases?phaseId="+third.PhaseID), 200).Review
	want := api.PhaseSummary{
		PhaseID: third.PhaseID, BranchID: fork.BranchID, Sequence: 1, ContainerType: "case", ContainerID: c.CaseID, RequestType: "case_req", Prompt: third.Prompt, Status: "completed",
		Attempt: 1, Kind: "answer", Review: signed, Engine: third.Engine, CreatedBy: third.CreatedBy, CreatedAt: third.CreatedAt, StartedAt: third.StartedAt, EndedAt: &ended,
	}
	if diff := cmp.Diff(want, brief.Items[1]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}

	for _, query := range []string{
		"", "branchId=" + fork.BranchID + "&mine=true", on + "&containerId=" + c.CaseID, "mine=true&order=asc", "mine=maybe", on + "&order=up", on + "&view=x", on + "&status=x",
		on + "&requestType=", on + "&reviewStatus=x", on + "&since=yesterday", on + "&limit=101", on + "&x=1", "phaseId=" + in.PhaseID + "&limit=2", "mine=true&containerId=x",
	} {
		refused(t, w.get(ann, "/v1/phases?"+query), 400, "invalid_parameter")
	}
	refused(t, w.get(ann, "/v1/phases?limit=2&"+on+"&order=desc"+cursor), 400, "invalid_cursor")

	for _, query := range []string{"branchId=x", "branchId=" + uuid.NewString(), "phaseId=" + uuid.NewString()} {
		refused(t, w.get(ann, "/v1/phases?"+query), 404, "not_found")
	}
	eve, root := user("o:other", "eve"), user("o:firm", "root", access.RoleAdmin)
	refused(t, w.get(eve, "/v1/phases?"+on), 404, "not_found")
	refused(t, w.get(eve, "/v1/phases?phaseId="+in.PhaseID), 404, "not_found")
	refused(t, w.get(agent("o:firm", "ann", "files:read"), "/v1/phases?mine=true"), 403, "scope_missing")
	if got := phaseIDs(t, w.get(root, "/v1/phases?mine=true")); len(got) != 0 {
		t.Errorf("an admin's own phases = %v", got)
	}
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+c.CaseID+"?acknowledgePending=true", nil); a.Status != 204 {
		t.Fatalf("delete = %d %s", a.Status, a.Body)
	}
	refused(t, w.get(ann, "/v1/phases?"+on), 404, "not_found")
	if diff := cmp.Diff([]string{help.PhaseID}, phaseIDs(t, w.get(ann, "/v1/phases?mine=true"))); diff != "" {
		t.Errorf("mine, after the case is gone (-want +got):\n%s", diff)
	}
}

// FuzzReview sends bodies to the review of a phase: none may break the service, and none that is taken may hold more than it may.
func FuzzReview(f *testing.F) {
	for _, seed := range []string{`{"decision":"approved"}`, `{"comment":"Fine."}`, `{"decision":"amended","amendedText":"x","note":"y"}`, `{"decision":null}`, `{"comment":"a@b.example"}`, `[]`, `{`} {
		f.Add([]byte(seed))
	}
	w := start(f, nil)
	robot := agent("o:firm", "ann")
	c := w.newCase(robot, nil)
	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(f.Context(), in); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := w.in(t).try(call{
			Method: http.MethodPost, Path: "/v1/phases/" + in.PhaseID + "/review", Caller: user("o:firm", "ann"),
			Header: map[string]string{"Content-Type": "application/json"}, Body: body,
		})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status >= 500 || a.Status < 400 || !json.Valid(a.Body) {
			t.Errorf("status = %d, body %s", a.Status, a.Body)
		}
	})
}
