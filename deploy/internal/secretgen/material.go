// Package secretgen makes the secrets that an installation of Subrosa runs on, as the files that the services' settings
// name.
package secretgen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// Names of the files.
const (
	PepperFile = "key-pepper"
	RingFile   = "signing-keys.json"
	TrustFile  = "internal-trust.json"
)

// InternalKeyFile names the file with the signing seed of a service.
func InternalKeyFile(service string) string { return "internal-" + service + ".key" }

// Ensure makes sure that dir holds a whole set of material and returns whether it made one. A set of which only a part
// is there is refused: half of a set fits nothing.
func Ensure(dir string, now func() time.Time) (made bool, err error) {
	missing, present := 0, 0

	for _, name := range names() {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			missing++
		} else if err != nil {
			return false, fmt.Errorf("look for %s: %w", name, err)
		} else {
			present++
		}
	}

	switch {
	case missing == 0:
		return false, nil
	case present > 0:
		return false, fmt.Errorf("%s holds only a part of the keys; move it away and make a whole set", dir)
	}

	return true, create(dir, now)
}

func names() []string {
	all := []string{PepperFile, RingFile, TrustFile}
	for _, issuer := range authn.Issuers() {
		all = append(all, InternalKeyFile(issuer))
	}

	return all
}

func create(dir string, now func() time.Time) error {
	ring, err := authn.Ring{}.Rotated(now())
	if err != nil {
		return err
	}
	ringText, err := ring.Encode()
	if err != nil {
		return err
	}
	seeds, trust, err := authn.NewInternalKeys()
	if err != nil {
		return err
	}

	files := map[string][]byte{PepperFile: []byte(authn.NewPepper()), RingFile: ringText, TrustFile: trust}
	for issuer, seed := range seeds {
		files[InternalKeyFile(issuer)] = []byte(seed)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o700); err != nil {
		return fmt.Errorf("make folder for keys: %w", err)
	}
	// All or nothing: the set is written beside its place and moved there whole.
	tmp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".keys-*")
	if err != nil {
		return fmt.Errorf("make folder for keys: %w", err)
	}

	for name, text := range files {
		if err := os.WriteFile(filepath.Join(tmp, name), append(text, '\n'), 0o600); err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", name, err), os.RemoveAll(tmp))
		}
	}
	// Remove takes an empty folder only: keys that somebody put there meanwhile are not lost.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is not empty: %w", dir, err), os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, dir); err != nil {
		return errors.Join(fmt.Errorf("put keys in place: %w", err), os.RemoveAll(tmp))
	}

	return nil
}

// Rotate adds a fresh signing key to the ring in dir and drops those whose last token has expired. It returns when the
// fresh key begins to sign; until then it is only published.
func Rotate(dir string, now func() time.Time) (time.Time, error) {
	name := filepath.Join(dir, RingFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the key ring: %w", err)
	}
	ring, err := authn.ParseRing(text)
	if err != nil {
		return time.Time{}, err
	}
	if ring, err = ring.Rotated(now()); err != nil {
		return time.Time{}, err
	}
	if text, err = ring.Encode(); err != nil {
		return time.Time{}, err
	}
	// A rename replaces the ring in one step: auth-svc reads it at any time.
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o600); err != nil {
		return time.Time{}, fmt.Errorf("write the key ring: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return time.Time{}, fmt.Errorf("write the key ring: %w", err)
	}

	return now().Add(authn.RingLead).Truncate(time.Second), nil
}
