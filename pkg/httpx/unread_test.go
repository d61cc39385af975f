package httpx_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const refusal = `{"error":"body_too_large","message":"Send less."}`

// refusing starts a server that strangers reach and that refuses each body: at once, or on the path /begun when it has
// read a part of it, and on /closed when it has closed it as well.
func refusing(t *testing.T) (addr string) {
	t.Helper()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	s := run(t, httpx.ServerConfig{
		Addr: "127.0.0.1:0",
		TLS:  &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
			}
			if r.URL.Path == "/closed" {
				_ = r.Body.Close()
			}
			httpx.ReadOut(r, func() string { return "192.0.2.1" })
			w.Header().Set("Content-Length", fmt.Sprint(len(refusal)))
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, refusal)
		}),
		Early: func(int) []byte { return nil },
		Log:   slog.New(slog.DiscardHandler),
	})

	return s.Addr()
}

func connectTo(t *testing.T, addr string) *tls.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))

	return conn
}

// TestASenderSeesWhyItsBodyIsRefused, also one that looks for the answer only when it has sent all of it.
func TestASenderSeesWhyItsBodyIsRefused(t *testing.T) {
	t.Parallel()
	testkit.WithoutDetector(t)
	addr := refusing(t)
	const size = 30 << 20
	mebibyte := strings.Repeat(" ", 1<<20)

	for _, path := range []string{"/", "/begun", "/closed"} {
		for _, framing := range []string{fmt.Sprintf("Content-Length: %d", size), "Transfer-Encoding: chunked"} {
			t.Run(path+" "+framing, func(t *testing.T) {
				conn := connectTo(t, addr)
				fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a.example\r\n%s\r\n\r\n", path, framing)

				for range size >> 20 {
					piece := mebibyte
					if strings.HasPrefix(framing, "Transfer") {
						piece = fmt.Sprintf("%x\r\n%s\r\n", len(mebibyte), mebibyte)
					}
					if _, err := io.WriteString(conn, piece); err != nil {
						t.Fatalf("the connection ended while the body was sent: %v", err)
					}
				}
				if strings.HasPrefix(framing, "Transfer") {
					_, _ = io.WriteString(conn, "0\r\n\r\n")
				}
				checkRefusal(t, conn)
			})
		}
	}
	t.Run("over HTTP/2", func(t *testing.T) {
		if got := sentWhole(t, addr, size); got != "413 "+refusal {
			t.Errorf("the answer is %q", got)
		}
	})
}

// sentWhole sends a body over HTTP/2 as a program does that looks for an answer afterwards, and returns that.
func sentWhole(t *testing.T, addr string, size int) (answer string) {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))

	var head bytes.Buffer

	fields := hpack.NewEncoder(&head)
	for _, f := range [][2]string{
		{":method", "POST"},
		{":scheme", "https"},
		{":authority", addr},
		{":path", "/"},
		{"content-length", strconv.Itoa(size)},
	} {
		_ = fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	framer := http2.NewFramer(conn, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_, err = io.WriteString(conn, http2.ClientPreface)
	err = errors.Join(err, framer.WriteSettings(),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndHeaders: true}))
	if err != nil {
		t.Fatal(err)
	}

	const piece = 16 << 10

	room := map[uint32]int{0: 65_535, 1: 65_535} // of the connection and of the stream
	for ended := false; !ended; {
		for size > 0 && room[0] >= piece && room[1] >= piece {
			size -= piece
			room[0], room[1] = room[0]-piece, room[1]-piece
			if err := framer.WriteData(1, size == 0, make([]byte, piece)); err != nil {
				t.Fatal(err)
			}
		}
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("with %d bytes left to send: %v", size, err)
		}

		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
				room[1] += int(v) - 65_535
			}
		case *http2.WindowUpdateFrame:
			room[f.StreamID] += int(f.Increment)
		case *http2.MetaHeadersFrame:
			answer = f.PseudoValue("status") + " "
		case *http2.DataFrame:
			answer += string(f.Data())
			ended = f.StreamEnded()
		case *http2.RSTStreamFrame:
			t.Fatalf("with %d bytes left to send the stream ended: %v", size, f.ErrCode)
		}
	}
	if size > 0 {
		t.Errorf("the answer ended with %d bytes left to send", size)
	}

	return answer
}

// checkRefusal reads the answer, and wants the connection to end in order.
func checkRefusal(t *testing.T, conn net.Conn) {
	t.Helper()
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || string(text) != refusal || !resp.Close {
		t.Errorf("%d %s, %v, the connection ends: %t", resp.StatusCode, text, err, resp.Close)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after the answer: %v, want the end of the connection", err)
	}
}

// TestARefusedBodyIsReadWithinBounds has senders cut off who never come to an end.
func TestARefusedBodyIsReadWithinBounds(t *testing.T) {
	t.Parallel()
	testkit.WithoutDetector(t)
	addr := refusing(t)
	head := "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1000000000\r\n"

	t.Run("one who sends on", func(t *testing.T) {
		t.Parallel()
		conn := connectTo(t, addr)
		if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
			t.Fatal(err)
		}
		sent, err := io.Copy(conn, blanks{})
		// What the buffers of the connection hold comes on top.
		if err == nil || sent < 20<<20 || sent > 64<<20 {
			t.Errorf("%d MiB were taken, %v", sent>>20, err)
		}
	})
	t.Run("one who stops", func(t *testing.T) {
		t.Parallel()
		conn := connectTo(t, addr)
		if _, err := io.WriteString(conn, head+"\r\n"+"{"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		checkRefusal(t, conn)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("the connection was held for %v", took)
		}
	})
	t.Run("one who waits for leave to send", func(t *testing.T) {
		t.Parallel()
		conn := connectTo(t, addr)
		if _, err := io.WriteString(conn, head+"Expect: 100-continue\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		checkRefusal(t, conn)
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("the connection was held for %v", took)
		}
	})
}

// blanks are JSON that never ends.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}

	return len(p), nil
}

// waited is a body of which it is known when its reader waits for more than the first bytes.
type waited struct {
	io.Reader
	first   int
	waiting chan struct{}
}

func (b *waited) Read(p []byte) (int, error) {
	if b.first == 0 {
		close(b.waiting)
	}
	n, err := b.Reader.Read(p)
	b.first -= n

	return n, err
}

// TestTwoReadersOfOneBody has a handler answer while somebody whom it asked still waits for the next piece, as a
// transport does that sends an upload on. Of two readers over HTTP/2 the library wakes one, when the time is over too.
func TestTwoReadersOfOneBody(t *testing.T) {
	t.Parallel()
	const first = 100
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	s := run(t, httpx.ServerConfig{
		Addr: "127.0.0.1:0",
		TLS:  &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := &waited{Reader: r.Body, first: first, waiting: make(chan struct{})}
			go func() { _, _ = io.Copy(io.Discard, body) }()
			<-body.waiting
			httpx.ReadOut(r, func() string { return "192.0.2.1" })
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}),
		Early: func(int) []byte { return nil },
		Log:   slog.New(slog.DiscardHandler),
	})

	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()

	body, silent := io.Pipe()

	defer silent.Close()
	go func() { _, _ = silent.Write(make([]byte, first)) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+s.Addr(), body)
	if err != nil {
		t.Fatal(err)
	}

	client := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer client.CloseIdleConnections()
	resp, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%s %d: %v, want an answer that ends", resp.Proto, resp.StatusCode, err)
	}
}
