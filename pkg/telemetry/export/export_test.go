package export_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestSpansLeaveWithoutContent(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(export.WithoutContent(kept)))
	_, span := provider.Tracer("t").Start(t.Context(), "GET /v1/cases")
	span.SetAttributes(attribute.String("url.full", "https://x/?q=PLANTED"), attribute.String("http.request.method_original", "PLANTED"), attribute.String("http.route", "/v1/cases"))
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
	tel, err := export.New(t.Context(), "case-svc", &logs, slog.LevelInfo)
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

func TestSpansThatDoNotReachTheCollectorAreCounted(t *testing.T) {
	taken := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { taken++; w.WriteHeader(http.StatusOK) }))
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	tel, err := export.New(t.Context(), "case-svc", io.Discard, slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	provider := tel.Tracers.(*sdktrace.TracerProvider)

	for _, tc := range []struct {
		name  string
		spans int
		away  bool
		want  string
	}{{"there", 3, false, " 0\n"}, {"away", 2, true, " 2\n"}} {
		if tc.away {
			collector.Close()
		}

		for range tc.spans {
			_, span := tel.Tracers.Tracer("t").Start(t.Context(), "x")
			span.End()
		}
		if err := provider.ForceFlush(t.Context()); err == nil == tc.away {
			t.Errorf("%s: flush = %v", tc.name, err)
		}
		rec := httptest.NewRecorder()
		tel.Metrics.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		_, after, _ := strings.Cut(rec.Body.String(), "\nsubrosa_spans_unsent{")
		if _, value, _ := strings.Cut(after, "}"); !strings.HasPrefix(value, tc.want) {
			t.Errorf("%s: subrosa_spans_unsent%.80q, want%q", tc.name, value, tc.want)
		}
	}
	if taken == 0 {
		t.Error("the collector got nothing while it was there")
	}
	_ = tel.Shutdown(t.Context()) // what is left cannot be sent
}

// A measurement names the trace that it was taken in, for a scrape that asks for it.
func TestMeasurementsCarryTheirTrace(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	defer collector.Close()
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	tel, err := export.New(t.Context(), "case-svc", io.Discard, slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	took, err := tel.Meters.Meter("t").Float64Histogram("took")
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := tel.Tracers.Tracer("t").Start(t.Context(), "x")
	took.Record(ctx, 0.2)
	span.End()

	for accept, carries := range map[string]bool{"application/openmetrics-text; version=1.0.0": true, "text/plain": false} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		req.Header.Set("Accept", accept)
		rec := httptest.NewRecorder()
		tel.Metrics.ServeHTTP(rec, req)
		if got := strings.Contains(rec.Body.String(), span.SpanContext().TraceID().String()); got != carries {
			t.Errorf("%s: the trace's id stands there: %t, want %t", accept, got, carries)
		}
	}
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestHeadersThatCannotBeReadStopTheStartAndAreNotTold(t *testing.T) {
	for given, fits := range map[string]bool{
		"":                               true,
		"authorization=Bearer%20S3cret":  true,
		"a=1, b=2":                       true,
		"authorization=Bearer%20S3cret%": false,
		"S3cret":                         false,
		"=S3cret":                        false,
		"a=1,S3cret":                     false,
	} {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
			t.Run(name+" "+given, func(t *testing.T) {
				t.Setenv(name, given)
				t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
				t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
				var log bytes.Buffer
				tel, err := export.New(t.Context(), "x", &log, nil)
				if (err == nil) != fits {
					t.Errorf("New = %v, fits: %t", err, fits)
				}
				if err == nil {
					_ = tel.Shutdown(t.Context())
				} else if said := err.Error(); !strings.Contains(said, name) || strings.Contains(said, "S3cret") {
					t.Errorf("error %q, want the name and not the value", said)
				}
				if strings.Contains(log.String(), "S3cret") {
					t.Errorf("the log holds the value: %s", &log)
				}
			})
		}
	}
}

// What an exporter cannot be made of is named by its variable, and not told.
func TestExportersThatCannotBeMadeAreNamed(t *testing.T) {
	for _, tc := range []struct {
		name, value, signal string
		fits                bool
	}{
		{"OTEL_TRACES_EXPORTER", "PLANTED", "", false},
		{"OTEL_LOGS_EXPORTER", "PLANTED", "", false},
		{"OTEL_METRICS_EXPORTER", "PLANTED", "", false},
		{"OTEL_METRICS_EXPORTER", "otlp,console", "", false},
		{"OTEL_METRICS_EXPORTER", "none", "", true},
		{"OTEL_METRICS_PRODUCERS", "PLANTED", "METRICS", false},
		{"OTEL_EXPORTER_PROMETHEUS_PORT", "PLANTED", "METRICS=prometheus", false},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "PLANTED", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "METRICS", false},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "LOGS", true},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "PLANTED", "", true}, // nothing is exported
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "PLANTED", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "PLANTED", "LOGS", true}, // of another signal
		{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "PLANTED", "METRICS", false},
		{"OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "PLANTED", "LOGS", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "://PLANTED", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "PLANTED", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318", "METRICS", true},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/PLANTED", "TRACES", false},
		{"OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY", "/PLANTED", "LOGS", false},
		{"OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY", "/PLANTED", "TRACES", true},
	} {
		t.Run(tc.name+" "+tc.value+" "+tc.signal, func(t *testing.T) {
			if signal, kind, _ := strings.Cut(tc.signal, "="); signal != "" {
				t.Setenv("OTEL_"+signal+"_EXPORTER", cmp.Or(kind, "otlp"))
			}
			t.Setenv(tc.name, tc.value)
			var log bytes.Buffer
			tel, err := export.New(t.Context(), "x", &log, nil)
			if (err == nil) != tc.fits {
				t.Errorf("New = %v, fits: %t; log %s", err, tc.fits, &log)
			}
			if err == nil {
				gone, cancel := context.WithCancel(t.Context())
				cancel()
				_ = tel.Shutdown(gone)
			} else if said := err.Error(); !strings.Contains(said, tc.name+" ") || strings.Contains(said, "PLANTED") {
				t.Errorf("error %q, want the name and not the value", said)
			}
		})
	}
}

// All mistakes are said at once, and one that three signals share is said once.
func TestEveryMistakeOfExportersIsSaidOnce(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "thrift", "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY": "/nowhere/key",
		"OTEL_EXPORTER_OTLP_HEADERS": "a", "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "b",
	} {
		t.Setenv(name, value)
	}
	_, err := export.New(t.Context(), "x", io.Discard, nil)
	const headers = " must be a comma list of name=value, the values percent-encoded\n"
	want := "OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://collector:4318\n" +
		"OTEL_EXPORTER_OTLP_HEADERS" + headers +
		"OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY names a file that cannot be read\n" +
		"OTEL_EXPORTER_OTLP_LOGS_HEADERS" + headers +
		"OTEL_EXPORTER_OTLP_PROTOCOL must be grpc or http/protobuf"
	if err == nil || err.Error() != want {
		t.Errorf("New = %v, want %s", err, want)
	}
}

// What OpenTelemetry itself says goes into the log in its form, without values.
func TestOpenTelemetrySpeaksInTheLog(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "S3cret")
	var log bytes.Buffer
	tel, err := export.New(t.Context(), "x", &log, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	if said := log.String(); !strings.Contains(said, `"level":"WARN"`) || strings.Contains(said, "S3cret") {
		t.Errorf("the log holds %q, want a warning without the value", said)
	}
}
