package parties

import (
	"regexp"
)

var (
	labelKinds = []string{"Party", "Person", "Minor", "Org"}

	subdivision = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)
	identityRef = regexp.MustCompile(`^[A-Za-z0-9_-]{22,64}$`)
)

// opposite returns the side on which a token of side conflicts, or "".
func opposite(side string) string {
	switch side {
	case Ours:
		return Adverse
	case Adverse:
		return Ours
	}

	return ""
}
