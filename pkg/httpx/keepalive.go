package httpx

import (
	"context"
	"sync"
	"time"
)

// KeepAlive calls tell at each interval, so that an answer which takes long shows signs of life, until ctx ends or stop
// is called. stop returns when tell is not running any more.
func KeepAlive(ctx context.Context, interval time.Duration, tell func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var under sync.WaitGroup
	under.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()

		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				tell()
			}
		}
	})

	return func() { cancel(); under.Wait() }
}
