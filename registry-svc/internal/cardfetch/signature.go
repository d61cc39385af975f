package cardfetch

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// Keys are the public keys whose signatures on cards are believed, by their ids.
type Keys map[string]jose.JSONWebKey

// algorithms are those of signatures that are checked; none of them works with a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	jose.PS256, jose.PS384, jose.PS512, jose.RS256, jose.RS384, jose.RS512,
}

// ReadKeys reads a JSON Web Key Set. Every key needs an id and must be public.
func ReadKeys(text []byte) (Keys, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("it is no JSON Web Key Set")
	}
	keys := Keys{}

	for _, k := range set.Keys {
		switch {
		case k.KeyID == "":
			return nil, errors.New("a key has no kid")
		case !k.Valid() || !k.IsPublic():
			return nil, errors.New("the key " + k.KeyID + " is no public key")
		}
		if _, twice := keys[k.KeyID]; twice {
			return nil, errors.New("two keys have the kid " + k.KeyID)
		}
		keys[k.KeyID] = k
	}
	if len(keys) == 0 {
		return nil, errors.New("it holds no key")
	}

	return keys, nil
}

// verified returns how the signatures of a card stand. One that a known key made is enough. What a signature says of
// where its key is to be had is never looked at: only the keys of the settings count.
func (k Keys) verified(body []byte, signatures any) string {
	list, ok := signatures.([]any)
	if !ok || len(list) == 0 {
		return agents.Unsigned
	}
	payloads, err := payloadsOf(body)
	if err != nil {
		return agents.SignatureInvalid
	}
	state := agents.SignatureUnknownKey

	for _, entry := range list[:min(len(list), mostSignatures)] {
		switch k.one(entry, payloads) {
		case agents.SignatureValid:
			return agents.SignatureValid
		case agents.SignatureInvalid:
			state = agents.SignatureInvalid
		}
	}

	return state
}

// mostSignatures bounds the work that a card can make.
const mostSignatures = 8

// one checks one signature, a detached JSON Web Signature over any of payloads.
func (k Keys) one(entry any, payloads [][]byte) string {
	e, _ := entry.(map[string]any)
	protected, _ := e["protected"].(string)
	signature, _ := e["signature"].(string)
	head, err := base64.RawURLEncoding.DecodeString(protected)
	if err != nil || len(head) == 0 || signature == "" || strings.Contains(protected+signature, ".") {
		return agents.SignatureInvalid
	}
	var named struct {
		Kid string `json:"kid"`
	}
	if json.Unmarshal(head, &named) != nil {
		return agents.SignatureInvalid
	}
	key, known := k[named.Kid]
	if !known {
		return agents.SignatureUnknownKey
	}

	for _, payload := range payloads {
		jws, err := jose.ParseDetached(protected+".."+signature, payload, algorithms)
		if err != nil {
			continue
		}
		if jws.DetachedVerify(payload, key.Key) == nil {
			return agents.SignatureValid
		}
	}

	return agents.SignatureInvalid
}

// payloadsOf are what the signatures of a card may be over: the card without them, in canonical form, as it was served
// and without empty members, which the protocol leaves out of what is signed (section 8.4.1) and some SDKs serve.
func payloadsOf(body []byte) ([][]byte, error) {
	var card map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&card); err != nil {
		return nil, err
	}
	delete(card, "signatures")
	served, err := canonical(card)
	if err != nil {
		return nil, err
	}
	bare, _ := withoutEmpty(card)
	cleaned, err := canonical(bare)
	if err != nil || bytes.Equal(served, cleaned) {
		return [][]byte{served}, err
	}

	return [][]byte{served, cleaned}, nil
}

// plainFlags are the members of a card that are left out where they are false: of an extension, and of a flow of OAuth.
// Every other flag of a card says something else when it is false than when it is not there.
var plainFlags = map[string]bool{"required": true, "pkceRequired": true}

// withoutEmpty leaves out members that are null, "", [] or {}, or a plain flag that is false; something reports whether
// anything is left.
func withoutEmpty(v any) (bare any, something bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case string:
		return v, v != ""
	case []any:
		all := []any{}

		for _, one := range v {
			if one, ok := withoutEmpty(one); ok {
				all = append(all, one)
			}
		}

		return all, len(all) > 0
	case map[string]any:
		all := map[string]any{}

		for name, one := range v {
			if one, ok := withoutEmpty(one); ok && (one != false || !plainFlags[name]) {
				all[name] = one
			}
		}

		return all, len(all) > 0
	}

	return v, true
}
