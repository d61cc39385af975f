package api

// OthersWork says whether somebody other than agents of the caller's user had a hand in a party or an invite of a case.
type OthersWork struct {
	Others bool `json:"others"`
}

// Holdings are the ids of what a case has at party-svc.
type Holdings struct {
	IDs []string `json:"ids"`
}

// AuditOf asks for events of some things, those after a number, at most 200 things at once.
type AuditOf struct {
	ResourceIDs []string `json:"resourceIds"`
	AfterSeq    int64    `json:"afterSeq"`
	Limit       int      `json:"limit"`
}

// Grant lets a partner's user into a part of a case of another tenant.
type Grant struct {
	InviteID      string   `json:"inviteId"`
	CaseID        string   `json:"caseId"`
	PartnerID     string   `json:"partnerId"`
	PartnerTenant string   `json:"partnerTenant"`
	PartnerUserID string   `json:"partnerUserId"`
	BranchIDs     []string `json:"branchIds"`
	FileIDs       []string `json:"fileIds"`
	Ended         bool     `json:"ended"`
}

// InviteScope is the part of a case that an invite is to open.
type InviteScope struct {
	BranchIDs []string `json:"branchIds"`
	FileIDs   []string `json:"fileIds"`
}

// Values of conflictPolicy in a tenant's settings.
const (
	ConflictsFlag  = "flag"
	ConflictsBlock = "block"
)
