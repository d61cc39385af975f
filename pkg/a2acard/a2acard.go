// Package a2acard signs and serves a card of the agent-to-agent protocol.
package a2acard

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// SigningKeys gives the key that signs now.
type SigningKeys interface {
	Current() (authn.SigningKey, error)
}

// Card signs a card once for each key. It is safe for concurrent use.
type Card struct {
	Card api.A2ACard
	Keys SigningKeys

	mu   sync.Mutex
	kid  string
	body []byte
	etag string
}

// signed returns the card as it is served, with its entity tag. The signature of a key is always the same (RFC 6979),
// so that all replicas serve the same bytes.
func (k *Card) signed() (body []byte, etag string, err error) {
	key, err := k.Keys.Current()
	if err != nil {
		return nil, "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kid == key.ID {
		return k.body, k.etag, nil
	}
	signature, err := sign(k.Card, key)
	if err != nil {
		return nil, "", err
	}
	card := k.Card
	card.Signatures = []api.A2ASignature{signature}
	if body, err = json.Marshal(card); err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(body)
	k.kid, k.body, k.etag = key.ID, body, `"`+hex.EncodeToString(sum[:16])+`"`

	return k.body, k.etag, nil
}

func sign(card api.A2ACard, key authn.SigningKey) (api.A2ASignature, error) {
	payload, err := card.Canonical()
	if err != nil {
		return api.A2ASignature{}, err
	}
	header, err := json.Marshal(map[string]string{"alg": "ES256", "typ": "JOSE", "kid": key.ID})
	if err != nil {
		return api.A2ASignature{}, err
	}
	protected := base64.RawURLEncoding.EncodeToString(header)
	digest := sha256.Sum256([]byte(protected + "." + base64.RawURLEncoding.EncodeToString(payload)))
	signature, err := es256(key.Key, digest[:])
	if err != nil {
		return api.A2ASignature{}, err
	}

	return api.A2ASignature{Protected: protected, Signature: base64.RawURLEncoding.EncodeToString(signature)}, nil
}

// es256 signs a digest in the form of RFC 7518: two numbers of 32 bytes.
func es256(key *ecdsa.PrivateKey, digest []byte) ([]byte, error) {
	// Without a source of randomness the signature is deterministic.
	der, err := key.Sign(nil, digest, crypto.SHA256)
	if err != nil {
		return nil, err
	}
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		return nil, err
	}
	signature := make([]byte, 64)
	pair.R.FillBytes(signature[:32])
	pair.S.FillBytes(signature[32:])

	return signature, nil
}

// Serve answers with the card, or 304 to whoever has it.
func (k *Card) Serve(c *gin.Context) error {
	body, etag, err := k.signed()
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "public, max-age=300")
	if httpx.Unchanged(c, etag) {
		return nil
	}
	c.Data(http.StatusOK, "application/json", body)

	return nil
}
