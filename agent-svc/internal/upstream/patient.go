package upstream

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// patience are the pauses before a read is made again. A run has minutes: it does not fail because a service was busy
// or away for a moment.
var patience = []time.Duration{250 * time.Millisecond, 2 * time.Second}

// patient makes a read again that a service could not answer (errs.Unavailable), up to three times in all. It returns
// the last failure, at once when ctx ends. read must change nothing.
func patient[T any](ctx context.Context, read func() (T, error)) (T, error) {
	for _, pause := range patience {
		v, err := read()
		if err == nil || errs.From(err).Kind != errs.Unavailable {
			return v, err
		}

		// The last try is made outside of the loop, so that no pause follows it.
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return v, err
		}
	}

	return read()
}
