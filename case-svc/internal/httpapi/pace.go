package httpapi

import (
	"io"
	"net/http"
	"slices"
	"time"
)

// pace is the piece that a reader has the whole time for.
const pace = 32 << 10

// pacedWriter cuts off a reader who takes too long over one piece.
type pacedWriter struct {
	w        io.Writer
	rc       *http.ResponseController
	progress time.Duration
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	defer func() { _ = p.rc.SetWriteDeadline(time.Time{}) }()
	written := 0

	for some := range slices.Chunk(b, pace) {
		//nolint:forbidigo // a socket's deadline is on the wall clock
		_ = p.rc.SetWriteDeadline(time.Now().Add(p.progress))
		n, err := p.w.Write(some)
		if written += n; err != nil {
			return written, err
		}
	}

	return written, nil
}

// pacedReader cuts off a sender who takes too long over one piece. Between pieces there is no deadline: the server goes
// on reading behind a body that has ended, and would take a deadline that passes for the caller's leaving.
type pacedReader struct {
	r        io.Reader
	rc       *http.ResponseController
	progress time.Duration
}

func (p *pacedReader) Read(b []byte) (int, error) {
	_ = p.rc.SetReadDeadline(time.Now().Add(p.progress)) //nolint:forbidigo // a socket's deadline is on the wall clock
	n, err := p.r.Read(b)
	_ = p.rc.SetReadDeadline(time.Time{})

	return n, err
}
