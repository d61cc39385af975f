package httpx

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How much of a body that was refused is still read, so that its sender comes to the answer.
const (
	leftToServer  = 256 << 10 // bytes that the server of the library reads by itself
	mostUnread    = 32 << 20  // bytes of one body: a file that is a little too large
	unreadTime    = 10 * time.Second
	unreadPause   = 2 * time.Second // between two pieces
	muxedPause    = time.Second
	unreadAtOnce  = 64       // bodies; the senders of others are cut off
	unreadPerHost = 4        // of them from one address
	pieceOfUnread = 32 << 10 // bytes
)

// readingOut has next answer, and reads what is left of a large body that next did not want, if next asked for it by
// ReadOut. Many programs look for an answer only when they have sent everything: where the connection ends in the
// middle, they never see why.
func (s *Server) readingOut(next http.Handler) http.Handler {
	places := &unreadPlaces{from: make(map[string]int)}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength >= 0 && r.ContentLength <= leftToServer {
			next.ServeHTTP(w, r)
			return
		}
		came := &incoming{ReadCloser: r.Body}
		// A copy: the server looks at the body of its own request after the answer.
		inner := r.WithContext(context.WithValue(r.Context(), incomingKey{}, came))
		inner.Body = came
		next.ServeHTTP(w, inner)

		if !came.wanted || !came.unread(r) || !places.take(came.sender) {
			return
		}
		defer places.leave(came.sender)
		s.readOut(w, r, came)
	})
}

type incomingKey struct{}

// ReadOut asks for what the handler leaves of the body of r to be read after its answer, where the body is large. The
// bodies of one sender, an address, share a few places. The handler calls it before it returns; sender is asked only
// where it matters.
func ReadOut(r *http.Request, sender func() string) {
	if came, is := r.Context().Value(incomingKey{}).(*incoming); is {
		came.wanted, came.sender = true, sender()
	}
}

// unreadPlaces counts the bodies that are read out, by their senders.
type unreadPlaces struct {
	mu   sync.Mutex
	all  int
	from map[string]int
}

// take reports whether one more body may be read.
func (p *unreadPlaces) take(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= unreadAtOnce || p.from[sender] >= unreadPerHost {
		return false
	}
	p.all++
	p.from[sender]++

	return true
}

func (p *unreadPlaces) leave(sender string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.from[sender]--; p.from[sender] == 0 {
		delete(p.from, sender)
	}
}

// incoming is a body of which it is known how far it was read. Close leaves the rest to be read out. Somebody may
// still wait for a piece when the handler has returned, as a transport does that sends the body on: of two who wait for
// a body of HTTP/2 at once the library wakes one alone, so each waits for its turn.
type incoming struct {
	io.ReadCloser
	turn                sync.Mutex
	begun, over, closed atomic.Bool
	wanted              bool   // to be read out
	sender              string // its address
}

// Read reads on, unless the body was closed.
func (b *incoming) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	b.begun.Store(true)

	return b.readOn(p)
}

// readOn reads on, also after Close.
func (b *incoming) readOn(p []byte) (int, error) {
	b.turn.Lock()
	defer b.turn.Unlock()

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
func (s *Server) readOut(w http.ResponseWriter, r *http.Request, body *incoming) {
	rc, pause := http.NewResponseController(w), unreadPause
	// Over HTTP/2 the end of an answer goes out after this, and a client that stops when it sees the answer waits for
	// it. Its connection stays, so that it loses less when this ends early.
	if r.ProtoMajor > 1 {
		pause = muxedPause
	}
	patience := func() time.Time { return time.Now().Add(pause) } //nolint:forbidigo // a socket's deadline
	until := time.Now().Add(unreadTime)                           //nolint:forbidigo // likewise
	// Without this the server reads 256 KiB of a chunked body before it sends the header of the answer.
	if r.ProtoMajor == 1 && r.ContentLength < 0 {
		endAfterAnswer(w)
	}
	_ = rc.SetReadDeadline(patience())
	// Who reads while it sends need not wait for the rest.
	if rc.Flush() != nil {
		return
	}

	// Over HTTP/1.1 the answer waits for a reader who still has the body, and he may have come to its end.
	if body.over.Load() {
		return
	}

	piece := make([]byte, pieceOfUnread)

	for size := 0; size < mostUnread && !s.draining.Load(); {
		by := patience()
		if by.After(until) {
			by = until
		}
		_ = rc.SetReadDeadline(by)
		n, err := body.readOn(piece)
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

// endAfterAnswer has the connection of w end with its answer, as after any body that is larger than its limit: the
// library lets no handler say so but by reading such a body.
func endAfterAnswer(w http.ResponseWriter) {
	tooLarge := http.MaxBytesReader(w, io.NopCloser(strings.NewReader(" ")), 0)
	_, _ = tooLarge.Read(make([]byte, 1))
}
