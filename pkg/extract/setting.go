package extract

import (
	_ "embed"
	"strings"
	"sync"
)

// formatText are the words of which the values of Word files, OpenDocument texts and pages consist.
//
//go:embed formatwords.txt
var formatText string

var formatWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(formatText) {
		words[word] = true
	}

	return words
})

// What a value of a format may have beside its words.
const (
	mostSetting = 64 // bytes, if it has letters
	mostDigits  = 10 // that follow each other, beside letters
	mostLone    = 2  // letters that stand alone
)

// setting reports whether a value is one of a format's own: numbers, colours, identifiers of programs, and words that
// formats know. What people write is none, with blanks or without them.
func setting(value string) bool {
	value = strings.TrimSpace(value)
	if strings.ContainsAny(value, " \t\n") {
		return strings.Trim(value, "0123456789.,-+ \t\n") == ""
	}
	if hexadecimal(strings.Trim(value, "#{}")) {
		return true
	}
	words, lone, digits := 0, 0, 0

	for rest := value; rest != ""; {
		word := formatWord(rest)
		rest = rest[len(word):]

		switch c := word[0]; {
		case c >= 0x80:
			return false
		case c >= '0' && c <= '9':
			digits = max(digits, len(word))
		case !spelt(word):
		case len(word) == 1:
			lone++
			words++
		case !formatWords()[strings.ToLower(word)]:
			return false
		default:
			words++
		}
	}

	return words == 0 || len(value) <= mostSetting && lone <= mostLone && digits <= mostDigits
}

// mostUnnamed is how many letters a word of a drawing may have that formats do not know, such as nfe in a path.
const mostUnnamed = 3

// machineValue reports whether a value for machines, which has blanks, consists of words that formats know.
func machineValue(value string) bool {
	for rest := value; rest != ""; {
		word := formatWord(rest)
		rest = rest[len(word):]
		if word[0] >= 0x80 || len(word) > mostUnnamed && spelt(word) && !formatWords()[strings.ToLower(word)] {
			return false
		}
	}

	return true
}

func spelt(word string) bool { return upper(word[0]) || lower(word[0]) }

// formatWord returns the word with which a text begins: letters as in nextPage, which are two words, or figures; any
// other sign stands for itself.
func formatWord(text string) string {
	n := 1

	switch c := text[0]; {
	case c >= '0' && c <= '9':
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
	case upper(c):
		for n < len(text) && upper(text[n]) {
			n++
		}
		if n > 1 && n < len(text) && lower(text[n]) {
			// The last capital begins another word.
			return text[:n-1]
		}
		if n == 1 {
			n += smallLetters(text[1:])
		}
	case lower(c):
		n = smallLetters(text)
	}

	return text[:n]
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// smallLetters counts the small letters with which a text begins.
func smallLetters(text string) (n int) {
	for n < len(text) && lower(text[n]) {
		n++
	}

	return n
}

// hexadecimal reports whether a value is a colour or an identifier in hexadecimal digits. Those of letters alone could
// be words, unless they come in pairs, as grey does in DDDDDD.
func hexadecimal(value string) bool {
	const guid = 32
	digits, paired := 0, true
	plain := strings.ReplaceAll(value, "-", "")

	for i := range len(plain) {
		if unhex(plain[i]) < 0 {
			return false
		}
		if plain[i] <= '9' {
			digits++
		}
		paired = paired && plain[i] == plain[i&^1]
	}

	switch len(plain) {
	case guid:
		return digits > guid/4
	case 4:
		return digits > 1 && plain == value
	case 6, 8:
		return (digits > 0 || paired) && plain == value
	}

	return false
}
