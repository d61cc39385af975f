package api

// MintKey asks auth-svc for the key of a new agent. The tenant is the caller's.
type MintKey struct {
	AgentID string   `json:"agentId"`
	UserID  string   `json:"userId"`
	Roles   []string `json:"roles"` // of the session that issued the registration token
}

// MintedKey is the only time that a key leaves auth-svc.
type MintedKey struct {
	APIKey string `json:"apiKey"`
}

// AgentUse says when an agent last exchanged its key.
type AgentUse struct {
	LastUsedAt *Instant `json:"lastUsedAt"`
	Ended      bool     `json:"ended"` // its keys are no good any more
}

// EndedAgents lists agents that were disconnected lately.
type EndedAgents struct {
	AgentIDs []string `json:"agentIds"`
	Next     Instant  `json:"next"` // ask again with since = next
}

// SignIn reports the first use of a user's access token at the gateway.
type SignIn struct {
	Token string `json:"token"`
}

// RefusedCall reports, for the audit chain, that a known caller was refused at the gateway. Of many alike one is
// reported.
type RefusedCall struct {
	Tenant   string `json:"tenant"`
	Kind     string `json:"kind"` // of the caller
	ID       string `json:"id"`   // of the caller
	UserID   string `json:"userId,omitempty"`
	Decision string `json:"decision"` // revoked or limited
	Code     string `json:"code"`     // of the error answer
	Route    string `json:"route"`    // method and template
}

// SignOut is the body of POST /auth/logout, which may be absent.
type SignOut struct {
	Everywhere bool `json:"everywhere"` // end all sessions of the user, not this browser's alone
}

// SignedOut answers POST /auth/logout.
type SignedOut struct {
	Next string `json:"next"` // where the browser goes on to: out of the identity provider if that is possible, else /
}

// ContinueRun asks auth-svc for the token by which a run goes on whose process has died.
type ContinueRun struct {
	Voucher string `json:"voucher"` // of case-svc; see Continuation
	// Look asks whether the caller still stands, and for no token.
	Look bool `json:"look,omitempty"`
}

// ContinuationToken is an internal token for one phase, or empty after a look.
type ContinuationToken struct {
	Token string `json:"token"`
}
