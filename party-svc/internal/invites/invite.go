// Package invites opens a part of a case to a professional of the directory: a person of the firm sends or confirms,
// the professional accepts, and a grant that ends with the invite is the one bridge between their tenants.
package invites

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// States of an invite.
const (
	Proposed = "proposed" // by an agent; a person of the firm has to confirm
	Pending  = "pending"  // sent
	Accepted = "accepted"
	Declined = "declined"
	Expired  = "expired"
	Revoked  = "revoked"
	Ended    = "ended" // after it was accepted
)

// CoCounsel is the role that takes a licence in the case's jurisdiction.
const CoCounsel = "co_counsel"

// Limits of an invite's fields.
const (
	maxMessage   = 1000
	maxBranches  = 10
	maxFiles     = 100
	maxHours     = 720
	defaultHours = 14 * 24
)

// Scope is the part of a case that an invite opens.
type Scope struct {
	BranchIDs []string
	FileIDs   []string
}

// Area is an area of law of a case.
type Area struct {
	Scheme  string
	Code    string
	Label   string
	Primary bool
}

// Matter is what invites need to know of a case.
type Matter struct {
	CaseID         string
	Status         string
	ConflictStatus string
	MatterKind     string
	Jurisdiction   string
	Areas          []Area
	Tier           int // 0 when the case is unrated
	Language       string
}

// Facts are what a partner learns of a case before accepting.
type Facts struct {
	MatterKind   string
	Jurisdiction string
	Areas        []Area
	Tier         int
}

func (m Matter) facts() Facts { return Facts{m.MatterKind, m.Jurisdiction, m.Areas, m.Tier} }

// Invite asks a partner to take part in a case.
type Invite struct {
	ID               string
	Tenant           string // the firm's
	CaseID           string
	PartnerID        string
	Version          int64
	Role             string
	Scope            Scope
	Message          string
	Status           string // as stored; StatusAt is what holds now
	Hours            int    // how long it is open once it is sent
	LicenceKnown     bool   // a user knows that a licence is missing
	ExpiresAt        time.Time
	ConflictAttested *bool
	Facts            Facts
	AccountUserID    string     // who may answer it, once it is sent
	PartnerTenant    string     // theirs, once it is accepted
	SentAt           *time.Time // nil: the partner has never seen it
	Settled          bool       // whether the grants say what Status says
	SettleAt         time.Time  // when the sweep sees to it, unless it is Settled
	Tries            int
	CreatedBy        audit.Actor
	CreatedAt        time.Time
	UpdatedAt        time.Time
	DecidedAt        *time.Time
	Fingerprint      string // of the request that made it, when it came with an Idempotency-Key
	DecisionKey      string // of the last decision that came with one
}

// StatusAt returns the state at a time: an invite that was sent expires by itself.
func (i Invite) StatusAt(now time.Time) string {
	if i.Status == Pending && !now.Before(i.ExpiresAt) {
		return Expired
	}

	return i.Status
}

// Open reports whether a status stands in the way of another invite of the same partner.
func Open(status string) bool { return status == Proposed || status == Pending || status == Accepted }

// Failures of invites.
var (
	ErrNotFound   = errs.ErrNotFound
	ErrBusy       = errs.ErrBusy
	ErrCaseClosed = errs.ErrCaseClosed
	ErrConflict   = errs.New(
		errs.Conflict,
		"conflict_unresolved",
		"The case has an unresolved conflict. A user has to clear or waive it first.",
	)
	ErrInvited = errs.New(
		errs.Conflict,
		"already_invited",
		"This partner has an open invite to the case: the one in details. "+
			"Wait for the answer, or revoke or end it first.",
	)
	ErrColleague = errs.New(
		errs.Conflict,
		"partner_unavailable",
		"You belong to the tenant that sent this invite, so you need none. "+
			"Decline it, and work on the case as a member.",
	)
	ErrUnavailable = errs.New(
		errs.Conflict,
		"partner_unavailable",
		"This partner is not accepting invites. Choose another with GET /v1/partners.",
	)
	ErrLicence = errs.New(
		errs.Invalid,
		"licence_mismatch",
		"The partner has no active licence in the case's jurisdiction. "+
			"Choose another, or let a user invite with acknowledgeLicence, as for pro hac vice.",
	)
	ErrTransition = errs.New(
		errs.Conflict,
		"invalid_transition",
		"The invite's state does not allow this decision. Read the invite with GET /v1/invites/{inviteId}.",
	)
	ErrHuman     = errs.ErrHuman
	ErrForbidden = errs.New(
		errs.Forbidden,
		"forbidden",
		"You may not make this decision: the firm confirms and revokes, the partner accepts and declines, and either "+
			"side ends the engagement.",
	)
	ErrKeyReused = errs.ErrKeyReused
)

// Draft is what a caller says of a new invite.
type Draft struct {
	Role         string
	Scope        Scope
	Message      string
	Hours        *int
	LicenceKnown bool
}

// Texts returns the free text of the draft, as sent.
func (d Draft) Texts() []inputgate.Text {
	return []inputgate.Text{{Channel: guard.Title, Path: "message", Value: d.Message}}
}

// apply puts the draft into i.
func (d Draft) apply(i *Invite) error {
	var f validate.List
	i.Role = f.OneOf("role", d.Role, vocabulary.InviteRoles.All()...)
	i.Message = f.Prose("message", d.Message, 0, maxMessage)
	i.LicenceKnown = d.LicenceKnown
	i.Hours = defaultHours
	if d.Hours != nil {
		if i.Hours = *d.Hours; i.Hours < 1 || i.Hours > maxHours {
			f.Add("expiresInHours", "must be 1 to 720")
		}
	}
	i.Scope = Scope{
		BranchIDs: ids(&f, "scope.branchIds", d.Scope.BranchIDs, maxBranches),
		FileIDs:   ids(&f, "scope.fileIds", d.Scope.FileIDs, maxFiles),
	}

	return f.Err()
}

func ids(f *validate.List, path string, given []string, most int) []string {
	if len(given) > most {
		f.Add(path, "must be at most "+strconv.Itoa(most))
		return nil
	}

	var list []string
	for n, s := range given {
		// The parser takes other spellings of a UUID too. Ids are compared as text, so only one is let in.
		if id, err := uuid.Parse(s); err != nil || id.String() != s {
			f.Add(path+"["+strconv.Itoa(n)+"]", "must be an id")
		} else if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}

	return list
}
