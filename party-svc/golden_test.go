package partysvc_test

import (
	"flag"
	"net/http"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares an answer with its file.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	servicetest.Golden(t, *update, name+".json", body)
}

func TestAnswersOnTheWire(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	made := w.json(ann, http.MethodPost, "/v1/parties", m{
		"caseId": c.CaseID, "kind": "individual", "role": "plaintiff", "side": "ours", "isClient": true, "representation": "this_firm",
		"attributes": m{"ageBand": "30_44", "residence": "US-CA", "languages": []string{"en"}, "needsInterpreter": false}, "notes": "Knows [Party 2].", "joinedOn": "2026-01-02",
		"identityRef": ref, "sealed": sealedFor(c.CaseID), "conflictTokens": []string{token(1)},
	})
	golden(t, "party_browser", made.Body)
	p := into[api.Party](t, made, 201)
	golden(t, "party_agent", w.get(robot, "/v1/parties/"+p.PartyID).Body)
	w.clock.Advance(time.Second)
	golden(t, "party_bare", w.json(robot, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID})).Body)
	golden(t, "parties", w.get(robot, "/v1/parties?limit=1&includeTotal=true&caseId="+c.CaseID).Body)
	golden(t, "partners", w.get(robot, "/v1/partners?limit=2&includeTotal=true&jurisdiction=US-CA&practiceArea=HO-02&licensed=any").Body)
	invite := w.invited(ann, c.CaseID, 1, m{"message": "Please help [Party 1]."})
	golden(t, "invite_firm", invite.Body)
	i := into[api.Invite](t, invite, 201)
	golden(t, "invite_offer", w.get(partner(1), "/v1/invites/"+i.InviteID).Body)
	golden(t, "invite_proposed", w.invited(robot, c.CaseID, 2, nil).Body)
	golden(t, "roster", w.get(robot, "/internal/cases/"+c.CaseID+"/roster?parties=1").Body)
	golden(t, "invite_accepted", w.decided(partner(1), i.InviteID, "accept", m{"conflictAttested": true}).Body)
	golden(t, "party_partner", w.get(partner(1), "/v1/parties/"+p.PartyID).Body)
	golden(t, "invites", w.get(ann, "/v1/invites?caseId="+c.CaseID).Body)
}
