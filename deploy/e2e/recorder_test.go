package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
)

// recorder stands between a browser and the service and keeps everything that the browser sends: addresses, headers and bodies.
type recorder struct {
	address string // host:port

	mu   sync.Mutex
	seen bytes.Buffer
	n    int
}

// record starts a recorder before the world's gateway.
func (w *world) record() *recorder {
	w.t.Helper()
	base, err := url.Parse(w.Facts.BaseURL)
	if err != nil {
		w.t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(base)
			p.Out.Host = base.Host
		},
		Transport: w.bare, FlushInterval: -1,
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadGateway)
			return
		}
		r.mu.Lock()
		fmt.Fprintf(&r.seen, "\n%s %s\n", req.Method, req.URL)
		_ = req.Header.Write(&r.seen) // a buffer takes everything
		r.seen.Write(body)
		r.n++
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, req)
	}))
	w.t.Cleanup(server.Close)
	r.address = strings.TrimPrefix(server.URL, "https://")

	return r
}

// before starts a Chromium whose calls of the service go through the recorder.
func (r *recorder) before(t testing.TB, w *world) *chromium.Browser {
	t.Helper()
	return chromium.Start(t, map[string]string{strings.TrimPrefix(w.Facts.BaseURL, "https://"): r.address})
}

// sent returns everything that was sent so far, and how many requests it was.
func (r *recorder) sent() ([]byte, int) {
	r.mu.Lock()
	defer r.mu.Unlock()

	return bytes.Clone(r.seen.Bytes()), r.n
}
