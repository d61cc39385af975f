package api

// Member is a user who has signed in to an organization.
type Member struct {
	UserID      string   `json:"userId"`
	Roles       []string `json:"roles"`
	Status      string   `json:"status"`           // active, suspended
	Reason      string   `json:"reason,omitempty"` // of a suspension: offboarded, absent
	FirstSeenAt Instant  `json:"firstSeenAt"`
	LastSeenAt  Instant  `json:"lastSeenAt"` // of the newest sign-in, to a minute
	EndedAt     *Instant `json:"endedAt"`
	// HasKey reports that an agent of the member has an API key.
	HasKey        bool     `json:"hasKey"`
	KeyLastUsedAt *Instant `json:"keyLastUsedAt"`
	KeyExpiresAt  *Instant `json:"keyExpiresAt"` // of the keys made before then; null for never
}

// MemberList is a page of members, in the order of their ids.
type MemberList = Page[Member]

// OffboardedMember answers POST /v1/members/{userId}/offboard.
type OffboardedMember struct {
	Member
	// RotateFirmKey reports that the member could open the identities of the firm's clients, so that its key should be
	// replaced now, at DeepLink.
	RotateFirmKey bool   `json:"rotateFirmKey"`
	DeepLink      string `json:"deepLink,omitempty"`
}

// KeyExpiry is the body of PUT /v1/members/{userId}/key-expiry.
type KeyExpiry struct {
	ExpiresAt *Instant `json:"expiresAt"` // null for never
}

// KeyHolders tells auth-svc who can open the firm's vault.
type KeyHolders struct {
	UserIDs []string `json:"userIds"`
}
