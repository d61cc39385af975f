package api

// Invite asks a partner to take part in a case. The firm sees all of it but Matter, and so does the partner while the
// invite is accepted. Before that, and after its end, the partner sees an offer: InviteID, Role, Matter, Status,
// ExpiresAt, Version and DeepLink, so that who declines stays free of conflicts.
type Invite struct {
	InviteID         string       `json:"inviteId"`
	CaseID           string       `json:"caseId,omitempty"`
	PartnerID        string       `json:"partnerId,omitempty"`
	Role             string       `json:"role"`
	Scope            *InviteScope `json:"scope,omitempty"`
	Message          string       `json:"message,omitempty"`
	Status           string       `json:"status"` // proposed, pending, accepted, declined, expired, revoked, ended
	ExpiresAt        Instant      `json:"expiresAt"`
	ConflictAttested *bool        `json:"conflictAttested,omitempty"`
	Matter           *Matter      `json:"matter,omitempty"` // of an offer, as it was when it was sent
	DeepLink         string       `json:"deepLink"`
	Version          int          `json:"version"`
	CreatedBy        *Actor       `json:"createdBy,omitempty"`
	CreatedAt        Instant      `json:"createdAt,omitzero"`
	DecidedAt        *Instant     `json:"decidedAt,omitempty"`
}

// Matter is what a partner learns of a case before accepting.
type Matter struct {
	MatterKind    string         `json:"matterKind,omitempty"`
	PracticeAreas []PracticeArea `json:"practiceAreas"`
	Jurisdiction  string         `json:"jurisdiction,omitempty"`
	Tier          *int           `json:"tier"`
}

// NewInvite is the body of POST /v1/cases/{caseId}/partners/{partnerId}/invite.
type NewInvite struct {
	// Role is co_counsel, referral, second_opinion, expert, mediator, translator or other.
	Role               string       `json:"role"`
	Scope              *InviteScope `json:"scope,omitempty"`
	Message            string       `json:"message,omitempty"`
	ExpiresInHours     *int         `json:"expiresInHours,omitempty"`     // 1..720; 336 by default
	AcknowledgeLicence bool         `json:"acknowledgeLicence,omitempty"` // by a user only
}

// Decisions about invites.
const (
	InviteConfirm = "confirm"
	InviteRevoke  = "revoke"
	InviteAccept  = "accept"
	InviteDecline = "decline"
	InviteEnd     = "end"
)

// DecideInvite is the body of POST /v1/invites/{inviteId}/decision.
type DecideInvite struct {
	Decision string `json:"decision"`
	// ConflictAttested is the partner's word that their own check found no conflict.
	ConflictAttested *bool `json:"conflictAttested,omitempty"`
}
