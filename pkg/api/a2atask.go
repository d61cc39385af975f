package api

// States of a task, by the names of A2A 1.0.
const (
	A2ASubmitted     = "TASK_STATE_SUBMITTED"
	A2AWorking       = "TASK_STATE_WORKING"
	A2ACompleted     = "TASK_STATE_COMPLETED"
	A2AFailed        = "TASK_STATE_FAILED"
	A2ACanceled      = "TASK_STATE_CANCELED"
	A2ARejected      = "TASK_STATE_REJECTED"
	A2AInputRequired = "TASK_STATE_INPUT_REQUIRED"
	A2AAuthRequired  = "TASK_STATE_AUTH_REQUIRED"
)

// A2AStates lists the states that tasks can be asked for by.
func A2AStates() []string {
	return []string{
		A2ASubmitted, A2AWorking, A2ACompleted, A2AFailed, A2ACanceled, A2ARejected, A2AInputRequired, A2AAuthRequired,
	}
}

// MaxPrompt bounds what an agent is asked at once, in code points.
const MaxPrompt = 32_000

// MaxA2AName bounds the ids that clients choose for contexts and messages, in code points.
const MaxA2AName = 128

// MaxA2ATurns bounds how many messages a task may have.
const MaxA2ATurns = 50

// A2AStateOf is the state of a task whose newest phase stands so: the one home of the mapping between the two.
func A2AStateOf(status, kind, review string) string {
	switch status {
	case PhaseQueued:
		return A2ASubmitted
	case PhaseFailed:
		return A2AFailed
	case PhaseCancelled:
		return A2ACanceled
	case PhaseRefused:
		return A2AInputRequired
	case PhaseCompleted:
	// The phase runs, or is about to be taken up again.
	default:
		return A2AWorking
	}

	switch {
	case review == ReviewRejected:
		return A2ARejected
	case review == ReviewPending, kind == KindRefusal, kind == KindClarification:
		return A2AInputRequired
	}

	return A2ACompleted
}

// A2ATask is the record of a task: whose messages became which phases, and how it stands. What was said and answered is
// with the phases.
type A2ATask struct {
	TaskID        string    `json:"taskId"`
	ContextID     string    `json:"contextId"`
	ContainerType string    `json:"containerType,omitempty"` // "" until a message has named one
	ContainerID   string    `json:"containerId,omitempty"`
	State         string    `json:"state"`
	StatusAt      Instant   `json:"statusAt"`
	CreatedAt     Instant   `json:"createdAt"`
	Turns         []A2ATurn `json:"turns"` // 1 to MaxA2ATurns
	Version       int64     `json:"version"`
}

// A2ATurn is one message of the client. Text is kept of a message that no phase answers, since it lacks something.
type A2ATurn struct {
	MessageID string `json:"messageId"`
	PhaseID   string `json:"phaseId,omitempty"`
	Text      string `json:"text,omitempty"`
	Events    int    `json:"events,omitempty"` // of the phase's stream, once it has ended
	Unread    int    `json:"unread,omitempty"` // parts of the message that nobody reads
	Print     string `json:"print,omitempty"`  // SHA-256 of what the message holds: the same again is the same message
	// Key finds a message that no phase answers when it is sent again: the id that its phase would have, where its
	// sender gave a key.
	Key string `json:"key,omitempty"`
}

// A2AEnded reports whether a task in this state will never change again.
func A2AEnded(state string) bool {
	switch state {
	case A2ACompleted, A2AFailed, A2ACanceled, A2ARejected:
		return true
	}

	return false
}

// A2ABegin names the task that a phase belongs to, and the message that it answers.
type A2ABegin struct {
	TaskID    string `json:"taskId"`
	ContextID string `json:"contextId"`
	MessageID string `json:"messageId"`
	Turn      int    `json:"turn"` // index of the message in the task
	Print     string `json:"print"`
	Unread    int    `json:"unread,omitempty"`
}

// A2ATaskPage is a page of tasks, those of the newest status first.
type A2ATaskPage struct {
	Items      []A2ATask `json:"items"`
	NextCursor *string   `json:"nextCursor"`
	Total      int       `json:"total"` // at most httpx.MaxTotal are counted
}

// A2AQuery chooses tasks of the caller; empty fields choose all.
type A2AQuery struct {
	ContextID string
	State     string
	Since     string // of the status, RFC 3339
	Cursor    string
	Limit     int // 1 to 100
}
