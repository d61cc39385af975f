package partysvc_test

import (
	"net/http"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestAPurgedCaseLeavesNothingButItsRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	gone, stays := w.cases.add(firm, nil), w.cases.add(firm, nil)
	service := access.Caller{Kind: access.Service, Tenant: firm}

	for i, id := range []string{gone.CaseID, stays.CaseID} {
		w.addParty(ann, with(plaintiff, m{"caseId": id}))
		accepted := w.invite(ann, id, 1+i, nil)
		into[map[string]any](t, w.decided(partner(1+i), accepted.InviteID, "accept", m{"conflictAttested": true}), 200)
		w.invite(ann, id, 2-i, nil)
	}

	path := "/internal/cases/" + gone.CaseID
	for name, caller := range map[string]access.Caller{"person": ann, "agent": agent(firm, "ann")} {
		if a := w.json(caller, http.MethodDelete, path, nil); a.Status != 403 {
			t.Errorf("by a %s: %d %s", name, a.Status, a.Body)
		}
	}
	count := func(collection string, filter bson.D) int64 {
		n, err := w.database().Collection(collection).CountDocuments(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}

		return n
	}
	other := access.Caller{Kind: access.Service, Tenant: "o:other"}
	if a := w.json(other, http.MethodDelete, path, nil); a.Status != 204 || count("parties", bson.D{}) != 2 {
		t.Errorf("in another tenant: %d, %d parties", a.Status, count("parties", bson.D{}))
	}

	for range 2 { // it may be repeated
		if a := w.json(service, http.MethodDelete, path, nil); a.Status != 204 {
			t.Fatalf("purge: %d %s", a.Status, a.Body)
		}
	}

	for collection, want := range map[string]int64{"parties": 1, "invites": 2, "addresses": 2, "grants": 1} {
		if got := count(collection, bson.D{}); got != want {
			t.Errorf("%s holds %d documents, want %d", collection, got, want)
		}
	}

	for _, collection := range []string{"parties", "invites", "grants", "notices", "turns"} {
		if got := count(collection, bson.D{{Key: "caseId", Value: gone.CaseID}}); got != 0 {
			t.Errorf("%s keeps %d documents of the case", collection, got)
		}
	}
	purges := 0

	for _, d := range w.deeds(firm) {
		if d.Action == "case.purge" && d.ID == gone.CaseID && d.Outcome == "ok" {
			purges++
		}
	}
	if purges != 2 {
		t.Errorf("%d purges are on record, want 2", purges)
	}
	refused(t, w.json(service, http.MethodDelete, "/internal/cases/x", nil), 404, "not_found")
}

// Before an agent deletes an intake, case-svc asks whether anybody else had a hand in its parties and invites.
func TestWhoHadAHandInACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	robot := agent(firm, "ann")
	change := func(by access.Caller, p api.Party) {
		t.Helper()
		into[api.Party](t, w.json(by, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"notes": "Looked at"})), 200)
	}

	for _, tc := range []struct {
		name   string
		work   func(caseID string)
		others bool
	}{
		{"nothing", func(string) {}, false},
		{"a party of the agent's", func(id string) { change(robot, w.addParty(robot, with(plaintiff, m{"caseId": id}))) }, false},
		{"an invite that the agent proposed", func(id string) { w.invite(robot, id, 1, nil) }, false},
		{"a party of a person's", func(id string) { w.addParty(ann, with(plaintiff, m{"caseId": id})) }, true},
		{"a party of another user's agent", func(id string) { w.addParty(agent(firm, "bob"), with(plaintiff, m{"caseId": id})) }, true},
		{"a party that a person changed, and the agent after that", func(id string) {
			p := w.addParty(robot, with(plaintiff, m{"caseId": id}))
			change(ann, p)
			change(robot, p)
		}, true},
		{"an invite of a person's", func(id string) { w.invite(ann, id, 1, nil) }, true},
		{"a proposal that a person sent", func(id string) { w.decide(ann, w.invite(robot, id, 1, nil).InviteID, "confirm") }, true},
		{"a proposal that a person took back", func(id string) { w.decide(ann, w.invite(robot, id, 1, nil).InviteID, "revoke") }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := w.cases.add(firm, nil)
			tc.work(c.CaseID)
			path := "/internal/cases/" + c.CaseID + "/others-work"
			if got := into[api.OthersWork](t, w.get(robot, path), 200); got.Others != tc.others {
				t.Errorf("others = %t, want %t", got.Others, tc.others)
			}
			if got := into[api.OthersWork](t, w.get(agent("o:other", "ann"), path), 200); got.Others {
				t.Error("another tenant learns of it")
			}
		})
	}
}
