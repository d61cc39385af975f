package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessions"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Logins implements sessions.Logins.
type Logins struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewLogins returns the sign-ins under way in rdb.
func NewLogins(rdb redis.UniversalClient, now func() time.Time) *Logins { return &Logins{rdb, now} }

type loginDoc struct {
	Browser  string    `json:"browser"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Return   string    `json:"return"`
	Expires  time.Time `json:"expires"`
}

func loginKey(id string) string { return "auth:login:{" + id + "}" }

// Begin stores a new sign-in.
func (s *Logins) Begin(ctx context.Context, id string, l sessions.Login) error {
	raw, err := json.Marshal(loginDoc(l))
	if err != nil {
		return fmt.Errorf("encode sign-in: %w", err)
	}
	if err := s.rdb.Set(ctx, loginKey(id), raw, l.Expires.Sub(s.now())+slack).Err(); err != nil {
		return fmt.Errorf("store sign-in: %w", redisx.Unavailable(err))
	}

	return nil
}

// Get returns a sign-in, or sessions.ErrNoLogin.
func (s *Logins) Get(ctx context.Context, id string) (sessions.Login, error) {
	return login(s.rdb.Get(ctx, loginKey(id)).Bytes())
}

// Take is Get that uses the sign-in up. When its answer is lost and the client asks again, the person has to begin
// again.
func (s *Logins) Take(ctx context.Context, id string) (sessions.Login, error) {
	return login(s.rdb.GetDel(ctx, loginKey(id)).Bytes())
}

func login(raw []byte, err error) (sessions.Login, error) {
	if errors.Is(err, redis.Nil) {
		return sessions.Login{}, sessions.ErrNoLogin
	}
	if err != nil {
		return sessions.Login{}, fmt.Errorf("read sign-in: %w", redisx.Unavailable(err))
	}
	var d loginDoc
	if json.Unmarshal(raw, &d) != nil {
		return sessions.Login{}, errors.New("a sign-in's record is not readable")
	}

	return sessions.Login(d), nil
}

// Sessions implements sessions.Store with the records that authn.Sessions reads: one hash for each user.
type Sessions struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewSessions returns the sessions in rdb.
func NewSessions(rdb redis.UniversalClient, now func() time.Time) *Sessions {
	return &Sessions{rdb, now}
}

// putSession takes the field, the record, the time in Unix seconds, the most records there may be, and how long the
// hash is kept, in ms. It returns the fields that it removed, and may be repeated.
var putSession = redis.NewScript(`
local fresh = cjson.decode(ARGV[2])
local function roles(r) return table.concat(r.caller.roles or {}, ' ') end
local all = redis.call('HGETALL', KEYS[1])
local kept, ended = {}, {}
local function finish(field) redis.call('HDEL', KEYS[1], field); ended[#ended + 1] = field end
for i = 1, #all, 2 do
  local r = cjson.decode(all[i + 1])
  local outdated = r.caller.tenant == fresh.caller.tenant and roles(r) ~= roles(fresh)
  if all[i] == ARGV[1] then
    -- a repetition of this very command
  elseif r.expires <= tonumber(ARGV[3]) or outdated then
    finish(all[i])
  else
    kept[#kept + 1] = {all[i], r.started}
  end
end
table.sort(kept, function(a, b) return a[2] < b[2] or a[2] == b[2] and a[1] < b[1] end)
for i = 1, #kept + 1 - tonumber(ARGV[4]) do finish(kept[i][1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
return ended
`)

// Put stores a session, and ends those that are outdated or beyond most, which is at least 1.
func (s *Sessions) Put(ctx context.Context, value string, r authn.SessionRecord, most int) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode session record: %w", err)
	}
	life := time.Unix(r.Expires, 0).Sub(s.now()) + slack
	keys := []string{authn.SessionsKey(r.Caller.UserID)}
	ended, err := putSession.Run(
		ctx, s.rdb, keys, authn.SessionField(value), raw, s.now().Unix(), most, life.Milliseconds(),
	).StringSlice()
	if err != nil {
		return fmt.Errorf("store session record: %w", redisx.Unavailable(err))
	}

	for _, field := range ended {
		if err := s.tell(ctx, authn.SessionName(r.Caller.UserID, field)); err != nil {
			return err
		}
	}

	return nil
}

// tell has the gateways close the streams of what was ended.
func (s *Sessions) tell(ctx context.Context, what string) error {
	if err := s.rdb.Publish(ctx, authn.SessionsEndedChannel, what).Err(); err != nil {
		return fmt.Errorf("tell the gateways: %w", redisx.Unavailable(err))
	}

	return nil
}

// Drop ends one session of the user.
func (s *Sessions) Drop(ctx context.Context, userID, value string) error {
	field := authn.SessionField(value)
	if err := s.rdb.HDel(ctx, authn.SessionsKey(userID), field).Err(); err != nil {
		return fmt.Errorf("drop session record: %w", redisx.Unavailable(err))
	}

	return s.tell(ctx, authn.SessionName(userID, field))
}

// dropSessions removes the hash and returns the fields that it had.
var dropSessions = redis.NewScript(`
local fields = redis.call('HKEYS', KEYS[1])
redis.call('DEL', KEYS[1])
return fields
`)

// dropSessionsOf takes a tenant and returns the fields of the sessions in it, which it removed.
var dropSessionsOf = redis.NewScript(`
local all = redis.call('HGETALL', KEYS[1])
local ended = {}
for i = 1, #all, 2 do
  if cjson.decode(all[i + 1]).caller.tenant == ARGV[1] then
    redis.call('HDEL', KEYS[1], all[i])
    ended[#ended + 1] = all[i]
  end
end
return ended
`)

// DropOf ends all sessions of the user in a tenant in one step.
func (s *Sessions) DropOf(ctx context.Context, tenant, userID string) error {
	ended, err := dropSessionsOf.Run(ctx, s.rdb, []string{authn.SessionsKey(userID)}, tenant).StringSlice()
	if err != nil {
		return fmt.Errorf("drop session records: %w", redisx.Unavailable(err))
	}

	for _, field := range ended {
		if err := s.tell(ctx, authn.SessionName(userID, field)); err != nil {
			return err
		}
	}

	return nil
}

// DropAll ends all sessions of the user in one step.
func (s *Sessions) DropAll(ctx context.Context, userID string) error {
	ended, err := dropSessions.Run(ctx, s.rdb, []string{authn.SessionsKey(userID)}).StringSlice()
	if err != nil {
		return fmt.Errorf("drop session records: %w", redisx.Unavailable(err))
	}

	for _, field := range ended {
		if err := s.tell(ctx, authn.SessionName(userID, field)); err != nil {
			return err
		}
	}

	return nil
}
