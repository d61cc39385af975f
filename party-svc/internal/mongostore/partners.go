package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type partnerDoc struct {
	Key           string       `bson:"_id"` // tenant/id
	Tenant        string       `bson:"tenant"`
	ID            string       `bson:"id"`
	Version       int64        `bson:"version"`
	DisplayName   string       `bson:"displayName"`
	Kind          string       `bson:"kind"`
	Licences      []licenceDoc `bson:"licences"`
	PracticeAreas []areaDoc    `bson:"practiceAreas"`
	Languages     []string     `bson:"languages"`
	Jurisdictions []string     `bson:"jurisdictions"`
	AcceptsTiers  []int        `bson:"acceptsTiers"`
	Availability  string       `bson:"availability"`
	CapacityNote  string       `bson:"capacityNote"`
	ResponseHours *int         `bson:"typicalResponseHours"`
	FeeModels     []string     `bson:"feeModels"`
	ProfileURL    string       `bson:"profileUrl"`
	AgentCardURL  string       `bson:"agentCardUrl"`
	AccountUserID string       `bson:"accountUserId"`
	Digest        string       `bson:"digest"`
	UpdatedAt     time.Time    `bson:"updatedAt"`
	SearchTokens  []string     `bson:"searchTokens"`
	LicenceKeys   []string     `bson:"licenceKeys"`
	ReachKeys     []string     `bson:"jurisdictionKeys"`
	PracticeKeys  []string     `bson:"practiceKeys"`
	LanguageKeys  []string     `bson:"languageKeys"`
}

type licenceDoc struct {
	Jurisdiction string     `bson:"jurisdiction"`
	Body         string     `bson:"body"`
	Kind         string     `bson:"kind"`
	Status       string     `bson:"status"`
	VerifiedAt   *time.Time `bson:"verifiedAt"`
}

type areaDoc struct {
	Scheme string `bson:"scheme"`
	Code   string `bson:"code"`
	Label  string `bson:"label"`
}

func toPartnerDoc(p partners.Partner) partnerDoc {
	return partnerDoc{
		Key:           mongox.Key(p.Tenant, p.ID),
		Tenant:        p.Tenant,
		ID:            p.ID,
		Version:       p.Version,
		DisplayName:   p.DisplayName,
		Kind:          p.Kind,
		Licences:      mongox.Each(p.Licences, func(l partners.Licence) licenceDoc { return licenceDoc(l) }),
		PracticeAreas: mongox.Each(p.PracticeAreas, func(a partners.Area) areaDoc { return areaDoc(a) }),
		Languages:     p.Languages,
		Jurisdictions: p.Jurisdictions,
		AcceptsTiers:  p.AcceptsTiers,
		Availability:  p.Availability,
		CapacityNote:  p.CapacityNote,
		ResponseHours: p.ResponseHours,
		FeeModels:     p.FeeModels,
		ProfileURL:    p.ProfileURL,
		AgentCardURL:  p.AgentCardURL,
		AccountUserID: p.AccountUserID,
		Digest:        p.Digest,
		UpdatedAt:     p.UpdatedAt,
		SearchTokens:  p.SearchWords(),
		LicenceKeys:   p.LicenceKeys(),
		ReachKeys:     p.ReachKeys(),
		PracticeKeys:  p.PracticeKeys(),
		LanguageKeys:  p.LanguageKeys(),
	}
}

func (d partnerDoc) toPartner() partners.Partner {
	return partners.Partner{
		ID:            d.ID,
		Tenant:        d.Tenant,
		Version:       d.Version,
		DisplayName:   d.DisplayName,
		Kind:          d.Kind,
		Licences:      mongox.Each(d.Licences, toLicence),
		PracticeAreas: mongox.Each(d.PracticeAreas, func(a areaDoc) partners.Area { return partners.Area(a) }),
		Languages:     d.Languages,
		Jurisdictions: d.Jurisdictions,
		AcceptsTiers:  d.AcceptsTiers,
		Availability:  d.Availability,
		CapacityNote:  d.CapacityNote,
		ResponseHours: d.ResponseHours,
		FeeModels:     d.FeeModels,
		ProfileURL:    d.ProfileURL,
		AgentCardURL:  d.AgentCardURL,
		AccountUserID: d.AccountUserID,
		Digest:        d.Digest,
		UpdatedAt:     d.UpdatedAt.UTC(),
	}
}

func toLicence(d licenceDoc) partners.Licence {
	if d.VerifiedAt != nil {
		at := d.VerifiedAt.UTC()
		d.VerifiedAt = &at
	}

	return partners.Licence(d)
}

// editionDoc numbers the states of a directory.
type editionDoc struct {
	Key     string `bson:"_id"` // tenant/edition
	Tenant  string `bson:"tenant"`
	Edition int64  `bson:"edition"`
}

// Partners implements partners.Store.
type Partners struct {
	docs     mongox.Documents[partnerDoc]
	editions mongox.Documents[editionDoc]
}

// NewPartners returns the store in db.
func NewPartners(db *mongo.Database) *Partners {
	return &Partners{mongox.In[partnerDoc](db, partnersCollection), mongox.In[editionDoc](db, editionsCollection)}
}

// Get returns an entry of the tenant's own directory.
func (s *Partners) Get(ctx context.Context, tenant, id string) (partners.Partner, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return partners.Partner{}, err
	}

	return d.toPartner(), nil
}

// Count counts the tenant's own entries.
func (s *Partners) Count(ctx context.Context, tenant string) (int, error) {
	return s.docs.Count(ctx, bson.D{mongox.Is("tenant", tenant)}, 0)
}

// Put inserts version 1, and replaces the version before any other.
func (s *Partners) Put(ctx context.Context, p partners.Partner) error {
	var err error
	if p.Version == 1 {
		err = s.docs.Insert(ctx, toPartnerDoc(p))
	} else {
		err = s.docs.Replace(ctx, mongox.Version(p.Version-1, p.Tenant, p.ID), toPartnerDoc(p))
	}

	return err
}

// Find lists what f lets through of the tenant's own directory.
func (s *Partners) Find(ctx context.Context, tenant string, f partners.Filter) ([]partners.Partner, error) {
	filter := bson.D{mongox.Is("tenant", tenant)}
	for _, equal := range []bson.E{
		mongox.Is("practiceKeys", f.PracticeKey), mongox.Is("languageKeys", f.Language),
		mongox.Is("feeModels", f.FeeModel),
	} {
		if equal.Value != "" {
			filter = append(filter, equal)
		}
	}

	switch {
	case f.Jurisdiction != "" && f.AnyLicence:
		filter = append(filter, mongox.Is("jurisdictionKeys", f.Jurisdiction))
	case f.Jurisdiction != "":
		filter = append(filter, mongox.Is("licenceKeys", f.Jurisdiction))
	}
	if f.Tier != 0 {
		filter = append(filter, mongox.Is("acceptsTiers", f.Tier))
	}

	for field, values := range map[string][]string{"kind": f.Kinds, "availability": f.Availability} {
		if len(values) > 0 {
			filter = append(filter, mongox.Is(field, bson.D{mongox.Is("$in", values)}))
		}
	}

	var words bson.A
	for _, w := range f.Words {
		words = append(words, bson.D{mongox.Is("searchTokens", w)})
	}
	if len(words) > 0 {
		filter = append(filter, mongox.Is("$and", words))
	}
	docs, err := s.docs.List(ctx, filter, bson.D{}, 2*partners.MaxEntries, nil)

	return mongox.Each(docs, partnerDoc.toPartner), err
}

const editionKey = "edition"

// Editions returns the numbers of directories.
func (s *Partners) Editions(ctx context.Context, tenants ...string) (map[string]int64, error) {
	docs, err := s.editions.List(ctx, mongox.Among(tenants, editionKey), bson.D{}, len(tenants), nil)

	numbers := map[string]int64{}
	for _, d := range docs {
		numbers[d.Tenant] = d.Edition
	}

	return numbers, err
}

// Reissue counts the edition up. Who loses a race against another that does the same has nothing to add.
func (s *Partners) Reissue(ctx context.Context, tenant string) error {
	numbers, err := s.Editions(ctx, tenant)
	if err != nil {
		return err
	}
	was := numbers[tenant]
	next := editionDoc{mongox.Key(tenant, editionKey), tenant, was + 1}
	if was == 0 {
		err = s.editions.Insert(ctx, next)
	} else {
		err = s.editions.Replace(ctx, append(mongox.One(tenant, editionKey), mongox.Is("edition", was)), next)
	}
	if errors.Is(err, errs.ErrTaken) {
		return nil
	}

	return err
}
