// Package bodies reads the bodies of calls into memory before anything that others wait for is held for them, so that a
// caller who sends slowly takes up nothing but its own time and a bounded part of the memory.
package bodies

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

var (
	// ErrSlow means that a body did not come whole within its time, or broke off.
	ErrSlow = errs.New(errs.Invalid, "malformed_json", "The body did not arrive whole in time. Send it again.")
	// ErrCrowded means that the memory for bodies is spent, and that the caller has the largest part of it.
	ErrCrowded = errs.New(
		errs.Unavailable,
		"unavailable",
		"You send more at once than the server can take in. Try again after the time in Retry-After.",
	).WithRetryAfter(time.Second)
	// ErrTooLarge means that a body is larger than it may be.
	ErrTooLarge = errors.New("the body is too large")
)

// Bodies are read in pieces of growing size, so that a small one takes little room and a large one few pieces.
const (
	firstPiece = 4 << 10
	lastPiece  = 64 << 10
)

// Room is the memory in which a process holds bodies. It is safe for concurrent use.
type Room struct {
	mu      sync.Mutex
	free    int
	holders map[string]*holder
}

// holder is a caller with bodies under way. The room's mu guards it.
type holder struct {
	bytes  int
	all    int                // bodies
	coming map[*Body]struct{} // those that have not come whole
}

// Body holds what came of a request's body.
type Body struct {
	room   *Room
	who    string
	stop   func() // ends the read that is under way
	pieces [][]byte

	bytes   int  // of room; guarded by room.mu, as are the others
	crowded bool // refused, because another caller needs the room
	left    bool
}

// NewRoom returns room for so many bytes.
func NewRoom(bytes int) *Room { return &Room{free: bytes, holders: map[string]*holder{}} }

// Read reads the body of r, at most limit bytes, on behalf of who, and puts what came in its place, with its length.
// It takes at most within, and less when ctx ends. Room is taken as bytes arrive, and given back when the new body is
// closed. When none is left, the caller who holds most of it is refused: who, or the one whose body is still coming,
// whose Read then returns ErrCrowded. Its other errors are ErrSlow and ErrTooLarge; after any of them a connection of
// HTTP/1.1 ends with the answer.
func (m *Room) Read(
	ctx context.Context,
	w http.ResponseWriter,
	r *http.Request,
	who string,
	limit int64,
	within time.Duration,
) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(within)) //nolint:forbidigo // a socket deadline is on the wall clock
	b := m.enter(who, func() { _ = rc.SetReadDeadline(time.Unix(1, 0)) })

	defer context.AfterFunc(ctx, func() { m.stop(b) })()

	size, err := b.receive(r.Body, limit)
	if err != nil {
		_ = b.Close()
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close") // or the server would wait for the rest before it answers
		}

		return err
	}
	_ = rc.SetReadDeadline(time.Time{})
	m.settle(b)
	r.ContentLength, r.TransferEncoding, r.Body = size, nil, b
	if size == 0 {
		r.Body = http.NoBody
		return b.Close()
	}

	return nil
}

// receive reads from src until its end, and returns how much there was.
func (b *Body) receive(src io.Reader, limit int64) (int64, error) {
	var size int64

	for next := firstPiece; ; next = min(2*next, lastPiece) {
		if err := b.room.take(b, next); err != nil {
			return 0, err
		}
		piece := make([]byte, next)

		n, err := fill(piece, src)
		size += int64(n)
		b.pieces = append(b.pieces, piece[:n])

		switch {
		case size > limit:
			return 0, ErrTooLarge
		case errors.Is(err, io.EOF):
			return size, nil
		case err != nil:
			return 0, b.room.why(b)
		}
	}
}

// fill reads until piece is full or src ends. Unlike io.ReadFull it returns the error of src itself, which tells an
// end from a body that broke off.
func fill(piece []byte, src io.Reader) (n int, err error) {
	for n < len(piece) && err == nil {
		var more int
		more, err = src.Read(piece[n:])
		n += more
	}

	return n, err
}

// Read reads what came.
func (b *Body) Read(p []byte) (int, error) {
	for len(b.pieces) > 0 && len(b.pieces[0]) == 0 {
		b.pieces = b.pieces[1:]
	}
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.pieces[0])
	b.pieces[0] = b.pieces[0][n:]

	return n, nil
}

// Close gives the room back. It may be called again, and beside a Read. It returns nil.
func (b *Body) Close() error {
	m := b.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.left {
		return nil
	}
	b.left = true
	m.giveBack(b)

	h := m.holders[b.who]
	if h.all--; h.all == 0 {
		delete(m.holders, b.who)
	}

	return nil
}

func (m *Room) enter(who string, stop func()) *Body {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.holders[who]
	if h == nil {
		h = &holder{coming: map[*Body]struct{}{}}
		m.holders[who] = h
	}
	b := &Body{room: m, who: who, stop: stop}
	h.all++
	h.coming[b] = struct{}{}

	return b
}

// stop ends the read of a body that still comes. Of one that has come the connection may be somebody else's by now.
func (m *Room) stop(b *Body) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.holders[b.who]; h != nil {
		if _, coming := h.coming[b]; coming {
			b.stop()
		}
	}
}

// settle is told that a body has come whole: from now on nobody takes its room.
func (m *Room) settle(b *Body) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.holders[b.who].coming, b)
}

// take takes room for n more bytes of a body, from whoever holds most if none is left.
func (m *Room) take(b *Body, n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	own := m.holders[b.who]
	for m.free < n && !b.crowded {
		most := m.most()
		if most == own || most.bytes <= own.bytes+n {
			return ErrCrowded
		}
		m.refuse(most)
	}
	if b.crowded {
		return ErrCrowded
	}
	m.free, own.bytes, b.bytes = m.free-n, own.bytes+n, b.bytes+n

	return nil
}

// most returns the holder who holds most among those with a body that still comes. There is one: whoever asks.
func (m *Room) most() *holder {
	var most *holder
	for _, h := range m.holders {
		if len(h.coming) > 0 && (most == nil || h.bytes > most.bytes) {
			most = h
		}
	}

	return most
}

// refuse ends the largest body that still comes of a holder.
func (m *Room) refuse(h *holder) {
	var largest *Body
	for b := range h.coming {
		if largest == nil || b.bytes > largest.bytes {
			largest = b
		}
	}
	largest.crowded = true
	m.giveBack(largest)
	largest.stop()
}

func (m *Room) giveBack(b *Body) {
	h := m.holders[b.who]
	m.free, h.bytes, b.bytes = m.free+b.bytes, h.bytes-b.bytes, 0
	delete(h.coming, b)
}

// why returns the reason for which a body did not come whole.
func (m *Room) why(b *Body) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.crowded {
		return ErrCrowded
	}

	return ErrSlow
}
