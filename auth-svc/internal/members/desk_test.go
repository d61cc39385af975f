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
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const firm = "o:oak"

var (
	owner = authn.Caller{Kind: authn.User, Tenant: firm, UserID: "otto", Roles: []string{authn.RoleOwner}}
	ada   = authn.Caller{Kind: authn.User, Tenant: firm, UserID: "ada"}
)

// words are what a desk announces, in a real Redis. Nothing else was handed out to anybody.
type words struct {
	rdb     redis.UniversalClient
	said    int
	between func() // what happens once before the next word that access was given back
}

func (w *words) Announce(ctx context.Context, tenant, userID string, gone bool) error {
	if between := w.between; between != nil && !gone {
		w.between = nil
		between()
	}
	w.said++

	return authn.AnnounceDeparture(ctx, w.rdb, authn.MemberName(tenant, userID), gone)
}

func (w *words) EndAll(context.Context, string, string) error          { return nil }
func (w *words) Roles(context.Context, string, string, []string) error { return nil }

// vaultless is a firm without a key, and a trail that nobody reads.
type vaultless struct{}

func (vaultless) Holders(context.Context, string) ([]string, error) { return nil, nil }

func (vaultless) Member(context.Context, authn.Caller, string, string, string, string) error {
	return nil
}

// hall is a desk with a clock, where ada and an owner have signed in.
type hall struct {
	*members.Desk
	words *words
	now   time.Time
}

func newHall(t *testing.T) *hall {
	t.Helper()
	db := testkit.Mongo(t)
	testkit.Index(t, db, mongostore.Schema())
	h := &hall{words: &words{rdb: testkit.Redis(t)}, now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	h.Desk = &members.Desk{
		Store: mongostore.NewMembers(db), Access: h.words, Holders: vaultless{}, Trail: vaultless{},
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
	departures := authn.NewDepartures(h.words.rdb, slog.New(slog.DiscardHandler), func(name string) { told <- name })
	watched := make(chan struct{})

	go func() { departures.Watch(ctx); close(watched) }()

	defer func() { stop(); <-watched }()
	h.does(t, authn.AnnounceDeparture(ctx, h.words.rdb, "last", true))

	for name := range told {
		if name == "last" {
			break
		}
	}

	return departures.Gone(authn.MemberName(firm, "ada"))
}

// Whoever is offboarded just before a word that they have access goes out is refused by everybody all the same.
func TestAWordThatComesTooLate(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		before func(t *testing.T, h *hall)
		says   func(t *testing.T, h *hall) error
		want   error
	}{
		{
			"the sign-in of one who was reinstated", func(t *testing.T, h *hall) { h.offboard(t); h.reinstate(t) },
			func(t *testing.T, h *hall) error { return h.Seen(t.Context(), ada) }, authn.ErrSuspended,
		},
		{
			"the sign-in of one who was away", func(t *testing.T, h *hall) {
				h.now = h.now.Add(25 * time.Hour)
				h.does(t, h.Seen(t.Context(), owner), h.Sweep(t.Context()))
			},
			func(t *testing.T, h *hall) error { return h.Seen(t.Context(), ada) }, authn.ErrSuspended,
		},
		{
			"a reinstatement", func(t *testing.T, h *hall) { h.offboard(t) },
			func(t *testing.T, h *hall) error { h.reinstate(t); return nil }, nil,
		},
		{
			"a second reinstatement", func(t *testing.T, h *hall) { h.offboard(t); h.reinstate(t) },
			func(t *testing.T, h *hall) error { h.reinstate(t); return nil }, nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHall(t)
			tc.before(t, h)
			h.words.between = func() { h.offboard(t) }
			if err := tc.says(t, h); !errors.Is(err, tc.want) {
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
