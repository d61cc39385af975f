package runs_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// forgetful is a Redis that knows after a crash what it had last saved, and no more.
type forgetful struct {
	redis.UniversalClient
	crash func()
}

func newForgetful(t *testing.T) forgetful {
	t.Helper()
	path, err := testkit.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not on PATH")
	}
	addr, dir := testkit.FreeAddr(t), t.TempDir()
	_, port, _ := strings.Cut(addr, ":")
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: "redis://" + addr, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	var running *exec.Cmd

	stop := func() { _ = running.Process.Kill(); _ = running.Wait() }
	start := func() {
		running = exec.Command(path, "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "")
		if err := running.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Until(t, testkit.Patience, func() error { return rdb.Ping(t.Context()).Err() })
	}
	start()
	t.Cleanup(func() { stop() })

	return forgetful{rdb, func() { stop(); start() }}
}

// halfSaved begins a run whose process ends, and whose Redis then loses its last events. It returns the number of the
// last event that a reader has seen.
func halfSaved(t *testing.T, rdb forgetful, l *ledger) (k stream.Key, seen int) {
	t.Helper()
	begun, goOn := make(chan struct{}, 1), make(chan struct{}, 1)
	reads := func(ctx context.Context, _ legal.Task, report legal.Report) (api.PhaseResponse, error) {
		report.Plan("Plan: wait")
		begun <- struct{}{}
		<-goOn

		for i := range 5 {
			report.Working("Reading", i, 5)
		}
		begun <- struct{}{}
		<-ctx.Done()

		return api.PhaseResponse{}, ctx.Err()
	}
	w := newWorld(t, rdb, l, engine(reads), quick())
	k, p := l.begin("o:oak")
	w.start(t, k, p, time.Minute)
	<-begun
	if err := rdb.Save(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	goOn <- struct{}{}
	<-begun
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	newest, _, err := w.Events.Newest(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	rdb.crash()
	kept, moved, err := w.Events.Standing(t.Context(), k)
	if err != nil || !moved || kept.Seq == 0 || kept.Seq >= newest.Seq {
		t.Fatalf("Redis keeps %d of %d events, moved %v, %v", kept.Seq, newest.Seq, moved, err)
	}

	return k, newest.Seq
}

// Where Redis lost the last events of a run, whatever comes next has numbers that no reader has seen.
func TestWhatFollowsLostEventsHasNumbersOfItsOwn(t *testing.T) {
	t.Run("the next attempt", func(t *testing.T) {
		rdb, l := newForgetful(t), newLedger()
		k, seen := halfSaved(t, rdb, l)
		w := newWorld(t, rdb, l, busy("Taken up again."), quick())
		w.start(t, k, l.again(k.PhaseID), time.Minute)

		events := w.events(t, k)

		i := 0
		for events[i].Kind != api.EventPhaseStart || events[i].Seq <= 2 {
			i++
		}
		if first := events[i-1]; first.Seq <= seen+1 {
			t.Errorf("the second attempt begins with number %d, and a reader has %d", first.Seq, seen)
		}
		checkGrammarBut(t, events, 1)
	})
	t.Run("the end of a run that is given up", func(t *testing.T) {
		rdb, l := newForgetful(t), newLedger()
		k, seen := halfSaved(t, rdb, l)
		w := newWorld(t, rdb, l, busy(""), quick())
		if err := w.GiveUp(t.Context(), k, 1, runs.ErrInterrupted); err != nil {
			t.Fatal(err)
		}
		events := w.events(t, k)
		p, err := l.Phase(t.Context(), k.PhaseID)
		end := events[len(events)-1]
		if err != nil || p.Stream.EndSeq != end.Seq || p.Stream.ResponseSeq <= seen+1 {
			t.Errorf("the end has the numbers %+v, a reader has %d, %v", p.Stream, seen, err)
		}
	})
}
