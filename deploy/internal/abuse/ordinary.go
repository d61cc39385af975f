package abuse

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const (
	callWithin = 10 * time.Second       // an ordinary call that takes longer has failed
	pace       = 150 * time.Millisecond // on average between two calls of a caller
)

const complaint = "# COMPLAINT\n\n[Party 1], Plaintiff, v. [Party 2], Defendant. [Docket 1]\n\n## COUNT I\n\n" +
	"On March 3, 2024 [Party 2] promised to deliver the goods by June 1, 2024. It did not deliver them.\n"

// caller is an ordinary caller: a person of a firm, and the agent that is connected to them.
type caller struct {
	base   string
	now    func() time.Time
	http   *http.Client // keeps its connections
	anew   *http.Client // makes a connection for each call, as somebody does who just comes
	token  string
	key    string // of the agent
	bearer string
	caseID string
	fileID string
	drawer string // the case that was created last
	tag    bool
}

// target is what attackers call, with a credential that is valid.
type target struct {
	token, bearer  string
	caseID, fileID string
	phaseID        string
	asset          string // path of a script of the app's page
}

// furnish signs everybody in and gives them a case, a file and an agent.
func (s *stage) furnish(ctx context.Context) error {
	host, err := s.cardHost()
	if err != nil {
		return err
	}
	defer host.Close()

	for i, p := range people() {
		ip := fmt.Sprintf("127.0.1.%d", i+1)
		kept := s.from(ip)
		fresh := s.from(ip)
		fresh.DisableKeepAlives = true
		c := &caller{
			base: s.facts.BaseURL, now: s.now, http: &http.Client{Transport: kept, Timeout: callWithin},
			anew: &http.Client{Transport: fresh, Timeout: callWithin},
		}
		if err := c.arrive(ctx, s.facts.Issuer, host.URL, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		// The first one is the attackers' account and does not work.
		if i > 0 {
			s.callers = append(s.callers, c)
			continue
		}
		if err := s.become(ctx, c); err != nil {
			return err
		}
	}

	return nil
}

// cardHost serves an agent's card with a certificate of the local authority.
func (s *stage) cardHost() (*httptest.Server, error) {
	card := `{"name":"Caller","description":"An ordinary agent.","url":"https://agents.com/caller","protocols":["a2a/1.0"]}`
	host := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, card)
	}))
	certs := filepath.Join(s.dir, "tls")
	pair, err := tls.LoadX509KeyPair(filepath.Join(certs, "localhost.pem"), filepath.Join(certs, "localhost-key.pem"))
	if err != nil {
		return nil, err
	}
	host.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	host.StartTLS()

	return host, nil
}

// arrive signs a person in and prepares what they work with.
func (c *caller) arrive(ctx context.Context, issuer, card string, p devidp.Person) error {
	signing := &http.Client{
		Transport:     c.http.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var err error
	if c.token, err = devidp.SignIn(ctx, signing, issuer, p); err != nil {
		return err
	}
	person, err := client.New(c.base, c.http.Transport, client.Bearer(c.token))
	if err != nil {
		return err
	}
	invitation, err := person.RegistrationToken(ctx)
	if err != nil {
		return err
	}
	agent, err := person.Register(ctx, invitation.RegistrationToken, card)
	if err != nil {
		return err
	}
	c.key = agent.SharedAPIKey
	bearer, err := person.Exchange(ctx, c.key)
	if err != nil {
		return err
	}
	c.bearer = bearer.BearerToken
	k, err := person.CreateCase(ctx, client.NewCase{Jurisdiction: "US"})
	if err != nil {
		return err
	}
	c.caseID, c.drawer = k.CaseID, k.CaseID
	f, err := person.Upload(ctx, c.caseID, "complaint.md", "text/markdown", strings.NewReader(complaint))
	c.fileID = f.FileID

	return err
}

const largeFile = 4_500_000 // bytes: more than all buffers on the way to a reader hold, less than 2,000 pages

// become prepares what attackers ask for in the name of c: a large file, and a run that has ended.
func (s *stage) become(ctx context.Context, c *caller) error {
	person, err := client.New(c.base, c.http.Transport, client.Bearer(c.token))
	if err != nil {
		return err
	}
	line := "The goods were late, and nobody said why, and this went on for weeks on end.\n"
	large := strings.Repeat(line, largeFile/len(line))
	f, err := person.Upload(ctx, c.caseID, "long.md", "text/markdown", strings.NewReader(large))
	if err != nil {
		return fmt.Errorf("upload a large file: %w", err)
	}
	s.victim = target{token: c.token, bearer: c.bearer, caseID: c.caseID, fileID: f.FileID}
	if s.victim.asset, err = c.script(ctx); err != nil {
		return err
	}
	task := question(c.caseID)
	s.victim.phaseID = task.SeedPhase.PhaseID

	return person.Run(ctx, task, func(client.Event) error { return nil }, nil)
}

var anyScript = regexp.MustCompile(`/assets/[A-Za-z0-9._-]+\.js`)

// script returns the path of a script that the app's page loads.
func (c *caller) script(ctx context.Context) (string, error) {
	resp, err := c.send(ctx, c.http, http.MethodGet, "/", "", "")
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	path := anyScript.FindString(string(page))
	if path == "" {
		return "", errors.Join(err, errors.New("the app's page names no script"))
	}

	return path, err
}

func question(caseID string) api.AgentTask {
	return api.AgentTask{
		SessionID: "s-1", SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: caseID,
		ContainerType: "case", RequestType: api.CaseReq, Prompt: "When were the goods to be delivered?",
	}
}

// kinds are what ordinary callers do, in turns.
var kinds = []struct {
	name string
	do   func(context.Context, *caller) error
}{
	{"card", func(ctx context.Context, c *caller) error {
		return c.call(ctx, c.anew, http.MethodGet, "/.well-known/agent.json", "", "")
	}},
	{"me", func(ctx context.Context, c *caller) error {
		return c.call(ctx, c.http, http.MethodGet, "/v1/me", c.token, "")
	}},
	{"cases", func(ctx context.Context, c *caller) error {
		return c.call(ctx, c.anew, http.MethodGet, "/v1/cases", c.bearer, "")
	}},
	{"exchange", func(ctx context.Context, c *caller) error {
		return c.call(ctx, c.anew, http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+c.key+`"}`)
	}},
	{"patch", func(ctx context.Context, c *caller) error {
		c.tag = !c.tag
		body := `{"tags":["lease"]}`
		if c.tag {
			body = `{"tags":["delivery"]}`
		}

		return c.call(ctx, c.http, http.MethodPatch, "/v1/cases/"+c.caseID, c.bearer, body)
	}},
	{"download", func(ctx context.Context, c *caller) error {
		return c.call(ctx, c.http, http.MethodGet, "/v1/cases/"+c.caseID+"/files/"+c.fileID+"/content", c.bearer, "")
	}},
	{"create", func(ctx context.Context, c *caller) error { return c.create(ctx) }},
	{"upload", func(ctx context.Context, c *caller) error { // into a case of its own, so that no case grows
		return c.call(ctx, c.http, http.MethodPost, "/v1/cases/"+c.drawer+"/files", c.bearer, complaint)
	}},
	{"run", func(ctx context.Context, c *caller) error { return c.run(ctx) }},
}

// ordinary has all callers work for a time and returns their calls.
func (s *stage) ordinary(ctx context.Context, during time.Duration) ([]call, error) {
	ending, cancel := context.WithTimeout(ctx, during)
	defer cancel()
	results := make([][]call, len(s.callers))
	var all sync.WaitGroup

	for i, c := range s.callers {
		all.Go(func() { results[i] = c.work(ctx, ending, i) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	var calls []call
	for _, r := range results {
		calls = append(calls, r...)
	}

	return calls, nil
}

// work makes calls one after another until ending ends, beginning with the kind of number first.
func (c *caller) work(ctx, ending context.Context, first int) (calls []call) {
	for n := first; ; n++ {
		pause := time.NewTimer(rand.N(2 * pace)) //nolint:gosec // spreading load needs no secrecy
		select {
		case <-ending.Done():
			pause.Stop()
			return calls
		case <-pause.C:
		}
		// Each caller begins with another kind, so that not all upload at once.
		kind := kinds[n%len(kinds)]
		began := c.now()
		err := kind.do(ctx, c)
		calls = append(calls, call{kind.name, c.now().Sub(began), err})
	}
}

// call makes one call and reads its whole answer; a body that begins with a heading is a file.
func (c *caller) call(ctx context.Context, with *http.Client, method, path, bearer, body string) error {
	resp, err := c.send(ctx, with, method, path, bearer, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%d %.200s", resp.StatusCode, text)
	}

	return nil
}

func (c *caller) send(
	ctx context.Context, with *http.Client, method, path, bearer, body string,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}

	switch {
	// Only the complaint begins so: it is the one file that callers send.
	case strings.HasPrefix(body, "#"):
		req.Header.Set("Content-Type", "text/markdown")
		req.Header.Set("Content-Disposition", `attachment; filename="more.md"`)
	case body != "":
		req.Header.Set("Content-Type", "application/json")
	}

	return with.Do(req)
}

// create creates a case, which the next upload goes to.
func (c *caller) create(ctx context.Context) error {
	resp, err := c.send(ctx, c.http, http.MethodPost, "/v1/cases", c.bearer, `{"jurisdiction":"US"}`)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var k api.Case
	if err := json.NewDecoder(resp.Body).Decode(&k); err != nil || resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("%d, %w", resp.StatusCode, err)
	}
	c.drawer = k.CaseID

	return nil
}

// run asks a question and wants it answered.
func (c *caller) run(ctx context.Context) error {
	task, err := json.Marshal(question(c.caseID))
	if err != nil {
		return err
	}
	resp, err := c.send(ctx, c.http, http.MethodPost, "/v1/agent", c.bearer, string(task))
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)

	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%d %.200s", resp.StatusCode, text)
	case !strings.Contains(string(text), "event: direct_response"):
		return errors.New("the stream ended without an answer")
	}

	return nil
}
