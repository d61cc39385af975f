package edge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-jose/go-jose/v4"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func TestAddressKey(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ ip, want string }{
		{"203.0.113.7", "203.0.113.7"},
		{"::ffff:203.0.113.7", "203.0.113.7"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"2001:db8:1:2::1", "2001:db8:1:2::/64"},
		{"fe80::1%eth0", "fe80::/64"},
		{"", "unknown"},
	} {
		if got := edge.AddressKey(tc.ip); got != tc.want {
			t.Errorf("AddressKey(%q) = %q, want %q", tc.ip, got, tc.want)
		}
	}
}

// counted makes n requests against limits and returns the last answer.
func counted(t *testing.T, l *edge.Limits, limit routes.Limit, who string, n int) *httptest.ResponseRecorder {
	t.Helper()

	var rec *httptest.ResponseRecorder
	for range n {
		rec = httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if err := l.Count(c, limit, who, nil); err != nil {
			e := errs.From(err)
			rec.Code = http.StatusTooManyRequests
			rec.Header().Set("Retry-After", fmt.Sprint(e.RetryAfter.Seconds()))
		}
	}

	return rec
}

func TestLimits(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		l := edge.NewLimits(rdb, map[routes.Limit]edge.Quota{routes.LimitCalls: {Rate: 3, Period: time.Minute}}, time.Now)
		first := counted(t, l, routes.LimitCalls, "ada", 1)
		if got := first.Header().Get("RateLimit-Policy"); got != `"calls";q=3;w=60` {
			t.Errorf("RateLimit-Policy = %s", got)
		}
		if got := first.Header().Get("RateLimit"); !strings.HasPrefix(got, `"calls";r=2;t=`) {
			t.Errorf("RateLimit = %s", got)
		}
		fourth := counted(t, l, routes.LimitCalls, "ada", 3)
		if fourth.Code != http.StatusTooManyRequests || !strings.HasPrefix(fourth.Header().Get("RateLimit"), `"calls";r=0;t=`) || fourth.Header().Get("Retry-After") == "0" {
			t.Errorf("the fourth call: %d, RateLimit %s, Retry-After %s", fourth.Code, fourth.Header().Get("RateLimit"), fourth.Header().Get("Retry-After"))
		}
		if other := counted(t, l, routes.LimitCalls, "ben", 1); other.Code != http.StatusOK {
			t.Error("another caller is limited too")
		}
		keys, err := rdb.Keys(t.Context(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}

		for _, k := range keys {
			if strings.Contains(k, "ada") {
				t.Errorf("the key %q names a caller", k)
			}
		}
	})
}

func TestLimitsWithoutRedis(t *testing.T) {
	t.Parallel()
	server := stores.RedisServer(t)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialTimeout: 100 * time.Millisecond})
	t.Cleanup(func() { _ = rdb.Close() })
	server.Stop()
	c := newClock()
	quota := edge.Quota{Rate: 2, Period: time.Minute}
	l := edge.NewLimits(rdb, map[routes.Limit]edge.Quota{routes.LimitToken: quota, routes.LimitCalls: quota}, c.now)
	if rec := counted(t, l, routes.LimitCalls, "ada", 5); rec.Code != http.StatusOK {
		t.Error("ordinary calls are refused because nobody can count them")
	}
	if rec := counted(t, l, routes.LimitToken, "203.0.113.7", 2); rec.Code != http.StatusOK {
		t.Error("the second exchange is refused")
	}
	if rec := counted(t, l, routes.LimitToken, "203.0.113.7", 1); rec.Code != http.StatusTooManyRequests {
		t.Error("guessing is free while Redis is away")
	}
	c.at = c.at.Add(31 * time.Second)
	if rec := counted(t, l, routes.LimitToken, "203.0.113.7", 1); rec.Code != http.StatusOK {
		t.Error("half a minute later there is still no room")
	}
}

// keySource is auth-svc's key set.
type keySource struct {
	set   jose.JSONWebKeySet
	asked int
	away  bool
}

func (s *keySource) KeySet(context.Context) ([]byte, error) {
	s.asked++
	if s.away {
		return nil, errs.ErrUnavailable
	}

	return json.Marshal(s.set)
}

func (s *keySource) add(t *testing.T, kid string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.set.Keys = append(s.set.Keys, jose.JSONWebKey{Key: &key.PublicKey, KeyID: kid, Use: "sig", Algorithm: "ES256"})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	c, source := newClock(), &keySource{away: true}
	source.add(t, "k1")
	keys := edge.NewKeys(source, c.now)
	check := func(what, kid string, want error) {
		t.Helper()
		if _, err := keys.Key(t.Context(), kid); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	check("auth-svc was never there", "k1", errs.ErrUnavailable)
	source.away = false
	check("a published key", "k1", nil)
	asked := source.asked

	for range 50 {
		check("an unknown key right after", "k2", access.ErrUnauthenticated)
	}
	if source.asked-asked > 1 {
		t.Errorf("an unknown key cost %d fetches, want 1 at most", source.asked-asked)
	}
	source.add(t, "k2")
	c.at = c.at.Add(6 * time.Second)
	check("a rotated key", "k2", nil)
	source.away = true
	c.at = c.at.Add(10 * time.Minute)
	check("a known key while auth-svc is away", "k1", nil)
	source.away, source.set.Keys = false, source.set.Keys[1:]
	c.at = c.at.Add(10 * time.Minute)
	check("a key that is published no more", "k1", access.ErrUnauthenticated)
}

// endedSource is auth-svc's record of ended agents.
type endedSource []string

func (s endedSource) EndedAgents(context.Context, time.Time) (api.EndedAgents, error) {
	return api.EndedAgents{AgentIDs: s}, nil
}

func TestEndedAgentsLoseTheirStreams(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	e := edge.NewEnded(endedSource{"agt_before"}, rdb, time.Now, slog.New(slog.DiscardHandler))
	watching, stop := context.WithCancel(t.Context())
	done := make(chan struct{})

	go func() { e.Watch(watching); close(done) }()

	defer func() { stop(); <-done }()

	one, release := e.Follow(t.Context(), access.Caller{Kind: access.Agent, AgentID: "agt_one"}, "")
	defer release()

	two, releaseTwo := e.Follow(t.Context(), access.Caller{Kind: access.Agent, AgentID: "agt_two"}, "")
	defer releaseTwo()

	user, releaseUser := e.Follow(t.Context(), access.Caller{Kind: access.User, UserID: "ada"}, "")
	defer releaseUser()
	testkit.Until(t, testkit.Patience, func() error {
		if err := rdb.Publish(t.Context(), authn.EndedChannel, "agt_one").Err(); err != nil {
			return err
		}
		if one.Err() == nil {
			return errors.New("the stream is open")
		}

		return nil
	})
	if two.Err() != nil || user.Err() != nil {
		t.Error("others lost their streams")
	}
	testkit.Until(t, testkit.Patience, func() error {
		if !e.Has("agt_before") {
			return errors.New("not learnt from auth-svc")
		}

		return nil
	})
	if !e.Has("agt_one") || e.Has("agt_two") {
		t.Error("the record of ended agents is wrong")
	}

	late, releaseLate := e.Follow(t.Context(), access.Caller{Kind: access.Agent, AgentID: "agt_one"}, "")
	defer releaseLate()
	if late.Err() == nil {
		t.Error("an ended agent may open a stream")
	}
}

// A call that is released twice does not take those away that came after it.
func TestReleasingACallTwice(t *testing.T) {
	rdb := stores.Redis(t)
	e := edge.NewEnded(endedSource{"agt_one"}, rdb, time.Now, slog.New(slog.DiscardHandler))
	caller := access.Caller{Kind: access.Agent, AgentID: "agt_one"}
	_, first := e.Follow(t.Context(), caller, "")
	_, second := e.Follow(t.Context(), caller, "")

	first()
	second()

	third, release := e.Follow(t.Context(), caller, "")
	defer release()
	first()
	second()

	watching, stop := context.WithCancel(t.Context())
	done := make(chan struct{})

	go func() { e.Watch(watching); close(done) }()

	defer func() { stop(); <-done }()

	testkit.Until(t, testkit.Patience, func() error {
		if third.Err() == nil {
			return errors.New("the call of an agent that has ended is open")
		}

		return nil
	})
}
