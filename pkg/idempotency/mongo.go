package idempotency

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Collection is the usual name of the collection of intents.
const Collection = "intents"

// Indexes are what Expire needs; a service makes them at start.
func Indexes() []mongox.Index { return []mongox.Index{{Fields: []string{"expiresAt"}}} }

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

func toIntentDoc(i Intent) intentDoc {
	return intentDoc{
		Key:         mongox.Key(i.Tenant, i.ID),
		Tenant:      i.Tenant,
		ID:          i.ID,
		Version:     i.Version,
		Fingerprint: i.Fingerprint,
		Until:       i.Until,
		ExpiresAt:   i.ExpiresAt,
		Answer:      (*answerDoc)(i.Answer),
	}
}

// Intents is a Store in MongoDB.
type Intents struct{ docs mongox.Documents[intentDoc] }

// NewIntents returns the store in db.
func NewIntents(db *mongo.Database) *Intents { return &Intents{mongox.In[intentDoc](db, Collection)} }

// Insert takes the lock.
func (s *Intents) Insert(ctx context.Context, i Intent) error {
	return s.docs.Insert(errs.Aside(ctx), toIntentDoc(i))
}

// Get returns an intent.
func (s *Intents) Get(ctx context.Context, tenant, id string) (Intent, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return Intent{}, err
	}

	return Intent{
		ID:          d.ID,
		Tenant:      tenant,
		Version:     d.Version,
		Fingerprint: d.Fingerprint,
		Until:       d.Until.UTC(),
		ExpiresAt:   d.ExpiresAt.UTC(),
		Answer:      (*Answer)(d.Answer),
	}, nil
}

// Replace saves the next version.
func (s *Intents) Replace(ctx context.Context, i Intent) error {
	// errs.Aside keeps this out of what the request changed: a kept answer is no change to the caller.
	seen := mongox.Version(i.Version, i.Tenant, i.ID)
	i.Version++

	return s.docs.Replace(errs.Aside(ctx), seen, toIntentDoc(i))
}

// Delete gives the key free.
func (s *Intents) Delete(ctx context.Context, i Intent) error {
	return s.docs.Remove(errs.Aside(ctx), mongox.Version(i.Version, i.Tenant, i.ID))
}

// Expire deletes up to most intents of all tenants that nobody needs after now.
func (s *Intents) Expire(ctx context.Context, now time.Time, most int) error {
	over := bson.D{mongox.Is("expiresAt", bson.D{mongox.Is("$lt", now)})}
	docs, err := s.docs.List(ctx, over, bson.D{mongox.Is("expiresAt", 1)}, most, nil)
	if err != nil {
		return err
	}

	for _, d := range docs {
		// The version is part of the filter: a request may have taken the key anew since it was listed.
		seen := bson.D{mongox.Is("_id", d.Key), mongox.Is("tenant", d.Tenant), mongox.Is("version", d.Version)}
		if err := s.docs.Remove(ctx, seen); err != nil {
			return err
		}
	}

	return nil
}
