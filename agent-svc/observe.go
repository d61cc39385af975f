package agentsvc

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/singleflight"
)

// settler returns the function by which streams have lost runs settled: once for all the readers of a run in this process.
func settler(r *runs.Runs, log *slog.Logger) func(ctx context.Context, k stream.Key) bool {
	var flight singleflight.Group
	return func(ctx context.Context, k stream.Key) bool {
		ended, err, _ := flight.Do(k.String(), func() (any, error) {
			phase, err := r.Settle(asTenant(context.WithoutCancel(ctx), k.Tenant), k)
			return runs.Ended(phase), err
		})
		if err != nil {
			log.WarnContext(ctx, "a run without a process could not be settled yet", "err", err)
			return false
		}
		return ended.(bool)
	}
}

// meter reports how many runs and streams there are, and how many readers were cut off.
func meter(tel *telemetry.Telemetry, r *runs.Runs, s *stream.Server) error {
	m := tel.Meters.Meter("github.com/subrosa-legal/subrosa/agent-svc")
	running, err := m.Int64ObservableGauge("subrosa.runs.active", metric.WithDescription("runs of this process"))
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	open, err := m.Int64ObservableGauge("subrosa.streams.active", metric.WithDescription("open streams of this process"))
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	cut, err := m.Int64ObservableCounter("subrosa.streams.cut", metric.WithDescription("readers that stopped reading and were cut off"))
	if err != nil {
		return fmt.Errorf("make metric: %w", err)
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(running, r.Running.Load())
		o.ObserveInt64(open, s.Open.Load())
		o.ObserveInt64(cut, s.Cut.Load())
		return nil
	}, running, open, cut)
	return err
}
