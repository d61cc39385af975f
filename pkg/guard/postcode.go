package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// spelledState returns the start of a state, in full, before a ZIP code, the token: "Illinois 62704". It is -1
// for none.
func (c *codes) spelledState(t *token) int {
	zip := t.digits == 5 && len(t.text) == 5 || t.digits == 9 && t.dashes == 1
	if !zip || t.letters > 0 || t.start < 5 || strings.IndexByte(" \n", c.text[t.start-1]) < 0 {
		return -1
	}
	start, word := c.wordBefore(t.start - 1)
	if !capital(word) {
		return -1
	}
	low := strings.ToLower(word)
	if domesticStates.has(low) {
		return start
	}
	first, before := c.wordBefore(c.trim(start))
	if capital(before) && domesticStates.has(strings.ToLower(before)+"-"+low) {
		return first
	}

	return -1
}

// states are the postal abbreviations of the United States, Canada and Australia.
var states = setOf(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm
	ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr on qc bc ab mb nsw vic qld`)

// stateBefore reads "IL 62704" and returns its start, -1 for none.
func (c *codes) stateBefore(t *token) int {
	figures := t.digits == 4 || t.digits == 5 || t.digits == 9 && t.dashes == 1
	if !figures || t.letters > 0 || t.start < 3 || c.text[t.start-1] != ' ' {
		return -1
	}
	start, word := c.wordBefore(t.start - 1)
	if len(word) < 2 || len(word) > 3 || strings.ToUpper(word) != word || !states.has(strings.ToLower(word)) {
		return -1
	}
	if t.digits == 4 && len(word) != 3 {
		return -1 // postcodes of four figures are Australian: "NSW 2000"
	}

	return start
}

// townBehind reads what stands behind the number of a house on the continent, ", 12527 Berlin", and returns its
// end, 0 for none.
func (c *codes) townBehind(i int) int {
	at := c.skip(i, ", ")
	if at == i || c.text[i] != ',' {
		return 0
	}
	if at+2 < len(c.text) && upper(c.text[at]) && c.text[at+1] == '-' {
		at += 2 // D-12527
	}

	end, digits := at, 0
	for end < len(c.text) && end-at < 10 && c.postcodeOn(end, digits) {
		if digit(c.text[end]) {
			digits++
		}
		end++
	}
	// "12, 1998 Supreme Court" goes on with a year.
	year := digits == 4 && (strings.HasPrefix(c.text[at:], "19") || strings.HasPrefix(c.text[at:], "20"))
	if digits < 4 || digits > 6 || year {
		return 0
	}
	next := c.skip(end, " ")
	word, stop := c.word(next)
	if next == end || word == "" || !capital(word) || digit(word[0]) {
		return 0
	}
	if known(word)&(lexicon.Calendar|lexicon.Law|lexicon.Head) != 0 || measures.has(strings.ToLower(word)) {
		return 0
	}

	return stop
}

// postcodeOn reports whether a postcode, of which so many digits were read, goes on at byte i: with a digit, or with a
// blank or hyphen before one.
func (c *codes) postcodeOn(i, digits int) bool {
	if digit(c.text[i]) {
		return true
	}
	mark := digits > 0 && strings.IndexByte(" -", c.text[i]) >= 0

	return mark && i+1 < len(c.text) && digit(c.text[i+1])
}

// capitalsBefore returns the start of the capitalised words that end at byte i, with particles between them, -1
// where there are none.
func (c *codes) capitalsBefore(i int) int {
	first, at := -1, c.trim(i)
	for range longestStreet {
		start, word := c.wordBefore(at)
		if word == "" || digit(word[0]) {
			break
		}
		if capital(word) {
			first = start
		} else if known(word)&lexicon.Particle == 0 {
			break
		}
		if at = c.trim(start); at == start {
			break
		}
	}

	return first
}

// eircode returns the end of an Irish postcode that begins at byte i, such as A65 F4E2, 0 for none.
func eircode(text string, i int) int {
	end := i + len("A65 F4E2")
	if end > len(text) || end < len(text) && wordByte(text[end]) {
		return 0
	}
	if text[i+3] != ' ' || !shaped(text[i:i+3], "L99") && !shaped(text[i:i+3], "L9W") {
		return 0
	}
	// The second part has letters as well as digits, which tells it from a date.
	letters, digits := 0, 0

	for _, b := range []byte(text[i+4 : end]) {
		switch {
		case upper(b):
			letters++
		case digit(b):
			digits++
		}
	}
	if letters+digits < 4 || letters == 0 || digits == 0 {
		return 0
	}

	return end
}

// postcode returns the end of a postcode with letters that begins at byte i, 0 for none: the British SW1A 1AA,
// the Canadian K1A 0B6, the Dutch 1015 CJ and the Irish D01 F5P2.
func postcode(text string, i int) int {
	if i+1 < len(text) && upper(text[i]) && digit(text[i+1]) {
		if end := eircode(text, i); end > 0 {
			return end
		}
	}

	for _, form := range []string{
		"L9 9LL", "L99 9LL", "LL9 9LL", "LL99 9LL", "L9L 9LL", "LL9L 9LL", "L9L 9L9", "9999 LL",
	} {
		if end := i + len(form); end <= len(text) && (end == len(text) || !wordByte(text[end])) &&
			shaped(text[i:end], form) {
			if form == "9999 LL" &&
				(states.has(strings.ToLower(text[end-2:end])) || !(text[i] >= '1') ||
					measures.has(strings.ToLower(text[end-2:end]))) {
				continue
			}

			return end
		}
	}

	return 0
}

// shaped reports whether s has digits where form has 9, capital letters where it has L, and the same bytes
// elsewhere.
func shaped(s, form string) bool {
	for i := range len(form) {
		switch form[i] {
		case '9':
			if !digit(s[i]) {
				return false
			}
		case 'L':
			if !upper(s[i]) {
				return false
			}
		default:
			if s[i] != form[i] {
				return false
			}
		}
	}

	return true
}

// placedCode reports whether the token is a postcode of five or six digits by what stands around it: a place before
// it and a country behind, "Monterrey, N.L. 64650, Mexico", or a place that is a country too and the end of a clause,
// "Singapore 098632".
func (c *codes) placedCode(t *token) bool {
	if t.letters+t.marks() > 0 || t.digits < 5 || t.digits > 6 {
		return false
	}
	if t.start < 4 || c.text[t.start-1] != ' ' {
		return false
	}
	start, word := c.wordBefore(t.start - 1)
	if !capital(word) || known(word)&(lexicon.Calendar|lexicon.Law|lexicon.Head) != 0 {
		return false
	}

	rest, ok := strings.CutPrefix(c.text[t.end:], ", ")
	country, _ := c.word(len(c.text) - len(rest))
	if ok && capital(country) && known(country)&lexicon.Place != 0 {
		return true
	}
	if t.digits != 6 || known(word)&lexicon.Place == 0 {
		return false
	}

	if start < 2 {
		return false
	}

	return c.text[start-1] == '\n' || c.text[start-1] == ' ' && c.text[start-2] == ','
}

// postcodeWithin returns the end of a postcode up to three words behind byte i, 0 for none.
func (c *codes) postcodeWithin(i int) int {
	for range 4 {
		at := c.skip(i, ", -")
		if end := postcode(c.text, at); end > 0 {
			return end
		}
		word, stop := c.word(at)
		if word == "" || at == i {
			return 0
		}
		if digit(word[0]) {
			return c.localCode(word, stop)
		}
		if !capital(word) {
			return 0
		}
		i = c.dot(stop)
	}

	return 0
}

// localCode returns the end of the postcode that begins with a word of digits, which ends at byte stop: four to six
// digits, or twice three. It is 0 for none, and for a year.
func (c *codes) localCode(word string, stop int) int {
	if strings.Trim(word, tenDigits) != "" || yearLike(&token{text: word, digits: len(word)}) {
		return 0
	}
	if len(word) >= 4 && len(word) <= 6 {
		return stop
	}

	next, end := c.word(c.skip(stop, " "))
	if len(word) == 3 && len(next) == 3 && strings.Trim(next, tenDigits) == "" {
		return end
	}

	return 0
}
