package redisx_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestWhatMayHaveChanged: a failure leaves open whether something was changed if a write was done or sent before it,
// and not otherwise.
func TestWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.RedisURL(t))
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: link.URL(), Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	set := func(ctx context.Context) error { return rdb.Set(ctx, "k", "v", 0).Err() }
	both := func(ctx context.Context) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Get(ctx, "k")
			p.Set(ctx, "k", "w", 0)

			return nil
		})

		return err
	}
	read := func(ctx context.Context) error { return rdb.Get(ctx, "k").Err() }

	for _, tc := range []struct {
		name string
		lost string // the command from which on answers are lost; "" for none
		do   func(context.Context) error
		want bool
	}{
		{"a write", "", set, true},
		{"reading", "", read, false},
		{"both", "", both, true},
		{"a write that finds the key", "", func(ctx context.Context) error {
			return rdb.SetArgs(ctx, "k", "x", redis.SetArgs{Mode: "NX"}).Err()
		}, false},
		{"a write that is refused", "", func(ctx context.Context) error { return rdb.LPush(ctx, "k", "x").Err() }, false},
		{"a call that is counted", "", func(ctx context.Context) error {
			_, err := redisx.Count(ctx, rdb, "ann", redisx.Quota{Rate: 1, Period: time.Second})
			return err
		}, false},
		{"reading without an answer", "get", read, false},
		{"a write without an answer", "set", set, true},
		{"both without an answer", "set", both, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			link.Mend()
			if err := redisx.Ping(t.Context(), rdb); err != nil {
				t.Fatal(err)
			}
			if tc.lost != "" {
				link.LoseAnswers(tc.lost)
			}

			ctx := errs.WithChanges(t.Context())
			err := tc.do(ctx)
			if tc.lost != "" && err == nil {
				t.Fatal("it did not fail")
			}
			if got := errs.MayHaveChanged(ctx); got != tc.want {
				t.Errorf("something may have changed: %v, want %v (%v)", got, tc.want, err)
			}
		})
	}
}

// TestNothingChangesWhereNoCommandIsSent: there is no connection over which a write could go.
func TestNothingChangesWhereNoCommandIsSent(t *testing.T) {
	t.Parallel()
	cfg := redisx.Config{URL: "redis://127.0.0.1:1", Timeout: 200 * time.Millisecond}
	unreachable, err := redisx.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unreachable.Close() })

	ctx := errs.WithChanges(t.Context())
	if err := unreachable.Set(ctx, "k", "v", 0).Err(); err == nil || errs.MayHaveChanged(ctx) {
		t.Errorf("a write to nobody: %v, and may have been done: %v", err, errs.MayHaveChanged(ctx))
	}
}
