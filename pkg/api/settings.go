package api

// Settings are what a tenant decides for itself.
type Settings struct {
	// Retention is in years from closing, by policy code. The code "default" is always there.
	Retention        map[string]int `json:"retention"`
	ArchiveAfterDays *int           `json:"archiveAfterDays"` // days from closing; null for never
	OpenedBy         string         `json:"openedBy"`         // owners, users, agents
	ConflictPolicy   string         `json:"conflictPolicy"`   // flag, block
	TierCutPoints    []int          `json:"tierCutPoints"`    // three, rising
	DeadlineRules    *DeadlineRules `json:"deadlineRules"`
	AllowedWords     []string       `json:"allowedWords"`
	Authorities      []string       `json:"authorities"`     // citations that answers of language models may name
	DefaultAIPolicy  string         `json:"defaultAiPolicy"` // no_model, local_model_only, model_allowed
	// A2ADefaultContainer is what becomes of a message of A2A that names no container: ask, new_case.
	A2ADefaultContainer string `json:"a2aDefaultContainer"`
	// RemoveOriginals agrees to the removal of the originals that are set aside, 30 days after that.
	RemoveOriginals bool             `json:"removeOriginals"`
	Originals       *StoredOriginals `json:"originals,omitempty"` // read-only; absent where there are none
	Version         int              `json:"version"`
}

// StoredOriginals counts the files of a tenant that were stored as they were sent, before only renditions were kept.
type StoredOriginals struct {
	SetAside   int   `json:"setAside"`   // files whose original is kept beside the rendition, served to nobody
	SizeBytes  int64 `json:"sizeBytes"`  // of these originals
	Waiting    int   `json:"waiting"`    // files whose rendition is still to be made
	Unreadable int   `json:"unreadable"` // files of which none could be made; their bytes stay, served to nobody
}

// AllowedWords are what a tenant has cleared of false alarms of the gate, for the gates of other services.
type AllowedWords struct {
	Words []string `json:"words"`
}

// Values of a2aDefaultContainer.
const (
	A2AAsk     = "ask"
	A2ANewCase = "new_case"
)

// A2ASettings are what the settings of a tenant say of the agent-to-agent protocol.
type A2ASettings struct {
	DefaultContainer string `json:"defaultContainer"`
}

// Authorities are the citations that a tenant has loaded.
type Authorities struct {
	Citations []string `json:"citations"`
}

// DeadlineRules are a tenant's own rules of deadlines, of the shape of the built-in ones.
type DeadlineRules struct {
	Version  string         `json:"version"`
	Rules    []DeadlineRule `json:"rules"`
	Holidays []HolidayList  `json:"holidays,omitempty"`
}

// DeadlineRule is one period from a trigger to an act.
type DeadlineRule struct {
	RuleID       string `json:"ruleId"`
	Jurisdiction string `json:"jurisdiction"` // ISO 3166-1 or 3166-2
	Trigger      string `json:"trigger"`
	Act          string `json:"act"`
	Citation     string `json:"citation"`
	Count        int    `json:"count"`
	Unit         string `json:"unit"`                  // days, months, hours
	Direction    string `json:"direction"`             // forward, backward
	ServiceDays  int    `json:"serviceDays,omitempty"` // added after service by mail and the like
}

// HolidayList are the days off of a jurisdiction.
type HolidayList struct {
	Jurisdiction string   `json:"jurisdiction"`
	Days         []string `json:"days"` // dates
}
