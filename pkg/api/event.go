package api

// Kinds of event of a run's stream: the seven of the interface and no others.
const (
	EventStatus         = "status"
	EventContentChunk   = "content_chunk"
	EventDirectResponse = "direct_response"
	EventPhaseStart     = "phase_start"
	EventPhaseEnd       = "phase_end"
	EventHeartbeat      = "heartbeat"
	EventError          = "error"
)

// Values of status.
const (
	StatusProcessing    = "processing"
	StatusOrchestrating = "orchestrating"
	StatusTool          = "tool"
	StatusWorking       = "working"
	StatusReasoning     = "reasoning"
	StatusResponding    = "responding"
)

// InLine begins the message of a status that tells a run's place in the line of its branch: the run has not begun.
const InLine = "Waiting for the branch: "

// EventHead is what every stored event repeats, so that a client which loses the event line still works.
type EventHead struct {
	Type    string  `json:"type"`
	Seq     int     `json:"seq"`
	PhaseID string  `json:"phaseId"`
	TS      Instant `json:"ts"`
}

// StatusEvent tells what the run is doing.
type StatusEvent struct {
	EventHead
	Status   string      `json:"status"`
	Message  string      `json:"message,omitempty"`
	Plan     []string    `json:"plan,omitempty"`
	Tool     *ToolStatus `json:"tool,omitempty"`
	Progress *Progress   `json:"progress,omitempty"`
}

// ToolStatus is a tool that starts (outcome null) or ends.
type ToolStatus struct {
	CallID     string  `json:"callId"`
	Name       string  `json:"name"`
	Outcome    *string `json:"outcome"`
	Summary    string  `json:"summary,omitempty"`
	DurationMs *int64  `json:"durationMs,omitempty"`
}

// Progress counts the parts of a long step.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// GapEvent stands, without number and id, before a jump in the numbers of a stream, or before one that begins anew.
type GapEvent struct {
	Type    string  `json:"type"`
	PhaseID string  `json:"phaseId"`
	TS      Instant `json:"ts"`
	Status  string  `json:"status"`
	Gap     Gap     `json:"gap"`
}

// Gap names numbers of which no events come. To a reader that is behind them they are missing. A reader that has some
// of them has events that the run never sent: all that it gathered is void, and the stream begins anew.
type Gap struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// PhaseStartEvent opens an attempt.
type PhaseStartEvent struct {
	EventHead
	BranchID      string  `json:"branchId"`
	TimelineID    string  `json:"timelineId"`
	Sequence      int     `json:"sequence"`
	ParentPhaseID *string `json:"parentPhaseId"`
	RequestType   string  `json:"requestType"`
	ContainerType string  `json:"containerType"`
	ContainerID   string  `json:"containerId"`
	Attempt       int     `json:"attempt"`
	Engine        Engine  `json:"engine"`
}

// ContentChunkEvent carries a piece of the answer's text.
type ContentChunkEvent struct {
	EventHead
	Index  int    `json:"index"`
	Delta  string `json:"delta"` // at most 4 KiB; never splits a character or a label
	Format string `json:"format"`
}

// DirectResponseEvent carries the complete answer.
type DirectResponseEvent struct {
	EventHead
	Response       PhaseResponse `json:"response"`
	ResponseSHA256 string        `json:"responseSha256"`
	Sources        []CitedSource `json:"sources,omitempty"` // of the response, whose bytes are hashed without them
}

// PhaseEndEvent is the last event of a stream.
type PhaseEndEvent struct {
	EventHead
	Status         string `json:"status"` // completed, refused, failed, cancelled
	Review         Review `json:"review"`
	Usage          Usage  `json:"usage"`
	HeadPhaseID    string `json:"headPhaseId"`
	ResponseSHA256 string `json:"responseSha256,omitempty"`
}

// ErrorEvent says why a run failed; phase_end follows it.
type ErrorEvent struct {
	EventHead
	Error        string  `json:"error"`
	Message      string  `json:"message"`
	Retryable    bool    `json:"retryable"`
	RetryAfterMs *int64  `json:"retryAfterMs"`
	DeepLink     *string `json:"deepLink"`
}

// HeartbeatEvent keeps a connection alive. It has no number, is not stored and does not move a client's place.
type HeartbeatEvent struct {
	Type    string  `json:"type"`
	PhaseID string  `json:"phaseId"`
	TS      Instant `json:"ts"`
	LastSeq int     `json:"lastSeq"`
	Status  string  `json:"status,omitempty"` // of the last status event; none while nobody runs the run
}
