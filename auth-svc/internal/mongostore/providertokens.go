package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const providerTokensCollection = "vouchers" // as they were once called

// ProviderTokens implements members.ProviderTokens: one document for each tenant and user, whose token is sealed.
type ProviderTokens struct {
	docs mongox.Documents[providerTokenDoc]
	seal secret.Sealer
}

// NewProviderTokens returns the tokens in db.
func NewProviderTokens(db *mongo.Database, seal secret.Sealer) *ProviderTokens {
	return &ProviderTokens{mongox.In[providerTokenDoc](db, providerTokensCollection), seal}
}

type providerTokenDoc struct {
	ID       string    `bson:"_id"` // tenant/userId
	Tenant   string    `bson:"tenant"`
	UserID   string    `bson:"userId"`
	Sealed   []byte    `bson:"sealed"`
	AskAt    time.Time `bson:"askAt"`
	Asking   bool      `bson:"asking"`
	Unopened time.Time `bson:"unopened,omitempty"` // since when somebody has failed to open it
	Version  int       `bson:"version"`
}

func (s *ProviderTokens) doc(v members.ProviderToken) providerTokenDoc {
	id := mongox.Key(v.Tenant, v.UserID)

	return providerTokenDoc{
		ID:      id,
		Tenant:  v.Tenant,
		UserID:  v.UserID,
		Sealed:  s.seal.Seal(v.Token, id),
		AskAt:   v.AskAt,
		Asking:  v.Asking,
		Version: v.Version,
	}
}

// keepTries bounds how often Keep begins again because another sign-in of the member was first.
const keepTries = 16

// Keep saves a token in place of an older one.
func (s *ProviderTokens) Keep(ctx context.Context, v members.ProviderToken) error {
	for range keepTries {
		found, err := s.docs.Find(ctx, mongox.One(v.Tenant, v.UserID))

		switch {
		case errors.Is(err, members.ErrNoMember):
			err = s.docs.Insert(ctx, s.doc(v))
		case err == nil:
			v.Version = found.Version
			err = s.Replace(ctx, v)
		}
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return errs.ErrTaken
}

const (
	unopenedPause = time.Hour          // between two tries to open a token
	unopenedLife  = 7 * 24 * time.Hour // of a token that nobody has opened
)

// Due lists tokens of all tenants whose time to ask has come, and counts those that it cannot open. While the pepper
// changes, another process may have the one with which they were sealed.
func (s *ProviderTokens) Due(ctx context.Context, now time.Time, limit int) ([]members.ProviderToken, int, error) {
	filter := bson.D{mongox.Is("askAt", bson.D{mongox.Is("$lte", now)})}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("askAt", 1)}, limit, nil)
	if err != nil {
		return nil, 0, err
	}
	var due []members.ProviderToken

	for _, d := range docs {
		token, err := s.seal.Open(d.Sealed, d.ID)
		if err != nil {
			if err := s.putOff(ctx, d, now); err != nil {
				return nil, 0, err
			}

			continue
		}
		due = append(due, members.ProviderToken{
			Tenant:  d.Tenant,
			UserID:  d.UserID,
			Token:   token,
			AskAt:   d.AskAt.UTC(),
			Asking:  d.Asking,
			Version: d.Version,
		})
	}

	return due, len(docs) - len(due), nil
}

// putOff leaves a token that cannot be opened to others, or removes it after a week.
func (s *ProviderTokens) putOff(ctx context.Context, d providerTokenDoc, now time.Time) error {
	seen := mongox.Version(d.Version, d.Tenant, d.UserID)
	if d.Unopened.Year() <= 1 {
		d.Unopened = now
	}
	if now.Sub(d.Unopened) >= unopenedLife {
		return s.docs.Remove(ctx, seen)
	}
	d.AskAt = now.Add(unopenedPause)
	d.Version++
	if err := s.docs.Replace(ctx, seen, d); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil
}

// Replace saves v over its version and moves that on, or returns errs.ErrTaken.
func (s *ProviderTokens) Replace(ctx context.Context, v members.ProviderToken) error {
	seen := mongox.Version(v.Version, v.Tenant, v.UserID)
	v.Version++

	return s.docs.Replace(ctx, seen, s.doc(v))
}

// Drop removes the version of v.
func (s *ProviderTokens) Drop(ctx context.Context, v members.ProviderToken) error {
	return s.docs.Remove(ctx, mongox.Version(v.Version, v.Tenant, v.UserID))
}

// Forget removes the token of a member, whatever its version.
func (s *ProviderTokens) Forget(ctx context.Context, tenant, userID string) error {
	return s.docs.Remove(ctx, mongox.One(tenant, userID))
}

// Clear removes up to limit tokens of all tenants.
func (s *ProviderTokens) Clear(ctx context.Context, limit int) error {
	docs, err := s.docs.List(ctx, bson.D{}, nil, limit, mongox.Without("sealed"))
	if err != nil {
		return err
	}

	for _, d := range docs {
		if err := s.Forget(ctx, d.Tenant, d.UserID); err != nil {
			return err
		}
	}

	return nil
}
