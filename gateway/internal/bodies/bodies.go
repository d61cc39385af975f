// Package bodies reads the bodies of calls into memory before anything that others wait for is held for them, so that a
// caller who sends slowly takes up nothing but its own time and a bounded part of the memory.
package bodies

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

var (
	// ErrSlow means that a body did not come whole within its time, or broke off.
	ErrSlow = errs.New(errs.Invalid, "malformed_json", "The body did not arrive in time. Send it again.")
	// ErrChunks means that a body in chunks has a chunk that cannot be read. Sending it again does not help.
	ErrChunks = errs.New(
		errs.Invalid,
		"malformed_json",
		"The body was sent in chunks that cannot be read. Check the program that sends it.",
	)
	// ErrCrowded means that the memory for bodies is spent, and that the caller has the largest part of it.
	ErrCrowded = errs.New(
		errs.Unavailable,
		"unavailable",
		"You are sending more at once than the server can receive. Try again after the time in Retry-After.",
	).WithRetryAfter(time.Second)
	// ErrTooLarge means that a body is larger than it may be.
	ErrTooLarge = errors.New("the body is too large")
)

// Bodies are read in pieces of growing size, so that a small one takes little room and a large one few pieces.
const (
	firstPiece = 512
	lastPiece  = 64 << 10
)

// Waiting is what a request takes of the room, in bytes, beside the bytes of its body until that has come: some 30 KiB
// are its goroutines and buffers, as many those of its connection, and the collector leaves as much again lying.
// Without it a thousand bodies that never begin would count as nothing. A body that is sent at all is here in
// milliseconds.
const Waiting = 256 << 10

// Room is the memory in which a process holds bodies. It is safe for concurrent use.
type Room struct{ room *places.Room }

// Body is what came of a request's body. It is its own first reader; the request's GetBody makes further ones.
type Body struct {
	reader

	share *places.Share

	mu     sync.Mutex
	pieces [][]byte // none of them empty; nil when nothing is kept any more
	latest *reader  // who reads it now
}

// reader reads a body once. The body's mu guards its place.
type reader struct {
	of       *Body
	piece    int // that is read next
	at       int // in that piece
	finished bool
}

// NewRoom returns room for so many bytes.
func NewRoom(bytes int64) *Room { return &Room{places.NewRoom(bytes)} }

// Read reads the body of r, at most limit bytes, on behalf of who, and puts what came in its place, with its length.
// It takes at most within, and less when ctx ends. Room is taken as bytes arrive, and given back when the new body is
// let go of. A body that was read and closed is kept for the case that it must be sent again, as long as nobody needs
// the room. When none is left, the caller who holds most of it is refused: who, or the one whose body is still coming,
// whose Read then returns ErrCrowded. Its other errors are ErrSlow, ErrChunks and ErrTooLarge; after any of them a
// connection of HTTP/1.1 ends with the answer.
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
	// A deadline in the past wakes a Read that waits: there is no other way to end it.
	b := &Body{share: m.room.Enter(who, func() { _ = rc.SetReadDeadline(time.Unix(1, 0)) })}

	defer context.AfterFunc(ctx, b.share.Stop)()

	size, err := int64(0), error(ErrCrowded)
	// Taken before the first byte, so that bodies that never begin count too.
	if b.share.Take(Waiting) == nil {
		size, err = b.receive(r.Body, limit)
	}
	if err != nil {
		b.letGo()
		if r.ProtoMajor == 1 {
			// Otherwise the server would read the rest of the body before it sends the answer.
			w.Header().Set("Connection", "close")
		}

		return err
	}
	// A deadline that stayed would end the next request on this connection.
	_ = rc.SetReadDeadline(time.Time{})
	b.share.Settle()
	b.share.Return(Waiting)
	// Whoever passes the request on finds the true length, also of one that came in chunks.
	r.ContentLength, r.TransferEncoding = size, nil
	if size == 0 {
		r.Body = http.NoBody
		b.letGo()

		return nil
	}
	b.reader = reader{of: b}
	b.latest = &b.reader
	r.Body, r.GetBody = b, b.again

	return nil
}

// receive reads from src until its end, and returns how much there was.
func (b *Body) receive(src io.Reader, limit int64) (int64, error) {
	var size int64

	for next := firstPiece; ; next = min(2*next, lastPiece) {
		if b.share.Take(int64(next)) != nil {
			return 0, ErrCrowded
		}
		piece := make([]byte, next)

		n, err := fill(piece, src)
		size += int64(n)
		if n > 0 {
			b.pieces = append(b.pieces, piece[:n])
		}

		switch {
		// Before the end is looked at: a body without a length shows its size only by coming.
		case size > limit:
			return 0, ErrTooLarge
		case errors.Is(err, io.EOF):
			return size, nil
		case err != nil:
			return 0, b.why(err)
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

// Read reads what came. It fails once the bytes were let go of before it came to their end.
func (r *reader) Read(p []byte) (int, error) {
	b := r.of
	b.mu.Lock()
	defer b.mu.Unlock()

	switch {
	case r.finished:
		return 0, io.EOF
	case b.pieces == nil:
		return 0, errGone
	}
	piece := b.pieces[r.piece]
	n := copy(p, piece[r.at:])
	if r.at += n; r.at == len(piece) {
		r.piece, r.at = r.piece+1, 0
	}
	r.finished = r.piece == len(b.pieces)

	return n, nil
}

// Close says that the body is needed no more but for sending it again. It returns nil.
func (r *reader) Close() error {
	r.of.share.Spare(r.of.drop)
	return nil
}

var errGone = errors.New("the body is not kept any more")

// again returns the body from its beginning.
func (b *Body) again() (io.ReadCloser, error) {
	// Somebody else has taken the room by now, or it was given back.
	if !b.share.Reclaim() {
		return nil, errGone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// That may also happen between Reclaim and the lock.
	if b.pieces == nil {
		return nil, errGone
	}

	b.latest = &reader{of: b}

	return b.latest, nil
}

// Answered gives the room of a body back that was read to its end before its answer began. Of any other the rest may
// still be on its way to the service: that one keeps its room until LetGo.
func (b *Body) Answered() {
	b.mu.Lock()
	finished := b.latest.finished
	b.mu.Unlock()
	if finished {
		b.letGo()
	}
}

// LetGo gives the room of a body back that Read has put in place; any other is closed. Nobody can send it again after
// that, and a Read that has not come to the end fails. It may be called again, and beside a Read.
func LetGo(body io.ReadCloser) {
	if b, ok := body.(*Body); ok {
		b.letGo()
	} else if body != nil {
		_ = body.Close()
	}
}

func (b *Body) letGo() {
	b.drop()
	b.share.Leave()
}

// drop lets go of the bytes, also of those that nobody has read.
func (b *Body) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pieces = nil
}

// why returns the reason for which a body did not come whole, by the error of its reader.
func (b *Body) why(err error) error {
	switch {
	case b.share.Crowded():
		return ErrCrowded
	case badChunk(err):
		return ErrChunks
	}

	return ErrSlow
}

// badChunk reports whether net/http could not read a chunk. It has no error of its own for that, only texts.
func badChunk(err error) bool {
	return strings.Contains(err.Error(), "chunk") || strings.Contains(err.Error(), "line too long")
}
