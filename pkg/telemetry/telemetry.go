// Package telemetry is what a service reports through: its logs, spans and metrics. Package export sets it up for a
// process. Everything is passed as arguments; only launch sets the process's globals.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"

	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
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

	// Closers end what sends the reports. Shutdown calls them, the last first.
	Closers []func(context.Context) error
}

// Discard reports nothing but logs to w; for tests and for commands.
func Discard(service string, w io.Writer) *Telemetry {
	return &Telemetry{
		Service: service, Inside: true, Log: slog.New(WithIDs(slog.NewJSONHandler(w, nil))),
		Tracers: nooptrace.NewTracerProvider(), Meters: noopmetric.NewMeterProvider(),
		Propagator: propagation.TraceContext{},
	}
}

// Shutdown sends what is still held back and ends all exporters. ctx bounds it.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var all error
	for i := len(t.Closers) - 1; i >= 0; i-- {
		all = errors.Join(all, t.Closers[i](ctx))
	}

	return all
}

type requestIDKey struct{}

// WithRequestID returns a context that belongs to request id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return &identified{ctx, id}
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	if found, ok := ctx.Value(requestIDKey{}).(*identified); ok {
		return found.id
	}

	return ""
}

// identified is a context with the id of its request, in one piece of memory.
type identified struct {
	context.Context //nolint:containedctx // it is one

	id string
}

// Value finds the id, and what the context's parents know.
func (c *identified) Value(key any) any {
	if key == (requestIDKey{}) {
		return c
	}

	return c.Context.Value(key)
}

// WithIDs returns a handler that adds the ids of trace, span and request to each record before next has it.
func WithIDs(next slog.Handler) slog.Handler { return withIDs{next} }

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
