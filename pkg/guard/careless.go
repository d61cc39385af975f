package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// small finds names and unknown words in lower case, for doors where people write carelessly.
func (n *names) small() {
	for i := range n.words {
		w := &n.words[i]
		if n.joinedNames(i) { // john_smith
			n.add(kindPerson, ruleLowerName, i, i+2)
			continue
		}
		if n.lowerPair(i) {
			n.add(kindPerson, ruleLowerName, i, i+2)
			continue
		}
		if n.lowerAlone(i) {
			n.add(kindName, ruleLowerName, i, i+1)
			continue
		}
		// Shorter words are typed for too many things, and what the lexicon has is none of this rule's.
		if w.has(capitalised|besideDigit) || w.end-w.start < 4 || accounted(w.is) || w.is&lexicon.Particle != 0 {
			continue
		}
		if tools.has(n.lowered(i)) {
			continue // wasm.pdf
		}
		if n.explained(i) {
			continue
		}

		switch {
		case n.otherScript(i): // scripts finds it
		case w.is&lexicon.Proper != 0:
			n.add(kindPerson, ruleLowerName, i, i+1)
		case n.behindInitial(i):
			n.add(kindPerson, ruleLowerName, i, i+1)
		case unmarked(n.text[w.start:w.end])&lexicon.Ordinary != 0: // résumé
		case !built(n.text[w.start:w.end]) && !mistyped(n.text[w.start:w.end]):
			n.add(kindUnknown, ruleUnknownWord, i, i+1)
		}
	}
}

// joinedNames reports whether words i and i+1 are names with a low line between.
func (n *names) joinedNames(i int) bool {
	const none = lexicon.Everyday | lexicon.Particle
	if i+1 >= len(n.words) || n.words[i].is&lexicon.Proper == 0 || n.words[i].is&none != 0 {
		return false
	}
	w, next := &n.words[i], &n.words[i+1]

	return next.is&lexicon.Proper != 0 && next.end-next.start >= 3 && n.text[w.end:next.start] == "_"
}

// explained reports whether a word in small letters that no dictionary holds is accounted for by how it is made, or by
// where it stands.
func (n *names) explained(i int) bool {
	if n.derived(i) || n.placeholder(i) || n.namedCase(i, i+1) || n.elided(i) {
		return true
	}

	w := &n.words[i]
	if w.has(joined) && n.text[w.start-1] == '-' && n.prefixed(i) {
		return true
	}

	return w.has(abroad) && (w.has(foreign) || w.is&lexicon.Proper == 0 && w.has(written))
}

// prefixed reports whether the word before the hyphen before word i is judged by itself or is no name: a word of the
// dictionary, or a short one such as in "e-mailed". The name of a person goes on behind it, "ada-zorbanek".
func (n *names) prefixed(i int) bool {
	if i == 0 || int(n.words[i-1].end) != int(n.words[i].start)-1 {
		return true
	}
	w := &n.words[i-1]
	if accounted(w.is) {
		return true
	}

	return w.end-w.start < 4 && w.is&(lexicon.Given|lexicon.Surname) == 0
}

// placeholder reports whether word i is a blank of a draft, {{dateOfService}}: between double braces, of words that a
// dictionary holds and nobody is called by.
func (n *names) placeholder(i int) bool {
	w := &n.words[i]
	if !strings.HasSuffix(n.text[:w.start], "{{") || !strings.HasPrefix(n.text[w.end:], "}}") {
		return false
	}

	word := n.text[w.start:w.end]
	for word != "" {
		end := 1 + strings.IndexFunc(word[1:], unicode.IsUpper)
		if end == 0 {
			end = len(word)
		}
		f := known(strings.ToLower(word[:end]))
		name := f&(lexicon.Given|lexicon.Surname) != 0 && f&lexicon.KnownProper != 0 && f&lexicon.Everyday == 0
		if end > 1 && (name || !accounted(f)) {
			return false
		}
		word = word[end:]
	}

	return true
}

// scripts finds words of other scripts than Latin: most have no capitals by which names stand out, and no lexicon here.
func (n *names) scripts() {
	for i := range n.words {
		if n.otherScript(i) {
			n.add(kindScript, ruleScript, i, i+1)
		}
	}
}

// otherScript reports whether word i has two letters or more of another script than Latin, or one that is a word by
// itself.
func (n *names) otherScript(i int) bool {
	w := &n.words[i]
	if n.text[w.start] < utf8.RuneSelf && n.text[w.end-1] < utf8.RuneSelf {
		return false
	}
	letters := 0

	for _, r := range n.text[w.start:w.end] {
		if unicode.Is(unicode.Han, r) {
			return true
		}
		if unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Common) {
			letters++
		}
	}

	return letters >= 2
}

// lowerPair reports whether words i and i+1, in lower case, are a given name and a surname, though both are words of
// the dictionary too.
func (n *names) lowerPair(i int) bool {
	if i+1 >= len(n.words) {
		return false
	}
	const none = publicWord | lexicon.Everyday | lexicon.Honorific | lexicon.Particle
	w, next := &n.words[i], &n.words[i+1]

	if w.has(capitalised) || next.has(capitalised) || n.text[w.end:next.start] != " " {
		return false
	}
	const given, surname = lexicon.Given | lexicon.KnownProper, lexicon.Surname | lexicon.KnownProper
	if w.is&given != given || w.is&none != 0 || next.is&surname != surname {
		return false
	}

	// An everyday word is a surname only where both are frequent: "john smith", but not "will need".
	return next.is&none == 0 || n.oftenSurname(i+1) && census.Given(n.lowered(i)) > 0
}

// oftenSurname reports whether word i is a surname of so many people that an everyday word is one behind a given
// name: "john smith".
func (n *names) oftenSurname(i int) bool {
	rank := census.Surname(n.lowered(i))
	return rank > 0 && rank <= mostFrequent && n.words[i].is&publicWord == 0 && !defined.has(n.lowered(i))
}

// lowerAlone reports whether word i is a name though it is a word of the dictionary too: it is part of the name of a
// file, or stands in lower case where it opens the text and does what people do, or somebody is to reach it.
func (n *names) lowerAlone(i int) bool {
	const name = lexicon.Given | lexicon.Surname
	w := &n.words[i]
	if w.has(besideDigit|possessive|initial) || w.is&(publicWord|lexicon.Honorific) != 0 {
		return false
	}
	if w.is&name == 0 || w.is&lexicon.KnownProper == 0 {
		return false
	}
	s := n.lowered(i)
	if len(s) < 3 || defined.has(s) || roles.has(s) {
		return false
	}

	// Each case asks for a stronger sign the more the word means something else.
	a := n.around(i, i+1)
	switch {
	case w.is&lexicon.Surname != 0 && w.is&lexicon.Everyday == 0 && n.named(i):
		return true
	case !w.has(capitalised) && n.besideVersus(i):
		return census.Surname(s) > 0
	case w.has(capitalised):
		return false
	case w.is&lexicon.Surname != 0 && (n.behindInitial(i) || n.asked(i, &a)):
		return census.Surname(s) > 0
	case w.is&lexicon.Given != 0 && w.is&lexicon.Everyday == 0 && kin.has(a.before) && own.has(a.before2):
		return true // his daughter lily
	case i == 0 && w.is&lexicon.Surname != 0 && i+1 < len(n.words):
		return n.text[w.end:n.words[i+1].start] == " " && speaking.has(a.next) && !copulas.has(a.next)
	case w.is&lexicon.Given != 0 && w.is&lexicon.Everyday == 0 && i > 0:
		if !reaching.has(a.before) || n.text[n.words[i-1].end:w.start] != " " {
			return false
		}

		return i == 1 || n.words[i-1].has(opening) || n.lowered(i-2) == "to" // "I want to call lily"
	}

	return false
}

// besideVersus reports whether word i, in small letters, stands beside the "v" of a case that is not among those which
// everybody names: "smith-v-acme.pdf".
func (n *names) besideVersus(i int) bool {
	for _, k := range []int{i - 1, i + 1} {
		if k <= 0 || k+1 >= len(n.words) || !n.contra(k) || n.leading(k) {
			continue
		}
		from, to := &n.words[min(i, k)], &n.words[max(i, k)]
		if joint := n.text[from.end:to.start]; joint == "-" || joint == "_" || joint == " " || joint == ". " {
			return true
		}
	}

	return false
}

// asked reports whether word i stands between an auxiliary verb and what people do: "where did smith live".
func (n *names) asked(i int, a *around) bool {
	if !auxiliaries.has(a.before) || !bareVerbs.has(a.next) {
		return false
	}

	return n.words[i].is&lexicon.Everyday == 0 || census.Surname(n.lowered(i)) <= mostSmith
}

// mostSmith is the rank up to which an everyday word is a surname before all: Smith.
const mostSmith = 10

var (
	auxiliaries = setOf(`did does do has have had can could should would will must may might when if that`)
	bareVerbs   = setOf(`live lived pay paid sign signed owe owed sell sold buy bought own owned leave left rent rented
		die died move moved testify testified breach breached know knew tell told agree agreed refuse refused deny
		denied claim claimed sue sued say said file filed work worked resign resigned quit marry married inherit write
		wrote call called hire hired fire fired hit lie lied steal stole get got receive received want`)
	kin = setOf(`daughter son wife husband mother father sister brother aunt uncle cousin nephew niece girlfriend
		boyfriend partner client friend neighbor neighbour boss roommate ex fiancé fiancée stepson stepdaughter
		grandson granddaughter tenant landlord colleague coworker nanny`)
	own = setOf(`my your his her their our the`)
)

// reaching is done to people.
var reaching = setOf(`call phone ring ask email tell remind text contact thank meet`)

// longestFileName bounds how far behind a word the ending of the file may stand, in bytes.
const longestFileName = 64

// named reports whether word i is part of the name of a file: joined by hyphens and underscores to its ending.
func (n *names) named(i int) bool {
	start, end := int(n.words[i].start), int(n.words[i].end)
	marks := start > 0 && (n.text[start-1] == '-' || n.text[start-1] == '_')

	limit := min(len(n.text), end+longestFileName)
	for at := end; at < limit; at++ {
		switch b := n.text[at]; {
		case b == '-' || b == '_':
			marks = true
		case b == '.':
			stop := at + 1
			for stop < limit && alphanumeric(n.text[stop]) {
				stop++
			}

			return marks && fileEndings.has(toLower(n.text[at+1:stop]))
		case !wordByte(b):
			return false
		}
	}

	return false
}

var fileEndings = setOf(`
	pdf doc docx odt ott fodt rtf txt md eml msg mht mhtml json xls xlsx csv ppt pptx html htm
	jpg jpeg png tif tiff zip
`)

// mixed finds names in letters that change between large and small: "pEtRa". Words made of others, as in the names of
// programs, change less.
func (n *names) mixed() {
	for i := range n.words {
		w := &n.words[i]
		if w.end-w.start < shortestMixed || w.has(capitalised|besideDigit|quotedLaw) {
			continue
		}
		if !w.has(largeLetter) {
			continue // most words
		}
		changes := 0

		for k := w.start + 1; k < w.end; k++ {
			if a, b := n.text[k-1], n.text[k]; upper(a) && lower(b) || lower(a) && upper(b) {
				changes++
			}
		}
		// Brands change once or twice: "eBay", "iPhone".
		if changes < 3 || 2*changes < int(w.end-w.start) {
			continue
		}
		if known(n.text[w.start:w.end])&(lexicon.Ordinary|lexicon.Law) == 0 {
			n.add(kindHidden, ruleSpaced, i, i+1)
		}
	}
}

// shortestMixed is the length of the shortest word whose mixed letters say something, in bytes.
const shortestMixed = 4

// behindInitial reports whether a single letter with a dot stands before word i: "m. burda".
func (n *names) behindInitial(i int) bool {
	if i == 0 {
		return false
	}
	w, before := &n.words[i], &n.words[i-1]

	if before.end-before.start != 1 || n.text[before.end:w.start] != ". " {
		return false
	}

	return before.start > 0 && n.text[before.start-1] == ' '
}

// prefixes and endings make new words of everyday ones: nonpayment, recharge, mislabelling.
var (
	prefixes = []string{
		"non", "un", "re", "pre", "anti", "over", "under", "sub", "inter", "multi", "cross", "counter", "mis", "co",
		"post", "cyber", "out", "en", "video", "tele", "audio", "photo", "micro", "semi", "super", "hyper", "trans",
		"intra", "extra", "infra", "ultra",
	}
	endings = []string{
		"s", "ed", "d", "ing", "er", "ers", "ly", "ness", "less", "able", "ise", "ize", "ised", "ized",
		"like", "wise", "proof", "ment", "ments", "ship", "down", "back", "over", "holder", "holders", "wrap",
		"wraps",
	}
)

// built reports whether a word in lower case, of which nothing is known, is an everyday word with a prefix or an
// ending.
func built(s string) bool {
	const stem = 4

	common := func(s string) bool { return known(s)&lexicon.Common != 0 }
	for _, p := range prefixes {
		if len(s) >= len(p)+stem && strings.HasPrefix(s, p) && common(s[len(p):]) {
			return true
		}
	}

	for _, e := range endings {
		if len(s) >= len(e)+stem && strings.HasSuffix(s, e) && common(s[:len(s)-len(e)]) {
			return true
		}
	}

	return false
}

// The shortest and longest words that may count as mistyped.
const (
	shortestTypo = 5
	longestTypo  = 24
)

// mistyped reports whether a word in lower case is one slip from an everyday word: a letter too many or too few, a
// wrong one, or two that changed places.
func mistyped(s string) bool {
	if len(s) < shortestTypo || len(s) > longestTypo {
		return false
	}

	// Only ASCII is tried: of another letter nobody knows which slip made it.
	for i := range len(s) {
		if !lower(s[i]) {
			return false
		}
	}
	// Every variant is made in place, since allocating hundreds of them for each unknown word is slow.
	var room [longestTypo + 1]byte
	common := func(n int) bool { return lexicon.Of(room[:n])&lexicon.Common != 0 }

	for i := 0; i <= len(s); i++ {
		copy(room[:], s[:i])
		if i < len(s) {
			copy(room[i:], s[i+1:])
			if common(len(s) - 1) {
				return true
			}
		}
		if i+1 < len(s) {
			copy(room[i:], s[i:])
			copy(room[i:], s[i+1:i+2])
			copy(room[i+1:], s[i:i+1])
			if common(len(s)) {
				return true
			}
		}

		for c := byte('a'); c <= 'z'; c++ {
			room[i] = c
			copy(room[i+1:], s[i:])
			if common(len(s) + 1) {
				return true
			}
			if i < len(s) {
				copy(room[i+1:], s[i+1:])
				if common(len(s)) {
					return true
				}
			}
		}
	}

	return false
}

// spaced finds "J o h n" and "J.o.h.n": single letters in a row that spell no word.
func (n *names) spaced() {
	for i := 0; i < len(n.words); {
		if n.words[i].end-n.words[i].start > utf8.UTFMax {
			i++
			continue // most words
		}
		j, small := i, 0
		var room [64]byte

		spelt := room[:0]
		// 56 bytes leave room for the longest rune.
		for j < len(n.words) && len(spelt) < 56 {
			w := &n.words[j]
			r, width := utf8.DecodeRuneInString(n.text[w.start:w.end])
			if width != int(w.end-w.start) || j > i && !w.has(joined) {
				break
			}
			if j > i+1 && n.endsDotted(j) {
				break
			}
			if unicode.IsLower(r) {
				small++
			}
			spelt = utf8.AppendRune(spelt, lowerRune(r))
			j++
		}
		// Fewer letters, or nothing but capitals, are initials and lists of points.
		if j-i >= 4 && small >= 2 && !spelling(spelt) {
			n.add(kindHidden, ruleSpaced, i, j)
		}
		i = max(j, i+1)
	}
}

// endsDotted reports whether a blank before word j ends an abbreviation whose letters have a dot and nothing else
// between them: the verb of "La Ferrante S.r.l. è debitrice" is no letter of it.
func (n *names) endsDotted(j int) bool {
	between := n.text[n.words[j-2].end:n.words[j-1].start]
	return between == "." && n.text[n.words[j-1].end:n.words[j].start] == ". "
}

// spelling reports whether letters that stand apart spell a word that is no surname.
func spelling(s []byte) bool {
	// Who spells a word apart that is a name as well may mean the name.
	if census.Surname(string(s)) > 0 || census.Given(string(s)) > 0 {
		return false
	}

	return lexicon.Of(s)&(lexicon.Ordinary|lexicon.Law) != 0
}
