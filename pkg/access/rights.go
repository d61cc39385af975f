package access

import "slices"

// Partner is the kind of a caller whom a grant lets into a part of a case of another tenant. No token claims it.
const Partner Kind = "partner"

// Member reports whether the caller is a person who works on the tenant's cases.
func (c Caller) Member() bool {
	return c.Kind == User && (c.HasRole(RoleOwner) || c.HasRole(RoleMember))
}

// Admin reports whether the caller is a person who runs the tenant.
func (c Caller) Admin() bool { return c.Kind == User && c.HasRole(RoleAdmin) }

// Oversees reports whether the caller may read how the tenant fares: a person who runs it, or the agent of one that may
// have work done.
func (c Caller) Oversees() bool {
	return c.Admin() || c.Kind == Agent && c.HasRole(RoleAdmin) && c.May("agent:run")
}

// scopeBound reports whether scopes say what the caller may do, and not roles.
func (c Caller) scopeBound() bool { return c.Kind == Agent || c.Kind == OAuth || c.Kind == Partner }

// Scoped lets people of whom allowed is true, and agents, clients and partners that have scope. Others get ErrScope or
// ErrForbidden.
func (c Caller) Scoped(allowed bool, scope string) error {
	switch {
	case c.scopeBound() && !c.May(scope):
		return ErrScope
	case c.scopeBound(), allowed:
		return nil
	}

	return ErrForbidden
}

// Contentful is Scoped for what a case says: an admin who is nothing else does not read it, and neither do that admin's
// agent and applications.
func (c Caller) Contentful(scope string) error {
	if err := c.Scoped(c.Member(), scope); err != nil {
		return err
	}
	// An agent has the roles of the person it stands for.
	if (c.Kind == Agent || c.Kind == OAuth) && !c.HasRole(RoleOwner) && !c.HasRole(RoleMember) {
		return ErrForbidden
	}

	return nil
}

// Kinds of caller that routes take.
var (
	outside = []Kind{User, Agent, OAuth}
	inside  = []Kind{User, Agent, OAuth, Service}
)

// Outside returns the kinds that may call the interface.
func Outside() []Kind { return slices.Clone(outside) }

// Inside returns the kinds that may call what is between services.
func Inside() []Kind { return slices.Clone(inside) }
