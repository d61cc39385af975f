package runs_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// Every run has goroutines of its own, which must end with it.
func TestMain(m *testing.M) { testkit.Main(m) }

// An engine may report from several goroutines. Every event gets a number of its own, and every tool ends once.
func TestAnEngineReportsFromSeveralGoroutines(t *testing.T) {
	t.Parallel()
	const workers, rounds = 8, 10
	many := func(_ context.Context, _ legal.Task, report legal.Report) (api.PhaseResponse, error) {
		var working sync.WaitGroup

		for worker := range workers {
			working.Go(func() {
				for round := range rounds {
					done := report.Tool("search_passages", "Searching", fmt.Sprint(worker, round))
					report.Read(1)
					report.Tokens(2, 3)
					report.Working("Reading", round, rounds)
					report.Reasoning("Comparing")
					done("ok", "1 passage")
				}
			})
		}
		report.Plan("Plan: search", "search_passages")
		working.Wait()

		return api.PhaseResponse{Kind: api.KindAnswer, Text: "The answer."}, nil
	}
	timing := quick()
	timing.Renew = time.Second // the test asks for numbers, not for leases
	l := newLedger()
	w := newWorld(t, stores.Redis(t), l, engine(many), timing)

	k, p := l.begin("o:oak")
	w.start(t, k, p, testkit.Patience)

	if text := checkGrammar(t, w.events(t, k)); text != "The answer." {
		t.Errorf("text %q", text)
	}
	end, err := l.Phase(t.Context(), k.PhaseID)
	if err != nil {
		t.Fatal(err)
	}
	if end.Usage.ToolCallCount != workers*rounds || len(end.ToolCalls) != workers*rounds {
		t.Errorf(
			"%d tool calls counted, %d on record, want %d",
			end.Usage.ToolCallCount,
			len(end.ToolCalls),
			workers*rounds,
		)
	}
	if u := end.Usage; u.PassagesRead != workers*rounds || u.InputTokens != 2*workers*rounds ||
		u.OutputTokens != 3*workers*rounds {
		t.Errorf("usage %+v", u)
	}
}
