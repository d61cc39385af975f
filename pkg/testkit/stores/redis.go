package stores

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// commandTimeout is what clients of tests allow a Redis command on a busy machine.
const commandTimeout = 5 * time.Second

// databaseCount is how many databases our own servers have.
const databaseCount = 1024

// EachRedis runs test in a subtest for each kind of Redis there is: the embedded one always, and the best real one.
// Each gets an empty database of its own.
func EachRedis(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient)) {
	t.Helper()
	each(t, embeddedStore, realRedis, stores.redisServer, func(t *testing.T, s *server) {
		t.Helper()
		test(t, openRedis(t, s.dbs.take(t)))
	})
}

// Redis returns an empty database of the best Redis there is.
func Redis(t testing.TB) redis.UniversalClient {
	t.Helper()
	return openRedis(t, RedisURL(t))
}

// RedisURL returns the address of an empty database of the best Redis there is, for services under test that open it
// themselves. The database is t's own and is emptied when t ends.
func RedisURL(t testing.TB) string {
	t.Helper()
	return preferred(t, realRedis, stores.redisServer).dbs.take(t)
}

func openRedis(t testing.TB, url string) redis.UniversalClient {
	t.Helper()
	rdb, err := redisx.Open(context.Background(), redisx.Config{URL: url, Timeout: commandTimeout})
	if err != nil {
		t.Fatalf("testkit: open Redis: %v", err)
	}
	t.Cleanup(func() {
		if err := rdb.Close(); err != nil {
			t.Logf("testkit: close Redis: %v", err)
		}
	})

	return rdb
}

func redisSources() []source {
	return []source{
		{byURI, givenRedis},
		{container, redisContainer},
		{onPath, redisOnPath},
	}
}

func givenRedis() (*server, string, error) {
	s, absent, err := given("TEST_REDIS_URL")
	if s == nil {
		return nil, absent, err
	}
	s.dbs, err = sharedDatabases(s.url)

	return s, "", err
}

func redisOnPath() (*server, string, error) {
	path, err := testkit.LookPath("redis-server")
	if err != nil {
		return nil, "redis-server is not on PATH", nil
	}
	p, err := startOnPort(redisArgs(path, false), redisAnswers)
	if err != nil {
		return nil, "", err
	}

	return ownRedis(redisURL(p.addr)), "", nil
}

// redisArgs is the command line of a redis-server that keeps nothing, or that keeps every acknowledged write.
func redisArgs(path string, durable bool) func(port int, dir string) []string {
	return func(port int, dir string) []string {
		args := []string{
			path, "--bind", "127.0.0.1", "--port", fmt.Sprint(port), "--dir", dir,
			"--databases", fmt.Sprint(databaseCount), "--save", "",
		}
		// Each acknowledged write is on the disk before it is acknowledged.
		if durable {
			return append(args, "--appendonly", "yes", "--appendfsync", "always")
		}

		return append(args, "--appendonly", "no")
	}
}

func ownRedis(url string) *server { return &server{url: url, dbs: ownDatabases(url)} }

func redisURL(addr string) string { return "redis://" + addr }

func redisAnswers(ctx context.Context, addr string) error {
	rdb, err := redisx.Open(ctx, redisx.Config{URL: redisURL(addr), Timeout: time.Second})
	if err != nil {
		return err
	}
	defer rdb.Close()

	return redisx.Ping(ctx, rdb)
}
