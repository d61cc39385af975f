package telemetry_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestSpansLeaveWithoutContent(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(telemetry.WithoutContent(kept)))
	_, span := provider.Tracer("t").Start(t.Context(), "GET /v1/cases")
	span.SetAttributes(attribute.String("url.full", "https://x/?q=PLANTED"), attribute.String("http.route", "/v1/cases"))
	span.RecordError(errPlanted{})
	span.SetStatus(codes.Error, "PLANTED")
	span.End()
	spans := kept.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	got := spans[0]
	if len(got.Attributes) != 1 || got.Attributes[0].Key != "http.route" {
		t.Errorf("attributes = %v, want only the route", got.Attributes)
	}
	if len(got.Events) != 0 || got.Status.Description != "" || got.Status.Code != codes.Error {
		t.Errorf("events = %v, status = %+v", got.Events, got.Status)
	}
}

type errPlanted struct{}

func (errPlanted) Error() string { return "PLANTED" }

func TestUnsetMeansOffButMetricsCanBeScraped(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_LOGS_EXPORTER", "OTEL_METRICS_EXPORTER"} {
		t.Setenv(name, "")
	}
	var logs strings.Builder
	tel, err := telemetry.New(t.Context(), "case-svc", &logs, slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := tel.Tracers.Tracer("t").Start(telemetry.WithRequestID(t.Context(), "r-1"), "x")
	if span.IsRecording() {
		t.Error("spans are recorded although nobody asked")
	}
	tel.Log.InfoContext(ctx, "started")
	if !strings.Contains(logs.String(), `"request_id":"r-1"`) || !strings.Contains(logs.String(), `"service":"case-svc"`) {
		t.Errorf("log record lacks its ids: %s", logs.String())
	}
	counter, err := tel.Meters.Meter("t").Int64Counter("refusals")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(ctx, 1)
	rec := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
	if !strings.Contains(rec.Body.String(), "refusals_total") {
		t.Errorf("metrics lack the counter: %s", rec.Body.String())
	}
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
