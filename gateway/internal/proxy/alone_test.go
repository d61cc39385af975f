package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// rawly answers each connection by text, after the head of a request has come, and then does next.
func rawly(t *testing.T, text string, next func(net.Conn)) (address string) {
	t.Helper()

	return "http://" + testkit.ServeTCP(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, text)
		next(conn)
	})
}

// untilGone waits until the other side has closed the connection.
func untilGone(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestAloneReadsAnAnswer(t *testing.T) {
	long, line := strings.Repeat("a: b\r\n", 20_000), strings.Repeat("l", 5_000)

	tests := []struct {
		name, answer string
		want         string // of the body
		fails        bool   // in the head
		cut          bool   // within the body
	}{
		{"with a length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body", false, false},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "body", false, false},
		{"after one before it", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", false, false},
		{"with a long line", "HTTP/1.1 200 OK\r\nLink: " + line + "\r\nContent-Length: 4\r\n\r\nbody", "body", false, false},
		{"cut off in its length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody", "body", false, true},
		{"cut off in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nbody", "body", false, true},
		{"cut off between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", "body", false, true},
		{"that is none", "hello\r\n\r\n", "", true, false},
		{"that does not come", "", "", true, false},
		{"with a head that is too large", "HTTP/1.1 200 OK\r\n" + long + "\r\n", "", true, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			address := rawly(t, tc.answer, func(net.Conn) {})
			resp, err := proxy.NewAlone(httpcall.NewTransport()).RoundTrip(request(t.Context(), t, address))
			if (err != nil) != tc.fails {
				t.Fatalf("RoundTrip = %v, want an error: %t", err, tc.fails)
			}
			if err != nil {
				return
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if string(body) != tc.want || (err != nil) != tc.cut {
				t.Errorf("body = %q, %v, want %q and an error: %t", body, err, tc.want, tc.cut)
			}
		})
	}
}

func request(ctx context.Context, t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

func TestAloneEndsWithItsContext(t *testing.T) {
	for _, tc := range []struct{ name, answer string }{
		{"before the head", "HTTP/1.1 200 OK\r\n"},
		{"within the body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			came, gone := make(chan struct{}), make(chan struct{})
			address := rawly(t, tc.answer, func(c net.Conn) { close(came); untilGone(c); close(gone) })

			go func() { <-came; cancel() }()

			resp, err := proxy.NewAlone(httpcall.NewTransport()).RoundTrip(request(ctx, t, address))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the call ends with %v, want that its context was cancelled", err)
			}
			<-gone // the service sees the end of the connection
		})
	}
}

func TestAloneWaitsForAHeadNoLongerThanItMay(t *testing.T) {
	transport := httpcall.NewTransport()
	transport.ResponseHeaderTimeout = 50 * time.Millisecond
	_, err := proxy.NewAlone(transport).RoundTrip(request(t.Context(), t, rawly(t, "HTTP/1.1 200 OK\r\n", untilGone)))
	var late net.Error
	if !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("RoundTrip = %v, want that it took too long", err)
	}

	// What comes after the head may take its time.
	release := make(chan struct{})

	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-release
		_, _ = io.WriteString(w, "late")
	}))
	defer slow.Close()

	resp, err := proxy.NewAlone(transport).RoundTrip(request(t.Context(), t, slow.URL))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*transport.ResponseHeaderTimeout, func() { close(release) })
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(body) != "late" || err != nil {
		t.Errorf("body = %q, %v, want what came late", body, err)
	}
}

func TestAloneSendsABodyAndKeepsNoConnection(t *testing.T) {
	var open atomicConns
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %q", r.Method, text, r.Header["User-Agent"])
	}))
	service.Config.ConnState = open.changed

	service.Start()
	defer service.Close()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, service.URL, strings.NewReader("task"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header["User-Agent"] = nil
	resp, err := proxy.NewAlone(httpcall.NewTransport()).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if want := "POST task []"; string(body) != want || err != nil {
		t.Errorf("the service got %q, %v, want %q", body, err, want)
	}
	_ = resp.Body.Close()

	testkit.Until(t, 5*time.Second, func() error {
		if n := open.Load(); n != 0 {
			return fmt.Errorf("%d connections are open", n)
		}

		return nil
	})
}

// atomicConns counts the connections of a server.
type atomicConns struct{ atomic.Int64 }

func (n *atomicConns) changed(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		n.Add(1)
	case http.StateClosed, http.StateHijacked:
		n.Add(-1)
	}
}
