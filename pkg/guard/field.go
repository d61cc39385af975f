package guard

import "strings"

// RefusedField reports whether a field of this name exists to carry a real identity: name, firstName, lastName, email,
// phone, address, dateOfBirth, ssn, taxId and passport, in any case and with any separators. It is meant for fields
// that a request has and the model has not; a field that the model does have, such as the name of a file, goes through
// the Gate instead.
func RefusedField(name string) bool {
	switch fieldWord(name) {
	case "name", "firstname", "lastname", "email", "phone", "address", "dateofbirth", "ssn", "taxid", "passport":
		return true
	}

	return false
}

// longestField is more than the longest name that can be refused needs; longer ones are cut to bound the work.
const longestField = 64

// fieldWord drops case and everything but ASCII letters and digits.
func fieldWord(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			// Letters beyond ASCII stay, so that no other word folds into one of these.
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r < 0x80, r == '\u00a0', r >= '\u2000' && r <= '\u206f', r == '\ufeff':
			return -1 // separators, spaces and invisible marks
		}

		return r
	}, name[:min(len(name), longestField)])
}
