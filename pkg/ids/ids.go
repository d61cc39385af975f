// Package ids makes and checks the UUIDs by which everything is named.
package ids

import "github.com/google/uuid"

// New returns a new id: a UUIDv7, so that ids sort by when they were made.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Valid reports whether s is a UUID in its usual lower-case form.
func Valid(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

// Space is a name space of ids that must come out the same on a repetition. Each service has its own.
type Space uuid.UUID

// Derive returns the UUIDv5 of parts. Every part ends in a byte that none of them can hold, so that no two lists of
// parts give the same id.
func (s Space) Derive(parts ...string) string {
	var all []byte
	for _, p := range parts {
		all = append(append(all, p...), 0)
	}

	return uuid.NewSHA1(uuid.UUID(s), all).String()
}
