package mongostore

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/grants"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const grantsCollection = "grants"

func grantIndexes() []mongox.Index {
	return []mongox.Index{
		{Fields: []string{"tenant", "userId", "ended", "createdAt", "caseId"}},
		{Fields: []string{"caseTenant", "caseId", "createdAt"}},
	}
}

type grantDoc struct {
	Key        string    `bson:"_id"`    // tenant of the partner/case/user
	Tenant     string    `bson:"tenant"` // of the partner
	CaseID     string    `bson:"caseId"`
	UserID     string    `bson:"userId"`
	CaseTenant string    `bson:"caseTenant"`
	Version    int64     `bson:"version"`
	InviteID   string    `bson:"inviteId"`
	PartnerID  string    `bson:"partnerId"`
	BranchIDs  []string  `bson:"branchIds"`
	FileIDs    []string  `bson:"fileIds"`
	Ended      bool      `bson:"ended"`
	CreatedAt  time.Time `bson:"createdAt"`
	UpdatedAt  time.Time `bson:"updatedAt"`
}

func toGrantDoc(g grants.Grant) grantDoc {
	return grantDoc{
		mongox.Key(g.PartnerTenant, g.CaseID, g.UserID), g.PartnerTenant, g.CaseID, g.UserID, g.Tenant, g.Version,
		g.InviteID, g.PartnerID, g.BranchIDs,
		g.FileIDs, g.Ended, g.CreatedAt, g.UpdatedAt,
	}
}

func (d grantDoc) toGrant() grants.Grant {
	return grants.Grant{
		PartnerTenant: d.Tenant,
		UserID:        d.UserID,
		CaseID:        d.CaseID,
		Tenant:        d.CaseTenant,
		Version:       d.Version,
		InviteID:      d.InviteID,
		PartnerID:     d.PartnerID,
		BranchIDs:     d.BranchIDs,
		FileIDs:       d.FileIDs,
		Ended:         d.Ended,
		CreatedAt:     d.CreatedAt.UTC(),
		UpdatedAt:     d.UpdatedAt.UTC(),
	}
}

// Grants implements grants.Store.
type Grants struct{ docs mongox.Documents[grantDoc] }

// NewGrants returns the store in db.
func NewGrants(db *mongo.Database) *Grants { return &Grants{mongox.In[grantDoc](db, grantsCollection)} }

// Get returns the grant of a user for a case.
func (s *Grants) Get(ctx context.Context, partnerTenant string, caseID, userID string) (grants.Grant, error) {
	d, err := s.docs.Find(ctx, mongox.One(partnerTenant, caseID, userID))
	if err != nil {
		return grants.Grant{}, err
	}

	return d.toGrant(), nil
}

// Insert saves a new grant.
func (s *Grants) Insert(ctx context.Context, g grants.Grant) error {
	return s.docs.Insert(ctx, toGrantDoc(g))
}

// Replace saves the next version.
func (s *Grants) Replace(ctx context.Context, g grants.Grant) error {
	seen := mongox.Version(g.Version, g.PartnerTenant, g.CaseID, g.UserID)
	g.Version++

	return s.docs.Replace(ctx, seen, toGrantDoc(g))
}

// OfUser lists the grants of a user that have not ended.
func (s *Grants) OfUser(ctx context.Context, partnerTenant string, userID string, limit int) ([]grants.Grant, error) {
	filter := bson.D{mongox.Is("tenant", partnerTenant), mongox.Is("userId", userID), mongox.Is("ended", false)}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("createdAt", -1), mongox.Is("caseId", -1)}, limit, nil)

	return mongox.Each(docs, grantDoc.toGrant), err
}
