// Package timeline keeps the dated record of a container: facts, filings, deadlines and what the service itself did,
// each on the branch where it was written, with the passages it comes from.
package timeline

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Kinds of entry.
const (
	Fact          = "fact"
	Filing        = "filing"
	Hearing       = "hearing"
	DeadlineKind  = "deadline"
	Communication = "communication"
	Payment       = "payment"
	Agreement     = "agreement"
	AuthorityKind = "authority"
	FileAdded     = "file_added"
	PhaseKind     = "phase"
	ReviewKind    = "review"
	StatusChange  = "status_change"
	Invite        = "invite"
)

// Where an entry comes from.
const (
	Extracted = "extracted"
	Computed  = "computed"
	ByAgent   = "agent"
	ByUser    = "user"
	BySystem  = "system"
)

// What a person thinks of an entry.
const (
	Unreviewed = "unreviewed"
	Accepted   = "confirmed"
	Rejected   = "rejected"
)

// States of a deadline.
const (
	Proposed  = "proposed"
	Confirmed = "confirmed"
	Met       = "met"
	Missed    = "missed"
	Vacated   = "vacated"
)

// When says when something was or is to be. Dates are YYYY-MM-DD.
type When struct {
	On            string
	Precision     string
	Ambiguous     bool
	AlternativeOn string
	Raw           string
}

// Source is the passage that an entry rests on.
type Source = cases.SourceRef

// Authority is a case, statute or rule that is cited; it is reported, not vouched for.
type Authority struct{ Text, Kind, Verification string }

// Money is an amount in minor units of its currency.
type Money struct {
	Minor    int64
	Currency string
}

// UTBMS is a code of a phase of legal work.
type UTBMS struct{ Phase, Task, Activity string }

// Computation says how a deadline was counted.
type Computation struct {
	TriggerOn        string
	TriggerSource    *Source
	RuleID           string
	RuleCitation     string
	Count            int
	Unit             string
	Direction        string
	ServiceDaysAdded int
	RolledFrom       string
	RolledBecause    string
	HolidayCalendar  string
	Assumptions      []string
}

// Deadline is a date in a zone by which something must be done.
type Deadline struct {
	DueOn             string    // the safe day: the earliest of the readings
	LatestOn          string    // the latest of the readings, "" when they do not differ
	DueAt             time.Time // zero unless the source states an hour
	TimeZone          string
	Certainty         string
	Computation       *Computation
	Status            string
	ResponsibleUserID string
}

// Entry is one dated thing.
type Entry struct {
	ID           string
	Tenant       string
	Version      int64
	TimelineID   string
	ContainerID  string
	BranchID     string
	Sequence     int // the phase of the branch that it belongs to, or after which it was written
	PhaseID      string
	Attempt      int // of the phase that proposed it; 0 for what no phase proposed
	Kind         string
	When         When
	Title        string
	Detail       string
	Amount       *Money
	Authority    *Authority
	Sources      []Source
	Origin       string
	ReviewStatus string
	UTBMS        *UTBMS
	Deadline     *Deadline // of kind deadline only
	CreatedBy    audit.Actor
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

const dateForm = "2006-01-02"

// asOf returns the entry as it is at a moment: a confirmed deadline is missed from the day after its last day in its
// zone on.
func (e Entry) asOf(now time.Time) Entry {
	d := e.Deadline
	if d == nil || d.Status != Confirmed {
		return e
	}
	zone, err := time.LoadLocation(d.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	if now.In(zone).Format(dateForm) > max(d.DueOn, d.LatestOn) {
		late := *d
		late.Status = Missed
		e.Deadline = &late
	}

	return e
}

// Open reports whether the entry is a deadline that is still to be decided or kept.
func (e Entry) Open() bool {
	return e.Deadline != nil && e.ReviewStatus != Rejected &&
		(e.Deadline.Status == Proposed || e.Deadline.Status == Confirmed)
}

// Segment is as much of a branch's record as another branch sees.
type Segment struct {
	BranchID string
	Whole    bool // the branch itself
	Through  int  // else what belongs to its phases up to this number
	Until    time.Time
}

// Sight returns what is seen from a branch: what its ancestors had up to the forks when they were made, and all its
// own.
func Sight(b phases.Branch) []Segment {
	all := make([]Segment, 0, len(b.Lineage)+1)
	for _, s := range b.Lineage {
		all = append(all, Segment{BranchID: s.BranchID, Through: s.Through, Until: s.Until})
	}

	return append(all, Segment{BranchID: b.ID, Whole: true})
}

// Sort orders.
const (
	ByWhen    = "when" // what has no date comes last
	ByCreated = "createdAt"
)

// Query asks for one page of entries; zero fields choose all.
type Query struct {
	Sight        []Segment
	Kinds        []string
	From, To     string // dates; both included
	Origin       string
	ReviewStatus string
	Words        []string
	Phrases      [][]string // words that stand one after the other in the title or the detail
	Sort         string
	Descending   bool
	After        *cases.Cursor
	Limit        int
}

// Due chooses deadlines that no person has rejected.
type Due struct {
	Statuses     []string
	Sight        []Segment // nil is everywhere
	From, Before string    // dueOn on or after the one date and before the other; "" is no bound
}

// undated is the date of what has none, in the order of dates.
const undated = "9999-12-31"

// DateKey is the date by which an entry is ordered.
func (e Entry) DateKey() string {
	if e.When.On == "" {
		return undated
	}

	return e.When.On
}

// PlaceOf returns the place of e in the order of q.
func (q Query) PlaceOf(e Entry) cases.Cursor {
	if q.Sort == ByCreated {
		return cases.Cursor{Time: e.CreatedAt, ID: e.ID}
	}

	return cases.Cursor{Text: e.DateKey(), ID: e.ID}
}

// Failures of entries.
var (
	ErrNotFound   = errs.ErrNotFound
	ErrTransition = errs.New(
		errs.Conflict,
		"invalid_transition",
		"The deadline cannot move from its current state to this one. "+
			"Read the entry and try again from its current state.",
	)
)

// Store keeps entries. Another tenant's, and those of another timeline, are ErrNotFound.
type Store interface {
	// Insert saves a new entry, or returns errs.ErrTaken when there is one of this id.
	Insert(ctx context.Context, e Entry) error
	// Remove deletes an entry; it is no error when it is gone.
	Remove(ctx context.Context, e Entry) error
	Get(ctx context.Context, tenant string, timelineID, id string) (Entry, error)
	// Replace saves e, with the next version, over the stored entry of the version of e, or returns errs.ErrTaken.
	Replace(ctx context.Context, e Entry) error
	// List returns up to q.Limit entries in the order of q. It does not look at phrases.
	List(ctx context.Context, tenant string, timelineID string, q Query) ([]Entry, error)
	// Proposed returns what the attempts of a phase below a number proposed.
	Proposed(ctx context.Context, tenant, timelineID, phaseID string, below int) ([]Entry, error)
	// Known returns which of the ids there are entries of.
	Known(ctx context.Context, tenant string, ids []string) (map[string]bool, error)
	// Deadlines returns up to limit of the deadlines that d chooses, by dueOn; all of them with limit 0.
	Deadlines(ctx context.Context, tenant string, timelineID string, d Due, limit int) ([]Entry, error)
	// CountDeadlines counts those that d chooses.
	CountDeadlines(ctx context.Context, tenant string, timelineID string, d Due) (int, error)
	// Count counts the entries of a timeline that are in sight, nil meaning all, and those of its deadlines that are
	// proposed or confirmed and not rejected.
	Count(ctx context.Context, tenant string, timelineID string, sight []Segment) (all, open int, err error)
	// Overdue returns up to limit confirmed deadlines of all tenants that were due before a date, the oldest first.
	Overdue(ctx context.Context, before string, limit int) ([]Entry, error)
}
