package httpx_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

type request struct{ method, path, host, proto, body string }

// asked are requests of all kinds.
var asked = []request{
	{http.MethodGet, "/v1/cases/one", "subrosa.test", "HTTP/1.1", ""},
	{http.MethodGet, "/v1/cases/two", "subrosa.test", "HTTP/1.1", ""},
	{http.MethodPost, "/v1/cases/one", "subrosa.test:80", "HTTP/1.1", "four"},
	{http.MethodPost, "/v1/cases/one", "subrosa.test:8443", "HTTP/1.1", "four"},
	{http.MethodGet, "/v1/cases/broken", "[::1]:8080", "HTTP/2.0", ""},
	{http.MethodGet, "/v1/cases/one", "subrosa.test", "HTTP/1.0", ""},
	{http.MethodGet, "/v1/nothing", "subrosa.test", "HTTP/1.1", ""},
	{http.MethodDelete, "/v1/cases/one", "subrosa.test", "HTTP/1.1", ""},
	{http.MethodHead, "/v1/cases/one", "subrosa.test", "HTTP/1.1", ""},
	{"PROPFIND", "/v1/cases/one", "subrosa.test", "HTTP/1.1", ""},
}

// Requests are measured and traced as otelgin does it: dashboards and alerts read its names and attributes.
func TestRequestsAreMeasuredAsBefore(t *testing.T) {
	ours := func(tel *telemetry.Telemetry) *gin.Engine { return httpx.NewEngine(tel) }
	theirs := func(tel *telemetry.Telemetry) *gin.Engine {
		r := gin.New()
		r.HandleMethodNotAllowed = true
		r.Use(otelgin.Middleware(
			tel.Service, otelgin.WithTracerProvider(tel.Tracers), otelgin.WithMeterProvider(tel.Meters),
			otelgin.WithPropagators(tel.Propagator),
		))

		return r
	}
	series, spans := observed(t, ours, asked)
	wantSeries, wantSpans := observed(t, theirs, asked)
	if !slices.Equal(series, wantSeries) || len(series) == 0 {
		t.Errorf("series\n%s\nwant\n%s", strings.Join(series, "\n"), strings.Join(wantSeries, "\n"))
	}
	if !slices.Equal(spans, wantSpans) || len(spans) == 0 {
		t.Errorf("spans\n%s\nwant\n%s", strings.Join(spans, "\n"), strings.Join(wantSpans, "\n"))
	}
}

// TestVersionsThatNobodySpeaks: a client may write any version, and makes no series of its own by it.
func TestVersionsThatNobodySpeaks(t *testing.T) {
	ours := func(tel *telemetry.Telemetry) *gin.Engine { return httpx.NewEngine(tel) }
	var odd, plain []request

	for _, proto := range []string{"HTTP/1.2", "HTTP/1.9", "HTTP/3.0", "SPDY/3"} {
		odd = append(odd, request{http.MethodGet, "/v1/cases/one", "subrosa.test", proto, ""})
		plain = append(plain, request{http.MethodGet, "/v1/cases/one", "subrosa.test", "HTTP/1.1", ""})
	}
	series, spans := observed(t, ours, odd)
	wantSeries, wantSpans := observed(t, ours, plain)
	if !slices.Equal(series, wantSeries) || len(series) == 0 {
		t.Errorf("series\n%s\nwant\n%s", strings.Join(series, "\n"), strings.Join(wantSeries, "\n"))
	}
	if !slices.Equal(spans, wantSpans) || len(spans) == 0 {
		t.Errorf("spans\n%s\nwant\n%s", strings.Join(spans, "\n"), strings.Join(wantSpans, "\n"))
	}
}

// observed serves requests and returns the counted series and the spans of it.
func observed(
	t *testing.T,
	engine func(*telemetry.Telemetry) *gin.Engine,
	all []request,
) (series, spans []string) {
	t.Helper()
	gin.SetMode(gin.TestMode)
	tel, err := export.New(t.Context(), "case-svc", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := tracetest.NewSpanRecorder()
	tel.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(kept))
	r := engine(tel)
	answer := func(c *gin.Context) {
		_, err := io.Copy(io.Discard, c.Request.Body)
		if c.Param("id") == "broken" || err != nil {
			c.Status(http.StatusInternalServerError)
			return
		}
		c.String(http.StatusOK, "said")
	}
	r.GET("/v1/cases/:id", answer)
	r.POST("/v1/cases/:id", answer)

	for _, asked := range all {
		for range 2 { // what is remembered counts as what is made
			req := httptest.NewRequestWithContext(t.Context(), asked.method, asked.path, strings.NewReader(asked.body))
			req.Host, req.Proto = asked.host, asked.proto
			req.Header.Set("User-Agent", "test")
			r.ServeHTTP(httptest.NewRecorder(), req)
		}
	}

	told := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(told, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))

	for line := range strings.SplitSeq(told.Body.String(), "\n") {
		counted := strings.Contains(line, "_count{") || strings.Contains(line, "_size_bytes_sum{")
		// What is answered where there is no route is our own, and so is its size.
		own := strings.Contains(line, "response_body") && !strings.Contains(line, "http_route=")
		if strings.HasPrefix(line, "http_server_") && counted && !own {
			series = append(series, line)
		}
	}

	for _, span := range kept.Ended() {
		spans = append(spans, described(span))
	}
	slices.Sort(spans)

	return series, spans
}

// described writes down what a span says.
func described(span sdktrace.ReadOnlySpan) string {
	said := map[string]string{}
	for _, kv := range span.Attributes() {
		said[string(kv.Key)] = kv.Value.String()
	}
	if said["http.route"] == "" {
		delete(said, "http.response.body.size") // what is answered where there is no route is our own
	}

	var all []string
	for _, key := range slices.Sorted(maps.Keys(said)) {
		all = append(all, key+"="+said[key])
	}

	what := []string{span.Name(), span.SpanKind().String(), span.Status().Code.String()}

	return strings.Join(append(what, all...), " ")
}
