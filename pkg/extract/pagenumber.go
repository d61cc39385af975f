package extract

import (
	"strings"
	"unicode"
)

// beyondPage reports whether the part stands at the head or foot of every page.
func (f *flow) beyondPage() bool { return f.kind == "header" || f.kind == "footer" }

// countsPages reports whether instructions of fields show the number of a page, or of all pages.
func countsPages(codes string) bool {
	for word := range strings.FieldsSeq(codes) {
		switch strings.ToUpper(word) {
		case "PAGE", "NUMPAGES", "SECTIONPAGES":
			return true
		}
	}

	return false
}

// pageWords stand beside the number of a page and say no more than it does.
var pageWords = map[string]bool{"page": true, "p": true, "pp": true, "of": true, "seite": true, "s": true, "von": true}

// pageNumber reports whether a paragraph says no more than the number of a page, such as "3", "- iv -" or
// "Page 3 of 12".
func pageNumber(text string) bool {
	numbers := 0
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

	for word := range strings.FieldsFuncSeq(strings.ToLower(text), apart) {
		switch {
		case strings.Trim(word, "0123456789") == "", strings.Trim(word, "ivxlcdm") == "":
			numbers++
		case !pageWords[word]:
			return false
		}
	}

	return numbers > 0 && numbers <= 2
}
