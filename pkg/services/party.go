package services

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// PartyClient calls party-svc for case-svc and agent-svc.
type PartyClient struct{ HTTP *httpcall.Client }

// CheckChain is CaseClient.CheckChain for party-svc's chain.
func (c PartyClient) CheckChain(ctx context.Context, from api.ChainCheck) (api.ChainCheck, error) {
	return checkChain(ctx, c.HTTP, from)
}

func checkChain(ctx context.Context, client *httpcall.Client, from api.ChainCheck) (api.ChainCheck, error) {
	var out api.ChainCheck
	query := url.Values{"seq": {strconv.FormatInt(from.Seq, 10)}}
	if from.Hash != "" {
		query.Set("hash", from.Hash)
	}
	_, err := client.Do(
		httpcall.MayBeSilent(ctx),
		httpcall.Request{Method: http.MethodGet, Path: "/internal/audit/check", Query: query, Out: &out},
	)

	return out, err
}

// ImportPartners puts entries into the directory of the caller's tenant, all or none; the caller must be a person who
// runs it.
func (c PartyClient) ImportPartners(ctx context.Context, in api.ImportPartners) (api.ImportedPartners, error) {
	return call[api.ImportedPartners](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/partners", In: in,
	})
}

// KeyHolders returns the users of the caller's tenant who hold the newest key of the firm.
func (c PartyClient) KeyHolders(ctx context.Context) ([]string, error) {
	var out api.KeyHolders
	_, err := c.HTTP.Do(ctx, httpcall.Request{Method: http.MethodGet, Path: "/internal/vault/holders", Out: &out})

	return out.UserIDs, err
}

// Roster returns what party-svc knows of a case, with at most limit parties (0..500).
func (c PartyClient) Roster(ctx context.Context, caseID string, limit int) (api.Roster, error) {
	return call[api.Roster](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("internal", "cases", caseID, "roster"),
		Query:  url.Values{"parties": {strconv.Itoa(limit)}},
	})
}

// PartnersFor returns the professionals of the directory that fit a case, the best first, at most limit (1..100).
func (c PartyClient) PartnersFor(ctx context.Context, caseID string, limit int) (api.PartnerPage, error) {
	return call[api.PartnerPage](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "partners"),
		Query:  url.Values{"forCaseId": {caseID}, "limit": {strconv.Itoa(limit)}},
	})
}

// TakeTurn waits until holder (a UUID) has the turn of a case, whose clients then stay as they are until it is given
// back, for 15 s at most. A conflict of code write_conflict: it did not come in time.
func (c PartyClient) TakeTurn(ctx context.Context, caseID, holder string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPut, Path: httpcall.Path("internal", "cases", caseID, "turns", holder),
	})
}

// GiveTurnBack ends the turn of a case if holder has it.
func (c PartyClient) GiveTurnBack(ctx context.Context, caseID, holder string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodDelete, Path: httpcall.Path("internal", "cases", caseID, "turns", holder),
	})
}

// OthersWork asks whether anybody but the agents of the caller's user took part in what party-svc keeps of a case.
func (c PartyClient) OthersWork(ctx context.Context, caseID string) (bool, error) {
	var out api.OthersWork
	_, err := c.HTTP.Do(
		ctx,
		httpcall.Request{
			Method: http.MethodGet,
			Path:   httpcall.Path("internal", "cases", caseID, "others-work"),
			Out:    &out,
		},
	)

	return out.Others, err
}

// Holdings returns the ids of all parties and invites of a case of the caller's tenant.
func (c PartyClient) Holdings(ctx context.Context, caseID string) ([]string, error) {
	var out api.Holdings
	_, err := c.HTTP.Do(
		ctx,
		httpcall.Request{
			Method: http.MethodGet,
			Path:   httpcall.Path("internal", "cases", caseID, "holdings"),
			Out:    &out,
		},
	)

	return out.IDs, err
}

// Audit returns up to in.Limit events of party-svc's chain of the caller's tenant, in order. The caller must be a
// person.
func (c PartyClient) Audit(ctx context.Context, in api.AuditOf) ([]api.AuditEvent, error) {
	var out struct {
		Items []api.AuditEvent `json:"items"`
	}
	_, err := c.HTTP.Do(ctx, httpcall.Request{Method: http.MethodPost, Path: "/internal/audit", In: in, Out: &out})

	return out.Items, err
}

// PurgeCase has party-svc delete what it keeps of a case of the caller's tenant; the caller must be a service. It may
// be repeated.
func (c PartyClient) PurgeCase(ctx context.Context, caseID string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodDelete, Path: httpcall.Path("internal", "cases", caseID),
	})
}
