package casesvc_test

import (
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
	"github.com/subrosa-legal/subrosa/pkg/services"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// still keeps the sweep from doing what a test wants to see done by a person.
func still() map[string]string { return map[string]string{"CASE_SWEEP_EVERY": "1h"} }

// adminsAgent is the agent of a person who runs the tenant.
func adminsAgent(tenant, userID string) access.Caller {
	c := agent(tenant, userID)
	c.Roles = []string{access.RoleAdmin}

	return c
}

func TestOwnRefusals(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	phase := uuid.NewString()
	if err := w.as(robot).RecordRefusal(t.Context(), api.RecordRefusal{Action: "prompt.refused", ResourceType: "phase", ResourceID: phase}); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	refused(t, w.upload(robot, c.CaseID, nil, textFile("b.txt", "Write to ann@example.com")), 403, "identity_refused")
	refused(t, w.json(agent("o:elm", "ben"), http.MethodDelete, "/v1/cases/"+c.CaseID, nil), 404, "not_found")
	got, err := w.as(robot).Refusals(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	var seen []string
	for _, r := range got.Items {
		seen = append(seen, r.Action+" "+r.ResourceType+" "+r.ResourceID)
		if r.At == (api.Instant{}) || r.RequestID == "" {
			t.Errorf("%+v lacks a time or the id of the request", r)
		}
	}
	if diff := cmp.Diff([]string{"file.add case " + c.CaseID, "prompt.refused phase " + phase}, seen); diff != "" || got.Searched != 1000 {
		t.Errorf("refusals (-want +got):\n%s, searched %d", diff, got.Searched)
	}

	for _, other := range []access.Caller{ann, user("o:firm", "cy"), agent("o:elm", "ann")} {
		if got, err := w.as(other).Refusals(t.Context()); err != nil || len(got.Items) != 0 {
			t.Errorf("%s %s of %s sees %+v, %v", other.Kind, other.ID(), other.Tenant, got.Items, err)
		}
	}

	for range 12 {
		refused(t, w.json(robot, http.MethodPost, "/v1/cases/"+c.CaseID+"/conflict", m{}), 403, "human_required")
	}
	if got, err := w.as(robot).Refusals(t.Context()); err != nil || len(got.Items) != 10 || got.Items[9].Action != "conflict.decide" {
		t.Errorf("after many: %+v, %v; want the ten newest", got.Items, err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann, dora := user("o:firm", "ann"), user("o:firm", "dora", access.RoleAdmin)
	c, gone := w.newCase(ann, nil), w.newCase(ann, nil)
	w.newCase(user("o:elm", "ben"), nil)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "The rent is due."), textFile("b.txt", "Notice was given.")), 201)
	w.work(t, ann, c, "")
	w.clock.Advance(31 * 24 * time.Hour)

	for range 2 {
		w.work(t, ann, c, "")
	}
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+gone.CaseID, nil); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}

	for _, who := range []access.Caller{dora, adminsAgent("o:firm", "dora")} {
		got, err := w.as(who).Usage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := api.TenantUsage{
			Cases: map[string]int{"intake": 1, "open": 0, "on_hold": 0, "closed": 0, "archived": 0, "deleted": 1}, Files: 2, Bytes: 33,
			Phases: []api.PhaseCount{{RequestType: "case_req", Status: "completed", Count: 2}}, Since: api.At(w.clock.Now().Add(-30 * 24 * time.Hour)), Most: 10_000,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", who.Kind, diff)
		}
	}
}

func TestWaitingReviews(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann, dora := user("o:firm", "ann"), user("o:firm", "dora", access.RoleAdmin)
	c, other := w.newCase(ann, nil), w.newCase(ann, nil)
	elsewhere := w.newCase(user("o:elm", "ben"), nil)
	w.work(t, user("o:elm", "ben"), elsewhere, "")
	var want []string

	for i := range 53 {
		p := w.work(t, ann, c, "")
		if i == 20 {
			w.work(t, ann, other, "")
		}
		want = append(want, p.PhaseID)
	}
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+other.CaseID+"?acknowledgePending=true", nil); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}
	into[api.Phase](t, w.json(ann, http.MethodPost, "/v1/phases/"+want[0]+"/review", m{"decision": "approved"}), 200)
	client := w.as(adminsAgent("o:firm", "dora"))
	first, err := client.WaitingReviews(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.WaitingReviews(t.Context(), first.After)
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, r := range append(first.Items, second.Items...) {
		got = append(got, r.PhaseID)
		if r.CaseID != c.CaseID || r.RequestType != "case_req" || !slices.Equal(r.Reasons, []string{"states_law"}) || r.Since == (api.Instant{}) {
			t.Errorf("review %+v", r)
		}
	}
	if diff := cmp.Diff(want[1:], got); diff != "" || len(first.Items) != 49 || second.After != "" { // one of the first fifty is of a deleted case
		t.Errorf("%d and %d reviews, then %q (-want +got):\n%s", len(first.Items), len(second.Items), second.After, diff)
	}
	if _, err := w.as(dora).WaitingReviews(t.Context(), uuid.NewString()); code(err) != "invalid_parameter" {
		t.Errorf("after a phase that is none: %v", err)
	}
}

func TestCheckOfTheChain(t *testing.T) {
	t.Parallel()
	w := start(t, still())

	ann, dora := user("o:firm", "ann"), user("o:firm", "dora", access.RoleAdmin)
	for range 3 {
		w.newCase(ann, nil)
	}
	got, err := w.as(dora).CheckChain(t.Context(), api.ChainCheck{})
	if err != nil || got.Seq != 3 || !got.Whole || len(got.Hash) != 64 || got.Broken != nil {
		t.Errorf("check = %+v, %v, want three events", got, err)
	}
	if again, err := w.as(adminsAgent("o:firm", "dora")).CheckChain(t.Context(), got); err != nil || again != got {
		t.Errorf("from there = %+v, %v, want %+v", again, err, got)
	}
	if _, err := w.database().Collection("audit").UpdateOne(t.Context(), bson.M{"_id": "o:firm/2"}, bson.M{"$set": bson.M{"outcome": "refused"}}); err != nil {
		t.Fatal(err)
	}
	got, err = w.as(dora).CheckChain(t.Context(), api.ChainCheck{})
	if err != nil || got.Broken == nil || got.Broken.Seq != 2 || got.Seq != 1 || got.Whole {
		t.Errorf("check of a changed chain = %+v, %v", got, err)
	}
}

func TestRetentionByHand(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann, dora, dan := user(
		"o:firm",
		"ann",
	), user(
		"o:firm",
		"dora",
		access.RoleAdmin,
	), user(
		"o:firm",
		"dan",
		access.RoleAdmin,
	)
	remove := func(c api.Case) {
		t.Helper()
		if a := w.json(ann, http.MethodDelete, "/v1/cases/"+c.CaseID, nil); a.Status != 204 {
			t.Fatalf("delete: %d %s", a.Status, a.Body)
		}
	}
	due, back, later, living := w.newCase(ann, nil), w.newCase(ann, nil), w.newCase(ann, nil), w.newCase(ann, nil)
	into[uploaded](t, w.upload(ann, due.CaseID, nil, textFile("a.txt", complaint)), 201)
	remove(due)
	w.clock.Advance(time.Hour)
	remove(back)
	w.clock.Advance(30*24*time.Hour - time.Minute)
	remove(later)
	if none, err := w.as(dora).PreviewRetention(t.Context()); err != nil || len(none.Due) != 1 {
		t.Fatalf("preview = %+v, %v, want the case whose thirty days are over", none, err)
	}
	w.clock.Advance(time.Hour)
	shown, err := w.as(dora).PreviewRetention(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	var listed []string
	for _, d := range shown.Due {
		listed = append(listed, d.CaseID+" "+d.Reason)
	}
	if diff := cmp.Diff([]string{due.CaseID + " deleted", back.CaseID + " deleted"}, listed); diff != "" || shown.More || shown.Soon != 1 || shown.Held != 0 || shown.Token == "" {
		t.Errorf("preview %+v (-want +got):\n%s", shown, diff)
	}
	if n := w.documents("previews", bson.E{Key: "_id", Value: bson.M{"$regex": shown.Token}}); n != 0 {
		t.Error("the token itself is stored")
	}

	for name, run := range map[string]func() error{
		"another person's": func() error {
			_, err := w.as(dan).RunRetention(t.Context(), api.RunRetention{Token: shown.Token})
			return err
		},
		"of another tenant": func() error {
			_, err := w.as(user("o:elm", "dora", access.RoleAdmin)).RunRetention(t.Context(), api.RunRetention{Token: shown.Token})
			return err
		},
		"made up": func() error {
			_, err := w.as(dora).RunRetention(t.Context(), api.RunRetention{Token: uuid.NewString()})
			return err
		},
	} {
		if err := run(); code(err) != "invalid_parameter" {
			t.Errorf("a token that is %s: %v", name, err)
		}
	}
	if gone := w.parties.gone(); len(gone) != 0 {
		t.Fatalf("removed %v before a good token came", gone)
	}
	fresh := w.newCase(ann, nil) // comes due after the preview: not its business
	remove(fresh)
	if _, err := w.database().Collection("cases").UpdateOne(t.Context(), bson.M{"_id": "o:firm/" + fresh.CaseID}, bson.M{"$set": bson.M{"purgeAt": w.clock.Now()}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.database().Collection("cases").UpdateOne(t.Context(), bson.M{"_id": "o:firm/" + back.CaseID}, bson.M{"$set": bson.M{"retention.legalHold": true}}); err != nil {
		t.Fatal(err) // put under hold after the preview
	}
	ran, err := w.as(dora).RunRetention(t.Context(), api.RunRetention{Token: shown.Token})
	if diff := cmp.Diff(api.RetentionRun{Removed: 1, NoLonger: 1, Previewed: 2}, ran); err != nil || diff != "" {
		t.Errorf("run: %v (-want +got):\n%s", err, diff)
	}
	if gone := w.parties.gone(); !slices.Equal(gone, []string{due.CaseID}) {
		t.Errorf("removed %v, want only %s", gone, due.CaseID)
	}
	if n := w.documents("files", bson.E{Key: "caseId", Value: due.CaseID}); n != 0 {
		t.Errorf("%d files of the case are left", n)
	}
	if ran, err := w.as(dora).RunRetention(t.Context(), api.RunRetention{Token: shown.Token}); err != nil || ran.Removed != 0 || ran.NoLonger != 2 {
		t.Errorf("once more: %+v, %v", ran, err)
	}
	w.clock.Advance(10 * time.Minute)
	if _, err := w.as(dora).RunRetention(t.Context(), api.RunRetention{Token: shown.Token}); code(err) != "invalid_parameter" {
		t.Errorf("after ten minutes: %v", err)
	}
	if a := w.get(ann, "/v1/cases/"+living.CaseID); a.Status != 200 {
		t.Errorf("a case that lives: %d", a.Status)
	}

	record := fmt.Sprint(w.deeds("o:firm"))
	for _, want := range []string{"{user dora retention.preview tenant  ok}", "{user dora case.purge case " + due.CaseID + " ok}", "{user dora retention.run tenant  ok}"} {
		if !strings.Contains(record, want) {
			t.Errorf("the record lacks %s", want)
		}
	}
}

func TestReindex(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann, dora := user("o:firm", "ann"), user("o:firm", "dora", access.RoleAdmin)
	c := w.newCase(ann, nil)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 201)
	find := func() int {
		t.Helper()
		found, err := w.as(ann).Search(t.Context(), c.CaseID, api.SearchCase{Query: "landlord lease", Limit: 5})
		if err != nil {
			t.Fatal(err)
		}

		return len(found.Hits)
	}
	if find() == 0 {
		t.Fatal("nothing is found at all")
	}
	var reads [3]int // of the store: with an index, while it is made anew, with an index again
	reads[0] = w.commands(func() { find() })
	reads[1] = w.commands(func() {
		made, err := w.as(dora).Reindex(t.Context(), c.CaseID)
		if err != nil || made.Files != 1 || made.Unreadable != 0 || made.Passages < 1 {
			t.Errorf("Reindex = %+v, %v", made, err)
		}
	})
	reads[2] = w.commands(func() { find() })
	if reads[2] != reads[0] || find() == 0 {
		t.Errorf("calls to the store: %v; want the new index to be used", reads)
	}
	if n := w.documents("audit", bson.E{Key: "action", Value: "case.reindex"}); n != 1 {
		t.Errorf("on record %d times", n)
	}
	if _, err := w.as(user("o:elm", "dora", access.RoleAdmin)).Reindex(t.Context(), c.CaseID); code(err) != "not_found" {
		t.Errorf("another tenant's case: %v", err)
	}
}

// Only who runs a tenant oversees it; only a person administers it.
func TestWhoAdministers(t *testing.T) {
	t.Parallel()
	w := start(t, still())
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	type routes map[string]func(services.CaseClient) error
	reading := routes{
		"usage":   func(x services.CaseClient) error { _, err := x.Usage(t.Context()); return err },
		"reviews": func(x services.CaseClient) error { _, err := x.WaitingReviews(t.Context(), ""); return err },
		"check":   func(x services.CaseClient) error { _, err := x.CheckChain(t.Context(), api.ChainCheck{}); return err },
	}
	writing := routes{
		"preview": func(x services.CaseClient) error { _, err := x.PreviewRetention(t.Context()); return err },
		"run": func(x services.CaseClient) error {
			_, err := x.RunRetention(t.Context(), api.RunRetention{Token: "x"})
			return err
		},
		"reindex": func(x services.CaseClient) error { _, err := x.Reindex(t.Context(), c.CaseID); return err },
	}
	client := adminsAgent("o:firm", "dora")

	client.Kind, client.ClientID = access.OAuth, "app"
	for _, tc := range []struct {
		name          string
		caller        access.Caller
		reads, writes string
	}{
		{"a member", ann, "forbidden", "forbidden"},
		{"a member's agent", agent("o:firm", "ann"), "forbidden", "human_required"},
		{"an admin's agent", adminsAgent("o:firm", "dora"), "", "human_required"},
		{"an admin's application", client, "forbidden", "human_required"},
	} {
		for name, ask := range reading {
			if err := ask(w.as(tc.caller)); code(err) != tc.reads {
				t.Errorf("%s, %s: %v, want %q", tc.name, name, err, tc.reads)
			}
		}

		for name, ask := range writing {
			err := ask(w.as(tc.caller))
			if code(err) != tc.writes || tc.writes == "human_required" && !strings.Contains(errs.From(err).DeepLink, "/i/admin") {
				t.Errorf("%s, %s: %v, want %q", tc.name, name, err, tc.writes)
			}
		}
	}
}
