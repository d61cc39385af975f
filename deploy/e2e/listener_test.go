package e2e_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// headers checks what stands on every answer.
func (a answer) headers(t *testing.T, what string, strict bool) {
	t.Helper()
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Strict-Transport-Security": "",
		"Server": "", "X-Powered-By": "", "Access-Control-Allow-Origin": "",
	}
	if strict {
		want["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
	}

	for name, value := range want {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %s = %q, want %q", what, name, got, value)
		}
	}

	for name, values := range a.header {
		if len(values) != 1 {
			t.Errorf("%s: %s stands there %d times", what, name, len(values))
		}
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("%s: Content-Security-Policy = %q", what, policy)
	}
	if _, err := uuid.Parse(a.header.Get("X-Request-Id")); err != nil {
		t.Errorf("%s: X-Request-Id = %q", what, a.header.Get("X-Request-Id"))
	}
	if a.header.Get("Cache-Control") == "" {
		t.Errorf("%s: no Cache-Control", what)
	}
}

func TestS61HeadersStandOnEveryAnswer(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		settings map[string]string
		strict   bool
	}{
		"on loopback":      {unlimited(), false},
		"on a public name": {unlimited("BASE_URL", "https://subrosa.example.com"), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, tc.settings)
			public := []string{
				"/.well-known/agent.json", "/.well-known/agent-card.json", "/.well-known/jwks.json",
				"/openapi.yaml", "/openapi.json", "/docs", "/.well-known/oauth-authorization-server",
				"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/mcp",
				"/", "/c/:caseId", "/app/*page", "/i/*action", "/assets/*file",
			}

			bearer := w.token(ada)
			for _, route := range gateway.Routes() {
				for who, token := range map[string]string{"nobody": "", "a user": bearer} {
					what := route.Method + " " + route.Path + " by " + who
					a := w.send(route.Method, address(route.Path), token, "")
					a.headers(t, what, tc.strict)
					if cache := a.header.Get("Cache-Control"); cache != "no-store" && (a.status != http.StatusOK || !slices.Contains(public, route.Path)) {
						t.Errorf("%s: Cache-Control = %q, want no-store", what, cache)
					}
				}
			}

			for _, path := range []string{"/", "/nothing", "/v1", "/v1/cases/", "/i/nothing"} {
				w.send(http.MethodGet, path, "", "").headers(t, path, tc.strict)
				w.send("FOO", path, "", "").headers(t, "FOO "+path, tc.strict)
			}
			w.send(http.MethodPut, "/v1/cases", "", "").headers(t, "405", tc.strict)

			caseID, fileID := w.newCase(bearer)
			for _, path := range []string{"/v1/cases/" + caseID, "/v1/cases/" + caseID + "/files", "/v1/cases/" + caseID + "/files/" + fileID + "/text", "/v1/cases/" + caseID + "/files/" + fileID + "/content"} {
				a := w.send(http.MethodGet, path, bearer, "")
				a.headers(t, path, tc.strict)
				if a.status != http.StatusOK || a.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: %d, Cache-Control = %q, want 200 and no-store", path, a.status, a.header.Get("Cache-Control"))
				}
			}
			stream := w.post(bearer, task(caseID, api.CaseReq, question))
			stream.all()
			answer{header: stream.header}.headers(t, "a stream", tc.strict)
		})
	}
}

func TestS61TheListenerSpeaksTLSOnly(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	base, err := url.Parse(w.Facts.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	roots := w.bare.TLSClientConfig.RootCAs

	dial := func(cfg *tls.Config) (tls.ConnectionState, error) {
		cfg.RootCAs = roots
		conn, err := (&tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: cfg}).DialContext(t.Context(), "tcp", base.Host)
		if err != nil {
			return tls.ConnectionState{}, err
		}

		defer func() { _ = conn.Close() }()

		return conn.(*tls.Conn).ConnectionState(), nil
	}
	for version, good := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		state, err := dial(&tls.Config{MinVersion: version, MaxVersion: version})
		if (err == nil) != good {
			t.Errorf("%s: %v, want it taken: %t", tls.VersionName(version), err, good)
		}
		if err == nil && state.Version != version {
			t.Errorf("%s was asked for, %s spoken", tls.VersionName(version), tls.VersionName(state.Version))
		}
	}

	for _, suite := range tls.InsecureCipherSuites() {
		if _, err := dial(&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}}); err == nil {
			t.Errorf("cipher suite %s is taken", suite.Name)
		}
	}

	for protocol, want := range map[string]string{"h2": "h2", "http/1.1": "http/1.1"} {
		if state, err := dial(&tls.Config{NextProtos: []string{protocol}}); err != nil || state.NegotiatedProtocol != want {
			t.Errorf("ALPN %s: %q, %v", protocol, state.NegotiatedProtocol, err)
		}
	}
	t.Run("plain HTTP", func(t *testing.T) {
		conn, err := net.DialTimeout("tcp", base.Host, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.WriteString(conn, "GET /.well-known/agent.json HTTP/1.1\r\nHost: "+base.Host+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}

		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return // hung up: good as well
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" || bytes.Contains(body, []byte("Subrosa")) {
			t.Errorf("plain HTTP: %d %v %s, want 400 and nothing else", resp.StatusCode, resp.Header, body)
		}
	})
}

func TestS61WhatIsInsideIsNotServed(t *testing.T) {
	t.Parallel()

	w := start(t, unlimited())
	for _, path := range []string{
		"/debug/pprof/", "/debug/vars", "/metrics", "/healthz", "/readyz", "/.git/config", "/.git/HEAD", "/.env", "/config", "/admin", "/server-status", "/actuator/env", "/swagger.json",
		"/.well-known/", "/.well-known/security.txt%00", "/.local/keys/key-pepper", "/favicon.ico", "/robots.txt", "/v1/", "/v2/cases", "/V1/cases", "/v1//cases", "/static/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
	} {
		for _, bearer := range []string{"", w.token(ada)} {
			req := w.request(http.MethodGet, "/opaque", bearer, nil)
			req.URL.Opaque = "//" + req.URL.Host + path
			w.do(w.http, req).refused(t, path, http.StatusNotFound, "not_found")
		}
	}
}

// innards are what no answer may show.
var innards = []string{
	"goroutine", ".go:", "panic", "runtime error", "mongo", "redis", "127.0.0.1", "localhost", "dial tcp", "connection refused", "context deadline", "context canceled", "EOF", "i/o timeout",
	"/tmp/", "/home/", "/root/", "subrosa_", "test_", "json:", "unmarshal", "server selection", "auth-svc", "registry-svc", "case-svc", "agent-svc", "E11000",
}

// discreet checks that an error says nothing of the inside.
func (a answer) discreet(t *testing.T, what string) {
	t.Helper()

	body := strings.ToLower(strings.ReplaceAll(string(a.body), a.err.DeepLink, "")) // an address for the caller
	for _, word := range innards {
		if strings.Contains(body, strings.ToLower(word)) {
			t.Errorf("%s: the answer says %q: %s", what, word, a.body)
		}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &fields); err != nil {
		t.Errorf("%s: %v: %s", what, err, a.body)
	}

	known := []string{"error", "message", "requestId", "deepLink", "details"}
	if strings.HasPrefix(what, "/a2a/rpc") { // which answers in the form of its protocol
		known = []string{"jsonrpc", "id", "error"}
	}

	for name := range fields {
		if !slices.Contains(known, name) {
			t.Errorf("%s: an error has the field %q", what, name)
		}
	}
}
