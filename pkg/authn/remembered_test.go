package authn_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// A bearer whose signature was verified is refused at the next request when anything has ended it since.
func TestAVerifiedBearerEndsAtOnce(t *testing.T) {
	t.Parallel()
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct {
		end  func(e *ending)
		want error
	}{
		"nothing":                    {func(*ending) {}, nil},
		"its record is gone":         {func(e *ending) { e.unset() }, access.ErrUnauthenticated},
		"its agent has ended":        {func(e *ending) { e.bearers.Ended = func(string) bool { return true } }, access.ErrUnauthenticated},
		"its key was withdrawn":      {func(e *ending) { delete(e.keys, "k1") }, access.ErrUnauthenticated},
		"another key has its name":   {func(e *ending) { e.keys["k1"] = otherKey(t) }, access.ErrUnauthenticated},
		"the keys were fetched anew": {func(e *ending) { same := *e.keys["k1"]; e.keys["k1"] = &same }, nil},
		"its time is over":           {func(e *ending) { e.now = issued.Add(time.Hour + time.Minute) }, access.ErrUnauthenticated},
		"the clock was set back":     {func(e *ending) { e.now = issued.Add(-time.Hour) }, access.ErrUnauthenticated},
		"its record is of another one": {func(e *ending) {
			e.set(access.Caller{Kind: access.Agent, Tenant: "o:elm", UserID: "ada", AgentID: e.agent})
		}, access.ErrUnauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnding(t, signing)

			for range 2 { // the second time it is known
				if _, err := e.bearers.Check(t.Context(), e.token); err != nil {
					t.Fatal(err)
				}
			}
			if !e.bearers.Remembers(e.token) {
				t.Fatal("a token that was verified is not remembered")
			}
			tc.end(e)
			if _, err := e.bearers.Check(t.Context(), e.token); !errors.Is(err, tc.want) {
				t.Errorf("Check = %v, want %v", err, tc.want)
			}
		})
	}
}

// ending is a bearer that something may end.
type ending struct {
	bearers *authn.Bearers
	keys    ringKeys
	agent   string
	token   string
	now     time.Time
	set     func(access.Caller)
	unset   func()
}

func newEnding(t *testing.T, key *ecdsa.PrivateKey) *ending {
	t.Helper()
	rdb := stores.Redis(t)
	e := &ending{keys: ringKeys{"k1": &key.PublicKey}, agent: "agt_" + uuid.NewString(), now: issued}
	jti := uuid.NewString()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, &authn.BearerClaims{
		AgentID: e.agent, ClientID: e.agent, Tenant: "o:oak", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "https://x", Subject: "ada", Audience: jwt.ClaimStrings{"https://x/v1"}, ID: jti,
			IssuedAt: jwt.NewNumericDate(issued), ExpiresAt: jwt.NewNumericDate(issued.Add(time.Hour)),
		},
	})
	token.Header["typ"], token.Header["kid"] = authn.BearerType, "k1"

	var err error
	if e.token, err = token.SignedString(key); err != nil {
		t.Fatal(err)
	}
	e.bearers = &authn.Bearers{
		Keys:     e.keys,
		Records:  redisx.Values{Client: rdb},
		Issuer:   "https://x",
		Audience: "https://x/v1",
		Now:      func() time.Time { return e.now },
	}
	e.set = func(c access.Caller) {
		raw, err := json.Marshal(authn.BearerRecord{Caller: c, Expires: issued.Add(2 * time.Hour).Unix()})
		if err == nil {
			err = rdb.Set(t.Context(), authn.BearerKey(e.agent, jti), raw, time.Hour).Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e.unset = func() {
		if err := rdb.Del(t.Context(), authn.BearerKey(e.agent, jti)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	e.set(
		access.Caller{
			Kind:    access.Agent,
			Tenant:  "o:oak",
			UserID:  "ada",
			AgentID: e.agent,
			Scopes:  access.AgentScopes(),
		},
	)

	return e
}

func otherKey(t *testing.T) *ecdsa.PublicKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return &key.PublicKey
}

// A key that the provider withdraws ends the tokens that it signed within a minute, whenever they were seen first.
// While the provider cannot say, its last word counts.
func TestAKeyThatTheProviderWithdraws(t *testing.T) {
	t.Parallel()
	p := startProvider(t)
	now := issued
	users, err := provider.NewUsers(
		provider.UsersConfig{Issuer: p.URL, Audience: "api", Now: func() time.Time { return now }},
	)
	if err != nil {
		t.Fatal(err)
	}
	early := p.token(t, func(*jwt.Token, jwt.MapClaims) {})
	late := p.token(t, func(_ *jwt.Token, c jwt.MapClaims) { c["jti"] = "late" })
	check := func(token string) error {
		_, err := users.Check(t.Context(), token)
		return err
	}
	if err := check(early); err != nil {
		t.Fatal(err)
	}
	now = now.Add(50 * time.Second)
	if err := errors.Join(check(early), check(late)); err != nil {
		t.Fatalf("before a minute is over: %v", err)
	}
	if n := p.asked.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times within a minute, want 1", n)
	}

	p.down.Store(true)
	now = now.Add(30 * time.Second)
	if err := errors.Join(check(early), check(late)); err != nil {
		t.Errorf("while the provider is away: %v", err)
	}
	p.down.Store(false)
	p.kid.Store("p2") // the first key is not published any more
	now = now.Add(30 * time.Second)

	for name, token := range map[string]string{"early": early, "late": late} {
		if err := check(token); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("%s, a minute after its key was withdrawn: %v, want %v", name, err, access.ErrUnauthenticated)
		}
	}
	if err := check(early); errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("a refusal is not final: %v", err)
	}
}
