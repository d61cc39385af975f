package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/legalform"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A company is known by its legal form. Everything that a name can consist of counts before the form, ordinary
// words too: "Blue Harbor Foods, Inc.". Other private organisations are known by what they are: a law firm by
// its ampersand, a bank, a plan or a fund by its noun and a word of its own, a union by its local.

// mostNameWords bounds how many words a company's name has before its legal form.
const mostNameWords = 10

// companies finds companies and other private organisations, takes their words out of suspicion, and learns
// their short forms.
func (n *names) companies() {
	last := 0 // no name begins before the end of the one before

	for i := 0; i < len(n.words); i++ {
		if !n.mayClose(i) {
			continue
		}

		first, end := n.company(i, last)
		if end == 0 {
			first, end = n.privateBody(i, last)
			end = n.withForm(end)
		}
		if end == 0 {
			continue
		}
		// A party of a published decision is no client, company or not.
		if n.decided(end) {
			n.add(kindCitation, ruleCitation, first, end)
		} else {
			end = n.ampersands(end)
			n.add(kindCompany, ruleCompany, first, end)
			n.localNumber(end - 1)
			n.learnCompany(first, end)
		}

		for k := first; k < end; k++ {
			// Words of a company are in no run any more: "Ada Hale Ltd" is no person.
			n.words[k].shape = n.words[k].shape&^capitalised | inCompany
		}
		last, i = end, end-1
	}
}

// ampersands returns where a name ends that goes on with "& Gravel" behind word end.
func (n *names) ampersands(end int) int {
	for most := min(len(n.words), end+mostNameWords); end < most && n.gap(end-1) == "&"; {
		next := end
		if n.lowered(next) == "amp" && next+1 < len(n.words) && n.gap(next) == ";" {
			next++ // &amp;
		}
		if !n.words[next].has(capitalised) {
			break
		}
		end = next + 1
	}

	return end
}

// localNumber takes the number behind the last word of a union into what was found: "Local 170".
func (n *names) localNumber(last int) {
	if s := n.lowered(last); s != "local" && s != "lodge" {
		return
	}
	found := &n.found[len(n.found)-1]

	end := found.end
	for end < min(len(n.text), found.end+len(" No. 12345")) && strings.IndexByte(" No.0123456789", n.text[end]) >= 0 {
		end++
	}
	end = found.end + len(strings.TrimRight(n.text[found.end:end], " "))
	if end > found.end && digit(n.text[end-1]) {
		found.end = end
	}
}

// constituted finds organisations of ordinary words by what they are said to be: "Blue River Paper, a Delaware
// corporation".
func (n *names) constituted() {
	for _, named := range n.large {
		article := named + 1
		if article < 2 || article+1 >= len(n.words) {
			continue
		}
		if !n.apposes(article) || !n.constitution(article+1) {
			continue
		}

		first := n.nameStart(article, 0)
		// One ordinary word before "a corporation" is a role: "Buyer, a Delaware corporation".
		if article-first < 2 || n.words[first].has(inCompany) || !n.ownName(first, article, legalform.Sure) {
			continue
		}
		n.learnCompany(first, article)
		n.add(kindCompany, ruleCompany, first, article)
	}
}

// apposes reports whether word i is the article of what is said of a capitalised word before it: "Paper, a".
func (n *names) apposes(i int) bool {
	w, before := &n.words[i], &n.words[i-1]
	if w.end-w.start > 2 || n.text[w.start] != 'a' || !before.has(capitalised) {
		return false // most words
	}
	if s := n.lowered(i); s != "a" && s != "an" {
		return false
	}
	gap := n.text[before.end:w.start]

	return gap == ", " || gap == ",\n"
}

// constitution reports whether the words from i on say as what and under which law something was made: a place
// stands before the noun, or how it was made behind it.
func (n *names) constitution(i int) bool {
	placed := false

	for end := min(len(n.words), i+longestConstitution); i < end; i++ {
		if entityNouns.has(n.lowered(i)) && !n.words[i].has(capitalised) {
			return placed || madeWords.has(n.around(i, i+1).next)
		}
		placed = placed || n.placeName(i)
	}

	return false
}

// longestConstitution bounds the words of "a New York limited liability company".
const longestConstitution = 6

// madeWords tell how an organisation came to be.
var madeWords = setOf(`organized organised incorporated formed existing duly`)

var entityNouns = setOf(`corporation company partnership association cooperative nonprofit charity foundation trust
	business firm`)

// business reports whether a run with an unknown word is the name of a business: its last word is a trade.
func (n *names) business(first, end int) bool {
	last := n.lowered(end - 1)
	return end-first >= 2 && trades.has(last) && !publicTrades.has(last) && !n.words[end-1].has(possessive)
}

// mayClose reports quickly whether word i can be the legal form or the noun of an organisation.
func (n *names) mayClose(i int) bool {
	w := &n.words[i]
	if i == 0 || w.has(quotedLaw) {
		return false
	}

	// Of the forms in small letters only the short ones are written so: "d.o.o.", "plc".
	if !w.has(capitalised) {
		return w.end-w.start <= 4 && legalform.Lower(n.text[w.start:w.end])
	}

	before := &n.words[i-1]

	short := before.end-before.start <= 3

	return before.has(capitalised|besideDigit) || short || n.brandCase(i-1) || n.lowered(i) == "bank"
}

// decided reports whether a company that ends before word end is a party of a published decision that is cited.
func (n *names) decided(end int) bool {
	for k := max(0, end-mostNameWords); k < min(len(n.words), end+mostNameWords); k++ {
		if !n.contra(k) || !n.sameLine(k, end) || !n.inTitle(end-1, k) {
			continue
		}
		if n.leading(k) || n.published(k, false) {
			return true
		}
	}

	return false
}

// sameLine reports whether nothing ends a sentence, a line or a clause between the words k and end-1.
func (n *names) sameLine(k, end int) bool {
	from, to := min(k, end-1), max(k, end-1)
	if from == to {
		return true
	}
	between := n.text[n.words[from].end:n.words[to].start]

	return !strings.ContainsAny(between, "\n;:")
}

// company returns the words of the company whose legal form begins with word f, and 0 as end where there is
// none. No word before least is part of it.
func (n *names) company(f, least int) (first, end int) {
	end, form := n.formEnd(f)
	if end == 0 || end == f+1 && n.words[f].end-n.words[f].start == 2 && n.text[n.words[f].start-1] == '-' {
		return 0, 0
	}
	if f > 0 && n.words[f].has(allCapitals) && n.text[n.words[f-1].end:n.words[f].start] == "/" {
		return 0, 0 // PTA/PTE
	}

	switch before := n.lowered(f - 1); {
	case before == "ann", before == "stat", n.lowered(f) == "ag" && germanDative.has(before):
		return 0, 0 // Vernon's Ann.P.C., beim AG Peine
	}
	// A soft form inside a name is a word of it: the sure one behind it decides.
	if form == legalform.Soft && n.formFollows(end) {
		return 0, 0
	}
	if rest := n.text[n.words[end-1].end:]; form != legalform.Sure && len(rest) > 1 && rest[0] == ' ' &&
		digit(rest[1]) {
		return 0, 0 // "SMC 25.09.080" is a code
	}

	first = n.nameStart(f, least)
	if first == f || n.onlyForms(first, f) || !n.ownName(first, f, form) {
		return 0, 0
	}

	// Forms come in rows, "GmbH & Co. KG", and all of them belong to the name.
	for end < len(n.words) && n.formJoint(end) {
		next, _ := n.formEnd(end)
		if next == 0 {
			break
		}
		end = next
	}

	return first, end
}

// germanDative stand before "AG" where it is the Amtsgericht, and not behind the name of a company.
var germanDative = setOf(`des dem das beim vom im am zum`)

// nameStart walks back from the legal form f over the words of a company's name.
func (n *names) nameStart(f, least int) int {
	first, commas := f, 0

	least = max(least, f-mostNameWords)
	formsBehind := true

	for i := f - 1; i >= least; i-- {
		// A comma is allowed only as long as nothing but forms stand between it and the end.
		formsBehind = formsBehind && n.onlyForms(i+1, min(i+2, f))
		if !n.joinsCompany(i, f, formsBehind, &commas) {
			break
		}
		if n.companyWord(i) {
			first = i
			continue
		}
		if !n.companyLink(i, first) {
			break
		}
	}

	// Walking back takes roles and sentence openers along; they are given back here.
	for first < f && n.leadIn(first, f) {
		first++
	}

	return first
}

// companyWord reports whether word i can be part of a company's name by itself.
func (n *names) companyWord(i int) bool {
	w := &n.words[i]
	if !w.has(capitalised) {
		if w.has(besideDigit) {
			return w.end-w.start <= 2 && ordinalEndings.has(n.lowered(i)) // 21st Street
		}
		if n.brandCase(i) {
			return true // vFinance, Inc.
		}

		return i > 0 && w.end-w.start == 3 && n.lowered(i) == "com" &&
			n.text[n.words[i-1].end:w.start] == "." // Dubli.com LLC
	}
	s := n.lowered(i)

	return !(linkWords.has(s) || closedWords.has(s)) || w.has(initial) && !w.has(opening)
}

// brandCase reports whether word i is written as some brands are: a small letter or two before a capital one.
func (n *names) brandCase(i int) bool {
	s := n.text[n.words[i].start:n.words[i].end]
	if len(s) < 4 || !lower(s[0]) {
		return false
	}

	if upper(s[1]) {
		return lower(s[2])
	}

	return lower(s[1]) && upper(s[2]) && lower(s[3])
}

// companyLink reports whether word i is a link inside a name whose later words begin at first: "Bank of", "Salt
// and Light".
func (n *names) companyLink(i, first int) bool {
	s := n.lowered(i)
	if i == 0 || !linkWords.has(s) || first != i+1 {
		return false
	}

	before := n.lowered(i - 1)
	switch {
	// "Bank of the West", but not "and the Company".
	case s == "the":
		return linkWords.has(before) && !n.words[i-1].has(capitalised|opening)
	case !n.words[i-1].has(capitalised):
		return false
	case s == "of":
		if ofHeads.has(before) || landforms.has(before) {
			return true
		}
		inPlace := n.placeName(first) && n.words[i-1].is&(lexicon.Head|lexicon.Law) == 0

		return (inPlace || n.class(i-1) != plain) && !party(before)
	case s == "and":
		return !party(before) && legalform.Of(before, false) == legalform.None
	}

	return true
}

// onlyForms reports whether the words from i to the form f are forms too: "Holding" in "Harbor, Holding AG".
func (n *names) onlyForms(i, f int) bool {
	for ; i < f; i++ {
		if _, form := n.formEnd(i); form == legalform.None {
			return false
		}
	}

	return true
}

// closes reports whether word f is a sure legal form.
func (n *names) closes(f int) bool {
	_, form := n.formEnd(f)
	return form == legalform.Sure
}

// joinsCompany reports whether what stands between word i and the next one can stand inside a company's name. A
// comma can before the legal form, and between the partners of a firm.
func (n *names) joinsCompany(i, f int, beforeForm bool, commas *int) bool {
	gap := n.text[n.words[i].end:n.words[i+1].start]
	lines := strings.Count(gap, "\n")
	if len(gap) > longestGap || len(strings.TrimSpace(gap)) > 24 || lines > 2 {
		return false
	}
	// Nearly every gap is one blank, and needs no look at the table.
	if len(gap) > 1 || gap == "\t" {
		if n.borders(int(n.words[i].end), int(n.words[i+1].start)) {
			return false
		}
	}
	if lines == 2 { // a blank line
		goesOn := beforeForm && n.closes(f) || n.partners(i+1)
		if gap[0] != ',' || !goesOn {
			return false
		}
	}
	// A heading, and who signs for the company, end a line as the first half of a broken name does.
	if lines > 0 && strings.IndexByte(",)", gap[0]) < 0 && (n.endsHeading(i) || n.endsSigner(i)) {
		return false
	}

	switch s := strings.TrimSpace(gap); s {
	case "", "&", "&amp;", "-", "/", "+", "'s", "'", ")", "!", "–":
		return true
	case "(":
		return strings.IndexByte(n.text[n.words[i+1].start:n.words[f].start], ')') >= 0
	case ".":
		if gap == "." && n.lowered(i+1) == "com" {
			return true
		}

		return n.words[i].has(initial) || abbreviations.has(n.lowered(i)) || n.words[i].end-n.words[i].start <= 4
	case ",", "),", "!,", ".,":
		*commas++
		return beforeForm || *commas <= 4 && n.partners(i+1)
	default:
		if beforeForm && yearOfCompany(s) {
			return true
		}

		if beforeForm && gap[0] == ' ' && numberOfCompany(s) {
			return true
		}

		return s != "" && len(s) <= 4 && strings.Trim(s, tenDigits) == "" && n.words[i+1].has(besideDigit)
	}
}

// yearOfCompany reports whether what stands before a legal form is the year of a company's making: "Harbor 2017 LLP",
// "Harbor Solicitors (2007) LLP".
func yearOfCompany(s string) bool {
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = s[1 : len(s)-1]
	}

	if len(s) != 4 || strings.Trim(s, tenDigits) != "" {
		return false
	}

	return strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")
}

// numberOfCompany reports whether what stands before a legal form is a number that a company is told from others by:
// "Harbor Pharmacy #2, LLC", "Bagley 3015, LLC".
func numberOfCompany(s string) bool {
	number := strings.TrimPrefix(strings.TrimSuffix(s, ","), "#")
	if number == s {
		return false
	}
	s = number

	return s != "" && len(s) <= len("12345") && strings.Trim(s, tenDigits) == ""
}

// longestGap bounds what stands between two words of a company's name, in bytes: the columns of a caption may be wide.
const longestGap = 60

// partners reports whether the words from i on are a list of surnames that ends in an ampersand: "Amory, Bell &
// Crane LLP".
func (n *names) partners(i int) bool {
	for k := i; k+1 < min(len(n.words), i+6) && n.words[k].has(capitalised); k++ {
		switch n.gap(k) {
		case "&", ", &", "&amp;", ", &amp;":
			return true
		case ",", "":
			if n.lowered(k+1) == "and" {
				return k+2 < len(n.words) && n.words[k+2].has(capitalised)
			}
		default:
			return false
		}
	}

	return false
}

// endsHeading reports whether a line that ends with word i is rather a heading than the first part of a broken
// name.
func (n *names) endsHeading(i int) bool {
	w := &n.words[i]
	return w.is&(lexicon.Law|lexicon.Head|lexicon.Calendar) != 0 && !ofHeads.has(n.lowered(i)) || party(n.lowered(i))
}

// endsSigner reports whether the line that ends with word i is the name of a person, who signs for the company on the
// next one.
func (n *names) endsSigner(i int) bool {
	first, people := i, n.people(i)
	for first > 0 && i-first < 4 && n.text[n.words[first-1].end:n.words[first].start] == " " {
		first--
		people = people && n.people(first)
	}
	// A signer's name has the line to itself, or stands behind "By: ".
	if before := n.text[:n.words[first].start]; !strings.HasSuffix(before, "\n") && !strings.HasSuffix(before, ": ") {
		return false
	}

	return n.turnsToCapitals(i) || people && n.fullNameWords(first, i+1)
}

// people reports whether people are called by word i: it is a given name, a surname or an initial.
func (n *names) people(i int) bool {
	w := &n.words[i]
	return w.has(initial) || w.is&(lexicon.Given|lexicon.Surname|lexicon.Particle) != 0
}

// turnsToCapitals reports whether word i is in mixed case and the next two in capitals.
func (n *names) turnsToCapitals(i int) bool {
	if i+2 >= len(n.words) || inCapitals(n.text[n.words[i].start:n.words[i].end]) {
		return false
	}

	return inCapitals(n.text[n.words[i+1].start:n.words[i+2].end])
}

// leadIn reports whether word i stands before a name and is no part of it: "If Acme Inc.", "Defendant Acme
// Inc.".
func (n *names) leadIn(i, f int) bool {
	w := &n.words[i]
	s := n.lowered(i)
	if !w.has(capitalised) && !n.brandCase(i) || roles.has(s) && i+1 < f {
		return true
	}
	if partyWords.has(s) || determiners.has(s) {
		return true
	}

	return w.has(opening) && !w.has(allCapitals) && (openers.has(s) || germanArticles.has(s))
}

// ownName reports whether the words before a legal form name a company rather than a kind of company.
func (n *names) ownName(first, f int, form legalform.Class) bool {
	own, strong := 0, 0

	for i := first; i < f; i++ {
		w := &n.words[i]
		s := n.lowered(i)
		if formWords.has(s) || linkWords.has(s) || legalform.Of(s, false) == legalform.Sure {
			continue
		}
		if w.has(dotted) && roman(n.text[w.start:w.end]) {
			continue // IV. LIMITED LIABILITY
		}
		if party(s) && (s != "holdings" || i == first) {
			continue
		}

		if w.is&lexicon.Place == 0 || w.is&lexicon.Surname != 0 {
			own++
		}
		// What no dictionary holds is a name of its own, whatever the class of the word is.
		code := w.has(allCapitals) && w.is == 0 // DHL Holdings
		if code || n.class(i) != plain || w.has(mixedCase) || n.brandCase(i) {
			strong++
		}
	}

	// "A limited company" says what it is; "the" stands before names too.
	if before := n.determiner(first); before != "" && before != "the" {
		return strong > 0 && form == legalform.Sure
	}
	if form == legalform.Sure || strong > 0 {
		return own >= 1
	}
	// Forms of other languages are words of this one: "as", "ab", "sa".
	if form == legalform.Foreign {
		return false
	}
	if n.lowered(first) == "federal" || n.lowered(first) == "public" {
		return false
	}

	// A soft form needs two words of its own, "Riverbend Trust" may be any trust, or a place where companies stand.
	if own == 1 && !n.partnersForm(first, f) && !n.sideOfDispute(first, f) {
		return false
	}

	return own > 0 && n.determiner(first) == ""
}

// determiner returns the article or pronoun right before word i, "" for none.
func (n *names) determiner(i int) string {
	if i == 0 || n.text[n.words[i-1].end:n.words[i].start] != " " || !determiners.has(n.lowered(i-1)) {
		return ""
	}

	return n.lowered(i - 1)
}

// partnersForm reports whether partners stand between the first word of a name and its legal form, word f: "Tallow &
// Company Limited".
func (n *names) partnersForm(first, f int) bool { return first+1 < f && n.gap(first) == "&" }

// sideOfDispute reports whether the name from word first to its legal form, word f, is said to be a side of a dispute:
// "Defendant Summit Corporation", "SUMMIT CORPORATION,\nDefendant".
func (n *names) sideOfDispute(first, f int) bool {
	if first > 0 && roles.has(n.lowered(first-1)) && n.text[n.words[first-1].end:n.words[first].start] == " " {
		return true
	}
	next := f + 1

	return next < len(n.words) && sides.has(n.lowered(next)) && n.gap(f) == ","
}
