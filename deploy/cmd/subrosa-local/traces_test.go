package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// TestServicesAndReadersShareABookOfTraces has several services export spans of one trace and of their own while others
// look at the pages, under the race detector: the tests of the book itself are without it.
func TestServicesAndReadersShareABookOfTraces(t *testing.T) {
	const services = 8
	book := new(traces.Book)
	handler := book.Handler()
	id := bytes.Repeat([]byte{1}, 16)

	testkit.Race(t, services, func(i int) error {
		body, err := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{
			{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{
				{TraceId: id, SpanId: bytes.Repeat([]byte{byte(i + 1)}, 8), Name: "shared"},
				{TraceId: bytes.Repeat([]byte{byte(i + 2)}, 16), SpanId: bytes.Repeat([]byte{1}, 8), Name: "own"},
			}}}},
		}})
		if err != nil {
			return err
		}

		for _, r := range []*http.Request{
			httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(body)),
			httptest.NewRequest(http.MethodGet, "/", nil),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/%x", id), nil),
		} {
			r.Host = "127.0.0.1:8445"
			r.Header.Set("Content-Type", "application/x-protobuf")
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
				return fmt.Errorf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
			}
		}

		return nil
	})

	trace, ok := book.Trace(fmt.Sprintf("%x", id))
	if latest := book.Latest(100, traces.Filter{}); !ok || len(trace.Spans) != services || len(latest) != services+1 {
		t.Errorf("the shared trace has %d spans of %d, and there are %d traces", len(trace.Spans), services, len(latest))
	}
}
