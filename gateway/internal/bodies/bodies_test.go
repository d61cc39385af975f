package bodies_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const limit = 1 << 20

// server reads each body in room, for the caller that the path names, and answers what came or how it failed.
func server(t *testing.T, room *bodies.Room, within time.Duration, held func(*http.Request)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := room.Read(r.Context(), w, r, r.URL.Path, limit, within)
		switch {
		case errors.Is(err, bodies.ErrTooLarge):
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		case errors.Is(err, bodies.ErrCrowded):
			w.WriteHeader(http.StatusServiceUnavailable)
		case err != nil && errs.From(err).Message == bodies.ErrChunks.Message: // its code is that of ErrSlow
			w.WriteHeader(http.StatusNotAcceptable)
		case errors.Is(err, bodies.ErrSlow):
			w.WriteHeader(http.StatusBadRequest)
		case err != nil:
			t.Errorf("Read: %v", err)
		}
		if err != nil {
			return
		}
		defer func() { _ = r.Body.Close() }()
		if held != nil {
			held(r)
		}
		w.Header().Set("X-Length", fmt.Sprint(r.ContentLength))
		_, _ = io.Copy(w, r.Body)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)

	return s
}

// client speaks one version of HTTP.
func client(s *httptest.Server, version int) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(version == 1)
	protocols.SetHTTP2(version == 2)

	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:       s.Client().Transport.(*http.Transport).TLSClientConfig.Clone(),
		Protocols:             &protocols,
		ExpectContinueTimeout: time.Minute,
	}}
}

func versions(t *testing.T, test func(t *testing.T, version int)) {
	t.Helper()

	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("HTTP ", version), func(t *testing.T) { test(t, version) })
	}
}

// comesAsSent posts so many bytes to s, which echoes them, and checks what comes back.
func comesAsSent(t *testing.T, s *httptest.Server, version, size int, chunked bool) {
	t.Helper()
	sent := bytes.Repeat([]byte("0123456789abcdefg"), size/17+1)[:size]
	var body io.Reader = bytes.NewReader(sent)
	if chunked {
		body = io.MultiReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client(s, version).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()

	want := http.StatusOK
	if size > limit {
		want = http.StatusRequestEntityTooLarge
	}
	if err != nil || resp.StatusCode != want {
		t.Errorf("the answer is %d, %v, want %d", resp.StatusCode, err, want)
	}
	if want != http.StatusOK {
		return
	}
	if length := resp.Header.Get("X-Length"); !bytes.Equal(got, sent) || length != fmt.Sprint(size) {
		t.Errorf("%d bytes came, as long as %s", len(got), length)
	}
}

func TestBodiesComeAsTheyWereSent(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		room := bodies.NewRoom(2 * limit)
		s := server(t, room, time.Minute, nil)

		for _, size := range []int{0, 1, 4095, 4096, 4097, 12<<10 - 1, 12 << 10, 300_000, limit, limit + 1, 3 * limit} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bytes, chunked %v", size, chunked), func(t *testing.T) {
					comesAsSent(t, s, version, size, chunked)
				})
			}
		}
	})
}

// trickle sends the beginning of a body and no more, and returns the status of the answer.
func trickle(t *testing.T, c *http.Client, address, begin string) <-chan int {
	t.Helper()
	body, more := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)

	go func() { _, _ = io.WriteString(more, begin) }()
	go func() {
		resp, err := c.Do(req)
		if err != nil {
			answered <- 0
			return
		}
		_ = resp.Body.Close()
		answered <- resp.StatusCode
	}()

	return answered
}

func status(t *testing.T, answered <-chan int) int {
	t.Helper()
	select {
	case code := <-answered:
		return code
	case <-time.After(testkit.Patience):
		t.Fatal("no answer")
		return 0
	}
}

func TestABodyThatDoesNotCome(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		s := server(t, bodies.NewRoom(2*limit), 200*time.Millisecond, nil)
		if got := status(t, trickle(t, client(s, version), s.URL, "a")); got != http.StatusBadRequest {
			t.Errorf("a body that does not come = %d, want 400", got)
		}
	})
}

func TestABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	room := bodies.NewRoom(limit)
	s := server(t, room, time.Minute, func(*http.Request) { t.Error("half a body was taken for a whole one") })
	conn, err := tls.Dial("tcp", s.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400") {
		t.Errorf("the answer is %.40q, want 400", answer)
	}
}

// A chunk that cannot be read is no body that is late: sending it again does not help.
func TestChunksThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := server(t, bodies.NewRoom(64<<20), testkit.Patience, nil)

	for name, body := range map[string]string{
		"no number":           "zz\r\nabc\r\n0\r\n\r\n",
		"no length":           "\r\nabc\r\n0\r\n\r\n",
		"a negative number":   "-3\r\nabc\r\n0\r\n\r\n",
		"a prefix":            "0x3\r\nabc\r\n0\r\n\r\n",
		"too long a number":   "10000000000000003\r\nabc\r\n0\r\n\r\n",
		"a long extension":    "3;" + strings.Repeat("x", 20<<10) + "\r\nabc\r\n0\r\n\r\n",
		"more than announced": "3\r\nabcd\r\n0\r\n\r\n",
		"less than announced": "5\r\nabc\r\n0\r\n\r\n",
		"a bare line feed":    "3\nabc\r\n0\r\n\r\n",
		"a lone return":       "3\r\nabc\r0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := tls.Dial("tcp", s.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()

			head := "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
			_, _ = io.WriteString(conn, head+body) // the server may refuse it before all is written
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusNotAcceptable {
				t.Errorf("status %d, want that of chunks", resp.StatusCode)
			}
		})
	}
}

// TestTheLargestHolderIsRefused has one caller fill the room by bodies that do not come whole. Others find theirs.
func TestTheLargestHolderIsRefused(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		const pieces = 64
		s := server(t, bodies.NewRoom(pieces*(bodies.Waiting+512)), time.Minute, nil)
		c := client(s, version)

		var greedy []<-chan int
		for range pieces + 4 {
			greedy = append(greedy, trickle(t, c, s.URL+"/greedy", "a"))
		}

		answers := make(chan int, len(greedy))
		for _, answered := range greedy {
			go func() { answers <- <-answered }()
		}
		if got := status(t, answers); got != http.StatusServiceUnavailable { // the room is full
			t.Fatalf("a body without room = %d, want 503", got)
		}

		for n := range 40 {
			body := strings.NewReader(strings.Repeat("b", 20_000))
			resp, err := client(s, version).Post(fmt.Sprint(s.URL, "/modest", n%4), "text/plain", body)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("call %d beside one who holds all room = %d", n, resp.StatusCode)
			}
		}

		for range 4 { // of the greedy one, those are refused that came too late, and those whose room was needed
			if got := status(t, answers); got != http.StatusServiceUnavailable {
				t.Errorf("a body without room = %d, want 503", got)
			}
		}
	})
}

// TestBodiesThatNeverBeginTakeRoom has one caller open requests of which not a byte comes. They count all the same.
func TestBodiesThatNeverBeginTakeRoom(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		const fit = 8
		s := server(t, bodies.NewRoom(fit*bodies.Waiting), time.Minute, nil)
		c := client(s, version)
		answers := make(chan int, fit+1)

		for range fit + 1 {
			answered := trickle(t, c, s.URL+"/greedy", "")
			go func() { answers <- <-answered }()
		}
		if got := status(t, answers); got != http.StatusServiceUnavailable {
			t.Fatalf("one more than there is room for = %d, want 503", got)
		}

		for range 3 {
			resp, err := client(s, version).Post(s.URL+"/modest", "text/plain", strings.NewReader("a body"))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("somebody else = %d, want 200", resp.StatusCode)
			}
		}
	})
}

func TestRoomComesBack(t *testing.T) {
	t.Parallel()
	room := bodies.NewRoom(limit + limit/8 + bodies.Waiting)
	s := server(t, room, time.Minute, nil)
	c := client(s, 2)

	for n := range 20 { // each takes nearly all
		resp, err := c.Post(s.URL+"/one", "text/plain", strings.NewReader(strings.Repeat("c", limit)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("body %d = %d, want 200", n, resp.StatusCode)
		}
	}
}

// TestBodiesThatAreLetGoOf looks at what can be read of a body whose bytes are let go of. They count nowhere from then
// on, so nothing may hold them.
func TestBodiesThatAreLetGoOf(t *testing.T) {
	t.Parallel()

	const size = 100_000
	for _, tc := range []struct {
		name   string
		read   int64 // before that
		letGo  func(*http.Request)
		anew   bool // it is sent again at that moment
		more   int64
		failed bool
	}{
		{"unread", 0, func(r *http.Request) { bodies.LetGo(r.Body) }, false, 0, true},
		{"half read", size / 2, func(r *http.Request) { bodies.LetGo(r.Body) }, false, 0, true},
		{"read", size, func(r *http.Request) { bodies.LetGo(r.Body) }, false, 0, false},
		{"answered before it was read", size / 2, answered, false, size - size/2, false},
		{"answered when it was read", size, answered, false, 0, false},
		{"answered while it is sent again", size, answered, true, size, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := server(t, bodies.NewRoom(4<<20), time.Minute, func(r *http.Request) {
				if _, err := io.CopyN(io.Discard, r.Body, tc.read); err != nil {
					t.Error(err)
				}
				body := io.Reader(r.Body)
				if tc.anew {
					again, err := r.GetBody()
					if err != nil {
						t.Error(err)
						return
					}
					body = again
				}
				tc.letGo(r)
				if n, err := io.Copy(io.Discard, body); n != tc.more || (err != nil) != tc.failed {
					t.Errorf("%d bytes more, %v, want %d", n, err, tc.more)
				}
			})
			resp, err := client(s, 2).Post(s.URL+"/one", "text/plain", strings.NewReader(strings.Repeat("d", size)))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		})
	}
}

// answered says that the answer to a call has begun.
func answered(r *http.Request) {
	if b, ok := r.Body.(*bodies.Body); ok {
		b.Answered()
	}
}

// TestABodyThatIsGoneIsNotSentAgain: whoever sends a call again must hear that its body is gone before a byte is sent.
func TestABodyThatIsGoneIsNotSentAgain(t *testing.T) {
	t.Parallel()

	const size = 600_000 // of which the room holds one

	for _, tc := range []struct {
		name string
		lose func(t *testing.T, room *bodies.Room, r *http.Request)
		gone bool
	}{
		{"kept", func(*testing.T, *bodies.Room, *http.Request) {}, false},
		{"let go of", func(_ *testing.T, _ *bodies.Room, r *http.Request) { bodies.LetGo(r.Body) }, true},
		{"another needs the room", func(t *testing.T, room *bodies.Room, _ *http.Request) {
			if err := arrive(t, room, size); err != nil {
				t.Error(err)
			}
		}, true},
		{"answered", func(_ *testing.T, _ *bodies.Room, r *http.Request) { answered(r) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			room := bodies.NewRoom(1 << 20)
			s := server(t, room, time.Minute, func(r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				_ = r.Body.Close() // nobody reads it now
				tc.lose(t, room, r)

				again, err := r.GetBody()
				if (err != nil) != tc.gone {
					t.Errorf("again: %v, want a failure: %v", err, tc.gone)
				}
				if err != nil {
					return
				}
				if err := arrive(t, room, size); !errors.Is(err, bodies.ErrCrowded) {
					t.Errorf("another body while it is sent again: %v, want %v", err, bodies.ErrCrowded)
				}
				if n, err := io.Copy(io.Discard, again); err != nil || n != size {
					t.Errorf("again: %d bytes, %v", n, err)
				}
			})
			resp, err := client(s, 2).Post(s.URL+"/one", "text/plain", strings.NewReader(strings.Repeat("d", size)))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		})
	}
}

// TestAnAnsweredBodyGivesItsRoomBack: a body that was read has its room until the answer begins, although nobody has
// closed it, and not after that.
func TestAnAnsweredBodyGivesItsRoomBack(t *testing.T) {
	t.Parallel()

	const size = 600_000 // of which the room holds one
	room := bodies.NewRoom(1 << 20)
	s := server(t, room, time.Minute, func(r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if err := arrive(t, room, size); !errors.Is(err, bodies.ErrCrowded) {
			t.Errorf("another body before the answer: %v, want %v", err, bodies.ErrCrowded)
		}
		answered(r)
		if err := arrive(t, room, size); err != nil {
			t.Errorf("another body after it: %v", err)
		}
	})
	resp, err := client(s, 2).Post(s.URL+"/one", "text/plain", strings.NewReader(strings.Repeat("d", size)))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// arrive has the body of somebody else take room.
func arrive(t *testing.T, room *bodies.Room, size int) error {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(strings.Repeat("e", size)))
	err := room.Read(t.Context(), httptest.NewRecorder(), r, "eve", 1<<20, time.Minute)
	if err == nil {
		t.Cleanup(func() { bodies.LetGo(r.Body) })
	}

	return err
}
