// Package token holds what all checkers of tokens share: how a token is read before its signature is looked at, and how
// what was found of it is remembered.
package token

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Skew is how far the clocks of others may be off.
const Skew = 30 * time.Second

// longestToken bounds a token in bytes: providers put groups into theirs, but no header holds more.
const longestToken = 16 << 10

// Header is what a header may say. A token with crit asks for something that we do not know (RFC 7515, 4.1.11), and
// b64 changes what is signed (RFC 7797).
type Header struct {
	Alg  string          `json:"alg"`
	Kid  string          `json:"kid"`
	Typ  string          `json:"typ"`
	Cty  string          `json:"cty"`
	Crit json.RawMessage `json:"crit"`
	B64  json.RawMessage `json:"b64"`
}

// Claims are the claims that decide who and until when (RFC 7519, 4.1). Dates are numbers.
type Claims struct {
	Issuer    string          `json:"iss"`
	Subject   string          `json:"sub"`
	ID        string          `json:"jti"`
	Nonce     string          `json:"nonce"` // of an ID token
	Audience  json.RawMessage `json:"aud"`
	Expires   *float64        `json:"exp"`
	Issued    *float64        `json:"iat"`
	NotBefore *float64        `json:"nbf"`
}

// Strict reads what a token says of itself before anybody looks at its signature, and refuses by ErrUnauthenticated
// what two readers could read in two ways: parts that are not canonical base64url, members given twice or in another
// case, headers that ask for extensions, dates that are no numbers, and a token that was issued in the future.
func Strict(text string, now time.Time) (Header, Claims, error) {
	var header Header
	var claims Claims

	parts := strings.Split(text, ".")
	if len(text) > longestToken || len(parts) != 3 {
		return header, claims, access.ErrUnauthenticated
	}
	// A signature in two spellings would be two tokens to whoever remembers or revokes them by their text.
	if _, ok := canonical(parts[2]); !ok {
		return header, claims, access.ErrUnauthenticated
	}
	if !reads(parts[0], &header) || header.Crit != nil || header.B64 != nil {
		return header, claims, access.ErrUnauthenticated
	}
	if !reads(parts[1], &claims) || !audience(claims.Audience) {
		return header, claims, access.ErrUnauthenticated
	}
	// A token from the future was made by a clock that is wrong, or to outlive its life.
	if latest := float64(now.Add(Skew).Unix()); claims.Issued != nil && *claims.Issued > latest {
		return header, claims, access.ErrUnauthenticated
	}

	return header, claims, nil
}

// reads decodes one part of a token into v.
func reads(part string, v any) bool {
	raw, ok := canonical(part)
	return ok && strictjson.DecodeClaims(raw, v) == nil
}

// canonical returns the bytes of a part when it is the one way to write them in base64url. The decoder alone would pass
// over line breaks.
func canonical(part string) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(part)
	return raw, err == nil && len(raw) > 0 && !strings.ContainsAny(part, "\r\n")
}

// audience reports whether aud is a text or a list of texts.
func audience(aud json.RawMessage) bool {
	var one string
	var several []string

	return json.Unmarshal(aud, &one) == nil || json.Unmarshal(aud, &several) == nil
}
