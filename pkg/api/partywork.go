package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// PartyClient calls party-svc for case-svc and agent-svc.
type PartyClient struct{ HTTP *httpx.Client }

// Roster returns what party-svc knows of a case, with at most limit parties (0..500).
func (c PartyClient) Roster(ctx context.Context, caseID string, limit int) (Roster, error) {
	var out Roster
	_, err := c.HTTP.Do(ctx, httpx.Request{
		Method: http.MethodGet, Path: httpx.Path("internal", "cases", caseID, "roster"), Query: url.Values{"parties": {strconv.Itoa(limit)}}, Out: &out,
	})

	return out, err
}

// PartnersFor returns the professionals of the directory that fit a case, the best first, at most limit (1..100).
func (c PartyClient) PartnersFor(ctx context.Context, caseID string, limit int) (PartnerPage, error) {
	var out PartnerPage
	_, err := c.HTTP.Do(ctx, httpx.Request{
		Method: http.MethodGet, Path: httpx.Path("v1", "partners"), Query: url.Values{"forCaseId": {caseID}, "limit": {strconv.Itoa(limit)}}, Out: &out,
	})

	return out, err
}

// TakeTurn waits until holder (a UUID) has the turn of a case, whose clients then stay as they are until it is given back, for 15 s at
// most. A conflict of code write_conflict: it did not come in time.
func (c PartyClient) TakeTurn(ctx context.Context, caseID, holder string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPut, Path: httpx.Path("internal", "cases", caseID, "turns", holder)})
	return err
}

// GiveTurnBack ends the turn of a case if holder has it.
func (c PartyClient) GiveTurnBack(ctx context.Context, caseID, holder string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodDelete, Path: httpx.Path("internal", "cases", caseID, "turns", holder)})
	return err
}

// OthersWork says whether somebody other than agents of the caller's user had a hand in a party or an invite of a case.
type OthersWork struct {
	Others bool `json:"others"`
}

// OthersWork asks whether anybody but the agents of the caller's user took part in what party-svc keeps of a case.
func (c PartyClient) OthersWork(ctx context.Context, caseID string) (bool, error) {
	var out OthersWork
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: httpx.Path("internal", "cases", caseID, "others-work"), Out: &out})

	return out.Others, err
}

// Holdings returns the ids of all parties and invites of a case of the caller's tenant.
func (c PartyClient) Holdings(ctx context.Context, caseID string) ([]string, error) {
	var out Holdings
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: httpx.Path("internal", "cases", caseID, "holdings"), Out: &out})

	return out.IDs, err
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

// Audit returns up to in.Limit events of party-svc's chain of the caller's tenant, in order. The caller must be a person.
func (c PartyClient) Audit(ctx context.Context, in AuditOf) ([]AuditEvent, error) {
	var out struct {
		Items []AuditEvent `json:"items"`
	}
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: "/internal/audit", In: in, Out: &out})

	return out.Items, err
}

// PurgeCase has party-svc delete what it keeps of a case of the caller's tenant; the caller must be a service. It may be repeated.
func (c PartyClient) PurgeCase(ctx context.Context, caseID string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodDelete, Path: httpx.Path("internal", "cases", caseID)})
	return err
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

// PutGrant stores a grant, or ends it, in the tenant of the caller, which must be a service. It takes effect once; a repetition is
// a success.
func (c CaseClient) PutGrant(ctx context.Context, in Grant) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPut, Path: httpx.Path("internal", "grants", in.InviteID), In: in})
	return err
}

// CheckScope tells whether branches and files belong to the case: scope_not_in_case when one does not.
func (c CaseClient) CheckScope(ctx context.Context, caseID string, in InviteScope) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: httpx.Path("internal", "cases", caseID, "scope"), In: in})
	return err
}

// RosterChanged has case-svc take a case's counts and its conflict status anew from party-svc's roster.
func (c CaseClient) RosterChanged(ctx context.Context, caseID string) error {
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: httpx.Path("internal", "cases", caseID, "recount")})
	return err
}

// CaseByID returns a case as its caller may see it.
func (c CaseClient) CaseByID(ctx context.Context, caseID string) (Case, error) {
	var out Case
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: httpx.Path("v1", "cases", caseID), Out: &out})

	return out, err
}

// Values of conflictPolicy in a tenant's settings.
const (
	ConflictsFlag  = "flag"
	ConflictsBlock = "block"
)

// ConflictPolicy returns what the settings of the caller's tenant say about parties in conflict.
func (c CaseClient) ConflictPolicy(ctx context.Context) (string, error) {
	var out struct {
		ConflictPolicy string `json:"conflictPolicy"`
	}
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: httpx.Path("v1", "settings"), Out: &out})

	return out.ConflictPolicy, err
}
