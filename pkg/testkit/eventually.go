package testkit

import (
	"context"
	"testing"
	"time"
)

// patience bounds the wait for a recovery, on a machine that is busy with other tests.
const patience = 20 * time.Second

// Eventually tries again and again until try succeeds, and fails t with its last error when that takes too long. It is for
// what another process does by itself, such as a client's recovery from an outage.
func Eventually(t testing.TB, try func() error) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	for {
		err := try()
		if err == nil {
			return
		}
		if !pause(ctx, 20*time.Millisecond) {
			t.Fatalf("did not come about within %v: %v", patience, err)
		}
	}
}

// pause waits for d and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
