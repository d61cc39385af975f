package httpx_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// strictServer serves requests strictly, and tells what its handler saw. It returns its address.
func strictServer(t *testing.T) string {
	t.Helper()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	s, err := httpx.Listen(httpx.ServerConfig{
		Addr: "127.0.0.1:0",
		TLS:  &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			fmt.Fprintf(w, "%s %s %s %d %q", r.Method, r.Host, r.URL.Path, len(body), r.Proto)
		}),
		Early: func(status int) []byte {
			return fmt.Appendf(
				nil,
				"HTTP/1.1 %d Refused\r\nConnection: close\r\nContent-Length: 4\r\n\r\nours",
				status,
			)
		},
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())

	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	return s.Addr()
}

// said sends bytes over one connection and returns the statuses and bodies of the answers, until the server closes it
// or want of them have come.
func said(t *testing.T, addr string, want int, pieces ...string) []string {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))

	for _, piece := range pieces {
		if _, err := io.WriteString(conn, piece); err != nil {
			break
		}
	}
	var all []string

	for in := bufio.NewReader(conn); len(all) < want; {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return append(all, "closed")
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return append(all, "cut")
		}
		all = append(all, fmt.Sprintf("%d %s", resp.StatusCode, body))
	}

	return all
}

func TestRequestsAreReadStrictly(t *testing.T) {
	t.Parallel()
	addr := strictServer(t)
	const (
		host    = "Host: a.example\r\n"
		refused = "400 ours"
	)
	next := "GET /next HTTP/1.1\r\n" + host + "\r\n"
	good := func(method, path string, body int) string {
		return fmt.Sprintf("200 %s a.example %s %d \"HTTP/1.1\"", method, path, body)
	}
	after := good("GET", "/next", 0)

	for _, tc := range []struct {
		name  string
		sent  string
		first string // the first answer; the next request is answered only after a good one
	}{
		{"a request", "GET /x HTTP/1.1\r\n" + host + "\r\n", good("GET", "/x", 0)},
		{"a body with a length", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", good("POST", "/x", 3)},
		{"a body in chunks", "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nTrailer: 1\r\n\r\n", good("POST", "/x", 3)},
		{"a body that looks like a request", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 42\r\n\r\nGET /y HTTP/1.1\r\nHost: b\r\n folded: yes\r\n\r\n", good("POST", "/x", 42)},
		{"the same length twice", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", good("POST", "/x", 3)},
		{"an absolute address of the same host", "GET https://a.example/x HTTP/1.1\r\n" + host + "\r\n", good("GET", "/x", 0)},

		{"length and encoding", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"encoding and length", "POST /x HTTP/1.1\r\n" + host + "transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n", refused},
		{"length and an encoding that is none", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: identity\r\n\r\nabc", refused},
		{"a folded field", "GET /x HTTP/1.1\r\n" + host + "X-A: 1\r\n 2\r\n\r\n", refused},
		{"a field folded with a tab", "GET /x HTTP/1.1\r\n" + host + "X-A: 1\r\n\t2\r\n\r\n", refused},
		{"a folded length", "POST /x HTTP/1.1\r\n" + host + "Content-Length:\r\n 3\r\n\r\nabc", refused},
		{"a folded encoding", "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", refused},
		{"an encoding in HTTP/1.0", "POST /x HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"an absolute address of another host", "GET https://b.example/x HTTP/1.1\r\n" + host + "\r\n", refused},
		{"two lengths", "POST /x HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", refused},
		{"a length with a sign", "POST /x HTTP/1.1\r\n" + host + "Content-Length: +3\r\n\r\nabc", refused},
		{"two hosts", "GET /x HTTP/1.1\r\n" + host + host + "\r\n", refused},
		{"no host", "GET /x HTTP/1.1\r\n\r\n", refused},
		{"a target that cannot be read", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", refused},
		{"a control character in the target", "GET /\x01 HTTP/1.1\r\n" + host + "\r\n", refused},
		{"a blank in a name", "GET /x HTTP/1.1\r\n" + host + "X A: 1\r\n\r\n", refused},
		{"a blank before the colon", "POST /x HTTP/1.1\r\n" + host + "Content-Length : 3\r\n\r\nabc", refused},
		{"a control character in a field", "GET /x HTTP/1.1\r\n" + host + "X-A: \x00\r\n\r\n", refused},
		{"no version", "GET /x\r\n" + host + "\r\n", refused},
		{"encoded twice", "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "501 ours"},
		{"an expectation that nobody knows", "GET /x HTTP/1.1\r\n" + host + "Expect: tea\r\n\r\n", "417 ours"},
		{"fields without end", "GET /x HTTP/1.1\r\n" + host + "X-A: " + strings.Repeat("a", 200<<10) + "\r\n\r\n", "431 ours"},
		{"LF after the request line", "GET /x HTTP/1.1\n" + host + "\r\n", refused},
		{"LF after a field", "GET /x HTTP/1.1\r\nHost: a.example\n\r\n", refused},
		{"LF between two fields", "POST /x HTTP/1.1\r\n" + host + "A: b\nContent-Length: 3\r\n\r\nabc", refused},
		{"LF for the empty line", "GET /x HTTP/1.1\r\n" + host + "\n", refused},
		{"LF alone everywhere", "GET /x HTTP/1.1\nHost: a.example\n\n", refused},
		{"LF before the empty line", "GET /x HTTP/1.1\r\n" + host + "A: b\n\r\n", refused},
		{"CR in a field", "GET /x HTTP/1.1\r\n" + host + "A: b\rC: d\r\n\r\n", refused},
		{"CR twice", "GET /x HTTP/1.1\r\n" + host + "A: b\r\r\n\r\n", refused},
		{"CR in the request line", "GET /x\r HTTP/1.1\r\n" + host + "\r\n", refused},
		{"CR that hides a length", "POST /x HTTP/1.1\r\n" + host + "A: b\rContent-Length: 3\r\n\r\nabc", refused},
		{"LF that hides an encoding", "POST /x HTTP/1.1\r\n" + host + "A: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"LF before it", "\nGET /x HTTP/1.1\r\n" + host + "\r\n", refused},
		{"an empty line before it", "\r\nGET /x HTTP/1.1\r\n" + host + "\r\n", refused},
		{"what is no HTTP", "\x16\x03\x01 hello\r\n\r\n", refused},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			for how, pieces := range map[string][]string{
				"at once": {tc.sent + next}, "bit by bit": append(bits(tc.sent), next),
			} {
				got := said(t, addr, 2, pieces...)
				if got[0] != tc.first {
					t.Errorf("%s: %q, want %q", how, got, tc.first)
					continue
				}
				second := "closed"
				if strings.HasPrefix(tc.first, "200") {
					second = after
				}
				if len(got) != 2 || got[1] != second {
					t.Errorf("%s: then %q, want %q", how, got[1:], second)
				}
			}
		})
	}
}

// bits cuts text into pieces of a few bytes, unless there would be very many.
func bits(text string) []string {
	var all []string

	step := max(1, len(text)/50)
	for len(text) > step {
		all, text = append(all, text[:step]), text[step:]
	}

	return append(all, text)
}

func TestStrictServersSpeakHTTP2(t *testing.T) {
	t.Parallel()
	addr := strictServer(t)

	client := &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	defer client.CloseIdleConnections()

	for range 3 {
		resp, err := client.Post("https://"+addr+"/x", "text/plain", strings.NewReader("abc"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.HasSuffix(string(body), `/x 3 "HTTP/2.0"`) {
			t.Errorf("%s, %v", body, err)
		}
	}
}

func TestWhoDoesNotSpeakTLSIsTold(t *testing.T) {
	t.Parallel()
	addr := strictServer(t)
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Fatalf("%+v, %v", resp, err)
	}
	_ = resp.Body.Close()
}

// A caller who shakes no hands holds up nobody.
func TestASlowHandshakeHoldsUpNobody(t *testing.T) {
	t.Parallel()
	addr := strictServer(t)

	for range 50 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }() //nolint:gocritic // all of them stay open
	}
	got := said(t, addr, 1, "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n")
	if !strings.HasPrefix(got[0], "200") {
		t.Errorf("%q", got)
	}
}
