package testkit

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// FreeAddr finds an address of this machine at which nobody listens, for a server of the test to listen at. It lies below those that the
// system hands out by itself, and no other test of this process is given it: a server can be started there later, and again.
func FreeAddr(t testing.TB) string {
	t.Helper()

	for range 100 {
		port := 10_000 + rand.IntN(10_000)
		if _, taken := handed.LoadOrStore(port, true); taken {
			continue
		}
		if ln, err := net.Listen("tcp", address(port)); err == nil {
			_ = ln.Close()
			return address(port)
		}
	}
	t.Fatal("no port is free")

	return ""
}

// handed holds the ports that FreeAddr has handed out.
var handed sync.Map
