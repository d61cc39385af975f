package httpx_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// floor is an engine with so many places whose requests stay until they are let go.
type floor struct {
	engine  *gin.Engine
	entered chan struct{}
	release chan struct{}
}

func newFloor(limit int, wait time.Duration) *floor {
	tel := telemetry.Discard("x", io.Discard)
	f := &floor{engine: httpx.NewEngine(tel), entered: make(chan struct{}), release: make(chan struct{})}
	inFlight := httpx.NewInFlight(limit, wait)
	fail := func(c *gin.Context, err error) { httpx.Fail(c, tel.Log, err) }
	f.engine.Use(func(c *gin.Context) {
		inFlight.Serve(c, places.Who{Tenant: c.GetHeader("Tenant"), Caller: c.GetHeader("Caller")}, fail)
	})
	f.engine.GET("/held", func(c *gin.Context) {
		f.entered <- struct{}{}
		<-f.release
		c.Status(http.StatusNoContent)
	})
	f.engine.GET("/aside", func(c *gin.Context) {
		httpx.StepAside(c.Request.Context())
		f.entered <- struct{}{}
		<-f.release
		c.Status(http.StatusNoContent)
	})
	f.engine.GET("/quick", func(c *gin.Context) { c.Status(http.StatusNoContent) })

	return f
}

func (f *floor) ask(path, tenant, caller string) *httptest.ResponseRecorder {
	return f.askWithin(context.Background(), path, tenant, caller)
}

func (f *floor) askWithin(ctx context.Context, path, tenant, caller string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	req.Header.Set("Tenant", tenant)
	req.Header.Set("Caller", caller)
	rec := httptest.NewRecorder()
	f.engine.ServeHTTP(rec, req)

	return rec
}

// hold has so many requests stay.
func (f *floor) hold(t *testing.T, n int, path, tenant, caller string) {
	t.Helper()

	for range n {
		go f.ask(path, tenant, caller)
		<-f.entered
	}
}

func TestInFlight(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name           string
		held           int // of 16 places
		path           string
		tenant, caller string // whose they are
		then           [2]string
		want           int
	}{
		{"a place is free", 7, "/held", "a", "1", [2]string{"a", "1"}, http.StatusNoContent},
		{"the one who holds half of them", 8, "/held", "a", "1", [2]string{"b", "1"}, http.StatusNoContent},
		{"its share is spent", 13, "/held", "a", "1", [2]string{"a", "1"}, http.StatusServiceUnavailable},
		{"that of a colleague is not", 13, "/held", "a", "1", [2]string{"a", "2"}, http.StatusNoContent},
		{"nor that of another firm", 13, "/held", "a", "1", [2]string{"b", "1"}, http.StatusNoContent},
		{"nor that of who is not known", 13, "/held", "a", "1", [2]string{"", ""}, http.StatusNoContent},
		{"those who are not known have spent theirs", 11, "/held", "", "", [2]string{"", ""}, http.StatusServiceUnavailable},
		{"and leave some to those who are", 11, "/held", "", "", [2]string{"a", "1"}, http.StatusNoContent},
		{"who only waits has stepped aside", 20, "/aside", "a", "1", [2]string{"a", "1"}, http.StatusNoContent},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			f := newFloor(16, time.Millisecond)
			defer close(f.release)
			f.hold(t, tc.held, tc.path, tc.tenant, tc.caller)
			got := f.ask("/quick", tc.then[0], tc.then[1])
			if got.Code != tc.want {
				t.Errorf("the next is answered %d, want %d", got.Code, tc.want)
			}
			if got.Code == http.StatusServiceUnavailable && got.Header().Get("Retry-After") != "1" {
				t.Errorf("Retry-After = %q", got.Header().Get("Retry-After"))
			}
		})
	}
}

// A request that finds no place waits, and has the one that comes free.
func TestInFlightWaits(t *testing.T) {
	t.Parallel()
	f := newFloor(1, time.Minute)
	f.hold(t, 1, "/held", "a", "1")
	second := make(chan int)

	go func() { second <- f.ask("/quick", "b", "1").Code }()
	select {
	case code := <-second:
		t.Errorf("the second was answered %d while the first had the only place", code)
	case <-time.After(20 * time.Millisecond):
	}
	close(f.release)
	if code := <-second; code != http.StatusNoContent {
		t.Errorf("the second = %d", code)
	}
}

// Whoever leaves while they wait for a place is not refused: nobody reads an answer, and no failure is counted. A call
// whose time is over is, since its caller is still there.
func TestInFlightLeavesAlone(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		ends func(ctx context.Context) (context.Context, context.CancelFunc)
		want bool
	}{
		{"the caller has left", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(10*time.Millisecond, cancel)

			return ctx, cancel
		}, false},
		{"the time is over", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 10*time.Millisecond)
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			f := newFloor(1, time.Minute)
			defer close(f.release)
			f.hold(t, 1, "/held", "a", "1")

			ctx, cancel := tc.ends(t.Context())
			defer cancel()
			got := f.askWithin(ctx, "/quick", "b", "1")
			refused := got.Code == http.StatusServiceUnavailable
			if refused != tc.want || (got.Body.Len() > 0) != tc.want {
				t.Errorf("answered %d %q, want refused %t", got.Code, got.Body, tc.want)
			}
			if got.Code == http.StatusNoContent {
				t.Error("it was served without a place")
			}
		})
	}
}
