package guard

import (
	"slices"
	"strings"
	"unicode"
)

// numberForm is a way to write characters as numbers, one after the other.
type numberForm struct {
	prefix, suffix string // in small letters
	base           int
	least, most    int // figures
}

// numberForms are the ways that are known. Without a prefix, numbers are a text only if it looks like words.
var numberForms = []numberForm{
	{"u+", "", 16, 4, 6},
	{"0x", "", 16, 2, 6},
	{"0o", "", 8, 2, 7},
	{"chr(", ")", 10, 2, 7},
	{"char(", ")", 10, 2, 7},
	{`\`, "", 8, 3, 3},
	{`\`, "", 16, 2, 6},
	{"", "", 10, 2, 3},
	{"", "", 8, 3, 3},
	{"", "", 16, 2, 2},
}

// What a run of numbers must have to be a text, and what is looked at together.
const (
	fewestNumbered  = 3   // characters with a prefix
	fewestSpelt     = 6   // letters without one
	fewestSpeltFlat = 14  // the same of one word in small letters alone, or in capitals, as readings from 65 to 90 are
	fewestInBytes   = 8   // the same of bytes in hexadecimal, which no reading is
	mostNumbered    = 256 // characters
	mostConsonants  = 4   // in a row
	mostInFlat      = 2   // the same in such a word, where y is one too
)

// numbered finds characters that are written as a list of numbers: octal escapes, code points, codes in hexadecimal.
// It notes them and returns where they end, or i.
func (v *veiled) numbered(i int) int {
	if i < v.counted || i > 0 && wordByte(v.text[i-1]) {
		return i
	}

	first := v.text[i]
	if upper(first) {
		first |= 0x20
	}

	for _, form := range numberForms {
		if form.prefix != "" && form.prefix[0] != first || !form.begins(v.text, i) {
			continue
		}
		end, text := form.read(v.text, i)
		if len(text) < fewestNumbered {
			continue
		}
		if form.says(text) {
			v.found = append(v.found, span{i, end, kindHidden, ruleEncoded})
			return end
		}
		v.counted = max(v.counted, end) // no part of it is looked at again
	}

	return i
}

// begins reports whether two characters may stand at byte i: fewer are no text, and most numbers are no character.
func (f numberForm) begins(text string, i int) bool {
	_, next := f.one(text, i)
	if next == i {
		return false
	}
	second := next + len(f.gap(text, next))
	_, end := f.one(text, second)

	return end > second
}

// says reports whether characters that were written in a form are a text.
func (f numberForm) says(text []rune) bool {
	if f.prefix == "" {
		if f.base == 16 {
			return speltOut(text, fewestInBytes)
		}

		return speltOut(text, fewestSpeltFlat)
	}
	letters := 0

	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}

	return letters >= fewestNumbered
}

// read reads characters from byte i on, and returns where they end.
func (f numberForm) read(text string, i int) (end int, out []rune) {
	between := ""
	end = i

	for at := i; len(out) < mostNumbered; {
		r, next := f.one(text, at)
		if next == at {
			break
		}
		out, end = append(out, r), next

		gap := f.gap(text, next)
		sign := strings.TrimSpace(gap)
		if f.prefix == "" && (gap == "" || len(out) > 1 && sign != between) {
			break // numbers without a prefix have the same sign, or blanks, between each two
		}
		between, at = sign, next+len(gap)
	}

	return end, out
}

// gap returns what stands between two numbers.
func (f numberForm) gap(text string, i int) string {
	const longestGap = 3
	signs := " \t\r\n,;|:-/"
	if f.prefix != "" {
		signs += `+."'&`
	}

	end := i
	for end < len(text) && end-i < longestGap && strings.IndexByte(signs, text[end]) >= 0 {
		end++
	}

	return text[i:end]
}

// one reads a character at byte i, and returns where it ends; i when there is none.
func (f numberForm) one(text string, i int) (r rune, end int) {
	r, end = f.figures(text, i)
	// Digits that go on are a longer number, and no character.
	if f.suffix == "" && end < len(text) && (alphanumeric(text[end]) || text[end] == '_') {
		return 0, i
	}
	if !unicode.IsPrint(r) {
		return 0, i
	}

	return r, end
}

// figures reads the number of a character at byte i, and returns where it ends; i when there is none.
func (f numberForm) figures(text string, i int) (r rune, end int) {
	at := i + len(f.prefix)
	if at > len(text) || !equalSmall(text[i:at], f.prefix) {
		return 0, i
	}

	end = at
	for end < len(text) && end-at < f.most {
		value := hexValue(text[end])
		if value < 0 || value >= f.base {
			break
		}
		r = r*rune(f.base) + rune(value)
		end++
	}
	if end-at < f.least || !strings.HasPrefix(text[end:], f.suffix) {
		return 0, i
	}

	return r, end + len(f.suffix)
}

// equalSmall reports whether a text is another one, which is in small letters.
func equalSmall(text, other string) bool {
	for i := range len(text) {
		c := text[i]
		if upper(c) {
			c |= 0x20
		}
		if c != other[i] {
			return false
		}
	}

	return true
}

// speltOut reports whether characters look like words: lists of pages rise, and readings of instruments have neither
// capitals in their places nor vowels. A word that is all in capitals, or has none, must be longer.
func speltOut(text []rune, fewestFlat int) bool {
	rises := true
	for i := 1; i < len(text); i++ {
		rises = rises && text[i] >= text[i-1]
	}
	// Pages, lines and years of a list rise; letters of a word do not.
	if rises {
		return false
	}
	letters, words, titled, plain := 0, 0, false, true
	spaced := slices.Contains(text, ' ')

	for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		runes := []rune(word)
		if !wordShaped(runes) {
			return false
		}
		letters += len(runes)
		words++
		titled = titled || len(runes) > 1 && unicode.IsUpper(runes[0]) && unicode.IsLower(runes[1])
		plain = plain && consonants(word, "aeiou") <= mostInFlat
	}
	if letters*10 < len(text)*7 {
		return false
	}

	if titled || spaced && words > 1 {
		return letters >= fewestSpelt
	}

	return words == 1 && letters >= fewestFlat && plain
}

// wordShaped reports whether letters have the capitals and vowels of a word.
func wordShaped(word []rune) bool {
	capitals := 0

	for _, r := range word {
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	titled := capitals == 1 && unicode.IsUpper(word[0])
	// The y is a vowel here: "Lynn" is a name.
	most := consonants(string(word), "aeiouy")
	spoken := len(word) == 1 || most < len(word) && most <= mostConsonants

	return spoken && (capitals == 0 || capitals == len(word) || titled)
}

// consonants returns how many letters that are no vowels follow each other at the most.
func consonants(word, vowels string) (most int) {
	n := 0

	for _, r := range word {
		if n++; r >= 0x80 || strings.ContainsRune(vowels, unicode.ToLower(r)) {
			n = 0
		}
		most = max(most, n)
	}

	return most
}

// binaryHeader is how text begins that yEnc makes of bytes: each is moved by 42, so that nobody reads the rest.
const binaryHeader = "=ybegin "

// mostHeader bounds that line, in bytes.
const mostHeader = 512

// moved notes the first line of what yEnc made, and returns where it ends, or i.
func (v *veiled) moved(i int) int {
	if !strings.HasPrefix(v.text[i:], binaryHeader) || i > 0 && v.text[i-1] > ' ' {
		return i
	}
	line, _, _ := strings.Cut(v.text[i:min(len(v.text), i+mostHeader)], "\n")
	if !strings.Contains(line, " name=") && !strings.Contains(line, " size=") {
		return i
	}
	v.found = append(v.found, span{i, i + len(line), kindHidden, ruleEncoded})

	return i + len(line)
}

// mayBeNumbered reports whether a list of numbers, or the header of yEnc, may begin at byte i.
func mayBeNumbered(text string, i int) bool {
	switch c := text[i]; {
	case digit(c), c == '\\', c == '=':
		return true
	case i+2 >= len(text):
		return false
	case c|0x20 == 'u':
		return text[i+1] == '+'
	case hexDigit(c):
		return text[i+1]|0x20 == 'h' || hexDigit(text[i+1]) && !alphanumeric(text[i+2])
	}

	return false
}
