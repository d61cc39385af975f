package local

import (
	"strconv"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/gateway"
)

// TestRatesAreGenerous wants ten times the default of every rate limit, so that none is forgotten when it is made.
func TestRatesAreGenerous(t *testing.T) {
	found := 0

	for _, s := range gateway.Entry().Settings {
		if !strings.HasPrefix(s.Name, "GATEWAY_RATE_") {
			continue
		}
		found++
		usual, err := strconv.Atoi(s.Default)
		if err != nil {
			t.Fatalf("%s is %q by default: %v", s.Name, s.Default, err)
		}
		if got, want := generousLimits[s.Name], strconv.Itoa(10*usual); got != want {
			t.Errorf("%s is %q here, want %s", s.Name, got, want)
		}
	}
	if found < 8 {
		t.Errorf("%d rate limits were found", found)
	}
}
