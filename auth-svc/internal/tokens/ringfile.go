package tokens

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
)

const ringReread = time.Minute

// RingFile follows the key ring in a mounted file: it is read again each minute, so that all replicas take up a
// rotation without a restart. A file that cannot be read leaves the ring in use.
type RingFile struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu   sync.Mutex
	ring authn.Ring
	read time.Time
}

// OpenRing reads the ring at path, which must be usable.
func OpenRing(path string, now func() time.Time, log *slog.Logger) (*RingFile, error) {
	f := &RingFile{path: path, now: now, log: log}
	ring, err := f.load()
	if err != nil {
		return nil, err
	}
	if _, err := ring.Current(now()); err != nil {
		return nil, err
	}
	f.ring, f.read = ring, now()

	return f, nil
}

func (f *RingFile) load() (authn.Ring, error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return authn.Ring{}, errors.New("AUTH_SIGNING_KEYS names a file that cannot be read")
	}
	ring, err := authn.ParseRing(text)
	if err != nil {
		return authn.Ring{}, fmt.Errorf("AUTH_SIGNING_KEYS: %w", err)
	}

	return ring, nil
}

func (f *RingFile) latest() authn.Ring {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.read) >= ringReread {
		// A file that cannot be read is looked at again in a minute, not at every request.
		f.read = now
		ring, err := f.load()
		if err != nil {
			f.log.Warn("the key ring cannot be read again; the one in use stays")
		} else {
			f.ring = ring
		}
	}

	return f.ring
}

// Current returns the key that signs now.
func (f *RingFile) Current() (authn.SigningKey, error) { return f.latest().Current(f.now()) }

// PublicSet returns the JSON Web Key Set to publish now.
func (f *RingFile) PublicSet() ([]byte, error) { return f.latest().PublicSet(f.now()) }
