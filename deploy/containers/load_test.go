package containers_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

const (
	callers   = 4                      // clients that call, half of them over HTTP/1.1
	pace      = 200 * time.Millisecond // between two calls of one
	streamers = 3                      // clients that follow one run after the other
)

func transport(ca *localca.CA, second bool) *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool()}, ForceAttemptHTTP2: second, MaxIdleConnsPerHost: 8}
}

// owner is who the load is made as: a person, with an agent.
type owner struct {
	token, bearer, key string
	cases              []string // one for each stream, and one to read
}

const complaint = `# COMPLAINT

[Party 1], Plaintiff, v. [Party 2], Defendant. [Docket 1]

## COUNT I: Breach of contract

1. [Party 1] and [Party 2] agreed in writing that either of them may terminate the agreement by written notice of thirty days.

2. [Party 2] terminated the agreement without notice and has paid nothing since.
`

// as returns a client of the interface with a bearer.
func (s *stage) as(bearer string) *client.Client {
	s.t.Helper()
	var credential httpcall.Credential
	if bearer != "" {
		credential = client.Bearer(bearer)
	}
	c, err := client.New(s.facts.BaseURL, s.http.Transport, credential)
	if err != nil {
		s.t.Fatal(err)
	}

	return c
}

// owner connects a person's agent and makes the cases of the load, which a model may work on.
func (s *stage) owner(p devidp.Person) *owner {
	s.t.Helper()
	t, ctx := s.t, s.t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o := &owner{}
	var err error
	o.token, err = devidp.SignIn(ctx, s.http, s.facts.Issuer, p)
	must(err)
	token, err := s.as(o.token).RegistrationToken(ctx)
	must(err)
	agent, err := s.as("").Register(ctx, token.RegistrationToken, s.card)
	must(err)
	bearer, err := s.as("").Exchange(ctx, agent.SharedAPIKey)
	must(err)

	o.bearer, o.key = bearer.BearerToken, agent.SharedAPIKey
	for range streamers + 1 {
		c, err := s.as(o.bearer).CreateCase(ctx, client.NewCase{Jurisdiction: "US"})
		must(err)
		_, err = s.as(o.bearer).Upload(ctx, c.CaseID, "complaint.md", "text/markdown", strings.NewReader(complaint))
		must(err)
		must(s.as(o.token).Do(ctx, httpcall.Request{
			Method: http.MethodPatch, Path: httpcall.Path("v1", "cases", c.CaseID),
			In: map[string]any{"confidentiality": map[string]string{"aiPolicy": "local_model_only"}},
		}))
		o.cases = append(o.cases, c.CaseID)
	}

	return o
}

// call is one of the requests that the load is made of. All may be repeated: those that create something name themselves by an
// Idempotency-Key.
type call struct {
	name, method, path, bearer string
	body                       any
	status                     int
	creates                    bool
}

func (o *owner) calls(tag string) []call {
	reading := o.cases[streamers]

	return []call{
		{"read a case", http.MethodGet, "/v1/cases/" + reading, o.bearer, nil, 200, false},
		// An image without zones of its own would refuse the forum's.
		{"create a case", http.MethodPost, "/v1/cases", o.bearer, map[string]any{"jurisdiction": "US", "tags": []string{tag}, "forum": map[string]string{"system": "federal", "timeZone": "America/Los_Angeles"}}, 201, true},
		{"look at the agent", http.MethodGet, "/v1/agents/me", o.token, nil, 200, false},
		{"exchange the key", http.MethodPost, "/v1/auth/token", "", map[string]string{"api_key": o.key}, 200, false},
		{"list parties", http.MethodGet, "/v1/parties?caseId=" + reading, o.bearer, nil, 200, false},
		{"list files", http.MethodGet, "/v1/cases/" + reading + "/files", o.bearer, nil, 200, false},
		{"who am I", http.MethodGet, "/v1/me", o.bearer, nil, 200, false},
		{"list runs", http.MethodGet, "/v1/phases?mine=true&containerId=" + reading, o.bearer, nil, 200, false},
	}
}

// failure is a request that was not answered as it should be.
type failure struct {
	during, call string
	status       int // 0 when the connection broke
	why          string
}

// load is what clients do while services are stopped.
type load struct {
	stage *stage
	owner *owner
	tag   string // of the cases that are created, so that they can be counted
	began time.Time

	during  atomic.Value // what happens to the services
	calls   atomic.Int64
	created atomic.Int64
	runs    atomic.Int64
	events  atomic.Int64
	breaks  atomic.Int64 // of streams, each resumed

	mu       sync.Mutex
	failures []failure
	longest  time.Duration // until a call that failed at first succeeded
	wrong    []string      // what must not be

	stop    context.CancelFunc
	workers sync.WaitGroup
}

// begin has clients begin; end ends it.
func (s *stage) begin(o *owner, tag string) *load {
	ctx, cancel := context.WithCancel(s.t.Context())
	l := &load{stage: s, owner: o, tag: tag, stop: cancel, began: time.Now()}
	l.during.Store("nothing")

	for i := range callers {
		with := &http.Client{Transport: transport(s.ca, i%2 == 0), Timeout: 20 * time.Second}
		l.workers.Go(func() { l.call(ctx, with, i); with.CloseIdleConnections() })
	}

	for i := range streamers {
		l.workers.Go(func() { l.follow(ctx, o.cases[i], transport(s.ca, i%2 == 0)) })
	}

	return l
}

// patience is for how long a call that failed is repeated: longer than the service waits for a first request that was killed at its work
// before it lets another with the same key do it.
const patience = time.Minute

// call makes one call after the other until ctx ends. A call that fails is recorded and repeated until it succeeds.
func (l *load) call(ctx context.Context, with *http.Client, first int) {
	all := l.owner.calls(l.tag)

	tick := time.NewTicker(pace)
	defer tick.Stop()

	for i := first * 2; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c, key, began := all[i%len(all)], uuid.NewString(), time.Now()
		l.calls.Add(1)

		for try := 0; ; try++ {
			status, why := l.once(with, c, key)
			if status == c.status {
				if try > 0 {
					l.mu.Lock()
					l.longest = max(l.longest, time.Since(began))
					l.mu.Unlock()
				}

				break
			}
			if try == 0 {
				l.mu.Lock()
				l.failures = append(l.failures, failure{l.during.Load().(string), c.name, status, why})
				l.mu.Unlock()
			}
			waits := try > 0 && status == http.StatusConflict && strings.Contains(why, "idempotency_in_progress")
			if status != 0 && status != http.StatusServiceUnavailable && !waits || time.Since(began) > patience {
				l.complain("%s during %q ended with %d %s after %d tries", c.name, l.during.Load(), status, why, try+1)
				break
			}
			wait(l.stage.t, 100*time.Millisecond)
		}
		if c.creates {
			l.created.Add(1)
		}
	}
}

// once makes a call and returns its status, or 0 when the connection broke. The test's own end does not interrupt it.
func (l *load) once(with *http.Client, c call, key string) (status int, why string) {
	var body io.Reader
	if c.body != nil {
		text, err := json.Marshal(c.body)
		if err != nil {
			return -1, err.Error()
		}
		body = strings.NewReader(string(text))
	}
	req, err := http.NewRequestWithContext(context.Background(), c.method, l.stage.facts.BaseURL+c.path, body)
	if err != nil {
		return -1, err.Error()
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	if c.creates {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := with.Do(req)
	if err != nil {
		return 0, err.Error()
	}

	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	if resp.StatusCode == c.status {
		return resp.StatusCode, ""
	}
	if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
		l.complain("%s: 503 without Retry-After", c.name)
	}

	return resp.StatusCode, fmt.Sprintf("%.200s", text)
}

// follow has one run after the other done, each to its end, and compares what came with the record.
func (l *load) follow(ctx context.Context, caseID string, through *http.Transport) {
	defer through.CloseIdleConnections()
	c, err := client.New(l.stage.facts.BaseURL, through, client.Bearer(l.owner.bearer))
	if err != nil {
		l.complain("client: %v", err)
		return
	}

	for ctx.Err() == nil {
		task := api.AgentTask{
			SessionID: "session-" + uuid.NewString(), SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: caseID, ContainerType: api.ContainerCase, RequestType: api.CaseReq,
			Prompt: "How may the agreement be terminated?",
		}
		var got []client.Event
		keep := func(into *[]client.Event) func(client.Event) error {
			return func(e client.Event) error {
				if e.ID != "" {
					*into = append(*into, e)
				}

				return nil
			}
		}
		within, cancel := context.WithTimeout(context.Background(), 90*time.Second)
		err := c.Run(within, task, keep(&got), func(int, error) { l.breaks.Add(1) })
		if err != nil {
			l.complain("a stream during %q did not come to its end after %d events: %v", l.during.Load(), len(got), err)
		}
		l.orderly(task.SeedPhase.PhaseID, got)
		var record []client.Event
		err = c.Run(within, task, keep(&record), func(int, error) {}) // sent again, the task is replayed
		cancel()
		same := slices.EqualFunc(got, record, func(a, b client.Event) bool {
			return a.ID == b.ID && a.Kind == b.Kind && string(a.Data) == string(b.Data)
		})
		if err != nil || !same {
			l.complain("the record of a run has %d events, the stream had %d: %v", len(record), len(got), err)
		}
		l.runs.Add(1)
		l.events.Add(int64(len(got)))
	}
}

// orderly checks that no event is missing or came twice, and that the last one is the end of a run that was completed.
func (l *load) orderly(phase string, events []client.Event) {
	for i, e := range events {
		if want := fmt.Sprintf("%s:%d", phase, i+1); e.ID != want {
			l.complain("event %d is %s, want %s", i+1, e.ID, want)
			return
		}
	}
	if len(events) == 0 {
		return
	}
	last := events[len(events)-1]
	end, err := client.Decode[struct {
		Status string `json:"status"`
	}](last)
	if last.Kind != api.EventPhaseEnd || err != nil || end.Status != api.PhaseCompleted {
		l.complain("a run ended with %s %.300s", last.Kind, last.Data)
	}
}

func (l *load) complain(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

// end ends the load, reports it, and counts what was created.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop()
	l.workers.Wait()
	took := time.Since(l.began)
	t.Logf("in %v: %d calls (%.0f a second), %d failed at first; %d runs with %d events, %d broken streams resumed; longest until a repeated call succeeded %v",
		took.Round(time.Second), l.calls.Load(), float64(l.calls.Load())/took.Seconds(), len(l.failures), l.runs.Load(), l.events.Load(), l.breaks.Load(), l.longest.Round(time.Millisecond))

	for _, f := range l.failures {
		t.Logf("failed at first during %q: %s: %d %s", f.during, f.call, f.status, f.why)
	}

	for _, w := range l.wrong {
		t.Error(w)
	}
	if l.calls.Load() < int64(10*took.Seconds()) || l.runs.Load() < streamers*2 {
		t.Errorf("%d calls and %d runs are no load", l.calls.Load(), l.runs.Load())
	}
	if got, err := l.count(t); err != nil || got != l.created.Load() {
		t.Errorf("%d cases are there, %d were created: %v", got, l.created.Load(), err)
	}
}

// count returns how many cases of the load there are.
func (l *load) count(t *testing.T) (n int64, err error) {
	cursor := ""
	for range 1000 {
		page, err := l.stage.as(l.owner.bearer).Cases(t.Context(), cursor, 100)
		if err != nil {
			return n, err
		}

		for _, c := range page.Items {
			if slices.Contains(c.Tags, l.tag) {
				n++
			}
		}
		if page.NextCursor == nil {
			return n, nil
		}
		cursor = *page.NextCursor
	}

	return n, errors.New("the list does not end")
}
