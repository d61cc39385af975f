// Package edge is what stands between the outside and the services: who calls, how often, with which headers, and the
// few answers that the gateway gives by itself.
package edge

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// Checker finds the caller behind a token, or fails with access.ErrUnauthenticated or errs.ErrUnavailable.
type Checker interface {
	Check(ctx context.Context, token string) (access.Caller, error)
}

// SignIns records the first use of a user's token.
type SignIns interface {
	RecordSignIn(ctx context.Context, token string) error
}

// Sessions finds the person behind a browser's cookie, or fails like a Checker.
type Sessions interface {
	Check(ctx context.Context, value string) (authn.SessionRecord, error)
}

// Authenticator tells the kinds of credential apart and checks each by its own rules.
type Authenticator struct {
	Issuer       string // of our own bearers
	Origin       string // of our own pages
	Agents       Checker
	Applications Checker
	Users        Checker
	SignIns      SignIns
	Sessions     Sessions
	// Left reports callers who act for a member whose access the firm has ended; may be nil.
	Left func(access.Caller) bool

	seen seenTokens
}

// Authenticate returns who makes the request, looked up under ctx, as authenticate does, unless the firm has ended the
// access of the member for whom they act: then a person hears access.ErrSuspended, and an agent or an application that
// its credential is no good.
func (a *Authenticator) Authenticate(ctx context.Context, c *gin.Context, route *routes.Route) (access.Caller, error) {
	caller, err := a.authenticate(ctx, c, route)
	if err != nil || a.Left == nil || !a.Left(caller) {
		return caller, err
	}
	// Who tries after their departure is of interest, so the record names them.
	c.Set(revokedKey, caller)
	if caller.Kind == access.User {
		return access.Caller{}, access.ErrSuspended
	}

	return access.Caller{}, access.ErrUnauthenticated
}

// authenticate returns who makes the request. For a route that anybody may call it does not look at credentials at all.
// A browser's cookie counts only where a person may call, and where there is no Authorization header. What only a
// person may do is refused by the service that answers, because the refusal belongs on its record.
func (a *Authenticator) authenticate(ctx context.Context, c *gin.Context, route *routes.Route) (access.Caller, error) {
	if route.Access == routes.Anybody {
		if route.OwnPages {
			return access.Caller{Kind: access.Public}, a.ownPage(c.Request)
		}

		return access.Caller{Kind: access.Public}, nil
	}
	tokensOnly := route.Access == routes.Application || route.Access == routes.AgentOnly
	// A cookie must never open the endpoints of programs: a page of somebody else could have the browser send it.
	if !tokensOnly && bringsSession(c.Request) {
		return a.session(c)
	}
	token, err := authn.BearerToken(c.Request.Header["Authorization"])
	if err != nil {
		return access.Caller{}, err
	}

	switch route.Access {
	case routes.Application:
		return a.Applications.Check(ctx, token)
	case routes.AgentOnly:
		return a.Agents.Check(ctx, token)
	}

	return a.identify(ctx, token)
}

// identify finds the person or the agent behind a token.
func (a *Authenticator) identify(ctx context.Context, token string) (access.Caller, error) {
	if remembers(a.Agents, token) || authn.LooksLikeBearer(token, a.Issuer) {
		return a.Agents.Check(ctx, token)
	}
	caller, err := a.Users.Check(ctx, token)
	if err != nil {
		return access.Caller{}, err
	}

	return caller, a.recordOnce(ctx, token)
}

// remembers reports whether a checker knows a token, so that nobody has to look what kind it is.
func remembers(checker Checker, token string) bool {
	r, ok := checker.(interface{ Remembers(token string) bool })
	return ok && r.Remembers(token)
}

// recordOnce has a sign-in audited when its token is first seen here. The event goes in before the answer goes out, so
// a failure refuses the call.
func (a *Authenticator) recordOnce(ctx context.Context, token string) error {
	// Digests alone are remembered: a dump of the memory shows no list of tokens.
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
	// The older half is dropped at once, which costs nothing on a call. A token that falls out is recorded once more.
	if s.now == nil || len(s.now) >= seenPerGeneration {
		s.old, s.now = s.now, map[[sha256.Size]byte]struct{}{}
	}
	s.now[key] = struct{}{}
}
