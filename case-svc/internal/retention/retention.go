// Package retention takes away cases whose time has come: deleted ones that can no longer be restored, and archived
// ones that need no longer be kept. It happens by itself, round by round; who runs a tenant may see first what is due,
// and have it done at once.
package retention

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Contents keeps what cases hold.
type Contents interface {
	// Due lists up to most cases of all tenants whose content is to be taken away, those due longest first.
	Due(ctx context.Context, now time.Time, most int) ([]cases.Case, error)
	// Entomb takes the content from a case that is due and leaves a tombstone. cases.ErrBusy: it was restored or held
	// meanwhile, or another was first.
	Entomb(ctx context.Context, c cases.Case, now time.Time) (cases.Case, error)
	// Clear removes what others keep of a case under its tombstone, and then all that it held. It may be repeated.
	Clear(ctx context.Context, stone cases.Case, elsewhere func(ctx context.Context, tenant, caseID string) error) error
}

// Store knows what is due in one tenant, and keeps previews.
type Store interface {
	// DueIn lists up to most cases of a tenant that are due at a time, those due longest first.
	DueIn(ctx context.Context, tenant string, now time.Time, most int) ([]cases.Case, error)
	// DueBetween counts the cases of a tenant that come due after from and not after to.
	DueBetween(ctx context.Context, tenant string, from, to time.Time) (int, error)
	// Held counts the cases of a tenant under legal hold.
	Held(ctx context.Context, tenant string) (int, error)
	// Save keeps a new preview.
	Save(ctx context.Context, p Preview) error
	// Preview returns ErrNotFound if the tenant has no preview of that key.
	Preview(ctx context.Context, tenant, key string) (Preview, error)
	// Forget deletes up to most previews of all tenants that are over.
	Forget(ctx context.Context, now time.Time, most int) error
}

// Preview is what somebody was shown as due. It holds no token: Key is a digest of it.
type Preview struct {
	Tenant    string
	Key       string
	UserID    string
	CaseIDs   []string
	ExpiresAt time.Time
}

// Limits of previews.
const (
	TokenTime = 10 * time.Minute    // for which a token is good
	Most      = 100                 // cases of one preview
	Ahead     = 30 * 24 * time.Hour // what a preview calls soon
	roundTime = 15 * time.Second    // after which a run leaves the rest to the next call
)

// ErrToken is for a token that was never given out, is over, or is somebody else's.
var ErrToken = errs.New(
	errs.Invalid,
	"invalid_parameter",
	"This token does not match, or its ten minutes are over. Ask for retention_preview again.",
)

// Remover takes cases away.
type Remover struct {
	Contents  Contents
	Elsewhere func(ctx context.Context, tenant, caseID string) error // removes what other services keep of a case
	Journal   audit.Log
	Now       func() time.Time
}

// Sweep takes away up to most cases of all tenants.
func (r *Remover) Sweep(ctx context.Context, most int) error {
	due, err := r.Contents.Due(ctx, r.Now(), most)
	if err != nil {
		return err
	}
	var all error

	for _, c := range due {
		if err := r.Remove(ctx, audit.Actor{Kind: audit.Service}, c); err != nil && !errors.Is(err, cases.ErrBusy) {
			all = errors.Join(all, fmt.Errorf("purge case %s: %w", c.ID, err))
		}
	}

	return all
}

// Remove takes a case away. That is on record once, with its tombstone; what is left to do may take many rounds, as
// when party-svc is away, and adds nothing to the record. cases.ErrBusy: it is not due any more, or another is at it.
func (r *Remover) Remove(ctx context.Context, by audit.Actor, c cases.Case) error {
	// With a tombstone it was recorded in an earlier round, and only the clearing is left.
	if c.Deletion == nil || c.Deletion.Tombstone == nil {
		entry := audit.Entry{Tenant: c.Tenant, Actor: by, Action: "case.purge", ResourceType: "case", ResourceID: c.ID}
		err := audit.Do(ctx, r.Journal, entry, func() error {
			var err error
			c, err = r.Contents.Entomb(ctx, c, r.Now())

			return err
		})
		if err != nil {
			return err
		}
	}

	return r.Contents.Clear(ctx, c, r.Elsewhere)
}

// Service shows what is due, and has it taken away when the same person says so.
type Service struct {
	Store    Store
	Remover  *Remover
	NewToken func() string // that nobody can guess
}

// Shown is a preview with its token.
type Shown struct {
	Preview
	Token      string // "" when nothing is due
	Due        []cases.Case
	More       bool
	Held, Soon int
}

// Show lists what is due in a tenant. That somebody asked is on record.
func (d *Service) Show(ctx context.Context, tenant string, by audit.Actor) (Shown, error) {
	now := d.Remover.Now()
	// One more tells whether there are others.
	due, err := d.Store.DueIn(ctx, tenant, now, Most+1)
	if err != nil {
		return Shown{}, err
	}
	s := Shown{
		Preview: Preview{Tenant: tenant, UserID: by.UserID, ExpiresAt: instant.Of(now.Add(TokenTime))},
		More:    len(due) > Most,
	}

	s.Due = due[:min(len(due), Most)]
	for _, c := range s.Due {
		s.CaseIDs = append(s.CaseIDs, c.ID)
	}
	if s.Held, err = d.Store.Held(ctx, tenant); err != nil {
		return Shown{}, err
	}
	if s.Soon, err = d.Store.DueBetween(ctx, tenant, now, now.Add(Ahead)); err != nil {
		return Shown{}, err
	}
	if len(s.Due) > 0 {
		s.Token = d.NewToken()
		// Whoever reads the database must not be able to delete cases, so it holds a digest of the token.
		s.Key = keyOf(s.Token)
	}
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "retention.preview", ResourceType: "tenant"}

	return s, audit.Do(ctx, d.Remover.Journal, entry, func() error {
		if s.Token == "" {
			return nil
		}

		return d.Store.Save(ctx, s.Preview)
	})
}

// Outcome is what became of the cases of a preview.
type Outcome struct{ Removed, NoLonger, Left, Previewed int }

// Run takes away the cases of a preview that are still due, and no others, for some seconds; it may be asked for again
// until nothing is left. ErrToken: the token is not good for this person.
func (d *Service) Run(ctx context.Context, tenant string, by audit.Actor, token string) (Outcome, error) {
	began := d.Remover.Now()
	p, err := d.Store.Preview(ctx, tenant, keyOf(token))
	if errors.Is(err, errs.ErrNotFound) || err == nil && (p.UserID != by.UserID || !began.Before(p.ExpiresAt)) {
		return Outcome{}, ErrToken
	}
	if err != nil {
		return Outcome{}, err
	}
	// The store lists those first that are due longest, so what came due since the preview stands behind it.
	due, err := d.Store.DueIn(ctx, tenant, began, 2*Most)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Previewed: len(p.CaseIDs)}
	asked := slices.DeleteFunc(due, func(c cases.Case) bool { return !slices.Contains(p.CaseIDs, c.ID) })
	o.NoLonger = o.Previewed - len(asked)
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "retention.run", ResourceType: "tenant"}

	return o, audit.Do(ctx, d.Remover.Journal, entry, func() error {
		for i, c := range asked {
			// The first case is always taken, so that each call gets further however slow the store is.
			if i > 0 && d.Remover.Now().Sub(began) > roundTime {
				o.Left = len(asked) - i
				return nil
			}

			switch err := d.Remover.Remove(ctx, by, c); {
			case errors.Is(err, cases.ErrBusy):
				o.NoLonger++
			case err != nil:
				return err
			default:
				o.Removed++
			}
		}

		return nil
	})
}

func keyOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
