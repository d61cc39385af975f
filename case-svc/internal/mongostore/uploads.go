package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
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
	Decided   bool      `bson:"decided"` // there is a plan
	CreatedAt time.Time `bson:"createdAt"`
	Plan      []fileDoc `bson:"plan"`
}

func toUploadDoc(u files.Upload) uploadDoc {
	return uploadDoc{
		key(u.Tenant, u.ID), string(u.Tenant), u.ID, u.Version, u.CaseID, u.FileIDs, len(u.Plan) > 0, u.CreatedAt, each(u.Plan, toFileDoc),
	}
}

func (d uploadDoc) toUpload() files.Upload {
	return files.Upload{
		ID: d.ID, Tenant: cases.TenantID(d.Tenant), Version: d.Version, CaseID: d.CaseID, FileIDs: d.FileIDs, CreatedAt: d.CreatedAt.UTC(),
		Plan: each(d.Plan, fileDoc.toFile),
	}
}

// Uploads implements files.Uploads.
type Uploads struct{ docs documents[uploadDoc] }

// NewUploads returns the store in db.
func NewUploads(db *mongo.Database) *Uploads { return &Uploads{in[uploadDoc](db, uploadsCollection)} }

// Stage inserts a plan.
func (s *Uploads) Stage(ctx context.Context, u files.Upload) error {
	return s.docs.insert(ctx, toUploadDoc(u))
}

// Decide saves the next version.
func (s *Uploads) Decide(ctx context.Context, u files.Upload) error {
	seen := append(one(u.Tenant, u.ID), is("version", u.Version))
	u.Version++
	err := s.docs.replace(ctx, seen, toUploadDoc(u))
	if errors.Is(err, errTaken) {
		return files.ErrTaken
	}
	return err
}

// Forget deletes a plan.
func (s *Uploads) Forget(ctx context.Context, u files.Upload) error {
	return s.docs.remove(ctx, one(u.Tenant, u.ID))
}

// Before lists plans made before t.
func (s *Uploads) Before(ctx context.Context, decided bool, t time.Time, limit int) ([]files.Upload, error) {
	filter := bson.D{is("decided", decided), is("createdAt", bson.D{is("$lt", t)})}
	docs, err := s.docs.list(ctx, filter, bson.D{is("createdAt", 1)}, limit)
	return each(docs, uploadDoc.toUpload), err
}
