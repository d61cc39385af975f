package api

// AuditEvent is one entry of an audit chain. Hash covers everything else of it, PrevHash is the Hash of the event
// before, so that whoever has the events can check the chain without us.
type AuditEvent struct {
	Seq           int64         `json:"seq"` // from 1, without a gap
	At            Instant       `json:"at"`
	Actor         AuditActor    `json:"actor"`
	Action        string        `json:"action"`
	Resource      AuditResource `json:"resource"`
	Outcome       string        `json:"outcome"`
	RequestID     string        `json:"requestId,omitempty"`
	ContentSHA256 string        `json:"contentSha256,omitempty"`
	PrevHash      string        `json:"prevHash"`
	Hash          string        `json:"hash"`
}

// AuditActor is who acted.
type AuditActor struct {
	Kind   string `json:"kind"` // user, agent, oauth, service, public, partner
	ID     string `json:"id"`
	UserID string `json:"userId,omitempty"` // whom an agent or an application acted for
}

// AuditResource is what was acted on; both fields are empty where an action has no resource.
type AuditResource struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}
