package procedure

import (
	"fmt"
	"strings"
	"time"
)

// Holiday is a legal holiday of the federal courts. Observed says that the day stands in for one that falls on a
// weekend.
type Holiday struct {
	On       time.Time
	Name     string
	Observed bool
}

// fixed are the holidays of Fed. R. Civ. P. 6(a)(6)(A) that have a date. Descriptions stand for their names, most of
// which the gate takes for those of persons.
var fixed = [...]struct {
	month time.Month
	day   int
	since int
	name  string
}{
	{time.January, 1, 1871, "the federal holiday of January 1"},
	// Juneteenth: Pub. L. 117-17 of June 17, 2021, in the rule's list since December 1, 2023
	{time.June, 19, 2021, "the federal holiday of June 19"},
	{time.July, 4, 1871, "the federal holiday of July 4"},
	// and before 1971; on the fourth Monday of October between
	{time.November, 11, 1978, "the federal holiday of November 11"},
	{time.December, 25, 1871, "the federal holiday of December 25"},
}

// movable are the holidays of the rule that fall on the nth such day of a month; -1 is the last. They lie where they do
// since 1971 (Uniform Monday Holiday Act) but for the third Monday of January, which came in 1986.
var movable = [...]struct {
	month time.Month
	day   time.Weekday
	nth   int
	since int
	name  string
}{
	{time.January, time.Monday, 3, 1986, "the federal holiday of the third Monday of January"},
	{time.February, time.Monday, 3, 1971, "the federal holiday of the third Monday of February"},
	{time.May, time.Monday, -1, 1971, "the federal holiday of the last Monday of May"},
	{time.September, time.Monday, 1, 1894, "the federal holiday of the first Monday of September"},
	{time.October, time.Monday, 2, 1971, "the federal holiday of the second Monday of October"},
	{time.November, time.Thursday, 4, 1942, "the federal holiday of the fourth Thursday of November"},
}

// FederalHoliday returns the legal holiday of Fed. R. Civ. P. 6(a)(6)(A) on a day, if there is one.
//
// A holiday that falls on a Saturday is observed on the Friday before (5 U.S.C. 6103(b)(1)), one that falls on a Sunday
// on the Monday after (Executive Order 11582, section 3). Both count here: the rule speaks of the day "set aside by
// statute for observing" the holiday, and the clerk's office is closed on it (Rule 6(a)(3)). As 6103(b) speaks of pay
// and leave only, a result that rolls over an observed day says so among its assumptions.
//
// Inauguration Day (5 U.S.C. 6103(c)) is not in the rule's list, and neither are days that a President gave to the
// staff of the executive branch; what a President or Congress declares for one year (Rule 6(a)(6)(B)) cannot be
// computed and is an assumption of every result. Days before 1978 follow the present law as far as it reached back,
// which is enough here: see InForce.
func FederalHoliday(day time.Time) (Holiday, bool) {
	year, month, date := day.Date()
	for _, m := range movable {
		if year >= m.since && month == m.month && day.Weekday() == m.day && isNth(year, month, date, m.nth) {
			return Holiday{On: civil(day), Name: m.name}, true
		}
	}

	for _, from := range [...]struct {
		days int
		on   time.Weekday // on which the holiday of that day is observed
	}{{0, day.Weekday()}, {1, time.Friday}, {-1, time.Monday}} {
		if day.Weekday() != from.on {
			continue
		}

		y, m, d := civil(day).AddDate(0, 0, from.days).Date()
		for _, f := range fixed {
			// The first of January may be observed on the last day of the year before, hence the date that was shifted.
			if y >= f.since && m == f.month && d == f.day {
				return Holiday{On: civil(day), Name: f.name, Observed: from.days != 0}, true
			}
		}
	}

	return Holiday{}, false
}

func isNth(year int, month time.Month, date, nth int) bool {
	if nth > 0 {
		return (date+6)/7 == nth
	}

	// The last such day of a month has none of its kind a week later.
	return date+7 > daysIn(year, month)
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// closures are days on which a President closed the executive departments. Whether such an order declares a holiday
// (6(a)(6)(B)) is not settled.
var closures = map[string]bool{
	"2018-12-05": true, "2018-12-24": true, "2019-12-24": true, "2020-12-24": true, "2024-12-24": true,
	"2025-01-09": true, "2025-12-24": true,
	"2025-12-26": true,
}

// Closed reports whether a President closed the executive departments on a day.
func Closed(day time.Time) bool { return closures[day.Format(time.DateOnly)] }

// Calendar says which days are no days to act on.
type Calendar struct {
	name string
	// whether the federal holidays count for periods after an event and for those before one
	federal [2]bool
	// days of a state or a rule file, YYYY-MM-DD, and whether they count for periods before an event too
	days     map[string]bool
	backward bool
	of       string // whose they are
	closed   bool   // days on which a President closed the executive departments count as holidays
	strict   bool   // a Friday on which the holiday of a Saturday is observed counts as any other
}

// Federal returns the calendar of Rule 6(a)(6). The days of the state where the court sits count for periods after an
// event only (6(a)(6)(C)); state is its ISO 3166-2 code, "" when it or its days are not known.
func Federal(state string, days ...string) Calendar {
	c := Calendar{name: "federal", federal: [2]bool{true, true}}
	if len(days) > 0 {
		c.name, c.of, c.days = "federal, "+state, state, set(days)
	}

	return c
}

// Own returns the calendar of a forum by its own days, which count in both directions. Without any, only weekends move
// a period after an event. In a state, weekends and federal holidays move one before an event: of two possible days
// that is the earlier.
func Own(jurisdiction string, days ...string) Calendar {
	if len(days) == 0 {
		return Calendar{name: "weekends", federal: [2]bool{false, strings.HasPrefix(jurisdiction, unitedStates+"-")}}
	}

	return Calendar{name: jurisdiction, of: jurisdiction, days: set(days), backward: true}
}

func set(days []string) map[string]bool {
	m := make(map[string]bool, len(days))
	for _, d := range days {
		m[d] = true
	}

	return m
}

// Name names the calendar in a computation, at most 40 characters.
func (c Calendar) Name() string { return c.name }

// off says why a day does not count as the last of a period, "" when it does.
func (c Calendar) off(day time.Time, backward bool) (why string, observed bool) {
	if w := day.Weekday(); w == time.Saturday || w == time.Sunday {
		return w.String(), false
	}
	// Only one reading of the rules counts these days, so it is asked for by the calendar.
	if c.closed && Closed(day) {
		return "the executive departments were closed by the President", false
	}
	at := 0
	if backward {
		at = 1
	}
	if c.federal[at] {
		if h, ok := FederalHoliday(day); ok {
			if !h.Observed {
				return h.Name, false
			}
			// A Monday is a day declared a holiday by the President (6(a)(6)(B) and Executive Order 11582); a Friday
			// is set aside by a statute on pay and leave alone.
			if !c.strict || day.Weekday() == time.Monday {
				return h.Name + " as observed", true
			}
		}
	}
	if (!backward || c.backward) && c.days[day.Format(time.DateOnly)] {
		return "holiday of " + c.of, false
	}

	return "", false
}

// civil cuts a time to its day.
func civil(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// Day writes a day with its weekday, such as "Monday, 2026-03-23".
func Day(t time.Time) string { return fmt.Sprintf("%s, %s", t.Weekday(), t.Format(time.DateOnly)) }
