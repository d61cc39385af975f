package httpx

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// InFlight bounds how many requests a process works on at once, and shares that number out among callers, so that one
// whose calls are slow, or who takes answers slowly, leaves room for the others. It is safe for concurrent use.
type InFlight struct {
	places *places.Places
	wait   time.Duration

	mu    sync.Mutex
	freed chan struct{} // closed when a place comes free; nil while nobody waits
}

// NewInFlight returns places for limit requests. One that finds none free waits for up to wait.
func NewInFlight(limit int, wait time.Duration) *InFlight {
	return &InFlight{places: places.New(places.Limits{All: limit}), wait: wait}
}

// Serve has the rest of the handlers serve c within a place of who. Without one it fails with ErrBusy, but for a caller
// who has left meanwhile: that ends without an answer.
func (f *InFlight) Serve(c *gin.Context, who places.Who, fail func(*gin.Context, error)) {
	leave, err := f.enter(c.Request.Context(), who)
	if err != nil {
		c.Abort()
		// Whoever still waits when the time is over hears why.
		if !errors.Is(err, context.Canceled) {
			fail(c, ErrBusy)
		}

		return
	}
	defer leave()
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), placeKey{}, leave))
	c.Next()
}

// enter takes a place, at once or within the time to wait. A second call of leave does nothing.
func (f *InFlight) enter(ctx context.Context, who places.Who) (leave func(), err error) {
	if giveBack, err := f.places.Take(who); err == nil {
		return f.leaving(giveBack), nil
	}

	patience := time.NewTimer(f.wait)
	defer patience.Stop()

	for {
		// The channel comes before another look, or a place that comes free in between would be missed.
		freed := f.next()
		if giveBack, err := f.places.Take(who); err == nil {
			return f.leaving(giveBack), nil
		}
		select {
		case <-freed:
		case <-patience.C:
			return nil, ErrBusy
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next returns a channel that is closed when a place comes free.
func (f *InFlight) next() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.freed == nil {
		f.freed = make(chan struct{})
	}

	return f.freed
}

func (f *InFlight) leaving(giveBack func()) func() {
	return sync.OnceFunc(func() {
		giveBack()
		f.mu.Lock()
		defer f.mu.Unlock()
		// Closing wakes all who wait: the next in line may be one whose share is used up, and another can go ahead.
		if f.freed != nil {
			close(f.freed)
			f.freed = nil
		}
	})
}

type placeKey struct{}

// StepAside gives back the place that the request of ctx took of InFlight: from now on it waits rather than works.
// Without a place it does nothing.
func StepAside(ctx context.Context) {
	if leave, ok := ctx.Value(placeKey{}).(func()); ok {
		leave()
	}
}
