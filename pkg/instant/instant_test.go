package instant_test

import (
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/instant"
)

func TestOf(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 89_999_999, time.FixedZone("", 3600))
	if got, want := instant.Of(at), time.Date(2026, 3, 4, 4, 6, 7, 89_000_000, time.UTC); got != want {
		t.Errorf("Of(%v) = %v, want %v", at, got, want)
	}
}
