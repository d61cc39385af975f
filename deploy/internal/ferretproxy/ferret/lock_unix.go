//go:build unix

package ferret

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock makes dir this process's own until the file returned is closed or the process ends.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the document folder: %w", err)
	}

	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(ErrInUse, f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock the document folder: %w", err), f.Close())
	}

	return f, nil
}
