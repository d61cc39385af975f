package httpx_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// Whoever calls a server that drains is told to come back on another connection, so that none is left to be closed under a call.
func TestCallersGiveUpTheirConnectionsWhileAServerDrains(t *testing.T) {
	secure := httptest.NewTLSServer(nil)
	secure.Close()

	for _, tc := range []struct {
		name  string
		tls   *tls.Config
		proto int
	}{{"plain, as between services", nil, 1}, {"HTTP/2, as from outside", &tls.Config{MinVersion: tls.VersionTLS12, Certificates: secure.TLS.Certificates}, 2}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := httpx.Listen(httpx.ServerConfig{
				Addr: "127.0.0.1:0", TLS: tc.tls, InternalAddr: "127.0.0.1:0", DrainDelay: 2 * time.Second, Log: slog.New(slog.DiscardHandler),
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%d %s", r.ProtoMajor, r.RemoteAddr) }),
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())

			done := make(chan error, 1)
			go func() { done <- s.Serve(ctx) }()
			scheme := "http"
			if tc.tls != nil {
				scheme = "https"
			}
			client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
			call := func() string {
				t.Helper()
				resp, err := client.Post(scheme+"://"+s.Addr(), "text/plain", nil)
				if err != nil {
					t.Fatal(err)
				}

				defer func() { _ = resp.Body.Close() }()
				said, err := io.ReadAll(resp.Body)
				if err != nil || resp.ProtoMajor != tc.proto {
					t.Fatalf("HTTP/%d, %v", resp.ProtoMajor, err)
				}

				return string(said)
			}
			first := call()
			if second := call(); second != first {
				t.Fatalf("a server that does not drain was called by two connections: %s, %s", first, second)
			}
			stop()
			testkit.Until(t, testkit.Patience, func() error {
				if s.Ready(t.Context()) == nil {
					return fmt.Errorf("not draining yet")
				}

				return nil
			})
			if last := call(); last != first {
				t.Errorf("the connection was closed before its caller was told: %s, %s", first, last)
			}
			testkit.Until(t, testkit.Patience, func() error { // over HTTP/2 the word comes a moment after the answer
				if next := call(); next == first {
					return fmt.Errorf("the connection is still used")
				}

				return nil
			})
			client.CloseIdleConnections()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
