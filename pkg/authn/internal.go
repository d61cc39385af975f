package authn

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
)

// Facts of the internal token.
const (
	InternalAudience = "internal"
	internalType     = "int+jwt"
	internalLife     = 15 * time.Minute
	internalReuse    = 11 * time.Minute // what must be left of a token that is handed out again: more than a run's 600 s
	signedCallers    = 4096             // callers whose token a Signer remembers
	Skew             = token.Skew       // that the clocks of others may be off
)

// claimant is an issuer of internal tokens, and whether its token is for one phase alone.
type claimant struct {
	issuer string
	phase  bool
}

// mayClaim says who may speak for which kinds of caller. Whoever is not in it may claim nothing.
var mayClaim = map[claimant][]access.Kind{
	{issuer: "gateway"}:               {access.User, access.Agent, access.OAuth, access.Public, access.Service},
	{issuer: "registry-svc"}:          {access.Service},
	{issuer: "auth-svc"}:              {access.Service},
	{issuer: "auth-svc", phase: true}: {access.User, access.Agent, access.OAuth}, // continuation tokens
	{issuer: "agent-svc"}:             {access.Service},
	{issuer: "case-svc"}:              {access.Service},
	{issuer: "party-svc"}:             {access.Service},
}

type internalClaims struct {
	jwt.RegisteredClaims
	Caller access.Caller `json:"caller"`
	Phase  *access.Phase `json:"phase,omitempty"` // of a continuation token
}

// Signer makes the internal tokens of one service. It is safe for concurrent use.
type Signer struct {
	issuer string
	key    ed25519.PrivateKey
	now    func() time.Time
	mu     sync.Mutex
	held   map[string]held
}

type held struct {
	header      string    // the token as the header Authorization has it
	from, until time.Time // when it may be handed out: before from the clock has been set back
}

// NewSigner returns the signer of the service issuer. seed is the base64url form of the 32 bytes that "subrosa keys
// new" made.
func NewSigner(issuer, seed string, now func() time.Time) (*Signer, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(seed))
	if err != nil || len(raw) != ed25519.SeedSize {
		return nil, errors.New("the internal key is not 32 bytes in base64url; subrosa keys new makes one")
	}
	if _, ok := mayClaim[claimant{issuer: issuer}]; !ok {
		return nil, fmt.Errorf("%q is no issuer of internal tokens", issuer)
	}

	return &Signer{issuer: issuer, key: ed25519.NewKeyFromSeed(raw), now: now, held: map[string]held{}}, nil
}

// TrustedBy reports whether whoever has trust accepts the tokens of this signer.
func (s *Signer) TrustedBy(trust Trust) bool {
	return slices.ContainsFunc(trust[s.issuer], func(key ed25519.PublicKey) bool { return key.Equal(s.key.Public()) })
}

// Token returns an internal token for caller that lives for at least another 11 minutes.
func (s *Signer) Token(caller access.Caller) (string, error) {
	header, err := s.Authorization(caller)
	return strings.TrimPrefix(header, bearerScheme), err
}

const bearerScheme = "Bearer "

// Authorization returns the header of that name with the token of Token.
func (s *Signer) Authorization(caller access.Caller) (string, error) {
	// On the stack: the gateway asks for a token with each request.
	var room [512]byte
	id, now := caller.AppendKey(room[:0]), s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	// A clock that was set back would otherwise hand out a token from the future, which nobody accepts.
	if h, ok := s.held[string(id)]; ok && !now.Before(h.from) && now.Before(h.until) {
		return h.header, nil
	}
	signed, err := s.sign(
		internalType,
		internalClaims{Caller: caller, RegisteredClaims: s.registered(caller, InternalAudience, internalLife)},
	)
	if err != nil {
		return "", err
	}
	if len(s.held) >= signedCallers {
		// Rare and cheap: each caller costs one signature more.
		clear(s.held)
	}
	h := held{bearerScheme + signed, now, now.Add(internalLife - internalReuse)}
	s.held[string(id)] = h

	return h.header, nil
}

// registered are the claims that every token of this signer has.
func (s *Signer) registered(caller access.Caller, audience string, life time.Duration) jwt.RegisteredClaims {
	now := s.now()

	return jwt.RegisteredClaims{
		Issuer: s.issuer, Subject: caller.ID(), Audience: jwt.ClaimStrings{audience}, ID: uuid.NewString(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
	}
}

func (s *Signer) sign(kind string, claims jwt.Claims) (string, error) {
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	t.Header["typ"] = kind
	signed, err := t.SignedString(s.key)
	if err != nil {
		return "", fmt.Errorf("sign internal token: %w", err)
	}

	return signed, nil
}

// Trust holds the public keys of the services whose internal tokens are accepted: one each, or several while a key is
// replaced.
type Trust map[string][]ed25519.PublicKey

const maxTrusted = 4 // keys of one service; each costs a forged token one more check

// ParseTrust reads a JSON object of base64url public keys by issuer. A service whose key is being replaced has a list
// of them.
func ParseTrust(text []byte) (Trust, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, errors.New("the trust file is not a JSON object of public keys by issuer")
	}
	trust := Trust{}

	for issuer, value := range raw {
		// A misspelt name would otherwise lock out a service without a word.
		if _, ok := mayClaim[claimant{issuer: issuer}]; !ok {
			return nil, fmt.Errorf("the trust file names %q, which is no service", issuer)
		}
		var err error
		if trust[issuer], err = parseKeys(value); err != nil {
			return nil, fmt.Errorf("the trust file's key of %q %w", issuer, err)
		}
	}

	return trust, nil
}

// parseKeys reads one public key or a list of them.
func parseKeys(value json.RawMessage) ([]ed25519.PublicKey, error) {
	encoded := make([]string, 1)
	malformed := json.Unmarshal(value, &encoded[0]) != nil && json.Unmarshal(value, &encoded) != nil
	if malformed || len(encoded) == 0 || len(encoded) > maxTrusted {
		return nil, fmt.Errorf("must be a text, or a list of one to %d", maxTrusted)
	}

	keys := make([]ed25519.PublicKey, len(encoded))
	for i, e := range encoded {
		key, err := base64.RawURLEncoding.DecodeString(e)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, errors.New("is not a public key")
		}
		keys[i] = key
	}

	return keys, nil
}

// Verifier accepts internal tokens.
type Verifier struct {
	Trust Trust
	Now   func() time.Time
	Opens Openings // to continuation tokens; nil accepts none of them

	known token.Known[spoken]
}

// spoken is who speaks by an internal token, and when it is good. The gateway sends one for minutes.
type spoken struct {
	caller      access.Caller
	from, until time.Time
}

// Verify returns the caller of a valid internal token, or ErrUnauthenticated. An issuer that claims a kind it may not
// claim is refused like a bad signature. What a token says is remembered while it is good, since Trust never changes.
func (v *Verifier) Verify(text string) (access.Caller, error) {
	sum, now := token.SumOf(text), v.Now()
	if s, ok := v.known.Get(sum); ok {
		// The clock may have been set back since the token was checked.
		if now.Before(s.until) && !now.Before(s.from) {
			return s.caller, nil
		}
		v.known.Drop(sum)
	}

	s, err := v.check(text)
	if err != nil {
		return access.Caller{}, err
	}
	v.known.Add(sum, s)

	return s.caller, nil
}

// check is Verify for a token that is not known.
func (v *Verifier) check(text string) (spoken, error) {
	var claims internalClaims
	if err := v.parse(text, internalType, InternalAudience, &claims, &claims.RegisteredClaims); err != nil {
		return spoken{}, err
	}
	c := claims.Caller
	// A service that was broken into can speak for itself, but not for people.
	if !slices.Contains(mayClaim[claimant{claims.Issuer, claims.Phase != nil}], c.Kind) {
		return spoken{}, access.ErrUnauthenticated
	}
	// A caller without a tenant would be asked for everybody's data by a filter that forgot the empty one.
	if c.Tenant == "" && c.Kind != access.Public && c.Kind != access.Service {
		return spoken{}, access.ErrUnauthenticated
	}
	// A service that has not said which routes such a token opens opens none.
	if claims.Phase != nil && v.Opens == nil {
		return spoken{}, access.ErrUnauthenticated
	}
	c.Issuer, c.Phase = claims.Issuer, claims.Phase

	from := claims.IssuedAt
	if later := claims.NotBefore; later != nil && (from == nil || later.After(from.Time)) {
		from = later
	}
	s := spoken{caller: c, until: claims.ExpiresAt.Add(Skew)}
	if from != nil {
		s.from = from.Add(-Skew)
	}

	return s, nil
}

// parse reads a token of one of the services into claims; registered are those among them that every token has.
func (v *Verifier) parse(text, kind, audience string, claims jwt.Claims, registered *jwt.RegisteredClaims) error {
	if _, _, err := token.Strict(text, v.Now()); err != nil {
		return err
	}
	t, err := jwt.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) {
		// The library has filled in the claims by now, but nothing of them is believed: the issuer only chooses the
		// keys.
		keys := v.Trust[registered.Issuer]
		if len(keys) == 0 {
			return nil, access.ErrUnauthenticated
		}
		if len(keys) == 1 {
			return keys[0], nil
		}

		set := jwt.VerificationKeySet{}
		for _, key := range keys {
			set.Keys = append(set.Keys, key)
		}

		return set, nil
	},
		jwt.WithValidMethods([]string{"EdDSA"}),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(Skew),
		jwt.WithTimeFunc(v.Now),
		jwt.WithStrictDecoding(),
	)
	if err != nil || t.Header["typ"] != kind {
		return access.ErrUnauthenticated
	}

	return nil
}

// Unambiguous returns ErrUnauthenticated for a token that two readers could read in two ways, whatever its signature
// says: parts that are not canonical base64url, members given twice or in another case, headers that ask for
// extensions, dates that are no numbers, and a token that was issued in the future. It is for tokens that other
// packages check, such as ID tokens.
func Unambiguous(text string, now time.Time) error {
	_, _, err := token.Strict(text, now)

	return err
}
