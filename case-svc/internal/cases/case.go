// Package cases holds what a matter is: its fields and their rules, who may delete it, and what an evaluation may change.
package cases

import (
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// TenantID names the firm or person that everything belongs to. It holds no slash.
type TenantID string

// Kinds of actor.
const (
	KindUser    = "user"
	KindAgent   = "agent"
	KindOAuth   = "oauth"
	KindService = "service"
)

// Actor is who did something.
type Actor struct {
	Kind   string
	ID     string
	UserID string // for an agent the user it acts for
}

// Human reports whether the actor is a person with a session of their own.
func (a Actor) Human() bool { return a.Kind == KindUser }

// States of a case.
const (
	Intake   = "intake"
	Open     = "open"
	OnHold   = "on_hold"
	Closed   = "closed"
	Archived = "archived"
)

// Where a title comes from.
const (
	TitleDefault   = "default"
	TitleGiven     = "given"
	TitleEvaluated = "evaluated"
)

// Untitled is the title of a case that nobody has named yet.
const Untitled = "Untitled matter"

// PracticeArea is one area of law in one code system.
type PracticeArea struct {
	Scheme  string
	Code    string
	Label   string // of our own vocabulary; empty when it has none
	Primary bool
}

// Forum is where a matter is heard; never its docket number, which would identify the client.
type Forum struct {
	System      string
	CourtCode   string
	DocketLabel string
	TimeZone    string
}

// Stage is a UTBMS code set with its phase and task.
type Stage struct {
	CodeSet string
	Phase   string
	Task    string
}

// Controversy is the amount in dispute, in minor units of its currency.
type Controversy struct {
	Minor    int64
	Currency string
	Basis    string
}

// Supervision says which person answers for the matter.
type Supervision struct {
	ResponsibleUserID    string
	ProfessionalKind     string
	LicenceJurisdictions []string
}

// Confidentiality says under what terms the content may be used.
type Confidentiality struct {
	Privilege     string
	AIPolicy      string
	ClientConsent string
}

// Conflict is the state of the conflict check.
type Conflict struct {
	Status   string
	HitCount int
}

// Retention says how long a matter is kept.
type Retention struct {
	LegalHold  bool
	PolicyCode string
}

// Counts are derived from what the case holds and may lag by a moment.
type Counts struct {
	Files          int
	Parties        int
	Phases         int
	OpenDeadlines  int
	PendingReviews int
	Invites        int
}

// Complexity is the last evaluation of a case. The evaluation itself is the agent's document and is kept as it was given.
type Complexity struct {
	PhaseID string
	SHA256  string // of Body, in hex
	Body    []byte // JSON
	Tier    int    // 1 to 4; 0 when unrated
	Score   float64
	Urgent  bool
}

// Deletion says who deleted a case, and from when on it may be purged.
type Deletion struct {
	By      Actor
	At      time.Time
	PurgeAt time.Time
}

// RestoreTime is how long a deleted case can be had back.
const RestoreTime = 30 * 24 * time.Hour

// Case is a matter. Its id is also the id of its container.
type Case struct {
	ID              string
	Tenant          TenantID
	Version         int64 // from 1
	Title           string
	TitleBasis      string
	Summary         string
	Status          string
	MatterKind      string
	PracticeAreas   []PracticeArea
	Jurisdiction    string
	Forum           *Forum
	Side            string
	Joint           bool
	Stage           Stage
	Amount          *Controversy
	Stakes          []string
	Complexity      *Complexity
	Supervision     Supervision
	Confidentiality Confidentiality
	Conflict        Conflict
	Retention       Retention
	Counts          Counts
	TimelineID      string
	ActiveBranchID  string
	Language        string
	Tags            []string
	ExternalRef     string
	Fingerprint     string // of the request that made it, when it came with an Idempotency-Key
	CreatedAt       time.Time
	UpdatedAt       time.Time
	CreatedBy       Actor
	Deletion        *Deletion
}

// Over reports whether the case takes no more work.
func (c Case) Over() bool { return c.Status == Closed || c.Status == Archived }

// Failures of cases.
var (
	ErrNotFound      = errs.ErrNotFound
	ErrExists        = errs.New(errs.Conflict, "write_conflict", "This was made already. Read it and go on from there.")
	ErrVersion       = errs.New(errs.Stale, "version_mismatch", "This was changed since you read it. Read it again and repeat the change on the new version.")
	ErrBusy          = errs.New(errs.Conflict, "write_conflict", "Others keep changing this at the same moment. Try again.").WithRetryAfter(time.Second)
	ErrRefTaken      = errs.New(errs.Conflict, "external_ref_taken", "Another case has this externalRef. Find it with GET /v1/cases?externalRef=, or choose another reference.")
	ErrOver          = errs.New(errs.Conflict, "case_closed", "The case is closed or archived. A user has to reopen it first.")
	ErrLegalHold     = errs.New(errs.Conflict, "legal_hold", "The case is under legal hold: the duty to preserve comes before the wish to delete. A user has to lift the hold first.")
	ErrBranchBusy    = errs.New(errs.Conflict, "branch_busy", "A phase is running on this branch. Wait for its phase_end, or cancel it with DELETE /v1/agent/{phaseId}.")
	ErrReviewPending = errs.New(errs.Conflict, "review_pending", "Phases of the case wait for a person's review. Review them, or repeat with acknowledgePending=true.")
	ErrHuman         = errs.New(errs.Forbidden, "human_required", "Only a person may do this. Ask the user to open the deep link.")
)

// space is the name space of the ids that must come out the same on a repetition.
var space = uuid.MustParse("5f1c2a44-6f5d-5c1e-9a38-6f3c2d1b7e90")

// DerivedID returns the UUIDv5 of parts. Every part ends in a byte that none of them can hold, so that no two lists of parts
// give the same id.
func DerivedID(parts ...string) string {
	var all []byte
	for _, p := range parts {
		all = append(append(all, p...), 0)
	}
	return uuid.NewSHA1(space, all).String()
}

// TimelineOf returns the id of a container's timeline.
func TimelineOf(containerID string) string { return DerivedID("timeline", containerID) }

// RootBranchOf returns the id of the first branch of a timeline.
func RootBranchOf(timelineID string) string { return DerivedID("root branch", timelineID) }

// Moment cuts t to what every store can give back unchanged: UTC and milliseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// ValidID reports whether s is a UUID in its usual lower-case form.
func ValidID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}
