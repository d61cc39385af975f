package redisstore_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

const (
	robot  = "agt_0190a3b1-0000-4000-8000-000000000001"
	other  = "agt_0190a3b1-0000-4000-8000-000000000002"
	racers = 8
)

// each runs test on every Redis there is, at a time that Redis agrees with.
func each(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient, s *redisstore.Records, now time.Time)) {
	t.Helper()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		now, err := rdb.Time(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		test(t, rdb, redisstore.New(rdb, func() time.Time { return now }), now)
	})
}

func record(agentID string, expires time.Time) authn.BearerRecord {
	return authn.BearerRecord{
		Caller: access.Caller{
			Tenant:  "o:firm",
			UserID:  "ann",
			Kind:    access.Agent,
			AgentID: agentID,
			Scopes:  []string{"case"},
			Roles:   []string{"owner"},
		},
		Expires: expires.Unix(),
	}
}

// alive returns how many of the bearers have a record.
func alive(t *testing.T, rdb redis.UniversalClient, agentID string, jtis ...string) int {
	t.Helper()
	n := 0

	for _, jti := range jtis {
		found, err := rdb.Exists(t.Context(), authn.BearerKey(agentID, jti)).Result()
		if err != nil {
			t.Fatal(err)
		}
		n += int(found)
	}

	return n
}

func TestRecordsGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rdb redis.UniversalClient, s *redisstore.Records, now time.Time) {
		want := record(robot, now.Add(time.Hour))
		if err := s.Put(t.Context(), "one", want); err != nil {
			t.Fatal(err)
		}
		raw, err := rdb.Get(t.Context(), authn.BearerKey(robot, "one")).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var got authn.BearerRecord
		if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("record = %+v, %v, want %+v", got, err, want)
		}

		for _, key := range []string{authn.BearerKey(robot, "one"), authn.BearerSetKey(robot)} {
			if life, err := rdb.TTL(t.Context(), key).Result(); err != nil || life < time.Hour || life > time.Hour+2*time.Minute {
				t.Errorf("%s is kept for %v, %v, want a little more than an hour", key, life, err)
			}
		}
	})
}

// What is published reaches every database of a Redis, so this runs beside no other test.
func TestManyBearersOfAnAgentEndTogether(t *testing.T) {
	each(t, func(t *testing.T, rdb redis.UniversalClient, s *redisstore.Records, now time.Time) {
		ctx := t.Context()

		jtis := make([]string, racers)
		for i := range jtis {
			jtis[i] = fmt.Sprint("jti-", i)
		}
		if won := testkit.Race(t, racers, func(i int) error { return s.Put(ctx, jtis[i], record(robot, now.Add(time.Hour))) }); won != racers {
			t.Fatalf("%d of %d were put", won, racers)
		}
		if err := s.Put(ctx, "theirs", record(other, now.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		if n := alive(t, rdb, robot, jtis...); n != racers {
			t.Errorf("%d bearers live, want %d", n, racers)
		}
		if err := s.Drop(ctx, robot, jtis[0]); err != nil {
			t.Fatal(err)
		}
		if n := alive(t, rdb, robot, jtis...); n != racers-1 {
			t.Errorf("%d bearers live after one was dropped, want %d", n, racers-1)
		}

		told := rdb.Subscribe(ctx, authn.EndedChannel)
		defer func() { _ = told.Close() }()
		if _, err := told.Receive(ctx); err != nil { // the subscription stands
			t.Fatal(err)
		}

		for range 2 {
			if err := s.DropAll(ctx, robot); err != nil {
				t.Fatal(err)
			}
			if m, err := told.ReceiveMessage(ctx); err != nil || m.Payload != robot {
				t.Errorf("the gateways are told %v, %v", m, err)
			}
		}
		if n := alive(t, rdb, robot, jtis...); n != 0 {
			t.Errorf("%d bearers live after their agent ended", n)
		}
		if n := alive(t, rdb, other, "theirs"); n != 1 {
			t.Error("the end of one agent ended another's bearer")
		}
	})
}

func TestExpiredBearersLeaveTheSet(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rdb redis.UniversalClient, s *redisstore.Records, now time.Time) {
		if err := s.Put(t.Context(), "old", record(robot, now.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		later := redisstore.New(rdb, func() time.Time { return now.Add(2 * time.Hour) })
		if err := later.Put(t.Context(), "new", record(robot, now.Add(3*time.Hour))); err != nil {
			t.Fatal(err)
		}
		members, err := rdb.ZRange(t.Context(), authn.BearerSetKey(robot), 0, -1).Result()
		if err != nil || !reflect.DeepEqual(members, []string{authn.BearerKey(robot, "new")}) {
			t.Errorf("the set holds %v, %v, want the new bearer", members, err)
		}
	})
}

func TestASignInIsFirstOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rdb redis.UniversalClient, s *redisstore.Records, _ time.Time) {
		const token = "secret-token"
		sign := func() bool {
			t.Helper()
			first, err := s.FirstSignIn(t.Context(), token)
			if err != nil {
				t.Error(err)
			}

			return first
		}
		var firsts atomic.Int64
		testkit.Race(t, racers, func(int) error {
			if sign() {
				firsts.Add(1)
			}

			return nil
		})
		if firsts.Load() != 1 {
			t.Errorf("%d sign-ins were the first, want 1", firsts.Load())
		}
		kept, err := rdb.Keys(t.Context(), "*"+token+"*").Result()
		if err != nil || len(kept) != 0 {
			t.Errorf("keys with the token in them: %v, %v", kept, err)
		}
		if err := s.ForgetSignIn(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if !sign() {
			t.Error("a sign-in that was forgotten is not the first again")
		}
	})
}
