package authn

import (
	"time"

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

// Continuation says whose phase is to be continued. case-svc vouches for it, auth-svc decides whether the caller still
// stands.
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
