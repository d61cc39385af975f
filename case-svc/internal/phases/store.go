package phases

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// What a store says when an insert lost, or a replacement met another version.
var (
	ErrTaken    = errors.New("taken by another")
	ErrSequence = errors.New("the branch has a phase with this number")
)

// Records keeps phases. Another tenant's phase is ErrNotFound.
type Records interface {
	// Insert saves a new phase. ErrTaken: the tenant has a phase of this id. ErrSequence: the branch has one of this number;
	// that is the fence which keeps a branch to one line whatever happens to its claim.
	Insert(ctx context.Context, p Phase) error
	Get(ctx context.Context, tenant cases.TenantID, id string) (Phase, error)
	// Numbered returns the phase with that number on a branch, or ErrNotFound.
	Numbered(ctx context.Context, tenant cases.TenantID, branchID string, sequence int) (Phase, error)
	// Replace saves p, with the next version, over the stored phase of the version of p, or returns ErrTaken.
	Replace(ctx context.Context, p Phase) error
	// Open lists open phases of all tenants, those longest in their status first, without their prompts.
	Open(ctx context.Context, limit int) ([]Phase, error)
}

// Tree keeps containers, timelines and branches. Another tenant's are ErrNotFound.
type Tree interface {
	cases.Roots
	// InsertContainer saves a new container that is no case, or returns ErrTaken.
	InsertContainer(ctx context.Context, c Container) error
	// Container returns a container that is no case.
	Container(ctx context.Context, tenant cases.TenantID, id string) (Container, error)
	Branch(ctx context.Context, tenant cases.TenantID, id string) (Branch, error)
	// ReplaceBranch saves b, with the next version, over the stored branch of the version of b, or returns ErrTaken.
	ReplaceBranch(ctx context.Context, b Branch) error
}

// Claims keeps who has a branch, and which user a session belongs to. The insert decides.
type Claims interface {
	// Claim saves c. If the branch is claimed already it returns the claim that is there and ErrTaken.
	Claim(ctx context.Context, c Claim) (Claim, error)
	// TakeOver saves c, with the next version, over the stored claim of the version of c, or returns ErrTaken.
	TakeOver(ctx context.Context, c Claim) error
	// Release removes the claim that phaseID has on a branch; it is no error when it has none.
	Release(ctx context.Context, tenant cases.TenantID, branchID, phaseID string) error
	// Bind returns the session with the user it belongs to, which is s.UserID if nobody used it before.
	Bind(ctx context.Context, s Session) (Session, error)
}

// Files tells whether files belong to a case.
type Files interface {
	// Has reports whether the case has all of these as active files.
	Has(ctx context.Context, tenant cases.TenantID, caseID string, fileIDs []string) (bool, error)
}
