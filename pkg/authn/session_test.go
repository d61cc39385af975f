package authn_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

var signedIn = authn.SessionRecord{
	Caller: access.Caller{
		Kind:   access.User,
		Tenant: "o:oak",
		UserID: "ada",
		Roles:  []string{"owner"},
	}, Name: "Ada", Account: "ada@oak.example",
	Started: issued.UnixMilli(), Expires: issued.Add(time.Hour).Unix(),
}

// keepSession writes the record of a session as auth-svc does.
func keepSession(t *testing.T, rdb redis.UniversalClient, value string, r authn.SessionRecord) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := rdb.HSet(t.Context(), authn.SessionsKey("ada"), authn.SessionField(value), raw).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestASessionNeedsItsRecord(t *testing.T) {
	rdb := stores.Redis(t)
	for _, tc := range []struct {
		name  string
		after time.Duration
		edit  func(*authn.SessionRecord)
		value func(string) string
		want  error
	}{
		{name: "as soon as signed in"},
		{name: "its last second", after: time.Hour - time.Second},
		{name: "expired", after: time.Hour, want: access.ErrUnauthenticated},
		{name: "another value", value: func(string) string { return authn.NewSession("ada") }, want: access.ErrUnauthenticated},
		{name: "another user's place", value: func(v string) string { return authn.NewSession("ben")[:22] + v[22:] }, want: access.ErrUnauthenticated},
		{name: "no value", value: func(string) string { return "" }, want: access.ErrUnauthenticated},
		{name: "no form", value: func(v string) string { return v + "A" }, want: access.ErrUnauthenticated},
		{name: "a line's end", value: func(v string) string { return v + "\n" }, want: access.ErrUnauthenticated},
		{name: "the record's own name", value: authn.SessionField, want: access.ErrUnauthenticated},
		{name: "a record of another kind", edit: func(r *authn.SessionRecord) { r.Caller.Kind = access.Agent }, want: access.ErrUnauthenticated},
		{name: "a record without a tenant", edit: func(r *authn.SessionRecord) { r.Caller.Tenant = "" }, want: access.ErrUnauthenticated},
		{name: "a record that was moved", edit: func(r *authn.SessionRecord) { r.Caller.UserID = "ben" }, want: access.ErrUnauthenticated},
	} {
		t.Run(tc.name, func(t *testing.T) {
			value, r := authn.NewSession("ada"), signedIn
			if tc.edit != nil {
				tc.edit(&r)
			}
			keepSession(t, rdb, value, r)
			if tc.value != nil {
				value = tc.value(value)
			}
			s := &authn.Sessions{Records: redisx.Values{Client: rdb}, Now: at(tc.after)}
			got, err := s.Check(t.Context(), value)
			if !errors.Is(err, tc.want) {
				t.Fatalf("Check = %v, want %v", err, tc.want)
			}
			ada := got.Caller.UserID == "ada" && got.Caller.Kind == access.User && got.Caller.HasRole("owner")
			if err == nil && (!ada || got.Name != "Ada") {
				t.Errorf("session = %+v", got)
			}
			if err != nil && len(value) > 20 && strings.Contains(err.Error(), value[:20]) {
				t.Errorf("the failure holds the cookie: %v", err)
			}
		})
	}
}

func TestASessionIsNotBelievedWithoutRedis(t *testing.T) {
	link := stores.Cut(t, stores.RedisURL(t))
	opts, err := redis.ParseURL(link.URL())
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxRetries = -1
	rdb := redis.NewClient(opts)
	t.Cleanup(func() { _ = rdb.Close() })
	value := authn.NewSession("ada")
	keepSession(t, rdb, value, signedIn)
	s := &authn.Sessions{Records: redisx.Values{Client: rdb}, Now: at(0)}
	if _, err := s.Check(t.Context(), value); err != nil {
		t.Fatal(err)
	}
	link.Break()
	if _, err := s.Check(t.Context(), value); !errors.Is(err, errs.ErrUnavailable) || strings.Contains(err.Error(), value) {
		t.Errorf("without Redis = %v, want %v", err, errs.ErrUnavailable)
	}
}

func TestTwoSessionCookiesAreNone(t *testing.T) {
	for name, tc := range map[string]struct {
		cookies string
		want    string
	}{
		"one":       {"a=b; __Host-subrosa-session=x; c=d", "x"},
		"none":      {"a=b", ""},
		"two":       {"__Host-subrosa-session=x; __Host-subrosa-session=y", ""},
		"no prefix": {"subrosa-session=x", ""},
	} {
		r := &http.Request{Header: http.Header{"Cookie": {tc.cookies}}}
		if got := httpauth.SessionValue(r); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
