package mongox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// ErrAlone says that the server cannot do several writes in one trip: MongoDB can since 8.0. Nothing was written.
var ErrAlone = errors.New("the server does one write at a time")

// ErrNotReached is the result of a write that was not tried, because one before it failed.
var ErrNotReached = errors.New("not tried")

// Write is an insert or a replacement of one document that Together does with others.
type Write struct {
	collection *mongo.Collection
	filter     bson.D // nil for an insert
	doc        any
}

// Inserting is Insert as a Write.
func (c Documents[D]) Inserting(doc D) Write { return Inserting(c.coll, doc) }

// Inserting saves a new document.
func Inserting(coll *mongo.Collection, doc any) Write { return Write{collection: coll, doc: doc} }

// Replacing is Replace as a Write.
func (c Documents[D]) Replacing(filter bson.D, doc D) Write { return Replacing(c.coll, filter, doc) }

// Replacing saves doc over the document that filter names.
func Replacing(coll *mongo.Collection, filter bson.D, doc any) Write { return Write{coll, filter, doc} }

// Together does writes in their order in one trip, up to the first that the server refuses. The results are those of
// Insert and Replace, one for each write. A replacement that finds no document is errs.ErrTaken and does not keep the
// writes behind it from being done; a taken unique value does. With an error there are no results: ErrAlone, or a
// failure by which any of the first writes may have been done. The documents that replacements find must be found by
// their _id.
func Together(ctx context.Context, writes ...Write) ([]error, error) {
	if len(writes) == 0 {
		return nil, nil
	}

	bulk := make([]mongo.ClientBulkWrite, len(writes))
	for i, w := range writes {
		bulk[i] = mongo.ClientBulkWrite{
			Database: w.collection.Database().Name(), Collection: w.collection.Name(), Model: w.model(),
		}
	}
	client := writes[0].collection.Database().Client()
	// Verbose results alone tell which replacement found no document.
	done, err := client.BulkWrite(ctx, bulk, options.ClientBulkWrite().SetOrdered(true).SetVerboseResults(true))
	refused, err := refusals(err)
	if err != nil {
		return nil, fmt.Errorf("write together: %w", err)
	}

	// The server stops at the first refusal, since the writes are ordered.
	results := make([]error, len(writes))
	stopped := false

	for i, w := range writes {
		fault, failed := refused[i]

		switch {
		case stopped:
			results[i] = ErrNotReached
		case failed:
			results[i], stopped = faultOf(fault), true
		// A replacement that finds nothing is no refusal to the server, so it goes on with the writes behind it.
		case w.filter != nil && done.UpdateResults[i].MatchedCount == 0:
			results[i] = errs.ErrTaken
		}
	}

	return results, nil
}

func (w Write) model() mongo.ClientWriteModel {
	if w.filter == nil {
		return mongo.NewClientInsertOneModel().SetDocument(w.doc)
	}

	return mongo.NewClientReplaceOneModel().SetFilter(w.filter).SetReplacement(w.doc)
}

// aloneCodes are those by which a server says that it does not know a command, or not all of it.
var aloneCodes = []int{
	59,    // CommandNotFound
	115,   // CommandNotSupported
	238,   // NotImplemented
	303,   // of Amazon DocumentDB: the feature is not supported
	40415, // of MongoDB 7, which knows the command but not its fields
	8000,  // of Atlas, whose shared and serverless clusters do not pass the command on
}

// aloneWords are in what other servers say of a command that they do not know.
var aloneWords = []string{"not supported", "unsupported", "not implemented", "unknown", "not found", "no such"}

// alone reports whether a server says that it does not know the command, by a code or, naming it, in words.
func alone(err error) bool {
	if slices.ContainsFunc(mongo.ErrorCodes(err), func(code int) bool { return slices.Contains(aloneCodes, code) }) {
		return true
	}

	var refused mongo.CommandError
	if !errors.As(err, &refused) {
		return false
	}
	// Servers that only speak MongoDB's protocol have codes of their own for this. They must name the command, or an
	// unknown field of some document would pass for it.
	said := strings.ToLower(refused.Message)
	named := strings.Contains(said, "bulkwrite")

	return named && slices.ContainsFunc(aloneWords, func(word string) bool { return strings.Contains(said, word) })
}

// refusals returns the writes that a server refused one by one; a failure of the whole comes back as an error.
func refusals(err error) (map[int]mongo.WriteError, error) {
	var bulk mongo.ClientBulkWriteException
	if errors.As(err, &bulk) {
		// A failure of the whole says nothing of the single writes: any of them may have been done.
		if whole := bulk.WriteError != nil || len(bulk.WriteConcernErrors) > 0; !whole && len(bulk.WriteErrors) > 0 {
			return bulk.WriteErrors, nil
		}
	}
	if alone(err) {
		return nil, ErrAlone
	}

	return nil, Unavailable(err)
}

// faultOf is the error of one refused write, as Insert and Replace give it.
func faultOf(fault mongo.WriteError) error {
	// The driver's helpers judge whole exceptions and not single write errors.
	err := mongo.WriteException{WriteErrors: mongo.WriteErrors{fault}}
	if IsDuplicate(err) {
		return errs.ErrTaken
	}

	return Unavailable(err)
}
