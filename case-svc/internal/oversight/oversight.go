// Package oversight counts what a tenant has and had done, for who runs it, and finds what a caller was refused. It
// sees ids, states, times and sizes, never what a case says.
package oversight

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Limits of what is counted and listed.
const (
	Most     = 10_000              // of a count
	Period   = 30 * 24 * time.Hour // in which phases are counted
	Page     = 50                  // reviews
	Searched = 1000                // events of the record that are looked through for refusals
	Refusals = 10
)

// Store counts and lists by indexes. Counts stop at most.
type Store interface {
	// Cases counts the cases of a status that are not deleted.
	Cases(ctx context.Context, tenant, status string, most int) (int, error)
	// Deleted counts the cases that are deleted and not purged.
	Deleted(ctx context.Context, tenant string, most int) (int, error)
	// Files counts the active files, the largest first, and their bytes.
	Files(ctx context.Context, tenant string, most int) (n int, bytes int64, err error)
	// Phases counts the phases of a request type with a status that began at a time or later.
	Phases(ctx context.Context, tenant, requestType, status string, since time.Time, most int) (int, error)
	// Waiting lists up to limit phases that wait for a review and come after a place, those waiting longest first,
	// without what is heavy.
	Waiting(ctx context.Context, tenant string, after *cases.Cursor, limit int) ([]phases.Phase, error)
}

// Chain is the tenants' audit record.
type Chain interface {
	// Recent returns up to limit events, the newest first.
	Recent(ctx context.Context, tenant string, limit int) ([]record.Event, error)
}

// Service answers who runs a tenant.
type Service struct {
	Store Store
	Chain Chain
	Now   func() time.Time
}

// Worked counts the phases of a request type with an outcome.
type Worked struct {
	RequestType, Status string
	Count               int
}

// Usage is what a tenant has, and what it had done since a time.
type Usage struct {
	Cases   map[string]int // by status
	Deleted int
	Files   int
	Bytes   int64
	Phases  []Worked
	Since   time.Time
}

// Usage counts: one query for each number, each of which reads at most Most entries of an index.
func (d *Service) Usage(ctx context.Context, tenant string) (Usage, error) {
	u := Usage{Cases: map[string]int{}, Since: instant.Of(d.Now().Add(-Period))}

	var err error
	for _, status := range vocabulary.CaseStatuses.All() {
		if u.Cases[status], err = d.Store.Cases(ctx, tenant, status, Most); err != nil {
			return Usage{}, err
		}
	}
	if u.Deleted, err = d.Store.Deleted(ctx, tenant, Most); err != nil {
		return Usage{}, err
	}
	if u.Files, u.Bytes, err = d.Store.Files(ctx, tenant, Most); err != nil {
		return Usage{}, err
	}

	for _, kind := range vocabulary.RequestTypes.All() {
		for _, status := range vocabulary.PhaseStatuses.All() {
			n, err := d.Store.Phases(ctx, tenant, kind, status, u.Since, Most)
			if err != nil {
				return Usage{}, err
			}
			if n > 0 {
				u.Phases = append(u.Phases, Worked{kind, status, n})
			}
		}
	}

	return u, nil
}

// Refused returns the newest refusals of an actor among the tenant's newest events.
func (d *Service) Refused(ctx context.Context, tenant string, who audit.Actor) ([]record.Event, error) {
	events, err := d.Chain.Recent(ctx, tenant, Searched)
	if err != nil {
		return nil, err
	}

	var own []record.Event
	for _, e := range events {
		if e.Outcome == audit.Refused && e.Actor == record.Acting(who.Kind, who.ID, who.UserID) && len(own) < Refusals {
			own = append(own, e)
		}
	}

	return own, nil
}
