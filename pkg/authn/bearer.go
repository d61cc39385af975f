package authn

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
)

// BearerType is the typ of our access tokens, which agent bearers are too (RFC 9068).
const BearerType = "at+jwt"

// BearerLife is how long a bearer is valid, fixed by the interface.
const BearerLife = time.Hour

// BearerClaims are the claims of an agent bearer.
type BearerClaims struct {
	jwt.RegisteredClaims
	ClientID string `json:"client_id"` // the agent's id
	Scope    string `json:"scope"`
	Tenant   string `json:"tenant"`
	AgentID  string `json:"agent_id"`
}

// BearerRecord is what Redis holds for a bearer that is alive. Only auth-svc writes it.
type BearerRecord struct {
	Caller  access.Caller `json:"caller"`
	Expires int64         `json:"expires"` // Unix seconds; it decides, the key's own expiry only cleans up
}

var agentIDForm = regexp.MustCompile(`^agt_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// BearerKey names the Redis record of a bearer. The braces keep all of an agent's keys in one slot.
func BearerKey(agentID, jti string) string {
	var (
		text [64]byte
		sum  = sha256.Sum256(append(text[:0], jti...))
		// Room for the whole key, so that it is one piece of memory.
		room [128]byte
	)

	key := append(append(append(room[:0], "at:{"...), agentID...), "}:"...)

	return string(base64.RawURLEncoding.AppendEncode(key, sum[:]))
}

// BearerSetKey names the Redis set of all live records of an agent, for ending them at once.
func BearerSetKey(agentID string) string { return "ats:{" + agentID + "}" }

// VerificationKeys finds our public key by its id. An unknown id is ErrUnauthenticated; keys that cannot be had now are
// errs.ErrUnavailable.
type VerificationKeys interface {
	Key(ctx context.Context, kid string) (*ecdsa.PublicKey, error)
}

// Bearers checks agent bearers: signature and claims first, without any store, then the record in Redis, which ends
// with the agent. A signature alone is never enough.
type Bearers struct {
	Keys     VerificationKeys
	Records  Records
	Issuer   string // base address of the service
	Audience string // {base_url}/v1
	Now      func() time.Time
	// Ended reports agents whose bearers are dead whatever a store says; may be nil.
	Ended func(agentID string) bool

	known token.Known[signedBy[BearerClaims]]
}

// Check returns the caller of a live bearer, ErrUnauthenticated, or errs.ErrUnavailable when Redis cannot say.
func (b *Bearers) Check(ctx context.Context, token string) (access.Caller, error) {
	claims, memo, err := b.verify(ctx, token)
	if err != nil {
		return access.Caller{}, err
	}
	claimed := access.Caller{Kind: access.Agent, Tenant: claims.Tenant, UserID: claims.Subject, AgentID: claims.AgentID}
	// The signature is good, so the caller is who it says it is, and the audit record may name it.
	if b.Ended != nil && b.Ended(claims.AgentID) {
		return access.Caller{}, &access.Revoked{Caller: claimed}
	}

	raw, err := readRecord(ctx, b.Records, BearerKey(claims.AgentID, claims.ID), claimed)
	if err != nil {
		return access.Caller{}, fmt.Errorf("read bearer record: %w", err)
	}
	// A record that is gone is a bearer that was ended, since the record lives as long as the bearer.
	if raw == nil {
		return access.Caller{}, &access.Revoked{Caller: claimed}
	}
	// The record decides what the caller may do. The claims only say which record.
	record, ok := memo.read(raw)
	if !ok || !claims.of(record.Caller) {
		return access.Caller{}, access.ErrUnauthenticated
	}
	if !b.Now().Before(time.Unix(record.Expires, 0).Add(Skew)) {
		return access.Caller{}, access.ErrUnauthenticated
	}

	return record.Caller, nil
}

// of reports whether the claims are those of a bearer of caller.
func (c *BearerClaims) of(caller access.Caller) bool {
	same := caller.AgentID == c.AgentID && caller.Tenant == c.Tenant && caller.UserID == c.Subject

	return same && caller.Kind == access.Agent
}

// Remembers reports whether the token was found to be one of these bearers lately, which is for Check to judge anew.
func (b *Bearers) Remembers(text string) bool {
	_, ok := b.known.Get(token.SumOf(text))
	return ok
}

func (b *Bearers) verify(ctx context.Context, token string) (*BearerClaims, *recordMemo, error) {
	return verifyOnce(ctx, &b.known, expected{b.Keys, b.Issuer, b.Audience, b.Now}, token,
		func(c *BearerClaims) *jwt.RegisteredClaims { return &c.RegisteredClaims }, (*BearerClaims).wellFormed)
}

func (c *BearerClaims) wellFormed() bool {
	named := c.ID != "" && c.Tenant != "" && c.Subject != ""

	return named && len(c.Audience) == 1 && agentIDForm.MatchString(c.AgentID)
}

// signedBy is what a token says, with the key by which it was verified.
type signedBy[C any] struct {
	claims *C
	kid    string
	key    *ecdsa.PublicKey
	record *recordMemo
}

// recordMemo holds what the last record of a token said. A record is read each time, and decoded when it has changed.
type recordMemo struct{ last atomic.Pointer[readAs] }

type readAs struct {
	raw    string
	record BearerRecord
}

// read decodes a record, which must be given back unchanged: others share its lists.
func (m *recordMemo) read(raw []byte) (BearerRecord, bool) {
	if seen := m.last.Load(); seen != nil && seen.raw == string(raw) {
		return seen.record, true
	}
	var record BearerRecord
	if json.Unmarshal(raw, &record) != nil {
		return BearerRecord{}, false
	}
	m.last.Store(&readAs{string(raw), record})

	return record, true
}

// verifyOnce is verifyAccess for a token that may have been verified before: then its signature and form are not looked
// at again, as long as its key is the one that is published. A key that was withdrawn refuses the token, and after the
// keys were fetched anew every token is verified anew. The times of a token are judged each time.
func verifyOnce[C any, P interface {
	*C
	jwt.Claims
}](
	ctx context.Context, known *token.Known[signedBy[C]], want expected, text string,
	registered func(*C) *jwt.RegisteredClaims, wellFormed func(*C) bool,
) (*C, *recordMemo, error) {
	sum := token.SumOf(text)
	if seen, ok := known.Get(sum); ok {
		key, err := want.keys.Key(ctx, seen.kid)

		switch {
		case err == nil && key == seen.key && inTime(registered(seen.claims), want.now()):
			return seen.claims, seen.record, nil
		// Only the times of the token have passed, which verifying it anew would find as well.
		case err == nil && key == seen.key:
			return nil, nil, access.ErrUnauthenticated
		}
		known.Drop(sum)
		if err != nil {
			return nil, nil, err
		}
	}
	claims := new(C)
	kid, key, err := verifyAccess(ctx, want, text, P(claims))
	if err != nil {
		return nil, nil, err
	}
	// Refusals are not remembered: a stranger could fill the memory with tokens that he makes up.
	if !wellFormed(claims) {
		return nil, nil, access.ErrUnauthenticated
	}
	memo := &recordMemo{}
	known.Add(sum, signedBy[C]{claims, kid, key, memo})

	return claims, memo, nil
}

// inTime judges the times of a token as verifyAccess does.
func inTime(c *jwt.RegisteredClaims, now time.Time) bool {
	early, late := now.Add(Skew), now.Add(-Skew)

	switch {
	case c.ExpiresAt == nil || !late.Before(c.ExpiresAt.Time),
		c.NotBefore != nil && early.Before(c.NotBefore.Time),
		c.IssuedAt != nil && early.Before(c.IssuedAt.Time):
		return false
	}

	return true
}

// expected says what an access token of ours must be.
type expected struct {
	keys             VerificationKeys
	issuer, audience string
	now              func() time.Time
}

// verifyAccess reads an access token of ours into claims: signature, type, issuer, audience and times. It fails with
// ErrUnauthenticated, or with the failure of the keys when they cannot be had.
func verifyAccess(
	ctx context.Context,
	want expected,
	text string,
	claims jwt.Claims,
) (kid string, key *ecdsa.PublicKey, err error) {
	// Before the library, which takes the last of two members of one name where others take the first.
	if _, _, err := token.Strict(text, want.now()); err != nil {
		return "", nil, err
	}
	var unavailable error

	t, err := jwt.ParseWithClaims(text, claims, func(t *jwt.Token) (any, error) {
		kid, _ = t.Header["kid"].(string)
		// The id of a key is a stranger's word until the signature is checked.
		if kid == "" || len(kid) > 64 {
			return nil, access.ErrUnauthenticated
		}
		var err error
		key, err = want.keys.Key(ctx, kid)
		if err != nil && !errors.Is(err, access.ErrUnauthenticated) {
			// The library wraps what this function returns in an error of its own.
			unavailable = err
		}

		return key, err
	},
		jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithIssuer(want.issuer),
		jwt.WithAudience(want.audience),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(Skew),
		jwt.WithTimeFunc(want.now),
		jwt.WithStrictDecoding(),
	)
	switch {
	case unavailable != nil:
		return "", nil, unavailable
	case err != nil, t.Header["typ"] != BearerType:
		return "", nil, access.ErrUnauthenticated
	}

	return kid, key, nil
}

// LooksLikeBearer reports, without checking anything, whether token says that it was issued by issuer with the type of
// our access tokens; it only chooses which check a token has to pass.
func LooksLikeBearer(token, issuer string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	// Nothing is believed yet: the check that is chosen here verifies all of it.
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])

	return err == nil && json.Unmarshal(payload, &claims) == nil && claims.Issuer == issuer
}

// EndedChannel is the Redis channel on which auth-svc publishes the id of each agent that was ended, so that open
// streams close.
const EndedChannel = "ended"
