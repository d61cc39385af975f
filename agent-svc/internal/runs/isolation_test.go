package runs_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// interrupted adds a phase whose attempt lived for a while before it was interrupted.
func (l *ledger) interrupted(attempt int, lived, ago time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now().Add(-ago)
	began := api.At(since.Add(-lived))
	p := api.Phase{
		PhaseID: uuid.NewString(), Sequence: 1, ContainerType: "case", ContainerID: uuid.NewString(), StartedAt: &began,
		RequestType: api.CaseReq, Status: api.PhaseInterrupted, Attempt: attempt,
	}
	l.phases[p.PhaseID], l.since[p.PhaseID] = p, since

	return p.PhaseID
}

// ward is a replica that takes interrupted runs up and holds each until it is let go.
type ward struct {
	*world
	begun chan struct{}
	letGo chan struct{} // an element for each run that may end

	mu    sync.Mutex
	taken []string // in the order in which they began
}

func newWard(t *testing.T, l *ledger, apart time.Duration) *ward {
	t.Helper()
	v := &ward{begun: make(chan struct{}, 100), letGo: make(chan struct{}, 100)}
	timing := quick()
	timing.Apart, timing.GiveUp = apart, time.Hour
	v.world = newWorld(t, testkit.Redis(t), l, held(v.begun, v.letGo), timing)
	v.TakeUp = func(_ context.Context, p api.OpenPhase) error {
		v.mu.Lock()
		v.taken = append(v.taken, p.PhaseID)
		v.mu.Unlock()
		v.start(t, stream.Key{Tenant: p.Tenant, PhaseID: p.PhaseID}, v.ledger.again(p.PhaseID), time.Minute)

		return nil
	}
	ctx, stop := context.WithCancel(t.Context())

	done := make(chan struct{})
	go func() { defer close(done); v.Watch(ctx) }()
	t.Cleanup(func() { stop(); <-done })

	return v
}

// has waits until so many runs were taken up, and wants them to be these.
func (v *ward) has(t *testing.T, want ...string) {
	t.Helper()
	v.hasBegun(t, len(want))
	v.mu.Lock()
	defer v.mu.Unlock()
	got, wanted := slices.Sorted(slices.Values(v.taken)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, wanted) {
		t.Fatalf("the runs %v were taken up, want %v", got, wanted)
	}
}

func (v *ward) hasBegun(t *testing.T, n int) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		v.mu.Lock()
		defer v.mu.Unlock()
		if len(v.taken) < n {
			return fmt.Errorf("%d runs were taken up, want %d", len(v.taken), n)
		}

		return nil
	})
}

// sweeps looks twice, so that what may begin has begun.
func (v *ward) sweeps(t *testing.T) {
	t.Helper()

	for range 2 {
		if err := v.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALastAttemptIsTheOnlySuspectOfItsProcess(t *testing.T) {
	l := newLedger()
	last := l.interrupted(2, time.Minute, 30*time.Second)
	other := l.interrupted(2, time.Minute, 20*time.Second)
	young := l.interrupted(1, time.Minute, 10*time.Second)
	v := newWard(t, l, time.Minute)

	v.sweeps(t)
	v.has(t, last)
	v.letGo <- struct{}{} // the next begins when it ends, without another look
	v.has(t, last, other)
	v.sweeps(t)
	v.has(t, last, other)
	v.letGo <- struct{}{}
	v.has(t, last, other, young)
	late := l.interrupted(2, time.Minute, 5*time.Second)
	v.sweeps(t)
	v.has(t, last, other, young)
	v.letGo <- struct{}{}
	testkit.Until(t, testkit.Patience, func() error { // it came after the last look
		v.sweeps(t)
		v.mu.Lock()
		defer v.mu.Unlock()
		if !slices.Contains(v.taken, late) {
			return fmt.Errorf("%d runs were taken up", len(v.taken))
		}

		return nil
	})
	v.letGo <- struct{}{}
}

func TestAProcessHasFewSuspectsAtOnce(t *testing.T) {
	const most = 8
	l := newLedger()
	var all []string

	for i := range most + 3 {
		all = append(all, l.interrupted(1, time.Minute, 30*time.Second-time.Duration(i)*time.Second))
	}
	v := newWard(t, l, time.Minute)

	v.sweeps(t)
	v.has(t, all[:most]...)
	v.letGo <- struct{}{}
	v.has(t, all[:most+1]...)
	close(v.letGo)
	v.has(t, all...)
}

// A run that has lived for longer than its last attempt, or waited for as long as any may, keeps no other waiting.
func TestTheWaitForSuspectsIsBounded(t *testing.T) {
	for _, tc := range []struct {
		name              string
		apart, lived, ago time.Duration
	}{
		{"it outlived its last attempt", time.Minute, 50 * time.Millisecond, 10 * time.Second},
		{"it was dangerous for as long as any may be", 50 * time.Millisecond, time.Hour, 0},
		{"the others waited long enough", time.Minute, time.Hour, 61 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLedger()
			last, other := l.interrupted(2, tc.lived, tc.ago+time.Millisecond), l.interrupted(2, tc.lived, tc.ago)
			v := newWard(t, l, tc.apart)

			v.sweeps(t)
			v.has(t, last, other)
			close(v.letGo)
		})
	}
}
