package partysvc_test

import (
	"net/http"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// Parties leave a filtered list when they change, in one case and across the cases of a firm.
func TestPartiesWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	first, second := w.cases.add(firm, nil), w.cases.add(firm, nil)
	was := map[string][]string{}

	for i := range 30 {
		c := first
		if i%2 == 1 {
			c = second
		}
		p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
		was[c.CaseID], was[""] = append(was[c.CaseID], p.PartyID), append(was[""], p.PartyID)
	}
	neighbours := servicetest.Others{
		Remove: func(id string) (answer, error) {
			return w.try(servicetest.JSON(t, ann, http.MethodPut, "/v1/parties/"+id, m{"kind": "individual", "role": "witness"}))
		},
		Add: func() (answer, error) {
			return w.try(servicetest.JSON(t, ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": first.CaseID})))
		},
	}
	w.Steadily(t, ann, "/v1/parties?role=plaintiff&caseId="+second.CaseID, "partyId", 3, was[second.CaseID], servicetest.Others{Add: neighbours.Add})
	stays := w.Steadily(t, ann, "/v1/parties?role=plaintiff", "partyId", 4, was[""], neighbours)
	w.Steadily(t, ann, "/v1/parties?role=plaintiff&status=active", "partyId", 4, stays, neighbours)
}
