package redisstore_test

import (
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// A run that somebody ended before its process had the lease is over: whoever asked was told so.
func TestAWishToEndARunOutlivesTheLease(t *testing.T) {
	t.Parallel()
	ctx, leases := t.Context(), redisstore.NewLeases(stores.Redis(t), time.Minute)
	k := stream.Key{Tenant: "o:oak", PhaseID: "0197b0a0-0000-7000-8000-000000000001"}
	if err := leases.Cancel(ctx, k); err != nil {
		t.Fatal(err)
	}
	if err := leases.Acquire(ctx, k, "one"); err != nil {
		t.Fatal(err)
	}

	if state, err := leases.Renew(ctx, k, "one"); err != nil || state != redisstore.Cancelled {
		t.Errorf("Renew = %v, %v, want cancelled", state, err)
	}
	if err := leases.Release(ctx, k, "one"); err != nil {
		t.Fatal(err)
	}
	if unwanted, err := leases.Unwanted(ctx, k); err != nil || unwanted {
		t.Errorf("Unwanted = %v, %v after the run", unwanted, err)
	}
}
