package mongox

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

const (
	instrumentation = "github.com/subrosa-legal/subrosa/pkg/mongox"
	// maxOpen bounds the commands under way that are remembered. Those beyond it go unreported, so that a driver that
	// lost the end of a command cannot make the monitor grow for ever.
	maxOpen = 4096
)

// call identifies a command between its start and its end.
type call struct {
	connection string
	request    int64
}

// observed is what the end of a command needs to know of its start.
type observed struct {
	ctx   context.Context
	span  trace.Span
	attrs []attribute.KeyValue
}

// monitor turns the driver's command events into spans and durations. It looks at the name of a command, its collection
// and its database, and at nothing else.
type monitor struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram

	mu   sync.Mutex
	open map[call]observed
}

// newMonitor returns a monitor that notes writes (see errs.Changed) and, where there is somewhere to report to, reports
// commands.
func newMonitor(traces trace.TracerProvider, meters metric.MeterProvider) (*event.CommandMonitor, error) {
	if traces == nil && meters == nil {
		return &event.CommandMonitor{Succeeded: noteWrite, Failed: noteDoubt}, nil
	}
	m := &monitor{open: map[call]observed{}}
	if traces != nil {
		m.tracer = traces.Tracer(instrumentation)
	}
	if meters != nil {
		duration, err := meters.Meter(instrumentation).Float64Histogram("db.client.operation.duration",
			metric.WithUnit("s"), metric.WithDescription("Duration of database client operations."))
		if err != nil {
			return nil, err
		}
		m.duration = duration
	}

	return &event.CommandMonitor{
		Started: m.started,
		Succeeded: func(ctx context.Context, e *event.CommandSucceededEvent) {
			noteWrite(ctx, e)
			m.finished(&e.CommandFinishedEvent, nil)
		},
		Failed: func(ctx context.Context, e *event.CommandFailedEvent) {
			noteDoubt(ctx, e)
			m.finished(&e.CommandFinishedEvent, e.Failure)
		},
	}, nil
}

func (m *monitor) started(ctx context.Context, e *event.CommandStartedEvent) {
	switch e.CommandName {
	case "hello", "isMaster", "ping", "endSessions", "saslStart", "saslContinue":
		// The driver's own housekeeping belongs to no request.
		return
	}
	name := e.CommandName
	attrs := []attribute.KeyValue{
		semconv.DBSystemNameMongoDB,
		semconv.DBOperationName(e.CommandName),
		semconv.DBNamespace(e.DatabaseName),
	}
	if c := collectionOf(e.CommandName, e.Command); c != "" {
		name += " " + c
		attrs = append(attrs, semconv.DBCollectionName(c))
	}
	host, port := peer(e.ConnectionID)
	attrs = append(attrs, semconv.ServerAddress(host))
	if port != 0 {
		attrs = append(attrs, semconv.ServerPort(port))
	}
	// This comes before the span begins: one that is begun and never ended would stay in memory.
	if m.full() {
		return
	}
	o := observed{ctx: ctx, attrs: attrs}
	if m.tracer != nil {
		o.ctx, o.span = m.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open[call{e.ConnectionID, e.RequestID}] = o
}

func (m *monitor) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()

	return len(m.open) >= maxOpen
}

func (m *monitor) finished(e *event.CommandFinishedEvent, failed error) {
	id := call{e.ConnectionID, e.RequestID}
	// The entry is taken out whatever follows, or the map would grow with each command.
	m.mu.Lock()
	o, ok := m.open[id]
	delete(m.open, id)
	m.mu.Unlock()
	if !ok {
		return
	}
	attrs := o.attrs
	if failed != nil {
		kind := errorType(failed)
		attrs = append(attrs, semconv.ErrorTypeKey.String(kind))
		if o.span != nil {
			o.span.SetStatus(codes.Error, kind)
			o.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		}
	}
	if o.span != nil {
		o.span.End()
	}
	if m.duration != nil {
		m.duration.Record(o.ctx, e.Duration.Seconds(), metric.WithAttributes(attrs...))
	}
}

// collectionOf reads the collection from a command, whose value it usually is; getMore carries its cursor there.
func collectionOf(name string, command bson.Raw) string {
	key := name
	if name == "getMore" {
		key = "collection"
	}
	c, _ := command.Lookup(key).StringValueOK()

	return c
}

// peer takes host and port out of a connection's id such as "10.0.0.7:27017[-4]".
func peer(id string) (host string, port int) {
	if i := strings.LastIndexByte(id, '['); i > 0 {
		id = id[:i]
	}
	host, text, err := net.SplitHostPort(id)
	// A socket of Unix has no port.
	if err != nil {
		return id, 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return host, 0
	}

	return host, int(n)
}
