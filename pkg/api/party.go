package api

// Party is one who takes part in a matter, known by a label. Nothing in it names anybody.
type Party struct {
	PartyID            string          `json:"partyId"`
	CaseID             string          `json:"caseId"`
	Version            int             `json:"version"`
	Label              string          `json:"label"`
	Kind               string          `json:"kind"`
	Role               string          `json:"role"`
	Side               string          `json:"side"`
	IsClient           bool            `json:"isClient"`
	Representation     string          `json:"representation"`
	Attributes         PartyAttributes `json:"attributes"`
	ConflictTokenCount int             `json:"conflictTokenCount"`
	Notes              string          `json:"notes,omitempty"`
	Status             string          `json:"status"`
	MergedIntoPartyID  string          `json:"mergedIntoPartyId,omitempty"`
	JoinedOn           string          `json:"joinedOn,omitempty"`
	LeftOn             string          `json:"leftOn,omitempty"`
	CreatedAt          Instant         `json:"createdAt"`
	UpdatedAt          Instant         `json:"updatedAt"`
	CreatedBy          Actor           `json:"createdBy"`

	// The browser's own fields: in answers to user sessions of the party's tenant only.
	IdentityRef string  `json:"identityRef,omitempty"`
	Sealed      *Sealed `json:"sealed,omitempty"`
}

// PartyAttributes are coarse on purpose, and none is free text.
type PartyAttributes struct {
	EntityType       string   `json:"entityType,omitempty"`
	AgeBand          string   `json:"ageBand,omitempty"`
	Residence        string   `json:"residence,omitempty"`
	Languages        []string `json:"languages,omitempty"`
	NeedsInterpreter *bool    `json:"needsInterpreter,omitempty"`
}

// Sealed is an identity encrypted in a browser under the firm key of KeyVersion. Bytes are base64url.
type Sealed struct {
	V          int    `json:"v"`
	Alg        string `json:"alg"`
	KeyVersion int    `json:"keyVersion"`
	IV         string `json:"iv"`
	CT         string `json:"ct"`
	AAD        string `json:"aad"` // {caseId}:{identityRef}
}

// Roster is what party-svc knows of one case, for case-svc: who takes part, who was invited, and what the blind tokens
// say.
type Roster struct {
	// Parties come in order of creation, up to the limit asked for, without the fields that only browsers read.
	Parties  []Party        `json:"parties"`
	Invites  []RosterInvite `json:"invites"` // those that are not over, newest first, at most 100
	Counts   RosterCounts   `json:"counts"`
	Conflict RosterConflict `json:"conflict"`
}

// RosterInvite is an invite as a workspace shows it.
type RosterInvite struct {
	PartnerID string `json:"partnerId"`
	InviteID  string `json:"inviteId"`
	Status    string `json:"status"`
}

// RosterCounts are taken from the stored parties and invites at the time of the answer.
type RosterCounts struct {
	Parties int      `json:"parties"` // active ones
	Invites int      `json:"invites"` // proposed, pending or accepted
	Clients []string `json:"clients"` // partyIds of the active clients
}

// RosterConflict is what equality of blind tokens within the tenant says. A hit is a case where a token of this case
// stands on the other side.
type RosterConflict struct {
	Tokens bool          `json:"tokens"` // whether any party of the case has tokens
	Hits   []ConflictHit `json:"hits"`   // the newest first, of at most 1,000 parties on either side
	// Unlisted is how many parties of other cases stand against this one, counted up to 10,000 for each side, where
	// Hits cannot list all.
	Unlisted int `json:"unlisted,omitempty"`
}

// ConflictHit names a case and the roles that meet, never a token.
type ConflictHit struct {
	CaseID string   `json:"caseId"`
	Roles  []string `json:"roles"`
}
