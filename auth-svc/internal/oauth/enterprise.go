package oauth

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// AssertionGrant is the grant by which a firm's identity provider lets an application in, without a consent page.
const AssertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// AssertionProfile names the grant in the metadata of the server.
const AssertionProfile = "urn:ietf:params:oauth:grant-profile:id-jag"

// ProofType is the type of what a client signs to show that it is the one.
const ProofType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// longestProof bounds the life of a client's proof.
const longestProof = 10 * time.Minute

// ProofAlgorithms are the signatures that a client may prove itself with.
func ProofAlgorithms() []string { return []string{"ES256", "ES384", "PS256", "RS256", "EdDSA"} }

// Assertions checks what identity providers say.
type Assertions interface {
	// Check returns what a valid assertion says; its errors are those of the provider's checker.
	Check(ctx context.Context, token string) (authn.Assertion, error)
}

// Uses remembers what may be used once.
type Uses interface {
	// First reports whether this is the first use of name, and remembers it until the time given. The two are one step.
	First(ctx context.Context, name string, until time.Time) (bool, error)
}

// Proof is what a client sends to show that it is the one.
type Proof struct{ Type, Token string }

// Asserted is what a client sends to exchange an assertion.
type Asserted struct {
	ClientID  string // "" takes it from the proof
	Assertion string
	Proof     Proof
	Scope     string // "" means all that the provider grants
	Resource  []string
	From      string // address of the caller
}

var (
	errNoEnterprise = refuse("unsupported_grant_type", "No firm has its identity provider let applications in here.")
	errProof        = refuse(
		"invalid_client",
		"The client must prove itself by a client_assertion, signed with a key of its metadata document "+
			"or of its registration with the operator. A client that registered itself has no key.",
	)
	errAssertion = refuse(
		"invalid_grant",
		"The assertion is not valid for this client and user, or it was used before. "+
			"Ask the identity provider for another one.",
	)
	errNothing = refuse("invalid_scope", "The assertion grants none of the scopes that were asked for.")
)

// Assert exchanges an assertion of a firm's identity provider for an access token, once. There is no refresh token: the
// access ends when the provider does not give another assertion.
func (s *Server) Assert(ctx context.Context, in Asserted) (Tokens, error) {
	if s.Assertions == nil {
		return Tokens{}, errNoEnterprise
	}
	if !isResource(in.Resource, s.Resource()) {
		return Tokens{}, errTarget
	}
	// The client proves itself before its assertion is looked at: anybody may have got hold of an assertion.
	client, proof, err := s.proved(ctx, in)
	if err != nil {
		return Tokens{}, err
	}
	said, err := s.Assertions.Check(ctx, in.Assertion)
	if errors.Is(err, access.ErrUnauthenticated) || errors.Is(err, authn.ErrSignInRefused) {
		return Tokens{}, errAssertion
	}
	if err != nil {
		return Tokens{}, err
	}
	foreign := slices.ContainsFunc(said.Resources, func(r string) bool {
		return !isResource([]string{r}, s.Resource())
	})
	if said.ClientID != client.ID || foreign {
		return Tokens{}, errAssertion
	}
	scopes, err := narrowed(said.Scope, in.Scope)
	if err != nil {
		return Tokens{}, err
	}

	return s.admit(ctx, client, proof, said, scopes)
}

// narrowed are the scopes that were both granted and asked for.
func narrowed(granted, asked string) ([]string, error) {
	all, err := ParseScope(granted)
	if err != nil {
		return nil, errAssertion
	}
	wanted, err := ParseScope(asked)
	if err != nil {
		return nil, err
	}
	if len(wanted) > 0 {
		all = slices.DeleteFunc(all, func(scope string) bool { return !slices.Contains(wanted, scope) })
	}
	if len(all) == 0 {
		return nil, errNothing
	}

	return all, nil
}

// admit uses the proof and the assertion up and gives out the token of a grant that ends with it.
func (s *Server) admit(
	ctx context.Context, client Client, proof jwt.RegisteredClaims, said authn.Assertion, scopes []string,
) (Tokens, error) {
	known, err := s.belongs(ctx, &said.Caller)
	// Both are used up before the grant exists, so that two calls at once cannot have one each.
	if err == nil {
		err = s.useUp(ctx, proof, said)
	}
	if err == nil && !known {
		err = s.Members.Seen(ctx, said.Caller)
	}
	if err != nil {
		return Tokens{}, s.turnedAway(ctx, client, said, err)
	}

	g := assertedGrant(client, said, scopes, s.Now())
	if err := s.Grants.Insert(ctx, g); err != nil {
		return Tokens{}, err
	}
	t, err := s.give(ctx, g, scopes)
	if err == nil {
		err = s.Audit.Record(ctx, event(g, "grant.made", "asserted_by_provider", true))
	}
	// Nobody will get these tokens, and the grant must not stay behind as one that lives.
	if errors.Is(err, ErrInvalidGrant) {
		return Tokens{}, errors.Join(errAssertion, s.endAs(context.WithoutCancel(ctx), g.ID, Unfinished))
	}
	if err != nil {
		return Tokens{}, errors.Join(err, s.endAs(context.WithoutCancel(ctx), g.ID, Unfinished))
	}

	return t, nil
}

// belongs returns access.ErrSuspended when the firm has let the user go. Someone whom it knows keeps the roles of their
// sign-ins, since an assertion need not name any; someone new comes with those that it names.
func (s *Server) belongs(ctx context.Context, user *access.Caller) (known bool, err error) {
	stands, err := s.Members.Stands(ctx, user.Tenant, user.UserID)
	if err == nil && !stands {
		err = access.ErrSuspended
	}
	if err != nil {
		return false, err
	}

	roles, err := s.Members.RolesNow(ctx, user.Tenant, user.UserID, nil)
	if roles != nil {
		user.Roles = roles
	}

	return roles != nil, err
}

// useUp has a proof and an assertion never taken again. It returns errProof or errAssertion for the one that was used.
func (s *Server) useUp(ctx context.Context, proof jwt.RegisteredClaims, said authn.Assertion) error {
	first, err := s.Uses.First(ctx, "proof "+proof.Subject+" "+proof.ID, proof.ExpiresAt.Add(authn.Skew))
	if err == nil && !first {
		err = errProof
	}
	if err != nil {
		return err
	}

	first, err = s.Uses.First(ctx, "assertion "+said.Issuer+" "+said.ID, said.Expires.Add(authn.Skew))
	if err == nil && !first {
		err = errAssertion
	}

	return err
}

// turnedAway returns what the client is told when a client that has proved itself is refused for a user whom the firm's
// provider has named. That goes on record first, once for each assertion and cause.
func (s *Server) turnedAway(ctx context.Context, c Client, said authn.Assertion, cause error) error {
	told, outcome := errAssertion, ""

	switch {
	case errors.Is(cause, access.ErrSuspended):
		outcome = "suspended"
	case errors.Is(cause, errAssertion):
		outcome = "assertion_replayed"
	case errors.Is(cause, errProof):
		told, outcome = errProof, "proof_replayed"
	default:
		return cause
	}

	// A client may try the same assertion a thousand times; the record needs it once.
	first, err := s.Uses.First(ctx, outcome+" "+said.Issuer+" "+said.ID, said.Expires.Add(authn.Skew))
	if err == nil && first {
		err = s.Audit.Record(ctx, audit.Entry{
			Tenant:       said.Caller.Tenant,
			Actor:        audit.Actor{Kind: audit.OAuth, ID: c.ID, UserID: said.Caller.UserID},
			Action:       "grant.refused",
			ResourceType: "grant",
			Outcome:      outcome,
		})
	}
	if err != nil {
		return err
	}

	return told
}

// assertedGrant is the grant of an assertion: it lives as long as one access token, and cannot be renewed.
func assertedGrant(c Client, said authn.Assertion, scopes []string, now time.Time) Grant {
	now = instant.Of(now)
	host := ""
	if u, err := url.Parse(c.ID); err == nil {
		host = u.Host
	}

	return Grant{
		ID:           ids.New(),
		Tenant:       said.Caller.Tenant,
		UserID:       said.Caller.UserID,
		Roles:        said.Caller.Roles,
		ClientID:     c.ID,
		ClientName:   c.Name,
		RedirectHost: host,
		Document:     c.Document,
		Scopes:       scopes,
		Generation:   1,
		RotatedAt:    now,
		CreatedAt:    now,
		LastUsedAt:   now,
		ExpiresAt:    now.Add(authn.GrantLife),
		State:        Live,
		Version:      1,
	}
}

// proved returns the client that has shown who it is, and what it signed. All that the proof says is checked before its
// keys are fetched, so that nonsense has nothing fetched.
func (s *Server) proved(ctx context.Context, in Asserted) (Client, jwt.RegisteredClaims, error) {
	claims, ok := s.stated(in)
	if !ok {
		return Client{}, claims, errProof
	}
	client, err := s.keyed(ctx, claims.Subject, in)
	if errors.Is(err, ErrUnknownClient) || err == nil && !signed(client, in.Proof.Token) {
		err = errProof
	}

	return client, claims, err
}

// stated reads a proof whose signature nobody has checked. ok is false for one that is not for this service, not of
// now, or of another form.
func (s *Server) stated(in Asserted) (claims jwt.RegisteredClaims, ok bool) {
	if in.Proof.Type != ProofType || authn.Unambiguous(in.Proof.Token, s.Now()) != nil {
		return claims, false
	}
	token, _, err := jwt.NewParser().ParseUnverified(in.Proof.Token, &claims)
	if err != nil || !slices.Contains(ProofAlgorithms(), token.Method.Alg()) {
		return claims, false
	}
	// The proof must name its sender twice, and the caller may name it a third time: all of them must agree (RFC 7523).
	id := cmp.Or(in.ClientID, claims.Subject)
	rules := jwt.NewValidator(
		jwt.WithIssuer(id), jwt.WithSubject(id), jwt.WithExpirationRequired(), jwt.WithLeeway(authn.Skew),
		jwt.WithTimeFunc(s.Now),
	)
	if id == "" || rules.Validate(claims) != nil || len(claims.Audience) != 1 {
		return claims, false
	}
	if claims.ID == "" || len(claims.ID) > maxClientID {
		return claims, false
	}
	meant := slices.Contains([]string{s.Issuer, s.Issuer + "/oauth/token"}, strings.TrimSuffix(claims.Audience[0], "/"))

	// A proof has to be remembered until it ends, so it may not end in a year.
	return claims, meant && claims.ExpiresAt.Sub(s.Now()) <= longestProof+authn.Skew
}

// keyed returns a client that may have keys, or ErrUnknownClient: one that the operator registered, or one of a
// document.
func (s *Server) keyed(ctx context.Context, id string, in Asserted) (Client, error) {
	if client, ok := s.Enterprise[id]; ok {
		return client, nil
	}
	if !IsDocument(id) {
		return Client{}, ErrUnknownClient
	}

	client, err := s.Documents.Fetch(ctx, id, in.From)
	if err == nil && client.Keys == "" && client.KeysAt != "" {
		client.Keys, err = s.Documents.Keys(ctx, client.KeysAt, keyNamed(in.Proof.Token), in.From)
	}

	return client, err
}

// keyNamed is the id of the key that a token says it is signed with, "" for none.
func keyNamed(token string) string {
	parsed, _, err := jwt.NewParser().ParseUnverified(token, &jwt.RegisteredClaims{})
	if err != nil {
		return ""
	}
	kid, _ := parsed.Header["kid"].(string)

	return kid
}

// signed reports whether a proof has a signature of one of the client's keys.
func signed(c Client, token string) bool {
	var set jose.JSONWebKeySet
	if c.Keys == "" || json.Unmarshal([]byte(c.Keys), &set) != nil {
		return false
	}
	fitting := func(t *jwt.Token) (any, error) {
		var fit jwt.VerificationKeySet
		kid, _ := t.Header["kid"].(string)

		for _, k := range set.Keys {
			// A key without an id in the proof may be any of the client's; each is tried that fits the algorithm.
			if (kid == "" || k.KeyID == kid) && signs(k, t.Method.Alg()) {
				fit.Keys = append(fit.Keys, k.Key)
			}
		}

		return fit, nil
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods(ProofAlgorithms()), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation(),
	)
	_, err := parser.Parse(token, fitting)

	return err == nil
}

// signs reports whether a public key is one for signatures by the algorithm.
func signs(k jose.JSONWebKey, algorithm string) bool {
	// A key for encryption, or for another algorithm, must not sign: the owner keeps it for something else.
	if k.Use != "" && k.Use != "sig" || k.Algorithm != "" && k.Algorithm != algorithm {
		return false
	}

	switch key := k.Key.(type) {
	case *ecdsa.PublicKey:
		return algorithm == map[elliptic.Curve]string{elliptic.P256(): "ES256", elliptic.P384(): "ES384"}[key.Curve]
	case *rsa.PublicKey:
		return algorithm == "PS256" || algorithm == "RS256"
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}

	return false
}

// Decode reads JSON into v. It refuses what could be read in two ways.
type Decode func(text []byte, v any) error

// NewEnterpriseClients reads the clients that the operator registered: an array of objects with client_id, client_name
// and jwks, which holds public keys only. They have no redirect address, so no user can be sent to them. known refuses
// members that v does not name; whatever ignores them, as in keys.
func NewEnterpriseClients(text []byte, known, whatever Decode) (map[string]Client, error) {
	var list []struct {
		ID   string          `json:"client_id"`
		Name string          `json:"client_name"`
		Keys json.RawMessage `json:"jwks"`
	}
	if err := known(text, &list); err != nil {
		return nil, fmt.Errorf("the file must be a JSON array of clients, each with client_id, client_name and jwks, "+
			"each once and nothing else: %w", err)
	}
	all := map[string]Client{}

	for _, c := range list {
		keys, ok := PublicKeys(c.Keys, whatever)
		named := c.ID != "" && len(c.ID) <= maxClientID && !IsRegistered(c.ID) && plainName(c.Name)
		if !ok || keys == "" || !named {
			return nil, errors.New("each client needs client_id, client_name and jwks with public keys")
		}
		if _, twice := all[c.ID]; twice {
			return nil, errors.New("two clients have the same client_id: keep one, with the keys of both in its jwks")
		}
		all[c.ID] = Client{ID: c.ID, Name: c.Name, Keys: keys}
	}

	return all, nil
}

// PublicKeys returns a key set as it is kept, "" for none; ok is false for one that cannot be read or has a key that is
// not public.
func PublicKeys(raw json.RawMessage, read Decode) (keys string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", true
	}
	var set jose.JSONWebKeySet
	if read(raw, &set) != nil || len(set.Keys) == 0 {
		return "", false
	}
	// A file with a private key in it is a leak, and nothing here needs one.
	if slices.ContainsFunc(set.Keys, func(k jose.JSONWebKey) bool { return !k.IsPublic() || !k.Valid() }) {
		return "", false
	}
	text, err := json.Marshal(set)

	return string(text), err == nil
}
