package servicetest

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
)

// Deeds returns the events of a tenant, whose chain must be whole, without what differs from run to run.
func Deeds[D ~struct{ Kind, Actor, Action, Type, ID, Outcome string }](t testing.TB, record *chain.Chain, tenant string) []D {
	t.Helper()
	if _, _, err := record.Verify(t.Context(), tenant); err != nil {
		t.Errorf("the chain is broken: %v", err)
	}
	events, err := record.List(t.Context(), tenant, chain.Filter{Limit: chain.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	var all []D

	for _, e := range events {
		if e.RequestID == "" && (e.Actor.Kind == audit.User || e.Actor.Kind == audit.Agent) {
			t.Errorf("event %d belongs to no request: %+v", e.Seq, e)
		}
		all = append(all, D{e.Actor.Kind, e.Actor.ID, e.Action, e.Resource.Type, e.Resource.ID, e.Outcome})
	}

	return all
}
