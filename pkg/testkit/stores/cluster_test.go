package stores

import (
	"errors"
	"strconv"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// A master dies whose replica was cut off: what was written before is there again, what came after is lost.
func TestRedisNodesFailOver(t *testing.T) {
	c := RedisNodes(t, 3, 1)
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: c.URL(), Timeout: commandTimeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	const tag = "{a}"

	for i := range 20 {
		if err := rdb.Set(t.Context(), "key"+strconv.Itoa(i), "v", 0).Err(); err != nil {
			t.Fatalf("set: %v", err)
		}
	}
	if err := rdb.Set(t.Context(), tag+"before", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	c.Settle() // replication is not waited for by SET
	c.CutReplicas()
	if err := rdb.Set(t.Context(), tag+"after", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	c.KillOwner(tag)
	testkit.Until(t, testkit.Patience, func() error {
		if !c.Serves(tag) {
			return errors.New("no master yet")
		}

		return rdb.Set(t.Context(), tag+"again", "v", 0).Err()
	})

	for key, want := range map[string]int64{tag + "before": 1, tag + "after": 0} {
		if n, err := rdb.Exists(t.Context(), key).Result(); n != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", key, n, err, want)
		}
	}
}
