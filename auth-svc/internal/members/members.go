// Package members knows who belongs to a firm, as far as people have signed in, and ends the access of those who leave:
// in one act, wherever it was handed out. It knows no HTTP and no store.
package members

import (
	"context"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// State says whether a member has access.
type State string

// The states. Of a member who is Leaving, something that was handed out may still be left; the sweep ends it.
const (
	Active    State = "active"
	Leaving   State = "leaving"
	Suspended State = "suspended"
)

// Reason says why a member's access ended.
type Reason string

// The reasons.
const (
	Offboarded Reason = "offboarded" // somebody of the firm ended it
	// the identity provider has not sent them for the set time, or says that they are gone
	Absent Reason = "absent"
)

// Member is a user who has signed in to a tenant.
type Member struct {
	Tenant       string
	UserID       string
	Roles        []string  // that the newest sign-in brought
	RolesAt      time.Time // when the provider said so
	FirstSeen    time.Time
	LastSeen     time.Time // to a minute
	State        State
	Why          Reason    // "" while active
	EndedAt      time.Time // zero while active
	EndedBy      string    // user id of whoever ended it; "" for nobody
	RestoredAt   time.Time // when access was given back, until that need not be told again; zero for never
	KeyExpiresAt time.Time // after which the keys of the member's agent are no good; zero for never
	Untold       bool      // access ended or was given back, and not everybody may know; the sweep tells it
	Version      int
}

// Has reports whether the member has access.
func (m Member) Has() bool { return m.State == Active }

// Word is what every process has to know of the member.
func (m Member) Word() authn.Departure {
	return authn.Departure{Name: access.MemberName(m.Tenant, m.UserID), Gone: !m.Has(), Version: m.Version}
}

// HasRole reports whether the member has role.
func (m Member) HasRole(role string) bool { return slices.Contains(m.Roles, role) }

// Failures of this domain.
var (
	ErrLastOwner = errs.New(
		errs.Conflict,
		"last_owner",
		"This is the last owner of the organization. Make somebody else an owner, have them sign in, and try again.",
	)
	ErrLastHolder = errs.New(
		errs.Conflict,
		"last_key_holder",
		"Nobody else can open the identities of the organization's clients. Give its key to a colleague first.",
	)
	ErrNoMember = errs.ErrNotFound
)

// Store keeps members. Every method names the tenant, but those of the sweep.
type Store interface {
	// Find returns a member, or ErrNoMember.
	Find(ctx context.Context, tenant, userID string) (Member, error)
	// Insert saves a new member, or returns errs.ErrTaken.
	Insert(ctx context.Context, m Member) error
	// Replace saves m over the version that it has and moves that on, or returns errs.ErrTaken.
	Replace(ctx context.Context, m Member) error
	// List returns up to limit members of a tenant in the order of their ids, those after the one named; "" begins.
	List(ctx context.Context, tenant, after string, limit int) ([]Member, error)
	// Leaving lists up to limit members, of all tenants, who are Leaving.
	Leaving(ctx context.Context, limit int) ([]Member, error)
	// Untold lists up to limit members, of all tenants, who are Untold.
	Untold(ctx context.Context, limit int) ([]Member, error)
	// Unseen lists up to limit active members, of all tenants, whom nobody has seen since before.
	Unseen(ctx context.Context, before time.Time, limit int) ([]Member, error)
}

// Access is what was handed out in a member's name. Every method may be repeated.
type Access interface {
	// Announce tells every process whether the member has access. A word about an older version than one that is out
	// changes nothing.
	Announce(ctx context.Context, m Member) error
	// EndAll ends the keys and bearers of the member's agents, the grants and the sessions of this tenant, and forgets
	// the provider's refresh token.
	EndAll(ctx context.Context, tenant, userID string) error
	// Roles has everything that lives act with these roles from now on.
	Roles(ctx context.Context, tenant, userID string, roles []string) error
}

// Holders knows who can open the firm's vault.
type Holders interface {
	// Holders lists the users who hold the firm's newest key.
	Holders(ctx context.Context, tenant string) ([]string, error)
}

// Actions on the record.
const (
	offboarded = "member.offboarded"
	reinstated = "member.reinstated"
	absent     = "member.absent"
	gone       = "member.gone"
	returned   = "member.returned"
	expirySet  = "member.key_expiry_set"
)

const (
	ok      = audit.Done
	refused = audit.Refused

	pageSize   = 200
	sweepBatch = 100
	tries      = 64
	seenStep   = time.Minute // LastSeen moves on in steps, so that not every sign-in is a write
	// For so long after access was given back every sign-in tells it again. The next one after that is the last to.
	retold = 10 * time.Minute
)
