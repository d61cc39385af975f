//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock at path, or returns errHeld.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	// The system releases the lock when the process ends, however it ends.
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return nil, errors.Join(errHeld, f.Close())
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}

	return f.Close, nil
}
