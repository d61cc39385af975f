package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prefix marks what the spool makes in its folder; nothing else there is ever touched.
const prefix = "upload-"

// Spool is a folder for files on their way in, with room for a fixed number of requests at once. The bytes of a request are gone from
// it when the request ends, and after a crash: the file loses its name as soon as it is made.
type Spool struct {
	dir    string
	places chan struct{}
	wait   time.Duration
}

// folder is where the spool works inside the folder it is given: a mounted volume is often open to others, and not ours to close.
const folder = "uploads"

// OpenSpool takes dir into use, which no other process uses. It makes there a folder of mode 0700, or frees the one that is there of what
// an earlier process left.
func OpenSpool(dir string, places int, wait time.Duration) (*Spool, error) {
	dir = filepath.Join(dir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the scratch folder: %w", err)
	}

	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the scratch folder: %w", err)
	case !info.IsDir():
		return nil, errors.New("the scratch folder is no folder")
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder needs its x; somebody else's is not taken
		return nil, fmt.Errorf("close the scratch folder to others: %w", err)
	}
	s := &Spool{dir: dir, places: make(chan struct{}, places), wait: wait}

	return s, s.Clear()
}

// Clear removes what is left of uploads.
func (s *Spool) Clear() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read the scratch folder: %w", err)
	}

	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty the scratch folder: %w", err)
		}
	}

	return nil
}

// Place waits for room for one request and returns what gives it back, or ErrNoPlace.
func (s *Spool) Place(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-timer.C:
		return nil, ErrNoPlace
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrNoPlace, ctx.Err())
	}
}

// Scratch is a file in the spool.
type Scratch struct {
	io.ReaderAt
	file   *os.File
	path   string // "" once it has no name
	Size   int64
	SHA256 string
}

// Receive copies r, at most limit bytes, into the spool. ErrTooLarge and ErrEmpty speak of what came, ErrIncomplete of how it came,
// ErrScratch of the spool.
func (s *Spool) Receive(r io.Reader, limit int64) (*Scratch, error) {
	file, err := os.CreateTemp(s.dir, prefix)
	if err != nil {
		return nil, fmt.Errorf("make a scratch file: %w: %w", ErrScratch, err)
	}
	scratch := &Scratch{ReaderAt: file, file: file, path: file.Name()}
	if os.Remove(scratch.path) == nil {
		scratch.path = "" // its bytes go with the last handle, however the process ends
	}
	sum := sha256.New()
	in := &source{r: io.LimitReader(r, limit+1)}

	scratch.Size, err = io.Copy(io.MultiWriter(file, sum), in)
	switch {
	case in.err != nil:
		err = fmt.Errorf("receive a file: %w: %w", ErrIncomplete, in.err)
	case err != nil:
		err = fmt.Errorf("write a scratch file: %w: %w", ErrScratch, err)
	case scratch.Size > limit:
		err = ErrTooLarge.WithMessage(fmt.Sprintf("The file is larger than %d bytes, which is what a file may have. Split it or leave out pictures.", limit))
	case scratch.Size == 0:
		err = ErrEmpty
	}
	if err != nil {
		return nil, errors.Join(err, scratch.Close())
	}
	scratch.SHA256 = hex.EncodeToString(sum.Sum(nil))

	return scratch, nil
}

// source remembers that reading failed, so that it can be told from a full disk.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}

	return n, err
}

// Reader returns the bytes from the beginning.
func (s *Scratch) Reader() io.Reader { return io.NewSectionReader(s.file, 0, s.Size) }

// Close frees the room.
func (s *Scratch) Close() error {
	err := s.file.Close()
	if s.path != "" {
		err = errors.Join(err, os.Remove(s.path))
	}

	return err
}
