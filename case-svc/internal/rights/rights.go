// Package rights says which callers may do what: by role for people, by scope for agents and OAuth clients.
package rights

import (
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// PartnerScopes returns what a partner may do with what its grant covers: read.
func PartnerScopes() []string { return []string{"cases:read", "files:read", "parties:read"} }

// CreateCase tells whether the caller may open a case.
func CreateCase(c access.Caller) error { return c.Scoped(c.Member() || c.Admin(), "cases:write") }

// ReadCase tells whether the caller may read cases.
func ReadCase(c access.Caller) error { return c.Scoped(c.Member() || c.Admin(), "cases:read") }

// MetadataOnly reports whether the caller sees of a case only that it is there and in what state: an admin who is
// nothing else, and the agent of one.
func MetadataOnly(c access.Caller) bool {
	person := c.Kind == access.User || c.Kind == access.Agent || c.Kind == access.OAuth
	reads := c.HasRole(access.RoleOwner) || c.HasRole(access.RoleMember)

	return person && c.HasRole(access.RoleAdmin) && !reads
}

// ReadContent tells whether the caller may read what a case says.
func ReadContent(c access.Caller) error { return c.Contentful("cases:read") }

// ChangeCase tells whether the caller may change something of a case; an admin who is nothing else may, though little
// of it.
func ChangeCase(c access.Caller) error {
	if c.Kind == access.User && MetadataOnly(c) {
		return nil
	}

	return c.Contentful("cases:write")
}

// DecideConflict tells whether the caller may decide about conflicts.
func DecideConflict(c access.Caller) error {
	if !c.Member() {
		return access.ErrForbidden
	}

	return nil
}

// RestoreCase tells whether the caller may bring back a case; byMachine says that no person deleted it.
func RestoreCase(c access.Caller, byMachine bool) error {
	if c.Kind == access.User && c.HasRole(access.RoleOwner) || byMachine && c.Member() {
		return nil
	}

	return access.ErrForbidden
}

// ReadSettings tells whether the caller may read the tenant's settings.
func ReadSettings(c access.Caller) error { return c.Scoped(c.Member() || c.Admin(), "cases:read") }

// ChangeSettings tells whether the caller may change the tenant's settings.
func ChangeSettings(c access.Caller) error { return Administer(c) }

// ReadParties tells whether the caller may read the parties of cases.
func ReadParties(c access.Caller) error { return c.Contentful("parties:read") }

// DeleteCase tells whether the caller may ask for a case to be deleted.
func DeleteCase(c access.Caller) error {
	return c.Scoped(c.Kind == access.User && c.HasRole(access.RoleOwner), "cases:write")
}

// Upload tells whether the caller may bring files.
func Upload(c access.Caller) error { return c.Contentful("files:write") }

// ReadFiles tells whether the caller may read files.
func ReadFiles(c access.Caller) error { return c.Contentful("files:read") }

// RunCase tells whether the caller may have work done on cases.
func RunCase(c access.Caller) error { return c.Contentful("agent:run") }

// KeepTasks tells whether the caller may have tasks of the agent-to-agent protocol, which are its user's own.
func KeepTasks(c access.Caller) error { return c.Scoped(c.Member() || c.Admin(), "agent:run") }

// Run tells whether the caller may have a request of this type done.
func Run(c access.Caller, requestType string) error {
	switch requestType {
	case "support_req", "sales_req":
		return c.Scoped(c.Member() || c.Admin(), "agent:run")
	case "admin_req":
		return Oversee(c)
	}

	return RunCase(c)
}

// ReadContainer tells whether the caller may read a container of this type and its phases.
func ReadContainer(c access.Caller, containerType string) error {
	if containerType == "case" {
		return ReadContent(c)
	}

	return c.Scoped(c.Member() || c.Admin(), "cases:read")
}

// KeepPhases tells whether the caller may end or interrupt a phase of this type: whoever may run it, and services in
// the background.
func KeepPhases(c access.Caller, requestType string) error {
	if c.Kind == access.Service {
		return nil
	}

	return Run(c, requestType)
}

// WriteEntries tells whether the caller may write into the timeline of a container of this type.
func WriteEntries(c access.Caller, containerType string) error {
	if containerType == "case" {
		return c.Contentful("cases:write")
	}

	return c.Scoped(c.Member() || c.Admin(), "cases:write")
}

// SeeContainer tells whether the caller may read a container of this type and its work, if only its metadata.
func SeeContainer(c access.Caller, containerType string) error {
	if containerType == "case" && MetadataOnly(c) {
		return ReadCase(c)
	}

	return ReadContainer(c, containerType)
}

// ReadPartners tells whether the caller may see who was invited to a case.
func ReadPartners(c access.Caller) error { return c.Contentful("partners:read") }

// SendInvites reports whether the caller may send an invite, and not only propose one.
func SendInvites(c access.Caller) bool { return c.Member() }

// Oversee tells whether the caller may read how the tenant fares.
func Oversee(c access.Caller) error {
	if !c.Oversees() {
		return access.ErrForbidden
	}

	return nil
}

// Administer tells whether the caller may do what only a person does who runs the tenant.
func Administer(c access.Caller) error {
	if !c.Admin() {
		return access.ErrForbidden
	}

	return nil
}
