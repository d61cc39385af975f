// Package authn turns what a request carries into an access.Caller: the three kinds of bearer at the gateway, and
// inside the one short internal token that services accept.
package authn

import (
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// RequireIssuer lets only calls go on that the named services make for themselves: being a service of ours is not
// enough for everything.
func RequireIssuer(fail func(*gin.Context, error), issuers ...string) gin.HandlerFunc {
	return func(c *gin.Context) {
		caller := access.CallerFrom(c.Request.Context())
		if caller.Kind != access.Service || !slices.Contains(issuers, caller.Issuer) {
			fail(c, access.ErrForbidden)
		}
	}
}

// Require lets only callers of the given kinds go on.
func Require(fail func(*gin.Context, error), kinds ...access.Kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !slices.Contains(kinds, access.CallerFrom(c.Request.Context()).Kind) {
			fail(c, access.ErrForbidden)
		}
	}
}

// BearerToken returns the one token in the Authorization headers of a request: the scheme Bearer, one header, at most 8
// KiB.
func BearerToken(headers []string) (string, error) {
	if len(headers) != 1 {
		return "", access.ErrUnauthenticated
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	fits := token != "" && len(token) <= 8<<10 && !strings.ContainsAny(token, " \t,")
	if !ok || !strings.EqualFold(scheme, "Bearer") || !fits {
		return "", access.ErrUnauthenticated
	}

	return token, nil
}
