package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// Office implements legal.Record, legal.Oversight and legal.Office. The services decide what the caller may have of it.
type Office struct {
	Cases   services.CaseClient
	Parties services.PartyClient
	People  People
}

// People lists the members of the caller's tenant.
type People interface {
	Members(ctx context.Context, cursor string, limit int) (api.MemberList, error)
}

const membersPage = 50

// Members returns a page of members.
func (o Office) Members(ctx context.Context, cursor string) (api.MemberList, error) {
	return told(o.People.Members(ctx, cursor, membersPage))("list members")
}

// Refusals returns what the caller itself was refused.
func (o Office) Refusals(ctx context.Context) (api.Refusals, error) {
	return told(o.Cases.Refusals(ctx))("read refusals")
}

// Usage counts what the tenant has and had done.
func (o Office) Usage(ctx context.Context) (api.TenantUsage, error) {
	return told(o.Cases.Usage(ctx))("read usage")
}

// WaitingReviews returns a page of pending reviews.
func (o Office) WaitingReviews(ctx context.Context, after string) (api.WaitingReviews, error) {
	return told(o.Cases.WaitingReviews(ctx, after))("list reviews")
}

// CheckChain checks a part of an audit chain.
func (o Office) CheckChain(ctx context.Context, chain string, from api.ChainCheck) (api.ChainCheck, error) {
	if chain == legal.PartyChain {
		return told(o.Parties.CheckChain(ctx, from))("check the chain of parties")
	}

	return told(o.Cases.CheckChain(ctx, from))("check the chain of cases")
}

// PreviewRetention lists the cases that are due for deletion.
func (o Office) PreviewRetention(ctx context.Context) (api.RetentionPreview, error) {
	return told(o.Cases.PreviewRetention(ctx))("preview retention")
}

// RunRetention deletes the cases of a preview.
func (o Office) RunRetention(ctx context.Context, token string) (api.RetentionRun, error) {
	return told(o.Cases.RunRetention(ctx, api.RunRetention{Token: token}))("run retention")
}

// Reindex rebuilds the search index of a case.
func (o Office) Reindex(ctx context.Context, caseID string) (api.Reindexed, error) {
	return told(o.Cases.Reindex(ctx, caseID))("reindex case")
}

// ImportPartners puts entries into the tenant's own directory.
func (o Office) ImportPartners(ctx context.Context, entries []json.RawMessage) (api.ImportedPartners, error) {
	return told(o.Parties.ImportPartners(ctx, api.ImportPartners{Partners: entries}))("import partners")
}

// told returns v, and err with what was being done in front of it.
func told[T any](v T, err error) func(doing string) (T, error) {
	return func(doing string) (T, error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", doing, err)
		}

		return v, err
	}
}
