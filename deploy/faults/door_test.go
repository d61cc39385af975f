package faults

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// door passes connections on to one server, which may change, and can make the way there slow or bad.
type door struct {
	net.Listener
	t *testing.T

	mu   sync.Mutex
	to   string
	open map[net.Conn]struct{}
	way  way
}

// way is how bad the way through a door is; the zero value is good.
type way struct {
	delay  time.Duration // of what clients send
	resets float64       // share of what clients send that ends the connection
	pace   int           // bytes of answers a second; 0 means as fast as can be
}

func newDoor(t *testing.T) *door {
	t.Helper()
	ln, err := net.Listen("tcp", testkit.FreeAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	d := &door{Listener: ln, t: t, open: map[net.Conn]struct{}{}}
	t.Cleanup(func() { _ = ln.Close(); d.drop() })

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go d.pass(conn)
		}
	}()

	return d
}

// leadTo names the server for connections to come.
func (d *door) leadTo(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = addr
}

// become makes the way another one, for open connections too.
func (d *door) become(w way) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.way = w
}

func (d *door) now() way {
	d.mu.Lock()
	defer d.mu.Unlock()

	return d.way
}

// drop closes all connections.
func (d *door) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()

	for c := range d.open {
		_ = c.Close()
	}
}

func (d *door) pass(conn net.Conn) {
	d.mu.Lock()
	to := d.to
	d.open[conn] = struct{}{}
	d.mu.Unlock()

	defer func() {
		_ = conn.Close()
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, conn)
	}()
	behind, err := net.DialTimeout("tcp", to, time.Second)
	if err != nil {
		return
	}

	defer func() { _ = behind.Close() }()
	var both sync.WaitGroup
	both.Go(func() {
		d.hand(behind, conn, func(w way, _ int) bool {
			wait(d.t, w.delay)
			return rand.Float64() >= w.resets
		})
	})
	both.Go(func() {
		d.hand(conn, behind, func(w way, n int) bool {
			if w.pace > 0 {
				wait(d.t, time.Duration(n)*time.Second/time.Duration(w.pace))
			}

			return true
		})
	})
	both.Wait()
}

// hand passes bytes on until an end of the connection, which it passes on as well.
func (d *door) hand(to, from net.Conn, may func(w way, n int) bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !may(d.now(), n) {
				_ = to.Close()
				_ = from.Close()

				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				_ = from.Close()
				return
			}
		}
		if err != nil {
			_ = to.(*net.TCPConn).CloseWrite()
			return
		}
	}
}
