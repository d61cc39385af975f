package casesvc_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares an answer with its file.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	servicetest.Golden(t, *update, name+".json", bytes.ReplaceAll(body, []byte(guard.Version()), []byte("rules")))
}

func TestAnswersOnTheWire(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	golden(t, "case_empty", w.json(ann, http.MethodPost, "/v1/cases", nil).Body)
	w.clock.Advance(time.Second)
	full := w.json(ann, http.MethodPost, "/v1/cases", m{
		"title": "Eviction of [Party 1]", "summary": "The lease ended.", "jurisdiction": "US-CA", "side": "respondent", "practiceAreas": []m{{"scheme": "LIST", "code": "HO-02-00-00-00"}},
		"forum": m{"system": "state", "courtCode": "casuper", "docketLabel": "[Docket 1]", "timeZone": "America/Los_Angeles"}, "stage": m{"codeSet": "litigation", "phase": "L200"},
		"amountInControversy": m{"amount": "4200.5", "currency": "USD", "basis": "stated"}, "stakes": []string{"housing"}, "tags": []string{"urgent"}, "externalRef": "firm 7",
		"supervision":     m{"responsibleUserId": "ann", "professionalKind": "lawyer", "licenceJurisdictions": []string{"US-CA"}},
		"confidentiality": m{"privilege": "attorney_client", "aiPolicy": "local_model_only", "clientConsent": "obtained"}, "retention": m{"policyCode": "default"},
	})
	c := into[api.Case](t, full, 201)
	upload := w.upload(ann, c.CaseID, nil, part{"metadata", "", "application/json", []byte(`[{"description":"As filed","documentOn":"2024-03-03"}]`)}, textFile("complaint.txt", complaint))
	golden(t, "upload", upload.Body)
	f := into[uploaded](t, upload, 201).Items[0]
	golden(t, "files_found", w.get(robot, "/v1/cases/"+c.CaseID+"/files?q=landlord&includeTotal=true").Body)
	golden(t, "file", w.get(robot, "/v1/cases/"+c.CaseID+"/files/"+f.FileID).Body)
	golden(t, "text", w.get(robot, "/v1/cases/"+c.CaseID+"/files/"+f.FileID+"/text?from=30&to=41").Body)
	golden(t, "search", w.json(robot, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", api.SearchCase{Query: "notice of sixty days", Limit: 2}).Body)
	in := beginning(c, api.EvalReq)
	golden(t, "phase_begun", w.json(robot, http.MethodPost, "/internal/phases", in).Body)
	golden(t, "case_evaluated", w.json(robot, http.MethodPut, "/internal/cases/"+c.CaseID+"/evaluation", api.RecordEvaluation{PhaseID: in.PhaseID, Evaluation: evaluation(2, "")}).Body)
	w.clock.Advance(time.Second)
	golden(t, "phase_ended", w.json(robot, http.MethodPost, "/internal/phases/"+in.PhaseID+"/end", answered(t, 1)).Body)
	failing := beginning(c, api.CaseReq)
	w.json(robot, http.MethodPost, "/internal/phases", failing)
	golden(t, "phase_failed", w.json(robot, http.MethodPost, "/internal/phases/"+failing.PhaseID+"/end", api.EndPhase{
		Attempt: 1, Status: api.PhaseFailed, Error: &api.PhaseError{Error: "time_limit", Message: "The time is up.", Retryable: true}, Engine: in.Engine,
	}).Body)
	whole := w.get(ann, "/v1/cases/"+c.CaseID).Body
	golden(t, "case_full", whole)
	checkWhole(t, whole)
	golden(t, "case_for_admin", w.get(user("o:firm", "root", access.RoleAdmin), "/v1/cases/"+c.CaseID).Body)
	golden(t, "cases", w.get(ann, "/v1/cases?limit=1&includeTotal=true").Body)
}

// elsewhere are the fields that a case with all others cannot have, or has no value of in TestAnswersOnTheWire.
var elsewhere = map[string]string{
	"clientPartyId":       "names a party: TestPatch",
	"jointRepresentation": "is false without several clients",
	"nextDeadline":        "comes from the timeline",
	"openedOn":            "comes with the status open",
	"closedOn":            "comes with the status closed",
	"closeReason":         "as above",
}

// checkWhole wants a value of every field of a case: no test would see that one is lost on its way into the store and
// back.
func checkWhole(t *testing.T, body []byte) {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(body, &whole); err != nil {
		t.Fatal(err)
	}

	for f := range reflect.TypeFor[api.Case]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		empty := whole[name] == nil || reflect.ValueOf(whole[name]).IsZero()
		if empty != (elsewhere[name] != "") {
			t.Errorf("the full case has %s = %v; elsewhere it %q", name, whole[name], elsewhere[name])
		}
	}
}
