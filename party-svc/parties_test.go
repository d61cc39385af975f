package partysvc_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const firm = "o:firm"

var ann, robot = user(firm, "ann"), agent(firm, "ann")

func (w *world) addParty(caller access.Caller, body m) api.Party {
	w.t.Helper()
	return into[api.Party](w.t, w.json(caller, http.MethodPost, "/v1/parties", body), 201)
}

// with returns a with the fields of b besides.
func with(a, b m) m {
	out := m{}

	for _, fields := range []m{a, b} {
		for k, v := range fields {
			out[k] = v
		}
	}

	return out
}

func token(b byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))
}

var ref = strings.Repeat("r", 22)

func sealedFor(caseID string) m {
	return m{"v": 1, "alg": "A256GCM", "keyVersion": 3, "iv": base64.RawURLEncoding.EncodeToString(make([]byte, 12)), "ct": base64.RawURLEncoding.EncodeToString(make([]byte, 64)), "aad": caseID + ":" + ref}
}

var plaintiff = m{"kind": "individual", "role": "plaintiff"}

func TestAPartyIsWhatItWasMade(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	a := w.json(ann, http.MethodPost, "/v1/parties", m{
		"caseId": c.CaseID, "label": "[Minor 7]", "kind": "minor", "role": "next_friend", "side": "ours", "isClient": true, "representation": "this_firm",
		"attributes": m{"ageBand": "minor", "residence": "US-CA", "languages": []string{"es-mx", "en"}, "needsInterpreter": true}, "notes": "Lives with [Party 1].",
		"joinedOn": "2026-01-02", "identityRef": ref, "sealed": sealedFor(c.CaseID), "conflictTokens": []string{token(1), token(2), token(1)},
	})
	p := into[api.Party](t, a, 201)
	if a.Header.Get("Location") != "/v1/parties/"+p.PartyID || a.Header.Get("ETag") != `"1"` {
		t.Errorf("Location %q, ETag %q", a.Header.Get("Location"), a.Header.Get("ETag"))
	}
	if p.Label != "[Minor 7]" || p.ConflictTokenCount != 2 || p.Sealed == nil || p.IdentityRef != ref || p.Status != "active" || p.Attributes.Languages[0] != "es-MX" {
		t.Errorf("party = %s", a.Body)
	}
	if got := w.get(ann, "/v1/parties/"+p.PartyID); !bytes.Equal(got.Body, a.Body) {
		t.Errorf("read as %s, made as %s", got.Body, a.Body)
	}
	if got := w.get(ann, "/v1/parties/"+p.PartyID, "If-None-Match", `"1"`); got.Status != 304 {
		t.Errorf("status %d, want 304", got.Status)
	}

	for who, body := range map[string][]byte{"agent": w.get(robot, "/v1/parties/"+p.PartyID).Body, "agent's list": w.get(robot, "/v1/parties?caseId="+c.CaseID).Body} {
		for _, hidden := range []string{"sealed", "identityRef", "A256GCM", ref, token(1)} {
			if bytes.Contains(body, []byte(hidden)) {
				t.Errorf("%s sees %s: %s", who, hidden, body)
			}
		}
	}
	if n := w.cases.recounted(firm, c.CaseID); n != 1 {
		t.Errorf("recounted %d times, want 1", n)
	}
}

func TestLabelsAreGivenInOrder(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c, other := w.cases.add(firm, nil), w.cases.add(firm, nil)
	add := func(caseID, label string) string {
		body := with(plaintiff, m{"caseId": caseID})
		if label != "" {
			body["label"] = label
		}

		return w.addParty(robot, body).Label
	}

	var got []string
	for _, label := range []string{"", "[Party 2]", "", "[Person 1]", "[Org 1]", ""} {
		got = append(got, add(c.CaseID, label))
	}
	if diff := cmp.Diff([]string{"[Party 1]", "[Party 2]", "[Party 3]", "[Person 1]", "[Org 1]", "[Party 4]"}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if l := add(other.CaseID, ""); l != "[Party 1]" {
		t.Errorf("first label of another case = %s", l)
	}
	post := func(label any) answer {
		return w.json(robot, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID, "label": label}))
	}
	refused(t, post("[Party 2]"), 409, "label_taken")

	for _, bad := range []string{"", "[Docket 1]", "[Party 0]", "[Party 10000]", "Party 1", "[Address 1]", "[Party 1] "} {
		refused(t, post(bad), 400, "unknown_label")
	}
}

func TestWhatAPartyCannotBe(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)

	big := base64.RawURLEncoding.EncodeToString(make([]byte, 32<<10+1))
	for _, tc := range []struct {
		name   string
		body   m
		status int
		code   string
		path   string
	}{
		{"no case", m{"caseId": nil}, 400, "validation_failed", "caseId"},
		{"an unknown case", m{"caseId": uuid.NewString()}, 404, "not_found", ""},
		{"no id", m{"caseId": "x"}, 404, "not_found", ""},
		{"no kind", m{"kind": ""}, 400, "validation_failed", "kind"},
		{"no role", m{"role": nil}, 400, "validation_failed", "role"},
		{"another side", m{"side": "theirs"}, 400, "validation_failed", "side"},
		{"another representation", m{"representation": "me"}, 400, "validation_failed", "representation"},
		{"another entity", m{"attributes": m{"entityType": "gmbh"}}, 400, "validation_failed", "attributes.entityType"},
		{"another age", m{"attributes": m{"ageBand": "12"}}, 400, "validation_failed", "attributes.ageBand"},
		{"a country as residence", m{"attributes": m{"residence": "US"}}, 400, "validation_failed", "attributes.residence"},
		{"four languages", m{"attributes": m{"languages": []string{"en", "de", "fr", "es"}}}, 400, "validation_failed", "attributes.languages"},
		{"no language", m{"attributes": m{"languages": []string{"-"}}}, 400, "validation_failed", "attributes.languages[0]"},
		{"long notes", m{"notes": strings.Repeat("naïve ", 167)}, 400, "validation_failed", "notes"},
		{"an e-mail address", m{"notes": "Write to ann@example.com"}, 403, "identity_refused", "notes"},
		{"a name", m{"name": ""}, 403, "identity_refused", "name"},
		{"a nested name", m{"attributes": m{"firstName": "x"}}, 403, "identity_refused", "attributes.firstName"},
		{"an unknown field", m{"nickname": "x"}, 400, "unknown_field", "nickname"},
		{"a date that is none", m{"joinedOn": "2026-02-30"}, 400, "validation_failed", "joinedOn"},
		{"left before joined", m{"joinedOn": "2026-02-03", "leftOn": "2026-02-02"}, 400, "validation_failed", "leftOn"},
		{"another status", m{"status": "gone"}, 400, "validation_failed", "status"},
		{"merged into nothing", m{"status": "merged"}, 400, "validation_failed", "mergedIntoPartyId"},
		{"merged into a stranger", m{"status": "merged", "mergedIntoPartyId": uuid.NewString()}, 400, "validation_failed", "mergedIntoPartyId"},
		{"into one while active", m{"mergedIntoPartyId": uuid.NewString()}, 400, "validation_failed", "mergedIntoPartyId"},
		{"a short reference", m{"identityRef": "abc"}, 400, "validation_failed", "identityRef"},
		{"sealed without a reference", m{"sealed": sealedFor(c.CaseID)}, 400, "validation_failed", "identityRef"},
		{"sealed for another case", m{"identityRef": ref, "sealed": sealedFor(uuid.NewString())}, 400, "validation_failed", "sealed.aad"},
		{"sealed otherwise", m{"identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"alg": "none"})}, 400, "validation_failed", "sealed.alg"},
		{"sealed with version 0", m{"identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"keyVersion": 0})}, 400, "validation_failed", "sealed.keyVersion"},
		{"a long iv", m{"identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"iv": token(1)})}, 400, "validation_failed", "sealed.iv"},
		{"too much sealed", m{"identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"ct": big})}, 400, "validation_failed", "sealed.ct"},
		{"an unknown field in sealed", m{"identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"kid": "x"})}, 400, "unknown_field", "sealed.kid"},
		{"a short token", m{"conflictTokens": []string{"abc"}}, 400, "validation_failed", "conflictTokens[0]"},
		{"a padded token", m{"conflictTokens": []string{token(1) + "="}}, 400, "validation_failed", "conflictTokens[0]"},
		{"21 tokens", m{"conflictTokens": make([]string, 21)}, 400, "validation_failed", "conflictTokens"},
		{"of the wrong type", m{"isClient": "yes"}, 400, "validation_failed", "isClient"},
		{"set by the server", m{"partyId": uuid.NewString()}, 400, "unknown_field", "partyId"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.json(ann, http.MethodPost, "/v1/parties", with(with(plaintiff, m{"caseId": c.CaseID}), tc.body))
			e := refused(t, a, tc.status, tc.code)
			if tc.path != "" && (len(e.Details) == 0 || e.Details[0].Path != tc.path) {
				t.Errorf("details = %+v, want path %s", e.Details, tc.path)
			}
			if tc.code == "identity_refused" && !strings.HasPrefix(e.DeepLink, "https://subrosa.test/i/add_identity") {
				t.Errorf("deep link = %q", e.DeepLink)
			}
		})
	}
	if page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?caseId="+c.CaseID), 200); len(page.Items) != 0 {
		t.Errorf("%d parties were stored", len(page.Items))
	}
}

// What the tenant has cleared passes here too, a moment after it was; when nobody can say what that is, nothing does.
func TestAllowedWords(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c, theirs := w.cases.add(firm, nil), w.cases.add("o:other", nil)
	w.cases.with(func(s *caseService) { s.words[firm], s.down["words"] = []string{"Clerk@court.example"}, true })
	notes := func(caller access.Caller, caseID string) answer {
		return w.json(caller, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": caseID, "notes": "Ask clerk@court.example"}))
	}
	refused(t, notes(ann, c.CaseID), 403, "identity_refused")
	w.cases.with(func(s *caseService) { s.down["words"] = false })
	into[api.Party](t, notes(robot, c.CaseID), 201)
	into[api.Party](t, notes(agent(firm, "ann", "parties:write"), c.CaseID), 201)
	into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?q=clerk@court.example"), 200)
	into[api.PartnerPage](t, w.get(ann, "/v1/partners?q=clerk@court.example"), 200)
	refused(t, notes(user("o:other", "eve"), theirs.CaseID), 403, "identity_refused")
	w.cases.with(func(s *caseService) { s.words[firm] = nil })
	into[api.Party](t, notes(ann, c.CaseID), 201)
	w.clock.Advance(6 * time.Second)
	refused(t, notes(ann, c.CaseID), 403, "identity_refused")
}

func TestAgentsReachForNoIdentity(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)

	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "identityRef": ref, "sealed": sealedFor(c.CaseID), "conflictTokens": []string{token(1)}}))
	for field, value := range map[string]any{"identityRef": ref, "sealed": nil, "conflictTokens": []string{}} {
		for _, a := range []answer{
			w.json(robot, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID, field: value})),
			w.json(robot, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{field: value})),
		} {
			e := refused(t, a, 403, "identity_refused")
			if e.DeepLink != "https://subrosa.test/i/add_identity" || len(e.Details) != 1 || e.Details[0].Path != field || e.Details[0].Kind != "operation" {
				t.Errorf("%s: %s", field, a.Body)
			}
		}
	}
	refused(t, w.get(robot, "/v1/parties?sealedKeyVersion=3"), 403, "identity_refused")
	into[api.Party](t, w.json(robot, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"notes": "By the agent"})), 200)
	kept := into[api.Party](t, w.get(ann, "/v1/parties/"+p.PartyID), 200)
	if kept.Sealed == nil || kept.IdentityRef != ref || kept.ConflictTokenCount != 1 || kept.Notes != "By the agent" {
		t.Errorf("an agent's PUT left %+v", kept)
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{
		"caseId": c.CaseID, "side": "ours", "notes": "x", "attributes": m{"ageBand": "30_44"}, "identityRef": ref, "sealed": sealedFor(c.CaseID), "conflictTokens": []string{token(1)},
	}))
	path := "/v1/parties/" + p.PartyID
	w.clock.Advance(time.Second)
	got := into[api.Party](t, w.json(ann, http.MethodPut, path, m{"partyId": p.PartyID, "caseId": c.CaseID, "label": p.Label, "kind": "organization", "role": "defendant"}, "If-Match", `"1"`), 200)
	want := p
	want.Version, want.Kind, want.Role, want.Side, want.Notes, want.Attributes = 2, "organization", "defendant", "unknown", "", api.PartyAttributes{}
	want.UpdatedAt = api.At(w.clock.Now())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	refused(t, w.json(ann, http.MethodPut, path, plaintiff, "If-Match", `"1"`), 412, "version_mismatch")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"label": "[Party 9]"})), 409, "label_immutable")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"partyId": uuid.NewString()})), 400, "validation_failed")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"caseId": uuid.NewString()})), 400, "validation_failed")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"version": 2})), 400, "validation_failed")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"identityRef": nil})), 400, "validation_failed") // sealed needs it
	refused(t, w.json(ann, http.MethodPut, "/v1/parties/"+uuid.NewString(), plaintiff), 404, "not_found")
	refused(t, w.json(ann, http.MethodPut, "/v1/parties/x", plaintiff), 404, "not_found")
	cleared := into[api.Party](t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"identityRef": nil, "sealed": nil, "conflictTokens": []string{}})), 200)
	if cleared.Sealed != nil || cleared.IdentityRef != "" || cleared.ConflictTokenCount != 0 {
		t.Errorf("cleared = %+v", cleared)
	}
}

func TestAClosedCaseTakesNewKeysAlone(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "identityRef": ref, "sealed": sealedFor(c.CaseID)}))
	w.cases.set(firm, c.CaseID, func(c *api.Case) { c.Status = "closed" })
	path := "/v1/parties/" + p.PartyID
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID})), 409, "case_closed")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"notes": "more"})), 409, "case_closed")
	refused(t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"sealed": nil, "identityRef": nil})), 409, "case_closed")
	again := into[api.Party](t, w.json(ann, http.MethodPut, path, with(plaintiff, m{"sealed": with(sealedFor(c.CaseID), m{"keyVersion": 4}), "conflictTokens": []string{token(9)}})), 200)
	if again.Sealed.KeyVersion != 4 || again.ConflictTokenCount != 1 {
		t.Errorf("again = %+v", again)
	}
}

func TestAnOpenCaseKeepsAClient(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, func(c *api.Case) { c.JointRepresentation = true })
	client := with(plaintiff, m{"isClient": true})

	one := w.addParty(ann, with(client, m{"caseId": c.CaseID}))
	for _, change := range []m{{"isClient": false}, {"isClient": true, "status": "dismissed"}} {
		refused(t, w.json(ann, http.MethodPut, "/v1/parties/"+one.PartyID, with(plaintiff, change)), 409, "client_required")
	}
	two := w.addParty(ann, with(client, m{"caseId": c.CaseID}))
	// Both cannot go at the same moment.
	var calls []call
	for _, id := range []string{one.PartyID, two.PartyID} {
		calls = append(calls, servicetest.JSON(t, ann, http.MethodPut, "/v1/parties/"+id, plaintiff))
	}
	if got := w.atOnce(calls...); got[200] != 1 || got[409] != 1 {
		t.Errorf("statuses %v, want 200 and 409", got)
	}
	intake := w.cases.add(firm, func(c *api.Case) { c.Status = "intake" })
	free := w.addParty(ann, with(client, m{"caseId": intake.CaseID}))
	into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+free.PartyID, plaintiff), 200)
}

// atOnce makes calls at the same moment and counts their statuses.
func (w *world) atOnce(calls ...call) map[int]int {
	w.t.Helper()
	statuses := make(chan int, len(calls))
	start := make(chan struct{})

	for _, c := range calls {
		go func() {
			<-start
			a, err := w.try(c)
			if err != nil {
				w.t.Error(err)
			}
			statuses <- a.Status
		}()
	}
	close(start)

	counts := map[int]int{}
	for range calls {
		counts[<-statuses]++
	}

	return counts
}

func TestASecondClientNeedsJointRepresentation(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	client := with(plaintiff, m{"isClient": true})

	for _, status := range []string{"open", "on_hold"} {
		c := w.cases.add(firm, func(c *api.Case) { c.Status = status })
		w.addParty(ann, with(client, m{"caseId": c.CaseID}))
		e := refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(client, m{"caseId": c.CaseID})), 409, "invalid_transition")
		if diff := cmp.Diff([]errs.Detail{{From: status, To: status, Unmet: []string{"jointRepresentation"}}}, e.Details); diff != "" {
			t.Errorf("details (-want +got):\n%s", diff)
		}
		other := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
		put := func() answer { return w.json(ann, http.MethodPut, "/v1/parties/"+other.PartyID, client) }
		refused(t, put(), 409, "invalid_transition")
		w.cases.set(firm, c.CaseID, func(c *api.Case) { c.JointRepresentation = true })
		into[api.Party](t, put(), 200)
	}
	intake := w.cases.add(firm, func(c *api.Case) { c.Status = "intake" })
	w.addParty(ann, with(client, m{"caseId": intake.CaseID}))
	w.addParty(ann, with(client, m{"caseId": intake.CaseID}))
}

// Of several who make a client of an open case at the same moment one is right.
func TestClientsAreAddedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	client := with(plaintiff, m{"isClient": true})

	for range 3 {
		c := w.cases.add(firm, nil)
		var calls []call

		for range 3 {
			other := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
			calls = append(calls, servicetest.JSON(t, ann, http.MethodPost, "/v1/parties", with(client, m{"caseId": c.CaseID})), servicetest.JSON(t, ann, http.MethodPut, "/v1/parties/"+other.PartyID, client))
		}
		if got := w.atOnce(calls...); got[200]+got[201] != 1 || got[409] != 5 {
			t.Errorf("statuses %v, want one success and five times 409", got)
		}
		if page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?isClient=true&caseId="+c.CaseID), 200); len(page.Items) != 1 {
			t.Errorf("%d clients", len(page.Items))
		}
	}
}

// While case-svc decides by the clients of a case, nobody changes them; what comes after sees what case-svc made of the case.
func TestTheTurnOfACaseHoldsItsClients(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, func(c *api.Case) { c.JointRepresentation = true })
	client := with(plaintiff, m{"isClient": true, "caseId": c.CaseID})
	w.addParty(ann, client)
	turn := "/internal/cases/" + c.CaseID + "/turns/" + uuid.NewString()
	if a := w.json(ann, http.MethodPut, turn, nil); a.Status != 204 {
		t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	second := make(chan answer, 1)

	go func() {
		a, err := w.try(servicetest.JSON(t, ann, http.MethodPost, "/v1/parties", client))
		if err != nil {
			t.Error(err)
		}
		second <- a
	}()
	// The second client is on record once the case, as it is now, allows it. What is left is to wait for the turn: a
	// request that did not wait would be answered while another one is, and not as below.
	testkit.Until(t, testkit.Patience, func() error {
		if all := w.deeds(firm); len(all) != 2 {
			return fmt.Errorf("%d events are on record", len(all))
		}

		return nil
	})
	w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID})) // who is no client does not wait
	select {
	case a := <-second:
		t.Fatalf("a client was added meanwhile: %d %s", a.Status, a.Body)
	default:
	}
	w.cases.set(firm, c.CaseID, func(c *api.Case) { c.JointRepresentation = false })
	if a := w.json(ann, http.MethodDelete, turn, nil); a.Status != 204 {
		t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	refused(t, <-second, 409, "invalid_transition")
}

// Where conflicts are blocked, at most one of several parties that conflict with each other is taken, however close they come.
func TestConflictsAreBlockedAtTheSameMoment(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.cases.with(func(s *caseService) { s.policy[firm] = "block" })

	for round := range 5 {
		side := func(i int) m {
			return m{"side": []string{"ours", "adverse"}[i%2], "conflictTokens": []string{token(byte(10 + round)), token(byte(100 + i))}}
		}
		var calls []call

		for i := range 4 {
			c := w.cases.add(firm, nil)
			if i < 2 {
				calls = append(calls, servicetest.JSON(t, ann, http.MethodPost, "/v1/parties", with(with(plaintiff, m{"caseId": c.CaseID}), side(i))))
				continue
			}
			p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
			calls = append(calls, servicetest.JSON(t, ann, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, side(i))))
		}
		// Two are on each side: whoever comes first decides for its side.
		if got := w.atOnce(calls...); got[200]+got[201] != 2 || got[409] != 2 {
			t.Errorf("statuses %v, want two successes and 409 twice", got)
		}
		sides := map[string]bool{}

		for _, p := range into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?limit=100"), 200).Items {
			if p.ConflictTokenCount > 0 {
				sides[p.Side] = true
				into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"conflictTokens": nil})), 200)
			}
		}
		if len(sides) != 1 {
			t.Errorf("taken were parties on %d sides", len(sides))
		}
	}
}

func TestMergesMakeNoCircle(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c, other := w.cases.add(firm, nil), w.cases.add(firm, nil)

	var ids []string
	for range 3 {
		ids = append(ids, w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID})).PartyID)
	}
	stranger := w.addParty(ann, with(plaintiff, m{"caseId": other.CaseID}))
	merge := func(from, into string) answer {
		return w.json(ann, http.MethodPut, "/v1/parties/"+from, with(plaintiff, m{"status": "merged", "mergedIntoPartyId": into}))
	}
	refused(t, merge(ids[0], stranger.PartyID), 400, "validation_failed")
	refused(t, merge(ids[0], ids[0]), 400, "merge_cycle")
	into[api.Party](t, merge(ids[0], ids[1]), 200)
	into[api.Party](t, merge(ids[1], ids[2]), 200)
	refused(t, merge(ids[2], ids[0]), 400, "merge_cycle")
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	one, two := w.cases.add(firm, nil), w.cases.add(firm, nil)
	elsewhere := w.cases.add("o:other", nil)
	roster := func(caller access.Caller, id string) api.RosterConflict {
		return into[api.Roster](t, w.get(caller, "/internal/cases/"+id+"/roster?parties=5"), 200).Conflict
	}
	if got := roster(ann, one.CaseID); got.Tokens || len(got.Hits) != 0 {
		t.Errorf("conflict of an empty case = %+v", got)
	}
	w.addParty(ann, with(plaintiff, m{"caseId": one.CaseID, "side": "ours", "conflictTokens": []string{token(1), token(2)}}))
	w.addParty(user("o:other", "eve"), with(plaintiff, m{"caseId": elsewhere.CaseID, "side": "adverse", "conflictTokens": []string{token(1)}}))
	w.addParty(ann, with(plaintiff, m{"caseId": two.CaseID, "side": "ours", "conflictTokens": []string{token(2)}}))
	w.addParty(ann, with(plaintiff, m{"caseId": one.CaseID, "side": "adverse", "conflictTokens": []string{token(1)}})) // within one case it is no hit
	if got := roster(ann, one.CaseID); !got.Tokens || len(got.Hits) != 0 {
		t.Errorf("conflict without a pair = %+v", got)
	}
	before := w.cases.recounted(firm, one.CaseID)
	hit := w.addParty(ann, m{"kind": "individual", "role": "defendant", "caseId": two.CaseID, "side": "adverse", "conflictTokens": []string{token(1)}})
	if diff := cmp.Diff([]api.ConflictHit{{CaseID: two.CaseID, Roles: []string{"defendant"}}}, roster(ann, one.CaseID).Hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]api.ConflictHit{{CaseID: one.CaseID, Roles: []string{"plaintiff"}}}, roster(ann, two.CaseID).Hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if w.cases.recounted(firm, one.CaseID) != before+1 {
		t.Error("the case on the other side was not counted again")
	}
	// Taking the token away ends it on both sides.
	into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+hit.PartyID, with(plaintiff, m{"side": "adverse", "conflictTokens": nil})), 200)
	if got := roster(ann, one.CaseID); len(got.Hits) != 0 || w.cases.recounted(firm, one.CaseID) != before+2 {
		t.Errorf("hits = %+v", got.Hits)
	}
	w.cases.with(func(s *caseService) { s.policy[firm] = "block" })
	refused(t, w.json(ann, http.MethodPut, "/v1/parties/"+hit.PartyID, with(plaintiff, m{"side": "adverse", "conflictTokens": []string{token(1)}})), 409, "conflict_found")
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": two.CaseID, "side": "adverse", "conflictTokens": []string{token(1)}})), 409, "conflict_found")
	w.addParty(ann, with(plaintiff, m{"caseId": two.CaseID, "side": "neutral", "conflictTokens": []string{token(1)}}))
}

// However many cases stand against one, the newest comes first, whichever side it came from, and what is not listed is counted.
func TestTheNewestConflictsComeFirst(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	conflict := func() api.RosterConflict {
		return into[api.Roster](t, w.get(ann, "/internal/cases/"+c.CaseID+"/roster"), 200).Conflict
	}
	add := func(caseID, side string, tokens ...string) api.Party {
		w.clock.Advance(time.Second)
		return w.addParty(ann, with(plaintiff, m{"caseId": caseID, "side": side, "conflictTokens": tokens}))
	}
	old := w.cases.add(firm, nil)
	add(old.CaseID, "adverse", token(2))
	add(c.CaseID, "ours", token(1))
	model := add(w.cases.add(firm, nil).CaseID, "adverse", token(1))
	newest := w.cases.add(firm, nil)
	add(newest.CaseID, "adverse", token(1))
	if got := conflict(); len(got.Hits) != 2 || got.Hits[0].CaseID != newest.CaseID || got.Unlisted != 0 {
		t.Errorf("%d hits, %d unlisted, the first in %s, want 2 and 0 with %s first", len(got.Hits), got.Unlisted, got.Hits[0].CaseID, newest.CaseID)
	}
	add(c.CaseID, "ours", token(2)) // what is new is on this side
	if got := conflict(); len(got.Hits) != 3 || got.Hits[0].CaseID != old.CaseID {
		t.Errorf("%d hits, the first in %s, want 3 with %s first", len(got.Hits), got.Hits[0].CaseID, old.CaseID)
	}
	w.copies(model, 1000)
	if got := conflict(); len(got.Hits) != 1000 || got.Unlisted != 1003 {
		t.Errorf("%d hits, %d unlisted, want 1000 and 1003", len(got.Hits), got.Unlisted)
	}
	add(newest.CaseID, "adverse", token(1))
	if got := conflict(); got.Hits[0].CaseID != newest.CaseID || got.Unlisted != 1004 {
		t.Errorf("the first hit is in %s, %d unlisted, want %s and 1004", got.Hits[0].CaseID, got.Unlisted, newest.CaseID)
	}
}

// copies stores a party n times more, each in a case of its own.
func (w *world) copies(p api.Party, n int) {
	w.t.Helper()
	coll := w.database().Collection("parties")
	var doc bson.M
	if err := coll.FindOne(w.t.Context(), bson.M{"id": p.PartyID}).Decode(&doc); err != nil {
		w.t.Fatal(err)
	}
	var docs []any

	for range n {
		copied := maps.Clone(doc)
		copied["id"], copied["caseId"] = uuid.NewString(), uuid.NewString()
		copied["_id"] = fmt.Sprint(copied["tenant"], "/", copied["id"])
		docs = append(docs, copied)
	}
	if _, err := coll.InsertMany(w.t.Context(), docs); err != nil {
		w.t.Fatal(err)
	}
}

func TestARecountThatFailsIsMadeLater(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	w.cases.with(func(s *caseService) { s.down["recount"] = true })
	w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	if n := w.cases.recounted(firm, c.CaseID); n != 0 {
		t.Fatalf("recounted %d times", n)
	}
	w.cases.with(func(s *caseService) { s.down["recount"] = false })
	w.clock.Advance(16 * time.Second)
	until(t, "the sweep tells", func() bool { return w.cases.recounted(firm, c.CaseID) == 1 })
	w.clock.Advance(time.Hour)
	w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	if n := w.cases.recounted(firm, c.CaseID); n != 2 {
		t.Errorf("recounted %d times, want 2: a notice was left behind", n)
	}
}

func TestListsOfParties(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	one, two, gone := w.cases.add(firm, nil), w.cases.add(firm, nil), w.cases.add(firm, nil)
	w.cases.with(func(s *caseService) { s.deleted[firm+"/"+gone.CaseID] = false })

	for i, c := range []api.Case{one, one, one, gone, two, two} {
		w.addParty(ann, m{
			"caseId": c.CaseID, "kind": "individual", "role": []string{"plaintiff", "defendant"}[i%2], "side": []string{"ours", "adverse"}[i%2], "isClient": i == 0,
			"notes": fmt.Sprintf("note number %d", i),
		})
	}
	w.addParty(ann, with(plaintiff, m{"caseId": two.CaseID, "label": "[Party 11]", "identityRef": ref, "sealed": sealedFor(two.CaseID)}))
	w.cases.with(func(s *caseService) { s.deleted[firm+"/"+gone.CaseID] = true })

	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"?caseId=" + one.CaseID, []string{"1.[Party 1]", "1.[Party 2]", "1.[Party 3]"}},
		{"", []string{"1.[Party 1]", "1.[Party 2]", "1.[Party 3]", "2.[Party 1]", "2.[Party 2]", "2.[Party 11]"}},
		{"?role=defendant", []string{"1.[Party 2]", "2.[Party 2]"}},
		{"?side=ours&caseId=" + two.CaseID, []string{"2.[Party 1]"}},
		{"?isClient=true", []string{"1.[Party 1]"}},
		{"?isClient=false&caseId=" + one.CaseID, []string{"1.[Party 2]", "1.[Party 3]"}},
		{"?status=merged", nil},
		{"?sealedKeyVersion=3", []string{"2.[Party 11]"}},
		{"?sealedKeyVersion=2", nil},
		{"?q=%5BParty+1%5D", []string{"1.[Party 1]", "2.[Party 1]"}},
		{"?q=NOTE+2", []string{"1.[Party 3]"}},
	} {
		t.Run(tc.query, func(t *testing.T) {
			var got []string

			for path, pages := "/v1/parties"+tc.query, 0; path != ""; pages++ {
				glue := "?"
				if strings.Contains(tc.query, "?") {
					glue = "&"
				}

				page := into[api.Page[api.Party]](t, w.get(ann, path+map[bool]string{true: glue + "limit=2"}[pages == 0]), 200)
				for _, p := range page.Items {
					got = append(got, map[string]string{one.CaseID: "1.", two.CaseID: "2.", gone.CaseID: "gone."}[p.CaseID]+p.Label)
				}
				path = ""
				if page.NextCursor != nil {
					path = "/v1/parties" + tc.query + glue + "limit=2&cursor=" + *page.NextCursor
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("parties (-want +got):\n%s", diff)
			}
		})
	}
	if page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?includeTotal=true&caseId="+one.CaseID), 200); page.Total == nil || *page.Total != 3 {
		t.Errorf("total = %v", page.Total)
	}

	for query, code := range map[string]string{
		"?x=1": "invalid_parameter", "?role=x": "invalid_parameter", "?side=x": "invalid_parameter", "?status=x": "invalid_parameter", "?isClient=x": "invalid_parameter",
		"?limit=0": "invalid_parameter", "?limit=101": "invalid_parameter", "?cursor=x": "invalid_cursor", "?sealedKeyVersion=0": "invalid_parameter", "?q=%2B": "invalid_parameter",
		"?q=" + strings.Repeat("a", 201): "invalid_parameter", "?role=plaintiff&role=plaintiff": "invalid_parameter",
	} {
		refused(t, w.get(ann, "/v1/parties"+query), 400, code)
	}
	refused(t, w.get(ann, "/v1/parties?q=ann@example.com"), 403, "identity_refused")
	refused(t, w.get(ann, "/v1/parties?caseId="+gone.CaseID), 404, "not_found")
}

func TestWhoMay(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	admin := user(firm, "root", access.RoleAdmin)
	adminsAgent := agent(firm, "root")
	adminsAgent.Roles = []string{access.RoleAdmin}

	application := access.Caller{Kind: access.OAuth, Tenant: firm, UserID: "root", ClientID: "client", Scopes: access.AgentScopes(), Roles: []string{access.RoleAdmin}}
	for _, tc := range []struct {
		name   string
		caller access.Caller
		code   string
	}{
		{"an admin", admin, "forbidden"},
		{"an admin's agent", adminsAgent, "forbidden"},
		{"an admin's application", application, "forbidden"},
		{"an agent without scope", agent(firm, "ann", "cases:read"), "scope_missing"},
		{"a service", access.Caller{Kind: access.Service, Tenant: firm}, "forbidden"},
		{"nobody", access.Caller{Kind: access.Public}, "forbidden"},
	} {
		for _, a := range []answer{
			w.json(tc.caller, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID})), w.get(tc.caller, "/v1/parties"),
			w.get(tc.caller, "/v1/parties/"+p.PartyID), w.json(tc.caller, http.MethodPut, "/v1/parties/"+p.PartyID, plaintiff),
		} {
			t.Run(tc.name, func(t *testing.T) { refused(t, a, 403, tc.code) })
		}
	}
	refused(t, w.do(call{Method: http.MethodGet, Path: "/v1/parties"}), 401, "internal_token_refused")
	counted := into[api.Roster](t, w.get(admin, "/internal/cases/"+c.CaseID+"/roster?parties=10"), 200)
	if len(counted.Parties) != 0 || counted.Counts.Parties != 1 {
		t.Errorf("an admin's roster = %+v", counted)
	}
}

func TestAnotherTenantsPartyIsNotThere(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	eve := user("o:other", "eve")
	bare := func(a answer) string {
		return string(bytes.ReplaceAll(a.Body, []byte(a.Header.Get("X-Request-Id")), nil))
	}

	for name, ask := range map[string]func(partyID, caseID string) answer{
		"get":  func(p, _ string) answer { return w.get(eve, "/v1/parties/"+p) },
		"put":  func(p, _ string) answer { return w.json(eve, http.MethodPut, "/v1/parties/"+p, plaintiff) },
		"list": func(_, c string) answer { return w.get(eve, "/v1/parties?caseId="+c) },
		"create": func(_, c string) answer {
			return w.json(eve, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c}))
		},
	} {
		theirs, unknown := ask(p.PartyID, c.CaseID), ask(uuid.NewString(), uuid.NewString())
		if theirs.Status != 404 || bare(theirs) != bare(unknown) {
			t.Errorf("%s: %d %s, an unknown id: %s", name, theirs.Status, theirs.Body, unknown.Body)
		}
	}
	if page := into[api.Page[api.Party]](t, w.get(eve, "/v1/parties"), 200); len(page.Items) != 0 {
		t.Errorf("%d parties of another tenant", len(page.Items))
	}
	if r := into[api.Roster](t, w.get(eve, "/internal/cases/"+c.CaseID+"/roster?parties=5"), 200); len(r.Parties) != 0 || r.Counts.Parties != 0 {
		t.Errorf("roster of another tenant = %+v", r)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	body := with(plaintiff, m{"caseId": c.CaseID})
	first := w.json(ann, http.MethodPost, "/v1/parties", body, "Idempotency-Key", "k")
	into[api.Party](t, first, 201)
	again := w.json(ann, http.MethodPost, "/v1/parties", body, "Idempotency-Key", "k")
	if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("again: %v %s", again.Header, again.Body)
	}
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(body, m{"role": "heir"}), "Idempotency-Key", "k"), 400, "idempotency_key_reused")
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", body, "Idempotency-Key", ""), 400, "invalid_parameter")
	if page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties"), 200); len(page.Items) != 1 {
		t.Errorf("%d parties, want 1", len(page.Items))
	}
}
