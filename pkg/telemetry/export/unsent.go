package export

import (
	"context"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// unsent counts the spans that have ended here and have not reached the collector: those that wait, a few thousand at
// most, and those that were dropped because it is away or slow. A service never waits for it.
type unsent struct{ spans atomic.Int64 }

// from counts what ends on its way to next.
func (u *unsent) from(next sdktrace.SpanProcessor) sdktrace.SpanProcessor { return leaving{next, u} }

// to counts what has come to next.
func (u *unsent) to(next sdktrace.SpanExporter) sdktrace.SpanExporter { return arriving{next, u} }

// report shows the count as the metric subrosa.spans.unsent.
func (u *unsent) report(meters metric.MeterProvider) error {
	_, err := meters.Meter("subrosa").Int64ObservableGauge("subrosa.spans.unsent",
		metric.WithDescription("spans that have not reached the collector: those that wait and those that were dropped"),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(u.spans.Load())
			return nil
		}))
	if err != nil {
		return fmt.Errorf("report spans: %w", err)
	}

	return nil
}

type leaving struct {
	sdktrace.SpanProcessor
	unsent *unsent
}

// OnEnd counts the span if it is one to be exported.
func (l leaving) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		l.unsent.spans.Add(1)
	}
	l.SpanProcessor.OnEnd(s)
}

type arriving struct {
	sdktrace.SpanExporter
	unsent *unsent
}

// ExportSpans counts the spans that were taken.
func (a arriving) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := a.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		a.unsent.spans.Add(-int64(len(spans)))
	}

	return err
}
