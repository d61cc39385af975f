package guard

import (
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// An id that a caller chose is letters and digits at random, or words: "thread_abc123", "lease-review-3". Rules for
// text would find names in one random id of a hundred, so only two words that are names together count there:
// "John_Smith", "smith.john.1971", "JohnSmith".

// onlyID reports whether a text on the channel of chosen ids has no blank and so is one.
func onlyID(text string, want set) bool {
	return want == evident && !strings.ContainsFunc(text, unicode.IsSpace)
}

// idPart is a part of an id: a word, or one behind a capital letter inside a word.
type idPart struct{ start, end int }

// chosenNames finds people in an id.
func (n *names) chosenNames() {
	var last idPart

	for i := range n.words {
		w := &n.words[i]
		for start, end := int(w.start), 0; start < int(w.end); start = end {
			end = start + 1
			for end < int(w.end) && !(upper(n.text[end]) && lower(n.text[end-1])) {
				end++
			}
			if end == start+1 {
				continue // a middle initial
			}
			part := idPart{start, end}
			if n.namedTogether(last, part, n.text[last.end:start]) {
				n.found = append(n.found, span{last.start, end, kindPerson, ruleFullName})
			}
			last = part
		}
		if census.Surname(n.lowered(i)) > 0 && n.besideVersus(i) {
			n.add(kindPerson, ruleVersus, i, i+1)
		}
	}
}

// namedTogether reports whether two parts of an id with gap between them name a person, in either order.
func (n *names) namedTogether(a, b idPart, gap string) bool {
	first, second := n.text[a.start:a.end], n.text[b.start:b.end]
	if len(gap) > longestIDGap || strings.ContainsAny(gap, "0123456789") {
		return false
	}
	if len(first)+len(second) < shortestIDName || min(len(first), len(second)-1) < 2 {
		return false
	}
	one, other := strings.ToLower(first), strings.ToLower(second)

	if listedPair(one, other) || listedPair(other, one) {
		return true
	}
	// What no list holds is shaped as a name, and stands apart from digits and other letters.
	if gap == "" || n.touched(a.start-1) || n.touched(b.end) {
		return false
	}

	if idTitles.has(one) {
		return len(other) > 3 && (!accounted(known(other)) || bornName(other))
	}

	return capitalisedName(first, one) && capitalisedName(second, other)
}

// touched reports whether byte i is a letter or digit.
func (n *names) touched(i int) bool { return i >= 0 && i < len(n.text) && wordByte(n.text[i]) }

const (
	shortestIDName = 7 // letters of a name in an id: fewer are there by chance
	longestIDGap   = 3 // bytes between its words, such as an initial with its marks
)

// idTitles are titles that are no abbreviation of anything else.
var idTitles = setOf(`mr mrs herr frau`)

// listedPair reports whether two words in small letters are a given name and a surname, and no other words unless the
// surname is a frequent one.
func listedPair(given, surname string) bool {
	const names = lexicon.Given | lexicon.KnownProper
	g, first := known(given), census.Given(given)
	if g&names != names || g&noName != 0 || !bornName(surname) {
		return false
	}
	// Programs make ids of two words too, "misty-brook": one that is a word must be a given name before all.
	if g&lexicon.Ordinary != 0 && (first == 0 || first > mostGivenInID) {
		return false
	}

	return known(surname)&noName == 0 || first > 0
}

// noName is what a word is that names nobody by itself.
const noName = publicWord | lexicon.Everyday | lexicon.Honorific | lexicon.Particle

// bornName reports whether a word in small letters is a surname, and no other word unless it is a frequent one.
func bornName(surname string) bool {
	const bears = lexicon.Surname | lexicon.KnownProper
	s, last := known(surname), census.Surname(surname)
	if s&bears != bears {
		return false
	}

	return s&noName == 0 || s&publicWord == 0 && last > 0 && last <= mostFrequent
}

// mostGivenInID is the rank up to which a word is a given name before all.
const mostGivenInID = 60

// capitalisedName reports whether a part of an id, also in small letters, is written and shaped as a name is, and is no
// dictionary word.
func capitalisedName(part, small string) bool {
	if len(part) < 5 || part[0] == small[0] || part[1:] != small[1:] {
		return false
	}

	return !accounted(known(small)) && wordShaped([]rune(small))
}
