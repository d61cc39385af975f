package phases_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// fuse burns at a chosen step of a story: before the step is done, or after, when only its answer is lost.
type fuse struct {
	mu          sync.Mutex
	step, burns int
	after       bool
}

func (f *fuse) run(do func() error) error {
	f.mu.Lock()
	f.step++
	burn := f.step == f.burns
	f.mu.Unlock()
	if burn && !f.after {
		return errs.ErrUnavailable
	}
	err := do()
	if burn {
		return errs.ErrUnavailable
	}
	return err
}

type frailRecords struct {
	phases.Records
	*fuse
}

func (r frailRecords) Insert(ctx context.Context, p phases.Phase) error {
	return r.run(func() error { return r.Records.Insert(ctx, p) })
}

func (r frailRecords) Replace(ctx context.Context, p phases.Phase) error {
	return r.run(func() error { return r.Records.Replace(ctx, p) })
}

type frailTree struct {
	phases.Tree
	*fuse
}

func (r frailTree) EnsureRoot(ctx context.Context, tenant cases.TenantID, kind, id string, by cases.Actor, at time.Time) error {
	return r.run(func() error { return r.Tree.EnsureRoot(ctx, tenant, kind, id, by, at) })
}

func (r frailTree) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	return r.run(func() error { return r.Tree.ReplaceBranch(ctx, b) })
}

type frailClaims struct {
	phases.Claims
	*fuse
}

func (r frailClaims) Claim(ctx context.Context, c phases.Claim) (held phases.Claim, err error) {
	err = r.run(func() error { held, err = r.Claims.Claim(ctx, c); return err })
	return held, err
}

func (r frailClaims) Release(ctx context.Context, tenant cases.TenantID, branch, phase string) error {
	return r.run(func() error { return r.Claims.Release(ctx, tenant, branch, phase) })
}

type frailJournal struct {
	cases.Journal
	*fuse
}

func (r frailJournal) Record(ctx context.Context, d cases.Deed) error {
	return r.run(func() error { return r.Journal.Record(ctx, d) })
}

// Wherever a write is lost, repeating the requests leads to the same state: two ended phases in one chain, and a free branch.
func TestRepetitionHealsALossAtEachStep(t *testing.T) {
	db := testkit.Mongo(t)
	plain := newDesk(t, db)
	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			f := &fuse{burns: step, after: after}
			d := &desk{journal: plain.journal, cases: plain.cases, now: noon}
			ledger := *plain.Ledger
			ledger.Records, ledger.Tree = frailRecords{ledger.Records, f}, frailTree{ledger.Tree, f}
			ledger.Claims, ledger.Journal = frailClaims{ledger.Claims, f}, frailJournal{ledger.Journal, f}
			ledger.Now = func() time.Time { return d.now }
			d.Ledger = &ledger
			c := d.newCase(t, nil)
			first, second := request(c), request(c)
			story(t, d, first)
			story(t, d, second)
			checkStory(t, plain, c, fmt.Sprintf("step %d, after %t", step, after), first.PhaseID, second.PhaseID)
			if f.step < step {
				if step < 10 {
					t.Errorf("the story has only %d steps", f.step)
				}
				break
			}
		}
	}
}

// story has a phase run and end, repeating what fails as a caller would.
func story(t *testing.T, d *desk, b phases.Begin) {
	t.Helper()
	var attempt int
	for try := 0; ; try++ {
		if try > 5 {
			t.Fatal("the phase never runs")
		}
		begun, err := d.Begin(t.Context(), firm, ann, b)
		if err == nil && begun.Run {
			attempt = begun.Phase.Attempt
			break
		}
		if err == nil { // stored by a call whose answer was lost: nobody runs it, which the resumer finds out
			if _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, begun.Phase.Attempt); err != nil && !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("Interrupt: %v", err)
			}
		} else if !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("Begin: %v", err)
		}
		d.advance(phases.ClaimLease)
	}
	for try := 0; ; try++ {
		_, err := d.End(t.Context(), firm, ann, b.PhaseID, completed(attempt))
		if err == nil {
			return
		}
		if !errors.Is(err, errs.ErrUnavailable) || try > 5 {
			t.Fatalf("End: %v", err)
		}
	}
}

func checkStory(t *testing.T, d *desk, c cases.Case, name, first, second string) {
	t.Helper()
	one, err := d.Records.Get(t.Context(), firm, first)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	two, err := d.Records.Get(t.Context(), firm, second)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if one.Sequence != 1 || two.Sequence != 2 || two.ParentID != one.ID || two.PrevHash != one.Hash || two.Hash != two.ChainHash() || one.Hash != one.ChainHash() {
		t.Errorf("%s: phases do not follow: %+v\n%+v", name, one, two)
	}
	b, err := d.Tree.Branch(t.Context(), firm, c.ActiveBranchID)
	if err != nil || b.HeadPhaseID != second || b.HeadSequence != 2 {
		t.Errorf("%s: branch = %+v, %v", name, b, err)
	}
	if held, err := d.Claims.Claim(t.Context(), phases.Claim{BranchID: c.ActiveBranchID, Tenant: firm, Version: 1, PhaseID: "next"}); err != nil {
		t.Errorf("%s: the branch is still claimed by %s: %v", name, held.PhaseID, err)
	}
}
