package authsvc_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const base = "https://subrosa.example"

// world is auth-svc on real stores, with a clock that tests move.
type world struct {
	t       *testing.T
	addr    string
	signer  map[string]*authn.Signer
	trust   authn.Trust
	rdb     redis.UniversalClient
	db      *mongo.Database
	ring    string // file of the key ring
	environ map[string]string
	skip    *atomic.Int64
	logs    *strings.Builder
	idp     *provider
	party   *keyHolders
	http    http.RoundTripper
}

func start(t *testing.T) *world {
	t.Helper()
	w := prepare(t)
	w.addr = w.run(nil)

	return w
}

// prepare makes a world in which no replica runs yet.
func prepare(t *testing.T) *world {
	t.Helper()
	w := &world{
		t:      t,
		signer: map[string]*authn.Signer{},
		skip:   new(atomic.Int64),
		logs:   &strings.Builder{},
		http:   httpcall.NewTransport(),
	}
	w.idp = startProvider(t, w.now)
	w.party = startParty(t)
	dir := t.TempDir()
	seeds, trust, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}

	for issuer, seed := range seeds {
		if w.signer[issuer], err = authn.NewSigner(issuer, seed, w.now); err != nil {
			t.Fatal(err)
		}
	}
	w.ring = filepath.Join(dir, "ring.json")
	ring, err := authn.Ring{}.Rotated(w.now())
	if err != nil {
		t.Fatal(err)
	}
	w.keep(ring)
	if w.trust, err = authn.ParseTrust(trust); err != nil {
		t.Fatal(err)
	}
	trustFile := filepath.Join(dir, "trust.json")
	if err := os.WriteFile(trustFile, trust, 0o600); err != nil {
		t.Fatal(err)
	}
	w.environ = map[string]string{
		"AUTH_ADDR": "127.0.0.1:0", "AUTH_INTERNAL_ADDR": "127.0.0.1:0", "AUTH_SIGNING_KEYS": w.ring, "AUTH_DATABASE": stores.MongoName(t), "KEY_PEPPER": authn.NewPepper(),
		"BASE_URL": base, "REDIS_URL": stores.RedisURL(t), "MONGODB_URI": stores.MongoURI(t), "MONGODB_TIMEOUT": "10s", "INTERNAL_TRUST": trustFile, "INTERNAL_KEY": seeds["auth-svc"],
		"OIDC_ISSUER": w.idp.URL, "OIDC_AUDIENCE": base + "/v1", "OIDC_CLIENT_ID": clientOfProvider,
		"OIDC_TENANT_CLAIM": "org", "PARTY_URL": w.party.URL, "ENVIRONMENT": "development", "DRAIN_DELAY": "0s",
		"AUTH_SWEEP": "1h", // else it is the first replica that sweeps, whose settings are others
	}
	client, err := mongo.Connect(options.Client().ApplyURI(w.environ["MONGODB_URI"]))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	w.db = client.Database(w.environ["AUTH_DATABASE"])
	if w.rdb, err = redisx.Open(t.Context(), redisx.Config{URL: w.environ["REDIS_URL"]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.rdb.Close() })

	return w
}

// run starts a replica and returns its address.
func (w *world) run(settings map[string]string) string {
	w.t.Helper()

	environ := map[string]string{}
	for k, v := range w.environ {
		environ[k] = v
	}

	for k, v := range settings {
		environ[k] = v
	}
	s, err := authsvc.New(w.t.Context(), launch.Env{Environ: environ, Telemetry: telemetry.Discard("auth-svc", w.logs), Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())

	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	w.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	testkit.Until(w.t, testkit.Patience, func() error { return s.Ready(w.t.Context()) })

	return s.Addr()
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.skip.Load())) }

func (w *world) keep(ring authn.Ring) {
	w.t.Helper()
	text, err := ring.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.ring, text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// as calls auth-svc as an issuer for a caller.
func (w *world) as(issuer string, c access.Caller) *httpcall.Client {
	w.t.Helper()
	client, err := httpcall.NewClient("http://"+w.addr, func(context.Context) (string, error) { return w.signer[issuer].Token(c) }, telemetry.Discard("test", io.Discard), nil)
	if err != nil {
		w.t.Fatal(err)
	}

	return client
}

func (w *world) registry(tenant string) services.AuthClient {
	return services.AuthClient{HTTP: w.as("registry-svc", access.Caller{Kind: access.Service, Tenant: tenant})}
}

func (w *world) exchange(key string) (api.BearerToken, error) {
	var out api.BearerToken
	_, err := w.as("gateway", access.Caller{Kind: access.Public}).Do(w.t.Context(), httpcall.Request{Method: http.MethodPost, Path: "/v1/auth/token", In: api.TokenRequest{APIKey: key}, Out: &out})

	return out, err
}

func (w *world) agent(tenant string) (id, key string) {
	w.t.Helper()
	id = "agt_" + uuid.NewString()
	minted, err := w.registry(tenant).MintKey(w.t.Context(), api.MintKey{AgentID: id, UserID: "ada", Roles: []string{"owner", "admin"}})
	if err != nil {
		w.t.Fatal(err)
	}

	return id, minted.APIKey
}

// published finds keys in the set that auth-svc publishes.
type published struct{ w *world }

func (p published) Key(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	raw, err := p.w.registry("").KeySet(ctx)
	if err != nil {
		return nil, err
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, err
	}

	for _, k := range set.Key(kid) {
		if public, ok := k.Key.(*ecdsa.PublicKey); ok {
			return public, nil
		}
	}

	return nil, access.ErrUnauthenticated
}

func (w *world) check(bearer string) (access.Caller, error) {
	b := authn.Bearers{
		Keys:     published{w},
		Records:  redisx.Values{Client: w.rdb},
		Issuer:   base,
		Audience: base + "/v1",
		Now:      w.now,
	}

	return b.Check(w.t.Context(), bearer)
}

func TestS29ExchangeGivesABearerForAnHour(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, key := w.agent("o:oak")
	before := w.now().Unix()
	got, err := w.exchange(key)
	if err != nil {
		t.Fatal(err)
	}
	if got.ExpiresIn != 3600 || got.ExpiresAt < before+3599 || got.ExpiresAt > w.now().Unix()+3600 {
		t.Errorf("expires in %d, at %d", got.ExpiresIn, got.ExpiresAt)
	}
	c, err := w.check(got.BearerToken)
	if err != nil || c.AgentID != id || c.Tenant != "o:oak" || c.UserID != "ada" || !c.HasRole("admin") || !c.May("agent:run") {
		t.Errorf("caller = %+v, %v", c, err)
	}
	w.skip.Add(int64(time.Hour + 20*time.Second))
	if _, err := w.check(got.BearerToken); err != nil {
		t.Errorf("within the skew after its end = %v", err)
	}
	w.skip.Add(int64(20 * time.Second))
	if _, err := w.check(got.BearerToken); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("after its end = %v", err)
	}
	use, err := w.registry("o:oak").AgentUse(t.Context(), id)
	if err != nil || use.LastUsedAt == nil || use.LastUsedAt.Unix() < before {
		t.Errorf("last use = %+v, %v", use, err)
	}
}

func TestS20WrongKeysGetOneAnswer(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, revoked := w.agent("o:oak")
	if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
		t.Fatal(err)
	}

	for name, key := range map[string]string{"unknown": authn.NewSecret(authn.APIKeyPrefix), "misshapen": "sbr_sk_x", "revoked": revoked, "a registration token": authn.NewSecret(authn.RegistrationTokenPrefix)} {
		_, err := w.exchange(key)
		e := errs.From(err)
		if e.Code != "invalid_api_key" || e.Kind != errs.Unauthenticated || len(e.Details) != 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, err := w.exchange(""); errs.From(err).Code != "validation_failed" {
		t.Errorf("an empty key = %v", err)
	}
}

func TestEndingAnAgentEndsItsKeyAndEveryBearerAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, key := w.agent("o:oak")
	_, other := w.agent("o:oak")

	told := w.rdb.Subscribe(t.Context(), authn.EndedChannel)
	defer func() { _ = told.Close() }()
	if _, err := told.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	var bearers []string

	for range 3 {
		got, err := w.exchange(key)
		if err != nil {
			t.Fatal(err)
		}
		bearers = append(bearers, got.BearerToken)
	}
	survivor, err := w.exchange(other)
	if err != nil {
		t.Fatal(err)
	}

	for range 2 { // it may be repeated
		if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}

	for _, b := range bearers {
		if _, err := w.check(b); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("a bearer of the ended agent = %v", err)
		}
	}
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("its key = %v", err)
	}
	if _, err := w.check(survivor.BearerToken); err != nil {
		t.Errorf("another agent's bearer = %v", err)
	}
	// The channel is one for all databases of a Redis, so what other tests end is heard too.
	for {
		m, err := told.ReceiveMessage(t.Context())
		if err != nil {
			t.Fatalf("the gateways were not told: %v", err)
		}
		if m.Payload == id {
			break
		}
	}
	if _, err := w.registry("o:oak").MintKey(t.Context(), api.MintKey{AgentID: id, UserID: "ada"}); errs.From(err).Code != "agent_ended" {
		t.Errorf("a new key for an ended agent = %v", err)
	}
	gateway := services.AuthClient{HTTP: w.as("gateway", access.Caller{Kind: access.Service})}
	list, err := gateway.EndedAgents(t.Context(), w.now().Add(-time.Minute))
	if err != nil || len(list.AgentIDs) != 1 || list.AgentIDs[0] != id {
		t.Errorf("ended = %+v, %v", list, err)
	}
}

func TestAnExchangeThatRacesWithTheEndLeavesNoBearer(t *testing.T) {
	t.Parallel()

	w := start(t)
	for range 20 {
		id, key := w.agent("o:oak")
		var got []string
		var mu sync.Mutex

		var racing sync.WaitGroup
		for range 4 {
			racing.Go(func() {
				if b, err := w.exchange(key); err == nil {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, b.BearerToken)
				}
			})
		}
		racing.Go(func() {
			if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
		racing.Wait()

		for _, b := range got {
			if _, err := w.check(b); !errors.Is(err, access.ErrUnauthenticated) {
				t.Fatalf("a bearer outlived its agent: %v", err)
			}
		}
	}
}

func TestMintingAgainReplacesTheKey(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, first := w.agent("o:oak")
	again, err := w.registry("o:oak").MintKey(t.Context(), api.MintKey{AgentID: id, UserID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.exchange(first); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("the first key = %v", err)
	}
	if _, err := w.exchange(again.APIKey); err != nil {
		t.Errorf("the second key = %v", err)
	}
}

func TestRotationNeverEndsALiveBearer(t *testing.T) {
	t.Parallel()
	w := start(t)
	_, key := w.agent("o:oak")
	old, err := w.exchange(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.ring)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := authn.ParseRing(text)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := ring.Rotated(w.now())
	if err != nil {
		t.Fatal(err)
	}
	w.keep(rotated)
	kid := func(bearer string) string {
		parsed, _, err := jwt.NewParser().ParseUnverified(bearer, jwt.MapClaims{})
		if err != nil {
			t.Fatal(err)
		}

		return parsed.Header["kid"].(string)
	}
	w.skip.Add(int64(2 * time.Minute)) // the file is read again, the new key is published and does not sign yet
	during, err := w.exchange(key)
	if err != nil || kid(during.BearerToken) != kid(old.BearerToken) {
		t.Errorf("two minutes after the rotation another key signs, %v", err)
	}
	w.skip.Add(int64(9 * time.Minute))
	fresh, err := w.exchange(key)
	if err != nil || kid(fresh.BearerToken) == kid(old.BearerToken) {
		t.Errorf("eleven minutes after the rotation the old key signs, %v", err)
	}

	for name, b := range map[string]string{"old": old.BearerToken, "during": during.BearerToken, "fresh": fresh.BearerToken} {
		if _, err := w.check(b); err != nil {
			t.Errorf("the %s bearer = %v", name, err)
		}
	}
}

func TestKeysMoveToANewPepper(t *testing.T) {
	t.Parallel()
	w := start(t)
	_, key := w.agent("o:oak")
	old := w.environ["KEY_PEPPER"]

	w.addr = w.run(map[string]string{"KEY_PEPPER": authn.NewPepper(), "KEY_PEPPER_PREVIOUS": old})
	for range 2 {
		if _, err := w.exchange(key); err != nil {
			t.Errorf("a key under the pepper before = %v", err)
		}
	}
}

func TestS27ServicesTakeInternalTokensOfTheRightKindOnly(t *testing.T) {
	t.Parallel()
	w := start(t)

	user := access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}
	for name, c := range map[string]*httpcall.Client{
		"a user": w.as("gateway", user),
		"nobody": w.as("gateway", access.Caller{Kind: access.Public}),
	} {
		if _, err := (services.AuthClient{HTTP: c}).MintKey(t.Context(), api.MintKey{
			AgentID: "agt_x",
			UserID:  "ada",
		}); !errors.Is(
			err,
			access.ErrForbidden,
		) {
			t.Errorf("%s mints a key: %v", name, err)
		}
	}
	claims := services.AuthClient{HTTP: w.as("case-svc", user)}
	_, err := claims.MintKey(t.Context(), api.MintKey{AgentID: "agt_x", UserID: "ada"})
	if !errors.Is(err, httpcall.ErrInternalToken) {
		t.Errorf("a service that claims to be a user: %v", err)
	}
	if _, err := (services.AuthClient{HTTP: w.as("agent-svc", access.Caller{
		Kind:   access.Service,
		Tenant: "o:oak",
	})}).MintKey(t.Context(), api.MintKey{AgentID: "agt_x", UserID: "ada"}); !errors.Is(
		err,
		access.ErrForbidden,
	) {
		t.Errorf("another service mints a key: %v", err)
	}
	bare, err := httpcall.NewClient("http://"+w.addr, nil, telemetry.Discard("test", io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (services.AuthClient{HTTP: bare}).EndedAgents(t.Context(), w.now())
	if !errors.Is(err, httpcall.ErrInternalToken) {
		t.Errorf("no token: %v", err)
	}
	if raw, err := (services.AuthClient{HTTP: bare}).KeySet(t.Context()); err != nil ||
		strings.Contains(string(raw), `"d"`) {
		t.Errorf("the public keys = %s, %v", raw, err)
	}
}

func TestWhatHappenedIsOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, key := w.agent("o:oak")
	if _, err := w.exchange(key); err != nil {
		t.Fatal(err)
	}
	if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	kept := chain.New(w.db.Collection("audit"), w.now)
	events, err := kept.List(t.Context(), "o:oak", chain.Filter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}

	var actions []string
	for _, e := range events {
		actions = append(actions, e.Action)
		if e.Resource.ID != id {
			t.Errorf("%s is about %s", e.Action, e.Resource.ID)
		}
	}
	if strings.Join(actions, " ") != "key.minted token.exchanged agent.keys_ended" {
		t.Errorf("actions = %v", actions)
	}
	if err := record.Verify(events); err != nil {
		t.Error(err)
	}
}

func TestASignInThatIsNoneIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := start(t)
	gateway := services.AuthClient{HTTP: w.as("gateway", access.Caller{Kind: access.Service})}
	if err := gateway.RecordSignIn(t.Context(), "a.b.c"); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a token that is none = %v", err)
	}
}

func TestRedisAwayGrantsNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	_, key := w.agent("o:oak")
	link := stores.Cut(t, w.environ["REDIS_URL"])
	w.addr = w.run(map[string]string{"REDIS_URL": link.URL()})
	if _, err := w.exchange(key); err != nil {
		t.Fatal(err)
	}
	link.Break()
	if _, err := w.exchange(key); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("an exchange without Redis = %v, want %v", err, errs.ErrUnavailable)
	}
	link.Mend()
	testkit.Until(t, testkit.Patience, func() error { _, err := w.exchange(key); return err })
}

func TestMistakesInSettingsAreAllReported(t *testing.T) {
	t.Parallel()

	_, err := authsvc.New(t.Context(), launch.Env{Environ: map[string]string{"AUTH_IN_FLIGHT": "many", "AUTH_SINGING_KEYS": "x"}, Telemetry: telemetry.Discard("auth-svc", io.Discard), Now: time.Now})
	for _, part := range []string{"AUTH_IN_FLIGHT is not", "AUTH_SINGING_KEYS is not a setting", "KEY_PEPPER is required", "REDIS_URL is required", "MONGODB_URI is required"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
