package api

// SupportContainer is a container of type support or sales. It holds no content of cases.
type SupportContainer struct {
	ContainerID   string `json:"containerId"`
	ContainerType string `json:"containerType"`
	Title         string `json:"title"`
	Status        string `json:"status"` // open, waiting_on_user, resolved, closed
	// Topic is account, agent_connection, files, runs, identity_refusal, security, plans or other.
	Topic          string  `json:"topic,omitempty"`
	RelatedCaseID  string  `json:"relatedCaseId,omitempty"` // of support only
	Priority       string  `json:"priority"`                // low, normal, high
	Handoff        Handoff `json:"handoff"`
	TimelineID     string  `json:"timelineId"`
	ActiveBranchID string  `json:"activeBranchId"`
	Version        int     `json:"version"`
	CreatedAt      Instant `json:"createdAt"`
	UpdatedAt      Instant `json:"updatedAt"`
}

// Handoff says whether a person of the operator was asked for.
type Handoff struct {
	Requested bool     `json:"requested"`
	At        *Instant `json:"at,omitempty"`
	Reason    string   `json:"reason,omitempty"`
}

// WorkspaceTimeline is the tree of work in short.
type WorkspaceTimeline struct {
	TimelineID     string `json:"timelineId"`
	ActiveBranchID string `json:"activeBranchId"`
	// Branches are at most 20: the active one, the chosen one, and those that changed last.
	Branches []BranchSummary `json:"branches"`
}

// WorkspaceFiles are the first files of a case, the newest first.
type WorkspaceFiles struct {
	Items      []File  `json:"items"`      // at most 50
	NextCursor *string `json:"nextCursor"` // for GET /v1/cases/{caseId}/files
}

// Checklist compares the documents of a case with those that its stage expects.
type Checklist struct {
	Phase   string `json:"phase"`   // L100 to L500, or transaction
	Present int    `json:"present"` // types of the stage of which there is a file
	Missing int    `json:"missing"` // expected types of which there is none
}

// PendingReview is a phase that waits for a person.
type PendingReview struct {
	PhaseID string   `json:"phaseId"`
	Reasons []string `json:"reasons"`
}

// Permissions say what the caller may do here now.
type Permissions struct {
	CanRunAgent         bool     `json:"canRunAgent"`
	CanUpload           bool     `json:"canUpload"`
	CanInvite           bool     `json:"canInvite"` // may send an invite; agents can at most propose one
	AllowedRequestTypes []string `json:"allowedRequestTypes"`
}

// WorkspaceEngine says what answers.
type WorkspaceEngine struct {
	Mode            string `json:"mode"` // deterministic, model
	ModelConfigured bool   `json:"modelConfigured"`
}

// WorkspaceLinks are addresses for people.
type WorkspaceLinks struct {
	Browser string `json:"browser"`
}

// Workspace is the bundle that an agent reads first. C is Case or SupportContainer.
type Workspace[C any] struct {
	ContainerType  string            `json:"containerType"`
	ContainerID    string            `json:"containerId"`
	Container      C                 `json:"container"`
	Timeline       WorkspaceTimeline `json:"timeline"`
	RecentPhases   []PhaseSummary    `json:"recentPhases"` // at most 10 of the chosen branch, the newest first
	Parties        []Party           `json:"parties"`
	Files          WorkspaceFiles    `json:"files"`
	Deadlines      []TimelineEntry   `json:"deadlines"` // at most 20 that are neither met nor vacated, by dueOn
	Checklist      *Checklist        `json:"checklist"` // null outside cases
	PendingReviews []PendingReview   `json:"pendingReviews"`
	Partners       []RosterInvite    `json:"partners"`
	Permissions    Permissions       `json:"permissions"`
	Engine         WorkspaceEngine   `json:"engine"`
	Links          WorkspaceLinks    `json:"links"`
	Unavailable    []string          `json:"unavailable"` // members that could not be had in time: parties, partners
}
