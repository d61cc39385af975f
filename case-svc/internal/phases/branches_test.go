package phases_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// busyTree has something happen right before a branch is replaced.
type busyTree struct {
	phases.BranchStore
	happens func()
}

func (s busyTree) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	s.happens()
	return s.BranchStore.ReplaceBranch(ctx, b)
}

// busyBranches has something happen right after a branch was looked at.
type busyBranches struct {
	cases.Branches
	happens func()
}

func (s busyBranches) OnTimeline(ctx context.Context, tenant, timelineID, branchID string) (there, archived bool, err error) {
	defer s.happens()
	return s.Branches.OnTimeline(ctx, tenant, timelineID, branchID)
}

// adopting asks cases to make a branch the active one of c.
func adopting(ctx context.Context, s *cases.Service, c cases.Case, branchID string) error {
	_, err := s.Change(ctx, c.Tenant, ann, c.ID, nil, cases.Edit{
		Fields: []cases.Field{cases.FieldActiveBranchID},
		Merge: func(d cases.Draft) (cases.Draft, error) {
			d.ActiveBranchID = &branchID
			return d, nil
		},
	})

	return err
}

// However the archiving of a branch and its adoption fall together, one of them is refused: a case never has an archived branch for its active one.
func TestABranchIsArchivedWhileItIsAdopted(t *testing.T) {
	t.Parallel()

	db := stores.Mongo(t)
	for name, archivedFirst := range map[string]bool{"it is archived while it is adopted": true, "it is adopted while it is archived": false} {
		t.Run(name, func(t *testing.T) {
			d, branches := newDesk(t, db), mongostore.NewBranchStore(db)
			c := d.newCase(t, nil)
			box, err := d.Container(t.Context(), firm, phases.CaseContainer, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			b, err := d.Fork(t.Context(), ann, box, phases.Fork{ID: uuid.NewString()})
			if err != nil {
				t.Fatal(err)
			}
			service := &cases.Service{
				Store: d.cases, Branches: branches, Journal: d.journal, Gate: guard.New(), Now: d.Now,
			}
			yes := true
			var adopted, archived error
			adopt := func() { adopted = adopting(t.Context(), service, c, b.ID) }
			archive := func() { _, archived = d.Revise(t.Context(), ann, box, b.ID, nil, phases.Revision{Archived: &yes}) }
			if archivedFirst {
				service.Branches = busyBranches{branches, sync.OnceFunc(archive)}
				adopt()
			} else {
				d.Branches = busyTree{branches, sync.OnceFunc(adopt)}
				archive()
			}
			kase, err := d.cases.Get(t.Context(), firm, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if b, err = branches.Branch(t.Context(), firm, b.ID); err != nil {
				t.Fatal(err)
			}
			active, refused, done, want := kase.ActiveBranchID == b.ID, archived, adopted, error(phases.ErrTransition)
			if archivedFirst {
				refused, done, want = adopted, archived, cases.ErrArchived
			}
			if active == archivedFirst || b.Archived != archivedFirst || done != nil || !errors.Is(refused, want) {
				t.Errorf("active %t, archived %t, adoption: %v, archiving: %v", active, b.Archived, adopted, archived)
			}
			if busy, err := d.Begin(t.Context(), firm, ann, request(c)); err != nil || !busy.Run {
				t.Errorf("a phase of the case = %+v, %v, want it to run", busy, err)
			}
		})
	}
}
