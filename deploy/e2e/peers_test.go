package e2e_test

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
)

const goodCard = `{"name":"Test agent","description":"Works on cases by label.","url":"https://agents.com/test","protocols":["a2a/1.0"]}`

// cardHost is an HTTPS server of this machine, with a certificate of the local authority, that serves an agent's card.
type cardHost struct {
	url     string
	server  *httptest.Server
	mu      sync.Mutex
	body    string
	visits  int
	held    chan struct{} // closed to let go of who asks
	arrived chan struct{} // one for each who is held
}

func (w *world) cardHost() *cardHost {
	w.t.Helper()
	h := &cardHost{body: goodCard, arrived: make(chan struct{}, 64)}
	h.server = w.peer(func(rw http.ResponseWriter, r *http.Request) {
		h.wait(r.Context())
		h.mu.Lock()
		defer h.mu.Unlock()
		h.visits++
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, h.body)
	})
	h.url = h.server.URL + "/.well-known/agent.json"

	return h
}

func (h *cardHost) wait(ctx context.Context) {
	h.mu.Lock()
	held := h.held
	h.mu.Unlock()
	if held == nil {
		return
	}
	h.arrived <- struct{}{}
	select {
	case <-held:
	case <-ctx.Done():
	}
}

// hold lets nobody have the card until letGo.
func (h *cardHost) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = make(chan struct{})
}

func (h *cardHost) letGo() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held != nil {
		close(h.held)
		h.held = nil
	}
}

// awaitHeld returns when somebody is held.
func (h *cardHost) awaitHeld(t *testing.T) {
	t.Helper()
	select {
	case <-h.arrived:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody asked for the card")
	}
}

func (h *cardHost) serve(body string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.body = body
}

// peer starts an HTTPS server of this machine with a certificate of the local authority.
func (w *world) peer(handler http.HandlerFunc) *httptest.Server {
	w.t.Helper()
	return w.peerAt("127.0.0.1:0", handler)
}

// peerAt is peer at an address that was chosen before.
func (w *world) peerAt(addr string, handler http.HandlerFunc) *httptest.Server {
	w.t.Helper()
	ca, err := localca.Open(filepath.Join(w.dir, ".local", "ca"), time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	cert, key := filepath.Join(w.t.TempDir(), "c.pem"), filepath.Join(w.t.TempDir(), "k.pem")
	if err := ca.Leaf(cert, key); err != nil {
		w.t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		w.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(handler)
	if err := s.Listener.Close(); err != nil {
		w.t.Fatal(err)
	}
	if s.Listener, err = net.Listen("tcp", addr); err != nil {
		w.t.Fatal(err)
	}
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	s.StartTLS()
	w.t.Cleanup(s.Close)

	return s
}
