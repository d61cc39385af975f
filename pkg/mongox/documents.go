package mongox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Key is the _id of a tenant's document: the tenant, then the parts, with slashes between them.
func Key(tenant string, parts ...string) string { return tenant + "/" + strings.Join(parts, "/") }

// Is is one condition of a filter, or one field of a sort or an index.
func Is(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

// One filters by an _id of the tenant, and names the tenant besides.
func One(tenant string, parts ...string) bson.D {
	return bson.D{Is("_id", Key(tenant, parts...)), Is("tenant", tenant)}
}

// Among filters by the _ids that the same parts have under several tenants.
func Among(tenants []string, parts ...string) bson.D {
	keys := bson.A{}
	for _, tenant := range tenants {
		keys = append(keys, Key(tenant, parts...))
	}

	return bson.D{Is("_id", bson.D{Is("$in", keys)}), Is("tenant", bson.D{Is("$in", tenants)})}
}

// Version filters as One does, by a version besides: the document as it was read, unless another writer was faster.
func Version[N int | int64](version N, tenant string, parts ...string) bson.D {
	return append(One(tenant, parts...), Is("version", version))
}

// AnyOf filters by several _ids of the tenant, which are the parts of Key in one.
func AnyOf(tenant string, parts []string) bson.D {
	keys := make(bson.A, len(parts))
	for i, p := range parts {
		keys[i] = Key(tenant, p)
	}

	return bson.D{Is("_id", bson.D{Is("$in", keys)}), Is("tenant", tenant)}
}

// Documents is a collection of documents of one form, with the few writes that every store we run on does atomically:
// insert, replace and delete of one document. Errors are those of Unavailable.
type Documents[D any] struct{ coll *mongo.Collection }

// In returns the documents of a collection of db.
func In[D any](db *mongo.Database, name string) Documents[D] {
	return Documents[D]{db.Collection(name)}
}

// Of returns the documents of a collection that is at hand.
func Of[D any](coll *mongo.Collection) Documents[D] { return Documents[D]{coll} }

func (c Documents[D]) failed(doing string, err error) error {
	return fmt.Errorf("%s in %s: %w", doing, c.coll.Name(), Unavailable(err))
}

// Find returns the document that filter names, or errs.ErrNotFound.
func (c Documents[D]) Find(ctx context.Context, filter bson.D) (D, error) {
	var doc D

	err := c.coll.FindOne(ctx, filter).Decode(&doc)
	switch {
	// The answer is the same for a document that another tenant has: nobody learns that it exists.
	case errors.Is(err, mongo.ErrNoDocuments):
		return doc, errs.ErrNotFound
	case err != nil:
		return doc, c.failed("find", err)
	}

	return doc, nil
}

// Insert saves a new document, or returns errs.ErrTaken when another has one of its unique values.
func (c Documents[D]) Insert(ctx context.Context, doc D) error {
	_, err := c.coll.InsertOne(ctx, doc)
	switch {
	case IsDuplicate(err):
		return errs.ErrTaken
	case err != nil:
		return c.failed("insert", err)
	}

	return nil
}

// Replace saves doc over the document that filter names, or returns errs.ErrTaken when there is none, or when another
// document has a unique value of doc. With a filter of Version it is how every store finds out that it lost a race.
func (c Documents[D]) Replace(ctx context.Context, filter bson.D, doc D) error {
	res, err := c.coll.ReplaceOne(ctx, filter, doc)
	switch {
	// The new version has a unique value that another document has taken meanwhile.
	case IsDuplicate(err):
		return errs.ErrTaken
	case err != nil:
		return c.failed("replace", err)
	// Somebody else saved a newer version, or deleted the document: the caller reads again and decides anew.
	case res.MatchedCount == 0:
		return errs.ErrTaken
	}

	return nil
}

// Remove deletes the document that filter names, if there is one.
func (c Documents[D]) Remove(ctx context.Context, filter bson.D) error {
	if _, err := c.coll.DeleteOne(ctx, filter); err != nil {
		return c.failed("delete", err)
	}

	return nil
}

// batch is how many documents one round trip brings; left to itself the server begins with 101.
const batch = 1000

// List returns up to limit documents, 0 means all, in the order of sort, nil for any, and with the fields that
// projection keeps; nil keeps all.
func (c Documents[D]) List(ctx context.Context, filter, sort bson.D, limit int, projection bson.D) ([]D, error) {
	opts := options.Find().SetLimit(int64(limit)).SetBatchSize(batch)
	// An empty sort makes some servers sort all the same.
	if len(sort) > 0 {
		opts.SetSort(sort)
	}
	if len(projection) > 0 {
		opts.SetProjection(projection)
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

// Count counts the documents that filter lets through, up to most; 0 means all.
func (c Documents[D]) Count(ctx context.Context, filter bson.D, most int) (int, error) {
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

// Without is the projection that leaves out fields, or keeps all when there are none.
func Without(fields ...string) bson.D {
	left := bson.D{}
	for _, field := range fields {
		left = append(left, Is(field, 0))
	}

	return left
}

// Each turns the items of a list into what a document holds, or back. No list stays no list: documents tell null from
// an empty array.
func Each[A, B any](list []A, to func(A) B) []B {
	if list == nil {
		return nil
	}

	out := make([]B, len(list))
	for i, v := range list {
		out[i] = to(v)
	}

	return out
}
