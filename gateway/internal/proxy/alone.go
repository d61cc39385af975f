package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"time"
)

// Sizes of what a stream's connection to its service holds, in bytes.
const (
	aloneBuffer = 1 << 10  // events of a few hundred bytes come through it
	aloneHead   = 64 << 10 // of an answer, at most
)

// lastWord is how long to look for the answer of a service that does not take the rest of a call.
const lastWord = 500 * time.Millisecond

// Alone makes each call on a connection of its own, which ends with the answer's body. The library's transport keeps
// two goroutines and two buffers of 4 KiB beside each connection for as long as a stream lasts; here the reader of the
// body reads the connection itself. Nobody used the connection before, so the service had no reason to close it for
// being idle. A service that ends can still close one that waits to be accepted; such a call counts as one that may
// have been carried out, and is not sent again.
type Alone struct {
	dial    dialer
	dialTLS dialer
	answers time.Duration // until the call is sent, and from then until the head of the answer has come; 0 for ever
}

// dialer opens a connection.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// NewAlone returns a transport that connects as t does, which must have a DialContext. It waits as long as t for the
// head of an answer.
func NewAlone(t *http.Transport) *Alone {
	a := &Alone{dial: t.DialContext, dialTLS: t.DialTLSContext, answers: t.ResponseHeaderTimeout}
	if a.dialTLS == nil {
		a.dialTLS = overTLS(t)
	}

	return a
}

// overTLS opens connections as t does that has no way of its own to do so with TLS.
func overTLS(t *http.Transport) dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		plain, err := t.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}

		conn := tls.Client(plain, settings(t, host))
		if err := shakeHands(ctx, conn, t.TLSHandshakeTimeout); err != nil {
			_ = plain.Close()
			return nil, err
		}

		return conn, nil
	}
}

// settings are those of t for TLS with host. Only HTTP/1.1 is spoken here.
func settings(t *http.Transport, host string) *tls.Config {
	of := t.TLSClientConfig.Clone()
	if of == nil {
		of = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	// ALPN would otherwise offer HTTP/2, which this code does not speak.
	of.NextProtos = []string{"http/1.1"}
	if of.ServerName == "" {
		of.ServerName = host
	}

	return of
}

// shakeHands takes no longer than within, unless that is 0.
func shakeHands(ctx context.Context, conn *tls.Conn, within time.Duration) error {
	if within == 0 {
		return conn.HandshakeContext(ctx)
	}

	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	return conn.HandshakeContext(ctx)
}

// RoundTrip makes a call. The body of its answer ends with an error when the context does.
func (a *Alone) RoundTrip(r *http.Request) (*http.Response, error) {
	conn, err := a.connect(r)
	if err != nil {
		closeBody(r)
		return nil, err
	}

	body := &aloneBody{conn: conn, ctx: r.Context()}
	// Closing the connection is what ends a Read that waits.
	body.stop = context.AfterFunc(r.Context(), func() { _ = conn.Close() })
	resp, err := a.exchange(conn, r, body)
	if err != nil {
		_ = body.Close()
		return nil, body.why(err)
	}

	return resp, nil
}

// connect opens a connection to the service that r goes to. Its error says that nothing of r was sent, which that of a
// failed handshake does not say by itself.
func (a *Alone) connect(r *http.Request) (net.Conn, error) {
	dial, port := a.dial, "80"
	if r.URL.Scheme == "https" {
		dial, port = a.dialTLS, "443"
	}
	addr := r.URL.Host
	if r.URL.Port() == "" {
		addr = net.JoinHostPort(r.URL.Hostname(), port)
	}

	conn, err := dial(r.Context(), "tcp", addr)
	if err != nil {
		// A dial error means to the breaker and to retries: nothing was sent, so sending it again is safe.
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}

	return conn, nil
}

// exchange sends r and reads the head of its answer, whose body becomes body. A service that refuses r may answer and
// close the connection before it has read all of it, so an answer counts even where r could not be sent whole.
func (a *Alone) exchange(conn net.Conn, r *http.Request, body *aloneBody) (*http.Response, error) {
	within := a.answers
	unsent := send(conn, r, a.answers)
	if unsent != nil {
		within = lastWord
	}

	_ = conn.SetReadDeadline(in(within))
	resp, err := answer(conn, r)
	if err != nil && unsent != nil {
		return nil, unsent
	}
	if err != nil {
		return nil, fmt.Errorf("read the head of an answer: %w", err)
	}

	// A stream may be silent for as long as its run takes.
	_ = conn.SetReadDeadline(time.Time{})
	body.ReadCloser, resp.Body = resp.Body, body

	return resp, nil
}

// answer reads the head of the answer to r.
func answer(conn net.Conn, r *http.Request) (*http.Response, error) {
	limited := &io.LimitedReader{R: conn, N: aloneHead}
	from := bufio.NewReaderSize(limited, aloneBuffer)

	resp, err := http.ReadResponse(from, r)
	for err == nil && resp.StatusCode < http.StatusOK && resp.StatusCode != http.StatusSwitchingProtocols {
		// Interim answers such as 103 go no further.
		resp, err = http.ReadResponse(from, r)
	}
	// The limit was for the head; the body has its own rules.
	limited.N = math.MaxInt64

	return resp, err
}

// in is the moment after some time, or never for 0.
func in(some time.Duration) time.Time {
	if some == 0 {
		return time.Time{}
	}

	return time.Now().Add(some) //nolint:forbidigo // a socket deadline is on the wall clock
}

// send writes a request within some time. Its buffer goes when it has returned. The service is asked to close the
// connection, or the gateway would, whose system then keeps its port for a minute.
func send(conn net.Conn, r *http.Request, within time.Duration) error {
	// A copy: the request belongs to the caller.
	closing := r.WithContext(r.Context())
	closing.Close = true
	_ = conn.SetWriteDeadline(in(within))

	to := bufio.NewWriter(conn)
	if err := closing.Write(to); err != nil {
		return fmt.Errorf("send a call: %w", err)
	}
	if err := to.Flush(); err != nil {
		return fmt.Errorf("send a call: %w", err)
	}
	_ = conn.SetWriteDeadline(time.Time{})

	return nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// aloneBody is the body of an answer, whose end is that of its connection.
type aloneBody struct {
	io.ReadCloser // nil until there is an answer

	conn net.Conn
	ctx  context.Context //nolint:containedctx // of the call: why its connection was closed
	stop func() bool
}

// Read reads the body.
func (b *aloneBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	// Compared itself: an error that wraps io.EOF is no clean end.
	if err == nil || err == io.EOF {
		return n, err
	}

	return n, b.why(err)
}

// Close gives the connection up. What of the body was not read stays unread.
func (b *aloneBody) Close() error {
	b.stop()
	return b.conn.Close()
}

// why is the error of a call: that its context ended, where that closed the connection.
func (b *aloneBody) why(err error) error {
	if ended := b.ctx.Err(); ended != nil {
		return ended
	}

	return err
}
