package parties

import (
	"regexp"
	"slices"
)

// Values of fields. The litigation part of the roles follows the participant list of OASIS ECF.
var (
	kinds = []string{"individual", "organization", "government", "estate", "trust", "class", "minor", "unknown"}
	roles = []string{
		"plaintiff", "defendant", "petitioner", "respondent", "third_party_plaintiff", "third_party_defendant", "intervenor", "appellant", "appellee",
		"claimant", "creditor", "debtor", "buyer", "seller", "lessor", "lessee", "employer", "employee", "witness", "expert", "guardian_ad_litem",
		"next_friend", "trustee", "beneficiary", "executor", "heir", "insurer", "amicus", "interested_party", "other",
	}
	sides           = []string{Ours, Adverse, Neutral, Unknown}
	representations = []string{"this_firm", "other_counsel", "self", "unknown"}
	statuses        = []string{Active, Dismissed, Withdrawn, Merged}
	entityTypes     = []string{"corporation", "llc", "partnership", "nonprofit", "agency", "sole_proprietor", "other"}
	ageBands        = []string{"minor", "18_29", "30_44", "45_64", "65_plus"}
	labelKinds      = []string{"Party", "Person", "Minor", "Org"}

	subdivision = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)
	identityRef = regexp.MustCompile(`^[A-Za-z0-9_-]{22,64}$`)
)

// IsRole reports whether s is a role of parties.
func IsRole(s string) bool { return slices.Contains(roles, s) }

// IsSide reports whether s is a side of parties.
func IsSide(s string) bool { return slices.Contains(sides, s) }

// IsStatus reports whether s is a status of parties.
func IsStatus(s string) bool { return slices.Contains(statuses, s) }

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
