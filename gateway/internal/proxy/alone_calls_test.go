package proxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

// narrow is a listener whose connections take little at once.
type narrow struct{ net.Listener }

// Accept takes the next connection.
func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10)
	}

	return conn, err
}

// narrowTransport has connections that hold little of what is sent.
func narrowTransport() *http.Transport {
	transport := httpcall.NewTransport()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(4 << 10)
		}

		return conn, err
	}

	return transport
}

// post is a call with a body of some bytes.
func post(t *testing.T, address string, size int) *http.Request {
	t.Helper()
	body := strings.NewReader(strings.Repeat("a", size))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

// TestRefusalsBeforeABodyWasReadAreAnswers has a service answer and close while most of the call has still to come.
// So many of them must not count as failures of the service either.
func TestRefusalsBeforeABodyWasReadAreAnswers(t *testing.T) {
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotAcceptable)
		_, _ = io.WriteString(w, "send another header")
	}))
	behind.Listener = narrow{behind.Listener}

	behind.Start()
	t.Cleanup(behind.Close)
	alone := httpcall.NewBreaker("behind", tel).Before(proxy.NewAlone(narrowTransport()))

	var calls sync.WaitGroup
	for n := range 24 {
		calls.Go(func() {
			resp, err := alone.RoundTrip(post(t, behind.URL, []int{300 << 10, 1 << 20}[n%2]))
			if err != nil {
				t.Errorf("call %d: %v", n, err)
				return
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusNotAcceptable || string(body) != "send another header" || err != nil {
				t.Errorf("call %d: the answer is %d %q, %v", n, resp.StatusCode, body, err)
			}
		})
	}
	calls.Wait()
}

// TestACallThatIsNotTakenAndNotAnsweredFails: the service reads nothing, and says nothing.
func TestACallThatIsNotTakenAndNotAnsweredFails(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // which accepts nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	transport := narrowTransport()
	transport.ResponseHeaderTimeout = 50 * time.Millisecond

	_, err = proxy.NewAlone(transport).RoundTrip(post(t, "http://"+ln.Addr().String(), 16<<20))
	if err == nil {
		t.Fatal("there is an answer")
	}
	if said := err.Error(); !strings.HasPrefix(said, "send a call") || !strings.HasSuffix(said, "i/o timeout") {
		t.Errorf("RoundTrip = %v, want that sending took too long", err)
	}
	if httpcall.Lost(http.MethodPost, err) != errs.ErrUncertain {
		t.Error("the caller is not told that the call may have been carried out")
	}
}

func TestAFailedConnectionHasSentNothing(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	unknown := httptest.NewTLSServer(nil)
	t.Cleanup(unknown.Close)
	plain := rawly(t, "", func(net.Conn) {})

	for _, tc := range []struct{ name, address string }{
		{"nobody listens", closed.URL},
		{"the handshake breaks off", strings.Replace(plain, "http:", "https:", 1)},
		{"the certificate is nobody's", unknown.URL},
		{"an address without a port that nobody has", "http://nobody.invalid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := proxy.NewAlone(httpcall.NewTransport()).RoundTrip(post(t, tc.address, 9))
			if err == nil {
				t.Fatal("there is an answer")
			}
			if httpcall.Lost(http.MethodPost, err) != errs.ErrUnavailable {
				t.Errorf("after %v the caller is told that the call may have been carried out", err)
			}
		})
	}
}

// TestAloneSpeaksTLS over a connection that the transport makes whole, and over one of its settings alone.
func TestAloneSpeaksTLS(t *testing.T) {
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s of %d ", r.Proto, len(text))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "to the end")
	}))
	behind.EnableHTTP2 = true

	behind.StartTLS()
	t.Cleanup(behind.Close)
	roots := x509.NewCertPool()
	roots.AddCert(behind.Certificate())
	trusting := &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots}
	set, dialing := httpcall.NewTransport(), httpcall.NewTransport()
	set.TLSClientConfig = trusting
	dialing.DialTLSContext = (&tls.Dialer{Config: trusting}).DialContext

	for name, transport := range map[string]*http.Transport{"settings": set, "dialer": dialing} {
		t.Run(name, func(t *testing.T) {
			resp, err := proxy.NewAlone(transport).RoundTrip(post(t, behind.URL, 9))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if want := "HTTP/1.1 of 9 to the end"; string(body) != want || err != nil {
				t.Errorf("the answer is %q, %v, want %q", body, err, want)
			}
		})
	}
}

// TestAStreamHasItsOwnConnection, which it asks the service to close. Other calls share theirs.
func TestAStreamHasItsOwnConnection(t *testing.T) {
	for _, tc := range []struct {
		name   string
		kind   routes.Body
		want   int32
		closes bool
	}{
		{"streams", routes.Stream, 2, true},
		{"calls", routes.Small, 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var connections atomic.Int32
			behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = fmt.Fprint(w, r.Close)
			}))
			behind.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}

			behind.Start()
			t.Cleanup(behind.Close)
			route := routes.Route{Method: http.MethodGet, Path: "/v1/agent", Access: routes.UserOrAgent, Body: tc.kind}
			front := gatewayBefore(t, behind.URL, route, bodies.NewRoom(1<<20), endingTransport(t), nil)

			for range 2 {
				resp := call(t, http.MethodGet, front, "")
				closes, err := io.ReadAll(resp.Body)
				if string(closes) != fmt.Sprint(tc.closes) || err != nil {
					t.Errorf("the service is asked to close: %q, %v, want %t", closes, err, tc.closes)
				}
			}
			if n := connections.Load(); n != tc.want {
				t.Errorf("two of them took %d connections, want %d", n, tc.want)
			}
		})
	}
}
