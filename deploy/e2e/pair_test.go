package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// everythingTwice says whether each world of this run has two replicas of every service: make test-replicas.
var everythingTwice = os.Getenv("TEST_REPLICAS") == "2"

// urls are the settings by which services find one another.
var urls = map[string]string{"auth-svc": "AUTH_URL", "registry-svc": "REGISTRY_URL", "agent-svc": "AGENT_URL", "case-svc": "CASE_URL", "party-svc": "PARTY_URL"}

// oneProcess names, among the settings of a world, the service that has one process even then, for a test of what each process counts for itself.
const oneProcess = "TEST_ALONE"

// wheel passes calls to one service on to its replicas in turn: two calls after one another never reach the same one.
type wheel struct {
	server *httptest.Server
	hosts  atomic.Pointer[[]string]
	next   atomic.Uint64
	took   [2]atomic.Int64 // calls by the place of the replica
}

func newWheel(t *testing.T) *wheel {
	t.Helper()
	v := &wheel{}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		Rewrite: func(p *httputil.ProxyRequest) {
			hosts := *v.hosts.Load()
			turn := v.next.Add(1) % uint64(len(hosts))
			v.took[turn].Add(1)
			host := hosts[turn]
			p.SetURL(&url.URL{Scheme: "http", Host: host})
			p.Out.Host, p.Out.URL.RawQuery = p.In.Host, p.In.URL.RawQuery
			p.Out.Header["X-Forwarded-For"] = p.In.Header["X-Forwarded-For"]
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	v.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if v.hosts.Load() == nil {
			panic(http.ErrAbortHandler)
		}
		if r.ContentLength > 0 && r.ContentLength < 1<<20 { // else a body that is refused before it has been read may cost the answer on the way back
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if r.ContentLength >= 0 {
			proxy.ServeHTTP(rw, r)
			return
		}

		// A refusal would be kept back until the whole of a slow body has come. And what was refused is read on for a
		// while, or the connection would be reset, and the answer lost, under a gateway that still sends.
		body, rc := r.Body, http.NewResponseController(rw)
		_ = rc.EnableFullDuplex()
		r.Body = io.NopCloser(body)
		proxy.ServeHTTP(rw, r)
		_ = rc.Flush()
		_ = rc.SetReadDeadline(time.Now().Add(testkit.Patience))
		_, _ = io.Copy(io.Discard, body)
	}))
	t.Cleanup(v.server.Close)

	return v
}

// pair is what makes a world one of two replicas of everything.
type pair struct {
	front  *front            // before both gateways
	first  string            // address of the gateway of the world itself
	alone  string            // the service that has one process
	wheels map[string]*wheel // of the services that the test has not put something of its own before
}

// newPair chooses addresses, and puts them among the settings of the world that is about to start.
func newPair(t *testing.T, environ map[string]string) *pair {
	t.Helper()
	p := &pair{front: frontAt(t, testkit.FreeAddr(t)), alone: environ[oneProcess], wheels: map[string]*wheel{}}
	p.front.turns = true

	for service, setting := range urls {
		if environ[setting] == "" && environ["INTERNAL_TLS_CERT_FILE"] == "" { // TLS would end at the wheel
			p.wheels[service] = newWheel(t)
			environ[setting] = p.wheels[service].server.URL
		}
	}

	return p
}

// straight returns the address of the first gateway itself in place of that which stands before both.
func (w *world) straight(addr string) string {
	if w.pair != nil && addr == w.pair.front.listener.Addr().String() {
		return w.pair.first
	}

	return addr
}

// join starts the second replica of every service and lets calls go to both.
func (p *pair) join(ctx context.Context, w *world, environ map[string]string) {
	w.t.Helper()

	shared := maps.Clone(environ)
	for _, name := range []string{"OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_CA_FILE", "OIDC_TENANT_CLAIM", "OIDC_ROLES_CLAIM", "OIDC_CLIENT_ID"} {
		if shared[name] == "" {
			shared[name] = w.EnvironOf("gateway")[name]
		}
	}

	for name := range shared {
		if strings.HasSuffix(name, "_INTERNAL_ADDR") {
			shared[name] = "127.0.0.1:0"
		}
	}
	if spool := shared["CASE_SPOOL_DIR"]; spool != "" {
		shared["CASE_SPOOL_DIR"] = filepath.Join(spool, "second")
	}

	for service, wheel := range p.wheels {
		wheel.hosts.Store(&[]string{w.Services[service].Addr()})
	}
	var addr string
	var second *local.Local
	err := error(syscall.EADDRINUSE)

	for range 5 {
		addr = testkit.FreeAddr(w.t)
		if second, err = local.Start(ctx, local.Options{Dir: filepath.Join(w.dir, ".local"), Addr: addr, Base: w.Facts.BaseURL, Environ: shared, Log: w.logs, Now: time.Now}); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	if err != nil {
		w.t.Fatalf("start the second replica: %v\n%s", err, w.logs)
	}
	w.t.Cleanup(func() {
		if err := second.Close(); err != nil {
			w.t.Errorf("stop the second replica: %v", err)
		}
	})

	for service, wheel := range p.wheels {
		if service == p.alone {
			continue
		}
		w.t.Cleanup(func() { // or nothing is shown about two replicas
			if first, other := wheel.took[0].Load(), wheel.took[1].Load(); first > 100 && other < first/4 {
				w.t.Errorf("of the calls to %s one replica took %d and the other %d", service, first, other)
			}
		})
		wheel.hosts.Store(&[]string{w.Services[service].Addr(), second.Services[service].Addr()})
	}
	if p.alone == "gateway" {
		p.front.to(p.first)
		return
	}
	p.front.to(p.first, addr)
	w.bare.DisableKeepAlives = true // or a client would stay with the gateway that it reached first
	w.http.Transport = w.judge.Over(w.inTurn(p.first, addr))
}

// inTurn sends each call to the next gateway, over connections that are kept.
func (w *world) inTurn(gateways ...string) http.RoundTripper {
	w.t.Helper()
	front := w.pair.front.listener.Addr().String()
	all := &turns{}

	for _, gateway := range gateways {
		transport := w.bare.Clone()
		transport.DisableKeepAlives = false
		transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr == front {
				addr = gateway
			}

			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}
		w.t.Cleanup(transport.CloseIdleConnections)
		all.all = append(all.all, transport)
	}

	return all
}
