// Package edge is what stands between the outside and the services: who calls, how often, with which headers, and the few answers
// that the gateway gives by itself.
package edge

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Checker finds the caller behind a token, or fails with authn.ErrUnauthenticated or errs.ErrUnavailable.
type Checker interface {
	Check(ctx context.Context, token string) (authn.Caller, error)
}

// SignIns records the first use of a user's token.
type SignIns interface {
	RecordSignIn(ctx context.Context, token string) error
}

// Authenticator tells the kinds of bearer apart and checks each by its own rules.
type Authenticator struct {
	Issuer  string // of our own bearers
	Agents  Checker
	Users   Checker
	SignIns SignIns
	Links   DeepLinks
	seen    seenTokens
}

var (
	errHuman    = errs.New(errs.Forbidden, "human_required", "Only a signed-in person may do this. Send your user to the address in deepLink.")
	errIdentity = errs.New(errs.Forbidden, "identity_refused", "Agents never reach identities, sealed or not. Send your user to the address in deepLink.").
			WithDetails(errs.Detail{Kind: "operation"})
)

// Authenticate returns who makes the request. For a route that anybody may call it does not look at credentials at all.
func (a *Authenticator) Authenticate(c *gin.Context, route routes.Route) (authn.Caller, error) {
	if route.Access == routes.Anybody {
		return authn.Caller{Kind: authn.Public}, nil
	}
	caller, err := a.identify(c)
	if err != nil {
		return authn.Caller{}, err
	}
	for _, kind := range route.Access.Kinds() {
		if kind == caller.Kind {
			return caller, nil
		}
	}
	return authn.Caller{}, a.refuse(c, route)
}

func (a *Authenticator) identify(c *gin.Context) (authn.Caller, error) {
	token, err := authn.BearerToken(c.Request.Header.Values("Authorization"))
	if err != nil {
		return authn.Caller{}, err
	}
	ctx := c.Request.Context()
	if authn.LooksLikeBearer(token, a.Issuer) {
		return a.Agents.Check(ctx, token)
	}
	caller, err := a.Users.Check(ctx, token)
	if err != nil {
		return authn.Caller{}, err
	}
	return caller, a.recordOnce(ctx, token)
}

// recordOnce has a sign-in audited when its token is first seen here. The event goes in before the answer goes out, so a failure
// refuses the call.
func (a *Authenticator) recordOnce(ctx context.Context, token string) error {
	key := sha256.Sum256([]byte(token))
	if a.seen.has(key) {
		return nil
	}
	if err := a.SignIns.RecordSignIn(ctx, token); err != nil {
		return err
	}
	a.seen.add(key)
	return nil
}

func (a *Authenticator) refuse(c *gin.Context, route routes.Route) error {
	action := route.Action
	if action == "" {
		action = "agent"
	}
	link := a.Links.To(action, c.Param("caseId"))
	if route.Access == routes.BrowserVault {
		return errIdentity.WithDeepLink(link)
	}
	return errHuman.WithDeepLink(link)
}

// seenTokens remembers digests of tokens whose sign-in is on record; two generations bound it.
type seenTokens struct {
	mu       sync.Mutex
	now, old map[[sha256.Size]byte]struct{}
}

const seenPerGeneration = 10_000

func (s *seenTokens) has(key [sha256.Size]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.now[key]; ok {
		return true
	}
	_, ok := s.old[key]
	return ok
}

func (s *seenTokens) add(key [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil || len(s.now) >= seenPerGeneration {
		s.old, s.now = s.now, map[[sha256.Size]byte]struct{}{}
	}
	s.now[key] = struct{}{}
}
