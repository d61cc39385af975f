package casesvc

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/retention"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
)

// sweepPage is what one round of the sweep takes on of each sort.
const sweepPage = 100

// sweeper clears up what is over: answers that nobody needs, uploads that came to nothing, checks by rules of
// yesterday, and cases whose time to be restored has passed.
type sweeper struct {
	line     *phases.LineSweep
	tasks    *tasks.Service
	intake   *files.Intake
	stored   stored
	agreed   files.Confirmed
	shredder *mongostore.Shredder
	intents  *idempotency.Intents
	remover  *retention.Remover
	ledger   retention.Store
	timeline *timeline.Service
	keeper   *keeper
	now      func() time.Time
	every    time.Duration
	receipts string // where the round of receipts goes on
	sealed   string // where the round of sealed files goes on
	unlisted bool   // that round is over
	log      *slog.Logger
}

// stored finds files that the sweep has work with.
type stored interface {
	files.Outdated
	files.Unrendered
	files.SealedFiles
}

// unlist goes on with the one round over sealed files that a process makes.
func (s *sweeper) unlist(ctx context.Context) error {
	if s.unlisted {
		return nil
	}
	next, err := s.intake.Unlist(ctx, s.stored, s.sealed, sweepPage)
	// A round that failed goes on from where it stopped, and is over only when it came to the end.
	s.sealed, s.unlisted = next, err == nil && next == ""

	return err
}

// reclaim goes on with the round over the receipts of originals.
func (s *sweeper) reclaim(ctx context.Context) error {
	next, err := s.intake.Reclaim(ctx, s.receipts, sweepPage)
	s.receipts = next

	return err
}

func (s *sweeper) render(ctx context.Context) error {
	_, err := s.intake.RenderStored(ctx, s.stored, sweepPage)
	return err
}

// lineSweeps is how many times the lines are swept for each sweep of the rest: every five seconds by default, and never
// more than once in leastLineSweep. Until then a new request waits behind those whose process has died.
const (
	lineSweeps     = 12
	leastLineSweep = time.Second
)

// lineEvery is the time between two sweeps of the lines.
func (s *sweeper) lineEvery() time.Duration { return max(s.every/lineSweeps, leastLineSweep) }

// sweepLine lets go of who waits for a branch no more.
func (s *sweeper) sweepLine(ctx context.Context) error { return s.line.Sweep(ctx, sweepPage) }

func (s *sweeper) sweep(ctx context.Context) error {
	// Each step is done whatever became of those before it: one that keeps failing must not stop the others for good.
	return errors.Join(
		s.tasks.Forget(ctx, sweepPage),
		s.reclaim(ctx),
		s.render(ctx),
		s.unlist(ctx),
		s.intake.RemoveOriginals(ctx, s.shredder, s.agreed, sweepPage),
		s.intents.Expire(ctx, s.now(), sweepPage),
		s.intake.Tidy(ctx, sweepPage),
		s.intake.Shred(ctx, s.shredder, sweepPage),
		s.timeline.Sweep(ctx, sweepPage),
		s.intake.Recheck(ctx, s.stored, sweepPage),
		s.remover.Sweep(ctx, sweepPage),
		s.ledger.Forget(ctx, s.now(), sweepPage),
		s.keeper.archive(ctx, s.now()),
	)
}

// closedCases finds what may be archived.
type closedCases interface {
	ClosedBy(ctx context.Context, tenant string, day string, limit int) ([]cases.Case, error)
}

// keeper archives closed cases of tenants that want it after some time.
type keeper struct {
	Cases    *cases.Service
	Closed   closedCases
	Settings settings.Store

	after string // where the round of tenants goes on
}

// archive takes on the next tenants of the round, and of each the cases closed longest.
func (k *keeper) archive(ctx context.Context, now time.Time) error {
	tenants, err := k.Settings.Archiving(ctx, k.after, sweepPage)
	if err != nil {
		return err
	}
	// A page that is not full was the last, and the next round begins with the first tenant again.
	k.after = ""
	if len(tenants) == sweepPage {
		k.after = tenants[len(tenants)-1].Tenant
	}
	var all error

	for _, t := range tenants {
		day := cases.Day(now.AddDate(0, 0, -t.ArchiveAfterDays))
		due, err := k.Closed.ClosedBy(ctx, t.Tenant, day, sweepPage)

		all = errors.Join(all, err)
		for _, c := range due {
			if err := k.Cases.Archive(ctx, c.Tenant, c.ID, day); err != nil && !errors.Is(err, cases.ErrNotFound) {
				all = errors.Join(all, err)
			}
		}
	}

	return all
}
