// Package mongostore keeps agents, the connection of each user, and disconnections under way in MongoDB.
package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	agentsCollection      = "agents"
	connectionsCollection = "connections"
	intentsCollection     = "disconnections"

	sweepPage = 100 // what one sweep takes on
)

// Schema lists the indexes. A connection is looked up by its user before a tenant is known, so the user is its _id.
func Schema() mongox.Schema {
	return mongox.Schema{
		agentsCollection:      {{Fields: []string{"tenant", "tokenHash"}, Unique: true}},
		connectionsCollection: {{Fields: []string{"active", "at"}}}, // of the sweep
		intentsCollection:     {{Fields: []string{"at"}}},           // of the sweep
		"audit":               chain.Indexes(),
	}
}

// Store implements agents.Store and agents.Intents.
type Store struct{ agents, connections, intents *mongo.Collection }

// New returns the store in db.
func New(db *mongo.Database) *Store {
	return &Store{
		db.Collection(agentsCollection),
		db.Collection(connectionsCollection),
		db.Collection(intentsCollection),
	}
}

type connectionDoc struct {
	UserID  string    `bson:"_id"`
	Tenant  string    `bson:"tenant"`
	AgentID string    `bson:"agentId"`
	Attempt string    `bson:"attempt"`
	Active  bool      `bson:"active"`
	At      time.Time `bson:"at"`
}

func (d connectionDoc) connection() agents.Connection {
	c := agents.Connection(d)
	c.At = c.At.UTC()

	return c
}

// Connection returns the user's connection.
func (s *Store) Connection(ctx context.Context, userID string) (agents.Connection, error) {
	var d connectionDoc
	err := s.connections.FindOne(ctx, bson.D{{Key: "_id", Value: userID}}).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return agents.Connection{}, errs.ErrNotFound
	}
	if err != nil {
		return agents.Connection{}, fmt.Errorf("find connection: %w", mongox.Unavailable(err))
	}

	return d.connection(), nil
}

// Connect inserts a connection. One that carries our own attempt is ours: its first insert went through and only the
// answer was lost.
func (s *Store) Connect(ctx context.Context, c agents.Connection) error {
	_, err := s.connections.InsertOne(ctx, connectionDoc(c))
	if mongox.IsDuplicate(err) {
		there, err := s.Connection(ctx, c.UserID)
		if err == nil && there.Attempt == c.Attempt {
			return nil
		}

		return agents.ErrExists
	}
	if err != nil {
		return fmt.Errorf("insert connection: %w", mongox.Unavailable(err))
	}

	return nil
}

// Activate makes a pending connection active, or returns errs.ErrTaken when it is not pending any more. One that is
// active already with our own attempt counts as done.
func (s *Store) Activate(ctx context.Context, c agents.Connection) error {
	pending := bson.D{{Key: "_id", Value: c.UserID}, {Key: "agentId", Value: c.AgentID}, {Key: "active", Value: false}}
	c.Active = true
	err := mongox.Of[connectionDoc](s.connections).Replace(ctx, pending, connectionDoc(c))
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	// The first try may have gone through unheard, and then the driver's second one found nothing pending.
	there, second := s.Connection(ctx, c.UserID)
	own := there.Active && there.AgentID == c.AgentID && there.Attempt == c.Attempt

	switch {
	case second != nil && !errors.Is(second, errs.ErrNotFound):
		return second
	case own:
		return nil
	}

	return err
}

// Disconnect deletes the connection of the user to this agent in the given state.
func (s *Store) Disconnect(ctx context.Context, userID, agentID string, active bool) (bool, error) {
	res, err := s.connections.DeleteOne(
		ctx,
		bson.D{{Key: "_id", Value: userID}, {Key: "agentId", Value: agentID}, {Key: "active", Value: active}},
	)
	if err != nil {
		return false, fmt.Errorf("delete connection: %w", mongox.Unavailable(err))
	}

	return res.DeletedCount == 1, nil
}

// Pending lists connections that have been pending since before.
func (s *Store) Pending(ctx context.Context, before time.Time) ([]agents.Connection, error) {
	docs, err := list[connectionDoc](
		ctx,
		s.connections,
		bson.D{{Key: "active", Value: false}, {Key: "at", Value: bson.D{{Key: "$lt", Value: before}}}},
	)

	all := make([]agents.Connection, len(docs))
	for i, d := range docs {
		all[i] = d.connection()
	}

	return all, err
}

func list[D any](ctx context.Context, coll *mongo.Collection, filter bson.D) ([]D, error) {
	cursor, err := coll.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: "at", Value: 1}}).SetLimit(sweepPage))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", coll.Name(), mongox.Unavailable(err))
	}
	var docs []D
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, fmt.Errorf("list %s: %w", coll.Name(), mongox.Unavailable(err))
	}

	return docs, nil
}

type agentDoc struct {
	ID          string    `bson:"_id"` // tenant/id
	Tenant      string    `bson:"tenant"`
	AgentID     string    `bson:"id"`
	UserID      string    `bson:"userId"`
	Roles       []string  `bson:"roles"`
	Status      string    `bson:"status"`
	Card        cardDoc   `bson:"card"`
	CardURL     string    `bson:"cardUrl"`
	SeenSHA256  string    `bson:"seenSha256"`
	SeenAt      time.Time `bson:"seenAt,omitempty"`
	TokenHash   string    `bson:"tokenHash"`
	ConnectedAt time.Time `bson:"connectedAt"`
	Version     int       `bson:"version"`
}

type cardDoc struct {
	Name        string   `bson:"name"`
	Description string   `bson:"description"`
	URL         string   `bson:"url"`
	Protocols   []string `bson:"protocols"`
	Form        int      `bson:"form"`
	Signed      bool     `bson:"signed"`              // signatures are present
	Signature   string   `bson:"signature,omitempty"` // absent in documents from before signatures were checked
	SHA256      string   `bson:"sha256"`
	ETag        string   `bson:"etag"`
	Bytes       []byte   `bson:"bytes"`
}

func toDoc(a agents.Agent) agentDoc {
	return agentDoc{
		ID:          a.Tenant + "/" + a.ID,
		Tenant:      a.Tenant,
		AgentID:     a.ID,
		UserID:      a.UserID,
		Roles:       a.Roles,
		Status:      a.Status,
		Card:        toCardDoc(a.Card),
		CardURL:     a.CardURL,
		SeenSHA256:  a.SeenSHA256,
		SeenAt:      a.SeenAt,
		TokenHash:   a.TokenHash,
		ConnectedAt: a.ConnectedAt,
		Version:     a.Version,
	}
}

func toCardDoc(c agents.Card) cardDoc {
	return cardDoc{
		Name:        c.Name,
		Description: c.Description,
		URL:         c.URL,
		Protocols:   c.Protocols,
		Form:        c.Form,
		Signed:      c.Signature != agents.Unsigned,
		Signature:   c.Signature,
		SHA256:      c.SHA256,
		ETag:        c.ETag,
		Bytes:       c.Bytes,
	}
}

func (d cardDoc) card() agents.Card {
	state := d.Signature

	switch {
	case state == "" && d.Signed:
		state = agents.SignatureUnknownKey
	case state == "":
		state = agents.Unsigned
	}

	return agents.Card{
		Name:        d.Name,
		Description: d.Description,
		URL:         d.URL,
		Protocols:   d.Protocols,
		Form:        d.Form,
		Signature:   state,
		SHA256:      d.SHA256,
		ETag:        d.ETag,
		Bytes:       d.Bytes,
	}
}

func (d agentDoc) agent() agents.Agent {
	return agents.Agent{
		ID:          d.AgentID,
		Tenant:      d.Tenant,
		UserID:      d.UserID,
		Roles:       d.Roles,
		Status:      d.Status,
		Card:        d.Card.card(),
		CardURL:     d.CardURL,
		SeenSHA256:  d.SeenSHA256,
		SeenAt:      d.SeenAt.UTC(),
		TokenHash:   d.TokenHash,
		ConnectedAt: d.ConnectedAt.UTC(),
		Version:     d.Version,
	}
}

func byID(tenant, id string) bson.D {
	return bson.D{{Key: "_id", Value: tenant + "/" + id}, {Key: "tenant", Value: tenant}}
}

// Insert saves an agent. Its id is new, so a duplicate means its token's hash, unless our own insert went through
// unheard.
func (s *Store) Insert(ctx context.Context, a agents.Agent) error {
	_, err := s.agents.InsertOne(ctx, toDoc(a))
	if mongox.IsDuplicate(err) {
		if _, err := s.Agent(ctx, a.Tenant, a.ID); err == nil {
			return nil
		}

		return agents.ErrExists
	}
	if err != nil {
		return fmt.Errorf("insert agent: %w", mongox.Unavailable(err))
	}

	return nil
}

// OfToken returns the agent that a token registered.
func (s *Store) OfToken(ctx context.Context, tenant, tokenHash string) (agents.Agent, error) {
	return s.one(ctx, bson.D{{Key: "tenant", Value: tenant}, {Key: "tokenHash", Value: tokenHash}})
}

// Agent returns a tenant's agent.
func (s *Store) Agent(ctx context.Context, tenant, id string) (agents.Agent, error) {
	return s.one(ctx, byID(tenant, id))
}

func (s *Store) one(ctx context.Context, filter bson.D) (agents.Agent, error) {
	var d agentDoc
	err := s.agents.FindOne(ctx, filter).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return agents.Agent{}, errs.ErrNotFound
	}
	if err != nil {
		return agents.Agent{}, fmt.Errorf("find agent: %w", mongox.Unavailable(err))
	}

	return d.agent(), nil
}

// Replace saves a over its version and moves that on, or returns errs.ErrTaken.
func (s *Store) Replace(ctx context.Context, a agents.Agent) error {
	seen := mongox.Version(a.Version, a.Tenant, a.ID)
	a.Version++

	return mongox.Of[agentDoc](s.agents).Replace(ctx, seen, toDoc(a))
}

// Remove deletes an agent.
func (s *Store) Remove(ctx context.Context, tenant, id string) error {
	if _, err := s.agents.DeleteOne(ctx, byID(tenant, id)); err != nil {
		return fmt.Errorf("delete agent: %w", mongox.Unavailable(err))
	}

	return nil
}

type intentDoc struct {
	ID      string    `bson:"_id"` // tenant/agentId
	Tenant  string    `bson:"tenant"`
	UserID  string    `bson:"userId"`
	AgentID string    `bson:"agentId"`
	At      time.Time `bson:"at"`
}

// Begin puts a disconnection on record.
func (s *Store) Begin(ctx context.Context, d agents.Disconnection) error {
	_, err := s.intents.InsertOne(ctx, intentDoc{d.Tenant + "/" + d.AgentID, d.Tenant, d.UserID, d.AgentID, d.At})
	if err != nil && !mongox.IsDuplicate(err) {
		return fmt.Errorf("begin disconnection: %w", mongox.Unavailable(err))
	}

	return nil
}

// Finish removes the record of a disconnection.
func (s *Store) Finish(ctx context.Context, d agents.Disconnection) error {
	if _, err := s.intents.DeleteOne(ctx, byID(d.Tenant, d.AgentID)); err != nil {
		return fmt.Errorf("finish disconnection: %w", mongox.Unavailable(err))
	}

	return nil
}

// Open lists disconnections that began before.
func (s *Store) Open(ctx context.Context, before time.Time) ([]agents.Disconnection, error) {
	docs, err := list[intentDoc](ctx, s.intents, bson.D{{Key: "at", Value: bson.D{{Key: "$lt", Value: before}}}})

	all := make([]agents.Disconnection, len(docs))
	for i, d := range docs {
		all[i] = agents.Disconnection{
			Tenant:  d.Tenant,
			UserID:  d.UserID,
			AgentID: d.AgentID,
			At:      d.At.UTC(),
		}
	}

	return all, err
}
