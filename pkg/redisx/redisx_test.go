package redisx_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func open(t *testing.T, cfg redisx.Config) redis.UniversalClient {
	t.Helper()
	rdb, err := redisx.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { rdb.Close() })

	return rdb
}

func TestOpenDoesNotQuoteTheURL(t *testing.T) {
	t.Parallel()

	for _, url := range []string{"redis://:hunter2@cache/hunter2", "hunter2", "redis://cache?hunter2=1", "redis://:hunter2%zz@cache"} {
		if _, err := redisx.Open(t.Context(), redisx.Config{URL: url}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open = %v, want an error that quotes nothing", err)
		}
	}
	_, err := redisx.OpenService(t.Context(), config.NewSecret("redis://cache?hunter2=1"), nil, nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "REDIS_URL") {
		t.Errorf("OpenService = %v, want an error that names the setting and quotes nothing", err)
	}
	if _, err := redisx.Open(t.Context(), redisx.Config{URL: "redis://cache", Timeout: -1}); err == nil {
		t.Error("Open took a negative timeout")
	}
}

// A service starts while Redis is away, hears so soon, and is served once Redis came.
func TestStartBeforeRedis(t *testing.T) {
	t.Parallel()
	server := stores.RedisServer(t)
	server.Stop()
	rdb := open(t, redisx.Config{URL: server.URL()})
	if err := redisx.Ping(t.Context(), rdb); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Ping while Redis is away = %v, want %v", err, errs.ErrUnavailable)
	}
	if err := redisx.Unavailable(rdb.Get(t.Context(), "k").Err()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Get while Redis is away = %v, want %v", err, errs.ErrUnavailable)
	}
	server.Start()
	testkit.Until(t, testkit.Patience, func() error { return redisx.Ping(t.Context(), rdb) })
}

func TestDeadlinesHold(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.RedisURL(t))
	rdb := open(t, redisx.Config{URL: link.URL(), Timeout: time.Hour})
	testkit.Until(t, testkit.Patience, func() error { return redisx.Ping(t.Context(), rdb) })
	link.Stall()

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := redisx.Unavailable(rdb.Get(ctx, "k").Err()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Get by a caller with a deadline = %v, want %v", err, errs.ErrUnavailable)
	}
	if err := redisx.Ping(t.Context(), rdb); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Ping of a server that hangs = %v, want %v", err, errs.ErrUnavailable)
	}
}

func TestUnavailableLeavesAnswersAlone(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		if err := redisx.Unavailable(rdb.Get(t.Context(), "none").Err()); !errors.Is(err, redis.Nil) {
			t.Errorf("Get of nothing = %v, want %v", err, redis.Nil)
		}
		if err := rdb.Set(t.Context(), "text", "v", 0).Err(); err != nil {
			t.Fatalf("set: %v", err)
		}
		if err := redisx.Unavailable(rdb.LPush(t.Context(), "text", "v").Err()); err == nil || errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("LPush to a text = %v, want the server's own answer", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := redisx.Unavailable(rdb.Get(gone, "text").Err()); !errors.Is(err, context.Canceled) || errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("Get by a caller who left = %v, want %v", err, context.Canceled)
		}
	})
}

// Every key, value and server text below is "planted": none may come out.
func TestSpansKeepContentsOut(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	reader := sdkmetric.NewManualReader()
	rdb := open(t, redisx.Config{
		URL: stores.RedisURL(t), Timeout: 5 * time.Second,
		TracerProvider: traces, MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
	})
	ctx, parent := traces.Tracer("test").Start(t.Context(), "request")
	if err := rdb.Set(ctx, "planted", "planted", 0).Err(); err != nil {
		t.Fatalf("set: %v", err)
	}
	if _, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error { p.Get(ctx, "planted"); p.Get(ctx, "planted"); return nil }); err != nil {
		t.Fatalf("pipeline: %v", err)
	}
	script := redis.NewScript(`return redis.error_reply(ARGV[1])`)
	if err := script.Run(ctx, rdb, []string{"planted"}, "ERR planted").Err(); err == nil || !strings.Contains(err.Error(), "planted") {
		t.Fatalf("script = %v, want its own failure", err)
	}
	parent.End()
	if err := redisx.Ping(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}

	for _, s := range spans.Ended() {
		if text := fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status()); strings.Contains(text, "planted") || strings.Contains(text, ".go") {
			t.Errorf("a span shows contents or code: %s", text)
		}
		if s.Name() != "request" && !slices.Contains(s.Attributes(), semconv.DBSystemNameRedis) {
			t.Errorf("%s does not say db.system.name: %v", s.Name(), s.Attributes())
		}
		got[s.Name()+"|"+s.Status().Description] = true
	}
	// That a server does not know a script yet is no failure, but what the script then comes to is.
	want := map[string]bool{"request|": true, "set|": true, "redis.pipeline get|": true, "evalsha|": true, "eval|failed": true}
	if !maps.Equal(got, want) {
		t.Errorf("spans = %v, want %v: looks for a sign of life and connections are no part of a trace", got, want)
	}
	var figures metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &figures); err != nil {
		t.Fatalf("collect: %v", err)
	}
	if text := fmt.Sprint(figures); !strings.Contains(text, "db.client") || strings.Contains(text, "planted") {
		t.Errorf("metrics = %s, want figures without contents", text)
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	url := stores.RedisCluster(t)
	spans := tracetest.NewSpanRecorder()
	rdb := open(t, redisx.Config{URL: url, Timeout: 5 * time.Second, TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))})
	testkit.Until(t, testkit.Patience, func() error { return redisx.Ping(t.Context(), rdb) })

	swap := redis.NewScript(`return redis.call("SET", KEYS[1], KEYS[2])`)
	for _, tc := range []struct{ a, b string }{{"{agent}:key", "{agent}:bearer"}, {"agent:key", "agent:bearer"}} {
		err := swap.Run(t.Context(), rdb, []string{tc.a, tc.b}).Err()
		if together := redisx.Slot(tc.a) == redisx.Slot(tc.b); (err == nil) != together {
			t.Errorf("script over %s and %s = %v, though Slot says they are together: %v", tc.a, tc.b, err, together)
		}
		if errors.Is(redisx.Unavailable(err), errs.ErrUnavailable) {
			t.Errorf("script over two slots = %v, want a mistake of ours", err)
		}
	}

	got := map[string]bool{}
	for _, s := range spans.Ended() {
		got[s.Name()] = true
	}
	// The client has asked for the slots and for what it can ask: nobody's request.
	if want := map[string]bool{"evalsha": true, "eval": true}; !maps.Equal(got, want) {
		t.Errorf("spans = %v, want %v", got, want)
	}
}
