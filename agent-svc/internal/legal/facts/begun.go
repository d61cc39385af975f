package facts

import (
	"regexp"
	"strings"
)

// begins finds the words, right before a day, that let a period begin on it: "the 30-day objection period begins on".
var (
	begins = regexp.MustCompile(`(?i)\b(?:the|this|that|your|said|such|his|her|its|their)\s+((?:[\w()-]+\s+){0,5}?)` +
		`(?:period|time limit|time|window|clock)\s+(?:(?:for|to|within|of)\s[^.;\n]{1,60}?\s)?(?:shall\s+|will\s+)?` +
		`(?:begins?|began|starts?|started|commences?|commenced|runs?|ran)(?:\s+to\s+run|\s+running)?\s+(?:on|from)\s+(?:the\s+)?$`)
	spanOfDays = regexp.MustCompile(`(?i)\b(\d{1,4}|[a-z]+(?:-[a-z]+)?(?: \(\d{1,4}\))?)[ -](?:calendar |business |court )?(?:days?|weeks?|months?|years?)\b`)
)

const (
	beginsReach = 200 // bytes before a day in which the words stand
	lengthReach = 400 // bytes before them in which the period is as long as it says
)

// begun returns the periods that a text lets begin on a day. Period is 0 where it does not say how long one is.
func begun(text string, dates []Date) []Deadline {
	var list []Deadline

	for _, d := range dates {
		if d.Day == 0 {
			continue
		}
		from := max(0, d.Start-beginsReach)
		m := begins.FindStringSubmatchIndex(text[from:d.Start])
		if m == nil {
			continue
		}
		x := Deadline{Span: Span{from + m[0], d.End}, Event: Span{from + m[0], d.End}, Begun: true}
		x.Set, x.Clause = Span{x.Start, x.Start}, clauseOf(text, d.Span)
		if !x.lasts(text[from+m[2] : from+m[3]]) {
			x.lasts(paragraphBefore(text, x.Start))
		}
		list = append(list, x)
	}

	return list
}

// lasts takes how long a period is from words that name one length; of several none is taken.
func (d *Deadline) lasts(words string) bool {
	found := 0

	for _, m := range spanOfDays.FindAllStringIndex(words, -1) {
		spaced := strings.Replace(words[m[0]:m[1]], "-", " ", 1)
		n, end, ok := periodNumber(spaced, 0)
		if !ok || n > longestPeriod {
			continue
		}
		unit, _, ok := unitAt(spaced, end)
		if !ok {
			continue
		}
		if found++; found == 1 {
			d.Period, d.Unit = n, unit
		}
	}
	if found != 1 {
		d.Period, d.Unit = 0, ""
	}

	return found == 1
}

// paragraphBefore returns what a paragraph says before byte i, as far as a period reaches.
func paragraphBefore(text string, i int) string {
	before := text[max(0, i-lengthReach):i]
	if at := strings.LastIndex(before, "\n\n"); at >= 0 {
		before = before[at:]
	}

	return before
}
