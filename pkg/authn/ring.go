package authn

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
)

// Times of the key ring.
const (
	RingLead = 10 * time.Minute // a new key is published this long before it signs: caches live 5 minutes
	RingKeep = 65 * time.Minute // a key is published this long after it last signed: the life of a bearer, and skew
)

// SigningKey is one key of the ring. It is published from when it enters the ring and signs from Start until a later
// one does.
type SigningKey struct {
	ID    string
	Start time.Time
	Key   *ecdsa.PrivateKey
}

// Ring holds the keys that sign agent bearers: the next, the current and the previous ones.
type Ring struct{ keys []SigningKey } // the earliest start first

type storedRing struct {
	Keys []storedKey `json:"keys"`
}

type storedKey struct {
	ID    string    `json:"kid"`
	Start time.Time `json:"start"`
	Key   string    `json:"key"` // PKCS #8 in base64url
}

var errRing = errors.New("the key ring cannot be read; make one with subrosa keys new")

// ParseRing reads a ring as Encode writes it.
func ParseRing(text []byte) (Ring, error) {
	var stored storedRing
	if json.Unmarshal(text, &stored) != nil || len(stored.Keys) == 0 || len(stored.Keys) > 16 {
		return Ring{}, errRing
	}
	var r Ring

	for _, s := range stored.Keys {
		der, err := base64.RawURLEncoding.DecodeString(s.Key)
		if err != nil {
			return Ring{}, errRing
		}
		parsed, err := x509.ParsePKCS8PrivateKey(der)
		if err != nil || s.ID == "" || s.Start.IsZero() {
			return Ring{}, errRing
		}
		key, ok := parsed.(*ecdsa.PrivateKey)
		// ES256 is defined for this curve alone (RFC 7518, 3.4).
		if !ok || key.Curve != elliptic.P256() {
			return Ring{}, errRing
		}
		r.keys = append(r.keys, SigningKey{s.ID, s.Start.UTC(), key})
	}
	slices.SortStableFunc(r.keys, func(a, b SigningKey) int { return a.Start.Compare(b.Start) })

	return r, nil
}

// Encode returns the ring with its private keys; whoever writes it gives the file mode 0600.
func (r Ring) Encode() ([]byte, error) {
	var stored storedRing

	for _, k := range r.keys {
		der, err := x509.MarshalPKCS8PrivateKey(k.Key)
		if err != nil {
			return nil, fmt.Errorf("encode signing key: %w", err)
		}
		stored.Keys = append(stored.Keys, storedKey{k.ID, k.Start, base64.RawURLEncoding.EncodeToString(der)})
	}

	return json.MarshalIndent(stored, "", "  ")
}

// Rotated returns the ring at now with a fresh key that will sign after RingLead, or at once when the ring was empty,
// and without the keys whose last token has expired.
func (r Ring) Rotated(now time.Time) (Ring, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Ring{}, fmt.Errorf("make signing key: %w", err)
	}
	// Verifiers keep the published keys for minutes and would refuse what a new key signs at once.
	start := now.UTC().Truncate(time.Second)
	if len(r.keys) > 0 {
		start = start.Add(RingLead)
	}
	kept := append(slices.Clone(r.published(now)), SigningKey{uuid.NewString(), start, key})

	return Ring{kept}, nil
}

// published returns the keys whose tokens may be alive at now, or may be signed later.
func (r Ring) published(now time.Time) []SigningKey {
	for i := range r.keys {
		// A key signs until the next one starts, so its last token is alive until RingKeep after that.
		if i+1 == len(r.keys) || now.Before(r.keys[i+1].Start.Add(RingKeep)) {
			return r.keys[i:]
		}
	}

	return nil
}

// Current returns the key that signs at now: the newest whose start has passed.
func (r Ring) Current(now time.Time) (SigningKey, error) {
	for _, k := range slices.Backward(r.keys) {
		if !now.Before(k.Start) {
			return k, nil
		}
	}

	return SigningKey{}, errors.New("no key of the ring may sign yet")
}

// PublicSet returns the JSON Web Key Set of what is published at now.
func (r Ring) PublicSet(now time.Time) ([]byte, error) {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, k := range r.published(now) {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: &k.Key.PublicKey, KeyID: k.ID, Algorithm: "ES256", Use: "sig"})
	}

	return json.Marshal(set)
}
