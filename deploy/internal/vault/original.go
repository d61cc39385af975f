package vault

import (
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
)

// Original is a file as a person has it, before identities were taken out of it.
type Original struct {
	Name      string
	MediaType string
	Content   []byte
}

// What a sealed original begins with, and the domain of its context.
const (
	originalMark   = "SBRSEAL1"
	originalDomain = "subrosa/vault/original/v1"
)

// originalHeader stands before the bytes of the file.
type originalHeader struct {
	V         int    `json:"v"` // 1
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
}

// SealOriginal encrypts a file of a case under a key of its own. The key belongs into the sealed labels of the case, by
// the id of the file that holds the ciphertext.
func SealOriginal(caseID string, o Original) (sealed []byte, key string, err error) {
	raw := random(keySize)
	header, err := json.Marshal(originalHeader{1, o.Name, o.MediaType})
	if err != nil {
		return nil, "", err
	}
	gcm, err := gcmOf(raw)
	if err != nil {
		return nil, "", err
	}
	text := binary.BigEndian.AppendUint32(nil, uint32(len(header)))
	text = append(append(text, header...), o.Content...)
	// A random nonce is safe here, because each file has a key of its own.
	nonce := random(gcm.NonceSize())

	return gcm.Seal(append([]byte(originalMark), nonce...), nonce, text,
		[]byte(originalDomain+":"+caseID)), encoding.EncodeToString(raw), nil
}

// OpenOriginal decrypts a sealed original of a case. It returns ErrDamaged, or ErrNewer for a form that it does not
// know.
func OpenOriginal(caseID string, sealed []byte, key string) (Original, error) {
	raw, err := encoding.DecodeString(key)
	if err != nil || len(raw) != keySize {
		return Original{}, ErrDamaged
	}
	gcm, err := gcmOf(raw)
	if err != nil {
		return Original{}, err
	}
	text, err := openMarked(gcm, sealed, originalDomain+":"+caseID)
	if err != nil || len(text) < 4 {
		return Original{}, ErrDamaged
	}
	size, rest := binary.BigEndian.Uint32(text), text[4:]
	var h originalHeader
	// The tag has proved who made this, but not that they made it well.
	if uint64(size) > uint64(len(rest)) || json.Unmarshal(rest[:size], &h) != nil {
		return Original{}, ErrDamaged
	}
	if h.V != 1 {
		return Original{}, ErrNewer
	}

	return Original{h.Name, h.MediaType, rest[size:]}, nil
}

func openMarked(gcm cipher.AEAD, sealed []byte, context string) ([]byte, error) {
	start := len(originalMark) + gcm.NonceSize()
	if len(sealed) < start || string(sealed[:len(originalMark)]) != originalMark {
		return nil, ErrDamaged
	}

	return gcm.Open(nil, sealed[len(originalMark):start], sealed[start:], []byte(context))
}
