package stores

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// clusterSlots is the number of slots that the masters of a Cluster share.
const clusterSlots = 16384

// nodeTimeout is after how long the nodes of a Cluster take one of them for dead.
const nodeTimeout = 2 * time.Second

// RedisCluster starts a real Redis Cluster of a single node that only t uses and returns its address. It refuses what a
// Cluster refuses, such as a script over keys of two slots, which a single Redis and the embedded one let pass. t is
// skipped when redis-server is not on PATH.
func RedisCluster(t testing.TB) string {
	t.Helper()
	return RedisNodes(t, 1, 0).URL()
}

// Cluster is a real Redis Cluster of a test's own, whose nodes can be killed and whose replicas can be cut off.
type Cluster struct {
	t     testing.TB
	nodes []*clusterNode
}

type clusterNode struct {
	*process
	client *redis.Client
	id     string
	gone   bool
}

// RedisNodes starts a real Redis Cluster that only t uses: masters that share the slots evenly, and as many replicas of
// each. A dead master is replaced by its replica about 4 s later. Nothing is kept on disk. t is skipped when
// redis-server is not on PATH.
func RedisNodes(t testing.TB, masters, replicas int) *Cluster {
	t.Helper()
	path, err := testkit.LookPath("redis-server")
	if err != nil {
		t.Skip("testkit: a Redis Cluster needs redis-server on PATH")
	}
	c := &Cluster{t: t}
	t.Cleanup(c.stop)

	for range masters * (1 + replicas) {
		n, err := startNode(path)
		if err != nil {
			t.Fatalf("testkit: start a node of a Redis Cluster: %v", err)
		}
		c.nodes = append(c.nodes, n)
	}

	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := c.form(ctx, masters); err != nil {
		t.Fatalf("testkit: make a Redis Cluster: %v", err)
	}

	return c
}

func startNode(path string) (*clusterNode, error) {
	bus := 0
	p, err := startOnPort(func(port int, dir string) []string {
		bus = port + 10000

		return []string{
			path, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--save", "", "--appendonly", "no",
			"--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus),
			"--cluster-node-timeout", strconv.FormatInt(nodeTimeout.Milliseconds(), 10),
			"--repl-diskless-sync-delay", "0",
		}
	}, redisAnswers)
	if err != nil {
		return nil, err
	}

	return &clusterNode{process: p, client: redis.NewClient(&redis.Options{Addr: p.addr, DisableIdentity: true})}, nil
}

// form makes the nodes one Cluster: the first of them masters, the others replicas in turn.
func (c *Cluster) form(ctx context.Context, masters int) error {
	for i, n := range c.nodes {
		// Nodes with one epoch would argue for seconds about who owns which slots.
		if err := n.client.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
			return fmt.Errorf("tell node %d apart: %w", i, err)
		}
		var err error
		if n.id, err = n.client.Do(ctx, "CLUSTER", "MYID").Text(); err != nil {
			return fmt.Errorf("ask node %d who it is: %w", i, err)
		}
		if i < masters {
			err = n.client.ClusterAddSlotsRange(ctx, i*clusterSlots/masters, (i+1)*clusterSlots/masters-1).Err()
		}
		if err == nil && i > 0 {
			host, port, _ := strings.Cut(n.addr, ":")
			at, _ := strconv.Atoi(port)
			err = c.nodes[0].client.Do(ctx, "CLUSTER", "MEET", host, port, at+10000).Err()
		}
		if err != nil {
			return fmt.Errorf("let node %d in: %w", i, err)
		}
	}
	if err := c.await(ctx, "the nodes know one another", func(n *clusterNode) (bool, error) {
		known, err := n.client.ClusterInfo(ctx).Result()
		all := strings.Contains(known, fmt.Sprintf("cluster_known_nodes:%d\r", len(c.nodes)))

		return all && strings.Contains(known, "cluster_state:ok"), err
	}); err != nil {
		return err
	}

	for i, n := range c.nodes[masters:] {
		replicate := func() error { return n.client.ClusterReplicate(ctx, c.nodes[i%masters].id).Err() }
		if err := c.retry(ctx, replicate); err != nil {
			return fmt.Errorf("make a replica: %w", err)
		}
	}

	return c.await(ctx, "the replicas follow", func(n *clusterNode) (bool, error) {
		role := n.replication(ctx)
		return role["role"] == "master" || role["master_link_status"] == "up", nil
	})
}

// await returns when every node is as it should be.
func (c *Cluster) await(ctx context.Context, what string, done func(*clusterNode) (bool, error)) error {
	for _, n := range c.nodes {
		err := c.retry(ctx, func() error {
			ok, err := done(n)
			if err == nil && !ok {
				err = fmt.Errorf("not yet at %s", n.addr)
			}

			return err
		})
		if err != nil {
			return fmt.Errorf("wait until %s: %w", what, err)
		}
	}

	return nil
}

func (c *Cluster) retry(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || !testkit.Pause(ctx, 20*time.Millisecond) {
			return err
		}
	}
}

// URL returns the address of all nodes.
func (c *Cluster) URL() string {
	var addrs []string
	for _, n := range c.nodes {
		addrs = append(addrs, redisURL(n.addr))
	}
	if len(addrs) == 1 {
		return addrs[0] + "?cluster=true"
	}

	return strings.Join(addrs, ",")
}

// KillOwner kills the master that serves a key and returns when it is gone.
func (c *Cluster) KillOwner(key string) {
	c.t.Helper()
	n := c.owner(key)
	if n == nil {
		c.t.Fatalf("testkit: nobody in the Redis Cluster serves the slot of %q", key)
	}
	n.gone = true
	n.stop()
}

// Serves reports whether a living node is the master of a key's slot and answers for it.
func (c *Cluster) Serves(key string) bool { return c.owner(key) != nil }

// owner returns the living master that takes commands on a key: all others point elsewhere.
func (c *Cluster) owner(key string) *clusterNode {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()

	for _, n := range c.nodes {
		if n.replication(ctx)["role"] == "master" && n.client.Exists(ctx, key).Err() == nil {
			return n
		}
	}

	return nil
}

// CutReplicas lets no replica hear of its master any more, while all nodes go on to know one another: what is written
// from now on is lost when its master dies.
func (c *Cluster) CutReplicas() {
	c.t.Helper()

	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()

	for _, n := range c.nodes {
		if n.gone {
			continue
		}
		// A replica that sends a password to a master without one is turned away when it comes again.
		if err := n.client.ConfigSet(ctx, "masterauth", "none").Err(); err != nil {
			c.t.Fatalf("testkit: cut replication: %v", err)
		}
	}

	for _, n := range c.nodes {
		if n.gone {
			continue
		}
		if err := n.client.Do(ctx, "CLIENT", "KILL", "TYPE", "replica").Err(); err != nil {
			c.t.Fatalf("testkit: cut replication: %v", err)
		}
	}
}

// Settle waits until the replicas have everything that their masters have at this moment.
func (c *Cluster) Settle() {
	c.t.Helper()

	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	// How far each master has come, by its address.
	masters := map[string]int{}

	for _, n := range c.nodes {
		if role := n.replication(ctx); role["role"] == "master" {
			masters[n.addr], _ = strconv.Atoi(role["master_repl_offset"])
		}
	}

	for _, n := range c.nodes {
		err := c.retry(ctx, func() error {
			role := n.replication(ctx)
			master := role["master_host"] + ":" + role["master_port"]
			if has, _ := strconv.Atoi(role["slave_repl_offset"]); role["role"] == "slave" && has < masters[master] {
				return fmt.Errorf("%s has %d bytes", n.addr, has)
			}

			return nil
		})
		if err != nil {
			c.t.Fatalf("testkit: the replicas do not follow: %v", err)
		}
	}
}

// replication returns what a node says of its part; nothing when it is gone.
func (n *clusterNode) replication(ctx context.Context) map[string]string {
	says := map[string]string{}
	if n.gone {
		return says
	}

	text, _ := n.client.Info(ctx, "replication").Result()
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			says[name] = value
		}
	}

	return says
}

func (c *Cluster) stop() {
	for _, n := range c.nodes {
		if err := n.client.Close(); err != nil {
			c.t.Logf("testkit: %v", err)
		}
		n.stop()
	}
}
