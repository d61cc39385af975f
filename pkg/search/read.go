package search

import (
	"slices"
)

// reader looks at candidates word by word.
type reader struct {
	query
	groupOf map[string]int   // stem to group
	isNear  map[string]bool  // stems that are only near in meaning
	known   map[seenWord]int // word as written to group, -1 for none
	words   []string         // of the present passage
}

// seenWord is a word in a text of a language.
type seenWord struct {
	tongue language
	word   string
}

func newReader(q query) *reader {
	r := &reader{query: q, groupOf: map[string]int{}, isNear: map[string]bool{}, known: map[seenWord]int{}}
	for i, g := range slices.Backward(q.groups) {
		for _, f := range g.forms {
			if _, known := r.groupOf[f.stem]; known && f.near && !r.isNear[f.stem] {
				// Another word of the query answers it better.
				continue
			}
			r.groupOf[f.stem], r.isNear[f.stem] = i, f.near
		}
	}

	return r
}

// group returns the group that a word of a text answers.
func (r *reader) group(tongue language, word string) (int, bool) {
	key := seenWord{tongue, word}
	g, ok := r.known[key]
	if !ok {
		g = -1
		if i, ok := r.groupOf[tongue.stem(word)]; ok {
			g = i
		}
		r.known[key] = g
	}

	return g, g >= 0
}

// look notes what matched in a candidate, adds to its score for words that stand together, and reports whether all
// phrases are there.
func (r *reader) look(e entry, c *candidate) bool {
	text := e.Text
	r.words = r.words[:0]
	eachToken(text, func(_, _ int, word string) { r.words = append(r.words, word) })

	for _, phrase := range r.phrases {
		if !contains(r.words, phrase) {
			return false
		}
	}
	noted := map[string]bool{}
	// Where each group was met last.
	last := map[int]int{}
	pairs := map[int]bool{}

	for at, word := range r.words {
		g, ok := r.group(e.tongue, word)
		if !ok {
			continue
		}
		if !noted[word] {
			noted[word] = true
			c.matched = append(c.matched, written(word))
			if r.isNear[e.tongue.stem(word)] {
				c.near = append(c.near, written(word))
			}
		}
		if before, ok := last[g-1]; ok && at-before <= nearWords {
			pairs[g] = true
		}
		last[g] = at
	}
	c.score *= 1 + nearBonus*float64(len(pairs))

	share := 0.0
	c.from, c.to, share = r.quote(text, e.tongue)
	c.score *= clauseShare + share

	return true
}

// contains reports whether words hold a phrase.
func contains(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}

	return false
}
