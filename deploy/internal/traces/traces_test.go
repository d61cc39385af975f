package traces_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

var began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func text(v string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: v}}
}

// span is one of trace; parent 0 begins it.
func span(trace, id, parent byte, name string, after, took time.Duration) *tracepb.Span {
	s := &tracepb.Span{
		TraceId: bytes.Repeat([]byte{trace}, 16), SpanId: bytes.Repeat([]byte{id}, 8), Name: name, Kind: tracepb.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: uint64(began.Add(after).UnixNano()), EndTimeUnixNano: uint64(began.Add(after + took).UnixNano()),
		Attributes: []*commonpb.KeyValue{{Key: "http.route", Value: text("/v1/agent")}},
	}
	if parent != 0 {
		s.ParentSpanId = bytes.Repeat([]byte{parent}, 8)
	}

	return s
}

func export(t *testing.T, service string, spans ...*tracepb.Span) []byte {
	t.Helper()
	body, err := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{{Key: "service.name", Value: text(service)}}}, ScopeSpans: []*tracepb.ScopeSpans{{Spans: spans}},
	}}})
	if err != nil {
		t.Fatal(err)
	}

	return body
}

func do(t *testing.T, b *traces.Book, method, path string, body []byte, headers ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))

	r.Host = "127.0.0.1:8445"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, r)

	return w.Code, w.Body.String()
}

func take(t *testing.T, b *traces.Book, body []byte) {
	t.Helper()
	if status, said := do(t, b, http.MethodPost, "/v1/traces", body, "Content-Type", "application/x-protobuf"); status != http.StatusOK {
		t.Fatalf("export: %d %s", status, said)
	}
}

func TestATraceOfSeveralServicesIsOneTree(t *testing.T) {
	b := &traces.Book{}
	failed := span(1, 3, 2, "find", 20*time.Millisecond, 5*time.Millisecond)
	failed.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
	take(t, b, export(t, "case-svc", span(1, 2, 1, "GET /v1/cases/:caseId", 10*time.Millisecond, 30*time.Millisecond), failed)) // inner ones come first
	take(t, b, export(t, "gateway", span(1, 1, 0, "POST <b>agent", 0, 100*time.Millisecond), span(1, 5, 9, "an orphan", time.Second, time.Millisecond)))
	trace, ok := b.Trace(strings.Repeat("01", 16))
	if !ok {
		t.Fatal("no trace")
	}

	var tree []string
	for _, r := range trace.Tree() {
		tree = append(tree, fmt.Sprint(strings.Repeat(" ", r.Depth), r.Service, " ", r.Name, " ", r.Failed, " ", r.Lost))
	}
	want := "gateway POST <b>agent false false\n case-svc GET /v1/cases/:caseId false false\n  case-svc find true false\ngateway an orphan false true"
	if got := strings.Join(tree, "\n"); got != want {
		t.Errorf("tree\n%s\nwant\n%s", got, want)
	}
	if trace.Root().Name != "POST <b>agent" || strings.Join(trace.Services(), " ") != "case-svc gateway" {
		t.Errorf("root %q, services %q", trace.Root().Name, trace.Services())
	}

	status, page := do(t, b, http.MethodGet, "/"+trace.ID, nil)
	for _, has := range []string{"POST &lt;b&gt;agent", "30.0 ms", "http.route", "failed", "its caller is missing"} {
		if status != http.StatusOK || !strings.Contains(page, has) {
			t.Errorf("%d, the page lacks %q:\n%s", status, has, page)
		}
	}
	if strings.Contains(page, "<b>agent") {
		t.Error("a name is read as markup")
	}
	if status, page := do(t, b, http.MethodGet, "/"+strings.Repeat("02", 16), nil); status != http.StatusNotFound || !strings.Contains(page, "is not here") {
		t.Errorf("a trace that is not there: %d\n%s", status, page)
	}
}

func TestTheListIsOfTheLatestThatFit(t *testing.T) {
	b := &traces.Book{}
	take(t, b, export(t, "gateway", span(1, 1, 0, "GET /v1/cases", 0, time.Millisecond)))
	take(t, b, export(t, "gateway", span(2, 1, 0, "POST /v1/agent", 0, time.Millisecond)))
	take(t, b, export(t, "agent-svc", span(2, 2, 1, "POST /v1/agent", 0, time.Millisecond)))
	own := span(3, 1, 0, "find notices", 0, time.Millisecond)
	own.Kind = tracepb.Span_SPAN_KIND_CLIENT
	take(t, b, export(t, "party-svc", own))

	for query, want := range map[string][]string{
		"": {"0202", "0101"}, "?own=1": {"0303", "0202", "0101"}, "?service=party-svc": {"0303"}, "?service=agent-svc": {"0202"}, "?name=GET+/v1/cases": {"0101"}, "?name=GET+/v1/cases&service=agent-svc": nil,
	} {
		_, page := do(t, b, http.MethodGet, "/"+query, nil)

		var got []string
		for _, link := range regexp.MustCompile(`<a href="/([0-9a-f]{4})[0-9a-f]{28}"`).FindAllStringSubmatch(page, -1) {
			got = append(got, link[1])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q lists %v, want %v", query, got, want)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	b := &traces.Book{}
	var many []*tracepb.Span

	for i := range 6000 {
		s := span(1, 1, 0, strings.Repeat("ä", 1000), 0, 0)
		s.SpanId = []byte{1, 1, 1, 1, 1, 1, byte(i >> 8), byte(i)}
		many = append(many, s)
	}
	take(t, b, export(t, "gateway", many...))
	trace, _ := b.Trace(strings.Repeat("01", 16))
	if len(trace.Spans) != 5000 || trace.Dropped != 1000 || len(trace.Spans[0].Name) > 260 {
		t.Errorf("%d spans kept, %d dropped, a name of %d bytes", len(trace.Spans), trace.Dropped, len(trace.Spans[0].Name))
	}

	for id := range byte(20) {
		for i := range many {
			many[i].TraceId = bytes.Repeat([]byte{id + 2}, 16)
			many[i].Name = "x"
		}
		take(t, b, export(t, "gateway", many...))
	}
	if _, there := b.Trace(strings.Repeat("01", 16)); there {
		t.Error("the first trace is not forgotten")
	}
	if _, there := b.Trace(strings.Repeat("15", 16)); !there {
		t.Error("the last trace is")
	}
}

func TestExportsThatAreNone(t *testing.T) {
	good := export(t, "gateway", span(1, 1, 0, "x", 0, 0))
	packed := func(body []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}

		return out.Bytes()
	}
	short := span(1, 1, 0, "x", 0, 0)

	short.TraceId = short.TraceId[:4]
	for name, tc := range map[string]struct {
		body         []byte
		media, coded string
		status, kept int
	}{
		"good":            {good, "application/x-protobuf", "", 200, 1},
		"packed":          {packed(good), "application/x-protobuf", "gzip", 200, 1},
		"JSON":            {[]byte("{}"), "application/json", "", 415, 0},
		"no protobuf":     {[]byte("hello"), "application/x-protobuf", "", 400, 0},
		"no gzip":         {good, "application/x-protobuf", "gzip", 400, 0},
		"too much":        {packed(make([]byte, 17<<20)), "application/x-protobuf", "gzip", 413, 0},
		"ids of no trace": {export(t, "gateway", short), "application/x-protobuf", "", 200, 0},
	} {
		b := &traces.Book{}
		status, _ := do(t, b, http.MethodPost, "/v1/traces", tc.body, "Content-Type", tc.media, "Content-Encoding", tc.coded)
		if kept := len(b.Latest(10, traces.Filter{})); status != tc.status || kept != tc.kept {
			t.Errorf("%s: %d, %d traces kept, want %d and %d", name, status, kept, tc.status, tc.kept)
		}
	}
}

func FuzzExports(f *testing.F) {
	f.Add([]byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		b := &traces.Book{}
		for _, body := range [][]byte{first, second} {
			do(t, b, http.MethodPost, "/v1/traces", body, "Content-Type", "application/x-protobuf")
		}

		for _, trace := range b.Latest(10, traces.Filter{}) {
			if len(trace.Tree()) != len(trace.Spans) {
				// Spans of one id are shown once.
				ids := map[string]bool{}
				for _, s := range trace.Spans {
					ids[s.ID] = true
				}
				if len(trace.Tree()) != len(ids) {
					t.Errorf("%d rows for %d spans", len(trace.Tree()), len(ids))
				}
			}
			w := httptest.NewRecorder()
			b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+trace.ID, nil))
			if _, err := io.ReadAll(w.Body); err != nil || w.Code != http.StatusOK {
				t.Errorf("page: %d %v", w.Code, err)
			}
		}
	})
}

// A page whose name was made to point at this machine gets nothing and puts nothing in.
func TestOnlyThisMachineIsAnswered(t *testing.T) {
	for host, answered := range map[string]bool{
		"127.0.0.1:8445": true, "127.9.9.9": true, "[::1]:8445": true, "localhost:8445": true, "LOCALHOST": true,
		"evil.example:8445": false, "127.0.0.1.evil.example:8445": false, "localhost.evil.example": false, "10.0.0.1:8445": false, "[2001:db8::1]:8445": false, "0.0.0.0:8445": false, "": false,
	} {
		b := &traces.Book{}

		for _, r := range []*http.Request{
			httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(export(t, "gateway", span(1, 1, 0, "x", 0, 0)))), httptest.NewRequest(http.MethodGet, "/", nil),
		} {
			r.Host = host
			r.Header.Set("Content-Type", "application/x-protobuf")
			w := httptest.NewRecorder()
			b.Handler().ServeHTTP(w, r)
			if (w.Code == http.StatusOK) != answered || !answered && w.Code != http.StatusMisdirectedRequest {
				t.Errorf("%s as %q: %d", r.Method, host, w.Code)
			}
		}
		if _, kept := b.Trace(strings.Repeat("01", 16)); kept != answered {
			t.Errorf("%q: kept %t", host, kept)
		}
	}
}
