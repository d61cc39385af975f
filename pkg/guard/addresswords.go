package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word reads the word that begins at byte i, with apostrophes, hyphens and strokes inside, and returns its end.
func (c *codes) word(i int) (word string, end int) {
	end = i
	if end == len(c.text) || !wordByte(c.text[end]) {
		return "", end
	}

	for end < len(c.text) && end-i < longestAddressWord && (wordByte(c.text[end]) || c.linkAt(end)) {
		end++
	}

	return c.text[i:end], end
}

// longestAddressWord bounds a word of an address, in bytes.
const longestAddressWord = 40

// linkAt reports whether the byte at i is a mark inside a word, with a letter or digit behind it.
func (c *codes) linkAt(i int) bool {
	return strings.IndexByte("'-/", c.text[i]) >= 0 && i+1 < len(c.text) && wordByte(c.text[i+1])
}

// smallWord is a word of the text, which ends at byte end, in lower case.
func (c *codes) smallWord(word string, end int) string {
	// Lowering ASCII keeps each byte in its place, so that the shared copy of the text can be cut.
	if ascii(word) {
		return c.cited.small()[end-len(word) : end]
	}

	return strings.ToLower(word)
}

// wordBefore reads the word that ends at byte i and returns its start.
func (c *codes) wordBefore(i int) (start int, word string) {
	start = i
	// The dot of an abbreviation, "St. 12", is no part of the word that is looked up.
	if start > 0 && c.text[start-1] == '.' {
		start--
		i = start
	}

	for start > 0 && i-start < longestAddressWord && c.wordReaches(start-1) {
		start--
	}

	return start, c.text[start:i]
}

// wordReaches reports whether the byte at i is of the word that goes on behind it: a letter or digit, or a mark with
// one before it.
func (c *codes) wordReaches(i int) bool {
	if wordByte(c.text[i]) {
		return true
	}

	return strings.IndexByte("'-/", c.text[i]) >= 0 && i > 0 && wordByte(c.text[i-1])
}

// trim steps back over blanks and one comma.
func (c *codes) trim(i int) int {
	for i > 0 && (c.text[i-1] == ' ' || c.text[i-1] == ',') {
		i--
	}

	return i
}

// skip steps over up to two of the marks.
func (c *codes) skip(i int, marks string) int {
	for n := 0; i < len(c.text) && n < 2 && strings.IndexByte(marks, c.text[i]) >= 0; n++ {
		i++
	}

	return i
}

// dot steps over the dot of an abbreviation.
func (c *codes) dot(i int) int {
	if i < len(c.text) && c.text[i] == '.' {
		return i + 1
	}

	return i
}

// capital reports whether a word begins with a capital letter or is a number with an ending, as in "5th
// Avenue".
func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) || r >= '0' && r <= '9' && strings.Trim(word, tenDigits) != ""
}
