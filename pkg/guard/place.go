package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// places marks the words of states of two words, also where a line breaks between them, and of towns before a
// state.
func (n *names) places() {
	for _, i := range n.large {
		if w := &n.words[i]; w.has(capitalised) && strings.HasSuffix(n.text[:w.start], "], ") &&
			n.addressLabel(int(w.start)-2) {
			n.markPlace(i) // "[Address 2], Newport"
		}
	}

	n.towns = n.towns[:0]
	var court divisionLine

	for _, i := range n.large[n.opens:] {
		w, before := &n.words[i], &n.words[i-1]
		if !w.has(capitalised) || !before.has(capitalised) {
			inTown := i > 1 && before.end-before.start == 2 && n.livesIn(i)
			if w.has(capitalised) && (inTown || pluralStates.has(n.lowered(i))) {
				n.markPlace(i)
			}

			continue // most words
		}
		if numerals.has(n.lowered(i - 1)) {
			n.landmark(i - 1)
		}

		if w.has(allCapitals) && n.lowered(i) == "division" {
			n.courtDivision(i, &court)
		}

		gap := n.text[before.end:w.start]
		code := w.has(allCapitals) && w.end-w.start == 2 && stateCodes.has(n.lowered(i))
		if code && gap == "-" && before.has(allCapitals) {
			n.markPlace(i - 1) // the county of a debtor: "CULLMAN-AL"
		}

		switch {
		case gap == " (" && n.sitsAt(i):
			n.markPlace(i)
		case len(gap) <= 3 && strings.TrimSpace(gap) == "" && twoWordStates.has(n.lowered(i-1)+"-"+n.lowered(i)):
			n.markPlace(i - 1)
			n.markPlace(i)
			// A State that breaks over a line is one word for the rules behind.
			w.shape = w.shape&^opening | joined
		case strings.HasPrefix(gap, ",") && len(gap) <= 3 && (n.stateName(i) || n.longState(i)):
			n.town(i)
			if n.oldState(i) {
				n.markPlace(i)
			}
		case gap == ", " && w.is&lexicon.Place != 0 && census.Surname(n.lowered(i)) == 0:
			n.quarter(i)
		}
	}
	n.townsAgain()
}

// livesIn reports whether word i, by itself, is where somebody lives or works: "practising in Van".
func (n *names) livesIn(i int) bool {
	if n.lowered(i-1) != "in" || !dwelling.has(n.lowered(i-2)) || n.words[i].has(possessive) {
		return false
	}
	last := !n.goesOn(i+1) || n.words[i+1].has(opening)

	return last && n.text[n.words[i-2].end:n.words[i].start] == " in "
}

// dwelling is what people do at a place.
var dwelling = setOf(`lives live lived living practising practicing practises practices resides resided residing
	domiciled born settled`)

// townsAgain marks the towns of two words wherever they stand once more.
func (n *names) townsAgain() {
	if len(n.towns) == 0 {
		return
	}

	for _, i := range n.large {
		if !n.words[i].has(capitalised) || !n.goesOn(i+1) {
			continue
		}

		first, second := n.lowered(i), n.lowered(i+1)
		for _, town := range n.towns {
			if first == n.lowered(town) && second == n.lowered(town+1) {
				n.markPlace(i)
				n.markPlace(i + 1)
			}
		}
	}
}

// addressLabel reports whether the label of an address ends at byte at.
func (n *names) addressLabel(at int) bool {
	open := strings.LastIndexByte(n.text[max(0, at-longestTornLabel):at], '[')
	if open < 0 {
		return false
	}

	return strings.HasPrefix(n.text[max(0, at-longestTornLabel)+open:], "[Address ")
}

// longestTornLabel bounds the label of an address, in bytes.
const longestTornLabel = len("[Address 1000]")

// longState reports whether a state of two words begins with word i.
func (n *names) longState(i int) bool {
	return i+1 < len(n.words) && n.words[i+1].has(joined) && twoWordStates.has(n.lowered(i)+"-"+n.lowered(i+1))
}

// courtDivision marks the words before "DIVISION", word i, as a place where they stand on a line of their own in the
// name of a court: "SOUTHERN DISTRICT OF TEXAS\nHOUSTON DIVISION".
func (n *names) courtDivision(i int, last *divisionLine) {
	start := int(n.words[i].start)
	// One look at the line serves all its words: a line of them would else be read over and over.
	if last.end == 0 || strings.IndexByte(n.text[last.end:start], '\n') >= 0 {
		*last = divisionLine{start: strings.LastIndexByte(n.text[:start], '\n'), word: -1}
	}
	from, least := last.start, last.word
	last.end, last.word = int(n.words[i].end), i

	if from < 0 || !strings.Contains(n.text[max(0, from-longestCourt):from], "DISTRICT") {
		return
	}

	for k := i - 1; k >= max(least, 0) && int(n.words[k].start) > from; k-- {
		n.markPlace(k)
	}
}

// divisionLine is a line with "DIVISION" in it: the line end before it, and the last such word with its end.
type divisionLine struct{ start, word, end int }

// sitsAt reports whether word i, alone in brackets behind the name of a court that ends in a place, is the town where
// it sits: "Eastern District of Oklahoma (Muskogee)".
func (n *names) sitsAt(i int) bool {
	end := int(n.words[i].end)
	if end == len(n.text) || n.text[end] != ')' || n.words[i-1].is&lexicon.Place == 0 {
		return false
	}

	for k := i - 2; k >= max(0, i-5); k-- {
		if s := n.lowered(k); s == "district" || s == "county" || s == "court" {
			return true
		}
	}

	return false
}

// landmark finds the address of a building that has a numeral in words for its number and a line or clause to
// itself: "One Harbor Plaza".
func (n *names) landmark(first int) {
	end := first + 1
	for end < first+longestStreet && n.goesOn(end) && !n.words[end].has(opening) {
		end++
	}
	if end-first < 3 || !landmarks.has(n.lowered(end-1)) {
		return
	}
	if rest := n.text[n.words[end-1].end:]; rest != "" && strings.IndexByte(",\n;", rest[0]) < 0 {
		return
	}
	n.add(kindAddress, ruleStreet, first, end)
}

// town marks the words before state i as a place, up to three of them on one line, unless they are a full name.
func (n *names) town(i int) {
	first := i - 1
	for first > max(0, i-3) && n.words[first].has(joined) && n.words[first-1].has(capitalised) {
		first--
	}
	if n.words[first].has(initial) || barMember(n.text[n.words[i].end:]) {
		return
	}
	addressed := n.zip(i) || n.labelBehind(i)
	// "Ada Hale, Texas" may be somebody from Texas; a ZIP code makes it a town.
	person := i-first > 1 && n.fullNameWords(first, i)
	if person && (!addressed || census.Given(n.lowered(first)) > 0) {
		return
	}
	if i-first == 2 && len(n.towns) < mostTowns {
		n.towns = append(n.towns, first)
	}

	for k := first; k < i; k++ {
		n.markPlace(k)
	}
}

// quarter marks the words before town i as a part of it, where a preposition of place says so: "a walk-up in Crown
// Heights, Brooklyn".
func (n *names) quarter(i int) {
	first := i - 1
	for first > max(0, i-3) && n.words[first].has(joined) && n.words[first-1].has(capitalised) {
		first--
	}
	if first == 0 || !placePrepositions.has(n.lowered(first-1)) ||
		n.text[n.words[first-1].end:n.words[first].start] != " " {
		return
	}
	// "in Ada Hale, Brooklyn" is no quarter.
	if i-first > 1 && n.fullNameWords(first, i) {
		return
	}

	for k := first; k < i; k++ {
		n.markPlace(k)
	}
}

// barMember reports whether what stands behind a State says that somebody is admitted there: "Rajesh Sharma, Nevada
// Bar No.".
func barMember(rest string) bool {
	return strings.HasPrefix(rest, " Bar ") || strings.HasPrefix(rest, " State Bar")
}

// stateName reports whether word i is a state, or its two letters before a ZIP code or where they are no title
// of a person.
func (n *names) stateName(i int) bool {
	w := &n.words[i]
	if n.oldState(i) {
		return true
	}
	if !w.has(allCapitals) || w.end-w.start != 2 {
		return w.end-w.start > 3 && domesticStates.has(n.lowered(i))
	}
	s := n.lowered(i)
	if !stateCodes.has(s) {
		return false
	}

	return n.zip(i) || !titleCodes.has(s) || !w.has(shouted) && !degreeCodes.has(s)
}

// oldState reports whether word i is the old abbreviation of a State behind a town: "Olathe, Kan.". The town has to be
// a known one, since anybody can stand before "Pa." or "Miss.".
func (n *names) oldState(i int) bool {
	w := &n.words[i]
	if !w.has(dotted) || w.has(allCapitals|initial) || !shortStates.has(n.lowered(i)) {
		return false
	}

	return i > 0 && n.words[i-1].is&lexicon.Place != 0
}

// zip reports whether a number stands behind word i, as ZIP codes do.
func (n *names) zip(i int) bool {
	end := int(n.words[i].end)
	rest := strings.TrimLeft(n.text[end:min(len(n.text), end+8)], " \u00a0.,")

	return rest != "" && digit(rest[0])
}

// mostTowns bounds the towns that are looked for once more.
const mostTowns = 16

// labelBehind reports whether the label of an address, or of a ZIP code, stands right behind the state i.
func (n *names) labelBehind(i int) bool {
	return n.words[i].has(allCapitals) && strings.HasPrefix(n.text[n.words[i].end:], " [")
}

// markPlace makes word i a place, whatever names are spelt like it.
func (n *names) markPlace(i int) {
	n.words[i].is = n.words[i].is&^(lexicon.Given|lexicon.Surname|lexicon.Proper|lexicon.KnownProper) | lexicon.Place
}

var (
	domesticStates = setOf(domestic)
	twoWordStates  = setOf(`united-states new-york new-jersey new-mexico new-hampshire north-carolina
		south-carolina north-dakota south-dakota west-virginia rhode-island puerto-rico united-kingdom
		new-zealand hong-kong costa-rica el-salvador sri-lanka saudi-arabia los-angeles san-francisco san-diego
		las-vegas new-orleans`)
	// pluralStates are two States in one word.
	pluralStates = setOf(`dakotas carolinas virginias`)
	// stateCodes are the two letters of the United States Postal Service.
	stateCodes = setOf(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj
		nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr`)
	// titleCodes are those of them that stand behind names too, or are words: "M.D.", "Co.".
	titleCodes = setOf(`md pa ma de me al in or co la oh ok hi id`)
	// degreeCodes are those that stand behind names.
	degreeCodes = setOf(`md pa ma co`)
)
