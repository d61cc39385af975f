package casesvc

import (
	"context"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
)

// deadlines has cases take what they derive from their timelines.
func deadlines(kept *cases.Service) timeline.Derive {
	type reader = func(context.Context) (*timeline.Next, int, error)

	return func(ctx context.Context, tenant string, caseID string, read reader) error {
		return kept.SetDeadlines(ctx, tenant, caseID, func(ctx context.Context) (*cases.NextDeadline, int, error) {
			next, open, err := read(ctx)
			if err != nil || next == nil {
				return nil, open, err
			}

			return &cases.NextDeadline{
				DeadlineID: next.EntryID,
				DueOn:      next.DueOn,
				Title:      next.Title,
				Status:     next.Status,
			}, open, nil
		})
	}
}
