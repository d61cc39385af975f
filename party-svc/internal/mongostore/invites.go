package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type inviteDoc struct {
	Key       string `bson:"_id"` // tenant/id
	Tenant    string `bson:"tenant"`
	ID        string `bson:"id"`
	CaseID    string `bson:"caseId"`
	PartnerID string `bson:"partnerId"`
	// always filled, and unique within the case: one open invite for each partner
	OpenKey          string     `bson:"openKey"`
	Version          int64      `bson:"version"`
	Role             string     `bson:"role"`
	BranchIDs        []string   `bson:"branchIds"`
	FileIDs          []string   `bson:"fileIds"`
	Message          string     `bson:"message"`
	Status           string     `bson:"status"`
	Hours            int        `bson:"hours"`
	LicenceKnown     bool       `bson:"licenceKnown"`
	ExpiresAt        time.Time  `bson:"expiresAt"`
	ConflictAttested *bool      `bson:"conflictAttested"`
	Facts            factsDoc   `bson:"facts"`
	AccountUserID    string     `bson:"accountUserId"`
	PartnerTenant    string     `bson:"partnerTenant"`
	SentAt           *time.Time `bson:"sentAt"`
	Settled          bool       `bson:"settled"`
	SettleAt         time.Time  `bson:"settleAt"`
	Tries            int        `bson:"tries"`
	DueAt            time.Time  `bson:"dueAt"` // when the sweep looks at it
	CreatedBy        actorDoc   `bson:"createdBy"`
	CreatedAt        time.Time  `bson:"createdAt"`
	UpdatedAt        time.Time  `bson:"updatedAt"`
	DecidedAt        *time.Time `bson:"decidedAt"`
	Fingerprint      string     `bson:"fingerprint"`
	DecisionKey      string     `bson:"decisionKey"`
}

type factsDoc struct {
	MatterKind   string        `bson:"matterKind"`
	Jurisdiction string        `bson:"jurisdiction"`
	Areas        []mainAreaDoc `bson:"areas"`
	Tier         int           `bson:"tier"`
}

type mainAreaDoc struct {
	Scheme  string `bson:"scheme"`
	Code    string `bson:"code"`
	Label   string `bson:"label"`
	Primary bool   `bson:"primary"`
}

func openKey(i invites.Invite) string {
	if invites.Open(i.Status) {
		return openKeyOf(i.PartnerID)
	}

	return "over " + i.ID
}

func openKeyOf(partnerID string) string { return "open " + partnerID }

func toInviteDoc(i invites.Invite) inviteDoc {
	d := inviteDoc{
		Key:              mongox.Key(i.Tenant, i.ID),
		Tenant:           i.Tenant,
		ID:               i.ID,
		CaseID:           i.CaseID,
		PartnerID:        i.PartnerID,
		OpenKey:          openKey(i),
		Version:          i.Version,
		Role:             i.Role,
		BranchIDs:        i.Scope.BranchIDs,
		FileIDs:          i.Scope.FileIDs,
		Message:          i.Message,
		Status:           i.Status,
		Hours:            i.Hours,
		LicenceKnown:     i.LicenceKnown,
		ExpiresAt:        i.ExpiresAt,
		ConflictAttested: i.ConflictAttested,
		AccountUserID:    i.AccountUserID,
		PartnerTenant:    i.PartnerTenant,
		SentAt:           i.SentAt,
		Facts: factsDoc{
			i.Facts.MatterKind, i.Facts.Jurisdiction,
			mongox.Each(i.Facts.Areas, func(a invites.Area) mainAreaDoc { return mainAreaDoc(a) }), i.Facts.Tier,
		},
		Settled:     i.Settled,
		SettleAt:    i.SettleAt,
		Tries:       i.Tries,
		DueAt:       i.SettleAt,
		CreatedBy:   actorDoc(i.CreatedBy),
		CreatedAt:   i.CreatedAt,
		UpdatedAt:   i.UpdatedAt,
		DecidedAt:   i.DecidedAt,
		Fingerprint: i.Fingerprint,
		DecisionKey: i.DecisionKey,
	}
	// The sweep goes by one time: for an invite that is out this is its end, for others the next try to settle.
	if i.Status == invites.Pending {
		d.DueAt = i.ExpiresAt
	}

	return d
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC()

	return &at
}

func (d inviteDoc) toInvite() invites.Invite {
	return invites.Invite{
		ID:               d.ID,
		Tenant:           d.Tenant,
		CaseID:           d.CaseID,
		PartnerID:        d.PartnerID,
		Version:          d.Version,
		Role:             d.Role,
		Scope:            invites.Scope{BranchIDs: d.BranchIDs, FileIDs: d.FileIDs},
		Message:          d.Message,
		Status:           d.Status,
		Hours:            d.Hours,
		LicenceKnown:     d.LicenceKnown,
		ExpiresAt:        d.ExpiresAt.UTC(),
		ConflictAttested: d.ConflictAttested,
		Facts: invites.Facts{
			MatterKind:   d.Facts.MatterKind,
			Jurisdiction: d.Facts.Jurisdiction,
			Areas:        mongox.Each(d.Facts.Areas, func(a mainAreaDoc) invites.Area { return invites.Area(a) }),
			Tier:         d.Facts.Tier,
		},
		AccountUserID: d.AccountUserID,
		PartnerTenant: d.PartnerTenant,
		SentAt:        utc(d.SentAt),
		Settled:       d.Settled,
		SettleAt:      d.SettleAt.UTC(),
		Tries:         d.Tries,
		CreatedBy:     audit.Actor(d.CreatedBy),
		CreatedAt:     d.CreatedAt.UTC(),
		UpdatedAt:     d.UpdatedAt.UTC(),
		DecidedAt:     utc(d.DecidedAt),
		Fingerprint:   d.Fingerprint,
		DecisionKey:   d.DecisionKey,
	}
}

// Invites implements invites.Store.
type Invites struct{ docs mongox.Documents[inviteDoc] }

// NewInvites returns the store in db.
func NewInvites(db *mongo.Database) *Invites {
	return &Invites{mongox.In[inviteDoc](db, invitesCollection)}
}

// Insert inserts an invite. Its id and its open key are unique; which of them is taken is found out afterwards.
func (s *Invites) Insert(ctx context.Context, i invites.Invite) error {
	err := s.docs.Insert(ctx, toInviteDoc(i))
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	_, err = s.docs.Find(ctx, mongox.One(i.Tenant, i.ID))
	switch {
	case err == nil:
		return invites.ErrExists
	case errors.Is(err, invites.ErrNotFound):
		return invites.ErrOpen
	}

	return err
}

// Get returns an invite.
func (s *Invites) Get(ctx context.Context, tenant, id string) (invites.Invite, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return invites.Invite{}, err
	}

	return d.toInvite(), nil
}

// OpenOf finds an invite by its open key.
func (s *Invites) OpenOf(ctx context.Context, tenant, caseID, partnerID string) (invites.Invite, error) {
	d, err := s.docs.Find(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID), mongox.Is("openKey", openKeyOf(partnerID))},
	)
	if err != nil {
		return invites.Invite{}, err
	}

	return d.toInvite(), nil
}

// Replace saves the next version.
func (s *Invites) Replace(ctx context.Context, i invites.Invite) (invites.Invite, error) {
	seen := mongox.Version(i.Version, i.Tenant, i.ID)
	i.Version++
	err := s.docs.Replace(ctx, seen, toInviteDoc(i))

	return i, err
}

// before adds to a filter what lies behind a place, the newest first.
func before(filter bson.D, id string, p *invites.Cursor) bson.D {
	if p == nil {
		return filter
	}

	return append(filter, mongox.Is("$or", bson.A{
		bson.D{mongox.Is("createdAt", bson.D{mongox.Is("$lt", p.CreatedAt)})},
		bson.D{mongox.Is("createdAt", p.CreatedAt), mongox.Is(id, bson.D{mongox.Is("$lt", p.ID)})},
	}))
}

// List returns one page.
func (s *Invites) List(
	ctx context.Context, tenant, caseID, status string, after *invites.Cursor, limit int,
) ([]invites.Invite, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID)}
	if status != "" {
		filter = append(filter, mongox.Is("status", status))
	}
	docs, err := s.docs.List(
		ctx, before(filter, "id", after), bson.D{mongox.Is("createdAt", -1), mongox.Is("id", -1)}, limit, nil,
	)

	return mongox.Each(docs, inviteDoc.toInvite), err
}

// Due lists what the sweep looks at.
func (s *Invites) Due(ctx context.Context, now time.Time, most int) ([]invites.Invite, error) {
	docs, err := s.docs.List(
		ctx, bson.D{mongox.Is("dueAt", bson.D{mongox.Is("$lte", now)})}, bson.D{mongox.Is("dueAt", 1)}, most, nil,
	)

	return mongox.Each(docs, inviteDoc.toInvite), err
}

type addressDoc struct {
	Key       string    `bson:"_id"` // userId/inviteId: read before a tenant is known
	UserID    string    `bson:"userId"`
	InviteID  string    `bson:"inviteId"`
	Tenant    string    `bson:"tenant"` // the firm's
	CreatedAt time.Time `bson:"createdAt"`
}

// Addresses implements invites.Addresses.
type Addresses struct{ docs mongox.Documents[addressDoc] }

// NewAddresses returns the store in db.
func NewAddresses(db *mongo.Database) *Addresses {
	return &Addresses{mongox.In[addressDoc](db, addressesCollection)}
}

func addressKey(userID, inviteID string) string { return userID + "/" + inviteID }

// Put inserts an address.
func (s *Addresses) Put(ctx context.Context, a invites.Address) error {
	err := s.docs.Insert(ctx, addressDoc{addressKey(a.UserID, a.InviteID), a.UserID, a.InviteID, a.Tenant, a.CreatedAt})
	if errors.Is(err, errs.ErrTaken) {
		return nil
	}

	return err
}

func (d addressDoc) toAddress() invites.Address {
	return invites.Address{UserID: d.UserID, InviteID: d.InviteID, Tenant: d.Tenant, CreatedAt: d.CreatedAt.UTC()}
}

func (s *Addresses) one(userID, inviteID string) bson.D {
	return bson.D{mongox.Is("_id", addressKey(userID, inviteID)), mongox.Is("userId", userID)}
}

// Get returns an address.
func (s *Addresses) Get(ctx context.Context, userID, inviteID string) (invites.Address, error) {
	d, err := s.docs.Find(ctx, s.one(userID, inviteID))
	if err != nil {
		return invites.Address{}, err
	}

	return d.toAddress(), nil
}

// Remove deletes an address.
func (s *Addresses) Remove(ctx context.Context, userID, inviteID string) error {
	return s.docs.Remove(ctx, s.one(userID, inviteID))
}

// List returns one page.
func (s *Addresses) List(
	ctx context.Context, userID string, after *invites.Cursor, limit int,
) ([]invites.Address, error) {
	filter := before(bson.D{mongox.Is("userId", userID)}, "inviteId", after)
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("createdAt", -1), mongox.Is("inviteId", -1)}, limit, nil)

	return mongox.Each(docs, addressDoc.toAddress), err
}

type grantDoc struct {
	Key        string   `bson:"_id"` // partner's tenant/caseId/partner's userId
	Tenant     string   `bson:"tenant"`
	CaseID     string   `bson:"caseId"`
	UserID     string   `bson:"userId"`
	CaseTenant string   `bson:"caseTenant"`
	InviteID   string   `bson:"inviteId"`
	PartnerID  string   `bson:"partnerId"`
	BranchIDs  []string `bson:"branchIds"`
	FileIDs    []string `bson:"fileIds"`
	Ended      bool     `bson:"ended"`
	Version    int64    `bson:"version"`
}

func toGrantDoc(g invites.Grant, version int64) grantDoc {
	return grantDoc{
		mongox.Key(g.PartnerTenant, g.CaseID, g.UserID), g.PartnerTenant, g.CaseID, g.UserID, g.CaseTenant,
		g.InviteID, g.PartnerID, g.Scope.BranchIDs,
		g.Scope.FileIDs, g.Ended, version,
	}
}

func (d grantDoc) toGrant() invites.Grant {
	return invites.Grant{
		PartnerTenant: d.Tenant,
		CaseID:        d.CaseID,
		UserID:        d.UserID,
		CaseTenant:    d.CaseTenant,
		InviteID:      d.InviteID,
		PartnerID:     d.PartnerID,
		Scope:         invites.Scope{BranchIDs: d.BranchIDs, FileIDs: d.FileIDs},
		Ended:         d.Ended,
	}
}

// Grants implements invites.Grants.
type Grants struct{ docs mongox.Documents[grantDoc] }

// NewGrants returns the store in db.
func NewGrants(db *mongo.Database) *Grants { return &Grants{mongox.In[grantDoc](db, grantsCollection)} }

// grantTries bounds how often Put gives way to other writers.
const grantTries = 5

// Put inserts the grant or replaces the one that is there. The end of another invite's grant changes nothing.
func (s *Grants) Put(ctx context.Context, g invites.Grant) error {
	for range grantTries {
		err := s.docs.Insert(ctx, toGrantDoc(g, 1))
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
		one := mongox.One(g.PartnerTenant, g.CaseID, g.UserID)

		d, err := s.docs.Find(ctx, one)
		switch {
		case errors.Is(err, invites.ErrNotFound):
			continue
		case err != nil:
			return err
		case d.InviteID == g.InviteID && (d.Ended || d.Ended == g.Ended), d.InviteID != g.InviteID && g.Ended:
			return nil
		}
		err = s.docs.Replace(ctx, append(one, mongox.Is("version", d.Version)), toGrantDoc(g, d.Version+1))
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return invites.ErrBusy
}

// Get returns a grant that has not ended.
func (s *Grants) Get(ctx context.Context, partnerTenant, caseID, userID string) (invites.Grant, error) {
	d, err := s.docs.Find(ctx, mongox.One(partnerTenant, caseID, userID))
	if err == nil && d.Ended {
		err = invites.ErrNotFound
	}
	if err != nil {
		return invites.Grant{}, err
	}

	return d.toGrant(), nil
}

// Of lists a user's grants.
func (s *Grants) Of(ctx context.Context, partnerTenant, userID string, most int) ([]invites.Grant, error) {
	filter := bson.D{mongox.Is("tenant", partnerTenant), mongox.Is("userId", userID), mongox.Is("ended", false)}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("caseId", 1)}, most, nil)

	return mongox.Each(docs, grantDoc.toGrant), err
}
