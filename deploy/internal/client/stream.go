package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/tmaxmax/go-sse"
)

const maxEvent = 2 << 20 // bytes; the service keeps below 1 MiB

// Event is one event of a run's stream.
type Event struct {
	ID   string // "" for heartbeats
	Kind string
	Data []byte
}

// ErrBroken means that a stream ended before its last event: the run goes on, ask again.
var ErrBroken = errors.New("the stream broke off")

// Run sends a task and calls each for every event once, in order, reconnecting with Last-Event-ID when the connection
// breaks, until the last event. A service that says when to come again (Retry-After) is asked then, within a minute.
// lost, when not nil, hears of each reconnection. An error of each ends the run's reading, not the run.
func (c *Client) Run(
	ctx context.Context, task api.AgentTask, each func(Event) error, lost func(try int, err error),
) error {
	// In a row without a single event: a stream that makes progress may break as often as it likes.
	const tries = 8

	last, failures := "", 0
	for {
		seen := last
		err := c.Attach(ctx, task, last, func(e Event) error {
			if e.ID != "" {
				last = e.ID
			}

			return each(e)
		})
		// A refusal does not change by being asked again.
		if err == nil || ctx.Err() != nil || !worthTrying(err) {
			return err
		}
		if failures++; last != seen {
			failures = 1
		}
		if failures > tries {
			return fmt.Errorf("the stream could not be resumed: %w", err)
		}
		if lost != nil {
			lost(failures, err)
		}
		pause := time.NewTimer(pauseAfter(err, failures))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// longestPause is the longest that a client waits before it asks again, whatever the service says.
const longestPause = time.Minute

// pauseAfter returns how long to wait after so many failures in a row: what the service asked for, or else longer each
// time.
func pauseAfter(err error, failures int) time.Duration {
	if asked := errs.From(err).RetryAfter; asked > 0 {
		return min(asked, longestPause)
	}

	return min(time.Duration(failures*failures)*200*time.Millisecond, 5*time.Second)
}

// worthTrying tells a connection that broke, or a service that is away for a moment, from an answer that will not
// change.
func worthTrying(err error) bool {
	return errors.Is(err, ErrBroken) || errs.From(err).Kind == errs.Unavailable
}

// Attach sends a task once and calls each for every event after the one named by last. It returns nil after the last
// event of the run, and ErrBroken when the stream ended before.
func (c *Client) Attach(ctx context.Context, task api.AgentTask, last string, each func(Event) error) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if last != "" {
		header.Set("Last-Event-ID", last)
	}
	resp, err := c.http.Open(
		ctx,
		httpcall.Request{Method: http.MethodPost, Path: "/v1/agent", Header: header, In: task},
	)
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()

	return Read(resp.Body, each)
}

// errStop ends the reading after the last event.
var errStop = errors.New("last event")

// Read calls each for every whole event of a stream. It returns nil after phase_end and ErrBroken when the stream ends
// before.
func Read(body io.Reader, each func(Event) error) error {
	previous := ""
	var failed error

	for e, err := range sse.Read(&whole{r: bufio.NewReader(body)}, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBroken, err)
		}
		event := Event{Kind: e.Type, Data: []byte(e.Data)}
		// The library repeats the last id for events that have none, such as heartbeats.
		if e.LastEventID != previous {
			event.ID, previous = e.LastEventID, e.LastEventID
		}
		if e.Data == "" {
			// Lines of retry and comments have no data.
			continue
		}
		if failed = each(event); failed == nil && e.Type == api.EventPhaseEnd {
			failed = errStop
		}
		if failed != nil {
			break
		}
	}

	switch {
	case errors.Is(failed, errStop):
		return nil
	case failed != nil:
		return failed
	}

	return ErrBroken
}

// whole passes on whole events only. A stream that breaks off in the middle of one would otherwise hand its first part
// over as if it were an event: the standard wants it thrown away.
type whole struct {
	r     *bufio.Reader
	event bytes.Buffer // being gathered
	ready bytes.Buffer // to be handed out
}

// Read hands out gathered events.
func (w *whole) Read(p []byte) (int, error) {
	for w.ready.Len() == 0 {
		line, err := w.r.ReadSlice('\n')
		w.event.Write(line)
		// Otherwise a server that never ends a line could take all memory.
		if w.event.Len() > maxEvent {
			return 0, errors.New("an event is too long")
		}

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return 0, err
		case len(bytes.TrimRight(line, "\r\n")) == 0 && endsLine(w.event.Bytes()):
			w.ready.Write(w.event.Bytes())
			w.event.Reset()
		}
	}

	return w.ready.Read(p)
}

// endsLine reports whether what was gathered ends with an empty line, and not just with the end of a long one.
func endsLine(b []byte) bool {
	return bytes.Equal(b, []byte("\n")) || bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\n\r\n"))
}

// Decode reads an event's payload.
func Decode[T any](e Event) (T, error) {
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fmt.Errorf("read %s event: %w", e.Kind, err)
	}

	return v, nil
}
