package redisx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// answer is what a Redis server says instead of a result.
type answer string

func (a answer) Error() string { return string(a) }
func (a answer) RedisError()   {}

func TestUnavailable(t *testing.T) {
	t.Parallel()

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

// A transaction that the server refuses as a whole comes back as such, whatever it refused of it.
func TestATransactionThatIsRefused(t *testing.T) {
	t.Parallel()
	server := stores.RedisServer(t)
	if !server.Durable() {
		t.Skip("the embedded Redis is never full")
	}
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: server.URL(), Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	own := redis.NewClient(&redis.Options{Addr: server.Addr(), DisableIdentity: true})
	t.Cleanup(func() { _ = own.Close() })

	for name, args := range map[string][]any{"full": {"CONFIG", "SET", "maxmemory", "1"}, "read-only": {"REPLICAOF", "127.0.0.1", "1"}} {
		t.Run(name, func(t *testing.T) {
			if err := own.Do(t.Context(), args...).Err(); err != nil {
				t.Fatal(err)
			}
			_, err := rdb.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
				p.HSet(t.Context(), "{a}", "f", "v")
				p.PExpire(t.Context(), "{a}", time.Minute)

				return nil
			})
			if !errors.Is(redisx.Unavailable(err), errs.ErrUnavailable) {
				t.Errorf("TxPipelined = %v, want unavailable", err)
			}
			if n := rdb.Exists(t.Context(), "{a}").Val(); n != 0 {
				t.Error("half of the transaction was done")
			}

			for _, undo := range [][]any{{"CONFIG", "SET", "maxmemory", "0"}, {"REPLICAOF", "NO", "ONE"}} {
				if err := own.Do(t.Context(), undo...).Err(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
