package proxy

import (
	"bufio"
	"context"
	"errors"
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

// Alone makes each call on a connection of its own, which ends with the answer's body. The library's transport keeps
// two goroutines and two buffers of 4 KiB beside each connection for as long as a stream lasts; here the reader of the
// body reads the connection itself. A connection that nobody used before cannot have been closed meanwhile, so no call
// has to be sent again.
type Alone struct {
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	dialTLS func(ctx context.Context, network, addr string) (net.Conn, error)
	answers time.Duration // until the head of the answer has come
}

// NewAlone returns a transport that connects as t does, and waits as long as t for the head of an answer.
func NewAlone(t *http.Transport) *Alone {
	return &Alone{dial: t.DialContext, dialTLS: t.DialTLSContext, answers: t.ResponseHeaderTimeout}
}

// RoundTrip makes a call. The body of its answer ends with an error when the context does.
func (a *Alone) RoundTrip(r *http.Request) (*http.Response, error) {
	conn, err := a.connect(r)
	if err != nil {
		closeBody(r)
		return nil, err
	}

	body := &aloneBody{conn: conn, ctx: r.Context()}
	body.stop = context.AfterFunc(r.Context(), func() { _ = conn.Close() })
	resp, err := a.exchange(conn, r, body)
	if err != nil {
		_ = body.Close()
		return nil, body.why(err)
	}

	return resp, nil
}

// connect opens a connection to the service that r goes to.
func (a *Alone) connect(r *http.Request) (net.Conn, error) {
	dial, port := a.dial, "80"
	if r.URL.Scheme == "https" {
		dial, port = a.dialTLS, "443"
	}
	if dial == nil {
		return nil, errors.New("no way to connect to a service by " + r.URL.Scheme)
	}

	addr := r.URL.Host
	if r.URL.Port() == "" {
		addr = net.JoinHostPort(r.URL.Hostname(), port)
	}

	return dial(r.Context(), "tcp", addr)
}

// exchange sends r and reads the head of its answer, whose body becomes body.
func (a *Alone) exchange(conn net.Conn, r *http.Request, body *aloneBody) (*http.Response, error) {
	if err := send(conn, r); err != nil {
		return nil, err
	}
	if a.answers > 0 {
		_ = conn.SetReadDeadline(time.Now().Add(a.answers)) //nolint:forbidigo // a socket deadline is on the wall clock
	}

	limited := &io.LimitedReader{R: conn, N: aloneHead}
	from := bufio.NewReaderSize(limited, aloneBuffer)

	resp, err := http.ReadResponse(from, r)
	for err == nil && resp.StatusCode < http.StatusOK && resp.StatusCode != http.StatusSwitchingProtocols {
		resp, err = http.ReadResponse(from, r) // what came before the answer goes no further
	}
	if err != nil {
		return nil, fmt.Errorf("read the head of an answer: %w", err)
	}

	limited.N = math.MaxInt64
	_ = conn.SetReadDeadline(time.Time{})
	body.ReadCloser, resp.Body = resp.Body, body

	return resp, nil
}

// send writes a request. Its buffer goes when it has returned.
func send(conn net.Conn, r *http.Request) error {
	to := bufio.NewWriter(conn)
	if err := r.Write(to); err != nil {
		return fmt.Errorf("send a call: %w", err)
	}
	if err := to.Flush(); err != nil {
		return fmt.Errorf("send a call: %w", err)
	}

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
	if err == nil || err == io.EOF { // itself: an error that holds it is no clean end
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
