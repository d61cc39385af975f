package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Together is a journal that does other writes in the same trip, as chain.Trail does.
type Together interface {
	audit.Log
	RecordWith(ctx context.Context, d audit.Entry, before, after []mongox.Write) ([]error, error)
}

// Joint implements phases.Joint with one command for writes to several collections, which MongoDB has since 8.0.
type Joint struct {
	claims      *Claims
	records     *Records
	branchStore *BranchStore
	cases       *Cases
	entries     *Entries
	journal     Together
	noted       func(phases.Phase) timeline.Entry
	noCommand   atomic.Bool // the server does not have the command
}

// NewJoint returns the writes in db, which holds the chain of journal as well where it has one. noted is what the
// timeline says of a phase that has ended.
func NewJoint(db *mongo.Database, journal Together, noted func(phases.Phase) timeline.Entry) *Joint {
	return &Joint{
		claims: NewClaims(db), records: NewRecords(db), branchStore: NewBranchStore(db), cases: NewCases(db),
		entries: NewEntries(db), journal: journal, noted: noted,
	}
}

// Open does what begins a phase.
func (s *Joint) Open(ctx context.Context, o phases.Opening) (phases.OpeningStep, error) {
	if s.noCommand.Load() {
		return phases.Any, phases.ErrApart
	}
	ahead := []mongox.Write{s.claims.claims.Inserting(toClaimDoc(o.Claim))}
	if o.Session.ID != "" {
		ahead = append([]mongox.Write{s.claims.sessions.Inserting(toSessionDoc(o.Session))}, ahead...)
	}
	o.Next.Version = o.Seen.Version + 1
	seen := mongox.Version(o.Seen.Version, o.Seen.Tenant, o.Seen.ID)
	d := o.Deed
	d.Outcome = audit.Done

	results, err := s.journal.RecordWith(ctx, d, ahead, []mongox.Write{
		s.records.docs.Inserting(toPhaseDoc(o.Phase)),
		s.cases.docs.Replacing(seen, toCaseDoc(o.Next)),
	})
	if err != nil {
		return phases.Any, s.whole(err)
	}
	if o.Session.ID == "" {
		results = append([]error{nil}, results...)
	}

	return s.stoppedAt(ctx, o, results)
}

// stoppedAt says what became of an opening by the results of its five writes.
func (s *Joint) stoppedAt(
	ctx context.Context, o phases.Opening, results []error,
) (at phases.OpeningStep, err error) {
	at = phases.Opened

	for i, result := range results {
		if result != nil {
			at, err = phases.AtSession+phases.OpeningStep(i), result
			break
		}
	}

	if at == phases.AtPhase && errors.Is(err, errs.ErrTaken) {
		err = s.records.takenBy(ctx, o.Phase)
	}
	if at == phases.AtPhase {
		err = s.failed(ctx, o.Deed, err)
	}

	return at, err
}

// whole makes an error of all writes together one of the domain.
func (s *Joint) whole(err error) error {
	if errors.Is(err, mongox.ErrAlone) {
		s.noCommand.Store(true)
		return phases.ErrApart
	}

	return err
}

// failed records that what an entry says was done has failed by err.
func (s *Joint) failed(ctx context.Context, d audit.Entry, err error) error {
	d.Outcome = audit.Failed
	if second := s.journal.Record(context.WithoutCancel(ctx), d); second != nil {
		return errors.Join(err, fmt.Errorf("record that %s failed: %w", d.Action, second))
	}

	return err
}

// Replace appends an entry and replaces a phase.
func (s *Joint) Replace(ctx context.Context, d audit.Entry, p phases.Phase) error {
	if s.noCommand.Load() {
		return phases.ErrApart
	}
	seen := mongox.Version(p.Version, p.Tenant, p.ID)
	p.Version++
	d.Outcome = audit.Done

	results, err := s.journal.RecordWith(ctx, d, nil, []mongox.Write{s.records.docs.Replacing(seen, toPhaseDoc(p))})
	if err != nil {
		return s.whole(err)
	}
	recorded, replaced := results[0], results[1]

	switch {
	case recorded != nil:
		return fmt.Errorf("record %s: %w", d.Action, recorded)
	case replaced != nil:
		return s.failed(ctx, d, replaced)
	}

	return nil
}

// Follow replaces the branch of a phase that has ended, and notes the end.
func (s *Joint) Follow(ctx context.Context, p phases.Phase, b phases.Branch) (moved, noted error) {
	if s.noCommand.Load() {
		return phases.ErrApart, nil
	}
	seen := mongox.Version(b.Version, b.Tenant, b.ID)
	b.Version++

	results, err := mongox.Together(
		ctx,
		s.branchStore.branches.Replacing(seen, toBranchDoc(b)),
		s.entries.docs.Inserting(toEntryDoc(s.noted(p))),
	)
	if err != nil {
		return s.whole(err), nil
	}
	moved, noted = results[0], results[1]
	if errors.Is(noted, errs.ErrTaken) {
		noted = nil // by whoever was here before
	}

	return moved, noted
}
