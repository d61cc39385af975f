package access

// Phase is what a continuation token reaches: one phase, and the container that the phase belongs to.
type Phase struct {
	PhaseID       string `json:"phaseId"`
	RequestType   string `json:"requestType"`
	ContainerType string `json:"containerType"`
	ContainerID   string `json:"containerId"`
	TimelineID    string `json:"timelineId"`
}

// WorksOn reports whether the caller may touch a phase: everybody but the bearer of another phase's continuation token.
func (c Caller) WorksOn(phaseID string) bool { return c.Phase == nil || c.Phase.PhaseID == phaseID }

// Continues reports whether the caller came with a continuation token.
func (c Caller) Continues() bool { return c.Phase != nil }
