package proxy

import (
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"
)

// measured records the durations of calls under the names and attributes of otelhttp, and leaves calls whose trace is
// kept to that. Of the others it makes no spans, and the attributes of each kind of answer once: an eighth of
// the time that a call takes this process went into telemetry that nobody keeps.
type measured struct {
	next   http.RoundTripper
	traced http.RoundTripper // next within otelhttp
	took   httpconv.ClientRequestDuration
	sent   httpconv.ClientRequestBodySize

	kinds sync.Map // of answer, as kind, to []metric.RecordOption
}

// kind is what tells answers of one service apart.
type kind struct {
	method, proto string
	status        int
}

// bounds are the buckets that otelhttp has; an instrument of the same name must have the same.
var bounds = metric.WithExplicitBucketBoundaries(
	0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
)

func newMeasured(next http.RoundTripper, tel *telemetry.Telemetry) (*measured, error) {
	meter := tel.Meters.Meter(otelhttp.ScopeName, metric.WithInstrumentationVersion(otelhttp.Version))
	took, err := httpconv.NewClientRequestDuration(meter, bounds)
	if err != nil {
		return nil, fmt.Errorf("make the histogram of calls to services: %w", err)
	}
	sent, err := httpconv.NewClientRequestBodySize(meter)
	if err != nil {
		return nil, fmt.Errorf("make the histogram of bodies sent to services: %w", err)
	}
	traced := otelhttp.NewTransport(
		next, otelhttp.WithTracerProvider(tel.Tracers), otelhttp.WithMeterProvider(tel.Meters),
		otelhttp.WithPropagators(tel.Propagator),
	)

	return &measured{next: next, traced: traced, took: took, sent: sent}, nil
}

// RoundTrip makes the call. The headers of the trace are there already.
func (m *measured) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace.SpanFromContext(r.Context()).IsRecording() || r.ContentLength < 0 {
		return m.traced.RoundTrip(r)
	}
	began := time.Now() //nolint:forbidigo // what took how long is measured on the wall clock
	resp, err := m.next.RoundTrip(r)
	took := time.Since(began).Seconds() //nolint:forbidigo // likewise

	options := m.optionsOf(r, resp, err)
	m.took.Inst().Record(r.Context(), took, options...)
	m.sent.Inst().Record(r.Context(), r.ContentLength, options...)

	return resp, err
}

func (m *measured) optionsOf(r *http.Request, resp *http.Response, err error) []metric.RecordOption {
	// Errors and odd methods have unbounded attributes, which a map must not keep.
	if err != nil || !plainMethod(r.Method) {
		return attributesOf(r, resp, err)
	}
	k := kind{r.Method, resp.Proto, resp.StatusCode}
	if known, ok := m.kinds.Load(k); ok {
		return known.([]metric.RecordOption) //nolint:forcetypeassert // the map holds nothing else
	}
	made := attributesOf(r, resp, nil)
	m.kinds.Store(k, made)

	return made
}

// plainMethod reports whether a method is one of the few that routes have.
func plainMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}

	return false
}

// attributesOf are those that otelhttp gives a call.
func attributesOf(r *http.Request, resp *http.Response, err error) []metric.RecordOption {
	method, proto := r.Method, r.Proto
	if !plainMethod(method) {
		// The semantic conventions ask for this, so that callers cannot make up label values.
		method = "_OTHER"
	}
	if resp != nil && resp.Proto != "" {
		proto = resp.Proto
	}
	name, version, _ := strings.Cut(proto, "/")
	all := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(method), semconv.URLScheme(r.URL.Scheme),
		semconv.NetworkProtocolName(strings.ToLower(name)), semconv.NetworkProtocolVersion(version),
	}

	host, port, failed := net.SplitHostPort(r.URL.Host)
	if failed != nil {
		host = r.URL.Host
	}
	all = append(all, semconv.ServerAddress(host))
	// The default port is left out, as the conventions say.
	if n, failed := strconv.Atoi(port); failed == nil && n != map[string]int{"http": 80, "https": 443}[r.URL.Scheme] {
		all = append(all, semconv.ServerPort(n))
	}
	if err != nil {
		all = append(all, semconv.ErrorTypeKey.String(typeOf(err)))
	} else {
		all = append(all, semconv.HTTPResponseStatusCode(resp.StatusCode))
	}

	return []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(all...))}
}

// typeOf is the type of an error with its package, as otelhttp spells it.
func typeOf(err error) string {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == "" || t.Name() == "" {
		return t.String()
	}

	return t.PkgPath() + "." + t.Name()
}
