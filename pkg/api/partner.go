package api

// Partner is a professional of the directory. It holds what they publish about themselves.
type Partner struct {
	PartnerID            string        `json:"partnerId"`
	DisplayName          string        `json:"displayName"`
	Kind                 string        `json:"kind"`
	Licences             []Licence     `json:"licences"`
	PracticeAreas        []PartnerArea `json:"practiceAreas"`
	Languages            []string      `json:"languages"`
	Jurisdictions        []string      `json:"jurisdictions"` // where they accept work
	AcceptsTiers         []int         `json:"acceptsTiers"`  // 1..4
	Availability         string        `json:"availability"`  // open, limited, closed
	Invitable            bool          `json:"invitable"`     // whether an invite would reach them
	CapacityNote         string        `json:"capacityNote,omitempty"`
	TypicalResponseHours *int          `json:"typicalResponseHours,omitempty"`
	FeeModels            []string      `json:"feeModels"`
	ProfileURL           string        `json:"profileUrl,omitempty"`
	AgentCardURL         string        `json:"agentCardUrl,omitempty"`
	UpdatedAt            Instant       `json:"updatedAt"`
	Match                *PartnerMatch `json:"match,omitempty"` // in answers to a search
}

// Licence is a right to practise.
type Licence struct {
	Jurisdiction string   `json:"jurisdiction"` // ISO 3166
	Body         string   `json:"body"`
	Kind         string   `json:"kind"`
	Status       string   `json:"status"` // active, inactive, suspended, unverified
	VerifiedAt   *Instant `json:"verifiedAt,omitempty"`
}

// PartnerArea is an area of law that a partner works in.
type PartnerArea struct {
	Scheme string `json:"scheme"`
	Code   string `json:"code"`
	Label  string `json:"label,omitempty"`
}

// PartnerMatch says why a partner stands where it does.
type PartnerMatch struct {
	Score   int      `json:"score"`
	Reasons []string `json:"reasons"` // such as "active licence in US-CA: 30 points"; the points add up to Score
}

// PartnerPage is one page of a search, with what all that was found has in common.
type PartnerPage struct {
	Page[Partner]
	Facets PartnerFacets `json:"facets"`
}

// PartnerFacets count all partners found, not those of the page alone: how many have each value, the 50 most frequent
// of each.
type PartnerFacets struct {
	Kind map[string]int `json:"kind"`
	// Jurisdiction counts active licences. With licensed=any it counts all licences, and where partners accept work.
	Jurisdiction map[string]int `json:"jurisdiction"`
	PracticeArea map[string]int `json:"practiceArea"` // top codes of LIST
	Availability map[string]int `json:"availability"`
}
