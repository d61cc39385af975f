package stores

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// RedisProcess is a Redis of the test's own that can be stopped and started again at the same address.
type RedisProcess struct {
	t       testing.TB
	path    string // redis-server, or "" for the embedded one
	dir     string
	port    int
	running *process
}

// RedisServer starts a Redis that only t uses, the real one when redis-server is on PATH. It ends with t.
func RedisServer(t testing.TB) *RedisProcess {
	t.Helper()
	r := &RedisProcess{t: t}
	if path, err := testkit.LookPath("redis-server"); err == nil {
		r.path = path
	}
	dir, err := os.MkdirTemp("", "testkit-")
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
	r.dir = dir
	t.Cleanup(func() {
		r.Stop()
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("testkit: %v", err)
		}
	})
	var failed error

	for range 5 {
		port, err := testkit.FreePort()
		if err != nil {
			t.Fatalf("testkit: %v", err)
		}
		r.port = port
		if failed = r.start(); failed == nil {
			return r
		}
	}
	t.Fatalf("testkit: start Redis: %v", failed)

	return nil
}

// Durable reports whether what was acknowledged is still there after Stop and Start. The embedded Redis forgets.
func (r *RedisProcess) Durable() bool { return r.path != "" }

// Addr returns host:port, which stays the same.
func (r *RedisProcess) Addr() string { return address(r.port) }

// URL returns the address of database 0.
func (r *RedisProcess) URL() string { return redisURL(r.Addr()) }

// Stop kills the server and returns when it is gone. It does nothing to one that is stopped.
func (r *RedisProcess) Stop() {
	if r.running != nil {
		r.running.stop()
		r.running = nil
	}
}

// Start starts the server again at its old address and returns when it answers. It does nothing to one that runs.
func (r *RedisProcess) Start() {
	r.t.Helper()
	if r.running != nil {
		return
	}
	if err := r.start(); err != nil {
		r.t.Fatalf("testkit: start Redis again: %v", err)
	}
}

func (r *RedisProcess) start() error {
	if r.path == "" {
		p, _, err := startStores("-redis", r.Addr(), "-dir", filepath.Join(r.dir, "documents"))
		r.running = p

		return err
	}
	p, err := supervise("keep", redisArgs(r.path, true)(r.port, r.dir))
	if err != nil {
		return err
	}
	p.addr = r.Addr()
	if err := p.await(redisAnswers); err != nil {
		p.stop()
		return err
	}
	r.running = p

	return nil
}

// hostOf returns host:port of a store's address, which may be a URL.
func hostOf(target string) (string, error) {
	if !strings.Contains(target, "://") {
		return target, nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || strings.Contains(u.Host, ",") {
		return "", errors.New("the target must be host:port or the URL of one server")
	}

	return u.Host, nil
}

// replaceHost puts another host:port into a store's URL.
func replaceHost(target, host string) (string, error) {
	u, err := url.Parse(target)
	if err != nil {
		return "", fmt.Errorf("parse the target: %w", err)
	}
	u.Host = host

	return u.String(), nil
}
