package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Many given names and surnames are names of places or words of law too: Jordan, Victoria, Hall, Law. Each
// alone is accounted for; a given name with a surname behind it is a person.

// fullNames marks the words of full names, whatever else the lexicon knows of them.
func (n *names) fullNames() {
	for _, i := range n.large {
		if n.words[i].is&lexicon.Given == 0 || !n.words[i].has(capitalised) ||
			roman(n.text[n.words[i].start:n.words[i].end]) {
			continue
		}

		k := i + 1
		// Two initials at most stand between a given name and its surname.
		for k < len(n.words) && k < i+3 && n.words[k].has(initial) && n.words[k].has(joined) {
			k++ // middle initials
		}
		if k < len(n.words) && n.person(i, k) {
			n.words[i].shape |= fullName
			n.words[k].shape |= fullName
		}
	}
}

// person reports whether the given name i and the surname k are those of one person.
func (n *names) person(i, k int) bool {
	g, s := &n.words[i], &n.words[k]
	if n.romance && s.has(abroad) && romanceListed(n.lowered(k)) {
		return false
	}
	if s.has(shouted) && s.is == 0 && n.strangerBehind(i, k) {
		return true
	}

	// Any of these makes the pair something else: a place, a date, an office.
	switch {
	case !n.joinedSurname(k),
		g.has(initial|possessive) || g.is&(lexicon.Honorific|lexicon.Particle) != 0,
		s.is&(lexicon.Calendar|lexicon.Honorific) != 0 && s.is&lexicon.Place == 0 && n.lowered(k) != "sun",
		g.has(abroad) && g.has(foreign), s.has(abroad) && s.has(foreign),
		n.placePart(i), n.placePart(k), directions.has(n.lowered(i)):
		return false
	}
	a := n.around(i, k+1)
	if n.ofPaper(i, k) && !(determiners.has(a.before) && g.has(opening)) {
		return true
	}
	// Before what stands around is asked: frequent names are names behind an article too.
	if n.frequent(i, k) || n.sunBehind(i, k) || n.onlySurname(i, k) || n.inProse(i, k, &a) {
		return true
	}
	if determiners.has(a.before) || placePrepositions.has(a.before) || a.before == "of" && placeNouns.has(a.before2) {
		return false
	}
	// "Jordan Valley region" and "Victoria Hall School" go on as places do.
	if (g.is|s.is)&lexicon.Place != 0 && (placeNouns.has(a.next) || institutions.has(a.next)) {
		return false
	}
	if g.is&(lexicon.Law|lexicon.Calendar|lexicon.Head) != 0 { // Ann, April, Bill
		if g.is&lexicon.KnownProper == 0 || s.is&publicWord != 0 || defined.has(n.lowered(k)) {
			return false
		}

		return s.is&lexicon.KnownProper != 0 || s.is&lexicon.Common == 0
	}
	if g.is&lexicon.Common != 0 { // Hope Young's deposition
		return s.has(possessive) && g.is&s.is&lexicon.KnownProper != 0 && s.is&publicWord == 0
	}

	switch office := s.is&(lexicon.Law|lexicon.Head) != 0; {
	case g.is&lexicon.Place == 0:
		return !office || surnameHeads.has(n.lowered(k))
	case s.is&lexicon.Place != 0:
		return k+1 < len(n.words) && n.contra(k+1) || i > 0 && n.contra(i-1)
	case s.is&lexicon.Common != 0:
		if office || s.is&lexicon.KnownProper == 0 {
			return false
		}

		return !defined.has(n.lowered(k)) || surnamesMostly.has(n.lowered(k))
	default:
		return !office
	}
}

// inProse reports whether words i and k stand by themselves between small words, where a heading or a term would not be
// capitalised: a frequent given name that is a word too, and a word that some people are called by. "The firm hired
// Mark Meek last year".
func (n *names) inProse(i, k int, a *around) bool {
	g, s := &n.words[i], &n.words[k]
	if census.Given(n.lowered(i)) == 0 || g.has(allCapitals) || !n.surnameOnly(k) {
		return false
	}
	if determiners.has(a.before) || n.goesOn(k+1) || i > 0 && n.adjoins(i) {
		return false
	}
	everyday, place := s.is&lexicon.Everyday != 0, g.is&lexicon.Place != 0
	if doneByOne(a.next) {
		return !everyday || !place
	}
	if g.has(opening) || everyday || place {
		return false
	}

	return !placePrepositions.has(a.before) && i > 0 && lower(n.text[n.words[i-1].start])
}

// surnameOnly reports whether word k is none of law, of institutions or of papers and their people.
func (n *names) surnameOnly(k int) bool {
	if n.words[k].is&(publicWord|lexicon.Honorific) != 0 {
		return false
	}
	s := n.lowered(k)

	return !defined.has(s) && !party(s)
}

// doneByOne reports whether a word in small letters is a verb of people behind the name of one.
func doneByOne(s string) bool {
	return humanVerbs.has(s) || speaking.has(s) && !copulas.has(s) && s != "and"
}

// onlySurname reports whether word k is a surname and nothing else, behind a given name that is a rarer word too, or
// the short form of a month: "Dieter Lange Court Order", "Jun Zhou".
func (n *names) onlySurname(i, k int) bool {
	const otherwise = ordinaryWord | publicWord
	g, s := &n.words[i], &n.words[k]
	if s.is&otherwise != 0 || g.is&(lexicon.Everyday|lexicon.Place|lexicon.Law|lexicon.Head) != 0 ||
		g.has(opening) && g.is&lexicon.KnownProper != 0 {
		return false
	}

	return g.is&lexicon.Calendar == 0 && g.is&lexicon.Common != 0 || g.is&lexicon.Calendar != 0 && g.end-g.start <= 3
}

// sunBehind reports whether word k is the surname Sun behind a given name of few people in English, and no day of the
// week or heavenly body.
func (n *names) sunBehind(i, k int) bool {
	g := &n.words[i]
	if n.lowered(k) != "sun" || g.is&lexicon.Everyday != 0 || g.is&lexicon.Place != 0 || g.end-g.start < 2 {
		return false
	}
	rest := n.text[n.words[k].end:min(len(n.text), int(n.words[k].end)+3)]

	return strings.Trim(rest, tenDigits) == rest
}

// strangerBehind reports whether word k, in capitals and of no dictionary, stands right behind a given name
// that is no other word: ADA OKORO. By itself it might be an abbreviation.
func (n *names) strangerBehind(i, k int) bool {
	const otherwise = ordinaryWord | publicWord | lexicon.Honorific
	g, x := &n.words[i], &n.words[k]

	return x.has(joined) && x.end-x.start >= 3 && g.is&otherwise == 0 && !g.has(initial)
}

// frequent reports whether words i and k are a frequent given name and a frequent surname: Mark Young, Grace
// Carpenter. The surname is no word that institutions are called by, and none of grammar.
func (n *names) frequent(i, k int) bool {
	given, surname := n.lowered(i), n.lowered(k)
	if census.Given(given) == 0 || census.Surname(surname) == 0 {
		return false
	}

	g, f := &n.words[i], &n.words[k]

	const public = lexicon.Law | lexicon.Head | lexicon.Calendar | lexicon.Place
	switch {
	case g.is&lexicon.Place != 0:
		return false
	case g.is&(public|lexicon.Everyday) == 0:
		return f.is&public == 0 || g.is&lexicon.Common == 0 && surnameHeads.has(surname)
	// "Grace Park" is a park as well, unless it does what only people do.
	case f.is&public != 0:
		next := n.around(i, k+1).next
		return speaking.has(next) && !copulas.has(next) // Grace Park fired me
	case f.is&lexicon.Common == 0:
		return true
	}

	return census.Surname(surname) <= mostFrequent ||
		census.Given(given) <= mostGiven && f.is&lexicon.Everyday == 0 && !defined.has(surname)
}

// mostGiven is the rank up to which a given name that is an ordinary word makes a person with any surname that is a
// rarer one: Mark Marsh.
const mostGiven = 100

// mostFrequent is the rank up to which a surname that is an ordinary word is a name behind a given name that is
// one too.
const mostFrequent = 400

// placePart reports whether a word is the second one of the name of a place: San Juan, St. Thomas, Fort Wayne,
// Costa Rica.
func (n *names) placePart(i int) bool {
	w := &n.words[i]
	if i == 0 || w.is&lexicon.Proper == 0 || !w.has(joined) || !n.words[i-1].has(capitalised) {
		return false
	}

	switch before := n.lowered(i - 1); {
	case saints.has(before):
		return w.is&lexicon.Given != 0
	case strongholds.has(before):
		return true
	default:
		return compounds.has(before + "-" + n.lowered(i))
	}
}

// opener reports whether word i is capitalised only because it opens a sentence: "Then Smith paid". Nouns are
// none: "Rent Holiday" is a heading.
func (n *names) opener(i int) bool {
	w := &n.words[i]
	return w.has(opening) && !w.has(allCapitals|fullName) && n.text[w.end] == ' ' && openers.has(n.lowered(i))
}

// joinedSurname reports whether word k is a capitalised surname with nothing but a blank before it.
func (n *names) joinedSurname(k int) bool {
	s := &n.words[k]
	if !s.has(capitalised) || !s.has(joined) || s.has(opening|initial) || grammar.has(n.lowered(k)) {
		return false
	}

	return s.is&lexicon.Surname != 0 && n.text[s.start-1] == ' '
}

// acts reports whether a surname that is a word of legal text too does behind an opener what only people do:
// "But Brown denied it".
func (n *names) acts(i int, a *around) bool {
	if i == 0 || !n.opener(i-1) {
		return false
	}
	surname := n.words[i].is&lexicon.Surname != 0 && !roles.has(n.lowered(i))

	return surname && speaking.has(a.next) && !copulas.has(a.next)
}

var (
	// openers are the words without a meaning of their own, and the requests, with which sentences begin.
	openers = setOf(`then but and or so because when while if as since although though before after until unless once
		where why how what who whose did does do has have had is are was were can could should would must in on at by
		for from with without under over against about between during through per via to of later now today yesterday
		tomorrow earlier meanwhile however therefore thus also only even still perhaps maybe yes not here there soon
		again instead otherwise apparently allegedly finally ask tell call remind help draft write send find check yet
		nor than whether summarize summarise prepare analyze analyse explain describe compare`)
	// copulas are said of things as well as of people.
	copulas = setOf(`is was has had does did and also who would needs needed took gave got made came went left`)
	// surnameHeads are surnames that institutions are called by too.
	surnameHeads = setOf(`hall house case law bill park lake lord judge mayor chamber bridge mine page church branch`)
	// surnamesMostly are words of legal text that behind a given name are nothing but surnames.
	surnamesMostly = setOf(`king young white brown long`)
	// grammar words are surnames somewhere, and behind a given name what goes on: "Sorry, Robert The landlord".
	grammar = setOf(`the of and for with from this that these`)
	// saints stand before given names in the names of places.
	saints = setOf(`san santa santo são st ste saint sainte`)
	// strongholds stand before any name in the names of places.
	strongholds = setOf(`fort ft port mount mt cape`)
	// directions open the names of places and are given names somewhere.
	directions = setOf(`north south east west new hong san santa rio great grand`)
	// compounds are names of places whose second word is that of people.
	compounds = setOf(`costa-rica puerto-rico sierra-leone el-salvador la-paz los-angeles las-palmas
		ciudad-juarez rio-gallegos rio-branco broken-hill são-tomé sao-tome sao-paulo jan-mayen mont-blanc
		campo-grande northern-mariana swift-current bahia-blanca capitol-hill`)
)
