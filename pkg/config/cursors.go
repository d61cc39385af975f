package config

// minCursorKey is the least length of a secret of its own for cursors.
const minCursorKey = 32

// CursorSecret is what the keys of all cursors of a service are derived from: own, its setting for that, or else its
// signing seed. Own is the zero Secret in a service without such a setting.
func (c Common) CursorSecret(own Secret) string {
	if own.IsSet() {
		return own.Reveal()
	}

	return c.InternalKey.Reveal()
}

// CursorProblems finds fault with a secret of its own for cursors, which the variable name gives.
func CursorProblems(name string, own Secret) []string {
	if own.IsSet() && len(own.Reveal()) < minCursorKey {
		return []string{name + " must be at least 32 characters"}
	}

	return nil
}
