package redisx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// answer is what a Redis server says instead of a result.
type answer string

func (a answer) Error() string { return string(a) }
func (a answer) RedisError()   {}

func TestUnavailable(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"no such key", redis.Nil, false},
		{"the caller left", fmt.Errorf("get: %w", context.Canceled), false},
		{"wrong type", answer("WRONGTYPE Operation against a key holding the wrong kind of value"), false},
		{"two slots", redis.ErrCrossSlot, false},
		{"no such script", redis.ErrNoScript, false},
		{"a mistake of ours", errors.New("LOADING is not a state"), false},
		{"deadline", fmt.Errorf("get: %w", context.DeadlineExceeded), true},
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{"cut", io.EOF, true},
		{"cut in the middle", io.ErrUnexpectedEOF, true},
		{"closed", redis.ErrClosed, true},
		{"pool", redis.ErrPoolTimeout, true},
		{"loading", answer("LOADING Redis is loading the dataset in memory"), true},
		{"replica", answer("READONLY You can't write against a read only replica."), true},
		{"full", answer("OOM command not allowed when used memory > 'maxmemory'."), true},
		{"cannot persist", answer("MISCONF Redis is configured to save RDB snapshots"), true},
		{"cluster down", answer("CLUSTERDOWN Hash slot not served"), true},
		{"password rotated", answer("WRONGPASS invalid username-password pair or user is disabled."), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := redisx.Unavailable(tc.err)
			if errors.Is(got, errs.ErrUnavailable) != tc.want {
				t.Errorf("Unavailable(%v) = %v, want unavailable: %v", tc.err, got, tc.want)
			}
			if !errors.Is(got, tc.err) {
				t.Errorf("Unavailable(%v) = %v, which hides its cause", tc.err, got)
			}
			if again := redisx.Unavailable(got); !errors.Is(again, got) {
				t.Errorf("Unavailable twice = %v, want %v", again, got)
			}
		})
	}
}
