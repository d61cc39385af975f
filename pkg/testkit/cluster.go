package testkit

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// RedisCluster starts a real Redis Cluster of a single node that only t uses and returns its address. It refuses what a
// Cluster refuses, such as a script over keys of two slots, which a single Redis and the embedded one let pass. t is
// skipped when redis-server is not on PATH.
func RedisCluster(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("testkit: a Redis Cluster needs redis-server on PATH")
	}
	p, err := startOnPort(func(port int, dir string) []string {
		return []string{path, "--bind", "127.0.0.1", "--port", fmt.Sprint(port), "--dir", dir, "--save", "", "--appendonly", "no",
			"--cluster-enabled", "yes", "--cluster-port", fmt.Sprint(port + 10000)}
	}, redisAnswers)
	if err != nil {
		t.Fatalf("testkit: start a Redis Cluster: %v", err)
	}
	t.Cleanup(p.stop)
	if err := ownAllSlots(p.addr); err != nil {
		t.Fatalf("testkit: make a Redis Cluster: %v", err)
	}
	return redisURL(p.addr) + "?cluster=true"
}

// ownAllSlots gives the only node all slots and waits until it serves them.
func ownAllSlots(addr string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	node, err := redisx.Open(ctx, redisx.Config{URL: redisURL(addr), Timeout: commandTimeout})
	if err != nil {
		return err
	}
	defer node.Close()
	if err := node.ClusterAddSlotsRange(ctx, 0, 16383).Err(); err != nil {
		return err
	}
	for {
		err := node.Set(ctx, "ready", "", time.Millisecond).Err()
		if !redis.IsClusterDownError(err) {
			return err
		}
		if !pause(ctx, 20*time.Millisecond) {
			return err
		}
	}
}
