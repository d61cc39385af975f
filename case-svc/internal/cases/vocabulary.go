package cases

import (
	"regexp"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

var (
	subdivision  = regexp.MustCompile(`^[A-Z0-9]{1,3}$`)
	courtCode    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	stagePrefix  = regexp.MustCompile(`^[A-Z][0-9]{0,3}$`)
	otherUTBMS   = regexp.MustCompile(`^[A-Z][0-9]{3}$`)
	docketNumber = regexp.MustCompile(
		`(?i)\b([0-9]{1,2}:)?[0-9]{2,4}-?(cv|cr|bk|mc|md|mj|ap|po|civ|crim|ca|cf|sc|dr|pr)-?[0-9]{2,7}\b`,
	)
	decimalAmount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,4})?$`)
)

// PracticeKeys returns the keys by which the case is found: each level of its LIST codes, and other codes whole.
func (c Case) PracticeKeys() []string {
	var keys []string

	for _, p := range c.PracticeAreas {
		for _, k := range practicearea.Keys(p.Scheme, p.Code) {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}

	return keys
}

// JurisdictionKeys returns the keys by which the case is found: the country, and the part of it.
func (c Case) JurisdictionKeys() []string {
	if c.Jurisdiction == "" {
		return nil
	}
	keys := []string{c.Jurisdiction[:2]}
	if len(c.Jurisdiction) > 2 {
		keys = append(keys, c.Jurisdiction)
	}

	return keys
}

// StageKeys returns the keys by which the case is found: every prefix of its UTBMS codes.
func (c Case) StageKeys() []string {
	var keys []string

	for _, code := range []string{c.Stage.Phase, c.Stage.Task} {
		for i := 1; i <= len(code); i++ {
			if !slices.Contains(keys, code[:i]) {
				keys = append(keys, code[:i])
			}
		}
	}

	return keys
}

// IsStagePrefix reports whether s is a UTBMS code or the beginning of one.
func IsStagePrefix(s string) bool { return stagePrefix.MatchString(s) }

// codeLetters are the letters that the codes of UTBMS begin with, by code set.
var codeLetters = map[string]string{"counseling": "C", "project": "P", "bankruptcy": "B"}

// tasks of UTBMS litigation by phase.
var tasks = vocabulary.LitigationTasks()

// LooksLikeDocket finds a court's docket number in s, which would lead to the client, and returns its place in bytes.
func LooksLikeDocket(s string) (start, end int, found bool) {
	at := docketNumber.FindStringIndex(s)
	if at == nil {
		return 0, 0, false
	}

	return at[0], at[1], true
}
