package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// names finds people and companies among the words of a text. A capitalised word is suspect unless the lexicon
// accounts for it: what a list of names would have to hold, nobody can list. Runs of capitalised words are then
// told apart by what stands in them and around them; a name that was sure once is known wherever it stands.
type names struct {
	text     string
	lower    string // the text with its ASCII letters in lower case, once it was asked for
	words    []word
	memory   memory
	cited    *citations // of the text
	careless bool       // people write prompts and titles here
	found    []span
}

// memory is the names learnt from a document, in lower case.
type memory map[string]struct{}

// class is what a capitalised word is on its own.
type class uint8

const (
	plain     class = iota // accounted for
	ambiguous              // an ordinary word that is a well-known name too
	unknown                // nothing accounts for it
	letter                 // an initial
)

// excuse takes the words of citations out of suspicion.
func (n *names) excuse(cited *citations) {
	next := 0
	for i := range n.words {
		if _, ok := cited.covers(int(n.words[i].start), &next); ok {
			n.words[i].is |= lexicon.Law
			n.words[i].shape = n.words[i].shape&^capitalised | quotedLaw
		}
	}
}

// scan judges every run of capitalised words, and then every place where a name that was learnt stands again.
func (n *names) scan() {
	for i := 0; i < len(n.words); {
		if !n.words[i].has(capitalised) {
			i++
			continue
		}
		end := n.runEnd(i)
		if i+1 < end && n.opener(i) {
			i++
		}
		n.run(i, end)
		i = end
	}
}

// runEnd returns the end of the run that begins at word i: capitalised words, and particles between them.
func (n *names) runEnd(i int) int {
	for i++; i < len(n.words); i++ {
		w, before := &n.words[i], &n.words[i-1]
		if !w.has(joined) || w.has(opening) && !before.has(initial) || before.has(possessive) {
			break
		}
		if w.has(capitalised) {
			continue
		}
		next := i + 1
		if w.is&lexicon.Particle == 0 || next == len(n.words) {
			break
		}
		if n.words[next].is&lexicon.Particle != 0 && !n.words[next].has(capitalised) && next+1 < len(n.words) && n.words[next].has(joined) {
			next++ // van der
		}
		if !n.words[next].has(capitalised) || !n.words[next].has(joined) || n.words[next].has(opening) {
			break
		}
	}

	return i
}

// lowered is the word in lower case.
func (n *names) lowered(i int) string {
	w := n.words[i]
	for j := w.start; j < w.end; j++ {
		if n.text[j] >= utf8.RuneSelf {
			return strings.ToLower(n.text[w.start:w.end])
		}
	}
	if n.lower == "" {
		n.lower = smallASCII(n.text)
	}

	return n.lower[w.start:w.end]
}

func (n *names) add(k kind, r rule, first, end int) {
	n.found = append(n.found, span{int(n.words[first].start), int(n.words[end-1].end), k, r})
}

// class weighs a capitalised word on its own.
func (n *names) class(i int) class {
	w := &n.words[i]
	switch {
	case w.has(initial):
		return letter
	case w.has(fullName):
		return unknown
	case n.knownJudge(i), citing.has(n.lowered(i)) && n.counted(i):
		return plain
	case w.is&lexicon.Ordinary == 0 && tools.has(n.lowered(i)):
		return plain
	case n.placePart(i), w.has(abroad|dotted) && foreignLaw.has(n.lowered(i)):
		return plain
	case w.is&(publicWord|lexicon.Honorific) != 0, w.has(abroad) && n.foreignWord(i):
		return plain
	case w.has(allCapitals) && w.end-w.start <= 5 && (w.is&lexicon.Proper == 0 || roman(n.text[w.start:w.end])):
		return plain // an abbreviation or a number
	case w.is&lexicon.Ordinary != 0 && w.is&lexicon.Common == 0 && w.is&lexicon.KnownProper != 0:
		return unknown // a rare word and a well-known name
	case w.is.Ambiguous():
		return ambiguous
	case w.is&(lexicon.Ordinary|lexicon.Rare) != 0:
		return plain
	}
	if w.is == 0 && (n.derived(i) || n.elided(i)) || n.compounded(i) {
		return plain
	}

	return unknown
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

	for _, prefix := range prefixes {
		if rest := len(s) - len(prefix); rest >= shortestStem && strings.EqualFold(s[:len(prefix)], prefix) && known(s[len(prefix):])&lexicon.Common != 0 {
			return true // nonpayment
		}
	}
	if len(s) > 4 && s[len(s)-1] == 's' {
		f := known(s[:len(s)-1])
		return f&(lexicon.Ordinary|lexicon.Rare|lexicon.Place|lexicon.Law) != 0 && !f.Ambiguous()
	}

	return false
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
	if rest, ok := strings.CutPrefix(n.text[w.end:], "-"); ok && rest != "" && lower(rest[0]) {
		if slices.Contains(prefixes, n.lowered(i)) {
			return true
		}
	}
	if w.has(mixedCase) {
		return camel(s)
	}

	for _, e := range officeNouns {
		if stem, ok := strings.CutSuffix(n.lowered(i), e); ok && len(stem) >= 4 {
			return known(stem)&lexicon.Common != 0 && census.Surname(stem) == 0
		}
	}

	return false
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
	apostrophes = setOf(`gov't dep't int'l nat'l ass'n comm'n sec'y treas'r att'y att'ys eng'r prof'l fed'n soc'y
		univ'l comm'r adm'r ex'r ins'd cont'd dist'n sup'r reg'l gen'l o'clock pl's def's`)
	// officeNouns close words of offices that dictionaries lack: masterplan, timesheet, letterhead.
	officeNouns = []string{
		"plan", "plans", "sheet", "sheets", "ware", "date", "dates", "form", "forms", "page", "pages", "site", "sites", "code", "codes",
	}
)

// learn remembers the words of a sure name; words that are ordinary too only when sure is set.
func (n *names) learn(first, end int, sure bool) {
	for i := first; i < end; i++ {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(initial) || w.end-w.start < 3 {
			continue
		}
		if w.is&(lexicon.Honorific|publicWord) != 0 && !w.has(fullName) {
			continue
		}
		if c := n.class(i); c == unknown || c == ambiguous && sure {
			n.memory[n.lowered(i)] = struct{}{}
		}
	}
}

// run judges the run from first to end.
func (n *names) run(first, end int) {
	for i := first; i < end; i++ {
		w := &n.words[i]
		if w.is&lexicon.Honorific != 0 && i+1 < end && honorifics.has(n.lowered(i)) && !(n.lowered(i) == "prof" && n.lowered(i+1) == "code") {
			n.before(first, i)
			stop := n.nameEnd(i+2, end)
			n.learn(i+1, stop, true)
			n.add(kindPerson, ruleHonorific, i, stop)
			n.before(stop, end)

			return
		}
		if w.has(capitalised) && i+1 < end && w.is&(lexicon.Honorific|lexicon.Head|lexicon.Ordinary) != 0 && titles.has(n.lowered(i)) {
			stop := i + 1
			for stop < end && n.nameLike(stop) {
				stop++
			}
			if stop == i+2 && n.knownJudge(i+1) {
				stop = i // Judge Hale, whom the text has named with her court
			}
			lone := stop == i+2 && n.words[i+1].has(initial) && !n.words[i+1].has(dotted)
			if stop > i+1 && !lone {
				n.before(first, i)
				n.learn(i+1, stop, false)
				n.add(kindPerson, ruleHonorific, i, stop)
				n.before(stop, end)

				return
			}
		}
	}
	n.body(first, end)
}

// before judges what is left of a run beside a name with its title.
func (n *names) before(first, end int) {
	if end > first {
		n.body(first, end)
	}
}

// nameEnd cuts an office off the end of a name behind a title, with what qualifies it: "Mr Harker Managing
// Director".
func (n *names) nameEnd(least, end int) int {
	office := end
	for office > least && n.words[office-1].is&(lexicon.Law|lexicon.Head|lexicon.Calendar) != 0 {
		office--
	}
	if office == end {
		return end
	}

	for office > least && n.class(office-1) == plain && n.words[office-1].is&lexicon.Common != 0 {
		office--
	}

	return office
}

// nameLike reports whether a word may follow a title such as Judge as a name.
func (n *names) nameLike(i int) bool {
	w := &n.words[i]
	switch {
	case !w.has(capitalised):
		return w.is&lexicon.Particle != 0
	case w.has(initial):
		return true
	case w.is&(lexicon.Law|lexicon.Head|lexicon.Calendar|lexicon.Honorific) != 0, roman(n.text[w.start:w.end]):
		return false
	}

	return n.class(i) != plain || w.is&lexicon.Ordinary == 0 && w.is&lexicon.Proper != 0 || w.is&(lexicon.Ordinary|lexicon.Rare) != 0 && w.is&lexicon.Common == 0
}

// weight is what a run is made of.
type weight struct {
	first, last        int // suspect words; first is -1 where there are none
	unknown, ambiguous int
	initials           int
	institution        bool
	company            bool
}

func (n *names) weigh(first, end int) weight {
	w := weight{first: -1, last: -1}
	for i := first; i < end; i++ {
		if !n.words[i].has(capitalised) {
			continue
		}

		c := n.class(i)
		switch c {
		case unknown:
			w.unknown++
		case ambiguous:
			w.ambiguous++
		case letter:
			w.initials++
		case plain:
			w.institution = w.institution || n.words[i].is&lexicon.Head != 0 && institutions.has(n.lowered(i))
		}
		if c == unknown || c == ambiguous {
			if w.first < 0 {
				w.first = i
			}
			w.last = i
		}
		w.company = w.company || (i > first || c == plain) && companies.has(n.lowered(i)) && !n.heading(i, end)
	}

	return w
}

// heading reports whether a capitalised word goes on with another of the dictionary, as in "AND INCORPORATED
// MEMORANDUM OF LAW".
func (n *names) heading(i, end int) bool {
	return n.words[i].has(allCapitals) && i+1 < end && n.words[i+1].has(allCapitals) && n.words[i+1].is&(lexicon.Common|lexicon.Law) != 0
}

// around is the words beside a run, "" where a line or more lies between.
type around struct {
	before, before2 string
	next            string
	newLine         bool // a line begins between the word before and the run
}

func (n *names) around(first, end int) (a around) {
	if first > 0 {
		gap := n.text[n.words[first-1].end:n.words[first].start]
		if a.newLine = strings.IndexByte(gap, '\n') >= 0; !a.newLine {
			if len(gap) <= 3 {
				a.before = n.lowered(first - 1)
			}
			if determiners.has(a.before) && strings.Trim(gap, " ") != "" {
				a.before = "" // "A:" in a transcript and "(a)" in a list are no articles
			}
			if n.words[first-1].has(possessive) {
				a.before = "" // the plaintiff's First Set
			}
			if first > 1 {
				a.before2 = n.lowered(first - 2)
			}
		}
	}

	switch a.before {
	case "a", "an", "no", "all":
		if n.words[first].has(abroad) {
			a.before = "" // "an" is "to" in German, as "a" is in Spanish and Italian
		}
	}
	if end < len(n.words) && n.words[end].start-n.words[end-1].end <= 3 {
		a.next = n.lowered(end)
	}

	return a
}

// body judges a run without titles.
func (n *names) body(first, end int) {
	w := n.weigh(first, end)
	a := n.around(first, end)
	if w.first < 0 {
		n.harmless(first, end, &a)
		return
	}
	if n.versus(first, end, &w, &a) {
		return
	}
	from, to := n.grow(first, end, &w)
	count, dottedInitials := 0, false

	for i := from; i < to; i++ {
		switch x := &n.words[i]; {
		case x.has(initial):
			dottedInitials = dottedInitials || x.has(dotted) || i > from && i < to-1
		case x.has(capitalised):
			count++
		}
	}

	person := personal.has(a.before) && !n.newSentence(first)
	switch {
	case to-from >= 2 && to-from <= 3 && n.text[n.words[from].end] == '-' && eponyms.has(n.lowered(from)+"-"+n.lowered(from+1)),
		n.namedCase(from, to) && !person,
		to-from == 1 && to == end && n.eponym(from, a.next):
		n.add(kindTerm, ruleTerm, from, to)
	case w.company:
		n.add(kindCompany, ruleCompany, from, end)
	case w.unknown > 0 && n.business(from, end):
		n.add(kindCompany, ruleCompany, from, end)
	case n.firm(first, end, &a):
		n.add(kindCompany, ruleCompany, first, end)
	case w.institution && !person && n.publicBody(first, end, &w, &a):
		n.add(kindOrg, ruleInstitution, from, to)
	case w.unknown == 0:
		n.words2(first, end, from, to, count, dottedInitials, &w, &a)
	default:
		n.stranger(first, end, from, to, count, dottedInitials, &w, &a)
	}
}

// eponym reports whether word i gave its name to the rule or test that is the next word: "Markman hearings".
func (n *names) eponym(i int, next string) bool {
	name := n.lowered(i) + "-"
	return next != "" && (eponyms.has(name+next) || eponyms.has(name+strings.TrimSuffix(next, "s")))
}

// newSentence reports whether a full stop that ends no abbreviation stands right before word i.
func (n *names) newSentence(i int) bool {
	if i == 0 {
		return true
	}
	gap := n.text[n.words[i-1].end:n.words[i].start]

	return strings.IndexByte(gap, '.') >= 0 && !abbreviations.has(n.lowered(i-1))
}

// harmless judges a run that holds nothing suspect: initials may stand for a person, and a lone word where a
// name would stand.
func (n *names) harmless(first, end int, a *around) {
	stop := first
	for stop < end && n.words[stop].has(initial) && (stop == first || n.words[stop-1].has(dotted) && n.words[stop].start-n.words[stop-1].end <= 2) {
		stop++
	}
	if count := stop - first; count >= 2 && count <= 4 && n.words[first].has(dotted) && !(count == 2 && n.answers(first)) {
		s := strings.ReplaceAll(strings.ToLower(n.text[n.words[first].start:n.words[stop-1].end]), " ", "")
		if !abbreviated.has(s) {
			n.add(kindInitials, ruleInitials, first, stop)
		}
	}
	if end-first >= 3 && numerals.has(n.lowered(first)) && landmarks.has(n.lowered(end-1)) {
		n.add(kindAddress, ruleStreet, first, end)
	}
	if stop > first && stop == end-1 && n.words[stop-1].has(dotted) && a.before == "by" && n.words[stop].end-n.words[stop].start >= 3 &&
		n.words[stop].is&(lexicon.Law|lexicon.Head|lexicon.Calendar) == 0 { // by M. RUST
		n.add(kindPerson, ruleInitials, first, end)
	}
	if n.firm(first, end, a) {
		n.add(kindCompany, ruleCompany, first, end)
	}
	if end-first == 1 && n.nameWord(first, a) {
		n.add(kindName, ruleNameWord, first, end)
	}
}

// nameWord reports whether a lone capitalised word of the dictionary stands inside a sentence as only names do.
func (n *names) nameWord(i int, a *around) bool {
	w := &n.words[i]
	if w.shape&(opening|allCapitals|initial|bracketed|mixedCase) != 0 || i == 0 || n.words[i-1].has(capitalised) || n.text[w.start-1] != ' ' || a.before == "" {
		return false
	}
	if w.is&lexicon.Ordinary == 0 || w.is&lexicon.KnownProper == 0 || w.is&(publicWord|lexicon.Honorific|lexicon.Everyday) != 0 {
		return false
	}
	s := n.lowered(i)
	if defined.has(s) || s[len(s)-1] == 's' || determiners.has(a.before) || a.before == "in" || a.before == "under" || n.words[i-1].is&lexicon.Calendar != 0 {
		return false
	}

	return !((a.before == "of" || a.before == "for" || a.before == "and") && i > 1 && n.words[i-2].has(capitalised))
}

// grow takes in initials, particles and words that look like names beside the suspect ones.
func (n *names) grow(first, end int, w *weight) (from, to int) {
	from, to = w.first, w.last+1
	for from > first {
		x := &n.words[from-1]
		if !x.has(initial) && x.has(capitalised) && (!growable(x) || x.has(opening) && x.is&(lexicon.Common|lexicon.Place) != 0) {
			break
		}
		from--
	}

	for to < end {
		x := &n.words[to]
		if x.has(initial) && !x.has(dotted) && to+1 == end {
			break
		}
		if !x.has(initial) && x.has(capitalised) && !growable(x) && !n.secondSurname(from, to) {
			break
		}
		to++
	}

	return from, to
}

// secondSurname reports whether word to is one more surname behind a given name and a surname, an ordinary word
// though it is.
func (n *names) secondSurname(from, to int) bool {
	x := &n.words[to]
	if to-from < 2 || x.is&lexicon.Surname == 0 || x.is&(publicWord|lexicon.Honorific) != 0 {
		return false
	}

	return n.words[from].is&lexicon.Given != 0 && !defined.has(n.lowered(to)) && !roles.has(n.lowered(to))
}

func growable(w *word) bool {
	return w.is&(lexicon.Head|lexicon.Calendar|lexicon.Law) == 0 &&
		(w.is&(lexicon.KnownProper|lexicon.Place|lexicon.Given) != 0 || w.is&(lexicon.Ordinary|lexicon.Rare) != 0 && w.is&lexicon.Common == 0)
}

// words2 judges a run whose suspect words are all ordinary ones too.
func (n *names) words2(first, end, from, to, count int, dottedInitials bool, w *weight, a *around) {
	head := &n.words[w.first]

	inside := !head.has(opening)
	switch {
	case dottedInitials && count >= 1 && !n.words[from].has(opening), personal.has(a.before) && !n.newSentence(first) && inside && count >= 1 && a.before != "applicant" && a.before != "name":
		n.learn(from, to, false)
		n.add(kindPerson, ruleFullName, from, to)
	case count == 1 && end-first == 1 && families.has(a.next) && n.frequentSurname(first):
		n.add(kindName, ruleNameWord, from, to) // the Baker deposition
	case n.careless && w.ambiguous == 1 && n.titledAfter(first, end):
		n.add(kindName, ruleNameWord, first, first+1) // Miller Employment Agreement
	case count == 1 && w.ambiguous == 1 && end-first == 1 && !head.has(allCapitals) && !defined.has(n.lowered(w.first)) && !determiners.has(a.before):
		listed := a.next == "and" && (head.is&lexicon.Everyday != 0 || n.plainCapital(end+1))
		spoken := speaking.has(a.next) && !listed && int(n.words[end].start) == int(n.words[end-1].end)+1
		if inside || spoken || head.has(possessive) && head.is&lexicon.Everyday == 0 {
			n.add(kindName, ruleNameWord, from, to)
		}
	case count == 1 && end-first == 1 && n.speaker(first, a):
		n.add(kindName, ruleNameWord, from, to)
	case count == 1 && w.ambiguous == 1 && end-first == 1 && inside && !head.has(allCapitals):
		if meeting.has(a.before) && !nounBehind.has(a.next) || n.apposed(first, a) || n.acts(first, a) {
			n.add(kindName, ruleNameWord, from, to)
		}
	case count == 2 && end-first == 2 && head.has(opening) && head.is&lexicon.Given != 0 && n.words[first+1].is&(lexicon.Surname|lexicon.KnownProper) != 0 && speaking.has(a.next):
		n.learn(from, to, false)
		n.add(kindPerson, ruleFullName, from, to)
	case count >= 2 && w.ambiguous >= 2 && !(head.has(opening) && head.is&lexicon.Everyday != 0) && !n.words[first].has(allCapitals) && !n.allDefined(from, to):
		n.add(kindPerson, ruleFullName, from, to)
	}
}

// speaker reports whether word i is a frequent surname of somebody who says something, or to whom something is
// owed to have been said: "Young said that", "according to Price".
func (n *names) speaker(i int, a *around) bool {
	rank := census.Surname(n.lowered(i))
	if rank == 0 || rank > mostFrequent || n.words[i].has(allCapitals) {
		return false
	}
	if n.words[i].is&publicWord != 0 || party(n.lowered(i)) {
		return false
	}

	switch {
	case a.before == "to" && a.before2 == "according":
		return true
	case a.before == "to", a.before == "from":
		return correspondence.has(a.before2)
	case a.before == "of":
		return personalMatters.has(a.before2)
	}

	return humanVerbs.has(a.next) && int(n.words[i+1].start) == int(n.words[i].end)+1
}

var (
	correspondence = setOf(`letter letters email emails e-mail mail memo memorandum fax invoice demand text message
		note`)
	// personalMatters are those of one person or couple.
	personalMatters = setOf(`marriage estate guardianship conservatorship adoption custody parentage deposition
		testimony affidavit declaration interview funeral arrest`)
)

// humanVerbs are done by people alone: a bank states, and a price does not lie.
var humanVerbs = setOf(`said says told testified lied died fled married resigned swore thinks believes knew remembered
	remembers recalls recalled apologized apologised promised begged shouted screamed whispered wept drove walked`)

// titledAfter reports whether a run is the title of a paper or matter with a frequent surname before it.
func (n *names) titledAfter(first, end int) bool {
	if end-first < 2 || !n.frequentSurname(first) || party(n.lowered(first)) {
		return false
	}
	if n.words[first].is&lexicon.Everyday != 0 {
		return false
	}

	return families.has(n.lowered(end-1)) || papersOf.has(n.lowered(end-1))
}

// papersOf close the titles of papers.
var papersOf = setOf(`agreement contract lease nda amendment addendum note deed file matter complaint answer motion
	brief report memo subpoena interrogatories settlement severance release assignment eviction termination divorce`)

// frequentSurname reports whether word i is a surname of many people, and no word of law. One of the words that
// most text is made of has to be among the ten most frequent surnames.
func (n *names) frequentSurname(i int) bool {
	w := &n.words[i]
	if w.has(allCapitals) || w.is&publicWord != 0 || defined.has(n.lowered(i)) {
		return false
	}
	rank, limit := census.Surname(n.lowered(i)), mostFrequent
	if w.is&lexicon.Everyday != 0 {
		limit = 10 // Smith
	}

	return rank > 0 && rank <= limit
}

// allDefined reports whether every suspect word of a run is one of legal text.
func (n *names) allDefined(first, end int) bool {
	for i := first; i < end; i++ {
		if n.words[i].has(capitalised) && n.class(i) == ambiguous && !defined.has(n.lowered(i)) {
			return false
		}
	}

	return true
}

// answers reports whether the initial of an answer stands before the pronoun, as in transcripts: "A. I saw it."
func (n *names) answers(i int) bool {
	next := &n.words[i+1]
	return n.words[i].has(opening) && !next.has(dotted) && n.text[next.start:next.end] == "I" && next.start-n.words[i].end == 2
}

// apposed reports whether a word stands between commas behind a role: "the tenant, Baker, said".
func (n *names) apposed(i int, a *around) bool {
	if !roles.has(a.before) {
		return false
	}
	start, end := n.words[i].start, n.words[i].end

	return n.text[n.words[i-1].end:start] == ", " && int(end) < len(n.text) && n.text[end] == ','
}

// stranger judges a run with a word that nothing accounts for.
func (n *names) stranger(first, end, from, to, count int, dottedInitials bool, w *weight, a *around) {
	head := &n.words[from]

	person := personal.has(a.before) && !n.newSentence(first)
	switch {
	case n.foreignTerm(first, w, a):
		n.add(kindTerm, ruleTerm, from, to)
	// Names seldom take a determiner: "the Kostenbescheid" is a term. But "the Weber family" is a name.
	case determiners.has(a.before) && from == first && !(count >= 2 && n.evident(from, to)) && !families.has(a.next) && !(to < end && n.words[to].has(joined) && families.has(n.lowered(to))) && w.initials == 0 && !n.words[to-1].has(possessive):
		n.add(kindTerm, ruleTerm, from, to)
	case n.situated(from, to, count, w, a):
		n.add(kindPlace, rulePlace, from, to)
	case count >= 2 || dottedInitials || person:
		if person || dottedInitials || n.evident(from, to) {
			n.learn(from, to, false)
		}
		n.add(kindPerson, ruleFullName, from, to)
	case head.has(allCapitals):
		if head.end-head.start <= 3 || head.has(bracketed) || determiners.has(a.before) || head.is&lexicon.Proper == 0 && measures.has(n.lowered(from)) {
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

// situated reports whether an unknown run is the name of a place, by the words around it: "in X", "village of
// X". People are written about in cases, reports and offices, so that those nouns say nothing.
func (n *names) situated(from, to, count int, w *weight, a *around) bool {
	if count >= 2 && n.fullNameWords(from, to) {
		return false
	}

	switch {
	case a.before == "of" && (placeNouns.has(a.before2) || bodies.has(a.before2)):
		return true
	case placePrepositions.has(a.before):
		return !n.words[to-1].has(possessive)
	case placeNouns.has(a.before):
		return a.before != "prison"
	case placeNouns.has(a.next):
		return true
	}

	return bodies.has(a.next) && count == 1 && w.initials == 0
}

// fullNameWords reports whether a run begins with a given name that is no place, and goes on with another name.
func (n *names) fullNameWords(from, to int) bool {
	for i := from; i+1 < to; i++ {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(initial) {
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
	return to-from == 1 && n.words[from].is&lexicon.Proper == 0 && germanNoun(n.lowered(from))
}

// germanNoun reports whether a word in lower case is a compound whose last part is a noun of German law or
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
	"ung", "ungen", "keit", "heit", "schaft", "schaften", "gesetz", "gesetzbuch", "gericht", "gerichts", "behörde", "ministerium",
	"verfahren", "beschluss", "beschlüsse", "urteil", "bescheid", "sachen", "recht", "rechts", "amt", "amts", "pflicht", "versicherung", "verwaltung", "minister",
	"vertrag", "erkenntnis", "kammer", "senat", "anstalt", "ausschuss", "ausgleich", "beamter", "schreiben",
	"klage", "antrag", "rechnung", "gutachten", "protokoll", "vollmacht", "urkunde", "zeugnis", "erklärung",
	"nachweis", "bericht", "akte", "verhandlung", "erwiderung", "gebühr", "gebühren", "kosten", "forderung",
	"streit", "verhältnis", "verhältnisse", "mandat", "termin", "anspruch", "ansprüche", "schutz", "frist",
	"fristen", "gesellschaft",
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
	if !n.words[first].has(bracketed) || first == 0 || a.newLine || w.initials > 0 || n.text[n.words[first].start-1] != '(' || roles.has(a.before) {
		return false
	}
	if strings.HasSuffix(strings.TrimRight(n.text[:n.words[first].start-1], " "), "]") {
		return false
	}
	x := &n.words[first-1]

	return !x.has(capitalised) || x.is&(lexicon.Head|lexicon.Ordinary|lexicon.Law) != 0
}

// recur finds the names of memory wherever they stand capitalised.
func (n *names) recur() {
	if len(n.memory) == 0 {
		return
	}

	for i := range n.words {
		w := &n.words[i]
		if !w.has(capitalised|quotedLaw) || w.has(initial) || w.end-w.start < 3 {
			continue
		}
		if !w.has(capitalised) && (n.knownJudge(i) || !upper(n.text[w.start]) || w.is&(ordinaryWord|publicWord) != 0) {
			continue // a party of a decision that is cited counts only where it is one of this text's people
		}
		if w.is&lexicon.Place != 0 && w.is&lexicon.Proper == 0 {
			continue
		}
		if w.has(opening) && w.is&lexicon.Common != 0 && !(i+1 < len(n.words) && n.words[i+1].has(capitalised) && n.words[i+1].has(joined)) {
			continue
		}
		if _, ok := n.memory[n.lowered(i)]; ok {
			n.add(kindPerson, ruleRecurs, i, i+1)
		}
	}
}
