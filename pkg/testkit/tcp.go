package testkit

import (
	"net"
	"testing"
)

// ServeTCP has serve answer each connection at an address of this machine, host:port, until the test ends. It is for
// servers that break off or break their protocol, which none of a library would do. serve's connection is closed when
// it returns.
func ServeTCP(t testing.TB, serve func(net.Conn)) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			}()
		}
	}()

	return ln.Addr().String()
}
