package httpapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrCursor refuses a cursor that is not ours, is too old, or belongs to another list.
var ErrCursor = errs.New(errs.Invalid, "invalid_cursor", "The cursor does not belong to this list, or is older than 24 hours. Begin again without a cursor.")

const (
	cursorLife = 24 * time.Hour
	maxCursor  = 2048
)

// Cursors makes and reads the places where pages of lists go on. A cursor is sealed, because the place may be a title, and bound to the
// tenant, the filter and the order of its list.
type Cursors struct {
	seal cipher.AEAD
	now  func() time.Time
}

// NewCursors derives the key of cursors from a secret.
func NewCursors(secret string, now func() time.Time) (*Cursors, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "subrosa case-svc cursors", 32)
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
	return &Cursors{seal, now}, nil
}

type place struct {
	Until int64  `json:"u"` // Unix seconds
	Time  int64  `json:"t,omitempty"`
	Text  string `json:"s,omitempty"`
	ID    string `json:"i"`
}

// list names a list for its cursors: what all pages of it have in common.
type list struct {
	Route  string
	Tenant cases.TenantID
	Scope  string // the case, of a list of files
	Query  any    // filter and order
}

func (l list) bytes() []byte {
	b, err := json.Marshal(l)
	if err != nil {
		panic("httpapi: a list that has no name: " + err.Error()) // its query is of plain values
	}
	return b
}

// Next returns the cursor for what follows p in l.
func (cs *Cursors) Next(l list, p cases.Place) string {
	at := place{Until: cs.now().Add(cursorLife).Unix(), Text: p.Text, ID: p.ID}
	if !p.Time.IsZero() {
		at.Time = p.Time.UnixMilli()
	}
	plain, err := json.Marshal(at)
	if err != nil {
		panic("httpapi: a place that has no form: " + err.Error()) // numbers and text only
	}
	sealed := cs.seal.Seal(nil, nil, plain, l.bytes()) //nolint:gosec // this cipher draws its own nonce and wants none
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Place reads a cursor of l. "" is the beginning.
func (cs *Cursors) Place(l list, cursor string) (*cases.Place, error) {
	if cursor == "" {
		return nil, nil
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(cursor) > maxCursor {
		return nil, ErrCursor
	}
	plain, err := cs.seal.Open(nil, nil, sealed, l.bytes())
	if err != nil {
		return nil, ErrCursor
	}
	var at place
	if json.Unmarshal(plain, &at) != nil || cs.now().Unix() >= at.Until {
		return nil, ErrCursor
	}
	p := &cases.Place{Text: at.Text, ID: at.ID}
	if at.Time != 0 {
		p.Time = time.UnixMilli(at.Time).UTC()
	}
	return p, nil
}
