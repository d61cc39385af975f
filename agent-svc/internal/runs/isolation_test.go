package runs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
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
	v.world = newWorld(t, stores.Redis(t), l, held(v.begun, v.letGo), timing)
	v.TakeUp = func(_ context.Context, p api.OpenPhase) error {
		place, full := v.ReserveFor(p, "o:oak", "ann")
		if full != nil {
			return nil
		}
		v.mu.Lock()
		v.taken = append(v.taken, p.PhaseID)
		v.mu.Unlock()
		v.startAt(t, stream.Key{Tenant: p.Tenant, PhaseID: p.PhaseID}, v.ledger.again(p.PhaseID), time.Minute, place)

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

// Nobody gets in beside a run that is alone, until it has ended or has been alone for long enough.
func TestNobodyIsLetInBesideALastAttempt(t *testing.T) {
	for name, lived := range map[string]time.Duration{
		"until it ends": time.Hour, "until it has lived for twice as long as before": 50 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			last := l.interrupted(2, lived, 0)
			other := l.interrupted(1, lived, -time.Millisecond)
			v := newWard(t, l, time.Minute)
			v.sweeps(t)
			v.hasBegun(t, 1)
			if lived == time.Hour {
				v.has(t, last)
				if _, err := v.Reserve("o:oak", "eve"); !errors.Is(err, runs.ErrApart) {
					t.Errorf("Reserve = %v, want %v", err, runs.ErrApart)
				}
				v.letGo <- struct{}{}
			}
			giveBack, err := v.Enter(t.Context(), "o:oak", "eve") // it waits at the door
			if err != nil {
				t.Fatalf("Enter = %v", err)
			}
			giveBack()
			testkit.Until(t, testkit.Patience, func() error {
				v.sweeps(t)
				v.mu.Lock()
				defer v.mu.Unlock()
				if !slices.Contains(v.taken, other) {
					return errors.New("the other run was not taken up")
				}

				return nil
			})
			close(v.letGo)
		})
	}
}

// A run that is to be alone keeps new runs out while it waits for the others to end.
func TestALastAttemptWaitsUntilTheProcessIsEmpty(t *testing.T) {
	l := newLedger()
	v := newWard(t, l, time.Minute)
	key, before := l.begin("o:oak")
	v.start(t, key, before, time.Minute)
	last := l.interrupted(2, time.Minute, 0)

	v.sweeps(t)
	v.has(t)
	if _, err := v.Reserve("o:oak", "eve"); !errors.Is(err, runs.ErrApart) {
		t.Errorf("Reserve = %v, want %v", err, runs.ErrApart)
	}
	v.letGo <- struct{}{} // the last attempt begins when the other run ends, without another look
	v.has(t, last)
	v.letGo <- struct{}{}
	testkit.Until(t, testkit.Patience, func() error {
		giveBack, err := v.Reserve("o:oak", "eve")
		if err == nil {
			giveBack()
		}

		return err
	})
}

// Once it has waited for as long as any may, a last attempt shares the process.
func TestTheWaitToBeAloneIsBounded(t *testing.T) {
	l := newLedger()
	v := newWard(t, l, time.Minute)
	key, before := l.begin("o:oak")
	v.start(t, key, before, time.Minute)
	last := l.interrupted(2, time.Second, 61*time.Second)

	v.sweeps(t)
	v.has(t, last)
	testkit.Until(t, testkit.Patience, func() error { // others get in beside a run that shares its process
		giveBack, err := v.Reserve("o:oak", "eve")
		if err == nil {
			giveBack()
		}

		return err
	})
	close(v.letGo)
}

// Whoever waited at the door gets in before the next run is alone.
func TestRunsThatAreAloneLetOthersInBetween(t *testing.T) {
	l := newLedger()
	first := l.interrupted(2, time.Minute, 2*time.Second)
	second := l.interrupted(2, time.Minute, time.Second)
	v := newWard(t, l, time.Minute)
	v.sweeps(t)
	v.has(t, first)

	entered := make(chan func(), 1)

	go func() {
		giveBack, err := v.Enter(t.Context(), "o:oak", "eve")
		if err != nil {
			t.Errorf("Enter = %v", err)
			giveBack = func() {}
		}
		entered <- giveBack
	}()
	testkit.Until(t, testkit.Patience, func() error {
		if v.AtTheDoor() == 0 {
			return errors.New("nobody waits at the door")
		}

		return nil
	})
	v.letGo <- struct{}{}
	leave := <-entered
	v.has(t, first)
	leave()
	v.sweeps(t)
	v.has(t, first, second)
	close(v.letGo)
}
