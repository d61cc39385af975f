package redisstore_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/clientdoc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// eachAt runs test on every Redis there is, with a clock that starts where Redis is and that the test moves.
func eachAt(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time)) {
	t.Helper()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		start, err := rdb.Time(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		start = instant.Of(start)
		now := start
		test(t, rdb, start, &now)
	})
}

var (
	person = access.Caller{Tenant: "o:firm", UserID: "ann", Kind: access.User, Roles: []string{"owner"}}
	app    = oauth.Client{ID: "dcr_1", Name: "Hëlper", Redirects: []string{"http://localhost/callback"}, Refresh: true, Registered: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
)

// keptFor checks that every key of the database is kept for about life.
func keptFor(t *testing.T, rdb redis.UniversalClient, life time.Duration) {
	t.Helper()
	keys, err := rdb.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("keys %v, %v", keys, err)
	}

	for _, key := range keys {
		if left, err := rdb.TTL(t.Context(), key).Result(); err != nil || left < life-time.Minute || left > life+2*time.Minute {
			t.Errorf("%s is kept for %v, %v, want about %v", key, left, err, life)
		}
	}
}

func TestRequestsAdvanceOnce(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time) {
		s, ctx := redisstore.NewRequests(rdb, func() time.Time { return *now }), t.Context()
		want := oauth.Request{
			Client: app, Redirect: "http://localhost:1/callback", State: "s", Challenge: "c", Scopes: []string{"cases:read"}, Browser: "b", Nonce: "n", Verifier: "v",
			Expires: start.Add(oauth.RequestLife), Stage: oauth.Sent,
		}
		if err := s.Begin(ctx, "one", want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "one"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Get = %+v, %v, want %+v", got, err, want)
		}
		keptFor(t, rdb, oauth.RequestLife)
		if _, err := s.Get(ctx, "two"); !errors.Is(err, oauth.ErrNoRequest) {
			t.Errorf("Get of no request = %v", err)
		}
		second := errors.New("second")
		step := func(from oauth.Stage, r oauth.Request) int {
			return testkit.Race(t, racers, func(int) error {
				ok, err := s.Advance(ctx, "one", from, r)
				if err == nil && !ok {
					err = second
				}

				return err
			}, second)
		}
		want.Stage, want.User, want.CSRF = oauth.Asked, person, "x"
		if won := step(oauth.Sent, want); won != 1 {
			t.Errorf("%d advanced from sent, want 1", won)
		}
		if got, err := s.Get(ctx, "one"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Get = %+v, %v, want %+v", got, err, want)
		}
		if won := step(oauth.Sent, want); won != 0 {
			t.Errorf("%d advanced from a stage that has passed", won)
		}
		want.Stage = oauth.Decided
		if won := step(oauth.Asked, want); won != 1 {
			t.Errorf("%d decided, want 1", won)
		}
		if ok, err := s.Advance(ctx, "two", oauth.Asked, want); ok || err != nil {
			t.Errorf("a request that is not there advanced: %t, %v", ok, err)
		}
	})
}

func TestCodesAreUsedOnceAndRememberedThen(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time) {
		s, ctx := redisstore.NewCodes(rdb, func() time.Time { return *now }), t.Context()
		want := oauth.Code{GrantID: "g", User: person, Client: app, Redirect: "http://localhost:1/callback", Challenge: "c", Scopes: []string{"cases:read"}, Expires: start.Add(oauth.CodeLife)}
		if err := s.Issue(ctx, "h", want); err != nil {
			t.Fatal(err)
		}
		keptFor(t, rdb, oauth.CodeLife+time.Minute)
		again := errors.New("again")
		if won := testkit.Race(t, 32, func(int) error {
			got, first, err := s.Redeem(ctx, "h")
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("Redeem = %+v, want %+v", got, want)
			}
			if err == nil && !first {
				err = again
			}

			return err
		}, again); won != 1 {
			t.Errorf("%d of 32 were the first, want 1", won)
		}
		keptFor(t, rdb, 10*time.Minute)
		if _, _, err := s.Redeem(ctx, "other"); !errors.Is(err, oauth.ErrNoCode) {
			t.Errorf("Redeem of no code = %v", err)
		}
		if n, err := rdb.DBSize(ctx).Result(); err != nil || n != 1 {
			t.Errorf("%d keys, %v, want 1", n, err)
		}
	})
}

func TestFreshClientsLiveForADay(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time) {
		s, ctx := redisstore.NewFreshClients(rdb, func() time.Time { return *now }), t.Context()
		want := app
		want.Registered = start.Truncate(time.Second)
		if err := s.Keep(ctx, want); err != nil {
			t.Fatal(err)
		}
		keptFor(t, rdb, 24*time.Hour)
		if got, err := s.Find(ctx, want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Find = %+v, %v, want %+v", got, err, want)
		}
		*now = start.Add(24 * time.Hour)
		if _, err := s.Find(ctx, want.ID); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("Find after a day = %v", err)
		}
		if _, err := s.Find(ctx, "dcr_2"); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("Find of no client = %v", err)
		}
	})
}

func TestDocumentsAreRememberedAndFetchesCounted(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time) {
		s, ctx := redisstore.NewDocuments(rdb, func() time.Time { return *now }), t.Context()
		want := oauth.Client{ID: "https://app.example.com/client.json", Name: "Helper", Redirects: []string{"https://app.example.com/callback"}, Document: true}
		if err := s.Remember(ctx, want, time.Hour, 3*time.Hour); err != nil {
			t.Fatal(err)
		}
		keptFor(t, rdb, 4*time.Hour)
		if got, err := s.Document(ctx, want.ID); err != nil || !reflect.DeepEqual(got, clientdoc.Kept{Client: want, Fresh: true}) {
			t.Errorf("Document = %+v, %v, want %+v", got, err, want)
		}
		if _, err := s.Document(ctx, want.ID+"2"); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("another document = %v", err)
		}
		*now = start.Add(time.Hour)
		if got, err := s.Document(ctx, want.ID); err != nil || !reflect.DeepEqual(got, clientdoc.Kept{Client: want}) {
			t.Errorf("the document after its life = %+v, %v", got, err)
		}
		*now = start.Add(4 * time.Hour)
		if _, err := s.Document(ctx, want.ID); !errors.Is(err, oauth.ErrNoClient) {
			t.Errorf("the document after its rest = %v", err)
		}
		*now = start

		for range 2 {
			if err := s.Forget(ctx, want.ID); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := rdb.DBSize(ctx).Result(); err != nil || n != 0 {
			t.Errorf("%d keys are left of what is forgotten, %v", n, err)
		}

		for _, why := range []clientdoc.Failure{clientdoc.Unreadable, clientdoc.Gone} {
			*now = start
			if err := s.Fail(ctx, want.ID, why, time.Minute); err != nil {
				t.Fatal(err)
			}
			keptFor(t, rdb, time.Minute)

			noted := map[time.Duration]clientdoc.Failure{59 * time.Second: why, time.Minute: clientdoc.NoFailure}
			for later, is := range noted {
				*now = start.Add(later)
				if got, err := s.Failed(ctx, want.ID); err != nil || got != is {
					t.Errorf("Failed after %v = %v, %v, want %v", later, got, err, is)
				}
			}
		}
		if got, err := s.Failed(ctx, want.ID+"2"); err != nil || got != clientdoc.NoFailure {
			t.Errorf("Failed of another document = %v, %v", got, err)
		}
		if err := rdb.FlushDB(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		testkit.Race(t, racers, func(int) error { _, err := s.Spend(ctx, "caller 192.0.2.1"); return err })
		if n, err := s.Spend(ctx, "caller 192.0.2.1"); err != nil || n != racers+1 {
			t.Errorf("Spend = %d, %v, want %d", n, err, racers+1)
		}
		if n, err := s.Spend(ctx, "caller 192.0.2.2"); err != nil || n != 1 {
			t.Errorf("another account = %d, %v, want 1", n, err)
		}
		keptFor(t, rdb, time.Hour)
	})
}

func TestLiveGrantsComeAndGo(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, rdb redis.UniversalClient, start time.Time, now *time.Time) {
		s, ctx := redisstore.NewLiveGrants(rdb, func() time.Time { return *now }), t.Context()
		r := authn.GrantRecord{
			Caller:  access.Caller{Tenant: "o:firm", UserID: "ann", Kind: access.OAuth, ClientID: "dcr_1"},
			Expires: start.Add(authn.GrantLife).Unix(),
		}
		if err := s.Put(ctx, "g", r); err != nil {
			t.Fatal(err)
		}
		keptFor(t, rdb, authn.GrantLife)
		if n, err := rdb.Exists(ctx, authn.GrantKey("g")).Result(); err != nil || n != 1 {
			t.Errorf("the record = %d, %v", n, err)
		}

		for range 2 {
			if err := s.Drop(ctx, "g"); err != nil {
				t.Error(err)
			}
		}
		if n, err := rdb.DBSize(ctx).Result(); err != nil || n != 0 {
			t.Errorf("%d keys are left, %v", n, err)
		}
	})
}
