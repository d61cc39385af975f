package api

import (
	"encoding/json"
)

// Refused is a refusal on case-svc's record: who asks was refused it. It says nothing of what the request held.
type Refused struct {
	At           Instant `json:"at"`
	Action       string  `json:"action"`
	ResourceType string  `json:"resourceType"`
	ResourceID   string  `json:"resourceId"`
	RequestID    string  `json:"requestId"`
}

// Refusals are the caller's last refusals, the newest first, among the last Searched events of the tenant.
type Refusals struct {
	Items    []Refused `json:"items"`
	Searched int       `json:"searched"`
}

// TenantUsage is what a tenant has and had done. Counts stop at Most.
type TenantUsage struct {
	Cases  map[string]int `json:"cases"` // by status; deleted ones are under "deleted" until they are purged
	Files  int            `json:"files"`
	Bytes  int64          `json:"bytes"`  // of these files
	Phases []PhaseCount   `json:"phases"` // that began since Since, where there are any
	Since  Instant        `json:"since"`
	Most   int            `json:"most"`
}

// PhaseCount counts the phases of a request type with an outcome.
type PhaseCount struct {
	RequestType string `json:"requestType"`
	Status      string `json:"status"`
	Count       int    `json:"count"`
}

// WaitingReview is a phase that waits for a person's review.
type WaitingReview struct {
	PhaseID     string   `json:"phaseId"`
	CaseID      string   `json:"caseId"`
	RequestType string   `json:"requestType"`
	Since       Instant  `json:"since"` // when the phase ended
	Reasons     []string `json:"reasons"`
}

// WaitingReviews is a page of them, those waiting longest first. After names the phase from which the next page goes
// on, "" on the last.
type WaitingReviews struct {
	Items []WaitingReview `json:"items"`
	After string          `json:"after"`
}

// ChainCheck says how far a check of an audit chain came.
type ChainCheck struct {
	Seq    int64        `json:"seq"`   // of the last event that is right
	Hash   string       `json:"hash"`  // of that event
	Whole  bool         `json:"whole"` // that event is the last one
	Broken *BrokenChain `json:"broken,omitempty"`
}

// BrokenChain names the first event that is not right, and why.
type BrokenChain struct {
	Seq    int64  `json:"seq"`
	Reason string `json:"reason"`
}

// RetentionPreview lists the cases whose time has come. Token lets the same person have them taken away until
// ExpiresAt; it is "" when there are none.
type RetentionPreview struct {
	Token     string    `json:"token"`
	ExpiresAt Instant   `json:"expiresAt"`
	Due       []DueCase `json:"due"`  // at most MaxDue
	More      bool      `json:"more"` // there are more than these
	Held      int       `json:"held"` // cases under legal hold, which no retention touches
	Soon      int       `json:"soon"` // cases whose time comes within 30 days
}

// MaxDue is how many cases one preview lists.
const MaxDue = 100

// Reasons why a case is due.
const (
	DueDeleted   = "deleted"   // the time to restore it, and its retention, are over
	DueRetention = "retention" // it is archived and its retention is over
)

// DueCase is a case whose time has come.
type DueCase struct {
	CaseID string  `json:"caseId"`
	Reason string  `json:"reason"`
	DueAt  Instant `json:"dueAt"`
}

// RunRetention has the cases of a preview taken away.
type RunRetention struct {
	Token string `json:"token"`
}

// RetentionRun says what became of the cases of a preview. It may be asked for again until Left is 0.
type RetentionRun struct {
	Removed   int `json:"removed"`   // by this call
	NoLonger  int `json:"noLonger"`  // are not due any more: gone already, restored, or under legal hold
	Left      int `json:"left"`      // for the next call
	Previewed int `json:"previewed"` // cases of the preview
}

// Reindexed says what the new search index of a case covers.
type Reindexed struct {
	Files      int `json:"files"`
	Unreadable int `json:"unreadable"` // files without text, or beyond the memory for an index
	Passages   int `json:"passages"`
}

// ImportPartners holds entries of a directory in the form of a seed file.
type ImportPartners struct {
	Partners []json.RawMessage `json:"partners"`
}

// ImportedPartners counts what an import did.
type ImportedPartners struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}
