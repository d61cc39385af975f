// Package stores gives tests real stores: a MongoDB and a Redis that speak the real protocols, found or started without
// anybody's doing, with an empty database for each test. It is for _test.go files only.
//
// Servers are looked for in this order, and each test run says once on standard error which it took and why not
// another:
//
//  1. TEST_MONGODB_URI and TEST_REDIS_URL. The MongoDB is one server, for a replica set the primary, and is
//     reached directly. Its user must be allowed to make and drop databases. The Redis may be shared by several test
//     runs at once: each database is claimed while a test uses it.
//  2. A container, when a Docker engine answers and has or can get the image (TEST_MONGODB_IMAGE, TEST_REDIS_IMAGE):
//     the program subrosa-containers starts it.
//  3. mongod and redis-server on PATH, started on a free port with nothing kept.
//  4. The embedded stores: the program subrosa-stores of the deploy module, which make programs builds (or another,
//     named by TEST_STORES_BIN), started as a process of its own.
//
// There is one server of each kind per test process, and a second embedded one for EachMongo. It is started when a test
// first asks for it, and ends with the process however that ends, so no TestMain is needed.
package stores

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// kind names a server in the names of subtests.
type kind string

const (
	byURI     kind = "given"
	container kind = "container"
	onPath    kind = "path"
	embedded  kind = "embedded"
)

// server is a running store.
type server struct {
	kind kind
	url  string
	dbs  *databases // for Redis
}

// found is a server looked for once, with the reasons that others were passed over.
type found struct {
	server *server
	err    error
}

// The servers of this process. Tests have nothing else in common that could hold them.
var (
	realMongo     = sync.OnceValue(func() found { return look("MongoDB", mongoSources()) })
	realRedis     = sync.OnceValue(func() found { return look("Redis", redisSources()) })
	embeddedStore = sync.OnceValues(func() (stores, error) { return startEmbedded() })
	// Tests have few documents. Contracts of stores are held where the filters of services go the way that they go with
	// many, which is longer.
	contractStore = sync.OnceValues(func() (stores, error) { return startEmbedded("-narrow-always") })
)

// source is one way to a server. It returns nil and a reason when there is none that way, and an error when there ought
// to be.
type source struct {
	kind  kind
	start func() (s *server, absent string, err error)
}

// look takes the first source that has a server. No server is no error: the embedded one is always left.
func look(what string, sources []source) found {
	var passed []string

	for _, src := range sources {
		s, absent, err := src.start()
		switch {
		case err != nil:
			return found{err: fmt.Errorf("%s (%s): %w", what, src.kind, err)}
		case s != nil:
			s.kind = src.kind
			report(what, string(src.kind), passed)

			return found{server: s}
		}
		passed = append(passed, fmt.Sprintf("%s: %s", src.kind, absent))
	}
	report(what, string(embedded), passed)

	return found{}
}

func report(what, used string, passed []string) {
	line := fmt.Sprintf("testkit: %s: %s", what, used)
	if len(passed) > 0 {
		line += " (not " + strings.Join(passed, "; ") + ")"
	}
	fmt.Fprintln(os.Stderr, line)
}

// preferred returns the best server of a kind of store: the real one that lookup finds, or the embedded one that pick
// picks.
func preferred(t testing.TB, lookup func() found, pick func(stores) *server) *server {
	t.Helper()

	switch f := lookup(); {
	case f.err != nil:
		t.Fatalf("testkit: %v", f.err)
	case f.server != nil:
		return f.server
	}

	return pick(embeddedStores(t, embeddedStore))
}

func embeddedStores(t testing.TB, start func() (stores, error)) stores {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatalf("testkit: embedded stores: %v", err)
	}

	return s
}

// each runs test on an embedded server, which start starts, and on the best real one.
func each(
	t *testing.T, start func() (stores, error), lookup func() found, pick func(stores) *server,
	test func(*testing.T, *server),
) {
	t.Helper()
	t.Run(string(embedded), func(t *testing.T) { test(t, pick(embeddedStores(t, start))) })

	switch f := lookup(); {
	case f.err != nil:
		t.Errorf("testkit: %v", f.err)
	case f.server != nil:
		t.Run(string(f.server.kind), func(t *testing.T) { test(t, f.server) })
	}
}
