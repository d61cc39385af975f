// Package secret makes what only one browser or application may know, and the form in which the service keeps it.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Len is how long a secret is, in characters of 0-9 and a-f.
const Len = 64

// New returns 256 random bits as text.
func New() string {
	var b [Len / 2]byte
	_, _ = rand.Read(b[:]) // never fails

	return hex.EncodeToString(b[:])
}

// Hash returns the form in which a secret is kept.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
