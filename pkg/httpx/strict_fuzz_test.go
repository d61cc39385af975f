package httpx

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// memory is a connection whose other side has said everything already.
type memory struct {
	net.Conn
	in io.Reader
}

func (m memory) Read(p []byte) (int, error) { return m.in.Read(p) }

// FuzzRequests reads connections strictly, in pieces of some size, and holds every request that the server's own reader
// takes from what was passed on against the rules.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;e=f\r\na\r\n0\r\nT: 1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
		"POST https://b/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST /x HTTP/1.0\r\nTransfer-Encoding:\r\n chunked\r\n\r\n",
		"GET /x HTTP/1.1\nHost: a\r\n\r\n",
		"GET /x HTTP/1.1\r\nHost: a\r\nA: b\rContent-Length: 3\r\n\r\nabc",
	} {
		f.Add([]byte(seed), uint8(3))
	}

	f.Fuzz(func(t *testing.T, sent []byte, step uint8) {
		conn := &strictConn{Conn: memory{in: inPieces{bytes.NewReader(sent), int(step%16) + 1}}}

		passed, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		untouched := bytes.Equal(passed, sent)
		if !untouched && !bytes.HasPrefix(sent, bytes.TrimSuffix(passed, spoiled)) {
			t.Fatalf("passed on %q of %q", passed, sent)
		}

		src := bytes.NewReader(passed)
		for in := bufio.NewReader(src); ; {
			start := len(passed) - src.Len() - in.Buffered()
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_ = r.Body.Close()
			checkHead(t, passed[start:])
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
		}
	})
}

// checkHead holds the head at the beginning of b against the rules, in its own way.
func checkHead(t *testing.T, b []byte) {
	t.Helper()
	names := map[string]int{}

	for line := range strings.SplitSeq(string(b), "\n") {
		line, ended := strings.CutSuffix(line, "\r")
		if !ended || strings.Contains(line, "\r") {
			t.Errorf("a line that does not end with CRLF alone in %q", b)
		}
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			t.Errorf("a folded field in %q", b)
		}
		name, _, _ := strings.Cut(line, ":")
		names[strings.ToLower(name)]++
	}
	if names["content-length"] > 0 && names["transfer-encoding"] > 0 {
		t.Errorf("length and encoding in %q", b)
	}
}

// inPieces reads a few bytes at a time.
type inPieces struct {
	io.Reader
	step int
}

func (c inPieces) Read(p []byte) (int, error) { return c.Reader.Read(p[:min(len(p), c.step)]) }

func (memory) SetReadDeadline(time.Time) error { return nil }
