package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// run judges the run from first to end.
func (n *names) run(first, end int) {
	for i := first; i < end; i++ {
		w := &n.words[i]
		// A title decides the run: what stands beside the name is judged by itself.
		titled := w.is&lexicon.Honorific != 0 && i+1 < end && honorifics.has(n.lowered(i))
		if titled && n.chairAddressed(i, end) {
			n.before(first, i)
			return
		}
		if titled && !n.otherTitle(i) && !n.addressed(i) {
			n.before(first, i)
			stop := n.nameEnd(i+2, end)
			if stop > i+2 || !n.justice(i+1) {
				n.learn(i+1, stop, true)
				n.add(kindPerson, ruleHonorific, i, stop)
			}
			n.before(stop, end)

			return
		}
		if w.has(capitalised) && i+1 < end && w.is&(lexicon.Honorific|lexicon.Head|lexicon.Ordinary) != 0 &&
			titles.has(n.lowered(i)) {
			stop := i + 1
			for stop < end && n.nameLike(stop) {
				stop++
			}
			if stop == i+2 && n.knownJudge(i+1) {
				stop = i // Judge Hale, whom the text has named with her court
			}
			// "Judge A" is a placeholder, "Judge A." somebody.
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

// justice reports whether word i, behind a title, is the office of somebody whose name follows and is excused by
// itself, or is a label or a blank: "Ms. Justice [Judge 1]", "HON'BLE MR. JUSTICE". In "Ms. Justice owes rent" it is
// the name.
func (n *names) justice(i int) bool {
	if n.lowered(i) != "justice" {
		return false
	}
	if i >= 2 && strings.HasPrefix(n.lowered(i-2), "hon") {
		return true
	}
	rest, ok := strings.CutPrefix(n.text[n.words[i].end:], " ")
	if !ok || rest == "" {
		return false
	}

	return upper(rest[0]) || strings.IndexByte("[_", rest[0]) >= 0 || strings.HasPrefix(rest, "delivered ")
}

// addressed reports whether an office with its article follows the title that is word i: "Madame la Présidente".
func (n *names) addressed(i int) bool {
	return n.romance && i+2 < len(n.words) && romanceArticles.has(n.lowered(i+1)) && romanceListed(n.lowered(i+2))
}

// chairAddressed reports whether somebody who presides is addressed by title and office at words i to end: "Mr.
// Chairman, I rise". What stands there instead of an office may be a surname, so that it has to be an address: at the
// beginning of a sentence or behind a comma or a thank you, and a mark behind it.
func (n *names) chairAddressed(i, end int) bool {
	office := end - 1
	if !plainTitles.has(n.lowered(i)) || !presiding.has(n.lowered(office)) || n.words[office].has(possessive) {
		return false
	}
	if office > i+2 || office == i+2 && n.lowered(i+1) != "vice" {
		return false
	}
	rest := n.text[n.words[office].end:]
	if rest == "" || strings.IndexByte(",.:;!?", rest[0]) < 0 || !n.turnedTo(i) {
		return false
	}
	// Some people are called Speaker; who speaks goes on about himself or his hearers.
	if n.words[office].is&lexicon.Surname == 0 {
		return true
	}

	return rest[0] == ',' && end < len(n.words) && speaksOn.has(n.lowered(end))
}

// turnedTo reports whether the words before word i can end before an address: "Thank you, Mr. Chairman".
func (n *names) turnedTo(i int) bool {
	before := strings.TrimRight(n.text[:n.words[i].start], " \t")
	if before == "" || strings.HasSuffix(before, "“") || strings.IndexByte(",.:;!?\n\"([", before[len(before)-1]) >= 0 {
		return true
	}

	return i > 0 && thanking.has(n.lowered(i-1))
}

var (
	plainTitles = setOf(`mr mrs ms mister madam madame`)
	thanking    = setOf(`you thank thanks dear well yes no now and but`)
	speaksOn    = setOf(`i we you this today thank let if may will it our`)
)

// presiding are those who are addressed by their office and by no name.
var presiding = setOf(`president chairman chairwoman chairperson speaker moderator foreperson forewoman
	vice-president`)

// otherTitle reports whether word i only looks like a title: "Prof. Code", or a disease, "MS Clinic", in a text that
// is not in capitals.
func (n *names) otherTitle(i int) bool {
	next := &n.words[i+1]
	if n.lowered(i) == "prof" && n.lowered(i+1) == "code" {
		return true
	}
	if next.has(initial) {
		return false // MR P NORBURY
	}

	return n.words[i].has(allCapitals) && !n.words[i].has(dotted|shouted) && next.is&lexicon.Common != 0 &&
		next.is&(lexicon.Given|lexicon.Surname) == 0
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
	case rankWords.has(n.lowered(i)):
		return false // Deputy Chief Operating Officer
	case w.is&(lexicon.Law|lexicon.Head|lexicon.Calendar|lexicon.Honorific) != 0, roman(n.text[w.start:w.end]):
		return false
	case census.Surname(n.lowered(i)) > 0 && w.is&lexicon.Everyday == 0 && !contractTitles.has(n.lowered(i)):
		return true // Officer Dunning
	}

	if n.class(i) != plain || w.is&lexicon.Ordinary == 0 && w.is&lexicon.Proper != 0 {
		return true
	}

	return w.is&(lexicon.Ordinary|lexicon.Rare) != 0 && w.is&lexicon.Common == 0
}

// rankWords go on with a title and are no name behind it.
var rankWords = setOf(`chief head general assistant associate vice line ward bar store shift floor night kitchen account
	project operations operating executive principal senior junior regional district managing deputy first second team
	case`)

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
		// Only these two can be names; initials and plain words go along with them.
		if c == unknown || c == ambiguous {
			if w.first < 0 {
				w.first = i
			}
			w.last = i
		}
		if n.item(first, i) || i == first && c != plain {
			continue // what begins a run is its name, not its form
		}
		w.company = w.company || companies.has(n.lowered(i)) && !n.heading(i, end)
	}

	return w
}

// item reports whether nothing but the number of an item, which begins with word first, stands before word i: "V.
// INCORPORATED BY REFERENCE".
func (n *names) item(first, i int) bool {
	w := &n.words[first]
	if i != first+1 || !w.has(opening) || !w.has(dotted) {
		return false
	}

	return w.has(initial) || roman(n.text[w.start:w.end])
}

// heading reports whether a capitalised word goes on with another of the dictionary, as in "AND INCORPORATED
// MEMORANDUM OF LAW".
func (n *names) heading(i, end int) bool {
	return n.words[i].has(allCapitals) && i+1 < end && n.words[i+1].has(allCapitals) &&
		n.words[i+1].is&(lexicon.Common|lexicon.Law) != 0
}

// around is the words beside a run, "" where a line or more lies between.
type around struct {
	before, before2 string
	next            string
	newLine         bool // a line begins between the word before and the run
}

// preceding is the words before the run that begins with word first, which is not the first of the text.
func (n *names) preceding(first int) (a around) {
	gap := n.text[n.words[first-1].end:n.words[first].start]
	if strings.IndexByte(gap, '\n') >= 0 {
		return around{newLine: true}
	}

	// Three bytes are a comma or a dot with its blank, or a bracket.
	if len(gap) <= 3 && strings.IndexByte(gap, ';') < 0 {
		a.before = n.lowered(first - 1)
	}
	if determiners.has(a.before) && strings.Trim(gap, " ") != "" {
		a.before = "" // "A:" in a transcript and "(a)" in a list are no articles
	}
	if n.words[first-1].has(possessive) {
		a.before = "" // the plaintiff's First Set
	}
	// "He waited outside", Benning said.
	if strings.ContainsAny(gap, `,"”`) && (placePrepositions.has(a.before) || placeNouns.has(a.before)) {
		a.before = ""
	}
	if first > 1 {
		a.before2 = n.lowered(first - 2)
	}

	return a
}

func (n *names) around(first, end int) (a around) {
	if first > 0 {
		a = n.preceding(first)
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
	if a.before == "that" && (n.opensClause(end-1, a.next) || n.statedBefore(first, end, &a)) {
		a.before = "" // "learned that Greene was selling": a conjunction, and no article
	}

	return a
}

// opensClause reports whether word i, behind "that", is the subject of a clause whose verb is next: a name of many
// people, or a word of no dictionary before what only people do. Other words are those of terms and of companies.
func (n *names) opensClause(i int, next string) bool {
	s := n.lowered(i)
	if namesMany(s) {
		return helpingVerbs.has(next) || personVerb(next) || n.words[i].is&(ordinaryWord|publicWord) == 0
	}

	return known(s)&(lexicon.Ordinary|lexicon.Rare|lexicon.Law|lexicon.Place) == 0 && personVerb(next)
}

// statedBefore reports whether the word before "that" says that something is said or known, and words first to end are
// one that no dictionary holds, so that "that" is a conjunction: "We believe that Overley actively supported it".
func (n *names) statedBefore(first, end int, a *around) bool {
	if end != first+1 || !stating.has(a.before2) {
		return false
	}
	is := n.words[first].is

	return is == 0 || is&(lexicon.Given|lexicon.Surname) != 0 && is&(ordinaryWord|publicWord) == 0
}

// stating verbs and nouns stand before a clause with "that".
var stating = setOf(`said says say saying stated states state believed believes believe think thinks thought know knows
	knew known alleged alleges allege claimed claims argued argues argue contended contends contend testified testify
	found find finds concluded concludes noted notes told tell tells learned learnt learn showed shows show suggested
	suggests insisted admitted admits admit agreed agree agrees fact evidence impression belief allegation allegations
	possibility likely probable clear true realised realized realise realize heard hear aware sure certain confident
	recommended recommend asserted asserts assert maintains maintained conclusion denied denies deny confirmed confirms
	explained explains out him her them me us you complains complained reported reports warned recalls remembers`)

// personVerb reports whether a word in small letters says what somebody does, behind whom it stands.
func personVerb(s string) bool {
	if helpingVerbs.has(s) || s == "and" || s == "or" {
		return false
	}

	return humanVerbs.has(s) || speaking.has(s) || partyVerbs.has(s)
}

var helpingVerbs = setOf(`was is were are had has have did does would could should will shall may might must can cannot
	never also`)

// body judges a run without titles.
func (n *names) body(first, end int) {
	w := n.weigh(first, end)
	a := n.around(first, end)
	if w.first < 0 {
		n.harmless(first, end, &a)
		return
	}
	// Parties of a case come first: a company or a body that is sued is a party too.
	if n.versus(first, end, &w, &a) {
		return
	}
	from, to := n.grow(first, end, &w)
	count, dottedInitials := 0, false

	for i := from; i < to; i++ {
		switch x := &n.words[i]; {
		case x.has(initial):
			// A single letter between two words is a middle initial with or without its dot.
			dottedInitials = dottedInitials || x.has(dotted) || i > from && i < to-1
		case x.has(capitalised):
			count++
		}
	}

	// "The witness Daubert" is somebody, whatever the rule is called.
	person := personal.has(a.before) && !n.newSentence(first)
	switch {
	case to-from >= 2 && to-from <= 3 && n.text[n.words[from].end] == '-' &&
		eponyms.has(n.lowered(from)+"-"+n.lowered(from+1)),
		n.eponymNoun(from, end), n.diseaseRun(first, end, a.next), n.anatomy(from, to, &a),
		n.namedCase(from, to) && !person,
		n.namedStatute(from, to, end) && !person,
		n.namedDecision(to, end, &a) && !person,
		a.next == "was" && n.decidedCase(from, to) && !person,
		to == end && n.oneName(from, to) && n.namesThing(from, to-1, &a):
		n.add(kindTerm, ruleTerm, from, to)
	case !person && n.germanBody(max(first, from-1)), !person && n.germanBody(from), n.nationalLand(first, end, &a),
		n.courthouse(to):
		n.add(kindOrg, ruleInstitution, from, to)
	case w.company, w.unknown > 0 && n.business(from, end):
		n.learnCompany(from, end)
		n.add(kindCompany, ruleCompany, from, end)
	case n.firm(first, end, &a):
		n.learnCompany(first, end)
		n.add(kindCompany, ruleCompany, first, end)
	case w.institution && !person && n.publicBody(first, end, &w, &a):
		n.add(kindOrg, ruleInstitution, from, to)
	case w.unknown == 0:
		n.ordinaryRun(first, end, from, to, count, dottedInitials, &w, &a)
	default:
		n.stranger(first, end, from, to, count, dottedInitials, &w, &a)
	}
}

// namedStatute reports whether the word from from to before to is what a statute is called by: "The Tucker Act".
// Without the article, somebody may act there: "Why did Overley Act as she did?"
func (n *names) namedStatute(from, to, end int) bool {
	if to != from+1 || to >= end || n.text[n.words[to].start:n.words[to].end] != "Act" {
		return false
	}
	if from == 0 || n.lowered(from-1) != "the" {
		return false
	}

	return n.text[n.words[from-1].end:n.words[from].start] == " " && n.text[n.words[from].end:n.words[to].start] == " "
}

// courthouse reports whether a house of the courts is called by the name before word i: "(STANLEY MOSS COURTHOUSE)".
func (n *names) courthouse(i int) bool {
	return i < len(n.words) && n.lowered(i) == "courthouse" && n.gap(i-1) == ""
}

// namedDecision reports whether a run that ends before word to is called as a decision is, whose court stands behind
// it: "the Garmenbeck judgment, BGH, 21 April 1997".
func (n *names) namedDecision(to, end int, a *around) bool {
	if to != end || to+1 >= len(n.words) {
		return false
	}

	switch a.next {
	case "judgment", "judgement", "decision", "ruling":
		if n.words[to+1].start-n.words[to].end > 3 {
			return false
		}

		return n.words[to+1].has(quotedLaw) || highestCourt(n.text[n.words[to+1].start:])
	}

	return false
}

// highestCourt reports whether rest begins with the abbreviation of a court that publishes all that it decides.
func highestCourt(rest string) bool {
	for _, court := range highestCourts {
		if strings.HasPrefix(rest, court) {
			return true
		}
	}

	return false
}

// eponym reports whether word i gave its name to the rule or test that is the next word: "Markman hearings".
func (n *names) eponym(i int, next string) bool {
	if next == "" {
		return false
	}
	name := n.lowered(i) + "-"
	if eponyms.has(name+next) || eponyms.has(name+strings.TrimSuffix(next, "s")) {
		return true
	}

	return procedural.has(next) && n.words[i].is&lexicon.Given == 0 && census.Surname(n.lowered(i)) == 0 &&
		eponyms.has(name+"hearing")
}

// procedural nouns stand behind the name of a rule that hearings are held on: "the Markman order".
var procedural = setOf(`order orders ruling rulings motion motions brief briefing briefs issue issues analysis inquiry
	challenge proceedings construction determination claim claims violation violations`)

// newSentence reports whether a full stop that ends no abbreviation stands right before word i.
func (n *names) newSentence(i int) bool {
	if i == 0 {
		return true
	}
	gap := n.text[n.words[i-1].end:n.words[i].start]

	return strings.IndexByte(gap, '.') >= 0 && !abbreviations.has(n.lowered(i-1))
}

// namesThing reports whether the name of words first to last is that of a thing: a rule or a test called after
// somebody, a disease, or what the words behind it are.
func (n *names) namesThing(first, last int, a *around) bool {
	return n.eponym(first, a.next) || n.diseaseOf(last, a.next) || n.thingBehind(last, a)
}

// harmless judges a run that holds nothing suspect: initials may stand for a person, and a lone word where a
// name would stand.
func (n *names) harmless(first, end int, a *around) {
	stop := first
	for stop < end && n.words[stop].has(initial) && (stop == first || n.behindDot(stop)) {
		stop++
	}
	if n.namesAction(first, stop, a) {
		return
	}
	if n.personInitials(first, stop) {
		n.add(kindInitials, ruleInitials, first, stop)
	}
	// "One Harbor Plaza" has a number like any house.
	if end-first >= 3 && numerals.has(n.lowered(first)) && landmarks.has(n.lowered(end-1)) {
		n.add(kindAddress, ruleStreet, first, end)
	}
	if stop > first && stop == end-1 && a.before == "by" && n.behindInitials(stop) {
		n.add(kindPerson, ruleInitials, first, end)
	}
	if n.firm(first, end, a) {
		n.learnCompany(first, end)
		n.add(kindCompany, ruleCompany, first, end)
	}
	if end-first == 1 && n.nameWord(first, a) {
		n.add(kindName, ruleNameWord, first, end)
	}
}

// entries are initials that stand before the number of an entry of a docket.
var entries = setOf(`d.e d.e. e.c.f e.c.f. d.k.t d.i d.i.`)

// numberedEntry reports whether rest goes on with the number of an entry of a docket: "D.E. # 22".
func numberedEntry(rest string) bool { return strings.HasPrefix(strings.TrimPrefix(rest, "."), " #") }

// childNamed reports whether initials that are an abbreviation in small letters are a child's: "E.G., born".
func (n *names) childNamed(first, stop int) bool {
	s := n.text[n.words[first].start:n.words[stop-1].end]
	if s != "E.G" && s != "I.E" {
		return false
	}
	rest := strings.TrimLeft(n.text[n.words[stop-1].end:], "., ")

	return strings.HasPrefix(rest, "born") || strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s")
}

// pagesOf reports whether rest goes on with pages or volume and page of a record, whose name stands before: "J.A.
// 77-79", "C.R. 1:45".
func pagesOf(rest string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, "."), " ")
	if !ok {
		return false
	}
	first := strings.TrimLeft(rest, tenDigits)
	if len(first) == len(rest) || len(first) < 2 || strings.IndexByte("-:", first[0]) < 0 {
		return false
	}

	return digit(first[1]) && len(rest)-len(first) <= len("1234")
}

// localRules reports whether rest goes on with the rules of the court whose district stands before: "D.N.M.LR-Civ.
// 7.1".
func localRules(rest string) bool {
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "."), " ")
	for _, rules := range []string{
		"LR", "L.R.", "L. R.", "LCvR", "LCrR", "LBR", "L.B.R.", "L. Civ.", "L. Crim.", "Loc.", "Local R",
	} {
		if strings.HasPrefix(rest, rules) {
			return true
		}
	}

	return false
}

// behindDot reports whether word i stands right behind a word with a dot.
func (n *names) behindDot(i int) bool {
	before := &n.words[i-1]
	return before.has(dotted) && n.words[i].start-before.end <= 2
}

// personInitials reports whether the initials from first to end stand for a person, and not for a statute, a court, an
// entry of a docket or the answer in a transcript.
func (n *names) personInitials(first, end int) bool {
	count := end - first
	if count < 2 || count > 4 || !n.words[first].has(dotted) {
		return false
	}
	// Transcripts give each answer the letter A.
	if count == 2 && n.answers(first) {
		return false
	}
	s := strings.ReplaceAll(strings.ToLower(n.text[n.words[first].start:n.words[end-1].end]), " ", "")
	behind := n.text[n.words[end-1].end:]

	short := abbreviated.has(s) && !n.childNamed(first, end) || n.sitsAs(first, end, s)
	if short || lawCodes.has(strings.ReplaceAll(s, ".", "")) || localRules(behind) {
		return false
	}

	return !pagesOf(behind) && !(entries.has(s) && numberedEntry(behind))
}

// behindInitials reports whether word i may be the surname behind initials with a dot: "by M. RUST".
func (n *names) behindInitials(i int) bool {
	w := &n.words[i]
	if !n.words[i-1].has(dotted) || w.end-w.start < 3 {
		return false
	}

	return w.is&(lexicon.Law|lexicon.Head|lexicon.Calendar) == 0
}

// nameWord reports whether a lone capitalised word of the dictionary stands inside a sentence as only names do.
func (n *names) nameWord(i int, a *around) bool {
	w := &n.words[i]
	if w.shape&(opening|allCapitals|initial|bracketed|mixedCase|abroad) != 0 || i == 0 || a.before == "" {
		return false
	}
	if n.words[i-1].has(capitalised) || n.text[w.start-1] != ' ' {
		return false
	}
	if w.is&lexicon.Ordinary == 0 || w.is&lexicon.KnownProper == 0 ||
		w.is&(publicWord|lexicon.Honorific|lexicon.Everyday) != 0 {
		return false
	}
	s := n.lowered(i)
	if defined.has(s) || s[len(s)-1] == 's' || determiners.has(a.before) {
		return false
	}

	switch a.before {
	case "in", "under":
		return false
	case "of", "for", "and":
		return i == 1 || !n.words[i-2].has(capitalised) // "Duty of Candor" is a term
	}

	return n.words[i-1].is&lexicon.Calendar == 0
}

// namesAction reports whether initials, from word first to before word stop, say which kind of paper or proceeding the
// next word is, since an article stands before them as before no person: "an F.E.D. action". Minors are named by two
// initials, "an A.B. action", and a paper may be theirs.
func (n *names) namesAction(first, stop int, a *around) bool {
	if stop-first < 3 || stop >= len(n.words) || n.words[stop].has(capitalised) {
		return false
	}

	return (a.before == "a" || a.before == "an") && proceedings.has(n.lowered(stop))
}

var proceedings = setOf(`action actions case proceeding proceedings judgment hearing statute notice petition trial
	docket lawsuit summons motion loan form exam test plan policy`)

// grow takes in initials, particles and words that look like names beside the suspect ones.
func (n *names) grow(first, end int, w *weight) (from, to int) {
	from, to = w.first, w.last+1
	for from > first {
		x := &n.words[from-1]
		opens := x.has(opening) && x.is&(lexicon.Common|lexicon.Place) != 0
		if !x.has(initial) && x.has(capitalised) && (opens || !growable(x)) {
			break
		}
		from--
	}

	for to < end {
		x := &n.words[to]
		// A last letter without a dot counts something: "Exhibit A".
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
		(w.is&(lexicon.KnownProper|lexicon.Place|lexicon.Given) != 0 || w.is&(lexicon.Ordinary|lexicon.Rare) != 0 &&
			w.is&lexicon.Common == 0)
}
