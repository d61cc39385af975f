package facts

import "slices"

// relatives returns the periods of a text that run to or from another event, "seven days before the hearing", where
// no deadline was found.
func relatives(text string, dates []Date, taken []Deadline) []Deadline {
	var list []Deadline
	var periods spans

	// A period that the words of the lexicon have found keeps its place.
	for _, x := range taken {
		if x.Period > 0 {
			periods = append(periods, x.Span)
		}
	}
	last := 0

	for i := 0; i < len(text) && len(list) < mostOfAKind; i++ {
		if !unitBegins(text, i) {
			continue
		}
		d, ok := relativeAt(text, i, dates)
		if !ok || d.Start < last || periods.meet(d.Span) {
			continue
		}
		list, last = append(list, d), d.End
		// The event may name a further period, so the search goes on within it.
		i = max(i, d.Event.Start)
	}

	return list
}

// meet reports whether one of the stretches, which do not overlap, has bytes in common with s.
func (l spans) meet(s Span) bool {
	n, _ := slices.BinarySearchFunc(l, s.Start+1, func(x Span, start int) int { return x.End - start })
	return n < len(l) && l[n].Start < s.End
}

// unitBegins reports whether a word for a unit of time begins at byte i.
func unitBegins(text string, i int) bool {
	if wordBefore(text, i) || i == 0 {
		return false
	}

	switch text[i] | 0x20 {
	case 'd':
		return foldedPrefix(text, i, "day")
	case 'w':
		return foldedPrefix(text, i, "week")
	case 'm':
		return foldedPrefix(text, i, "month")
	case 'h':
		return foldedPrefix(text, i, "hour")
	}

	return false
}

const backWords = 6 // words before a unit at which its number may begin

// relativeAt reads the period whose unit stands at byte i, from its number to its event.
func relativeAt(text string, i int, dates []Date) (Deadline, bool) {
	starts := make([]int, 0, backWords)
	for at := i; at > 0 && len(starts) < backWords; {
		at = backBlanks(text, at)
		for at > 0 && !isSpace(text[at-1]) {
			at--
		}
		starts = append(starts, at)
	}

	// The longest number wins: "twenty-one days" must not be read as one day.
	for n := len(starts) - 1; n >= 0; n-- {
		d := Deadline{Span: Span{starts[n], starts[n]}}
		d.Set = d.Span
		if !d.period(text, starts[n], dates) {
			continue
		}
		// A period without an event or a day only says how long something is.
		if !d.HasDate && (d.Event.End <= d.Event.Start || d.Event.Start <= i) && !thereafter(text, d.End) {
			continue
		}
		d.Clause = clauseOf(text, d.Span)

		return d, true
	}

	return Deadline{}, false
}

// thereafter reports whether a period of something that may be anything named before ends at byte i: "and ends 45 days
// thereafter".
func thereafter(text string, i int) bool {
	at, ok := blanks(text, i)

	return ok && foldedPrefix(text, at, "thereafter")
}

// afterThat are the words that count a period from the day named before it.
var afterThat = [...]string{"later", "thereafter", "afterwards", "afterward", "after that date", "after that day"}

// later computes the day of a period that runs from the day named before it in its paragraph, "responses by May 3,
// 2027, replies one week later". at is where the words behind the unit begin. The period has no event of its own, so
// the day before it keeps its place.
func (d *Deadline) later(text string, at int, dates []Date) {
	word := slices.IndexFunc(afterThat[:], func(w string) bool {
		return foldedPrefix(text, at, w) && (at+len(w) == len(text) || !isWord(text[at+len(w)]))
	})
	if word < 0 {
		return
	}
	// "later" counts from the day named last, as long as the same entry names it.
	from := dayNamedBefore(d.Start, dates)
	if from == nil || d.Start-from.End > laterReach || twoEntries(text[from.End:d.Start]) {
		return
	}
	counted := Deadline{Period: d.Period, Unit: d.Unit, Event: from.Span}
	counted.count(text, []Date{*from})
	if !counted.HasDate {
		return
	}
	d.Date, d.HasDate, d.Computed, d.from = counted.Date, true, true, from.Span
	// The words of the period stand for its day, since the text does not write it.
	d.Date.Span, d.End = Span{d.Start, at + len(afterThat[word])}, at+len(afterThat[word])
}

// dayNamedBefore returns the last day that ends before byte i, nil when none stands near.
func dayNamedBefore(i int, dates []Date) *Date {
	n, _ := slices.BinarySearchFunc(dates, i, func(x Date, at int) int { return x.Start - at })

	for n--; n >= 0 && i-dates[n].Start <= 2*laterReach; n-- {
		if x := &dates[n]; x.End <= i && x.Day > 0 && !x.Ambiguous {
			return x
		}
	}

	return nil
}

// narrated reports whether a period such as "two weeks later" only tells what happened next: nothing is due on the day
// from which it counts, and its own clause orders nothing. due holds where the days begin on which something is.
func (d *Deadline) narrated(text string, due map[int]bool) bool {
	// A period behind a last day is another last day.
	if d.from.End == 0 || due[d.from.Start] {
		return false
	}

	clause := clauseOf(text, d.Span)
	if introduced(text[min(clause.Start, d.Start):d.Start]) {
		// An entry such as "The answer: two weeks later" orders it without a verb.
		return false
	}

	return !orders(plainWords(clause.In(text)))
}

const laterReach = 200 // bytes from a day to a period that counts from it

// twoEntries reports whether a paragraph or an entry of a list ends in a text.
func twoEntries(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i-1] == '\n' && entryBreak(text, i) {
			return true
		}
	}

	return false
}
