package vault

import (
	"context"
	"time"
)

// Vaults keeps the vaults of members. Of all stores here, every method is one step on one document, or a read, or steps
// that may be repeated; what is not there is ErrNotFound.
type Vaults interface {
	Vault(ctx context.Context, tenant, userID string) (Vault, error)
	// InsertVault returns ErrOther when the member has one.
	InsertVault(ctx context.Context, v Vault) error
	// ReplaceVault saves the next version and returns it, or ErrOther when v is not the newest.
	ReplaceVault(ctx context.Context, v Vault) (Vault, error)
	// RemoveVault removes the vault with this public key, if it is there.
	RemoveVault(ctx context.Context, tenant string, who Leaving) error
	// Vaults lists those after the member named, in order of their ids, without blobs.
	Vaults(ctx context.Context, tenant, after string, limit int) ([]Vault, error)
	// VaultsOf returns the vaults of these members, without blobs, in no order.
	VaultsOf(ctx context.Context, tenant string, userIDs []string) ([]Vault, error)
}

// FirmKeys keeps what there is of the firm's keys.
type FirmKeys interface {
	// Newest returns the firm's key with the highest version.
	Newest(ctx context.Context, tenant string) (FirmKey, error)
	// InsertFirmKey returns ErrOther when the version is taken.
	InsertFirmKey(ctx context.Context, k FirmKey) error
	// Settle saves k over itself while it is not settled; afterwards, or when the version is not there, it does
	// nothing.
	Settle(ctx context.Context, k FirmKey) error
	// ExamineAt sets when the sweep looks at a version, if it is there.
	ExamineAt(ctx context.Context, tenant string, version int, at time.Time) error
	// Due lists versions, of all tenants, to be examined by now.
	Due(ctx context.Context, now time.Time, limit int) ([]FirmKey, error)
	// RemoveFirmKey removes a version, if it is there.
	RemoveFirmKey(ctx context.Context, tenant string, version int) error
}

// Wraps keeps what is wrapped to members.
type Wraps interface {
	// Lay gives a member a wrap, and reports whether there was none of this version.
	Lay(ctx context.Context, h Held) (created bool, err error)
	// LayFirst is Lay that leaves alone what is there.
	LayFirst(ctx context.Context, h Held) error
	// HoldersOf lists the wraps of a version.
	HoldersOf(ctx context.Context, tenant string, version int) ([]Held, error)
	// HeldBy lists the wraps of these members, by member and version.
	HeldBy(ctx context.Context, tenant string, userIDs []string) ([]Held, error)
	// DropWraps removes what was wrapped to this public key of a member.
	DropWraps(ctx context.Context, tenant string, who Leaving) error
	// DropVersion removes the wraps of a version.
	DropVersion(ctx context.Context, tenant string, version int) error
}

// Seals keeps the sealed labels of cases, and knows what else is sealed.
type Seals interface {
	// Uses reports whether an identity or labels are sealed under the version.
	Uses(ctx context.Context, tenant string, version int) (bool, error)
	Labels(ctx context.Context, tenant, caseID string) (Labels, error)
	// InsertLabels returns ErrOther when the case has some.
	InsertLabels(ctx context.Context, l Labels) error
	// ReplaceLabels saves the next version and returns it, or ErrOther when l is not the newest.
	ReplaceLabels(ctx context.Context, l Labels) (Labels, error)
}
