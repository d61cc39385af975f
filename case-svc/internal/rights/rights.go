// Package rights says which callers may do what: by role for people, by scope for agents and OAuth clients.
package rights

import (
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// member reports whether the caller is a person who works on the tenant's cases.
func member(c authn.Caller) bool {
	return c.Kind == authn.User && (c.HasRole(authn.RoleOwner) || c.HasRole(authn.RoleMember))
}

// admin reports whether the caller is a person who runs the tenant.
func admin(c authn.Caller) bool { return c.Kind == authn.User && c.HasRole(authn.RoleAdmin) }

// machine reports whether the caller is an agent or an OAuth client.
func machine(c authn.Caller) bool { return c.Kind == authn.Agent || c.Kind == authn.OAuth }

// scoped lets people of whom allowed is true, and machines that have scope.
func scoped(c authn.Caller, allowed bool, scope string) error {
	switch {
	case machine(c) && !c.May(scope):
		return authn.ErrScope
	case machine(c), allowed:
		return nil
	}
	return authn.ErrForbidden
}

// contentful is for what a case says: an admin who is nothing else does not read it, and neither does that admin's agent.
func contentful(c authn.Caller, scope string) error {
	if err := scoped(c, member(c), scope); err != nil {
		return err
	}
	if c.Kind == authn.Agent && !c.HasRole(authn.RoleOwner) && !c.HasRole(authn.RoleMember) {
		return authn.ErrForbidden
	}
	return nil
}

// CreateCase tells whether the caller may open a case.
func CreateCase(c authn.Caller) error { return scoped(c, member(c) || admin(c), "cases:write") }

// ReadCase tells whether the caller may read cases.
func ReadCase(c authn.Caller) error { return scoped(c, member(c) || admin(c), "cases:read") }

// MetadataOnly reports whether the caller sees of a case only that it is there and in what state: an admin who is nothing else.
func MetadataOnly(c authn.Caller) bool { return admin(c) && !member(c) }

// ReadContent tells whether the caller may read what a case says.
func ReadContent(c authn.Caller) error { return contentful(c, "cases:read") }

// DeleteCase tells whether the caller may ask for a case to be deleted.
func DeleteCase(c authn.Caller) error {
	return scoped(c, c.Kind == authn.User && c.HasRole(authn.RoleOwner), "cases:write")
}

// Upload tells whether the caller may bring files.
func Upload(c authn.Caller) error { return contentful(c, "files:write") }

// ReadFiles tells whether the caller may read files.
func ReadFiles(c authn.Caller) error { return contentful(c, "files:read") }

// RunCase tells whether the caller may have work done on cases.
func RunCase(c authn.Caller) error { return contentful(c, "agent:run") }

// Run tells whether the caller may have a request of this type done.
func Run(c authn.Caller, requestType string) error {
	switch requestType {
	case "support_req", "sales_req":
		return scoped(c, member(c) || admin(c), "agent:run")
	case "admin_req":
		if c.Kind == authn.Agent && c.May("agent:run") && c.HasRole(authn.RoleAdmin) || admin(c) {
			return nil
		}
		return authn.ErrForbidden
	}
	return RunCase(c)
}

// ReadContainer tells whether the caller may read a container of this type and its phases.
func ReadContainer(c authn.Caller, containerType string) error {
	if containerType == "case" {
		return ReadContent(c)
	}
	return scoped(c, member(c) || admin(c), "cases:read")
}

// KeepPhases tells whether the caller may end or interrupt a phase of this type: whoever may run it, and services in the background.
func KeepPhases(c authn.Caller, requestType string) error {
	if c.Kind == authn.Service {
		return nil
	}
	return Run(c, requestType)
}

// Kinds of caller that routes take.
var (
	outside = []authn.Kind{authn.User, authn.Agent, authn.OAuth}
	inside  = []authn.Kind{authn.User, authn.Agent, authn.OAuth, authn.Service}
)

// Outside returns the kinds that may call the interface.
func Outside() []authn.Kind { return slices.Clone(outside) }

// Inside returns the kinds that may call what is between services.
func Inside() []authn.Kind { return slices.Clone(inside) }
