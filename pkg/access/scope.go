package access

import "slices"

// Scopes that a user can grant to an application.
const (
	ScopeRead  = "cases:read"  // cases, files, parties by label, partners
	ScopeWrite = "cases:write" // creates and changes them, proposes invites
	ScopeRun   = "agent:run"   // has the agent work
)

// GrantScopes returns the scopes of applications, the least first.
func GrantScopes() []string { return []string{ScopeRead, ScopeWrite, ScopeRun} }

var (
	reading = []string{ScopeRead, "files:read", "parties:read", "partners:read"}
	// reach says which rights of the interface a granted scope holds: whoever writes or has the agent work may read.
	reach = map[string][]string{
		ScopeRead:  reading,
		ScopeWrite: slices.Concat(reading, []string{ScopeWrite, "files:write", "parties:write", "invites:propose"}),
		ScopeRun:   slices.Concat(reading, []string{ScopeRun}),
	}
)
