package httpx

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// How much of a body that was refused is still read, so that its sender comes to the answer.
const (
	leftToServer  = 256 << 10 // bytes that the server of the library reads by itself
	mostUnread    = 64 << 20  // bytes of one body
	unreadTime    = 10 * time.Second
	unreadPause   = 2 * time.Second // between two pieces
	muxedPause    = 250 * time.Millisecond
	unreadAtOnce  = 64       // bodies; the senders of others are cut off
	pieceOfUnread = 32 << 10 // bytes
)

// readingOut has next answer, and reads what is left of a large body that next did not want. Many programs look for an
// answer only when they have sent everything: where the connection ends in the middle, they never see why.
func (s *Server) readingOut(next http.Handler) http.Handler {
	places := make(chan struct{}, unreadAtOnce)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength >= 0 && r.ContentLength <= leftToServer {
			next.ServeHTTP(w, r)
			return
		}
		came := &incoming{ReadCloser: r.Body}
		// A copy: the server looks at the body of its own request after the answer.
		inner := r.WithContext(r.Context())
		inner.Body = came
		next.ServeHTTP(w, inner)

		if !came.unread(r) {
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			s.readOut(w, r)
		default:
		}
	})
}

// incoming is a body of which it is known how far it was read. Close leaves the rest to be read out.
type incoming struct {
	io.ReadCloser
	begun, over, closed atomic.Bool
}

// Read reads on, unless the body was closed.
func (b *incoming) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	b.begun.Store(true)
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.over.Store(true)
	}

	return n, err
}

// Close says that the body is needed no more. It returns nil.
func (b *incoming) Close() error {
	b.closed.Store(true)
	return nil
}

// unread reports whether there may be more of the body, which came with r. What failed does not come whole any more,
// and who waits for leave to send it sends nothing after a refusal.
func (b *incoming) unread(r *http.Request) bool {
	return !b.over.Load() && (b.begun.Load() || r.Header.Get("Expect") == "")
}

// readOut sends the answer, and then reads the body of r until it ends, stops coming or is too long.
func (s *Server) readOut(w http.ResponseWriter, r *http.Request) {
	rc, pause := http.NewResponseController(w), unreadPause
	// Over HTTP/2 the end of an answer goes out after this, and a client that stops when it sees the answer waits for
	// it. Its connection stays, so that it loses less when this ends early.
	if r.ProtoMajor > 1 {
		pause = muxedPause
	}
	patience := func() time.Time { return time.Now().Add(pause) } //nolint:forbidigo // a socket's deadline
	until := time.Now().Add(unreadTime)                           //nolint:forbidigo // likewise
	_ = rc.SetReadDeadline(patience())
	// Who reads while it sends need not wait for the rest.
	if rc.Flush() != nil {
		return
	}

	piece := make([]byte, pieceOfUnread)

	for size := 0; size < mostUnread && !s.draining.Load(); {
		by := patience()
		if by.After(until) {
			by = until
		}
		_ = rc.SetReadDeadline(by)
		n, err := r.Body.Read(piece)
		size += n
		if errors.Is(err, io.EOF) {
			// The next request on this connection has its own time.
			_ = rc.SetReadDeadline(time.Time{})
		}
		if err != nil {
			return
		}
	}
}
