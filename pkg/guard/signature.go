package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Names whose place gives them away, whatever their words are: behind "/s/", behind "Dear", inverted in
// brackets or at the start of a line, and broken over a line.

// positions finds names by where they stand.
func (n *names) positions() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) {
			continue
		}

		// The surest sign first: a word is judged once.
		switch {
		case n.signed(i):
			n.signature(i)
		case n.nicknamed(i):
			n.learn(i-1, i+2, true)
			n.add(kindPerson, ruleFullName, i-1, i+2)
		case n.greeted(i):
			n.learn(i, i+1, false)
			n.add(kindPerson, ruleFullName, i, i+1)
		case n.inverted(i):
			n.learn(i, i+2, false)
			n.add(kindPerson, ruleFullName, i, i+2)
		case n.namedAlone(i):
			n.learn(i, i+2, true)
			n.add(kindPerson, ruleFullName, i, i+2)
		case n.apposedName(i):
			n.learn(i, i+2, true)
			n.add(kindPerson, ruleFullName, i, i+2)
		case n.calledByRole(i):
			n.learn(i, i+1, true)
			n.add(kindPerson, ruleNameWord, i, i+1)
		case w.has(possessive) && n.owner(i):
			n.add(kindName, ruleNameWord, i, i+1)
		case n.brokenName(i):
			n.learn(i, i+2, false)
			n.add(kindPerson, ruleFullName, i, i+2)
		}
	}
}

// signed reports whether the sign of a signature stands right before word i.
func (n *names) signed(i int) bool {
	start := int(n.words[i].start)
	if start < len("/s/") || n.words[i].has(joined) && !n.words[i].has(opening) {
		return false // most words
	}

	before := strings.TrimRight(n.text[:n.words[i].start], " \u00a0")
	if strings.HasSuffix(before, "/s/") {
		return true
	}
	// These stand before empty lines as well, so that a name must follow.
	if !strings.HasSuffix(before, "By:") && !strings.HasSuffix(before, "\nName:") {
		return false
	}

	return !party(n.lowered(i)) && n.goesOn(i+1) && n.words[i].is&(lexicon.Law|lexicon.Head) == 0
}

// longestSignature bounds the words of a signature.
const longestSignature = 6

// signature takes every capitalised word on the line for a name.
func (n *names) signature(first int) {
	end := first + 1
	for end < min(len(n.words), first+longestSignature) && n.words[end].has(capitalised) {
		gap := n.text[n.words[end-1].end:n.words[end].start]
		// A wide gap is the next column of the signature block.
		if len(gap) > 2 || strings.ContainsAny(gap, "\n,;:") {
			break
		}
		end++
	}
	n.learn(first, end, false)
	n.add(kindPerson, ruleFullName, first, end)
}

// nicknamed reports whether word i is a nickname in quotation marks between a given name and a surname: Pete "Buck"
// Walker.
func (n *names) nicknamed(i int) bool {
	if i == 0 || i+1 >= len(n.words) {
		return false
	}
	given, surname := &n.words[i-1], &n.words[i+1]
	if given.is&lexicon.Given == 0 || !given.has(capitalised) || !surname.has(capitalised) {
		return false
	}
	before, behind := n.text[given.end:n.words[i].start], n.text[n.words[i].end:surname.start]

	return before == ` "` && behind == `" ` || before == " “" && behind == "” "
}

// greeted reports whether a letter addresses word i by name: "Dear Ada:".
func (n *names) greeted(i int) bool {
	if i == 0 || n.text[n.words[i-1].end:n.words[i].start] != " " || n.lowered(i-1) != "dear" {
		return false
	}
	w := &n.words[i]
	end := int(w.end)

	if end == len(n.text) || strings.IndexByte(",:\n", n.text[end]) < 0 {
		return false
	}

	return w.is&(lexicon.Given|lexicon.Surname) != 0 && !party(n.lowered(i))
}

// inverted reports whether word i is a surname with a given name behind a comma, between brackets or by itself
// on a line: "(Marsh, Adele)". In running text the same shape is a list.
func (n *names) inverted(i int) bool {
	if i+1 >= len(n.words) || n.text[n.words[i].end:n.words[i+1].start] != ", " {
		return false
	}
	w, given := &n.words[i], &n.words[i+1]
	if !given.has(capitalised) || given.is&lexicon.Given == 0 || given.is&(publicWord|lexicon.Everyday) != 0 {
		return false
	}
	if w.is&lexicon.Surname == 0 && n.class(i) != unknown {
		return false
	}
	if w.is&(lexicon.Place|lexicon.Calendar) != 0 && census.Surname(n.lowered(i)) == 0 {
		return false
	}

	end := int(given.end)
	before := w.start == 0 || strings.IndexByte("([\n\t|", n.text[w.start-1]) >= 0

	return before && (end == len(n.text) || strings.IndexByte(")]\n\t|", n.text[end]) >= 0)
}

// brokenName reports whether a line ends with a given name, word i, and the next begins with the surname.
func (n *names) brokenName(i int) bool {
	if i+1 >= len(n.words) || strings.Trim(n.text[n.words[i].end:n.words[i+1].start], " ") != "\n" {
		return false
	}
	g, s := &n.words[i], &n.words[i+1]
	if census.Given(n.lowered(i)) == 0 || g.is&(publicWord|lexicon.Everyday) != 0 || g.has(opening) {
		return false
	}

	return s.has(capitalised) && s.is&lexicon.Surname != 0 && s.is&(publicWord|lexicon.Common) == 0
}

// suffixes takes in what stands behind a name and belongs to it: ", Jr.", " III".
func (n *names) suffixes() {
	for i := range n.found {
		f := &n.found[i]
		n.withInitial(f)
		n.withDot(f)
		if f.kind != kindPerson {
			continue
		}
		rest := n.text[f.end:min(len(n.text), f.end+longestSuffix)]
		at := len(rest) - len(strings.TrimLeft(rest, " .,\u00a0"))
		if at == 0 || at > 3 {
			continue
		}

		end := at
		for end < len(rest) && alphanumeric(rest[end]) {
			end++
		}
		if nameSuffixes.has(rest[at:end]) {
			f.end += end
		}
	}
}

// withDot takes in the dot of the legal form that a company's name ends with: "INC.", "sp. z o.o.".
func (n *names) withDot(f *span) {
	if f.kind != kindCompany || f.end >= len(n.text) || n.text[f.end] != '.' {
		return
	}

	cut := f.end
	for cut > f.start && (alphanumeric(n.text[cut-1]) || n.text[cut-1] == '.') {
		cut--
	}
	form := strings.ToLower(n.text[cut:f.end])
	if strings.IndexByte(form, '.') >= 0 || shortForms.has(form) {
		f.end++
	}
}

// shortForms are legal forms that end in a dot.
var shortForms = setOf(`inc ltd co corp bros`)

// withInitial takes in the initial with which a sentence begins before a name: "… the logs. R. Baker's tenant". One
// that begins a line may be the letter of an item.
func (n *names) withInitial(f *span) {
	if f.kind != kindPerson && f.kind != kindName || f.start < len("s. R. ") || n.text[f.start-2:f.start] != ". " {
		return
	}
	if !upper(n.text[f.start-3]) || n.text[f.start-4] != ' ' {
		return
	}
	sentence := lower(n.text[f.start-6]) && n.text[f.start-5] == '.'
	if sentence || strings.IndexByte(":,;(", n.text[f.start-5]) >= 0 {
		f.start -= len("R. ")
	}
}

// longestSuffix bounds a suffix with what stands before it, in bytes.
const longestSuffix = len(", Esq.") + 1

// nameSuffixes are written as here.
var nameSuffixes = setOf(`Jr Sr Jnr Snr II III IV Esq JR SR ESQ`)

// namedAlone reports whether words i and i+1, a given name and a surname that are ordinary words too or days and
// months, stand where papers have the names of people and nothing else: alone on a line, behind a colon, before a
// bracket or a title.
func (n *names) namedAlone(i int) bool {
	if i+1 >= len(n.words) || !n.goesOn(i+1) || n.goesOn(i+2) {
		return false // most words
	}
	g, s := &n.words[i], &n.words[i+1]
	if g.is&(lexicon.Given|lexicon.Calendar) == 0 || g.end-g.start > 8 ||
		s.is&(lexicon.Law|lexicon.Head|lexicon.Place) != 0 ||
		n.text[g.end:s.start] != " " {
		return false
	}
	if s.is&lexicon.Surname == 0 || defined.has(n.lowered(i+1)) && s.is&lexicon.Calendar == 0 {
		return false
	}

	return !defined.has(n.lowered(i)) && n.followsName(int(s.end), g.has(opening))
}

// apposedName reports whether words i and i+1, a given name and a surname whatever else they are, stand between
// commas behind what somebody is: "The driver, Will Page, lived there".
func (n *names) apposedName(i int) bool {
	if i == 0 || i+1 >= len(n.words) || n.text[n.words[i-1].end:n.words[i].start] != ", " ||
		!roles.has(n.lowered(i-1)) {
		return false // most words
	}
	g, s := &n.words[i], &n.words[i+1]
	if !s.has(capitalised) || g.is&lexicon.Given == 0 || s.is&lexicon.Surname == 0 || n.text[g.end:s.start] != " " {
		return false
	}

	return int(s.end) < len(n.text) && n.text[s.end] == ',' && !party(n.lowered(i)) && !party(n.lowered(i+1))
}

// followsName reports whether what stands at byte at follows a name in captions, signature blocks and lists of
// parties; alone says that the name begins its line.
func (n *names) followsName(at int, alone bool) bool {
	rest := n.text[at:min(len(n.text), at+longestCredential)]

	switch {
	case strings.HasPrefix(rest, " (\""):
		return true
	case rest == "", strings.HasPrefix(rest, "\n"), strings.HasPrefix(rest, "  "), strings.HasPrefix(rest, ",  "):
		return alone
	}

	return credential(rest)
}

// longestCredential bounds what is read behind a name, in bytes.
const longestCredential = 16

// credential reports whether rest says what somebody is, or that others are with them: ", M.D.", ", Petitioner", ",
// et ux.".
func credential(rest string) bool {
	rest, ok := strings.CutPrefix(rest, ", ")
	if !ok {
		return false
	}
	word := rest
	if end := strings.IndexAny(rest, " ,\n/;)"); end >= 0 {
		word = rest[:end]
	}

	return credentials.has(toLower(strings.TrimRight(word, ".")))
}

var credentials = setOf(`m.d d.o p.e ph.d r.n c.p.a esq esquire j.d d.d.s c.n.m facr attorney attorneys petitioner
	respondent plaintiff defendant appellant appellee claimant et as an individually owner manager member president
	partner trustee executor executrix administratrix administrator`)

// calledByRole reports whether word i is a surname, an ordinary word though it is, that papers put behind a party's
// role, "Defendant Young", or before what somebody is, "Walker, P.E.".
func (n *names) calledByRole(i int) bool {
	w := &n.words[i]
	if w.is&lexicon.Surname == 0 || w.has(allCapitals) || w.is&(lexicon.Law|lexicon.Head) != 0 || n.goesOn(i+1) {
		return false
	}
	if rank := census.Surname(n.lowered(i)); rank == 0 || rank > mostFrequent || party(n.lowered(i)) {
		return false
	}
	behindCapital := i > 0 && n.words[i-1].has(capitalised) && w.has(joined)
	if behindCapital && (litigants.has(n.lowered(i-1)) || posts.has(n.lowered(i-1))) {
		return true
	}

	return w.has(opening) && credential(n.text[w.end:min(len(n.text), int(w.end)+longestCredential)])
}

// posts stand, capitalised, right before the name of who holds them: "Court Reporter Young", "Deputy Clerk Price".
var posts = setOf(`reporter clerk examiner mediator arbitrator investigator adjuster trooper paralegal appraiser`)

// litigants are what pleadings call a party right before its name.
var litigants = setOf(`plaintiff defendant respondent petitioner appellant appellee claimant debtor complainant
	intervenor relator`)
