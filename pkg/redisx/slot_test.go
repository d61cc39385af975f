package redisx_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// The slots are those that CLUSTER KEYSLOT of Redis 7.0 gives.
func TestSlot(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		key  string
		want uint16
	}{
		{"", 0},
		{"foo", 12182},
		{"123456789", 12739},
		{"{user1000}.following", 3443},
		{"{user1000}.followers", 3443},
		{"foo{}{bar}", 8363},
		{"foo{{bar}}zap", 4015},
		{"foo{bar}{zap}", 5061},
		{"foo{bar", 15278},
	} {
		if got := redisx.Slot(tc.key); got != tc.want {
			t.Errorf("Slot(%q) = %d, want %d", tc.key, got, tc.want)
		}
	}
}
