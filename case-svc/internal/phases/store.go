package phases

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// What a store says when an insert met another unique value than its id.
var (
	ErrSequence = errors.New("the branch has a phase with this number")
	ErrNumber   = errors.New("the timeline has a branch with this number")
)

// Records keeps phases. Another tenant's phase is ErrNotFound.
type Records interface {
	// Insert saves a new phase. errs.ErrTaken: the tenant has a phase of this id. ErrSequence: the branch has one of
	// this number; that is the fence which keeps a branch to one line whatever happens to its claim.
	Insert(ctx context.Context, p Phase) error
	Get(ctx context.Context, tenant string, id string) (Phase, error)
	// Under returns the phases that have an id under some of tenants, without what is heavy.
	Under(ctx context.Context, tenants []string, id string) ([]Phase, error)
	// Numbered returns the phase with that number on a branch, or ErrNotFound.
	Numbered(ctx context.Context, tenant string, branchID string, sequence int) (Phase, error)
	// Replace saves p, with the next version, over the stored phase of the version of p, or returns errs.ErrTaken.
	Replace(ctx context.Context, p Phase) error
	// Along returns up to limit phases of a span of a branch, in the order of their numbers or against it.
	Along(ctx context.Context, tenant string, s Span, f Filter, limit int) ([]Phase, error)
	// Among returns the phases of all the spans, which are short, in no order and without what is heavy.
	Among(ctx context.Context, tenant string, spans []Span) ([]Phase, error)
	// OfUser returns up to limit phases that a user or an agent of the user began, those newest first that come after a
	// place.
	OfUser(ctx context.Context, tenant string, userID string, f Filter, after *cases.Cursor, limit int) ([]Phase, error)
	// Waiting returns up to limit phases of a container that wait for a person's review, the oldest first and without
	// what is heavy.
	Waiting(ctx context.Context, tenant string, containerID string, limit int) ([]Phase, error)
	// Living returns those of the cases that are there and not deleted.
	Living(ctx context.Context, tenant string, caseIDs []string) (map[string]bool, error)
	// OpenIn returns the open phases of a container, in short: at most one of each branch.
	OpenIn(ctx context.Context, tenant string, containerID string) ([]Phase, error)
	// Open lists open phases of all tenants that have their status since before a time, those longest in it first, from
	// beyond a place on, without their prompts.
	Open(ctx context.Context, before time.Time, after *cases.Cursor, limit int) ([]Phase, error)
	// Queue returns up to limit phases that wait for a branch, in the order of their arrival, without their prompts.
	Queue(ctx context.Context, tenant, branchID string, limit int) ([]Phase, error)
	// LastInLine returns the lowest number of a phase on a branch that waits for it or waited in vain, 0 when there is
	// none.
	LastInLine(ctx context.Context, tenant, branchID string) (int, error)
	// Forgotten lists phases of all tenants that wait and that nobody asked for since before a time.
	Forgotten(ctx context.Context, before time.Time, limit int) ([]Phase, error)
	// Remove deletes a phase that waits, of the version of p; it is no error when it is not there or another.
	Remove(ctx context.Context, p Phase) error
}

// BranchStore keeps containers, timelines and branches. Another tenant's are ErrNotFound.
type BranchStore interface {
	cases.Roots
	// InsertContainer saves a new container that is no case, or returns errs.ErrTaken.
	InsertContainer(ctx context.Context, c Container) error
	// ReplaceContainer saves c, with the next version, over the stored container of the version of c, or returns
	// errs.ErrTaken.
	ReplaceContainer(ctx context.Context, c Container) error
	// Container returns a container that is no case.
	Container(ctx context.Context, tenant string, id string) (Container, error)
	Branch(ctx context.Context, tenant string, id string) (Branch, error)
	// Timeline returns a timeline.
	Timeline(ctx context.Context, tenant string, id string) (Timeline, error)
	// InsertBranch saves a new branch. errs.ErrTaken: the tenant has a branch of this id. ErrNumber: the timeline has
	// one of this number.
	InsertBranch(ctx context.Context, b Branch) error
	// RemoveBranch deletes a branch that nothing hangs on; it is no error when it is gone.
	RemoveBranch(ctx context.Context, b Branch) error
	// CountBranches counts the branches of a timeline.
	CountBranches(ctx context.Context, tenant string, timelineID string) (int, error)
	// Branches returns all branches of a timeline, at most MaxBranches, in order of their numbers.
	Branches(ctx context.Context, tenant string, timelineID string) ([]Branch, error)
	// BranchesOf returns those of the branches that are there, in no order.
	BranchesOf(ctx context.Context, tenant string, ids []string) ([]Branch, error)
	// ReplaceBranch saves b, with the next version, over the stored branch of the version of b, or returns
	// errs.ErrTaken.
	ReplaceBranch(ctx context.Context, b Branch) error
}

// Claims keeps who has a branch, and which user a session belongs to. The insert decides.
type Claims interface {
	// Claim saves c. If the branch is claimed already it returns the claim that is there and errs.ErrTaken.
	Claim(ctx context.Context, c Claim) (Claim, error)
	// TakeOver saves c, with the next version, over the stored claim of the version of c, or returns errs.ErrTaken.
	TakeOver(ctx context.Context, c Claim) error
	// Release removes the claim that phaseID has on a branch; it is no error when it has none.
	Release(ctx context.Context, tenant string, branchID, phaseID string) error
	// Holder returns the claim on a branch, or ErrNotFound.
	Holder(ctx context.Context, tenant, branchID string) (Claim, error)
	// Bind returns the session with the user it belongs to, which is s.UserID if nobody used it before.
	Bind(ctx context.Context, s Session) (Session, error)
	// Session returns a session that somebody has used before, or ErrNotFound.
	Session(ctx context.Context, tenant, id string) (Session, error)
}

// Files tells whether files belong to a case.
type Files interface {
	// Has reports whether the case has all of these as active files.
	Has(ctx context.Context, tenant string, caseID string, fileIDs []string) (bool, error)
}
