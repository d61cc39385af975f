package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// dateLike reports whether a token is a date in figures: day, month and year in any usual order, with one kind of mark.
func dateLike(s string) bool {
	var part, width [3]int
	n, mark := 0, byte(0)

	for i := range len(s) {
		switch c := s[i]; {
		case digit(c):
			part[n] = part[n]*10 + int(c-'0')
			if width[n]++; width[n] > 4 {
				return false
			}
		case c == '/' || c == '.' || c == '-':
			if n == 2 || mark != 0 && mark != c {
				return false
			}
			mark = c
			n++
		default:
			return false
		}
	}
	if n != 2 {
		return false
	}
	if width[0] == 4 {
		part[0], part[2] = part[2], part[0]
		width[0], width[2] = width[2], width[0]
	}
	if width[0] > 2 || width[0] == 0 || width[1] > 2 || width[1] == 0 || width[2] != 2 && width[2] != 4 || width[2] == 4 && (part[2] < 1800 || part[2] > 2100) {
		return false
	}

	return part[0] >= 1 && part[1] >= 1 && (part[0] <= 31 && part[1] <= 12 || part[1] <= 31 && part[0] <= 12)
}

// yearLike reports whether a token is a year from 1800 to 2099.
func yearLike(t *token) bool {
	return t.digits == 4 && len(t.text) == 4 && (t.text[:2] == "18" || t.text[:2] == "19" || t.text[:2] == "20")
}

// monthAfter reports whether the word behind byte i is a month.
func (c *codes) monthAfter(i int) bool {
	start := i
	for start < len(c.text) && (c.text[start] == ' ' || c.text[start] == '.' || c.text[start] == '-') && start-i < 2 {
		start++
	}

	end := start
	for end < len(c.text) && wordByte(c.text[end]) && !digit(c.text[end]) && end-start < 16 {
		end++
	}

	return end > start && known(c.text[start:end])&lexicon.Calendar != 0
}

// birth finds a date behind a word of birth. The whole date is taken.
func (c *codes) birth(t *token, before *lead, _ int) int {
	written := t.letters == 0 && t.digits <= 2 && c.monthAfter(t.end)
	if !written && !dateLike(t.text) && !yearLike(t) && !(t.letters == 0 && t.digits <= 2 && before.n > 0 && known(before.next())&lexicon.Calendar != 0) {
		return 0
	}
	from, born := c.bornBefore(t.start)
	if !born && !before.has(births, neighbours) && before.next() != "b" {
		return 0
	}

	end := t.end
	for range 3 {
		start := end
		for start < len(c.text) && strings.IndexByte(" ,.", c.text[start]) >= 0 && start-end < 2 {
			start++
		}

		next := start
		for next < len(c.text) && wordByte(c.text[next]) && next-start < 16 {
			next++
		}
		if next == start || !digit(c.text[start]) && known(c.text[start:next])&lexicon.Calendar == 0 {
			break
		}
		end = next
	}
	start := t.start
	// "born on March 4, 1975" begins with its month.
	if w := before.next(); before.n > 0 && known(w)&lexicon.Calendar != 0 && t.start-len(w)-1 >= 0 && strings.EqualFold(c.text[t.start-len(w)-1:t.start-1], w) {
		start = t.start - len(w) - 1
	}

	return c.add(kindBirth, ruleBirth, min(start, from), end)
}

// bornBefore reports whether a word of birth stands before byte i with nothing but the words of a date between, and where that date
// begins: "born on the fourth of March 1975".
func (c *codes) bornBefore(i int) (from int, ok bool) {
	from = i
	for at := i; at > 0 && i-at <= neighbourBytes; {
		gap := at
		for gap > 0 && strings.IndexByte(" ,-:", c.text[gap-1]) >= 0 {
			gap--
		}

		start := gap
		for start > 0 && alphanumeric(c.text[start-1]) && gap-start < longestSeries {
			start--
		}

		switch w := toLower(c.text[start:gap]); {
		case w == "":
			return i, false
		case births.has(w):
			return from, true
		case known(w)&lexicon.Calendar != 0, ordinals.has(w), digit(w[0]) && len(w) <= len("12th"):
			from = start
		case !dateFillers.has(w):
			return i, false
		}
		at = start
	}

	return i, false
}

var (
	// ordinals are the days of a month in words; those beyond the twentieth are written in two.
	ordinals = setOf(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
		seventeenth eighteenth nineteenth twentieth twenty thirtieth thirty`)
	dateFillers = setOf(`on the of is was day in year`)
)
