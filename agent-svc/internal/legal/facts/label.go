package facts

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Label is a place where a label stands.
type Label struct {
	Span
	guard.Label
}

// Labels returns all labels of a text in their order, each as often as it stands there.
func Labels(text string) []Label {
	var list []Label
	for i := strings.IndexByte(text, '['); i >= 0 && len(list) < mostOfAKind; {
		l, width, ok := guard.LabelAt(text, i)
		if ok {
			list = append(list, Label{Span{i, i + width}, l})
		}
		next := strings.IndexByte(text[i+max(width, 1):], '[')
		if next < 0 {
			break
		}
		i += max(width, 1) + next
	}
	return list
}

// IsParty reports whether a label stands for somebody who can be a party. A [Witness 1] is none until it has another label.
func IsParty(l guard.Label) bool {
	switch l.Kind {
	case "Party", "Person", "Minor", "Org", "Company":
		return true
	}
	return false
}

// RoleOf returns the role in which a text presents a label where it stands, in lower case, or "" when nothing beside it says. The words
// must stand right before it ("Plaintiff [Party 1]") or behind it within its clause ("[Party 1] (“Landlord”)", "[Party 2], Defendant").
func RoleOf(text string, l Label) string {
	if role := roleAhead(text, l.Start); role != "" {
		return role
	}
	return roleBehind(text, l.End)
}

const roleReach = 70 // bytes behind a label in which its role is looked for

func roleAhead(text string, i int) string {
	for i > 0 && (isSpace(text[i-1]) || text[i-1] == ',') {
		i--
	}
	start := i
	for start > 0 && i-start < 24 && (isLetter(text[start-1]) || text[start-1] == '-') {
		start--
	}
	return roleWord(text[start:i])
}

func roleBehind(text string, i int) string {
	end := min(len(text), i+roleReach)
	if stop := strings.IndexByte(text[i:end], '['); stop >= 0 {
		end = i + stop // another label
	}
	if stop := strings.IndexByte(text[i:end], '.'); stop >= 0 {
		end = i + stop
	}
	// Only what a comma, bracket or quotation mark introduces is said of the label.
	mark := strings.IndexAny(text[i:end], ",(\"“\n")
	if mark < 0 || mark > 24 {
		return ""
	}
	for word := range strings.FieldsFuncSeq(text[i+mark:end], func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' }) {
		if role := roleWord(word); role != "" {
			return role
		}
	}
	return ""
}

// roleWord returns the role that a word names, for one or several, in any case but all lower.
func roleWord(word string) string {
	if word == "" || !isUpper(word[0]) {
		return ""
	}
	word = strings.TrimSuffix(strings.ToLower(word), "s")
	switch word {
	case "plaintiff", "defendant", "petitioner", "respondent", "appellant", "appellee", "claimant", "intervenor", "debtor", "creditor", "landlord", "tenant",
		"lessor", "lessee", "employer", "employee", "executive", "buyer", "seller", "purchaser", "licensor", "licensee", "borrower", "lender", "guarantor",
		"franchisor", "franchisee", "contractor", "owner", "insurer", "insured", "trustee", "beneficiary", "executor", "guardian", "mother", "father",
		"third-party-plaintiff", "third-party-defendant", "counterclaimant":
		return word
	}
	if Stranger(word) {
		return word
	}
	return ""
}

// Stranger reports whether a role is that of somebody who takes part in a case without being a party.
func Stranger(role string) bool {
	switch role {
	case "attorney", "counsel", "notary", "judge", "clerk", "witness", "interpreter", "mediator", "arbitrator":
		return true
	}
	return false
}

// Side says on which side a role stands: 1 for who asks or gives, 2 for the other, 0 when the role does not say.
func Side(role string) int {
	switch role {
	case "plaintiff", "petitioner", "appellant", "claimant", "landlord", "lessor", "employer", "seller", "licensor", "lender", "franchisor", "owner", "creditor":
		return 1
	case "defendant", "respondent", "appellee", "tenant", "lessee", "employee", "executive", "buyer", "purchaser", "licensee", "borrower", "franchisee",
		"contractor", "debtor", "guarantor":
		return 2
	}
	return 0
}
