// Package phases keeps the record of work: containers with their tree of branches, and on each branch one phase after
// another, chained by hashes, with at most one of them running.
package phases

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Types of container.
const (
	CaseContainer    = "case"
	SupportContainer = "support"
	SalesContainer   = "sales"
)

// Request types.
const (
	EvalReq    = "eval_req"
	CaseReq    = "case_req"
	SupportReq = "support_req"
	SalesReq   = "sales_req"
	AdminReq   = "admin_req"
)

// States of a phase.
const (
	Queued      = "queued" // it waits for its branch
	Running     = "running"
	Interrupted = "interrupted"
	Completed   = "completed"
	Refused     = "refused"
	Failed      = "failed"
	Cancelled   = "cancelled"
)

// States of a review.
const (
	ReviewNotRequired = "not_required"
	ReviewPending     = "pending"
	ReviewApproved    = "approved"
	ReviewAmended     = "amended"
	ReviewRejected    = "rejected"
)

// Container is what phases hang on: a case, or a container of its own for support and sales.
type Container struct {
	ID             string
	Tenant         string
	Type           string
	Version        int64
	Title          string
	Status         string
	TimelineID     string
	ActiveBranchID string
	Topic          string // of support and sales, as the following; may be ""
	RelatedCaseID  string
	Priority       string
	Handoff        Handoff
	CreatedBy      audit.Actor
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Case           *cases.Case // of type case only
}

// Handoff says whether a person of the operator was asked for.
type Handoff struct {
	Requested bool
	At        time.Time
	Reason    string
}

// States of a container that is no case.
const (
	Open          = "open"
	WaitingOnUser = "waiting_on_user"
)

// NormalPriority is that of a new container.
const NormalPriority = "normal"

// Kinds of response that tell something about the container.
const (
	kindHandoff       = "handoff"
	kindClarification = "clarification"
)

// Branch is a line of phases. Its head is the last phase that ended.
type Branch struct {
	ID            string
	Tenant        string
	Version       int64
	Number        int // 1..MaxBranches within its timeline, the root first
	TimelineID    string
	ContainerType string
	ContainerID   string
	Title         string
	Purpose       string
	ParentID      string   // "" for the root
	ForkPhaseID   string   // the parent's last phase that is seen; "" when the parent had none of its own
	ForkSequence  int      // of ForkPhaseID on the parent; 0 without one
	BasePhaseID   string   // what the first own phase follows, wherever it lies; "" for nothing
	BaseHash      string   // of BasePhaseID
	Depth         int      // 0 for the root
	Lineage       []Step   // from the root to the parent; empty for the root
	SharedWith    []string // invites whose partners see it
	HeadPhaseID   string   // "" before the first phase has ended
	HeadSequence  int      // of the head; 0 without one
	HeadHash      string   // of the head; what the next phase continues from
	Archived      bool
	CreatedBy     audit.Actor
	CreatedAt     time.Time
	UpdatedAt     time.Time
	LinedAt       time.Time // when a phase last said that it waits for the branch; zero for never
}

// Claim says which phase has a branch for itself. There is at most one per branch.
type Claim struct {
	BranchID string
	Tenant   string
	Version  int64
	PhaseID  string
	Since    time.Time
}

// Session binds a session id to the user who used it first.
type Session struct {
	ID     string
	Tenant string
	UserID string
	Since  time.Time
}

// Engine says what produced an answer.
type Engine struct {
	Mode            string
	RulesVersion    string
	FallbackReason  string
	Provider        string // of the language model; "" when none answered
	Model           string
	TemplateVersion string // of the instructions that the model worked by
}

// ToolCall is one use of a tool: digests, never arguments.
type ToolCall struct {
	CallID     string
	Name       string
	ArgsDigest string
	Summary    string
	Outcome    string
	DurationMs int64
}

// Usage is what a phase cost.
type Usage struct {
	InputTokens   int // of a language model
	OutputTokens  int
	ToolCallCount int
	PassagesRead  int
	WallMs        int64
}

// StreamMarks are the numbers of the events from which an old stream can be rebuilt.
type StreamMarks struct {
	PhaseStartSeq int
	ResponseSeq   int
	EndSeq        int
}

// DirectedBy says on whose direction a phase was done.
type DirectedBy struct {
	UserID   string
	Capacity string
}

// Failure is how a failed or cancelled phase ended.
type Failure struct {
	Code      string
	Message   string
	Retryable bool
}

// Review is the human sign-off. It is the one part of an ended phase that may change, and no part of its hash.
type Review struct {
	Required       bool
	Status         string
	ReviewerUserID string
	At             time.Time
	ResponseSHA256 string // what was signed
	Note           string
	AmendedText    string
	Key            string    // of the decision, when its request could be repeated
	Comments       []Comment // the oldest first
}

// Comment is a person's remark on a phase.
type Comment struct {
	UserID string
	At     time.Time
	Text   string
	Key    string // as that of a decision
}

// has reports whether the verdict of a key is on record.
func (r Review) has(key string) bool {
	return key != "" && (r.Key == key || slices.ContainsFunc(r.Comments, func(c Comment) bool { return c.Key == key }))
}

// Phase is one exchange or unit of work. The answer is the agent's document and is kept as it was given.
type Phase struct {
	ID             string
	Tenant         string
	Version        int64
	BranchID       string
	TimelineID     string
	ParentID       string
	Sequence       int // 1..n on the branch; below 0 for one that waits for it, or waited in vain
	ContainerType  string
	ContainerID    string
	SessionID      string
	RequestType    string
	Prompt         string
	FileIDs        []string
	Status         string
	Attempt        int
	Response       []byte   // JSON; nil when there is none
	Kind           string   // of the response
	Reasons        []string // why a person has to review it
	Failure        *Failure
	Review         Review
	DirectedBy     DirectedBy
	Engine         Engine
	ToolCalls      []ToolCall
	Usage          Usage
	Stream         StreamMarks
	RequestSHA256  string
	ResponseSHA256 string
	PrevHash       string
	Hash           string
	CreatedBy      audit.Actor
	CreatedAt      time.Time
	StartedAt      time.Time // of the latest attempt
	EndedAt        time.Time // zero while it is open
	AloneUntil     time.Time // until then its attempt has its process for itself; zero for one that shares it
	Since          time.Time // since when it has its status; when it was last asked after, for one that waits
	Steady         time.Time // of a queued phase: since when it has been asked after without a break
	Caller         access.Caller
	Asked          Asked
	Waiter         string // of a queued phase: who waits for it
	Passing        bool   // of a queued phase: whoever waits has no place for the run, so others may begin first
	TaskID         string // of the agent-to-agent protocol; "" for none
}

// Asked is what a request said beside what every phase tells, so that the phase can be run again without its client.
type Asked struct {
	BranchID   string
	ParentID   string
	Mode       string
	MaxSeconds int
	Language   string
}

// Open reports whether the phase runs or waits to be taken up again.
func (p Phase) Open() bool { return p.Status == Running || p.Status == Interrupted }

// InAttempt reports whether an attempt of the phase runs: only then may it write.
func (p Phase) InAttempt(attempt int) bool { return p.Status == Running && p.Attempt == attempt }

// Placed reports whether the phase has a number on its branch: it runs, or ran.
func (p Phase) Placed() bool { return p.Sequence > 0 }

// MaxAttempts is how often a phase is run: once, and twice more after a process died under it. The last of these has
// a process for itself. If that process dies as well, no other run can have killed it.
const MaxAttempts = 3

// MostAttempts is how often a phase is run that was never alone when its process died. Each time alone lasts twice as
// long as the attempt before it lived, and half a minute at least, so the last one covers any run of up to four
// minutes.
const MostAttempts = 6

// Pauses between the interruption of an attempt and the next one.
var pauses = [MaxAttempts - 1]time.Duration{time.Second, 5 * time.Second}

// Spent reports whether an interrupted phase may not run again.
func (p Phase) Spent() bool {
	return p.Attempt >= MaxAttempts && p.wasAlone() || p.Attempt >= MostAttempts
}

// wasAlone reports whether the process of an interrupted attempt ran nothing else when it died. The death comes before
// the interruption, so only one that was noticed within the time alone is certain.
func (p Phase) wasAlone() bool { return !p.Since.After(p.AloneUntil) }

// OnLast reports whether the next attempt of an interrupted phase is to have its process for itself.
func (p Phase) OnLast() bool { return p.Attempt >= MaxAttempts-1 }

// leastAlone leaves time to notice a death where replicas that look for it die as well.
const leastAlone = 30 * time.Second

// AloneFor is how long the next attempt of an interrupted phase is to have its process for itself: twice as long as
// the attempt before it lived, with the time in which its death was noticed.
func (p Phase) AloneFor() time.Duration { return max(leastAlone, 2*p.Since.Sub(p.StartedAt)) }

// Due reports whether an interrupted phase may be taken up by now.
func (p Phase) Due(now time.Time) bool {
	if p.Status != Interrupted || p.Spent() {
		return false
	}
	pause := pauses[min(p.Attempt, len(pauses))-1]

	return !now.Before(p.Since.Add(pause))
}

// GenesisHash is what the first phase of a timeline continues from.
const GenesisHash = "0000000000000000000000000000000000000000000000000000000000000000"

// ChainHash returns the hash that ends p in its branch's chain: the SHA-256 of these lines, each with its length before
// it, so that nobody can move a byte from one into the next: prevHash, phaseId, branchId, sequence, attempt,
// requestType, status, requestSha256, responseSha256, the actor's kind, id and user, directedBy, engine mode and rules,
// and the instants of creation and end in RFC 3339 with milliseconds.
func (p Phase) ChainHash() string {
	const instant = "2006-01-02T15:04:05.000Z"

	h := sha256.New()
	for _, line := range []string{
		p.PrevHash, p.ID, p.BranchID, fmt.Sprint(p.Sequence), fmt.Sprint(p.Attempt), p.RequestType, p.Status,
		p.RequestSHA256, p.ResponseSHA256,
		p.CreatedBy.Kind, p.CreatedBy.ID, p.CreatedBy.UserID, p.DirectedBy.UserID, p.DirectedBy.Capacity,
		p.Engine.Mode, p.Engine.RulesVersion,
		p.CreatedAt.UTC().Format(instant), p.EndedAt.UTC().Format(instant),
	} {
		fmt.Fprintf(h, "%d:%s\n", len(line), line)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// Failures of phases.
var (
	ErrNotFound = errs.ErrNotFound
	ErrConflict = errs.New(
		errs.Conflict,
		"phase_conflict",
		"The head of the branch moved, or this phaseId belongs to another request. "+
			"Read the branch and send a new phaseId with its head as parent, or fork explicitly.",
	)
	ErrBranchBusy = cases.ErrBranchBusy
	ErrLineFull   = ErrBranchBusy.WithMessage(
		"A phase is running on this branch, and its queue is full. " +
			"Send the same request again after the time in Retry-After, or fork a branch.",
	).WithRetryAfter(10 * time.Second)
	ErrBranchArchived = cases.ErrArchived
	ErrSession        = errs.New(
		errs.Conflict,
		"session_conflict",
		"This sessionId belongs to another user of the organization. Choose a new one.",
	)
	ErrSupervisor = errs.New(
		errs.Conflict,
		"supervisor_required",
		"The case has no responsible person. A user has to name one before case work goes on.",
	)
	ErrTransition = errs.New(
		errs.Conflict,
		"invalid_transition",
		"The phase has ended, or another attempt of it is running. Read the phase before you continue.",
	)
)
