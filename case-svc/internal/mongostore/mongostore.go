// Package mongostore keeps what case-svc owns in MongoDB. Every rule holds by the insert of a unique _id, the delete of one document, or
// a version in the filter of one replacement; a tenant's document has an _id that begins with the tenant, and names it again.
package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// The collections.
const (
	casesCollection      = "cases"
	intentsCollection    = "intents"
	containersCollection = "containers"
	timelinesCollection  = "timelines"
	branchesCollection   = "branches"
	phasesCollection     = "phases"
	claimsCollection     = "claims"
	sessionsCollection   = "sessions"
	filesCollection      = "files"
	textsCollection      = "texts"
	uploadsCollection    = "uploads"
)

// Schema lists the indexes. Those not led by the tenant serve the sweeps and the resumer.
func Schema() mongox.Schema {
	return mongox.Schema{
		casesCollection: {
			{Fields: []string{"tenant", "externalRefKey"}, Unique: true},
			{Fields: []string{"tenant", "deleted", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "createdAt", "id"}},
			{Fields: []string{"tenant", "deleted", "titleKey", "id"}},
			{Fields: []string{"tenant", "deleted", "status", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "tier", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "responsibleUserId", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "jurisdictionKeys", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "practiceKeys", "updatedAt", "id"}},
			{Fields: []string{"tenant", "deleted", "tags", "updatedAt", "id"}},
			{Fields: []string{"purgeAt"}},
		},
		intentsCollection: {{Fields: []string{"expiresAt"}}},
		phasesCollection: {
			{Fields: []string{"tenant", "branchId", "sequence"}, Unique: true},
			{Fields: []string{"tenant", "containerId", "open"}},
			{Fields: []string{"tenant", "containerId", "reviewStatus"}},
			{Fields: []string{"tenant", "containerId", "createdAt"}},
			{Fields: []string{"open", "since"}},
		},
		branchesCollection: {{Fields: []string{"tenant", "timelineId", "createdAt"}}},
		filesCollection: {
			{Fields: []string{"tenant", "caseId", "dedupeKey"}, Unique: true},
			{Fields: []string{"tenant", "caseId", "createdAt", "id"}},
			{Fields: []string{"tenant", "caseId", "name", "id"}},
			{Fields: []string{"tenant", "caseId", "status"}},
		},
		uploadsCollection: {{Fields: []string{"decided", "createdAt"}}},
		audit.Collection:  audit.Indexes(),
	}
}

// tries bounds how often an update begins again because another writer was first.
const tries = 5

// errTaken says that an insert met a document of the same unique value.
var errTaken = errors.New("taken")

func key(tenant cases.TenantID, parts ...string) string {
	return string(tenant) + "/" + strings.Join(parts, "/")
}

func is(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

// one filters by an _id of the tenant.
func one(tenant cases.TenantID, id ...string) bson.D {
	return bson.D{is("_id", key(tenant, id...)), is("tenant", string(tenant))}
}

// documents is a collection of documents of one form.
type documents[D any] struct{ coll *mongo.Collection }

func in[D any](db *mongo.Database, name string) documents[D] {
	return documents[D]{db.Collection(name)}
}

func (c documents[D]) failed(doing string, err error) error {
	return fmt.Errorf("%s in %s: %w", doing, c.coll.Name(), mongox.Unavailable(err))
}

// find returns the document that filter names, or errs.ErrNotFound.
func (c documents[D]) find(ctx context.Context, filter bson.D) (D, error) {
	var doc D
	err := c.coll.FindOne(ctx, filter).Decode(&doc)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return doc, errs.ErrNotFound
	case err != nil:
		return doc, c.failed("find", err)
	}
	return doc, nil
}

// insert saves a new document, or returns errTaken.
func (c documents[D]) insert(ctx context.Context, doc D) error {
	_, err := c.coll.InsertOne(ctx, doc)
	switch {
	case mongox.IsDuplicate(err):
		return errTaken
	case err != nil:
		return c.failed("insert", err)
	}
	return nil
}

// replace saves doc over the document that filter names, or returns errTaken when there is none.
func (c documents[D]) replace(ctx context.Context, filter bson.D, doc D) error {
	res, err := c.coll.ReplaceOne(ctx, filter, doc)
	switch {
	case err != nil:
		return c.failed("replace", err)
	case res.MatchedCount == 0:
		return errTaken
	}
	return nil
}

// remove deletes the document that filter names, if there is one.
func (c documents[D]) remove(ctx context.Context, filter bson.D) error {
	if _, err := c.coll.DeleteOne(ctx, filter); err != nil {
		return c.failed("delete", err)
	}
	return nil
}

// list returns up to limit documents, 0 means all, less the fields of without.
func (c documents[D]) list(ctx context.Context, filter, sort bson.D, limit int, without ...string) ([]D, error) {
	opts := options.Find().SetSort(sort).SetLimit(int64(limit))
	if len(without) > 0 {
		left := bson.D{}
		for _, field := range without {
			left = append(left, is(field, 0))
		}
		opts.SetProjection(left)
	}
	cursor, err := c.coll.Find(ctx, filter, opts)
	if err != nil {
		return nil, c.failed("list", err)
	}
	var docs []D
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, c.failed("list", err)
	}
	return docs, nil
}

// count counts the documents that filter lets through, up to most; 0 means all.
func (c documents[D]) count(ctx context.Context, filter bson.D, most int) (int, error) {
	opts := options.Count()
	if most > 0 {
		opts.SetLimit(int64(most))
	}
	n, err := c.coll.CountDocuments(ctx, filter, opts)
	if err != nil {
		return 0, c.failed("count", err)
	}
	return int(n), nil
}

// after adds to a filter what lies behind a place in the order of field and id, and returns the order.
func after(filter bson.D, field string, descending bool, value any, id string) bson.D {
	beyond := "$gt"
	if descending {
		beyond = "$lt"
	}
	return append(filter, is("$or", bson.A{
		bson.D{is(field, bson.D{is(beyond, value)})},
		bson.D{is(field, value), is("id", bson.D{is(beyond, id)})},
	}))
}

func order(field string, descending bool) bson.D {
	way := 1
	if descending {
		way = -1
	}
	return bson.D{is(field, way), is("id", way)}
}

type actorDoc struct {
	Kind   string `bson:"kind"`
	ID     string `bson:"id"`
	UserID string `bson:"userId"`
}

// each maps a list, keeping nil for none.
func each[A, B any](list []A, to func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = to(v)
	}
	return out
}
