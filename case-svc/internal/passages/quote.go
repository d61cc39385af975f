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

// sourceOf points at the part of a passage that is quoted: whole words, from a sentence on, where most of the words that matched stand
// together.
func sourceOf(h search.Hit) Source {
	runes := []rune(h.Text)
	from := best(runes, matches(h.Text, h.Matched))
	to := end(runes, from)

	return Source{
		FileID: h.FileID, TextVersion: h.TextVersion, Page: h.Page, Paragraph: h.Paragraph, Start: h.CharStart + from, End: h.CharStart + to,
		Quote: Fold(string(runes[from:to])),
	}
}

// Fold joins the words of a text by single blanks: the form in which quotes are compared with what they quote.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// match is a place where one of the words stands.
type match struct {
	at, end int // code points
	word    int
}

// matches returns where the words stand as they are written. A label is one word.
func matches(text string, words []string) []match {
	var all []match
	chars := 0

	for at := 0; at < len(text); {
		stop := wordEnd(text, at)
		n := utf8.RuneCountInString(text[at:stop])
		if stop == at {
			_, width := utf8.DecodeRuneInString(text[at:])
			at, chars = at+width, chars+1

			continue
		}
		if w := slices.Index(words, strings.ToLower(text[at:stop])); w >= 0 {
			all = append(all, match{chars, chars + n, w})
		}
		at, chars = stop, chars+n
	}

	return all
}

// best returns where the quote begins that holds the most different words; of several the first.
func best(runes []rune, all []match) int {
	at, most := skipSpace(runes, 0), 0
	for i, m := range all {
		from := begin(runes, m.at)
		to := end(runes, from)
		seen := map[int]bool{}

		for _, other := range all[i:] {
			if other.end <= to {
				seen[other.word] = true
			}
		}
		if len(seen) > most {
			at, most = from, len(seen)
		}
	}

	return at
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

// begin returns where to begin a quote of what stands at match: at its sentence or paragraph, or at a word not far before it.
func begin(runes []rune, match int) int {
	far := max(0, match-lead)
	for at := match; at > far; at-- {
		if sentence(runes, at) {
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

// sentence reports whether one begins at a code point. The number of a paragraph is no sentence.
func sentence(runes []rune, at int) bool {
	if at < 3 || !unicode.IsSpace(runes[at-1]) || unicode.IsSpace(runes[at]) {
		return false
	}
	if runes[at-1] == '\n' && runes[at-2] == '\n' {
		return true
	}

	return strings.ContainsRune(".?!;:", runes[at-2]) && !unicode.IsDigit(runes[at-3])
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
