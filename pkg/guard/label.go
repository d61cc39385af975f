package guard

import (
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// MaxLabelNumber is the highest number of a label.
const MaxLabelNumber = 9999

// longestLabel is the length in bytes of the longest label that can exist, "[Property 9999]".
const longestLabel = len("[Property ]") + 4

// ErrUnknownLabel is the answer to a field that takes a label and holds something else.
var ErrUnknownLabel = errs.New(errs.Invalid, "unknown_label",
	"This field takes a label of the form [Kind N], for example [Party 1]. Send one, with a number from 1 to 9999.")

// Label stands for an identity that only the user's browser knows. Two labels are the same identity exactly if they are equal.
type Label struct {
	Kind string // one of LabelKinds, spelled as there
	N    int    // 1 to MaxLabelNumber
}

// String returns the label as it stands in text, such as "[Party 1]".
func (l Label) String() string { return "[" + l.Kind + " " + strconv.Itoa(l.N) + "]" }

// LabelKinds returns the words that a label can begin with.
func LabelKinds() []string {
	return []string{
		"Party", "Person", "Minor", "Witness", "Org", "Company", "Address", "Phone", "Email", "Account",
		"Id", "Docket", "Ref", "Vehicle", "Property", "Url", "Date",
	}
}

// labelKind reports whether word is the kind of a label, exactly as written.
func labelKind(word string) bool {
	switch word {
	case "Party", "Person", "Minor", "Witness", "Org", "Company", "Address", "Phone", "Email", "Account",
		"Id", "Docket", "Ref", "Vehicle", "Property", "Url", "Date":
		return true
	}

	return false
}

// ParseLabel reads a label and nothing around it. The error is ErrUnknownLabel.
func ParseLabel(s string) (Label, error) {
	l, width, ok := LabelAt(s, 0)
	if !ok || width != len(s) {
		return Label{}, ErrUnknownLabel
	}

	return l, nil
}

// ValidLabel reports whether s is a label and nothing else.
func ValidLabel(s string) bool {
	_, err := ParseLabel(s)
	return err == nil
}

// LabelAt reports the label that begins at byte i of text, and its width in bytes.
func LabelAt(text string, i int) (l Label, width int, ok bool) {
	if i < 0 || i >= len(text) || text[i] != '[' {
		return Label{}, 0, false
	}
	head := text[i+1 : min(len(text), i+longestLabel)]
	inner, _, closed := strings.Cut(head, "]")
	kind, number, spaced := strings.Cut(inner, " ")
	if !closed || !spaced || !labelKind(kind) {
		return Label{}, 0, false
	}
	n, ok := labelNumber(number)
	if !ok {
		return Label{}, 0, false
	}

	return Label{Kind: kind, N: n}, len(inner) + 2, true
}

// labelNumber reads 1 to 4 digits without a leading zero.
func labelNumber(s string) (int, bool) {
	if len(s) == 0 || len(s) > 4 || s[0] == '0' {
		return 0, false
	}
	n := 0

	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}

	return n, true
}

// Labels returns the distinct labels of text in the order in which they first appear.
func Labels(text string) []Label {
	var list []Label
	seen := map[Label]bool{}

	for i := strings.IndexByte(text, '['); i >= 0 && i < len(text); {
		l, width, ok := LabelAt(text, i)
		if ok && !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
		next := strings.IndexByte(text[i+max(width, 1):], '[')
		if next < 0 {
			break
		}
		i += max(width, 1) + next
	}

	return list
}

// longestNearLabel bounds how far a bracket is read in search of a label gone wrong.
const longestNearLabel = 32

// nearLabel reports whether the bracket at byte i of text is meant as a label without being one, and its width. Meant as a
// label is a bracket of a kind in any case, then one number, number word, Roman number or single letter, however they are joined.
func nearLabel(text string, i int) (width int, ok bool) {
	inner, _, closed := strings.Cut(text[i+1:min(len(text), i+longestNearLabel)], "]")
	if !closed {
		return 0, false
	}
	width = len(inner) + 2
	inner = strings.ToLower(strings.TrimSpace(inner))

	letters := 0
	for letters < len(inner) && inner[letters] >= 'a' && inner[letters] <= 'z' {
		letters++
	}
	kind, rest := inner[:letters], inner[letters:]
	if !labelKind(title(kind)) && !labelKind(title(strings.TrimSuffix(kind, "s"))) {
		return 0, false
	}
	if (kind == "id" || kind == "ref") && strings.HasPrefix(rest, ".") {
		return 0, false // "Id. 5" and "Ref. 12" are how lawyers cite
	}

	number := strings.TrimLeft(rest, " -_.:#\u00a0\u2009\u202f\u2010\u2011\u2013")
	for _, word := range []string{"number ", "nr. ", "no. ", "no ", "no."} {
		number = strings.TrimPrefix(number, word)
	}

	return width, numberLike(strings.TrimSpace(number))
}

// title returns an ASCII word with its first letter in upper case.
func title(word string) string {
	if word == "" {
		return ""
	}

	return strings.ToUpper(word[:1]) + word[1:]
}

// numberLike reports whether a lower-case word counts things: digits, one letter, a Roman number up to 39 or a number word.
func numberLike(word string) bool {
	switch word {
	case "":
		return false
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
		"first", "second", "third":
		return true
	}
	if len(word) == 1 {
		return word[0] >= 'a' && word[0] <= 'z' || word[0] >= '0' && word[0] <= '9'
	}

	return strings.Trim(word, "0123456789") == "" || len(word) <= 6 && strings.Trim(word, "ivx") == ""
}
