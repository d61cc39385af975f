package httpx

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Callers that have connected when the server stops are answered: a stopping server refuses, but cuts nobody off.
func TestAStoppingServerTakesWhoHasConnected(t *testing.T) {
	for round := range 20 {
		own := "round " + strconv.Itoa(round)
		t.Run(own, func(t *testing.T) {
			t.Parallel()
			s, err := Listen(ServerConfig{
				Addr: "127.0.0.1:0", Log: telemetry.Discard("x", io.Discard).Log,
				Handler: http.HandlerFunc(
					func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, own) },
				),
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())

			stopped := make(chan error, 1)
			go func() { stopped <- s.Serve(ctx) }()
			var callers []net.Conn

			for range 16 {
				conn, err := net.DialTimeout("tcp", s.Addr(), time.Second)
				if err != nil {
					t.Fatal(err)
				}
				callers = append(callers, conn)
				if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			stop()

			for n, conn := range callers {
				_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
				if got, err := io.ReadAll(conn); err != nil || len(got) == 0 {
					t.Errorf("caller %d was cut off: %v", n, err)
				}
				_ = conn.Close()
			}
			if err := <-stopped; err != nil {
				t.Fatal(err)
			}
			if whoAnswers(s.Addr()) == own {
				t.Error("a server that has stopped takes callers")
			}
		})
	}
}

// whoAnswers returns what the server at addr says; the system gives an address that is free again to others.
func whoAnswers(addr string) string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	resp, err := client.Get("http://" + addr)
	if err != nil {
		return ""
	}

	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(resp.Body)

	return string(said)
}

func TestAnAddressIsFreeAgainWhenTheOtherIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = taken.Close() }()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	cfg := ServerConfig{Addr: addr, InternalAddr: taken.Addr().String(), Handler: http.NotFoundHandler(), Log: telemetry.Discard("x", io.Discard).Log}
	if _, err := Listen(cfg); err == nil {
		t.Fatal("it listens at an address that is taken")
	}
	again, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatalf("the first address was kept: %v", err)
	}
	_ = again.Close()
}

// A listener that was closed ends, even while callers go on coming. Callers that go on coming do not keep a listener
// open. Nobody would ever be missed in a look of a minute, so only the bound ends it.
func TestAPatientListenerClosesWhileCallersComeOn(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{TCPListener: ln.(*net.TCPListener), quiet: time.Minute, lastCalls: 50 * time.Millisecond}

	coming, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()

	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for coming.Err() == nil {
				if conn, err := net.DialTimeout("tcp", ln.Addr().String(), time.Second); err == nil {
					_ = conn.Close()
				}
			}
		})
	}
	closing := sync.OnceFunc(func() { _ = p.Close() })

	for err = nil; err == nil; closing() {
		var conn net.Conn
		if conn, err = p.Accept(); err == nil {
			_ = conn.Close()
		}
	}
	if !errors.Is(err, net.ErrClosed) || coming.Err() != nil {
		t.Errorf("Accept = %v, after the last caller: %v", err, coming.Err() != nil)
	}
	stop()
	callers.Wait()
}

// A process that was held up between Close and Accept still takes who had connected.
func TestAPatientListenerTakesWhoWaitsHoweverLate(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	p := newPatient(ln.(*net.TCPListener))
	for range 3 {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	_ = p.SetDeadline(time.Now().Add(-time.Second)) // as it is when time has gone by

	for n := range 3 {
		conn, err := p.Accept()
		if err != nil {
			t.Fatalf("caller %d: %v", n+1, err)
		}
		_ = conn.Close()
	}
	if _, err := p.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("then Accept = %v, want %v", err, net.ErrClosed)
	}
}
