package testkit

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Patience is the usual bound of Until. It is long, because a busy machine must not fail a test, and costs nothing
// when all is well.
const Patience = 30 * time.Second

// Bounds of the pause between two tries: short beside a request, long beside a check in memory. What has not come for a
// while is asked for less often, for a question can cost its process, and the stores behind it, more than the answer
// is worth.
const (
	shortest = 10 * time.Millisecond
	longest  = 250 * time.Millisecond
	share    = 10 // the pause is this part of the time waited so far, so that a wait is longer by a tenth at most
)

// Until tries until try succeeds. It fails t with the last error when that takes longer than within. It is the one
// way to poll for what another process or goroutine does by itself.
func Until(t testing.TB, within time.Duration, try func() error) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	began := time.Now()

	for {
		err := try()
		if err == nil {
			return
		}
		if !Pause(ctx, min(max(shortest, time.Since(began)/share), longest)) {
			t.Fatalf("not within %v: %v", within, err)
		}
	}
}

// UntilTrue is Until for what is true or not: it fails t with a sentence about what did not come about.
func UntilTrue(t testing.TB, within time.Duration, what string, is func() bool) {
	t.Helper()
	Until(t, within, func() error {
		if !is() {
			return errors.New("it did not come about that " + what)
		}

		return nil
	})
}

// Pause waits for d and reports whether ctx is still alive.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
