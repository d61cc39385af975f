package httpx

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// piped listens for connections that stay in this process, so that their deadlines follow the clock of a bubble.
type piped struct {
	conns chan net.Conn
	once  sync.Once
	gone  chan struct{}
}

func (p *piped) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.gone:
		return nil, net.ErrClosed
	}
}

func (p *piped) Close() error {
	p.once.Do(func() { close(p.gone) })
	return nil
}

func (p *piped) Addr() net.Addr { return &net.UnixAddr{Name: "piped", Net: "unix"} }

// dial connects, and sends the head of a chunked request.
func (p *piped) dial(t *testing.T, sender string) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { _ = here.Close() })
	p.conns <- there
	head := "POST / HTTP/1.1\r\nHost: a.example\r\nSender: " + sender + "\r\nTransfer-Encoding: chunked\r\n\r\n"
	if _, err := io.WriteString(here, head); err != nil {
		t.Fatal(err)
	}

	return here
}

// refusingPiped serves a handler that refuses each body without a look at it.
func refusingPiped(t *testing.T) *piped {
	t.Helper()
	ln := &piped{conns: make(chan net.Conn), gone: make(chan struct{})}
	s := &Server{}
	main := &http.Server{
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Handler: s.readingOut(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if sender := r.Header.Get("Sender"); sender != "" {
				ReadOut(r, func() string { return sender })
			}
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusUnauthorized)
		})),
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = main.Serve(ln) })
	t.Cleanup(func() {
		_ = main.Close()
		serving.Wait()
		// The server leaves a connection open for half a second after its last answer.
		<-time.After(time.Second)
	})

	return ln
}

// answered reads the answer of a refused sender.
func answered(t *testing.T, conn net.Conn) *bufio.Reader {
	t.Helper()
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Errorf("%d, %v, the connection ends: %t", resp.StatusCode, err, resp.Close)
	}

	return in
}

// TestASlowSenderIsReadToItsEnd sends chunks a tenth of a second apart: the answer comes before the body has, and the
// sender is cut off only when it falls silent or takes too long.
func TestASlowSenderIsReadToItsEnd(t *testing.T) {
	for _, tc := range []struct {
		name   string
		chunk  int
		chunks int
		ends   bool
		read   time.Duration // how long the body is read
	}{
		{"small chunks", 512, 80, true, 8 * time.Second},
		{"large chunks", 8000, 80, true, 8 * time.Second},
		{"silence after a while", 512, 50, false, 4900*time.Millisecond + unreadPause},
		{"silence at once", 0, 0, false, unreadPause},
		{"no end", 512, 500, false, unreadTime},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := refusingPiped(t).dial(t, "192.0.2.1")
				began := time.Now()
				in := answered(t, conn)
				if took := time.Since(began); took > 0 {
					t.Errorf("the answer came after %v", took)
				}

				chunk := "200\r\n" + strings.Repeat(" ", tc.chunk) + "\r\n"
				if tc.chunk == 8000 {
					chunk = "1f40" + chunk[3:]
				}

				sent := slowly(conn, chunk, tc.chunks)
				if tc.ends {
					if _, err := io.WriteString(conn, "0\r\n\r\n"); err != nil {
						t.Errorf("cut off after %d chunks: %v", sent, err)
					}
				}
				_, err := in.ReadByte()
				// The server leaves the connection open for half a second.
				took, want := time.Since(began), tc.read+500*time.Millisecond
				if !errors.Is(err, io.EOF) || took != want {
					t.Errorf("after %v and %d chunks %v, want the end after %v", took, sent, err, want)
				}
			})
		})
	}
}

// slowly sends a chunk each tenth of a second, up to so many, and returns how many were taken.
func slowly(conn net.Conn, chunk string, most int) (sent int) {
	for ; sent < most; sent++ {
		if _, err := io.WriteString(conn, chunk); err != nil {
			break
		}
		<-time.After(100 * time.Millisecond)
	}

	return sent
}

// TestBodiesAreReadForTheirSenders has each sender take a few places only, and nobody any for whom the handler did not
// ask.
func TestBodiesAreReadForTheirSenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := refusingPiped(t)
		// read reports whether the answer goes out before the body has come, as it does where the rest is read.
		read := func(sender string) bool {
			conn := ln.dial(t, sender)

			answer := make(chan struct{})
			go func() {
				defer close(answer)
				_, _ = bufio.NewReader(conn).ReadByte()
			}()
			synctest.Wait()
			select {
			case <-answer:
				return true
			default:
				return false
			}
		}

		for i := range 2 * unreadPerHost {
			if got, want := read("192.0.2.1"), i < unreadPerHost; got != want {
				t.Errorf("body %d of one sender is read: %t, want %t", i+1, got, want)
			}
		}
		if !read("192.0.2.2") {
			t.Error("one sender took the place of another")
		}
		if read("") {
			t.Error("a body is read that the handler did not ask for")
		}
		<-time.After(unreadPause)
		if !read("192.0.2.1") {
			t.Error("places are not given back")
		}
	})
}
