// Package label reads the labels that stand for identities in every text of the service, such as [Party 1].
package label

import (
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// MaxNumber is the highest number of a label.
const MaxNumber = 9999

// Longest is the length in bytes of the longest label that can exist, "[Property 9999]".
const Longest = len("[Property ]") + 4

// ErrUnknown is the answer to a field that takes a label and holds something else.
var ErrUnknown = errs.New(errs.Invalid, "unknown_label",
	"This field takes a label of the form [Kind N], for example [Party 1]. Send one, with a number from 1 to 9999.")

// Label stands for an identity that only the user's browser knows. Two labels are the same identity exactly if they are
// equal.
type Label struct {
	Kind string // one of Kinds, spelled as there
	N    int    // 1 to MaxNumber
}

// String returns the label as it stands in text, such as "[Party 1]".
func (l Label) String() string { return "[" + l.Kind + " " + strconv.Itoa(l.N) + "]" }

var kinds = []string{
	"Party", "Person", "Minor", "Witness", "Org", "Company", "Address", "Phone", "Email", "Account",
	"Id", "Docket", "Ref", "Vehicle", "Property", "Url", "Date",
}

// Kinds returns the words that a label can begin with.
func Kinds() []string { return slices.Clone(kinds) }

// IsKind reports whether word is one of Kinds, spelled as there.
func IsKind(word string) bool { return slices.Contains(kinds, word) }

// Parse reads a label and nothing around it. The error is ErrUnknown.
func Parse(s string) (Label, error) {
	l, width, ok := At(s, 0)
	if !ok || width != len(s) {
		return Label{}, ErrUnknown
	}

	return l, nil
}

// Valid reports whether s is a label and nothing else.
func Valid(s string) bool {
	_, err := Parse(s)
	return err == nil
}

// At reports the label that begins at byte i of text, and its width in bytes.
func At(text string, i int) (l Label, width int, ok bool) {
	if i < 0 || i >= len(text) || text[i] != '[' {
		return Label{}, 0, false
	}
	head := text[i+1 : min(len(text), i+Longest)]
	inner, _, closed := strings.Cut(head, "]")
	kind, number, spaced := strings.Cut(inner, " ")
	if !closed || !spaced || !IsKind(kind) {
		return Label{}, 0, false
	}
	n, ok := digits(number)
	if !ok {
		return Label{}, 0, false
	}

	return Label{Kind: kind, N: n}, len(inner) + 2, true
}

// digits reads 1 to 4 digits without a leading zero.
func digits(s string) (int, bool) {
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

// All returns the distinct labels of text in the order in which they first appear.
func All(text string) []Label {
	var list []Label
	seen := map[Label]bool{}

	for i := strings.IndexByte(text, '['); i >= 0 && i < len(text); {
		l, width, ok := At(text, i)
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
