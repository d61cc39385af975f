package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		// Some network file systems have no locks. Working without one is better than not working.
		case errors.Is(err, errors.ErrUnsupported):
			return work()
		case !errors.Is(err, errHeld):
			return fmt.Errorf("lock %s: %w", path, err)
		}

		// There is no portable way to wait for a file lock with a deadline, so it is tried again and again.
		pause := time.NewTimer(lockPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("another command holds %s; wait for it or end it, and try again: %w", path, ctx.Err())
		}
	}
}

// replaceFile is replace with a text that is there already.
func replaceFile(path string, text []byte) error {
	return replace(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// replace writes a file whole or not at all, readable by nobody else.
func replace(path string, write func(io.Writer) error) error {
	// A temporary file has the mode 0600 from its first moment, and within its folder it can be renamed in one step.
	tmp, err := os.CreateTemp(filepath.Dir(path), ".subrosa-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	// Without Sync a crash after the rename could leave an empty file in the place of the old one.
	if err = write(tmp); err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(tmp.Name()))
	}

	return nil
}
