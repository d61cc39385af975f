package facts

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed words/sums.txt
var sumWords string

// sumNames are the words by which clauses call sums, the longer ones first where one holds another.
var sumNames = regexp.MustCompile(`\b(` + strings.Join(strings.FieldsFunc(sumWords,
	func(r rune) bool { return r == '\n' }), "|") + `)s?\b`)

// sumBehind is where a sum is called something behind it: "$500 as a deposit".
var sumBehind = regexp.MustCompile(`^(?:(?:per|a|each) (?:month|year|week|day|hour) ?)?,? ?(?:(?:is|are|will be|` +
	`shall be|to be) )?(?:(?:held|paid|due|payable) )?(?:as|in|for|of)((?: [a-z'’-]+){1,4})`)

// otherSum is a sum that stands in the same sentence as another.
var otherSum = regexp.MustCompile(`(?:[$€£¥]|\b(?:usd|eur|gbp) ?)\d[\d,.]*(?: (?:thousand|million|billion))?|` +
	`\b\d[\d,.]* (?:us )?(?:dollars|euros|pounds)\b`)

// ownClause cuts the words before and behind a sum to its own clause: from the sum before it, and up to the next one
// or the end of the clause.
func ownClause(before, after string) (string, string) {
	// Words before an earlier sum speak of that one.
	if all := otherSum.FindAllStringIndex(before, -1); len(all) > 0 {
		before = before[all[len(all)-1][1]:]
	}
	if at := otherSum.FindStringIndex(after); at != nil {
		after = after[:at[0]]
		// What follows a joint belongs to the next sum.
		for _, joint := range [...]string{" and ", ", ", " or ", " plus "} {
			if i := strings.Index(after, joint); i >= 0 {
				after = after[:i]
			}
		}
	}
	if i := strings.IndexByte(after, ';'); i >= 0 {
		after = after[:i]
	}

	return before, after
}

// nameBeside returns the words by which the clause of a sum calls it, such as "purchase price" or "security deposit";
// "" when it does not.
func nameBeside(before, after string) string {
	// The last name before a sum is the nearest, and names before it are more common than behind it.
	if all := sumNames.FindAllStringSubmatch(before, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	if m := sumBehind.FindStringSubmatch(after); m != nil {
		if name := sumNames.FindStringSubmatch(m[1]); name != nil {
			return name[1]
		}
	}

	return ""
}

// around returns the words of the sentence before and behind a sum, in small letters.
func (a Amount) around(text string) (before, after string) {
	start := sentenceStart(text, a.Start, roleBefore)
	end := sentenceEnd(text, a.End, roleAfter)

	return Fold(strings.ToLower(text[start:a.Start])), Fold(strings.ToLower(text[a.End:end]))
}
