package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/idempotency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type intentDoc struct {
	Key         string     `bson:"_id"` // tenant/digest of actor, route and key
	Tenant      string     `bson:"tenant"`
	ID          string     `bson:"id"`
	Version     int64      `bson:"version"`
	Fingerprint string     `bson:"fingerprint"`
	Until       time.Time  `bson:"until"`
	ExpiresAt   time.Time  `bson:"expiresAt"`
	Answer      *answerDoc `bson:"answer"`
}

type answerDoc struct {
	Status   int    `bson:"status"`
	Location string `bson:"location"`
	ETag     string `bson:"etag"`
	Body     []byte `bson:"body"`
}

func toIntentDoc(i idempotency.Intent) intentDoc {
	return intentDoc{key(i.Tenant, i.ID), string(i.Tenant), i.ID, i.Version, i.Fingerprint, i.Until, i.ExpiresAt, (*answerDoc)(i.Answer)}
}

// Intents implements idempotency.Store.
type Intents struct{ docs documents[intentDoc] }

// NewIntents returns the store in db.
func NewIntents(db *mongo.Database) *Intents { return &Intents{in[intentDoc](db, intentsCollection)} }

// Insert takes the lock.
func (s *Intents) Insert(ctx context.Context, i idempotency.Intent) error {
	return intentError(s.docs.insert(ctx, toIntentDoc(i)))
}

func intentError(err error) error {
	if errors.Is(err, errTaken) {
		return idempotency.ErrTaken
	}
	return err
}

// Get returns an intent.
func (s *Intents) Get(ctx context.Context, tenant cases.TenantID, id string) (idempotency.Intent, error) {
	d, err := s.docs.find(ctx, one(tenant, id))
	if err != nil {
		return idempotency.Intent{}, err
	}
	return idempotency.Intent{
		ID: d.ID, Tenant: tenant, Version: d.Version, Fingerprint: d.Fingerprint, Until: d.Until.UTC(), ExpiresAt: d.ExpiresAt.UTC(),
		Answer: (*idempotency.Answer)(d.Answer),
	}, nil
}

// Replace saves the next version.
func (s *Intents) Replace(ctx context.Context, i idempotency.Intent) error {
	seen := append(one(i.Tenant, i.ID), is("version", i.Version))
	i.Version++
	return intentError(s.docs.replace(ctx, seen, toIntentDoc(i)))
}

// Delete gives the key free.
func (s *Intents) Delete(ctx context.Context, i idempotency.Intent) error {
	return s.docs.remove(ctx, append(one(i.Tenant, i.ID), is("version", i.Version)))
}

// Expire deletes up to most intents of all tenants that nobody needs after now.
func (s *Intents) Expire(ctx context.Context, now time.Time, most int) error {
	docs, err := s.docs.list(ctx, bson.D{is("expiresAt", bson.D{is("$lt", now)})}, bson.D{is("expiresAt", 1)}, most)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if err := s.docs.remove(ctx, bson.D{is("_id", d.Key), is("tenant", d.Tenant), is("version", d.Version)}); err != nil {
			return err
		}
	}
	return nil
}
