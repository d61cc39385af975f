package agentsvc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"
)

// settler returns the function by which streams have lost runs settled: once for all the readers of a run in this
// process.
func settler(r *runs.Runs, log *slog.Logger) func(ctx context.Context, k stream.Key) bool {
	var flight singleflight.Group

	return func(ctx context.Context, k stream.Key) bool {
		ended, err, _ := flight.Do(k.String(), func() (any, error) {
			// The reader who came first may leave; the others wait for the same answer.
			phase, err := r.Settle(asTenant(context.WithoutCancel(ctx), k.Tenant), k)
			// It left the line of its branch, which ends it without a record.
			if errors.Is(err, errs.ErrNotFound) {
				return true, nil
			}

			return runs.Ended(phase), err
		})
		if err != nil {
			log.WarnContext(ctx, "a run without a process could not be settled yet", "err", err)
			return false
		}

		return ended.(bool)
	}
}

const instrumentation = "github.com/subrosa-legal/subrosa/agent-svc"

// runBounds are the bounds of run durations in seconds: rules answer in milliseconds, models in minutes.
var runBounds = []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// instrument has runs report their ends, and what became of those whose process died.
func instrument(r *runs.Runs, tel *telemetry.Telemetry) (err error) {
	if r.Observe, err = observer(tel); err != nil {
		return err
	}
	r.Lost, err = counter(tel)

	return err
}

// observer returns what reports the ends of runs: how long they took by what was asked for and how they ended, and the
// tiers found.
func observer(tel *telemetry.Telemetry) (func(context.Context, runs.Outcome), error) {
	m := tel.Meters.Meter(instrumentation)
	took, err := m.Float64Histogram(
		"subrosa.run.duration",
		metric.WithUnit("s"),
		metric.WithDescription("runs by what was asked for and how they ended"),
		metric.WithExplicitBucketBoundaries(runBounds...),
	)
	if err != nil {
		return nil, fmt.Errorf("make metric: %w", err)
	}
	tiers, err := m.Int64Counter("subrosa.evaluations", metric.WithDescription("evaluations by the tier they found"))
	if err != nil {
		return nil, fmt.Errorf("make metric: %w", err)
	}

	return func(ctx context.Context, o runs.Outcome) {
		took.Record(ctx, o.Took.Seconds(), metric.WithAttributes(
			attribute.String("intent", o.Asked),
			attribute.String("status", o.Status),
			attribute.String("mode", o.Mode),
		))
		if o.Tier != "" {
			tiers.Add(ctx, 1, metric.WithAttributes(attribute.String("tier", o.Tier)))
		}
	}, nil
}

// agentName is what traces call the agent that the protocol's messages go to.
const agentName = "Subrosa"

// callBounds are the bounds of the times of calls in seconds: tasks are read in milliseconds, streams last for minutes.
var callBounds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}

// callMeter returns what reports calls of the agent-to-agent protocol by OpenTelemetry's conventions for calls and for
// agents: on the span of the request, and as a duration by operation and outcome. Nothing that a caller wrote is told.
func callMeter(tel *telemetry.Telemetry) (func(context.Context, a2a.Call), error) {
	took, err := tel.Meters.Meter(instrumentation).Float64Histogram(
		"rpc.server.call.duration",
		metric.WithUnit("s"),
		metric.WithDescription("calls of the agent-to-agent protocol, streams to their end"),
		metric.WithExplicitBucketBoundaries(callBounds...),
	)
	if err != nil {
		return nil, fmt.Errorf("make metric: %w", err)
	}

	return func(ctx context.Context, c a2a.Call) {
		attrs := []attribute.KeyValue{semconv.RPCSystemNameKey.String(c.Binding), semconv.RPCMethod(c.Method)}
		if c.Failure != nil {
			attrs = append(
				attrs,
				semconv.RPCResponseStatusCode(strconv.Itoa(c.Code())),
				semconv.ErrorTypeKey.String(c.Failure.Reason),
			)
		}
		took.Record(ctx, c.Took.Seconds(), metric.WithAttributes(attrs...))

		span := trace.SpanFromContext(ctx)
		span.SetAttributes(attrs...)
		if c.Binding == a2a.BindingRPC {
			span.SetAttributes(semconv.JSONRPCProtocolVersion("2.0"))
		}
		if c.Asks() {
			span.SetAttributes(semconv.GenAIOperationNameInvokeAgent, semconv.GenAIAgentName(agentName))
		}
	}, nil
}

// counter returns what counts what became of runs whose process died.
func counter(tel *telemetry.Telemetry) (func(ctx context.Context, became string), error) {
	lost, err := tel.Meters.Meter(instrumentation).Int64Counter(
		"subrosa.runs.interrupted", metric.WithDescription("runs whose process died, and what became of them"),
	)
	if err != nil {
		return nil, fmt.Errorf("make metric: %w", err)
	}

	// A counter that appears with its first event shows no increase; each is there from the start.
	for _, became := range runs.Fates() {
		lost.Add(context.Background(), 0, metric.WithAttributes(attribute.String("became", became)))
	}

	return func(ctx context.Context, became string) {
		lost.Add(ctx, 1, metric.WithAttributes(attribute.String("became", became)))
	}, nil
}

// meter reports how many runs and streams there are, how many readers were cut off, and how many writes to streams were
// late.
func meter(tel *telemetry.Telemetry, r *runs.Runs, s *stream.Server) error {
	m := tel.Meters.Meter(instrumentation)
	running, err := m.Int64ObservableGauge("subrosa.runs.active", metric.WithDescription("runs of this process"))
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	open, err := m.Int64ObservableGauge(
		"subrosa.streams.active", metric.WithDescription("open streams of this process"),
	)
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	cut, err := m.Int64ObservableCounter(
		"subrosa.streams.cut", metric.WithDescription("readers that stopped reading and were cut off"),
	)
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	sent, err := m.Int64ObservableCounter(
		"subrosa.streams.writes", metric.WithDescription("writes to streams, heartbeats among them"),
	)
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	late, err := m.Int64ObservableCounter(
		"subrosa.streams.late",
		metric.WithDescription("writes to streams after a silence longer than the interface allows"),
	)
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(running, r.Running.Load())
		o.ObserveInt64(open, s.Open.Load())
		o.ObserveInt64(cut, s.Cut.Load())
		o.ObserveInt64(sent, s.Sent.Load())
		o.ObserveInt64(late, s.Late.Load())

		return nil
	}, running, open, cut, sent, late)

	return err
}
