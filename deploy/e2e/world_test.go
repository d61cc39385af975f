// Package e2e tests the whole service from outside: over HTTPS, through the gateway, with real stores.
package e2e_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/contract"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// The people of the tests: two owners of different firms, and colleagues of theirs. Those at oak have one role each,
// those at elm more: fay has the same as ben, and eva has all, as ada has at oak.
var (
	ada  = devidp.Person{Subject: "ada", Name: "Ada", Email: "ada@oak.example", Password: "a", Organization: "oak", Roles: []string{"owner", "member", "admin"}}
	ben  = devidp.Person{Subject: "ben", Name: "Ben", Email: "ben@elm.example", Password: "b", Organization: "elm", Roles: []string{"owner", "member"}}
	cara = devidp.Person{Subject: "cara", Name: "Cara", Email: "cara@oak.example", Password: "c", Organization: "oak", Roles: []string{"member"}}
	dora = devidp.Person{Subject: "dora", Name: "Dora", Email: "dora@oak.example", Password: "d", Organization: "oak", Roles: []string{"admin"}}
	otto = devidp.Person{Subject: "otto", Name: "Otto", Email: "otto@oak.example", Password: "o", Organization: "oak", Roles: []string{"owner"}}
	gil  = devidp.Person{
		Subject: "gil", Name: "Gil", Email: "gil@oak.example", Password: "g", Organization: "oak",
		Roles: []string{"member"},
	}
	fay = devidp.Person{
		Subject: "fay", Name: "Fay", Email: "fay@elm.example", Password: "f", Organization: "elm",
		Roles: []string{"owner", "member"},
	}
	eva = devidp.Person{
		Subject: "eva", Name: "Eva", Email: "eva@elm.example", Password: "e", Organization: "elm",
		Roles: []string{"owner", "member", "admin"},
	}

	allPeople = []devidp.Person{ada, ben, cara, dora, otto, gil, fay, eva}
)

// world is a whole Subrosa with a test's own stores and settings.
type world struct {
	*local.Local
	t     *testing.T
	dir   string
	logs  *lines
	redis string // address of its Redis
	mongo string // address of its MongoDB
	bare  *http.Transport
	judge *contract.Judge // holds the traffic of http against the OpenAPI document
	http  *http.Client    // follows no redirect
	stop  func() error    // ends it before the test does
	pair  *pair           // nil unless there are two replicas of everything

	tokens *tokens
}

// tokens are the access tokens of people who have signed in.
type tokens struct {
	mu sync.Mutex
	of map[string]string // by subject
}

// in returns the world for a subtest.
func (w *world) in(t *testing.T) *world {
	inner := *w
	inner.t = t

	return &inner
}

// lines is a log that can be written by all services at once.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.b.String()
}

// start runs a whole Subrosa until the test ends. Settings win over those of development, whose limits are generous.
func start(t *testing.T, settings map[string]string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), logs: &lines{}, tokens: &tokens{of: map[string]string{}}}
	environ := map[string]string{
		"AGENT_STREAM_STAGGER": "0s",
		// The embedded store reads whole collections for each sweep. Tests whose subject that is set their own.
		"AGENT_SWEEP": "12s", "CASE_SWEEP_EVERY": "2m",
	}
	if settings["REDIS_URL"] == "" {
		environ["REDIS_URL"] = stores.RedisURL(t)
	}
	if settings["MONGODB_URI"] == "" {
		environ["MONGODB_URI"] = stores.MongoURI(t)
	}

	for _, setting := range []string{"AUTH_DATABASE", "REGISTRY_DATABASE", "CASE_DATABASE", "PARTY_DATABASE"} {
		environ[setting] = stores.MongoName(t)
	}
	maps.Copy(environ, settings)
	w.redis, w.mongo = environ["REDIS_URL"], environ["MONGODB_URI"]
	if environ[overhear] != "" {
		environ["MONGODB_URI"] = overheard(t, environ["MONGODB_URI"], environ)
	}
	if everythingTwice {
		w.pair = newPair(t, environ)
	}
	delete(environ, oneProcess)
	delete(environ, overhear)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var l *local.Local
	var err error

	for range 5 { // a port that was free may be taken by another world before this one listens
		addr, base := testkit.FreeAddr(t), ""
		if w.pair != nil {
			w.pair.first, base = addr, "https://"+w.pair.front.listener.Addr().String()
			w.pair.front.to(addr)
		}
		l, err = local.Start(ctx, local.Options{
			Dir: filepath.Join(w.dir, ".local"), Addr: addr, Base: base, OIDCAddr: testkit.FreeAddr(t),
			People: allPeople, Environ: environ, Log: w.logs, Level: slog.LevelDebug, Now: time.Now,
		})
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	if err != nil {
		t.Fatalf("start: %v\n%s", err, w.logs)
	}
	w.Local, w.stop = l, sync.OnceValue(l.Close)
	w.bare = l.Client().Transport.(*http.Transport)
	w.judge = newJudge(t, l.Facts.BaseURL)
	w.http = &http.Client{Transport: w.judge.Over(w.bare), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		for _, departure := range w.judge.Departures() {
			t.Errorf("not as the OpenAPI document says: %s", departure)
		}
		w.bare.CloseIdleConnections()
		if err := w.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	if w.pair != nil {
		w.pair.join(ctx, w, environ)
	}

	return w
}

// document is read once, since reading it takes its time.
var document = sync.OnceValues(func() (*openapi3.T, error) { return contract.Load(context.Background()) })

// judges makes one judge, which sees no traffic itself. The judge of each world is made from it, so that the schemas of
// the document are compiled once.
var judges = sync.OnceValues(func() (*contract.Judge, error) {
	doc, err := document()
	if err != nil {
		return nil, err
	}

	return contract.New(doc, "")
})

func newJudge(t testing.TB, base string) *contract.Judge {
	t.Helper()
	address, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := judges()
	if err != nil {
		t.Fatal(err)
	}

	return judge.Of(address.Host)
}

// unlimited returns settings without the limits that a test of something else would run into. more are name, value, name, value.
func unlimited(more ...string) map[string]string {
	settings := map[string]string{
		"GATEWAY_RATE_TOKEN": "1000000", "GATEWAY_RATE_OAUTH_TOKEN": "1000000", "GATEWAY_RATE_REGISTER": "1000000", "GATEWAY_RATE_REGISTRATION_TOKEN": "1000000", "GATEWAY_RATE_RUN": "1000000",
		"GATEWAY_RATE_CALLS": "1000000", "GATEWAY_RATE_ADDRESS": "1000000", "AGENT_STREAMS_PER_CALLER": "1000", "AGENT_RUNS_PER_CALLER": "200", "REGISTRY_CARD_PER_HOUR": "1000000",
		"CASE_UPLOADS_PER_CALLER": "64",
	}
	for i := 0; i+1 < len(more); i += 2 {
		settings[more[i]] = more[i+1]
	}

	return settings
}

// token returns the access token of a person, signed in once.
func (w *world) token(p devidp.Person) string {
	w.t.Helper()
	w.tokens.mu.Lock()
	defer w.tokens.mu.Unlock()
	if w.tokens.of[p.Subject] == "" {
		token, err := devidp.SignIn(w.t.Context(), w.http, w.Facts.Issuer, p)
		if err != nil {
			w.t.Fatal(err)
		}
		w.tokens.of[p.Subject] = token
	}

	return w.tokens.of[p.Subject]
}

// as returns a client with a bearer; "" means none.
func (w *world) as(bearer string) *client.Client {
	w.t.Helper()
	var credential httpcall.Credential
	if bearer != "" {
		credential = client.Bearer(bearer)
	}
	c, err := client.New(w.Facts.BaseURL, w.http.Transport, credential)
	if err != nil {
		w.t.Fatal(err)
	}

	return c
}

// connected is a person's agent with its key and bearer.
type connected struct {
	api.RegisteredAgent
	bearer string
	card   *cardHost
}

// registrationToken asks for a token in a person's name.
func (w *world) registrationToken(p devidp.Person) string {
	w.t.Helper()
	token, err := w.as(w.token(p)).RegistrationToken(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}

	return token.RegistrationToken
}

// register registers an agent and returns whatever the answer is.
func (w *world) register(token, cardURL string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, "/v1/agents/register", "", registration(w.t, token, cardURL))
}

// registration is the body of a registration.
func registration(t *testing.T, token, cardURL string) string {
	t.Helper()
	body, err := json.Marshal(api.RegisterRequest{RegistrationToken: token, AgentCardURL: cardURL})
	if err != nil {
		t.Fatal(err)
	}

	return string(body)
}

// disconnect ends a person's agent if there is one.
func (w *world) disconnect(p devidp.Person) {
	w.t.Helper()
	me := w.send(http.MethodGet, "/v1/agents/me", w.token(p), "")
	if me.status == http.StatusNotFound {
		return
	}
	agent := into[api.Agent](w.t, me, http.StatusOK)
	if a := w.send(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(p), ""); a.status != http.StatusNoContent {
		w.t.Fatalf("disconnect: %d %s", a.status, a.body)
	}
}

// connect takes a person's agent through token, registration and exchange.
func (w *world) connect(p devidp.Person) connected {
	w.t.Helper()
	host := w.cardHost()
	agent, err := w.as("").Register(w.t.Context(), w.registrationToken(p), host.url)
	if err != nil {
		w.t.Fatal(err)
	}
	bearer, err := w.as("").Exchange(w.t.Context(), agent.SharedAPIKey)
	if err != nil {
		w.t.Fatal(err)
	}

	return connected{agent, bearer.BearerToken, host}
}

// answer is what came back for a raw request.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    httpx.WireError
}

// send makes a raw request; headers are name, value, name, value.
func (w *world) send(method, path, bearer, body string, headers ...string) answer {
	w.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}

	return w.do(w.http, w.request(method, path, bearer, r, headers...))
}

// request makes a request that do can send. A body is JSON unless a header says otherwise.
func (w *world) request(method, path, bearer string, body io.Reader, headers ...string) *http.Request {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.Facts.BaseURL+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}

	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}

	return req
}

// do sends a request and reads the whole answer.
func (w *world) do(with *http.Client, req *http.Request) answer {
	w.t.Helper()
	a, err := fetch(with, req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}

	return a
}

// fetch is do for goroutines that must not end the test.
func fetch(with *http.Client, req *http.Request) (answer, error) {
	resp, err := with.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(io.LimitReader(resp.Body, 8<<20)); err != nil {
		return answer{}, err
	}
	if a.status >= 400 {
		if json.Unmarshal(a.body, &a.err) != nil {
			a.err = refusalOfA2A(a.body)
		}
	}

	return a, nil
}

// into reads a good answer.
func into[T any](t *testing.T, a answer, status int) T {
	t.Helper()
	var v T
	if a.status != status {
		t.Fatalf("answer = %d %s, want %d", a.status, a.body, status)
	}
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("read answer: %v: %.300s", err, a.body)
	}

	return v
}

// http1 returns a client of the service that does not speak HTTP/2.
func (w *world) http1() *http.Client {
	w.t.Helper()
	transport := w.bare.Clone()
	transport.ForceAttemptHTTP2, transport.TLSNextProto = false, map[string]func(string, *tls.Conn) http.RoundTripper{}
	transport.TLSClientConfig.NextProtos = nil
	w.t.Cleanup(transport.CloseIdleConnections)

	return &http.Client{Transport: w.judge.Over(transport)}
}

// from returns a client of the service whose connections come from another address of this machine.
func (w *world) from(ip string) *http.Client {
	w.t.Helper()
	transport := w.bare.Clone()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, w.straight(addr)) // what stands before the gateways would hide where a connection comes from
	}
	w.t.Cleanup(transport.CloseIdleConnections)

	return &http.Client{Transport: w.judge.Over(transport)}
}

// refused checks that an answer is an error of the one shape, with this status and one of these codes.
func (a answer) refused(t *testing.T, what string, status int, codes ...string) {
	t.Helper()

	known := len(codes) == 0
	for _, c := range codes {
		known = known || c == a.err.Error
	}
	if a.status != status || !known {
		t.Errorf("%s: %d %s, want %d %s", what, a.status, a.err.Error, status, strings.Join(codes, " or "))
		return
	}
	if a.header.Get("Content-Type") != "application/json" || a.err.Message == "" || a.err.RequestID == "" || a.err.RequestID != a.header.Get("X-Request-Id") {
		t.Errorf("%s: not the one shape of errors: %s %.300s", what, a.header.Get("Content-Type"), a.body)
	}
	if challenge := a.header.Get("WWW-Authenticate"); status == http.StatusUnauthorized && challenge != "Bearer" && !strings.HasPrefix(challenge, "Bearer ") {
		t.Errorf("%s: 401 without WWW-Authenticate: Bearer", what)
	}
	if (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && a.header.Get("Retry-After") == "" {
		t.Errorf("%s: %d without Retry-After", what, status)
	}
}

// newCase creates a case with one file, as the bearer.
func (w *world) newCase(bearer string) (caseID, fileID string) {
	w.t.Helper()
	c := w.as(bearer)
	k, err := c.CreateCase(w.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := c.Upload(w.t.Context(), k.CaseID, "complaint.md", "text/markdown", strings.NewReader(complaint))
	if err != nil {
		w.t.Fatal(err)
	}

	return k.CaseID, f.FileID
}

const complaint = `# COMPLAINT

UNITED STATES DISTRICT COURT

[Party 1], Plaintiff, v. [Party 2], Defendant. [Docket 1]

## COUNT I: Breach of contract

1. [Party 1] and [Party 2] agreed in writing that either of them may terminate the agreement by written notice of thirty days.

2. [Party 2] terminated the agreement without notice and has paid nothing since.

## COUNT II: Unjust enrichment

3. [Party 2] keeps the benefit of the work that [Party 1] has done and refuses to pay for it.

WHEREFORE, [Party 1] demands judgment against [Party 2] for $80,000.00 with interest and costs.
`

// task returns a task on a case with a fresh phase.
func task(caseID, requestType, prompt string) api.AgentTask {
	return api.AgentTask{
		SessionID: "session-" + uuid.NewString(), SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: caseID, ContainerType: api.ContainerCase,
		RequestType: requestType, Prompt: prompt,
	}
}

// signingKey is a key of an attacker.
func signingKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return key
}
