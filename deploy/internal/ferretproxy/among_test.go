package ferretproxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// fill inserts nine small documents and three of which a message holds two.
func fill(t *testing.T, c *mongo.Collection) {
	t.Helper()
	var things []any

	for i := range 9 {
		things = append(things, doc(
			"_id", fmt.Sprintf("t/%d", i), "tenant", "tu"[i%2:i%2+1], "n", i, "tags", bson.A{"a"},
			"body", strings.Repeat("x", i*1000),
		))
	}

	for _, id := range []string{"large/1", "large/2", "large/3"} {
		things = append(things, doc("_id", id, "tenant", "t", "body", strings.Repeat("y", 7<<20)))
	}

	for _, thing := range things {
		if _, err := c.InsertOne(t.Context(), thing); err != nil {
			t.Fatal(err)
		}
	}
}

// Documents that are asked for by several _ids are those that a MongoDB would give.
func TestFiltersBySeveralIDs(t *testing.T) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := db.Collection("things")

		fill(t, c)

		for _, tc := range []struct {
			name   string
			filter bson.D
			opts   *options.FindOptionsBuilder
			want   []string
		}{
			{"all", doc("_id", doc("$in", bson.A{"t/2", "t/0", "t/4"})), nil, []string{"t/0", "t/2", "t/4"}},
			{"of a tenant", doc("_id", doc("$in", bson.A{"t/2", "t/1", "t/4"}), "tenant", "t"), nil, []string{"t/2", "t/4"}},
			{"twice", doc("_id", doc("$in", bson.A{"t/2", "t/2"}), "tenant", "t"), nil, []string{"t/2"}},
			{"none", doc("_id", doc("$in", bson.A{}), "tenant", "t"), nil, nil},
			{"absent", doc("_id", doc("$in", bson.A{"t/2", "t/99"})), nil, []string{"t/2"}},
			{"an array contains", doc("_id", doc("$in", bson.A{"t/2", "t/4"}), "tags", "a"), nil, []string{"t/2", "t/4"}},
			{"in order", doc("_id", doc("$in", bson.A{"t/4", "t/2"})), options.Find().SetSort(doc("_id", 1)), []string{"t/2", "t/4"}},
			{"against the order", doc("_id", doc("$in", bson.A{"t/2", "t/4"})), options.Find().SetSort(doc("_id", -1)), []string{"t/4", "t/2"}},
			{"a part", doc("_id", doc("$in", bson.A{"t/2", "t/4"})), options.Find().SetProjection(doc("n", 1)), []string{"t/2", "t/4"}},
			{"the first", doc("_id", doc("$in", bson.A{"t/2", "t/4"})), options.Find().SetSort(doc("_id", 1)).SetLimit(1), []string{"t/2"}},
			{"not these", doc("_id", doc("$nin", bson.A{"t/0", "t/1", "t/2", "t/3", "t/4", "t/5", "t/6", "t/7"}), "n", 8), nil, []string{"t/8"}},
			{"a batch each", doc("_id", doc("$in", bson.A{"t/2", "t/4", "t/6"})), options.Find().SetBatchSize(1), []string{"t/2", "t/4", "t/6"}},
			{"more than a message holds", doc("_id", doc("$in", bson.A{"large/1", "large/2", "large/3"})), nil, []string{"large/1", "large/2", "large/3"}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				var opts []options.Lister[options.FindOptions]
				if tc.opts != nil {
					opts = append(opts, tc.opts)
				}
				cursor, err := c.Find(t.Context(), tc.filter, opts...)
				if err != nil {
					t.Fatal(err)
				}
				var found []struct {
					ID   string `bson:"_id"`
					Body string `bson:"body"`
				}
				if err := cursor.All(t.Context(), &found); err != nil {
					t.Fatal(err)
				}

				var got []string
				for _, d := range found {
					got = append(got, d.ID)
				}
				if tc.opts == nil { // in any order
					slices.Sort(got)
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("find = %q, want %q", got, tc.want)
				}
			})
		}
	})
}
