// Package redisstore keeps in Redis what lives for minutes: the state of bearers and grants, sign-ins on record,
// requests of the authorization server with their codes, and clients that no user has allowed yet.
package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Records implements tokens.Records.
type Records struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// New returns the records in rdb.
func New(rdb redis.UniversalClient, now func() time.Time) *Records { return &Records{rdb, now} }

// slack is how much longer Redis keeps a record than it is valid; the stored expiry decides.
const slack = time.Minute

// Put stores a bearer's record and enters it into the agent's set, in one transaction: both keys lie in one slot.
// Entries of bearers that have expired leave the set on the way.
func (r *Records) Put(ctx context.Context, jti string, record authn.BearerRecord) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode bearer record: %w", err)
	}
	agent := record.Caller.AgentID
	key, set := authn.BearerKey(agent, jti), authn.BearerSetKey(agent)
	life := time.Unix(record.Expires, 0).Sub(r.now()) + slack
	_, err = r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRemRangeByScore(ctx, set, "-inf", strconv.FormatInt(r.now().Add(-slack).Unix(), 10))
		p.ZAdd(ctx, set, redis.Z{Score: float64(record.Expires), Member: key})
		p.Expire(ctx, set, life)
		p.Set(ctx, key, raw, life)

		return nil
	})
	if err != nil {
		return fmt.Errorf("store bearer record: %w", redisx.Unavailable(err))
	}

	return nil
}

// Drop removes the record of one bearer.
func (r *Records) Drop(ctx context.Context, agentID, jti string) error {
	key := authn.BearerKey(agentID, jti)
	_, err := r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, key)
		p.ZRem(ctx, authn.BearerSetKey(agentID), key)

		return nil
	})
	if err != nil {
		return fmt.Errorf("drop bearer record: %w", redisx.Unavailable(err))
	}

	return nil
}

// DropAll removes every record of the agent that is there, and then has its streams closed. One that comes meanwhile
// stays in the agent's set, so that the next call finds it.
func (r *Records) DropAll(ctx context.Context, agentID string) error {
	set := authn.BearerSetKey(agentID)
	keys, err := r.rdb.ZRange(ctx, set, 0, -1).Result()
	if err != nil {
		return fmt.Errorf("list bearer records: %w", redisx.Unavailable(err))
	}
	if len(keys) > 0 {
		_, err = r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, keys...)
			p.ZRem(ctx, set, keys)

			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("drop bearer records: %w", redisx.Unavailable(err))
	}
	if err := r.rdb.Publish(ctx, authn.EndedChannel, agentID).Err(); err != nil {
		return fmt.Errorf("tell the gateways: %w", redisx.Unavailable(err))
	}

	return nil
}

// setRoles takes the roles as JSON and changes the records that are there; their expiry stays.
var setRoles = redis.NewScript(`
for i = 1, #KEYS do
  local raw = redis.call('GET', KEYS[i])
  if raw then
    local r = cjson.decode(raw)
    r.caller.roles = cjson.decode(ARGV[1])
    if #r.caller.roles == 0 then r.caller.roles = nil end
    redis.call('SET', KEYS[i], cjson.encode(r), 'KEEPTTL')
  end
end
return 0
`)

// SetRoles has every live bearer of an agent act with these roles from now on. All records of an agent lie in one slot.
func (r *Records) SetRoles(ctx context.Context, agentID string, roles []string) error {
	keys, err := r.rdb.ZRange(ctx, authn.BearerSetKey(agentID), 0, -1).Result()
	if err != nil {
		return fmt.Errorf("list bearer records: %w", redisx.Unavailable(err))
	}
	if len(keys) == 0 {
		return nil
	}
	raw, err := json.Marshal(append([]string{}, roles...))
	if err != nil {
		return fmt.Errorf("encode roles: %w", err)
	}
	if err := setRoles.Run(ctx, r.rdb, keys, raw).Err(); err != nil {
		return fmt.Errorf("change bearer records: %w", redisx.Unavailable(err))
	}

	return nil
}

const refusalRest = 10 * time.Minute

// FirstRefusal reports whether no refusal of the agent's key was noted within the last ten minutes, and notes one.
func (r *Records) FirstRefusal(ctx context.Context, agentID string) (bool, error) {
	key := "auth:refused:{" + agentID + "}"
	err := r.rdb.SetArgs(ctx, key, "1", redis.SetArgs{Mode: "NX", TTL: refusalRest}).Err()
	if err == redis.Nil { //nolint:errorlint // the client returns this value itself
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("note a refusal: %w", redisx.Unavailable(err))
	}

	return true, nil
}

const signInLife = 24 * time.Hour

func signInKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "signin:{" + base64.RawURLEncoding.EncodeToString(sum[:]) + "}"
}

// FirstSignIn reports whether token has not been seen before, and remembers it.
func (r *Records) FirstSignIn(ctx context.Context, token string) (bool, error) {
	err := r.rdb.SetArgs(ctx, signInKey(token), "1", redis.SetArgs{Mode: "NX", TTL: signInLife}).Err()
	if err == redis.Nil { //nolint:errorlint // the client returns this value itself
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remember sign-in: %w", redisx.Unavailable(err))
	}

	return true, nil
}

// ForgetSignIn takes FirstSignIn back after the sign-in could not be audited.
func (r *Records) ForgetSignIn(ctx context.Context, token string) error {
	if err := r.rdb.Del(ctx, signInKey(token)).Err(); err != nil {
		return fmt.Errorf("forget sign-in: %w", redisx.Unavailable(err))
	}

	return nil
}
