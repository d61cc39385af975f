package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// clientDoc is a client of the authorization server as it is kept.
type clientDoc struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Redirects  []string  `json:"redirects,omitempty"`
	Refresh    bool      `json:"refresh"`
	Document   bool      `json:"document"`
	Registered time.Time `json:"registered"`
	Keys       string    `json:"keys,omitempty"`
	KeysAt     string    `json:"keysAt,omitempty"`
}

// Requests implements oauth.Requests. A request is a hash of its stage, who set it, and the rest as JSON. Each script
// works on one key.
type Requests struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewRequests returns the requests in rdb.
func NewRequests(rdb redis.UniversalClient, now func() time.Time) *Requests {
	return &Requests{rdb, now}
}

type requestDoc struct {
	Client    clientDoc     `json:"client"`
	Redirect  string        `json:"redirect"`
	State     string        `json:"state"`
	Challenge string        `json:"challenge"`
	Scopes    []string      `json:"scopes"`
	Browser   string        `json:"browser"`
	Nonce     string        `json:"nonce"`
	Verifier  string        `json:"verifier"`
	CSRF      string        `json:"csrf"`
	User      access.Caller `json:"user"`
	Expires   time.Time     `json:"expires"`
}

func requestKey(id string) string { return "auth:req:{" + id + "}" }

func (s *Requests) encode(r oauth.Request) ([]byte, error) {
	raw, err := json.Marshal(requestDoc{
		clientDoc(r.Client),
		r.Redirect,
		r.State,
		r.Challenge,
		r.Scopes,
		r.Browser,
		r.Nonce,
		r.Verifier,
		r.CSRF,
		r.User,
		r.Expires,
	})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}

	return raw, nil
}

// Begin stores a new request.
func (s *Requests) Begin(ctx context.Context, id string, r oauth.Request) error {
	raw, err := s.encode(r)
	if err != nil {
		return err
	}
	key := requestKey(id)
	_, err = s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, key, "stage", string(r.Stage), "by", "", "request", raw)
		p.PExpire(ctx, key, r.Expires.Sub(s.now())+slack)

		return nil
	})
	if err != nil {
		return fmt.Errorf("store request: %w", redisx.Unavailable(err))
	}

	return nil
}

// Get returns a request, or oauth.ErrNoRequest.
func (s *Requests) Get(ctx context.Context, id string) (oauth.Request, error) {
	values, err := s.rdb.HMGet(ctx, requestKey(id), "stage", "request").Result()
	if err != nil {
		return oauth.Request{}, fmt.Errorf("read request: %w", redisx.Unavailable(err))
	}
	stage, _ := values[0].(string)
	raw, _ := values[1].(string)
	if stage == "" {
		return oauth.Request{}, oauth.ErrNoRequest
	}
	var d requestDoc
	if json.Unmarshal([]byte(raw), &d) != nil {
		return oauth.Request{}, errors.New("a request's record is not readable")
	}

	return oauth.Request{
		Client:    oauth.Client(d.Client),
		Redirect:  d.Redirect,
		State:     d.State,
		Challenge: d.Challenge,
		Scopes:    d.Scopes,
		Browser:   d.Browser,
		Nonce:     d.Nonce,
		Verifier:  d.Verifier,
		CSRF:      d.CSRF,
		User:      d.User,
		Expires:   d.Expires,
		Stage:     oauth.Stage(stage),
	}, nil
}

// advance takes the stage that must be, the new one, the request, and an id of this attempt: the client repeats a
// command whose answer was lost, and must then hear the same again.
var advance = redis.NewScript(`
local r = redis.call('HMGET', KEYS[1], 'stage', 'by')
if r[1] == ARGV[2] and r[2] == ARGV[4] then return 1 end
if r[1] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'stage', ARGV[2], 'request', ARGV[3], 'by', ARGV[4])
return 1
`)

// Advance saves r if the request stands at from.
func (s *Requests) Advance(ctx context.Context, id string, from oauth.Stage, r oauth.Request) (bool, error) {
	raw, err := s.encode(r)
	if err != nil {
		return false, err
	}
	done, err := advance.Run(
		ctx,
		s.rdb,
		[]string{requestKey(id)},
		string(from),
		string(r.Stage),
		raw,
		uuid.NewString(),
	).Int()
	if err != nil {
		return false, fmt.Errorf("advance request: %w", redisx.Unavailable(err))
	}

	return done == 1, nil
}

// Codes implements oauth.Codes.
type Codes struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewCodes returns the codes in rdb.
func NewCodes(rdb redis.UniversalClient, now func() time.Time) *Codes { return &Codes{rdb, now} }

type codeDoc struct {
	GrantID   string        `json:"grant"`
	User      access.Caller `json:"user"`
	Client    clientDoc     `json:"client"`
	Redirect  string        `json:"redirect"`
	Challenge string        `json:"challenge"`
	Scopes    []string      `json:"scopes"`
	Expires   time.Time     `json:"expires"`
}

const usedCodeLife = 10 * time.Minute

func codeKey(hash string) string { return "auth:code:{" + hash + "}" }

// Issue stores what a code stands for.
func (s *Codes) Issue(ctx context.Context, hash string, c oauth.Code) error {
	raw, err := json.Marshal(codeDoc{
		c.GrantID,
		c.User,
		clientDoc(c.Client),
		c.Redirect,
		c.Challenge,
		c.Scopes,
		c.Expires,
	})
	if err != nil {
		return fmt.Errorf("encode code: %w", err)
	}
	key := codeKey(hash)
	_, err = s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, key, "payload", raw, "used", "")
		p.PExpire(ctx, key, c.Expires.Sub(s.now())+slack)

		return nil
	})
	if err != nil {
		return fmt.Errorf("store code: %w", redisx.Unavailable(err))
	}

	return nil
}

// redeem takes an id of this attempt, as advance does, and how long a used code is remembered, in ms.
var redeem = redis.NewScript(`
local r = redis.call('HMGET', KEYS[1], 'payload', 'used')
if not r[1] then return {'none'} end
if r[2] == '' then
  redis.call('HSET', KEYS[1], 'used', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif r[2] ~= ARGV[1] then
  return {'again', r[1]}
end
return {'first', r[1]}
`)

// Redeem uses a code up.
func (s *Codes) Redeem(ctx context.Context, hash string) (oauth.Code, bool, error) {
	answer, err := redeem.Run(
		ctx,
		s.rdb,
		[]string{codeKey(hash)},
		uuid.NewString(),
		usedCodeLife.Milliseconds(),
	).StringSlice()
	if err != nil {
		return oauth.Code{}, false, fmt.Errorf("redeem code: %w", redisx.Unavailable(err))
	}
	if answer[0] == "none" {
		return oauth.Code{}, false, oauth.ErrNoCode
	}
	var d codeDoc
	if len(answer) != 2 || json.Unmarshal([]byte(answer[1]), &d) != nil {
		return oauth.Code{}, false, errors.New("a code's record is not readable")
	}
	c := oauth.Code{
		GrantID:   d.GrantID,
		User:      d.User,
		Client:    oauth.Client(d.Client),
		Redirect:  d.Redirect,
		Challenge: d.Challenge,
		Scopes:    d.Scopes,
		Expires:   d.Expires,
	}

	return c, answer[0] == "first", nil
}

// disavowedLife is longer than a request and a code of it together.
const disavowedLife = oauth.RequestLife + oauth.CodeLife + slack

func disavowedKey(tenant, userID, clientID string) string {
	return "auth:disavowed:{" + nameOf(tenant+"\x00"+userID+"\x00"+clientID) + "}"
}

// Disavow notes that a user has ended a client now.
func (s *Codes) Disavow(ctx context.Context, tenant, userID, clientID string) error {
	key := disavowedKey(tenant, userID, clientID)
	if err := s.rdb.Set(ctx, key, s.now().UnixMilli(), disavowedLife).Err(); err != nil {
		return fmt.Errorf("note an ended client: %w", redisx.Unavailable(err))
	}

	return nil
}

// Disavowed returns when that was last noted.
func (s *Codes) Disavowed(ctx context.Context, tenant, userID, clientID string) (time.Time, error) {
	at, err := s.rdb.Get(ctx, disavowedKey(tenant, userID, clientID)).Int64()
	if errors.Is(err, redis.Nil) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look for an ended client: %w", redisx.Unavailable(err))
	}

	return time.UnixMilli(at), nil
}

// FreshClients implements oauth.FreshClients.
type FreshClients struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewFreshClients returns the clients in rdb.
func NewFreshClients(rdb redis.UniversalClient, now func() time.Time) *FreshClients {
	return &FreshClients{rdb, now}
}

const freshLife = 24 * time.Hour

func clientKey(id string) string { return "auth:client:{" + id + "}" }

// Keep stores a client for a day from its registration.
func (s *FreshClients) Keep(ctx context.Context, c oauth.Client) error {
	raw, err := json.Marshal(clientDoc(c))
	if err != nil {
		return fmt.Errorf("encode client: %w", err)
	}
	if err := s.rdb.Set(ctx, clientKey(c.ID), raw, freshLife+slack).Err(); err != nil {
		return fmt.Errorf("store client: %w", redisx.Unavailable(err))
	}

	return nil
}

// Find returns a client whose day has not passed.
func (s *FreshClients) Find(ctx context.Context, id string) (oauth.Client, error) {
	raw, err := s.rdb.Get(ctx, clientKey(id)).Bytes()
	if errors.Is(err, redis.Nil) {
		return oauth.Client{}, oauth.ErrNoClient
	}
	if err != nil {
		return oauth.Client{}, fmt.Errorf("read client: %w", redisx.Unavailable(err))
	}
	var d clientDoc
	if json.Unmarshal(raw, &d) != nil {
		return oauth.Client{}, errors.New("a client's record is not readable")
	}
	if s.now().Sub(d.Registered) >= freshLife {
		return oauth.Client{}, oauth.ErrNoClient
	}

	return oauth.Client(d), nil
}

// Count counts a registration from an address within a day.
func (s *FreshClients) Count(ctx context.Context, from string) (int, error) {
	return counted(ctx, s.rdb, "auth:registrations:{"+nameOf(from)+"}", 24*time.Hour)
}

// LiveGrants implements oauth.LiveGrants with the records that authn.Grants reads.
type LiveGrants struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewLiveGrants returns the records in rdb.
func NewLiveGrants(rdb redis.UniversalClient, now func() time.Time) *LiveGrants {
	return &LiveGrants{rdb, now}
}

// Put writes the record of a grant.
func (s *LiveGrants) Put(ctx context.Context, gid string, r authn.GrantRecord) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode grant record: %w", err)
	}
	if err := s.rdb.Set(ctx, authn.GrantKey(gid), raw, time.Unix(r.Expires, 0).Sub(s.now())+slack).Err(); err != nil {
		return fmt.Errorf("store grant record: %w", redisx.Unavailable(err))
	}

	return nil
}

// SetRoles has a live grant act with these roles from now on.
func (s *LiveGrants) SetRoles(ctx context.Context, gid string, roles []string) error {
	raw, err := json.Marshal(append([]string{}, roles...))
	if err != nil {
		return fmt.Errorf("encode roles: %w", err)
	}
	if err := setRoles.Run(ctx, s.rdb, []string{authn.GrantKey(gid)}, raw).Err(); err != nil {
		return fmt.Errorf("change grant record: %w", redisx.Unavailable(err))
	}

	return nil
}

// Drop removes the record of a grant.
func (s *LiveGrants) Drop(ctx context.Context, gid string) error {
	if err := s.rdb.Del(ctx, authn.GrantKey(gid)).Err(); err != nil {
		return fmt.Errorf("drop grant record: %w", redisx.Unavailable(err))
	}

	return nil
}
