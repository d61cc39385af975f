package facts

import (
	"regexp"
	"strings"
)

// TermOfDay is the act of a Report that tells no act but gives a day its name, `May 3, 2027 (the "Effective Date")`.
const TermOfDay = "term"

// namedDay finds the name that a text gives a day, right behind it; dayNamed one right before it, as `"Closing Date"
// means May 3, 2027` and "Commencement Date: May 3, 2027" have it.
var (
	namedDay = regexp.MustCompile(`^\s*,?\s*\(\s*` +
		`(?:(?:herein(?:after)?|such date|that date|referred to as|called|being|the),?\s+){0,4}` +
		`["“”'‘]{1,2}([A-Z][\w &/-]{2,40}?)["“”'’]{1,2}`)
	termMeans = regexp.MustCompile(`["“]?((?:[A-Z][\w-]*\s){0,3}(?:Date|Day|Deadline|Commencement|Expiration))["”]?` +
		`\s*(?:means|shall mean|is|shall be|:|\|)\s*(?:the date of\s+)?$`)
)

const (
	namedReach = 120 // bytes behind a day in which its name stands
	termReach  = 80  // bytes before a day in which the term stands that means it
)

// DefinedDays returns the days to which a text gives a name of their own; Words are the words of the name.
func DefinedDays(text string, dates []Date) []Report {
	var list []Report

	for _, d := range dates {
		if d.Day == 0 || d.Ambiguous || len(list) == mostReports {
			continue
		}
		behind, before := text[d.End:min(len(text), d.End+namedReach)], text[max(0, d.Start-termReach):d.Start]

		name := namedDay.FindStringSubmatch(behind)
		if name == nil {
			// A name behind the day is the plainer form; a heading or a definition has it before.
			name = termMeans.FindStringSubmatch(before)
		}
		if name != nil {
			words := plainWords(strings.TrimPrefix(name[1], "The "))
			list = append(list, Report{Span: clauseOf(text, d.Span), Date: d, Act: TermOfDay, Words: words})
		}
	}

	return list
}
