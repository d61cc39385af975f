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
	const services, rounds = 4, 12
	book := new(traces.Book)
	handler := book.Handler()
	id := bytes.Repeat([]byte{1}, 16)

	call := func(method, path string, body []byte) error {
		r, w := httptest.NewRequest(method, path, bytes.NewReader(body)), httptest.NewRecorder()
		r.Host = "127.0.0.1:8445"
		r.Header.Set("Content-Type", "application/x-protobuf")
		if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			return fmt.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
		}

		return nil
	}
	export := func(service, n int) error {
		own, span := bytes.Repeat([]byte{byte(service + 2)}, 16), bytes.Repeat([]byte{byte(service + 1), byte(n)}, 4)
		body, err := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{
			{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{
				{TraceId: id, SpanId: span, Name: "shared"}, {TraceId: own, SpanId: span, Name: "own"},
			}}}},
		}})
		if err != nil {
			return err
		}

		return call(http.MethodPost, "/v1/traces", body)
	}
	if err := export(0, 0); err != nil {
		t.Fatal(err)
	}

	// As many read as export: who did both by turns would be kept apart by the locks of the exports.
	testkit.Race(t, 2*services, func(i int) error {
		for n := 1; n <= rounds; n++ {
			var err error

			switch {
			case i < services:
				err = export(i, n)
			case i%2 == 0:
				err = call(http.MethodGet, "/", nil)
			default:
				err = call(http.MethodGet, fmt.Sprintf("/%x", id), nil)
			}
			if err != nil {
				return err
			}
		}

		return nil
	})

	trace, ok := book.Trace(fmt.Sprintf("%x", id))
	latest := book.Latest(100, traces.Filter{})
	if !ok || len(trace.Spans) != 1+services*rounds || len(latest) != 1+services {
		t.Errorf("the shared trace has %d spans, and there are %d traces", len(trace.Spans), len(latest))
	}
}
