package mongostore

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/retention"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// sizeDoc is a file's size alone, which the index holds.
type sizeDoc struct {
	SizeBytes int64 `bson:"sizeBytes"`
}

// Oversight implements oversight.Store.
type Oversight struct {
	cases  mongox.Documents[caseDoc]
	sizes  mongox.Documents[sizeDoc]
	phases mongox.Documents[phaseDoc]
}

// NewOversight returns the store in db.
func NewOversight(db *mongo.Database) *Oversight {
	return &Oversight{
		mongox.In[caseDoc](db, casesCollection), mongox.In[sizeDoc](db, filesCollection),
		mongox.In[phaseDoc](db, phasesCollection),
	}
}

// Cases counts the cases of a status.
func (s *Oversight) Cases(ctx context.Context, tenant, status string, most int) (int, error) {
	return s.cases.Count(
		ctx, bson.D{mongox.Is("tenant", tenant), mongox.Is("deleted", false), mongox.Is("status", status)}, most,
	)
}

// Deleted counts the cases that are deleted and not purged.
func (s *Oversight) Deleted(ctx context.Context, tenant string, most int) (int, error) {
	return s.cases.Count(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is(
			"purgeAt", bson.D{mongox.Is("$lt", never)},
		), mongox.Is("deleted", true)},
		most,
	)
}

// Files counts the active files and their bytes.
func (s *Oversight) Files(ctx context.Context, tenant string, most int) (n int, bytes int64, err error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("status", files.Active)}

	docs, err := s.sizes.List(
		ctx, filter, bson.D{mongox.Is("sizeBytes", -1)}, most, bson.D{mongox.Is("_id", 0), mongox.Is("sizeBytes", 1)},
	)
	for _, d := range docs {
		bytes += d.SizeBytes
	}

	return len(docs), bytes, err
}

// Phases counts phases that began at a time or later.
func (s *Oversight) Phases(
	ctx context.Context, tenant, requestType, status string, since time.Time, most int,
) (int, error) {
	return s.phases.Count(ctx, bson.D{
		mongox.Is("tenant", tenant), mongox.Is("requestType", requestType), mongox.Is("status", status), mongox.Is(
			"createdAt", bson.D{mongox.Is("$gte", since)},
		),
	}, most)
}

// Waiting lists phases of all containers that wait for a review.
func (s *Oversight) Waiting(ctx context.Context, tenant string, at *cases.Cursor, limit int) ([]phases.Phase, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("reviewStatus", phases.ReviewPending)}
	if at != nil {
		filter = after(filter, "since", false, at.Time, at.ID)
	}
	docs, err := s.phases.List(
		ctx, filter, order("since", false), limit, mongox.Without(append([]string{"prompt"}, heavyPhase...)...),
	)

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// previewDoc is what somebody was shown as due.
type previewDoc struct {
	Key       string    `bson:"_id"` // tenant/digest of the token
	Tenant    string    `bson:"tenant"`
	Digest    string    `bson:"digest"`
	UserID    string    `bson:"userId"`
	CaseIDs   []string  `bson:"caseIds"`
	ExpiresAt time.Time `bson:"expiresAt"`
}

// Due implements retention.Store.
type Due struct {
	cases    mongox.Documents[caseDoc]
	previews mongox.Documents[previewDoc]
}

// NewDue returns the store in db.
func NewDue(db *mongo.Database) *Due {
	return &Due{mongox.In[caseDoc](db, casesCollection), mongox.In[previewDoc](db, previewsCollection)}
}

// DueIn lists cases of a tenant that are due. What is under legal hold never is.
func (s *Due) DueIn(ctx context.Context, tenant string, now time.Time, most int) ([]cases.Case, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is(
		"purgeAt", bson.D{mongox.Is("$lte", now)},
	), mongox.Is("retention.legalHold", false)}
	docs, err := s.cases.List(ctx, filter, bson.D{mongox.Is("purgeAt", 1)}, most, nil)

	return mongox.Each(docs, caseDoc.toCase), err
}

// DueBetween counts the cases of a tenant that come due in a span of time.
func (s *Due) DueBetween(ctx context.Context, tenant string, from, to time.Time) (int, error) {
	return s.cases.Count(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is(
			"purgeAt", bson.D{mongox.Is("$gt", from), mongox.Is("$lte", to)},
		)},
		0,
	)
}

// Held counts the cases of a tenant under legal hold.
func (s *Due) Held(ctx context.Context, tenant string) (int, error) {
	return s.cases.Count(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is("deleted", false), mongox.Is("retention.legalHold", true)},
		0,
	)
}

// Save keeps a new preview.
func (s *Due) Save(ctx context.Context, p retention.Preview) error {
	return s.previews.Insert(
		ctx, previewDoc{mongox.Key(p.Tenant, p.Key), p.Tenant, p.Key, p.UserID, p.CaseIDs, p.ExpiresAt},
	)
}

// Preview returns a preview of the tenant.
func (s *Due) Preview(ctx context.Context, tenant, key string) (retention.Preview, error) {
	d, err := s.previews.Find(ctx, mongox.One(tenant, key))

	return retention.Preview{
		Tenant:    d.Tenant,
		Key:       d.Digest,
		UserID:    d.UserID,
		CaseIDs:   d.CaseIDs,
		ExpiresAt: d.ExpiresAt.UTC(),
	}, err
}

// Forget deletes previews that are over.
func (s *Due) Forget(ctx context.Context, now time.Time, most int) error {
	docs, err := s.previews.List(
		ctx,
		bson.D{mongox.Is("expiresAt", bson.D{mongox.Is("$lte", now)})},
		bson.D{mongox.Is("expiresAt", 1)},
		most,
		nil,
	)
	if err != nil {
		return err
	}

	for _, d := range docs {
		if err := s.previews.Remove(ctx, mongox.One(d.Tenant, d.Digest)); err != nil {
			return err
		}
	}

	return nil
}
