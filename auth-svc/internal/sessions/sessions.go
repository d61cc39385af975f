// Package sessions holds the rules of the browser app's sign-in: where a browser may be sent afterwards, what binds the
// steps to it, and how long it stays signed in. It knows no HTTP and no store.
package sessions

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Lives and limits of a sign-in under way.
const (
	LoginLife = 10 * time.Minute
	maxReturn = 2048 // bytes
)

// Failures of a sign-in.
var (
	ErrReturn = errs.New(
		errs.Invalid,
		"bad_return",
		"The link that led here asks to continue to another site. Nobody was signed in. "+
			"Open the service by its own address.",
	)
	ErrNoLogin = errs.New(
		errs.Invalid,
		"no_sign_in",
		"This sign-in has expired, was used already, or began in another browser. Begin again.",
	)
	ErrRefused = errs.New(
		errs.Forbidden,
		"not_signed_in",
		"The identity provider did not sign you in. Begin again, with another account if need be.",
	)
)

// Login is a sign-in under way. Its id is the state that goes to the identity provider.
type Login struct {
	Browser  string // hash of the cookie of the browser that began
	Nonce    string
	Verifier string // PKCE
	Return   string // path to go on to
	Expires  time.Time
}

// Logins keep sign-ins under way, by their id.
type Logins interface {
	// Begin stores a new sign-in.
	Begin(ctx context.Context, id string, l Login) error
	// Get returns a sign-in, or ErrNoLogin.
	Get(ctx context.Context, id string) (Login, error)
	// Take is Get that uses the sign-in up in the same step: of several at once one gets it.
	Take(ctx context.Context, id string) (Login, error)
}

// Store keeps sessions by the value of their cookie, of which it keeps a hash alone.
type Store interface {
	// Put stores a session, in one step with two ends: of those of the user's sessions in the same tenant that have
	// other roles than this sign-in brought, and of the oldest beyond most.
	Put(ctx context.Context, value string, r authn.SessionRecord, most int) error
	// Drop ends one session of the user, if there is one. What ends, here as everywhere, has its open streams closed.
	Drop(ctx context.Context, userID, value string) error
	// DropAll ends all of them in one step.
	DropAll(ctx context.Context, userID string) error
}

// Reader finds a live session by the value of its cookie, or fails with access.ErrUnauthenticated or
// errs.ErrUnavailable.
type Reader interface {
	Check(ctx context.Context, value string) (authn.SessionRecord, error)
}

// Members keeps the record of who belongs to a tenant.
type Members interface {
	// Seen notes that the provider has sent a user, or returns access.ErrSuspended.
	Seen(ctx context.Context, c access.Caller) error
}

// Actions on the record.
const (
	signedIn      = "user.signed_in"
	signedOut     = "user.signed_out"
	signedOutOfIt = "user.signed_out_everywhere"
)

// Service signs people in and out. It is safe for concurrent use.
type Service struct {
	Logins Logins
	Store  Store
	Reader Reader
	// Members are told of each sign-in.
	Members Members

	Audit audit.Log
	Life  time.Duration // of a session, whatever is done with it
	Most  int           // sessions of one user
	Now   func() time.Time
}

// Begun is a sign-in whose person is to go to the provider now.
type Begun struct{ ID, Nonce, Verifier string }

// Begin begins a sign-in of the browser with this secret, after which it goes on to the path, which must be one of
// ours: else ErrReturn.
func (d *Service) Begin(ctx context.Context, path, browser string) (Begun, error) {
	to, err := Return(path)
	if err != nil {
		return Begun{}, err
	}
	b := Begun{secret.New(), secret.New(), secret.New()}

	return b, d.Logins.Begin(ctx, b.ID, Login{
		Browser:  secret.Hash(browser),
		Nonce:    b.Nonce,
		Verifier: b.Verifier,
		Return:   to,
		Expires:  d.Now().UTC().Add(LoginLife),
	})
}

// Return checks where a browser may go on to, and returns it in the form in which it may stand in a header. It begins
// with one slash, since a browser takes two of them, or one and a backslash, for another host, and has no control
// characters, which browsers leave out.
func Return(path string) (string, error) {
	if len(path) > maxReturn || !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return "", ErrReturn
	}
	// Browsers take // and \ for the beginning of another host.
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return "", ErrReturn
	}
	u, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(u.Path, "/") {
		return "", ErrReturn
	}
	if u.IsAbs() || u.Host != "" || u.User != nil {
		return "", ErrReturn
	}
	to := visible(u.String())
	// Encoded, the path may have become three times as long.
	if len(to) > maxReturn {
		return "", ErrReturn
	}

	return to, nil
}

// visible percent-encodes what may not stand in a header's address: spaces, and what is not ASCII.
func visible(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder

	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[s[i]>>4], hex[s[i]&15]})
	}

	return b.String()
}

// Came takes up a browser that comes back from the provider, once: ErrNoLogin if it is not the one that began.
func (d *Service) Came(ctx context.Context, id, browser string) (Login, error) {
	if len(id) != secret.Len || browser == "" {
		return Login{}, ErrNoLogin
	}
	l, err := d.Logins.Get(ctx, id)
	if err != nil {
		return Login{}, err
	}
	if subtle.ConstantTimeCompare([]byte(secret.Hash(browser)), []byte(l.Browser)) != 1 || !d.Now().Before(l.Expires) {
		return Login{}, ErrNoLogin
	}

	// The sign-in is used up only now, so that what somebody else sends does not use it up.
	return d.Logins.Take(ctx, id)
}

// Person is who signed in.
type Person struct {
	Caller        access.Caller
	Name, Account string
}

// SignIn begins a session and returns the value of its cookie, always a fresh one. A session that the browser had
// before, whoever's it was, is over.
func (d *Service) SignIn(ctx context.Context, p Person, before string) (string, error) {
	// The session before ends first: a browser on a shared computer must not come back to somebody else's.
	if err := d.leave(ctx, before); err != nil {
		return "", err
	}
	if err := d.Members.Seen(ctx, p.Caller); err != nil {
		return "", err
	}
	if err := d.Audit.Record(ctx, entry(p.Caller, signedIn)); err != nil {
		return "", err
	}
	now := d.Now()
	// The value is always fresh, so one that was planted in the browser before the sign-in is worth nothing.
	value := authn.NewSession(p.Caller.UserID)

	err := d.Store.Put(ctx, value, authn.SessionRecord{
		Caller:  p.Caller,
		Name:    p.Name,
		Account: p.Account,
		Started: now.UnixMilli(),
		Expires: now.Add(d.Life).Unix(),
	}, d.Most)
	if err != nil {
		return "", err
	}
	// Whoever ends the person's access has either seen the session, or is seen here.
	if err := d.Members.Seen(ctx, p.Caller); err != nil {
		return "", errors.Join(err, d.Store.Drop(context.WithoutCancel(ctx), p.Caller.UserID, value))
	}

	return value, nil
}

// entry is what the audit record says of a person who signed in or out.
func entry(user access.Caller, action string) audit.Entry {
	return audit.Entry{
		Tenant:       user.Tenant,
		Actor:        audit.Actor{Kind: audit.User, ID: user.UserID},
		Action:       action,
		ResourceType: "user",
		ResourceID:   user.UserID,
		Outcome:      audit.Done,
	}
}

// leave ends the session that a browser had before.
func (d *Service) leave(ctx context.Context, value string) error {
	if value == "" {
		return nil
	}

	return d.SignOut(ctx, value, false)
}

// SignOut ends the session of a cookie's value, or all sessions of its user. One that is over already is as good.
func (d *Service) SignOut(ctx context.Context, value string, everywhere bool) error {
	session, err := d.Reader.Check(ctx, value)
	if errors.Is(err, access.ErrUnauthenticated) {
		return nil
	}
	if err != nil {
		return err
	}
	// The record comes first: a sign-out that is not on record has not happened.
	if everywhere {
		if err := d.Audit.Record(ctx, entry(session.Caller, signedOutOfIt)); err != nil {
			return err
		}

		return d.Store.DropAll(ctx, session.Caller.UserID)
	}
	if err := d.Audit.Record(ctx, entry(session.Caller, signedOut)); err != nil {
		return err
	}

	return d.Store.Drop(ctx, session.Caller.UserID, value)
}
