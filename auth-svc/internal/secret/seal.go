package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// ErrSealed means that a sealed text is of another key or another purpose, or was changed.
var ErrSealed = errors.New("the sealed text cannot be opened")

// Sealer encrypts what the service has to use again and must not keep in clear. It is safe for concurrent use.
type Sealer struct{ boxes []cipher.AEAD } // the first one seals, all of them open

// NewSealer returns a sealer with keys of 32 bytes, the newest first.
func NewSealer(keys ...[]byte) (Sealer, error) {
	var s Sealer

	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return Sealer{}, err
		}
		box, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return Sealer{}, err
		}
		s.boxes = append(s.boxes, box)
	}

	return s, nil
}

// Seal encrypts text for whom it is.
func (s Sealer) Seal(text, whose string) []byte {
	return s.boxes[0].Seal(nil, nil, []byte(text), []byte(whose)) //nolint:gosec // the box makes a fresh nonce itself
}

// Open decrypts what was sealed for the same whose, or returns ErrSealed.
func (s Sealer) Open(sealed []byte, whose string) (string, error) {
	for _, box := range s.boxes {
		if text, err := box.Open(nil, nil, sealed, []byte(whose)); err == nil {
			return string(text), nil
		}
	}

	return "", ErrSealed
}
