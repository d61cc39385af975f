// Package mongostore keeps what case-svc owns in MongoDB. Every rule holds by the insert of a unique _id, the delete of
// one document, or a version in the filter of one replacement; a tenant's document has an _id that begins with the
// tenant, and names it again.
package mongostore

import (
	"context"
	"errors"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// The collections.
const (
	casesCollection      = "cases"
	intentsCollection    = idempotency.Collection
	containersCollection = "containers"
	timelinesCollection  = "timelines"
	branchesCollection   = "branches"
	phasesCollection     = "phases"
	claimsCollection     = "claims"
	sessionsCollection   = "sessions"
	filesCollection      = "files"
	textsCollection      = "texts"
	uploadsCollection    = "uploads"
	settingsCollection   = "settings"

	successionsCollection = "successions"
	clearancesCollection  = "clearances"
	receiptsCollection    = "receipts"
	previewsCollection    = "previews"
)

// Schema lists the indexes. Those not led by the tenant serve the sweeps and the resumer.
func Schema() mongox.Schema {
	return mongox.Schema{
		casesCollection:   caseIndexes(),
		intentsCollection: idempotency.Indexes(),
		phasesCollection: {
			{Fields: []string{"tenant", "branchId", "sequence"}, Unique: true},
			{Fields: []string{"tenant", "containerId", "open", "createdAt"}},
			{Fields: []string{"tenant", "containerId", "reviewStatus", "createdAt", "id"}},
			{Fields: []string{"tenant", "createdBy.userId", "createdAt", "id"}},
			{Fields: []string{"tenant", "containerId", "createdAt"}},
			{Fields: []string{"open", "since", "id"}},
			{Fields: []string{"tenant", "branchId", "status", "sequence"}}, // the line of a branch
			{Fields: []string{"status", "since"}},
			{Fields: []string{"tenant", "reviewStatus", "since", "id"}},
			{Fields: []string{"tenant", "requestType", "status", "createdAt"}},
		},
		branchesCollection: {
			{Fields: []string{"tenant", "timelineId", "number"}, Unique: true},
			{Fields: []string{"tenant", "timelineId", "createdAt"}},
		},
		filesCollection: {
			{Fields: []string{"tenant", "caseId", "dedupeKey"}, Unique: true},
			{Fields: []string{"tenant", "caseId", "createdAt", "id"}},
			{Fields: []string{"tenant", "caseId", "name", "id"}},
			{Fields: []string{"tenant", "caseId", "documentOn", "id"}},
			{Fields: []string{"status", "deletedAt", "id"}},
			{Fields: []string{"deidCheck.status", "deidCheck.detectorVersion"}},
			{Fields: []string{"tenant", "caseId", "status", "mediaType"}},
			{Fields: []string{"tenant", "status", "sizeBytes"}},
			{Fields: []string{"mediaType", "phaseId", "tenant"}},
			{Fields: []string{"mediaType", "_id"}},
			{Fields: []string{"tenant", "caseId", "phaseId", "attempt"}},
			{Fields: []string{"tenant", "caseId", "sealedFileId"}},
			{Fields: []string{"original.placed", "original.at", "id"}},
			{Fields: []string{"tenant", "original.at"}},
		},
		entriesCollection: entryIndexes(),
		grantsCollection:  grantIndexes(),
		uploadsCollection: {
			{Fields: []string{"decided", "createdAt"}}, {Fields: []string{"tenant", "caseId", "planned", "createdAt"}},
		},
		successionsCollection: {{Fields: []string{"tenant", "caseId", "createdAt"}}},
		clearancesCollection:  {{Fields: []string{"tenant", "caseId", "createdAt"}}},
		previewsCollection:    {{Fields: []string{"expiresAt"}}},
		settingsCollection:    {{Fields: []string{"archives", "_id"}}},
		tasksCollection:       taskIndexes(),
		piecesCollection:      {{Fields: []string{"files_id", "n"}, Unique: true}},
		chain.Collection:      chain.Indexes(),
	}
}

// tries bounds how often an update begins again because another writer was first.
const tries = 5

// insertUnique saves a document that is unique by its id and by other fields: id when its id is taken, which self
// finds, else other.
func insertUnique[D any](ctx context.Context, docs mongox.Documents[D], d D, self bson.D, id, other error) error {
	err := docs.Insert(ctx, d)
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return whichTaken(ctx, docs, self, id, other)
}

// whichTaken returns id when self finds a document, else other.
func whichTaken[D any](ctx context.Context, docs mongox.Documents[D], self bson.D, id, other error) error {
	_, err := docs.Find(ctx, self)

	switch {
	case err == nil:
		return id
	case errors.Is(err, errs.ErrNotFound):
		return other
	}

	return err
}

// after adds to a filter what lies behind a place in the order of field and id, and returns the order.
func after(filter bson.D, field string, descending bool, value any, id string) bson.D {
	// Several documents may have one value, so the id decides among them and no page repeats or skips one.
	beyond, from := "$gt", "$gte"
	if descending {
		beyond, from = "$lt", "$lte"
	}

	// The first condition follows from the second. Without it a server begins to read at the first page.
	return also(
		filter,
		bson.D{mongox.Is(field, bson.D{mongox.Is(from, value)})},
		bson.D{mongox.Is("$or", bson.A{
			bson.D{mongox.Is(field, bson.D{mongox.Is(beyond, value)})},
			bson.D{mongox.Is(field, value), mongox.Is("id", bson.D{mongox.Is(beyond, id)})},
		})},
	)
}

// also adds conditions to a filter, which may have some under $and: a name stands in a filter once.
func also(filter bson.D, more ...any) bson.D {
	filter = slices.Clone(filter)
	for i, e := range filter {
		if all, ok := e.Value.(bson.A); ok && e.Key == "$and" {
			filter[i].Value = append(slices.Clone(all), more...)
			return filter
		}
	}

	return append(filter, mongox.Is("$and", bson.A(more)))
}

func order(field string, descending bool) bson.D {
	way := 1
	if descending {
		way = -1
	}

	return bson.D{mongox.Is(field, way), mongox.Is("id", way)}
}

type actorDoc struct {
	Kind   string `bson:"kind"`
	ID     string `bson:"id"`
	UserID string `bson:"userId"`
}
