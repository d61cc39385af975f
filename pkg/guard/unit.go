package guard

import "strings"

// Units of houses: flats, suites and floors, with the buildings that they are in.

// unitBefore returns where the unit and the building begin that stand before the house at byte i, "Unit 7, Tannery
// Yard, 22 Fleece Lane", and i where there is none.
func (c *codes) unitBefore(i int) int {
	building, ok := strings.CutSuffix(c.text[max(0, i-longestUnit):i], ", ")
	if !ok {
		return i
	}
	at := strings.LastIndex(building, ", ")
	if at < 0 || strings.ContainsAny(building[at:], "\n.;:()") {
		return i
	}

	for word := range strings.FieldsSeq(building[at+len(", "):]) {
		if !capital(word) {
			return i
		}
	}
	unit := building[:at]
	number := unit[strings.LastIndexByte(unit, ' ')+1:]
	kind := strings.TrimSuffix(unit, " "+number)
	from := strings.LastIndexAny(kind, " ,\n(") + 1
	if !unitNumber(number) || !unitKind(strings.ToLower(kind[from:])) {
		return i
	}

	return i - len(", ") - len(building) + from
}

// unitNumber reports whether s is the number of a unit: up to four characters that begin with a digit, or a letter.
func unitNumber(s string) bool {
	return s != "" && len(s) <= 4 && (digit(s[0]) || len(s) == 1)
}

// unitKind reports whether a word in lower case says that a unit follows.
func unitKind(s string) bool { return dwellings.has(s) || units.has(s) }

// longestUnit bounds a unit with its building, in bytes.
const longestUnit = 60

// suites are rooms of offices and flats, which stand with a capital before their number: "Suite 12", "Ste.
// 410", "Apt #3".
var suites = setOf(`suite ste apt apartment penthouse pmb`)

// suite returns the start of a suite whose number is the token, -1 for none.
func (c *codes) suite(t *token) int {
	at := t.start
	for at > 0 && t.start-at < 3 && strings.IndexByte(" #.\u00a0", c.text[at-1]) >= 0 {
		at--
	}
	if at == t.start || at == 0 || strings.IndexByte("eEtTbB", c.text[at-1]) < 0 {
		return -1 // no such word ends here
	}
	start, word := c.wordBefore(at)
	if !capital(word) || !suites.has(c.smallWord(word, start+len(word))) {
		return -1
	}

	return start
}

// floor returns the end of a floor whose number is the token, with the building behind it: "27th Floor", "9th
// Floor, Harbor Centre". It is 0 for none, and for a floor in running text, which is written small.
func (c *codes) floor(t *token, before *lead) int {
	if !ordinalLike(t) || before.has(courtrooms, 3) {
		return 0
	}
	word, end := c.word(c.skip(t.end, " "))
	if word != "Floor" && word != "FLOOR" && word != "Fl" {
		return 0
	}

	at := c.skip(end, ", ")
	if next, _ := c.word(at); strings.HasPrefix(next, "Courtroom") {
		return 0
	}

	for range longestStreet {
		name, stop := c.word(at)
		if !capital(name) || digit(name[0]) {
			break
		}
		if buildings.has(strings.ToLower(name)) {
			return stop
		}
		at = c.skip(stop, " ")
	}

	return end
}

// courtrooms are where a court sits.
var courtrooms = setOf(`courtroom department dept hearing chambers`)

// buildings close the names of buildings.
var buildings = setOf(`centre center building bldg tower towers plaza house court place square mansion hall`)
