package cases

import (
	"regexp"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/practicearea"
)

// Values of fields.
var (
	statuses      = []string{Intake, Open, OnHold, Closed, Archived}
	matterKinds   = []string{"litigation", "arbitration", "administrative", "transaction", "advisory", "appeal", "other"}
	forumSystems  = []string{"federal", "state", "tribal", "agency", "arbitration", "foreign", "none"}
	sides         = []string{"claimant", "respondent", "both", "neutral", "non_adversarial"}
	codeSets      = []string{"litigation", "counseling", "project", "bankruptcy", "other"}
	stakes        = []string{"money", "housing", "employment", "benefits", "custody", "civil_rights", "immigration", "liberty", "safety", "reputation"}
	professions   = []string{"lawyer", "paralegal_under_lawyer", "notary", "mediator", "accredited_rep", "other"}
	privileges    = []string{"none", "attorney_client", "work_product", "settlement", "mediation"}
	aiPolicies    = []string{"no_model", "local_model_only", "model_allowed"}
	consents      = []string{"not_required", "obtained", "refused", "unknown"}
	amountSources = []string{"stated", "estimated", "extracted"}
	closeReasons  = []string{"settled", "judgment", "dismissed", "withdrawn", "advice_given", "referred", "declined", "transaction_completed", "other"}
)

// Privileges returns the values of a privilege.
func Privileges() []string { return slices.Clone(privileges) }

// Statuses returns the states of a case.
func Statuses() []string { return slices.Clone(statuses) }

// IsStatus reports whether s is a state of cases.
func IsStatus(s string) bool { return slices.Contains(statuses, s) }

// IsMatterKind reports whether s is a kind of matter.
func IsMatterKind(s string) bool { return slices.Contains(matterKinds, s) }

// IsSide reports whether s is a side of a matter.
func IsSide(s string) bool { return slices.Contains(sides, s) }

var (
	subdivision   = regexp.MustCompile(`^[A-Z0-9]{1,3}$`)
	courtCode     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	stagePrefix   = regexp.MustCompile(`^[A-Z][0-9]{0,3}$`)
	otherUTBMS    = regexp.MustCompile(`^[A-Z][0-9]{3}$`)
	docketNumber  = regexp.MustCompile(`(?i)\b([0-9]{1,2}:)?[0-9]{2,4}-?(cv|cr|bk|mc|md|mj|ap|po|civ|crim|ca|cf|sc|dr|pr)-?[0-9]{2,7}\b`)
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

// IsPrivilege reports whether s is a privilege.
func IsPrivilege(s string) bool { return slices.Contains(privileges, s) }

// IsAIPolicy reports whether s is a policy for the use of language models.
func IsAIPolicy(s string) bool { return slices.Contains(aiPolicies, s) }

// codeLetters are the letters that the codes of UTBMS begin with, by code set.
var codeLetters = map[string]string{"counseling": "C", "project": "P", "bankruptcy": "B"}

// tasks of UTBMS litigation by phase.
var tasks = map[string][]string{
	"L100": {"L110", "L120", "L130", "L140", "L150", "L160", "L190"},
	"L200": {"L210", "L220", "L230", "L240", "L250", "L260"},
	"L300": {"L310", "L320", "L330", "L340", "L350", "L390"},
	"L400": {"L410", "L420", "L430", "L440", "L450", "L460", "L470"},
	"L500": {"L510", "L520", "L530"},
}

// LooksLikeDocket finds a court's docket number in s, which would lead to the client, and returns its place in bytes.
func LooksLikeDocket(s string) (start, end int, found bool) {
	at := docketNumber.FindStringIndex(s)
	if at == nil {
		return 0, 0, false
	}

	return at[0], at[1], true
}
