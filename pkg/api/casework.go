package api

import (
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// BeginPhase asks case-svc to begin, to take up again, or to look up a phase. The caller must be able to run agents
// in the container.
type BeginPhase struct {
	PhaseID       string   `json:"phaseId"`
	SessionID     string   `json:"sessionId"`
	BranchID      string   `json:"branchId,omitempty"`
	ParentPhaseID string   `json:"parentPhaseId,omitempty"`
	ContainerID   string   `json:"containerId"`
	ContainerType string   `json:"containerType"`
	RequestType   string   `json:"requestType"`
	Prompt        string   `json:"prompt"`
	FileIDs       []string `json:"fileIds,omitempty"`
	// Fingerprint is the SHA-256 in hex of the canonical request. The same phaseId with another one is a conflict.
	Fingerprint string `json:"fingerprint"`
	Engine      Engine `json:"engine"`
	// Options are those of the request, kept for a run that has to go on without its client.
	Options *TaskOptions `json:"options,omitempty"`
	// Waiter names the process and request that wait when the branch is taken; without it a branch that is taken is a
	// conflict.
	Waiter string `json:"waiter,omitempty"`
	// Hold keeps a phase that is there from beginning: one that waits keeps its place in line, and one that is
	// interrupted stays so.
	Hold bool `json:"hold,omitempty"`
	// Pass does so too, and lets those behind it in line begin first: whoever waits has no place for a run now.
	Pass bool `json:"pass,omitempty"`
	// AloneMs is how long the process runs nothing beside this attempt, as OpenPhase asked for; 0 for an attempt that
	// shares its process.
	AloneMs int64 `json:"aloneMs,omitempty"`
	// A2A is the task of the agent-to-agent protocol that the phase is a turn of; nil for none.
	A2A   *A2ABegin `json:"a2a,omitempty"`
	Fresh bool      `json:"-"` // nobody has heard of the phase before, as far as the caller knows
	Plain bool      `json:"-"` // the run needs nothing of the tenant's settings
}

// BegunPhase says what became of BeginPhase. Run is true for exactly one of several callers: the one that must now run
// the attempt.
type BegunPhase struct {
	Phase     Phase     `json:"phase"`
	Container Container `json:"container"`
	Run       bool      `json:"run"`
	// Place is that of a queued phase in the line of its branch, from 1.
	Place int `json:"place,omitempty"`
	// Ahead is the phase that has the branch while this one waits.
	Ahead string `json:"ahead,omitempty"`
}

// Continuation is what a run needs that goes on without its client.
type Continuation struct {
	Task        AgentTask     `json:"task"`
	Fingerprint string        `json:"fingerprint"` // of the request as it came
	Attempt     int           `json:"attempt"`     // the one that was interrupted
	Status      string        `json:"status"`
	Spent       bool          `json:"spent"`  // it was run as often as a phase may be
	Caller      access.Caller `json:"caller"` // who asked, with the rights of that time
	// Voucher is what auth-svc makes a token from that acts for Caller in this phase; "" for a phase that was begun
	// before callers were kept.
	Voucher string `json:"voucher,omitempty"`
}

// Container is what a run needs to know of the container it works in.
type Container struct {
	ContainerID    string `json:"containerId"`
	ContainerType  string `json:"containerType"`
	Title          string `json:"title"`
	Status         string `json:"status"`
	TimelineID     string `json:"timelineId"`
	ActiveBranchID string `json:"activeBranchId"`
	Case           *Case  `json:"case,omitempty"` // of type case only
	// TierCutPoints are those of the tenant, for an evaluation.
	TierCutPoints []int `json:"tierCutPoints,omitempty"`
	// DeadlineRules are those of the tenant for the United States as a whole and for the case's jurisdiction, for a
	// case_req.
	DeadlineRules *DeadlineRules `json:"deadlineRules,omitempty"`
}

// WaitAttempt stands for the wait of a phase in line. It ends no run, should the turn of the phase have come meanwhile.
const WaitAttempt = 0

// EndPhase ends an attempt. It takes effect once; a repetition with the same outcome is a success.
type EndPhase struct {
	Attempt        int            `json:"attempt"` // WaitAttempt ends a phase that waits in line
	Status         string         `json:"status"`  // completed, refused, failed, cancelled
	Response       *PhaseResponse `json:"response,omitempty"`
	ResponseSHA256 string         `json:"responseSha256,omitempty"`
	Error          *PhaseError    `json:"error,omitempty"`
	Engine         Engine         `json:"engine"`
	ToolCalls      []ToolCall     `json:"toolCalls,omitempty"`
	Usage          Usage          `json:"usage"`
	Stream         StreamMarks    `json:"stream"`
}

// InterruptPhase says that the process which ran an attempt is gone, or goes and hands the run over.
type InterruptPhase struct {
	Attempt int `json:"attempt"`
	// HandedOver is true for a process that was told to stop: the run did not kill it.
	HandedOver bool `json:"handedOver,omitempty"`
}

// InterruptedPhase is a phase after such a word. Interrupted is true for the one of several that interrupted it.
type InterruptedPhase struct {
	Phase
	Interrupted bool `json:"interrupted,omitempty"`
}

// RecordEvaluation stores what an evaluation found in its case.
type RecordEvaluation struct {
	PhaseID string `json:"phaseId"`
	// Attempt is 0 for the first attempt, as the release before sends it. Any but the present one is refused.
	Attempt    int        `json:"attempt,omitempty"`
	Evaluation Evaluation `json:"evaluation"`
}

// SaveDraft puts a draft of a phase that is running among the files of its case, in all its forms or not at all. Doing
// it again adds nothing.
type SaveDraft struct {
	PhaseID string      `json:"phaseId"`
	Attempt int         `json:"attempt"` // of the phase; another one has replaced an attempt that is not the present
	DocType string      `json:"docType"`
	Files   []DraftFile `json:"files"` // 1 to MaxDraftFiles
}

// MaxDraftFiles is how many forms one draft may have.
const MaxDraftFiles = 4

// DraftFile is one form of a draft.
type DraftFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Content   []byte `json:"content"`
}

// SavedDraft holds the files of the case that have the forms of a draft, in their order. One that the case had is
// marked as a duplicate.
type SavedDraft struct {
	Items []File `json:"items"`
}

// SearchCase asks for the passages of a case's files that answer a query.
type SearchCase struct {
	Query   string   `json:"query"`
	FileIDs []string `json:"fileIds,omitempty"` // none means all readable files but drafts that phases made
	Limit   int      `json:"limit"`             // 1..50
	// Broad lets words near in meaning count, which SearchHit.Near tells apart. It is a parameter of the address, since
	// a case-svc of before it refuses fields that it does not know, and a caller of before it does not read Near.
	Broad bool `json:"-"`
}

// SearchHit is one passage found.
type SearchHit struct {
	Source   SourceRef `json:"source"`
	FileName string    `json:"fileName"`
	Text     string    `json:"text"` // the whole passage
	Score    float64   `json:"score"`
	Matched  []string  `json:"matched"` // words of the query that stand in it
	// Near are those of Matched that are only near in meaning to a word of the query, which no file has.
	Near []string `json:"near,omitempty"`
}

// SearchResult says what was found and what could not be read.
type SearchResult struct {
	Hits            []SearchHit `json:"hits"`
	FilesRead       int         `json:"filesRead"`
	FilesUnreadable int         `json:"filesUnreadable"`
	// Absent are words of the query that stand in no file of the case, and for which no file has a synonym.
	Absent []string `json:"absent"`
	// PlacesUnread counts pages and pictures without text in the files that were read.
	PlacesUnread int `json:"placesUnread"`
}

// RecordRefusal puts a refusal of agent-svc into case-svc's audit chain.
type RecordRefusal struct {
	Action       string `json:"action"`
	ResourceType string `json:"resourceType"`
	ResourceID   string `json:"resourceId"`
}

// OpenPhase names a phase whose process may be gone.
type OpenPhase struct {
	Tenant  string  `json:"tenant"`
	PhaseID string  `json:"phaseId"`
	Attempt int     `json:"attempt"`
	Status  string  `json:"status"` // running or interrupted
	Since   Instant `json:"since"`  // since when it has that status
	// StartedAt is when its attempt began.
	StartedAt Instant `json:"startedAt"`
	EndSeq    int     `json:"endSeq"`
	Due       bool    `json:"due"` // an interrupted one that may be taken up now
	// Last means that the next attempt is the last, and that it has a process for itself: a run that has ended several
	// processes must not take the runs beside it along.
	Last    bool  `json:"last"`
	Spent   bool  `json:"spent"`
	AloneMs int64 `json:"aloneMs,omitempty"` // for how long, of one that is due
}

// OpenPages is a page of open phases.
type OpenPages struct {
	Items      []OpenPhase `json:"items"`
	NextCursor *string     `json:"nextCursor"`
}

// BeginHints is the header in which a caller of BeginPhase says what saves work. A release that does not know a hint
// overlooks it, which a field of the body would not be.
const BeginHints = "Subrosa-Begin"

// Hints of BeginHints.
const (
	hintFresh = "fresh"
	hintPlain = "plain"
)

// Hints are the values of BeginHints that say what saves work.
func (in BeginPhase) Hints() (hints []string) {
	if in.Fresh {
		hints = append(hints, hintFresh)
	}
	if in.Plain {
		hints = append(hints, hintPlain)
	}

	return hints
}

// TakeHints takes over what the values of BeginHints say.
func (in *BeginPhase) TakeHints(hints []string) {
	in.Fresh = slices.Contains(hints, hintFresh)
	in.Plain = slices.Contains(hints, hintPlain)
}

// MostTexts is how many texts ReadTexts may ask for at once.
const MostTexts = 200

// ReadTexts asks for the whole texts of files of a case.
type ReadTexts struct {
	FileIDs []string `json:"fileIds"` // at most MostTexts
}

// TextsRead are the texts of the first files that were asked for, in their order. Files that are not there are left
// out.
type TextsRead struct {
	Items []FileText `json:"items"`
	Done  int        `json:"done"` // how many of the files were looked at: the rest would be too much for one answer
}
