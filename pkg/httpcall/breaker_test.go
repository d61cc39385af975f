package httpcall_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// transport is a way to a service that a test makes up.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func answers(status int) transport {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: http.NoBody}, nil
	}
}

func fails(err error) transport {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs takes a call, with what there is of its body, and never answers.
func hangs(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer func() { _ = req.Body.Close() }()

		go func() { _, _ = io.Copy(io.Discard, req.Body) }()
	}
	<-req.Context().Done()

	return nil, req.Context().Err()
}

// readsBody fails as a transport does when the body of a call cannot be read.
func readsBody(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}

	return nil, errors.New("connection reset")
}

// watched is a breaker whose metrics are read.
type watched struct {
	*httpcall.Breaker
	t      *testing.T
	reader *sdkmetric.ManualReader
}

func newBreaker(t *testing.T) watched {
	reader := sdkmetric.NewManualReader()
	tel := telemetry.Discard("gateway", io.Discard)
	tel.Meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))

	return watched{httpcall.NewBreaker("case-svc", tel), t, reader}
}

// numbers returns the state, and how often the breaker came to each one.
func (w watched) numbers() (state int64, changes map[string]int64) {
	w.t.Helper()
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(context.Background(), &all); err != nil {
		w.t.Fatal(err)
	}
	state, changes = -1, map[string]int64{}

	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Gauge[int64]:
			if v, _ := data.DataPoints[0].Attributes.Value("dependency"); m.Name == "subrosa.breaker.state" && v.AsString() == "case-svc" {
				state = data.DataPoints[0].Value
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				if p.Attributes.HasValue("dependency") && m.Name == "subrosa.breaker.changes" {
					v, _ := p.Attributes.Value(attribute.Key("state"))
					changes[v.AsString()] = p.Value
				}
			}
		}
	}

	return state, changes
}

func (w watched) call(ctx context.Context, way transport, body io.Reader) error {
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://case-svc/v1/cases", body)
	resp, err := w.Before(way).RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
	}

	return err
}

// many makes n calls at once and waits for their ends.
func (w watched) many(n int, call func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(call)
	}
	all.Wait()
}

func TestWhatOpensABreaker(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	within := func(d time.Duration) func(*testing.T) context.Context {
		return func(t *testing.T) context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			t.Cleanup(cancel)

			return ctx
		}
	}
	left := func(t *testing.T) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)

		return ctx
	}

	long, stalled := within(10*time.Second), func() io.Reader { r, _ := io.Pipe(); return r }
	for _, tc := range []struct {
		name  string
		way   transport
		ctx   func(*testing.T) context.Context
		body  func() io.Reader
		opens bool
	}{
		{"no connection", fails(refused), long, nil, true},
		{"a connection cut before the answer", fails(io.ErrUnexpectedEOF), long, nil, true},
		{"no answer in the caller's ten seconds", hangs, long, nil, true},
		{"no answer to a body that was sent", hangs, long, func() io.Reader { return strings.NewReader("{}") }, true},
		{"a proxy that cannot reach it", answers(http.StatusBadGateway), long, nil, true},
		{"a proxy that waits in vain", answers(http.StatusGatewayTimeout), long, nil, true},
		{"an answer", answers(http.StatusOK), long, nil, false},
		{"its own failure", answers(http.StatusInternalServerError), long, nil, false},
		{"its store's failure, and an agent's", answers(http.StatusServiceUnavailable), long, nil, false},
		{"a caller's mistake", answers(http.StatusBadRequest), long, nil, false},
		{"callers that leave", hangs, left, nil, false},
		{"callers with little time", hangs, within(2 * time.Second), nil, false},
		{"bodies that break off", readsBody, long, func() io.Reader { return io.MultiReader(strings.NewReader("{"), broken{}) }, false},
		{"bodies that do not come", hangs, long, stalled, false},
		{"a tool that takes its time", hangs, func(t *testing.T) context.Context { return httpcall.MayBeSilent(long(t)) }, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBreaker(t)
				b.many(25, func() {
					var body io.Reader
					if tc.body != nil {
						body = tc.body()
					}
					_ = b.call(tc.ctx(t), tc.way, body)
				})
				if _, changes := b.numbers(); (changes["open"] > 0) != tc.opens {
					t.Errorf("opened %d times, want it to open: %t", changes["open"], tc.opens)
				}
			})
		})
	}
}

// broken is a body whose client is gone.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the client is gone") }

func TestHowMuchOpensABreaker(t *testing.T) {
	const in = 3 * time.Second
	for _, tc := range []struct {
		name      string
		good, bad int
		pause     time.Duration
		againBad  int
		open      bool
	}{
		{"one failed call", 0, 1, 0, 0, false},
		{"nineteen failed calls", 0, 19, 0, 0, false},
		{"twenty", 0, 20, 0, 0, true},
		{"as many as one of two replicas answers", 20, 20, 0, 0, false},
		{"fewer than four fifths", 10, 39, 0, 0, false},
		{"four fifths", 10, 40, 0, 0, true},
		{"what was longer ago", 0, 19, 6 * time.Second, 1, false},
		{"what was within the window", 0, 19, in, 1, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBreaker(t)
				good, bad := func() { _ = b.call(t.Context(), answers(200), nil) }, func() { _ = b.call(t.Context(), fails(io.EOF), nil) }
				b.many(tc.good, good)
				b.many(tc.bad, bad)
				time.Sleep(tc.pause) //nolint:forbidigo // the bubble's clock
				b.many(tc.againBad, bad)
				if state, _ := b.numbers(); (state == 2) != tc.open {
					t.Errorf("state %d, want open: %t", state, tc.open)
				}
			})
		})
	}
}

// A service that hangs is refused after a few seconds, tried every half second, and called again once it answers.
func TestABreakerOpensAndClosesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t)
		began := time.Now()
		hanging := func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_ = b.call(ctx, hangs, nil)
		}

		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(hanging)
		}
		time.Sleep(2500*time.Millisecond + 1) //nolint:forbidigo // the bubble's clock
		made := 0
		counting := transport(func(*http.Request) (*http.Response, error) { made++; return answers(200)(nil) })
		body := &closing{Reader: strings.NewReader("{}")}
		if err := b.call(t.Context(), counting, body); !errors.Is(err, httpcall.ErrOpen) || made > 0 || !body.closed ||
			time.Since(began) > 3*time.Second {
			t.Errorf(
				"a call while calls hang = %v after %v, %d made, want %v at once",
				err,
				time.Since(began),
				made,
				httpcall.ErrOpen,
			)
		}
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock

		for range 3 { // the tries
			waiting.Go(hanging)
		}
		synctest.Wait()
		if err := b.call(t.Context(), counting, nil); !errors.Is(err, httpcall.ErrOpen) {
			t.Errorf("a fourth call beside three tries = %v, want %v", err, httpcall.ErrOpen)
		}
		time.Sleep(2500*time.Millisecond + 1) //nolint:forbidigo // the bubble's clock
		if state, changes := b.numbers(); state != 2 || changes["open"] != 2 || changes["half-open"] != 1 {
			t.Errorf("after tries that hang: state %d, changes %v, want open again", state, changes)
		}
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock

		for n := range 3 {
			if err := b.call(t.Context(), counting, nil); err != nil || made != n+1 {
				t.Errorf("try %d = %v, %d made", n+1, err, made)
			}
		}
		if state, changes := b.numbers(); state != 0 || changes["closed"] != 1 {
			t.Errorf("after three answers: state %d, changes %v, want closed", state, changes)
		}
		waiting.Wait() // what fails now, late, counts no more
		if state, _ := b.numbers(); state != 0 {
			t.Errorf("state %d after the last of the old calls, want closed", state)
		}
	})
}

// Tries that end without telling anything make room for others.
func TestATryThatSaysNothingBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t)
		b.many(20, func() { _ = b.call(t.Context(), fails(io.EOF), nil) })
		time.Sleep(time.Second + 1) //nolint:forbidigo // the bubble's clock

		ctx, cancel := context.WithTimeout(httpcall.MayBeSilent(t.Context()), 5*time.Minute)
		defer cancel()

		for range 3 {
			go func() { _ = b.call(ctx, hangs, nil) }()
		}
		synctest.Wait()
		if err := b.call(t.Context(), answers(200), nil); !errors.Is(err, httpcall.ErrOpen) {
			t.Errorf("a call beside three tries = %v, want %v", err, httpcall.ErrOpen)
		}
		time.Sleep(500*time.Millisecond + 1) //nolint:forbidigo // the bubble's clock
		if err := b.call(t.Context(), answers(200), nil); err != nil {
			t.Errorf("a call beside three tools that are at work = %v", err)
		}
	})
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestAClientSaysThatCallsAreRefused(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var log strings.Builder
	tel := telemetry.Discard("party-svc", &log)
	client, err := httpcall.NewClient(
		gone.URL,
		nil,
		tel,
		httpcall.NewBreaker("case-svc", tel).Before(httpcall.NewTransport()),
	)
	if err != nil {
		t.Fatal(err)
	}

	call := func() error {
		_, err := client.Do(t.Context(), httpcall.Request{Method: http.MethodGet, Path: "/v1/cases"})
		return err
	}
	for range 10 { // each is tried twice
		if err := call(); errors.Is(err, httpcall.ErrOpen) && errs.From(err).RetryAfter == httpcall.ErrOpen.RetryAfter {
			t.Fatalf("refused too early: %v", err)
		}
	}
	if e := errs.From(call()); e.Kind != errs.Unavailable || e.RetryAfter != time.Second ||
		e.Message != httpcall.ErrOpen.Message {
		t.Errorf("a refused call = %+v, want %+v", e, httpcall.ErrOpen)
	}
	if got := strings.Count(log.String(), `"dependency":"case-svc"`); got != 1 ||
		!strings.Contains(log.String(), slog.LevelWarn.String()) {
		t.Errorf("%d lines in the log, want one at the change:\n%s", got, log.String())
	}
}
