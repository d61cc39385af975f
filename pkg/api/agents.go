package api

// RegistrationToken answers POST /v1/agents/registration-token.
type RegistrationToken struct {
	RegistrationToken string `json:"registration_token"`
	ExpiresInSeconds  int    `json:"expires_in_seconds"`
	Instructions      string `json:"instructions"`
}

// RegisterRequest is the body of POST /v1/agents/register.
type RegisterRequest struct {
	RegistrationToken string `json:"registration_token"`
	AgentCardURL      string `json:"agent_card_url"`
}

// RegisteredAgent answers POST /v1/agents/register. The key is shown this once.
type RegisteredAgent struct {
	AgentID      string `json:"agent_id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	SharedAPIKey string `json:"shared_api_key"`
}

// Agent answers GET /v1/agents/me.
type Agent struct {
	AgentID      string   `json:"agent_id"`
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	Description  string   `json:"description"`
	URL          string   `json:"url"`
	AgentCardURL string   `json:"agent_card_url"`
	ConnectedAt  Instant  `json:"connected_at"`
	LastUsedAt   *Instant `json:"last_used_at"`
	// CardSignature is how the signatures of the card stood at registration: none, valid, invalid, unknown_key.
	CardSignature string `json:"card_signature"`
	// CardChangedAt is when a health check found another card than the one registered; null while there is none.
	CardChangedAt *Instant `json:"card_changed_at"`
}

// AgentHealth answers GET /v1/agents/{agentId}/health.
type AgentHealth struct {
	Status  string `json:"status"` // healthy, unhealthy
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	// CardChanged reports that the card is valid and another one than was registered.
	CardChanged bool `json:"card_changed,omitempty"`
}

// TokenRequest is the body of POST /v1/auth/token.
type TokenRequest struct {
	APIKey string `json:"api_key"`
}

// BearerToken answers POST /v1/auth/token.
type BearerToken struct {
	BearerToken string `json:"bearer_token"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	ExpiresAt   int64  `json:"expires_at"` // Unix seconds
}

// Me answers GET /v1/me.
type Me struct {
	User   string         `json:"user"`
	Name   string         `json:"name,omitempty"` // of the person, for the person's own browser session alone
	Tenant string         `json:"tenant"`
	Kind   string         `json:"kind"`
	Roles  []string       `json:"roles"`
	Scopes []string       `json:"scopes"`
	Agent  *Agent         `json:"agent"`
	Limits map[string]any `json:"limits"`
}

// SessionStatus answers GET /auth/session.
type SessionStatus struct {
	Person *SignedIn `json:"person"` // nil while nobody is signed in
}

// SignedIn is the person who is signed in with a browser.
type SignedIn struct {
	User   string   `json:"user"`
	Name   string   `json:"name,omitempty"`
	Tenant string   `json:"tenant"`
	Roles  []string `json:"roles"`
}
