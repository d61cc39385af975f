package facts

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

const clockReach = 60 // bytes from a date to its time of day

// clockForm finds a time of day. "2 h" alone is a duration: it is an hour with minutes, or behind a word such as "à".
var clockForm = regexp.MustCompile(`(?i)` +
	`\b(?:[01]?\d|2[0-3])(?:[:.][0-5]\d)?\s?(?:a\.?m\b\.?|p\.?m\b\.?|uhr|o'clock)|` +
	`\b(?:[01]?\d|2[0-3]):[0-5]\d\b(?: (?:in the (?:fore|after)noon|[A-Z]{2,4}\b))?|` +
	`\b(?:[01]?\d|2[0-3]) ?h ?[0-5]\d\b|` +
	`(?:à|\b(?:at|um|gegen|vers|dès)) (?:[01]?\d|2[0-3]) ?h(?: ?[0-5]\d)?\b|` +
	`\b(?:de|von) (?:[01]?\d|2[0-3]) ?h (?:à|bis) (?:[01]?\d|2[0-3]) ?h(?: ?[0-5]\d)?\b|` +
	`\b(?:12 )?(?:noon|midday|midnight)\b|\bclose of business\b`)

// clockNear returns the time of day that belongs to a date, the nearest behind it or before it within its stretch.
func clockNear(text string, d, within Span) Span {
	behind := Span{d.End, min(within.End, d.End+clockReach)}
	if at := firstClock(behind.In(text)); at != nil {
		return Span{behind.Start + at[0], behind.Start + at[1]}
	}
	before := Span{max(within.Start, d.Start-clockReach), d.Start}
	if before.Start >= before.End || !signOfClock(before.In(text)) {
		return Span{}
	}
	all := clockForm.FindAllStringIndex(before.In(text), -1)
	if len(all) == 0 {
		return Span{}
	}
	at := bareClock(before.In(text), all[len(all)-1])
	// An hour further away belongs to something else in the clause.
	if words := plainWords(text[before.Start+at[1] : d.Start]); len(words) > 3 {
		return Span{}
	}

	return Span{before.Start + at[0], before.Start + at[1]}
}

// clockAt returns the time of day that begins at byte i, blanks aside; it is empty when none does.
func clockAt(text string, i int) Span {
	at, ok := blanks(text, i)
	if !ok {
		return Span{}
	}
	found := firstClock(text[at:min(len(text), at+clockReach)])
	if found == nil || found[0] > 0 {
		return Span{}
	}

	return Span{at, at + found[1]}
}

// hourOfPeriod returns the time of day by which a period ends: right before its number, "by 5 p.m. ten days before", or
// behind its event and "by", "ten days before the hearing, by noon".
func hourOfPeriod(text string, d Deadline) Span {
	from := max(d.Clause.Start, d.Start-clockReach)
	if before := text[from:max(from, d.Start)]; signOfClock(before) {
		if all := clockForm.FindAllStringIndex(before, -1); all != nil {
			at := bareClock(before, all[len(all)-1])
			if len(plainWords(before[at[1]:])) <= mostHourWords {
				return Span{from + at[0], from + at[1]}
			}
		}
	}

	// Only these words make an hour the end of the period: "the hearing at 9 a.m." gives that of its event.
	for _, word := range [...]string{", by ", " by ", ", no later than ", " at or before ", ", before "} {
		if strings.HasPrefix(text[d.End:], word) {
			return clockAt(text, d.End+len(word))
		}
	}

	return Span{}
}

const mostHourWords = 2 // between an hour and the period that ends at it: "on the", "on or"

// Moment returns the hour and minute of a time of day such as "4:30 p.m." or "noon"; ok is false for one that cannot be
// read in one way, such as "close of business".
func Moment(clock string) (hour, minute int, ok bool) {
	clock = strings.ToLower(Hour(clock))
	// "in the afternoon" ends in noon too, so a number other than twelve is read below.
	if strings.HasSuffix(clock, "noon") || strings.HasSuffix(clock, "midday") {
		if m := momentForm.FindStringSubmatch(clock); m == nil || m[1] == "12" {
			return noon, 0, true
		}
	}
	m := momentForm.FindStringSubmatch(clock)
	// Midnight may be the beginning or the end of the day. A day's difference is too much to guess.
	if m == nil || strings.Contains(clock, "midnight") {
		return 0, 0, false
	}
	hour, _ = strconv.Atoi(m[1])
	minute, _ = strconv.Atoi(m[2])

	switch half := m[3] + m[4]; {
	case hour > noon && half == "a" || hour == 0 && half != "":
		return 0, 0, false
	case half == "a" && hour == noon:
		hour = 0
	case (half == "p" || half == "after") && hour < noon:
		hour += noon
	}

	// "at 9:30" alone may be morning or evening; from one in the afternoon the number tells it.
	return hour, minute, m[3]+m[4] != "" || hour > noon
}

const noon = 12

var momentForm = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d\d))?(?:\s?([ap])\.?m\.?| in the (fore|after)noon)?`)

// clockOfRun returns the time of day behind the last of days in a row, which is that of each: "on 14, 15 and 16 June
// 2027 at 10 am". It looks no further than the clause, so that a long run costs no more than its length.
func clockOfRun(text string, dates []Date, i int, clause Span) Span {
	last := i
	// The run ends at the clause, so that a list of thousands of days is not walked again for each of them.
	for last+1 < len(dates) && dates[last+1].Start < clause.End && nextDay(text, dates[last], dates[last+1]) {
		last++
	}
	if last == i {
		return Span{}
	}
	to := clause.End
	if last+1 < len(dates) {
		to = min(to, dates[last+1].Start)
	}

	return clockNear(text, dates[last].Span, Span{dates[last].End, max(to, dates[last].End)})
}

// nextDay reports whether one date is the day after another and nothing but a joint stands between them.
func nextDay(text string, d, next Date) bool {
	if next.Start < d.End || !joinedDays(text[d.End:next.Start]) {
		return false
	}

	return DaysFrom(d.Time(), next.Time()) == 1
}

// foreignHour is a time of day as German and French write it.
var foreignHour = regexp.MustCompile(`(?i)^(\d{1,2})(?:[:.](\d\d))? ?uhr$|^(\d{1,2}) ?h(?: ?(\d\d))?$`)

// Hour returns a time of day as an English text has it, folded: "10.30 Uhr" and "10h30" are "10:30".
func Hour(clock string) string {
	clock = Fold(clock)
	m := foreignHour.FindStringSubmatch(clock)
	if m == nil {
		return clock
	}

	return m[1] + m[3] + ":" + cmp.Or(m[2]+m[4], "00")
}

// firstClock returns where the first time of day stands in a text, nil when none does.
func firstClock(text string) []int {
	if !signOfClock(text) {
		return nil
	}
	at := clockForm.FindStringIndex(text)
	if at == nil {
		return nil
	}

	return bareClock(text, at)
}

// bareClock takes the word before a time of day, "um" or "à", off its stretch of a text.
func bareClock(text string, at []int) []int {
	found := text[at[0]:at[1]]
	if c := found[len(found)-1] | 0x20; c == 'h' || isDigit(c) {
		at[0] += max(0, strings.IndexAny(found, digits))
	}

	return at
}

// withoutClocks puts blanks in place of the times of day of a text.
func withoutClocks(text string) string {
	// The signs are cheap to look for; the expression is not, and most stretches have no hour.
	if !signOfClock(text) {
		return text
	}

	return clockForm.ReplaceAllString(text, " ")
}

// clockSigns are what a text with a time of day holds, but for "14 h": a text without them needs no closer look.
var clockSigns = [...]string{":", "m.", "am", "pm", "AM", "PM", "hr", "noon", "mid", "clock", "business"}

// signOfClock reports whether a text may hold a time of day.
func signOfClock(text string) bool { return hourSign(text) || hasSign(text, clockSigns[:]) }

// hourSign reports whether an "h" stands behind a digit, or behind a digit and a blank.
func hourSign(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i]|0x20 != 'h' {
			continue
		}
		if isDigit(text[i-1]) || text[i-1] == ' ' && i > 1 && isDigit(text[i-2]) {
			return true
		}
	}

	return false
}
