package cases_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

func TestExpectedVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		e    cases.Expected
		want bool
	}{"none asked": {nil, true}, "one of them": {cases.Expected{1, 3}, true}, "others": {cases.Expected{1, 2}, false}, "nothing readable": {cases.Expected{}, false}} {
		if got := tc.e.Holds(3); got != tc.want {
			t.Errorf("%s: Holds = %t, want %t", name, got, tc.want)
		}
	}
}
