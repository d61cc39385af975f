package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type claimDoc struct {
	Key      string    `bson:"_id"` // tenant/branch
	Tenant   string    `bson:"tenant"`
	Version  int64     `bson:"version"`
	BranchID string    `bson:"branchId"`
	PhaseID  string    `bson:"phaseId"`
	Since    time.Time `bson:"since"`
}

type sessionDoc struct {
	Key    string    `bson:"_id"` // tenant/session
	Tenant string    `bson:"tenant"`
	ID     string    `bson:"id"`
	UserID string    `bson:"userId"`
	Since  time.Time `bson:"since"`
}

func toClaimDoc(c phases.Claim) claimDoc {
	return claimDoc{mongox.Key(c.Tenant, c.BranchID), c.Tenant, c.Version, c.BranchID, c.PhaseID, c.Since}
}

func toSessionDoc(s phases.Session) sessionDoc {
	return sessionDoc{mongox.Key(s.Tenant, s.ID), s.Tenant, s.ID, s.UserID, s.Since}
}

// Claims implements phases.Claims.
type Claims struct {
	claims   mongox.Documents[claimDoc]
	sessions mongox.Documents[sessionDoc]
}

// NewClaims returns the store in db.
func NewClaims(db *mongo.Database) *Claims {
	return &Claims{mongox.In[claimDoc](db, claimsCollection), mongox.In[sessionDoc](db, sessionsCollection)}
}

// Claim inserts a claim, or returns the one that is there.
func (s *Claims) Claim(ctx context.Context, c phases.Claim) (phases.Claim, error) {
	err := s.claims.Insert(ctx, toClaimDoc(c))
	if err == nil {
		return c, nil
	}
	if !errors.Is(err, errs.ErrTaken) {
		return phases.Claim{}, err
	}

	d, err := s.claims.Find(ctx, mongox.One(c.Tenant, c.BranchID))
	switch {
	case errors.Is(err, phases.ErrNotFound): // released meanwhile
		return phases.Claim{}, errs.ErrTaken
	case err != nil:
		return phases.Claim{}, err
	}

	return phases.Claim{
		BranchID: d.BranchID,
		Tenant:   c.Tenant,
		Version:  d.Version,
		PhaseID:  d.PhaseID,
		Since:    d.Since.UTC(),
	}, errs.ErrTaken
}

// Holder returns the claim on a branch.
func (s *Claims) Holder(ctx context.Context, tenant, branchID string) (phases.Claim, error) {
	d, err := s.claims.Find(ctx, mongox.One(tenant, branchID))

	return phases.Claim{
		BranchID: d.BranchID,
		Tenant:   tenant,
		Version:  d.Version,
		PhaseID:  d.PhaseID,
		Since:    d.Since.UTC(),
	}, err
}

// TakeOver replaces the claim of a version.
func (s *Claims) TakeOver(ctx context.Context, c phases.Claim) error {
	seen := mongox.Version(c.Version, c.Tenant, c.BranchID)
	c.Version++

	return s.claims.Replace(ctx, seen, toClaimDoc(c))
}

// Release deletes the claim of a phase.
func (s *Claims) Release(ctx context.Context, tenant string, branchID, phaseID string) error {
	return s.claims.Remove(ctx, append(mongox.One(tenant, branchID), mongox.Is("phaseId", phaseID)))
}

// Bind inserts a session, or returns the one that is there.
func (s *Claims) Bind(ctx context.Context, n phases.Session) (phases.Session, error) {
	err := s.sessions.Insert(ctx, toSessionDoc(n))
	if !errors.Is(err, errs.ErrTaken) {
		return n, err
	}

	return s.Session(ctx, n.Tenant, n.ID)
}

// Session returns a session.
func (s *Claims) Session(ctx context.Context, tenant, id string) (phases.Session, error) {
	d, err := s.sessions.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return phases.Session{}, err
	}

	return phases.Session{ID: d.ID, Tenant: tenant, UserID: d.UserID, Since: d.Since.UTC()}, nil
}
