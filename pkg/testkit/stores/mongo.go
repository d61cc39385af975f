package stores

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// storeTimeout is what clients of tests allow a MongoDB: writes queue at the embedded one.
const storeTimeout = 10 * time.Second

// EachMongo runs test in a subtest for each kind of MongoDB there is: the embedded one always, and the best real one.
// Each gets an empty database of its own, which is dropped at the end. The embedded one is not the server of Mongo and
// MongoURI: it answers queries among few documents in the way of many.
func EachMongo(t *testing.T, test func(t *testing.T, db *mongo.Database)) {
	t.Helper()
	each(t, contractStore, realMongo, stores.mongoServer, func(t *testing.T, s *server) {
		t.Helper()
		test(t, openMongo(t, s, freshName()))
	})
}

// Index makes the indexes of a service in a test's database.
func Index(t testing.TB, db *mongo.Database, schema mongox.Schema) {
	t.Helper()

	for name, indexes := range schema {
		if err := mongox.EnsureIndexes(t.Context(), db.Collection(name), indexes); err != nil {
			t.Fatalf("testkit: indexes of %s: %v", name, err)
		}
	}
}

// Mongo returns an empty database of the best MongoDB there is. It is dropped when t ends.
func Mongo(t testing.TB) *mongo.Database {
	t.Helper()
	return openMongo(t, preferred(t, realMongo, stores.mongoServer), freshName())
}

// MongoURI returns the address of the best MongoDB there is, for a service under test that opens it itself. The server
// is shared with other tests: let the service use databases named by MongoName.
func MongoURI(t testing.TB) string {
	t.Helper()
	return preferred(t, realMongo, stores.mongoServer).url
}

// MongoName returns the name of a database that does not exist yet on the server of MongoURI, and drops it when t ends.
func MongoName(t testing.TB) string {
	t.Helper()
	name := freshName()
	openMongo(t, preferred(t, realMongo, stores.mongoServer), name)

	return name
}

func freshName() string { return "test_" + strings.ToLower(rand.Text()[:16]) }

func openMongo(t testing.TB, s *server, name string) *mongo.Database {
	t.Helper()
	db, err := mongox.Open(context.Background(), mongox.Config{
		URI:      s.url,
		Database: name,
		Timeout:  storeTimeout,
		AppName:  "testkit",
	})
	if err != nil {
		t.Fatalf("testkit: open MongoDB: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		if err := db.Database().Drop(ctx); err != nil {
			t.Logf("testkit: drop database: %v", mongox.Unavailable(err))
		}
		if err := db.Close(ctx); err != nil {
			t.Logf("testkit: %v", err)
		}
	})

	return db.Database()
}

func mongoSources() []source {
	return []source{
		{byURI, givenMongo},
		{container, mongoContainer},
		{onPath, mongodOnPath},
	}
}

// errSeveral does not quote the address, which may hold a password.
var errSeveral = errors.New("TEST_MONGODB_URI must be mongodb://host:port of one server, for a replica set the primary: " +
	"tests break the way to the server, and a driver that knows of others would go around the break")

func givenMongo() (*server, string, error) {
	s, absent, err := given("TEST_MONGODB_URI")
	if s == nil || err != nil {
		return nil, absent, err
	}
	if s.url, err = direct(s.url); err != nil {
		return nil, "", err
	}

	return s, "", nil
}

// direct has a driver stay with the server that an address names. Without directConnection the driver asks a replica
// set for its members, and calls them by names that may mean nothing here, around every Link. What the address says
// itself stays.
func direct(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "mongodb" || u.Host == "" || strings.Contains(u.Host, ",") {
		return "", errSeveral
	}

	for name := range u.Query() {
		if strings.EqualFold(name, "directConnection") || strings.EqualFold(name, "loadBalanced") {
			return uri, nil
		}
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += "directConnection=true"
	if u.Path == "" {
		u.Path = "/"
	}

	return u.String(), nil
}

func given(variable string) (*server, string, error) {
	u := os.Getenv(variable)
	if u == "" {
		return nil, variable + " is not set", nil
	}

	return &server{url: u}, "", nil
}

func mongodOnPath() (*server, string, error) {
	path, err := testkit.LookPath("mongod")
	if err != nil {
		return nil, "mongod is not on PATH", nil
	}
	p, err := startOnPort(func(port int, dir string) []string {
		return []string{path, "--quiet", "--bind_ip", "127.0.0.1", "--port", fmt.Sprint(port), "--dbpath", dir}
	}, mongoAnswers)
	if err != nil {
		return nil, "", err
	}

	return &server{url: mongoURL(p.addr)}, "", nil
}

func mongoURL(addr string) string {
	u := url.URL{Scheme: "mongodb", Host: addr, Path: "/", RawQuery: "directConnection=true"}
	return u.String()
}

func mongoAnswers(ctx context.Context, addr string) error {
	db, err := mongox.Open(ctx, mongox.Config{URI: mongoURL(addr), Database: "admin", Timeout: time.Second})
	if err != nil {
		return err
	}
	defer db.Close(ctx)

	return db.Ping(ctx)
}
