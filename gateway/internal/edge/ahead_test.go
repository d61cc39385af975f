package edge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// waits counts how often a client waits for Redis.
type waits struct{ n atomic.Int64 }

func (w *waits) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *waits) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hello" { // of a new connection
			w.n.Add(1)
		}

		return next(ctx, cmd)
	}
}

func (w *waits) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() != "hello" && cmds[0].Name() != "client" { // of a new connection
			w.n.Add(1)
		}

		return next(ctx, cmds)
	}
}

type oneKey struct{ key *ecdsa.PublicKey }

func (o oneKey) Key(context.Context, string) (*ecdsa.PublicKey, error) { return o.key, nil }

// visitor is an agent with a bearer and what the gateway knows of it.
type visitor struct {
	t       *testing.T
	rdb     redis.UniversalClient
	bearers *authn.Bearers
	limits  *edge.Limits
	caller  access.Caller
	jti     string
	token   string
}

func newVisitor(t *testing.T, rdb redis.UniversalClient) *visitor {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	agent, now := "agt_"+uuid.NewString(), newClock()
	v := &visitor{
		t:      t,
		rdb:    rdb,
		jti:    uuid.NewString(),
		caller: access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: agent},
	}
	token := jwt.NewWithClaims(
		jwt.SigningMethodES256,
		&authn.BearerClaims{AgentID: agent, Tenant: "o:oak", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "https://x", Subject: "ada", Audience: jwt.ClaimStrings{"https://x/v1"}, ID: v.jti,
			IssuedAt: jwt.NewNumericDate(now.at), ExpiresAt: jwt.NewNumericDate(now.at.Add(time.Hour)),
		}},
	)
	token.Header["typ"], token.Header["kid"] = authn.BearerType, "k"
	if v.token, err = token.SignedString(key); err != nil {
		t.Fatal(err)
	}
	v.bearers = &authn.Bearers{
		Keys:     oneKey{&key.PublicKey},
		Records:  redisx.Values{Client: rdb},
		Issuer:   "https://x",
		Audience: "https://x/v1",
		Now:      now.now,
	}
	v.limits = edge.NewLimits(
		rdb,
		map[routes.Limit]edge.Quota{routes.LimitCalls: {Rate: 5, Period: time.Hour}},
		now.now,
	)
	v.record(true)

	return v
}

// record stores the record of the bearer, or takes it away.
func (v *visitor) record(there bool) {
	v.t.Helper()
	name := authn.BearerKey(v.caller.AgentID, v.jti)
	err := v.rdb.Del(v.t.Context(), name).Err()
	if there {
		raw, _ := json.Marshal(authn.BearerRecord{Caller: v.caller, Expires: newClock().at.Add(time.Hour).Unix()})
		err = v.rdb.Set(v.t.Context(), name, raw, 0).Err()
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// calls makes one call as the gateway does, and returns its headers.
func (v *visitor) calls() (http.Header, error) {
	rec := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(rec)
	c.Request = httptest.NewRequestWithContext(v.t.Context(), http.MethodGet, "/", nil)
	ctx, ahead := v.limits.Ahead(c.Request.Context(), routes.LimitCalls)
	caller, err := v.bearers.Check(ctx, v.token)
	if err == nil {
		err = v.limits.Count(c, routes.LimitCalls, edge.CallerKey(caller), ahead)
	}

	return rec.Header(), err
}

func TestACallIsCountedWhileItsCallerIsLookedUp(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		v := newVisitor(t, rdb)
		if err := redisx.LoadRate(t.Context(), rdb); err != nil {
			t.Fatal(err)
		}
		w := &waits{}
		if _, err := v.calls(); err != nil { // the first may have to connect
			t.Fatal(err)
		}
		rdb.AddHook(w)

		for i, want := range []string{"r=3", "r=2"} {
			h, err := v.calls()
			if err != nil || !strings.Contains(h.Get("RateLimit"), want) {
				t.Errorf("call %d: %v, RateLimit %s, want %s", i+1, err, h.Get("RateLimit"), want)
			}
			if n := w.n.Load(); n != int64(i+1) {
				t.Errorf("%d trips to Redis after %d calls", n, i+1)
			}
		}

		v.record(false)

		for range 10 { // more than the quota holds
			if _, err := v.calls(); !errors.Is(err, access.ErrUnauthenticated) {
				t.Fatalf("without its record: %v, want %v", err, access.ErrUnauthenticated)
			}
		}

		v.record(true)

		for i, want := range []string{"r=1", "r=0"} {
			if h, err := v.calls(); err != nil || !strings.Contains(h.Get("RateLimit"), want) {
				t.Errorf("call %d after that: %v, RateLimit %s, want %s: calls without the record counted for the agent", i, err, h.Get("RateLimit"), want)
			}
		}
		if _, err := v.calls(); errs.From(err).Kind != errs.TooMany {
			t.Errorf("one too many = %v", err)
		}
	})
}

// A record that cannot be read is 503, and a call that cannot be counted goes on.
func TestRecordAndCountFailApart(t *testing.T) {
	t.Parallel()
	server := stores.RedisServer(t)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialTimeout: 100 * time.Millisecond})
	t.Cleanup(func() { _ = rdb.Close() })
	v := newVisitor(t, rdb)
	keys, err := rdb.Keys(t.Context(), "rate:*").Result()
	if _, failed := v.calls(); err != nil || failed != nil || len(keys) != 0 {
		t.Fatal(err, failed, keys)
	}
	if keys, err = rdb.Keys(t.Context(), "rate:*").Result(); err != nil || len(keys) != 1 {
		t.Fatal(err, keys)
	}
	gone := rdb.Del(t.Context(), keys[0]).Err()
	if err := errors.Join(gone, rdb.LPush(t.Context(), keys[0], "no number").Err()); err != nil {
		t.Fatal(err)
	}
	if _, err := v.calls(); err != nil {
		t.Errorf("a call that cannot be counted = %v", err)
	}
	server.Stop()
	if _, err := v.calls(); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("a record that cannot be read = %v, want %v", err, errs.ErrUnavailable)
	}
}
