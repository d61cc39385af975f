package redisx_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestWhatMayHaveChanged: a failure leaves open whether something was changed if a write was done or sent before it,
// and not otherwise.
func TestWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.RedisURL(t))
	patient := opened(t, link.URL(), 5*time.Second)
	quick := opened(t, link.URL(), 200*time.Millisecond) // where answers are lost
	rdb := patient
	set := func(ctx context.Context) error { return rdb.Set(ctx, "k", "v", 0).Err() }
	both := func(ctx context.Context) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Get(ctx, "k")
			p.Set(ctx, "k", "w", 0)

			return nil
		})

		return err
	}
	read := func(ctx context.Context) error { return rdb.Get(ctx, "k").Err() }

	for _, tc := range []struct {
		name string
		lost string // the command from which on answers are lost; "" for none
		do   func(context.Context) error
		want bool
	}{
		{"a write", "", set, true},
		{"reading", "", read, false},
		{"both", "", both, true},
		{"a write that finds the key", "", func(ctx context.Context) error {
			return rdb.SetArgs(ctx, "k", "x", redis.SetArgs{Mode: "NX"}).Err()
		}, true}, // or one that was done before, and is repeated
		{"a script that fails", "", func(ctx context.Context) error {
			return rdb.Eval(ctx, "redis.call('SET', KEYS[1], 'x'); return redis.call('LPUSH', KEYS[1], 'y')", []string{"k"}).Err()
		}, true},
		{"a script that the server does not have", "", func(ctx context.Context) error {
			return rdb.EvalSha(ctx, strings.Repeat("0", 40), []string{"k"}).Err()
		}, false},
		{"a write that is refused", "", func(ctx context.Context) error { return rdb.LPush(ctx, "k", "x").Err() }, false},
		{"a call that is counted", "", func(ctx context.Context) error {
			_, err := redisx.Count(ctx, rdb, "ann", redisx.Quota{Rate: 1, Period: time.Second})
			return err
		}, false},
		{"reading without an answer", "get", read, false},
		{"a write without an answer", "set", set, true},
		{"both without an answer", "set", both, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			link.Mend()
			rdb = patient
			if tc.lost != "" {
				rdb = quick
			}
			if err := redisx.Ping(t.Context(), rdb); err != nil {
				t.Fatal(err)
			}
			if tc.lost != "" {
				link.LoseAnswers(tc.lost)
			}

			ctx := errs.WithChanges(t.Context())
			err := tc.do(ctx)
			if tc.lost != "" && err == nil {
				t.Fatal("it did not fail")
			}
			if got := errs.MayHaveChanged(ctx); got != tc.want {
				t.Errorf("something may have changed: %v, want %v (%v)", got, tc.want, err)
			}
		})
	}
}

// TestARepeatedWriteMayHaveBeenDone: the client sends a write again whose answer was lost, and hears that there was
// nothing to do.
func TestARepeatedWriteMayHaveBeenDone(t *testing.T) {
	t.Parallel()
	once := redis.NewScript("if redis.call('SET', KEYS[1], 'v', 'NX') then return 1 end return false")

	for name, write := range map[string]func(context.Context, redis.UniversalClient, string) error{
		"a condition": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
			return rdb.SetArgs(ctx, key, "v", redis.SetArgs{Mode: "NX"}).Err()
		},
		"a script": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
			return once.Eval(ctx, rdb, []string{key}).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, key := stores.RedisURL(t), "k"
			link := stores.Cut(t, url)
			direct, rdb := opened(t, url, 5*time.Second), opened(t, link.URL(), 5*time.Second)
			if err := redisx.Ping(t.Context(), rdb); err != nil {
				t.Fatal(err)
			}

			ctx, done := errs.WithChanges(t.Context()), make(chan error, 1)
			link.LoseAnswers("NX")

			go func() { done <- write(ctx, rdb, key) }()
			testkit.Until(t, testkit.Patience, func() error { return direct.Get(t.Context(), key).Err() })
			link.Break()
			link.Mend()

			if err := <-done; !errors.Is(err, redis.Nil) {
				t.Fatalf("the repetition = %v, want nothing", err)
			}
			if !errs.MayHaveChanged(ctx) {
				t.Error("nothing may have changed, but it was done")
			}
		})
	}
}

// TestARepeatedWriteMeetsAReplica: the answer to a write is lost, and the server has become a replica meanwhile.
func TestARepeatedWriteMeetsAReplica(t *testing.T) {
	t.Parallel()
	rdb := opened(t, "redis://"+losesFirstWrite(t), time.Second)

	ctx := errs.WithChanges(t.Context())
	err := rdb.Set(ctx, "k", "v", 0).Err()
	if !redis.HasErrorPrefix(err, "READONLY") {
		t.Fatalf("the repetition = %v, want READONLY", err)
	}
	if !errs.MayHaveChanged(ctx) {
		t.Error("nothing may have changed, but it may have been done")
	}
}

// losesFirstWrite is the address of a server that closes the connection of the first SET, and refuses others.
func losesFirstWrite(t *testing.T) string {
	t.Helper()
	var sets atomic.Int64

	return testkit.ServeTCP(t, func(conn net.Conn) { refuseWrites(conn, &sets) })
}

// refuseWrites answers each command of a connection by its first word.
func refuseWrites(conn net.Conn, sets *atomic.Int64) {
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		answer := ""

		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "hello":
			answer = "-ERR unknown command\r\n"
		case "client", "ping":
			answer = "+OK\r\n"
		case "set":
			if sets.Add(1) == 1 {
				return
			}
			answer = "-READONLY You can't write against a read only replica.\r\n"
		}
		if _, err := io.WriteString(conn, answer); err != nil {
			return
		}
	}
}

// TestAWriteWithoutAnAnswerThatCannotBeRepeated: its answer was lost, and the repetition finds no connection.
func TestAWriteWithoutAnAnswerThatCannotBeRepeated(t *testing.T) {
	t.Parallel()

	for name, write := range waysToWrite {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := stores.RedisURL(t)
			link := stores.Cut(t, url)

			losesOneWrite(t, write, link, opened(t, url, 5*time.Second), opened(t, link.URL(), time.Second))
		})
		t.Run(name+" of a Cluster", func(t *testing.T) {
			t.Parallel()
			direct, link := clusterBehindALink(t)

			losesOneWrite(t, write, link, direct, opened(t, link.URL()+"?cluster=true", time.Second))
		})
	}
}

// TestNothingChangesOnAClusterThatCannotBeReached: its client knows the nodes, and finds none of them.
func TestNothingChangesOnAClusterThatCannotBeReached(t *testing.T) {
	t.Parallel()

	for name, write := range waysToWrite {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, link := clusterBehindALink(t)
			rdb := opened(t, link.URL()+"?cluster=true", time.Second)
			if err := redisx.Ping(t.Context(), rdb); err != nil {
				t.Fatal(err)
			}
			link.Leave()
			testkit.Until(t, testkit.Patience, func() error { // no connection is left that looks open
				if err := rdb.Get(t.Context(), "k").Err(); !dialed(err) {
					return fmt.Errorf("reading = %w, want no connection", err)
				}

				return nil
			})

			ctx := errs.WithChanges(t.Context())
			if err := write(ctx, rdb, "k"); err == nil || errs.MayHaveChanged(ctx) {
				t.Errorf("a write to nobody: %v, and may have been done: %v", err, errs.MayHaveChanged(ctx))
			}
		})
	}
}

// waysToWrite are the ways in which a client sends a write.
var waysToWrite = map[string]func(context.Context, redis.UniversalClient, string) error{
	"alone": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
		return rdb.Set(ctx, key, "v", 0).Err()
	},
	"in a pipeline": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error { p.Set(ctx, key, "v", 0); return nil })
		return err
	},
	"in a transaction": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
		_, err := rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Set(ctx, key, "v", 0); return nil })
		return err
	},
}

// losesOneWrite has rdb, which reaches its store by link alone, write once, and lets neither the answer through nor any
// connection after it.
func losesOneWrite(t *testing.T, write func(context.Context, redis.UniversalClient, string) error, link *stores.Link,
	direct, rdb redis.UniversalClient,
) {
	t.Helper()
	const key = "planted"
	if err := redisx.Ping(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}

	ctx, done := errs.WithChanges(t.Context()), make(chan error, 1)
	link.LoseAnswers(key)

	go func() { done <- write(ctx, rdb, key) }()
	testkit.Until(t, testkit.Patience, func() error { return direct.Get(t.Context(), key).Err() })
	link.Leave()

	if err := <-done; err == nil {
		t.Fatal("the write did not fail")
	}
	if !errs.MayHaveChanged(ctx) {
		t.Error("nothing may have changed, but it was done")
	}
}

// clusterBehindALink returns a Redis Cluster of one node that tells its clients to reach it by link, and a client that
// reaches it directly.
func clusterBehindALink(t *testing.T) (direct redis.UniversalClient, link *stores.Link) {
	t.Helper()
	url, _, _ := strings.Cut(stores.RedisCluster(t), "?")
	direct, link = opened(t, url, 5*time.Second), stores.Cut(t, url)

	_, port, err := net.SplitHostPort(link.Addr())
	if err == nil {
		err = direct.ConfigSet(t.Context(), "cluster-announce-port", port).Err()
	}
	if err != nil {
		t.Fatal(err)
	}

	return direct, link
}

func dialed(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// opened returns a client that ends with the test.
func opened(t *testing.T, url string, timeout time.Duration) redis.UniversalClient {
	t.Helper()
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: url, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })

	return rdb
}

// TestNothingChangesWhereNoCommandIsSent: there is no connection over which a write could go.
func TestNothingChangesWhereNoCommandIsSent(t *testing.T) {
	t.Parallel()
	cfg := redisx.Config{URL: "redis://127.0.0.1:1", Timeout: 200 * time.Millisecond}
	unreachable, err := redisx.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unreachable.Close() })

	ctx := errs.WithChanges(t.Context())
	if err := unreachable.Set(ctx, "k", "v", 0).Err(); err == nil || errs.MayHaveChanged(ctx) {
		t.Errorf("a write to nobody: %v, and may have been done: %v", err, errs.MayHaveChanged(ctx))
	}
}
