package partysvc_test

import (
	"bytes"
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
)

// partner is the account behind the n-th entry of a test, in a firm of its own.
func partner(n int) access.Caller {
	return user(fmt.Sprint("o:partner-", n), fmt.Sprint("account-", n))
}

func (w *world) invited(caller access.Caller, caseID string, n int, body m) answer {
	w.t.Helper()
	return w.json(caller, http.MethodPost, "/v1/cases/"+caseID+"/partners/"+partnerID(n)+"/invite", with(m{"role": "second_opinion"}, body))
}

// invite sends an invite, or proposes one for an agent.
func (w *world) invite(caller access.Caller, caseID string, n int, body m) api.SeenInvite {
	w.t.Helper()
	status := 201
	if caller.Kind != access.User {
		status = 202
	}

	return into[api.SeenInvite](w.t, w.invited(caller, caseID, n, body), status)
}

func (w *world) decided(caller access.Caller, id, decision string, more m) answer {
	w.t.Helper()
	return w.json(caller, http.MethodPost, "/v1/invites/"+id+"/decision", with(m{"decision": decision}, more))
}

func (w *world) decide(caller access.Caller, id, decision string) api.SeenInvite {
	w.t.Helper()
	return into[api.SeenInvite](w.t, w.decided(caller, id, decision, nil), 200)
}

func (w *world) invites(caller access.Caller, query string) []api.SeenInvite {
	w.t.Helper()
	return into[api.Page[api.SeenInvite]](w.t, w.get(caller, "/v1/invites"+query), 200).Items
}

func TestAnInviteFromSendingToEnd(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	branch, file := uuid.NewString(), uuid.NewString()
	w.cases.with(func(s *caseService) { s.files[c.CaseID+"/"+branch], s.files[c.CaseID+"/"+file] = true, true })
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "notes": "Secret of the firm", "identityRef": ref, "sealed": sealedFor(c.CaseID), "conflictTokens": []string{token(1)}}))
	cara := partner(1)
	a := w.invited(ann, c.CaseID, 1, m{"role": "co_counsel", "message": "Please help [Party 1].", "scope": m{"branchIds": []string{branch}, "fileIds": []string{file}}, "expiresInHours": 48})
	i := into[api.SeenInvite](t, a, 201)
	if i.Status != "pending" || i.CaseID != c.CaseID || i.DeepLink != "https://subrosa.test/i/confirm_invite?invite="+i.InviteID || a.Header.Get("Location") != "/v1/invites/"+i.InviteID ||
		!i.ExpiresAt.Equal(w.clock.Now().Add(48*time.Hour)) {
		t.Errorf("invite = %s", a.Body)
	}
	// Before acceptance the partner sees five facts, and nothing of the case.
	path := "/v1/invites/" + i.InviteID
	for _, seen := range []answer{w.get(cara, path), w.get(cara, "/v1/invites")} {
		for _, hidden := range []string{c.CaseID, "Please help", branch, file, "ann", firm} {
			if bytes.Contains(seen.Body, []byte(hidden)) {
				t.Errorf("the partner sees %q: %s", hidden, seen.Body)
			}
		}

		for _, fact := range []string{`"role":"co_counsel"`, `"matterKind":"litigation"`, `"HO-02-00-00-00"`, `"jurisdiction":"US-CA"`, `"tier":2`} {
			if !bytes.Contains(seen.Body, []byte(fact)) {
				t.Errorf("the partner does not see %s: %s", fact, seen.Body)
			}
		}
	}

	for _, closed := range []string{"/v1/parties?caseId=" + c.CaseID, "/v1/parties/" + p.PartyID, "/v1/invites?caseId=" + c.CaseID} {
		refused(t, w.get(cara, closed), 404, "not_found")
	}
	refused(t, w.get(partner(2), path), 404, "not_found")
	before := w.cases.recounted(firm, c.CaseID)
	accepted := into[api.SeenInvite](t, w.decided(cara, i.InviteID, "accept", m{"conflictAttested": true}), 200)
	if accepted.Status != "accepted" || accepted.CaseID != c.CaseID || accepted.Message != "Please help [Party 1]." || accepted.DecidedAt == nil || !*accepted.ConflictAttested {
		t.Errorf("accepted = %+v", accepted)
	}
	want := []api.Grant{{
		InviteID: i.InviteID, CaseID: c.CaseID, PartnerID: partnerID(1), PartnerTenant: cara.Tenant, PartnerUserID: cara.UserID, BranchIDs: []string{branch}, FileIDs: []string{file},
	}}
	if diff := cmp.Diff(want, w.cases.grantsOf(firm)); diff != "" {
		t.Errorf("grants in case-svc (-want +got):\n%s", diff)
	}
	if w.cases.recounted(firm, c.CaseID) != before+1 {
		t.Error("the case was not counted again")
	}
	seen := into[api.Page[api.Party]](t, w.get(cara, "/v1/parties?caseId="+c.CaseID), 200).Items
	one := into[api.Party](t, w.get(cara, "/v1/parties/"+p.PartyID), 200)
	if len(seen) != 1 || seen[0].Label != "[Party 1]" || seen[0].Notes+one.Notes != "" || seen[0].Sealed != nil || one.Sealed != nil || one.IdentityRef != "" || one.ConflictTokenCount != 0 {
		t.Errorf("parties as the partner sees them = %+v, %+v", seen, one)
	}
	if own := into[api.Page[api.Party]](t, w.get(cara, "/v1/parties"), 200).Items; len(own) != 0 {
		t.Errorf("the partner's list shows %d parties of the firm", len(own))
	}
	roster := into[api.Roster](t, w.get(cara, "/internal/cases/"+c.CaseID+"/roster?parties=10"), 200)
	if len(roster.Parties) != 1 || len(roster.Invites) != 1 || roster.Invites[0].Status != "accepted" || roster.Conflict.Tokens {
		t.Errorf("roster = %+v", roster)
	}
	refused(t, w.json(cara, http.MethodPut, "/v1/parties/"+p.PartyID, plaintiff), 403, "forbidden")
	refused(t, w.json(cara, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID})), 403, "forbidden")
	refused(t, w.invited(cara, c.CaseID, 2, nil), 403, "forbidden")
	refused(t, w.get(cara, "/v1/partners?forCaseId="+c.CaseID), 403, "forbidden")
	refused(t, w.get(cara, "/v1/parties?caseId="+c.CaseID+"&q=secret"), 403, "forbidden")
	refused(t, w.get(agent(cara.Tenant, cara.UserID), "/v1/parties?caseId="+c.CaseID), 404, "not_found")
	refused(t, w.get(user(cara.Tenant, "colleague"), "/v1/parties?caseId="+c.CaseID), 404, "not_found")
	refused(t, w.decided(cara, i.InviteID, "revoke", nil), 403, "forbidden")
	refused(t, w.decided(ann, i.InviteID, "accept", nil), 403, "forbidden")
	if got := w.decide(ann, i.InviteID, "end"); got.Status != "ended" {
		t.Errorf("status = %s", got.Status)
	}
	if g := w.cases.grantsOf(firm); !g[0].Ended {
		t.Errorf("grant = %+v", g)
	}
	refused(t, w.get(cara, "/v1/parties?caseId="+c.CaseID), 404, "not_found")
	refused(t, w.get(cara, "/v1/parties/"+p.PartyID), 404, "not_found")
	if again := w.get(cara, path); bytes.Contains(again.Body, []byte(c.CaseID)) {
		t.Errorf("after the end the partner sees %s", again.Body)
	}
	// The end is not for ever: another invite opens another grant.
	next := w.invite(ann, c.CaseID, 1, nil)
	w.decide(cara, next.InviteID, "accept")
	into[api.Party](t, w.get(cara, "/v1/parties/"+p.PartyID), 200)
	w.cases.with(func(s *caseService) { s.deleted[firm+"/"+c.CaseID] = true })
	refused(t, w.get(cara, "/v1/parties/"+p.PartyID), 404, "not_found")
	refused(t, w.get(ann, path), 404, "not_found")
}

func TestAnAgentProposesAPersonConfirms(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	i := w.invite(robot, c.CaseID, 1, m{"expiresInHours": 1})
	if i.Status != "proposed" || i.DeepLink == "" {
		t.Errorf("invite = %+v", i)
	}
	if got := w.invites(partner(1), ""); len(got) != 0 {
		t.Errorf("the partner sees a proposal: %+v", got)
	}
	refused(t, w.get(partner(1), "/v1/invites/"+i.InviteID), 404, "not_found")
	e := refused(t, w.decided(robot, i.InviteID, "confirm", nil), 403, "human_required")
	if e.DeepLink != i.DeepLink {
		t.Errorf("deep link = %q", e.DeepLink)
	}
	refused(t, w.decided(agent("o:other", "eve"), i.InviteID, "confirm", nil), 403, "human_required") // as for an invite that is not there
	refused(t, w.decided(user("o:other", "eve"), i.InviteID, "confirm", nil), 404, "not_found")
	w.clock.Advance(2 * time.Hour) // a proposal waits
	sent := w.decide(ann, i.InviteID, "confirm")
	if sent.Status != "pending" || !sent.ExpiresAt.Equal(w.clock.Now().Add(time.Hour)) || sent.DecidedAt != nil {
		t.Errorf("sent = %+v", sent)
	}
	if got := w.invites(partner(1), "?status=pending"); len(got) != 1 {
		t.Errorf("%d invites", len(got))
	}
	refused(t, w.decided(ann, i.InviteID, "confirm", nil), 409, "invalid_transition")
	declined := into[api.SeenInvite](t, w.decided(partner(1), i.InviteID, "decline", m{"conflictAttested": false}), 200)
	if declined.Status != "declined" || declined.CaseID != "" {
		t.Errorf("declined = %+v", declined)
	}
	if got := namesOf(w.search(ann, "?forCaseId="+c.CaseID)); slices.Contains(got, "Ada Quillfeather") {
		t.Errorf("a partner in conflict is found: %v", got)
	}
	// What changed since the proposal counts.
	again := w.invite(robot, c.CaseID, 2, nil)
	w.cases.set(firm, c.CaseID, func(c *api.Case) { c.Conflict.Status = "potential" })
	refused(t, w.decided(ann, again.InviteID, "confirm", nil), 409, "conflict_unresolved")
	w.cases.set(firm, c.CaseID, func(c *api.Case) { c.Conflict.Status = "waived" })
	w.mustLoad(seedEntry(2, "Ben Inkwell", m{"availability": "closed"}))
	refused(t, w.decided(ann, again.InviteID, "confirm", nil), 409, "partner_unavailable")
	if got := w.decide(ann, again.InviteID, "revoke"); got.Status != "revoked" {
		t.Errorf("status = %s", got.Status)
	}
	refused(t, w.get(partner(2), "/v1/invites/"+again.InviteID), 404, "not_found")
}

func TestWhatAnInviteCannotBe(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(append(slices.Clone(directory), seedEntry(6, "Fay Ledgerly", m{"accountUserId": ""}))...)

	for _, p := range w.search(ann, "").Items {
		if p.Invitable == (p.DisplayName == "Fay Ledgerly") {
			t.Errorf("%s is invitable: %t", p.DisplayName, p.Invitable)
		}
	}
	c := w.cases.add(firm, nil)
	closed := w.cases.add(firm, func(c *api.Case) { c.Status = "archived" })

	torn := w.cases.add(firm, func(c *api.Case) { c.Conflict.Status = "blocked" })
	for _, tc := range []struct {
		name    string
		caller  access.Caller
		caseID  string
		partner int
		body    m
		status  int
		code    string
	}{
		{"an unknown case", ann, uuid.NewString(), 1, nil, 404, "not_found"},
		{"an unknown partner", ann, c.CaseID, 99, nil, 404, "not_found"},
		{"another tenant's case", user("o:other", "eve"), c.CaseID, 1, nil, 404, "not_found"},
		{"no role", ann, c.CaseID, 1, m{"role": ""}, 400, "validation_failed"},
		{"a long message", ann, c.CaseID, 1, m{"message": strings.Repeat("long ", 201)}, 400, "validation_failed"},
		{"an identity", ann, c.CaseID, 1, m{"message": "Call ann@example.com"}, 403, "identity_refused"},
		{"no time", ann, c.CaseID, 1, m{"expiresInHours": 0}, 400, "validation_failed"},
		{"too much time", ann, c.CaseID, 1, m{"expiresInHours": 721}, 400, "validation_failed"},
		{"no id in the scope", ann, c.CaseID, 1, m{"scope": m{"fileIds": []string{"x"}}}, 400, "validation_failed"},
		{"11 branches", ann, c.CaseID, 1, m{"scope": m{"branchIds": make([]string, 11)}}, 400, "validation_failed"},
		{"a stranger's file", ann, c.CaseID, 1, m{"scope": m{"fileIds": []string{uuid.NewString()}}}, 400, "scope_not_in_case"},
		{"an unknown field", ann, c.CaseID, 1, m{"price": 1}, 400, "unknown_field"},
		{"a closed case", ann, closed.CaseID, 1, nil, 409, "case_closed"},
		{"a conflict", ann, torn.CaseID, 1, nil, 409, "conflict_unresolved"},
		{"a partner who is full", ann, c.CaseID, 4, nil, 409, "partner_unavailable"},
		{"a partner without account", ann, c.CaseID, 6, nil, 409, "partner_unavailable"},
		{"a suspended licence", ann, c.CaseID, 3, m{"role": "co_counsel"}, 400, "licence_mismatch"},
		{"a licence elsewhere", robot, c.CaseID, 5, m{"role": "co_counsel"}, 400, "licence_mismatch"},
		{"an agent who knows better", robot, c.CaseID, 5, m{"role": "co_counsel", "acknowledgeLicence": true}, 403, "human_required"},
		{"an admin", user(firm, "root", access.RoleAdmin), c.CaseID, 1, nil, 403, "forbidden"},
		{"an agent without scope", agent(firm, "ann", "cases:read"), c.CaseID, 1, nil, 403, "scope_missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused(t, w.invited(tc.caller, tc.caseID, tc.partner, tc.body), tc.status, tc.code)
		})
	}
	if got := w.invites(ann, "?caseId="+c.CaseID); len(got) != 0 {
		t.Errorf("%d invites were stored", len(got))
	}
	w.invite(ann, c.CaseID, 5, m{"role": "co_counsel", "acknowledgeLicence": true})
	first := w.invite(ann, c.CaseID, 1, m{"role": "co_counsel"})
	e := refused(t, w.invited(robot, c.CaseID, 1, nil), 409, "already_invited")
	if len(e.Details) != 1 || e.Details[0].InviteID != first.InviteID {
		t.Errorf("details = %+v", e.Details)
	}
}

func TestWhoDecidesWhat(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	i := w.invite(ann, c.CaseID, 1, nil)
	id := i.InviteID
	refused(t, w.decided(ann, id, "accept", nil), 403, "forbidden")
	refused(t, w.decided(ann, id, "decline", nil), 403, "forbidden")
	refused(t, w.decided(partner(1), id, "confirm", nil), 403, "forbidden")
	refused(t, w.decided(partner(1), id, "revoke", nil), 403, "forbidden")
	refused(t, w.decided(ann, id, "end", nil), 409, "invalid_transition")
	refused(t, w.decided(partner(1), id, "think", nil), 400, "validation_failed")
	refused(t, w.decided(partner(1), id, "accept", m{"conflictAttested": false}), 400, "validation_failed")
	refused(t, w.decided(ann, id, "revoke", m{"conflictAttested": true}), 400, "validation_failed")
	refused(t, w.decided(partner(2), id, "accept", nil), 404, "not_found")
	refused(t, w.decided(user("o:other", "eve"), id, "revoke", nil), 404, "not_found")
	refused(t, w.decided(user(firm, "root", access.RoleAdmin), id, "revoke", nil), 404, "not_found")
	refused(t, w.decided(agent(partner(1).Tenant, partner(1).UserID), id, "accept", nil), 403, "human_required") // whatever it names
	e := refused(t, w.decided(ann, id, "confirm", nil), 409, "invalid_transition")
	if e.Details[0].From != "pending" || e.Details[0].To != "pending" {
		t.Errorf("details = %+v", e.Details)
	}
	refused(t, w.decided(user(firm, partner(1).UserID), id, "accept", m{"conflictAttested": true}), 409, "partner_unavailable") // a colleague needs no invite
	w.decide(partner(1), id, "accept")
	if got := w.decide(partner(1), id, "end"); got.Status != "ended" || got.CaseID != "" {
		t.Errorf("ended = %+v", got)
	}
	var partners []string

	for _, d := range w.deeds(firm) {
		if d.Kind == "partner" {
			partners = append(partners, d.Action+" "+d.Actor)
		}
	}
	if diff := cmp.Diff([]string{"invite.accept account-1", "grant.open account-1", "invite.end account-1", "grant.end account-1"}, partners); diff != "" {
		t.Errorf("on record of the partner (-want +got):\n%s", diff)
	}
}

func TestInvitesExpire(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"PARTY_SWEEP_EVERY": "1h"})
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	i := w.invite(ann, c.CaseID, 1, m{"expiresInHours": 1})
	w.clock.Advance(time.Hour - time.Millisecond)
	if got := w.invites(ann, "?caseId="+c.CaseID+"&status=pending"); len(got) != 1 {
		t.Errorf("%d pending before the time is up", len(got))
	}
	w.clock.Advance(time.Millisecond)

	for name, got := range map[string][]api.SeenInvite{
		"expired":        w.invites(ann, "?caseId="+c.CaseID+"&status=expired"),
		"of the partner": w.invites(partner(1), "?status=expired"),
	} {
		if len(got) != 1 || got[0].Status != "expired" || (got[0].DecidedAt == nil) != (got[0].Matter != nil) {
			t.Errorf("%s = %+v", name, got)
		}
	}
	if got := w.invites(ann, "?caseId="+c.CaseID+"&status=pending"); len(got) != 0 {
		t.Errorf("pending = %+v", got)
	}
	refused(t, w.decided(partner(1), i.InviteID, "accept", nil), 409, "invalid_transition")
	w.invite(ann, c.CaseID, 1, nil) // nothing is in its way
	roster := into[api.Roster](t, w.get(ann, "/internal/cases/"+c.CaseID+"/roster?parties=0"), 200)
	if roster.Counts.Invites != 1 || len(roster.Invites) != 1 {
		t.Errorf("roster = %+v", roster)
	}
}

func TestTheSweepWritesExpiryDown(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	w.invite(ann, c.CaseID, 1, m{"expiresInHours": 1})
	n := w.cases.recounted(firm, c.CaseID)
	w.clock.Advance(2 * time.Hour)
	until(t, "the case is counted again", func() bool { return w.cases.recounted(firm, c.CaseID) > n })
	if got := w.invites(ann, "?caseId="+c.CaseID); len(got) != 1 || got[0].Status != "expired" || got[0].Version != 2 {
		t.Errorf("invites = %+v", got)
	}
}

func TestAnAcceptanceThatBreaksOffIsFinished(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	i := w.invite(ann, c.CaseID, 1, nil)
	w.cases.with(func(s *caseService) { s.down["grants"] = true })
	w.decide(partner(1), i.InviteID, "accept")
	refused(t, w.get(partner(1), "/v1/parties?caseId="+c.CaseID), 404, "not_found")
	w.cases.with(func(s *caseService) { s.down["grants"] = false })
	w.clock.Advance(16 * time.Second)
	until(t, "the grant is there", func() bool { return w.get(partner(1), "/v1/parties?caseId="+c.CaseID).Status == 200 })
	w.cases.with(func(s *caseService) { s.down["grants"] = true })
	w.decide(ann, i.InviteID, "end")
	refused(t, w.get(partner(1), "/v1/parties?caseId="+c.CaseID), 404, "not_found") // here at once
	w.cases.with(func(s *caseService) { s.down["grants"] = false })
	w.clock.Advance(16 * time.Second)
	until(t, "the grant has ended", func() bool { return w.cases.grantsOf(firm)[0].Ended })
}

func TestOneOfManyDecisionsHolds(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)

	c := w.cases.add(firm, nil)
	for range 5 {
		i := w.invite(ann, c.CaseID, 1, nil)
		got := make(chan int, 3)

		for caller, decision := range map[*access.Caller]string{
			{}:                   "revoke",
			{Kind: access.User}:  "accept",
			{Kind: access.Agent}: "decline",
		} {
			who := partner(1)
			if caller.Kind == "" {
				who = ann
			}

			go func() { got <- w.decided(who, i.InviteID, decision, nil).Status }()
		}
		won := 0

		for range 3 {
			if status := <-got; status == 200 {
				won++
			} else if status != 409 {
				t.Errorf("status %d", status)
			}
		}
		if won != 1 {
			t.Fatalf("%d decisions hold, want 1", won)
		}
		if now := into[api.SeenInvite](t, w.get(ann, "/v1/invites/"+i.InviteID), 200); now.Status == "accepted" {
			w.decide(ann, i.InviteID, "end")
		}
	}
}

func TestRepeatedRequestsAboutInvites(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	path := "/v1/cases/" + c.CaseID + "/partners/" + partnerID(1) + "/invite"
	ask := func(body m) answer { return w.json(ann, http.MethodPost, path, body, "Idempotency-Key", "k") }
	first, again := ask(m{"role": "expert"}), ask(m{"role": "expert"})
	if first.Status != 201 || !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %d %s", again.Status, again.Body)
	}
	refused(t, ask(m{"role": "mediator"}), 400, "idempotency_key_reused")
	i := into[api.SeenInvite](t, first, 201)
	accept := func() answer {
		return w.json(partner(1), http.MethodPost, "/v1/invites/"+i.InviteID+"/decision", m{"decision": "accept"}, "Idempotency-Key", "k")
	}
	if a, b := accept(), accept(); a.Status != 200 || !bytes.Equal(a.Body, b.Body) {
		t.Errorf("accepted twice: %s, %s", a.Body, b.Body)
	}
}

func TestPagesOfInvites(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	var want []string

	for range 5 {
		c := w.cases.add(firm, nil)
		want = append([]string{w.invite(ann, c.CaseID, 1, nil).InviteID}, want...)
		w.clock.Advance(time.Second)
	}
	var got []string

	for cursor := ""; ; {
		page := into[api.Page[api.SeenInvite]](t, w.get(partner(1), "/v1/invites?limit=2"+cursor), 200)
		for _, i := range page.Items {
			got = append(got, i.InviteID)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("invites (-want +got):\n%s", diff)
	}
	refused(t, w.get(robot, "/v1/invites"), 400, "invalid_parameter")
	refused(t, w.get(ann, "/v1/invites?status=gone"), 400, "invalid_parameter")
	refused(t, w.get(ann, "/v1/invites?caseId="+uuid.NewString()), 404, "not_found")
	refused(t, w.get(user(firm, "root", access.RoleAdmin), "/v1/invites?caseId="+uuid.NewString()), 403, "forbidden")
}

// What a partner reads costs the same however many cases it was let into, and lies in the case whose grant it has.
func TestAPartnerWithManyGrants(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"PARTY_SWEEP_EVERY": "1h"})
	w.mustLoad(directory...)
	cara := partner(1)
	admit := func() api.Party {
		c := w.cases.add(firm, nil)
		p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
		w.decide(cara, w.invite(ann, c.CaseID, 1, nil).InviteID, "accept")
		w.clock.Advance(time.Second)

		return p
	}
	first := admit()
	read := func() { into[api.Party](t, w.get(cara, "/v1/parties/"+first.PartyID), 200) }
	one := w.commands(read)

	for range 8 {
		admit()
	}
	if many := w.commands(read); many != one {
		t.Errorf("a party takes %d commands with one grant and %d with nine", one, many)
	}
	beyond := w.addParty(ann, with(plaintiff, m{"caseId": w.cases.add(firm, nil).CaseID}))
	refused(t, w.get(cara, "/v1/parties/"+beyond.PartyID), 404, "not_found")
}

// An admin who is nothing else, and the agent and the applications of one, see no invites and send none; to the partner that an admin may be
// besides nothing is closed.
func TestInvitesAreNoAffairOfAdmins(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	i := w.invite(ann, c.CaseID, 1, nil)
	root := user(firm, "root", access.RoleAdmin)
	roots := agent(firm, "root")
	roots.Roles = []string{access.RoleAdmin}

	application := access.Caller{Kind: access.OAuth, Tenant: firm, UserID: "root", ClientID: "client", Scopes: access.AgentScopes(), Roles: []string{access.RoleAdmin}}
	for name, caller := range map[string]access.Caller{
		"an admin":               root,
		"an admin's agent":       roots,
		"an admin's application": application,
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, w.get(caller, "/v1/invites?caseId="+c.CaseID), 403, "forbidden")
			refused(t, w.invited(caller, c.CaseID, 2, nil), 403, "forbidden")
			one := w.get(caller, "/v1/invites/"+i.InviteID)
			if one.Status != 403 && one.Status != 404 || bytes.Contains(one.Body, []byte(c.CaseID)) {
				t.Errorf("the invite: %d %s", one.Status, one.Body)
			}
			if caller.Kind == access.User {
				if got := w.invites(caller, ""); len(got) != 0 {
					t.Errorf("addressed to an admin: %+v", got)
				}
				refused(t, w.decided(caller, i.InviteID, "revoke", nil), 404, "not_found")
			}
		})
	}
	cara := user(partner(1).Tenant, partner(1).UserID, access.RoleAdmin)
	if got := w.invites(cara, ""); len(got) != 1 || got[0].InviteID != i.InviteID {
		t.Errorf("an admin who was invited sees %+v", got)
	}
	if accepted := w.decide(cara, i.InviteID, "accept"); accepted.Status != "accepted" {
		t.Errorf("accepted = %+v", accepted)
	}
}
