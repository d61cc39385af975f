package errs_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

func TestRefinedCopiesStillMatchTheirVariable(t *testing.T) {
	base := errs.New(errs.Conflict, "branch_busy", "Wait until the running phase has ended.")
	refined := base.WithMessage("other").WithDetails(errs.Detail{RunningPhaseID: "p"}).WithDeepLink("l").WithRetryAfter(time.Second)
	if !errors.Is(fmt.Errorf("claim branch: %w", refined), base) {
		t.Error("a refined copy no longer matches")
	}
	if base.Details != nil || base.DeepLink != "" || base.RetryAfter != 0 || base.Message == "other" {
		t.Errorf("refining changed the variable: %+v", base)
	}
	if errors.Is(base, errs.New(errs.Conflict, "branch_limit", "")) {
		t.Error("different codes match")
	}
}

func TestFrom(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want *errs.Error
	}{
		"nil":          {nil, nil},
		"unclassified": {errors.New("password=hunter2"), errs.ErrInternal},
		"wrapped":      {fmt.Errorf("find case: %w", errs.ErrNotFound), errs.ErrNotFound},
	} {
		if got := errs.From(tc.err); got != tc.want {
			t.Errorf("%s: From = %v, want %v", name, got, tc.want)
		}
	}
}

func TestSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 second", time.Millisecond: "1 second", time.Second: "1 second", 1001 * time.Millisecond: "2 seconds",
		time.Minute: "60 seconds",
	} {
		if got := errs.Seconds(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
