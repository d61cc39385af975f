package redisstore_test

import (
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestTheFirstWordCounts says one thing after another of one run.
func TestTheFirstWordCounts(t *testing.T) {
	t.Parallel()
	h := redisstore.NewHandles(stores.Redis(t), time.Hour)

	for name, tc := range map[string]struct {
		words  [][2]string // each with the one that it comes in place of
		wanted string
	}{
		"a yes after a cancellation": {[][2]string{{"over", "yes"}, {"yes", ""}}, "over"},
		"a no after a cancellation":  {[][2]string{{"over", "yes"}, {"no", ""}}, "over"},
		"a cancellation after a no":  {[][2]string{{"no", ""}, {"over", "yes"}}, "no"},
		"a cancellation after a yes": {[][2]string{{"yes", ""}, {"over", "yes"}}, "over"},
	} {
		t.Run(name, func(t *testing.T) {
			k := stream.Key{Tenant: "o:oak", PhaseID: name}
			for _, word := range tc.words {
				if err := h.Say(t.Context(), k, word[0], word[1]); err != nil {
					t.Fatal(err)
				}
			}
			if said, err := h.Said(t.Context(), k); err != nil || said != tc.wanted {
				t.Errorf("%q, %v, want %q", said, err, tc.wanted)
			}
		})
	}
}
