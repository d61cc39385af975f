package api

// Invite asks a partner to take part in a case. The firm sees it, and the partner while the invite is accepted. Before
// that, and after its end, the partner sees an InviteOffer, so that who declines stays free of conflicts.
type Invite struct {
	InviteID         string      `json:"inviteId"`
	CaseID           string      `json:"caseId"`
	PartnerID        string      `json:"partnerId"`
	Role             string      `json:"role"`
	Scope            InviteScope `json:"scope"`
	Message          string      `json:"message,omitempty"`
	Status           string      `json:"status"` // proposed, pending, accepted, declined, expired, revoked, ended
	ExpiresAt        Instant     `json:"expiresAt"`
	ConflictAttested *bool       `json:"conflictAttested,omitempty"`
	DeepLink         string      `json:"deepLink"`
	Version          int         `json:"version"`
	CreatedBy        Actor       `json:"createdBy"`
	CreatedAt        Instant     `json:"createdAt"`
	DecidedAt        *Instant    `json:"decidedAt,omitempty"`
}

// InviteOffer is what the person invited sees of an invite before accepting it: enough to find a conflict, and nothing
// of the case itself.
type InviteOffer struct {
	InviteID  string  `json:"inviteId"`
	Role      string  `json:"role"`
	Status    string  `json:"status"`
	ExpiresAt Instant `json:"expiresAt"`
	Matter    Matter  `json:"matter"` // as it was when the invite was sent
	DeepLink  string  `json:"deepLink"`
	Version   int     `json:"version"`
}

// SeenInvite is an invite in either form, for whoever reads one. Of an offer the case is empty, and of no other the
// matter is there.
type SeenInvite struct {
	Invite

	Matter *Matter `json:"matter,omitempty"`
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
