package config

// minCursorKey is the least length of a secret of its own for cursors.
const minCursorKey = 32

// CursorSecret is what the key of a service's cursors is derived from: its own secret, or else the service's signing
// seed.
func CursorSecret(own, seed Secret) string {
	if own.IsSet() {
		return own.Reveal()
	}

	return seed.Reveal()
}

// CursorProblems finds fault with a secret of its own for cursors, which the variable name gives.
func CursorProblems(name string, own Secret) []string {
	if own.IsSet() && len(own.Reveal()) < minCursorKey {
		return []string{name + " must be at least 32 characters"}
	}

	return nil
}
