// Command subrosa-containers starts a MongoDB or a Redis in a container for tests, by testcontainers. It is a program
// of its own so that no service and no test is linked with the client of a container engine.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tcmongo "github.com/testcontainers/testcontainers-go/modules/mongodb"
	tcredis "github.com/testcontainers/testcontainers-go/modules/redis"
)

const usage = `Usage: subrosa-containers mongodb|redis DATABASES

Starts a store in a container and prints one line of JSON: its address,

  {"url":"mongodb://localhost:40001/?directConnection=true"}

or why there is none, as where no container engine answers:

  {"absent":"no Docker engine answers"}

The container is removed when standard input ends, which it does when the parent process ends. A Redis has
as many databases as DATABASES says. TEST_MONGODB_IMAGE and TEST_REDIS_IMAGE name other images than mongo:8.0
and redis:7.0.
`

const (
	startTime  = 2 * time.Minute // bounds the wait for an image and its start
	removeTime = 30 * time.Second
)

// answer is the line that is printed.
type answer struct {
	URL    string `json:"url,omitempty"`
	Absent string `json:"absent,omitempty"`
}

func main() {
	store, databases, ok := parse(os.Args[1:])
	if !ok {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	// Writing to a parent that is gone must not end us before the container is removed.
	signal.Ignore(syscall.SIGPIPE)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, store, databases)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "subrosa-containers:", err)
		os.Exit(1)
	}
}

func parse(args []string) (store, databases string, ok bool) {
	if len(args) != 2 {
		return "", "", false
	}

	return args[0], args[1], args[0] == "mongodb" || args[0] == "redis"
}

// serve prints where the store is and keeps it until standard input or ctx ends.
func serve(ctx context.Context, store, databases string) error {
	if reason := engineAbsent(ctx); reason != "" {
		return say(answer{Absent: reason})
	}

	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c, url, err := start(starting, store, databases)
	if err != nil {
		// A machine without a registry is a reason to skip tests, and not to fail them.
		return say(answer{Absent: "no container: " + err.Error()})
	}

	err = say(answer{URL: url})
	if err == nil {
		await(ctx)
	}
	if removed := testcontainers.TerminateContainer(c, testcontainers.StopTimeout(removeTime)); err == nil {
		err = removed
	}

	return err
}

// await returns when standard input or ctx ends.
func await(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	<-ctx.Done()
}

func say(a answer) error { return json.NewEncoder(os.Stdout).Encode(a) }

// engineAbsent says why no Docker engine can be used, or "".
func engineAbsent(ctx context.Context) (reason string) {
	defer func() {
		// The library panics when it finds no way to an engine.
		if r := recover(); r != nil {
			reason = "no Docker engine"
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return "no Docker engine"
	}

	defer func() { _ = provider.Close() }()
	if err := provider.Health(ctx); err != nil {
		return "no Docker engine answers"
	}

	return ""
}

// start starts the container of a store. What was begun is removed again when it fails.
func start(ctx context.Context, store, databases string) (testcontainers.Container, string, error) {
	c, url, err := run(ctx, store, databases)
	if err != nil && c != nil {
		// The failure to start is what is told, and not that of the removal.
		_ = testcontainers.TerminateContainer(c)
	}

	return c, url, err
}

func run(ctx context.Context, store, databases string) (testcontainers.Container, string, error) {
	if store == "mongodb" {
		c, err := tcmongo.Run(ctx, cmp.Or(os.Getenv("TEST_MONGODB_IMAGE"), "mongo:8.0"))
		if err != nil {
			return nil, "", err
		}
		host, err := c.PortEndpoint(ctx, "27017/tcp", "")

		return c, "mongodb://" + host + "/?directConnection=true", err
	}

	c, err := tcredis.Run(ctx, cmp.Or(os.Getenv("TEST_REDIS_IMAGE"), "redis:7.0"),
		testcontainers.WithCmd("redis-server", "--databases", databases, "--save", "", "--appendonly", "no"))
	if err != nil {
		return nil, "", err
	}
	url, err := c.ConnectionString(ctx)

	return c, url, err
}
