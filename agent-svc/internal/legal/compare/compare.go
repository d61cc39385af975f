// Package compare sets two texts side by side, sentence by sentence: what only one of them says, and what both say in
// other words, with the dates, sums, numbers and defined terms that differ.
package compare

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// Change is one difference. Before is empty for what only the second text says, After for what only the first does.
type Change struct {
	Before, After facts.Span
	// Dates, Sums, Numbers and Terms hold what of each sort the two sentences do not share. They are empty when one
	// side is.
	Dates, Sums, Numbers, Terms Pair
}

// Pair holds what stands on one side only, in the order of the text.
type Pair struct{ Before, After []string }

func (p Pair) empty() bool { return len(p.Before)+len(p.After) == 0 }

// Changed reports whether both texts have the sentence, in other words.
func (c Change) Changed() bool { return c.Before.End > 0 && c.After.End > 0 }

// Telling reports whether a date, a sum, a number or a defined term has changed.
func (c Change) Telling() bool {
	return !c.Dates.empty() || !c.Sums.empty() || !c.Numbers.empty() || !c.Terms.empty()
}

// Result is how two texts differ, in the order of the first text and, where that has nothing, of the second.
type Result struct {
	Changes []Change
	Same    int  // sentences that both have, white space aside
	Full    bool // a text has more sentences than are compared
}

// Texts compares two texts. It takes time about linear in their length when they are alike, and a bounded multiple of
// it when they are not; it then finds a way from one to the other that is not the shortest.
func Texts(before, after string) Result {
	a, fullA := facts.Sentences(before)
	b, fullB := facts.Sentences(after)
	// Sentences are compared folded, so that another line break is no difference.
	linesA, linesB := folded(before, a), folded(after, b)

	r := Result{Full: fullA || fullB, Same: len(a)}
	for _, d := range lcs.DiffLines(linesA, linesB) {
		r.Same -= d.End - d.Start
		r.Changes = append(r.Changes, align(
			before, after,
			a[d.Start:d.End], b[d.ReplStart:d.ReplEnd],
			linesA[d.Start:d.End], linesB[d.ReplStart:d.ReplEnd],
		)...)
	}

	return r
}

func folded(text string, list []facts.Span) []string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = facts.Fold(s.In(text))
	}

	return lines
}

const (
	alike = 0.5 // the share of words from which two sentences count as one that was changed
	ahead = 8   // how many sentences further on the counterpart of one is looked for
)

// align pairs the sentences of a stretch that differs: each with the first one not far ahead that shares half of its
// words.
func align(before, after string, a, b []facts.Span, linesA, linesB []string) []Change {
	var list []Change

	next := 0 // of b
	for i := range a {
		// Looking only a little ahead keeps the work linear, and takes a sentence that moved far for two.
		at := slices.IndexFunc(linesB[next:min(len(b), next+ahead)], func(s string) bool {
			return likeness(linesA[i], s) >= alike
		})
		if at < 0 {
			list = append(list, Change{Before: a[i]})
			continue
		}

		for _, only := range b[next : next+at] {
			list = append(list, Change{After: only})
		}
		list = append(list, changed(before, after, a[i], b[next+at]))
		next += at + 1
	}

	for _, only := range b[next:] {
		list = append(list, Change{After: only})
	}

	return list
}

const mostWords = 400 // of a sentence, that are compared

// likeness is the share of words that two sentences have in common, by Dice's measure over words with their
// repetitions.
func likeness(a, b string) float64 {
	x, y := words(a), words(b)
	if len(x)+len(y) == 0 {
		return 0
	}

	there := map[string]int{}
	for _, w := range x {
		there[w]++
	}
	shared := 0

	for _, w := range y {
		if there[w] > 0 {
			// Each word of the one side meets one of the other, so that repeating a word earns nothing.
			there[w]--
			shared++
		}
	}

	return 2 * float64(shared) / float64(len(x)+len(y))
}

func words(s string) []string {
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" ,.;:()\"“”'’", r)
	})

	return list[:min(len(list), mostWords)]
}

// changed says what differs between two sentences.
func changed(before, after string, a, b facts.Span) Change {
	x, y := a.In(before), b.In(after)
	c := Change{Before: a, After: b}
	c.Dates = differing(dates(x), dates(y))
	c.Sums = differing(sums(x), sums(y))
	c.Numbers = differing(numbers(x), numbers(y))
	c.Terms = differing(terms(x), terms(y))

	return c
}

// differing leaves out of both lists what they share, as often as they share it.
func differing(a, b []string) Pair {
	without := func(list, other []string) []string {
		there := map[string]int{}
		for _, s := range other {
			there[s]++
		}
		var left []string

		for _, s := range list {
			if there[s]--; there[s] < 0 {
				left = append(left, s)
			}
		}

		return left
	}

	return Pair{without(a, b), without(b, a)}
}

func dates(s string) []string {
	var list []string

	for _, d := range facts.Dates(s) {
		text := d.String()
		if d.Ambiguous {
			text += " or " + d.Swapped().String()
		}
		list = append(list, text)
	}

	return list
}

func sums(s string) []string {
	var list []string
	for _, a := range facts.Amounts(s) {
		list = append(list, a.Decimal()+" "+a.Currency)
	}

	return list
}

func terms(s string) []string {
	var list []string
	for _, t := range facts.Defined(s) {
		list = append(list, strings.Clone(t.In(s)))
	}

	return list
}

// numbers returns the numbers of a sentence but those of labels, dates and sums and the one of its own place in a list;
// words such as "thirty" count.
func numbers(s string) []string {
	s = strings.TrimLeft(s, "#( \t\n")
	if end := strings.IndexAny(s, " \t\n"); end > 0 && strings.Trim(s[:end], "0123456789.)") == "" {
		// The number of a paragraph changes when one is put in before it, and says nothing.
		s = s[end:]
	}
	var list []string

	var taken []facts.Span
	for _, l := range facts.Labels(s) {
		taken = append(taken, l.Span)
	}

	for _, d := range facts.Dates(s) {
		taken = append(taken, d.Span)
	}

	for _, a := range facts.Amounts(s) {
		taken = append(taken, a.Span)
	}

	for at := 0; at < len(s); {
		end := at
		for end < len(s) && inWord(s, at, end) {
			end++
		}
		if end == at {
			at++
			continue
		}
		word := s[at:end]
		// Dates, sums and labels are compared by themselves.
		within := slices.ContainsFunc(taken, func(t facts.Span) bool { return t.Start <= at && at < t.End })
		_, spelled := facts.NumberWord(word)
		if !within && (digit(word[0]) || spelled) {
			list = append(list, strings.ToLower(word))
		}
		at = end
	}

	return list
}

// inWord reports whether byte i goes on with the word or number that begins at byte start: a letter, a digit, or the
// mark of a decimal or of thousands before a digit.
func inWord(s string, start, i int) bool {
	if digit(s[i]) || letter(s[i]) {
		return true
	}
	mark := i > start && (s[i] == '.' || s[i] == ',')

	return mark && i+1 < len(s) && digit(s[i+1])
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
