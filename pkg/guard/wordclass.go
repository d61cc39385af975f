package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// class weighs a capitalised word on its own.
func (n *names) class(i int) class {
	w := &n.words[i]
	switch {
	case w.has(initial):
		return letter
	case w.has(fullName):
		return unknown
	// The order matters: what excuses a word comes before what accuses it.
	case w.has(allCapitals) && (rates.has(n.lowered(i)) || n.definedTerm(i)),
		w.has(mixedCase) && pluralAcronym(n.text[w.start:w.end]):
		return plain
	case w.is&lexicon.Law != 0 && n.annOf(i), w.has(mixedCase) && particled(n.text[w.start:w.end]):
		return unknown
	case n.knownJudge(i), citing.has(n.lowered(i)) && n.counted(i), n.hyphenTail(i):
		return plain
	case w.is&lexicon.Ordinary == 0 && (tools.has(n.lowered(i)) || demonyms.has(n.lowered(i))):
		return plain
	case w.end-w.start <= 5 && (n.shortState(i) || n.shortDay(i)):
		return plain
	case n.placePart(i), w.has(abroad|dotted) && foreignLaw.has(n.lowered(i)):
		return plain
	case w.is&(publicWord|lexicon.Honorific) != 0, w.has(abroad) && n.foreignWord(i):
		return plain
	case n.german && w.has(abroad) && n.germanWord(i),
		n.romance && w.has(abroad) && n.romanceWord(i):
		return plain
	case w.has(allCapitals) && w.end-w.start <= 5 && n.abbreviation(i):
		return plain
	case w.is&lexicon.Ordinary != 0 && w.is&lexicon.Common == 0 && w.is&lexicon.KnownProper != 0:
		return unknown // a rare word and a well-known name
	case w.is.Ambiguous():
		if w.is&(lexicon.Given|lexicon.Surname) == 0 && (openers.has(n.lowered(i)) || ofMany(n.lowered(i))) {
			return plain // "Here" is a goddess too, and "Methodists" are many
		}

		return ambiguous
	case w.is&(lexicon.Ordinary|lexicon.Rare) != 0:
		return plain
	}
	if w.is == 0 && n.besideGiven(i) {
		return unknown // likely a surname
	}
	if w.is == 0 && (n.derived(i) || n.elided(i)) || n.compounded(i) {
		return plain
	}
	if n.germanThing(i) || n.italianSeat(i) {
		return plain
	}

	return unknown
}

// particled reports whether a word is the particle of a surname and a capitalised word of small letters: DeLay, McAdam.
// Both together may be a word that a dictionary holds, and the capital inside says that it is not meant.
func particled(s string) bool {
	if known(s)&ordinaryWord == 0 {
		return false
	}

	for _, particle := range particles {
		rest, ok := strings.CutPrefix(s, particle)
		if ok && len(rest) >= 3 && upper(rest[0]) && strings.IndexFunc(rest[1:], unicode.IsUpper) < 0 {
			return true
		}
	}

	return false
}

// particles stand before surnames and are written together with them.
var particles = []string{"De", "Di", "Da", "Du", "La", "Le", "Van", "Von", "Mc", "Mac", "Fitz"}

// annOf reports whether word i is the given name Ann and does not end in the dot of "annotated".
func (n *names) annOf(i int) bool {
	w := &n.words[i]
	if w.end-w.start != 3 || w.has(allCapitals|dotted) || n.lowered(i) != "ann" {
		return false
	}

	return !n.goesOn(i + 1) // "Ann Arbor", "Ann Court Rules"
}

// besideGiven reports whether a frequent given name that is no other word stands right before word i.
func (n *names) besideGiven(i int) bool {
	if i == 0 || n.words[i].has(opening) || n.text[n.words[i-1].end:n.words[i].start] != " " {
		return false
	}
	g := &n.words[i-1]

	return g.has(capitalised) && g.is&(ordinaryWord|publicWord) == 0 && census.Given(n.lowered(i-1)) > 0
}

// ofMany reports whether a word of a dictionary, in lower case, that nobody is called by is what many people are or
// believe: Baptists, Southerners, Communism.
func ofMany(s string) bool {
	if len(s) < shortestPlural {
		return false
	}
	// "Nautilus", "Exodus" and "Axis" are no plurals.
	plural := s[len(s)-1] == 's' && strings.IndexByte("siu", s[len(s)-2]) < 0

	return plural || strings.HasSuffix(s, "ism")
}

// shortestPlural is how long such a word has to be, in bytes.
const shortestPlural = 6

// abbreviation reports whether word i, short and in capitals, is one of several words or a Roman numeral: no list of
// names holds it, or an acronym stands beside it.
func (n *names) abbreviation(i int) bool {
	w := &n.words[i]
	return w.is&lexicon.Proper == 0 || roman(n.text[w.start:w.end]) || n.besideAcronym(i)
}

// besideAcronym reports whether word i, in capitals in a text that is not, follows an abbreviation and "or": "JAMS or
// REBA".
func (n *names) besideAcronym(i int) bool {
	if i < 2 || n.words[i].has(shouted) || n.text[n.words[i-1].end:n.words[i].start] != " " || n.lowered(i-1) != "or" {
		return false
	}
	other := &n.words[i-2]

	return other.has(allCapitals) && other.is&(lexicon.Given|lexicon.Surname) == 0 && other.end-other.start <= 5
}

// shortState reports whether word i is a State as papers abbreviate it, before a noun of its law or its bar: "Mo. Bar
// No.", "Wash. Admin. Code".
func (n *names) shortState(i int) bool {
	s := n.lowered(i)
	if s == "admin" {
		return i > 0 && shortStates.has(n.lowered(i-1))
	}
	if !shortStates.has(s) || i+1 >= len(n.words) || n.text[n.words[i].end:n.words[i+1].start] != ". " {
		return false
	}

	return stateNouns.has(n.lowered(i + 1))
}

var (
	shortStates = setOf(`ala ariz ark cal calif colo conn del fla ga ill ind kan ky la mass md mich minn miss mo mont
		neb nev okla ore or pa tenn tex va vt wash wis wyo haw ida`)
	stateNouns = setOf(`bar admin code const rev stat gen ann rules rule reg regs cons comp l r sup ct app`)
)

// hyphenTail reports whether word i is the short end of an abbreviation: "CIWA-Ar", "APACHE-II".
func (n *names) hyphenTail(i int) bool {
	w := &n.words[i]
	if i == 0 || w.start == 0 || n.text[w.start-1] != '-' {
		return false
	}
	before := &n.words[i-1]
	if before.end != w.start-1 || !before.has(allCapitals) || before.is != 0 || before.end-before.start < 3 {
		return false
	}

	return w.end-w.start <= 3 || i > 1 && n.lowered(i-2) == "the" // the front of a faction: "the ABC-Name"
}

// shortestStem is how long, in bytes, what follows a prefix in a capitalised word has to be: shorter ones are
// names.
const shortestStem = 6

// derived reports whether an unknown word is a plural, a contraction or an opposite of one that is accounted
// for.
func (n *names) derived(i int) bool {
	s := n.text[n.words[i].start:n.words[i].end]
	if k := strings.IndexByte(s, '\''); k == 1 && lower(s[0]) && accounted(known(s[2:])) {
		return true // d'Etat
	}

	// Prefixes make no names of what is left if that is long enough to be a word.
	for _, prefix := range prefixes {
		if rest := len(s) - len(prefix); rest < shortestStem || !strings.EqualFold(s[:len(prefix)], prefix) {
			continue
		}
		if stem := s[len(prefix):]; known(stem)&lexicon.Common != 0 || abstract(strings.ToLower(stem)) {
			return true // nonpayment, nonassignability
		}
	}
	if abstract(n.lowered(i)) && !n.behindPerson(i) || drug(n.lowered(i)) {
		return true
	}
	if len(s) > 4 && s[len(s)-1] == 's' {
		// A plural of a word that is a name as well may be a family.
		f := known(s[:len(s)-1])
		return f&(lexicon.Ordinary|lexicon.Rare|lexicon.Place|lexicon.Law) != 0 && !f.Ambiguous()
	}

	return false
}

// behindPerson reports whether a word for a person in small letters stands right before word i, as before a name:
// "landlord Snucked".
func (n *names) behindPerson(i int) bool {
	if i == 0 || n.words[i].has(opening) || n.words[i-1].has(capitalised) {
		return false
	}

	return personal.has(n.lowered(i-1)) && n.text[n.words[i-1].end:n.words[i].start] == " "
}

// abstract reports whether a word in lower case is made of an everyday one as adjectives and the nouns of qualities
// are: numerosity, excludable, arbitrability.
func abstract(s string) bool {
	for _, e := range qualities {
		stem, ok := strings.CutSuffix(s, e.ending)
		if !ok || len(stem) < shortestQuality {
			continue
		}

		for _, end := range e.of {
			if f := known(stem + end); f&lexicon.Common != 0 && !f.Ambiguous() {
				return true
			}
		}
	}

	return false
}

// shortestQuality is how long the stem of such a word has to be, in bytes.
const shortestQuality = 4

// qualities are endings, with what the word that they are put to ends in.
var qualities = []struct {
	ending string
	of     []string
}{
	{"osity", []string{"ous"}},
	{"ability", []string{"able", "e", ""}},
	{"ibility", []string{"ible", "e", ""}},
	{"ality", []string{"al"}},
	{"able", []string{"e", "", "ate"}},
	{"itive", []string{"ition", "ite"}},
	{"ative", []string{"ation", "ate"}},
	{"ily", []string{"y"}},
	{"ed", []string{"", "e"}},
	{"ing", []string{"", "e"}},
	{"ible", []string{"e", ""}},
	{"ivity", []string{"ive"}},
	{"ization", []string{"ize"}},
	{"isation", []string{"ise"}},
	{"ment", []string{"e", ""}},
	{"ness", []string{""}},
	{"atory", []string{"ate", "e"}},
	{"orship", []string{"or"}},
	{"ancy", []string{"ant"}},
	{"ency", []string{"ent"}},
	{"ee", []string{"e", ""}},
	{"or", []string{"e", ""}},
}

// counted reports whether a Roman numeral stands behind word i: "Count IV".
func (n *names) counted(i int) bool {
	return i+1 < len(n.words) && n.words[i+1].has(joined) && roman(n.text[n.words[i+1].start:n.words[i+1].end])
}

// plainCapital reports whether word i is capitalised and accounted for.
func (n *names) plainCapital(i int) bool {
	return i < len(n.words) && n.words[i].has(capitalised) && n.class(i) != unknown
}

// compounded reports whether a word that no dictionary holds is made of words that are no names: an
// abbreviation with an apostrophe (Gov't), a prefix before a hyphen (Pre-trial), words written together
// (ShareFile), or one with a noun of offices behind it (Masterplan).
func (n *names) compounded(i int) bool {
	w := &n.words[i]
	s := n.text[w.start:w.end]
	if strings.IndexByte(s, '\'') > 0 && apostrophes.has(n.lowered(i)) {
		return true
	}
	if rest, ok := strings.CutPrefix(n.text[w.end:], "-"); ok && rest != "" && (lower(rest[0]) || n.plainNext(i)) {
		if slices.Contains(prefixes, n.lowered(i)) {
			return true
		}
	}
	if w.has(mixedCase) {
		if camel(s) || n.statuteCode(w, s) {
			return true
		}

		return len(s) <= longestCode && upper(s[len(s)-1]) && n.behindSection(i)
	}

	for _, e := range officeNouns {
		if stem, ok := strings.CutSuffix(n.lowered(i), e); ok && len(stem) >= 4 {
			// A frequent surname before such an ending may be the owner: "Bakersite".
			return known(stem)&lexicon.Common != 0 && census.Surname(stem) == 0
		}
	}

	return false
}

// statuteCode reports whether a word with a capital at its end is the abbreviation of a German statute or journal, and
// not a brand: outside German texts it ends in two of them, or is part of a number.
func (n *names) statuteCode(w *word, s string) bool {
	if !germanCode(s) {
		return false
	}

	return n.german || w.has(abroad|besideDigit) || upper(s[len(s)-2])
}

// plainNext reports whether an everyday word follows word i: "Pre-Trial".
func (n *names) plainNext(i int) bool {
	return i+1 < len(n.words) && n.words[i+1].is&(lexicon.Common|lexicon.Law) != 0 && !n.words[i+1].is.Ambiguous()
}

// camel reports whether a word is two or more everyday words with a capital each, none of which is a name.
func camel(s string) bool {
	parts := 0

	for s != "" {
		end := 1
		for end < len(s) && !upper(s[end]) {
			end++
		}
		f := known(s[:end])
		name := f.Ambiguous() || f&(lexicon.Given|lexicon.Surname) != 0 && f&lexicon.Everyday == 0
		if end < 3 || f&lexicon.Common == 0 || name {
			return false
		}
		parts++
		s = s[end:]
	}

	return parts >= 2
}

var (
	apostrophes = setOf(`gov't dep't int'l nat'l ass'n comm'n sec'y treas'r att'y att'ys eng'r prof'l fed'n soc'y opp'n
		mem'l resp'n obj'n stip'n univ'l comm'r adm'r ex'r hon'ble ins'd cont'd dist'n sup'r reg'l gen'l
		o'clock pl's def's`)
	// officeNouns close words of offices that dictionaries lack: masterplan, timesheet, letterhead.
	officeNouns = []string{
		"plan", "plans", "sheet", "sheets", "ware", "date", "dates", "form", "forms", "page", "pages", "site", "sites",
		"code", "codes",
	}
)
