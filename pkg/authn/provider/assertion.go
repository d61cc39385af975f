package provider

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
)

// longestAssertion bounds the life of an assertion. Its id is remembered until it is over.
const longestAssertion = time.Hour

// Assertions checks assertions of the providers that firms have named. It is safe for concurrent use.
type Assertions struct {
	now       func() time.Time
	audience  string
	providers map[string]*Users // by issuer
	issuers   map[string]string // by tenant
}

// NewAssertions returns the checker. cfg says how claims are read and how providers are reached; its audience is the
// issuer that assertions must be meant for. issuers names the issuer of each organization.
func NewAssertions(cfg UsersConfig, issuers map[string]string) (*Assertions, error) {
	a := &Assertions{
		now: cfg.Now, audience: cfg.Audience, providers: map[string]*Users{}, issuers: map[string]string{},
	}

	for organization, issuer := range issuers {
		a.issuers["o:"+encodeTenant(organization)] = issuer
	}

	for _, issuer := range slices.Compact(slices.Sorted(maps.Values(issuers))) {
		of := cfg
		of.Issuer, of.RolesOpen = issuer, true
		// Who has no organization has no issuer either.
		of.SingleUsers = false
		users, err := NewUsers(of)
		if err != nil {
			return nil, err
		}
		a.providers[issuer] = users
	}

	return a, nil
}

// Check returns what a valid assertion says. It is ErrUnauthenticated for one that is not of the issuer that the user's
// firm has named, not meant for this service, over, or of another form; authn.ErrSignInRefused where a claim cannot be
// used; errs.ErrUnavailable when the issuer's keys cannot be had. Whether it was used before is for the caller to find.
func (a *Assertions) Check(ctx context.Context, text string) (authn.Assertion, error) {
	header, said, err := token.Strict(text, a.now())
	kind := strings.ToLower(strings.TrimPrefix(header.Typ, "application/"))
	users := a.providers[said.Issuer]
	if err != nil || kind != authn.AssertionType || users == nil {
		return authn.Assertion{}, access.ErrUnauthenticated
	}
	t, err := users.verified(ctx, text)
	if err != nil {
		return authn.Assertion{}, err
	}
	caller, err := users.caller(t)
	if err != nil {
		return authn.Assertion{}, err
	}
	// The provider of one firm must not vouch for the users of another.
	if a.issuers[caller.Tenant] != t.Issuer {
		return authn.Assertion{}, access.ErrUnauthenticated // of another firm
	}

	return a.read(t, said, caller)
}

// read takes the claims of a token whose signature, issuer and audience have been checked.
func (a *Assertions) read(t *oidc.IDToken, said token.Claims, caller access.Caller) (authn.Assertion, error) {
	var claims struct {
		ClientID string          `json:"client_id"`
		Scope    string          `json:"scope"`
		Resource json.RawMessage `json:"resource"`
	}
	resources, ok := []string(nil), t.Claims(&claims) == nil
	if ok && claims.Resource != nil {
		resources, ok = oneOrMany(claims.Resource)
	}
	// The id is remembered until the assertion ends, so its life must have a bound.
	dated := said.Issued != nil && said.Expires != nil && t.Expiry.Sub(t.IssuedAt) <= longestAssertion
	if !ok || !dated || len(t.Audience) != 1 {
		return authn.Assertion{}, access.ErrUnauthenticated
	}
	if claims.ClientID == "" || !usableID(said.ID) {
		return authn.Assertion{}, access.ErrUnauthenticated
	}

	return authn.Assertion{
		Caller: caller, Issuer: t.Issuer, ID: said.ID, ClientID: claims.ClientID, Scope: claims.Scope,
		Resources: resources, Expires: t.Expiry,
	}, nil
}

// oneOrMany reads a text, or an array of texts that is not empty.
func oneOrMany(raw json.RawMessage) (all []string, ok bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, true
	}

	return all, json.Unmarshal(raw, &all) == nil && len(all) > 0
}
