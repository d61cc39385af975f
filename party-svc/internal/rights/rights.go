// Package rights says which callers may do what with parties, partners and invites: by role for people, by scope for
// agents and OAuth clients.
package rights

import (
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// ReadParties tells whether the caller may read the parties of its tenant's cases.
func ReadParties(c access.Caller) error { return c.Contentful("parties:read") }

// WriteParties tells whether the caller may add and change parties.
func WriteParties(c access.Caller) error { return c.Contentful("parties:write") }

// Browser reports whether the caller has the browser's own fields: sealed identities, their references and conflict
// tokens.
func Browser(c access.Caller) bool { return c.Member() }

// SearchPartners tells whether the caller may search the directory.
func SearchPartners(c access.Caller) error {
	return c.Scoped(c.Kind == access.User, "partners:read")
}

// ReadCase tells whether the caller may read what its tenant's cases say.
func ReadCase(c access.Caller) error { return c.Contentful("cases:read") }

// Invite tells whether the caller may send an invite, or at least propose one.
func Invite(c access.Caller) error { return c.Contentful("invites:propose") }
