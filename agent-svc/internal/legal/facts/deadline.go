package facts

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Deadline is a time limit that a text states in so many words.
type Deadline struct {
	Span            // from the words that set it to the end of the date or event
	Set      Span   // the words that set it
	Date     Date   // when HasDate
	HasDate  bool   // the text names the day, or the day from which to count days
	Computed bool   // the day was counted from one that the text names: calendar days, without rolling over
	Period   int    // how many units, when the limit runs from an event
	Unit     string // hour, day, business day, week, month or year
	Event    Span   // what it runs from, empty when the text does not say
	Hearing  bool   // a day to appear rather than to act by
	Before   bool   // the period runs back from its event
	Moved    bool   // the text says that the day no longer counts
	Bound    string // Opens or Closes where the period is one end of a span of time, or opens one
	Begun    bool   // the event is the day on which the period itself begins
	Told     bool   // the period only tells or measures: nothing says that somebody must act by its end
	Opening  bool   // a contract or the like begins, or takes effect, on the day: nobody has to act
	Clause   Span   // the sentence, or the entry of a list or table, that holds it
	Clock    Span   // the time of day, empty when none is stated
	Place    Span   // the room, empty when none is stated

	from Span // the day named before it from which a period such as "two weeks later" counts
}

const (
	deadlineReach = 60 // bytes between the words that set a deadline and its date
	eventReach    = 90 // bytes of an event
	longestPeriod = 4000
	hoursOfDay    = 24
)

// deadlineAt reads the deadline that the words at set introduce; dates are those of the text, in order.
func deadlineAt(text string, set Span, hearing bool, dates []Date) (Deadline, bool) {
	d := Deadline{Span: set, Set: set, Hearing: hearing}
	if d.period(text, set.End, dates) {
		return d, true
	}
	// "by 5:00 p.m. ten days before the hearing"
	if hour := clockAt(text, set.End); hour.End > 0 && d.period(text, hour.End, dates) {
		d.Clock = hour
		return d, true
	}
	// "within" introduces a period and never a day.
	if strings.EqualFold(set.In(text), "within") {
		return Deadline{}, false
	}
	date, ok := dateFrom(text, set.End, deadlineReach, dates)
	if !ok || date.Day == 0 {
		return Deadline{}, false
	}
	d.Date, d.HasDate, d.End = date, true, date.End

	return d, true
}

// dateFrom returns the first date that begins at most reach bytes from byte i on, in the same sentence.
func dateFrom(text string, i, reach int, dates []Date) (Date, bool) {
	lo, hi := 0, len(dates)
	// Texts can have tens of thousands of dates, and this is asked at each word of a deadline.
	for lo < hi {
		if mid := (lo + hi) / 2; dates[mid].Start < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(dates) || dates[lo].Start > i+reach || sentenceEnd(text, i, reach) < dates[lo].Start {
		return Date{}, false
	}

	return dates[lo], true
}

// Words that join a period to its event; those of backJoints count back from it.
var (
	backJoints   = []string{"before", "prior to", "in advance of", "ahead of", "preceding"}
	periodJoints = append([]string{"of", "after", "from", "following"}, backJoints...)
)

// period reads "thirty (30) days after service of the summons" from byte i on.
func (d *Deadline) period(text string, i int, dates []Date) bool {
	n, end, ok := periodNumber(text, i)
	if !ok || n > longestPeriod {
		return false
	}
	unit, end, ok := unitAt(text, end)
	if !ok {
		return false
	}

	d.Period, d.Unit, d.End = n, unit, end
	for _, word := range periodJoints {
		at, ok := blanks(text, end)
		if !ok || !foldedPrefix(text, at, word) || at+len(word) < len(text) && isWord(text[at+len(word)]) {
			continue
		}

		// The main clause comes off first: what is left may still hold a further period.
		d.Event = trim(text, withoutClause(text, Span{at + len(word), eventEnd(text, at+len(word))}))
		d.Event = withItsDay(text, withoutPeriod(text, d.Event), dates)

		for d.Event.End > d.Event.Start && text[d.Event.End-1] == '.' {
			d.Event.End--
		}
		d.End = max(d.End, d.Event.End)
		// Counting back needs the rules of the forum, which the text does not have.
		if d.Before = slices.Contains(backJoints, word); !d.Before {
			d.count(text, dates)
		}

		return true
	}
	if at, ok := blanks(text, end); ok {
		d.later(text, at, dates)
	}

	return true
}

// count computes the day when the event is a date and the unit needs no calendar of a court.
func (d *Deadline) count(text string, dates []Date) {
	from, ok := dateFrom(text, d.Event.Start, 30, dates)
	if !ok || from.Day == 0 || from.Ambiguous || from.Start > d.Event.End {
		return
	}
	day := from.Time()

	switch d.Unit {
	case "day":
		day = day.AddDate(0, 0, d.Period)
	case "week":
		day = day.AddDate(0, 0, 7*d.Period)
	case "hour":
		// Less than a day ends on the day of the event or the next one, and nothing here tells which.
		if d.Period < hoursOfDay {
			return
		}
		// The hour of the event is seldom stated, so whole days give the safe day.
		day = day.AddDate(0, 0, d.Period/hoursOfDay)
	// Months and business days depend on the calendar of a court, which package procedure has.
	default:
		return
	}
	d.Date = Date{Span: from.Span, Year: day.Year(), Month: int(day.Month()), Day: day.Day()}
	d.HasDate, d.Computed, d.End = day.Year() <= lastYear, true, max(d.End, from.End)
}

// periodNumber reads a number in digits, in words, or in words with the digits in brackets behind them.
func periodNumber(text string, i int) (n, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok {
		return 0, i, false
	}

	// Drafters put these before the number; several may stand in a row.
	for _, filler := range [...]string{"a period of ", "the ", "no more than ", "not more than "} {
		if foldedPrefix(text, at, filler) {
			at += len(filler)
		}
	}
	if n, end, ok = number(text, at, 4); ok {
		return n, end, n > 0
	}

	end = at
	for end < len(text) && end-at < 16 && (isLetter(text[end]) || text[end] == '-') {
		end++
	}
	if n, ok = NumberWord(text[at:end]); !ok {
		return 0, i, false
	}
	if open, ok := blanks(text, end); ok && open < len(text) && text[open] == '(' {
		if digits, stop, ok := number(text, open+1, 4); ok && stop < len(text) && text[stop] == ')' {
			// The digits in brackets count where words and digits differ: they are harder to get wrong.
			return digits, stop + 1, digits > 0
		}
	}

	return n, end, true
}

// unitAt reads "days", "business days", "calendar days", "weeks", "months" or "years" at byte i.
func unitAt(text string, i int) (unit string, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok {
		return "", i, false
	}
	business := false

	for _, word := range [...]string{"calendar", "consecutive", "business", "working", "court"} {
		if foldedPrefix(text, at, word+" ") {
			// "court days" and "working days" leave out the same days as business days do.
			business = business || word == "business" || word == "working" || word == "court"
			at += len(word) + 1
		}
	}

	end = wordAt(text, at)
	switch strings.TrimSuffix(strings.ToLower(text[at:end]), "s") {
	case "day":
		if business {
			return "business day", end, true
		}

		return "day", end, true
	case "week":
		return "week", end, !business
	case "month":
		return "month", end, !business
	case "year":
		return "year", end, !business
	case "hour":
		return "hour", end, !business
	}

	return "", i, false
}

// eventEnd returns where the words of an event end: at a mark, or after so many bytes.
func eventEnd(text string, i int) int {
	limit := min(len(text), i+eventReach)
	for at := i; at < limit; at++ {
		switch c := text[at]; {
		// "(a)" numbers a part of the event, while other brackets end it.
		case c == '(' && itemAt(text, at), c == ')' && at > 1 && itemAt(text, at-2):
		case c == ';' || c == '(' || c == ')':
			return at
		case c == ',' && (at+2 >= len(text) || !isDigit(text[at+2])): // not the comma of a date
			return at
		case at > i && (sentenceBreak(text, at) || text[at-1] == '\n' && entryBreak(text, at)):
			return at
		}
	}

	// The bound must not cut a word in two, which could then read as another word.
	for limit > i && limit < len(text) && !isSpace(text[limit]) {
		limit--
	}

	return limit
}

// itemAt reports whether the mark of an item within a sentence stands at byte i: "the later of (a) the closing".
func itemAt(text string, i int) bool {
	return i+2 < len(text) && text[i] == '(' && isLetter(text[i+1]) && text[i+2] == ')'
}

// eventModal finds the verb of the main clause behind an event: "the hearing the parties shall file".
var eventModal = regexp.MustCompile(`(?i)\s(?:shall|must|will|may|should|is to|are to)\s`)

// eventSubject finds where a subject begins.
var eventSubject = regexp.MustCompile(`(?i)\s(?:(?:the|each|any|every|all|either|both|no|a|an|its|his|her|their|` +
	`plaintiffs?|defendants?|petitioners?|respondents?|counsel|parties|they|it|he|she|you|we)\b|` +
	`\[[A-Z][a-z]+ [0-9]+\])`)

// withoutClause cuts off an event what begins the main clause of its sentence.
func withoutClause(text string, event Span) Span {
	words := event.In(text)
	modal := eventModal.FindStringIndex(words)
	if modal == nil {
		return event
	}
	subjects := eventSubject.FindAllStringIndex(words[:modal[0]], -1)
	if len(subjects) == 0 {
		return event
	}
	at := subjects[len(subjects)-1][0]
	// "the parties" matches twice, as an article and as a noun. The subject begins at the article.
	if n := len(subjects); n > 1 && subjects[n-2][1] == at { // "the parties"
		at = subjects[n-2][0]
	}
	if strings.TrimSpace(words[:at]) != "" {
		event.End = event.Start + at
	}

	return event
}

// conjunctions are words that join a further clause to an event.
var conjunctions = []string{"and", "or", "but", "nor", "unless", "whichever"}

// withoutPeriod cuts off an event a further period that its sentence states, "service of the complaint and within 14
// days after the answer", and a conjunction left at its end.
func withoutPeriod(text string, event Span) Span {
	for i := event.Start; i < event.End; i++ {
		// "and" may join two nouns of one event. It ends the event only where a period follows, or nothing.
		if wordBefore(text, i) || !startsWithOf(text, i, conjunctions) {
			continue
		}
		end := wordAt(text, i)
		rest := strings.TrimSpace(text[end:event.End])
		if rest == "" || periodBegins(text, end, min(len(text), end+periodReach)) {
			return trim(text, Span{event.Start, i})
		}
	}

	return event
}

const periodReach = 45 // bytes behind a conjunction in which a further period begins

// startsWithOf reports whether one of the words stands at byte i.
func startsWithOf(text string, i int, words []string) bool {
	return slices.Contains(words, strings.ToLower(text[i:wordAt(text, i)]))
}

// periodHead finds the words that begin a period.
var periodHead = regexp.MustCompile(
	`(?i)\b(?:within|(?:no|not) (?:later|less|more|earlier|fewer|sooner) than|at (?:least|most))\s`,
)

// periodBegins reports whether a period such as "within 14 days" or "no later than 14 days" stands between two bytes.
func periodBegins(text string, from, to int) bool {
	head := periodHead.FindStringIndex(text[from:to])
	// A period of the next sentence is not part of this one.
	if head == nil || strings.Contains(text[from:from+head[0]], ".") {
		return false
	}
	_, end, ok := periodNumber(text, from+head[1])
	if !ok {
		return false
	}
	_, _, ok = unitAt(text, end)

	return ok
}

// itsDay finds the words by which a sentence gives the day of an event behind it: "the closing, which happened on".
var itsDay = regexp.MustCompile(`(?i)^,?\s*(?:which|that)\s+(?:happened|occurred|took place|` +
	`was(?: held| made| done)?|is|closed|were|fell|came)\s+(?:on\s+)?$`)

// withItsDay adds to an event the day that its sentence gives for it.
func withItsDay(text string, event Span, dates []Date) Span {
	day, ok := dateFrom(text, event.End, deadlineReach, dates)
	if !ok || day.Day == 0 || day.Ambiguous || event.End == event.Start {
		return event
	}
	// Only a relative clause gives the event its day: a date nearby may be that of anything.
	if itsDay.MatchString(text[event.End:day.Start]) {
		event.End = day.End
	}

	return event
}

// DaysFrom returns the calendar days from one day to another, below zero when the other is earlier.
func DaysFrom(from, to time.Time) int {
	// In UTC every day has 24 hours. In a zone with summer time one would have 23.
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)).Hours() / 24)
}
