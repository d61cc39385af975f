package guard

import (
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// stranger judges a run with a word that nothing accounts for.
func (n *names) stranger(first, end, from, to, count int, dottedInitials bool, w *weight, a *around) {
	head := &n.words[from]

	person := personal.has(a.before) && !n.newSentence(first)
	switch {
	case n.foreignTerm(first, w, a):
		n.add(kindTerm, ruleTerm, from, to)
	// Names seldom take a determiner: "the Kostenbescheid" is a term. But "the Weber family" is a name.
	case determiners.has(a.before) && from == first && !n.called(from, to, end, count, w, a):
		n.add(kindTerm, ruleTerm, from, to)
	case n.situated(from, to, count, w, a):
		n.add(kindPlace, rulePlace, from, to)
	case count >= 2 || dottedInitials || person:
		// What only may be a name is found here and not remembered: one mistake would spread over the text.
		if person || dottedInitials || n.evident(from, to) {
			n.learn(from, to, false)
		}
		n.add(kindPerson, ruleFullName, from, to)
	case head.has(allCapitals):
		unit := head.is&lexicon.Proper == 0 && measures.has(n.lowered(from))
		if unit || head.end-head.start <= 3 || head.has(bracketed) || determiners.has(a.before) {
			n.add(kindTerm, ruleTerm, from, to)
			return
		}
		n.add(kindName, ruleCapitals, from, to)
	case n.legalGerman(from, to):
		n.add(kindTerm, ruleTerm, from, to)
	default:
		n.add(kindName, ruleUnknownName, from, to)
	}
}

// called reports whether a run behind a determiner is a name for all that: "the Weber family", "the Holzmann
// building". A determiner stands before a term or before what a name tells apart.
func (n *names) called(from, to, end, count int, w *weight, a *around) bool {
	switch {
	case count >= 2 && n.evident(from, to), families.has(a.next), w.initials > 0:
		return true
	case to < end && n.words[to].has(joined) && families.has(n.lowered(to)):
		return true
	}

	if a.before == "the" && to-from == 1 && n.pluralSurname(from) {
		return true
	}
	definite := a.before != "a" && a.before != "an" // a Caremark theory is any of its kind

	if n.words[to-1].has(possessive) {
		return true
	}

	return definite && to == end && (n.thing(to) || n.things(to))
}

// things reports whether word i is the plural of a noun right behind a frequent surname that is no other word: "the
// Robertson letters".
func (n *names) things(i int) bool {
	if i == len(n.words) || census.Surname(n.lowered(i-1)) == 0 || n.words[i-1].is&(ordinaryWord|publicWord) != 0 {
		return false
	}
	s := n.lowered(i)
	stem, plural := strings.CutSuffix(s, "s")
	if !plural || !lower(s[0]) || n.text[n.words[i-1].end:n.words[i].start] != " " {
		return false
	}

	return families.has(stem) || papersOf.has(stem)
}

// pluralSurname reports whether word i is what a family is called: "the Abbotts".
func (n *names) pluralSurname(i int) bool {
	stem, plural := strings.CutSuffix(n.lowered(i), "s")
	return plural && census.Surname(stem) > 0 && known(stem)&(lexicon.Ordinary|publicWord) == 0
}

// thing reports whether word i is a noun right behind the word before it, as far as a form tells: "building" in
// "the Holzmann building". Words of grammar and what may be a verb are none.
func (n *names) thing(i int) bool {
	if i == len(n.words) || !lower(n.text[n.words[i].start]) || known(n.lowered(i))&lexicon.Ordinary == 0 {
		return false
	}
	if gap := n.text[n.words[i-1].end:n.words[i].start]; gap != " " && gap != "\n" {
		return false
	}

	s := n.lowered(i)
	for _, ending := range []string{"ed", "s", "ly"} {
		if strings.HasSuffix(s, ending) {
			return false
		}
	}

	return len(s) > 3 && !closedWords.has(s) && !auxiliaries.has(s) && !bareVerbs.has(s)
}

// situated reports whether an unknown run is the name of a place, by the words around it: "in X", "village of
// X". People are written about in cases, reports and offices, so that those nouns say nothing.
func (n *names) situated(from, to, count int, w *weight, a *around) bool {
	if a.before == "of" && (territories.has(a.before2) || n.courtOf(from)) {
		return true
	}
	if n.calledPlace(from, a) || n.sites(from) || n.prison(from, a) {
		return true
	}
	// A full name behind "in" is that of a case or a report, and no place.
	if count >= 2 && n.fullNameWords(from, to) {
		return false
	}

	switch {
	case a.before == "of" && (placeNouns.has(a.before2) || bodies.has(a.before2)):
		return true
	case a.before == "from" && voyages.has(a.before2):
		return true
	case placePrepositions.has(a.before):
		return !n.words[to-1].has(possessive) && !n.meant(from, a)
	case placeNouns.has(a.before):
		return a.before != "prison"
	case placeNouns.has(a.next):
		return true
	}

	return bodies.has(a.next) && count == 1 && w.initials == 0
}

// meant reports whether word i, a given name, is who something is done at: "He shouted at Robert".
func (n *names) meant(i int, a *around) bool {
	return a.before == "at" && doneAt.has(a.before2) && n.words[i].is&lexicon.Given != 0
}

var doneAt = setOf(`shouted shouting shouts yelled yelling screamed screaming looked looking swore swearing angry mad
	furious upset annoyed smiled smiling laughed laughing pointed pointing glared glaring fired shot swung threw`)

// courtOf reports whether "of" before word i goes on with a court whose name in its own language stands between: "the
// District Court (tingsrätten) of Umeå".
func (n *names) courtOf(i int) bool {
	k := i - 2
	for k > 0 && n.words[k].has(bracketed) {
		k--
	}

	return k >= 0 && k < i-2 && n.words[k].has(capitalised) && bodies.has(n.lowered(k))
}

// calledPlace reports whether word i is what a place is called: "the locality known as X", "a street named X".
func (n *names) calledPlace(i int, a *around) bool {
	k := i - 2

	switch {
	case a.before == "as" && a.before2 == "known":
		k--
	case a.before != "named" && a.before != "called":
		return false
	}

	return k >= 0 && (placeNouns.has(n.lowered(k)) || n.lowered(k) == "locality" || n.lowered(k) == "road")
}

// prison reports whether word i, no given name, is where prisoners are sent: "BOP designates such inmates to Butner
// or Devens".
func (n *names) prison(i int, a *around) bool {
	if n.words[i].is&lexicon.Given != 0 || a.before != "to" && a.before != "or" && a.before != "at" {
		return false
	}
	start := int(n.words[i].start)
	before := n.text[max(0, start-prisonReach):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]

	for _, prison := range []string{"BOP ", "FCI ", "FMC ", "USP ", "FPC ", "Bureau of Prisons"} {
		if strings.Contains(before, prison) {
			return strings.Contains(before, "designat") || strings.Contains(before, "transfer") ||
				strings.Contains(before, "incarcerat")
		}
	}

	return false
}

// prisonReach is how far before the name of a prison the Bureau of Prisons is spoken of, in bytes.
const prisonReach = 160

// sites reports whether word i stands behind a German noun for a place: "am Standort Billbrook".
func (n *names) sites(i int) bool {
	if i == 0 || !n.words[i-1].has(capitalised) || n.text[n.words[i-1].end:n.words[i].start] != " " {
		return false
	}

	return germanSites.has(n.lowered(i - 1))
}

var germanSites = setOf(`standort ortsteil stadtteil ortschaft gemeinde landkreis bahnhof`)

// fullNameWords reports whether a run begins with a given name that is no place, and goes on with another name.
func (n *names) fullNameWords(from, to int) bool {
	for i := from; i+1 < to; i++ {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(initial) || n.text[w.end] == '-' {
			continue
		}
		given := w.has(fullName) || w.is&lexicon.Given != 0 && w.is&(lexicon.Place|lexicon.Particle) == 0

		return given && !n.placePart(i) && !directions.has(n.lowered(i)) && n.words[i+1].has(capitalised)
	}

	return false
}

// publicBody reports whether every word of a run is part of the name of a public institution or of a place: one
// unknown word, the place, stands beside a noun that only public bodies and places have, with nothing but
// ordinary words between.
func (n *names) publicBody(first, end int, w *weight, a *around) bool {
	if w.initials > 0 || w.first != w.last {
		return false
	}
	x := &n.words[w.first]
	if !x.has(fullName) && w.first+1 < end && placeNouns.has(n.lowered(w.first+1)) {
		return true
	}
	if x.has(fullName) || a.before != "the" && n.bothNames(w.first) {
		return false
	}
	if a.before == "the" && offices.has(n.lowered(end-1)) {
		return true
	}

	for i := first; i < end; i++ {
		if n.words[i].has(capitalised) && bodies.has(n.lowered(i)) {
			return true
		}
	}

	return false
}

// bothNames reports whether word i is a given name and a surname.
func (n *names) bothNames(i int) bool {
	return n.words[i].is&(lexicon.Given|lexicon.Surname) == lexicon.Given|lexicon.Surname
}

// legalGerman reports whether a lone word ends as abstract nouns and the words of German public law do. German
// writes every noun with a capital, so that terms quoted in an English text look like names.
func (n *names) legalGerman(from, to int) bool {
	return to-from == 1 && n.words[from].is&lexicon.Proper == 0 && germanNoun(plainGerman(n.lowered(from)))
}

// germanNoun reports whether a word in plain spelling is a compound whose last part is a noun of German law or
// business.
func germanNoun(s string) bool {
	for _, e := range germanEndings {
		stem, ok := strings.CutSuffix(s, e)
		if !ok {
			stem, ok = strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(s, "s"), "se"), e) // the genitive
		}
		if ok && len(stem) >= 4 {
			return true
		}
	}

	return false
}

var germanEndings = []string{
	"ung", "ungen", "keit", "heit", "schaft", "schaften", "gesetz", "gesetzbuch", "gericht", "gerichts", "behoerde",
	"ministerium", "verfahren", "beschluss", "beschluesse", "urteil", "bescheid", "sachen", "recht", "rechts", "amt",
	"amts", "pflicht", "versicherung", "verwaltung", "minister", "vertrag", "erkenntnis", "kammer", "senat", "anstalt",
	"ausschuss", "ausgleich", "beamter", "schreiben", "klage", "antrag", "rechnung", "gutachten", "protokoll",
	"vollmacht", "urkunde", "zeugnis", "erklaerung", "nachweis", "bericht", "akte", "verhandlung", "erwiderung",
	"gebuehr", "gebuehren", "kosten", "forderung", "streit", "verhaeltnis", "verhaeltnisse", "mandat", "termin", "anspruch",
	"ansprueche", "schutz", "frist", "fristen", "zeit", "zeiten", "saal", "gesellschaft", "dirigent", "dirigentin",
	"raetin", "direktor", "direktorin", "beamtin", "referent", "referentin",
}

// evident reports whether a run holds a name that people have somewhere. One of unknown words only may be a
// title or a firm.
func (n *names) evident(first, end int) bool {
	for i := first; i < end; i++ {
		if n.words[i].is&(lexicon.Given|lexicon.Surname) != 0 {
			return true
		}
	}

	return false
}

// foreignTerm reports whether a run is the original of a term, in brackets behind it: "the Provincial Court
// (Audiencia Provincial)".
func (n *names) foreignTerm(first int, w *weight, a *around) bool {
	if first == 0 || a.newLine || w.initials > 0 || n.givenName(first) {
		return false
	}
	if !n.words[first].has(bracketed) || n.text[n.words[first].start-1] != '(' {
		return n.insideTerm(first)
	}
	if n.listedAlone(first) {
		return false
	}
	if roles.has(a.before) && !n.namedParty(first-1) {
		return false
	}
	if strings.HasSuffix(strings.TrimRight(n.text[:n.words[first].start-1], " "), "]") {
		return false
	}
	x := &n.words[first-1]

	return !x.has(capitalised) || x.is&(lexicon.Head|lexicon.Ordinary|lexicon.Law) != 0
}

// listedAlone reports whether word i is the name of many people and no other word, with none behind it: "(Robert was
// told)", "(Robertson)".
func (n *names) listedAlone(i int) bool {
	const otherwise = ordinaryWord | publicWord | lexicon.Particle

	return n.words[i].is&otherwise == 0 && namesMany(n.lowered(i)) && !n.goesOn(i+1)
}

// namedParty reports whether word i is the "Party" of a political one: "the People's Labour Party (Halkın Emek
// Partisi)".
func (n *names) namedParty(i int) bool {
	if i == 0 || n.lowered(i) != "party" {
		return false
	}
	w, before := &n.words[i], &n.words[i-1]

	return w.has(capitalised) && before.has(capitalised) && n.text[before.end:w.start] == " "
}

// insideTerm reports whether word i goes on with the original of a term, in brackets behind it: "the Office for
// Veterans (Urząd do Spraw Kombatantów)". Words of the other language that are no names stand before it in the
// bracket.
func (n *names) insideTerm(i int) bool {
	start := int(n.words[i].start)
	open := strings.LastIndexByte(n.text[max(0, start-longestTerm):start], '(')
	if open < 0 {
		return false
	}
	open += max(0, start-longestTerm)
	if strings.ContainsAny(n.text[open+1:start], ")0123456789\n:;[") {
		return false
	}

	k, foreignWords := i-1, 0
	for ; k >= 0 && int(n.words[k].start) > open; k-- {
		w := &n.words[k]
		if w.has(capitalised) && w.is&(lexicon.Honorific|lexicon.Given|lexicon.Surname) != 0 {
			return false
		}
		s := n.lowered(k)
		if conjunctions.has(s) {
			continue
		}
		if known(s)&lexicon.Ordinary == 0 && !w.has(capitalised) || len(s) > 4 && !ascii(s) {
			foreignWords++
		}
	}
	if foreignWords == 0 || k < 0 || roles.has(n.lowered(k)) && !n.namedParty(k) {
		return false
	}

	return n.words[k].is&(lexicon.Head|lexicon.Ordinary|lexicon.Law|lexicon.Place) != 0
}

// ascii reports whether s has no letter of another alphabet than English.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}

	return true
}

// longestTerm bounds the original of a term, in bytes.
const longestTerm = 120

// conjunctions join names in the languages of Europe.
var conjunctions = setOf(`and und et y e i ve och og en ja ir un`)

// voyages go from one place to another.
var voyages = setOf(`passage voyage route sailed sailing shipped shipment trip flight transit transport carriage`)

// territories are called by "of" and their name, and people are not said to be of them.
var territories = setOf(`sheriffdom state province city town village borough municipality canton department republic
	kingdom`)

// givenName reports whether word i is the given name of a full name: a stranger's surname stands behind it, if it is
// nothing else. Behind a judge is his office: "(Debra Silbert, J.)". "(Sąd Apelacyjny)" is a court, and Sad a given
// name.
func (n *names) givenName(i int) bool {
	w := &n.words[i]
	inside, _, _ := strings.Cut(n.text[w.end:min(len(n.text), int(w.end)+longestMailbox)], ")")
	if strings.HasSuffix(inside, ", J.") {
		return false
	}
	if w.has(fullName) {
		return true
	}

	listed := w.is&lexicon.Given != 0 && w.is&(lexicon.Everyday|publicWord) == 0 && !w.has(accented)

	return listed && n.goesOn(i+1) && n.class(i+1) == unknown
}
