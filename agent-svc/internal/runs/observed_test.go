package runs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestEveryEndOnRecordIsObservedOnce(t *testing.T) {
	for _, tc := range []struct {
		name   string
		engine engine
		status string
		tier   string
	}{
		{"an answer", busy("Done."), api.PhaseCompleted, ""},
		{"an evaluation", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{Kind: api.KindEvaluation, Evaluation: &api.Evaluation{TierName: "standard"}}, nil
		}, api.PhaseCompleted, "standard"},
		{"a failure", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{}, errors.New("broken")
		}, api.PhaseFailed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, stores.Redis(t), newLedger(), tc.engine, quick())
			var mu sync.Mutex
			var seen []runs.Outcome
			w.Observe = func(_ context.Context, o runs.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, o)
			}
			k, p := w.ledger.begin("o:oak")
			w.start(t, k, p, time.Minute)
			w.events(t, k)
			mu.Lock()
			defer mu.Unlock()
			if len(seen) != 1 || seen[0].Status != tc.status || seen[0].Tier != tc.tier || seen[0].Asked != "help" || seen[0].Mode != api.ModeDeterministic || seen[0].Took < 0 {
				t.Errorf("observed %+v, want one end %s with tier %q", seen, tc.status, tc.tier)
			}
		})
	}
}
