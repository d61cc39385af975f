package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// versus judges the parties of a case. Those of a published decision are a citation, any others are people.
func (n *names) versus(first, end int, w *weight, a *around) bool {
	at := -1
	if a.before != "" && n.contra(first-1) {
		at = first - 1
	}

	// The other party may be some words away: "Ada Hale et al. v.".
	for i := end; at < 0 && i < len(n.words) && i < end+6 && n.words[i].start-n.words[end-1].end < 40; i++ {
		if n.contra(i) {
			at = i
		}
	}
	if at >= end && strings.IndexByte(n.text[n.words[end-1].end:n.words[at].start], ']') >= 0 {
		return false // the party is the label in between
	}
	if at < 0 {
		return false
	}
	if at == end && n.leading(at) && n.namedBefore(w.first, end-1) {
		n.learn(w.first, end-1, true)
		n.add(kindPerson, ruleVersus, w.first, end-1)

		return true // Thaddeus Wexmoor Roe v. Wade
	}
	if n.leading(at) || n.published(at, at >= end && n.fullName(w)) {
		if at >= end && !n.inTitle(w.first, at) {
			return false // the case is another matter
		}
		n.add(kindCitation, ruleCitation, w.first, w.last+1)

		return true
	}
	if n.state(first, end, prosecutors) {
		return true // the State is nobody's name
	}
	// Who is a party of an unpublished case is known by the surname from here on.
	n.learn(w.first, w.last+1, true)
	n.add(kindPerson, ruleVersus, w.first, w.last+1)

	return true
}

// namedBefore reports whether the words from first to end are the name of a person, of two words or more, and not
// part of a party.
func (n *names) namedBefore(first, end int) bool {
	for i := first; i < end; i++ {
		name := n.words[i].has(fullName|initial) || n.words[i].is&(lexicon.Given|lexicon.Surname) != 0
		if n.class(i) == plain || n.words[i].is&lexicon.Ordinary != 0 && !name {
			return false
		}
	}

	return end-first >= 2 && n.evident(first, end)
}

// fullName reports whether suspect words are more than one surname: "Van Orden" is one.
func (n *names) fullName(w *weight) bool {
	count := w.unknown + w.ambiguous + w.initials
	if surnameParts.has(n.lowered(w.first)) {
		count--
	}

	return count >= 2 && !w.company && !w.institution
}

// contra reports whether a word stands between the parties of a case.
func (n *names) contra(i int) bool {
	w := &n.words[i]
	if w.end-w.start > 2 || n.text[w.start] != 'v' || w.has(besideDigit) {
		return false
	}

	return w.end-w.start == 1 || n.text[w.start+1] == 's'
}

// published reports whether the case whose "v." is word k is a decided one that is cited: a State is the respondent, or
// behind the parties stands a volume with its reporter and page, a neutral citation or an ECLI. Decisions between a
// person and a State are cited by the surname; with the full name before the "v." it is the caption of somebody's case,
// unless the State is one of those at whose international court people sue.
func (n *names) published(k int, fullName bool) bool {
	next := 0
	if _, ok := n.cited.covers(int(n.words[k].start), &next); ok {
		return true
	}
	end := n.partyEnd(k + 1)
	if end == k+1 {
		return false
	}
	// Cases against States before an international court are all published.
	if n.state(k+1, end, respondents) && !(fullName && n.state(k+1, end, prosecutors)) {
		return true
	}
	at := int(n.words[end-1].end)

	rest, _, _ := strings.Cut(n.text[at:min(len(n.text), at+longestDocket)], "\n\n")
	for i := 0; i < len(rest); i++ {
		if n.citation(at + i) {
			return docketOnly(rest[:i])
		}
	}

	return false
}

// longestDocket bounds what may stand between the parties and the citation, in bytes: a number of the court, a date.
const longestDocket = 60

// decidedCase reports whether a run is the first party of a decision that the text cites, of which it says that it was
// decided.
func (n *names) decidedCase(from, to int) bool {
	if to+1 >= len(n.words) || n.lowered(to+1) != "decided" {
		return false
	}
	party := n.text[n.words[from].start:n.words[to-1].end] + " v"

	return slices.ContainsFunc(n.cited.found, func(s span) bool {
		return strings.HasPrefix(n.text[s.start:s.end], party)
	})
}

// docketOnly reports whether s says nothing but a number of the court: ", No. 12-cv-345 (ABC), ".
func docketOnly(s string) bool {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" ,.()[]-/:;\n", r) }) {
		if lower(w[0]) && !docketWords.has(w) {
			return false
		}
	}

	return true
}

// partyEnd returns where the name of a party ends that begins with word i: at the first word in lower case that joins
// no names.
func (n *names) partyEnd(i int) int {
	end := i
	for ; i < len(n.words) && i < end+4; i++ {
		w := &n.words[i]
		if gap := n.text[n.words[i-1].end:w.start]; len(gap) > 3 || strings.ContainsAny(gap, "\n,;[(") || n.contra(i) {
			return end
		}
		if w.has(capitalised) {
			end = i + 1
		} else if !joinsNames.has(n.lowered(i)) {
			return end
		}
	}

	return end
}

// citation reports whether a citation begins at byte i.
func (n *names) citation(i int) bool {
	switch b := n.text[i]; {
	case digit(b):
		if n.text[i-1] == ' ' || n.text[i-1] == '(' {
			next := 0
			_, ok := n.cited.covers(i, &next)

			return ok
		}
	case b == '[' || b == '(':
		return neutral(n.text[i:])
	case b == 'E':
		return strings.HasPrefix(n.text[i:], "ECLI:") ||
			strings.HasPrefix(n.text[i:], "EU:C:") || strings.HasPrefix(n.text[i:], "EU:T:")
	}

	return false
}

// neutral reports whether s begins with a year in brackets and a court or series with its number: "[2012] UKSC 12",
// "(2001) 33 EHRR 1".
func neutral(s string) bool {
	const year = len("[2012]")
	if len(s) < year+4 || s[year-1] != ']' && s[year-1] != ')' {
		return false
	}

	for i := 1; i < year-1; i++ {
		if !digit(s[i]) {
			return false
		}
	}
	s = strings.TrimLeft(s[year:], " ")

	s = strings.TrimLeft(strings.TrimLeft(s, tenDigits), " ") // the volume
	for i := 1; i < len(s) && i < longestSeries; i++ {
		switch b := s[i]; {
		case digit(b):
			return upper(s[0]) && s[i-1] == ' '
		case !upper(b) && !lower(b) && strings.IndexByte(" .()'&", b) < 0, b == ' ' && i+1 < len(s) && lower(s[i+1]):
			return false // the series ends, or a sentence goes on
		}
	}

	return false
}

// state reports whether the party of the words from first to end is one of those States.
func (n *names) state(first, end int, of wordSet) bool {
	var room [96]byte

	s := room[:0]
	for i := first; i < end; i++ {
		// What does not fit the room is no State: the longest has 36 letters.
		if w := n.lowered(i); w != "the" && len(s)+len(w) < len(room) {
			if len(s) > 0 {
				s = append(s, '-')
			}
			s = append(s, w...)
		}
	}

	for party := string(s); party != ""; {
		if of.has(party) {
			return true
		}
		at := strings.LastIndex(party, "-and-") // Moldova and Russia
		if at < 0 {
			return false
		}
		party = party[:at]
	}

	return false
}

var (
	// docketWords stand with the number of a case between its parties and its citation.
	docketWords = setOf(`no nos cv cr civ crim slip op judgment order and others`)
	// respondents are parties by whose name alone a case is known to be public: the States of the Council of Europe and
	// those beside them whose cases are cited so.
	respondents = setOf(`albania andorra armenia austria azerbaijan belgium bosnia-and-herzegovina bulgaria croatia
		cyprus czech-republic czechia denmark estonia finland france georgia germany greece hungary iceland ireland
		italy latvia liechtenstein lithuania luxembourg malta moldova republic-of-moldova monaco montenegro netherlands
		north-macedonia norway poland portugal romania russia russian-federation san-marino serbia serbia-and-montenegro
		slovakia slovak-republic slovenia spain sweden switzerland turkey türkiye ukraine united-kingdom uk
		former-yugoslav-republic-of-macedonia macedonia european-union commission european-commission council
		european-parliament ` + domestic)
	// prosecutors are those of them that people stand against in courts of their own country.
	prosecutors = setOf(domestic)
	// surnameParts begin surnames of several words.
	surnameParts = setOf(`van von de del della di da du des la le los las san santa st mac mc al el ben bin abu ter ten
		zu zur`)
)

const domestic = `united-states united-states-of-america state queen crown republic canada australia new-zealand alabama
	alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa
	kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska
	nevada new-hampshire new-jersey new-mexico new-york north-carolina north-dakota ohio oklahoma oregon pennsylvania
	rhode-island south-carolina south-dakota tennessee texas utah vermont virginia west-virginia wisconsin wyoming`
