package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Refused is a refusal on case-svc's record: who asks was refused it. It says nothing of what the request held.
type Refused struct {
	At           Instant `json:"at"`
	Action       string  `json:"action"`
	ResourceType string  `json:"resourceType"`
	ResourceID   string  `json:"resourceId"`
	RequestID    string  `json:"requestId"`
}

// Refusals are the caller's last refusals, the newest first, among the last Searched events of the tenant.
type Refusals struct {
	Items    []Refused `json:"items"`
	Searched int       `json:"searched"`
}

// TenantUsage is what a tenant has and had done. Counts stop at Most.
type TenantUsage struct {
	Cases  map[string]int `json:"cases"` // by status; deleted ones are under "deleted" until they are purged
	Files  int            `json:"files"`
	Bytes  int64          `json:"bytes"`  // of these files
	Phases []PhaseCount   `json:"phases"` // that began since Since, where there are any
	Since  Instant        `json:"since"`
	Most   int            `json:"most"`
}

// PhaseCount counts the phases of a request type with an outcome.
type PhaseCount struct {
	RequestType string `json:"requestType"`
	Status      string `json:"status"`
	Count       int    `json:"count"`
}

// WaitingReview is a phase that waits for a person's review.
type WaitingReview struct {
	PhaseID     string   `json:"phaseId"`
	CaseID      string   `json:"caseId"`
	RequestType string   `json:"requestType"`
	Since       Instant  `json:"since"` // when the phase ended
	Reasons     []string `json:"reasons"`
}

// WaitingReviews is a page of them, those waiting longest first. After names the phase from which the next page goes on, "" on the last.
type WaitingReviews struct {
	Items []WaitingReview `json:"items"`
	After string          `json:"after"`
}

// ChainCheck says how far a check of an audit chain came.
type ChainCheck struct {
	Seq    int64        `json:"seq"`   // of the last event that is right
	Hash   string       `json:"hash"`  // of that event
	Whole  bool         `json:"whole"` // that event is the last one
	Broken *BrokenChain `json:"broken,omitempty"`
}

// BrokenChain names the first event that is not right, and why.
type BrokenChain struct {
	Seq    int64  `json:"seq"`
	Reason string `json:"reason"`
}

// RetentionPreview lists the cases whose time has come. Token lets the same person have them taken away until ExpiresAt; it is "" when there
// are none.
type RetentionPreview struct {
	Token     string    `json:"token"`
	ExpiresAt Instant   `json:"expiresAt"`
	Due       []DueCase `json:"due"`  // at most MaxDue
	More      bool      `json:"more"` // there are more than these
	Held      int       `json:"held"` // cases under legal hold, which no retention touches
	Soon      int       `json:"soon"` // cases whose time comes within 30 days
}

// MaxDue is how many cases one preview lists.
const MaxDue = 100

// Reasons why a case is due.
const (
	DueDeleted   = "deleted"   // the time to restore it, and its retention, are over
	DueRetention = "retention" // it is archived and its retention is over
)

// DueCase is a case whose time has come.
type DueCase struct {
	CaseID string  `json:"caseId"`
	Reason string  `json:"reason"`
	DueAt  Instant `json:"dueAt"`
}

// RunRetention has the cases of a preview taken away.
type RunRetention struct {
	Token string `json:"token"`
}

// RetentionRun says what became of the cases of a preview. It may be asked for again until Left is 0.
type RetentionRun struct {
	Removed   int `json:"removed"`   // by this call
	NoLonger  int `json:"noLonger"`  // are not due any more: gone already, restored, or under legal hold
	Left      int `json:"left"`      // for the next call
	Previewed int `json:"previewed"` // cases of the preview
}

// Reindexed says what the new search index of a case covers.
type Reindexed struct {
	Files      int `json:"files"`
	Unreadable int `json:"unreadable"` // files without text, or beyond the memory for an index
	Passages   int `json:"passages"`
}

// ImportPartners holds entries of a directory in the form of a seed file.
type ImportPartners struct {
	Partners []json.RawMessage `json:"partners"`
}

// ImportedPartners counts what an import did.
type ImportedPartners struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// Refusals returns the caller's last refusals.
func (c CaseClient) Refusals(ctx context.Context) (Refusals, error) {
	var out Refusals
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/internal/refusals", Out: &out})

	return out, err
}

// Usage counts what the caller's tenant has; the caller must oversee it.
func (c CaseClient) Usage(ctx context.Context) (TenantUsage, error) {
	var out TenantUsage
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/internal/usage", Out: &out})

	return out, err
}

// WaitingReviews returns a page of the tenant's pending reviews, those after the phase of that id, or the first; the caller must oversee the
// tenant.
func (c CaseClient) WaitingReviews(ctx context.Context, after string) (WaitingReviews, error) {
	var out WaitingReviews
	query := url.Values{}
	if after != "" {
		query.Set("after", after)
	}
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodGet, Path: "/internal/waiting-reviews", Query: query, Out: &out})

	return out, err
}

// CheckChain checks a part of case-svc's audit chain of the caller's tenant, from where an earlier check came to.
func (c CaseClient) CheckChain(ctx context.Context, from ChainCheck) (ChainCheck, error) {
	return checkChain(ctx, c.HTTP, from)
}

// CheckChain is CaseClient.CheckChain for party-svc's chain.
func (c PartyClient) CheckChain(ctx context.Context, from ChainCheck) (ChainCheck, error) {
	return checkChain(ctx, c.HTTP, from)
}

func checkChain(ctx context.Context, client *httpx.Client, from ChainCheck) (ChainCheck, error) {
	var out ChainCheck
	query := url.Values{"seq": {strconv.FormatInt(from.Seq, 10)}}
	if from.Hash != "" {
		query.Set("hash", from.Hash)
	}
	_, err := client.Do(httpx.MayBeSilent(ctx), httpx.Request{Method: http.MethodGet, Path: "/internal/audit/check", Query: query, Out: &out})

	return out, err
}

// PreviewRetention lists the cases whose time has come; the caller must be a person who runs the tenant.
func (c CaseClient) PreviewRetention(ctx context.Context) (RetentionPreview, error) {
	var out RetentionPreview
	_, err := c.HTTP.Do(httpx.MayBeSilent(ctx), httpx.Request{Method: http.MethodPost, Path: "/internal/retention/previews", Out: &out})

	return out, err
}

// RunRetention takes away as many cases of a preview as it can in some seconds. Only who asked for the preview may.
func (c CaseClient) RunRetention(ctx context.Context, in RunRetention) (RetentionRun, error) {
	var out RetentionRun
	_, err := c.HTTP.Do(httpx.MayBeSilent(ctx), httpx.Request{Method: http.MethodPost, Path: "/internal/retention/runs", In: in, Out: &out})

	return out, err
}

// Reindex makes the search index of a case anew; the caller must be a person who runs the tenant.
func (c CaseClient) Reindex(ctx context.Context, caseID string) (Reindexed, error) {
	var out Reindexed
	_, err := c.HTTP.Do(httpx.MayBeSilent(ctx), httpx.Request{Method: http.MethodPost, Path: httpx.Path("internal", "cases", caseID, "reindex"), Out: &out})

	return out, err
}

// ImportPartners puts entries into the directory of the caller's tenant, all or none; the caller must be a person who runs it.
func (c PartyClient) ImportPartners(ctx context.Context, in ImportPartners) (ImportedPartners, error) {
	var out ImportedPartners
	_, err := c.HTTP.Do(ctx, httpx.Request{Method: http.MethodPost, Path: "/internal/partners", In: in, Out: &out})

	return out, err
}
