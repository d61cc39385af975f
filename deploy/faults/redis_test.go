package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// register sends a registration and returns the answer.
func (s *site) register(token string) answer {
	s.t.Helper()
	body, err := json.Marshal(api.RegisterRequest{RegistrationToken: token, AgentCardURL: s.card})
	if err != nil {
		s.t.Fatal(err)
	}

	return s.send(http.MethodPost, "/v1/agents/register", "", string(body))
}

// newToken asks for a registration token in a person's name.
func (s *site) newToken(n int) string {
	s.t.Helper()
	token, err := s.as(s.token(n)).RegistrationToken(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}

	return token.RegistrationToken
}

// F4: a Redis that keeps what it acknowledges is killed and started again.
func redisRestarted(t *testing.T, r *result) {
	store := stores.RedisServer(t)
	if !store.Durable() {
		t.Skip("needs redis-server on PATH")
	}
	s := begin(t, options{settings: map[string]string{"REDIS_URL": store.URL()}})
	l := loaded(s, r, rate, streams)
	calls := l.calls(l.endedRun())
	token := s.newToken(5)
	wait(t, steady)
	store.Stop()
	wait(t, steady)
	if a := s.send(http.MethodGet, "/v1/cases/"+l.kept, l.agents[0].bearer, ""); a.status != http.StatusServiceUnavailable {
		l.wrong("without Redis a bearer is answered " + a.class())
	}
	store.Start()

	began := time.Now()
	for name, call := range calls {
		r.back(name, l.first(began, call), 3*time.Second)
	}
	l.flowing(began)
	wait(t, after)

	for _, a := range l.agents {
		if got := s.send(http.MethodGet, "/v1/me", a.bearer, ""); !got.good() {
			r.lost++
			r.fail("a bearer of before: %s", got.class())
		}
	}
	if a := s.register(token); a.status != http.StatusCreated {
		r.lost++
		r.fail("a registration token of before: %s", a.class())
	}
	l.settle()
	r.only("503", "409 idempotency_in_progress")
}

// bearerKey is where Redis keeps the record of a bearer.
func bearerKey(t *testing.T, a agent) string {
	t.Helper()
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(a.bearer, claims); err != nil {
		t.Fatal(err)
	}

	return authn.BearerKey(a.AgentID, claims["jti"].(string))
}

// F5: the master that keeps an agent's bearers dies.
func masterKilled(t *testing.T, r *result) {
	cluster := stores.RedisNodes(t, 3, 1)
	s := begin(t, options{settings: map[string]string{"REDIS_URL": cluster.URL()}})
	l := loaded(s, r, rate, streams)
	phase := l.endedRun()
	calls := l.calls(phase)
	l.works(calls)
	wait(t, steady)
	cluster.Settle()
	began := time.Now()
	cluster.KillOwner(bearerKey(t, l.agents[0]))
	r.back("its bearers", l.probe(began, calls["case-svc"]), 8*time.Second)

	for _, name := range order {
		r.back("a call by way of "+name, l.first(began, calls[name]), 8*time.Second)
	}
	r.note("streams back after %.1f s (p99)", l.flowing(began).Seconds())
	wait(t, after)
	l.settle()
	r.only("503", "409 idempotency_in_progress")
}

// F6: what a master acknowledges does not reach its replica any more, then the master dies, so that Redis goes back in time.
func replicationCut(t *testing.T, r *result) {
	cluster := stores.RedisNodes(t, 3, 1)
	s := begin(t, options{settings: map[string]string{"REDIS_URL": cluster.URL()}})
	l := loaded(s, r, rate/5+1, 0)
	calls := l.calls(l.endedRun())
	leaving := s.connect(4)
	token, used := s.newToken(5), ""
	wait(t, steady/2)
	cluster.Settle()
	cluster.CutReplicas()

	made := s.register(token)
	if made.status != http.StatusCreated {
		t.Fatalf("registration while replication is cut: %s %.300s", made.class(), made.body)
	}
	var first api.RegisteredAgent
	if err := json.Unmarshal(made.body, &first); err != nil {
		t.Fatal(err)
	}
	if a := s.send(http.MethodDelete, "/v1/agents/"+leaving.AgentID, s.token(4), ""); a.status != http.StatusNoContent {
		t.Fatalf("disconnection while replication is cut: %s %.300s", a.class(), a.body)
	}
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: cluster.URL(), Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = rdb.Close() }()

	for _, key := range s.keys(rdb, "reg:*") {
		if state, err := rdb.HGetAll(t.Context(), key).Result(); err == nil && strings.Contains(state["owner"], `"`+s.people[5].Subject+`"`) {
			used = key
		}
	}
	if used == "" {
		t.Fatal("the record of the registration token is not found")
	}
	before, _ := rdb.HGetAll(t.Context(), used).Result()
	record := bearerKey(t, leaving)
	began := time.Now()
	cluster.KillOwner(used)
	back := func(key string) time.Duration {
		s.await(patience, "the slot is served again", func() bool { return cluster.Serves(key) })
		return time.Since(began)
	}
	took := back(used)
	if cluster.Serves(record) && rdb.Exists(t.Context(), record).Val() == 0 { // it was another master's
		cluster.KillOwner(record)
		took = max(took, back(record))
	}
	l.first(began, calls["registry-svc"])
	r.back("calls", max(took, l.probe(began, calls["case-svc"])), 0)

	now, err := rdb.HGetAll(t.Context(), used).Result()
	if err != nil || now["state"] == before["state"] {
		r.fail("the fault did not come about: the token's record is %q as before, %v", now["state"], err)
	}
	if n, err := rdb.Exists(t.Context(), record).Result(); n != 1 || err != nil {
		r.fail("the fault did not come about: the bearer's record is not back, %v", err)
	}
	if a := s.register(token); a.good() {
		l.wrong("a revived token registered a second agent beside the first")
	} else {
		r.note("revived token: %s", a.class())
	}
	if a := s.send(http.MethodGet, "/v1/me", leaving.bearer, ""); a.good() {
		l.wrong("the bearer of the disconnected agent opens the service again")
	} else {
		r.note("revived bearer: %s", a.class())
	}
	// A gateway that has heard nothing of the disconnection knows of it from auth-svc.
	s.ones["gateway"].kill()
	s.ones["gateway"].start()
	s.ready(s.inside["gateway"])
	if a := s.send(http.MethodGet, "/v1/me", leaving.bearer, ""); a.good() {
		l.wrong("the bearer of the disconnected agent opens a gateway that started afterwards")
	} else {
		r.note("at a new gateway: %s", a.class())
	}
	if a := s.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+leaving.SharedAPIKey+`"}`); a.good() {
		l.wrong("the key of the disconnected agent is exchanged")
	}
	lastly := time.Now()
	r.back("the key of the agent that was registered meanwhile", l.first(lastly, func() answer {
		return s.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+first.SharedAPIKey+`"}`)
	}), 8*time.Second)
	r.back("its disconnection", l.first(lastly, func() answer { return s.send(http.MethodDelete, "/v1/agents/"+first.AgentID, s.token(5), "") }), 8*time.Second)
	if a := s.register(token); a.good() {
		l.wrong("a revived token registered a second agent after the first")
	}
	l.settle()
	r.only("503", "409 idempotency_in_progress", "no answer")
}

// keys returns the keys of all masters that fit a pattern.
func (s *site) keys(rdb redis.UniversalClient, pattern string) []string {
	s.t.Helper()
	var all []string
	err := rdb.(*redis.ClusterClient).ForEachMaster(s.t.Context(), func(ctx context.Context, node *redis.Client) error {
		some, err := node.Keys(ctx, pattern).Result()
		all = append(all, some...)

		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(all)

	return all
}

// F7: Redis answers, but not what it is asked for.
func redisRefuses(t *testing.T, r *result) {
	store := stores.RedisServer(t)
	if !store.Durable() {
		t.Skip("needs redis-server on PATH")
	}
	link := newDoor(t)
	link.leadTo(store.Addr())
	s := begin(t, options{settings: map[string]string{"REDIS_URL": "redis://" + link.Addr().String()}})
	l := loaded(s, r, rate, 0)
	calls := l.calls(l.endedRun())

	own := redis.NewClient(&redis.Options{Addr: store.Addr()})
	defer func() { _ = own.Close() }()
	set := func(args ...any) {
		if err := own.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	loading := newRefusing(t, "LOADING Redis is loading the dataset in memory")

	for _, fault := range []struct {
		name       string
		begin, end func()
	}{
		{"full", func() { set("CONFIG", "SET", "maxmemory", "1") }, func() { set("CONFIG", "SET", "maxmemory", "0") }},
		{"read-only", func() { set("REPLICAOF", "127.0.0.1", "1") }, func() { set("REPLICAOF", "NO", "ONE") }},
		{"loading", func() { link.leadTo(loading); link.drop() }, func() { link.leadTo(store.Addr()); link.drop() }},
	} {
		token := s.newToken(5)
		fault.begin()
		wait(t, steady)

		tries := map[string]answer{
			"registration": s.register(token), "registration token": s.send(http.MethodPost, "/v1/agents/registration-token", s.token(5), ""),
			"exchange": s.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+l.agents[0].SharedAPIKey+`"}`),
		}
		for what, a := range tries {
			if a.status != http.StatusServiceUnavailable {
				r.fail("%s: %s: %s", fault.name, what, a.class())
			}
		}
		fault.end()
		r.back(fault.name, l.probe(time.Now(), calls["case-svc"]), 0)
		if a := s.register(token); a.status != http.StatusCreated {
			r.fail("%s: the token that could not be used: %s", fault.name, a.class())
		} else {
			var made api.RegisteredAgent
			_ = json.Unmarshal(a.body, &made)
			if a := s.send(http.MethodDelete, "/v1/agents/"+made.AgentID, s.token(5), ""); a.status != http.StatusNoContent {
				r.fail("%s: disconnection: %s", fault.name, a.class())
			}
		}
	}
	l.settle()
	r.only("503", "409 idempotency_in_progress")
}

// newRefusing is a server that answers every command of Redis with one error. It returns its address.
func newRefusing(t *testing.T, words string) string {
	t.Helper()

	return testkit.ServeTCP(t, func(conn net.Conn) {
		for in := bufio.NewReader(conn); skipCommand(in) == nil; {
			if _, err := io.WriteString(conn, "-"+words+"\r\n"); err != nil {
				return
			}
		}
	})
}

// skipCommand reads one command of Redis's protocol: an array of strings.
func skipCommand(in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "*")))
	if err != nil {
		return err
	}

	for range n {
		if line, err = in.ReadString('\n'); err != nil {
			return err
		}
		size, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "$")))
		if err != nil {
			return err
		}
		if _, err := in.Discard(size + 2); err != nil {
			return err
		}
	}

	return nil
}
