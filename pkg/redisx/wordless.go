package redisx

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// wordless hands out spans that take note of a failure but not of its text: answers of a Redis server can quote keys
// and values, and the instrumentation would copy them. That a server does not know a script is an answer and no
// failure: the client then sends it whole, as it must after every restart and failover.
type wordless struct{ trace.TracerProvider }

func (p wordless) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return wordlessTracer{p.TracerProvider.Tracer(name, options...)}
}

type wordlessTracer struct{ trace.Tracer }

func (t wordlessTracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	ctx, span := t.Tracer.Start(ctx, name, options...)
	return ctx, wordlessSpan{span}
}

type wordlessSpan struct{ trace.Span }

func (s wordlessSpan) RecordError(error, ...trace.EventOption) {}

func (s wordlessSpan) SetStatus(code codes.Code, text string) {
	switch {
	case code != codes.Error:
		s.Span.SetStatus(code, "")
	// A script that is not known yet is sent with the next command: an alert on failed spans must not count it.
	case !strings.HasPrefix(text, "NOSCRIPT "):
		s.Span.SetStatus(code, "failed")
	}
}
