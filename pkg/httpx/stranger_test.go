package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A service goes on with the trace of another one, the gateway with those of callers that it was told of; what a stranger says of a trace
// decides nothing.
func TestTheTraceOfAStrangerIsNotGoneOnWith(t *testing.T) {
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"

	edge := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")}
	for name, tc := range map[string]struct {
		inside bool
		from   []netip.Prefix
		peer   string
		taken  bool
	}{
		"a service":                          {true, nil, "192.0.2.1:1234", true},
		"the gateway":                        {false, nil, "192.0.2.1:1234", false},
		"the gateway, by way of the edge":    {false, edge, "10.1.2.3:1234", true},
		"the gateway, by way of the edge, 6": {false, edge, "[::1]:1234", true},
		"the gateway, 4 in 6":                {false, edge, "[::ffff:10.1.2.3]:1234", true},
		"the gateway, past the edge":         {false, edge, "10.2.2.3:1234", false},
		"the gateway, an odd address":        {false, edge, "@", false},
	} {
		for _, flag := range []string{"00", "01"} {
			t.Run(name+" "+flag, func(t *testing.T) {
				kept := tracetest.NewInMemoryExporter()
				tel := telemetry.Discard("x", io.Discard)
				tel.Inside, tel.TraceFrom, tel.Tracers = tc.inside, tc.from, sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept))
				req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				req.RemoteAddr = tc.peer
				req.Header.Set("Traceparent", "00-"+theirs+"-00f067aa0ba902b7-"+flag)
				req.Header.Set("Tracestate", "x=free-text")
				httpx.NewEngine(tel).ServeHTTP(httptest.NewRecorder(), req)

				spans := kept.GetSpans()
				switch {
				case tc.taken && flag == "00":
					if len(spans) != 0 {
						t.Errorf("%d spans of a trace that is not sampled", len(spans))
					}
				case len(spans) != 1 || (spans[0].SpanContext.TraceID().String() == theirs) != tc.taken || spans[0].Parent.IsValid() != tc.taken:
					t.Errorf("spans %+v, theirs should be gone on with: %t", spans, tc.taken)
				case !tc.inside && spans[0].SpanContext.TraceState().Len() > 0:
					t.Error("the state of a trace from outside is kept")
				}
			})
		}
	}
}

// The header Host is the caller's: no metric may hold it, or anybody could fill the metrics.
func TestTheHostOfACallBeginsNoSeries(t *testing.T) {
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	router := httpx.NewEngine(tel)
	page := func() string {
		rec := httptest.NewRecorder()
		tel.Metrics.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))

		return rec.Body.String()
	}
	call := func(host string) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		req.Host = host
		router.ServeHTTP(httptest.NewRecorder(), req)
	}
	call("first.example:9000")
	before := strings.Count(page(), "http_server_request_duration_seconds")

	for port := range 50 {
		call("other.example:" + strconv.Itoa(9001+port))
	}
	if after := strings.Count(page(), "http_server_request_duration_seconds"); before == 0 || after != before {
		t.Errorf("%d lines before calls to other hosts, %d after", before, after)
	}
	if strings.Contains(page(), "server_port") || strings.Contains(page(), "example") {
		t.Error("a metric holds what the caller named")
	}
}
