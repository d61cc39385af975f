package httpx_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// TestWhatIsSaidOfALostCall: nobody hears that nothing was changed of a call that a service may have carried out.
func TestWhatIsSaidOfALostCall(t *testing.T) {
	lost := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(lost.Close)
	halfway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"a":`))
	}))
	t.Cleanup(halfway.Close)

	for _, tc := range []struct {
		name, method, at string
		want             *errs.Error
	}{
		{"a change that is lost", http.MethodPost, lost.Listener.Addr().String(), errs.ErrUncertain},
		{"a removal that is lost", http.MethodDelete, lost.Listener.Addr().String(), errs.ErrUncertain},
		{"reading that is lost", http.MethodGet, lost.Listener.Addr().String(), errs.ErrUnavailable},
		{"an answer that breaks off", http.MethodPost, halfway.Listener.Addr().String(), errs.ErrUncertain},
		{"nobody to send it to", http.MethodPost, "127.0.0.1:1", errs.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out map[string]any
			_, err := clientOf(t, tc.at).Do(t.Context(), httpcall.Request{Method: tc.method, Path: "/", Out: &out})
			if got := errs.From(err); !errors.Is(err, errs.ErrUnavailable) || got.Message != tc.want.Message {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestWhoeverReadsHearsNoDoubt: a service may change something for a caller who only reads, which is not the caller's.
func TestWhoeverReadsHearsNoDoubt(t *testing.T) {
	for _, tc := range []struct {
		name, method string
		failure      error
		want         *errs.Error
	}{
		{"reading, a lost call further in", http.MethodGet, errs.ErrUncertain, errs.ErrUnavailable},
		{"a change, a lost call further in", http.MethodPost, errs.ErrUncertain, errs.ErrUncertain},
		{"reading, out of time", http.MethodGet, context.DeadlineExceeded, errs.ErrUnavailable},
		{"a change, out of time", http.MethodPatch, context.DeadlineExceeded, errs.ErrUncertain},
		{"a change that was refused", http.MethodPost, httpcall.ErrOpen, httpcall.ErrOpen},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tel := telemetry.Discard("x", io.Discard)
			engine := httpx.NewEngine(tel)
			engine.Handle(tc.method, "/", httpx.Handle(tel.Log, func(*gin.Context) error { return tc.failure }))
			answer := httptest.NewRecorder()
			engine.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), tc.method, "/", nil))
			said := answer.Body.String()
			if answer.Code != http.StatusServiceUnavailable || !strings.Contains(said, tc.want.Message) {
				t.Errorf("got %d %s, want %q", answer.Code, said, tc.want.Message)
			}
		})
	}
}

// TestOfWhatWasChangedNobodyHearsThatNothingWas: a call that fails when a store or another service has already changed
// something leaves open what was done.
func TestOfWhatWasChangedNobodyHearsThatNothingWas(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(other.Close)
	client := clientOf(t, other.Listener.Addr().String())
	lost := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(lost.Close)
	gone := clientOf(t, lost.Listener.Addr().String())
	call := func(method string) func(*testing.T, context.Context) {
		return func(t *testing.T, ctx context.Context) {
			if _, err := client.Do(ctx, httpcall.Request{Method: method, Path: "/"}); err != nil {
				t.Error(err)
			}
		}
	}
	written := func(_ *testing.T, ctx context.Context) { errs.Changed(ctx) }
	nothing := func(*testing.T, context.Context) {}
	dialed := &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}

	for _, tc := range []struct {
		name, method string
		before       func(*testing.T, context.Context)
		failure      error
		want         *errs.Error
	}{
		{"nothing was done", http.MethodPost, nothing, errs.ErrUnavailable, errs.ErrUnavailable},
		{"a store has written", http.MethodPost, written, errs.ErrUnavailable, errs.ErrUncertain},
		{"the next call is not made", http.MethodPost, written, httpcall.ErrOpen, errs.ErrUncertain},
		{"the time ran out while the next call was dialed", http.MethodPost, written, dialed, errs.ErrUncertain},
		{"the time ran out while the first call was dialed", http.MethodPost, nothing, dialed, errs.ErrUnavailable},
		{"no time is left for the next call", http.MethodPost, written, httpcall.ErrTooLate, errs.ErrUncertain},
		{"no time was left for anything", http.MethodPost, nothing, httpcall.ErrTooLate, httpcall.ErrTooLate},
		{"the next service had no time", http.MethodPost, written, answered(t, httpcall.ErrTooLate), errs.ErrUncertain},
		{"the next service was not available", http.MethodPost, written, answered(t, errs.ErrUnavailable), errs.ErrUncertain},
		{"a record was written", http.MethodPost, func(t *testing.T, ctx context.Context) {
			written(t, errs.Aside(ctx))
		}, errs.ErrUnavailable, errs.ErrUnavailable},
		{"another service has done it", http.MethodPut, call(http.MethodPost), errs.ErrUnavailable, errs.ErrUncertain},
		{"a call of another service was lost", http.MethodPut, func(t *testing.T, ctx context.Context) {
			if _, err := gone.Do(ctx, httpcall.Request{Method: http.MethodPost, Path: "/"}); err == nil {
				t.Error("it was not lost")
			}
		}, errs.ErrUnavailable, errs.ErrUncertain},
		{
			"another service failed", http.MethodPut, failing(errs.ErrInternal),
			errs.ErrUnavailable, errs.ErrUncertain,
		},
		{
			"another service has a doubt", http.MethodPut, failing(errs.ErrUncertain),
			errs.ErrUnavailable, errs.ErrUncertain,
		},
		{"a proxy answers for it", http.MethodPut, failing(nil), errs.ErrUnavailable, errs.ErrUncertain},
		{
			"another service was away", http.MethodPut, failing(errs.ErrUnavailable),
			errs.ErrUnavailable, errs.ErrUnavailable,
		},
		{
			"another service refused", http.MethodPut, failing(errs.New(errs.Conflict, "other", "Other.")),
			errs.ErrUnavailable, errs.ErrUnavailable,
		},
		{"another service was asked", http.MethodPut, call(http.MethodGet), errs.ErrUnavailable, errs.ErrUnavailable},
		{"who only reads", http.MethodGet, written, errs.ErrUnavailable, errs.ErrUnavailable},
		{"what says nothing of it", http.MethodPost, written, httpx.ErrBusy, httpx.ErrBusy},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tel := telemetry.Discard("x", io.Discard)
			tel.Inside = true
			engine := httpx.NewEngine(tel)
			engine.Handle(tc.method, "/", httpx.Handle(tel.Log, func(c *gin.Context) error {
				tc.before(t, c.Request.Context())
				return tc.failure
			}))
			answer := httptest.NewRecorder()
			engine.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), tc.method, "/", nil))
			said := answer.Body.String()
			if answer.Code != http.StatusServiceUnavailable || !strings.Contains(said, tc.want.Message) {
				t.Errorf("got %d %s, want %q", answer.Code, said, tc.want.Message)
			}
		})
	}
}

// failing returns a change at another service, which answers with e, or before which a proxy does.
func failing(e *errs.Error) func(*testing.T, context.Context) {
	return func(t *testing.T, ctx context.Context) {
		t.Helper()

		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if e != nil {
				httpcall.WriteError(w, "r", e)
				return
			}
			w.WriteHeader(http.StatusBadGateway)
		}))
		defer other.Close()

		call := httpcall.Request{Method: http.MethodPost, Path: "/"}
		if _, err := clientOf(t, other.Listener.Addr().String()).Do(ctx, call); err == nil {
			t.Error("it did not fail")
		}
	}
}

// answered returns what a caller gets of another service that answers a change with e.
func answered(t *testing.T, e *errs.Error) error {
	t.Helper()

	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpcall.WriteError(w, "r", e)
	}))
	defer other.Close()

	call := httpcall.Request{Method: http.MethodPost, Path: "/"}
	_, err := clientOf(t, other.Listener.Addr().String()).Do(t.Context(), call)

	return err
}
