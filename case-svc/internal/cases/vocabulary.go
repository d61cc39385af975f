package cases

import (
	"regexp"
	"slices"
	"strings"
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
)

// Privileges returns the values of a privilege.
func Privileges() []string { return slices.Clone(privileges) }

// IsStatus reports whether s is a state of cases.
func IsStatus(s string) bool { return slices.Contains(statuses, s) }

// IsMatterKind reports whether s is a kind of matter.
func IsMatterKind(s string) bool { return slices.Contains(matterKinds, s) }

// IsSide reports whether s is a side of a matter.
func IsSide(s string) bool { return slices.Contains(sides, s) }

// area is a top code of LIST, the vocabulary of areas of law as people meet them.
type area struct{ code, slug, label string }

var areas = []area{
	{"HO", "housing", "Housing"}, {"FA", "family", "Family and safety"}, {"MO", "money", "Money, debt and consumer"},
	{"BE", "benefits", "Public benefits"}, {"BU", "business", "Small business and intellectual property"}, {"CO", "courts", "Courts"},
	{"CR", "crime", "Crime"}, {"DI", "disaster", "Disaster relief"}, {"ED", "education", "Education"},
	{"EN", "environment", "Environmental justice"}, {"ES", "estates", "Estates, wills and guardianship"},
	{"GO", "government", "Government services"}, {"HE", "health", "Health"}, {"IM", "immigration", "Immigration"},
	{"JU", "juvenile", "Juvenile"}, {"NA", "native", "Native American and tribal"}, {"RI", "rights", "Rights"},
	{"TO", "torts", "Torts and personal injury"}, {"TR", "traffic", "Traffic"}, {"VE", "veterans", "Veterans and military"},
	{"WO", "work", "Work"},
}

// listLabels are the labels that we have for codes below the top.
var listLabels = map[string]string{"HO-02-00-00-00": "Eviction"}

var (
	listCode      = regexp.MustCompile(`^[A-Z]{2}(-[0-9]{2}){4}$`)
	listPrefix    = regexp.MustCompile(`^[A-Z]{2}(-[0-9]{2}){0,4}$`)
	saliCode      = regexp.MustCompile(`^(https?://[a-z0-9.-]{1,100}/)?[A-Za-z0-9_-]{1,100}$`)
	nsmiCode      = regexp.MustCompile(`^[0-9]{7}$`)
	jurisdiction  = regexp.MustCompile(`^[A-Z]{2}(-[A-Z0-9]{1,3})?$`)
	courtCode     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	otherUTBMS    = regexp.MustCompile(`^[A-Z][0-9]{3}$`)
	policyCode    = regexp.MustCompile(`^default$`)
	docketNumber  = regexp.MustCompile(`(?i)\b([0-9]{1,2}:)?[0-9]{2,4}-?(cv|cr|bk|mc|md|mj|ap|po|civ|crim|ca|cf|sc|dr|pr)-?[0-9]{2,7}\b`)
	decimalAmount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,4})?$`)
)

func areaOf(code string) (area, bool) {
	i := slices.IndexFunc(areas, func(a area) bool { return strings.HasPrefix(code, a.code) })
	if i < 0 {
		return area{}, false
	}
	return areas[i], true
}

// PracticePrefix turns what a list is filtered by (a LIST code, a prefix of one, or a slug such as housing) into the key that
// cases are found by; ok is false for anything else.
func PracticePrefix(filter string) (key string, ok bool) {
	if i := slices.IndexFunc(areas, func(a area) bool { return a.slug == filter }); i >= 0 {
		return areas[i].code, true
	}
	_, known := areaOf(filter)
	if !known || !listPrefix.MatchString(filter) {
		return "", false
	}
	return trimZeros(filter), true
}

// trimZeros drops the levels of a LIST code that say nothing, so that a parent is a prefix of its children.
func trimZeros(code string) string {
	for strings.HasSuffix(code, "-00") {
		code = strings.TrimSuffix(code, "-00")
	}
	return code
}

// PracticeKeys returns the keys by which the case is found: each level of its LIST codes, and other codes whole.
func (c Case) PracticeKeys() []string {
	var keys []string
	add := func(k string) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, p := range c.PracticeAreas {
		if p.Scheme != "LIST" {
			add(p.Scheme + " " + p.Code)
			continue
		}
		code := trimZeros(p.Code)
		for i := 2; i <= len(code); i += 3 {
			add(code[:i])
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

// ValidJurisdiction reports whether s has the form of an ISO 3166-1 alpha-2 or ISO 3166-2 code.
func ValidJurisdiction(s string) bool { return jurisdiction.MatchString(s) }

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
