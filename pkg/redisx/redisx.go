// Package redisx opens Redis the one way that every service needs it: short deadlines, quick recovery in Cluster mode,
// spans without keys or values, and failures that come out as "unavailable" instead of as text of the driver.
package redisx

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

const (
	defaultTimeout = 500 * time.Millisecond
	pingTimeout    = 200 * time.Millisecond
	clusterReload  = time.Second
)

// Config says which Redis to use and where to report.
type Config struct {
	// URL is redis://[user:password@]host[:port][/database] or the same with rediss:// for TLS 1.2 and later. Several
	// addresses separated by commas, or ?cluster=true behind a single one, mean a Redis Cluster; see ParseURL.
	URL string
	// TLS replaces the settings that a rediss:// URL implies, for a private authority or a client certificate. It is
	// not used with redis://.
	TLS *tls.Config
	// Timeout bounds each dial, read and write. Zero means 500 ms.
	Timeout time.Duration
	// TracerProvider receives one client span per command or pipeline, but for connections and Ping: its name and the
	// server's address, never keys, values or error texts. Nil means no spans.
	TracerProvider trace.TracerProvider
	// MeterProvider receives figures of the connection pool and of command durations. Nil means none.
	MeterProvider metric.MeterProvider
}

// Open returns a client of the Redis that cfg names. It does not connect: a service starts while Redis is away and says
// so by its readiness (see Ping). The only errors are mistakes in cfg; they never quote the URL, which may hold a
// password. Reporting of metrics ends with ctx; the client itself ends with its Close.
//
// The client repeats a command after a lost connection or a read timeout, so a step that may happen only once must
// carry an id that makes its repetition recognisable.
func Open(ctx context.Context, cfg Config) (redis.UniversalClient, error) {
	target, err := ParseURL(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("redis address: %w", err)
	}
	if cfg.Timeout < 0 {
		return nil, errors.New("redis timeout: must not be negative")
	}
	rdb := newClient(target, cfg)
	if err := instrument(ctx, rdb, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("instrument redis: %w", err), rdb.Close())
	}
	// Hooks that are added later run nearer to the connection. This one counts how often arguments are asked for, and
	// the others ask for them as well.
	noteChanges(rdb)

	return rdb, nil
}

// OpenService opens the Redis of a service, by its setting REDIS_URL, which an error names. Nil providers mean no spans
// and no metrics.
func OpenService(
	ctx context.Context, url config.Secret, tracers trace.TracerProvider, meters metric.MeterProvider,
) (redis.UniversalClient, error) {
	rdb, err := Open(ctx, Config{URL: url.Reveal(), TracerProvider: tracers, MeterProvider: meters})
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL: %w", err)
	}

	return rdb, nil
}

func newClient(target Target, cfg Config) redis.UniversalClient {
	timeout := cfg.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	shared := &redis.UniversalOptions{
		Addrs:    target.Addrs,
		Username: target.Username,
		Password: target.Password,
		DB:       target.Database,

		DialTimeout:  timeout,
		ReadTimeout:  timeout,
		WriteTimeout: timeout,
		// One dial per try: the tries of a command are repeated anyway, and while Redis is away callers should hear so
		// soon.
		DialerRetries: 1,
		// Without this the client ignores the deadlines of its callers.
		ContextTimeoutEnabled: true,

		// Both would send further commands on every new connection.
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if target.TLS {
		shared.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		if cfg.TLS != nil {
			shared.TLSConfig = cfg.TLS.Clone()
		}
	}
	if !target.Cluster {
		return redis.NewClient(shared.Simple())
	}
	cluster := shared.Cluster()
	// The client's own 60 s would leave the keys of a dead master unreachable long after its replica took over.
	cluster.ClusterStateReloadInterval = clusterReload

	return redis.NewClusterClient(cluster)
}

func instrument(ctx context.Context, rdb redis.UniversalClient, cfg Config) error {
	if cfg.TracerProvider != nil {
		err := redisotel.InstrumentTracing(rdb,
			redisotel.WithTracerProvider(wordless{TracerProvider: cfg.TracerProvider}),
			// The library names the attribute db.system, which was its name in earlier conventions.
			redisotel.WithAttributes(semconv.DBSystemNameRedis),
			redisotel.WithDBStatement(false),
			redisotel.WithCallerEnabled(false),
			// Connections are made in the background, apart from what waits for them, so their spans would be traces of
			// their own.
			redisotel.WithDialFilter(true),
			redisotel.WithCommandFilter(housekeeping),
			redisotel.WithCommandsFilter(func(cmds []redis.Cmder) bool { return housekeeping(cmds[0]) }))
		if err != nil {
			return err
		}
	}
	if cfg.MeterProvider == nil {
		return nil
	}
	done := make(chan struct{})
	context.AfterFunc(ctx, func() { close(done) })

	return redisotel.InstrumentMetrics(rdb,
		redisotel.WithMeterProvider(cfg.MeterProvider),
		redisotel.WithSemConvCompliantMetrics(true),
		redisotel.WithCloseChan(done))
}

// housekeeping reports whether cmd is no part of anybody's request. A new connection begins with some of these, in
// one pipeline where its database has a number.
func housekeeping(cmd redis.Cmder) bool {
	switch cmd.Name() {
	case "ping", "hello", "auth", "cluster", "command", "select", "client", "readonly":
		return true
	}

	return false
}

// Ping asks Redis for a sign of life for at most 200 ms. It returns nil or an error that is errs.ErrUnavailable.
func Ping(ctx context.Context, rdb redis.UniversalClient) error {
	// Probes ask for readiness often, and a slow Redis must not hold them up.
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return unavailable("ping", err)
	}

	return nil
}
