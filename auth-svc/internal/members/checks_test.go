package members_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// asked is a hall whose members are asked about, every day.
type asked struct {
	*hall
	checks  *members.Checks
	seal    func(pepper byte) *mongostore.ProviderTokens
	answers func(token string) (string, access.Caller, bool, error) // of the provider
	tokens  []string                                                // that the provider got
	stop    func()                                                  // called while the provider is asked
}

// Renew implements members.Provider.
func (a *asked) Renew(ctx context.Context, token string) (string, access.Caller, bool, error) {
	a.tokens = append(a.tokens, token)
	if a.stop != nil {
		a.stop()
	}
	if err := ctx.Err(); err != nil {
		return "", access.Caller{}, false, err
	}

	return a.answers(token)
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	db := stores.Mongo(t)
	stores.Index(t, db, mongostore.Schema())
	a := &asked{hall: newHall(t)}
	a.seal = func(pepper byte) *mongostore.ProviderTokens {
		seal, err := secret.NewSealer(bytes.Repeat([]byte{pepper}, 32))
		if err != nil {
			t.Fatal(err)
		}

		return mongostore.NewProviderTokens(db, seal)
	}
	a.checks = &members.Checks{Service: a.Service, Tokens: a.seal(1), Provider: a, Every: 24 * time.Hour}
	a.checks.Log = slog.New(slog.DiscardHandler)

	return a
}

// refuses is the answer of a provider that knows the member no more.
func refuses(string) (string, access.Caller, bool, error) {
	return "", access.Caller{}, false, members.ErrRefused
}

// signsIn has a member come with a refresh token.
func (a *asked) signsIn(t *testing.T, c access.Caller, token string) {
	t.Helper()
	a.does(t, a.Seen(t.Context(), c))
	a.checks.Keep(t.Context(), c, token)
}

// sweeps has the provider be asked so much later.
func (a *asked) sweeps(t *testing.T, later time.Duration) {
	t.Helper()
	a.now = a.now.Add(later)
	a.does(t, a.checks.Sweep(t.Context()))
}

func (a *asked) member(t *testing.T, c access.Caller) members.Member {
	t.Helper()
	m, err := a.Store.Find(t.Context(), c.Tenant, c.UserID)
	a.does(t, err)

	return m
}

// kept lists the refresh tokens that are kept.
func (a *asked) kept(t *testing.T) (all []string) {
	t.Helper()
	due, _, err := a.checks.Tokens.Due(t.Context(), a.now.Add(10000*time.Hour), 100)
	a.does(t, err)

	for _, v := range due {
		all = append(all, v.Token)
	}

	return all
}

// A member whom the firm cannot do without keeps access when the provider knows them no more, and is asked about again
// until there is somebody else.
func TestTheLastOwnerIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.answers = refuses
	a.signsIn(t, owner, "first")
	before := a.member(t, owner)
	a.sweeps(t, 23*time.Hour)
	if len(a.tokens) > 0 {
		t.Errorf("asked before it was time")
	}
	a.sweeps(t, 2*time.Hour)
	m := a.member(t, owner)
	if !m.Has() || !m.LastSeen.Equal(before.LastSeen) || len(a.tokens) != 1 || len(a.kept(t)) != 1 {
		t.Errorf("the last owner: %+v, asked %d times, kept %v", m, len(a.tokens), a.kept(t))
	}
	a.sweeps(t, 23*time.Hour)
	if len(a.tokens) != 1 {
		t.Errorf("asked again before it was time")
	}
	a.does(t, a.Seen(t.Context(), access.Caller{
		Kind: access.User, Tenant: firm, UserID: "olga", Roles: []string{access.RoleOwner},
	}))
	a.sweeps(t, 2*time.Hour)
	if m := a.member(t, owner); m.Has() || len(a.kept(t)) != 0 {
		t.Errorf("once there is another owner: %+v, kept %v", m, a.kept(t))
	}
}

// A member who has moved to another organization got another token in exchange. Should the question have to be asked
// again, it is asked with that one.
func TestWhoeverMovedIsAskedAboutWithTheNewerToken(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.answers = func(token string) (string, access.Caller, bool, error) {
		return token + "+", access.Caller{Tenant: "o:elm", UserID: "otto"}, true, nil
	}
	a.signsIn(t, owner, "token")
	a.sweeps(t, 25*time.Hour)
	if kept := a.kept(t); len(kept) != 1 || kept[0] != "token+" {
		t.Errorf("kept %v", kept)
	}
}

// Whoever signs in while the provider is asked about them keeps access: their sign-in is newer than the answer.
func TestASignInThatRacesWithTheAnswer(t *testing.T) {
	t.Parallel()

	for name, arrange := range map[string]func(a *asked, comes func()){
		"while the provider is asked": func(a *asked, comes func()) {
			a.answers = func(token string) (string, access.Caller, bool, error) {
				comes()
				return refuses(token)
			}
		},
		"just before the provider is asked": func(a *asked, comes func()) {
			a.checks.Tokens = before{a.checks.Tokens, comes}
		},
		"while their access ends": func(a *asked, comes func()) {
			a.Audit = auditLog(comes)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsked(t)
			a.answers = refuses
			a.signsIn(t, ada, "token")
			a.now = a.now.Add(25 * time.Hour)
			arrange(a, func() { a.does(t, a.Seen(t.Context(), ada)) })
			a.sweeps(t, 0)
			if m := a.member(t, ada); !m.Has() || !m.LastSeen.Equal(a.now) || len(a.tokens) != 1 {
				t.Errorf("asked %d times: %+v", len(a.tokens), m)
			}
		})
	}
}

// before are tokens before the first change of which something happens.
type before struct {
	members.ProviderTokens
	change func()
}

func (b before) Replace(ctx context.Context, v members.ProviderToken) error {
	if v.Asking {
		b.change()
	}

	return b.ProviderTokens.Replace(ctx, v)
}

// auditLog is where something happens while an act goes on record.
type auditLog func()

func (happens auditLog) Record(context.Context, audit.Entry) error {
	happens()
	return nil
}

// A process that is told to stop while it asks keeps the token that it gets in exchange, and asks nothing more.
func TestTheNextTokenIsKeptWhenTheProcessStops(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.answers = func(token string) (string, access.Caller, bool, error) {
		return token + "+", access.Caller{}, false, nil
	}
	a.signsIn(t, ada, "first")
	a.now = a.now.Add(time.Minute)
	a.signsIn(t, owner, "second")
	a.now = a.now.Add(25 * time.Hour)
	var ctx context.Context
	ctx, a.stop = context.WithCancel(t.Context())
	a.does(t, a.checks.Sweep(ctx))
	if kept := a.kept(t); len(a.tokens) != 1 || len(kept) != 2 || !slices.Contains(kept, "first+") {
		t.Errorf("asked with %v, kept %v", a.tokens, kept)
	}
	a.sweeps(t, time.Hour)
	if kept := a.kept(t); len(a.tokens) != 2 || len(kept) != 2 {
		t.Errorf("an hour later: asked with %v, kept %v", a.tokens, kept)
	}
}

// While the pepper changes, a process that has only the old one leaves tokens under the new one alone. What nobody has
// opened for a week is removed, and until then is in the log as a count.
func TestTokensUnderAnotherPepper(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		until time.Duration // the process with the old pepper sweeps
		kept  int
	}{
		"for a moment":  {until: 26 * time.Hour, kept: 1},
		"for six days":  {until: 7 * 24 * time.Hour, kept: 1},
		"for nine days": {until: 10 * 24 * time.Hour, kept: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsked(t)
			a.signsIn(t, ada, "token")
			old := *a.checks
			old.Tokens = a.seal(2)
			failed := 0

			for past := time.Duration(0); past < tc.until; past += 6 * time.Hour {
				a.now = a.now.Add(6 * time.Hour)
				if err := old.Sweep(t.Context()); err != nil {
					failed++
				}
			}
			if kept := a.kept(t); len(kept) != tc.kept || failed == 0 || len(a.tokens) > 0 {
				t.Errorf("kept %v after %d sweeps that said so; asked %d times", kept, failed, len(a.tokens))
			}
		})
	}
}
