// Package vault keeps what browsers need to open real identities on a second device or for a colleague: public keys,
// private keys under a passphrase, the firm's keys wrapped to its members, and the sealed values of labels. It is all
// ciphertext: no key is here in clear.
package vault

import (
	"crypto/ecdh"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Limits.
const (
	MaxBlob     = 16 << 10  // bytes of a vault's blob
	minBlob     = 100       // of an encrypted private key; a name would be shorter
	MaxLabels   = 256 << 10 // bytes of the sealed labels of a case
	MaxMembers  = 500       // members whom one rotation reaches
	wrappedSize = 48        // a firm key of 32 bytes and the tag of A256GCM
	ivSize      = 12        // of A256GCM
	tagSize     = 16
	// KeptUnused is how long a firm key that was replaced is kept at least, for browsers that are still sealing anew.
	KeptUnused = 30 * 24 * time.Hour
)

// Vault is what one member keeps here: the public key that firm keys are wrapped to, and its private key under a
// passphrase that never leaves the browser.
type Vault struct {
	Tenant    string
	UserID    string
	Version   int64  // from 1
	PublicKey string // an uncompressed point of P-256, in base64url
	Blob      string // in base64url
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Wrap is a firm key wrapped to the public key of one member: ECDH with an ephemeral key, HKDF-SHA-256, A256GCM. All is
// base64url.
type Wrap struct {
	UserID       string
	PublicKey    string // of the member, that it was wrapped to; it counts only while it is the member's
	EphemeralKey string // an uncompressed point of P-256
	IV           string
	CT           string
}

// Held is a wrap that a member holds.
type Held struct {
	Wrap
	Tenant     string
	KeyVersion int
}

// FirmKey says that a version of the firm's key exists. Its insert decides between two browsers that make the same
// version; what follows from it is in it, so that whoever finds it unsettled can do that.
type FirmKey struct {
	Tenant    string
	Version   int // from 1; the highest is the firm's
	MadeBy    string
	MadeAt    time.Time
	Settled   bool
	Wraps     []Held     // to be laid down for members
	Remove    []Leaving  // to be taken from those who are members no more
	ExamineAt *time.Time // when the sweep looks whether the version is still needed; nil while it is the firm's
}

// Leaving is a member to be removed: the vault with this public key, and no later one.
type Leaving struct{ UserID, PublicKey string }

// Labels are the real values of those labels of a case that are no party's, sealed under the firm key.
type Labels struct {
	Tenant     string
	CaseID     string
	Version    int64 // from 1
	KeyVersion int
	IV         string
	CT         string
	UpdatedAt  time.Time
}

// Failures.
var (
	ErrNotFound = errs.ErrNotFound
	ErrExists   = errs.New(
		errs.Stale,
		"version_mismatch",
		"A vault already exists. Read it, and open it with its passphrase.",
	)
	ErrOther = errs.New(
		errs.Conflict,
		"write_conflict",
		"Another browser changed the vault first. Read it again and repeat the change.",
	).WithRetryAfter(time.Second)
	ErrOutdated = errs.New(
		errs.Conflict,
		"key_outdated",
		"The firm's key has changed. Read the vault again, and seal with the version that it names.",
	)
	ErrNoHolder = errs.New(
		errs.Forbidden,
		"forbidden",
		"Your vault does not hold this version of the firm key. "+
			"Ask a member who holds it to add the other, or to give it to you.",
	)
	ErrGiven = errs.New(
		errs.Conflict,
		"already_given",
		"The member already holds this version. Only the member can replace it.",
	)
	ErrLast = errs.New(
		errs.Conflict,
		"last_holder",
		"Nobody else holds a firm key under which something is still sealed. "+
			"Have the key given to somebody who stays, or everything sealed anew, before this member is removed.",
	)
	ErrNotOwner = errs.New(errs.Forbidden, "forbidden", "Only an owner can create a new firm key. Ask an owner.")
	ErrBlobSize = errs.New(
		errs.TooLarge,
		"vault_too_large",
		"A vault blob may be at most 16 KiB. It holds one private key and nothing else.",
	)
	ErrLabelSize = errs.New(
		errs.TooLarge,
		"vault_too_large",
		"The sealed labels of a case are at most 256 KiB. Remove values that no file uses any more.",
	)
)

// check notes what is wrong with the parts of a wrap, at path.
func (w Wrap) check(f *validate.List, path string) {
	checkKey(f, path+"publicKey", w.PublicKey)
	checkKey(f, path+"ephemeralKey", w.EphemeralKey)
	checkSize(f, path+"iv", w.IV, ivSize, ivSize)
	checkSize(f, path+"ct", w.CT, wrappedSize, wrappedSize)
}

// checkKey notes that s is not a public key of P-256, which a browser could be led to use.
func checkKey(f *validate.List, path, s string) {
	raw, ok := decoded(s)
	if ok {
		_, err := ecdh.P256().NewPublicKey(raw)
		ok = err == nil
	}
	if !ok {
		f.Add(path, "must be an uncompressed public key of P-256, 65 bytes in base64url without padding")
	}
}

// checkSize notes that s is not the base64url of least to most bytes.
func checkSize(f *validate.List, path, s string, least, most int) {
	raw, ok := decoded(s)
	switch {
	case ok && len(raw) >= least && len(raw) <= most:
	case least == most:
		f.Add(path, "must be "+strconv.Itoa(least)+" bytes in base64url without padding")
	default:
		f.Add(path, "must be "+strconv.Itoa(least)+" to "+strconv.Itoa(most)+" bytes in base64url without padding")
	}
}

func checkVersion(f *validate.List, version int) {
	if version < 1 || version > 1<<30 {
		f.Add("keyVersion", "must be the version of a firm key, from 1")
	}
}

// decoded reads base64url without padding and without the line breaks that the decoder would skip.
func decoded(s string) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return raw, err == nil && base64.RawURLEncoding.EncodedLen(len(raw)) == len(s)
}

// longerThan reports whether s is the base64url of more than most bytes, without decoding it.
func longerThan(s string, most int) bool { return base64.RawURLEncoding.DecodedLen(len(s)) > most }
