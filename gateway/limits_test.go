package gateway

import (
	"reflect"
	"testing"

	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
)

// TestEveryLimitHasItsQuota gives each setting of Rates a value of its own. Each limit of a route must have one of
// them, and each setting must be the quota of one limit: calls under a limit without a quota are never refused.
func TestEveryLimitHasItsQuota(t *testing.T) {
	t.Parallel()
	var rates Rates
	settings := map[int]string{}
	fields := reflect.ValueOf(&rates).Elem()

	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if name == "StreamsPerCallerShown" { // agent-svc enforces it
			continue
		}
		fields.Field(i).SetInt(int64(i + 1))
		settings[i+1] = name
	}

	used := map[routes.Limit]bool{}
	for _, r := range routes.All() {
		used[r.Limit] = true
	}
	quotas := quotas(rates)

	for limit := range used {
		q, ok := quotas[limit]
		if !ok || q.Period <= 0 {
			t.Errorf("the limit %q of a route has no quota", limit)
		}
		if settings[q.Rate] == "" {
			t.Errorf("the limit %q has a quota of %d, want that of a setting of its own", limit, q.Rate)
		}
		delete(settings, q.Rate)
	}

	for _, name := range settings {
		t.Errorf("Rates.%s is the quota of no limit that a route has", name)
	}

	for limit := range quotas {
		if !used[limit] {
			t.Errorf("no route counts against the limit %q", limit)
		}
	}
}
