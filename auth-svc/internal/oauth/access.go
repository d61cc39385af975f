package oauth

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// Ring gives the key that signs now, and what is published of all that are still good.
type Ring interface {
	Current() (authn.SigningKey, error)
	PublicSet() ([]byte, error)
}

// sign makes an access token of the grant with those of its scopes.
func (s *Server) sign(g Grant, scopes []string, now, expires time.Time) (string, error) {
	key, err := s.Ring.Current()
	if err != nil {
		return "", err
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, authn.GrantClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    s.Issuer,
			Subject:   g.UserID,
			Audience:  jwt.ClaimStrings{s.Resource()},
			ID:        uuid.NewString(),
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(expires),
		},
		ClientID: g.ClientID,
		Scope:    strings.Join(scopes, " "),
		Tenant:   g.Tenant,
		GrantID:  g.ID,
	})
	t.Header["typ"], t.Header["kid"] = authn.BearerType, key.ID
	signed, err := t.SignedString(key.Key)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}

	return signed, nil
}

// grantOf returns the grant that an access token of ours names, also when the token has expired: whoever gives one back
// wants the grant to end. "" means that it is none of ours.
func (s *Server) grantOf(token string) (string, error) {
	raw, err := s.Ring.PublicSet()
	if err != nil {
		return "", err
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(raw, &set); err != nil {
		return "", fmt.Errorf("read our own key set: %w", err)
	}
	var claims authn.GrantClaims
	t, err := jwt.ParseWithClaims(token, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		for _, k := range set.Key(kid) {
			if public, ok := k.Key.(*ecdsa.PublicKey); ok {
				return public, nil
			}
		}

		return nil, access.ErrUnauthenticated
	}, jwt.WithValidMethods([]string{"ES256"}), jwt.WithoutClaimsValidation(), jwt.WithStrictDecoding())
	// The token's life is not checked on purpose; its type is, so that a bearer of an agent cannot end a grant.
	if err != nil || t.Header["typ"] != authn.BearerType || claims.Issuer != s.Issuer {
		return "", nil
	}
	if len(claims.Audience) != 1 || claims.Audience[0] != s.Resource() {
		return "", nil
	}

	return claims.GrantID, nil
}
