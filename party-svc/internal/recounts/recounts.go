// Package recounts makes sure that case-svc takes a case's counts and conflict status anew after every change that
// bears on them, also when case-svc was away, or this process died, between the change and the call.
package recounts

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Notice says that a case is to be counted again. It is stored before the change that it is about, so that no change is
// without one; its version rises with each change, so that only who has told of the last one takes it away.
type Notice struct {
	Tenant  string
	CaseID  string
	Version int64
	DueAt   time.Time // when the sweep takes it on
	Tries   int
}

// Store keeps notices, one for each case.
type Store interface {
	// Put saves a notice for a case, or the next version of the one that is there.
	Put(ctx context.Context, tenant, caseID string, due time.Time) (Notice, error)
	// Clear takes the notice away if it still has its version.
	Clear(ctx context.Context, n Notice) error
	// Later has the sweep try again at n.DueAt, unless the notice was changed meanwhile.
	Later(ctx context.Context, n Notice) error
	// Due returns up to most notices of all tenants whose time has come, the longest due first.
	Due(ctx context.Context, now time.Time, most int) ([]Notice, error)
}

// Service tells case-svc of changes.
type Service struct {
	Store Store
	// Tell has case-svc count a case of the tenant again. errs.ErrNotFound: the case is deleted or purged, and its
	// counts do not matter.
	Tell func(ctx context.Context, tenant, caseID string) error
	Now  func() time.Time
	Log  *slog.Logger
}

const (
	grace     = 15 * time.Second // longer than a request: until then its own process tells
	tellTime  = 3 * time.Second
	tellNow   = 4         // cases told within the request; the sweep tells the rest
	lastRetry = time.Hour // between two tries
)

// Announce stores a notice for each case before it is changed, the changed case first.
func (d *Service) Announce(ctx context.Context, tenant string, caseIDs ...string) ([]Notice, error) {
	var all []Notice

	for i, id := range caseIDs {
		// The sweep leaves the first ones to the request that makes the change, and takes the others at once.
		due := d.Now().Add(grace)
		if i >= tellNow {
			due = d.Now()
		}
		n, err := d.Store.Put(ctx, tenant, id, due)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}

	return all, nil
}

// Changed tells of the changes that were announced, after they were made. It never fails: what cannot be told now the
// sweep tells.
func (d *Service) Changed(ctx context.Context, notices []Notice) {
	// The change is done: a caller who hangs up must not keep case-svc from hearing of it, nor may a slow case-svc hold
	// the answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
	defer cancel()

	for _, n := range notices[:min(len(notices), tellNow)] {
		if err := d.settle(ctx, n); err != nil {
			// When one cannot be told the others could not either. The notices stay, and the sweep takes them on.
			d.Log.WarnContext(ctx, "a case is to be counted again later", "err", err)
			return
		}
	}
}

// settle tells of one change and takes its notice away.
func (d *Service) settle(ctx context.Context, n Notice) error {
	if err := d.Tell(ctx, n.Tenant, n.CaseID); err != nil && !errors.Is(err, errs.ErrNotFound) {
		return err
	}

	return d.Store.Clear(ctx, n)
}

// Sweep tells of up to most changes whose requests did not come to it. A case that cannot be told of is tried again
// after 1 s, 2 s, 4 s and so on, up to an hour.
func (d *Service) Sweep(ctx context.Context, most int) error {
	due, err := d.Store.Due(ctx, d.Now(), most)
	if err != nil {
		return err
	}
	var all error

	for _, n := range due {
		err := d.settle(ctx, n)
		if err == nil {
			continue
		}
		all = err
		// The shift is capped, or a count of tries that grew for days would overflow it.
		n.DueAt = d.Now().Add(min(lastRetry, time.Second<<min(n.Tries, 20)))
		n.Tries++
		if err := d.Store.Later(ctx, n); err != nil {
			return err
		}
	}

	return all
}
