package authn

import (
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// Facts of what a run is continued with when its process has died.
const (
	continuationAudience = "continuation"
	continuationType     = "cnt+jwt"
	continuationIssuer   = "case-svc" // it keeps who asked for a phase
	continuationLife     = time.Minute
)

// adminReq is the request type whose work is the tenant's and not one container's.
const adminReq = "admin_req"

// Continuation says whose phase is to be continued. case-svc vouches for it, auth-svc decides whether the caller
// still stands.
type Continuation struct {
	Caller access.Caller `json:"caller"`
	Phase  access.Phase  `json:"phase"`
}

type continuationClaims struct {
	jwt.RegisteredClaims
	Continuation
}

// Voucher returns what auth-svc makes a continuation token from. It is good for a minute and opens nothing by itself.
func (s *Signer) Voucher(c Continuation) (string, error) {
	return s.sign(
		continuationType,
		continuationClaims{
			Continuation:     c,
			RegisteredClaims: s.registered(c.Caller, continuationAudience, continuationLife),
		},
	)
}

// Voucher returns what case-svc vouched for, or ErrUnauthenticated.
func (v *Verifier) Voucher(token string) (Continuation, error) {
	var claims continuationClaims
	if err := v.parse(token, continuationType, continuationAudience, &claims, &claims.RegisteredClaims); err != nil {
		return Continuation{}, err
	}
	if claims.Issuer != continuationIssuer || claims.Caller.Tenant == "" || claims.Phase.PhaseID == "" ||
		claims.Phase.ContainerID == "" {
		return Continuation{}, access.ErrUnauthenticated
	}

	return claims.Continuation, nil
}

// Continue returns an internal token with the rights of c's caller for c's phase alone. It lives as long as any
// internal token.
func (s *Signer) Continue(c Continuation) (string, error) {
	return s.sign(
		internalType,
		internalClaims{
			Caller:           c.Caller,
			Phase:            &c.Phase,
			RegisteredClaims: s.registered(c.Caller, InternalAudience, internalLife),
		},
	)
}

// Openings say which routes a continuation token opens, by method and pattern such as "GET /v1/cases/:caseId". Every
// id in the path or the query that names a phase or what it belongs to must be the phase's own. A route with request
// types is open to phases of these alone; to admin_req, whose work is the tenant's, with any id.
type Openings map[string][]string

// admits reports whether the token that a request came with opens its route.
func (o Openings) admits(caller access.Caller, c *gin.Context) bool {
	p := caller.Phase
	if p == nil {
		return true
	}

	types, open := o[c.Request.Method+" "+c.FullPath()]
	switch {
	case !open, types != nil && !slices.Contains(types, p.RequestType):
		return false
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
		if query.Has(name) && query.Get(name) != id {
			return false
		}
	}

	return true
}
