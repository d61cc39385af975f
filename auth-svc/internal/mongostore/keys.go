// Package mongostore keeps in MongoDB what must last: API keys, the record of ended agents, and users' grants with
// their applications.
package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	keysCollection    = "keys"
	endedCollection   = "ended"
	retiredCollection = "retired_keys"
)

// Schema lists the indexes. Keys are looked up by their hash before a tenant is known, so the hash is their _id.
func Schema() mongox.Schema {
	return mongox.Schema{
		keysCollection: {
			{Fields: []string{"tenant", "agentId"}},
			{Fields: []string{"tenant", "userId"}},
		},
		membersCollection: {
			{Fields: []string{"tenant", "_id"}},
			{Fields: []string{"state", "lastSeen"}}, // for the sweep, over all tenants
			{Fields: []string{"untold", "lastSeen"}},
		},
		providerTokensCollection: {{Fields: []string{"askAt"}}}, // for the sweep, over all tenants

		endedCollection: {{Fields: []string{"at"}}}, // read over all tenants by the gateways

		retiredCollection: {{Fields: []string{"endedAt"}}}, // for the sweep, over all tenants
		grantsCollection: {
			{Fields: []string{"tenant", "userId", "state", "-_id"}},
			{Fields: []string{"state", "removableAt"}}, // for the sweep, over all tenants
			{Fields: []string{"clientId"}},             // likewise
		},
		clientsCollection: {{Fields: []string{"neededTo"}}},
		"audit":           chain.Indexes(),
	}
}

// Store implements keys.Store.
type Store struct {
	keys, ended *mongo.Collection
	retired     mongox.Documents[retiredDoc]
}

// New returns the store in db.
func New(db *mongo.Database) *Store {
	return &Store{
		keys:    db.Collection(keysCollection),
		ended:   db.Collection(endedCollection),
		retired: mongox.In[retiredDoc](db, retiredCollection),
	}
}

type keyDoc struct {
	ID         string    `bson:"_id"`
	Tenant     string    `bson:"tenant"`
	AgentID    string    `bson:"agentId"`
	UserID     string    `bson:"userId"`
	Roles      []string  `bson:"roles"`
	Hint       string    `bson:"hint"`
	CreatedAt  time.Time `bson:"createdAt"`
	LastUsedAt time.Time `bson:"lastUsedAt"`
	Version    int       `bson:"version"`
}

func toDoc(k keys.Key) keyDoc {
	return keyDoc{k.Hash, k.Tenant, k.AgentID, k.UserID, k.Roles, k.Hint, k.CreatedAt, k.LastUsedAt, k.Version}
}

func (d keyDoc) key() keys.Key {
	k := keys.Key{
		Hash:      d.ID,
		Tenant:    d.Tenant,
		AgentID:   d.AgentID,
		UserID:    d.UserID,
		Roles:     d.Roles,
		Hint:      d.Hint,
		CreatedAt: d.CreatedAt.UTC(),
		Version:   d.Version,
	}
	if d.LastUsedAt.Year() > 1 {
		k.LastUsedAt = d.LastUsedAt.UTC()
	}

	return k
}

// Insert saves a key, or returns keys.ErrExists.
func (s *Store) Insert(ctx context.Context, k keys.Key) error {
	_, err := s.keys.InsertOne(ctx, toDoc(k))
	if mongox.IsDuplicate(err) {
		return keys.ErrExists
	}
	if err != nil {
		return fmt.Errorf("insert key: %w", mongox.Unavailable(err))
	}

	return nil
}

// Find returns the key with this hash.
func (s *Store) Find(ctx context.Context, hash string) (keys.Key, error) {
	var d keyDoc
	err := s.keys.FindOne(ctx, bson.D{{Key: "_id", Value: hash}}).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return keys.Key{}, keys.ErrUnknown
	}
	if err != nil {
		return keys.Key{}, fmt.Errorf("find key: %w", mongox.Unavailable(err))
	}

	return d.key(), nil
}

// Touch notes when the key was used; another writer may win, its note is as good. A key that is gone is
// keys.ErrUnknown.
func (s *Store) Touch(ctx context.Context, k keys.Key, at time.Time) error {
	seen, used := touching(k, at)

	err := mongox.Of[keyDoc](s.keys).Replace(ctx, seen, used)
	if errors.Is(err, errs.ErrTaken) {
		_, err = s.Find(ctx, k.Hash)
	}

	return err
}

// touching is the replacement by which Touch notes when a key was used.
func touching(k keys.Key, at time.Time) (seen bson.D, used keyDoc) {
	seen = bson.D{{Key: "_id", Value: k.Hash}, {Key: "version", Value: k.Version}}
	k.LastUsedAt, k.Version = at, k.Version+1

	return seen, toDoc(k)
}

// OfAgent returns the agent's keys.
func (s *Store) OfAgent(ctx context.Context, tenant, agentID string) ([]keys.Key, error) {
	return s.list(ctx, bson.D{{Key: "tenant", Value: tenant}, {Key: "agentId", Value: agentID}})
}

// OfUser returns the keys of a user's agents.
func (s *Store) OfUser(ctx context.Context, tenant, userID string) ([]keys.Key, error) {
	return s.list(ctx, bson.D{{Key: "tenant", Value: tenant}, {Key: "userId", Value: userID}})
}

func (s *Store) list(ctx context.Context, filter bson.D) ([]keys.Key, error) {
	cursor, err := s.keys.Find(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", mongox.Unavailable(err))
	}
	var docs []keyDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, fmt.Errorf("list keys: %w", mongox.Unavailable(err))
	}

	all := make([]keys.Key, len(docs))
	for i, d := range docs {
		all[i] = d.key()
	}

	return all, nil
}

// Delete removes a key.
func (s *Store) Delete(ctx context.Context, hash string) error {
	if _, err := s.keys.DeleteOne(ctx, bson.D{{Key: "_id", Value: hash}}); err != nil {
		return fmt.Errorf("delete key: %w", mongox.Unavailable(err))
	}

	return nil
}

// retiredDoc says whose a key was that has ended. Like a key it is found by the hash before a tenant is known.
type retiredDoc struct {
	ID      string    `bson:"_id"`
	Tenant  string    `bson:"tenant"`
	AgentID string    `bson:"agentId"`
	UserID  string    `bson:"userId"`
	EndedAt time.Time `bson:"endedAt"`
}

// Retire remembers whose key had this hash; an earlier record stays.
func (s *Store) Retire(ctx context.Context, k keys.Key, at time.Time) error {
	err := s.retired.Insert(ctx, retiredDoc{k.Hash, k.Tenant, k.AgentID, k.UserID, at})
	if errors.Is(err, errs.ErrTaken) {
		return nil
	}

	return err
}

// Retired returns whose key had this hash.
func (s *Store) Retired(ctx context.Context, hash string) (keys.Key, error) {
	d, err := s.retired.Find(ctx, bson.D{mongox.Is("_id", hash)})
	if errors.Is(err, errs.ErrNotFound) {
		return keys.Key{}, keys.ErrUnknown
	}

	return keys.Key{
		Hash:    d.ID,
		Tenant:  d.Tenant,
		AgentID: d.AgentID,
		UserID:  d.UserID,
	}, err
}

// ForgetRetired removes records of keys that ended before, the oldest first.
func (s *Store) ForgetRetired(ctx context.Context, before time.Time, limit int) (int, error) {
	old := bson.D{mongox.Is("endedAt", bson.D{mongox.Is("$lt", before)})}
	docs, err := s.retired.List(ctx, old, bson.D{mongox.Is("endedAt", 1)}, limit, nil)
	if err != nil {
		return 0, err
	}

	for n, d := range docs {
		if err := s.retired.Remove(ctx, bson.D{mongox.Is("_id", d.ID)}); err != nil {
			return n, err
		}
	}

	return len(docs), nil
}

type endedDoc struct {
	ID      string    `bson:"_id"` // tenant/agentId
	Tenant  string    `bson:"tenant"`
	AgentID string    `bson:"agentId"`
	At      time.Time `bson:"at"`
}

// End records that an agent ended; an earlier record stays.
func (s *Store) End(ctx context.Context, e keys.Ended) error {
	_, err := s.ended.InsertOne(ctx, endedDoc{e.Tenant + "/" + e.AgentID, e.Tenant, e.AgentID, e.At})
	if err != nil && !mongox.IsDuplicate(err) {
		return fmt.Errorf("record ended agent: %w", mongox.Unavailable(err))
	}

	return nil
}

// HasEnded reports whether the agent is on record.
func (s *Store) HasEnded(ctx context.Context, tenant, agentID string) (bool, error) {
	err := s.ended.FindOne(
		ctx,
		bson.D{{Key: "_id", Value: tenant + "/" + agentID}, {Key: "tenant", Value: tenant}},
	).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up ended agent: %w", mongox.Unavailable(err))
	}

	return true, nil
}

const endedPage = 10_000 // disconnections in one hour that a gateway can learn of at once

// EndedSince lists agents that ended at or after since, over all tenants, the earliest first.
func (s *Store) EndedSince(ctx context.Context, since time.Time) ([]keys.Ended, error) {
	cursor, err := s.ended.Find(ctx, bson.D{{Key: "at", Value: bson.D{{Key: "$gte", Value: since}}}},
		options.Find().SetSort(bson.D{{Key: "at", Value: 1}}).SetLimit(endedPage))
	if err != nil {
		return nil, fmt.Errorf("list ended agents: %w", mongox.Unavailable(err))
	}
	var docs []endedDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, fmt.Errorf("list ended agents: %w", mongox.Unavailable(err))
	}

	all := make([]keys.Ended, len(docs))
	for i, d := range docs {
		all[i] = keys.Ended{Tenant: d.Tenant, AgentID: d.AgentID, At: d.At.UTC()}
	}

	return all, nil
}
