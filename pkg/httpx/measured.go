package httpx

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"
)

// measured records how long requests took, and their sizes, under the names and attributes of otelgin, and makes their
// spans. The port in a Host header is the caller's word and no attribute of a figure. It makes the attributes of each
// kind of answer once, and those of a span only where somebody keeps it: for a request whose trace nobody keeps,
// otelgin makes a dozen pieces of memory that nobody reads. Two things differ on purpose, since a stranger
// writes both: a method in small letters is an unknown one, where otelgin takes it for that in capitals, and a version
// of HTTP that nobody speaks counts as 1.1.
type measured struct {
	service  string
	tracer   trace.Tracer
	extract  propagation.TextMapPropagator
	took     httpconv.ServerRequestDuration
	received httpconv.ServerRequestBodySize
	sent     httpconv.ServerResponseBodySize

	mu    sync.RWMutex
	kinds map[answerKind][]metric.RecordOption
	names map[spanKind]string
}

// spanKind is what tells the names of spans apart.
type spanKind struct{ method, route string }

// answerKind is what tells the answers of one service apart.
type answerKind struct {
	method, proto, route string
	https                bool
	status               int
}

var serverSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

func newMeasured(tel *telemetry.Telemetry) *measured {
	meter := tel.Meters.Meter(otelgin.ScopeName, metric.WithInstrumentationVersion(otelgin.Version))
	m := &measured{
		service: tel.Service, extract: tel.Propagator,
		kinds: map[answerKind][]metric.RecordOption{}, names: map[spanKind]string{},
		tracer: tel.Tracers.Tracer(otelgin.ScopeName, trace.WithInstrumentationVersion(otelgin.Version)),
	}
	// An instrument of the same name must have the same buckets.
	bounds := metric.WithExplicitBucketBoundaries(
		0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
	)

	var errs [3]error
	m.took, errs[0] = httpconv.NewServerRequestDuration(meter, bounds)
	m.received, errs[1] = httpconv.NewServerRequestBodySize(meter)
	m.sent, errs[2] = httpconv.NewServerResponseBodySize(meter)

	for _, err := range errs {
		if err != nil {
			// The names are constants of the library.
			panic(err)
		}
	}

	return m
}

// handle stands around the handlers of a request.
func (m *measured) handle(c *gin.Context) {
	began := time.Now() //nolint:forbidigo // what took how long is measured on the wall clock
	ctx := m.extract.Extract(c.Request.Context(), propagation.HeaderCarrier(c.Request.Header))

	ctx, span := m.tracer.Start(ctx, m.spanName(c), serverSpan...)
	// Also after http.ErrAbortHandler, which recovery lets pass.
	defer span.End()
	if span.SpanContext().IsValid() {
		c.Request = c.Request.WithContext(ctx)
	}
	if span.IsRecording() {
		span.SetAttributes(m.traced(c)...)
	}

	c.Next()

	status := c.Writer.Status()
	if span.IsRecording() {
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		if size := c.Writer.Size(); size > 0 {
			span.SetAttributes(semconv.HTTPResponseBodySize(size))
		}
	}

	options := m.optionsOf(c, status)
	m.received.Inst().Record(ctx, c.Request.ContentLength, options...)
	m.sent.Inst().Record(ctx, int64(c.Writer.Size()), options...)
	//nolint:forbidigo // see above
	m.took.Inst().Record(ctx, time.Since(began).Seconds(), options...)
}

// spanName names the span of a request.
func (m *measured) spanName(c *gin.Context) string {
	k := spanKind{c.Request.Method, c.FullPath()}
	// A method is free text of the caller. As a name of spans it would make as many series as somebody likes.
	if !ordinary(k.method) {
		k.method = "HTTP"
	}
	if k.route == "" {
		return k.method
	}

	m.mu.RLock()
	name, ok := m.names[k]
	m.mu.RUnlock()
	if ok {
		return name
	}

	name = k.method + " " + k.route
	m.mu.Lock()
	defer m.mu.Unlock()
	// There are as many names as routes, so the map stays small.
	m.names[k] = name

	return name
}

// ordinary reports whether a method is one of those that have a name in HTTP itself.
func ordinary(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return true
	}

	return false
}

func (m *measured) optionsOf(c *gin.Context, status int) []metric.RecordOption {
	r := c.Request
	k := answerKind{
		method: r.Method, proto: protocol(r), route: c.FullPath(), https: r.TLS != nil, status: status,
	}
	if !ordinary(k.method) {
		k.method = "_OTHER"
	}
	m.mu.RLock()
	made, ok := m.kinds[k]
	m.mu.RUnlock()
	if ok {
		return made
	}

	made = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(m.attributesOf(k)...))}
	m.mu.Lock()
	defer m.mu.Unlock()
	// There are as many as routes have kinds of answer.
	m.kinds[k] = made

	return made
}

// protocol is the version of HTTP that a request came by. A client may write any from 1.0 to 1.9, and must not make ten
// times the series of it.
func protocol(r *http.Request) string {
	switch r.Proto {
	case "HTTP/1.0", "HTTP/1.1", "HTTP/2.0":
		return r.Proto
	}

	return "HTTP/1.1"
}

// attributesOf are those that otelgin gives the figures of an answer.
func (m *measured) attributesOf(k answerKind) []attribute.KeyValue {
	name, version, _ := strings.Cut(k.proto, "/")
	all := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(k.method), scheme(k.https), semconv.ServerAddress(m.service),
		semconv.NetworkProtocolName(strings.ToLower(name)), semconv.NetworkProtocolVersion(version),
		semconv.HTTPResponseStatusCode(k.status),
	}
	if k.route != "" {
		all = append(all, semconv.HTTPRoute(k.route))
	}

	return all
}

// traced are the attributes that otelgin gives a span at its beginning.
func (m *measured) traced(c *gin.Context) []attribute.KeyValue {
	r := c.Request
	_, version, _ := strings.Cut(protocol(r), "/")
	all := []attribute.KeyValue{
		semconv.ServerAddress(m.service), semconv.HTTPRequestMethodKey.String(r.Method), scheme(r.TLS != nil),
		semconv.URLPath(r.URL.Path), semconv.NetworkProtocolVersion(version), semconv.HTTPRoute(c.FullPath()),
		semconv.ClientAddress(c.ClientIP()),
	}
	if !ordinary(r.Method) {
		all[1] = semconv.HTTPRequestMethodOther
		all = append(all, semconv.HTTPRequestMethodOriginal(r.Method))
	}
	if port := portOf(r); port != 0 {
		all = append(all, semconv.ServerPort(port))
	}
	if peer, port, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		all = append(all, semconv.NetworkPeerAddress(peer))
		if n, err := strconv.Atoi(port); err == nil && n > 0 {
			all = append(all, semconv.NetworkPeerPort(n))
		}
	}
	if agent := r.UserAgent(); agent != "" {
		all = append(all, semconv.UserAgentOriginal(agent))
	}

	return all
}

func scheme(https bool) attribute.KeyValue {
	if https {
		return semconv.URLScheme("https")
	}

	return semconv.URLScheme("http")
}

// portOf returns the port that a request names, 0 where it names none or that of its protocol.
func portOf(r *http.Request) int {
	at := strings.LastIndexByte(r.Host, ':')
	// The last colon of a bare IPv6 address such as [::1] belongs to the address.
	if at < 0 || strings.HasSuffix(r.Host, "]") {
		return 0
	}
	port, err := strconv.Atoi(r.Host[at+1:])
	standard := 80
	if r.TLS != nil {
		standard = 443
	}
	if err != nil || port <= 0 || port > 65535 || port == standard {
		return 0
	}

	return port
}
