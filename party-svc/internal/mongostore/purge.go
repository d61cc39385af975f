package mongostore

import (
	"context"

	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Contents takes away what the service keeps of a case.
type Contents struct {
	parties   mongox.Documents[partyDoc]
	turns     mongox.Documents[turnDoc]
	invites   mongox.Documents[inviteDoc]
	addresses mongox.Documents[addressDoc]
	grants    mongox.Documents[grantDoc]
	notices   mongox.Documents[noticeDoc]
	labels    mongox.Documents[labelsDoc]
}

// NewContents returns the store in db.
func NewContents(db *mongo.Database) *Contents {
	return &Contents{
		mongox.In[partyDoc](db, partiesCollection), mongox.In[turnDoc](db, turnsCollection),
		mongox.In[inviteDoc](db, invitesCollection),
		mongox.In[addressDoc](db, addressesCollection), mongox.In[grantDoc](db, grantsCollection),
		mongox.In[noticeDoc](db, noticesCollection),
		mongox.In[labelsDoc](db, labelsCollection),
	}
}

// OthersWork looks for a party or an invite of a case in which somebody other than an agent of the user had a hand. An
// invite that was sent or revoked was a person's.
func (s *Contents) OthersWork(ctx context.Context, tenant, caseID, userID string) (bool, error) {
	others := func(more ...bson.E) bson.D {
		hands := bson.A{bson.D{mongox.Is(
			"createdBy.userId", bson.D{mongox.Is("$ne", userID)},
		)}, bson.D{mongox.Is("createdBy.kind", audit.User)}}
		for _, e := range more {
			hands = append(hands, bson.D{e})
		}

		return bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID), mongox.Is("$or", hands)}
	}
	if n, err := s.parties.Count(ctx, others(mongox.Is("shared", true)), 1); err != nil || n > 0 {
		return n > 0, err
	}
	n, err := s.invites.Count(
		ctx, others(mongox.Is("sentAt", bson.D{mongox.Is("$ne", nil)}), mongox.Is("status", invites.Revoked)), 1,
	)

	return n > 0, err
}

// Holdings lists the ids of the parties and then of the invites of a case, each in the order in which they came.
func (s *Contents) Holdings(ctx context.Context, tenant, caseID string) ([]string, error) {
	ofCase, short := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID)}, bson.D{mongox.Is("id", 1)}
	parties, err := s.parties.List(ctx, ofCase, bson.D{mongox.Is("ordinal", 1)}, 0, short)
	if err != nil {
		return nil, err
	}
	invited, err := s.invites.List(ctx, ofCase, bson.D{mongox.Is("createdAt", 1), mongox.Is("id", 1)}, 0, short)

	ids := make([]string, 0, len(parties)+len(invited))
	for _, d := range parties {
		ids = append(ids, d.ID)
	}

	for _, d := range invited {
		ids = append(ids, d.ID)
	}

	return ids, err
}

// purgePage is what is removed between two looks at the store.
const purgePage = 100

// Purge deletes the parties, sealed labels and invites of a case, and with each invite its address and its grant. It
// may be repeated.
func (s *Contents) Purge(ctx context.Context, tenant, caseID string) error {
	ofCase := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID)}
	err := purgeAll(ctx, s.invites, ofCase, func(d inviteDoc) error {
		if d.AccountUserID != "" {
			address := bson.D{mongox.Is("_id", addressKey(d.AccountUserID, d.ID)), mongox.Is("userId", d.AccountUserID)}
			if err := s.addresses.Remove(ctx, address); err != nil {
				return err
			}
		}
		if d.PartnerTenant != "" {
			grant := append(mongox.One(d.PartnerTenant, d.CaseID, d.AccountUserID), mongox.Is("inviteId", d.ID))
			if err := s.grants.Remove(ctx, grant); err != nil {
				return err
			}
		}

		return s.invites.Remove(ctx, mongox.One(tenant, d.ID))
	})
	if err != nil {
		return err
	}
	if err := purgeAll(
		ctx, s.parties, ofCase, func(d partyDoc) error { return s.parties.Remove(ctx, mongox.One(tenant, d.ID)) },
	); err != nil {
		return err
	}
	if err := s.labels.Remove(ctx, mongox.One(tenant, caseID)); err != nil {
		return err
	}
	if err := s.turns.Remove(ctx, mongox.One(tenant, caseID)); err != nil {
		return err
	}

	return s.notices.Remove(ctx, mongox.One(tenant, caseID))
}

// purgeAll removes what filter lets through, page by page.
func purgeAll[D any](ctx context.Context, docs mongox.Documents[D], filter bson.D, remove func(D) error) error {
	for {
		page, err := docs.List(ctx, filter, bson.D{}, purgePage, nil)
		if err != nil || len(page) == 0 {
			return err
		}

		for _, d := range page {
			if err := remove(d); err != nil {
				return err
			}
		}
	}
}
