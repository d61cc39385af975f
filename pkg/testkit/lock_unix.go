//go:build unix

package testkit

import (
	"errors"
	"os"
	"syscall"
)

// lockFile waits until this process alone holds the lock at path. The system gives it back when the process ends.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}

	return func() { f.Close() }, nil
}
