package api

// AppGrant is an application that the user let work in their name.
type AppGrant struct {
	GrantID      string `json:"grantId"`
	ClientID     string `json:"clientId"`
	ClientName   string `json:"clientName"`
	RedirectHost string `json:"redirectHost"` // where the sign-in led back to
	// Verified means that a document at the application's own address describes it; others registered themselves.
	Verified   bool     `json:"verified"`
	Scopes     []string `json:"scopes"` // cases:read, cases:write, agent:run
	CreatedAt  Instant  `json:"createdAt"`
	LastUsedAt Instant  `json:"lastUsedAt"` // when it last got an access token, which lives for ten minutes
	ExpiresAt  Instant  `json:"expiresAt"`  // unless it is used before
}
