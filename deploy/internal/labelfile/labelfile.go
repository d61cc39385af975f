// Package labelfile keeps the map of a case's labels in a file that only a passphrase opens. It is a plain age file
// (https://age-encryption.org): what the map says is never bound to this program, since age -d opens it too. The key
// comes from the passphrase by scrypt.
package labelfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// MinPassphrase is how many bytes the passphrase of a new map has at least. Whoever has the file can try passphrases
// without end.
const MinPassphrase = 12

// maxSize bounds a map, in bytes of JSON.
const maxSize = 64 << 20

// The failures.
var (
	ErrPassphrase = errors.New("the passphrase does not open the map")
	ErrShort      = fmt.Errorf("the passphrase of a map has at least %d characters; whoever gets the file can try as "+
		"many as they like", MinPassphrase)
	ErrNoMap = errors.New("this is no map of labels")
)

const format = "subrosa-labels-1"

type content struct {
	Format string `json:"format"`
	guard.LabelData
}

// Write encrypts a map. effort is the base-2 logarithm of scrypt's cost, 0 for that of age, which takes about a second
// and 256 MiB. It returns ErrShort or the error of w.
func Write(w io.Writer, m *guard.LabelMap, passphrase string, effort int) error {
	if len(passphrase) < MinPassphrase {
		return ErrShort
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return fmt.Errorf("use passphrase: %w", err)
	}
	if effort > 0 {
		recipient.SetWorkFactor(effort)
	}
	sealed, err := age.Encrypt(w, recipient)
	if err != nil {
		return fmt.Errorf("encrypt map: %w", err)
	}
	enc := json.NewEncoder(sealed)
	enc.SetIndent("", "  ")
	// Names such as "Hale & Co." stay readable for whoever opens the file with age.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(content{Format: format, LabelData: m.Data()}); err != nil {
		return fmt.Errorf("write map: %w", err)
	}
	if err := sealed.Close(); err != nil {
		return fmt.Errorf("write map: %w", err)
	}

	return nil
}

// Read decrypts a map. It returns ErrPassphrase, ErrNoMap for anything that Write did not write, or the error of r.
func Read(r io.Reader, passphrase string) (*guard.LabelMap, error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		// scrypt refuses the empty passphrase, which opens no map.
		return nil, ErrPassphrase
	}
	opened, err := age.Decrypt(r, identity)

	var wrong *age.NoIdentityMatchError
	switch {
	case errors.As(err, &wrong):
		return nil, ErrPassphrase
	// The cause is dropped: what is no map is often the text itself, and age would quote it.
	case err != nil:
		return nil, ErrNoMap
	}
	text, err := io.ReadAll(io.LimitReader(opened, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoMap, err)
	}
	var c content
	if len(text) > maxSize || json.Unmarshal(text, &c) != nil || c.Format != format {
		return nil, ErrNoMap
	}
	m, err := guard.NewLabelMap(c.LabelData)
	if err != nil {
		return nil, ErrNoMap
	}

	return m, nil
}
