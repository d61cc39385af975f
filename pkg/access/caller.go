// Package access says who a request acts for, and what that caller may do. It knows no transport, token or store:
// package authn finds the caller of a request.
package access

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Kind says what sort of caller stands behind a request.
type Kind string

// The kinds of caller.
const (
	User    Kind = "user"    // a person, signed in at the identity provider
	Agent   Kind = "agent"   // a registered agent with its bearer
	OAuth   Kind = "oauth"   // a client that a user granted scopes to
	Service Kind = "service" // a service of ours: background work, or what a public route needs done
	Public  Kind = "public"  // nobody: an unauthenticated caller of a public route
)

// Roles of a user within a tenant.
const (
	RoleOwner  = "owner"
	RoleMember = "member"
	RoleAdmin  = "admin"
)

var roles = []string{RoleOwner, RoleMember, RoleAdmin}

// Roles returns every role, in the order in which those of a caller are listed.
func Roles() []string { return slices.Clone(roles) }

// agentScopes are what every agent bearer may do.
var agentScopes = []string{
	"cases:read", "cases:write",
	"files:read", "files:write",
	"agent:run",
	"parties:read", "parties:write",
	"partners:read",
	"invites:propose",
}

// AgentScopes returns the scopes of every agent bearer.
func AgentScopes() []string { return slices.Clone(agentScopes) }

// Caller is who a request acts for.
type Caller struct {
	Tenant   string   `json:"tenant,omitempty"`
	UserID   string   `json:"userId,omitempty"` // for an agent, the user it stands for
	Kind     Kind     `json:"kind"`
	AgentID  string   `json:"agentId,omitempty"`
	ClientID string   `json:"clientId,omitempty"`
	GrantID  string   `json:"grantId,omitempty"` // of an OAuth caller: what the user granted its access by
	Scopes   []string `json:"scopes,omitempty"`
	Roles    []string `json:"roles,omitempty"`

	// What package authn knows of the token that the caller came with. It is no part of the caller as it is sent or
	// stored.
	//
	// Issued is when the provider issued a user's access token; zero for other callers, and where the provider does
	// not say.
	Issued time.Time `json:"-"`
	Issuer string    `json:"-"` // the service that signed the internal token
	Phase  *Phase    `json:"-"` // to which that token is bound; nil for all but continuation tokens
}

// AppendKey appends what tells callers apart to b: every field that a token of theirs has.
func (c Caller) AppendKey(b []byte) []byte {
	for _, text := range [...]string{string(c.Kind), c.Tenant, c.UserID, c.AgentID, c.ClientID, c.GrantID} {
		// The length comes first, so that no two callers share a key by where their fields end.
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}

	for _, list := range [...][]string{c.Scopes, c.Roles} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
		}
	}

	return b
}

// ID returns the caller's own id: the agent's, the client's or the user's.
func (c Caller) ID() string {
	switch c.Kind {
	case Agent:
		return c.AgentID
	case OAuth:
		return c.ClientID
	}

	return c.UserID
}

// HasRole reports whether the caller has role.
func (c Caller) HasRole(role string) bool { return slices.Contains(c.Roles, role) }

// May reports whether the caller has scope. Scopes bind agents and OAuth callers only; a user's rights follow from
// roles. An application has what the scopes granted to it reach.
func (c Caller) May(scope string) bool {
	if c.Kind == User || c.Kind == Service || slices.Contains(c.Scopes, scope) {
		return true
	}

	// An agent's scopes are the rights themselves. Those that a user grants are coarser and reach several.
	return c.Kind == OAuth && slices.ContainsFunc(c.Scopes, func(granted string) bool {
		return slices.Contains(reach[granted], scope)
	})
}

type callerKey struct{}

type presented struct {
	caller Caller
	token  string
}

// presentedContext is a context with who it acts for, in one piece of memory.
type presentedContext struct {
	context.Context //nolint:containedctx // it is one

	presented presented
}

// Value finds who the context acts for, and what its parents know.
func (c *presentedContext) Value(key any) any {
	if key == (callerKey{}) {
		return &c.presented
	}

	return c.Context.Value(key)
}

// WithCaller returns a context in which requests act for caller. token is the internal token it came with, or "".
func WithCaller(ctx context.Context, caller Caller, token string) context.Context {
	return &presentedContext{ctx, presented{caller, token}}
}

// CallerFrom returns who ctx acts for. It panics without one: a route was mounted without authentication.
func CallerFrom(ctx context.Context) Caller {
	caller, ok := Present(ctx)
	if !ok {
		panic("access.CallerFrom: no caller in the context")
	}

	return caller
}

// Present returns who ctx acts for, if it acts for anybody: background work may not.
func Present(ctx context.Context) (Caller, bool) {
	if p, ok := ctx.Value(callerKey{}).(*presented); ok {
		return p.caller, true
	}

	return Caller{}, false
}

// TenantOf returns the tenant that ctx acts for, "" for none.
func TenantOf(ctx context.Context) string {
	caller, _ := Present(ctx)
	return caller.Tenant
}

// Forward is the credential of a service that passes on the internal token it was called with, so that it never has
// more rights than its caller.
func Forward(ctx context.Context) (string, error) {
	p, ok := ctx.Value(callerKey{}).(*presented)
	if !ok || p.token == "" {
		// Background work has no caller to forward: it must sign a token of its own.
		return "", errs.ErrInternal
	}

	return p.token, nil
}

// Failures of authentication and authorization.
var (
	ErrUnauthenticated = errs.New(
		errs.Unauthenticated,
		"unauthenticated",
		"A valid credential is needed. Sign in, or exchange the API key for a new bearer token at POST /v1/auth/token.",
	)
	ErrForbidden = errs.New(
		errs.Forbidden,
		"forbidden",
		"Your account or agent may not do this. Ask an owner of the organization.",
	)
	ErrScope = errs.New(
		errs.Forbidden,
		"scope_missing",
		"The credential lacks the scope for this. Ask the user to grant it.",
	)
)

// Revoked is ErrUnauthenticated for a credential that was good and is so no more: it was signed by us and its time has
// not passed, but what it stood for has ended. Caller is whom it was issued for; nobody but us may learn of it.
type Revoked struct{ Caller Caller }

// Error returns the text of ErrUnauthenticated.
func (r *Revoked) Error() string { return ErrUnauthenticated.Error() }

// Unwrap returns ErrUnauthenticated.
func (r *Revoked) Unwrap() error { return ErrUnauthenticated }
