package redisx_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		q := redisx.Quota{Rate: 3, Period: time.Hour}
		count := func() redisx.Counted {
			t.Helper()
			at, err := redisx.Count(t.Context(), rdb, "{who}", q)
			if err != nil {
				t.Fatal(err)
			}

			return at
		}

		for left := 2; left >= 0; left-- {
			if at := count(); !at.Allowed || at.Remaining != left ||
				at.ResetAfter <= time.Duration(2-left)*20*time.Minute {
				t.Errorf("with %d left: %+v", left, at)
			}
		}
		refused := count()
		if refused.Allowed || refused.Remaining != 0 || refused.RetryAfter <= 19*time.Minute ||
			refused.RetryAfter > 20*time.Minute {
			t.Errorf("one too many: %+v", refused)
		}
		if again := count(); again.RetryAfter > refused.RetryAfter {
			t.Errorf("what is refused counts: %v, then %v", refused.RetryAfter, again.RetryAfter)
		}
		if err := redisx.GiveBack(t.Context(), rdb, "{who}", q); err != nil {
			t.Fatal(err)
		}
		if at := count(); !at.Allowed || at.Remaining != 0 {
			t.Errorf("after one was given back: %+v", at)
		}

		for range 3 {
			if err := redisx.GiveBack(t.Context(), rdb, "{who}", q); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := rdb.Exists(t.Context(), "rate:{who}").Result(); err != nil || n != 0 {
			t.Errorf("a count of nothing is kept: %d, %v", n, err)
		}
	})
}

// A value is read and a call counted, whatever becomes of the other, and though Redis has forgotten the script.
func TestGetAndCount(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		q := redisx.Quota{Rate: 10, Period: time.Minute}
		if err := rdb.Set(t.Context(), "value", "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if err := rdb.LPush(t.Context(), "rate:{broken}", "x").Err(); err != nil {
			t.Fatal(err)
		}

		for i, tc := range []struct {
			value, key string
			flush      bool
			found      string
			getErr     error
			remaining  int
			countFails bool
		}{
			{"value", "{a}", true, "v", nil, 9, false},
			{"value", "{a}", false, "v", nil, 8, false},
			{"none", "{a}", false, "", redis.Nil, 7, false},
			{"value", "{broken}", false, "v", nil, 0, true},
		} {
			if tc.flush {
				if err := rdb.ScriptFlush(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
			}
			found, getErr, at, countErr := redisx.GetAndCount(t.Context(), rdb, tc.value, tc.key, q)
			if string(found) != tc.found || !errors.Is(getErr, tc.getErr) {
				t.Errorf("%d: value %q, %v", i, found, getErr)
			}
			if (countErr != nil) != tc.countFails || at.Remaining != tc.remaining {
				t.Errorf("%d: count %+v, %v", i, at, countErr)
			}
		}
	})
}
