package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// eachToken calls use for every word of a text in lower case, with the bytes it stands in. A label is one word and
// keeps its brackets. Digits keep their points ("12.3") and lose their commas; letters with points between become one
// word ("U.S.C."); a possessive ending is dropped; a hyphen parts words.
func eachToken(text string, use func(start, end int, word string)) {
	for i := 0; i < len(text); {
		if text[i] == '[' {
			if l, width, ok := label.At(text, i); ok {
				use(i, i+width, strings.ToLower(l.String()))
				i += width

				continue
			}
		}
		if end, plain := plainWord(text, i); plain {
			use(i, end, strings.ToLower(text[i:end]))
			i = end

			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			i += width
			continue
		}
		end := wordEnd(text, i)
		if word := fold(text[i:end]); word != "" {
			use(i, end, word)
		}
		i = end
	}
}

// isLabel reports whether a word of a text is a label.
func isLabel(word string) bool { return word != "" && word[0] == '[' }

// written gives a label back the form in which it is written; other words stay as they are compared.
func written(word string) string {
	if !isLabel(word) {
		return word
	}

	return "[" + strings.ToUpper(word[1:2]) + word[2:]
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte(byte(r))
	}

	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func wordByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}

	return false
}

// plainWord returns where the run of ASCII letters and digits at byte start ends, and whether nothing behind it can
// belong to the same word: most words are of this kind.
func plainWord(text string, start int) (end int, plain bool) {
	end = start
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	if end == start {
		return end, false
	}
	if end == len(text) {
		return end, true
	}

	switch c := text[end]; c {
	// "3.5", "U.S." and "tenant's" go on behind their sign.
	case '.', ',', '\'':
		return end, end+1 == len(text) || text[end+1] < utf8.RuneSelf && !wordByte(text[end+1])
	default:
		return end, c < utf8.RuneSelf
	}
}

// wordEnd returns where the word that begins at byte start ends.
func wordEnd(text string, start int) int {
	// Letters since the last point.
	letters := 0
	acronym := true

	for i := start; ; {
		r, width := utf8.DecodeRuneInString(text[i:])
		if i < len(text) && wordRune(r) {
			letters++
			i += width

			continue
		}
		next, _ := utf8.DecodeRuneInString(text[min(len(text), i+width):])

		before, _ := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case i == len(text):
			return i
		case r == '\'' || r == '’':
			if !unicode.IsLetter(before) || !unicode.IsLetter(next) {
				return i
			}
		case r == ',' || r == '.' && unicode.IsDigit(before):
			if !unicode.IsDigit(before) || !unicode.IsDigit(next) {
				return i
			}
		case r == '.':
			acronym = acronym && letters == 1
			if !acronym || !unicode.IsLetter(next) {
				return i
			}
			letters = 0
		default:
			return i
		}
		i += width
	}
}

// fold brings a word that is not plain into the form in which it is compared.
func fold(word string) string {
	word = strings.ToLower(word)
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	if !strings.ContainsAny(word, ".,'’") {
		return word
	}
	digits := strings.ContainsAny(word, "0123456789")

	return strings.Map(func(r rune) rune {
		if r == '.' && digits {
			return r
		}
		if r == '.' || r == ',' || r == '\'' || r == '’' {
			return -1
		}

		return r
	}, word)
}
