package mongostore

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type vaultDoc struct {
	Key       string    `bson:"_id"` // tenant/userId
	Tenant    string    `bson:"tenant"`
	UserID    string    `bson:"userId"`
	Version   int64     `bson:"version"`
	PublicKey string    `bson:"publicKey"`
	Blob      string    `bson:"blob"`
	CreatedAt time.Time `bson:"createdAt"`
	UpdatedAt time.Time `bson:"updatedAt"`
}

type heldDoc struct {
	Key          string `bson:"_id"` // tenant/keyVersion/userId
	Tenant       string `bson:"tenant"`
	UserID       string `bson:"userId"`
	KeyVersion   int    `bson:"keyVersion"`
	PublicKey    string `bson:"publicKey"`
	EphemeralKey string `bson:"ephemeralKey"`
	IV           string `bson:"iv"`
	CT           string `bson:"ct"`
}

type firmKeyDoc struct {
	Key       string       `bson:"_id"` // tenant/version
	Tenant    string       `bson:"tenant"`
	Version   int          `bson:"version"`
	MadeBy    string       `bson:"madeBy"`
	MadeAt    time.Time    `bson:"madeAt"`
	Settled   bool         `bson:"settled"`
	Wraps     []heldDoc    `bson:"wraps"`
	Remove    []leavingDoc `bson:"remove"`
	ExamineAt *time.Time   `bson:"examineAt"`
}

type leavingDoc struct {
	UserID    string `bson:"userId"`
	PublicKey string `bson:"publicKey"`
}

type labelsDoc struct {
	Key        string    `bson:"_id"` // tenant/caseId
	Tenant     string    `bson:"tenant"`
	CaseID     string    `bson:"caseId"`
	Version    int64     `bson:"version"`
	KeyVersion int       `bson:"keyVersion"`
	IV         string    `bson:"iv"`
	CT         string    `bson:"ct"`
	UpdatedAt  time.Time `bson:"updatedAt"`
}

// Vaults implements vault.Vaults, vault.FirmKeys, vault.Wraps and vault.Seals.
type Vaults struct {
	vaults   mongox.Documents[vaultDoc]
	held     mongox.Documents[heldDoc]
	firmKeys mongox.Documents[firmKeyDoc]
	labels   mongox.Documents[labelsDoc]
	parties  mongox.Documents[partyDoc]
}

// NewVaults returns the store in db.
func NewVaults(db *mongo.Database) *Vaults {
	return &Vaults{
		mongox.In[vaultDoc](db, vaultsCollection), mongox.In[heldDoc](db, heldCollection),
		mongox.In[firmKeyDoc](db, firmKeysCollection),
		mongox.In[labelsDoc](db, labelsCollection), mongox.In[partyDoc](db, partiesCollection),
	}
}

func (d vaultDoc) toVault() vault.Vault {
	return vault.Vault{
		Tenant:    d.Tenant,
		UserID:    d.UserID,
		Version:   d.Version,
		PublicKey: d.PublicKey,
		Blob:      d.Blob,
		CreatedAt: d.CreatedAt.UTC(),
		UpdatedAt: d.UpdatedAt.UTC(),
	}
}

func toVaultDoc(v vault.Vault) vaultDoc {
	return vaultDoc{
		mongox.Key(v.Tenant, v.UserID), v.Tenant, v.UserID, v.Version, v.PublicKey, v.Blob, v.CreatedAt, v.UpdatedAt,
	}
}

func (d heldDoc) toHeld() vault.Held {
	return vault.Held{Wrap: vault.Wrap{
		UserID:       d.UserID,
		PublicKey:    d.PublicKey,
		EphemeralKey: d.EphemeralKey,
		IV:           d.IV,
		CT:           d.CT,
	}, Tenant: d.Tenant, KeyVersion: d.KeyVersion}
}

func toHeldDoc(h vault.Held) heldDoc {
	return heldDoc{
		mongox.Key(h.Tenant, strconv.Itoa(h.KeyVersion), h.UserID),
		h.Tenant, h.UserID, h.KeyVersion, h.PublicKey, h.EphemeralKey, h.IV, h.CT,
	}
}

func (d firmKeyDoc) toFirmKey() vault.FirmKey {
	return vault.FirmKey{
		Tenant:    d.Tenant,
		Version:   d.Version,
		MadeBy:    d.MadeBy,
		MadeAt:    d.MadeAt.UTC(),
		Settled:   d.Settled,
		Wraps:     mongox.Each(d.Wraps, heldDoc.toHeld),
		Remove:    mongox.Each(d.Remove, func(l leavingDoc) vault.Leaving { return vault.Leaving(l) }),
		ExamineAt: utc(d.ExamineAt),
	}
}

func toFirmKeyDoc(k vault.FirmKey) firmKeyDoc {
	return firmKeyDoc{
		mongox.Key(k.Tenant, strconv.Itoa(k.Version)), k.Tenant, k.Version, k.MadeBy, k.MadeAt, k.Settled,
		mongox.Each(k.Wraps, toHeldDoc),
		mongox.Each(k.Remove, func(l vault.Leaving) leavingDoc { return leavingDoc(l) }), k.ExamineAt,
	}
}

func (d labelsDoc) toLabels() vault.Labels {
	return vault.Labels{
		Tenant:     d.Tenant,
		CaseID:     d.CaseID,
		Version:    d.Version,
		KeyVersion: d.KeyVersion,
		IV:         d.IV,
		CT:         d.CT,
		UpdatedAt:  d.UpdatedAt.UTC(),
	}
}

func toLabelsDoc(l vault.Labels) labelsDoc {
	return labelsDoc{
		mongox.Key(l.Tenant, l.CaseID), l.Tenant, l.CaseID, l.Version, l.KeyVersion, l.IV, l.CT, l.UpdatedAt,
	}
}

// late turns a lost race into the domain's word for it.
func late(err error) error {
	if errors.Is(err, errs.ErrTaken) {
		return vault.ErrOther
	}

	return err
}

// Vault returns a member's vault.
func (s *Vaults) Vault(ctx context.Context, tenant, userID string) (vault.Vault, error) {
	d, err := s.vaults.Find(ctx, mongox.One(tenant, userID))
	return d.toVault(), err
}

// InsertVault inserts a vault.
func (s *Vaults) InsertVault(ctx context.Context, v vault.Vault) error {
	return late(s.vaults.Insert(ctx, toVaultDoc(v)))
}

// ReplaceVault saves the next version.
func (s *Vaults) ReplaceVault(ctx context.Context, v vault.Vault) (vault.Vault, error) {
	seen := mongox.Version(v.Version, v.Tenant, v.UserID)
	v.Version++

	return v, late(s.vaults.Replace(ctx, seen, toVaultDoc(v)))
}

// RemoveVault removes the vault with one public key.
func (s *Vaults) RemoveVault(ctx context.Context, tenant string, who vault.Leaving) error {
	return s.vaults.Remove(ctx, append(mongox.One(tenant, who.UserID), mongox.Is("publicKey", who.PublicKey)))
}

// Vaults lists a page of members.
func (s *Vaults) Vaults(ctx context.Context, tenant, after string, limit int) ([]vault.Vault, error) {
	filter := bson.D{mongox.Is("tenant", tenant)}
	if after != "" {
		filter = append(filter, mongox.Is("userId", bson.D{mongox.Is("$gt", after)}))
	}
	docs, err := s.vaults.List(ctx, filter, bson.D{mongox.Is("userId", 1)}, limit, mongox.Without("blob"))

	return mongox.Each(docs, vaultDoc.toVault), err
}

// VaultsOf returns the vaults of some members.
func (s *Vaults) VaultsOf(ctx context.Context, tenant string, userIDs []string) ([]vault.Vault, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("userId", bson.D{mongox.Is("$in", userIDs)})}
	docs, err := s.vaults.List(ctx, filter, bson.D{}, 0, mongox.Without("blob"))

	return mongox.Each(docs, vaultDoc.toVault), err
}

// Newest returns the highest version.
func (s *Vaults) Newest(ctx context.Context, tenant string) (vault.FirmKey, error) {
	docs, err := s.firmKeys.List(ctx, bson.D{mongox.Is("tenant", tenant)}, bson.D{mongox.Is("version", -1)}, 1, nil)
	if err != nil {
		return vault.FirmKey{}, err
	}
	if len(docs) == 0 {
		return vault.FirmKey{}, vault.ErrNotFound
	}

	return docs[0].toFirmKey(), nil
}

// InsertFirmKey inserts a version.
func (s *Vaults) InsertFirmKey(ctx context.Context, k vault.FirmKey) error {
	return late(s.firmKeys.Insert(ctx, toFirmKeyDoc(k)))
}

// Settle saves a version that is not settled.
func (s *Vaults) Settle(ctx context.Context, k vault.FirmKey) error {
	// Two processes may settle one key. The second finds it settled, and must not write the wraps into it again.
	open := append(mongox.One(k.Tenant, strconv.Itoa(k.Version)), mongox.Is("settled", false))
	return unlessGone(s.firmKeys.Replace(ctx, open, toFirmKeyDoc(k)))
}

// ExamineAt replaces a version by itself with another time, unless it changes meanwhile; the sweep comes again.
func (s *Vaults) ExamineAt(ctx context.Context, tenant string, version int, at time.Time) error {
	one := mongox.One(tenant, strconv.Itoa(version))
	d, err := s.firmKeys.Find(ctx, one)
	if errors.Is(err, vault.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.ExamineAt = &at

	return unlessGone(s.firmKeys.Replace(ctx, append(one, mongox.Is("settled", d.Settled)), d))
}

// unlessGone takes what somebody else was faster with for done.
func unlessGone(err error) error {
	if errors.Is(err, errs.ErrTaken) {
		return nil
	}

	return err
}

// Due lists what the sweep examines.
func (s *Vaults) Due(ctx context.Context, now time.Time, limit int) ([]vault.FirmKey, error) {
	docs, err := s.firmKeys.List(
		ctx,
		bson.D{mongox.Is("examineAt", bson.D{mongox.Is("$lte", now)})},
		bson.D{mongox.Is("examineAt", 1)},
		limit,
		nil,
	)

	return mongox.Each(docs, firmKeyDoc.toFirmKey), err
}

// RemoveFirmKey removes a version.
func (s *Vaults) RemoveFirmKey(ctx context.Context, tenant string, version int) error {
	return s.firmKeys.Remove(ctx, mongox.One(tenant, strconv.Itoa(version)))
}

// Uses looks for a party and for labels of the version.
func (s *Vaults) Uses(ctx context.Context, tenant string, version int) (bool, error) {
	// One is enough to keep the version, so no more are counted.
	n, err := s.parties.Count(ctx, bson.D{mongox.Is("tenant", tenant), mongox.Is("sealed.keyVersion", version)}, 1)
	if err != nil || n > 0 {
		return n > 0, err
	}
	n, err = s.labels.Count(ctx, bson.D{mongox.Is("tenant", tenant), mongox.Is("keyVersion", version)}, 1)

	return n > 0, err
}

// Lay inserts a wrap, or replaces the one that is there.
func (s *Vaults) Lay(ctx context.Context, h vault.Held) (bool, error) {
	d := toHeldDoc(h)
	err := s.held.Insert(ctx, d)
	if !errors.Is(err, errs.ErrTaken) {
		return err == nil, err
	}

	return false, late(s.held.Replace(ctx, bson.D{mongox.Is("_id", d.Key), mongox.Is("tenant", d.Tenant)}, d))
}

// LayFirst inserts a wrap unless one is there.
func (s *Vaults) LayFirst(ctx context.Context, h vault.Held) error {
	return unlessGone(s.held.Insert(ctx, toHeldDoc(h)))
}

// HoldersOf lists the wraps of a version.
func (s *Vaults) HoldersOf(ctx context.Context, tenant string, version int) ([]vault.Held, error) {
	// Who holds a version is all that is asked. The wrapped keys stay in the database.
	docs, err := s.held.List(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is("keyVersion", version)},
		bson.D{},
		0,
		mongox.Without("ct", "iv", "ephemeralKey"),
	)

	return mongox.Each(docs, heldDoc.toHeld), err
}

// HeldBy lists the wraps of some members.
func (s *Vaults) HeldBy(ctx context.Context, tenant string, userIDs []string) ([]vault.Held, error) {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("userId", bson.D{mongox.Is("$in", userIDs)})}
	docs, err := s.held.List(ctx, filter, bson.D{mongox.Is("userId", 1), mongox.Is("keyVersion", 1)}, 0, nil)

	return mongox.Each(docs, heldDoc.toHeld), err
}

// DropWraps removes what was wrapped to one public key.
func (s *Vaults) DropWraps(ctx context.Context, tenant string, who vault.Leaving) error {
	return s.drop(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is("userId", who.UserID), mongox.Is("publicKey", who.PublicKey)},
	)
}

// DropVersion removes the wraps of a version.
func (s *Vaults) DropVersion(ctx context.Context, tenant string, version int) error {
	return s.drop(ctx, bson.D{mongox.Is("tenant", tenant), mongox.Is("keyVersion", version)})
}

func (s *Vaults) drop(ctx context.Context, filter bson.D) error {
	return purgeAll(ctx, s.held, filter, func(d heldDoc) error {
		return s.held.Remove(
			ctx, bson.D{mongox.Is("_id", d.Key), mongox.Is("tenant", d.Tenant), mongox.Is("publicKey", d.PublicKey)},
		)
	})
}

// Labels returns the sealed labels of a case.
func (s *Vaults) Labels(ctx context.Context, tenant, caseID string) (vault.Labels, error) {
	d, err := s.labels.Find(ctx, mongox.One(tenant, caseID))
	return d.toLabels(), err
}

// InsertLabels inserts the sealed labels of a case.
func (s *Vaults) InsertLabels(ctx context.Context, l vault.Labels) error {
	return late(s.labels.Insert(ctx, toLabelsDoc(l)))
}

// ReplaceLabels saves the next version.
func (s *Vaults) ReplaceLabels(ctx context.Context, l vault.Labels) (vault.Labels, error) {
	seen := mongox.Version(l.Version, l.Tenant, l.CaseID)
	l.Version++

	return l, late(s.labels.Replace(ctx, seen, toLabelsDoc(l)))
}
