package stores_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestOverhear asks for documents in each way that our stores have, and some more.
func TestOverhear(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	link := stores.Overhear(t, stores.MongoURI(t), func(c stores.Command) {
		mu.Lock()
		defer mu.Unlock()

		for _, f := range c.Filters {
			heard = append(heard, fmt.Sprint(c.Name, " ", c.Collection, " ", f))
		}
	})
	client, err := mongo.Connect(options.Client().ApplyURI(link.URL()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(t.Context()) })
	ctx, c := t.Context(), client.Database(stores.MongoName(t)).Collection("things")
	by := func(n int32) bson.D { return bson.D{{Key: "n", Value: n}} }

	_, _ = c.InsertOne(ctx, by(0))
	_ = c.FindOne(ctx, by(1)).Err()
	_, _ = c.ReplaceOne(ctx, by(2), by(2))
	_, _ = c.DeleteMany(ctx, by(3))
	_, _ = c.CountDocuments(ctx, by(4))
	_, _ = client.BulkWrite(ctx, []mongo.ClientBulkWrite{
		{Database: c.Database().Name(), Collection: "a", Model: mongo.NewClientInsertOneModel().SetDocument(by(5))},
		{
			Database: c.Database().Name(), Collection: "b",
			Model: mongo.NewClientReplaceOneModel().SetFilter(by(6)).SetReplacement(by(6)),
		},
	})

	want := []string{
		"find things {\"n\": {\"$numberInt\":\"1\"}}", "update things {\"n\": {\"$numberInt\":\"2\"}}",
		"delete things {\"n\": {\"$numberInt\":\"3\"}}", "aggregate things {\"n\": {\"$numberInt\":\"4\"}}",
		"update b {\"n\": {\"$numberInt\":\"6\"}}",
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}
