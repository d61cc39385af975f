package httpx

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Callers that have connected when the server stops are answered: a stopping server refuses, but cuts nobody off.
func TestAStoppingServerTakesWhoHasConnected(t *testing.T) {
	for round := range 20 {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			t.Parallel()
			s, err := Listen(ServerConfig{
				Addr: "127.0.0.1:0", Log: telemetry.Discard("x", io.Discard).Log,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
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
			if conn, err := net.DialTimeout("tcp", s.Addr(), time.Second); err == nil {
				_ = conn.Close()
				t.Error("a server that has stopped takes callers")
			}
		})
	}
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

// A listener that was closed ends, even while callers go on coming.
func TestAPatientListenerCloses(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	_ = server.Listener.Close()
	server.Listener = &patient{TCPListener: ln.(*net.TCPListener)}
	server.Start()

	coming, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	var callers, come sync.WaitGroup

	for range 4 {
		come.Add(1)
		came := sync.OnceFunc(come.Done)
		callers.Go(func() {
			defer came()

			for coming.Err() == nil {
				if conn, err := net.DialTimeout("tcp", ln.Addr().String(), time.Second); err == nil {
					_ = conn.Close()
					came()
				}
			}
		})
	}
	come.Wait()
	server.Close()
	if coming.Err() != nil {
		t.Error("the listener closed only when callers had stopped coming")
	}
	stop()
	callers.Wait()
	if conn, err := net.DialTimeout("tcp", ln.Addr().String(), time.Second); err == nil {
		_ = conn.Close()
		t.Error("it still takes callers")
	}
}
