package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A rule that finds one part of a name may leave the other: a surname that is an everyday word behind a given name,
// a given name that is a town before a surname. Beside a word that was found the other part needs less evidence than
// by itself, and a label that hides half a name hides nothing.

// widen takes the parts beside a person's name into what was found of it.
func (n *names) widen() {
	for k := range n.found {
		f := &n.found[k]
		if f.kind != kindPerson && f.kind != kindName {
			continue
		}
		first, end := n.wordAt(f.start), n.wordAt(f.end)
		if first == end || int(n.words[first].start) != f.start || int(n.words[end-1].end) < f.end {
			continue
		}

		for first > 0 && n.givenBeside(first) {
			first--
		}
		if n.surnameBeside(first, end) {
			end++
		}
		f.start, f.end = int(n.words[first].start), max(f.end, int(n.words[end-1].end))
	}
}

// givenBeside reports whether the word before word i, where a name begins that was found, is its given name: "Arun
// Chabra", "ANN KELLIHAN".
func (n *names) givenBeside(i int) bool {
	g, s := &n.words[i-1], &n.words[i]
	if n.text[g.end:s.start] != " " || !g.has(capitalised) || g.has(initial|possessive) {
		return false
	}
	if s.has(initial|opening) || s.is&(lexicon.Given|lexicon.Honorific) != 0 {
		return false
	}
	if g.is&lexicon.Particle != 0 {
		return g.has(allCapitals) == s.has(allCapitals) && !g.has(opening) // DE VINCENTIS
	}
	before := n.lowered(i - 1)

	switch {
	case g.is&(lexicon.Honorific|lexicon.Calendar|lexicon.Head) != 0, roles.has(before), titles.has(before):
		return false
	case g.is&lexicon.Given != 0:
		return g.is&lexicon.Common == 0 || census.Given(before) > 0 && !g.has(opening)
	case g.is&^lexicon.Proper == lexicon.Place:
		return !domesticStates.has(before) && !demonyms.has(before) && !n.placePart(i-1)
	}

	return g.is == 0 && g.has(allCapitals) && s.has(allCapitals)
}

// surnameBeside reports whether word end is the surname of the name that was found from word first to before it: its
// last word is a given name or an initial, and what stands behind it ends a name.
func (n *names) surnameBeside(first, end int) bool {
	if end >= len(n.words) {
		return false
	}
	g, s := &n.words[end-1], &n.words[end]
	if !s.has(capitalised) || s.has(initial|opening) {
		return false
	}
	surname := n.lowered(end)
	if s.is&(publicWord|lexicon.Honorific|lexicon.Given) != 0 || notSurname(surname) {
		return false
	}

	switch n.text[g.end:s.start] {
	case " ":
	case ". ":
		if !g.has(initial) {
			return false
		}
	case "–":
		return g.has(allCapitals) == s.has(allCapitals) // HINDLE–RADIX
	default:
		return false
	}

	switch listed := s.is&lexicon.Surname != 0 || census.Surname(surname) > 0; {
	case g.is&lexicon.Particle != 0 && !g.has(capitalised):
		return true // Ayala de la Torre
	case g.is&lexicon.Given == 0 && !g.has(initial):
		return listed && g.is&lexicon.KnownProper != 0
	case listed:
		return true
	case end-first == 1:
		return n.rarerBehind(end)
	default:
		return n.closesPhrase(end)
	}
}

// rarerBehind reports whether word i, no everyday word, stands in running text right behind a frequent given name that
// is no other word, and no capitalised word behind it: it is the surname.
func (n *names) rarerBehind(i int) bool {
	if n.words[i].is&lexicon.Everyday != 0 || n.words[i].has(allCapitals) || n.goesOn(i+1) || !n.besideGiven(i) {
		return false
	}

	return n.words[i-1].has(opening) || i > 1 && lower(n.text[n.words[i-2].start])
}

// notSurname reports whether a word is one of papers and their people, as which it stands behind names.
func notSurname(s string) bool {
	switch {
	case grammar.has(s), party(s), defined.has(s), papersOf.has(s):
		return true
	case families.has(s), contractTitles.has(s), trades.has(s):
		return true
	}

	return institutions.has(s)
}

// closesPhrase reports whether a mark that ends a part of a sentence stands behind word i.
func (n *names) closesPhrase(i int) bool {
	rest := n.text[n.words[i].end:]
	return rest != "" && strings.IndexByte(",;.)", rest[0]) >= 0 && !n.words[i].has(possessive)
}
