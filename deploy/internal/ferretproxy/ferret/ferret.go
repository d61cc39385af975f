// Package ferret runs FerretDB v1 on SQLite files inside this process, reachable only through a private socket, as the
// server behind a storefront. A program that imports it must be built without the race detector, under which FerretDB
// turns its own inner errors into crashes.
package ferret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// ErrRace is returned by Start in a program that was built with the race detector.
var ErrRace = errors.New("the embedded document store cannot run in a program built with -race: " +
	"build and start subrosa-stores without it")

// ErrInUse is returned by Start when another process serves the same folder: two fronts could not order each other's
// writes.
var ErrInUse = errors.New("another process serves this document folder: stop it, or name another folder")

// maxSocket is the longest path in bytes that every system takes for a socket, less the name of ours.
const maxSocket = 90

// Server is a running FerretDB.
type Server struct {
	private string // the folder of the socket and of a link to the documents
	locked  *os.File
	cancel  context.CancelFunc
	done    chan struct{}
	log     *slog.Logger
	files   files
	always  bool // Narrow copies documents of few as well
}

// Start runs FerretDB on the SQLite files in dir, which it makes if it is missing. Documents of a temporary folder,
// which is removed at the end, are not written through to the disk.
func Start(dir string, temporary bool, log *slog.Logger) (*Server, error) {
	if raceDetector {
		return nil, ErrRace
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the document folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the document folder: %w", err)
	}
	// Before anything is opened: two processes on the same files would each order their own writes alone.
	locked, err := lock(dir)
	if err != nil {
		return nil, err
	}
	private, err := socketDir()
	if err != nil {
		return nil, errors.Join(err, locked.Close())
	}
	s := &Server{private: private, locked: locked, done: make(chan struct{}), log: log}
	if err := s.start(dir, temporary); err != nil {
		return nil, errors.Join(err, s.release())
	}

	return s, nil
}

func (s *Server) start(dir string, temporary bool) error {
	// FerretDB takes its folder for a URL and for a pattern, so it gets it by a name that is neither.
	if err := os.Symlink(dir, s.documents()); err != nil {
		return fmt.Errorf("link the document folder: %w", err)
	}
	// Before FerretDB opens the files: afterwards they are its own.
	if err := s.removeAside(); err != nil {
		return err
	}
	if err := s.indexAll(); err != nil {
		return err
	}
	db, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: s.socket()},
		Handler:   "sqlite",
		SQLiteURL: sqliteURL(s.documents(), temporary),
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return fmt.Errorf("start FerretDB: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())

	s.cancel = cancel
	go func() {
		// Closed even after an error, because Close waits for it.
		defer close(s.done)
		if err := db.Run(ctx); err != nil {
			s.log.Error("FerretDB ended", "err", err)
		}
	}()

	return nil
}

// release gives back what Start took.
func (s *Server) release() error {
	return errors.Join(s.files.close(), os.RemoveAll(s.private), s.locked.Close())
}

// sqliteURL names the folder to FerretDB. A write is safe against the end of the process as soon as it is
// acknowledged, but not against a power failure: waiting for the disk at every write would make tests several times
// slower. A temporary folder never waits for the disk.
func sqliteURL(dir string, temporary bool) string {
	sync := "synchronous(normal)"
	if temporary {
		sync = "synchronous(off)"
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(wal)", sync}}
	u := url.URL{Scheme: "file", OmitHost: true, Path: dir + "/", RawQuery: pragmas.Encode()}

	return u.String()
}

func socketDir() (string, error) {
	for _, base := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(base, "subrosa-")
		if err != nil {
			continue
		}
		// The address of a Unix socket has 104 to 108 bytes, depending on the system.
		if len(dir) <= maxSocket {
			return dir, nil
		}
		_ = os.Remove(dir)
	}

	return "", errors.New("make a folder for the document store's socket: the temporary folder is missing " +
		"or its path is too long")
}

func (s *Server) socket() string { return filepath.Join(s.private, "f.sock") }

func (s *Server) documents() string { return filepath.Join(s.private, "documents") }

// Dial opens a connection to FerretDB.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", s.socket())
}

// Close stops FerretDB and waits until its files are closed or ctx ends. Its connections must be closed before, or it
// leaves them a few seconds.
func (s *Server) Close(ctx context.Context) error {
	s.cancel()
	select {
	case <-s.done:
		return s.release()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("stop FerretDB: %w", ctx.Err()), s.release())
	}
}
