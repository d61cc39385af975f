package mongostore

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// ClosedBy lists up to limit closed cases of a tenant, closed on day or before and not under legal hold, the longest
// closed first.
func (s *Cases) ClosedBy(ctx context.Context, tenant string, day string, limit int) ([]cases.Case, error) {
	filter := bson.D{
		mongox.Is("tenant", tenant), mongox.Is("deleted", false), mongox.Is("status", cases.Closed), mongox.Is(
			"closedOn", bson.D{mongox.Is("$gt", ""), mongox.Is("$lte", day)},
		),
		mongox.Is("retention.legalHold", false),
	}
	docs, err := s.docs.List(ctx, filter, order("closedOn", false), limit, mongox.Without(heavy...))

	return mongox.Each(docs, caseDoc.toCase), err
}

// OnTimeline reports whether the timeline has the branch, and whether that is archived.
func (s *BranchStore) OnTimeline(
	ctx context.Context, tenant string, timelineID, branchID string,
) (there, archived bool, err error) {
	b, err := s.Branch(ctx, tenant, branchID)
	if errors.Is(err, cases.ErrNotFound) {
		return false, false, nil
	}

	return err == nil && b.TimelineID == timelineID, b.Archived, err
}
