package httpx

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

const (
	quiet     = 2 * time.Millisecond   // how long one look for waiting callers takes
	looks     = 3                      // in a row that find nobody: the process may be held up during one of them
	lastCalls = time.Second            // for callers that go on coming
	settling  = 100 * time.Millisecond // for the last callers to say what they want
)

// patient is a listener that takes those who have already connected before it closes. The system answers a caller
// before the program has taken it; closing at once would cut off whoever stands between the two, with a call that may
// be on its way already.
type patient struct {
	*net.TCPListener
	quiet     time.Duration
	lastCalls time.Duration
	until     atomic.Int64 // Unix nanoseconds at which those who still come are not taken; 0 until Close
}

func newPatient(ln *net.TCPListener) *patient {
	return &patient{TCPListener: ln, quiet: quiet, lastCalls: lastCalls}
}

// Close ends the Accept that is under way. The ones that follow take who is waiting; the first that finds nobody
// closes the listener.
func (p *patient) Close() error {
	now := time.Now() //nolint:forbidigo // a socket deadline is on the wall clock
	// The server closes its listeners more than once.
	if !p.until.CompareAndSwap(0, now.Add(p.lastCalls).UnixNano()) {
		return nil
	}

	// A deadline in the past ends an Accept that is waiting, which a close would do as well but for good.
	return p.SetDeadline(now)
}

// Accept returns net.ErrClosed when the listener was closed and nobody waits, or when callers have gone on coming for
// lastCalls.
func (p *patient) Accept() (net.Conn, error) {
	for look := 0; ; {
		if until := p.until.Load(); until != 0 {
			now := time.Now() //nolint:forbidigo // likewise
			last := time.Unix(0, until)
			if look == looks || !now.Before(last) {
				_ = p.TCPListener.Close()
				return nil, net.ErrClosed
			}
			look++
			// A deadline that has passed would have Accept fail without a look at who waits.
			if err := p.SetDeadline(earlier(now.Add(p.quiet), last)); err != nil {
				return nil, err
			}
		}

		conn, err := p.TCPListener.Accept()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return conn, err
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}

	return b
}
