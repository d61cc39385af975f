package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A service goes on with the trace of another one; what a stranger says of a trace decides nothing.
func TestTheTraceOfAStrangerIsNotGoneOnWith(t *testing.T) {
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	for name, tc := range map[string]struct{ inside, taken bool }{"a service": {true, true}, "the gateway": {false, false}} {
		for _, flag := range []string{"00", "01"} {
			t.Run(name+" "+flag, func(t *testing.T) {
				kept := tracetest.NewInMemoryExporter()
				tel := telemetry.Discard("x", io.Discard)
				tel.Inside, tel.Tracers = tc.inside, sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept))
				req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				req.Header.Set("Traceparent", "00-"+theirs+"-00f067aa0ba902b7-"+flag)
				httpx.NewEngine(tel).ServeHTTP(httptest.NewRecorder(), req)
				spans := kept.GetSpans()
				switch {
				case tc.taken && flag == "00":
					if len(spans) != 0 {
						t.Errorf("%d spans of a trace that is not sampled", len(spans))
					}
				case len(spans) != 1 || (spans[0].SpanContext.TraceID().String() == theirs) != tc.taken || spans[0].Parent.IsValid() != tc.taken:
					t.Errorf("spans %+v, theirs should be gone on with: %t", spans, tc.taken)
				}
			})
		}
	}
}
