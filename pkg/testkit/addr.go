package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// FreeAddr finds an address of this machine at which nobody listens, for a server of the test to listen at. It lies
// below those that the system hands out by itself, and no other test is given it, of this process or another: a server
// can be started there later, and again.
func FreeAddr(t testing.TB) string {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}

	return loopback(port)
}

// FreePort is FreeAddr for what outlives a test. It returns a port of this machine.
func FreePort() (int, error) { return claimed.port() }

// Ports that tests are given: blocks of them, each of which one process has at a time.
const (
	firstPort  = 10_000
	blockPorts = 50
	blocks     = 400
)

// portsFolder has a file for each block. It is the same for all processes, whatever TMPDIR says.
const portsFolder = "/tmp/subrosa-test-ports-"

// claims are the ports of this process. It holds a lock on the file of each of its blocks. The programs that it starts
// inherit the lock, so that nobody else is given a port at which one of them may listen after this process has ended.
type claims struct {
	mu   sync.Mutex
	next int // of the newest block
	end  int
}

var claimed claims

// port returns a port at which nobody listens and that was not given before.
func (c *claims) port() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	for {
		if c.next == c.end {
			if err := c.claim(); err != nil {
				return 0, err
			}
		}
		port := c.next
		c.next++
		if free, err := unbound(port); free || err != nil {
			return port, err
		}
	}
}

// unbound reports whether nobody has bound the port. No program is started meanwhile: it would inherit the socket, and
// so keep the port for a moment after this has closed it.
func unbound(port int) (free bool, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return false, fmt.Errorf("try a port: %w", err)
	}
	syscall.CloseOnExec(socket)
	free = syscall.Bind(socket, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}) == nil

	return free, syscall.Close(socket)
}

// claim takes a block that no other process has.
func (c *claims) claim() error {
	dir := portsFolder + strconv.Itoa(os.Getuid())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("claim ports: %w", err)
	}

	// In a random order, so that processes which start together do not all ask for the first block.
	for _, block := range rand.Perm(blocks) {
		// Package os would close the file in the programs that this process starts.
		lock, err := syscall.Open(filepath.Join(dir, strconv.Itoa(block)), syscall.O_CREAT|syscall.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("claim ports: %w", err)
		}
		if syscall.Flock(lock, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			// Another process has the block, or this one does.
			_ = syscall.Close(lock)
			continue
		}
		c.next = firstPort + block*blockPorts
		c.end = c.next + blockPorts

		return nil
	}

	return errors.New("claim ports: other processes have them all")
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
