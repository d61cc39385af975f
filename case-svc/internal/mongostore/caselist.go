package mongostore

import (
	"context"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// caseIndexes serve the lists of cases: each order, and each filter in the order of the last change.
func caseIndexes() []mongox.Index {
	all := []mongox.Index{
		{Fields: []string{"tenant", "externalRefKey"}, Unique: true},
		{Fields: []string{"tenant", "updatedAt", "id"}}, // with deleted cases
		{Fields: []string{"tenant", "deleted", "updatedAt", "id"}},
		{Fields: []string{"tenant", "deleted", "createdAt", "id"}},
		{Fields: []string{"tenant", "deleted", "titleKey", "id"}},
		{Fields: []string{"tenant", "deleted", "nextDeadlineOn", "id"}},
		{Fields: []string{"tenant", "deleted", "tier", "id"}},
		{Fields: []string{"tenant", "deleted", "status", "closedOn", "id"}}, // of the sweep that archives
		{Fields: []string{"purgeAt"}},
		{Fields: []string{"tenant", "purgeAt"}}, // of what a tenant is shown as due
	}
	for _, field := range []string{
		"status", "tier", "responsibleUserId", "jurisdictionKeys", "practiceKeys", "tags", "stageKeys", "matterKind",
		"side", "confidentiality.privilege",
		"retention.legalHold", "pendingReview",
	} {
		all = append(all, mongox.Index{Fields: []string{"tenant", "deleted", field, "updatedAt", "id"}})
	}

	// Without the time of the last change, so that a change rewrites no entry of words that stay: what a word finds is
	// sorted when it is found.
	return append(all, mongox.Index{Fields: []string{"tenant", "deleted", "searchTokens"}})
}

// heavy are the fields that no row of a list shows.
var heavy = []string{"summary", "complexity.body", "searchTokens"}

// sortFields are the stored forms of what cases are ordered by.
var sortFields = map[cases.SortField]string{
	cases.ByUpdated: "updatedAt",
	cases.ByCreated: "createdAt",
	cases.ByTitle:   "titleKey",
	cases.ByDue:     "nextDeadlineOn",
	cases.ByTier:    "tier",
}

// valueAt is the stored form of a place in an order.
func valueAt(by cases.SortField, p cases.Cursor) any {
	switch by {
	case cases.ByTitle, cases.ByDue:
		return p.Text
	case cases.ByTier:
		return p.Number
	}

	return p.Time
}

// batch is how many cases are looked at at once for a phrase.
const batch = 100

// List returns one page. Of a query with phrases it reads on until the page is full: the words of the phrases have
// chosen the cases already, what is left is to see whether they stand together.
func (s *Cases) List(ctx context.Context, tenant string, q cases.Query) ([]cases.Case, error) {
	if len(q.Phrases) == 0 {
		return s.page(ctx, tenant, q, q.Limit)
	}
	var found []cases.Case

	for {
		page, err := s.page(ctx, tenant, q, batch)
		if err != nil {
			return nil, err
		}

		for _, c := range page {
			if c.Deletion == nil && !c.Says(q.Phrases) {
				continue
			}
			if found = append(found, c); len(found) == q.Limit {
				return found, nil
			}
		}
		if len(page) < batch {
			return found, nil
		}
		last := q.PlaceOf(page[len(page)-1])
		q.After = &last
	}
}

func (s *Cases) page(ctx context.Context, tenant string, q cases.Query, limit int) ([]cases.Case, error) {
	field := sortFields[q.Sort]
	filter := caseFilter(tenant, q.Filter)
	if !q.Until.IsZero() {
		filter = append(
			filter, mongox.Is("updatedAt", bson.D{mongox.Is("$gte", q.UpdatedSince), mongox.Is("$lte", q.Until)}),
		)
	} else if !q.UpdatedSince.IsZero() {
		filter = append(filter, mongox.Is("updatedAt", bson.D{mongox.Is("$gte", q.UpdatedSince)}))
	}
	if p := q.After; p != nil {
		filter = after(filter, field, q.Descending, valueAt(q.Sort, *p), p.ID)
	}
	// Phrases are looked for in the summary, so it has to come along.
	without := heavy
	if q.Whole || len(q.Phrases) > 0 {
		without = nil
	}
	docs, err := s.docs.List(ctx, filter, order(field, q.Descending), limit, mongox.Without(without...))

	return mongox.Each(docs, caseDoc.toCase), err
}

// Count counts up to most cases.
func (s *Cases) Count(ctx context.Context, tenant string, f cases.Filter, most int) (int, error) {
	if len(f.Phrases) > 0 {
		found, err := s.List(ctx, tenant, cases.Query{Filter: f, Sort: cases.ByUpdated, Descending: true, Limit: most})
		return len(found), err
	}
	filter := caseFilter(tenant, f)
	if !f.UpdatedSince.IsZero() {
		filter = append(filter, mongox.Is("updatedAt", bson.D{mongox.Is("$gte", f.UpdatedSince)}))
	}

	return s.docs.Count(ctx, filter, most)
}

// caseFilter is what f lets through, but for the time of the last change.
func caseFilter(tenant string, f cases.Filter) bson.D {
	if !f.Deleted {
		return append(bson.D{mongox.Is("tenant", tenant), mongox.Is("deleted", false)}, conditions(f)...)
	}
	filter := bson.D{mongox.Is("tenant", tenant)}
	// What was deleted has no content to be chosen by, and is told to whoever follows the changes.
	if chosen := conditions(f); len(chosen) > 0 {
		filter = append(
			filter,
			mongox.Is("$and", bson.A{bson.D{mongox.Is("$or", bson.A{bson.D{mongox.Is("deleted", true)}, chosen})}}),
		)
	}

	return filter
}

func conditions(f cases.Filter) bson.D {
	var all bson.D
	if len(f.Statuses) > 0 {
		all = append(all, mongox.Is("status", bson.D{mongox.Is("$in", f.Statuses)}))
	}
	if len(f.Tiers) > 0 {
		all = append(all, mongox.Is("tier", bson.D{mongox.Is("$in", f.Tiers)}))
	}

	for _, equal := range []bson.E{
		mongox.Is("matterKind", f.MatterKind), mongox.Is("jurisdictionKeys", f.Jurisdiction),
		mongox.Is("practiceKeys", f.PracticeKey), mongox.Is("side", f.Side), mongox.Is("tags", f.Tag),
		mongox.Is("responsibleUserId", f.ResponsibleID), mongox.Is("stageKeys", f.StageKey),
		mongox.Is("confidentiality.privilege", f.Privilege),
	} {
		if equal.Value != "" {
			all = append(all, equal)
		}
	}
	if f.ExternalRef != "" {
		all = append(all, mongox.Is("externalRefKey", refKey(f.ExternalRef)))
	}
	// A case without a deadline has the last day of the calendar as its key, and is not due by any day.
	if f.DueBy != "" {
		all = append(
			all, mongox.Is("nextDeadlineOn", bson.D{mongox.Is("$lte", f.DueBy), mongox.Is("$lt", cases.NoDeadline)}),
		)
	}
	if f.PendingReview != nil {
		all = append(all, mongox.Is("pendingReview", *f.PendingReview))
	}
	if f.LegalHold != nil {
		all = append(all, mongox.Is("retention.legalHold", *f.LegalHold))
	}
	if len(f.Words) > 0 {
		var words bson.A
		for _, w := range f.Words {
			words = append(words, bson.D{mongox.Is("searchTokens", w)})
		}
		all = append(all, mongox.Is("$and", words))
	}

	return all
}
