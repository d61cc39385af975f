package facts

import "strings"

const mostInList = 12 // dates that may wait for the year of the last one

// yearless reads a month that begins at byte i, with its day or without, where no year stands.
func yearless(text string, i int) (Date, bool) {
	m, end, ok := month(text, i)
	if !ok {
		return Date{}, false
	}
	d := Date{Span: Span{i, end}, Month: m}
	at, ok := blanks(text, end)
	if !ok {
		return d, true
	}
	if day, stop, ok := number(text, at, 2); ok && validDay(day, m) {
		d.Day, d.End = day, ordinalEnd(text, stop)
	}

	return d, true
}

// within reads the days behind the first of a list of days of one month, whose year stands behind the last: "3-5,
// 2024", "5 and 9, 2023", "14, 15 and 16, 2027". It gives the year to the first day. The days of a list rise.
func within(text string, first *Date) []Date {
	if first.Day == 0 {
		return nil
	}
	var list []Date

	for last := *first; len(list) < mostInList; last = list[len(list)-1] {
		at := joint(text, last.End)
		if at == last.End {
			return nil
		}
		day, end, ok := number(text, at, 2)
		// A number that does not rise counts something else: "May 3, 2 days later".
		if !ok || !validDay(day, first.Month) || day <= last.Day {
			return nil
		}
		end = ordinalEnd(text, end)
		list = append(list, Date{Span: Span{at, end}, Month: first.Month, Day: day})

		year, stop, ok := yearBehind(text, end)
		if !ok {
			continue
		}
		// Only with the year is it known whether February had its 29th.
		if !exists(year, first.Month, day) || !exists(year, first.Month, first.Day) {
			return nil
		}

		first.Year = year
		for i := range list {
			list[i].Year = year
		}
		list[len(list)-1].End = stop

		return list
	}

	return nil
}

// closed appends to list the dates that take their year from d: those that wait in open, and a day before d in the same
// month, as in "14th and 15th of March, 2022". One that would come after d in the year is left out, since it may belong
// to the year before.
func closed(text string, list, open []Date, d Date) []Date {
	if len(open) > 0 && joined(text, open[len(open)-1].End, d.Start) {
		for _, o := range open {
			// A later day of the year may belong to the year before: "December 20 and January 4, 2027".
			if (o.Day == 0) == (d.Day == 0) && o.Month*100+o.Day <= d.Month*100+d.Day &&
				(o.Day == 0 || exists(d.Year, o.Month, o.Day)) {
				o.Year = d.Year
				list = append(list, o)
			}
		}

		return list
	}
	last := 0
	if len(list) > 0 {
		last = list[len(list)-1].End
	}

	for _, first := range sameMonth(text, d) {
		if first.Start >= last {
			list = append(list, first)
		}
	}

	return list
}

// sameMonth reads the days before d of a list or range that ends with it, in their order: "22 to 24 May 2024", "14th
// and 15th of March, 2022", "14, 15 and 16 June 2027", "on 14 and 15 June 2027". A bare number before "and" may count
// something else, so two bare days are a list only behind "on".
func sameMonth(text string, d Date) []Date {
	if d.Day == 0 || !isDigit(text[d.Start]) {
		return nil
	}
	first, bare, ok := dayBefore(text, d, "to", "-", "–", "and", "or", "through")
	if !ok {
		return nil
	}
	list := []Date{first}

	for len(list) < mostInList {
		more, _, ok := dayBefore(text, list[0], ",")
		if !ok {
			break
		}
		// The walk goes backwards, and the list keeps the order of the text.
		list = append([]Date{more}, list...)
	}
	// Two bare numbers may count anything: "paragraphs 3 and 4 May 2027". Behind "on" they are days.
	if _, on := backWord(text, backBlanks(text, list[0].Start), "on"); bare && len(list) == 1 && !on {
		return nil
	}

	return list
}

// dayBefore reads the day that one of the joints joins to d, which is a later one of the same month. bare tells that it
// stands without the ending of an ordinal before "and" or "or".
func dayBefore(text string, d Date, joints ...string) (day Date, bare, ok bool) {
	for _, joint := range joints {
		end := d.Start
		for end > 0 && isSpace(text[end-1]) && d.Start-end < maxBlank {
			end--
		}
		if !strings.HasSuffix(text[:end], joint) || isLetter(joint[0]) && end == d.Start {
			continue
		}
		beside := end - len(joint)
		if end = backBlanks(text, beside); isLetter(joint[0]) && end == beside {
			continue
		}
		start, n, ok := backNumber(text, end)
		if !ok || n >= d.Day || !exists(d.Year, d.Month, n) {
			return Date{}, false, false
		}
		bare = (joint == "and" || joint == "or") && isDigit(text[end-1])

		return Date{Span: Span{start, end}, Year: d.Year, Month: d.Month, Day: n}, bare, true
	}

	return Date{}, false, false
}

// joined reports whether only what joins the parts of a list or range stands between two bytes.
func joined(text string, from, to int) bool { return from < to && joint(text, from) == to }

// joint returns where the next part of a list or range begins behind byte i, i itself when none does.
func joint(text string, i int) int {
	at, ok := blanks(text, i)
	if !ok || at == len(text) {
		return i
	}

	for _, mark := range [...]string{",", "-", "–", "—", "&"} {
		if strings.HasPrefix(text[at:], mark) {
			at += len(mark)
			if at, ok = blanks(text, at); !ok {
				return i
			}

			break
		}
	}

	for _, word := range [...]string{"and", "or", "to", "through", "until"} {
		if end := at + len(word); strings.HasPrefix(text[at:], word) && end < len(text) && isSpace(text[end]) {
			at = end
			break
		}
	}
	// Blanks alone join nothing: two dates in neighbouring cells are no list.
	if at, ok = blanks(text, at); !ok || strings.TrimSpace(text[i:at]) == "" {
		return i
	}

	return at
}

// misread reads the whole name of a month at byte i as a bad scan gives it: with a 1 for an l, a 0 for an o, or one
// blank within.
func misread(text string, i int, name string) (end int, ok bool) {
	// "May" is too short to be recognised with a fault in it.
	if len(name) < 4 {
		return i, false
	}

	at, faults := i, 0
	for n := range len(name) {
		if n > 1 && at < len(text) && text[at] == ' ' {
			at, faults = at+1, faults+1
		}
		if at == len(text) || faults > 1 {
			return i, false
		}

		switch c := text[at]; {
		case c|0x20 == name[n]:
		case c == '1' && name[n] == 'l', c == '0' && name[n] == 'o':
			faults++
		default:
			return i, false
		}
		at++
	}

	return at, faults == 1 && (at == len(text) || !isLetter(text[at]))
}

// strayYear reads a year behind a day where a scan has taken the comma for a full stop, or a digit of the year for a
// letter, or where the year is written in words.
func strayYear(text string, i int) (year, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok || at == len(text) {
		return 0, i, false
	}
	if text[at] == '.' {
		if at, ok = blanks(text, at+1); !ok || at == i+1 {
			return 0, i, false
		}

		// A full stop may also end the sentence, and the year begin the next one. Then a verb follows.
		year, end, ok = yearAt(text, at)
		// a new sentence begins with the year
		for _, verb := range [...]string{" was", " is", " had", " has", " saw", " will", " brought"} {
			ok = ok && !strings.HasPrefix(text[end:], verb)
		}

		return year, end, ok
	}
	if text[at] != ',' {
		return 0, i, false
	}
	if at, ok = blanks(text, at+1); !ok {
		return 0, i, false
	}
	if year, end, ok = letteredYear(text, at); ok {
		return year, end, true
	}

	return yearInWords(text, i)
}

// letteredYear reads a year of which one digit is written as a letter that looks like it.
func letteredYear(text string, i int) (year, end int, ok bool) {
	letters := 0

	for end = i; end < len(text) && end-i < 4; end++ {
		c := text[end]
		switch c {
		case 'O', 'o':
			c, letters = '0', letters+1
		case 'l', 'I':
			c, letters = '1', letters+1
		}
		if !isDigit(c) {
			return 0, i, false
		}
		year = year*10 + int(c-'0')
	}

	return year, end, letters == 1 && end-i == 4 && yearLike(year) && !wordGoesOn(text, end)
}

// yearInWords reads ", two thousand nineteen" or ", nineteen hundred and ninety-nine".
func yearInWords(text string, i int) (year, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok || at == len(text) || text[at] != ',' {
		return 0, i, false
	}
	if at, ok = blanks(text, at+1); !ok {
		return 0, i, false
	}
	n, end, ok := Cardinal(text, at)
	if !ok || !yearLike(int(n)) || n%100 == 0 && strings.HasPrefix(text[end:], " ") {
		// A round number with a word behind it counts something: "two thousand dollars".
		return 0, i, false
	}

	return int(n), end, true
}

// numbersThing reports whether the word before byte i says that what follows is a number of something, as "No." and
// "Section" do.
func numbersThing(text string, i int) bool {
	end := i
	for end > 0 && i-end < 3 && beforeNumber(text[end-1]) {
		end--
	}
	if strings.HasSuffix(text[:end], "§") {
		return true
	}

	start := end
	for start > 0 && end-start < 10 && isLetter(text[start-1]) {
		start--
	}

	switch strings.ToLower(text[start:end]) {
	// "No. 3/4/27" numbers a thing, while "no" alone is a word.
	case "no", "nos":
		return end < i && text[end] == '.'
	case "section", "sections", "sec", "article", "art", "rule", "chapter", "title", "docket", "dkt", "exhibit", "ex",
		"lot", "version", "page", "pages", "pp", "paragraph", "resolution", "regulation", "directive":
		return true
	}

	return false
}

// beforeNumber reports whether a byte can part a word such as "No." from its number.
func beforeNumber(c byte) bool { return isSpace(c) || c == '.' || c == '#' }

// saysWhen reports whether the word before byte i introduces a date.
func saysWhen(text string, i int) bool {
	end := backBlanks(text, i)
	if end > 0 && text[end-1] == ':' {
		return true
	}

	for _, word := range [...]string{
		"on", "of", "dated", "by", "until", "before", "after", "since", "from", "to", "through", "date",
	} {
		if _, ok := backWord(text, end, word); ok {
			return true
		}
	}

	return false
}
