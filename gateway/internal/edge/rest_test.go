package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
)

// TestWhoIsRefusedKeepsNoConnection has callers announce a body that comes by drops, to a route that refuses them
// without reading it. The answer does not wait for the body, and the connection ends with it.
func TestWhoIsRefusedKeepsNoConnection(t *testing.T) {
	t.Parallel()
	const rest = 50 * time.Millisecond
	r := gin.New()
	r.Use(edge.SentWithin(time.Minute, rest))
	r.POST("/refuse", func(c *gin.Context) { c.String(http.StatusUnauthorized, "no") })
	r.POST("/half", func(c *gin.Context) {
		_, _ = io.ReadFull(c.Request.Body, make([]byte, 5))
		c.String(http.StatusTooManyRequests, "no")
	})
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)

	for _, tc := range []struct{ name, path, head, begin string }{
		{"nothing comes", "/refuse", "Content-Length: 200000", ""},
		{"a byte comes", "/refuse", "Content-Length: 200000", "a"},
		{"a small one", "/refuse", "Content-Length: 10", "abc"},
		{"one of unknown length", "/refuse", "Transfer-Encoding: chunked", "5\r\nabcde\r\n"},
		{"a chunk that breaks off", "/refuse", "Transfer-Encoding: chunked", "5\r\nab"},
		{"one larger than the server reads on", "/refuse", "Content-Length: 300000", "abc"},
		{"all but a byte of it comes", "/refuse", "Content-Length: 10", "abcdefghi"},
		{"much of it comes", "/refuse", "Content-Length: 200000", strings.Repeat("a", 99_999)},
		{"it waits to be asked for", "/refuse", "Content-Length: 200000\r\nExpect: 100-continue", ""},
		{"half the size of a chunk", "/refuse", "Transfer-Encoding: chunked", "1"},
		{"a chunk with an extension without end", "/refuse", "Transfer-Encoding: chunked", "5;a=" + strings.Repeat("b", 2000)},
		{"a last chunk without its end", "/refuse", "Transfer-Encoding: chunked", "2\r\nab\r\n0\r\n"},
		{"trailers that do not end", "/refuse", "Trailer: X-Sum\r\nTransfer-Encoding: chunked", "0\r\nX-Sum: 1"},
		{"a connection that is to be kept", "/refuse", "Connection: keep-alive\r\nContent-Length: 9", "12345678"},
		{"one that was read in part", "/half", "Content-Length: 200000", "abcdefg"},
		{"chunks that were read in part", "/half", "Transfer-Encoding: chunked", "7\r\nabcdefg\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			began := time.Now()
			const form = "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%s"
			if _, err := fmt.Fprintf(conn, form, tc.path, tc.head, tc.begin); err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(conn) // until the server closes
			if !strings.HasPrefix(string(said), "HTTP/1.1 4") || !strings.HasSuffix(string(said), "no") {
				t.Errorf("the answer is %q, %v", said, err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("the connection lived for %v", took)
			}
		})
	}
}

// TestABodyThatCameKeepsTheConnection has several requests go over one connection, with longer pauses than the rest of
// a body has: nothing of an earlier one's deadline may end a later one.
func TestABodyThatCameKeepsTheConnection(t *testing.T) {
	t.Parallel()
	const rest = 10 * time.Millisecond
	r := gin.New()
	r.Use(edge.SentWithin(time.Minute, rest))
	r.POST("/read", func(c *gin.Context) {
		_, _ = io.Copy(io.Discard, c.Request.Body)
		select {
		case <-time.After(5 * rest):
			c.String(http.StatusOK, "yes")
		case <-c.Request.Context().Done():
			t.Error("the request was cancelled")
		}
	})
	r.POST("/refuse", func(c *gin.Context) { c.String(http.StatusUnauthorized, "no") })
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	in := bufio.NewReader(conn)

	for i, path := range []string{"/read", "/refuse", "/read", "/read", "/refuse", "/read"} {
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde", path); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}
