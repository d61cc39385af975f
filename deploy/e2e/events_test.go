package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// frame is one event as it came over the wire.
type frame struct {
	id, kind string
	data     []byte
	at       time.Time
}

// text is the frame as it stands on the wire.
func (f frame) text() string {
	if f.id == "" {
		return "event: " + f.kind + "\ndata: " + string(f.data) + "\n\n"
	}

	return "id: " + f.id + "\nevent: " + f.kind + "\ndata: " + string(f.data) + "\n\n"
}

// follower reads a stream of events in the background.
type follower struct {
	t      *testing.T
	status int
	proto  string
	header http.Header
	answer answer // when it is no stream
	leave  func() // closes the connection

	mu      sync.Mutex
	frames  []frame
	err     error // of the wire's form
	changed chan struct{}
	ended   bool
}

// post sends a task and follows its stream.
func (w *world) post(bearer string, task api.AgentTask, headers ...string) *follower {
	w.t.Helper()
	body, err := json.Marshal(task)
	if err != nil {
		w.t.Fatal(err)
	}

	return w.follow(w.request(http.MethodPost, "/v1/agent", bearer, bytes.NewReader(body), append([]string{"Accept", "text/event-stream"}, headers...)...))
}

// watch follows the stream of a phase that another request began.
func (w *world) watch(bearer, phaseID string, headers ...string) *follower {
	w.t.Helper()
	return w.follow(w.request(http.MethodGet, "/v1/agent/"+phaseID, bearer, nil, append([]string{"Accept", "text/event-stream"}, headers...)...))
}

func (w *world) follow(req *http.Request) *follower {
	w.t.Helper()
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	f := &follower{t: w.t, status: resp.StatusCode, proto: resp.Proto, header: resp.Header, changed: make(chan struct{})}
	if resp.StatusCode != http.StatusOK {
		f.answer = answer{status: resp.StatusCode, header: resp.Header}
		f.answer.body, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		_ = json.Unmarshal(f.answer.body, &f.answer.err)
		f.leave, f.ended = func() {}, true

		return f
	}
	var once sync.Once
	f.leave = func() { once.Do(func() { _ = resp.Body.Close() }) }

	w.t.Cleanup(f.leave)
	go f.read(bufio.NewReaderSize(resp.Body, 64<<10))

	return f
}

func (f *follower) read(r *bufio.Reader) {
	err := readFrames(r, func(fr frame) { f.put(fr, nil, false) })
	f.put(frame{}, err, true)
}

func (f *follower) put(fr frame, err error, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !ended {
		f.frames = append(f.frames, fr)
	}
	f.err, f.ended = err, ended
	close(f.changed)
	f.changed = make(chan struct{})
}

var (
	retryLine   = regexp.MustCompile(`^retry: [1-9][0-9]{2,4}$`)
	commentLine = regexp.MustCompile(`^: [ -~]+$`)
)

// readFrames reads whole frames, strictly in the form that the service has: what it may leave out it never adds. It returns nil when
// the stream ends, wherever that is.
func readFrames(r *bufio.Reader, each func(frame)) error {
	var lines []string

	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil
		}
		if line != "\n" {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
			continue
		}
		fr := frame{at: time.Now()}

		for _, l := range lines {
			name, value, _ := strings.Cut(l, ": ")
			switch {
			case name == "id" && fr.id == "" && fr.kind == "":
				fr.id = value
			case name == "event" && fr.kind == "":
				fr.kind = value
			case name == "data" && fr.kind != "" && fr.data == nil:
				fr.data = []byte(value)
			case (retryLine.MatchString(l) || commentLine.MatchString(l)) && fr.kind == "" && fr.id == "":
			default:
				return fmt.Errorf("a line that has no place: %.200q", l)
			}
		}
		if lines = nil; fr.data != nil {
			each(fr)
		} else if fr.kind != "" || fr.id != "" {
			return errors.New("an event without data")
		}
	}
}

// until waits for a frame that fits and returns it.
func (f *follower) until(what string, fits func(frame) bool) frame {
	f.t.Helper()
	late := time.After(30 * time.Second)

	for {
		f.mu.Lock()
		i := slices.IndexFunc(f.frames, fits)
		ended, changed, frames := f.ended, f.changed, f.frames
		f.mu.Unlock()
		if i >= 0 {
			return frames[i]
		}
		if ended {
			f.t.Fatalf("the stream ended without %s:\n%s%s", what, f.answer.body, texts(frames))
		}
		select {
		case <-changed:
		case <-late:
			f.t.Fatalf("no %s came:\n%s", what, texts(frames))
		}
	}
}

// kind fits frames of a kind.
func kind(k string) func(frame) bool { return func(f frame) bool { return f.kind == k } }

// all waits for the end of the stream and returns what came.
func (f *follower) all() []frame {
	f.t.Helper()
	if f.status != http.StatusOK {
		f.t.Fatalf("no stream: %d %s", f.status, f.answer.body)
	}
	late := time.After(45 * time.Second)

	for {
		f.mu.Lock()
		ended, changed, err, frames := f.ended, f.changed, f.err, f.frames
		f.mu.Unlock()
		if ended {
			if err != nil {
				f.t.Fatalf("the stream is not of its form: %v", err)
			}

			return frames
		}
		select {
		case <-changed:
		case <-late:
			f.t.Fatalf("the stream does not end:\n%s", texts(frames))
		}
	}
}

func texts(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.text())
	}

	return b.String()
}

// stored leaves heartbeats out.
func stored(frames []frame) []frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f frame) bool { return f.id == "" })
}

// seqOf returns the number in an event's id.
func seqOf(f frame) int {
	_, number, _ := strings.Cut(f.id, ":")
	n, _ := strconv.Atoi(number)

	return n
}

// payload is what the grammar looks at of any event.
type payload struct {
	Type, PhaseID, Status, Delta, Format string
	Seq, Index, Attempt, LastSeq         int
	TS                                   string
	Tool                                 *api.ToolStatus
	Response                             *api.PhaseResponse
	ResponseSHA256                       string `json:"responseSha256"`
	Error, Message                       string
	Gap                                  *api.Gap
}

func (f frame) payload(t *testing.T) payload {
	t.Helper()
	var p payload
	if err := json.Unmarshal(f.data, &p); err != nil {
		t.Fatalf("payload of %s: %v: %.300s", f.kind, err, f.data)
	}

	return p
}

// checkStream checks the whole stream of a phase that has ended against the grammar of the interface, and returns its last status.
func checkStream(t *testing.T, phaseID string, frames []frame) string {
	t.Helper()

	g := grammar{t: t, phaseID: phaseID}
	for i, f := range frames {
		g.take(f, i == len(frames)-1)
	}
	if g.ended == "" {
		t.Errorf("the stream has no phase_end:\n%s", texts(frames))
	}

	return g.ended
}

// grammar follows a stream event by event.
type grammar struct {
	t       *testing.T
	phaseID string
	seq     int

	attempts  int
	begun     bool // between phase_start and the end of an attempt
	text      strings.Builder
	chunks    int
	open      map[string]bool
	responded bool
	failed    bool
	ended     string
	previous  string // kind and status of the event before
}

var kinds = []string{
	api.EventStatus, api.EventPhaseStart, api.EventContentChunk, api.EventDirectResponse, api.EventPhaseEnd, api.EventHeartbeat, api.EventError,
}

var statusesOfRuns = []string{
	api.StatusProcessing, api.StatusOrchestrating, api.StatusTool, api.StatusWorking, api.StatusReasoning, api.StatusResponding,
}

var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func (g *grammar) fail(f frame, format string, args ...any) {
	g.t.Helper()
	g.t.Errorf("%s: %.400s: %s", fmt.Sprintf(format, args...), f.text(), "after "+g.previous)
}

func (g *grammar) take(f frame, last bool) {
	g.t.Helper()

	p := f.payload(g.t)
	switch {
	case !slices.Contains(kinds, f.kind):
		g.fail(f, "a kind that the interface does not have")
	case p.Type != f.kind || p.PhaseID != g.phaseID || !instantForm.MatchString(p.TS):
		g.fail(f, "type, phaseId or ts")
	case len(f.data) > 1<<20:
		g.fail(f, "longer than 1 MiB")
	}
	if f.kind == api.EventHeartbeat {
		if f.id != "" || p.Seq != 0 || p.LastSeq != g.seq ||
			p.Status != "" && !slices.Contains(statusesOfRuns, p.Status) {
			g.fail(f, "a heartbeat after %d", g.seq)
		}

		return
	}
	if g.seq++; f.id != g.phaseID+":"+strconv.Itoa(g.seq) || p.Seq != g.seq {
		g.fail(f, "want number %d", g.seq)
		g.seq = seqOf(f)
	}
	if g.ended != "" {
		g.fail(f, "after phase_end")
	}
	g.step(f, p)
	if f.kind == api.EventPhaseEnd && !last {
		g.fail(f, "not the last event")
	}
	g.previous = f.kind + " " + p.Status
}

func (g *grammar) step(f frame, p payload) {
	g.t.Helper()

	switch f.kind {
	case api.EventPhaseStart:
		if g.attempts++; p.Attempt != g.attempts || g.previous != api.EventStatus+" "+api.StatusProcessing {
			g.fail(f, "attempt %d begins", g.attempts)
		}
		g.begun, g.chunks, g.open = true, 0, map[string]bool{}
		g.text.Reset()
	case api.EventStatus:
		g.status(f, p)
	case api.EventContentChunk:
		if !g.begun || g.responded || g.failed || p.Index != g.chunks || len(p.Delta) > 4<<10 || p.Delta == "" || p.Format != "text/markdown" {
			g.fail(f, "chunk %d", g.chunks)
		}
		g.chunks++
		g.text.WriteString(p.Delta)
	case api.EventDirectResponse:
		if !g.begun || g.responded || g.failed || p.Response == nil || p.ResponseSHA256 == "" {
			g.fail(f, "the response")
		} else if g.chunks > 0 && p.Response.Text != g.text.String() {
			g.fail(f, "the chunks add up to %q", g.text.String())
		}
		g.responded = true
	case api.EventError:
		waited := g.attempts == 0 && g.previous == api.EventStatus+" "+api.StatusProcessing // in vain
		if !g.begun && !waited || g.responded || g.failed || p.Error == "" || p.Message == "" {
			g.fail(f, "the error")
		}
		g.failed = true
	case api.EventPhaseEnd:
		good := []string{api.PhaseFailed, api.PhaseCancelled}
		if g.responded {
			good = []string{api.PhaseCompleted, api.PhaseRefused}
		}
		if g.responded == g.failed || !slices.Contains(good, p.Status) || len(g.open) > 0 {
			g.fail(f, "the end, with open tools %v", g.open)
		}
		g.ended = p.Status
	}
}

func (g *grammar) status(f frame, p payload) {
	g.t.Helper()
	if !slices.Contains(statusesOfRuns, p.Status) || g.responded || g.failed {
		g.fail(f, "the status")
	}
	if p.Status == api.StatusProcessing {
		g.begun = false // another attempt: the one before was broken off
		return
	}
	if !g.begun {
		g.fail(f, "a status outside of an attempt")
	}
	if p.Status != api.StatusTool {
		return
	}
	if p.Tool == nil || g.open[p.Tool.CallID] == (p.Tool.Outcome == nil) {
		g.fail(f, "a tool")
		return
	}
	if delete(g.open, p.Tool.CallID); p.Tool.Outcome == nil {
		g.open[p.Tool.CallID] = true
	}
}
