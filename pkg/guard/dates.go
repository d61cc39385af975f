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
			// Two marks of different kinds are the number of something.
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
	// ISO 8601 puts the year first.
	if width[0] == 4 {
		part[0], part[2] = part[2], part[0]
		width[0], width[2] = width[2], width[0]
	}
	if width[0] > 2 || width[1] > 2 || !yearOfDate(part[2], width[2]) {
		return false
	}

	// In America the month comes first.
	return dayAndMonth(part[0], part[1]) || dayAndMonth(part[1], part[0])
}

// yearOfDate reports whether a number of so many figures can be the year of a date.
func yearOfDate(year, figures int) bool {
	// Years beyond these are numbers of cases that are written like dates.
	return figures == 2 || figures == 4 && year >= 1800 && year <= 2100
}

// dayAndMonth reports whether two numbers can be a day and a month.
func dayAndMonth(day, month int) bool {
	return day >= 1 && day <= 31 && month >= 1 && month <= 12
}

// yearLike reports whether a token is a year from 1800 to 2099.
func yearLike(t *token) bool {
	if t.digits != 4 || len(t.text) != 4 {
		return false
	}
	century := t.text[:2]

	return century == "18" || century == "19" || century == "20"
}

// monthAfter reports whether a word of the calendar stands behind byte i.
func (c *codes) monthAfter(i int) bool {
	start := i
	for start < len(c.text) && strings.IndexByte(" .-", c.text[start]) >= 0 && start-i < 2 {
		start++
	}

	end := start
	for end < len(c.text) && wordByte(c.text[end]) && !digit(c.text[end]) && end-start < 16 {
		end++
	}

	return end > start && known(c.text[start:end])&lexicon.Calendar != 0
}

// ordinals are the days of a month in words; those beyond the twentieth are written in two.
var ordinals = setOf(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
	fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty thirtieth thirty`)

// shortDay reports whether word i is a day of the week before a date: "Mon, 4 May 2025".
func (n *names) shortDay(i int) bool {
	rest := n.text[n.words[i].end:]
	if len(rest) < 3 || rest[0] != ',' || rest[1] != ' ' || !shortDays.has(n.lowered(i)) {
		return false
	}

	return digit(rest[2]) || i+1 < len(n.words) && n.words[i+1].is&lexicon.Calendar != 0
}

var shortDays = setOf(`mon tue tues wed thu thur thurs fri sat sun`)
