package launch

import (
	"context"
	"log/slog"
	"time"
)

// Repeat does work again and again until ctx ends, first after one interval. What fails is logged and done again with
// the next.
func Repeat(ctx context.Context, every time.Duration, log *slog.Logger, work func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// Work that the end of the process cut short has not failed.
			if err := work(ctx); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "the sweep is not finished", "err", err)
			}
		}
	}
}
