package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type partyDoc struct {
	Key            string        `bson:"_id"` // tenant/id
	Tenant         string        `bson:"tenant"`
	ID             string        `bson:"id"`
	CaseID         string        `bson:"caseId"`
	Version        int64         `bson:"version"`
	Ordinal        int           `bson:"ordinal"`
	Label          string        `bson:"label"`
	Kind           string        `bson:"kind"`
	Role           string        `bson:"role"`
	Side           string        `bson:"side"`
	IsClient       bool          `bson:"isClient"`
	Representation string        `bson:"representation"`
	Attributes     attributesDoc `bson:"attributes"`
	Notes          string        `bson:"notes"`
	Status         string        `bson:"status"`
	MergedInto     string        `bson:"mergedIntoPartyId"`
	JoinedOn       string        `bson:"joinedOn"`
	LeftOn         string        `bson:"leftOn"`
	IdentityRef    string        `bson:"identityRef"`
	Sealed         *sealedDoc    `bson:"sealed"`
	Tokens         []string      `bson:"conflictTokens"`
	ComparedAt     time.Time     `bson:"comparedAt"`
	SearchTokens   []string      `bson:"searchTokens"`
	Fingerprint    string        `bson:"fingerprint"`
	CreatedAt      time.Time     `bson:"createdAt"`
	UpdatedAt      time.Time     `bson:"updatedAt"`
	CreatedBy      actorDoc      `bson:"createdBy"`
	Shared         bool          `bson:"shared"`
}

type attributesDoc struct {
	EntityType       string   `bson:"entityType"`
	AgeBand          string   `bson:"ageBand"`
	Residence        string   `bson:"residence"`
	Languages        []string `bson:"languages"`
	NeedsInterpreter *bool    `bson:"needsInterpreter"`
}

type sealedDoc struct {
	V          int    `bson:"v"`
	Alg        string `bson:"alg"`
	KeyVersion int    `bson:"keyVersion"`
	IV         string `bson:"iv"`
	CT         string `bson:"ct"`
	AAD        string `bson:"aad"`
}

func toPartyDoc(p parties.Party) partyDoc {
	return partyDoc{
		Key:            mongox.Key(p.Tenant, p.ID),
		Tenant:         p.Tenant,
		ID:             p.ID,
		CaseID:         p.CaseID,
		Version:        p.Version,
		Ordinal:        p.Ordinal,
		Label:          p.Label,
		Kind:           p.Kind,
		Role:           p.Role,
		Side:           p.Side,
		IsClient:       p.IsClient,
		Representation: p.Representation,
		Attributes:     attributesDoc(p.Attributes),
		Notes:          p.Notes,
		Status:         p.Status,
		MergedInto:     p.MergedInto,
		JoinedOn:       p.JoinedOn,
		LeftOn:         p.LeftOn,
		IdentityRef:    p.IdentityRef,
		Sealed:         (*sealedDoc)(p.Sealed),
		Tokens:         p.Tokens,
		ComparedAt:     p.ComparedAt,
		SearchTokens:   p.SearchWords(),
		Fingerprint:    p.Fingerprint,
		CreatedAt:      p.CreatedAt,
		UpdatedAt:      p.UpdatedAt,
		CreatedBy:      actorDoc(p.CreatedBy),
		Shared:         p.Shared,
	}
}

func (d partyDoc) toParty() parties.Party {
	return parties.Party{
		ID:             d.ID,
		Tenant:         d.Tenant,
		CaseID:         d.CaseID,
		Version:        d.Version,
		Ordinal:        d.Ordinal,
		Label:          d.Label,
		Kind:           d.Kind,
		Role:           d.Role,
		Side:           d.Side,
		IsClient:       d.IsClient,
		Representation: d.Representation,
		Attributes:     parties.Attributes(d.Attributes),
		Notes:          d.Notes,
		Status:         d.Status,
		MergedInto:     d.MergedInto,
		JoinedOn:       d.JoinedOn,
		LeftOn:         d.LeftOn,
		IdentityRef:    d.IdentityRef,
		Sealed:         (*parties.Sealed)(d.Sealed),
		Tokens:         d.Tokens,
		ComparedAt:     d.ComparedAt.UTC(),
		Fingerprint:    d.Fingerprint,
		CreatedAt:      d.CreatedAt.UTC(),
		UpdatedAt:      d.UpdatedAt.UTC(),
		CreatedBy:      actorOf(d.CreatedBy),
		Shared:         d.Shared,
	}
}

// Parties implements parties.Store and parties.Matches.
type Parties struct{ docs mongox.Documents[partyDoc] }

// NewParties returns the store in db.
func NewParties(db *mongo.Database) *Parties {
	return &Parties{mongox.In[partyDoc](db, partiesCollection)}
}

// Insert inserts a party. Its id, its label and its ordinal are unique; which of them is taken is found out afterwards.
func (s *Parties) Insert(ctx context.Context, p parties.Party) error {
	err := s.docs.Insert(ctx, toPartyDoc(p))
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	_, err = s.docs.Find(ctx, mongox.One(p.Tenant, p.ID))
	switch {
	case err == nil:
		return parties.ErrExists
	case errors.Is(err, parties.ErrNotFound):
		return parties.ErrPlaceTaken
	}

	return err
}

// Get returns a party.
func (s *Parties) Get(ctx context.Context, tenant, id string) (parties.Party, error) {
	// It comes from a path, and goes into a key of the store.
	if !ids.Valid(id) {
		return parties.Party{}, parties.ErrNotFound
	}
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return parties.Party{}, err
	}

	return d.toParty(), nil
}

// Under finds an id under several tenants in one query.
func (s *Parties) Under(ctx context.Context, tenants []string, id string) ([]parties.Party, error) {
	if !ids.Valid(id) || len(tenants) == 0 {
		return nil, nil
	}
	docs, err := s.docs.List(ctx, mongox.Among(tenants, id), bson.D{}, len(tenants), nil)

	return mongox.Each(docs, partyDoc.toParty), err
}

// Replace saves the next version.
func (s *Parties) Replace(ctx context.Context, p parties.Party) (parties.Party, error) {
	seen := mongox.Version(p.Version, p.Tenant, p.ID)
	p.Version++
	err := s.docs.Replace(ctx, seen, toPartyDoc(p))

	return p, err
}

func partyFilter(tenant string, f parties.Filter) bson.D {
	filter := bson.D{mongox.Is("tenant", tenant)}
	for _, equal := range []bson.E{
		mongox.Is("caseId", f.CaseID), mongox.Is("role", f.Role), mongox.Is("side", f.Side),
		mongox.Is("status", f.Status),
	} {
		if equal.Value != "" {
			filter = append(filter, equal)
		}
	}
	if f.IsClient != nil {
		filter = append(filter, mongox.Is("isClient", *f.IsClient))
	}
	if f.SealedKeyVersion > 0 {
		filter = append(filter, mongox.Is("sealed.keyVersion", f.SealedKeyVersion))
	}

	var words bson.A
	for _, w := range f.Words {
		words = append(words, bson.D{mongox.Is("searchTokens", w)})
	}
	if len(words) > 0 {
		filter = append(filter, mongox.Is("$and", words))
	}

	return filter
}

// List returns one page.
func (s *Parties) List(
	ctx context.Context, tenant string, f parties.Filter, after *parties.Cursor, limit int,
) ([]parties.Party, error) {
	filter := partyFilter(tenant, f)
	if p := after; p != nil {
		filter = append(filter, mongox.Is("$or", bson.A{
			bson.D{mongox.Is("caseId", bson.D{mongox.Is("$gt", p.CaseID)})},
			bson.D{mongox.Is("caseId", p.CaseID), mongox.Is("ordinal", bson.D{mongox.Is("$gt", p.Ordinal)})},
		}))
	}
	var projection bson.D
	if f.Plain {
		projection = bson.D{mongox.Is("sealed", 0)}
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("caseId", 1), mongox.Is("ordinal", 1)}, limit, projection)

	return mongox.Each(docs, partyDoc.toParty), err
}

// Count counts up to most parties.
func (s *Parties) Count(ctx context.Context, tenant string, f parties.Filter, most int) (int, error) {
	return s.docs.Count(ctx, partyFilter(tenant, f), most)
}

// Places returns what the parties of a case have of labels and ordinals.
func (s *Parties) Places(ctx context.Context, tenant, caseID string) ([]parties.Taken, error) {
	docs, err := s.docs.List(ctx, partyFilter(tenant, parties.Filter{CaseID: caseID}), bson.D{mongox.Is("ordinal", 1)}, 0,
		bson.D{mongox.Is("label", 1), mongox.Is("ordinal", 1)})

	return mongox.Each(docs, func(d partyDoc) parties.Taken {
		return parties.Taken{
			Label: d.Label, Ordinal: d.Ordinal,
		}
	}), err
}

func acrossFilter(tenant, caseID, side string, tokens []string) bson.D {
	return bson.D{
		mongox.Is("tenant", tenant), mongox.Is(
			"conflictTokens", bson.D{mongox.Is("$in", tokens)},
		), mongox.Is("side", side),
		mongox.Is("caseId", bson.D{mongox.Is("$ne", caseID)}),
	}
}

// Across finds equal tokens in other cases.
func (s *Parties) Across(
	ctx context.Context, tenant, caseID, side string, tokens []string, most int,
) ([]parties.Match, error) {
	docs, err := s.docs.List(ctx, acrossFilter(tenant, caseID, side, tokens), bson.D{
		mongox.Is("comparedAt", -1), mongox.Is("id", -1),
	}, most, bson.D{
		mongox.Is("id", 1), mongox.Is("caseId", 1), mongox.Is("role", 1), mongox.Is("conflictTokens", 1),
		mongox.Is("comparedAt", 1),
	})

	return mongox.Each(docs, func(d partyDoc) parties.Match {
		return parties.Match{PartyID: d.ID, CaseID: d.CaseID, Role: d.Role, Tokens: d.Tokens, At: d.ComparedAt.UTC()}
	}), err
}

// CountAcross counts them.
func (s *Parties) CountAcross(
	ctx context.Context, tenant, caseID, side string, tokens []string, most int,
) (int, error) {
	return s.docs.Count(ctx, acrossFilter(tenant, caseID, side, tokens), most)
}

type turnDoc struct {
	Key    string    `bson:"_id"` // tenant/ and the caseId, or what else there is a turn for
	Tenant string    `bson:"tenant"`
	Holder string    `bson:"holder"`
	Until  time.Time `bson:"until"`
}

// Leases implements parties.Leases.
type Leases struct{ docs mongox.Documents[turnDoc] }

// NewLeases returns the store in db.
func NewLeases(db *mongo.Database) *Leases { return &Leases{mongox.In[turnDoc](db, turnsCollection)} }

// Take inserts the turn; one whose time is up is removed first, by whichever racer sees it.
func (s *Leases) Take(ctx context.Context, tenant, what, holder string, now, until time.Time) error {
	want := turnDoc{mongox.Key(tenant, what), tenant, holder, until}
	err := s.docs.Insert(ctx, want)
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	held, err := s.docs.Find(ctx, mongox.One(tenant, what))
	switch {
	case errors.Is(err, parties.ErrNotFound):
		return parties.ErrBusy
	case err != nil:
		return err
	case now.Before(held.Until):
		return parties.ErrBusy
	}
	if err := s.GiveBack(ctx, tenant, what, held.Holder); err != nil {
		return err
	}
	if err = s.docs.Insert(ctx, want); errors.Is(err, errs.ErrTaken) {
		err = parties.ErrBusy
	}

	return err
}

// GiveBack deletes the turn that holder has.
func (s *Leases) GiveBack(ctx context.Context, tenant, what, holder string) error {
	return s.docs.Remove(ctx, append(mongox.One(tenant, what), mongox.Is("holder", holder)))
}
