package httpcall

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// When calls are refused, and for how long. One of two replicas that is gone makes about half of the calls fail, and
// must not cost the other half: so the share is well above that. Rest is short, since a service that starts again
// answers within a second.
const (
	silence = 2500 * time.Millisecond // without an answer is a failure; longer than a service waits for its stores
	glance  = 500 * time.Millisecond  // at calls whose silence says nothing: they do not keep others from being tried
	window  = 5 * time.Second         // that is looked back on, in slices
	slice   = 500 * time.Millisecond
	enough  = 20  // calls within the window before their share of failures says anything
	most    = 0.8 // share of failures at which calls are refused
	rest    = 500 * time.Millisecond
	probes  = 3 // calls that are let through after the rest; all of them must be answered
)

// ErrOpen is the answer to a call that was not made, because most of those before it failed.
var ErrOpen = errs.New(
	errs.Unavailable,
	"unavailable",
	"A part of the service is not responding, and nothing was changed. Try again after the time in Retry-After.",
).WithRetryAfter(time.Second).WithUntouched()

// Breaker refuses calls to one other service at once, rather than let each wait, while most of them fail. What counts
// is whether the service answers, not what: a 503 of its own is an answer that came at once. A Breaker may be shared,
// and should be by everything in a process that calls the same service.
type Breaker struct {
	gate       *gobreaker.TwoStepCircuitBreaker[struct{}]
	dependency string
	log        *slog.Logger
	changes    metric.Int64Counter
}

// NewBreaker returns the breaker for calls to the service named dependency.
func NewBreaker(dependency string, tel *telemetry.Telemetry) *Breaker {
	b := &Breaker{dependency: dependency, log: tel.Log}
	b.gate = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: probes, Interval: window, BucketPeriod: slice, Timeout: rest,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			// Requests would count calls that are still under way, too.
			judged := c.TotalSuccesses + c.TotalFailures
			return judged >= enough && float64(c.TotalFailures) >= most*float64(judged)
		},
		OnStateChange: func(_ string, _, to gobreaker.State) { b.changed(to) },
		IsExcluded:    func(err error) bool { return errors.Is(err, errNeither) },
	})
	b.report(tel.Meters.Meter("github.com/subrosa-legal/subrosa/pkg/httpcall"))

	return b
}

// report shows the state as subrosa.breaker.state (0 closed, 1 half-open, 2 open) and its changes as
// subrosa.breaker.changes.
func (b *Breaker) report(meter metric.Meter) {
	state, err := meter.Int64ObservableGauge(
		"subrosa.breaker.state",
		metric.WithDescription("whether calls to a service are made (0), tried (1) or refused (2)"),
	)
	// The names are constants, and state is of this very meter: these are mistakes in the code.
	if err != nil {
		panic(err) // the name cannot be wrong
	}
	b.changes, err = meter.Int64Counter(
		"subrosa.breaker.changes",
		metric.WithDescription("changes to a state of a breaker"),
	)
	if err != nil {
		panic(err) // likewise
	}
	of := metric.WithAttributes(attribute.String("dependency", b.dependency))
	if _, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(state, int64(b.gate.State()), of)
		return nil
	}, state); err != nil {
		panic(err) // state is of this meter
	}

	for _, to := range []gobreaker.State{gobreaker.StateClosed, gobreaker.StateHalfOpen, gobreaker.StateOpen} {
		b.count(to, 0) // so that the first change is an increase
	}
}

func (b *Breaker) count(to gobreaker.State, n int64) {
	b.changes.Add(context.Background(), n, metric.WithAttributes(
		attribute.String("dependency", b.dependency),
		attribute.String("state", to.String()),
	))
}

// changed is told of each change of state, within the breaker's lock.
func (b *Breaker) changed(to gobreaker.State) {
	b.count(to, 1)

	switch to {
	case gobreaker.StateOpen:
		b.log.Warn("calls to a service are refused, since it does not answer", "dependency", b.dependency)
	case gobreaker.StateHalfOpen:
		b.log.Info("a few calls to a service are tried again", "dependency", b.dependency)
	case gobreaker.StateClosed:
		b.log.Info("calls to a service are made again", "dependency", b.dependency)
	}
}

// Before returns next behind the breaker. A call that is refused ends with ErrOpen.
func (b *Breaker) Before(next http.RoundTripper) http.RoundTripper { return guarded{b, next} }

type guarded struct {
	*Breaker
	next http.RoundTripper
}

// RoundTrip makes the call unless it is refused.
func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	done, err := g.gate.Allow()
	if err != nil {
		trace.SpanFromContext(req.Context()).SetAttributes(attribute.String("subrosa.breaker", "open"))
		// A transport must close the body of each request, also of one that it refuses.
		if req.Body != nil {
			_ = req.Body.Close()
		}

		return nil, ErrOpen
	}
	t := try(req, done)
	resp, err := again(g.next, t.req)
	t.ended(resp, err)

	return resp, err
}

// What a call can say of the service, beside nil: that it answers.
var (
	errFailed  = errors.New("the service does not answer")
	errNeither = errors.New("the call says nothing of the service")
)

// trial is a call that is judged once: by its answer or failure, or by its silence when that comes first.
type trial struct {
	req          *http.Request
	mayWait      bool
	silent       *time.Timer
	sent, broken atomic.Bool // the body was read to its end, could not be read
	once         sync.Once
	done         func(error)
}

func try(req *http.Request, done func(error)) *trial {
	t := &trial{req: req, done: done, mayWait: req.Context().Value(silentKey{}) != nil}
	if req.Body == nil || req.Body == http.NoBody {
		t.sent.Store(true)
	} else {
		// A copy, since a transport must not change its caller's request.
		t.req = req.WithContext(req.Context())
		t.req.Body = &tried{req.Body, t}

		if anew := req.GetBody; anew != nil {
			t.req.GetBody = func() (io.ReadCloser, error) {
				body, err := anew()
				if err != nil {
					return nil, err
				}

				return &tried{body, t}, nil
			}
		}
	}
	t.silent = time.AfterFunc(t.within(), t.unanswered)

	return t
}

// within is how long there may be no answer before the call is judged without one.
func (t *trial) within() time.Duration {
	if t.mayWait {
		return glance
	}

	return silence
}

// tried is the body of a call, which comes from the caller and may be slow, or break off, without the service's doing.
type tried struct {
	io.ReadCloser
	of *trial
}

// Read reads the body. Once all of it is sent the silence begins anew.
func (b *tried) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.of.sent.Store(true)
		// An upload may take longer than a silence lasts. Only then is it the service's turn.
		b.of.silent.Reset(b.of.within())
	case err != nil:
		b.of.broken.Store(true)
	}

	return n, err
}

func (t *trial) judge(verdict error) { t.once.Do(func() { t.done(verdict) }) }

// unanswered judges a call that has had no answer yet.
func (t *trial) unanswered() {
	if !t.sent.Load() || t.mayWait {
		t.judge(errNeither)
		return
	}
	t.judge(errFailed)
}

// ended judges a call that was answered or failed.
func (t *trial) ended(resp *http.Response, err error) {
	t.silent.Stop()

	switch {
	// No service of ours answers so: something in between cannot reach it.
	case err == nil && (resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout):
		t.judge(errFailed) // no service of ours says that: something in between cannot reach it
	case err == nil:
		t.judge(nil)
	// The caller left, broke off its body, or had less time than a silence takes.
	case t.broken.Load(), t.req.Context().Err() != nil:
		t.judge(errNeither) // the caller left, or had less time than a silence takes
	default:
		t.judge(errFailed)
	}
}

type silentKey struct{}

// MayBeSilent marks the calls under the context it returns as ones that wait for a run or for somebody outside before
// they are answered, so that their silence says nothing of the service.
func MayBeSilent(ctx context.Context) context.Context {
	return context.WithValue(ctx, silentKey{}, true)
}
