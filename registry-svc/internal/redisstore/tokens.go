// Package redisstore keeps registration tokens in Redis, by their hash alone.
package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// Tokens implements agents.Tokens. Each script works on one key, so that it runs on a cluster; leases are judged by the
// time of Redis, since several replicas hold them, and a token's life by the expiry stored in it against our clock.
type Tokens struct {
	rdb     redis.UniversalClient
	now     func() time.Time
	lease   time.Duration
	fetches int // card fetches of one user in an hour
}

// New returns the tokens in rdb. A reservation that is neither committed nor released runs out after lease.
func New(rdb redis.UniversalClient, now func() time.Time, lease time.Duration, fetchesPerHour int) *Tokens {
	return &Tokens{rdb, now, lease, fetchesPerHour}
}

// Key names the record of a token; its only key is its hash.
func Key(hash string) string { return "reg:{" + hash + "}" }

// fetchKey names the count of a user's card fetches, without naming the user.
func fetchKey(userID string) string {
	sum := sha256.Sum256([]byte(userID))
	return "cards:{" + base64.RawURLEncoding.EncodeToString(sum[:12]) + "}"
}

// A record is a hash: state (unused, reserved, used), attempt, until (end of the lease, ms), owner (JSON), expires
// (ms), and tries, which only the previous version of the service reads.
// No script touches the key's own expiry.

// reserve takes attempt, lease in ms and our time in ms.
var reserve = redis.NewScript(`
local r = redis.call('HMGET', KEYS[1], 'state', 'attempt', 'until', 'expires', 'owner')
if not r[1] or tonumber(r[4]) <= tonumber(ARGV[3]) then return {'gone'} end
if r[1] == 'used' then
  if r[2] == ARGV[1] then return {'used-by-you'} end
  return {'used'}
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mine = r[2] == ARGV[1]
if r[1] == 'reserved' and not mine and tonumber(r[3]) > now then return {'busy'} end
redis.call('HSET', KEYS[1], 'state', 'reserved', 'attempt', ARGV[1], 'until', string.format('%.0f', now + ARGV[2]))
return {'ok', r[5]}
`)

var commit = redis.NewScript(`
local r = redis.call('HMGET', KEYS[1], 'state', 'attempt')
if r[1] and r[2] == ARGV[1] then redis.call('HSET', KEYS[1], 'state', 'used') return 1 end
return 0
`)

var release = redis.NewScript(`
local r = redis.call('HMGET', KEYS[1], 'state', 'attempt')
if r[1] == 'reserved' and r[2] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'state', 'unused', 'attempt', '')
  return 1
end
return 0
`)

// spend takes the length of the window in seconds and the most that may be spent in it. It returns in how many seconds
// there is more, 0 when there was one left.
var spend = redis.NewScript(`
local spent = tonumber(redis.call('GET', KEYS[1]) or '0')
if spent >= tonumber(ARGV[2]) then return math.max(1, redis.call('TTL', KEYS[1])) end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return 0
`)

type ownerDoc struct {
	Tenant string   `json:"tenant"`
	UserID string   `json:"userId"`
	Roles  []string `json:"roles"`
}

// Issue stores a token.
func (t *Tokens) Issue(ctx context.Context, hash string, owner agents.Owner, expires time.Time) error {
	raw, err := json.Marshal(ownerDoc(owner))
	if err != nil {
		return fmt.Errorf("encode owner: %w", err)
	}
	key := Key(hash)
	_, err = t.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(
			ctx,
			key,
			"state",
			"unused",
			"attempt",
			"",
			"until",
			0,
			"tries",
			0,
			"owner",
			raw,
			"expires",
			strconv.FormatInt(expires.UnixMilli(), 10),
		)
		p.PExpire(ctx, key, expires.Sub(t.now())+t.lease)

		return nil
	})
	if err != nil {
		return fmt.Errorf("store registration token: %w", redisx.Unavailable(err))
	}

	return nil
}

// Reserve holds the token for attempt.
func (t *Tokens) Reserve(ctx context.Context, hash, attempt string) (agents.Reservation, agents.Owner, error) {
	lease, now := t.lease.Milliseconds(), t.now().UnixMilli()

	answer, err := reserve.Run(ctx, t.rdb, []string{Key(hash)}, attempt, lease, now).StringSlice()
	if err != nil {
		return agents.TokenGone, agents.Owner{}, fmt.Errorf("reserve registration token: %w", redisx.Unavailable(err))
	}

	switch answer[0] {
	case "busy":
		return agents.TokenBusy, agents.Owner{}, nil
	case "used":
		return agents.TokenUsed, agents.Owner{}, nil
	case "used-by-you":
		return agents.TokenUsedByUs, agents.Owner{}, nil
	case "ok":
		var owner ownerDoc
		if len(answer) != 2 || json.Unmarshal([]byte(answer[1]), &owner) != nil {
			return agents.TokenGone, agents.Owner{}, errors.New("a registration token's record is not readable")
		}

		return agents.Reserved, agents.Owner(owner), nil
	}

	return agents.TokenGone, agents.Owner{}, nil
}

// Commit uses the token up.
func (t *Tokens) Commit(ctx context.Context, hash, attempt string) error {
	if err := commit.Run(ctx, t.rdb, []string{Key(hash)}, attempt).Err(); err != nil {
		return fmt.Errorf("commit registration token: %w", redisx.Unavailable(err))
	}

	return nil
}

// Release gives the token back.
func (t *Tokens) Release(ctx context.Context, hash, attempt string) error {
	if err := release.Run(ctx, t.rdb, []string{Key(hash)}, attempt).Err(); err != nil {
		return fmt.Errorf("release registration token: %w", redisx.Unavailable(err))
	}

	return nil
}

// SpendFetch counts a card fetch of the user within an hour.
func (t *Tokens) SpendFetch(ctx context.Context, userID string) (wait time.Duration, err error) {
	seconds, err := spend.Run(ctx, t.rdb, []string{fetchKey(userID)}, int(time.Hour.Seconds()), t.fetches).Int()
	if err != nil {
		return 0, fmt.Errorf("count card fetch: %w", redisx.Unavailable(err))
	}

	return time.Duration(seconds) * time.Second, nil
}
