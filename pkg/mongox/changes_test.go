package mongox_test

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

type thing struct {
	ID     string `bson:"_id"`
	Tenant string `bson:"tenant"`
}

// TestWhatMayHaveChanged: a failure leaves open whether something was changed if a write was done or sent before it,
// and not otherwise.
func TestWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	cfg := mongox.Config{URI: link.URL(), Database: stores.MongoName(t), Timeout: 500 * time.Millisecond}
	db := open(t, cfg)
	docs := mongox.In[thing](db.Database(), "things")

	none := thing{"t/none", "t"}
	insert := func(id string) func(context.Context) error {
		return func(ctx context.Context) error { return docs.Insert(ctx, thing{"t/" + id, "t"}) }
	}
	together := func(id string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := mongox.Together(ctx, docs.Inserting(thing{"t/" + id, "t"}))
			return err
		}
	}
	read := func(ctx context.Context) error { _, err := docs.Find(ctx, mongox.One("t", "there")); return err }

	for _, tc := range []struct {
		name   string
		lost   string // the command from which on answers are lost; "" for none
		broken bool
		do     func(context.Context) error
		want   bool
	}{
		{"an insert", "", false, insert("there"), true},
		{"one that is taken", "", false, insert("there"), false},
		{"reading", "", false, read, false},
		{"a replacement", "", false, func(ctx context.Context) error {
			return docs.Replace(ctx, mongox.One("t", "there"), thing{"t/there", "t"})
		}, true},
		{"a replacement of nothing", "", false, func(ctx context.Context) error {
			return docs.Replace(ctx, mongox.One("t", "none"), none)
		}, false},
		{"a removal of nothing", "", false, func(ctx context.Context) error {
			return docs.Remove(ctx, mongox.One("t", "none"))
		}, false},
		{"an insert aside", "", false, func(ctx context.Context) error {
			return insert("aside")(errs.Aside(ctx))
		}, false},
		{"several", "", false, together("several"), true},
		{"reading without an answer", "\x02find\x00", false, read, false},
		{"an insert without an answer", "\x02insert\x00", false, insert("lost"), true},
		{"several without an answer", "bulkWrite\x00", false, together("all lost"), true},
		{"an insert that cannot be sent", "", true, insert("unsent"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			link.Mend()
			if err := db.Database().RunCommand(t.Context(), bson.D{mongox.Is("ping", 1)}).Err(); err != nil {
				t.Fatal(err)
			}
			if tc.lost != "" {
				link.LoseAnswers(tc.lost)
			}
			if tc.broken {
				link.Break()
				_ = db.Database().RunCommand(t.Context(), bson.D{mongox.Is("ping", 1)}).Err() // the driver notices
			}

			ctx := errs.WithChanges(t.Context())
			err := tc.do(ctx)
			if failed := tc.lost != "" || tc.broken; failed && err == nil {
				t.Fatal("it did not fail")
			}
			if got := errs.MayHaveChanged(ctx); got != tc.want {
				t.Errorf("something may have changed: %v, want %v (%v)", got, tc.want, err)
			}
		})
	}
}
