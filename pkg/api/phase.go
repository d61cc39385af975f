package api

// AgentTask is the body of POST /v1/agent.
type AgentTask struct {
	SessionID     string       `json:"sessionId"`
	SeedPhase     SeedPhase    `json:"seedPhase"`
	ContainerID   string       `json:"containerId"`
	ContainerType string       `json:"containerType"`
	RequestType   string       `json:"requestType"`
	Prompt        string       `json:"prompt"`
	FileIDs       []string     `json:"fileIds,omitempty"`
	Options       *TaskOptions `json:"options,omitempty"`
	A2A           *A2ABegin    `json:"-"` // set by the agent-to-agent endpoint, never by a body
}

// SeedPhase names the phase that a task becomes, and where it hangs.
type SeedPhase struct {
	PhaseID       string `json:"phaseId"`
	BranchID      string `json:"branchId,omitempty"`
	ParentPhaseID string `json:"parentPhaseId,omitempty"`
}

// TaskOptions bound a task.
type TaskOptions struct {
	Mode       string `json:"mode,omitempty"`       // auto, deterministic, model
	MaxSeconds int    `json:"maxSeconds,omitempty"` // 5..600, default 180
	Language   string `json:"language,omitempty"`
}

// Request types of a task.
const (
	EvalReq    = "eval_req"
	CaseReq    = "case_req"
	SupportReq = "support_req"
	SalesReq   = "sales_req"
	AdminReq   = "admin_req"
)

// States of a phase.
const (
	PhaseQueued      = "queued"
	PhaseRunning     = "running"
	PhaseCompleted   = "completed"
	PhaseRefused     = "refused"
	PhaseFailed      = "failed"
	PhaseCancelled   = "cancelled"
	PhaseInterrupted = "interrupted"
)

// Engine says what produced an answer.
type Engine struct {
	Mode           string       `json:"mode"` // deterministic, model
	RulesVersion   string       `json:"rulesVersion"`
	Model          *EngineModel `json:"model,omitempty"` // of the mode model
	FallbackReason string       `json:"fallbackReason,omitempty"`
}

// Modes of an engine.
const (
	ModeDeterministic = "deterministic"
	ModeModel         = "model"
)

// EngineModel names a language model and the instructions that it worked by.
type EngineModel struct {
	Provider        string `json:"provider"`
	Name            string `json:"name"`
	TemplateVersion string `json:"templateVersion,omitempty"` // of the instructions
}

// States of a review.
const (
	ReviewNotRequired = "not_required"
	ReviewPending     = "pending"
	ReviewApproved    = "approved"
	ReviewAmended     = "amended"
	ReviewRejected    = "rejected"
)

// Review is the human sign-off of a phase.
type Review struct {
	Required       bool      `json:"required"`
	Status         string    `json:"status"` // not_required, pending, approved, amended, rejected
	ReviewerUserID string    `json:"reviewerUserId,omitempty"`
	At             *Instant  `json:"at,omitempty"`
	ResponseSHA256 string    `json:"responseSha256,omitempty"` // what was signed
	Note           string    `json:"note,omitempty"`
	AmendedText    string    `json:"amendedText,omitempty"` // what holds in place of the response's text
	Comments       []Comment `json:"comments,omitempty"`    // at most 50
}

// Comment is a person's remark on a phase.
type Comment struct {
	UserID string  `json:"userId"`
	At     Instant `json:"at"`
	Text   string  `json:"text"`
}

// ReviewPhase is the body of POST /v1/phases/{phaseId}/review: a decision, or a comment.
type ReviewPhase struct {
	Decision    string `json:"decision,omitempty"`    // approved, amended, rejected
	Note        string `json:"note,omitempty"`        // with a decision; at most 2000 code points
	AmendedText string `json:"amendedText,omitempty"` // with the decision amended
	Comment     string `json:"comment,omitempty"`     // alone; at most 1000 code points
}

// ToolCall is one use of a tool: digests, never arguments.
type ToolCall struct {
	CallID     string `json:"callId"`
	Name       string `json:"name"`
	ArgsDigest string `json:"argsDigest"`
	Summary    string `json:"summary"`
	Outcome    string `json:"outcome"` // ok, empty, refused, failed
	DurationMs int64  `json:"durationMs"`
}

// Usage is what a phase cost.
type Usage struct {
	InputTokens   int   `json:"inputTokens,omitempty"` // of a language model, as its provider counts
	OutputTokens  int   `json:"outputTokens,omitempty"`
	ToolCallCount int   `json:"toolCallCount"`
	PassagesRead  int   `json:"passagesRead"`
	WallMs        int64 `json:"wallMs"`
}

// StreamMarks are the numbers of the events from which an old stream can be rebuilt.
type StreamMarks struct {
	PhaseStartSeq int `json:"phaseStartSeq"`
	ResponseSeq   int `json:"responseSeq"`
	EndSeq        int `json:"endSeq"`
}

// DirectedBy says on whose direction a phase was done.
type DirectedBy struct {
	UserID   string `json:"userId"`
	Capacity string `json:"capacity"` // supervising_professional, client, staff, none
}

// Phase is one exchange or unit of work.
type Phase struct {
	PhaseID        string         `json:"phaseId"`
	BranchID       string         `json:"branchId"`
	TimelineID     string         `json:"timelineId"`
	ParentPhaseID  *string        `json:"parentPhaseId"`
	Sequence       int            `json:"sequence"`
	ContainerType  string         `json:"containerType"`
	ContainerID    string         `json:"containerId"`
	SessionID      string         `json:"sessionId"`
	RequestType    string         `json:"requestType"`
	Prompt         string         `json:"prompt"`
	Status         string         `json:"status"`
	Attempt        int            `json:"attempt"`
	Response       *PhaseResponse `json:"response,omitempty"`
	Sources        []CitedSource  `json:"sources,omitempty"` // of the response
	Error          *PhaseError    `json:"error,omitempty"`
	Review         Review         `json:"review"`
	DirectedBy     DirectedBy     `json:"directedBy"`
	Engine         Engine         `json:"engine"`
	ToolCalls      []ToolCall     `json:"toolCalls,omitempty"`
	Usage          Usage          `json:"usage"`
	Stream         StreamMarks    `json:"stream"`
	RequestSHA256  string         `json:"requestSha256"`
	ResponseSHA256 string         `json:"responseSha256,omitempty"`
	PrevHash       string         `json:"prevHash,omitempty"`
	Hash           string         `json:"hash,omitempty"`
	CreatedBy      Actor          `json:"createdBy"`
	CreatedAt      Instant        `json:"createdAt"`
	StartedAt      *Instant       `json:"startedAt,omitempty"`
	EndedAt        *Instant       `json:"endedAt,omitempty"`
}

// PhaseSummary is a phase in short.
type PhaseSummary struct {
	PhaseID       string   `json:"phaseId"`
	BranchID      string   `json:"branchId"`
	Sequence      int      `json:"sequence"`
	ContainerType string   `json:"containerType"`
	ContainerID   string   `json:"containerId"`
	RequestType   string   `json:"requestType"`
	Prompt        string   `json:"prompt"` // its first 200 code points
	Status        string   `json:"status"`
	Attempt       int      `json:"attempt"`
	Kind          string   `json:"kind,omitempty"` // of the response
	Review        Review   `json:"review"`         // without comments and text
	Engine        Engine   `json:"engine"`
	CreatedBy     Actor    `json:"createdBy"`
	CreatedAt     Instant  `json:"createdAt"`
	StartedAt     *Instant `json:"startedAt,omitempty"`
	EndedAt       *Instant `json:"endedAt,omitempty"`
}

// PhaseError is how a failed or cancelled phase ended.
type PhaseError struct {
	Error     string `json:"error"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// Kinds of response.
const (
	KindAnswer        = "answer"
	KindEvaluation    = "evaluation"
	KindChronology    = "chronology"
	KindDeadlines     = "deadlines"
	KindChecklist     = "checklist"
	KindDraft         = "draft"
	KindComparison    = "comparison"
	KindRefusal       = "refusal"
	KindHandoff       = "handoff"
	KindAdminResult   = "admin_result"
	KindClarification = "clarification"
)

// PhaseResponse is the complete answer of a phase.
type PhaseResponse struct {
	Kind          string             `json:"kind"`
	Text          string             `json:"text"` // markdown, labels only
	Citations     []Citation         `json:"citations"`
	Authorities   []Authority        `json:"authorities"`
	Evaluation    *Evaluation        `json:"evaluation"`
	Deadlines     []Proposal         `json:"deadlines,omitzero"` // proposed to the timeline, at most MaxProposals
	Entries       []Proposal         `json:"entries,omitzero"`   // the other proposals, at most MaxProposals
	Checklist     *DocumentChecklist `json:"checklist,omitzero"`
	Drafts        []DraftRef         `json:"drafts,omitzero"`
	Questions     []string           `json:"questions"`
	SuggestedNext []Suggestion       `json:"suggestedNext"`
	Limits        []string           `json:"limits"`
	Refusal       *Refusal           `json:"refusal"`
	HumanReview   HumanReview        `json:"humanReview"`
}

// MaxProposals is how many proposals of one sort an answer lists; the timeline holds them all.
const MaxProposals = 100

// Proposal is an entry that a phase proposed to the timeline of its container. EntryID is "" for one that could not be
// put there, which the limits of the answer say.
type Proposal struct {
	EntryID string `json:"entryId,omitempty"`
	EntryContent
}

// DocumentChecklist compares the documents of a case with those that are usual at its stage. The lists hold types of
// document.
type DocumentChecklist struct {
	Phase   string   `json:"phase"` // UTBMS phase, or transaction
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}

// DraftRef names a draft that a phase put among the files of its case, and what a person still has to fill in.
type DraftRef struct {
	FileID       string   `json:"fileId"`
	DocType      string   `json:"docType"`
	Placeholders []string `json:"placeholders"` // such as {{serviceDate}}, in the order of the text
}

// Citation is a numbered source of an answer.
type Citation struct {
	N      int       `json:"n"`
	Source SourceRef `json:"source"`
}

// InSourcesAlone is what the text of an answer says of words that it does not quote itself. Who shows the answer shows
// those of its sources in full.
const InSourcesAlone = "stand in the list of sources alone"

// CitedSource is a source of an answer as others can cite it: by an id that names the passage whoever reads it, and
// with the moment when it was read. It stands beside the answer, whose bytes are hashed.
type CitedSource struct {
	N           int      `json:"n"`  // of the citation in the answer
	ID          string   `json:"id"` // file, and first and last character of its stored text
	FileID      string   `json:"fileId"`
	TextVersion int      `json:"textVersion"`
	RetrievedAt *Instant `json:"retrievedAt,omitempty"` // at the latest
}

// Sources lists the citations of the answer as others can cite them. at is when the phase ended.
func (r *PhaseResponse) Sources(at *Instant) []CitedSource {
	if r == nil {
		return nil
	}
	var list []CitedSource

	for _, c := range r.Citations {
		list = append(list, CitedSource{
			N: c.N, ID: c.Source.ID(), FileID: c.Source.FileID, TextVersion: c.Source.TextVersion, RetrievedAt: at,
		})
	}

	return list
}

// Authority is a case, statute or rule that a document cites; it is reported, not vouched for.
type Authority struct {
	Text string `json:"text"`
	Kind string `json:"kind"` // case, statute, regulation, rule
	// Verification is one of format_ok, matched_in_files, listed_by_firm, name_differs, not_found, unchecked.
	Verification string `json:"verification"`
}

// Suggestion is a task that may follow.
type Suggestion struct {
	RequestType string `json:"requestType"`
	Prompt      string `json:"prompt"`
}

// Refusal says why the service will not do something, and where a person can.
type Refusal struct {
	Reason   string `json:"reason"`
	DeepLink string `json:"deepLink"`
}

// HumanReview says whether and why a person must sign off.
type HumanReview struct {
	Required bool     `json:"required"`
	Reasons  []string `json:"reasons"`
	DeepLink string   `json:"deepLink,omitempty"`
}

// Evaluation is the complexity of a case by the rubric.
type Evaluation struct {
	Tier          *int        `json:"tier"` // 1..4, null when unrated
	TierName      string      `json:"tierName"`
	Score         float64     `json:"score"`
	Range         [2]float64  `json:"range"`
	KnownWeight   int         `json:"knownWeight"`
	Confidence    string      `json:"confidence"` // high, medium, low
	Urgent        bool        `json:"urgent"`
	RubricVersion string      `json:"rubricVersion"`
	Breakdown     []Factor    `json:"breakdown"`
	Floors        []string    `json:"floors"`
	Missing       []string    `json:"missing"`
	Questions     []string    `json:"questions"`
	Suggested     Suggestions `json:"suggested"`
}

// Factor is one feature of the rubric with its points.
type Factor struct {
	Feature string      `json:"feature"`
	Value   string      `json:"value"` // in words; "unknown" when nothing says
	Points  float64     `json:"points"`
	Max     int         `json:"max"`
	Basis   string      `json:"basis"` // given, extracted, computed, model_proposed, unknown
	Sources []SourceRef `json:"sources"`
}

// Suggestions are what an evaluation proposes.
type Suggestions struct {
	Title     string   `json:"title,omitempty"`
	Stage     *Stage   `json:"stage,omitempty"`
	NextSteps []string `json:"nextSteps"`
}
