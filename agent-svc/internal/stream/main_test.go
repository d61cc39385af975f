package stream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.uber.org/goleak"
)

// Every reader of a run has goroutines of its own, which must end with it.
func TestMain(m *testing.M) { testkit.Main(m) }

// It does not run beside other tests, whose goroutines come and go.
func TestReadersLeaveNothingBehindWhileTheRunGoesOn(t *testing.T) {
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()
	r := startReplica(t, rdb, k, 20*time.Millisecond)
	if err := redisstore.NewLeases(rdb, time.Hour).Acquire(t.Context(), k, "me"); err != nil {
		t.Fatal(err)
	}
	if err := log.Append(t.Context(), k, event(1, "a")); err != nil {
		t.Fatal(err)
	}
	_ = r.get(t, "").Close() // opens what stays open: connections to Redis and the run's feed
	noReaders(t, r)
	ignore := goleak.IgnoreCurrent()

	for range 20 {
		body := r.get(t, "")
		if _, err := body.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		_ = body.Close()
	}
	noReaders(t, r)
	r.http.CloseClientConnections()

	goleak.VerifyNone(
		t,
		ignore,
		goleak.IgnoreTopFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).addIdleConn"),
	)
}

func noReaders(t *testing.T, r *replica) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		if n := r.server.Open.Load(); n != 0 {
			return fmt.Errorf("%d readers", n)
		}

		return nil
	})
}
