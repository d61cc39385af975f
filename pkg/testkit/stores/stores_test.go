package stores_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestEachMongoIsEmptyAndApart(t *testing.T) {
	names := map[string]bool{}

	for range 2 {
		stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
			names[db.Name()] = true
			c := db.Collection("things")
			if _, err := c.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "one"}}); err != nil {
				t.Fatalf("insert: %v", err)
			}
			if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 {
				t.Errorf("documents = %d, %v, want 1", n, err)
			}
		})
	}
	if len(names) < 2 {
		t.Errorf("databases = %d, want one for each run", len(names))
	}
}

func TestMongoNameIsDropped(t *testing.T) {
	uri := stores.MongoURI(t)
	var name string
	t.Run("use", func(t *testing.T) {
		name = stores.MongoName(t)
		if _, err := open(t, uri, name).Collection("things").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "one"}}); err != nil {
			t.Fatalf("insert: %v", err)
		}
	})
	left, err := open(t, uri, name).Database().ListCollectionNames(t.Context(), bson.D{})
	if err != nil || len(left) != 0 {
		t.Errorf("collections left = %v, %v, want none", left, err)
	}
}

func open(t *testing.T, uri, name string) *mongox.DB {
	t.Helper()
	db, err := mongox.Open(t.Context(), mongox.Config{URI: uri, Database: name, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { db.Close(context.Background()) })

	return db
}

func TestEachRedisIsEmptyAndApart(t *testing.T) {
	for range 2 {
		stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
			other := stores.Redis(t)
			if n, err := rdb.DBSize(t.Context()).Result(); err != nil || n != 0 {
				t.Errorf("keys before = %d, %v, want 0", n, err)
			}
			if err := rdb.Set(t.Context(), "k", "v", time.Minute).Err(); err != nil {
				t.Fatalf("set: %v", err)
			}
			if n, err := other.DBSize(t.Context()).Result(); err != nil || n != 0 {
				t.Errorf("keys of another test = %d, %v, want 0", n, err)
			}
		})
	}
}

func TestRedisURLsAreApart(t *testing.T) {
	seen := map[string]bool{}

	for range 12 { // a shared server may have no more than sixteen
		url := stores.RedisURL(t)
		if seen[url] {
			t.Fatalf("%s was handed out twice", url)
		}
		seen[url] = true
	}
}

func TestRedisServerStopsAndStarts(t *testing.T) {
	server := stores.RedisServer(t)
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: server.URL()})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer rdb.Close()
	if err := rdb.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatalf("set: %v", err)
	}
	server.Stop()
	if err := redisx.Ping(t.Context(), rdb); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("ping while stopped = %v, want %v", err, errs.ErrUnavailable)
	}
	server.Start()
	testkit.Until(t, testkit.Patience, func() error { return redisx.Ping(t.Context(), rdb) })
	if got, err := rdb.Get(t.Context(), "k").Result(); server.Durable() && (err != nil || got != "v") {
		t.Errorf("after the restart = %q, %v, want v", got, err)
	}
}

func TestLink(t *testing.T) {
	target := echo(t)
	link := stores.Cut(t, target)
	patience := 10 * time.Second
	say := func(c net.Conn) error {
		c.SetDeadline(time.Now().Add(patience))
		if _, err := c.Write([]byte("hello")); err != nil {
			return err
		}
		_, err := io.ReadFull(c, make([]byte, 5))

		return err
	}
	dial := func() net.Conn {
		c, err := net.Dial("tcp", link.Addr())
		if err != nil {
			t.Fatalf("dial: %v", err)
		}
		t.Cleanup(func() { c.Close() })

		return c
	}
	first := dial()
	if err := say(first); err != nil {
		t.Errorf("whole: %v", err)
	}
	link.Stall()
	patience = 100 * time.Millisecond
	var network net.Error
	if err := say(first); !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("stalled: %v, want a timeout", err)
	}
	link.Mend()
	patience = 10 * time.Second
	second := dial()
	testkit.Until(t, testkit.Patience, func() error { return say(second) })
	link.Break()
	if err := say(second); err == nil {
		t.Error("broken: an old connection still answers")
	}
	if err := say(dial()); err == nil {
		t.Error("broken: a new connection answers")
	}
	link.Mend()
	if err := say(dial()); err != nil {
		t.Errorf("mended: %v", err)
	}
}

// TestAnswersAreLostOfARequestInPieces: the text is found also where it comes in two reads.
func TestAnswersAreLostOfARequestInPieces(t *testing.T) {
	link := stores.Cut(t, echo(t))
	link.LoseAnswers("needle")
	c, err := net.Dial("tcp", link.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	say := func(piece string, patience time.Duration) error {
		c.SetDeadline(time.Now().Add(patience))
		if _, err := c.Write([]byte(piece)); err != nil {
			return err
		}
		_, err := io.ReadFull(c, make([]byte, len(piece)))

		return err
	}

	for _, piece := range []string{"hay, nee", "d"} {
		if err := say(piece, testkit.Patience); err != nil {
			t.Fatalf("before the text is whole: %v", err)
		}
	}
	var network net.Error
	if err := say("le", 100*time.Millisecond); !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("when the text is whole: %v, want a timeout", err)
	}
}

func TestLinkURL(t *testing.T) {
	link := stores.Cut(t, "mongodb://127.0.0.1:1/?directConnection=true")
	if got, want := link.URL(), "mongodb://"+link.Addr()+"/?directConnection=true"; got != want {
		t.Errorf("URL = %s, want %s", got, want)
	}
}

// echo serves what it hears.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })

	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}

			go func() { defer c.Close(); io.Copy(c, c) }()
		}
	}()

	return l.Addr().String()
}
