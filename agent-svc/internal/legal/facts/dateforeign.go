package facts

import "strings"

// foreignMonths are the months of German, French and Spanish, in lower case.
var foreignMonths = map[string]int{
	"januar": 1, "jänner": 1, "februar": 2, "märz": 3, "april": 4, "mai": 5, "juni": 6, "juli": 7, "august": 8,
	"september": 9, "oktober": 10,
	"november": 11, "dezember": 12,
	"janvier": 1, "février": 2, "mars": 3, "avril": 4, "juin": 6, "juillet": 7, "août": 8, "septembre": 9,
	"octobre": 10, "novembre": 11,
	"décembre": 12,
	"enero":    1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8,
	"septiembre": 9, "octubre": 10,
	"noviembre": 11, "diciembre": 12,
}

// dayLeads reports whether the word before byte i is one with which German and French introduce a date, whose day
// comes first.
func dayLeads(text string, i int) bool {
	end := backBlanks(text, i)
	for _, word := range [...]string{
		"am", "vom", "bis", "zum", "den", "dem", "spätestens", "seit", "ab", "le", "du", "au",
	} {
		if _, ok := backWord(text, end, word); ok {
			return true
		}
	}

	return false
}

const longestMonth = 12 // bytes

// foreignDate reads a date whose day stands at byte i, as German, French and Spanish write it: "8. Januar 2027", "1er
// mars 2027", "5 de mayo de 2027".
func foreignDate(text string, i int) (Date, bool) {
	if wordBefore(text, i) {
		return Date{}, false
	}
	day, at, ok := number(text, i, 2)
	if !ok {
		return Date{}, false
	}

	ordinal := false

	// German puts a stop behind the day, French writes 1er, and Spanish 1º.
	for _, ending := range [...]string{".", "er", "º"} {
		if strings.HasPrefix(text[at:], ending) {
			at, ordinal = at+len(ending), true
			break
		}
	}
	if at, ok = parted(text, at, "de"); !ok {
		return Date{}, false
	}

	end := at
	for end < len(text) && end-at <= longestMonth && (isLetter(text[end]) || text[end] >= 0x80) {
		end++
	}
	m := foreignMonths[strings.ToLower(text[at:end])]
	// "8 April 2027" is read as English: the names of some months are the same.
	if _, _, english := month(text, at); m == 0 || english && !ordinal {
		return Date{}, false
	}
	if at, ok = parted(text, end, "de", "del"); !ok {
		return Date{}, false
	}
	year, end, ok := yearAt(text, at)
	if !ok || !exists(year, m, day) {
		return Date{}, false
	}

	return Date{Span: Span{i, end}, Year: year, Month: m, Day: day}, true
}

// parted returns where the next word begins behind the blanks at byte i, and behind one of words if it stands there.
// ok is false when no blank is there.
func parted(text string, i int, words ...string) (next int, ok bool) {
	next, ok = blanks(text, i)
	if !ok || next == i {
		return i, false
	}

	for _, w := range words {
		if end := next + len(w); strings.HasPrefix(text[next:], w) && end < len(text) && isSpace(text[end]) {
			return blanks(text, end)
		}
	}

	return next, true
}
