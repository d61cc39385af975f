// Package httpauth puts the checks of authn before the routes of a service.
package httpauth

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// Gate lets calls of other services in by their internal tokens.
type Gate struct {
	*authn.Verifier
	// InFlight holds the places within which requests are served; nil bounds nothing.
	InFlight *httpx.InFlight
}

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

// SessionValue returns the one session cookie among those of a request, or "". Two of them are none.
func SessionValue(r *http.Request) string {
	found := r.CookiesNamed(authn.SessionCookie)
	if len(found) != 1 {
		return ""
	}

	return found[0].Value
}

var errInner = errs.New(
	errs.Unauthenticated,
	httpx.CodeInternalToken,
	"This internal address accepts only tokens issued by other services. Call the gateway instead.",
)

// Middleware authenticates each request by its internal token; fail writes the answer of one that has none. With
// InFlight the rest of the handlers run within a place of the caller.
func (g *Gate) Middleware(fail func(*gin.Context, error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		token, err := authn.BearerToken(c.Request.Header.Values("Authorization"))
		var caller access.Caller
		if err == nil {
			caller, err = g.Verify(token)
		}

		switch {
		case err != nil:
			fail(c, errInner)
		case !admits(g.Opens, caller, c):
			fail(c, access.ErrForbidden)
		default:
			// The token travels with the caller, so that a call to the next service has the same rights and no more.
			c.Request = c.Request.WithContext(access.WithCaller(c.Request.Context(), caller, token))
			if g.InFlight != nil {
				g.InFlight.Serve(c, whose(caller, c.GetHeader(httpx.HeaderClientAddress)), fail)
			}
		}
	}
}

// whose says who has the place of a call. Services that act for themselves share places as a tenant does. Those who are
// not known have what is left to them, each by the network that the gateway says they call from: nobody else may speak
// for them, and of any other caller network is not looked at.
func whose(c access.Caller, network string) places.Who {
	switch c.Kind {
	case access.Public:
		return places.Who{Caller: network}
	case access.Service:
		return places.Who{Tenant: "services", Caller: c.Issuer}
	case access.OAuth:
		return places.Who{Tenant: c.Tenant, Caller: string(c.Kind) + "|" + c.ID() + "|" + c.UserID}
	}

	return places.Who{Tenant: c.Tenant, Caller: string(c.Kind) + "|" + c.ID()}
}

// adminReq is the request type whose work is the tenant's and not one container's.
const adminReq = "admin_req"

// admits reports whether the token that a request came with opens its route.
func admits(o authn.Openings, caller access.Caller, c *gin.Context) bool {
	p := caller.Phase
	if p == nil {
		return true
	}

	types, open := o[c.Request.Method+" "+c.FullPath()]
	switch {
	case !open, types != nil && !slices.Contains(types, p.RequestType):
		return false
	// The work of an administrator's request is the whole tenant's, so no id binds it.
	case types != nil && p.RequestType == adminReq:
		return true
	}

	return owns(*p, c)
}

// owns reports whether the ids that a request names are those of the phase.
func owns(p access.Phase, c *gin.Context) bool {
	query := c.Request.URL.Query()

	for name, id := range map[string]string{
		"phaseId": p.PhaseID, "caseId": p.ContainerID, "forCaseId": p.ContainerID, "containerId": p.ContainerID,
		"containerType": p.ContainerType, "timelineId": p.TimelineID,
	} {
		if named, ok := c.Params.Get(name); ok && named != id {
			return false
		}
		// Path and query are both looked at: a handler may read either.
		if query.Has(name) && query.Get(name) != id {
			return false
		}
	}

	return true
}
