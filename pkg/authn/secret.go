package authn

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
)

// Prefixes of what is handed out once and kept only as a hash.
const (
	APIKeyPrefix            = "sbr_sk_"
	RegistrationTokenPrefix = "sbr_rt_"
)

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomChars = 43 // 32 bytes in base 62
	sumChars    = 6  // 4 bytes of CRC-32 in base 62
	minPepper   = 32 // bytes
)

// NewSecret returns a fresh key or token: prefix, 256 random bits, and a checksum by which typing errors and leaked
// copies are recognised without a store.
func NewSecret(prefix string) string {
	var r [32]byte
	// It never fails: the program would have ended.
	_, _ = rand.Read(r[:])
	s := prefix + toBase62(r[:], randomChars)

	return s + checksum(s)
}

// WellFormed reports whether s has the form of a secret with prefix. It does not say that one was ever issued.
func WellFormed(prefix, s string) bool {
	if len(s) != len(prefix)+randomChars+sumChars || !strings.HasPrefix(s, prefix) {
		return false
	}
	// The checksum is no secret, so how long the comparison takes tells nothing.
	body := s[:len(s)-sumChars]

	return checksum(body) == s[len(body):]
}

func checksum(s string) string {
	return toBase62(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))), sumChars)
}

func toBase62(b []byte, chars int) string {
	n, digit, base := new(big.Int).SetBytes(b), new(big.Int), big.NewInt(int64(len(base62)))

	out := make([]byte, chars)
	for i := chars - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = base62[digit.Int64()]
	}

	return string(out)
}

// Pepper turns secrets into the hashes under which they are kept, so that a stolen database is worth nothing without
// it.
type Pepper struct{ key []byte }

// ParsePepper reads a pepper of at least 32 bytes in base64url, as "subrosa keys new" makes it.
func ParsePepper(text string) (Pepper, error) {
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) < minPepper {
		return Pepper{}, errors.New("the pepper is not 32 bytes or more in base64url; subrosa keys new makes one")
	}

	return Pepper{key}, nil
}

// NewPepper returns a fresh pepper in the form that ParsePepper reads.
func NewPepper() string {
	b := make([]byte, minPepper)
	// Likewise.
	_, _ = rand.Read(b)

	return base64.RawURLEncoding.EncodeToString(b)
}

// Hash returns the name under which a secret is kept.
func (p Pepper) Hash(secret string) string {
	m := hmac.New(sha256.New, p.key)
	m.Write([]byte(secret))

	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}
