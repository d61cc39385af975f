package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// MaxQuote is the longest quote in code points.
const MaxQuote = 600

const (
	usualQuote = 300 // code points that a quote has when a clause ends before that
	wordWeight = 16  // a word of a quote for so many labels
	lead       = 120 // before the first word that matched, when its sentence begins further back
)

// Quote returns the part of the passage to show, in code points of its text: whole clauses where most of the words that
// matched stand together. It begins with a sentence, an item of a list or a row of a table, and ends with one, unless that
// would make it longer than MaxQuote.
func (h Hit) Quote() (from, to int) {
	runes := []rune(h.Text)
	all := matches(h.Text, h.Matched)
	from = best(runes, h.Matched, all)
	needed := from

	for _, m := range all {
		if m.at >= from && m.end <= from+usualQuote {
			needed = m.end
		}
	}

	return from, clauseEnd(runes, from, needed)
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
		stop := wordOrLabelEnd(text, at)
		n := utf8.RuneCountInString(text[at:stop])
		if stop == at {
			_, width := utf8.DecodeRuneInString(text[at:])
			at, chars = at+width, chars+1

			continue
		}
		word := text[at:stop]
		if w := slices.IndexFunc(words, func(s string) bool { return strings.EqualFold(s, word) }); w >= 0 {
			all = append(all, match{chars, chars + n, w})
		}
		at, chars = stop, chars+n
	}

	return all
}

// best returns where the quote begins that holds the most different words; of several the first.
func best(runes []rune, words []string, all []match) int {
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
		// Who is spoken of settles only between places that say equally much.
		weight := 0
		for w := range seen {
			weight += wordWeight
			if isLabel(words[w]) {
				weight -= wordWeight - 1
			}
		}
		if weight > most {
			at, most = from, weight
		}
	}

	return at
}

// wordOrLabelEnd returns where the word at byte at ends; at itself when there is none.
func wordOrLabelEnd(text string, at int) int {
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
	if runes[at-1] == '\n' && (runes[at-2] == '\n' || item(runes, at)) {
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

// end returns where a quote of the usual length that begins at from ends.
func end(runes []rune, from int) int { return cutAt(runes, from, usualQuote) }

// cutAt returns where a text that begins at from ends when it may have so many code points: at the last word that fits.
func cutAt(runes []rune, from, most int) int {
	to := min(len(runes), from+most)
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

// clauseEnd returns where a quote that begins at from ends. It ends with a clause: the last one of the usual length that
// leaves nothing needed out, else the first one behind that. A clause that is too long is cut behind a word.
func clauseEnd(runes []rune, from, needed int) int {
	last := 0

	for at := from + 1; at <= len(runes) && at <= from+MaxQuote; at++ {
		if at < len(runes) && !clause(runes, at) {
			continue
		}
		if at > from+usualQuote && last >= max(needed, from+1) {
			break
		}
		last = at
		if at > from+usualQuote {
			break
		}
	}
	if last < needed || last == 0 {
		last = cutAt(runes, from, MaxQuote)
	}

	for last > from && unicode.IsSpace(runes[last-1]) {
		last--
	}

	return last
}

// clause reports whether a sentence, a paragraph, an item of a list or a row of a table ends before a code point.
func clause(runes []rune, at int) bool {
	if at < 2 || !unicode.IsSpace(runes[at]) {
		return false
	}
	if runes[at] == '\n' && (at+1 < len(runes) && runes[at+1] == '\n' || item(runes, at+1)) {
		return true
	}

	end := at - 1
	for end > 0 && strings.ContainsRune(`)"'”’`, runes[end]) {
		end--
	}
	if !strings.ContainsRune(".?!;", runes[end]) || end < 2 {
		return false
	}
	next := skipSpace(runes, at)
	if runes[end] != '.' {
		return true
	}
	if next < len(runes) && unicode.IsLower(runes[next]) {
		return false
	}

	return !shortened(runes, end)
}

// shortened reports whether the full stop at a code point belongs to a word that is cut short, an initial, or the number of
// a paragraph or a thing.
func shortened(runes []rune, stop int) bool {
	start := stop
	for start > 0 && !unicode.IsSpace(runes[start-1]) && stop-start < 12 {
		start--
	}
	word := strings.TrimLeft(string(runes[start:stop]), "([“\"")
	if word == "" || strings.Contains(word, ".") || utf8.RuneCountInString(word) == 1 {
		return true
	}
	if strings.Trim(word, "0123456789") == "" {
		return start == 0 || runes[start-1] == '\n'
	}

	switch strings.ToLower(word) {
	case "no", "nos", "vs", "mr", "ms", "mrs", "dr", "st", "inc", "corp", "co", "ltd", "art", "sec", "abs", "nr", "bzw", "ca", "fed", "civ", "cir", "ex", "cf",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept", "oct", "nov", "dec", "para", "cl", "pp", "approx":
		return true
	}

	return false
}

// item reports whether a line that begins at a code point is an item of a list, a row of a table or a heading.
func item(runes []rune, at int) bool {
	at = skipBlanks(runes, at)
	if at >= len(runes) {
		return false
	}
	next := func(i int) bool { return i < len(runes) && unicode.IsSpace(runes[i]) }

	switch runes[at] {
	case '|':
		return true
	case '-', '*', '•', '–', '#':
		return next(at+1) || at+1 < len(runes) && runes[at+1] == '#'
	case '(':
		end := at + 1
		for end < len(runes) && end-at < 6 && (unicode.IsLetter(runes[end]) || unicode.IsDigit(runes[end])) {
			end++
		}

		return end > at+1 && end < len(runes) && runes[end] == ')' && next(end+1)
	}

	end := at
	for end < len(runes) && end-at < 8 && (unicode.IsDigit(runes[end]) || runes[end] == '.' && end > at) {
		end++
	}

	return end > at && next(end) && (runes[end-1] == '.' || strings.ContainsRune(string(runes[at:end]), '.')) ||
		end > at && end < len(runes) && runes[end] == ')' && next(end+1)
}

func skipBlanks(runes []rune, at int) int {
	for at < len(runes) && (runes[at] == ' ' || runes[at] == '\t') {
		at++
	}

	return at
}
