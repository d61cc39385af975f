package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// upstream is a service with some handlers.
func upstream(t *testing.T, mount func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc)) (*httpx.Server, *strings.Builder) {
	t.Helper()
	var logs strings.Builder
	tel := telemetry.Discard("upstream", &logs)
	engine := httpx.NewEngine(tel)
	mount(engine, func(h func(*gin.Context) error) gin.HandlerFunc { return httpx.Handle(tel.Log, h) })

	return run(t, httpx.ServerConfig{Addr: "127.0.0.1:0", InternalAddr: "127.0.0.1:0", Handler: engine, Log: tel.Log}), &logs
}

func run(t *testing.T, cfg httpx.ServerConfig) *httpx.Server {
	t.Helper()
	s, err := httpx.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())

	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	return s
}

func clientOf(t *testing.T, addr string) *httpcall.Client {
	t.Helper()
	c, err := httpcall.NewClient(
		"http://"+addr,
		func(context.Context) (string, error) { return "token", nil },
		telemetry.Discard("client", io.Discard),
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}

	return c
}

func TestAnErrorKeepsItsFormOverAHop(t *testing.T) {
	t.Parallel()
	start, end := 3, 7
	want := errs.New(errs.Conflict, "branch_busy", "Wait until the running phase has ended.").
		WithDetails(errs.Detail{RunningPhaseID: "p", Start: &start, End: &end}).WithDeepLink("https://x/i/review").WithRetryAfter(1500 * time.Millisecond)
	s, _ := upstream(t, func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc) {
		r.GET("/busy", handle(func(*gin.Context) error { return fmt.Errorf("claim: %w", want) }))
	})
	_, err := clientOf(t, s.Addr()).Do(t.Context(), httpcall.Request{Method: http.MethodGet, Path: "/busy"})
	got := errs.From(err)
	if !errors.Is(err, want) || got.Message != want.Message || got.DeepLink != want.DeepLink || got.RetryAfter != 2*time.Second || len(got.Details) != 1 || *got.Details[0].End != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestWhatNobodyClassifiedStaysInside(t *testing.T) {
	t.Parallel()

	s, logs := upstream(t, func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc) {
		r.GET("/bug", handle(func(*gin.Context) error { return errors.New("PLANTED driver text") }))
		r.GET("/panic", handle(func(*gin.Context) error { panic("PLANTED panic") }))
	})
	for _, path := range []string{"/bug", "/panic"} {
		resp, err := http.Get("http://" + s.Addr() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != 500 || !strings.Contains(string(body), `"error":"internal"`) || strings.Contains(string(body), "PLANTED") {
			t.Errorf("%s: %d %s %v", path, resp.StatusCode, body, err)
		}
	}
	if strings.Contains(logs.String(), "PLANTED panic") {
		t.Error("the value of a panic, which may hold anything, was logged")
	}
	if !strings.Contains(logs.String(), "handler panicked") || !strings.Contains(logs.String(), "request failed") {
		t.Errorf("the failures were not logged: %s", logs.String())
	}
}

func TestClientFailures(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	s, _ := upstream(t, func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc) {
		r.GET("/text", func(c *gin.Context) { c.String(503, "overload") })
		r.GET("/bug", handle(func(*gin.Context) error { return errors.New("x") }))
		r.GET("/broken", func(c *gin.Context) { c.String(200, "{PLANTED") })
		r.GET("/abort", func(*gin.Context) { calls.Add(1); panic(http.ErrAbortHandler) })
		r.POST("/abort", func(*gin.Context) { calls.Add(1); panic(http.ErrAbortHandler) })
		r.GET("/slow", handle(func(c *gin.Context) error { <-c.Request.Context().Done(); return c.Request.Context().Err() }))
	})
	c := clientOf(t, s.Addr())
	var out map[string]any

	for _, tc := range []struct {
		method, path string
		want         error
		calls        int64
	}{
		{http.MethodGet, "/text", errs.ErrUnavailable, 0},
		{http.MethodGet, "/bug", errs.ErrInternal, 0},
		{http.MethodGet, "/abort", errs.ErrUnavailable, 2},  // a GET is tried again
		{http.MethodPost, "/abort", errs.ErrUnavailable, 1}, // nothing else is
		{http.MethodGet, "/nowhere", errs.ErrNotFound, 0},
	} {
		calls.Store(0)
		_, err := c.Do(t.Context(), httpcall.Request{Method: tc.method, Path: tc.path, Out: &out})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s %s: %v, want %v", tc.method, tc.path, err, tc.want)
		}
		if n := calls.Load(); n < tc.calls ||
			tc.method == http.MethodPost && n != tc.calls { // the transport may try a GET once more by itself
			t.Errorf("%s %s was called %d times, want %d", tc.method, tc.path, n, tc.calls)
		}
	}
	_, err := c.Do(t.Context(), httpcall.Request{Method: http.MethodGet, Path: "/broken", Out: &out})
	if err == nil || strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("a malformed answer = %v", err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = c.Do(ctx, httpcall.Request{Method: http.MethodGet, Path: "/slow"})
	if !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("a service that is too slow = %v", err)
	}
	_, err = clientOf(t, "127.0.0.1:1").Do(t.Context(), httpcall.Request{Method: http.MethodGet, Path: "/"})
	if !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("nobody there = %v", err)
	}
}

func TestAHopCarriesDeadlineRequestIDAndCredential(t *testing.T) {
	t.Parallel()
	type seen struct {
		Left          time.Duration
		ID, Auth, Raw string
	}
	s, _ := upstream(t, func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc) {
		r.GET("/case/:id/x", handle(func(c *gin.Context) error {
			end, ok := c.Request.Context().Deadline()
			if !ok {
				return errors.New("no deadline")
			}

			return httpx.JSON(c, 200, seen{time.Until(end), httpx.RequestID(c.Request.Context()), c.GetHeader("Authorization"), c.Param("id")})
		}))
	})

	ctx, cancel := context.WithTimeout(telemetry.WithRequestID(t.Context(), "01a1fff7-7f4a-7909-b9dd-8ca310ccd7e2"), time.Second)
	defer cancel()
	var got seen
	escaped := httpcall.Request{Method: http.MethodGet, Path: httpcall.Path("case", "a/b %2e", "x"), Out: &got}
	if _, err := clientOf(t, s.Addr()).Do(ctx, escaped); err != nil {
		t.Fatal(err)
	}
	if got.Left > 950*time.Millisecond || got.Left < 500*time.Millisecond || got.ID != "01a1fff7-7f4a-7909-b9dd-8ca310ccd7e2" || got.Auth != "Bearer token" || got.Raw != "a/b %2e" {
		t.Errorf("arrived as %+v", got)
	}

	short, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	late := httpcall.Request{Method: http.MethodGet, Path: "/case/a/x"}
	if _, err := clientOf(t, s.Addr()).Do(short, late); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("too little time left = %v", err)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()

	s, _ := upstream(t, func(r *gin.Engine, handle func(func(*gin.Context) error) gin.HandlerFunc) {
		r.GET("/a", handle(func(*gin.Context) error { return nil }))
		r.POST("/a", handle(func(*gin.Context) error { return nil }))
	})
	for _, tc := range []struct {
		method, path string
		status       int
		allow        string
	}{{"DELETE", "/a", 405, "GET, POST"}, {"TRACE", "/a", 405, "GET, POST"}, {"GET", "/b", 404, ""}, {"GET", "/a/", 404, ""}} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, "http://"+s.Addr()+tc.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.status || resp.Header.Get("Allow") != tc.allow || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d, Allow %q", tc.method, tc.path, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
}

func TestDraining(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	streaming := make(chan struct{})
	var s *httpx.Server
	mux := http.NewServeMux()
	mux.HandleFunc("/work", func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-release
		_, _ = io.WriteString(w, "done")
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(streaming)
		select {
		case <-s.Draining():
			_, _ = io.WriteString(w, "goodbye")
		case <-r.Context().Done():
		}
	})
	var err error
	s, err = httpx.Listen(httpx.ServerConfig{
		Addr: "127.0.0.1:0", InternalAddr: "127.0.0.1:0", Handler: mux, DrainDelay: 300 * time.Millisecond, Shutdown: 5 * time.Second, Log: slog.New(slog.DiscardHandler),
		Ready: map[string]httpx.Check{"redis": func(context.Context) error { return nil }},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())

	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	get := func(addr, path string) (int, string) {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		b, _ := io.ReadAll(resp.Body)

		return resp.StatusCode, string(b)
	}
	if code, _ := get(s.InternalAddr(), "/readyz"); code != 200 {
		t.Fatalf("/readyz = %d", code)
	}
	answers := make(chan string, 2)

	for _, path := range []string{"/work", "/stream"} {
		go func() { _, body := get(s.Addr(), path); answers <- body }()
	}
	<-entered
	<-streaming
	stop()
	testkit.Until(t, testkit.Patience, func() error {
		if code, body := get(s.InternalAddr(), "/readyz"); code != 503 || body != "draining\n" {
			return fmt.Errorf("/readyz = %d %s", code, body)
		}

		return nil
	})
	if code, _ := get(s.InternalAddr(), "/healthz"); code != 200 {
		t.Errorf("/healthz = %d while draining", code)
	}
	close(release)
	got := map[string]bool{<-answers: true, <-answers: true}
	if !got["done"] || !got["goodbye"] {
		t.Errorf("answers = %v", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReadyNamesTheCheckAndNothingElse(t *testing.T) {
	t.Parallel()
	s := run(t, httpx.ServerConfig{Addr: "127.0.0.1:0", Handler: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler), Ready: map[string]httpx.Check{
		"mongodb": func(context.Context) error { return errors.New("mongodb://user:PLANTED@host") },
	}})
	if err := s.Ready(t.Context()); err == nil || err.Error() != "mongodb is not ready" {
		t.Errorf("Ready = %v", err)
	}
}

// A dependency that goes away is told once, and so is its return, whoever asks in the meantime, or nobody.
func TestADependencyThatIsAwayIsToldOnce(t *testing.T) {
	t.Parallel()
	var log servicetest.Lines
	var away atomic.Bool
	var looks atomic.Int64
	s := run(t, httpx.ServerConfig{
		Addr: "127.0.0.1:0", Handler: http.NotFoundHandler(), Log: slog.New(slog.NewJSONHandler(&log, nil)), Watch: time.Millisecond, Ready: map[string]httpx.Check{
			"redis": func(context.Context) error {
				looks.Add(1)
				if away.Load() {
					return errors.New("away")
				}

				return nil
			},
			"mongodb": func(context.Context) error { return nil },
		},
	})

	for _, tc := range []struct {
		name       string
		away       bool
		lost, back int // times that the log has told so far
	}{{"there", false, 0, 0}, {"away", true, 1, 0}, {"there again", false, 1, 1}, {"away again", true, 2, 1}} {
		away.Store(tc.away)

		for range 10 {
			if err := s.Ready(t.Context()); (err != nil) != tc.away {
				t.Errorf("%s: Ready = %v", tc.name, err)
			}
		}
		before := looks.Load()
		testkit.Until(t, testkit.Patience, func() error {
			if n := looks.Load() - before; n < 5 {
				return fmt.Errorf("%s: %d looks", tc.name, n)
			}

			return nil
		})
		text := log.String()
		lost, back := strings.Count(text, `"level":"WARN","msg":"a dependency is not ready","dependency":"redis"`), strings.Count(text, `"level":"INFO","msg":"a dependency is ready again","dependency":"redis"`)
		if lost != tc.lost || back != tc.back {
			t.Errorf("%s: told %d times away and %d times back, want %d and %d: %s", tc.name, lost, back, tc.lost, tc.back, text)
		}
	}
	if strings.Contains(log.String(), "mongodb") {
		t.Errorf("mongodb was never away: %s", log.String())
	}
}

// Profiles are there when they are asked for, on the internal port alone, and say nothing of the command line.
func TestProfilesAreOffUnlessAskedFor(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := run(t, httpx.ServerConfig{Addr: "127.0.0.1:0", InternalAddr: "127.0.0.1:0", Handler: http.NewServeMux(), Profiles: on, Log: slog.New(slog.DiscardHandler)})

		for path, there := range map[string]bool{
			"/debug/pprof/": on, "/debug/pprof/heap": on, "/debug/pprof/goroutine": on, "/debug/pprof/cmdline": false,
		} {
			for addr, want := range map[string]bool{s.InternalAddr(): there, s.Addr(): false} {
				resp, err := http.Get("http://" + addr + path)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if (resp.StatusCode == http.StatusOK) != want {
					t.Errorf("profiles %t: %s = %d, want them: %t", on, path, resp.StatusCode, want)
				}
			}
		}
	}
}
