package export

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// contentful lists the span attributes that may hold what a caller sent: whole addresses with their queries, and paths
// with ids. The route's template stays, which is what a dashboard needs.
var contentful = map[attribute.Key]bool{
	"url.full": true, "url.query": true, "url.path": true, "http.url": true, "http.target": true, "url.original": true,
	"client.address": true, "network.peer.address": true, "user_agent.original": true, "http.request.method_original": true,
}

// WithoutContent wraps an exporter so that no span leaves with an attribute that could hold a caller's content or
// address, nor with the text of an error.
func WithoutContent(next sdktrace.SpanExporter) sdktrace.SpanExporter { return exporter{next} }

type exporter struct{ sdktrace.SpanExporter }

// ExportSpans passes the spans on without their contentful attributes.
func (e exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	clean := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		clean[i] = span{s}
	}

	return e.SpanExporter.ExportSpans(ctx, clean)
}

type span struct{ sdktrace.ReadOnlySpan }

// Attributes leaves out the contentful ones.
func (s span) Attributes() []attribute.KeyValue { return without(s.ReadOnlySpan.Attributes()) }

// Events leaves out recorded errors, whose text may quote values.
func (s span) Events() []sdktrace.Event {
	var kept []sdktrace.Event

	for _, e := range s.ReadOnlySpan.Events() {
		if e.Name != "exception" {
			e.Attributes = without(e.Attributes)
			kept = append(kept, e)
		}
	}

	return kept
}

// Status keeps the code and drops the description, which instrumentation fills with error texts.
func (s span) Status() sdktrace.Status { return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code} }

func without(attrs []attribute.KeyValue) []attribute.KeyValue {
	kept := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		if !contentful[a.Key] {
			kept = append(kept, a)
		}
	}

	return kept
}
