package facts

import (
	"regexp"
	"slices"
	"strings"
)

// begins finds the words, right before a day, that let a period begin on it: "the 30-day objection period begins on".
var (
	begins = regexp.MustCompile(`(?i)\b(?:the|this|that|your|said|such|his|her|its|their)\s+` +
		`((?:[\w()-]+\s+){0,5}?)` +
		`(?:periods?|time limits?|time|windows?|clock)\s+(?:(?:for|to|within|of)\s[^.;\n]{1,60}?\s)?` +
		`(?:shall\s+|will\s+)?(?:begins?|began|starts?|started|commences?|commenced|runs?|ran)` +
		`(?:\s+to\s+run|\s+running)?\s+(?:on|from)\s+(?:the\s+)?$`)
	spanOfDays = regexp.MustCompile(`(?i)\b(\d{1,4}|[a-z]+(?:-[a-z]+)?(?: \(\d{1,4}\))?)[ -]` +
		`(?:calendar |business |court )?(?:days?|weeks?|months?|years?)\b`)
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
		// The pattern ends at the day, so the stretch before it is enough and bounds the work of the expression.
		from := max(0, d.Start-beginsReach)
		if !leadsToDay(text[from:d.Start]) {
			continue
		}
		m := begins.FindStringSubmatchIndex(text[from:d.Start])
		if m == nil {
			continue
		}
		x := Deadline{Span: Span{from + m[0], d.End}, Event: Span{from + m[0], d.End}, Begun: true}
		// No words set the period apart from its event, so the span that sets it is empty.
		x.Set, x.Clause = Span{x.Start, x.Start}, clauseOf(text, d.Span)
		x.Date = d
		list = append(list, x.ofEach(text, text[from+m[2]:from+m[3]])...)
	}

	return list
}

// dutiesAhead returns the days on which a period begins and by which something must be done besides: "deposit the money
// before the inspection period begins on". counted are the events from which periods run.
func dutiesAhead(text string, dates []Date, kind Kind, counted spans) []Deadline {
	var list []Deadline

	for i, d := range dates {
		if d.Day == 0 || !counted.hold(d.Span) || !leadsToDay(text[max(0, d.Start-beginsReach):d.Start]) {
			continue
		}
		if !begins.MatchString(text[max(0, d.Start-beginsReach):d.Start]) {
			continue
		}
		r := readDay(text, dates, i, kind, nil)
		if r.standing == LastDay && r.names(r.lead, aheadWords) {
			list = append(list, r.deadline())
		}
	}

	return list
}

// firstDay returns the first day of a period that does not say how long it is, and nothing where that day stands in
// ahead as one to act by.
func (d *Deadline) firstDay(ahead []Deadline) []Deadline {
	day := d.Date.Span
	if slices.ContainsFunc(ahead, func(x Deadline) bool { return x.Date.Start == day.Start }) {
		return nil
	}

	return []Deadline{{Span: day, Set: day, Date: d.Date, HasDate: true, Clause: d.Clause}}
}

// leadsToDay reports whether a text ends in "on" or "from", with or without "the", as every match of begins does. Most
// texts before a day end otherwise, and comparing two words costs less than running the expression.
func leadsToDay(text string) bool {
	const spaces = " \t\n\f\r"
	rest := strings.TrimRight(text, spaces)

	if n := len(rest) - len("the"); n > 0 && strings.EqualFold(rest[n:], "the") {
		rest = strings.TrimRight(rest[:n], spaces)
	}

	for _, word := range [...]string{"on", "from"} {
		if n := len(rest) - len(word); n > 0 && strings.EqualFold(rest[n:], word) {
			return true
		}
	}

	return false
}

// ofEach returns one period for each length that its words name, also where another one is joined to it, "the 30-day
// objection period and the 60-day appeal period"; else the one that the text before or right behind it names.
func (d *Deadline) ofEach(text, words string) []Deadline {
	lead := strings.TrimRight(text[min(d.Clause.Start, d.Start):d.Start], " ")
	// A list of periods shares one verb: the pattern has matched only its last member.
	if strings.HasSuffix(lead, " and") || strings.HasSuffix(lead, " or") || strings.HasSuffix(lead, ",") {
		words = lead + " " + words
	}
	var list []Deadline

	for _, m := range spanOfDays.FindAllString(words, -1) {
		if one := *d; one.lasts(m) {
			list = append(list, one)
		}
	}
	if len(list) > 0 {
		return list
	}
	// The length is often said where the period was granted, which is before; the sentence behind is the second choice.
	if !d.lasts(paragraphBefore(text, d.Start)) {
		d.lasts(sentenceBehind(text, d.Clause.End))
	}

	return []Deadline{*d}
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
	// Of two lengths neither is taken: a wrong one would give a wrong last day.
	if found != 1 {
		d.Period, d.Unit = 0, ""
	}

	return found == 1
}

// sentenceBehind returns the sentence of the same paragraph behind the one that ends at byte i.
func sentenceBehind(text string, i int) string {
	paragraph, _, _ := strings.Cut(text[i:], "\n\n")
	from := i + len(paragraph) - len(strings.TrimLeft(paragraph, " \n"))

	return text[from:min(i+len(paragraph), sentenceEnd(text, min(len(text), from+1), lengthReach))]
}

// paragraphBefore returns what a paragraph says before byte i, as far as a period reaches.
func paragraphBefore(text string, i int) string {
	before := text[max(0, i-lengthReach):i]
	if at := strings.LastIndex(before, "\n\n"); at >= 0 {
		before = before[at:]
	}

	return before
}

// setPeriod finds words that only says how long a period is, "for non-payment the period is 7 days".
var setPeriod = regexp.MustCompile(
	`(?i)\b(?:period|time limit|time to [a-z]+|deadline)\s+(?:is|shall be|will be)\s+(?:only\s+)?`,
)

// setPeriods returns the periods of which a text says how long they are and not from what they run, without those that
// were found already.
func setPeriods(text string, known []Deadline) []Deadline {
	var list []Deadline

	// The bound keeps a hostile text from filling the memory with matches.
	for _, m := range setPeriod.FindAllStringIndex(text, mostOfAKind) {
		n, end, ok := periodNumber(text, m[1])
		if !ok || n > longestPeriod {
			continue
		}
		unit, end, ok := unitAt(text, end)
		s := Span{m[0], end}
		if !ok || slices.ContainsFunc(known, func(x Deadline) bool { return x.Start < s.End && s.Start < x.End }) {
			continue
		}
		list = append(list, Deadline{
			Span: s, Set: Span{m[0], m[1]}, Period: n, Unit: unit, Event: Span{end, end}, Clause: clauseOf(text, s),
		})
	}

	return list
}
