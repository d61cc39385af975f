package casesvc_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

var errNotYet = errors.New("not yet")

// unmet checks a refused transition and returns what it lacks.
func unmet(t *testing.T, a answer, from, to string) []string {
	t.Helper()
	e := refused(t, a, 409, "invalid_transition")
	if len(e.Details) != 1 || e.Details[0].From != from || e.Details[0].To != to {
		t.Fatalf("details = %+v, want from %s to %s", e.Details, from, to)
	}

	return e.Details[0].Unmet
}

func TestOpeningACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	open := m{"status": "open"}
	t.Run("lacks everything", func(t *testing.T) {
		c := w.newCase(ann, nil)
		want := []string{"jurisdiction", "practiceAreas", "client", "conflict"}
		if diff := cmp.Diff(want, unmet(t, w.patch(ann, c.CaseID, open), "intake", "open")); diff != "" {
			t.Errorf("unmet (-want +got):\n%s", diff)
		}
	})
	t.Run("with what it lacked in the same change", func(t *testing.T) {
		c := w.newCase(ann, nil)
		w.parties.has(c.CaseID, clients([]string{party1}))
		got := into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "open", "jurisdiction": "US", "practiceAreas": []m{{"scheme": "NSMI", "code": "1610500"}}, "clientPartyId": party1}), 200)
		if got.Status != "open" || got.OpenedOn != "2026-03-04" || got.ClientPartyID != party1 || got.Conflict.Status != "clear" || got.Counts.Parties != 2 {
			t.Errorf("case = %+v", got)
		}
	})
	t.Run("two clients want joint representation", func(t *testing.T) {
		c := w.readyIntake(ann, party1)
		w.parties.has(c.CaseID, clients([]string{party1, c.CaseID}))
		if lacks := unmet(t, w.patch(ann, c.CaseID, open), "intake", "open"); !slices.Equal(lacks, []string{"jointRepresentation"}) {
			t.Errorf("unmet = %v", lacks)
		}
		into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "open", "jointRepresentation": true}), 200)
	})
	t.Run("a potential conflict does not stop a person, a block does", func(t *testing.T) {
		c := w.readyIntake(ann, party1)
		w.parties.has(c.CaseID, clients([]string{party1}, party1))
		into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/conflict", m{"decision": "blocked", "reason": "Too close"}), 200)
		if a := w.json(ann, http.MethodPost, "/internal/cases/"+c.CaseID+"/recount", nil); a.Status != 204 {
			t.Fatalf("recount: %d %s", a.Status, a.Body)
		}
		if got := into[api.Case](t, w.patch(ann, c.CaseID, open), 200); got.Conflict.Status != "potential" {
			t.Errorf("conflict = %+v", got.Conflict)
		}
		d := w.readyIntake(ann, party1)
		into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases/"+d.CaseID+"/conflict", m{"decision": "blocked", "reason": "Too close"}), 200)
		if lacks := unmet(t, w.patch(ann, d.CaseID, open), "intake", "open"); !slices.Equal(lacks, []string{"conflict"}) {
			t.Errorf("unmet = %v", lacks)
		}
	})
	t.Run("party-svc is away", func(t *testing.T) {
		c := w.readyIntake(ann, party1)
		w.parties.goAway(true)
		refused(t, w.patch(ann, c.CaseID, open), 503, "unavailable")
		w.parties.goAway(false)
	})
	t.Run("after it was declined", func(t *testing.T) {
		declined := m{"status": "closed", "closeReason": "declined"}
		c := w.newCase(ann, nil)
		into[api.Case](t, w.patch(ann, c.CaseID, declined), 200)
		want := []string{"jurisdiction", "practiceAreas", "client", "conflict"}
		if diff := cmp.Diff(want, unmet(t, w.patch(ann, c.CaseID, open), "closed", "open")); diff != "" {
			t.Errorf("unmet (-want +got):\n%s", diff)
		}
		if got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200); got.Status != "closed" || got.CloseReason != "declined" || got.ClosedOn == "" {
			t.Errorf("refused, the case is %+v", got)
		}
		d := w.readyIntake(ann, party1)
		into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases/"+d.CaseID+"/conflict", m{"decision": "blocked", "reason": "Too close"}), 200)
		into[api.Case](t, w.patch(ann, d.CaseID, declined), 200)
		if lacks := unmet(t, w.patch(ann, d.CaseID, open), "closed", "open"); !slices.Equal(lacks, []string{"conflict"}) {
			t.Errorf("unmet = %v", lacks)
		}
		into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases/"+d.CaseID+"/conflict", m{"decision": "waived", "reason": "Both agreed"}), 200)
		if got := into[api.Case](t, w.patch(ann, d.CaseID, open), 200); got.OpenedOn != "2026-03-04" || got.ClosedOn+got.CloseReason+got.Retention.RetainUntil != "" {
			t.Errorf("case = %+v", got)
		}
	})
	t.Run("by whom the settings say", func(t *testing.T) {
		root := user("o:firm", "root", access.RoleAdmin)
		member := user("o:firm", "bob", access.RoleMember)
		c := w.readyIntake(ann, party1)
		refused(t, w.patch(robot, c.CaseID, open), 403, "human_required")
		into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"openedBy": "agents"}), 200)
		into[api.Case](t, w.patch(robot, c.CaseID, open), 200)
		d := w.readyIntake(ann, party1)
		w.parties.has(d.CaseID, clients([]string{party1}, party1))
		if e := refused(t, w.patch(robot, d.CaseID, open), 403, "human_required"); !strings.Contains(e.DeepLink, "/i/conflict_check?") {
			t.Errorf("deep link = %s", e.DeepLink)
		}
		into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"openedBy": "owners"}), 200)
		refused(t, w.patch(member, d.CaseID, open), 403, "forbidden")
		into[api.Case](t, w.patch(member, d.CaseID, m{"status": "closed", "closeReason": "declined"}), 200)
		refused(t, w.patch(member, d.CaseID, open), 403, "forbidden")
		into[api.Case](t, w.patch(ann, d.CaseID, open), 200)
	})
}

func TestACaseUnderWayHasOneClientOrThemJointly(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.readyIntake(ann, party1)
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "open", "jointRepresentation": true}), 200)
	w.parties.has(c.CaseID, clients([]string{party1, c.CaseID}))
	apart := m{"jointRepresentation": false}
	wants := func(from, to string, body m) {
		t.Helper()
		if lacks := unmet(t, w.patch(ann, c.CaseID, body), from, to); !slices.Equal(lacks, []string{"jointRepresentation"}) {
			t.Errorf("unmet = %v", lacks)
		}
	}
	wants("open", "open", apart)
	wants("open", "on_hold", m{"jointRepresentation": false, "status": "on_hold"})
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "settled"}), 200)
	wants("closed", "open", m{"jointRepresentation": false, "status": "open"})
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "open"}), 200)

	taken, now := w.parties.held()
	if taken == 0 || now != 0 {
		t.Errorf("%d turns were taken, %d are still held", taken, now)
	}
	w.parties.has(c.CaseID, clients([]string{party1}))
	w.parties.holds(c.CaseID, "somebody")
	refused(t, w.patch(ann, c.CaseID, apart), 409, "write_conflict") // who holds the turn may be adding a client
	w.parties.holds(c.CaseID, "")
	if got := into[api.Case](t, w.patch(ann, c.CaseID, apart), 200); got.JointRepresentation {
		t.Errorf("case = %+v", got)
	}
}

func TestTheLifeOfACase(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot, root := user("o:firm", "ann"), agent("o:firm", "ann"), user("o:firm", "root", access.RoleAdmin)
	c := w.readyIntake(ann, party1)
	path := "/v1/cases/" + c.CaseID
	move := func(caller access.Caller, body m) api.Case {
		t.Helper()
		return into[api.Case](t, w.patch(caller, c.CaseID, body), 200)
	}

	for to, lacks := range map[string]int{"on_hold": 0, "archived": 0} {
		if got := unmet(t, w.patch(ann, c.CaseID, m{"status": to}), "intake", to); len(got) != lacks {
			t.Errorf("to %s: unmet = %v", to, got)
		}
	}
	if lacks := unmet(t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "settled"}), "intake", "closed"); !slices.Equal(lacks, []string{"closeReason"}) {
		t.Errorf("unmet = %v", lacks)
	}
	move(ann, m{"status": "open"})
	move(robot, m{"status": "on_hold"})
	move(robot, m{"status": "open"})
	unmet(t, w.patch(ann, c.CaseID, m{"status": "intake"}), "open", "intake")
	unmet(t, w.patch(ann, c.CaseID, m{"status": "closed"}), "open", "closed")

	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if e := refused(t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "settled"}), 409, "branch_busy"); e.Details[0].RunningPhaseID != in.PhaseID {
		t.Errorf("details = %+v", e.Details)
	}
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}
	refused(t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "settled"}), 409, "review_pending")
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"retention": m{"probate": 20}}), 200)
	got := into[api.Case](t, w.json(ann, http.MethodPatch, path+"?acknowledgePending=true", m{"status": "closed", "closeReason": "settled", "summary": "Settled"}), 200)
	if got.ClosedOn != "2026-03-04" || got.Retention.RetainUntil != "2033-03-04" || got.CloseReason != "settled" {
		t.Errorf("closed: %+v", got)
	}
	refused(t, w.patch(ann, c.CaseID, m{"title": "A new title"}), 409, "case_closed")
	if got := move(ann, m{"retention": m{"policyCode": "probate"}}); got.Retention.RetainUntil != "2046-03-04" {
		t.Errorf("another policy: %+v", got.Retention)
	}
	if got := move(ann, m{"status": "open", "title": "Open again"}); got.ClosedOn+got.Retention.RetainUntil+got.CloseReason != "" || got.OpenedOn != "2026-03-04" {
		t.Errorf("reopened: %+v", got)
	}
	move(ann, m{"retention": m{"policyCode": "default"}})
	into[api.Case](t, w.json(ann, http.MethodPatch, path+"?acknowledgePending=true", m{"status": "closed", "closeReason": "settled"}), 200)
	move(ann, m{"retention": m{"legalHold": true}})
	if lacks := unmet(t, w.patch(ann, c.CaseID, m{"status": "archived"}), "closed", "archived"); !slices.Equal(lacks, []string{"legalHold"}) {
		t.Errorf("unmet = %v", lacks)
	}
	into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", m{"archiveAfterDays": 30}), 200)
	w.clock.Advance(31 * 24 * time.Hour)
	other := w.newCase(ann, nil) // once the sweep has archived it, it has been past the case under hold as well
	into[api.Case](t, w.patch(ann, other.CaseID, m{"status": "closed", "closeReason": "declined"}), 200)
	w.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if got := into[api.Case](t, w.get(ann, "/v1/cases/"+other.CaseID), 200); got.Status != "archived" {
			return errNotYet
		}

		return nil
	})
	if got := into[api.Case](t, w.get(ann, path), 200); got.Status != "closed" {
		t.Fatalf("a case under hold is %s", got.Status)
	}
	move(root, m{"retention": m{"legalHold": false}})
	testkit.Until(t, testkit.Patience, func() error {
		if got := into[api.Case](t, w.get(ann, path), 200); got.Status != "archived" {
			return errNotYet
		}

		return nil
	})
	unmet(t, w.patch(ann, c.CaseID, m{"status": "open"}), "archived", "open")
	since := w.clock.Now()
	w.clock.Advance(8 * 366 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if a := w.get(ann, path); a.Status != 404 {
			return errNotYet
		}

		return nil
	})
	feed := into[api.Page[api.CaseChange]](t, w.get(ann, "/v1/cases?includeDeleted=true&sort=updatedAt&updatedSince="+url.QueryEscape(since.Format(time.RFC3339Nano))), 200)
	if !slices.ContainsFunc(feed.Items, func(r api.CaseChange) bool { return r.Deleted && r.CaseID == c.CaseID && r.DeletedAt != nil }) {
		t.Errorf("feed = %+v", feed.Items)
	}
	refused(t, w.json(ann, http.MethodPost, path+"/restore", nil), 404, "not_found")
}

func TestRestoringACase(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	owner, member, robot := user("o:firm", "ann"), user("o:firm", "bob", access.RoleMember), agent("o:firm", "ann")
	remove := func(caller access.Caller, id string) {
		t.Helper()
		if a := w.json(caller, http.MethodDelete, "/v1/cases/"+id, nil); a.Status != 204 {
			t.Fatalf("delete: %d %s", a.Status, a.Body)
		}
	}
	restore := func(caller access.Caller, id string, header ...string) answer {
		return w.json(caller, http.MethodPost, "/v1/cases/"+id+"/restore", nil, header...)
	}
	t.Run("by whom", func(t *testing.T) {
		c := w.newCase(owner, m{"title": "Lease of [Party 1]"})
		remove(owner, c.CaseID)
		if e := refused(t, restore(robot, c.CaseID), 403, "human_required"); !strings.Contains(e.DeepLink, "/i/case_settings?") {
			t.Errorf("deep link = %s", e.DeepLink)
		}
		refused(t, restore(member, c.CaseID), 403, "forbidden")
		refused(t, restore(user("o:firm", "root", access.RoleAdmin), c.CaseID), 403, "forbidden")
		refused(t, restore(user("o:other", "eve"), c.CaseID), 404, "not_found")
		refused(t, restore(owner, party1), 404, "not_found")
		if got := into[api.Case](t, restore(owner, c.CaseID), 200); got.Title != c.Title || got.Version <= c.Version {
			t.Errorf("restored: %+v", got)
		}
		into[api.Case](t, restore(owner, c.CaseID), 200)
		into[api.Case](t, w.get(member, "/v1/cases/"+c.CaseID), 200)
		d := w.newCase(robot, nil)
		remove(robot, d.CaseID)
		into[api.Case](t, restore(member, d.CaseID), 200)
	})
	t.Run("the same request again", func(t *testing.T) {
		c := w.newCase(owner, nil)
		remove(owner, c.CaseID)
		first, again := restore(owner, c.CaseID, "Idempotency-Key", "r1"), restore(owner, c.CaseID, "Idempotency-Key", "r1")
		if string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("first %s, again %s", first.Body, again.Body)
		}
	})
	t.Run("a reference that is taken meanwhile", func(t *testing.T) {
		c := w.newCase(owner, m{"externalRef": "firm 9"})
		remove(owner, c.CaseID)
		w.newCase(owner, m{"externalRef": "firm 9"})
		refused(t, restore(owner, c.CaseID), 409, "external_ref_taken")
	})
	t.Run("in time only", func(t *testing.T) {
		c := w.newCase(owner, nil)
		remove(owner, c.CaseID)
		w.clock.Advance(30 * 24 * time.Hour)
		refused(t, restore(owner, c.CaseID), 404, "not_found")
	})
}

func TestWhatPartiesChange(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot, service := user(
		"o:firm",
		"ann",
	), agent(
		"o:firm",
		"ann",
	), access.Caller{
		Kind:   access.Service,
		Tenant: "o:firm",
	}
	c := w.newCase(ann, nil)
	path := "/v1/cases/" + c.CaseID
	recount := func(r api.Roster) api.Conflict {
		t.Helper()
		w.parties.has(c.CaseID, r)
		if a := w.json(service, http.MethodPost, "/internal/cases/"+c.CaseID+"/recount", nil); a.Status != 204 {
			t.Fatalf("recount: %d %s", a.Status, a.Body)
		}
		got := into[api.Case](t, w.get(ann, path), 200)
		if got.Counts.Parties != r.Counts.Parties || got.Counts.Invites != r.Counts.Invites {
			t.Errorf("counts = %+v, want those of %+v", got.Counts, r.Counts)
		}

		return got.Conflict
	}
	decide := func(decision string) api.Conflict {
		t.Helper()
		return into[api.Case](t, w.json(ann, http.MethodPost, path+"/conflict", m{"decision": decision, "reason": "Looked into"}), 200).Conflict
	}
	const other, third = "0190a3b1-0000-7000-8000-00000000000b", "0190a3b1-0000-7000-8000-00000000000c"

	for _, step := range []struct {
		name string
		do   func() api.Conflict
		want string
		hits int
	}{
		{"no tokens", func() api.Conflict { return recount(api.Roster{}) }, "not_run", 0},
		{"tokens without a hit", func() api.Conflict { return recount(clients(nil)) }, "clear", 0},
		{"a hit", func() api.Conflict { return recount(clients(nil, other)) }, "potential", 1},
		{"a person's decision", func() api.Conflict { return decide("waived") }, "waived", 1},
		{"the same hit", func() api.Conflict { return recount(clients(nil, other)) }, "waived", 1},
		{"a new hit", func() api.Conflict { return recount(clients(nil, other, third)) }, "potential", 2},
		{"a decision about both", func() api.Conflict { return decide("clear") }, "clear", 2},
		{"one of them", func() api.Conflict { return recount(clients(nil, third)) }, "clear", 1},
		{"more than are listed", func() api.Conflict { return recount(unlisted(clients(nil, third), 1200)) }, "potential", 1},
		{"a decision about all", func() api.Conflict { return decide("clear") }, "clear", 1},
		{"the same ones", func() api.Conflict { return recount(unlisted(clients(nil, third), 1200)) }, "clear", 1},
		{"one more that is not listed", func() api.Conflict { return recount(unlisted(clients(nil, third), 1201)) }, "potential", 1},
		{"a block", func() api.Conflict { return decide("blocked") }, "blocked", 1},
		{"no hit any more", func() api.Conflict { return recount(clients(nil)) }, "blocked", 0},
		{"nor tokens", func() api.Conflict { return recount(api.Roster{}) }, "blocked", 0},
	} {
		if got := step.do(); got.Status != step.want || got.HitCount != step.hits {
			t.Errorf("%s: conflict = %+v, want %s with %d hits", step.name, got, step.want, step.hits)
		}
	}
	if e := refused(t, w.json(robot, http.MethodPost, path+"/conflict", m{
		"decision": "clear",
		"reason":   "x",
	}), 403, "human_required"); !strings.Contains(
		e.DeepLink,
		"/i/conflict_check?case="+c.CaseID,
	) {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	refused(
		t,
		w.json(
			user("o:firm", "root", access.RoleAdmin),
			http.MethodPost,
			path+"/conflict",
			m{"decision": "clear", "reason": "x"},
		),
		403,
		"forbidden",
	)
	refused(
		t,
		w.json(ann, http.MethodPost, path+"/conflict", m{"decision": "maybe", "reason": "x"}),
		400,
		"validation_failed",
	)
	refused(
		t,
		w.json(ann, http.MethodPost, path+"/conflict", m{"decision": "clear", "reason": " "}),
		400,
		"validation_failed",
	)
	refused(
		t,
		w.json(ann, http.MethodPost, path+"/conflict", m{"decision": "clear", "reason": "ask ann@example.com"}),
		403,
		"identity_refused",
	)
}

func TestARunOnADeletedCase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)

	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	for range 8 {
		c := w.newCase(ann, nil)
		in := beginning(c, api.CaseReq)
		var both sync.WaitGroup
		var begun error
		var deleted answer
		both.Go(func() { _, begun = w.as(robot).BeginPhase(t.Context(), in) })
		both.Go(func() {
			deleted, _ = w.try(call{Method: http.MethodDelete, Path: "/v1/cases/" + c.CaseID, Caller: ann})
		})
		both.Wait()
		running := false
		if p, err := w.as(access.Caller{
			Kind:   access.Service,
			Tenant: "u:ann",
		}).Phase(t.Context(), in.PhaseID); err == nil {
			running = p.Status == "running"
		}

		switch gone := w.get(ann, "/v1/cases/"+c.CaseID).Status == 404; {
		case gone != (deleted.Status == 204):
			t.Errorf("deletion was answered %d, the case is gone: %t", deleted.Status, gone)
		case gone && running:
			t.Error("a phase runs on a deleted case")
		case gone && begun == nil:
			t.Error("a run was promised on a deleted case")
		case !gone && deleted.Status != 409:
			t.Errorf("deletion was answered %d: %s", deleted.Status, deleted.Body)
		}
	}
}

// An application that is described by a document has one id for all its users, so the record names the user, too.
func TestTheRecordNamesWhoseApplicationItWas(t *testing.T) {
	t.Parallel()
	w := start(t, nil)

	const client = "https://app.example.com/client.json"
	for _, id := range []string{"ann", "ben"} {
		c := access.Caller{Kind: access.OAuth, Tenant: "o:firm", UserID: id, ClientID: client, Scopes: access.GrantScopes()}
		into[api.Case](t, w.get(c, "/v1/cases/"+w.newCase(c, nil).CaseID), 200)
	}
	w.newCase(user("o:firm", "ann"), nil)
	v := record.Verifier{Tenant: "o:firm"}

	var who []api.AuditActor
	for _, e := range into[api.Page[api.AuditEvent]](t, w.get(user("o:firm", "ann"), "/v1/audit/case?action=case.create"), 200).Items {
		who = append(who, e.Actor)
	}
	if want := []api.AuditActor{{Kind: "oauth", ID: client, UserID: "ann"}, {Kind: "oauth", ID: client, UserID: "ben"}, {Kind: "user", ID: "ann"}}; !slices.Equal(who, want) {
		t.Errorf("on record: %+v, want %+v", who, want)
	}

	for _, e := range into[api.Page[api.AuditEvent]](t, w.get(user("o:firm", "ann"), "/v1/audit/case"), 200).Items {
		if err := v.Add(record.EventOf(e)); err != nil {
			t.Fatalf("the chain as it was read is broken: %v", err)
		}
	}
}

func TestAuditOverHTTP(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	first := w.newCase(ann, nil)
	w.clock.Advance(time.Hour)

	for range 4 {
		w.newCase(robot, nil)
	}
	if e := refused(t, w.get(robot, "/v1/audit/case"), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/audit" {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	read := func(query string) []api.AuditEvent {
		t.Helper()
		var all []api.AuditEvent

		for cursor := ""; ; {
			page := into[api.Page[api.AuditEvent]](t, w.get(ann, "/v1/audit/case?"+query+cursor), 200)
			all = append(all, page.Items...)
			if page.NextCursor == nil {
				return all
			}
			cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
		}
	}
	whole := read("limit=2")

	v := record.Verifier{Tenant: "u:ann"}
	for _, e := range whole {
		if err := v.Add(record.EventOf(e)); err != nil {
			t.Fatalf("the chain as it was read is broken: %v", err)
		}
	}
	if len(whole) != 6 || whole[5].Outcome != "refused" || whole[5].Action != "audit.read" {
		t.Errorf("events = %+v", whole)
	}

	middle := url.QueryEscape(w.clock.Now().Add(-time.Minute).Format(time.RFC3339Nano))
	for query, want := range map[string]int{
		"action=case.create": 5, "action=case.delete": 0, "resourceId=" + first.CaseID: 1, "from=" + middle: 5, "to=" + middle: 1, "from=" + middle + "&action=audit.read": 1,
	} {
		if got := read(query); len(got) != want {
			t.Errorf("%s: %d events, want %d", query, len(got), want)
		}
	}

	for _, query := range []string{"limit=0", "limit=101", "from=now", "action=DROP", "resourceId=", "colour=red"} {
		refused(t, w.get(ann, "/v1/audit/case?"+query), 400, "invalid_parameter")
	}
	page := into[api.Page[api.AuditEvent]](t, w.get(ann, "/v1/audit/case?limit=1"), 200)
	refused(t, w.get(ann, "/v1/audit/case?action=case.create&cursor="+url.QueryEscape(*page.NextCursor)), 400, "invalid_cursor")
	if got := into[api.Page[api.AuditEvent]](t, w.get(user("u:eve", "eve"), "/v1/audit/case"), 200); len(got.Items) != 0 {
		t.Errorf("another tenant reads %d events", len(got.Items))
	}
}

func TestACaseWithWhatBelongsToIt(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	path := "/v1/cases/" + c.CaseID + "?include=parties,deadlines"
	a := w.get(ann, path)
	got := into[api.CaseWith](t, a, 200)
	if got.Parties == nil || len(*got.Parties) != 0 || got.Deadlines == nil || len(*got.Deadlines) != 0 || got.CaseID != c.CaseID {
		t.Errorf("case = %s", a.Body)
	}
	w.parties.has(c.CaseID, api.Roster{Parties: []api.Party{{PartyID: party1, CaseID: c.CaseID, Label: "[Party 1]"}}})
	if b := w.get(ann, path, "If-None-Match", a.Header.Get("ETag")); b.Status != 200 {
		t.Errorf("with another party: status %d, want 200", b.Status)
	}
	b := w.get(ann, "/v1/cases?include=parties&caseId="+c.CaseID)
	if got := into[api.CaseWith](t, b, 200); got.Parties == nil || len(*got.Parties) != 1 || got.Deadlines != nil {
		t.Errorf("case = %s", b.Body)
	}
	if again := w.get(ann, "/v1/cases?include=parties&caseId="+c.CaseID, "If-None-Match", b.Header.Get("ETag")); again.Status != 304 {
		t.Errorf("unchanged: status %d, want 304", again.Status)
	}
	refused(t, w.get(agent("u:ann", "ann", "cases:read"), path), 403, "scope_missing")
	refused(t, w.get(user("u:ann", "root", access.RoleAdmin), path), 403, "forbidden")
	w.parties.goAway(true)
	refused(t, w.get(ann, path), 503, "unavailable")
	into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200)
}
