package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const (
	grantsCollection  = "grants"
	clientsCollection = "oauth_clients"
)

// Grants implements oauth.Grants and oauth.OldGrants. A refresh token finds its grant before a tenant is known, so the
// grant's id is the _id.
type Grants struct{ docs mongox.Documents[grantDoc] }

// NewGrants returns the grants in db.
func NewGrants(db *mongo.Database) *Grants {
	return &Grants{mongox.In[grantDoc](db, grantsCollection)}
}

type grantDoc struct {
	ID           string    `bson:"_id"`
	Tenant       string    `bson:"tenant"`
	UserID       string    `bson:"userId"`
	Roles        []string  `bson:"roles"`
	ClientID     string    `bson:"clientId"`
	ClientName   string    `bson:"clientName"`
	RedirectHost string    `bson:"redirectHost"`
	Document     bool      `bson:"document"`
	Refresh      bool      `bson:"refresh"`
	Scopes       []string  `bson:"scopes"`
	Generation   int       `bson:"gen"`
	RotatedAt    time.Time `bson:"rotatedAt"`
	CreatedAt    time.Time `bson:"createdAt"`
	LastUsedAt   time.Time `bson:"lastUsedAt"`
	ExpiresAt    time.Time `bson:"expiresAt"`
	State        string    `bson:"state"`
	EndedAt      time.Time `bson:"endedAt"`
	EndReason    string    `bson:"endReason"`
	RemovableAt  time.Time `bson:"removableAt"`
	Version      int       `bson:"version"`
}

func toGrantDoc(g oauth.Grant) grantDoc {
	return grantDoc{
		ID:           g.ID,
		Tenant:       g.Tenant,
		UserID:       g.UserID,
		Roles:        g.Roles,
		ClientID:     g.ClientID,
		ClientName:   g.ClientName,
		RedirectHost: g.RedirectHost,
		Document:     g.Document,
		Refresh:      g.Refresh,
		Scopes:       g.Scopes,
		Generation:   g.Generation,
		RotatedAt:    g.RotatedAt,
		CreatedAt:    g.CreatedAt,
		LastUsedAt:   g.LastUsedAt,
		ExpiresAt:    g.ExpiresAt,
		State:        string(g.State),
		EndedAt:      g.EndedAt,
		EndReason:    string(g.EndReason),
		RemovableAt:  g.Removable(),
		Version:      g.Version,
	}
}

func (d grantDoc) grant() oauth.Grant {
	g := oauth.Grant{
		ID:           d.ID,
		Tenant:       d.Tenant,
		UserID:       d.UserID,
		Roles:        d.Roles,
		ClientID:     d.ClientID,
		ClientName:   d.ClientName,
		RedirectHost: d.RedirectHost,
		Document:     d.Document,
		Refresh:      d.Refresh,
		Scopes:       d.Scopes,
		Generation:   d.Generation,
		RotatedAt:    d.RotatedAt.UTC(),
		CreatedAt:    d.CreatedAt.UTC(),
		LastUsedAt:   d.LastUsedAt.UTC(),
		ExpiresAt:    d.ExpiresAt.UTC(),
		State:        oauth.State(d.State),
		EndReason:    oauth.Reason(d.EndReason),
		Version:      d.Version,
	}
	if d.EndedAt.Year() > 1 {
		g.EndedAt = d.EndedAt.UTC()
	}

	return g
}

func grantsOf(docs []grantDoc) []oauth.Grant {
	all := make([]oauth.Grant, len(docs))
	for i, d := range docs {
		all[i] = d.grant()
	}

	return all
}

// Insert saves a new grant, or returns errs.ErrTaken.
func (s *Grants) Insert(ctx context.Context, g oauth.Grant) error {
	err := s.docs.Insert(ctx, toGrantDoc(g))
	return err
}

// Find returns a grant, or oauth.ErrNoGrant.
func (s *Grants) Find(ctx context.Context, gid string) (oauth.Grant, error) {
	d, err := s.docs.Find(ctx, bson.D{mongox.Is("_id", gid)})
	return d.grant(), err
}

// tries bounds how often Update gives way. Each time somebody else's change went in.
const tries = 64

// Update changes a grant under its version.
func (s *Grants) Update(ctx context.Context, gid string, change func(*oauth.Grant) error) (oauth.Grant, error) {
	for range tries {
		g, err := s.Find(ctx, gid)
		if err != nil {
			return oauth.Grant{}, err
		}
		seen := bson.D{mongox.Is("_id", gid), mongox.Is("tenant", g.Tenant), mongox.Is("version", g.Version)}
		stands := g
		if err := change(&g); err != nil {
			return stands, err
		}
		g.Version++
		err = s.docs.Replace(ctx, seen, toGrantDoc(g))
		if !errors.Is(err, errs.ErrTaken) {
			return g, err
		}
	}

	return oauth.Grant{}, errs.ErrUnavailable
}

// OfUser lists live grants of a user, the newest first.
func (s *Grants) OfUser(
	ctx context.Context,
	tenant, userID string,
	now time.Time,
	before string,
	limit int,
) ([]oauth.Grant, error) {
	filter := bson.D{
		mongox.Is("tenant", tenant),
		mongox.Is("userId", userID),
		mongox.Is("state", string(oauth.Live)),
		mongox.Is("expiresAt", bson.D{mongox.Is("$gt", now)}),
	}
	if before != "" {
		filter = append(filter, mongox.Is("_id", bson.D{mongox.Is("$lt", before)}))
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("_id", -1)}, limit, nil)

	return grantsOf(docs), err
}

// HasClient reports whether any grant of the client is on record.
func (s *Grants) HasClient(ctx context.Context, clientID string) (bool, error) {
	_, err := s.docs.Find(ctx, bson.D{mongox.Is("clientId", clientID)})
	if errors.Is(err, errs.ErrNotFound) {
		return false, nil
	}

	return err == nil, err
}

// Endings lists grants whose end is not finished.
func (s *Grants) Endings(ctx context.Context, limit int) ([]oauth.Grant, error) {
	docs, err := s.docs.List(
		ctx,
		bson.D{mongox.Is("state", string(oauth.Ending))},
		bson.D{mongox.Is("removableAt", 1)},
		limit,
		nil,
	)

	return grantsOf(docs), err
}

// Expired lists live grants whose time has passed, the longest first. They are found by when they could leave the
// record if they ended by then, which the index has.
func (s *Grants) Expired(ctx context.Context, now time.Time, limit int) ([]oauth.Grant, error) {
	docs, err := s.docs.List(ctx, bson.D{
		mongox.Is("state", string(oauth.Live)),
		mongox.Is("removableAt", bson.D{mongox.Is("$lte", now.Add(oauth.KeepEnded))}),
	},
		bson.D{mongox.Is("removableAt", 1)}, limit, nil)

	return grantsOf(docs), err
}

// RemoveOld removes grants that ended and may leave the record.
func (s *Grants) RemoveOld(ctx context.Context, now time.Time, limit int) (int, error) {
	docs, err := s.docs.List(ctx, bson.D{
		mongox.Is("state", string(oauth.Over)),
		mongox.Is("removableAt", bson.D{mongox.Is("$lt", now)}),
	},
		bson.D{mongox.Is("removableAt", 1)}, limit, nil)
	if err != nil {
		return 0, err
	}

	for n, d := range docs {
		// The version makes sure that a grant which somebody has changed since it was listed stays.
		seen := bson.D{mongox.Is("_id", d.ID), mongox.Is("tenant", d.Tenant), mongox.Is("version", d.Version)}
		if err := s.docs.Remove(ctx, seen); err != nil {
			return n, err
		}
	}

	return len(docs), nil
}

// Clients implements oauth.Clients.
type Clients struct{ docs mongox.Documents[clientDoc] }

// NewClients returns the clients in db. They belong to no tenant: any user may allow a client.
func NewClients(db *mongo.Database) *Clients {
	return &Clients{mongox.In[clientDoc](db, clientsCollection)}
}

type clientDoc struct {
	ID         string    `bson:"_id"`
	Name       string    `bson:"name"`
	Redirects  []string  `bson:"redirects"`
	Refresh    bool      `bson:"refresh"`
	Registered time.Time `bson:"registered"`
	NeededTo   time.Time `bson:"neededTo"`
}

func (d clientDoc) client() oauth.Client {
	return oauth.Client{
		ID:         d.ID,
		Name:       d.Name,
		Redirects:  d.Redirects,
		Refresh:    d.Refresh,
		Registered: d.Registered.UTC(),
	}
}

// Keep stores a client, or moves on until when it is needed.
func (s *Clients) Keep(ctx context.Context, c oauth.Client, until time.Time) error {
	d := clientDoc{c.ID, c.Name, c.Redirects, c.Refresh, c.Registered, instant.Of(until)}
	for range tries {
		stands, err := s.docs.Find(ctx, bson.D{mongox.Is("_id", c.ID)})
		switch {
		case errors.Is(err, errs.ErrNotFound):
			err = s.docs.Insert(ctx, d)
		case err == nil && !stands.NeededTo.Before(d.NeededTo):
			return nil
		case err == nil:
			err = s.docs.Replace(ctx, bson.D{mongox.Is("_id", c.ID), mongox.Is("neededTo", stands.NeededTo)}, d)
		}
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return errs.ErrUnavailable
}

// Find returns a client, or oauth.ErrNoClient.
func (s *Clients) Find(ctx context.Context, id string) (oauth.Client, error) {
	d, err := s.docs.Find(ctx, bson.D{mongox.Is("_id", id)})
	if errors.Is(err, errs.ErrNotFound) {
		return oauth.Client{}, oauth.ErrNoClient
	}

	return d.client(), err
}

// Due lists clients that may not be needed any more, the longest first.
func (s *Clients) Due(ctx context.Context, now time.Time, limit int) ([]oauth.Due, error) {
	docs, err := s.docs.List(
		ctx,
		bson.D{mongox.Is("neededTo", bson.D{mongox.Is("$lt", now)})},
		bson.D{mongox.Is("neededTo", 1)},
		limit,
		nil,
	)
	if err != nil {
		return nil, err
	}

	due := make([]oauth.Due, len(docs))
	for i, d := range docs {
		due[i] = oauth.Due{Client: d.client(), Until: d.NeededTo.UTC()}
	}

	return due, nil
}

// Remove removes a client that is as it was listed.
func (s *Clients) Remove(ctx context.Context, d oauth.Due) error {
	return s.docs.Remove(ctx, bson.D{mongox.Is("_id", d.Client.ID), mongox.Is("neededTo", d.Until)})
}
