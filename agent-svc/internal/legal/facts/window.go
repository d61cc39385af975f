package facts

import (
	"regexp"
	"strings"
)

// Ends of a span of time that two numbers bound, "between 180 and 120 days before the end of the term".
const (
	Opens  = "opens"  // the first day on which something may be done
	Closes = "closes" // the last one
)

// otherNumber finds the first number of two that bound a span of time, right before the second one. The number stands
// in digits, in words, or in both; a unit may follow it.
var otherNumber = regexp.MustCompile(`(?i)(?:\b(between|from|` +
	`not? (?:more|less|later|earlier|fewer|sooner) than|at (?:least|most)|` +
	`(?:more|less|fewer|earlier|later|sooner) than)\s+)?([a-z-]+ \(\d{1,4}\)|\d{1,4}|[a-z]+(?:[ -][a-z]+){0,3}?)` +
	`(?:\s+(?:calendar |business |court |working )?(?:days?|weeks?|months?|years?))?` +
	`(?:\s+((?:before|prior to|after)\s+[^.;]{1,60}?))?` +
	`\s*(,?\s*(?:and|but|nor|or|to)|–|-)\s*(?:in no event\s+)?` +
	`((?:not? (?:more|less|later|earlier|fewer|sooner) than|at (?:least|most)|more than|less than|` +
	`nor (?:more|less) than)\s*)?$`)

// bound finds words before a period that make its day the first one, rather than the last.
var bound = regexp.MustCompile(`(?i)\b(not? (?:more|less|later|earlier|fewer|sooner) than|at (?:least|most))\s*$`)

const windowReach = 110 // bytes before a period in which its other end stands

// window returns the other end of a span of time of which d is the second end, and says which of both opens it. ok is
// false where d stands alone.
func (d *Deadline) window(text string) (other Deadline, ok bool) {
	from := max(0, d.Set.End-windowReach)
	before := text[from:d.Set.End]
	// A period with a day is no end of a span that runs from an event.
	if d.Period == 0 || d.HasDate {
		return Deadline{}, false
	}
	m := otherNumber.FindStringSubmatchIndex(before)
	if m == nil || m[2] < 0 && m[10] < 0 && !bounds(before[m[8]:m[9]]) { // "2 or 3 days" bounds nothing
		d.opening(before)
		return Deadline{}, false
	}
	// The first number may have an event of its own, and then stands alone too.
	if m[6] >= 0 && !d.runsAs(text, before[m[6]:m[7]]) {
		d.opening(before)
		return Deadline{}, false
	}
	n, _, ok := periodNumber(before, m[4])
	if !ok || n == d.Period {
		return Deadline{}, false
	}
	other = *d
	other.Period, other.Start = n, from+m[4]
	other.Set = Span{other.Start, other.Start}
	// Back from an event the longer period comes first, behind it the shorter one.
	if (other.Period > d.Period) == d.Before {
		other.Bound, d.Bound = Opens, Closes
	} else {
		other.Bound, d.Bound = Closes, Opens
	}

	return other, true
}

// runsAs reports whether a period runs to or from the event of another one, "before the hearing": two periods of
// different events are no span of time.
func (d *Deadline) runsAs(text, other string) bool {
	words := plainWords(other)
	event := plainWords(d.Event.In(text))
	back := words[0] != "after"
	if words = words[1:]; back && len(words) > 0 && words[0] == "to" {
		words = words[1:]
	}

	return back == d.Before && strings.Join(words, " ") == strings.Join(event, " ")
}

// bounds reports whether what joins two numbers makes them ends of a span: "15 to 30 days", and not "2 or 3 days".
func bounds(joint string) bool {
	joint = strings.TrimSpace(joint)

	return joint == "to" || joint == "–" || joint == "-"
}

// opening says whether a period that stands alone opens a span of time: "not earlier than 30 days before the hearing".
func (d *Deadline) opening(before string) {
	m := bound.FindStringSubmatch(before)
	if m == nil {
		return
	}

	switch words := strings.ToLower(m[1]); {
	case strings.HasSuffix(words, "earlier than"), strings.HasSuffix(words, "sooner than"):
		d.Bound = Opens
	// Back from an event "not more than 30 days" begins on the day that is furthest from it.
	case strings.HasSuffix(words, "more than") && d.Before, strings.HasSuffix(words, "less than") && !d.Before:
		d.Bound = Opens
	}
}
