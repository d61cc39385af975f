package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Names in small letters in files: in notes, lines that have no capital at all ("spoke to ada zorbanek"), and in the
// targets of links ("/clients/ada-zorbanek.pdf"). Elsewhere in a file a word in small letters is no name.

// lowerNotes finds names in lines without a capital, and in paths.
func (n *names) lowerNotes() {
	for first := 0; first < len(n.words); {
		end, capitals := first, false
		for end < len(n.words) && (end == first || !n.lineBetween(end-1)) {
			capitals = capitals || n.words[end].has(largeLetter)
			end++
		}
		// One capital in the line shows that its writer uses them, so that a small word is no name.
		if !capitals && end-first >= shortestNote && !n.words[first].has(abroad) {
			n.note(first, end)
		}
		first = end
	}

	for i := range n.words {
		start := n.words[i].start
		// Paths and queries are written small whoever writes them.
		if start > 0 && (n.text[start-1] == '/' || n.text[start-1] == '=') {
			n.path(i)
		}
	}
}

// shortestNote is how many words such a line has at least.
const shortestNote = 3

// lineBetween reports whether a line ends between word i and the next one.
func (n *names) lineBetween(i int) bool {
	gap := n.text[n.words[i].end:n.words[i+1].start]
	if len(gap) == 1 {
		return gap[0] == '\n'
	}

	return strings.IndexByte(gap, '\n') >= 0
}

// lookUp is what is known of word i, which may not have been looked up because it is in lower case.
func (n *names) lookUp(i int) {
	if w := &n.words[i]; w.is == 0 {
		w.is = known(n.text[w.start:w.end])
	}
}

// note finds names in the line of words from first to end.
func (n *names) note(first, end int) {
	for i := first; i < end; i++ {
		n.lookUp(i)
	}

	for i := first; i+1 < end; i++ {
		switch gap := n.text[n.words[i].end:n.words[i+1].start]; {
		case gap == " " && (n.lowerPair(i) || n.givenAndStranger(i, i+1)), n.lowerTitle(i, gap):
			n.learn(i, i+2, false)
			n.add(kindPerson, ruleLowerName, i, i+2)
			i++
		}
	}
}

// givenAndStranger reports whether word i is a given name that is no word, and word k a surname or no word.
func (n *names) givenAndStranger(i, k int) bool {
	const none = publicWord | lexicon.Ordinary | lexicon.Rare | lexicon.Particle | lexicon.Honorific
	g, s := &n.words[i], &n.words[k]
	if g.is&lexicon.Given == 0 || (g.is|s.is)&none != 0 {
		return false
	}

	return s.end-s.start >= 3 && !n.derived(k)
}

// lowerTitle reports whether word i is the title of the name that is the next word: "mr zorbanek".
func (n *names) lowerTitle(i int, gap string) bool {
	if gap != " " && gap != ". " || !lowerTitles.has(n.lowered(i)) {
		return false
	}
	s := &n.words[i+1]
	if s.end-s.start < 3 || s.is&(publicWord|lexicon.Everyday|lexicon.Particle) != 0 {
		return false
	}

	return s.is&lexicon.Surname != 0 || !accounted(s.is) && !n.derived(i+1)
}

var lowerTitles = setOf(`mr mrs ms miss dr herr frau monsieur madame señor señora`)

// path finds a given name beside a surname in the part of a path that begins with word i.
func (n *names) path(i int) {
	for ; i+1 < len(n.words); i++ {
		w, next := &n.words[i], &n.words[i+1]
		if joint := n.text[w.end:next.start]; joint != "-" && joint != "_" && joint != "." {
			return
		}
		n.lookUp(i)
		n.lookUp(i + 1)
		// Capitals in a path are judged as anywhere else.
		small := !w.has(capitalised) && !next.has(capitalised)
		if small && (n.givenAndStranger(i, i+1) || n.givenAndStranger(i+1, i)) {
			n.add(kindPerson, ruleLowerName, i, i+2)
			i++
		}
	}
}
