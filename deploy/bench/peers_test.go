package bench

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// Parts of the comparison that are processes of their own, so that their time can be told apart: this test program runs
// itself again as one of them.
const (
	peerPart = "TEST_PEER_PART"
	peerAddr = "TEST_PEER_ADDR"
	peerKey  = "TEST_PEER_KEY" // public key of bearers
	peerBase = "TEST_PEER_BASE"
)

const peerPath = "/v1/cases"

// TestPeerPart is no test: it is a part of TestPeers in a process of its own.
func TestPeerPart(t *testing.T) {
	part := os.Getenv(peerPart)
	if part == "" {
		t.Skip("a part of TestPeers")
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[],"nextCursor":null}`)
	})
	if part == "upstream" {
		t.Fatal(http.ListenAndServe(os.Getenv(peerAddr), answer))
	}
	t.Fatal(http.ListenAndServe(os.Getenv(peerAddr), checker(t)))
}

// checker asks what the gateway asks: is the bearer good and alive, and is the caller within its limit.
func checker(t *testing.T) http.Handler {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(os.Getenv(peerKey))
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		t.Fatal(err)
	}
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: os.Getenv("TEST_PEER_REDIS")})
	if err != nil {
		t.Fatal(err)
	}
	base := os.Getenv(peerBase)
	bearers := &authn.Bearers{
		Keys:     oneKey{public.(*ecdsa.PublicKey)},
		Records:  redisx.Values{Client: rdb},
		Issuer:   base,
		Audience: base + "/v1",
		Now:      time.Now,
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := authn.BearerToken(r.Header.Values("Authorization"))
		if err != nil {
			http.Error(w, "no bearer", http.StatusUnauthorized)
			return
		}
		caller, err := bearers.Check(r.Context(), token)
		if err != nil {
			http.Error(w, "no bearer", http.StatusUnauthorized)
			return
		}
		if at, err := redisx.Count(r.Context(), rdb, "{peer:"+caller.AgentID+"}", redisx.Quota{Rate: 1e9, Period: time.Minute}); err == nil && !at.Allowed {
			http.Error(w, "too many", http.StatusTooManyRequests)
		}
	})
}

type oneKey struct{ key *ecdsa.PublicKey }

func (o oneKey) Key(context.Context, string) (*ecdsa.PublicKey, error) { return o.key, nil }

// peer is one of those that are compared: where it listens, and the processes whose time it costs.
type peer struct {
	name string
	addr string
	pids []int
	took [2][]time.Duration // of requests, by HTTP/1.1 and HTTP/2
	cpu  [2]time.Duration
}

// TestPeers compares the gateway with nginx and Caddy in one run, in turns: processor time and the 99th percentile of a
// call that an upstream answers at once, by HTTP/1.1 and HTTP/2 over TLS. Where a peer checks the bearer, it asks a
// small process for that, whose time counts. Only ratios mean something: see docs/benchmarks.md. make peers runs it.
func TestPeers(t *testing.T) {
	if os.Getenv("TEST_PEERS") == "" {
		t.Skip("make peers")
	}
	s := newPeers(t)
	const rounds, calls = 5, 1500

	for round := range rounds {
		for i := range s.peers {
			for version := range 2 {
				n := calls
				if round == 0 {
					n = 200 // until connections are there
				}
				s.measure(&s.peers[i], version, n, round > 0)
			}
		}
	}
	s.print((rounds - 1) * calls)
}

type peers struct {
	t       *testing.T
	dir     string
	ca      *localca.CA
	token   string
	peers   []peer
	clients [2]*http.Client
}

func newPeers(t *testing.T) *peers {
	t.Helper()
	dir := t.TempDir()
	ca, err := localca.Open(filepath.Join(dir, "ca"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := &peers{t: t, dir: dir, ca: ca}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := ca.Leaf(cert, key); err != nil {
		t.Fatal(err)
	}
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	redisURL, gateway := stores.RedisURL(t), testkit.FreeAddr(t)
	base := "https://" + gateway
	s.signIn(redisURL, signing, base)
	der, err := x509.MarshalPKIXPublicKey(&signing.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	upstream, check := testkit.FreeAddr(t), testkit.FreeAddr(t)
	s.start(os.Args[0], []string{"-test.run=^TestPeerPart$"}, peerPart+"=upstream", peerAddr+"="+upstream)
	checking := s.start(os.Args[0], []string{"-test.run=^TestPeerPart$"}, peerPart+"=checker", peerAddr+"="+check,
		peerKey+"="+base64.StdEncoding.EncodeToString(der), peerBase+"="+base, "TEST_PEER_REDIS="+redisURL)

	s.peers = append(s.peers, peer{name: "gateway", addr: gateway, pids: []int{s.gateway(gateway, upstream, redisURL, signing, cert, key)}})
	s.nginx(upstream, check, checking, cert, key)
	s.caddy(upstream, check, checking, cert, key)

	for version := range 2 {
		transport := &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: ca.Pool(), MinVersion: tls.VersionTLS12},
			MaxIdleConnsPerHost: 16,
			ForceAttemptHTTP2:   version == 1,
		}
		if version == 0 {
			transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
		}
		s.clients[version] = &http.Client{Transport: transport, Timeout: 10 * time.Second}
	}

	for _, p := range s.peers {
		testkit.Until(t, time.Minute, func() error { _, err := s.call(p.addr, 0); return err })
	}

	return s
}

// start runs a program until the test ends, and returns its process id.
func (s *peers) start(program string, args []string, environ ...string) int {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), environ...)
	cmd.Dir = s.dir
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		if s.t.Failed() {
			s.t.Logf("%s: %.2000s", program, said.String())
		}
	})

	return cmd.Process.Pid
}

func (s *peers) signIn(redisURL string, key *ecdsa.PrivateKey, base string) {
	s.t.Helper()
	opts, err := redis.ParseURL(redisURL)
	if err != nil {
		s.t.Fatal(err)
	}

	rdb := redis.NewClient(opts)
	defer func() { _ = rdb.Close() }()
	agent, jti, now := "agt_"+uuid.NewString(), uuid.NewString(), time.Now()
	token := jwt.NewWithClaims(
		jwt.SigningMethodES256,
		&authn.BearerClaims{AgentID: agent, ClientID: agent, Tenant: "o:oak", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: base, Subject: "ada", Audience: jwt.ClaimStrings{base + "/v1"}, ID: jti, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
		}},
	)
	token.Header["typ"], token.Header["kid"] = authn.BearerType, "k"
	s.token, err = token.SignedString(key)
	raw, failed := json.Marshal(authn.BearerRecord{
		Caller: access.Caller{
			Kind:    access.Agent,
			Tenant:  "o:oak",
			UserID:  "ada",
			AgentID: agent,
			Scopes:  access.AgentScopes(),
		},
		Expires: now.Add(time.Hour).Unix(),
	})
	stored := rdb.Set(s.t.Context(), authn.BearerKey(agent, jti), raw, time.Hour).Err()
	if err := errors.Join(err, failed, stored); err != nil {
		s.t.Fatal(err)
	}
}

func (s *peers) gateway(addr, upstream, redisURL string, signing *ecdsa.PrivateKey, cert, key string) int {
	s.t.Helper()
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).
			Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
				{Key: &signing.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"},
			}})
	}))
	s.t.Cleanup(keys.Close)
	seeds, _, err := authn.NewInternalKeys()
	if err != nil {
		s.t.Fatal(err)
	}
	to := "http://" + upstream

	return s.start(testkit.Program(s.t, "gateway"), nil,
		"GATEWAY_ADDR="+addr, "GATEWAY_INTERNAL_ADDR="+cmp.Or(os.Getenv("TEST_PEERS_INTERNAL"), "127.0.0.1:0"), "GATEWAY_TLS_CERT_FILE="+cert, "GATEWAY_TLS_KEY_FILE="+key, "DRAIN_DELAY=0s",
		"BASE_URL=https://"+addr, "REDIS_URL="+redisURL, "INTERNAL_KEY="+seeds["gateway"], "AUTH_URL="+keys.URL, "LOG_LEVEL=error",
		"REGISTRY_URL="+to, "AGENT_URL="+to, "CASE_URL="+to, "PARTY_URL="+to, "OIDC_ISSUER=https://issuer.test", "OIDC_AUDIENCE=https://"+addr+"/v1",
		"GATEWAY_RATE_CALLS=1000000000", "INTERNAL_PROFILES=true", "GOGC="+os.Getenv("TEST_PEERS_GOGC"))
}

func (s *peers) nginx(upstream, check string, checking int, cert, key string) {
	s.t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		s.t.Log("nginx is not there: apt-get install nginx")
		return
	}

	for _, asks := range []bool{false, true} {
		addr, name, auth := testkit.FreeAddr(s.t), "nginx", ""
		if asks {
			name, auth = "nginx, auth_request", "auth_request /_check;"
		}
		config := filepath.Join(s.dir, fmt.Sprintf("nginx-%t.conf", asks))
		text := fmt.Sprintf(`daemon off; worker_processes 2; pid %s.pid; error_log stderr error;
events { worker_connections 512; }
http { access_log off; keepalive_requests 1000000; client_body_temp_path %s.b;
proxy_temp_path %s.p; fastcgi_temp_path %s.f; uwsgi_temp_path %s.u; scgi_temp_path %s.s;
 upstream up { server %s; keepalive 64; } upstream check { server %s; keepalive 64; }
 server { listen %s ssl http2; ssl_certificate %s; ssl_certificate_key %s;
  location / { %s proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; }
  location = /_check { internal; proxy_pass http://check/check; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass_request_body off; proxy_set_header Content-Length ""; }
 } }`, config, config, config, config, config, config, upstream, check, addr, cert, key, auth)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		p := peer{name: name, addr: addr, pids: []int{s.start(program, []string{"-c", config, "-p", s.dir})}}
		if asks {
			p.pids = append(p.pids, checking)
		}
		s.peers = append(s.peers, p)
	}
}

func (s *peers) caddy(upstream, check string, checking int, cert, key string) {
	s.t.Helper()
	program, err := exec.LookPath("caddy")
	if err != nil {
		s.t.Log("caddy is not there: apt-get install caddy")
		return
	}

	for _, asks := range []bool{false, true} {
		addr, name, auth := testkit.FreeAddr(s.t), "Caddy", ""
		if asks {
			name, auth = "Caddy, forward_auth", "forward_auth "+check+" {\nuri /check\n}\n"
		}
		config := filepath.Join(s.dir, fmt.Sprintf("Caddyfile-%t", asks))
		text := fmt.Sprintf("{\nadmin off\nauto_https off\n}\nhttps://%s {\ntls %s %s\n%sreverse_proxy %s\n}\n", addr, cert, key, auth, upstream)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		p := peer{
			name: name,
			addr: addr,
			pids: []int{s.start(program, []string{"run", "--adapter", "caddyfile", "--config", config}, "HOME="+s.dir)},
		}
		if asks {
			p.pids = append(p.pids, checking)
		}
		s.peers = append(s.peers, p)
	}
}

func (s *peers) call(addr string, version int) (time.Duration, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "https://"+addr+peerPath, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	began := time.Now()
	resp, err := s.clients[version].Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != version+1 {
		err = fmt.Errorf("%s answers %d by %s", addr, resp.StatusCode, resp.Proto)
	}

	return time.Since(began), err
}

// measure makes calls, eight at a time.
func (s *peers) measure(p *peer, version, calls int, counts bool) {
	s.t.Helper()
	before := s.spent(p)
	took := make([]time.Duration, calls)
	var all sync.WaitGroup

	for w := range 8 {
		all.Go(func() {
			for i := w; i < calls; i += 8 {
				d, err := s.call(p.addr, version)
				if err != nil {
					s.t.Errorf("%s: %v", p.name, err)
					return
				}
				took[i] = d
			}
		})
	}
	all.Wait()
	if counts {
		p.took[version] = append(p.took[version], took...)
		p.cpu[version] += s.spent(p) - before
	}
}

// spent is the processor time of a peer's processes, and of their children.
func (s *peers) spent(p *peer) time.Duration {
	total := time.Duration(0)
	for _, pid := range p.pids {
		total += ticks(pid)
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))

		for _, child := range strings.Fields(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				total += ticks(id)
			}
		}
	}

	return total
}

// ticks reads the user and system time of a process, in hundredths of a second.
func ticks(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])

	return time.Duration(user+system) * 10 * time.Millisecond
}

func (s *peers) print(calls int) {
	load, _ := os.ReadFile("/proc/loadavg")
	s.t.Logf("load of the machine: %s", strings.TrimSpace(string(load)))

	for _, program := range [][]string{{"nginx", "-v"}, {"caddy", "version"}} {
		said, err := exec.Command(program[0], program[1:]...).CombinedOutput()
		if err == nil {
			s.t.Logf("%s: %s", program[0], strings.TrimSpace(string(said)))
		}
	}
	each := func(p peer, version int) float64 {
		return float64(p.cpu[version].Microseconds()) / float64(calls)
	}

	for version, name := range []string{"HTTP/1.1", "HTTP/2"} {
		for _, p := range s.peers {
			slices.Sort(p.took[version])
			p99 := p.took[version][len(p.took[version])*99/100]
			s.t.Logf(
				"%-9s %-22s %4.0f µs of a processor a call, p99 %7.2f ms, gateway ÷ this %.2f",
				name,
				p.name,
				each(p, version),
				float64(p99.Microseconds())/1000,
				each(s.peers[0], version)/each(p, version),
			)
		}
	}
}
