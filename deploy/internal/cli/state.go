package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// errHeld means that another command holds a lock.
var errHeld = errors.New("another command holds the lock")

// Times of a lock. A command holds one for as long as it writes a file or exchanges a key.
const (
	lockPause = 20 * time.Millisecond
	lockWait  = 2 * time.Minute
)

// locked does work while no other command does work under the lock at path. The system gives the lock of a command back
// that dies.
func locked(ctx context.Context, path string, work func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make folder for settings: %w", err)
	}

	ctx, stop := context.WithTimeout(ctx, lockWait)
	defer stop()

	for {
		unlock, err := lock(path)

		switch {
		case err == nil:
			return errors.Join(work(), unlock())
		case errors.Is(err, errors.ErrUnsupported): // of the file system
			return work()
		case !errors.Is(err, errHeld):
			return fmt.Errorf("lock %s: %w", path, err)
		}

		pause := time.NewTimer(lockPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("another command holds %s; wait for it or end it, and try again: %w", path, ctx.Err())
		}
	}
}

// replaceFile writes a file whole or not at all, readable by nobody else.
func replaceFile(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}

	return nil
}
