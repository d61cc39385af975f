package facts

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Label is a place where a label stands.
type Label struct {
	Span
	label.Label
}

// Labels returns all labels of a text in their order, each as often as it stands there.
func Labels(text string) []Label {
	var list []Label
	for i := strings.IndexByte(text, '['); i >= 0 && len(list) < mostOfAKind; {
		l, width, ok := label.At(text, i)
		if ok {
			list = append(list, Label{Span{i, i + width}, l})
		}
		// A bracket that opens no label is passed by one byte, since a label may begin right behind it.
		next := strings.IndexByte(text[i+max(width, 1):], '[')
		if next < 0 {
			break
		}
		i += max(width, 1) + next
	}

	return list
}

// IsParty reports whether a label stands for somebody who can be a party. A [Witness 1] is none until it has another
// label.
func IsParty(l label.Label) bool {
	switch l.Kind {
	case "Party", "Person", "Minor", "Org", "Company":
		return true
	}

	return false
}

// RoleOf returns the role in which a text presents a label where it stands, in lower case, or "" when nothing beside it
// says. The word must stand right before it ("Plaintiff [Party 1]"), right behind it ("[Party 2], Defendant") or in
// brackets behind it ("[Party 1], a company at [Address 1] (the “Landlord”)"). A word for several covers a list of
// labels ("[Party 2] and [Party 3], Defendants").
func RoleOf(text string, l Label) string {
	if role, _ := roleAhead(text, l.Start); role != "" {
		return role
	}
	if role, _ := roleBehind(text, l.End); role != "" {
		return role
	}
	// A word of its own beside the label says more than one that it shares with others.
	if role := roleOfList(text, l); role != "" {
		return role
	}

	return roleInBrackets(text, l.End)
}

const longestList = 8 // labels of one list that share a role

// roleOfList looks for the role that a list of labels shares, behind its last label or before its first. The block of a
// signature is such a list too: name, firm and address of counsel, then "Attorney for Plaintiff".
func roleOfList(text string, l Label) string {
	end := l.End
	for range longestList {
		next := skipJoint(text, end)
		other, width, ok := label.At(text, next)
		if !ok {
			break
		}
		end = next + width
		// Between a party and its role may stand addresses and dates of birth.
		if !IsParty(other) && certain(l.Label) {
			continue
		}
		if role, many := roleBehind(text, end); many && !Stranger(role) || Stranger(role) && !certain(l.Label) {
			return role
		}
	}

	start := l.Start
	for range longestList {
		before := backJoint(text, start)
		if before == start || text[max(0, before-1)] != ']' {
			return ""
		}
		// No label is longer, so the bracket that opens it is near.
		open := strings.LastIndexByte(text[max(0, before-len("[Property 9999]")):before], '[')
		if open < 0 {
			return ""
		}
		start = max(0, before-len("[Property 9999]")) + open
		if role, many := roleAhead(text, start); many {
			return role
		}
	}

	return ""
}

// certain reports whether a label says by itself that it is a party.
func certain(l label.Label) bool { return l.Kind == "Party" || l.Kind == "Minor" }

// skipJoint passes over what may stand between the labels of a list.
func skipJoint(text string, i int) int {
	for n := 0; i < len(text) && n < 80; n++ {
		switch {
		case isSpace(text[i]) || text[i] == ',' || text[i] == '*' || text[i] == '&':
			i++
		case strings.HasPrefix(text[i:], "and "):
			i += len("and ")
		default:
			return i
		}
	}

	return i
}

// backJoint passes back over what may stand between the labels of a list.
func backJoint(text string, i int) int {
	for n := 0; i > 0 && n < 80; n++ {
		switch {
		case isSpace(text[i-1]) || text[i-1] == ',' || text[i-1] == '*' || text[i-1] == '&':
			i--
		case strings.HasSuffix(text[:i], " and"):
			i -= len("and")
		default:
			return i
		}
	}

	return i
}

// roleAhead reads a role that ends before byte i, and whether its word is for several.
func roleAhead(text string, i int) (role string, many bool) {
	end := i
	for end > 0 && i-end < maxBlank && isSpace(text[end-1]) {
		end--
	}
	comma := end > 0 && (text[end-1] == ',' || text[end-1] == ':')
	if comma {
		end--
	}

	start := end
	for start > 0 && end-start < 24 && (isLetter(text[start-1]) || text[start-1] == '-') {
		start--
	}
	if start == end ||
		comma && (strings.HasSuffix(text[:start], "for the ") || strings.HasSuffix(text[:start], "for ")) {
		// "for the Landlord, [Person 1]" names somebody who acts for the landlord.
		return "", false
	}

	return roleWord(text[start:end])
}

// roleBehind reads a role that follows byte i after a comma or a new line, and whether its word is for several.
func roleBehind(text string, i int) (role string, many bool) {
	marked := false

	at := i
	for n := 0; at < len(text) && n < 90; n++ {
		switch c := text[at]; {
		case c == ',' || c == '\n':
			marked = true
		case !isSpace(c) && c != '*' && c != ':':
			// Without a comma or a new line, the next word begins what the party does.
			if !marked {
				return "", false
			}

			for _, word := range [...]string{"the ", "as ", "Esq., ", "Esq.,\n"} {
				at += len(text[at:]) - len(strings.TrimPrefix(text[at:], word))
			}

			end := at
			for end < len(text) && end-at < 24 && (isLetter(text[end]) || text[end] == '-') {
				end++
			}

			return roleWord(text[at:end])
		}
		at++
	}

	return "", false
}

const bracketReach = 160 // bytes behind a label in which its defined role may stand

// roleInBrackets reads the role that the first brackets behind byte i define, unless another party or the next sentence
// comes before.
func roleInBrackets(text string, i int) string {
	for at := i; at < min(len(text), i+bracketReach); at++ {
		switch text[at] {
		case '.':
			if at+1 < len(text) && isSpace(text[at+1]) && !stopOfAbbreviation(text, at) {
				return ""
			}
		case '[':
			// The brackets behind another party define that one.
			if l, _, ok := label.At(text, at); ok && IsParty(l) {
				return ""
			}
		case '(':
			inner, _, ok := strings.Cut(text[at+1:min(len(text), at+60)], ")")
			if !ok {
				return ""
			}

			for word := range strings.FieldsFuncSeq(inner, partsRoles) {
				if role, _ := roleWord(word); role != "" {
					return role
				}
			}
		}
	}

	return ""
}

// partsRoles reports whether a character parts the words of brackets that may name a role.
func partsRoles(r rune) bool { return r != '-' && (r >= utf8.RuneSelf || !isLetter(byte(r))) }

// roleWord returns the role that a word names, in any case but all lower, and whether the word is for several.
func roleWord(word string) (role string, many bool) {
	// In small letters these are everyday words: "owner", "company", "mother".
	if word == "" || !isUpper(word[0]) {
		return "", false
	}

	role, many = strings.CutSuffix(strings.ToLower(word), "s")
	switch role {
	case "plaintiff", "defendant", "petitioner", "respondent", "appellant", "appellee", "claimant", "intervenor",
		"debtor", "creditor", "landlord", "tenant", "lessor", "lessee", "employer", "employee", "executive", "company",
		"buyer", "seller", "purchaser", "licensor", "licensee", "borrower", "lender", "guarantor", "franchisor",
		"franchisee", "contractor", "owner", "insurer", "insured", "trustee", "beneficiary", "executor", "guardian",
		"mother", "father", "third-party-plaintiff", "third-party-defendant", "counterclaimant":
		return role, many
	}
	if Stranger(role) {
		return role, many
	}

	return "", false
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
	case "plaintiff", "petitioner", "appellant", "claimant", "landlord", "lessor", "employer", "company", "seller",
		"licensor", "lender", "franchisor", "owner", "creditor":
		return 1
	case "defendant", "respondent", "appellee", "tenant", "lessee", "employee", "executive", "buyer", "purchaser",
		"licensee", "borrower", "franchisee", "contractor", "debtor", "guarantor":
		return 2
	}

	return 0
}

// addressLine finds the line of a paper that says to whom it is addressed: "TO: [Party 2]", "To the defendant:".
var addressLine = regexp.MustCompile(`(?im)^[ \t]*to\b[^\n:\[]{0,60}[:\[]`)

// Addressee returns the label of the one to whom the head of a paper is addressed, "" when it says none or may be
// addressed to more than one.
func Addressee(head string) string {
	found := ""

	for _, at := range addressLine.FindAllStringIndex(head, mostOfAKind) {
		// The names can stand below the line, up to the next empty one.
		block, _, _ := strings.Cut(strings.ReplaceAll(head[at[0]:], "\r", ""), "\n\n")

		for _, l := range Labels(block) {
			if !IsParty(l.Label) {
				continue
			}
			if name := l.String(); found == "" {
				found = name
			} else if name != found {
				return ""
			}
		}
		// "[Party 2] and all other occupants" are several.
		if first, _, _ := strings.Cut(block, "\n"); slices.ContainsFunc(plainWords(first), joinsOthers) {
			return ""
		}
	}

	return found
}

// joinsOthers reports whether a word adds others to somebody who is named.
func joinsOthers(word string) bool {
	return word == "and" || word == "all" || word == "et" || word == "others"
}
