package runs_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ledger keeps phases in memory by the rules of case-svc.
type ledger struct {
	mu          sync.Mutex
	phases      map[string]api.Phase
	evaluations map[string]api.Evaluation
	away        int // calls that fail before the store is back
	now         func() time.Time
	since       map[string]time.Time // when phases were interrupted
}

func newLedger() *ledger {
	return &ledger{
		phases:      map[string]api.Phase{},
		evaluations: map[string]api.Evaluation{},
		now:         time.Now,
		since:       map[string]time.Time{},
	}
}

func (l *ledger) begin(tenant string) (stream.Key, api.Phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := api.At(l.now())
	p := api.Phase{
		PhaseID: uuid.NewString(), BranchID: uuid.NewString(), TimelineID: uuid.NewString(), Sequence: 1, ContainerType: "case", ContainerID: uuid.NewString(),
		RequestType: api.CaseReq, Status: api.PhaseRunning, Attempt: 1, Engine: runs.EngineOf(), StartedAt: &at, CreatedAt: at,
	}
	l.phases[p.PhaseID] = p

	return stream.Key{Tenant: tenant, PhaseID: p.PhaseID}, p
}

// again takes an interrupted phase up for another attempt.
func (l *ledger) again(id string) api.Phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.phases[id]
	p.Attempt++
	p.Status = api.PhaseRunning
	l.phases[id] = p

	return p
}

func (l *ledger) get(id string) (api.Phase, error) {
	if l.away > 0 {
		l.away--
		return api.Phase{}, errs.ErrUnavailable
	}
	p, ok := l.phases[id]
	if !ok {
		return p, errs.ErrNotFound
	}

	return p, nil
}

func (l *ledger) Phase(_ context.Context, id string) (api.Phase, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.get(id)
}

var errOver = errs.New(errs.Conflict, "invalid_transition", "The phase has ended.")

func (l *ledger) EndPhase(_ context.Context, id string, in api.EndPhase) (api.Phase, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.get(id)
	if err != nil {
		return p, err
	}
	if runs.Ended(p) || p.Attempt != in.Attempt {
		if p.Status == in.Status && p.Attempt == in.Attempt && p.ResponseSHA256 == in.ResponseSHA256 {
			return p, nil
		}

		return p, errOver
	}
	at := api.At(l.now())
	p.Engine = in.Engine
	p.Status, p.Response, p.ResponseSHA256, p.Error, p.Stream, p.Usage, p.ToolCalls, p.EndedAt = in.Status, in.Response, in.ResponseSHA256, in.Error, in.Stream, in.Usage, in.ToolCalls, &at
	l.phases[id] = p

	return p, nil
}

func (l *ledger) InterruptPhase(_ context.Context, id string, attempt int) (api.InterruptedPhase, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.get(id)
	if err != nil {
		return api.InterruptedPhase{}, err
	}
	did := p.Status == api.PhaseRunning && p.Attempt == attempt
	if did {
		p.Status = api.PhaseInterrupted
		l.phases[id], l.since[id] = p, l.now()
	}

	return api.InterruptedPhase{Phase: p, Interrupted: did}, nil
}

func (l *ledger) HandOverPhase(ctx context.Context, id string, attempt int) (api.InterruptedPhase, error) {
	return l.InterruptPhase(ctx, id, attempt)
}

func (l *ledger) OpenPhases(context.Context, time.Duration, string, int) (api.OpenPages, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []api.OpenPhase

	for _, p := range l.phases {
		if !runs.Ended(p) {
			o := api.OpenPhase{
				Tenant: "o:oak", PhaseID: p.PhaseID, Attempt: p.Attempt, Status: p.Status, Since: *p.StartedAt, StartedAt: *p.StartedAt,
				Due: p.Status == api.PhaseInterrupted, Last: p.Attempt == 2, Spent: p.Attempt >= 3,
			}
			if o.Due {
				o.Since = api.At(l.since[p.PhaseID])
				o.AloneMs = 2 * o.Since.Sub(o.StartedAt.Time).Milliseconds()
			}
			open = append(open, o)
		}
	}
	slices.SortFunc(open, func(a, b api.OpenPhase) int {
		return cmp.Or(a.Since.Compare(b.Since.Time), strings.Compare(a.PhaseID, b.PhaseID))
	})

	return api.OpenPages{Items: open}, nil
}

func (l *ledger) RecordEvaluation(_ context.Context, caseID string, in api.RecordEvaluation) (api.Case, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evaluations[caseID] = in.Evaluation

	return api.Case{}, nil
}
