package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// events writes a stream of server-sent events. Its headers go out with the first event, so that whatever fails before
// is an ordinary error.
type events struct {
	w        http.ResponseWriter
	rc       *http.ResponseController
	patience time.Duration
	wrap     func(any) any // what the binding puts around a reply

	mu    sync.Mutex
	begun bool
	quiet bool // nothing was written since the last beat
}

func newEvents(w http.ResponseWriter, patience time.Duration, wrap func(any) any) *events {
	return &events{
		w:        w,
		rc:       http.NewResponseController(w),
		patience: patience,
		wrap:     wrap,
	}
}

// send writes one event; it is a Sink.
func (s *events) send(number int, r Reply) error {
	if r == (Reply{}) {
		return s.open()
	}

	return s.write(number, s.wrap(r))
}

// open sends the headers, so that the reader knows that the stream stands.
func (s *events) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		return nil
	}
	s.begin()

	return s.put([]byte(": open\n\n"))
}

func (s *events) write(number int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}

	frame := make([]byte, 0, len(text)+32)
	if number >= 0 {
		frame = append(strconv.AppendInt(append(frame, "id: "...), int64(number), 10), '\n')
	}
	frame = append(append(append(frame, "data: "...), text...), "\n\n"...)

	// The keep-alive writes from another goroutine; two frames must not run into each other.
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begin()
	}

	return s.put(frame)
}

func (s *events) begin() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	s.begun = true
}

// put writes and flushes within the patience that a reader has; s.mu is held.
func (s *events) put(frame []byte) error {
	//nolint:forbidigo // a socket deadline is on the wall clock
	until := time.Now().Add(s.patience)
	if err := s.rc.SetWriteDeadline(until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write(frame); err != nil {
		return errGone(err)
	}
	s.quiet = false

	return errGone(s.rc.Flush())
}

var errReader = errors.New("the reader is gone")

func errGone(err error) error {
	if err == nil || errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errReader
	}

	return errors.Join(errReader, err)
}

// keepAlive writes a comment whenever nothing else was written for a while, until the function it returns is called.
func (s *events) keepAlive(ctx context.Context, beat time.Duration) (stop func()) {
	return httpx.KeepAlive(ctx, beat, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.begun && s.quiet {
			// A reader that is gone is found by the next event.
			_ = s.put([]byte(": keep-alive\n\n"))
		}
		s.quiet = true
	})
}

// stream runs what sends events, and tells a failure in the form that the moment allows: as an answer before the first
// event, as the last event after it.
func (e *Endpoint) stream(
	in request,
	w http.ResponseWriter,
	wrap func(any) any,
	work func(Sink) error,
	refuse func(*a2aerr.Failure) any,
) error {
	ctx := in.Context()
	out := newEvents(w, e.Patience, wrap)
	stop := out.keepAlive(ctx, e.Service.Beat)
	err := e.stay(ctx, func() error { return work(out.send) })
	// No keep-alive may follow the last event.
	stop()

	switch {
	// The reader has everything already: an empty stream says so.
	case err == nil && !out.begun:
		out.begin()
		return nil
	case err == nil, errors.Is(err, errReader), errors.Is(err, errStopped), ctx.Err() != nil:
		return nil
	case !out.begun:
		return err
	}
	// A reader that left needs no word.
	_ = out.write(-1, refuse(e.tell(ctx, in.operation, err)))

	return nil
}
