package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// longestNearLabel bounds how far a bracket is read in search of a label gone wrong.
const longestNearLabel = 32

// nearLabel reports whether the bracket at byte i of text is meant as a label without being one, and its width. Meant
// as a label is a bracket of a kind in any case, then one number, number word, Roman number or single letter, however
// they are joined.
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
	// The plural is meant as a label too: "[Orgs 1]".
	if !label.IsKind(title(kind)) && !label.IsKind(title(strings.TrimSuffix(kind, "s"))) {
		return 0, false
	}
	if (kind == "id" || kind == "ref") && strings.HasPrefix(rest, ".") {
		return 0, false // "Id. 5" and "Ref. 12" are how lawyers cite
	}

	// Editors put hyphens and blanks of their own where people type plain ones.
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

// numberLike reports whether a lower-case word counts things: digits, one letter, a Roman number up to 39 or a number
// word.
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

	return strings.Trim(word, tenDigits) == "" || len(word) <= 6 && strings.Trim(word, "ivx") == ""
}
