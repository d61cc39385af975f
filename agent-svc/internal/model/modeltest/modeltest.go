// Package modeltest is a server that speaks the streaming protocol of each provider of language models, for tests. It
// answers what a test scripts, refuses what the provider would refuse, and keeps what it was sent.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Key is the key that the servers take.
const Key = "key-of-a-test"

// Name is the model that the servers have.
const Name = "test-model"

// Request is what a server was sent, in words common to the providers.
type Request struct {
	System    string
	Messages  []Message
	Tools     []string                   // their names
	Schemas   map[string]json.RawMessage // of the tools, by name
	MaxTokens int
	Raw       []byte
}

// Message is a turn of the chat so far. Roles are user, assistant and tool; a tool's message answers the call CallID.
type Message struct {
	Role   string
	Text   string
	Calls  []Call
	CallID string
}

// Call is a call of a tool. Its arguments are sent in these pieces.
type Call struct {
	ID        string
	Name      string
	Arguments []string
}

// Turn is what a server answers to one request.
type Turn struct {
	Text   []string // in these pieces
	Calls  []Call
	Stop   string // in the words of the provider; by default what goes with the rest
	Input  int    // tokens; 100 by default
	Output int    // tokens; 20 by default

	Status     int           // of an answer that is no stream
	RetryAfter string        // header
	Pause      time.Duration // before each event
	Fail       string        // type of an error within the stream, after text and calls
	Cut        bool          // the connection is cut after text and calls
	Unfinished bool          // the stream ends in good form, without saying why
	Mangled    bool          // an event is no JSON
}

// Server is a provider.
type Server struct {
	URL string

	t        testing.TB
	answer   func(n int, r Request) Turn
	mu       sync.Mutex
	requests []Request
}

// Requests returns what was sent, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()

	return append([]Request(nil), s.requests...)
}

// Script answers with one turn after the other, and with the last one from then on.
func Script(turns ...Turn) func(int, Request) Turn {
	return func(n int, _ Request) Turn { return turns[min(n, len(turns))-1] }
}

// protocol is what differs between providers.
type protocol struct {
	path   string
	key    func(http.Header) string
	read   func(body []byte) (Request, error)
	refuse func(status int, kind string) string
	write  func(e *events, t Turn)
}

// serve starts a server that answers its nth request, counted from 1, by answer.
func serve(t testing.TB, p protocol, answer func(n int, r Request) Turn) *Server {
	s := &Server{t: t, answer: answer}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handle(w, r, p) }))
	t.Cleanup(h.Close)
	s.URL = h.URL

	return s
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request, p protocol) {
	refuse := func(status int, kind string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, p.refuse(status, kind))
	}
	if r.Method != http.MethodPost || r.URL.Path != p.path {
		refuse(http.StatusNotFound, "not_found_error")
		return
	}
	if p.key(r.Header) != Key {
		refuse(http.StatusUnauthorized, "authentication_error")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request, err := p.read(body)
	if err != nil {
		s.t.Errorf("the request is not of the provider's form: %v\n%s", err, body)
		refuse(http.StatusBadRequest, "invalid_request_error")

		return
	}
	request.Raw = body
	s.mu.Lock()
	s.requests = append(s.requests, request)
	n := len(s.requests)
	s.mu.Unlock()
	turn := s.answer(n, request)
	if turn.Status != 0 {
		if turn.RetryAfter != "" {
			w.Header().Set("Retry-After", turn.RetryAfter)
		}
		refuse(turn.Status, "overloaded_error")

		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if turn.Input == 0 {
		turn.Input = 100
	}
	if turn.Output == 0 {
		turn.Output = 20
	}
	p.write(&events{w: w, pause: turn.Pause, gone: r.Context().Done()}, turn)
}

// events writes server-sent events.
type events struct {
	w     http.ResponseWriter
	pause time.Duration
	gone  <-chan struct{}
}

func (e *events) raw(text string) {
	if e.pause > 0 {
		timer := time.NewTimer(e.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-e.gone:
			return
		}
	}
	_, _ = io.WriteString(e.w, text)
	_ = http.NewResponseController(e.w).Flush()
}

func (e *events) send(event string, data any) {
	body, err := json.Marshal(data)
	if err != nil {
		panic(err) // of a test's own making
	}
	if event != "" {
		event = "event: " + event + "\n"
	}
	e.raw(event + "data: " + string(body) + "\n\n")
}

// cut ends the connection in the middle of an event.
func (e *events) cut() {
	_, _ = io.WriteString(e.w, "data: {\"ty")
	_ = http.NewResponseController(e.w).Flush()
	panic(http.ErrAbortHandler)
}

// paired checks that each call of the model is answered right behind it, once.
func paired(messages []Message) error {
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d comes before the results of all calls", i)
		}

		switch m.Role {
		case "tool":
			if !open[m.CallID] {
				return fmt.Errorf("message %d answers no call", i)
			}
			delete(open, m.CallID)
		case "assistant":
			if m.Text == "" && len(m.Calls) == 0 {
				return fmt.Errorf("message %d is empty", i)
			}

			for _, c := range m.Calls {
				open[c.ID] = true
				if !json.Valid([]byte(strings.Join(c.Arguments, ""))) {
					return fmt.Errorf("message %d calls with what is no JSON", i)
				}
			}
		case "user":
			if m.Text == "" {
				return fmt.Errorf("message %d is empty", i)
			}
		default:
			return fmt.Errorf("message %d has the role %q", i, m.Role)
		}
	}
	if len(open) > 0 || len(messages) == 0 || messages[len(messages)-1].Role == "assistant" {
		return fmt.Errorf("the chat does not end with the model's turn to come")
	}

	return nil
}
