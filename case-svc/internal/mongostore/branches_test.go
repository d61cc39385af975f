package mongostore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newBranch(tenant string, timelineID string, number int) phases.Branch {
	return phases.Branch{
		ID: newID(), Tenant: tenant, Version: 1, Number: number, TimelineID: timelineID, ContainerType: "case", ContainerID: newID(), Title: "Branch", Purpose: phases.Alternative,
		CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
	}
}

func TestBranchesGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		branches, timeline := mongostore.NewBranchStore(db), newID()
		bare, full := newBranch("u:ann", timeline, 2), newBranch("u:ann", timeline, 1)
		full.ParentID, full.ForkPhaseID, full.ForkSequence, full.BasePhaseID, full.BaseHash, full.Depth = newID(), newID(), 3, newID(), "aa", 2
		full.Lineage = []phases.Step{{BranchID: newID(), Through: 2, Until: noon}, {BranchID: full.ParentID, Through: 3, Until: noon.Add(time.Millisecond)}}

		full.SharedWith, full.HeadPhaseID, full.HeadSequence, full.HeadHash, full.Archived = []string{newID()}, newID(), 4, "bb", true
		for _, want := range []phases.Branch{bare, full} {
			if err := branches.InsertBranch(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			got, err := branches.Branch(t.Context(), "u:ann", want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Branch: %v (-want +got):\n%s", err, diff)
			}
		}
		list, err := branches.Branches(t.Context(), "u:ann", timeline)
		if diff := cmp.Diff([]phases.Branch{full, bare}, list); err != nil || diff != "" {
			t.Errorf("Branches: %v (-want +got):\n%s", err, diff)
		}
		some, err := branches.BranchesOf(t.Context(), "u:ann", []string{bare.ID, newID(), full.ID})
		byNumber := cmpopts.SortSlices(func(a, b phases.Branch) bool { return a.Number < b.Number })
		if diff := cmp.Diff([]phases.Branch{full, bare}, some, byNumber); err != nil || diff != "" {
			t.Errorf("BranchesOf: %v (-want +got):\n%s", err, diff)
		}

		for _, tenant := range []string{"u:eve", "u:ann/" + "x"} {
			if list, err := branches.Branches(t.Context(), tenant, timeline); err != nil || len(list) != 0 {
				t.Errorf("Branches of %s = %d, %v", tenant, len(list), err)
			}
			if some, err := branches.BranchesOf(t.Context(), tenant, []string{bare.ID}); err != nil || len(some) != 0 {
				t.Errorf("BranchesOf of %s = %d, %v", tenant, len(some), err)
			}
			if n, err := branches.CountBranches(t.Context(), tenant, timeline); err != nil || n != 0 {
				t.Errorf("CountBranches of %s = %d, %v", tenant, n, err)
			}
		}
	})
}

func TestOneOfManyBranchesGetsAnIDAndANumber(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		branches, timeline := mongostore.NewBranchStore(db), newID()
		same := newBranch("u:ann", timeline, 1)
		insert := func(int) error { return branches.InsertBranch(t.Context(), same) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts of one id succeeded, want 1", won)
		}
		won := testkit.Race(t, racers, func(int) error {
			return branches.InsertBranch(t.Context(), newBranch("u:ann", timeline, 2))
		}, phases.ErrNumber)
		if won != 1 {
			t.Errorf("%d inserts of one number succeeded, want 1", won)
		}
		if n, err := branches.CountBranches(t.Context(), "u:ann", timeline); err != nil || n != 2 {
			t.Errorf("CountBranches = %d, %v, want 2", n, err)
		}
		if err := branches.InsertBranch(t.Context(), newBranch("u:eve", timeline, 1)); err != nil {
			t.Errorf("the same number in another tenant: %v", err)
		}
	})
}

func TestTimelinesOfAnotherTenantAreNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		branches, id := mongostore.NewBranchStore(db), newID()
		if err := branches.EnsureRoot(t.Context(), "u:ann", "sales", id, ann, noon); err != nil {
			t.Fatal(err)
		}
		timeline := cases.TimelineOf(id)
		got, err := branches.Timeline(t.Context(), "u:ann", timeline)
		want := phases.Timeline{
			ID: timeline, Tenant: "u:ann", Version: 1, ContainerType: "sales", ContainerID: id, RootBranchID: cases.RootBranchOf(timeline), CreatedAt: noon, UpdatedAt: noon,
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Timeline: %v (-want +got):\n%s", err, diff)
		}

		for _, id := range []string{timeline, "x"} {
			if _, err := branches.Timeline(t.Context(), "u:eve", id); !errors.Is(err, phases.ErrNotFound) {
				t.Errorf("Timeline(%q) of another tenant = %v", id, err)
			}
		}
	})
}

func TestDeclaredIndexesServeTheTreeOfWork(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{Name: "CountBranches", Collection: "branches", Equal: []string{"tenant", "timelineId"}},
		stores.Query{
			Name:       "Branches",
			Collection: "branches",
			Equal:      []string{"tenant", "timelineId"},
			Sort:       []string{"number"},
		},
		stores.Query{Name: "BranchesOf", Collection: "branches", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "OpenIn",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId", "open"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "Along",
			Collection: "phases",
			Equal:      []string{"tenant", "branchId"},
			Sort:       []string{"sequence"},
			Range:      []string{"sequence"},
			Residual:   []string{"status", "requestType", "reviewStatus", "createdAt"},
		},
		stores.Query{
			Name:       "Among",
			Collection: "phases",
			Equal:      []string{"tenant", "branchId"},
			Sort:       []string{"sequence"},
			Range:      []string{"sequence"},
		},
		stores.Query{
			Name:       "OfUser",
			Collection: "phases",
			Equal:      []string{"tenant", "createdBy.userId"},
			Sort:       []string{"-createdAt", "-id"},
			Range:      []string{"createdAt"},
			Residual:   []string{"status", "containerType"},
		},
		stores.Query{
			Name:       "Waiting",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId", "reviewStatus"},
			Sort:       []string{"createdAt", "id"},
		},
		stores.Query{
			Name:       "Living",
			Collection: "cases",
			Equal:      []string{"_id", "tenant"},
			Residual:   []string{"deleted"},
		},
	)
}
