package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// names finds people and companies among the words of a text. A capitalised word is suspect unless the lexicon
// accounts for it: what a list of names would have to hold, nobody can list. Runs of capitalised words are then
// told apart by what stands in them and around them; a name that was sure once is known wherever it stands.
type names struct {
	text         string
	lower        string // the text with its ASCII letters in lower case
	words        []word
	large        []int // words that begin with a capital letter, whether or not a rule has taken them out of suspicion
	opens        int   // 1 if the text begins with one of them, else 0
	memory       *memory
	cited        *citations // of the text
	careless     bool       // people write prompts and titles here
	german       bool       // what is not English in the text is German
	romance      bool       // what is not English in the text is French or Spanish
	towns        []int      // first words of the towns of two words before a state
	found        []span
	court        uint8 // whether the text has the head of an opinion, once it is asked
	unremembered bool  // an excused word is excused in its place only
	readLine     askedLine
	rows         uint8        // whether the text has what parts the cells of a row, once it is asked
	forms        [32]formRead // the last words that were asked for a legal form
}

// largeWords notes the words that begin with a capital letter, which most rules are about and most words are not.
func (n *names) largeWords() {
	n.large = make([]int, 0, len(n.words)/4)

	for i := range n.words {
		if n.words[i].has(capitalised) {
			n.large = append(n.large, i)
		}
	}
	if len(n.large) > 0 && n.large[0] == 0 {
		n.opens = 1
	}
}

// memory is the names learnt from a document, in lower case.
type memory struct {
	words map[string]struct{}
	marks nameMarks // of the words, for telling most others from them

	headings []column // of the table that the text is in, nil for none
}

func newMemory() *memory { return &memory{words: map[string]struct{}{}} }

func (m *memory) has(key string) bool {
	_, ok := m.words[key]
	return ok
}

// note remembers a key, with the mark of the word that stands by itself, is a short form or begins a phrase.
func (m *memory) note(key string) {
	if m.has(key) {
		return
	}
	m.words[key] = struct{}{}
	m.marks.add(strings.TrimSuffix(key, " "))
	m.marks.add(strings.TrimPrefix(key, shortMark))
}

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
	next, seat, court := 0, 0, 0
	for i := range n.words {
		for seat < len(cited.seats) && cited.seats[seat].end <= int(n.words[i].start) {
			seat++
		}

		for court < len(cited.courts) && cited.courts[court].end <= int(n.words[i].start) {
			court++
		}
		public := seat < len(cited.seats) && cited.seats[seat].start <= int(n.words[i].start)
		public = public || court < len(cited.courts) && cited.courts[court].start <= int(n.words[i].start)
		if _, ok := cited.covers(int(n.words[i].start), &next); ok || public {
			n.words[i].is |= lexicon.Law
			n.words[i].shape = n.words[i].shape&^capitalised | quotedLaw
		}
	}
}

// scan judges every run of capitalised words, and then every place where a name that was learnt stands again.
func (n *names) scan() {
	done := 0 // words before this one are judged

	for _, i := range n.large {
		if i < done || !n.words[i].has(capitalised) {
			continue
		}
		end := n.runEnd(i)
		if i+1 < end && (n.opener(i) || n.article(i)) {
			i++
		}
		n.run(i, end)
		done = end
	}
}

// lastSurname reports whether word i closes a name as a frequent surname, everyday word or not: "John Smith".
func (n *names) lastSurname(i, end int) bool {
	rank := census.Surname(n.lowered(i))
	return i == end-1 && rank > 0 && rank <= mostFrequent && !party(n.lowered(i))
}

// article reports whether word i is the article that begins a sentence, "A Raytec swab", and no initial.
func (n *names) article(i int) bool {
	w := &n.words[i]
	if !w.has(opening) || n.text[w.start:w.end] != "A" {
		return false
	}

	return n.text[w.end] == ' ' && !n.words[i+1].has(initial)
}

// runEnd returns the end of the run that begins at word i: capitalised words, and particles between them.
func (n *names) runEnd(i int) int {
	for i++; i < len(n.words); i++ {
		w, before := &n.words[i], &n.words[i-1]
		if !w.has(joined) || w.has(opening) && !before.has(initial) || before.has(possessive) {
			break
		}
		if before.has(dotted) && before.is&lexicon.Honorific == 0 && n.opensBehindDot(i) {
			break // "of the Delta-V. He said"
		}
		if w.has(capitalised) {
			continue
		}
		next := i + 1
		if w.is&lexicon.Particle == 0 || next == len(n.words) {
			break
		}
		second := &n.words[next]
		if second.is&lexicon.Particle != 0 && !second.has(capitalised) && second.has(joined) && next+1 < len(n.words) {
			next++ // van der
		}
		if !n.words[next].has(capitalised) || !n.words[next].has(joined) || n.words[next].has(opening) {
			break
		}
	}

	return i
}

// opensAsName reports whether word i, an everyday one that begins a sentence, is the name that the text has learnt:
// it is a short form by definition, another name follows, or what follows is done by people and companies.
func (n *names) opensAsName(i int) bool {
	if n.memory.has(shortMark+n.lowered(i)) || n.goesOn(i+1) {
		return true
	}
	if i+1 == len(n.words) || int(n.words[i+1].start) != int(n.words[i].end)+1 {
		return n.words[i].has(possessive)
	}

	return partyVerbs.has(n.lowered(i+1)) || humanVerbs.has(n.lowered(i+1))
}

// partyVerbs say what a party to a paper does.
var partyVerbs = setOf(`shall will may must agrees agreed denies denied admits admitted contributes warrants represents
	owns holds pays paid resigns resigned acknowledges covenants provides delivers delivered retains waives assigns
	executed signed owes owed has is was and or`)

// opensBehindDot reports whether word i begins a sentence though what ends before it looks like an initial: "the
// Delta-V. He said".
func (n *names) opensBehindDot(i int) bool {
	w := &n.words[i]
	return w.end-w.start >= 2 && w.end-w.start <= 5 && (closedWords.has(n.lowered(i)) || signals.has(n.lowered(i)))
}

// lowered is the word in lower case.
func (n *names) lowered(i int) string {
	w := &n.words[i]
	if w.has(accented) {
		return strings.ToLower(n.text[w.start:w.end])
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
	case w.has(allCapitals) && (rates.has(n.lowered(i)) || n.definedTerm(i)),
		w.has(mixedCase) && pluralAcronym(n.text[w.start:w.end]):
		return plain
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
		if w.is&(lexicon.Given|lexicon.Surname) == 0 && openers.has(n.lowered(i)) {
			return plain // "Here" is a goddess too
		}

		return ambiguous
	case w.is&(lexicon.Ordinary|lexicon.Rare) != 0:
		return plain
	}
	if w.is == 0 && (n.derived(i) || n.elided(i)) || n.compounded(i) {
		return plain
	}
	if n.germanThing(i) || n.italianSeat(i) {
		return plain
	}

	return unknown
}

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
		mem'l resp'n obj'n stip'n univ'l comm'r adm'r ex'r ins'd cont'd dist'n sup'r reg'l gen'l o'clock pl's def's`)
	// officeNouns close words of offices that dictionaries lack: masterplan, timesheet, letterhead.
	officeNouns = []string{
		"plan", "plans", "sheet", "sheets", "ware", "date", "dates", "form", "forms", "page", "pages", "site", "sites",
		"code", "codes",
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
		c := n.class(i)
		if c == unknown || c == ambiguous && sure {
			n.memory.note(n.lowered(i))
		}
		if w.has(fullName) && i > first && n.lastSurname(i, end) {
			n.memory.note(n.lowered(i))
		}
	}
}

// ordinaryRun judges a run whose suspect words are all ordinary ones too.
func (n *names) ordinaryRun(first, end, from, to, count int, dottedInitials bool, w *weight, a *around) {
	head := &n.words[w.first]
	inside := !head.has(opening)
	lone := count == 1 && end-first == 1
	ambiguousAlone := lone && w.ambiguous == 1 && !head.has(allCapitals)
	everydayOpening := head.has(opening) && head.is&lexicon.Everyday != 0

	switch {
	case dottedInitials && count >= 1 && !n.words[from].has(opening), inside && count >= 1 && n.saidPerson(first, a):
		n.learn(from, to, false)
		n.add(kindPerson, ruleFullName, from, to)
	case lone && families.has(a.next) && n.frequentSurname(first):
		n.add(kindName, ruleNameWord, from, to) // the Baker deposition
	case n.careless && w.ambiguous == 1 && n.titledAfter(first, end):
		n.add(kindName, ruleNameWord, first, first+1) // Miller Employment Agreement
	case ambiguousAlone && !defined.has(n.lowered(w.first)) && !determiners.has(a.before):
		if a.next == "and" && end+1 < len(n.words) && n.lowered(end+1) == n.lowered(first) {
			return // Cash and Cash Equivalents
		}
		listed := a.next == "and" && (head.is&lexicon.Everyday != 0 || n.plainCapital(end+1))
		spoken := speaking.has(a.next) && !listed && int(n.words[end].start) == int(n.words[end-1].end)+1
		if inside || spoken || head.has(possessive) && head.is&lexicon.Everyday == 0 {
			n.add(kindName, ruleNameWord, from, to)
		}
	case lone && n.speaker(first, a):
		n.add(kindName, ruleNameWord, from, to)
	case ambiguousAlone && inside:
		if meeting.has(a.before) && !nounBehind.has(a.next) || n.apposed(first, a) || n.acts(first, a) {
			n.add(kindName, ruleNameWord, from, to)
		}
	case count == 2 && end-first == 2 && !inside && n.speakingPair(first, w.first, a):
		n.learn(from, to, false)
		n.add(kindPerson, ruleFullName, from, to)
	case count < 2 || w.ambiguous < 2 || everydayOpening:
	case !n.words[first].has(allCapitals) && !n.allDefined(from, to):
		n.add(kindPerson, ruleFullName, from, to)
	}
}

// saidPerson reports whether a word for a person stands before the run that begins with word first. "Applicant" and
// "name" stand before too much else.
func (n *names) saidPerson(first int, a *around) bool {
	if a.before == "applicant" || a.before == "name" {
		return false
	}

	return personal.has(a.before) && !n.newSentence(first)
}

// speakingPair reports whether two words, the first of which opens a sentence, are a given name, word given, and a
// surname with a verb of people behind it: "Grant Field told us".
func (n *names) speakingPair(first, given int, a *around) bool {
	surname := n.words[first+1].is&(lexicon.Surname|lexicon.KnownProper) != 0
	return surname && n.words[given].is&lexicon.Given != 0 && speaking.has(a.next)
}

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
	if !n.words[i].has(opening) || next.has(dotted) {
		return false
	}

	return n.text[next.start:next.end] == "I" && next.start-n.words[i].end == 2
}

// apposed reports whether a word stands between commas behind a role: "the tenant, Baker, said".
func (n *names) apposed(i int, a *around) bool {
	if !roles.has(a.before) {
		return false
	}
	start, end := n.words[i].start, n.words[i].end

	return n.text[n.words[i-1].end:start] == ", " && int(end) < len(n.text) && n.text[end] == ','
}

// unpublished reports whether word i, in a citation, is the party of a decision that a data base alone has: "Marsh,
// 2011 WL 1234". Who has such a decision and the same name is the same person as a rule.
func (n *names) unpublished(i int) bool {
	rest, ok := strings.CutPrefix(n.text[n.words[i].end:min(len(n.text), int(n.words[i].end)+len(", 2011 WL "))], ", ")
	return ok && len(rest) == len("2011 WL ") && digit(rest[0]) && rest[len("2011"):] == " WL "
}

// nameMarks has a bit for each mark that a word of memory has. It tells most words from those of memory.
type nameMarks [1 << 6]uint64

func (m *nameMarks) add(word string) {
	if word != "" {
		mark := nameMark(word)
		m[mark>>6] |= 1 << (mark & 63)
	}
}

// mayHave reports whether memory may have a word.
func (m *nameMarks) mayHave(word string) bool {
	mark := nameMark(word)
	return m[mark>>6]>>(mark&63)&1 != 0
}

// nameMark is a number of 12 bits for a word that is not empty.
func nameMark(word string) uint32 { return lettersOf(word) >> 20 }

// citedPerson reports whether word i, of a decision that is cited, may be called by one of this text's people: a judge
// and a word of the dictionary are not, unless nobody but a data base has the decision.
func (n *names) citedPerson(i int) bool {
	w := &n.words[i]
	if n.knownJudge(i) || !upper(n.text[w.start]) {
		return false
	}

	return w.is&(ordinaryWord|publicWord) == 0 || n.unpublished(i)
}

// recur finds the names of memory wherever they stand capitalised.
func (n *names) recur() {
	if len(n.memory.words) == 0 {
		return
	}

	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised|quotedLaw) || w.has(initial) || w.end-w.start < 3 ||
			!n.memory.marks.mayHave(n.lowered(i)) {
			continue
		}
		if !w.has(capitalised) && !n.citedPerson(i) {
			continue
		}
		if n.memory.has(shortMark+n.lowered(i)) && w.has(capitalised) {
			n.add(kindPerson, ruleRecurs, i, i+1)
			continue
		}
		if w.is&lexicon.Place != 0 && w.is&lexicon.Proper == 0 {
			continue
		}
		if w.has(opening) && w.is&lexicon.Common != 0 && !n.opensAsName(i) {
			continue
		}
		if n.memory.has(n.lowered(i)) {
			n.add(kindPerson, ruleRecurs, i, i+1)
		}
	}
}
