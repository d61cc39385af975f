package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// ending is a connection to a service that ends at a moment of the test's choice.
type ending struct {
	net.Conn

	idle, unwritable, afterwards atomic.Bool

	closed chan struct{}
	once   atomic.Bool
}

// Read reads what comes; the end of the connection is what a service sends that closes it.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if (e.idle.Load() || e.afterwards.Load()) && errors.Is(err, os.ErrDeadlineExceeded) {
		return n, io.EOF
	}

	return n, err
}

// Write writes, unless the service has closed the connection.
func (e *ending) Write(p []byte) (int, error) {
	if e.unwritable.Load() {
		return 0, syscall.EPIPE
	}
	if e.afterwards.Load() {
		_ = e.SetReadDeadline(time.Unix(1, 0))
		return len(p), nil // it is on its way, and nobody knows whether it arrives
	}

	return e.Conn.Write(p)
}

// Close closes the connection.
func (e *ending) Close() error {
	if e.once.CompareAndSwap(false, true) {
		close(e.closed)
	}

	return e.Conn.Close()
}

// end ends a connection that a call has just taken, in one of three ways.
func end(t *testing.T, e *ending, how string) {
	switch how {
	case "closed before the call":
		e.idle.Store(true)
		_ = e.SetReadDeadline(time.Unix(1, 0))

		select {
		case <-e.closed: // the transport has noticed
		case <-time.After(testkit.Patience):
			t.Error("the end of a connection is not noticed")
		}
	case "takes nothing":
		e.unwritable.Store(true)
	case "lost with the call":
		e.afterwards.Store(true)
	}
}

// TestCallsOnConnectionsThatEnd sends calls over connections that the service ends at that moment, as one does that is
// replaced. What cannot have arrived is sent again, with its body; what may have is not.
func TestCallsOnConnectionsThatEnd(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20_000)

	for _, tc := range []struct {
		name, how, method, body string
		headers                 []string
		kind                    routes.Body
		want                    int
	}{
		{"a small body", "closed before the call", http.MethodPost, `{"title":"a"}`, nil, routes.Small, 200},
		{"a small body", "takes nothing", http.MethodPost, `{"title":"a"}`, nil, routes.Small, 200},
		{"a form", "closed before the call", http.MethodPost, "a=1", nil, routes.Form, 200},
		{"a large body", "closed before the call", http.MethodPost, long, nil, routes.Small, 200},
		{"a large body", "takes nothing", http.MethodPost, long, nil, routes.Small, 200},
		{"a question", "closed before the call", http.MethodPost, long, nil, routes.Stream, 200},
		{"a change", "takes nothing", http.MethodPatch, `{"title":"b"}`, nil, routes.Small, 200},
		{"no body", "closed before the call", http.MethodDelete, "", nil, routes.Small, 200},
		{"no body", "takes nothing", http.MethodDelete, "", nil, routes.Small, 200},
		{
			"a body with a key", "closed before the call", http.MethodPost, `{"title":"a"}`,
			[]string{"Idempotency-Key", "one"},
			routes.Small, 200,
		},
		{"reading", "lost with the call", http.MethodGet, "", nil, routes.Small, 200},
		{"a small body", "lost with the call", http.MethodPost, `{"title":"a"}`, nil, routes.Small, 503},
		{
			"a body with a key", "lost with the call", http.MethodPost, `{"title":"a"}`,
			[]string{"Idempotency-Key", "one"},
			routes.Small, 503,
		},
		{
			"no body but a key", "lost with the call", http.MethodPost, "",
			[]string{"Idempotency-Key", "one"},
			routes.Small, 503,
		},
		{"no body", "lost with the call", http.MethodDelete, "", nil, routes.Small, 503},
	} {
		t.Run(tc.name+", "+tc.method+", "+tc.how, func(t *testing.T) {
			var arrived atomic.Int32
			behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-First") != "" {
					return
				}
				arrived.Add(1)
				if key := r.Header.Values("Idempotency-Key"); len(tc.headers) > 0 && !slices.Equal(key, tc.headers[1:]) {
					t.Errorf("the key arrived as %q", key)
				}
				if got, err := io.ReadAll(r.Body); err != nil || string(got) != tc.body {
					t.Errorf("a body of %d bytes arrived as %d, %v", len(tc.body), len(got), err)
				}
			}))
			t.Cleanup(behind.Close)
			route := routes.Route{Method: tc.method, Path: "/v1/cases", Access: routes.UserOrAgent, Body: tc.kind}
			front, warm := overEndingConnections(t, behind.URL, route, tc.how)
			warm()
			arrived.Store(0)

			resp := call(t, tc.method, front, tc.body, tc.headers...)
			if resp.StatusCode != tc.want {
				t.Errorf("the answer is %d, want %d", resp.StatusCode, tc.want)
			}
			if tc.want == http.StatusServiceUnavailable {
				saysThatItMayHaveBeenDone(t, resp)
			}

			want := int32(1)
			if tc.want != http.StatusOK {
				want = 0
			}
			if n := arrived.Load(); n != want {
				t.Errorf("the call arrived %d times, want %d", n, want)
			}
		})
	}
}

// saysThatItMayHaveBeenDone fails the test unless an answer leaves open whether the call was carried out.
func saysThatItMayHaveBeenDone(t *testing.T, resp *http.Response) {
	t.Helper()
	var said httpx.WireError
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	if said.Error != "unavailable" || !strings.Contains(said.Message, "may have been carried out") {
		t.Errorf("the answer says %q: %q", said.Error, said.Message)
	}
}

// overEndingConnections runs a gateway's proxy whose first connection to the service ends when a call takes it again.
// warm makes that connection.
func overEndingConnections(t *testing.T, behind string, route routes.Route, how string) (front string, warm func()) {
	t.Helper()
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	tel.Inside = false
	transport := httpx.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &ending{Conn: conn, closed: make(chan struct{})}, err
	}
	carrier := httpx.NewBreaker("behind", tel).Before(transport)
	p, err := proxy.New(behind, fixedToken("internal"), minute, 1<<20, edge.FixedHeaders(), tel, carrier)
	if err != nil {
		t.Fatal(err)
	}
	room := bodies.NewRoom(4 << 20)
	engine := httpx.NewEngine(tel)
	engine.Handle(route.Method, route.Path, httpx.Handle(tel.Log, func(c *gin.Context) error {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if e, ok := info.Conn.(*ending); ok && info.Reused {
				end(t, e, how)
			}
		}}
		c.Request = c.Request.WithContext(httptrace.WithClientTrace(c.Request.Context(), trace))
		if err := room.Read(c.Request.Context(), c.Writer, c.Request, "ada", 1<<20, time.Minute); err != nil {
			return err
		}
		defer bodies.LetGo(c.Request.Body)

		return p.Serve(c, route, access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"})
	}))
	served := httptest.NewServer(engine)
	t.Cleanup(served.Close)

	return served.URL + route.Path, func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, behind, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-First", "1")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}
