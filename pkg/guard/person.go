package guard

import (
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
			// The flag as well as the shape: rules of runs ask for either.
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
		// The capital of a sentence's first word is no part of the name behind it.
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

// add notes what the words from first to end are. Some hundred rules call it, so that written out in line it would be
// much of what a browser loads, for a step that few words need.
//
//go:noinline
func (n *names) add(k kind, r rule, first, end int) {
	n.found = append(n.found, span{int(n.words[first].start), int(n.words[end-1].end), k, r})
}

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
		// An ordinary word that was a name once would else be one in every sentence.
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
	// One suspect word, or an everyday one that opens a sentence, is no proof.
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
	// Beyond the limit the word is more often itself than a name.
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
		// A town that is called as a learnt name stays a town.
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
