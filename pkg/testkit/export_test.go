package testkit

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// BlockIsFree reports whether nobody has the block of a port.
func BlockIsFree(t *testing.T, port int) bool {
	t.Helper()
	block := strconv.Itoa((port - firstPort) / blockPorts)
	lock, err := os.OpenFile(filepath.Join(portsFolder+strconv.Itoa(os.Getuid()), block), os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()

	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
