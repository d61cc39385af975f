package api

// Purposes of a branch.
const (
	PurposeMain         = "main"
	PurposeAlternative  = "alternative"
	PurposeOpposingView = "opposing_view"
	PurposeDraft        = "draft"
	BranchActive        = "active"
	BranchArchived      = "archived"
	MaxBranches         = 200 // of a timeline
	MaxBranchDepth      = 16  // of a branch below the root, whose depth is 0
	MaxBranchTitle      = 120 // code points
)

// NewBranch is the body of POST /v1/branch.
type NewBranch struct {
	TimelineID     string `json:"timelineId"`
	FromPhaseID    string `json:"fromPhaseId,omitempty"`    // an ended phase; the head of the parent by default
	ParentBranchID string `json:"parentBranchId,omitempty"` // the branch of fromPhaseId, or the active one, by default
	Title          string `json:"title,omitempty"`          // "Branch n" by default
	Purpose        string `json:"purpose,omitempty"`        // alternative (default), opposing_view or draft
}

// Branch is one line of phases. A fork copies nothing: it sees the phases of its ancestors up to its fork points.
type Branch struct {
	BranchID            string   `json:"branchId"`
	Version             int      `json:"version"`
	TimelineID          string   `json:"timelineId"`
	ContainerType       string   `json:"containerType"`
	ContainerID         string   `json:"containerId"`
	Title               string   `json:"title"`
	Purpose             string   `json:"purpose"`
	ParentBranchID      *string  `json:"parentBranchId"`
	ForkPhaseID         *string  `json:"forkPhaseId"` // the last phase of the parent that it sees
	HeadPhaseID         *string  `json:"headPhaseId"` // its last own phase that ended
	RunningPhaseID      *string  `json:"runningPhaseId"`
	Status              string   `json:"status"` // active, archived
	OwnPhaseCount       int      `json:"ownPhaseCount"`
	InheritedPhaseCount int      `json:"inheritedPhaseCount"`
	Depth               int      `json:"depth"`
	SharedWithInviteIDs []string `json:"sharedWithInviteIds"`
	CreatedBy           Actor    `json:"createdBy"`
	CreatedAt           Instant  `json:"createdAt"`
	UpdatedAt           Instant  `json:"updatedAt"`
	// Lineage leads from the root to the branch itself. Lists leave it out.
	Lineage []LineageStep `json:"lineage,omitempty"`
}

// BranchSummary is a branch in the list of a timeline, whose container it shares.
type BranchSummary struct {
	BranchID            string  `json:"branchId"`
	Version             int     `json:"version"`
	Title               string  `json:"title"`
	Purpose             string  `json:"purpose"`
	ParentBranchID      *string `json:"parentBranchId"`
	ForkPhaseID         *string `json:"forkPhaseId"`
	HeadPhaseID         *string `json:"headPhaseId"`
	RunningPhaseID      *string `json:"runningPhaseId"`
	Status              string  `json:"status"`
	OwnPhaseCount       int     `json:"ownPhaseCount"`
	InheritedPhaseCount int     `json:"inheritedPhaseCount"`
	Depth               int     `json:"depth"`
	CreatedAt           Instant `json:"createdAt"`
	UpdatedAt           Instant `json:"updatedAt"`
}

// LineageStep is one branch on the way from the root to a branch.
type LineageStep struct {
	BranchID    string  `json:"branchId"`
	Title       string  `json:"title"`
	ForkPhaseID *string `json:"forkPhaseId"` // where it left the step before
	PhaseCount  int     `json:"phaseCount"`  // how many of its own phases are seen from the branch
}
