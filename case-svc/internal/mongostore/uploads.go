package mongostore

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type uploadDoc struct {
	Key       string    `bson:"_id"` // tenant/id
	Tenant    string    `bson:"tenant"`
	ID        string    `bson:"id"`
	Version   int64     `bson:"version"`
	CaseID    string    `bson:"caseId"`
	FileIDs   []string  `bson:"fileIds"`
	Planned   bool      `bson:"planned"` // there is a plan
	Decided   bool      `bson:"decided"`
	CreatedAt time.Time `bson:"createdAt"`
	Plan      []fileDoc `bson:"plan"`
}

func toUploadDoc(u files.Upload) uploadDoc {
	return uploadDoc{
		mongox.Key(u.Tenant, u.ID), u.Tenant, u.ID, u.Version, u.CaseID, u.FileIDs, len(u.Plan) > 0, u.Decided,
		u.CreatedAt, mongox.Each(u.Plan, toFileDoc),
	}
}

func (d uploadDoc) toUpload() files.Upload {
	return files.Upload{
		ID:        d.ID,
		Tenant:    d.Tenant,
		Version:   d.Version,
		CaseID:    d.CaseID,
		FileIDs:   d.FileIDs,
		CreatedAt: d.CreatedAt.UTC(),
		Plan:      mongox.Each(d.Plan, fileDoc.toFile),
		Decided:   d.Decided,
	}
}

// Uploads implements files.Uploads.
type Uploads struct{ docs mongox.Documents[uploadDoc] }

// NewUploads returns the store in db.
func NewUploads(db *mongo.Database) *Uploads {
	return &Uploads{mongox.In[uploadDoc](db, uploadsCollection)}
}

// Stage inserts a plan.
func (s *Uploads) Stage(ctx context.Context, u files.Upload) error {
	return s.docs.Insert(ctx, toUploadDoc(u))
}

// Save saves the next version.
func (s *Uploads) Save(ctx context.Context, u files.Upload) error {
	seen := mongox.Version(u.Version, u.Tenant, u.ID)
	u.Version++
	err := s.docs.Replace(ctx, seen, toUploadDoc(u))

	return err
}

// Forget deletes a plan.
func (s *Uploads) Forget(ctx context.Context, u files.Upload) error {
	return s.docs.Remove(ctx, mongox.One(u.Tenant, u.ID))
}

// Planned lists the uploads of a case with a plan.
func (s *Uploads) Planned(ctx context.Context, tenant string, caseID string) ([]files.Upload, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID), mongox.Is("planned", true)}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("createdAt", 1)}, 0, nil)

	return mongox.Each(docs, uploadDoc.toUpload), err
}

// Before lists plans made before t.
func (s *Uploads) Before(ctx context.Context, decided bool, t time.Time, limit int) ([]files.Upload, error) {
	filter := bson.D{mongox.Is("decided", decided), mongox.Is("createdAt", bson.D{mongox.Is("$lt", t)})}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("createdAt", 1)}, limit, nil)

	return mongox.Each(docs, uploadDoc.toUpload), err
}
