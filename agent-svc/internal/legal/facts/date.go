package facts

import (
	"strings"
	"time"
)

// Date is a calendar date found in a text. A part that the text does not give is not guessed: Day is 0 when only a
// month is named.
type Date struct {
	Span
	Year, Month, Day int
	// Ambiguous says that a numeric date can be read both ways; Month and Day hold the reading with the month first.
	Ambiguous bool
}

// Time returns the date at midnight UTC, the first of the month when the day is not known.
func (d Date) Time() time.Time {
	return time.Date(d.Year, time.Month(d.Month), max(1, d.Day), 0, 0, 0, 0, time.UTC)
}

// String writes YYYY-MM-DD, or YYYY-MM when the day is not known.
func (d Date) String() string {
	if d.Day == 0 {
		return d.Time().Format("2006-01")
	}

	return d.Time().Format(time.DateOnly)
}

// Last returns the last day that the date can be: the later of its readings, and of a month its end.
func (d Date) Last() time.Time {
	switch {
	case d.Day == 0:
		return d.Time().AddDate(0, 1, -1)
	case d.Ambiguous && d.Swapped().Time().After(d.Time()):
		return d.Swapped().Time()
	default:
		return d.Time()
	}
}

// Swapped returns the other reading of an ambiguous date.
func (d Date) Swapped() Date {
	d.Month, d.Day = d.Day, d.Month
	return d
}

// Years outside these are numbers of something else.
const (
	firstYear = 1700
	lastYear  = 2199
)

// yearLike reports whether a number can be the year of a date.
func yearLike(n int) bool { return n >= firstYear && n <= lastYear }

// Dates returns the dates of a text in their order. Months may be written out or cut short, before or behind the day,
// with ordinals that a bad line break has split; numeric dates may be of the form 2026-03-04, 3/4/2026, 3-4-2026,
// 3.4.2026, 3/4/26 or 3/2026. A date without a year takes that of the next one of its list or range, as in "May 4 and
// May 9, 2025" and "June 3-5, 2024".
func Dates(text string) []Date {
	var list []Date
	var open []Date // dates without a year, each joined to the next

	anchor := bytesOf("JFMASOND" + digits)
	for i := anchored(text, 0, &anchor); i < len(text) && len(list) < mostOfAKind; i = anchored(text, i+1, &anchor) {
		switch c := text[i]; {
		case !isDigit(c):
			// "May" within "Dismay" is no month.
			if i > 0 && (isLetter(text[i-1]) || text[i-1] >= 0x80) {
				continue
			}
			if d, ok := monthDate(text, i); ok {
				list = append(closed(text, list, open, d), d)
				open, i = open[:0], d.End-1
			} else if d, ok := yearless(text, i); ok {
				// Dates without a year wait only as long as nothing but commas and joints stands between them.
				if len(open) > 0 && (len(open) == mostInList || !joined(text, open[len(open)-1].End, d.Start)) {
					open = open[:0]
				}
				if inner := within(text, &d); len(inner) > 0 {
					list = append(append(closed(text, list, open, d), d), inner...)
					open, i = open[:0], inner[len(inner)-1].End-1

					continue
				}
				open, i = append(open, d), d.End-1
			}
		default:
			// "8. Januar 2027" has to come first: its day alone would be read as a number.
			if d, ok := foreignDate(text, i); ok {
				list = append(list, d)
				i = d.End - 1

				continue
			}
			d, end, ok := numericDate(text, i)
			if ok {
				list = append(list, d)
			}
			i = end - 1
		}
	}

	return list
}

// month reads a month at byte i, with the full stop of a short form.
func month(text string, i int) (n, end int, ok bool) {
	if len(text)-i < 3 {
		return 0, i, false
	}
	name := ""

	// The second letter leaves three months at most. This runs at each capital of a text.
	switch text[i+1] | 0x20 {
	case 'a':
		n, name = pick(text[i:], 1, "january", 3, "march", 5, "may")
	case 'e':
		n, name = pick(text[i:], 2, "february", 9, "september", 12, "december")
	case 'p':
		n, name = pick(text[i:], 4, "april", 0, "", 0, "")
	case 'u':
		n, name = pick(text[i:], 6, "june", 7, "july", 8, "august")
	case 'c':
		n, name = pick(text[i:], 10, "october", 0, "", 0, "")
	case 'o':
		n, name = pick(text[i:], 11, "november", 0, "", 0, "")
	}
	if n == 0 {
		return 0, i, false
	}
	end = wordAt(text, i)
	word := text[i:end]
	short := len(word) == 3 || n == 9 && len(word) == 4
	if len(word) > len(name) || !strings.EqualFold(word, name[:len(word)]) || !short && len(word) != len(name) {
		// A scan may have put a digit or a blank into the name.
		end, ok = misread(text, i, name)
		return n, end, ok
	}
	if short && len(word) < len(name) {
		// "Jan uary" begins like a short form, and goes on.
		if whole, ok := misread(text, i, name); ok {
			return n, whole, true
		}
	}
	if end < len(text) && text[end] == '.' {
		end++
	}

	return n, end, true
}

// pick returns the month whose first three letters s begins with.
func pick(s string, n1 int, name1 string, n2 int, name2 string, n3 int, name3 string) (int, string) {
	for _, m := range [...]struct {
		n    int
		name string
	}{{n1, name1}, {n2, name2}, {n3, name3}} {
		if m.n > 0 && strings.EqualFold(s[:3], m.name[:3]) {
			return m.n, m.name
		}
	}

	return 0, ""
}

// monthDate reads a date whose month begins at byte i.
func monthDate(text string, i int) (Date, bool) {
	m, end, ok := month(text, i)
	if !ok {
		return Date{}, false
	}
	d := Date{Span: Span{i, end}, Month: m}
	rest, ok := blanks(text, end)
	if !ok {
		return Date{}, false
	}
	// The forms stand from the plainest to the barest, so a bare "March 2026" never hides a day.
	if d.dashed(text, end) || d.dayAndYear(text, rest) || d.dayBefore(text, rest) || d.yearAlone(text, rest) {
		return d, true
	}

	return Date{}, false
}

// dashed reads "15-Mar-2024", "15-MAR-24" and "Mar-2024"; end is the end of the month.
func (d *Date) dashed(text string, end int) bool {
	if end+2 > len(text) || text[end] != '-' || text[end-1] == '.' {
		return false
	}
	year, stop, ok := yearAt(text, end+1)
	start, day, dayOK := 0, 0, false
	if d.Start > 0 && text[d.Start-1] == '-' {
		start, day, dayOK = backNumber(text, d.Start-1)
	}
	if !ok {
		if year, stop, ok = number(text, end+1, 2); !ok || !dayOK || stop-end != len("-24") || wordGoesOn(text, stop) {
			return false
		}
		year = century(year)
	}
	// Two digits before the dash may number something else; the month and the year then stand alone.
	if dayOK && exists(year, d.Month, day) {
		d.Start, d.Day = start, day
	}
	d.Year, d.End = year, stop

	return true
}

// dayAndYear reads "4, 2026", "4th 2026" or "4th day of 2026" behind the month.
func (d *Date) dayAndYear(text string, i int) bool {
	day, end, ok := number(text, i, 2)
	if !ok || !validDay(day, d.Month) {
		return false
	}
	behind := ordinalEnd(text, end)
	year, stop, ok := yearBehind(text, behind)
	if !ok && end == i+1 && digitApart(text, end) {
		if both, last, _ := number(text, end+1, 1); last > 0 {
			day, behind = day*10+both, last
			year, stop, ok = yearBehind(text, behind)
		}
	}
	if !ok {
		year, stop, ok = strayYear(text, behind)
	}
	if !ok || !exists(year, d.Month, day) {
		return false
	}
	d.Day, d.Year, d.End = day, year, stop

	return true
}

// digitApart reports whether a blank and a digit stand at byte i: a scan can part the digits of a day, as in "3 1".
func digitApart(text string, i int) bool {
	return i+1 < len(text) && text[i] == ' ' && isDigit(text[i+1])
}

// yearBehind reads a comma or none, white space, and a year, which "of" or "A.D." may introduce.
func yearBehind(text string, i int) (year, end int, ok bool) {
	i, ok = blanks(text, i)
	if ok && i < len(text) && text[i] == ',' {
		i, ok = blanks(text, i+1)
	}
	if !ok || i == len(text) {
		return 0, i, false
	}
	if c := text[i]; c == 'o' || c == 'A' || c == 'i' {
		for _, words := range [...]string{"of ", "A.D. ", "in the year "} {
			if strings.HasPrefix(text[i:], words) {
				return yearAt(text, i+len(words))
			}
		}
	}

	return yearAt(text, i)
}

// yearAt reads four digits that are a year and not the beginning of something longer.
func yearAt(text string, i int) (year, end int, ok bool) {
	year, end, ok = number(text, i, 4)
	if !ok || end-i != 4 || !yearLike(year) || wordGoesOn(text, end) {
		return 0, i, false
	}

	return year, end, true
}

// dayBefore reads a day that stands before the month: "4 March 2026", "4th day of March, 2026", "fourth day of March
// 2026".
func (d *Date) dayBefore(text string, i int) bool {
	year, end, ok := yearBehind(text, i)
	if !ok {
		// Deeds and notarial acts write the year out.
		if year, end, ok = yearInWords(text, i); !ok {
			return false
		}
	}
	start, day, ok := dayBehind(text, d.Start)
	if !ok || !exists(year, d.Month, day) {
		return false
	}
	d.Start, d.Day, d.Year, d.End = start, day, year, end

	return true
}

// yearAlone reads "March 2026".
func (d *Date) yearAlone(text string, i int) bool {
	year, end, ok := yearBehind(text, i)
	if ok {
		d.Year, d.End = year, end
	}

	return ok
}

// ordinalEnd skips the ending of an ordinal at byte i, also one that a line break has split, as in "20t h".
func ordinalEnd(text string, i int) int {
	for _, ending := range [...]string{"st", "nd", "rd", "th"} {
		at := i

		// A scan may part "th" with a blank, so the two letters are looked for within four bytes.
		matched := 0
		for at < len(text) && matched < 2 && at-i < 4 {
			c := text[at] | 0x20
			if c == ending[matched] {
				matched++
			} else if text[at] != ' ' && text[at] != '\n' {
				break
			}
			at++
		}
		if matched == 2 && (at == len(text) || !isLetter(text[at])) {
			return at
		}
	}

	return i
}

// dayBehind reads backwards from byte i: a day, as a number or a word, with "day of" between or not.
func dayBehind(text string, i int) (start, day int, ok bool) {
	i = backBlanks(text, i)
	of := false
	if at, found := backWord(text, i, "of"); found {
		if day, ok := backWord(text, backBlanks(text, at), "day"); ok {
			i, of = backBlanks(text, day), true
		} else {
			i = backBlanks(text, at)
		}
	}
	if start, day, ok = backNumber(text, i); ok {
		return start, day, true
	}
	// A number in words is a day only before "day of": "second March hearing" is none.
	if !of {
		return 0, 0, false
	}

	return backOrdinal(text, i)
}

func backBlanks(text string, i int) int {
	for n := 0; i > 0 && n < maxBlank && (isSpace(text[i-1]) || text[i-1] == ','); n++ {
		i--
	}

	return i
}

func backWord(text string, i int, word string) (start int, ok bool) {
	start = i - len(word)
	if start < 0 || !strings.EqualFold(text[start:i], word) || wordBefore(text, start) {
		return i, false
	}

	return start, true
}

// backNumber reads one or two digits that end at byte i, with or without the ending of an ordinal.
func backNumber(text string, i int) (start, day int, ok bool) {
	end := i
	for end > 0 && i-end < 4 && (isLetter(text[end-1]) || text[end-1] == ' ') {
		end--
	}
	// Letters that are no ordinal ending belong to another word.
	if end != i && ordinalEnd(text, end) < i {
		return 0, 0, false
	}

	start = end
	for start > 0 && end-start < 2 && isDigit(text[start-1]) {
		start--
	}
	if start == end || wordBefore(text, start) || start > 0 && strings.IndexByte(".,/-$", text[start-1]) >= 0 {
		return 0, 0, false
	}
	day, _, _ = number(text, start, 2)

	return start, day, true
}

// backOrdinal reads an ordinal in words that ends at byte i, such as "first" or "twenty-first".
func backOrdinal(text string, i int) (start, day int, ok bool) {
	start = i
	for start > 0 && i-start < 14 && (isLetter(text[start-1]) || text[start-1] == '-') {
		start--
	}
	n, ok := Ordinal(text[start:i])

	return start, n, ok
}

// Ordinal reads an ordinal number in words, "first" to "thirty-first", in any case.
func Ordinal(word string) (int, bool) {
	word = strings.ToLower(word)
	tens := 0
	if head, tail, ok := strings.Cut(word, "-"); ok {
		switch head {
		case "twenty":
			tens = 20
		case "thirty":
			tens = 30
		default:
			return 0, false
		}
		word = tail
	}

	for n, ordinal := range [...]string{
		"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
		"twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
		"twentieth",
	} {
		if word == ordinal {
			return tens + n + 1, tens == 0 || n < 9
		}
	}
	if word == "thirtieth" && tens == 0 {
		return 30, true
	}

	return 0, false
}

// numericDate reads a numeric date at byte i. end is where to go on: behind the token, whether it is a date or not.
func numericDate(text string, i int) (d Date, end int, ok bool) {
	end = i
	for end < len(text) && (isDigit(text[end]) || markBeforeDigit(text, end)) {
		end++
	}
	// "3/2026" is the shortest date and "12/31/2026" the longest.
	if end-i < 6 || end-i > 10 {
		return Date{}, end, false
	}
	token := text[i:end]
	mark := strings.IndexAny(token, "/-.")
	if mark < 0 || i > 0 && (isWord(text[i-1]) || strings.IndexByte("$#§/-.:", text[i-1]) >= 0) {
		return Date{}, end, false
	}
	measures := wordGoesOn(text, end) || strings.HasPrefix(text[end:], "%")
	if measures && (mark != len("2026") || !timeBehind(text, end)) {
		return Date{}, end, false
	}
	first, rest := token[:mark], token[mark+1:]

	second, third, found := strings.Cut(rest, token[mark:mark+1])
	switch {
	case strings.ContainsAny(third, "/-.") || strings.ContainsAny(second, "/-.") || numbersThing(text, i):
		return Date{}, end, false
	case found:
		if d, ok = fromParts(first, second, third, token[mark]); ok && d.Ambiguous && token[mark] == '.' &&
			dayLeads(text, i) {
			d, ok = d.Swapped(), true
			d.Ambiguous = false
		} else if token[mark] == '-' && len(third) == 2 && d.Ambiguous && !saysWhen(text, i) {
			// "3-4-26" is as likely pages or parts of a number, unless a word before it introduces a date.
			ok = false
		}
	case token[mark] == '/' && len(second) == 4 && len(first) <= 2:
		d = Date{Year: value(second), Month: value(first)}
		ok = exists(d.Year, d.Month, 1)
	}
	d.Span = Span{i, end}

	return d, end, ok
}

// markBeforeDigit reports whether a mark that parts the numbers of a date stands at byte i, and a digit behind it.
func markBeforeDigit(text string, i int) bool {
	return strings.IndexByte("/-.", text[i]) >= 0 && i+1 < len(text) && isDigit(text[i+1])
}

// timeBehind reports whether the time of an ISO 8601 moment begins at byte i: "2026-03-04T10:00".
func timeBehind(text string, i int) bool {
	return i+1 < len(text) && text[i] == 'T' && isDigit(text[i+1])
}

// fromParts makes a date of three numbers. A part above 12 settles which is the day; else both readings stand.
func fromParts(first, second, third string, mark byte) (Date, bool) {
	if len(first) == 4 && len(second) <= 2 && len(third) <= 2 && mark != '.' {
		d := Date{Year: value(first), Month: value(second), Day: value(third)}
		return d, exists(d.Year, d.Month, d.Day)
	}
	// With stops and a short year, "1.2.24" is more often the number of a section.
	yearLast := len(third) == 4 || len(third) == 2 && mark != '.'
	if len(first) > 2 || len(second) > 2 || !yearLast {
		return Date{}, false
	}
	d := Date{Year: value(third), Month: value(first), Day: value(second)}
	if len(third) == 2 {
		d.Year = century(d.Year)
	}
	if d.Month > 12 {
		// No month has a number above 12, so the other part is the month.
		d = d.Swapped()
	} else {
		d.Ambiguous = d.Day <= 12 && d.Day != d.Month
	}

	return d, exists(d.Year, d.Month, d.Day)
}

// century completes a year of two digits: 50 to 99 belong to the last century.
func century(year int) int {
	// Contracts and pleadings of today cite papers from 1950 on, and look some decades ahead.
	if year >= 50 {
		return 1900 + year
	}

	return 2000 + year
}

// value reads at most four digits.
func value(digits string) int {
	n, _, _ := number(digits, 0, 4)
	return n
}

func validDay(day, month int) bool {
	// The year is not known yet, so February may have 29 days: 2024 is a leap year.
	return day >= 1 && day <= 31 && (day <= 29 || exists(2024, month, day))
}

// exists reports whether the calendar has the date.
func exists(year, month, day int) bool {
	if !yearLike(year) || month < 1 || month > 12 {
		return false
	}

	// The package time carries the 32nd over into the next month, so the day has to come back unchanged.
	return day >= 1 && day <= 31 && time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() == day
}
