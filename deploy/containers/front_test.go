package containers_test

import (
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// front is the load balancer before the gateways: it passes connections on in turns, to those alone that say they are ready.
type front struct {
	listener net.Listener
	probe    *http.Client

	mu       sync.Mutex
	backends []*backend
	turn     int
}

// backend is one replica.
type backend struct {
	addr, health string // "" while it is not running
	ready        bool
}

const probed = 50 * time.Millisecond // between two looks at each replica

func newFront(t *testing.T, n int) *front {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	f := &front{listener: ln, probe: &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	for range n {
		f.backends = append(f.backends, &backend{})
	}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop); _ = ln.Close() })

	for i := range f.backends {
		go f.watch(i, stop)
	}

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go f.serve(conn)
		}
	}()

	return f
}

// to says where a replica is now.
func (f *front) to(i int, addr, health string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.backends[i].addr, f.backends[i].health, f.backends[i].ready = addr, health, false
}

func (f *front) watch(i int, stop <-chan struct{}) {
	tick := time.NewTicker(probed)
	defer tick.Stop()

	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		f.mu.Lock()
		health := f.backends[i].health
		f.mu.Unlock()
		ready := health != "" && answers(f.probe, health)
		f.mu.Lock()
		if f.backends[i].health == health {
			f.backends[i].ready = ready
		}
		f.mu.Unlock()
	}
}

func answers(with *http.Client, address string) bool {
	resp, err := with.Get(address)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()

	return resp.StatusCode == http.StatusOK
}

// next returns the address of the next replica that is ready, or "".
func (f *front) next() string {
	f.mu.Lock()
	defer f.mu.Unlock()

	for range f.backends {
		f.turn++
		if b := f.backends[f.turn%len(f.backends)]; b.ready {
			return b.addr
		}
	}

	return ""
}

func (f *front) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	behind, err := net.DialTimeout("tcp", f.next(), time.Second)
	if err != nil {
		return
	}

	defer func() { _ = behind.Close() }()
	done := make(chan struct{}, 2)

	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.(*net.TCPConn).CloseWrite()
		done <- struct{}{}
	}
	go pass(behind, conn)
	go pass(conn, behind)
	<-done
	select { // what is on its way the other way may come to its end
	case <-done:
	case <-time.After(100 * time.Millisecond):
	}
}
