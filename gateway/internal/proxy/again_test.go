package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"testing/iotest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
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
					_, _ = io.WriteString(w, "warm")
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

// TestACallThatFindsOnlyEndedConnections: several idle connections end at once when a service is replaced.
func TestACallThatFindsOnlyEndedConnections(t *testing.T) {
	const ended = 3
	var arrived, tried atomic.Int32
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-First") == "" {
			arrived.Add(1)
		}
		_, _ = io.Copy(w, r.Body)
		_, _ = io.WriteString(w, ".")
	}))
	t.Cleanup(behind.Close)
	transport := endingTransport(t)
	route := routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOrAgent, Body: routes.Small}
	front := gatewayBefore(t, behind.URL, route, bodies.NewRoom(4<<20), transport, func(e *ending) {
		tried.Add(1)
		end(t, e, "closed before the call")
	})
	warmUp(t, transport, behind.URL, ended)

	resp := call(t, http.MethodPost, front, "a body")
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || string(got) != "a body." {
		t.Errorf("the answer is %d %q, %v", resp.StatusCode, got, err)
	}
	if tried.Load() != ended || arrived.Load() != 1 {
		t.Errorf("%d connections were tried, want %d; the call arrived %d times", tried.Load(), ended, arrived.Load())
	}
}

// failing tells of calls that fail on their way.
type failing struct {
	http.RoundTripper

	failed func()
}

// RoundTrip makes the call.
func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := f.RoundTripper.RoundTrip(r)
	if err != nil {
		f.failed()
	}

	return resp, err
}

// large is the size of bodies of which a room of tight bytes holds one.
const large, tight = 600 << 10, 1 << 20

// receive has somebody else send a large body, which takes the room that it needs.
func receive(t *testing.T, room *bodies.Room) error {
	t.Helper()
	body := strings.NewReader(strings.Repeat("e", large))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
	err := room.Read(t.Context(), httptest.NewRecorder(), r, "eve", 1<<20, time.Minute)
	if err == nil {
		t.Cleanup(func() { bodies.LetGo(r.Body) })
	}

	return err
}

// TestABodyThatIsNotKept: a call whose body was given up for somebody else's is not sent again, and never without it.
func TestABodyThatIsNotKept(t *testing.T) {
	var arrived atomic.Int32
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-First") == "" {
			arrived.Add(1)
		}
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(behind.Close)
	transport, room := endingTransport(t), bodies.NewRoom(tight)
	between := failing{transport, func() {
		if err := receive(t, room); err != nil {
			t.Errorf("somebody else's body: %v", err)
		}
	}}
	route := routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOrAgent, Body: routes.Small}
	front := gatewayBefore(t, behind.URL, route, room, between, func(e *ending) {
		end(t, e, "closed before the call")
	})
	warmUp(t, transport, behind.URL, 1)

	resp := call(t, http.MethodPost, front+"?who=ada", strings.Repeat("a", large))
	if resp.StatusCode != http.StatusServiceUnavailable || arrived.Load() != 0 {
		t.Errorf("the answer is %d, want 503; the call arrived %d times", resp.StatusCode, arrived.Load())
	}
}

// TestAnAnswerThatHasBegunGivesTheRoomBack: answers may last long after their calls' bodies have arrived.
func TestAnAnswerThatHasBegunGivesTheRoomBack(t *testing.T) {
	over := make(chan struct{})
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = http.NewResponseController(w).Flush()
		<-over
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(behind.Close)
	room := bodies.NewRoom(tight)
	route := routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOrAgent, Body: routes.Stream}
	front := gatewayBefore(t, behind.URL, route, room, endingTransport(t), nil)

	resp := call(t, http.MethodPost, front+"?who=ada", strings.Repeat("a", large))
	err := receive(t, room)
	close(over)
	if err != nil {
		t.Errorf("somebody else's body while the answer lasts: %v", err)
	}
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != "done" {
		t.Errorf("the answer is %q, %v", got, err)
	}
}

// brokenOff is an answer that ends with an error which only holds an io.EOF.
type brokenOff struct{}

// RoundTrip answers.
func (brokenOff) RoundTrip(r *http.Request) (*http.Response, error) {
	end := iotest.ErrReader(fmt.Errorf("the connection broke: %w", io.EOF))

	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Request: r,
		Body: io.NopCloser(io.MultiReader(strings.NewReader("the beginning"), end)),
	}, nil
}

// TestAnAnswerThatBreaksOffIsNotWhole: the client must not take the beginning for all of it.
func TestAnAnswerThatBreaksOffIsNotWhole(t *testing.T) {
	route := routes.Route{Method: http.MethodGet, Path: "/v1/cases", Access: routes.UserOrAgent, Body: routes.Small}
	front := gatewayBefore(t, "http://behind.test", route, bodies.NewRoom(4<<20), brokenOff{}, nil)

	resp := call(t, http.MethodGet, front, "")
	if got, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the beginning %q counts as the whole answer", got)
	}
}

// TestAnEarlyAnswerComesWhole has a service answer while most of the call's body has still to come.
func TestAnEarlyAnswerComesWhole(t *testing.T) {
	const size = 900 << 10
	answered := make(chan struct{})
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex()
		_, _ = io.WriteString(w, "begun ")
		_ = rc.Flush()
		<-answered
		n, err := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n, err)
	}))
	t.Cleanup(behind.Close)
	// The client's buffers and the service's take some of a body; this connection takes nothing before the answer.
	slow := httpcall.NewTransport()
	t.Cleanup(slow.CloseIdleConnections)
	dial := slow.DialContext
	slow.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &patient{Conn: conn, until: answered}, err
	}
	route := routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOrAgent, Body: routes.Small}
	front := gatewayBefore(t, behind.URL, route, bodies.NewRoom(4<<20), slow, nil)

	resp := call(t, http.MethodPost, front, strings.Repeat("a", size))
	close(answered)
	got, err := io.ReadAll(resp.Body)
	if want := fmt.Sprint("begun ", size, nil); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// patient is a connection that takes the head of a call, and the rest when it may.
type patient struct {
	net.Conn

	until <-chan struct{}
	begun atomic.Bool
}

// Write writes.
func (p *patient) Write(b []byte) (int, error) {
	if p.begun.Swap(true) {
		<-p.until
	}

	return p.Conn.Write(b)
}

// overEndingConnections runs a gateway's proxy whose first connection to the service ends when a call takes it again.
// warm makes that connection.
func overEndingConnections(t *testing.T, behind string, route routes.Route, how string) (front string, warm func()) {
	t.Helper()
	transport := endingTransport(t)
	front = gatewayBefore(t, behind, route, bodies.NewRoom(4<<20), transport, func(e *ending) { end(t, e, how) })

	return front, func() { warmUp(t, transport, behind, 1) }
}

// endingTransport is the transport of services, over connections that the test can end.
func endingTransport(t *testing.T) *http.Transport {
	t.Helper()
	transport := httpcall.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &ending{Conn: conn, closed: make(chan struct{})}, err
	}

	return transport
}

// gatewayBefore runs a gateway's proxy of one route to the service behind. taken is told of each connection that was
// idle when a call took it.
func gatewayBefore(
	t *testing.T,
	behind string,
	route routes.Route,
	room *bodies.Room,
	transport http.RoundTripper,
	taken func(*ending),
) (front string) {
	t.Helper()
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	tel.Inside = false
	breaker := httpcall.NewBreaker("behind", tel)
	ways := proxy.Transports{Calls: breaker.Before(transport), Streams: breaker.Before(transport)}
	if own, ok := transport.(*http.Transport); ok {
		ways = waysTo(breaker, own)
	}
	p, err := proxy.New(behind, fixedToken("internal"), minute, 1<<20, edge.FixedHeaders(), tel, ways)
	if err != nil {
		t.Fatal(err)
	}
	engine := httpx.NewEngine(tel)
	engine.Handle(route.Method, route.Path, httpx.Handle(tel.Log, func(c *gin.Context) error {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if e, ok := info.Conn.(*ending); ok && info.Reused && taken != nil {
				taken(e)
			}
		}}
		c.Request = c.Request.WithContext(httptrace.WithClientTrace(c.Request.Context(), trace))
		who := c.Query("who") // whose room it is
		if err := room.Read(c.Request.Context(), c.Writer, c.Request, who, 1<<20, time.Minute); err != nil {
			return err
		}
		defer bodies.LetGo(c.Request.Body)

		return p.Serve(c, route, access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"})
	}))
	served := httptest.NewServer(engine)
	t.Cleanup(served.Close)

	return served.URL + route.Path
}

// warmUp leaves n idle connections to the service behind.
func warmUp(t *testing.T, transport *http.Transport, behind string, n int) {
	t.Helper()
	var open []*http.Response

	for range n {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, behind, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-First", "1")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, resp)
	}

	for _, resp := range open { // only now, so that none is used twice
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}
