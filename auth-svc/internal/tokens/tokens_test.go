package tokens_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// away are records of which the first is asked for while Redis is away.
type away struct {
	tokens.Records
	failed bool
}

func (a *away) DropAll(ctx context.Context, agentID string) error {
	if !a.failed {
		a.failed = true
		return errs.ErrUnavailable
	}

	return a.Records.DropAll(ctx, agentID)
}

// An agent whose bearers could not be ended is still found by its key, so the repetition ends them.
func TestAnEndThatFailedHalfWayIsFoundAgain(t *testing.T) {
	t.Parallel()
	const tenant, user = "o:oak", "ann"
	ctx, rdb := t.Context(), stores.Redis(t)
	pepper, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	book := keys.New(mongostore.New(stores.Mongo(t)), pepper, nil, time.Now)
	i := &tokens.Issuer{Keys: book, Records: &away{Records: redisstore.New(rdb, time.Now)}, Now: time.Now}
	if _, err := book.Mint(ctx, tenant, "agt_1", user, nil); err != nil {
		t.Fatal(err)
	}
	caller := access.Caller{Kind: access.Agent, Tenant: tenant, UserID: user, AgentID: "agt_1"}
	record := authn.BearerRecord{Caller: caller, Expires: time.Now().Add(time.Hour).Unix()}
	if err := i.Records.Put(ctx, "jti", record); err != nil {
		t.Fatal(err)
	}

	if err := i.End(ctx, tenant, "agt_1"); !errors.Is(err, errs.ErrUnavailable) {
		t.Fatalf("End without Redis = %v, want unavailable", err)
	}
	if found, err := book.Agents(ctx, tenant, user); err != nil || !slices.Contains(found, "agt_1") {
		t.Fatalf("whoever ends a user's agents finds %v, %v", found, err)
	}
	if err := i.End(ctx, tenant, "agt_1"); err != nil {
		t.Fatal(err)
	}
	left, err := rdb.Exists(ctx, authn.BearerKey("agt_1", "jti")).Result()
	if err != nil || left != 0 {
		t.Errorf("a bearer lives on: %v", err)
	}
	if found, err := book.Agents(ctx, tenant, user); err != nil || len(found) != 0 {
		t.Errorf("an ended agent has a key: %v, %v", found, err)
	}
}

// strangers are members whom nobody has seen sign in.
type strangers struct{}

func (strangers) Standing(context.Context, string, string) (m members.Member, known bool, err error) {
	return members.Member{}, false, nil
}

func (strangers) KeyExpired(members.Member, time.Time) bool { return false }

// unread is a trail that nobody reads.
type unread struct{}

func (unread) Record(context.Context, audit.Entry) error { return nil }

// ring signs with one key.
type ring struct{ authn.Ring }

func (r ring) Current() (authn.SigningKey, error) { return r.Ring.Current(time.Now()) }

// told is a trail that counts what it is told.
type told struct {
	exchanged, failed, refused int
}

func (t *told) Record(_ context.Context, e audit.Entry) error {
	switch {
	case e.Action == "token.refused":
		t.refused++
	case e.Outcome == audit.Failed:
		t.failed++
	default:
		t.exchanged++
	}

	return nil
}

// together is a store that notes a use and its record in one trip.
type together struct{ noted *atomic.Int32 }

func (j together) Exchanged(context.Context, keys.Key, time.Time) error { j.noted.Add(1); return nil }

// A key that an end left behind, because it failed half way or met the key on its way to another pepper, gives no
// bearer. An exchange that went on record beside the question whether the agent stands is on record as failed then.
func TestAKeyThatOutlivesItsAgentGivesNoBearer(t *testing.T) {
	t.Parallel()
	t.Run("one write at a time", func(t *testing.T) { outlives(t, false) })
	t.Run("together", func(t *testing.T) { outlives(t, true) })
}

func outlives(t *testing.T, joint bool) {
	t.Helper()
	const tenant, user = "o:oak", "ann"
	ctx := t.Context()
	pepper, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	signs, err := authn.Ring{}.Rotated(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	store := mongostore.New(stores.Mongo(t))
	book := keys.New(store, pepper, nil, time.Now)
	auditLog, noted, rdb := &told{}, &atomic.Int32{}, stores.Redis(t)
	i := &tokens.Issuer{
		Keys: book, Members: strangers{}, Records: redisstore.New(rdb, time.Now), Audit: auditLog,
		Log:    slog.New(slog.DiscardHandler),
		Signer: ring{signs}, Base: "https://subrosa.example", Now: time.Now,
	}
	if joint {
		i.Joint = together{noted}
	}
	secret, err := book.Mint(ctx, tenant, "agt_1", user, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Exchange(ctx, secret); err != nil {
		t.Fatalf("Exchange before the end = %v", err)
	}

	if err := store.End(ctx, keys.Ended{Tenant: tenant, AgentID: "agt_1", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := i.Records.DropAll(ctx, "agt_1"); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Exchange(ctx, secret); !errors.Is(err, keys.ErrUnknown) {
		t.Errorf("Exchange after the end = %v, want ErrUnknown", err)
	}
	if left, err := rdb.Keys(ctx, authn.BearerKey("agt_1", "*")).Result(); err != nil || len(left) > 0 {
		t.Errorf("a bearer lives: %v, %v", left, err)
	}
	if _, err := i.Exchange(ctx, secret); !errors.Is(err, keys.ErrUnknown) {
		t.Errorf("a second Exchange after the end = %v, want ErrUnknown", err)
	}
	if left, err := book.Agents(ctx, tenant, user); err != nil || len(left) > 0 {
		t.Errorf("a key of an ended agent is there: %v, %v", left, err)
	}
	if _, ended, err := book.LastUse(ctx, tenant, "agt_1"); err != nil || !ended {
		t.Errorf("the agent has ended: %v, %v", ended, err)
	}

	onRecord := auditLog.exchanged + int(noted.Load())
	if onRecord-auditLog.failed != 1 {
		t.Errorf("%d exchanges are on record, %d of them as failed; one gave a bearer", onRecord, auditLog.failed)
	}
	after := onRecord - 1 + auditLog.failed + auditLog.refused
	if want := map[bool]int{true: 2, false: 1}[joint]; after != want {
		t.Errorf("two attempts after the end are %d events, want %d", after, want)
	}
}

// silent is a trail that cannot be written.
type silent struct{}

func (silent) Record(context.Context, audit.Entry) error { return errs.ErrUnavailable }

// broken are members that nobody can look up.
type broken struct{ strangers }

func (broken) Standing(context.Context, string, string) (m members.Member, known bool, err error) {
	panic("no members")
}

// newIssuer returns an issuer on real stores, and its keys.
func newIssuer(t *testing.T, auditLog audit.Log) (*tokens.Issuer, *keys.Keys) {
	t.Helper()
	pepper, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	signs, err := authn.Ring{}.Rotated(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	book := keys.New(mongostore.New(stores.Mongo(t)), pepper, nil, time.Now)
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: stores.RedisURL(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })

	return &tokens.Issuer{
		Keys: book, Members: strangers{}, Records: redisstore.New(rdb, time.Now), Audit: auditLog,
		Log:    slog.New(slog.DiscardHandler),
		Signer: ring{signs}, Base: "https://subrosa.example", Now: time.Now,
	}, book
}

// A failed exchange leaves nothing open: a bearer that was not answered is nobody's.
func TestAFailedExchangeChangedNothing(t *testing.T) {
	t.Parallel()
	i, book := newIssuer(t, silent{})

	for name, end := range map[string]bool{"a live key": false, "a key that has ended": true} {
		secret, err := book.Mint(t.Context(), "o:oak", "agt_"+name, "ann", nil)
		if err != nil {
			t.Fatal(err)
		}
		if end {
			if err := i.End(t.Context(), "o:oak", "agt_"+name); err != nil {
				t.Fatal(err)
			}
		}

		ctx := errs.WithChanges(t.Context())
		if _, err := i.Exchange(ctx, secret); !errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("%s: Exchange without a trail = %v, want unavailable", name, err)
		}
		if errs.MayHaveChanged(ctx) {
			t.Errorf("%s: the failed exchange may have changed something", name)
		}
	}
}

// A panic beside an exchange is one of the exchange, whose server recovers from it.
func TestAPanicBesideAnExchangeIsTheExchanges(t *testing.T) {
	t.Parallel()
	i, book := newIssuer(t, unread{})
	secret, err := book.Mint(t.Context(), "o:oak", "agt_1", "ann", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Exchange(t.Context(), secret); err != nil { // it is remembered now whose the key is
		t.Fatal(err)
	}
	i.Members = broken{}

	defer func() {
		if recover() == nil {
			t.Error("the exchange did not panic")
		}
	}()
	_, err = i.Exchange(t.Context(), secret)
	t.Errorf("Exchange = %v", err)
}
