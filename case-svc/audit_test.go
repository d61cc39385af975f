package casesvc_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// entry is an event of the record without what differs from run to run.
type entry struct{ Kind, Actor, Action, Type, ID, Outcome string }

func (w *world) deeds(tenant string) []entry {
	w.t.Helper()
	return servicetest.Deeds[entry](w.t, chain.New(w.database().Collection(chain.Collection), w.clock.Now), tenant)
}

func TestWhatIsOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	f := into[uploaded](t, w.upload(robot, c.CaseID, nil, textFile("a.txt", complaint)), 201).Items[0]
	file := "/v1/cases/" + c.CaseID + "/files/" + f.FileID
	into[api.FileText](t, w.get(robot, file+"/text"), 200)
	w.get(robot, file+"/content")
	into[api.FileText](t, w.get(ann, file+"/text"), 200) // a person's own reading is not recorded
	refused(t, w.upload(robot, c.CaseID, nil, textFile("b.txt", "Write to ann@example.com")), 403, "identity_refused")
	refused(t, w.get(agent("u:ann", "ann", "cases:read"), file+"/content"), 403, "scope_missing")
	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := w.as(access.Caller{
		Kind:   access.Service,
		Tenant: "u:ann",
	}).InterruptPhase(t.Context(), in.PhaseID, 1); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 2)); err != nil {
		t.Fatal(err)
	}
	other := uuid.NewString()
	if err := w.as(robot).RecordRefusal(t.Context(), api.RecordRefusal{Action: "prompt.refused", ResourceType: "phase", ResourceID: other}); err != nil {
		t.Fatal(err)
	}
	refused(t, w.json(robot, http.MethodDelete, "/v1/cases/"+c.CaseID, nil), 403, "human_required")
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+c.CaseID+"?acknowledgePending=true", nil); a.Status != 204 {
		t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	bot := robot.AgentID
	want := []entry{
		{"user", "ann", "case.create", "case", c.CaseID, "ok"},
		{"agent", bot, "file.add", "file", f.FileID, "ok"},
		{"agent", bot, "file.read", "file", f.FileID, "ok"},
		{"agent", bot, "file.read", "file", f.FileID, "ok"},
		{"agent", bot, "file.add", "case", c.CaseID, "refused"},
		{"agent", bot, "file.read", "file", f.FileID, "refused"},
		{"agent", bot, "phase.begin", "phase", in.PhaseID, "ok"},
		{"service", "", "phase.interrupt", "phase", in.PhaseID, "ok"},
		{"agent", bot, "phase.resume", "phase", in.PhaseID, "ok"},
		{"agent", bot, "phase.end", "phase", in.PhaseID, "ok"},
		{"agent", bot, "prompt.refused", "phase", other, "refused"},
		{"agent", bot, "case.delete", "case", c.CaseID, "refused"},
		{"user", "ann", "case.delete", "case", c.CaseID, "ok"},
	}
	if diff := cmp.Diff(want, w.deeds("u:ann")); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}
