package agents_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/redisstore"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// cards is a world of cards without a network.
type cards struct {
	mu   sync.Mutex
	err  error
	card agents.Card
	gate chan struct{} // when set, fetches wait for it
}

func (c *cards) Valid(raw string) error {
	if raw == "bad" {
		return agents.ErrCardURL
	}

	return nil
}

func (c *cards) Fetch(ctx context.Context, _, etag string) (agents.Card, bool, error) {
	c.mu.Lock()
	gate, err, card := c.gate, c.err, c.card
	c.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return agents.Card{}, false, agents.ErrUnreachable
		}
	}
	if err != nil {
		return agents.Card{}, false, err
	}

	return card, etag != "" && etag == card.ETag, nil
}

func (c *cards) set(card agents.Card, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.card, c.err = card, err
}

// keyring is auth-svc as the registry sees it.
type keyring struct {
	mu    sync.Mutex
	live  map[string]string // agent → key
	ended map[string]bool
	fail  error // of the next Mint; the key may exist all the same
	lost  bool  // the failed Mint has made a key
}

func (k *keyring) Mint(_ context.Context, a agents.Agent) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		err := k.fail
		k.fail = nil
		if k.lost {
			k.live[a.ID] = "unheard"
		}

		return "", err
	}
	if k.ended[a.ID] {
		return "", errors.New("ended")
	}
	k.live[a.ID] = uuid.NewString()

	return k.live[a.ID], nil
}

func (k *keyring) End(_ context.Context, _, agentID string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		err := k.fail
		k.fail = nil

		return err
	}
	k.ended[agentID] = true
	delete(k.live, agentID)

	return nil
}

func (k *keyring) Use(context.Context, string, string) (time.Time, bool, error) {
	return time.Time{}, false, nil
}

func (k *keyring) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()

	return len(k.live)
}

// trail notes actions.
type auditLog struct {
	mu      sync.Mutex
	actions []string
	fail    error
}

func (tr *auditLog) Record(_ context.Context, e audit.Entry) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.fail != nil {
		return tr.fail
	}
	tr.actions = append(tr.actions, e.Action)

	return nil
}

func (tr *auditLog) count(action string) (n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()

	for _, a := range tr.actions {
		if a == action {
			n++
		}
	}

	return n
}

type world struct {
	*agents.Registry
	cards    *cards
	keys     *keyring
	auditLog *auditLog
	db       *mongo.Database
	skip     *atomic.Int64 // added to the clock
}

const fetches = 10_000

func newWorld(t *testing.T, db *mongo.Database, rdb redis.UniversalClient) *world {
	t.Helper()
	stores.Index(t, db, mongostore.Schema())
	pepper, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		cards: &cards{card: agents.Card{
			Name: "Helper", Description: "D", URL: "https://agents.com", SHA256: "1", ETag: `"1"`,
		}},
		keys:     &keyring{live: map[string]string{}, ended: map[string]bool{}},
		auditLog: &auditLog{}, db: db, skip: new(atomic.Int64),
	}
	now := func() time.Time { return time.Now().Add(time.Duration(w.skip.Load())) }
	store := mongostore.New(db)
	w.Registry = &agents.Registry{
		Tokens: redisstore.New(rdb, now, agents.Lease, fetches), Store: store, Intents: store,
		Cards: w.cards, Keys: w.keys, Audit: w.auditLog, Gate: guard.New(), Pepper: pepper,
		Life: 10 * time.Minute, Lease: agents.Lease, Now: now, Log: slog.New(slog.DiscardHandler),
	}

	return w
}

func (w *world) later(d time.Duration) { w.skip.Add(int64(d)) }

// token issues one without asking whether the user has an agent, so that tests can make rivals.
func (w *world) token(t *testing.T, user string) string {
	t.Helper()
	token, err := w.Issue(t.Context(), agents.Owner{Tenant: "o:oak", UserID: user, Roles: []string{"owner"}})
	if err != nil {
		t.Fatal(err)
	}

	return token
}

// whole checks that the user has exactly one agent with one key, and nothing is left of any other.
func (w *world) whole(t *testing.T, user string, want int) {
	t.Helper()
	connections := 0
	if c, err := w.Store.Connection(t.Context(), user); err == nil {
		connections++
		if !c.Active {
			t.Errorf("the connection is still pending")
		}
		if a, err := w.Store.Agent(t.Context(), c.Tenant, c.AgentID); err != nil || a.Status != agents.Active || a.UserID != user {
			t.Errorf("the connected agent is %+v, %v", a, err)
		}
	}
	records, err := w.db.Collection("agents").CountDocuments(t.Context(), map[string]any{"userId": user, "status": agents.Active})
	if err != nil {
		t.Fatal(err)
	}
	if connections != want || records != int64(want) || w.keys.count() != want {
		t.Errorf("%d connections, %d agents, %d keys, want %d of each", connections, records, w.keys.count(), want)
	}
}

// everywhere runs a test on every pair of stores.
func everywhere(t *testing.T, test func(t *testing.T, w *world)) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		test(t, newWorld(t, db, stores.Redis(t)))
	})
}

func TestS13ATokenWorksOnce(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		token := w.token(t, "ada")
		done, err := w.Register(t.Context(), token, "https://agents.com/card")
		if err != nil || done.Key == "" || done.Agent.Card.Name != "Helper" {
			t.Fatalf("Register = %+v, %v", done.Agent, err)
		}
		w.whole(t, "ada", 1)
		if _, err := w.Register(t.Context(), token, "https://agents.com/card"); !errors.Is(err, agents.ErrToken) {
			t.Errorf("the second use = %v, want %v", err, agents.ErrToken)
		}
		if _, err := w.Issue(t.Context(), agents.Owner{Tenant: "o:elm", UserID: "ada"}); !errors.Is(err, agents.ErrConnected) {
			t.Errorf("another token, signed in to another organization = %v, want %v", err, agents.ErrConnected)
		}
		w.whole(t, "ada", 1)
	})
}

func TestS14RacingRegistrationsWithOneToken(t *testing.T) {
	t.Parallel()
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		w := newWorld(t, stores.Mongo(t), rdb)

		for round := range rounds {
			user := fmt.Sprint("user-", round)
			token := w.token(t, user)
			won := race(64, func() error {
				_, err := w.Register(t.Context(), token, "https://agents.com/card")
				return err
			}, func(err error) {
				if !errors.Is(err, agents.ErrToken) && !errors.Is(err, agents.ErrBusy) && !errors.Is(err, agents.ErrConnected) {
					t.Errorf("a loser got %v", err)
				}
			})
			if won != 1 {
				t.Fatalf("round %d: %d of 64 registrations with one token won, want 1", round, won)
			}
			if w.keys.count() != round+1 {
				t.Fatalf("round %d: %d keys, want %d", round, w.keys.count(), round+1)
			}
		}
	})
}

func race(n int, try func() error, lost func(error)) (won int) {
	var wins atomic.Int64
	var racing sync.WaitGroup
	begin := make(chan struct{})

	for range n {
		racing.Go(func() {
			<-begin
			if err := try(); err != nil {
				lost(err)
				return
			}
			wins.Add(1)
		})
	}
	close(begin)
	racing.Wait()

	return int(wins.Load())
}

func TestS15AnExpiredTokenIsRefused(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		late, early := w.token(t, "ada"), w.token(t, "ben")
		w.later(10*time.Minute - 5*time.Second)
		if _, err := w.Register(t.Context(), early, "https://agents.com/card"); err != nil {
			t.Errorf("five seconds before its end: %v", err)
		}
		w.later(5 * time.Second)
		if _, err := w.Register(t.Context(), late, "https://agents.com/card"); !errors.Is(err, agents.ErrToken) {
			t.Errorf("after ten minutes: %v, want %v", err, agents.ErrToken)
		}
	})
}

func TestS16RacingTokensOfOneUser(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		tokens := make(chan string, 64)
		for range 64 {
			tokens <- w.token(t, "ada")
		}
		won := race(64, func() error {
			_, err := w.Register(t.Context(), <-tokens, "https://agents.com/card")
			return err
		}, func(err error) {
			if !errors.Is(err, agents.ErrBusy) && !errors.Is(err, agents.ErrConnected) {
				t.Errorf("a loser got %v", err)
			}
		})
		if won != 1 {
			t.Errorf("%d of 64 registrations won, want 1", won)
		}
		w.whole(t, "ada", 1)
	})
}

func TestRacingTokenRequestsAndRegistrationsOfOneUserGiveOneAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stores.Mongo(t), stores.Redis(t))
	won := race(64, func() error {
		token, err := w.Issue(t.Context(), agents.Owner{Tenant: "o:oak", UserID: "ada"})
		if err != nil {
			return err
		}
		_, err = w.Register(t.Context(), token, "https://agents.com/card")

		return err
	}, func(err error) {
		if !errors.Is(err, agents.ErrBusy) && !errors.Is(err, agents.ErrConnected) {
			t.Errorf("a loser got %v", err)
		}
	})
	if won != 1 {
		t.Errorf("%d agents were connected, want 1", won)
	}
	w.whole(t, "ada", 1)
}

// A failure that the caller can fix never uses the token up, however often it comes.
func TestS17ABadCardLeavesTheTokenUsable(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		token, other := w.token(t, "ada"), w.token(t, "ben")
		if _, err := w.Register(t.Context(), token, "bad"); !errors.Is(err, agents.ErrCardURL) {
			t.Fatalf("a bad address = %v", err)
		}

		for _, failure := range []error{agents.ErrUnreachable, agents.ErrCard} {
			w.cards.set(agents.Card{}, failure)

			for _, tok := range []string{token, other} {
				if _, err := w.Register(t.Context(), tok, "https://agents.com/card"); !errors.Is(err, failure) {
					t.Fatalf("Register = %v, want %v", err, failure)
				}
			}
			w.whole(t, "ada", 0)
		}

		for range 20 {
			if _, err := w.Register(t.Context(), other, "https://agents.com/card"); !errors.Is(err, agents.ErrCard) {
				t.Fatalf("Register = %v, want %v", err, agents.ErrCard)
			}
		}
		w.cards.set(agents.Card{Name: "Helper", SHA256: "1"}, nil)
		if _, err := w.Register(t.Context(), token, "https://agents.com/card"); err != nil {
			t.Errorf("a corrected card = %v", err)
		}
		w.whole(t, "ada", 1)
	})
}

// breaking fails one step of the store, before or after its effect.
type breaking struct {
	agents.Store
	step  string
	after bool
	calls int
}

var errBroken = fmt.Errorf("cut: %w", errs.ErrUnavailable)

func (b *breaking) hit(step string) bool {
	if b.step == step && b.calls == 0 {
		b.calls++
		return true
	}

	return false
}

func (b *breaking) Connect(ctx context.Context, c agents.Connection) error {
	hit := b.hit("connect")
	if hit && !b.after {
		return errBroken
	}
	err := b.Store.Connect(ctx, c)
	if hit {
		return errBroken
	}

	return err
}

func (b *breaking) Insert(ctx context.Context, a agents.Agent) error {
	hit := b.hit("insert")
	if hit && !b.after {
		return errBroken
	}
	err := b.Store.Insert(ctx, a)
	if hit {
		return errBroken
	}

	return err
}

func (b *breaking) Activate(ctx context.Context, c agents.Connection) error {
	hit := b.hit("activate")
	if hit && !b.after {
		return errBroken
	}
	err := b.Store.Activate(ctx, c)
	if hit {
		return errBroken
	}

	return err
}

func TestAFailureAtEachStepLeavesTheTokenUsableOrTheAgentWhole(t *testing.T) {
	t.Parallel()

	for _, step := range []string{"connect", "insert", "mint", "audit", "activate"} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after its effect %v", step, after), func(t *testing.T) {
				w := newWorld(t, stores.Mongo(t), stores.Redis(t))
				token := w.token(t, "ada")
				healthy := w.Store

				switch step {
				case "mint":
					w.keys.fail, w.keys.lost = errBroken, after
				case "audit":
					w.auditLog.fail = errBroken
				default:
					w.Registry.Store = &breaking{Store: healthy, step: step, after: after}
				}
				if _, err := w.Register(t.Context(), token, "https://agents.com/card"); !errors.Is(err, errs.ErrUnavailable) {
					t.Fatalf("Register = %v, want %v", err, errs.ErrUnavailable)
				}
				w.Registry.Store, w.auditLog.fail = healthy, nil
				if step == "activate" && after {
					w.whole(t, "ada", 1) // the answer was lost, the agent is there; its key is known to nobody
					return
				}
				w.whole(t, "ada", 0)
				if _, err := w.Register(t.Context(), token, "https://agents.com/card"); err != nil {
					t.Errorf("the next try with the token = %v", err)
				}
				w.whole(t, "ada", 1)
			})
		}
	}
}

// TestS18 leaves a registration as a killed process leaves it, at each step, and lets time pass.
func TestS18AKilledRegistrationBlocksNobody(t *testing.T) {
	t.Parallel()

	for _, reached := range []string{"reserved", "connected", "inserted", "minted"} {
		t.Run(reached, func(t *testing.T) {
			w := newWorld(t, stores.Mongo(t), stores.Redis(t))
			token := w.token(t, "ada")
			if state, _, err := w.Tokens.Reserve(t.Context(), w.Pepper.Hash(token), "killed"); err != nil || state != agents.Reserved {
				t.Fatal(state, err)
			}
			a := agents.Agent{ID: "agt_" + uuid.NewString(), Tenant: "o:oak", UserID: "ada", Status: agents.Active, TokenHash: w.Pepper.Hash(token), Version: 1}
			c := agents.Connection{
				UserID: "ada", Tenant: "o:oak", AgentID: a.ID, Attempt: "killed", At: instant.Of(w.Now()),
			}
			if reached != "reserved" {
				if err := w.Store.Connect(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if reached == "inserted" || reached == "minted" {
				if err := w.Store.Insert(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			if reached == "minted" {
				if _, err := w.keys.Mint(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Register(t.Context(), token, "https://agents.com/card"); !errors.Is(err, agents.ErrBusy) {
				t.Errorf("while the lease runs: %v, want %v", err, agents.ErrBusy)
			}
			w.later(3 * agents.Lease)
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.whole(t, "ada", 0)
			fresh := w.token(t, "ada") // the lease of the old one runs by the clock of Redis, which no test moves
			if _, err := w.Register(t.Context(), fresh, "https://agents.com/card"); err != nil {
				t.Errorf("after the sweep: %v", err)
			}
			w.whole(t, "ada", 1)
			if reached != "reserved" && w.auditLog.count("agent.registration_failed") != 1 {
				t.Errorf("the failed registration is on record %d times, want 1",
					w.auditLog.count("agent.registration_failed"))
			}
		})
	}
}

// A registration that is being taken back loses its connection first; whoever dies then leaves an agent and its key.
func TestAnAgentWithoutItsConnectionIsClearedAway(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		token := w.token(t, "ada")
		orphan := agents.Agent{ID: "agt_" + uuid.NewString(), Tenant: "o:oak", UserID: "ada", Status: agents.Active, TokenHash: w.Pepper.Hash(token), Version: 1}
		if err := w.Store.Insert(t.Context(), orphan); err != nil {
			t.Fatal(err)
		}
		if _, err := w.keys.Mint(t.Context(), orphan); err != nil {
			t.Fatal(err)
		}
		done, err := w.Register(t.Context(), token, "https://agents.com/card")
		if err != nil {
			t.Fatalf("Register = %v", err)
		}
		w.whole(t, "ada", 1)
		if _, err := w.Store.Agent(t.Context(), "o:oak", orphan.ID); !errors.Is(err, errs.ErrNotFound) || done.Agent.ID == orphan.ID {
			t.Errorf("the orphan = %v, want it gone", err)
		}
	})
}

// A caller who waits as long as it is told gets its place, although a dead registration has it.
func TestWhoMeetsADeadRegistrationIsToldHowLongToWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stores.Mongo(t), stores.Redis(t))
	dead := agents.Connection{
		UserID: "ada", Tenant: "o:oak", AgentID: "agt_" + uuid.NewString(), Attempt: "dead", At: instant.Of(w.Now()),
	}
	if err := w.Store.Connect(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	token := w.token(t, "ada")
	w.later(agents.Lease)
	_, err := w.Register(t.Context(), token, "https://agents.com/card")
	wait := errs.From(err).RetryAfter
	if !errors.Is(err, agents.ErrBusy) || wait > agents.Lease || wait < agents.Lease-5*time.Second {
		t.Fatalf("Register = %v, again after %v, want %v and about %v", err, wait, agents.ErrBusy, agents.Lease)
	}
	w.later(wait)
	if _, err := w.Register(t.Context(), token, "https://agents.com/card"); err != nil {
		t.Errorf("after that time: %v", err)
	}
	w.whole(t, "ada", 1)
}

// overtaken is a store in which another writer of an agent is always first.
type overtaken struct{ agents.Store }

func (overtaken) Replace(context.Context, agents.Agent) error { return errs.ErrTaken }

func TestDisconnectGivesWayToTheSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stores.Mongo(t), stores.Redis(t))
	done, err := w.Register(t.Context(), w.token(t, "ada"), "https://agents.com/card")
	if err != nil {
		t.Fatal(err)
	}
	sound := w.Store
	w.Store = overtaken{sound}
	if err := w.Disconnect(t.Context(), "o:oak", "ada", done.Agent.ID); !errors.Is(err, errs.ErrUnavailable) {
		t.Fatalf("Disconnect = %v, want %v", err, errs.ErrUnavailable)
	}
	w.Store = sound
	w.later(2 * agents.Lease)
	if err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.whole(t, "ada", 0)
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world) {
		done, err := w.Register(t.Context(), w.token(t, "ada"), "https://agents.com/card")
		if err != nil {
			t.Fatal(err)
		}

		id := done.Agent.ID
		for _, tc := range []struct {
			name, tenant, user, agent string
			want                      error
		}{
			{"a colleague", "o:oak", "ben", id, agents.ErrNotOwner},
			{"another tenant", "o:elm", "ada", id, errs.ErrNotFound},
			{"an unknown agent", "o:oak", "ada", "agt_" + uuid.NewString(), errs.ErrNotFound},
		} {
			if err := w.Disconnect(t.Context(), tc.tenant, tc.user, tc.agent); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
			}
		}
		w.whole(t, "ada", 1)
		w.keys.fail = errBroken
		if err := w.Disconnect(t.Context(), "o:oak", "ada", id); !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("Disconnect with auth-svc away = %v", err)
		}
		if _, err := w.Issue(t.Context(), agents.Owner{Tenant: "o:oak", UserID: "ada"}); !errors.Is(err, agents.ErrConnected) {
			t.Errorf("a token while the old agent's key lives = %v, want %v", err, agents.ErrConnected)
		}
		w.later(2 * agents.Lease)
		if err := w.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.whole(t, "ada", 0)
		if n := w.auditLog.count("agent.disconnected"); n != 1 {
			t.Errorf("the disconnection is on record %d times, want 1", n)
		}
		if err := w.Disconnect(t.Context(), "o:oak", "ada", id); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("a second time = %v, want %v", err, errs.ErrNotFound)
		}
		if _, err := w.Register(t.Context(), w.token(t, "ada"), "https://agents.com/card"); err != nil {
			t.Errorf("the next agent = %v", err)
		}
		w.whole(t, "ada", 1)
	})
}

func TestS47HealthNotesAChangedCardAndChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stores.Mongo(t), stores.Redis(t))
	done, err := w.Register(t.Context(), w.token(t, "ada"), "https://agents.com/card")
	if err != nil {
		t.Fatal(err)
	}
	health := &agents.Health{Registry: w.Registry}
	owner := access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}
	check := func(caller access.Caller) error {
		w.later(11 * time.Second) // a result is kept for ten
		return health.Check(t.Context(), caller, done.Agent.ID)
	}
	if err := check(owner); err != nil {
		t.Errorf("unchanged = %v", err)
	}
	w.cards.set(agents.Card{Name: "Renamed", URL: "https://elsewhere.com", SHA256: "2", ETag: `"2"`}, nil)

	for range 3 {
		if err := check(owner); err != nil {
			t.Errorf("changed and valid = %v", err)
		}
	}
	if n := w.auditLog.count("agent.card_changed"); n != 1 {
		t.Errorf("the change is on record %d times, want 1", n)
	}
	if a, err := w.Store.Agent(t.Context(), "o:oak", done.Agent.ID); err != nil || a.Card.Name != "Helper" || a.Card.SHA256 != "1" {
		t.Errorf("the snapshot became %+v, %v", a.Card, err)
	}
	w.cards.set(agents.Card{}, agents.ErrUnreachable)
	if err := check(owner); !agents.Unhealthy(err) {
		t.Errorf("unreachable = %v, want unhealthy", err)
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		want   error
	}{
		"the agent itself": {access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: done.Agent.ID}, agents.ErrUnreachable},
		"another agent":    {access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: "agt_x"}, agents.ErrNotOwner},
		"a colleague":      {access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ben"}, agents.ErrNotOwner},
		"another tenant":   {access.Caller{Kind: access.User, Tenant: "o:elm", UserID: "ada"}, errs.ErrNotFound},
	} {
		if err := check(tc.caller); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestHealthIsKeptForAMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stores.Mongo(t), stores.Redis(t))
	done, err := w.Register(t.Context(), w.token(t, "ada"), "https://agents.com/card")
	if err != nil {
		t.Fatal(err)
	}
	health := &agents.Health{Registry: w.Registry}
	owner := access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}
	if err := health.Check(t.Context(), owner, done.Agent.ID); err != nil {
		t.Fatal(err)
	}
	w.cards.set(agents.Card{}, agents.ErrUnreachable)
	if err := health.Check(t.Context(), owner, done.Agent.ID); err != nil {
		t.Errorf("asked again at once = %v, want the result from before", err)
	}
}

func TestATokenThatAFailoverBringsBackRegistersNothing(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	w := newWorld(t, stores.Mongo(t), rdb)
	token := w.token(t, "ada")
	done, err := w.Register(t.Context(), token, "https://agents.com/card")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Disconnect(t.Context(), "o:oak", "ada", done.Agent.ID); err != nil {
		t.Fatal(err)
	}
	if err := rdb.HSet(t.Context(), redisstore.Key(w.Pepper.Hash(token)), "state", "unused", "attempt", "").Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Register(t.Context(), token, "https://agents.com/card"); !errors.Is(err, agents.ErrToken) {
		t.Errorf("Register = %v, want %v", err, agents.ErrToken)
	}
	w.whole(t, "ada", 0)
}

func TestCardFetchesOfAUserAreCounted(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)

	tokens := redisstore.New(rdb, time.Now, agents.Lease, 2)
	for i, want := range []bool{true, true, false, false} {
		wait, err := tokens.SpendFetch(t.Context(), "ada")
		if err != nil || (wait == 0) != want || wait > time.Hour {
			t.Errorf("fetch %d: wait %v, %v, want one left: %v", i+1, wait, err, want)
		}
	}
}

// Who has no fetch left is told when there are more, and never that the token is no good.
func TestARegistrationWithoutAFetchLeft(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	w := newWorld(t, stores.Mongo(t), rdb)
	w.Tokens = redisstore.New(rdb, w.Now, agents.Lease, 3)
	token := w.token(t, "ada")
	w.cards.set(agents.Card{}, agents.ErrCard)

	for i := range 8 {
		want := agents.ErrCard
		if i >= 3 {
			want = agents.ErrFetchBudget
		}
		_, err := w.Register(t.Context(), token, "https://agents.com/card")
		wait := errs.From(err).RetryAfter
		if !errors.Is(err, want) || i >= 3 && (wait < time.Minute || wait > time.Hour) {
			t.Errorf("try %d = %v, again after %v, want %v", i+1, err, wait, want)
		}
	}
	w.Tokens = redisstore.New(rdb, w.Now, agents.Lease, 4)
	w.cards.set(agents.Card{Name: "Helper", SHA256: "1"}, nil)
	if _, err := w.Register(t.Context(), token, "https://agents.com/card"); err != nil {
		t.Errorf("with a fetch left: %v", err)
	}
}

func TestTheSameAttemptGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		tokens := redisstore.New(rdb, time.Now, agents.Lease, 1)
		owner := agents.Owner{Tenant: "o:oak", UserID: "ada", Roles: []string{"owner"}}
		if err := tokens.Issue(t.Context(), "h", owner, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		reserve := func(attempt string, want agents.Reservation) {
			t.Helper()
			state, got, err := tokens.Reserve(t.Context(), "h", attempt)
			if err != nil || state != want || state == agents.Reserved && got.UserID != "ada" {
				t.Errorf("Reserve(%s) = %v, %+v, %v, want %v", attempt, state, got, err, want)
			}
		}
		reserve("one", agents.Reserved)
		reserve("one", agents.Reserved)
		reserve("two", agents.TokenBusy)
		if err := tokens.Release(t.Context(), "h", "two"); err != nil {
			t.Fatal(err)
		}
		reserve("two", agents.TokenBusy) // whoever does not hold it cannot release it
		if err := tokens.Release(t.Context(), "h", "one"); err != nil {
			t.Fatal(err)
		}
		reserve("two", agents.Reserved)
		if err := tokens.Commit(t.Context(), "h", "one"); err != nil {
			t.Fatal(err)
		}
		reserve("three", agents.TokenBusy) // nor use it up

		for range 2 {
			if err := tokens.Commit(t.Context(), "h", "two"); err != nil {
				t.Fatal(err)
			}
		}
		reserve("two", agents.TokenUsedByUs)
		reserve("three", agents.TokenUsed)
	})
}

func TestAnIndexServesEveryQuery(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(t, mongostore.Schema(),
		stores.Query{Name: "Pending", Collection: "connections", Equal: []string{"active"}, Sort: []string{"at"}},
		stores.Query{Name: "Open", Collection: "disconnections", Sort: []string{"at"}},
		stores.Query{Name: "OfToken", Collection: "agents", Equal: []string{"tenant", "tokenHash"}},
	)
}
