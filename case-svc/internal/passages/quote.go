package passages

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// Bounds of a quote in code points.
const (
	maxQuote = 300
	lead     = 120 // before the first word that matched, when its sentence begins further back
)

// sourceOf points at the part of a passage that is quoted: the sentence with the first word that matched and what follows, whole words
// only.
func sourceOf(h search.Hit) Source {
	runes := []rune(h.Text)
	from := begin(runes, firstMatch(h.Text, h.Matched))
	to := end(runes, from)
	return Source{
		FileID: h.FileID, TextVersion: h.TextVersion, Page: h.Page, Paragraph: h.Paragraph, Start: h.CharStart + from, End: h.CharStart + to,
		Quote: Fold(string(runes[from:to])),
	}
}

// Fold joins the words of a text by single blanks: the form in which quotes are compared with what they quote.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstMatch returns the code point at which the first of the words stands, 0 if none is found as written. A label is one word.
func firstMatch(text string, words []string) int {
	chars := 0
	for at := 0; at < len(text); {
		stop := wordEnd(text, at)
		if stop > at && slices.Contains(words, strings.ToLower(text[at:stop])) {
			return chars
		}
		if stop == at {
			_, stop = utf8.DecodeRuneInString(text[at:])
			stop += at
		}
		chars += utf8.RuneCountInString(text[at:stop])
		at = stop
	}
	return 0
}

// wordEnd returns where the word at byte at ends; at itself when there is none.
func wordEnd(text string, at int) int {
	if _, width, ok := guard.LabelAt(text, at); ok {
		return at + width
	}
	for i, r := range text[at:] {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return at + i
		}
	}
	return len(text)
}

// begin returns where to begin a quote of what stands at match: at its sentence, or at a word not far before it.
func begin(runes []rune, match int) int {
	far := max(0, match-lead)
	for at := match; at > far; at-- {
		if unicode.IsSpace(runes[at-1]) && at > 1 && strings.ContainsRune(".?!;:", runes[at-2]) {
			return at
		}
	}
	if far == 0 {
		return skipSpace(runes, 0)
	}
	for far < match && !unicode.IsSpace(runes[far-1]) {
		far++
	}
	return skipSpace(runes, far)
}

func skipSpace(runes []rune, at int) int {
	for at < len(runes) && unicode.IsSpace(runes[at]) {
		at++
	}
	return at
}

// end returns where a quote that begins at from ends: at the last word that fits.
func end(runes []rune, from int) int {
	to := min(len(runes), from+maxQuote)
	if to < len(runes) && !unicode.IsSpace(runes[to]) {
		cut := to
		for cut > from && !unicode.IsSpace(runes[cut-1]) {
			cut--
		}
		if cut > from { // else one word fills the quote
			to = cut
		}
	}
	for to > from && unicode.IsSpace(runes[to-1]) {
		to--
	}
	return to
}
