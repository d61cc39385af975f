// Package servicetest runs one service for a test and calls it as the gateway does, so that tests of services see what
// a caller sees.
package servicetest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Clock is the time as tests want it. It moves only when told.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that stands at a time with every digit.
func NewClock() *Clock { return &Clock{at: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.at
}

// Advance moves the time on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Lines gathers what a service logs.
type Lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to what was logged.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.b.Write(p)
}

// String returns what was logged.
func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.b.String()
}

// Door is a running service with what it takes to call it.
type Door struct {
	Base   string
	Signer *authn.Signer // signs in the gateway's name, by the service's clock
	Client *http.Client
	// Within is what each call leaves the service of its time, when it is set: less than a store that is away takes
	// to fail by itself.
	Within time.Duration
	// Ready is what /readyz asks.
	Ready func(context.Context) error
}

// Open runs a service until the test ends. environ is of Environ, with the service's own settings.
func Open(t testing.TB, start launch.New, environ map[string]string, tel *telemetry.Telemetry, now func() time.Time) Door {
	t.Helper()
	launch.Globals()
	service, err := start(t.Context(), launch.Env{Environ: environ, Telemetry: tel, Now: now})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed, _ := Seed(Gateway)
	signer, err := authn.NewSigner(Gateway, seed, now)
	if err != nil {
		t.Fatal(err)
	}
	// The context of a test ends before its cleanups run, and a service must drain only then.
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))

	done := make(chan error, 1)
	go func() { done <- service.Run(ctx) }()
	d := Door{
		Base:   "http://" + service.Addr(),
		Signer: signer,
		Client: &http.Client{Transport: httpcall.NewTransport()},
		Ready:  service.Ready,
	}
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		d.Client.CloseIdleConnections()
	})

	return d
}

// Answer is what came back, read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call is one request.
type Call struct {
	Method, Path string
	Caller       access.Caller // none shows no token
	Header       map[string]string
	Body         []byte
}

// JSON returns a call with v as its body, unless v is nil or a map without anything in it. header is name, value, name,
// value.
func JSON(t testing.TB, caller access.Caller, method, path string, v any, header ...string) Call {
	t.Helper()
	c := Call{Method: method, Path: path, Caller: caller, Header: map[string]string{}}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != "null" {
		c.Body = body
		c.Header["Content-Type"] = "application/json"
	}

	for i := 0; i+1 < len(header); i += 2 {
		c.Header[header[i]] = header[i+1]
	}

	return c
}

// Try sends a call.
func (d Door) Try(ctx context.Context, c Call) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, d.Base+c.Path, bytes.NewReader(c.Body))
	if err != nil {
		return Answer{}, err
	}
	if c.Caller.Kind != "" {
		token, err := d.Signer.Token(c.Caller)
		if err != nil {
			return Answer{}, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}

	if d.Within > 0 {
		req.Header.Set(httpx.HeaderDeadline, strconv.FormatInt(d.Within.Milliseconds(), 10))
	}

	for k, v := range c.Header {
		req.Header.Set(k, v)
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return Answer{}, err
	}

	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)

	return Answer{resp.StatusCode, resp.Header, body}, err
}

// Do sends a call that must be answered.
func (d Door) Do(t testing.TB, c Call) Answer {
	t.Helper()
	a, err := d.Try(t.Context(), c)
	if err != nil {
		t.Fatalf("%s %s: %v", c.Method, c.Path, err)
	}

	return a
}

// Into decodes an answer of the wanted status.
func Into[T any](t testing.TB, a Answer, status int) T {
	t.Helper()
	var v T
	if a.Status != status {
		t.Fatalf("status = %d, want %d; body %s", a.Status, status, a.Body)
	}
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	// An answer must not hold a field that the type does not have: it would be a part of the interface that nobody
	// described.
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode answer: %v; body %s", err, a.Body)
	}

	return v
}

// Refused checks an error answer and returns it.
func Refused(t testing.TB, a Answer, status int, code string) httpx.WireError {
	t.Helper()
	e := Into[httpx.WireError](t, a, status)
	if e.Error != code {
		t.Fatalf("error = %q, want %q; body %s", e.Error, code, a.Body)
	}
	if e.RequestID == "" {
		t.Errorf("error answer has no requestId: %s", a.Body)
	}

	return e
}
