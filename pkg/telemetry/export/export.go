// Package export sets up what a process reports: logs as JSON, metrics to be scraped, and traces, logs and metrics to a
// collector where the standard variables ask for it. It sees to it that none of them carries content: no query, no
// address of a card, no token.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/contrib/propagators/autoprop"
	"go.opentelemetry.io/otel/attribute"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// New sets up reporting for service. Logs go to w as JSON. Metrics are always there to be scraped. Traces, and besides
// them logs and metrics, are exported when the standard OTEL_ variables ask for it, and cost nothing when they do not.
// The error names the variables that cannot be used, a line each, and never their values.
func New(ctx context.Context, service string, w io.Writer, level slog.Leveler) (*telemetry.Telemetry, error) {
	problems := unreadable()

	for _, signal := range []string{"TRACES", "METRICS", "LOGS"} {
		if asked(signal) {
			problems = append(problems, unexportable(signal)...)
		}
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		// One variable may be wrong for three signals.
		problems = slices.Compact(problems)

		return nil, errors.New(strings.Join(problems, "\n"))
	}
	handler := telemetry.WithIDs(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	listen(slog.New(handler).With("service", service))
	t := &telemetry.Telemetry{
		Service: service, Inside: true, Tracers: nooptrace.NewTracerProvider(),
		Propagator: autoprop.NewTextMapPropagator(),
	}
	name := resource.WithAttributes(attribute.String("service.name", service))
	res, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK(), name)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("describe service for telemetry: %w", err)
	}
	// It stays nil without traces.
	var waiting *unsent
	if asked("TRACES") {
		if waiting, err = traces(ctx, t, res); err != nil {
			return nil, err
		}
	}
	if asked("LOGS") {
		bridge, err := logs(ctx, t, res)
		if err != nil {
			return nil, err
		}
		handler = slog.NewMultiHandler(handler, bridge)
	}
	t.Log = slog.New(handler).With("service", service)

	return t, metrics(ctx, t, res, waiting)
}

// asked reports whether the standard variables switch a signal on. Unset means off, although the OpenTelemetry default
// would be an exporter to this host.
func asked(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return false
	}
	if exporter, set := os.LookupEnv("OTEL_" + signal + "_EXPORTER"); set && exporter != "" {
		return exporter != "none"
	}

	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

func traces(ctx context.Context, t *telemetry.Telemetry, res *resource.Resource) (*unsent, error) {
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		// The library's own text may quote the variables, which can hold credentials.
		return nil, errors.New("the exporter of traces cannot be made of the variables OTEL_EXPORTER_…")
	}
	waiting := &unsent{}
	batches := sdktrace.NewBatchSpanProcessor(waiting.to(WithoutContent(exporter)))
	counted := sdktrace.WithSpanProcessor(waiting.from(batches))
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(res), counted)
	t.Tracers = provider
	t.Closers = append(t.Closers, provider.Shutdown)

	return waiting, nil
}

func logs(ctx context.Context, t *telemetry.Telemetry, res *resource.Resource) (slog.Handler, error) {
	exporter, err := autoexport.NewLogExporter(ctx)
	if err != nil {
		return nil, errors.New("the exporter of logs cannot be made of the variables OTEL_EXPORTER_…")
	}
	provider := log.NewLoggerProvider(log.WithResource(res), log.WithProcessor(log.NewBatchProcessor(exporter)))
	t.Closers = append(t.Closers, provider.Shutdown)

	return telemetry.WithIDs(otelslog.NewHandler(t.Service, otelslog.WithLoggerProvider(provider))), nil
}

// ours leaves out of the metrics of calls that came in where they were sent to. The caller says it, in the header Host,
// so each number would begin new series until there is no room for those that count.
var ours = sdkmetric.NewView(
	sdkmetric.Instrument{Name: "http.server.*"},
	sdkmetric.Stream{AttributeFilter: attribute.NewDenyKeysFilter("server.address", "server.port")},
)

func metrics(ctx context.Context, t *telemetry.Telemetry, res *resource.Resource, waiting *unsent) error {
	// Each service has its own registry, since several may share a process.
	registry := prometheus.NewRegistry()
	scraped, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return fmt.Errorf("open metrics: %w", err)
	}
	options := []sdkmetric.Option{sdkmetric.WithResource(res), sdkmetric.WithReader(scraped), sdkmetric.WithView(ours)}
	if asked("METRICS") {
		pushed, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			if os.Getenv("OTEL_METRICS_EXPORTER") == "prometheus" {
				return errors.New("OTEL_EXPORTER_PROMETHEUS_HOST and OTEL_EXPORTER_PROMETHEUS_PORT must be an address of this host " +
					"at which nobody listens, and OTEL_METRICS_PRODUCERS none or prometheus")
			}

			return errors.New("the exporter of metrics cannot be made of OTEL_METRICS_PRODUCERS and the variables OTEL_EXPORTER_…")
		}
		options = append(options, sdkmetric.WithReader(pushed))
	}
	provider := sdkmetric.NewMeterProvider(options...)
	t.Meters = provider
	t.Closers = append(t.Closers, provider.Shutdown)
	// OpenMetrics carries exemplars, by which a dashboard leads to a trace.
	openMetrics := promhttp.HandlerOpts{EnableOpenMetrics: true}
	t.Metrics = promhttp.HandlerFor(registry, openMetrics)
	if err := runtime.Start(runtime.WithMeterProvider(provider)); err != nil {
		return fmt.Errorf("report the runtime: %w", err)
	}
	if waiting != nil {
		return waiting.report(provider)
	}

	return nil
}
