package httpx

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

const (
	quiet     = 2 * time.Millisecond   // without a new caller, after which nobody is taken to wait
	lastCalls = time.Second            // for callers that go on coming
	settling  = 100 * time.Millisecond // for the last callers to say what they want
)

// patient is a listener that takes those who have already connected before it closes. The system answers a caller before the program has
// taken it; closing at once would cut off whoever stands between the two, with a call that may be on its way already.
type patient struct {
	*net.TCPListener
	until atomic.Int64 // Unix nanoseconds at which those who still come are not taken; 0 until Close
}

// Close has Accept take who is waiting, and then close.
func (p *patient) Close() error {
	now := time.Now() //nolint:forbidigo // a socket deadline is on the wall clock
	if !p.until.CompareAndSwap(0, now.Add(lastCalls).UnixNano()) {
		return nil
	}

	return p.SetDeadline(now.Add(quiet))
}

// Accept returns net.ErrClosed when the listener was closed and nobody waits.
func (p *patient) Accept() (net.Conn, error) {
	conn, err := p.TCPListener.Accept()
	until := p.until.Load()
	if until == 0 {
		return conn, err
	}
	now := time.Now() //nolint:forbidigo // likewise
	if err == nil && now.UnixNano() < until {
		_ = p.SetDeadline(now.Add(quiet))
		return conn, nil
	}
	if err == nil {
		_ = p.TCPListener.Close() // the next Accept tells
		return conn, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = p.TCPListener.Close()
		return nil, net.ErrClosed
	}

	return nil, err
}
