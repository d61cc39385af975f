package invites

import (
	"context"
	"errors"
	"time"
)

// What a Store says of an insert.
var (
	// ErrExists means that the tenant has an invite of this id.
	ErrExists = errors.New("invite exists")
	// ErrOpen means that the partner has another open invite to the case.
	ErrOpen = errors.New("partner has an open invite")
)

// Cursor is where a page ended.
type Cursor struct {
	CreatedAt time.Time `json:"t"`
	ID        string    `json:"i"`
}

// Store keeps invites by the firm's tenant. An invite of another tenant cannot be told from one that does not exist.
type Store interface {
	// Insert saves a new invite, or returns ErrExists or ErrOpen. Of several racing for a partner and a case one wins.
	Insert(ctx context.Context, i Invite) error
	// Get returns ErrNotFound if the tenant has no such invite.
	Get(ctx context.Context, tenant, id string) (Invite, error)
	// OpenOf returns the open invite of a partner to a case, or ErrNotFound.
	OpenOf(ctx context.Context, tenant, caseID, partnerID string) (Invite, error)
	// Replace saves i with the next version over the stored invite of the version of i. errs.ErrTaken: it has another
	// version now.
	Replace(ctx context.Context, i Invite) (Invite, error)
	// List returns up to limit invites of a case after a place, the newest first; status may be "".
	List(ctx context.Context, tenant, caseID, status string, after *Cursor, limit int) ([]Invite, error)
	// Due returns up to most invites of all tenants that have expired or are not settled and whose time has come.
	Due(ctx context.Context, now time.Time, most int) ([]Invite, error)
}

// Address leads a partner's account to an invite before a tenant is known.
type Address struct {
	UserID    string
	InviteID  string
	Tenant    string // the firm's
	CreatedAt time.Time
}

// Addresses keeps addresses by account.
type Addresses interface {
	// Put saves an address; one that is there already is a success.
	Put(ctx context.Context, a Address) error
	// Get returns ErrNotFound if the account has no address of this invite.
	Get(ctx context.Context, userID, inviteID string) (Address, error)
	// Remove deletes an address, if it is there.
	Remove(ctx context.Context, userID, inviteID string) error
	// List returns up to limit addresses of an account after a place, the newest first.
	List(ctx context.Context, userID string, after *Cursor, limit int) ([]Address, error)
}

// Grant lets a partner's user read the parties of a case, and case-svc lets them into the scope.
type Grant struct {
	PartnerTenant string
	CaseID        string
	UserID        string
	CaseTenant    string
	InviteID      string
	PartnerID     string
	Scope         Scope
	Ended         bool
}

// Grants keeps grants by the partner's tenant, case and user.
type Grants interface {
	// Put saves a grant over the one for the same user and case. What a grant of the same invite says once it has ended
	// stays: a late repetition of its opening changes nothing.
	Put(ctx context.Context, g Grant) error
	// Get returns the grant of a user to a case, or ErrNotFound; one that has ended is not found.
	Get(ctx context.Context, partnerTenant, caseID, userID string) (Grant, error)
	// Of returns up to most grants of a user that have not ended.
	Of(ctx context.Context, partnerTenant, userID string, most int) ([]Grant, error)
}

// Cases asks case-svc.
type Cases interface {
	// Matter returns a case as the caller of ctx sees it, or ErrNotFound.
	Matter(ctx context.Context, caseID string) (Matter, error)
	// CheckScope returns scope_not_in_case unless all of a scope belongs to the case.
	CheckScope(ctx context.Context, caseID string, s Scope) error
	// PutGrant has case-svc open or end a grant in the tenant of the case. It may be repeated.
	PutGrant(ctx context.Context, g Grant) error
}
