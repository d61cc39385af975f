package redisstore_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessions"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// eachAndCluster runs test on every Redis there is, and on a cluster where one can be had, at a time that Redis agrees with.
func eachAndCluster(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient, now time.Time)) {
	t.Helper()
	with := func(t *testing.T, rdb redis.UniversalClient) {
		now, err := rdb.Time(t.Context()).Result()
		if err != nil {
			now = time.Now()
		}
		test(t, rdb, now.UTC().Truncate(time.Second))
	}
	stores.EachRedis(t, with)
	t.Run("cluster", func(t *testing.T) {
		rdb, err := redisx.Open(t.Context(), redisx.Config{URL: stores.RedisCluster(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rdb.Close() })
		with(t, rdb)
	})
}

func TestASignInIsTakenOnce(t *testing.T) {
	t.Parallel()
	eachAndCluster(t, func(t *testing.T, rdb redis.UniversalClient, now time.Time) {
		s := redisstore.NewLogins(rdb, func() time.Time { return now })
		want := sessions.Login{Browser: "b", Nonce: "n", Verifier: "v", Return: "/cases?q=1", Expires: now.Add(sessions.LoginLife)}
		if err := s.Begin(t.Context(), "one", want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), "one"); err != nil || got != want {
			t.Errorf("Get = %+v, %v, want %+v", got, err, want)
		}
		var took atomic.Int32

		var racing sync.WaitGroup
		for range racers {
			racing.Go(func() {
				switch got, err := s.Take(t.Context(), "one"); {
				case err == nil && got == want:
					took.Add(1)
				case !errors.Is(err, sessions.ErrNoLogin):
					t.Errorf("Take = %+v, %v", got, err)
				}
			})
		}
		racing.Wait()
		if took.Load() != 1 {
			t.Errorf("%d took it", took.Load())
		}
		if _, err := s.Get(t.Context(), "one"); !errors.Is(err, sessions.ErrNoLogin) {
			t.Errorf("Get of what was taken = %v", err)
		}
	})
}

func TestSessionsOfAUser(t *testing.T) {
	t.Parallel()
	eachAndCluster(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time) {
		for _, tc := range []struct {
			name string
			do   func(d *device)
			live string // devices that are still signed in at the end
		}{
			{"two of one user", func(d *device) { d.in("a", "ann", "o:oak", "member"); d.in("b", "ann", "o:oak", "member") }, "a b"},
			{"one ends", func(d *device) {
				d.in("a", "ann", "o:oak", "member")
				d.in("b", "ann", "o:oak", "member")
				d.out("a")
			}, "b"},
			{"all end, in every organization, and nobody else's", func(d *device) {
				d.in("a", "ann", "o:oak", "member")
				d.in("b", "ann", "o:elm", "owner")
				d.in("c", "bob", "o:oak", "member")
				d.everywhere("ann")
			}, "c"},
			{"the oldest ends beyond three", func(d *device) {
				for _, name := range []string{"a", "b", "c", "d", "e"} {
					d.in(name, "ann", "o:oak", "member")
					d.pass(time.Second)
				}
			}, "c d e"},
			{"what has expired takes no place", func(d *device) {
				d.in("a", "ann", "o:oak", "member")
				d.in("b", "ann", "o:oak", "member")
				d.in("c", "ann", "o:oak", "member")
				d.pass(time.Hour)
				d.in("d", "ann", "o:oak", "member")
			}, "d"},
			{"other roles end the old ones of that organization", func(d *device) {
				d.in("a", "ann", "o:oak", "owner", "member")
				d.in("b", "ann", "o:elm", "owner")
				d.in("c", "ann", "o:oak", "member")
			}, "b c"},
			{"no roles at all", func(d *device) { d.in("a", "ann", "o:oak", "owner"); d.in("b", "ann", "o:oak") }, "b"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				if err := rdb.Del(t.Context(), authn.SessionsKey("ann")).Err(); err != nil {
					t.Fatal(err)
				}
				d := &device{t: t, rdb: rdb, at: start, values: map[string]string{}, users: map[string]string{}}
				tc.do(d)
				if live := d.live(); live != tc.live {
					t.Errorf("signed in: %q, want %q", live, tc.live)
				}
				if ttl, err := rdb.TTL(t.Context(), authn.SessionsKey("ann")).Result(); tc.live != "c" && (err != nil || ttl <= 0 || ttl > time.Hour+2*time.Minute) {
					t.Errorf("the records are kept for %v, %v", ttl, err)
				}
			})
		}
	})
}

// device signs people in on devices that have names.
type device struct {
	t             *testing.T
	rdb           redis.UniversalClient
	at            time.Time
	values, users map[string]string
}

func (d *device) pass(by time.Duration) { d.at = d.at.Add(by) }

func (d *device) store() *redisstore.Sessions {
	return redisstore.NewSessions(d.rdb, func() time.Time { return d.at })
}

func (d *device) in(name, userID, tenant string, roles ...string) {
	d.t.Helper()
	d.values[name], d.users[name] = authn.NewSession(userID), userID

	r := authn.SessionRecord{
		Caller: access.Caller{Kind: access.User, Tenant: tenant, UserID: userID, Roles: roles}, Name: "N", Started: d.at.UnixMilli(), Expires: d.at.Add(time.Hour).Unix(),
	}
	for range 2 { // a command whose answer was lost comes again
		if err := d.store().Put(d.t.Context(), d.values[name], r, 3); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *device) out(name string) {
	d.t.Helper()
	if err := d.store().Drop(d.t.Context(), d.users[name], d.values[name]); err != nil {
		d.t.Fatal(err)
	}
}

func (d *device) everywhere(userID string) {
	d.t.Helper()
	if err := d.store().DropAll(d.t.Context(), userID); err != nil {
		d.t.Fatal(err)
	}
}

func (d *device) live() string {
	d.t.Helper()
	s := authn.Sessions{Records: redisx.Values{Client: d.rdb}, Now: func() time.Time { return d.at }}
	var names []string

	for name, value := range d.values {
		_, err := s.Check(d.t.Context(), value)
		switch {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, access.ErrUnauthenticated):
			d.t.Fatal(err)
		}
	}
	slices.Sort(names)

	return strings.Join(names, " ")
}

// What is published reaches every database of a Redis, so this runs beside no other test.
func TestEndsOfSessionsArePublished(t *testing.T) {
	eachAndCluster(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time) {
		told := rdb.Subscribe(t.Context(), authn.SessionsEndedChannel)
		defer func() { _ = told.Close() }()
		if _, err := told.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}

		d := &device{t: t, rdb: rdb, at: start, values: map[string]string{}, users: map[string]string{}}
		for _, name := range []string{"a", "b", "c", "d"} { // d is one too many, and ends a
			d.in(name, "ann", "o:oak", "member")
			d.pass(time.Second)
		}
		d.out("b")
		d.everywhere("ann")
		name := func(device string) string { return authn.SessionName("ann", authn.SessionField(d.values[device])) }
		want := map[string]int{name("a"): 0, name("b"): 1, name("c"): 2, name("d"): 2} // in this order, c and d in any

		for i, at := range []int{0, 1, 2, 2} {
			m, err := told.ReceiveMessage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if turn, ok := want[m.Payload]; !ok || turn != at {
				t.Fatalf("message %d is %s", i, m.Payload)
			}
			delete(want, m.Payload)
		}
	})
}
