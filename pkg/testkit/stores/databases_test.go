package stores

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// Two processes share a server: each is a *databases of its own here.
func TestSharedDatabases(t *testing.T) {
	if _, err := testkit.LookPath("redis-server"); err != nil {
		t.Skip("the embedded Redis cannot tell how many databases it has")
	}

	for name, url := range map[string]func(testing.TB) string{
		"server":  func(t testing.TB) string { return RedisServer(t).URL() },
		"cluster": RedisCluster,
	} {
		t.Run(name, func(t *testing.T) {
			at := url(t)

			var processes [2]*databases
			for n := range processes {
				d, err := sharedDatabases(at)
				if err != nil {
					t.Fatalf("sharedDatabases: %v", err)
				}
				processes[n] = d
			}
			var mu sync.Mutex
			inUse := map[string]bool{}

			var users sync.WaitGroup
			for n := range 6 {
				users.Go(func() {
					t.Run(fmt.Sprint("user", n), func(t *testing.T) {
						url := processes[n%2].take(t)
						mu.Lock()
						if inUse[url] {
							t.Errorf("%s was handed out twice", url)
						}
						inUse[url] = true
						mu.Unlock()
						use(t, url)
						mu.Lock()
						inUse[url] = false
						mu.Unlock()
					})
				})
			}
			users.Wait()
		})
	}
}

// use fails unless the database is empty but for claims, and leaves something in it.
func use(t *testing.T, url string) {
	t.Helper()
	rdb := openRedis(t, url)
	keys, err := rdb.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatalf("keys: %v", err)
	}

	for _, k := range keys {
		if !strings.HasPrefix(k, claimPrefix) {
			t.Errorf("%s holds %s of another test", url, k)
		}
	}

	for n := range 10 {
		if err := rdb.Set(t.Context(), fmt.Sprint("left", n), "v", 0).Err(); err != nil {
			t.Fatalf("set: %v", err)
		}
	}
	testkit.Pause(t.Context(), 10*time.Millisecond) // give others time to come into the same database by mistake
}
