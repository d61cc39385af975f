package members

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ProviderToken is the provider's refresh token of a member who signed in. With it the provider is asked whether it
// still knows the member.
type ProviderToken struct {
	Tenant  string
	UserID  string
	Token   string
	AskAt   time.Time
	Asking  bool // a process asks, or has died while it did: the token may have been used up
	Version int
}

// ProviderTokens keep the token of each member, sealed.
type ProviderTokens interface {
	// Keep saves a token in place of an older one.
	Keep(ctx context.Context, v ProviderToken) error
	// Due lists up to limit tokens of all tenants whose time to ask has come, and counts those among them that cannot
	// be opened. Another process may be able to, so they are due again in an hour, and are removed after a week.
	Due(ctx context.Context, now time.Time, limit int) (due []ProviderToken, unopened int, err error)
	// Replace saves v over the version that it has and moves that on, or returns errs.ErrTaken.
	Replace(ctx context.Context, v ProviderToken) error
	// Drop removes the version of v; it is no error when there is another, or none.
	Drop(ctx context.Context, v ProviderToken) error
	// Clear removes up to limit tokens of all tenants.
	Clear(ctx context.Context, limit int) error
}

// Answers of the provider that Provider.Renew returns.
var (
	// ErrRefused means that the provider does not renew the token: it knows the member no more, or has taken the token
	// back.
	ErrRefused = errors.New("the provider refused the refresh token")
	// ErrNotAsked means that the provider has not used the token: it was away.
	ErrNotAsked = errors.New("the provider could not be asked")
)

// Provider is the identity provider, as far as it is asked about members.
type Provider interface {
	// Renew uses a refresh token and returns the one to use next, and whom the provider sent. known is false when its
	// access token says nothing to us. Its errors are ErrRefused and ErrNotAsked; after any other nobody knows whether
	// the token was used.
	Renew(ctx context.Context, token string) (next string, user access.Caller, known bool, err error)
}

// Checks ask the provider from time to time whether it still knows the members. It is safe for concurrent use, also by
// several processes.
type Checks struct {
	Service  *Service
	Tokens   ProviderTokens
	Provider Provider
	Every    time.Duration // between two questions about a member; 0 for none at all
	Log      *slog.Logger
}

const (
	askLease = 10 * time.Minute // a question takes seconds; after that whoever asked is gone
	askAgain = time.Hour        // after the provider was away
	askTime  = 30 * time.Second // for a question and what follows from it, also when the process is told to stop
)

// Keep takes the refresh token that came with a sign-in; "" is none. The sign-in has taken effect by then, so a failure
// is in the log and no failure of the sign-in: the next one brings another token.
func (k *Checks) Keep(ctx context.Context, c access.Caller, token string) {
	if k.Every == 0 || token == "" {
		return
	}

	err := k.Tokens.Keep(ctx, ProviderToken{
		Tenant:  c.Tenant,
		UserID:  c.UserID,
		Token:   token,
		AskAt:   k.Service.now().Add(k.Every),
		Version: 1,
	})
	if err != nil {
		k.Log.WarnContext(ctx, "the refresh token of a sign-in could not be kept, so nobody asks about the member",
			slog.Any("err", err))
	}
}

// Sweep asks about the members whose time has come. If nobody is to be asked about, it removes what an earlier setting
// has left.
func (k *Checks) Sweep(ctx context.Context) error {
	if k.Every == 0 {
		return k.Tokens.Clear(ctx, sweepBatch)
	}
	due, unopened, err := k.Tokens.Due(ctx, k.Service.now(), sweepBatch)
	if err != nil {
		return fmt.Errorf("list refresh tokens: %w", err)
	}
	var failed []error
	if unopened > 0 {
		failed = append(failed, fmt.Errorf("%d refresh tokens of the provider were sealed with another KEY_PEPPER: "+
			"set KEY_PEPPER_PREVIOUS within a week, or they are removed", unopened))
	}

	for _, v := range due {
		if ctx.Err() != nil {
			break
		}
		if err := k.ask(ctx, v); err != nil {
			failed = append(failed, fmt.Errorf("ask about a member: %w", err))
		}
	}

	return errors.Join(failed...)
}

// ask asks the provider about one member. A provider may take a token that is used twice for a theft and refuse all
// later ones, which would look like a member who is gone. So the question is on record before it is asked, and a token
// of which nobody knows whether it was used is never used again: the next sign-in brings another one. A question that
// was begun is brought to its end, or the next token would be lost.
func (k *Checks) ask(ctx context.Context, v ProviderToken) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer done()

	m, err := k.Service.Store.Find(ctx, v.Tenant, v.UserID)
	if errors.Is(err, ErrNoMember) || err == nil && !m.Has() || v.Asking {
		return k.Tokens.Drop(ctx, v)
	}
	if err != nil {
		return err
	}

	asked := k.Service.now()
	v.Asking, v.AskAt = true, asked.Add(askLease)
	if err := k.Tokens.Replace(ctx, v); err != nil {
		if errors.Is(err, errs.ErrTaken) { // another process asks, or a sign-in has brought a new one
			return nil
		}

		return err
	}
	v.Version++
	next, user, known, err := k.Provider.Renew(ctx, v.Token)

	switch {
	case errors.Is(err, ErrRefused):
		return k.isGone(ctx, asked, v)
	case errors.Is(err, ErrNotAsked):
		v.AskAt = k.Service.now().Add(min(askAgain, k.Every))
	case err != nil:
		return k.Tokens.Drop(ctx, v)
	case known && (user.Tenant != v.Tenant || user.UserID != v.UserID): // moved to another organization
		v.Token = next
		return k.isGone(ctx, asked, v)
	default:
		v.Token, v.AskAt = next, k.Service.now().Add(k.Every)
	}

	v.Asking = false
	if err := k.Tokens.Replace(ctx, v); err != nil && !errors.Is(err, errs.ErrTaken) {
		return err
	}
	if err == nil && known {
		return k.Service.vouched(ctx, user)
	}

	return nil
}

// isGone ends the access of a member, unless they have come since the provider was asked. What fails is done again: the
// token stays until then. It stays as well for a member whom the firm cannot do without.
func (k *Checks) isGone(ctx context.Context, asked time.Time, v ProviderToken) error {
	v.Asking, v.AskAt = false, k.Service.now().Add(min(askAgain, k.Every))
	if err := k.Tokens.Replace(ctx, v); err != nil {
		if errors.Is(err, errs.ErrTaken) { // a sign-in has brought a newer one
			return nil
		}

		return err
	}
	v.Version++
	m, err := k.Service.Store.Find(ctx, v.Tenant, v.UserID)
	if err != nil {
		return err
	}
	if m.LastSeen.After(asked.Add(-seenStep)) { // the token of their sign-in is on its way
		return nil
	}
	ended, err := k.Service.endGone(ctx, m, gone)

	switch {
	case err != nil:
		return err
	case ended:
		return k.Tokens.Drop(ctx, v)
	}

	v.AskAt = k.Service.now().Add(k.Every)
	if err := k.Tokens.Replace(ctx, v); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil
}

// vouched notes that the provider has just said that it knows a member who has access, and with which roles.
func (d *Service) vouched(ctx context.Context, c access.Caller) error {
	m, err := d.Store.Find(ctx, c.Tenant, c.UserID)
	if err != nil || !m.Has() {
		return err
	}
	if err := d.sighted(ctx, m, c); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil // whoever was first has newer news
}
