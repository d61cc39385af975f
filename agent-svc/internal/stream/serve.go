package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Server writes runs to their readers as server-sent events.
type Server struct {
	Feeds     *Feeds
	Heartbeat time.Duration   // 3 s by the interface
	Patience  time.Duration   // a reader that takes longer for one write is cut off
	Stagger   time.Duration   // goodbyes at the end of the process are spread over it
	Draining  <-chan struct{} // closed when streams must end
	Now       func() time.Time
	// Settle looks after a run whose process is gone and reports whether it has ended: then its last events are in the
	// log.
	Settle func(ctx context.Context, k Key) bool

	Open atomic.Int64 // readers at the moment
	Cut  atomic.Int64 // readers that stopped reading and were cut off
	Sent atomic.Int64 // writes that reached a reader's connection, heartbeats among them
	Late atomic.Int64 // those that came later than Tardy after the one before
}

// Tardy is the longest silence that the interface allows between two writes of a stream.
const Tardy = 3500 * time.Millisecond

// Serve writes the events of a run beyond after, and heartbeats, until the run's last event. It returns nil when that
// was written, the reader left or was cut off, or the process drains, and an error when Redis cannot be read, maybe
// after a part of the stream. The reader of a run whose process died stays until another has taken it up. Whatever ends
// a stream without its last event means to the client: ask again.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, k Key, after int) error {
	return s.serve(r, &connection{key: k, seq: after}, w)
}

// Restart is Serve from the first event on, for a reader who asks for what follows number ahead although none was sent
// beyond newest. What it has is not of this run as it is. A gap that reaches back to what it has says so before the
// first event; other gaps begin beyond the reader's place.
func (s *Server) Restart(w http.ResponseWriter, r *http.Request, k Key, newest, ahead int) error {
	return s.serve(r, &connection{key: k, unsent: api.Gap{From: newest + 1, To: ahead}}, w)
}

func (s *Server) serve(r *http.Request, c *connection, w http.ResponseWriter) error {
	s.Open.Add(1)
	defer s.Open.Add(-1)
	c.Server, c.w, c.rc = s, w, http.NewResponseController(w)

	fd := s.Feeds.join(r.Context(), c.key)
	defer s.Feeds.leave(fd)
	err := c.run(r.Context(), fd)
	if errors.Is(err, errReaderGone) {
		return nil
	}

	return err
}

// Stops reports whether streams end because the process does.
func (s *Server) Stops() bool {
	select {
	case <-s.Draining:
		return true
	default:
		return false
	}
}

type connection struct {
	*Server
	w      http.ResponseWriter
	rc     *http.ResponseController
	key    Key
	seq    int     // of the last event written
	unsent api.Gap // numbers that the reader has and nobody sent; none if it ends with 0
	begun  bool
	last   time.Time // of the last flush
}

var errReaderGone = errors.New("the reader is gone")

func (c *connection) run(ctx context.Context, fd *feed) error {
	beat := time.NewTicker(c.Heartbeat)
	defer beat.Stop()
	// What is in the log comes first; the feed's tail may begin beyond the reader's place.
	if err := c.catchUp(ctx); err != nil {
		return c.ended(err)
	}

	for {
		v := fd.beyond(c.seq)
		if v.behind {
			before := c.seq
			if err := c.catchUp(ctx); err != nil {
				return c.ended(err)
			}
			// What the feed knows of is not in the log any more; the reader comes back and gets it rebuilt.
			if c.seq == before {
				return nil
			}

			continue
		}
		if err := c.frames(v.frames, beat.C, v); err != nil {
			return c.ended(err)
		}
		// The reader had the last event before it came.
		if v.ended && c.seq >= v.newest {
			return nil
		}
		if v.lost && len(v.frames) == 0 {
			before := c.seq
			// Another process takes the run up, and its readers stay.
			if !c.Settle(ctx, c.key) {
				fd.rest()

				continue
			}
			if err := c.catchUp(ctx); err != nil {
				return c.ended(err)
			}
			// It has ended and its last events are not in the log: the reader comes back and gets them rebuilt.
			if c.seq == before {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.Draining:
			return c.goodbye(ctx)
		case <-beat.C:
			// The view is taken anew: whether somebody runs the run changes without an event.
			if err := c.beat(fd.beyond(c.seq)); err != nil {
				return err
			}
		case <-v.changed:
		}
	}
}

var errFinished = errors.New("the last event was written")

func (c *connection) ended(err error) error {
	if errors.Is(err, errFinished) {
		return nil
	}

	return err
}

// catchUp writes what the log has beyond the reader's place. Where numbers are missing, since a failover of Redis took
// their events or the end of the run left room for some, it announces the gap.
func (c *connection) catchUp(ctx context.Context) error {
	for page := firstPage; ; {
		events, err := c.Feeds.log.After(ctx, c.key, c.seq, page)
		if err != nil {
			return err
		}
		if err := c.begin(); err != nil {
			return err
		}

		for _, e := range events {
			if err := c.jump(e.Seq); err != nil {
				return err
			}
			if err := c.write(frame(c.key.PhaseID, e)); err != nil {
				return err
			}
		}
		if len(events) < page {
			return c.flush()
		}
		page = pageLike(events)
	}
}

// jump announces the numbers between the reader's place and the next event, if there are any.
func (c *connection) jump(next int) error {
	if next == c.seq+1 {
		return nil
	}
	gap, err := GapFrame(c.key.PhaseID, c.seq+1, next-1, c.Now())
	if err != nil {
		return err
	}

	return c.send(gap)
}

// pageLike returns how many events of the size of these make a page.
func pageLike(read []Event) int {
	size := 1
	for _, e := range read {
		size += len(e.Data)
	}

	return max(1, min(pageSize, pageBytes*len(read)/size))
}

// begin writes what stands before the first event.
func (c *connection) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	Begin(c.w)
	if err := c.send([]byte(Retry)); err != nil {
		return err
	}
	if c.unsent.To > 0 {
		gap, err := GapFrame(c.key.PhaseID, c.unsent.From, c.unsent.To, c.Now())
		if err != nil {
			return err
		}
		if err := c.send(gap); err != nil {
			return err
		}
	}

	return c.flush()
}

// Retry is the first line of the first event: how long a reader whose stream broke off waits before it comes back. By
// itself, with a blank line behind it, strict readers would take it for an event without data.
const Retry = "retry: 2000\n"

// Begin sets the headers of an event stream.
func Begin(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// Proxies such as nginx collect a response before they pass it on, unless they are told not to.
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// frames writes events; a heartbeat that falls due in between gets its turn.
func (c *connection) frames(frames []Frame, due <-chan time.Time, v view) error {
	for _, f := range frames {
		// A long catch-up must not starve the heartbeat: a reader that hears nothing for 3.5 s takes the stream for
		// dead.
		select {
		case <-due:
			if err := c.beat(v); err != nil {
				return err
			}
		default:
		}
		if err := c.write(f); err != nil {
			return err
		}
	}
	if len(frames) == 0 {
		return nil
	}

	return c.flush()
}

func (c *connection) write(f Frame) error {
	if err := c.send(f.Text); err != nil {
		return err
	}
	c.seq = f.Seq
	if f.Last {
		if err := c.flush(); err != nil {
			return err
		}

		return errFinished
	}

	return nil
}

// beat writes a heartbeat: no id, so that the reader's place does not move.
func (c *connection) beat(v view) error {
	status := v.status
	if status == "" {
		status = api.StatusProcessing
	}
	// A run that nobody runs at the moment is in no status that a heartbeat could repeat.
	if v.idle {
		status = ""
	}
	data, err := Encode(api.HeartbeatEvent{
		Type:    api.EventHeartbeat,
		PhaseID: c.key.PhaseID,
		TS:      api.At(c.Now()),
		LastSeq: c.seq,
		Status:  status,
	})
	if err != nil {
		return err
	}
	if err := c.send(append(append([]byte("event: heartbeat\ndata: "), data...), "\n\n"...)); err != nil {
		return err
	}

	return c.flush()
}

func (c *connection) send(text []byte) error {
	//nolint:forbidigo // a socket deadline is on the wall clock
	err := c.rc.SetWriteDeadline(time.Now().Add(c.Patience))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errReaderGone
	}
	_, err = c.w.Write(text)

	return c.gone(err)
}

// flush sends what is written. Then there is no deadline until the next write: over HTTP/2 one that passes ends the
// stream even when nothing is being written.
func (c *connection) flush() error {
	if err := c.rc.Flush(); err != nil {
		return c.gone(err)
	}
	_ = c.rc.SetWriteDeadline(time.Time{})
	now := c.Now()
	c.Sent.Add(1)
	// The first write has none before it to be late after.
	if !c.last.IsZero() && now.Sub(c.last) > Tardy {
		c.Late.Add(1)
	}
	c.last = now

	return nil
}

// gone counts readers that were cut off apart from those who left. The request's context does not tell them apart: the
// server cancels it on every failed write.
func (c *connection) gone(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.Cut.Add(1)
	}

	return errReaderGone
}

// goodbye asks the reader to come back, here or elsewhere, spread over time so that not all come at once.
func (c *connection) goodbye(ctx context.Context) error {
	if c.Stagger > 0 {
		wait := time.NewTimer(rand.N(c.Stagger)) //nolint:gosec // spreading load needs no secrecy
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return nil
		}
	}
	// Readers come back at different times, from 0.5 to 5 s: all of them at once would be a wave for the others.
	pause := 500 + rand.IntN(4500) //nolint:gosec // likewise

	const farewell = "retry: %d\n: this server is stopping; send the same request again with Last-Event-ID\n\n"
	if err := c.send(fmt.Appendf(nil, farewell, pause)); err != nil {
		return err
	}

	return c.flush()
}
