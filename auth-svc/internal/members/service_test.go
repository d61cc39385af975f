package members_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/departures"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const firm = "o:oak"

var (
	owner = access.Caller{Kind: access.User, Tenant: firm, UserID: "otto", Roles: []string{access.RoleOwner}}
	ada   = access.Caller{Kind: access.User, Tenant: firm, UserID: "ada"}
)

// words are what a desk announces, in a real Redis. Nothing else was handed out to anybody.
type words struct {
	rdb     redis.UniversalClient
	said    int
	between func() // what happens once before the next word that access was given back
	before  func() // what happens once before the next word
	after   func() // what happens once after it
}

func (w *words) Announce(ctx context.Context, m members.Member) error {
	if m.Has() {
		once(&w.between)
	}
	once(&w.before)

	w.said++
	defer once(&w.after)

	return departures.Announce(ctx, w.rdb, m.Word())
}

func once(do *func()) {
	if happens := *do; happens != nil {
		*do = nil
		happens()
	}
}

func (w *words) EndAll(context.Context, string, string) error          { return nil }
func (w *words) Roles(context.Context, string, string, []string) error { return nil }

// vaultless is a firm without a key, and a trail that nobody reads.
type vaultless struct{}

func (vaultless) Holders(context.Context, string) ([]string, error) { return nil, nil }

func (vaultless) Record(context.Context, audit.Entry) error {
	return nil
}

// hall is a desk with a clock, where ada and an owner have signed in.
type hall struct {
	*members.Service
	words *words
	now   time.Time
}

func newHall(t *testing.T) *hall {
	t.Helper()
	db := stores.Mongo(t)
	stores.Index(t, db, mongostore.Schema())
	h := &hall{words: &words{rdb: stores.Redis(t)}, now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	h.Service = &members.Service{
		Store: mongostore.NewMembers(db), Access: h.words, Holders: vaultless{}, Audit: vaultless{},
		Now: func() time.Time { return h.now }, Absence: 24 * time.Hour,
	}

	h.does(t, h.Seen(t.Context(), owner), h.Seen(t.Context(), ada))

	return h
}

func (h *hall) does(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func (h *hall) offboard(t *testing.T) {
	t.Helper()
	_, err := h.Offboard(t.Context(), owner, "ada")
	h.does(t, err)
}

func (h *hall) reinstate(t *testing.T) {
	t.Helper()
	_, err := h.Reinstate(t.Context(), owner, "ada")
	h.does(t, err)
}

// gone reports what a process that has heard every word holds of ada.
func (h *hall) gone(t *testing.T) bool {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan string, 1)
	watcher := departures.New(h.words.rdb, slog.New(slog.DiscardHandler), func(name string) { told <- name })
	watched := make(chan struct{})

	go func() { watcher.Watch(ctx); close(watched) }()

	defer func() { stop(); <-watched }()
	h.does(t, departures.Announce(ctx, h.words.rdb, authn.Departure{Name: "last", Gone: true}))

	for name := range told {
		if name == "last" {
			break
		}
	}

	return watcher.Gone(access.MemberName(firm, "ada"))
}

// Whoever is offboarded just before a word that they have access goes out is refused by everybody all the same.
func TestAWordThatComesTooLate(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		before func(t *testing.T, h *hall)
		says   act
		want   error
	}{
		{
			"the sign-in of one who was reinstated", func(t *testing.T, h *hall) { h.offboard(t); h.reinstate(t) },
			signIn, access.ErrSuspended,
		},
		{"the sign-in of one who was away", func(t *testing.T, h *hall) { h.away(t) }, signIn, access.ErrSuspended},
		{"a reinstatement", func(t *testing.T, h *hall) { h.offboard(t) }, reinstate, nil},
		{"a second reinstatement", func(t *testing.T, h *hall) { h.offboard(t); h.reinstate(t) }, reinstate, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHall(t)
			tc.before(t, h)
			h.words.between = func() { h.offboard(t) }
			if err := tc.says(t.Context(), h); !errors.Is(err, tc.want) {
				t.Errorf("it answers %v, want %v", err, tc.want)
			}
			if h.words.between != nil {
				t.Fatal("no word went out")
			}
			if stands, err := h.Stands(t.Context(), firm, "ada"); stands || err != nil {
				t.Fatalf("ada stands: %t, %v", stands, err)
			}
			if !h.gone(t) {
				t.Error("the last word is that ada has access")
			}
		})
		t.Run(tc.name+", and nothing more can be read", func(t *testing.T) {
			t.Parallel()
			h := newHall(t)
			tc.before(t, h)

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h.words.between = func() { h.offboard(t); h.words.after = cancel }
			if err := tc.says(ctx, h); err == nil {
				t.Fatal("nothing failed")
			}
			if !h.gone(t) {
				t.Error("the last word is that ada has access")
			}
		})
	}
}

// act is what somebody does at a desk about ada.
type act = func(ctx context.Context, h *hall) error

func signIn(ctx context.Context, h *hall) error { return h.Seen(ctx, ada) }

func reinstate(ctx context.Context, h *hall) error {
	_, err := h.Reinstate(ctx, owner, "ada")
	return err
}

func offboard(ctx context.Context, h *hall) error {
	_, err := h.Offboard(ctx, owner, "ada")
	return err
}

// away has ada absent for too long.
func (h *hall) away(t *testing.T) {
	t.Helper()
	h.now = h.now.Add(25 * time.Hour)
	h.does(t, h.Seen(t.Context(), owner), h.Sweep(t.Context()))
}

// The sweep tells what was not told, whatever failed around the word.
func TestAWordThatFails(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		before func(t *testing.T, h *hall)
		does   act
		gone   bool
	}{
		{"an offboarding", func(*testing.T, *hall) {}, offboard, true},
		{"a second offboarding", func(t *testing.T, h *hall) { h.offboard(t); h.reinstate(t) }, offboard, true},
		{"the offboarding of one who was away", func(t *testing.T, h *hall) { h.away(t) }, offboard, true},
		{"a reinstatement", func(t *testing.T, h *hall) { h.offboard(t) }, reinstate, false},
		{"the reinstatement of one who was away", func(t *testing.T, h *hall) { h.away(t) }, reinstate, false},
		{"the sign-in of one who was away", func(t *testing.T, h *hall) { h.away(t) }, signIn, false},
	} {
		for when, hook := range map[string]func(h *hall, stop func()){
			"before it is out": func(h *hall, stop func()) { h.words.before = stop },
			"once it is out":   func(h *hall, stop func()) { h.words.after = stop },
		} {
			t.Run(tc.name+" "+when, func(t *testing.T) {
				t.Parallel()
				h := newHall(t)
				tc.before(t, h)

				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				hook(h, cancel)
				if err := tc.does(ctx, h); err == nil {
					t.Fatal("nothing failed")
				}

				h.does(t, h.Sweep(t.Context()))
				if got := h.gone(t); got != tc.gone {
					t.Errorf("after a sweep everybody holds gone = %t, want %t", got, tc.gone)
				}
				if left, err := h.Store.Untold(t.Context(), 10); err != nil || len(left) != 0 {
					t.Errorf("a sweep leaves %+v, %v", left, err)
				}
			})
		}
	}
}

// A sign-in tells again that access was given back while that may have been lost, and not for ever after.
func TestHowOftenAReturnIsTold(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.offboard(t)
	h.reinstate(t)

	for _, tc := range []struct {
		name  string
		after time.Duration
		want  int
	}{
		{"at once", 0, 1},
		{"in the next minutes", 9 * time.Minute, 1},
		{"later, for the last time", time.Hour, 1},
		{"and at once again", 0, 0},
		{"nor the next day", 23 * time.Hour, 0},
	} {
		h.now = h.now.Add(tc.after)
		before := h.words.said
		if err := h.Seen(t.Context(), ada); err != nil {
			t.Fatal(err)
		}
		if got := h.words.said - before; got != tc.want {
			t.Errorf("%s: told %d times, want %d", tc.name, got, tc.want)
		}
	}
	if h.gone(t) {
		t.Error("ada is refused")
	}
}
