package mongostore

import (
	"context"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// heavyPhase are the fields of a phase that only whoever reads it whole needs.
var heavyPhase = []string{"response", "toolCalls", "review.amendedText", "review.comments"}

func phaseFilter(filter bson.D, f phases.Filter) bson.D {
	for _, in := range []struct {
		field string
		list  []string
	}{{"status", f.Statuses}, {"requestType", f.RequestTypes}, {"containerType", f.ContainerTypes}} {
		if len(in.list) > 0 {
			filter = append(filter, mongox.Is(in.field, bson.D{mongox.Is("$in", in.list)}))
		}
	}
	if f.ContainerID != "" {
		filter = append(filter, mongox.Is("containerId", f.ContainerID))
	}
	if f.ReviewStatus != "" {
		filter = append(filter, mongox.Is("reviewStatus", f.ReviewStatus))
	}
	if !f.Since.IsZero() {
		filter = append(filter, mongox.Is("createdAt", bson.D{mongox.Is("$gte", f.Since)}))
	}

	return filter
}

func (s *Records) briefly(brief bool) bson.D {
	if brief {
		return mongox.Without(heavyPhase...)
	}

	return mongox.Without("toolCalls")
}

func sequences(s phases.Span) bson.E {
	within := bson.D{mongox.Is("$gte", s.From)}
	if s.To > 0 {
		within = append(within, mongox.Is("$lte", s.To))
	}

	return mongox.Is("sequence", within)
}

// Along lists phases of a span.
func (s *Records) Along(
	ctx context.Context, tenant string, span phases.Span, f phases.Filter, limit int,
) ([]phases.Phase, error) {
	filter := phaseFilter(bson.D{mongox.Is("tenant", tenant), mongox.Is("branchId", span.BranchID), sequences(span)}, f)
	way := 1
	if span.Descending {
		way = -1
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("sequence", way)}, limit, s.briefly(f.Brief))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// Among finds the phases of all spans in one query.
func (s *Records) Among(ctx context.Context, tenant string, spans []phases.Span) ([]phases.Phase, error) {
	if len(spans) == 0 {
		return nil, nil
	}

	parts := bson.A{}
	for _, span := range spans {
		parts = append(parts, bson.D{mongox.Is("branchId", span.BranchID), sequences(span)})
	}
	docs, err := s.docs.List(
		ctx,
		bson.D{mongox.Is("tenant", tenant), mongox.Is("$or", parts)},
		bson.D{mongox.Is("branchId", 1), mongox.Is("sequence", 1)},
		0,
		mongox.Without(heavyPhase...),
	)

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// OfUser lists the phases of a user.
func (s *Records) OfUser(
	ctx context.Context, tenant string, userID string, f phases.Filter, at *cases.Cursor, limit int,
) ([]phases.Phase, error) {
	filter := phaseFilter(bson.D{mongox.Is("tenant", tenant), mongox.Is("createdBy.userId", userID)}, f)
	if at != nil {
		filter = after(filter, "createdAt", true, at.Time, at.ID)
	}
	docs, err := s.docs.List(ctx, filter, order("createdAt", true), limit, s.briefly(f.Brief))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// Waiting lists the phases of a container that wait for review.
func (s *Records) Waiting(ctx context.Context, tenant string, containerID string, limit int) ([]phases.Phase, error) {
	docs, err := s.docs.List(
		ctx,
		held(tenant, containerID, mongox.Is("reviewStatus", phases.ReviewPending)),
		order("createdAt", false),
		limit,
		mongox.Without(heavyPhase...),
	)

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// Living tells which of the cases are there.
func (s *Records) Living(ctx context.Context, tenant string, caseIDs []string) (map[string]bool, error) {
	alive := map[string]bool{}
	if len(caseIDs) == 0 {
		return alive, nil
	}
	filter := bson.D{mongox.Is(
		"_id", bson.D{mongox.Is("$in", keys(tenant, caseIDs))},
	), mongox.Is("tenant", tenant), mongox.Is("deleted", false)}

	docs, err := s.cases.List(ctx, filter, bson.D{mongox.Is("_id", 1)}, 0, mongox.Without(heavy...))
	for _, d := range docs {
		alive[d.ID] = true
	}

	return alive, err
}
