// Package telemetry gives each service its logs, spans and metrics, and sees to it that none of them carries content: no
// query, no address of a card, no token. Everything is passed as arguments; only launch sets the process's globals.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
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
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
)

// Telemetry is what one service reports through. Its providers are never nil.
type Telemetry struct {
	Service    string
	Inside     bool           // callers are services of ours: their request id, deadline and trace are believed
	TraceFrom  []netip.Prefix // of callers from outside whose traces are gone on with
	Log        *slog.Logger
	Tracers    trace.TracerProvider
	Meters     metric.MeterProvider
	Propagator propagation.TextMapPropagator
	Metrics    http.Handler // answers /metrics; nil when there are none
	unsent     *unsent      // nil without traces
	closers    []func(context.Context) error
}

// Discard reports nothing but logs to w; for tests and for commands.
func Discard(service string, w io.Writer) *Telemetry {
	return &Telemetry{
		Service: service, Inside: true, Log: slog.New(withIDs{slog.NewJSONHandler(w, nil)}), Tracers: nooptrace.NewTracerProvider(),
		Meters: noopmetric.NewMeterProvider(), Propagator: propagation.TraceContext{},
	}
}

// New sets up reporting for service. Logs go to w as JSON. Metrics are always there to be scraped. Traces, and besides them logs
// and metrics, are exported when the standard OTEL_ variables ask for it, and cost nothing when they do not. The error names the variables
// that cannot be used, a line each, and never their values.
func New(ctx context.Context, service string, w io.Writer, level slog.Leveler) (*Telemetry, error) {
	problems := unreadable()

	for _, signal := range []string{"TRACES", "METRICS", "LOGS"} {
		if asked(signal) {
			problems = append(problems, unexportable(signal)...)
		}
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		return nil, errors.New(strings.Join(slices.Compact(problems), "\n")) // one variable may be wrong for three signals
	}
	handler := slog.Handler(withIDs{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
	listen(slog.New(handler).With("service", service))
	t := &Telemetry{Service: service, Inside: true, Tracers: nooptrace.NewTracerProvider(), Propagator: autoprop.NewTextMapPropagator()}
	res, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithAttributes(attribute.String("service.name", service)))
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("describe service for telemetry: %w", err)
	}
	if asked("TRACES") {
		if err := t.traces(ctx, res); err != nil {
			return nil, err
		}
	}
	if asked("LOGS") {
		bridge, err := t.logs(ctx, res, service)
		if err != nil {
			return nil, err
		}
		handler = slog.NewMultiHandler(handler, bridge)
	}
	t.Log = slog.New(handler).With("service", service)

	return t, t.metrics(ctx, res)
}

// asked reports whether the standard variables switch a signal on. Unset means off, although the OpenTelemetry default would be an
// exporter to this host.
func asked(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return false
	}
	if exporter, set := os.LookupEnv("OTEL_" + signal + "_EXPORTER"); set && exporter != "" {
		return exporter != "none"
	}

	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

func (t *Telemetry) traces(ctx context.Context, res *resource.Resource) error {
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return errors.New("the exporter of traces cannot be made of the variables OTEL_EXPORTER_…") // the library's own text may quote them
	}
	t.unsent = &unsent{}
	batches := sdktrace.NewBatchSpanProcessor(t.unsent.to(WithoutContent(exporter)))
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithSpanProcessor(t.unsent.from(batches)))
	t.Tracers = provider
	t.closers = append(t.closers, provider.Shutdown)

	return nil
}

func (t *Telemetry) logs(ctx context.Context, res *resource.Resource, service string) (slog.Handler, error) {
	exporter, err := autoexport.NewLogExporter(ctx)
	if err != nil {
		return nil, errors.New("the exporter of logs cannot be made of the variables OTEL_EXPORTER_…")
	}
	provider := log.NewLoggerProvider(log.WithResource(res), log.WithProcessor(log.NewBatchProcessor(exporter)))
	t.closers = append(t.closers, provider.Shutdown)

	return withIDs{otelslog.NewHandler(service, otelslog.WithLoggerProvider(provider))}, nil
}

// ours leaves out of the metrics of calls that came in where they were sent to. The caller says it, in the header Host, so each number would
// begin new series until there is no room for those that count.
var ours = sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.*"}, sdkmetric.Stream{AttributeFilter: attribute.NewDenyKeysFilter("server.address", "server.port")})

func (t *Telemetry) metrics(ctx context.Context, res *resource.Resource) error {
	registry := prometheus.NewRegistry() // one per service, since several may share a process
	scraped, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return fmt.Errorf("open metrics: %w", err)
	}
	options := []sdkmetric.Option{sdkmetric.WithResource(res), sdkmetric.WithReader(scraped), sdkmetric.WithView(ours)}
	if asked("METRICS") {
		pushed, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			if os.Getenv("OTEL_METRICS_EXPORTER") == "prometheus" {
				return errors.New("OTEL_EXPORTER_PROMETHEUS_HOST and OTEL_EXPORTER_PROMETHEUS_PORT must be an address of this host at which nobody listens, and OTEL_METRICS_PRODUCERS none or prometheus")
			}

			return errors.New("the exporter of metrics cannot be made of OTEL_METRICS_PRODUCERS and the variables OTEL_EXPORTER_…")
		}
		options = append(options, sdkmetric.WithReader(pushed))
	}
	provider := sdkmetric.NewMeterProvider(options...)
	t.Meters = provider
	t.closers = append(t.closers, provider.Shutdown)
	t.Metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}) // OpenMetrics carries exemplars
	if err := runtime.Start(runtime.WithMeterProvider(provider)); err != nil {
		return fmt.Errorf("report the runtime: %w", err)
	}
	if t.unsent != nil {
		return t.unsent.report(provider)
	}

	return nil
}

// Shutdown sends what is still held back and ends all exporters. ctx bounds it.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var all error
	for i := len(t.closers) - 1; i >= 0; i-- {
		all = errors.Join(all, t.closers[i](ctx))
	}

	return all
}

type requestIDKey struct{}

// WithRequestID returns a context that belongs to request id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// withIDs adds the ids of trace, span and request to each record.
type withIDs struct{ slog.Handler }

func (h withIDs) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}

	return h.Handler.Handle(ctx, r)
}

func (h withIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withIDs{h.Handler.WithAttrs(attrs)}
}

func (h withIDs) WithGroup(name string) slog.Handler { return withIDs{h.Handler.WithGroup(name)} }
