package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Names of which every word is one of the dictionary: "Chase Rivers lease", "works at Creation Station", "Park's prior
// convictions". What stands beside them tells.

// ofPaper reports whether words i and k, a given name and a frequent surname that are everyday words too, stand right
// before the noun of a paper or of a matter that is called by its person: "Chase Rivers lease".
func (n *names) ofPaper(i, k int) bool {
	g, s := &n.words[i], &n.words[k]
	const word, institution = lexicon.Common | lexicon.KnownProper, lexicon.Law | lexicon.Calendar | lexicon.Head
	if k != i+1 || g.is&word != word || g.is&publicWord != 0 || s.is&institution != 0 {
		return false
	}
	given, surname := n.lowered(i), n.lowered(k)
	if census.Surname(surname) == 0 || thingsMostly.has(surname) || thingsFirst.has(given) {
		return false
	}
	// Both words together are the thing: "Summer Day Schedule".
	if qualityToo.has(given) && thingToo.has(surname) {
		return false // Summer Day Schedule
	}
	next := k + 1
	if s.has(possessive) || next == len(n.words) || !strings.Contains(" _-", n.text[s.end:n.words[next].start]) {
		return false
	}
	noun := n.lowered(next)

	return noun != "" && (papersOf.has(noun) || families.has(noun) || paperFirst.has(noun))
}

var (
	// paperFirst are the words with which the name of such a paper begins.
	paperFirst = setOf(`custody employment guardianship engagement visitation parenting prenuptial postnuptial probate
		severance service services witness deposition retainer sentencing plea bail parole immigration asylum
		naturalization disability unemployment schedule statement petition hearing transcript intake discovery`)
	// thingsMostly are frequent surnames that in a title are rather the thing: "Gift Card".
	thingsMostly = setOf(`ball bank beam billings bond bonds booth call deal fair hand holder link major mark master
		masters means minor numbers page pages part parts pass peoples person post power powers proctor quick seal seals
		self sellers sheets short small staples steel ware well`)
	// thingsFirst are given names that in a title are rather the word.
	thingsFirst = setOf(`alpha art cash constant delta earnest echo free genesis innocent job liberty little long lot
		major male media metro minor numbers pa page red rich royal urban welch whit worth`)
	// qualityToo are given names, and thingToo surnames, of which one alone may be the word.
	qualityToo = setOf(`amber angel chance charity crystal forest golden gray green hill hope junior master peace price
		rock rush stone summer temple wood woods`)
	thingToo = setOf(`banks cross day diamond gates glass keys light mills price silver wall walls weeks`)
)

// owner reports whether word i is a frequent surname, a noun of institutions or of law though it is, of somebody who
// has what people alone have: "Park's prior convictions".
func (n *names) owner(i int) bool {
	w := &n.words[i]
	if w.has(allCapitals|quotedLaw) || n.determiner(i) != "" || party(n.lowered(i)) {
		return false
	}
	if i > 0 && n.joinedToNoun(i) {
		return false
	}

	return census.Surname(n.lowered(i)) > 0 && n.ownedByPeople(i)
}

// joinedToNoun reports whether word i goes on with a capitalised word that begins no sentence: "Hyde Park's".
func (n *names) joinedToNoun(i int) bool {
	before := &n.words[i-1]
	return n.words[i].has(joined) && before.has(capitalised) && !before.has(opening)
}

// establishments finds what people attend, work at or are employed by where it is called by ordinary words: "the child
// attends Creation Station". A department of an employer is none.
func (n *names) establishments() {
	n.tradeNames()
	n.dealNames()

	for i := 1; i+1 < len(n.words); i++ {
		w := &n.words[i]
		if n.words[i-1].has(capitalised) || !w.has(capitalised) || w.has(opening|quotedLaw|allCapitals|initial) {
			continue // most words
		}
		if n.text[n.words[i-1].end:w.start] != " " || !n.attends(i-1) {
			continue
		}

		end := i + 1
		for n.goesOn(end) && n.text[n.words[end-1].end:n.words[end].start] == " " {
			end++
		}
		if end-i >= 2 && end-i <= mostNameWords && n.ordinaryWords(i, end) && !departments.has(n.lowered(end-1)) {
			n.learnCompany(i, end)
			n.add(kindCompany, ruleCompany, i, end)
		}
	}
}

// tradeNames finds firms of ordinary words by the trade that closes them, inside a sentence: "Keystone Title", "Harvest
// Moon Properties"; and hospitals, "treated at Mercy General".
func (n *names) tradeNames() {
	for _, i := range n.large {
		s := n.lowered(i)
		if i < 2 || !closingTrades.has(s) || n.goesOn(i+1) || n.words[i].has(allCapitals|quotedLaw|inCompany|opening) {
			continue // most words
		}

		first := i
		for first > 0 && i-first < 3 && n.adjoins(first) {
			first--
		}
		// At the beginning of a sentence the first capital says nothing.
		if first == i || n.words[first].has(opening|allCapitals) || first == 0 || n.words[first-1].has(capitalised) {
			continue
		}
		before := n.lowered(first - 1)
		if determiners.has(before) || n.gap(first-1) != "" || s == "general" && n.generalOffice(first, i) {
			continue
		}
		if s == "general" && !party(n.lowered(i-1)) || n.tradeWords(first, i) {
			n.learnCompany(first, i+1)
			n.add(kindCompany, ruleCompany, first, i+1)
		}
	}
}

// adjoins reports whether word i goes on with a capitalised word, with a blank between.
func (n *names) adjoins(i int) bool {
	if !n.words[i-1].has(capitalised) || !n.goesOn(i) || n.words[i].has(opening) {
		return false
	}

	return n.text[n.words[i-1].end:n.words[i].start] == " "
}

// tradeWords reports whether the words from first to the trade, word last, are a name and say nothing of a right or an
// object: "Marketable Title", "Rental Properties".
func (n *names) tradeWords(first, last int) bool {
	for i := first; i < last; i++ {
		s := n.lowered(i)
		if n.words[i].is&(publicWord|lexicon.Honorific) != 0 || party(s) || defined.has(s) || titleKinds.has(s) {
			return false
		}
	}

	return n.words[first].is&lexicon.Everyday == 0 || last-first >= 2
}

// generalOffice reports whether "General", word last, closes an office and no hospital or shop: "Attorney General".
func (n *names) generalOffice(first, last int) bool {
	before := n.lowered(last - 1)
	office := n.words[last-1].is&(publicWord|lexicon.Honorific) != 0

	return office || generals.has(before) || defined.has(n.lowered(first))
}

var (
	generals = setOf(`attorney attorneys solicitor surgeon postmaster inspector adjutant major brigadier lieutenant
		consul governor director secretary advocate auditor comptroller registrar counsel colonel captain quartermaster
		receiver accountant agent master deputy vicar minister treasurer judge paymaster procurator prosecutor
		commissary commissioner in`)
	closingTrades = setOf(`title properties escrow realty roofing plumbing logistics apartments general`)
	titleKinds    = setOf(`good clear marketable legal equitable fee insurable record full free vehicle certificate job
		working short long commercial residential rental real estate personal intellectual income investment subject
		affected adjacent contiguous excluded included other mortgaged leased owned portfolio insured defective
		paramount bare possessory luxury`)
)

// dealNames finds the company of ordinary words that a deal or one of its papers is called by: "the Kestrel Ridge term
// sheet". The paper is in small letters, so that the words before it are no heading.
func (n *names) dealNames() {
	for _, i := range n.large {
		next := i + 1
		if next >= len(n.words) || n.words[next].has(capitalised) || !dealPapers.has(n.lowered(next)) {
			continue // most words
		}
		if n.text[n.words[i].end:n.words[next].start] != " " || n.lowered(next) == "term" && !n.sheetBehind(next) {
			continue
		}

		first := i
		for first > 0 && i-first < 2 && n.adjoins(first) {
			first--
		}
		// "The Final Closing term sheet" begins with an everyday word.
		if first == i || n.words[first].shape&(opening|allCapitals) != 0 || n.words[first].is&lexicon.Everyday != 0 {
			continue
		}
		own := n.words[i].is&(publicWord|lexicon.Honorific) == 0 && !contractTitles.has(n.lowered(i))
		if own && n.tradeWords(first, i) {
			n.learnCompany(first, i+1)
			n.add(kindCompany, ruleCompany, first, i+1)
		}
	}
}

// sheetBehind reports whether "sheet" stands behind word i.
func (n *names) sheetBehind(i int) bool { return i+1 < len(n.words) && n.lowered(i+1) == "sheet" }

// dealPapers are called by the company that they are about.
var dealPapers = setOf(`term acquisition merger takeover buyout invoice invoices nda deal engagement purchase`)

// attends reports whether word k ends what stands before a place of work, of care or of trade: "works at".
func (n *names) attends(k int) bool {
	switch s := n.lowered(k); s {
	case "at", "by", "for", "with", "in":
		return k > 0 && employing.has(n.lowered(k-1))
	default:
		return attending.has(s)
	}
}

// ordinaryWords reports whether the words from first to end are of a dictionary and none of a public body, of law, of
// the calendar or a place.
func (n *names) ordinaryWords(first, end int) bool {
	const public = lexicon.Law | lexicon.Calendar | lexicon.Place | lexicon.Honorific

	for i := first; i < end; i++ {
		w := &n.words[i]
		if w.is&lexicon.Ordinary == 0 || w.is&public != 0 || w.is&lexicon.Head != 0 && i < end-1 {
			return false
		}
		if s := n.lowered(i); party(s) || defined.has(s) && first == end-2 {
			return false
		}
	}

	return true
}

var (
	attending = setOf(`attends attended attending`)
	employing = setOf(`works worked working employed enrolled enrols enrolls shops shopped banks interned apprenticed
		volunteers volunteered`)
	departments = setOf(`affairs relations resources control management operations services security training classes
		counseling counselling therapy education sessions meetings support assurance development planning accounting
		purchasing payroll mediation arbitration orientation conference conferences hearings hearing depositions program
		programs school court house hall university college office department unit division desk floor level staff
		team`)
)

// acronymFirm reports whether word i, an abbreviation that nobody knows, is the name of a firm by the word behind it:
// "BLM Law filed the answer", "QRS Consulting".
func (n *names) acronymFirm(i int) bool {
	next := i + 1
	if !n.goesOn(next) || n.goesOn(next+1) || n.text[n.words[i].end:n.words[next].start] != " " {
		return false
	}
	a := n.around(i, next+1)
	if determiners.has(a.before) && a.before2 != "of" {
		return false
	}
	if kind := n.lowered(next); kind != "law" && kind != "legal" {
		return firmNouns.has(kind) && !publicAcronyms.has(n.lowered(i))
	}
	if i == 0 && n.lawFirmTitle(next) {
		return true
	}

	return firmVerbs.has(a.next) || a.before == "of" && (a.before2 == "firm" || a.before2 == "offices")
}

// lawFirmTitle reports whether a title or the name of a file ends behind "Law", word i, or goes on with a paper that
// firms send: "BLM Law engagement letter". In small letters it would be the law of a body.
func (n *names) lawFirmTitle(i int) bool {
	if n.text[n.words[i].start] != 'L' {
		return false
	}
	if i+1 == len(n.words) {
		return true
	}

	return firmPapers.has(n.lowered(i + 1))
}

// firmPapers are what firms of lawyers send.
var firmPapers = setOf(`engagement invoice retainer bill letter fee billing conflict intake pdf docx doc txt`)

var (
	firmNouns = setOf(`partners advisors advisers ventures consulting advocates solicitors realty logistics motors
		plumbing roofing landscaping catering staffing`)
	firmVerbs = setOf(`filed files represents represented appeared appears withdrew served drafted prepared entered
		agreed advises advised billed charged acts acted handled handles`)
)

// runningNames finds a given name with its surname in small letters in the running text of a file, where a word before
// or behind them takes a person: "the tenant ada zorbanek paid", "he met with ada zorbanek".
func (n *names) runningNames() {
	for i := 0; i+2 < len(n.words); i++ {
		w, given, surname := &n.words[i], &n.words[i+1], &n.words[i+2]
		if !lower(n.text[given.start]) || !lower(n.text[surname.start]) {
			continue
		}
		if given.has(besideDigit|quotedLaw) || surname.has(besideDigit|quotedLaw) {
			continue
		}
		role, other := roles.has(n.lowered(i)), beforePeople.has(n.lowered(i))
		if !role && !other || given.has(abroad) {
			continue // most words
		}
		gap := n.text[w.end:given.start]
		if gap == "/ " && n.lowered(i) == "w" {
			gap = " " // call w/ ada zorbanek
		}
		if gap != " " && (gap != ", " || !role) || n.text[given.end:surname.start] != " " {
			continue
		}

		n.lookUp(i + 1)
		n.lookUp(i + 2)
		// Words of other languages are given names somewhere.
		if given.is&lexicon.Given == 0 || (given.is|surname.is)&lexicon.Foreign != 0 || given.end-given.start < 3 {
			continue
		}
		if !role && !n.doneByPeople(i, i+3) {
			continue
		}
		if n.lowerPair(i+1) || n.givenAndStranger(i+1, i+2) {
			n.learn(i+1, i+3, false)
			n.add(kindPerson, ruleLowerName, i+1, i+3)
			i += 2
		}
	}
}

// doneByPeople reports whether word k, behind a name, is a verb of people, or word i, before it, takes a person by
// itself: "with ada zorbanek on Monday".
func (n *names) doneByPeople(i, k int) bool {
	switch n.lowered(i) {
	case "that", "then", "because", "when", "if":
		return k < len(n.words) && (speaking.has(n.lowered(k)) || humanVerbs.has(n.lowered(k)))
	}

	return true
}

// beforePeople stand before a name in running text.
var beforePeople = setOf(`w that then because when if with to by from told met asked called and saw hired fired sued
	paid emailed contacted for`)
