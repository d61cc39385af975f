package api

// Kinds of entry of a timeline. From file_added on they are written by the service itself.
const (
	EntryFact          = "fact"
	EntryFiling        = "filing"
	EntryHearing       = "hearing"
	EntryDeadline      = "deadline"
	EntryCommunication = "communication"
	EntryPayment       = "payment"
	EntryAgreement     = "agreement"
	EntryAuthority     = "authority"
	EntryFileAdded     = "file_added"
	EntryPhase         = "phase"
	EntryReview        = "review"
	EntryStatusChange  = "status_change"
	EntryInvite        = "invite"
)

// When says when something was or is to be. What can be read in two ways holds both; nothing is chosen silently.
type When struct {
	On            string `json:"on,omitempty"`            // YYYY-MM-DD
	Precision     string `json:"precision"`               // day, month, year, approximate
	Ambiguous     bool   `json:"ambiguous"`               // true exactly when AlternativeOn is given
	AlternativeOn string `json:"alternativeOn,omitempty"` // YYYY-MM-DD
	Raw           string `json:"raw,omitempty"`           // as it stands in the source; at most 80 code points
}

// UTBMS is a code of a phase of legal work, with its task and activity.
type UTBMS struct {
	Phase    string `json:"phase"`
	Task     string `json:"task,omitempty"`
	Activity string `json:"activity,omitempty"` // A101 to A111
}

// Computation says how a deadline was counted, so that a person can check it.
type Computation struct {
	TriggerOn        string     `json:"triggerOn"`
	TriggerSource    *SourceRef `json:"triggerSource,omitempty"`
	RuleID           string     `json:"ruleId"`
	RuleCitation     string     `json:"ruleCitation"`
	Count            int        `json:"count"`
	Unit             string     `json:"unit"`      // days, months, hours
	Direction        string     `json:"direction"` // forward, backward
	ServiceDaysAdded int        `json:"serviceDaysAdded"`
	RolledFrom       string     `json:"rolledFrom,omitempty"`
	RolledBecause    string     `json:"rolledBecause,omitempty"`
	HolidayCalendar  string     `json:"holidayCalendar"`
	Assumptions      []string   `json:"assumptions"`
}

// Deadline is what an entry of kind deadline has besides. A deadline is a date in the forum's zone, and an instant only
// when its source states an hour.
type Deadline struct {
	DueOn             string       `json:"dueOn"`              // the safe day: the earliest of the readings
	LatestOn          string       `json:"latestOn,omitempty"` // the latest of the readings, when they differ
	DueAt             *Instant     `json:"dueAt,omitempty"`
	TimeZone          string       `json:"timeZone"`
	Certainty         string       `json:"certainty"` // explicit, computed, inferred
	Computation       *Computation `json:"computation,omitempty"`
	Status            string       `json:"status"` // proposed, confirmed, met, missed, vacated
	ResponsibleUserID string       `json:"responsibleUserId,omitempty"`
}

// TimelineEntry is one dated thing of a matter.
type TimelineEntry struct {
	EntryID      string      `json:"entryId"`
	Version      int         `json:"version"`
	Kind         string      `json:"kind"`
	When         When        `json:"when"`
	Title        string      `json:"title"`
	Detail       string      `json:"detail,omitempty"`
	Amount       *Money      `json:"amount,omitempty"`
	Authority    *Authority  `json:"authority,omitempty"`
	Sources      []SourceRef `json:"sources"`
	Origin       string      `json:"origin"`       // extracted, computed, agent, user, system
	ReviewStatus string      `json:"reviewStatus"` // unreviewed, confirmed, rejected
	BranchID     string      `json:"branchId"`
	PhaseID      string      `json:"phaseId,omitempty"`
	UTBMS        *UTBMS      `json:"utbms,omitempty"`
	*Deadline                // of kind deadline only
	CreatedBy    Actor       `json:"createdBy"`
	CreatedAt    Instant     `json:"createdAt"`
	UpdatedAt    Instant     `json:"updatedAt"`
}

// NewEntry is the body of POST /v1/timeline/{timelineId}/entries.
type NewEntry struct {
	EntryContent

	ResponsibleUserID string `json:"responsibleUserId,omitempty"` // for a deadline, from a user session only
}

// EntryContent is what an entry says, as a person writes it or a run proposes it.
type EntryContent struct {
	Kind      string      `json:"kind"`
	When      *When       `json:"when,omitempty"` // of a deadline its dueOn by default
	Title     string      `json:"title"`
	Detail    string      `json:"detail,omitempty"`
	Amount    *Money      `json:"amount,omitempty"`
	Authority *Authority  `json:"authority,omitempty"`
	Sources   []SourceRef `json:"sources,omitempty"`

	// Of a deadline only.
	DueOn       string       `json:"dueOn,omitempty"`    // the safe day: the earliest of the readings
	LatestOn    string       `json:"latestOn,omitempty"` // the latest of the readings, when they differ
	DueAt       *Instant     `json:"dueAt,omitempty"`
	TimeZone    string       `json:"timeZone,omitempty"`  // the forum's by default, UTC without one
	Certainty   string       `json:"certainty,omitempty"` // explicit by default; computed needs a computation
	Computation *Computation `json:"computation,omitempty"`
}

// TimelineCounts are taken from what is stored.
type TimelineCounts struct {
	Branches      int `json:"branches"`
	Entries       int `json:"entries"`       // of all branches
	OpenDeadlines int `json:"openDeadlines"` // proposed or confirmed, and not rejected
}

// Timeline is the tree of work of a container with its dated record. Members that include= leaves out are absent.
type Timeline struct {
	TimelineID     string          `json:"timelineId"`
	ContainerType  string          `json:"containerType"`
	ContainerID    string          `json:"containerId"`
	RootBranchID   string          `json:"rootBranchId"`
	ActiveBranchID string          `json:"activeBranchId"`
	Branches       []BranchSummary `json:"branches,omitzero"`  // all: there are at most 200
	Entries        []TimelineEntry `json:"entries,omitzero"`   // one page
	NextCursor     *string         `json:"nextCursor"`         // of the entries
	Deadlines      []TimelineEntry `json:"deadlines,omitzero"` // neither met nor vacated, by dueOn, at most 100
	Counts         TimelineCounts  `json:"counts"`
	Version        int             `json:"version"`
	CreatedAt      Instant         `json:"createdAt"`
	UpdatedAt      Instant         `json:"updatedAt"`
}

// MaxProposed is how many entries one call may propose.
const MaxProposed = 100

// ProposeEntries puts what a phase found into the timeline of its container, unreviewed. Doing it again adds nothing.
type ProposeEntries struct {
	PhaseID string         `json:"phaseId"`
	Attempt int            `json:"attempt"` // of the phase; another one has replaced an attempt that is not the present
	Origin  string         `json:"origin"`  // extracted or computed
	Entries []EntryContent `json:"entries"` // at most MaxProposed
}

// ProposedEntries says what became of each proposed entry, in their order.
type ProposedEntries struct {
	Items []ProposedEntry `json:"items"`
}

// ProposedEntry is one of them.
type ProposedEntry struct {
	EntryID string `json:"entryId"`
	Added   bool   `json:"added"` // false when it was there already
}
