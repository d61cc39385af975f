package mongostore

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const membersCollection = "members"

// Members implements members.Store: one document for each tenant and user.
type Members struct{ docs mongox.Documents[memberDoc] }

// NewMembers returns the members in db.
func NewMembers(db *mongo.Database) *Members {
	return &Members{mongox.In[memberDoc](db, membersCollection)}
}

type memberDoc struct {
	ID           string    `bson:"_id"` // tenant/userId
	Tenant       string    `bson:"tenant"`
	UserID       string    `bson:"userId"`
	Roles        []string  `bson:"roles"`
	RolesAt      time.Time `bson:"rolesAt"`
	FirstSeen    time.Time `bson:"firstSeen"`
	LastSeen     time.Time `bson:"lastSeen"`
	State        string    `bson:"state"`
	Why          string    `bson:"why,omitempty"`
	EndedAt      time.Time `bson:"endedAt,omitempty"`
	EndedBy      string    `bson:"endedBy,omitempty"`
	KeyExpiresAt time.Time `bson:"keyExpiresAt,omitempty"`
	RestoredAt   time.Time `bson:"restoredAt,omitempty"`
	Untold       bool      `bson:"untold,omitempty"`
	Version      int       `bson:"version"`
}

func toMemberDoc(m members.Member) memberDoc {
	return memberDoc{
		ID:           mongox.Key(m.Tenant, m.UserID),
		Tenant:       m.Tenant,
		UserID:       m.UserID,
		Roles:        m.Roles,
		RolesAt:      m.RolesAt,
		FirstSeen:    m.FirstSeen,
		LastSeen:     m.LastSeen,
		State:        string(m.State),
		Why:          string(m.Why),
		EndedAt:      m.EndedAt,
		EndedBy:      m.EndedBy,
		KeyExpiresAt: m.KeyExpiresAt,
		RestoredAt:   m.RestoredAt,
		Untold:       m.Untold,
		Version:      m.Version,
	}
}

func (d memberDoc) member() members.Member {
	m := members.Member{
		Tenant:    d.Tenant,
		UserID:    d.UserID,
		Roles:     d.Roles,
		RolesAt:   d.RolesAt.UTC(),
		FirstSeen: d.FirstSeen.UTC(),
		LastSeen:  d.LastSeen.UTC(),
		State:     members.State(d.State),
		Why:       members.Reason(d.Why),
		EndedBy:   d.EndedBy,
		Untold:    d.Untold,
		Version:   d.Version,
	}
	if d.EndedAt.Year() > 1 {
		m.EndedAt = d.EndedAt.UTC()
	}
	if d.KeyExpiresAt.Year() > 1 {
		m.KeyExpiresAt = d.KeyExpiresAt.UTC()
	}
	if d.RestoredAt.Year() > 1 {
		m.RestoredAt = d.RestoredAt.UTC()
	}

	return m
}

func membersOf(docs []memberDoc, err error) ([]members.Member, error) {
	all := make([]members.Member, len(docs))
	for i, d := range docs {
		all[i] = d.member()
	}

	return all, err
}

// Find returns a member, or members.ErrNoMember.
func (s *Members) Find(ctx context.Context, tenant, userID string) (members.Member, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, userID))
	return d.member(), err
}

// Insert saves a new member, or returns errs.ErrTaken.
func (s *Members) Insert(ctx context.Context, m members.Member) error {
	return s.docs.Insert(ctx, toMemberDoc(m))
}

// Replace saves m over its version and moves that on, or returns errs.ErrTaken.
func (s *Members) Replace(ctx context.Context, m members.Member) error {
	seen := mongox.Version(m.Version, m.Tenant, m.UserID)
	m.Version++

	return s.docs.Replace(ctx, seen, toMemberDoc(m))
}

// List returns members of a tenant in the order of their ids.
func (s *Members) List(ctx context.Context, tenant, after string, limit int) ([]members.Member, error) {
	filter := bson.D{mongox.Is("tenant", tenant)}
	if after != "" {
		filter = append(filter, mongox.Is("_id", bson.D{mongox.Is("$gt", mongox.Key(tenant, after))}))
	}

	return membersOf(s.docs.List(ctx, filter, bson.D{mongox.Is("_id", 1)}, limit, nil))
}

// Leaving lists members of all tenants whose departure is not finished, whoever was seen least recently first.
func (s *Members) Leaving(ctx context.Context, limit int) ([]members.Member, error) {
	filter := bson.D{mongox.Is("state", string(members.Leaving))}
	return membersOf(s.docs.List(ctx, filter, bson.D{mongox.Is("lastSeen", 1)}, limit, nil))
}

// Untold lists members of all tenants whose newest change may not be known everywhere, whoever was seen least
// recently first.
func (s *Members) Untold(ctx context.Context, limit int) ([]members.Member, error) {
	filter := bson.D{mongox.Is("untold", true)}
	return membersOf(s.docs.List(ctx, filter, bson.D{mongox.Is("lastSeen", 1)}, limit, nil))
}

// Unseen lists active members of all tenants whom nobody has seen since before.
func (s *Members) Unseen(ctx context.Context, before time.Time, limit int) ([]members.Member, error) {
	filter := bson.D{
		mongox.Is("state", string(members.Active)), mongox.Is("lastSeen", bson.D{mongox.Is("$lt", before)}),
	}

	return membersOf(s.docs.List(ctx, filter, bson.D{mongox.Is("lastSeen", 1)}, limit, nil))
}
