// Package redisstore keeps in Redis who runs what: the lease of each run, and the wish to end one.
package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Leases says which process runs a run. A lease that is not renewed ends by itself, by the time of Redis, so that the
// clock of no process matters.
type Leases struct {
	rdb  redis.UniversalClient
	life time.Duration
}

// NewLeases returns leases of the given life in rdb.
func NewLeases(rdb redis.UniversalClient, life time.Duration) *Leases { return &Leases{rdb, life} }

func leaseKey(k stream.Key) string  { return "lease:{" + k.String() + "}" }
func cancelKey(k stream.Key) string { return "cancel:{" + k.String() + "}" }

// Acquire takes the lease for holder, whoever had it: case-svc has decided that this attempt is the holder's. A wish to
// end the run stays: whoever had it was told that the run ends, whichever attempt it meets.
func (l *Leases) Acquire(ctx context.Context, k stream.Key, holder string) error {
	if err := l.rdb.Set(ctx, leaseKey(k), holder, l.life).Err(); err != nil {
		return fmt.Errorf("acquire lease: %w", redisx.Unavailable(err))
	}

	return nil
}

var renew = redis.NewScript(`
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif held then
  return 'lost'
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
if redis.call('EXISTS', KEYS[2]) == 1 then return 'cancel' end
return 'ok'
`)

var release = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1], KEYS[2]) end
return 1
`)

// State is what a holder learns when it renews.
type State uint8

// What a holder learns.
const (
	Held      State = iota // go on
	Lost                   // another process has the run
	Cancelled              // somebody wants the run to end
)

// Renew keeps holder's lease. One that has run out unnoticed is taken up again unless another has it.
func (l *Leases) Renew(ctx context.Context, k stream.Key, holder string) (State, error) {
	// One script, so that nobody takes the lease between the look and the renewal.
	answer, err := renew.Run(ctx, l.rdb, []string{leaseKey(k), cancelKey(k)}, holder, l.life.Milliseconds()).Text()
	if err != nil {
		return Held, fmt.Errorf("renew lease: %w", redisx.Unavailable(err))
	}

	switch answer {
	case "lost":
		return Lost, nil
	case "cancel":
		return Cancelled, nil
	}

	return Held, nil
}

// Release gives holder's lease up.
func (l *Leases) Release(ctx context.Context, k stream.Key, holder string) error {
	// The wish to end goes with the lease, or it would end the next attempt of the phase too.
	if err := release.Run(ctx, l.rdb, []string{leaseKey(k), cancelKey(k)}, holder).Err(); err != nil {
		return fmt.Errorf("release lease: %w", redisx.Unavailable(err))
	}

	return nil
}

// Alive reports whether anybody holds the lease.
func (l *Leases) Alive(ctx context.Context, k stream.Key) (bool, error) {
	n, err := l.rdb.Exists(ctx, leaseKey(k)).Result()
	if err != nil {
		return false, fmt.Errorf("look at lease: %w", redisx.Unavailable(err))
	}

	return n == 1, nil
}

// Unwanted reports whether somebody wants the run to end.
func (l *Leases) Unwanted(ctx context.Context, k stream.Key) (bool, error) {
	n, err := l.rdb.Exists(ctx, cancelKey(k)).Result()
	if err != nil {
		return false, fmt.Errorf("look for the end of a run: %w", redisx.Unavailable(err))
	}

	return n == 1, nil
}

const cancelLife = 15 * time.Minute // longer than any run

// Cancel asks whoever holds the lease to end the run, who looks for it several times a second.
func (l *Leases) Cancel(ctx context.Context, k stream.Key) error {
	// The wish is kept apart from the lease: it must outlive a process that dies before it has heard of it.
	if err := l.rdb.Set(ctx, cancelKey(k), "1", cancelLife).Err(); err != nil {
		return fmt.Errorf("cancel run: %w", redisx.Unavailable(err))
	}

	return nil
}
