package passages

import (
	"slices"
	"strings"
	"unicode"

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
	from := begin(runes, firstMatch(runes, h.Matched))
	to := end(runes, from)
	return Source{
		FileID: h.FileID, TextVersion: h.TextVersion, Page: h.Page, Paragraph: h.Paragraph, Start: h.CharStart + from, End: h.CharStart + to,
		Quote: Fold(string(runes[from:to])),
	}
}

// Fold joins the words of a text by single blanks: the form in which quotes are compared with what they quote.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstMatch returns where the first of the words stands, 0 if none is found as written.
func firstMatch(runes []rune, words []string) int {
	for at := 0; at < len(runes); {
		if !wordly(runes[at]) {
			at++
			continue
		}
		stop := at
		for stop < len(runes) && wordly(runes[stop]) {
			stop++
		}
		if slices.Contains(words, strings.ToLower(string(runes[at:stop]))) {
			return at
		}
		at = stop
	}
	return 0
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

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
