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

	"github.com/subrosa-legal/subrosa/pkg/places"
)

// prefix marks what the spool makes in its folder; nothing else there is ever touched.
const prefix = "upload-"

// Spool is a folder for files on their way in. The bytes of a request are gone from it when the request ends, and after
// a crash: the file loses its name as soon as it is made. A file first comes whole, which takes as long as its sender
// likes, and only then takes one of the few places for being checked.
type Spool struct {
	dir    string
	checks chan struct{}
	wait   time.Duration
	open   *places.Places
	room   *places.Room
}

// SpoolLimits bound a spool, for one process.
type SpoolLimits struct {
	Checks int           // files that are checked at once
	Wait   time.Duration // how long a file that has come waits for its check
	Open   places.Limits // uploads that may come at once
	Bytes  int64         // of files that are coming or wait; at least those of one file
}

// folder is where the spool works inside the folder it is given: a mounted volume is often open to others, and not ours
// to close.
const folder = "uploads"

// OpenSpool takes dir into use, which no other process uses. It makes there a folder of mode 0700, or frees the one
// that is there of what an earlier process left.
func OpenSpool(dir string, limits SpoolLimits) (*Spool, error) {
	dir = filepath.Join(dir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the scratch folder: %w", err)
	}

	// A link in this place could lead the uploads of a shared volume to where others read them.
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
	s := &Spool{
		dir:    dir,
		checks: make(chan struct{}, limits.Checks),
		wait:   limits.Wait,
		open:   places.New(limits.Open),
		room:   places.NewRoom(limits.Bytes),
	}

	return s, s.Clear()
}

// Clear removes what is left of uploads.
func (s *Spool) Clear() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read the scratch folder: %w", err)
	}

	for _, e := range entries {
		// An operator may keep files of their own beside ours.
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty the scratch folder: %w", err)
		}
	}

	return nil
}

// Place waits for one of the places for checking and returns what gives it back, or ErrNoPlace.
func (s *Spool) Place(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case s.checks <- struct{}{}:
		return func() { <-s.checks }, nil
	case <-timer.C:
		return nil, ErrNoPlace
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrNoPlace, ctx.Err())
	}
}

// Sender is whoever has an upload open.
type Sender struct {
	spool *Spool
	who   string
	stop  func()
	leave func()
}

// Enter opens an upload for who. The errors are ErrTooManyUploads and ErrNoPlace. stop has to end the read of what is
// under way: it is called when others need the room. The caller calls Leave.
func (s *Spool) Enter(who places.Who, stop func()) (*Sender, error) {
	leave, err := s.open.Take(who)
	switch {
	case errors.Is(err, places.ErrTooMany):
		return nil, ErrTooManyUploads
	case err != nil:
		return nil, ErrNoPlace
	}

	return &Sender{s, who.Tenant + "|" + who.Caller, stop, leave}, nil
}

// Leave ends the upload. It may be called again.
func (s *Sender) Leave() { s.leave() }

// Receive does what that of the spool does, within the room for files on their way. ErrNoPlace means that it is spent,
// and that this sender holds most of it.
func (s *Sender) Receive(r io.Reader, limit int64) (*Scratch, error) {
	share := s.spool.room.Enter(s.who, s.stop)
	scratch, err := s.spool.Receive(&sharing{r, share}, limit)
	// The read was ended to make room. What came of it is an error of reading, which must not be told as the sender's.
	if share.Crowded() {
		err = errors.Join(ErrNoPlace, err)
	}
	if err != nil {
		share.Leave()
		return nil, err
	}
	share.Settle()
	scratch.share = share

	return scratch, nil
}

// sharing takes room for what it reads before it is written down.
type sharing struct {
	r     io.Reader
	share *places.Share
}

func (s *sharing) Read(p []byte) (int, error) {
	// It is asked before each read, so that a slow sender gives its room back at once.
	if s.share.Crowded() {
		return 0, ErrNoPlace
	}
	n, err := s.r.Read(p)
	if s.share.Take(int64(n)) != nil {
		return 0, ErrNoPlace
	}

	return n, err
}

// Scratch is a file in the spool.
type Scratch struct {
	io.ReaderAt
	file   *os.File
	path   string        // "" once it has no name
	share  *places.Share // of the room for files on their way; nil for one that the service fetched itself
	Size   int64
	SHA256 string
}

// Receive copies r, at most limit bytes, into the spool. ErrTooLarge and ErrEmpty speak of what came, ErrIncomplete of
// how it came, ErrScratch of the spool. It is for what the service has itself; a sender's bytes go by Enter.
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
	case errors.Is(in.err, ErrNoPlace):
		err = ErrNoPlace
	case in.err != nil:
		err = fmt.Errorf("receive a file: %w: %w", ErrIncomplete, in.err)
	case err != nil:
		err = fmt.Errorf("write a scratch file: %w: %w", ErrScratch, err)
	case scratch.Size > limit:
		err = ErrTooLarge.WithMessage(
			fmt.Sprintf("The file is larger than the limit of %d bytes. Split it or remove pictures.", limit),
		)
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
	if s.share != nil {
		defer s.share.Leave() // once its bytes are gone
	}
	err := s.file.Close()
	if s.path != "" {
		err = errors.Join(err, os.Remove(s.path))
	}

	return err
}
