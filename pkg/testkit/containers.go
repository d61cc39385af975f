package testkit

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tcmongo "github.com/testcontainers/testcontainers-go/modules/mongodb"
	tcredis "github.com/testcontainers/testcontainers-go/modules/redis"
)

// imageTime bounds the wait for an image and its start.
const imageTime = 2 * time.Minute

// dockerAbsent says why no Docker engine can be used, or "".
func dockerAbsent(ctx context.Context) (reason string) {
	defer func() {
		if r := recover(); r != nil { // the library panics when it finds no way to an engine
			reason = "no Docker engine"
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return "no Docker engine"
	}
	defer provider.Close()
	if err := provider.Health(ctx); err != nil {
		return "no Docker engine answers"
	}

	return ""
}

func mongoContainer() (*server, string, error) {
	return inContainer(func(ctx context.Context) (testcontainers.Container, string, error) {
		c, err := tcmongo.Run(ctx, cmp.Or(os.Getenv("TEST_MONGODB_IMAGE"), "mongo:8.0"))
		if err != nil {
			return nil, "", err
		}
		host, err := c.PortEndpoint(ctx, "27017/tcp", "")

		return c, mongoURL(host), err
	})
}

func redisContainer() (*server, string, error) {
	s, absent, err := inContainer(func(ctx context.Context) (testcontainers.Container, string, error) {
		c, err := tcredis.Run(ctx, cmp.Or(os.Getenv("TEST_REDIS_IMAGE"), "redis:7.0"),
			testcontainers.WithCmd("redis-server", "--databases", fmt.Sprint(databaseCount), "--save", "", "--appendonly", "no"))
		if err != nil {
			return nil, "", err
		}
		url, err := c.ConnectionString(ctx)

		return c, url, err
	})
	if s != nil {
		s.dbs = ownDatabases(s.url)
	}

	return s, absent, err
}

// inContainer starts a container that is removed when this process ends: by the library's reaper, or, where that is
// switched off, by a process that waits for the end and calls docker.
func inContainer(start func(context.Context) (testcontainers.Container, string, error)) (*server, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), imageTime)
	defer cancel()
	if reason := dockerAbsent(ctx); reason != "" {
		return nil, reason, nil
	}
	noReaper := testcontainers.ReadConfig().Config.RyukDisabled
	docker, err := LookPath("docker")
	if noReaper && err != nil {
		return nil, "the reaper is off and there is no docker command to remove the container with", nil
	}
	c, url, err := start(ctx)
	if err != nil {
		return nil, "no container: " + err.Error(), nil
	}
	if noReaper {
		if _, err := run(exec.Command("/bin/sh", "-c", `read -r _; exec "$0" rm -f -v "$1" >/dev/null`, docker, c.GetContainerID())); err != nil {
			return nil, "", err
		}
	}

	return &server{url: url}, "", nil
}
