// Package parties holds who takes part in a matter, known by a label alone, and the conflict check that compares blind
// tokens: equality within one tenant and nothing else.
package parties

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// Statuses of a party.
const (
	Active    = "active"
	Dismissed = "dismissed"
	Withdrawn = "withdrawn"
	Merged    = "merged"
)

// Sides of a party.
const (
	Ours    = "ours"
	Adverse = "adverse"
	Neutral = "neutral"
	Unknown = "unknown"
)

// MaxParties is how many parties a case can have.
const MaxParties = 500

// Attributes are coarse on purpose, and none is free text.
type Attributes struct {
	EntityType       string
	AgeBand          string
	Residence        string // ISO 3166-2
	Languages        []string
	NeedsInterpreter *bool
}

// Sealed is an identity encrypted in a browser under the firm key of KeyVersion. Bytes are base64url.
type Sealed struct {
	V          int
	Alg        string
	KeyVersion int
	IV         string
	CT         string
	AAD        string // {caseId}:{identityRef}
}

// Party is one who takes part in a case.
type Party struct {
	ID             string
	Tenant         string
	CaseID         string
	Version        int64 // from 1
	Ordinal        int   // from 1 within the case, without a gap: parties are never deleted
	Label          string
	Kind           string
	Role           string
	Side           string
	IsClient       bool
	Representation string
	Attributes     Attributes
	Notes          string
	Status         string
	MergedInto     string // the id of another party of the case, when Status is Merged
	JoinedOn       string
	LeftOn         string
	IdentityRef    string
	Sealed         *Sealed
	Tokens         []string  // blind conflict tokens, each 32 bytes in base64url
	ComparedAt     time.Time // when its tokens or its side changed last
	Fingerprint    string    // of the request that made it, when it came with an Idempotency-Key
	CreatedAt      time.Time
	UpdatedAt      time.Time
	CreatedBy      audit.Actor
	Shared         bool // somebody other than agents of its maker's user has changed it
}

// Client reports whether the party is a client now.
func (p Party) Client() bool { return p.IsClient && p.Status == Active }

// comparable reports whether the party has tokens that can stand against somebody.
func (p Party) comparable() bool { return len(p.Tokens) > 0 && opposite(p.Side) != "" }

// comparesLike reports whether the party conflicts with the same others as o.
func (p Party) comparesLike(o Party) bool {
	return p.Side == o.Side && slices.Equal(p.Tokens, o.Tokens)
}

// Failures of parties.
var (
	ErrNotFound   = errs.ErrNotFound
	ErrBusy       = errs.ErrBusy
	ErrLabelTaken = errs.New(
		errs.Conflict,
		"label_taken",
		"Another party in this case has this label. Omit the label to get the next free one, or choose another.",
	)
	ErrLabelImmutable = errs.New(
		errs.Conflict,
		"label_immutable",
		"The label of a party never changes, because texts refer to it. Leave it out, or add another party.",
	)
	ErrClient = errs.New(
		errs.Conflict,
		"client_required",
		"An open case needs a client, and this change would remove the last one. Make another party the client first.",
	)
	ErrJoint = errs.New(
		errs.Conflict,
		"invalid_transition",
		"An open case has one client unless its clients are jointly represented. "+
			"Set jointRepresentation to true on the case first, or omit isClient.",
	)
	ErrMergeCycle = errs.New(
		errs.Invalid,
		"merge_cycle",
		"The party would be merged into itself through other merges. Name a party that was not merged into this one.",
	)
	ErrCaseClosed = errs.ErrCaseClosed
	ErrConflict   = errs.New(
		errs.Conflict,
		"conflict_found",
		"A conflict token of this party stands on the other side in another case of the firm, and the firm's "+
			"settings block that. A user has to decide about the conflict first.",
	)
	ErrQuota = errs.New(
		errs.TooLarge,
		"case_quota_exceeded",
		"A case can have at most 500 parties, and this one has reached that limit. Change an existing party instead.",
	)
	ErrKeyReused    = errs.ErrKeyReused
	ErrUnknownLabel = errs.New(
		errs.Invalid,
		"unknown_label",
		"The label of a party has the kind Party, Person, Minor or Org, for example [Party 1]. "+
			"Send one of these, or none.",
	)
)

// space is the name space of the ids that must come out the same on a repetition.
var space = ids.Space(uuid.MustParse("b1a6f0de-7a3c-5d0a-8f55-21c4d97c3b10"))

// DerivedID returns the id that parts always give.
func DerivedID(parts ...string) string { return space.Derive(parts...) }
