package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// order is how the services start.
var order = []string{"auth-svc", "registry-svc", "case-svc", "party-svc", "agent-svc", "gateway"}

// prefix begins the names of a service's own settings.
func prefix(service string) string {
	return strings.ToUpper(strings.TrimSuffix(service, "-svc"))
}

// site is a whole Subrosa of six processes.
type site struct {
	*local.Local
	t      *testing.T
	dir    string
	people []devidp.Person
	http   *http.Client // over HTTP/2, follows no redirect
	card   string       // address of a good agent card
	logs   *os.File
	places map[string]string   // where each service listens
	inside map[string]string   // and where it tells of itself
	ones   map[string]*one     // its process
	tokens map[string]string   // of people who have signed in, by subject
	more   map[string][]string // settings of single services: name, value, name, value
}

// options say what is special about a site.
type options struct {
	settings map[string]string   // of all services
	more     map[string][]string // of single ones
	doors    map[string]string   // addresses, in place of their own, at which others reach services
	before   func(*site)         // is called when all addresses are known and before anything starts
	hold     time.Duration       // runs take so long
	quick    bool                // runs take no longer than they need
}

// slowSearch stands before case-svc for agent-svc alone and lets each search take some seconds, so that runs are under way when a fault
// comes. It returns its address and what tells it where case-svc is.
func slowSearch(t *testing.T, least, spread time.Duration) (addr string, to func(string)) {
	t.Helper()
	var target atomic.Value
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			if strings.HasSuffix(p.In.URL.Path, "/search") {
				select {
				case <-time.After(least + rand.N(spread)):
				case <-p.In.Context().Done():
				}
			}
			p.SetURL(&url.URL{Scheme: "http", Host: target.Load().(string)})
		},
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) },
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })

	return server.Listener.Addr().String(), func(addr string) { target.Store(addr) }
}

// begin starts a Subrosa that ends with the test. Redis and MongoDB are the test's own unless they are given.
func begin(t *testing.T, o options) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), places: map[string]string{}, inside: map[string]string{}, ones: map[string]*one{}, tokens: map[string]string{}, more: map[string][]string{}}
	maps.Copy(s.more, o.more)

	for i := range 8 {
		name := "p" + strconv.Itoa(i)
		s.people = append(s.people, devidp.Person{Subject: name, Name: name, Email: name + "@oak.example", Password: name, Organization: "oak", Roles: []string{"owner", "member", "admin"}})
	}
	var err error
	if s.logs, err = os.Create(filepath.Join(s.dir, "services.log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.keepLogs(); _ = s.logs.Close() })

	environ := map[string]string{"DRAIN_DELAY": "1s", "GATEWAY_STREAM_STAGGER": "1s", "AGENT_STREAM_STAGGER": "1s", "MONGODB_TIMEOUT": "5s"}
	for _, name := range []string{
		"GATEWAY_RATE_TOKEN", "GATEWAY_RATE_OAUTH_TOKEN", "GATEWAY_RATE_REGISTER", "GATEWAY_RATE_REGISTRATION_TOKEN", "GATEWAY_RATE_RUN", "GATEWAY_RATE_CALLS", "GATEWAY_RATE_ADDRESS", "REGISTRY_CARD_PER_HOUR",
	} {
		environ[name] = "1000000"
	}
	environ["AGENT_STREAMS_PER_CALLER"], environ["AGENT_RUNS_PER_CALLER"] = "3000", "200"
	if o.settings["REDIS_URL"] == "" {
		environ["REDIS_URL"] = stores.RedisServer(t).URL()
	}
	if o.settings["MONGODB_URI"] == "" {
		environ["MONGODB_URI"] = stores.MongoURI(t)
	}
	if o.settings["AUTH_DATABASE"] == "" {
		for _, name := range []string{"AUTH_DATABASE", "REGISTRY_DATABASE", "CASE_DATABASE", "PARTY_DATABASE"} {
			environ[name] = stores.MongoName(t)
		}
	}

	for _, service := range order {
		s.places[service], s.inside[service] = testkit.FreeAddr(t), testkit.FreeAddr(t)
		environ[prefix(service)+"_INTERNAL_ADDR"] = s.inside[service]
		if service != "gateway" {
			environ[prefix(service)+"_URL"] = "http://" + s.places[service]
			if door := o.doors[service]; door != "" {
				environ[prefix(service)+"_URL"] = "http://" + door
			}
		}
	}
	addr := s.places["gateway"]
	if door := o.doors["gateway"]; door != "" {
		addr = door
	}
	maps.Copy(environ, o.settings)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s.Local, err = local.Start(ctx, local.Options{
		Dir: filepath.Join(s.dir, ".local"), Addr: addr, OIDCAddr: testkit.FreeAddr(t), People: s.people, Environ: environ, Log: s.logs, Level: slog.LevelInfo, Now: time.Now, Outside: true,
	})
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	transport := s.Client().Transport.(*http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	s.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.before != nil {
		o.before(s)
	}
	if !o.quick {
		least, spread := 2*time.Second, 3*time.Second
		if o.hold > 0 {
			least, spread = o.hold, time.Second
		}
		slow, to := slowSearch(t, least, spread)
		to(strings.TrimPrefix(environ["CASE_URL"], "http://"))
		s.more["agent-svc"] = append(s.more["agent-svc"], "CASE_URL", "http://"+slow)
	}

	for _, service := range order {
		s.ones[service] = s.one(service, s.places[service], s.inside[service])
		s.ones[service].start()
	}

	for _, service := range order {
		s.ready(s.inside[service])
	}
	s.card = s.peer("127.0.0.1:0", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"name":"Test agent","description":"Works on cases by label.","url":"https://agents.com/test","protocols":["a2a/1.0"]}`)
	})

	return s
}

// keepLogs copies what the services said to the folder FAULTS_LOGS when a row does not hold.
func (s *site) keepLogs() {
	if to := os.Getenv("FAULTS_LOGS"); to != "" {
		if text, err := os.ReadFile(s.logs.Name()); err == nil {
			_ = os.WriteFile(filepath.Join(to, strings.ReplaceAll(s.t.Name(), "/", "-")+".log"), text, 0o600)
		}
	}
}

// ready waits until a service says that it can work.
func (s *site) ready(inside string) {
	s.t.Helper()
	s.await(30*time.Second, "a service is ready", func() bool {
		resp, err := http.Get("http://" + inside + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()

		return resp.StatusCode == http.StatusOK
	})
}

// await polls until done, and ends the test when that takes too long.
func (s *site) await(limit time.Duration, what string, done func() bool) {
	s.t.Helper()
	testkit.Until(s.t, limit, func() error {
		if !done() {
			return errors.New(what)
		}

		return nil
	})
}

// wait lets time pass while the load runs and the fault lasts, which is what these tests are about. It ends with its
// test.
func wait(t testing.TB, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// peer starts an HTTPS server with a certificate of the local authority and returns its address.
func (s *site) peer(addr string, handler http.HandlerFunc) string {
	s.t.Helper()
	ca, err := localca.Open(filepath.Join(s.dir, ".local", "ca"), time.Now)
	if err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	cert, key := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	if err := ca.Leaf(cert, key); err != nil {
		s.t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		s.t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(handler)
	_ = h.Listener.Close()
	if h.Listener, err = net.Listen("tcp", addr); err != nil {
		s.t.Fatal(err)
	}
	h.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	h.StartTLS()
	s.t.Cleanup(func() { h.CloseClientConnections(); h.Close() })

	return h.URL + "/agent.json"
}

// one is a service as a process.
type one struct {
	t      *testing.T
	path   string
	env    []string
	out    *os.File
	addr   string
	inside string
	cmd    *exec.Cmd
	gone   chan struct{}
}

// one returns a service of the site as a process that is not started yet.
func (s *site) one(service, addr, inside string) *one {
	s.t.Helper()
	p := &one{t: s.t, path: testkit.Program(s.t, service), out: s.logs, addr: addr, inside: inside}
	environ := s.EnvironOf(service)

	environ[prefix(service)+"_ADDR"], environ[prefix(service)+"_INTERNAL_ADDR"] = addr, inside
	for i := 0; i+1 < len(s.more[service]); i += 2 {
		environ[s.more[service][i]] = s.more[service][i+1]
	}

	for name, value := range environ {
		p.env = append(p.env, name+"="+value)
	}
	s.t.Cleanup(p.kill)

	return p
}

// start runs the process without waiting for it to listen.
func (p *one) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.path)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, p.out, p.out
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}

	cmd, gone := p.cmd, make(chan struct{})
	go func() { _ = cmd.Wait(); close(gone) }()
	p.gone = gone
}

// kill ends the process without a warning and returns when it is gone.
func (p *one) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.gone
	p.cmd = nil
}

// signal sends the process a signal.
func (p *one) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// memory returns the resident memory of the process in MiB.
func (p *one) memory() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024
		}
	}

	return 0
}

// metric returns the sum of a metric's values on the process's page, of the series that have the labels; ok is false when there is none.
func (p *one) metric(name string, labels ...string) (sum float64, ok bool) {
	resp, err := http.Get("http://" + p.inside + "/metrics")
	if err != nil {
		return 0, false
	}
	defer func() { _ = resp.Body.Close() }()

	text, _ := io.ReadAll(resp.Body)
	for line := range strings.Lines(string(text)) {
		rest, is := strings.CutPrefix(line, name)
		if !is || rest[0] != ' ' && rest[0] != '{' || slices.ContainsFunc(labels, func(l string) bool { return !strings.Contains(rest, l) }) {
			continue
		}
		fields := strings.Fields(rest)
		v, _ := strconv.ParseFloat(fields[len(fields)-1], 64)
		sum, ok = sum+v, true
	}

	return sum, ok
}

// token returns the access token of a person, signed in once.
func (s *site) token(n int) string {
	s.t.Helper()
	p := s.people[n]
	if s.tokens[p.Subject] == "" {
		token, err := devidp.SignIn(s.t.Context(), s.http, s.Facts.Issuer, p)
		if err != nil {
			s.t.Fatal(err)
		}
		s.tokens[p.Subject] = token
	}

	return s.tokens[p.Subject]
}

// as returns a client with a bearer; "" means none.
func (s *site) as(bearer string) *client.Client {
	s.t.Helper()
	c, err := client.New(s.Facts.BaseURL, s.http.Transport, client.Bearer(bearer))
	if bearer == "" {
		c, err = client.New(s.Facts.BaseURL, s.http.Transport, nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}

	return c
}

// agent is a connected agent.
type agent struct {
	api.RegisteredAgent
	person int
	bearer string
}

// connect connects the agent of a person and exchanges its key.
func (s *site) connect(n int) agent {
	s.t.Helper()
	token, err := s.as(s.token(n)).RegistrationToken(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	made, err := s.as("").Register(s.t.Context(), token.RegistrationToken, s.card)
	if err != nil {
		s.t.Fatal(err)
	}
	bearer, err := s.as("").Exchange(s.t.Context(), made.SharedAPIKey)
	if err != nil {
		s.t.Fatal(err)
	}

	return agent{made, n, bearer.BearerToken}
}

// answer is what came back for a request; status 0 means that nothing did.
type answer struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
}

// class names an answer by status and, when it is an error, code.
func (a answer) class() string {
	if a.status == 0 {
		return "no answer"
	}
	if a.status < 400 {
		return strconv.Itoa(a.status)
	}
	var e struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.body, &e)

	return strconv.Itoa(a.status) + " " + e.Error
}

// good reports whether an answer is a success.
func (a answer) good() bool { return a.status >= 200 && a.status < 300 }

// send makes a request, waiting for its answer for at most 15 s. headers are name, value, name, value.
func (s *site) send(method, path, bearer, body string, headers ...string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.Facts.BaseURL+path, r)
	if err != nil {
		return answer{}
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}

	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	began := time.Now()
	resp, err := s.http.Do(req)
	if err != nil {
		return answer{took: time.Since(began)}
	}

	defer func() { _ = resp.Body.Close() }()
	a := answer{status: resp.StatusCode, header: resp.Header}
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, io.LimitReader(resp.Body, 16<<20)); err != nil {
		return answer{took: time.Since(began)} // half an answer is none
	}
	a.body, a.took = buf.Bytes(), time.Since(began)

	return a
}
