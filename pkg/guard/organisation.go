package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// privateBody returns the words of a private organisation whose noun is word i, and 0 as end where there is
// none.
func (n *names) privateBody(i, least int) (first, end int) {
	switch s := n.lowered(i); {
	case s == "bank":
		return n.bank(i, least)
	case s == "living":
		if i-1 >= least && (n.lowered(i-1) == "senior" || n.lowered(i-1) == "assisted") {
			return n.ordinaryBody(i, least)
		}

		return 0, 0
	case s == "plan" || s == "fund" || s == "trust" || s == "funds":
		return n.fund(i, least)
	case s == "firm" || s == "office" || s == "offices":
		return n.lawOffice(i, least)
	case s == "union" && i-2 >= least && n.lowered(i-1) == "credit" && n.words[i-1].has(capitalised):
		if first = n.nameStart(i-1, least); first < i-1 && n.determiner(first) == "" {
			return first, i + 1
		}
	case s == "union" || s == "local" || s == "brotherhood":
		return n.union(i, least)
	}

	// Bodies of ordinary words before law firms: "Old Mill & Ridge Homeowners Association".
	if ordinaryBodies.has(n.lowered(i)) {
		if first, end = n.ordinaryBody(i, least); end > 0 {
			return first, end
		}
	}

	return n.lawFirm(i, least)
}

// ordinaryBody finds the private organisation whose noun is word i, made of ordinary words: "First Harvest Community
// Church", "Old Mill Homeowners Association".
func (n *names) ordinaryBody(i, least int) (first, end int) {
	if publicAssociations.has(n.lowered(i)) && !memberWords.has(n.lowered(i-1)) {
		return 0, 0 // it may be known to everybody
	}
	first = n.nameStart(i, least)
	own := 0

	for k := first; k < i; k++ {
		s := n.lowered(k)
		if n.words[k].is&(publicWord|lexicon.Honorific) != 0 || commonBodyWords.has(s) {
			continue
		}
		if !party(s) && !purposes.has(s) {
			own++
		}
	}
	if n.words[i].is&lexicon.Place != 0 || !n.sameLine(first, i+1) {
		return 0, 0 // Falls Church, Virginia
	}
	if i-first < 2 || own == 0 && !memberWords.has(n.lowered(i-1)) {
		return 0, 0
	}
	if n.words[first].has(opening) && openers.has(n.lowered(first)) {
		return 0, 0
	}
	// "A homeowners association" is any of them.
	if before := n.determiner(first); before != "" && before != "the" {
		return 0, 0
	}

	return first, i + 1
}

var (
	// ordinaryBodies are nouns of private organisations that name themselves by ordinary words.
	ordinaryBodies = setOf(`church temple synagogue mosque chapel preschool daycare gallery realty escrow catering
		bakery hospice montessori theatre theater playhouse association foundation alliance coalition ministries league
		club orchestra choir nursery lending kennel stables brewery winery vineyard creamery diner bistro pharmacy
		apothecary salon spa gym dojo studio studios cooperative`)
	publicAssociations = setOf(`association alliance league`)
	// memberWords stand before "Association" in the names of those that people have to do with as neighbours.
	memberWords = setOf(`homeowners homeowner owners condominium condo tenants tenant neighborhood neighbourhood parents
		teachers townhouse residents lot property`)
	// commonBodyWords say of what kind an organisation is, and are no name of one.
	commonBodyWords = setOf(`community catholic baptist methodist lutheran episcopal presbyterian orthodox christian
		reformed evangelical homeowners homeowner owners condominium condo tenants tenant neighborhood neighbourhood
		property parents teachers charitable private public national state county city international american bar trade
		professional business industry merchants youth little women's men's children's family day child care medical
		dental veterinary animal art arts dance music performing sports athletic golf country yacht tennis swim fitness
		health legal aid the a an of and for in at first united free old new`)
)

// lawOffice finds the firm whose noun is word i: "Zorbanek Law Firm", "Law Offices of Ada Zorbanek".
func (n *names) lawOffice(i, least int) (first, end int) {
	if i-1 < least || n.lowered(i-1) != "law" || !n.words[i-1].has(capitalised) || n.gap(i-1) != "" {
		return 0, 0
	}

	end = i + 1
	if end+1 < len(n.words) && n.lowered(end) == "of" && n.words[end+1].has(capitalised) {
		// The surname behind "of" may stand alone, or with given names and partners.
		end += 2
		for end < i+6 && n.goesOn(end) {
			end++
		}

		return i - 1, end
	}
	first = n.nameStart(i-1, least)
	if first == i-1 || n.class(first) == plain && n.words[first].is&(lexicon.Everyday|publicWord) != 0 {
		return 0, 0
	}

	return first, end
}

// lawFirm finds surnames joined by an ampersand, of which word i is the last: "Holloway & Finch", "Amory, Bell
// & Crane".
func (n *names) lawFirm(i, least int) (first, end int) {
	last := i - 1
	if last >= 0 && n.lowered(last) == "amp" {
		last-- // &amp;
	}
	if last < least || !strings.Contains(n.text[n.words[last].end:n.words[i].start], "&") {
		return 0, 0
	}

	first = i

	for k := last; k >= least && n.partner(k); k-- {
		if gap := n.gap(k); k < last && gap != "," && gap != "" {
			break
		}
		first = k
	}
	if first == i || !n.partner(i) || n.placeName(first) && n.placeName(i) {
		return 0, 0 // England & Wales
	}

	end = i + 1
	for n.goesOn(end) && n.partner(end) {
		end++
	}

	return first, end
}

// partner reports whether word i can be the surname of a partner of a firm.
func (n *names) partner(i int) bool {
	w := &n.words[i]
	if !w.has(capitalised) || w.has(initial) || w.end-w.start < 3 {
		return false
	}
	if w.is&(lexicon.Law|lexicon.Head|lexicon.Calendar) != 0 || w.has(allCapitals) && w.is&lexicon.Proper == 0 {
		return false
	}

	name := w.is&(lexicon.Surname|lexicon.KnownProper|lexicon.Place) != 0

	return w.is&lexicon.Everyday == 0 && (name || n.class(i) == unknown)
}

// bank finds the bank whose noun is word i: what is before it names it, or the place behind "of" does.
func (n *names) bank(i, least int) (first, end int) {
	first = n.nameStart(i, least)
	own, strong := 0, 0

	for k := first; k < i; k++ {
		switch {
		case publicBanks.has(n.lowered(k)):
			return 0, 0
		case bankWords.has(n.lowered(k)):
			own++
		case n.class(k) != plain || n.words[k].is&lexicon.Place != 0:
			strong++
		}
	}

	end = i + 1
	if end+1 < len(n.words) && n.lowered(end) == "of" && n.placeName(end+1) {
		end += 2
		for n.goesOn(end) && n.placeName(end) {
			end++
		}
		end = n.association(end)
		// The bank of a state has no clients.
		if first == i && centralBanks.has(n.lowered(end-1)) {
			return 0, 0
		}

		return first, end
	}

	switch {
	case own >= 2, strong >= 1 && first < i, own == 0 && first == i-1 && n.midSentence(first):
		return first, end
	}

	return 0, 0
}

// association returns where the name of a bank ends that goes on as savings banks do: "Bank of America National
// Trust and Savings Association".
func (n *names) association(end int) int {
	stop := end
	for stop < min(len(n.words), end+5) && (bankWords.has(n.lowered(stop)) || n.lowered(stop) == "and") {
		stop++
	}
	if stop == end || stop == len(n.words) || n.lowered(stop) != "association" {
		return end
	}

	return stop + 1
}

// midSentence reports whether word i stands inside a sentence behind a word that is no determiner, and is no
// word of law.
func (n *names) midSentence(i int) bool {
	w := &n.words[i]
	return i > 0 && !w.has(opening) && w.is&(lexicon.Law|lexicon.Head) == 0 && !determiners.has(n.lowered(i-1))
}

// placeName reports whether word i is capitalised and the name of a place.
func (n *names) placeName(i int) bool {
	return n.words[i].has(capitalised) && n.words[i].is&lexicon.Place != 0
}

// goesOn reports whether a capitalised word i goes on with what stands before it.
func (n *names) goesOn(i int) bool {
	return i < len(n.words) && n.words[i].has(capitalised) && n.words[i].has(joined)
}

// gap returns what stands between word i and the next one, without blanks around it.
//
//go:noinline
func (n *names) gap(i int) string {
	return strings.TrimSpace(n.text[n.words[i].end:n.words[i+1].start])
}

// party reports whether a word is what contracts, pleadings or people call somebody.
func party(s string) bool { return roles.has(s) || partyWords.has(s) }

// fund finds the plan, fund or trust whose noun is word i: a word of its own stands before the words for its
// purpose.
func (n *names) fund(i, least int) (first, end int) {
	k := i
	for k-1 >= least && n.words[k-1].has(capitalised) && n.words[k].has(joined) && purposes.has(n.lowered(k-1)) {
		k--
	}
	if k == i || k-1 < least || !n.words[k-1].has(capitalised) || !n.words[k].has(joined) {
		return 0, 0
	}

	w := &n.words[k-1]
	s := n.lowered(k - 1)
	if w.has(opening) && openers.has(s) || closedWords.has(s) || linkWords.has(s) {
		return 0, 0
	}
	if party(s) || knownShort.has(s) {
		return 0, 0
	}
	// In prompts people name funds by one word; in files that word may be a term.
	if n.careless && i-k >= 1 && n.ownWord(k-1) {
		return n.nameStart(k, least), i + 1 // Harbor Growth Fund
	}
	if n.class(k-1) != plain || w.has(allCapitals) && w.is&(ordinaryWord|publicWord) == 0 {
		return n.nameStart(k, least), i + 1
	}

	return 0, 0
}

// union finds the union of which word i is the noun: its trade stands before it, or a local with its number
// behind it.
func (n *names) union(i, least int) (first, end int) {
	at := int(n.words[i].end)
	if n.lowered(i) == "local" {
		// Without its number a local is any branch of a union.
		rest := strings.TrimLeft(n.text[at:min(len(n.text), at+8)], " No.")
		if rest == "" || !digit(rest[0]) || i-1 < least || !n.words[i-1].has(capitalised) {
			return 0, 0
		}
		first = n.nameStart(i, least)
		if first == i {
			return 0, 0
		}

		return first, i + 1
	}
	first = n.nameStart(i, least)
	workers := 0

	for k := first; k < i; k++ {
		if workerWords.has(n.lowered(k)) {
			workers++
		}
	}
	if workers == 0 || first == i {
		return 0, 0
	}

	return first, i + 1
}
