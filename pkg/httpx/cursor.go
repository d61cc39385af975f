package httpx

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrCursor refuses a cursor that is not ours, is too old, or belongs to another list.
var ErrCursor = errs.New(
	errs.Invalid,
	"invalid_cursor",
	"The cursor does not belong to this list, or is older than 24 hours. Start again without a cursor.",
)

const (
	cursorLife = 24 * time.Hour
	maxCursor  = 2048 // bytes
)

// Cursors makes and reads the places P where pages of lists go on. A cursor is sealed, because a place may hold
// content, and bound to the list that it belongs to.
type Cursors[P any] struct {
	seal cipher.AEAD
	now  func() time.Time
}

// NewCursors derives the key of the cursors of a service from a secret, which must be the same on all replicas.
func NewCursors[P any](service, secret string, now func() time.Time) (*Cursors[P], error) {
	// A key of its own for each service, so that a cursor of one means nothing to another that shares the secret.
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "subrosa "+service+" cursors", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of cursors: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key of cursors: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("derive the key of cursors: %w", err)
	}

	return &Cursors[P]{seal, now}, nil
}

type sealedPlace[P any] struct {
	Until int64 `json:"u"` // Unix seconds
	Place P     `json:"p"`
}

// listName is what a cursor is bound to.
func listName(list []any) []byte {
	b, err := json.Marshal(list)
	if err != nil {
		// Its parts are plain values, so this is a mistake in the code.
		panic("httpx: a list that has no name: " + err.Error())
	}

	return b
}

// Next returns the cursor for what follows p in a list. list is what all its pages have in common, as plain values:
// route, tenant, filter and order.
func (cs *Cursors[P]) Next(p P, list ...any) string {
	plain, err := json.Marshal(sealedPlace[P]{cs.now().Add(cursorLife).Unix(), p})
	if err != nil {
		// Likewise.
		panic("httpx: a place that has no form: " + err.Error())
	}
	sealed := cs.seal.Seal(nil, nil, plain, listName(list)) //nolint:gosec // this cipher draws its own nonce and wants none

	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Place reads a cursor of a list, or returns ErrCursor. "" is the beginning: nil.
func (cs *Cursors[P]) Place(cursor string, list ...any) (*P, error) {
	if cursor == "" {
		return nil, nil
	}
	// Strict, so that there is one text for one cursor.
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(cursor) > maxCursor {
		return nil, ErrCursor
	}
	plain, err := cs.seal.Open(nil, nil, sealed, listName(list))
	if err != nil {
		return nil, ErrCursor
	}
	var at sealedPlace[P]
	if json.Unmarshal(plain, &at) != nil || cs.now().Unix() >= at.Until {
		return nil, ErrCursor
	}

	return &at.Place, nil
}
