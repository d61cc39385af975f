package stores

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// claimLife is how long a claim on a database of a shared Redis outlives a test that could not give it back, and so the
// longest that a test should use it.
const claimLife = 15 * time.Minute

// databases hands out the databases of one Redis, each to one test at a time.
type databases struct {
	url     string
	cluster bool
	shared  bool // with other processes: each use is claimed in database 0
	count   int

	mu   sync.Mutex
	free []int
}

// ownDatabases are those of a server that only this process knows.
func ownDatabases(url string) *databases {
	d := &databases{url: url, count: databaseCount}
	for n := databaseCount - 1; n >= 0; n-- {
		d.free = append(d.free, n)
	}

	return d
}

// sharedDatabases are those of a server that others may use too. Database 0 holds the claims; it is handed out itself,
// to one test at a time, only where there is no other, as in a Cluster.
func sharedDatabases(url string) (*databases, error) {
	target, err := redisx.ParseURL(url)
	if err != nil {
		return nil, err
	}
	d := &databases{url: url, cluster: target.Cluster, shared: true, count: 1}
	if target.Cluster {
		return d, nil
	}
	if target.Database != 0 {
		return nil, errors.New("the address must not name a database: each test gets its own")
	}
	rdb, err := redisx.Open(context.Background(), redisx.Config{URL: url, Timeout: commandTimeout})
	if err != nil {
		return nil, err
	}
	defer rdb.Close()

	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	setting, err := rdb.ConfigGet(ctx, "databases").Result()
	if err != nil {
		return nil, fmt.Errorf("ask for the number of databases: %w", redisx.Unavailable(err))
	}
	if d.count, err = strconv.Atoi(setting["databases"]); err != nil {
		return nil, fmt.Errorf("read the number of databases: %w", err)
	}

	return d, nil
}

// take returns the address of an empty database that is t's until it ends.
func (d *databases) take(t testing.TB) string {
	t.Helper()
	var url string
	var giveBack func()
	if d.shared {
		url, giveBack = d.claim(t)
	} else {
		url, giveBack = d.pick(t)
	}
	// The test before may have been killed before it could empty the database.
	d.flush(t, url)
	t.Cleanup(func() {
		d.flush(t, url)
		giveBack()
	})

	return url
}

func (d *databases) pick(t testing.TB) (url string, giveBack func()) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.free) == 0 {
		t.Fatalf("testkit: all %d databases of this Redis are in use", d.count)
	}
	n := d.free[len(d.free)-1]
	d.free = d.free[:len(d.free)-1]

	return fmt.Sprintf("%s/%d", d.url, n), func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.free = append(d.free, n)
	}
}

// claim waits for a database that no test of any process uses.
func (d *databases) claim(t testing.TB) (url string, giveBack func()) {
	t.Helper()
	rdb := openRedis(t, d.url)
	owner := rand.Text()
	first, last := 1, d.count-1
	if last < first {
		first, last = 0, 0
	}

	ctx, cancel := context.WithTimeout(t.Context(), claimLife)
	defer cancel()

	for {
		for n := first; n <= last; n++ {
			key := claimKey(n)
			switch ok, err := rdb.SetNX(ctx, key, owner, claimLife).Result(); {
			case err != nil:
				t.Fatalf("testkit: claim a Redis database: %v", redisx.Unavailable(err))
			case ok:
				return d.at(n), func() { release(t, d.url, key, owner) }
			}
		}
		if !testkit.Pause(ctx, 100*time.Millisecond) {
			t.Fatal("testkit: all databases of the shared Redis stay in use")
		}
	}
}

const claimPrefix = "testkit:claim:"

func claimKey(n int) string { return claimPrefix + strconv.Itoa(n) }

func (d *databases) at(n int) string {
	if n == 0 {
		return d.url
	}

	return fmt.Sprintf("%s/%d", strings.TrimSuffix(d.url, "/"), n)
}

// release gives a claim up, unless it ran out and is another's by now.
func release(t testing.TB, url, key, owner string) {
	rdb, err := redisx.Open(context.Background(), redisx.Config{URL: url, Timeout: commandTimeout})
	if err != nil {
		t.Logf("testkit: %v", err)
		return
	}
	defer rdb.Close()

	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	// One step, since the claim may have expired and belong to another run by now.
	release := redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end`)
	err = release.Run(ctx, rdb, []string{key}, owner).Err()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Logf("testkit: give a Redis database back: %v", err)
	}
}

// flush empties the database at url, but for claims.
func (d *databases) flush(t testing.TB, url string) {
	t.Helper()
	rdb, err := redisx.Open(context.Background(), redisx.Config{URL: url, Timeout: commandTimeout})
	if err != nil {
		t.Fatalf("testkit: open Redis: %v", err)
	}
	defer rdb.Close()

	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	if !d.shared || strings.HasPrefix(url, d.url+"/") {
		err = rdb.FlushDB(ctx).Err()
	} else {
		err = flushKeys(ctx, rdb)
	}
	if err != nil {
		t.Errorf("testkit: empty a Redis database: %v", redisx.Unavailable(err))
	}
}

// flushKeys deletes all keys but claims, on every master of a Cluster.
func flushKeys(ctx context.Context, rdb redis.UniversalClient) error {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return flushNode(ctx, node) })
	}

	return flushNode(ctx, rdb)
}

func flushNode(ctx context.Context, node redis.Cmdable) error {
	keys := node.Scan(ctx, 0, "*", 1000).Iterator()
	for keys.Next(ctx) {
		if strings.HasPrefix(keys.Val(), claimPrefix) {
			continue
		}
		if err := node.Unlink(ctx, keys.Val()).Err(); err != nil {
			return err
		}
	}

	return keys.Err()
}
