package authn

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// AssertionType is the type of a token by which an identity provider lets an application act for a user (an Identity
// Assertion JWT Authorization Grant, ID-JAG; draft-ietf-oauth-identity-assertion-authz-grant-04).
const AssertionType = "oauth-id-jag+jwt"

// Assertion is what an identity provider says: that a client may act for a user.
type Assertion struct {
	Caller    access.Caller // the user, with tenant and roles
	Issuer    string
	ID        string // unique at its issuer
	ClientID  string
	Scope     string   // "" when the provider named none
	Resources []string // empty when the provider named none
	Expires   time.Time
}

// ErrSignInRefused means that a token is good and does not say what the service is set up to read from it. A token that
// named no organization would otherwise make its user the owner of a tenant of one.
var ErrSignInRefused = errs.New(
	errs.Forbidden,
	"sign_in_refused",
	"The identity provider does not say which organization or which role this account has. Ask whoever runs the service.",
)
