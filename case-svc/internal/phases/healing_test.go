package phases_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type frailRecords struct {
	phases.Records
	*testkit.Fuse
}

func (r frailRecords) Insert(ctx context.Context, p phases.Phase) error {
	return r.Run(func() error { return r.Records.Insert(ctx, p) })
}

func (r frailRecords) Replace(ctx context.Context, p phases.Phase) error {
	return r.Run(func() error { return r.Records.Replace(ctx, p) })
}

type frailTree struct {
	phases.BranchStore
	*testkit.Fuse
}

func (r frailTree) EnsureRoot(ctx context.Context, tenant string, kind, id string, by audit.Actor, at time.Time) error {
	return r.Run(func() error { return r.BranchStore.EnsureRoot(ctx, tenant, kind, id, by, at) })
}

func (r frailTree) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	return r.Run(func() error { return r.BranchStore.ReplaceBranch(ctx, b) })
}

type frailClaims struct {
	phases.Claims
	*testkit.Fuse
}

func (r frailClaims) Claim(ctx context.Context, c phases.Claim) (held phases.Claim, err error) {
	err = r.Run(func() error { held, err = r.Claims.Claim(ctx, c); return err })
	return held, err
}

func (r frailClaims) Release(ctx context.Context, tenant string, branch, phase string) error {
	return r.Run(func() error { return r.Claims.Release(ctx, tenant, branch, phase) })
}

type frailJournal struct {
	audit.Log
	*testkit.Fuse
}

func (r frailJournal) Record(ctx context.Context, d audit.Entry) error {
	return r.Run(func() error { return r.Log.Record(ctx, d) })
}

// Wherever a write is lost, repeating the requests leads to the same state: two ended phases in one chain, and a free branch.
func TestRepetitionHealsALossAtEachStep(t *testing.T) {
	t.Parallel()
	db := stores.Mongo(t)
	plain := newDesk(t, db)

	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			f := &testkit.Fuse{Burns: step, After: after}
			d := &desk{journal: plain.journal, cases: plain.cases, now: noon}
			ledger := *plain.Service
			ledger.Records, ledger.Branches = frailRecords{ledger.Records, f}, frailTree{ledger.Branches, f}
			ledger.Claims, ledger.Journal = frailClaims{ledger.Claims, f}, frailJournal{ledger.Journal, f}
			ledger.Now = func() time.Time { return d.now }
			ledger.Joint = nil // what one trip leaves half done is what the first of these steps leave
			d.Service = &ledger
			c := d.newCase(t, nil)
			first, second := request(c), request(c)
			story(t, d, first)
			story(t, d, second)
			checkStory(t, plain, c, fmt.Sprintf("step %d, after %t", step, after), first.PhaseID, second.PhaseID)
			if f.Steps() < step {
				if step < 10 {
					t.Errorf("the story has only %d steps", f.Steps())
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
			_, _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, begun.Phase.Attempt)
			if err != nil && !errors.Is(err, errs.ErrUnavailable) {
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
	b, err := d.Branches.Branch(t.Context(), firm, c.ActiveBranchID)
	if err != nil || b.HeadPhaseID != second || b.HeadSequence != 2 {
		t.Errorf("%s: branch = %+v, %v", name, b, err)
	}
	if held, err := d.Claims.Claim(t.Context(), phases.Claim{BranchID: c.ActiveBranchID, Tenant: firm, Version: 1, PhaseID: "next"}); err != nil {
		t.Errorf("%s: the branch is still claimed by %s: %v", name, held.PhaseID, err)
	}
}

// ending is a tree whose case is closed at the very moment when a branch comes to it.
type ending struct {
	phases.BranchStore
	end func()
}

func (r ending) InsertBranch(ctx context.Context, b phases.Branch) error {
	r.end()
	return r.BranchStore.InsertBranch(ctx, b)
}

func TestAForkOfACaseThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	c := d.newCase(t, nil)
	box, err := d.Container(t.Context(), firm, phases.CaseContainer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	status := func(to string) {
		if _, err := d.cases.Update(t.Context(), firm, c.ID, func(c *cases.Case) error { c.Status = to; return nil }); err != nil {
			t.Error(err)
		}
	}
	fork := func() (phases.Branch, error) {
		return d.Fork(t.Context(), ann, box, phases.Fork{ID: uuid.NewString()})
	}
	if _, err := fork(); err != nil {
		t.Fatal(err)
	}
	plain := d.Branches
	d.Branches = ending{plain, func() { status(cases.Closed) }}
	if _, err := fork(); !errors.Is(err, cases.ErrOver) {
		t.Errorf("Fork = %v, want %v", err, cases.ErrOver)
	}
	if n := d.count(t); n != 2 {
		t.Errorf("the timeline has %d branches, want the root and one more", n)
	}
	// One that is undone must leave room for the next, also when others came after it.
	d.Branches = ending{plain, func() {}}
	status(cases.Intake)
	if _, err := fork(); err != nil {
		t.Errorf("Fork of the case that was reopened: %v", err)
	}
	second, err := plain.Branches(t.Context(), firm, c.TimelineID)
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.RemoveBranch(t.Context(), second[1]); err != nil {
		t.Fatal(err)
	}
	if b, err := fork(); err != nil || b.Number != 4 {
		t.Errorf("Fork over a gap = number %d, %v, want 4", b.Number, err)
	}
}

// count counts the branches that are stored.
func (d *desk) count(t *testing.T) int {
	t.Helper()
	n, err := d.db.Collection("branches").CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}

	return int(n)
}
