package partysvc_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// entry is an event of the record without what differs from run to run.
type entry struct{ Kind, Actor, Action, Type, ID, Outcome string }

func (w *world) deeds(tenant string) []entry {
	w.t.Helper()
	return servicetest.Deeds[entry](w.t, chain.New(w.database().Collection(chain.Collection), w.clock.Now), tenant)
}

func TestWhatIsOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	p := w.addParty(robot, with(plaintiff, m{"caseId": c.CaseID}))
	into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, plaintiff), 200)
	refused(t, w.json(robot, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"sealed": nil})), 403, "identity_refused")
	refused(t, w.json(robot, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID, "notes": "ann@example.com"})), 403, "identity_refused")
	refused(t, w.get(agent(firm, "ann", "cases:read"), "/v1/parties/"+p.PartyID), 403, "scope_missing")
	refused(t, w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"label": "[Party 2]"})), 409, "label_immutable") // refused for what it is, no matter for the record
	bot := robot.AgentID
	want := []entry{
		{"agent", bot, "party.create", "party", p.PartyID, "ok"},
		{"user", "ann", "party.update", "party", p.PartyID, "ok"},
		{"agent", bot, "party.update", "party", p.PartyID, "refused"},
		{"agent", bot, "party.create", "party", "", "refused"},
		{"agent", bot, "party.read", "party", p.PartyID, "refused"},
	}
	if diff := cmp.Diff(want, w.deeds(firm)); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}

// For an export case-svc asks what the record may speak of, and for the events of that.
func TestTheRecordOfACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c, other := w.cases.add(firm, nil), w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	w.addParty(ann, with(plaintiff, m{"caseId": other.CaseID}))
	i := w.invite(ann, c.CaseID, 1, nil)
	path := "/internal/cases/" + c.CaseID + "/holdings"
	held := into[api.Holdings](t, w.get(ann, path), 200).IDs
	if !slices.Equal(held, []string{p.PartyID, i.InviteID}) {
		t.Errorf("holdings = %v, want the party and the invite", held)
	}
	if theirs := into[api.Holdings](t, w.get(user("o:other", "eve"), path), 200).IDs; len(theirs) != 0 {
		t.Errorf("another tenant learns of %v", theirs)
	}
	type page struct{ Items []api.AuditEvent }
	ask := api.AuditOf{ResourceIDs: held, Limit: 10}
	all := into[page](t, w.json(ann, http.MethodPost, "/internal/audit", ask), 200).Items
	if len(all) != 2 || all[0].Action != "party.create" || all[1].Action != "invite.send" {
		t.Errorf("events = %+v", all)
	}
	ask.AfterSeq = all[0].Seq
	if rest := into[page](t, w.json(ann, http.MethodPost, "/internal/audit", ask), 200).Items; len(rest) != 1 || rest[0].Seq != all[1].Seq {
		t.Errorf("the rest = %+v", rest)
	}
	if theirs := into[page](t, w.json(user("o:other", "eve"), http.MethodPost, "/internal/audit", ask), 200).Items; len(theirs) != 0 {
		t.Errorf("another tenant reads %+v", theirs)
	}
	refused(t, w.json(robot, http.MethodPost, "/internal/audit", ask), 403, "forbidden")
	refused(t, w.get(robot, path), 403, "forbidden")

	for _, bad := range []api.AuditOf{{Limit: 1}, {ResourceIDs: held}, {ResourceIDs: make([]string, 201), Limit: 1}, {ResourceIDs: held, Limit: 1, AfterSeq: -1}} {
		refused(t, w.json(ann, http.MethodPost, "/internal/audit", bad), 400, "validation_failed")
	}
}
