// Package cases holds what a matter is: its fields and their rules, who may delete it, and what an evaluation may
// change.
package cases

import (
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

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
	Source   *SourceRef // of an extracted amount
}

// SourceRef points at a passage of a file of the case. Its quote is what stands there, text[Start:End], with white
// space folded. It is the one form of a source in this service: amounts, entries of timelines and searches share it.
type SourceRef struct {
	FileID      string
	TextVersion int
	Page        int
	Paragraph   int
	Start       int // code points of the stored text
	End         int // exclusive
	Quote       string
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

// Retention says how long a matter is kept.
type Retention struct {
	LegalHold    bool
	HoldReason   string
	HoldByUserID string
	RetainUntil  string // date; "" while the matter is not closed
	PolicyCode   string
}

// NextDeadline is the nearest open deadline of a case, for lists.
type NextDeadline struct {
	DeadlineID string
	DueOn      string // date
	Title      string
	Status     string
}

// Override is a tier that a person set in place of the evaluation's.
type Override struct {
	Tier     int // 1 to 4
	Reason   string
	ByUserID string
	At       time.Time
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

// Complexity is the last evaluation of a case. The evaluation itself is the agent's document and is kept as it was
// given.
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
	By        audit.Actor
	At        time.Time
	Tombstone *Tombstone // once its content was taken away
}

// Tombstone is what stays of a case that was purged, besides its id, its dates and who acted: digests by which a copy
// elsewhere can be told to be of this case.
type Tombstone struct {
	CaseSHA256 string   // of what the case said, in hex
	FileSHA256 []string // of its files, in hex, sorted
	HeadHashes []string // of its branches, sorted
}

// RestoreTime is how long a deleted case can be had back.
const RestoreTime = 30 * 24 * time.Hour

// Over reports whether the case takes no more work.
func (c Case) Over() bool { return c.Status == Closed || c.Status == Archived }

// UnderWay reports whether the case was opened and is not over.
func (c Case) UnderWay() bool { return c.Status == Open || c.Status == OnHold }

// touch notes a change. The time of a case never goes back, whatever the clocks of replicas say.
func (c *Case) touch(now time.Time) {
	if now = instant.Of(now); now.After(c.UpdatedAt) {
		c.UpdatedAt = now
	}
}

// PurgeAt returns from when on the case's content is to be taken away: when the time to restore a deleted case, or the
// retention of an archived or deleted one, is over. Never is the zero time: what lives, is under legal hold, or was
// purged.
func (c Case) PurgeAt() time.Time {
	del := c.Deletion
	purged := del != nil && del.Tombstone != nil
	kept := del == nil && (c.Status != Archived || c.Retention.RetainUntil == "")
	if c.Retention.LegalHold || purged || kept {
		return time.Time{}
	}
	var at time.Time
	if until, err := time.Parse(time.DateOnly, c.Retention.RetainUntil); err == nil {
		at = until.AddDate(0, 0, 1)
	}
	if del != nil && del.At.Add(RestoreTime).After(at) {
		at = del.At.Add(RestoreTime)
	}

	return at
}

// Day returns the calendar date of t in UTC.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// busyWait is after how long a branch that is taken may be asked for again: most runs of the rules are over by then.
const busyWait = 5 * time.Second

// Failures of cases.
var (
	ErrNotFound = errs.ErrNotFound
	// ErrGone answers a repetition of a request that made a case which was deleted since.
	ErrGone = errs.New(
		errs.Conflict,
		"resource_gone",
		"What the first request with this Idempotency-Key made has been deleted. Use a new key to make another.",
	)
	ErrExists   = errs.New(errs.Conflict, "write_conflict", "This already exists. Read it and go on from it.")
	ErrVersion  = errs.ErrVersion
	ErrBusy     = errs.ErrBusy
	ErrRefTaken = errs.New(
		errs.Conflict,
		"external_ref_taken",
		"Another case has this externalRef. Find it with GET /v1/cases?externalRef=, or choose another reference.",
	)
	ErrOver      = errs.ErrCaseClosed
	ErrLegalHold = errs.New(
		errs.Conflict,
		"legal_hold",
		"The case is under legal hold: the duty to preserve comes before the wish to delete. "+
			"A user has to lift the hold first.",
	)
	ErrBranchBusy = errs.New(
		errs.Conflict,
		"branch_busy",
		"A phase is running on this branch. Wait for its phase_end, or cancel it with DELETE /v1/agent/{phaseId}.",
	).WithRetryAfter(busyWait)
	ErrReviewPending = errs.New(
		errs.Conflict,
		"review_pending",
		"Some phases of this case are waiting for review. "+
			"Review them, or repeat the request with acknowledgePending=true.",
	)
	ErrOwners = errs.New(
		errs.Forbidden,
		"forbidden",
		"In this organization only an owner opens cases. Ask one of them.",
	)
	ErrTransition = errs.New(
		errs.Conflict,
		"invalid_transition",
		"The case cannot move to that state yet. The details say what is missing.",
	)
	ErrArchived = errs.New(
		errs.Conflict,
		"branch_archived",
		"The branch is archived. Use another branch, or ask a user to restore it.",
	)
	ErrHuman = errs.ErrHuman
)

// space is the name space of the ids that must come out the same on a repetition.
var space = ids.Space(uuid.MustParse("5f1c2a44-6f5d-5c1e-9a38-6f3c2d1b7e90"))

// DerivedID returns the id that parts always give.
func DerivedID(parts ...string) string { return space.Derive(parts...) }

// TimelineOf returns the id of a container's timeline.
func TimelineOf(containerID string) string { return DerivedID("timeline", containerID) }

// RootBranchOf returns the id of the first branch of a timeline.
func RootBranchOf(timelineID string) string { return DerivedID("root branch", timelineID) }
