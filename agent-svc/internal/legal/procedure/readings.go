package procedure

import (
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Business counts business days: every day but those on which the calendar lets no period end.
const Business = "business days"

// Span is the day on which a period ends by each reading of the rules: the earlier is the safe one.
type Span struct {
	Safe, Latest time.Time
	Why          []string // why the latest is later than the safe one; none when they are one day
}

// Sure reports whether all readings give the same day.
func (s Span) Sure() bool { return s.Safe.Equal(s.Latest) }

// widen takes in what another reading gives, and why.
func (s *Span) widen(on time.Time, why string) {
	switch {
	case on.IsZero() || on.Equal(s.Safe) && on.Equal(s.Latest):
		return
	case on.Before(s.Safe):
		s.Safe = on
	case on.After(s.Latest):
		s.Latest = on
	default:
		return
	}
	// A reading that changes nothing is no reason for doubt.
	s.Why = append(s.Why, why)
}

// Readings returns the days on which a period ends as the rules can be read: a Friday on which the holiday of a
// Saturday is observed may be a legal holiday or not, and how the paper was served may not be known. It fails as
// Compute does.
func Readings(t Trigger, r Rule, o Options) (Result, Span, error) {
	got, err := Compute(t, r, o)
	if err != nil {
		return got, Span{}, err
	}
	s := Span{Safe: got.DueOn, Latest: got.DueOn}

	strict := o
	strict.Calendar.strict = true
	if other, err := Compute(t, r, strict); err == nil {
		s.widen(other.DueOn, "the holiday of a Saturday is observed on the Friday at the end of the period, "+
			"and courts differ on whether that Friday is a legal holiday")
	}
	if r.Direction == Backward { // where a day off moves the end to an earlier day, which is then the safe one
		closed := o
		closed.Calendar.closed = closed.Calendar.federal[1]
		if other, err := Compute(t, r, closed); err == nil {
			s.widen(other.DueOn, "a President closed the executive departments on a day at the end of the period, "+
				"and it is not settled whether that made it a legal holiday")
		}
	}
	if o.Service == Unknown && r.ServiceDays > 0 && r.Direction == Forward {
		mailed := o
		mailed.Service = Mail
		if other, err := Compute(t, r, mailed); err == nil {
			s.widen(other.DueOn, fmt.Sprintf("%s more after service by mail, through the clerk or by other agreed "+
				"means; how it was served is not stated", wording.Counted(r.ServiceDays, "day")))
		}
	}

	return got, s, nil
}

// Count counts a period that an order or contract states, from a day on or back from it. unit is hour, day, business
// day, week, month or year. byRule says that Fed. R. Civ. P. 6(a) governs, which carries an end on a weekend or
// holiday on to the next day that counts, and back before an event. Otherwise the safe day is the last one that
// counts and the latest the next one.
func Count(from time.Time, n int, unit string, back, byRule bool, c Calendar) (Span, []string) {
	from = civil(from)
	sign, way := 1, "later"
	if back {
		sign, way = -1, "earlier"
	}
	var end time.Time

	switch unit {
	case "day":
		end = from.AddDate(0, 0, sign*n)
	case "week":
		end = from.AddDate(0, 0, sign*7*n)
	case "month":
		end = months(from, sign*n)
	case "year":
		end = months(from, sign*12*n)
	case "hour":
		return countHours(from, n, back)
	default:
		end = c.business(from, sign, n)
	}
	steps := []string{fmt.Sprintf("%s %s than %s is %s.", wording.Counted(n, unit), way, Day(from), Day(end))}
	if unit == "business day" && c.name == "weekends" {
		steps = append(steps, "No holidays of the forum are on record: each one in between moves the day.")
	}
	why, _ := c.off(end, back)
	if why == "" {
		return Span{Safe: end, Latest: end}, steps
	}
	// Contracts seldom say which way a day off moves their periods, so both stand unless a rule decides.
	before, after := c.next(end, -1), c.next(end, 1)

	switch {
	case byRule && back:
		steps = append(
			steps,
			fmt.Sprintf("That day is not one to act on (%s): back to %s (Fed. R. Civ. P. 6(a)(5)).", why, Day(before)),
		)

		return Span{Safe: before, Latest: before}, steps
	case byRule:
		steps = append(
			steps,
			fmt.Sprintf("That day is not one to act on (%s): on to %s (Fed. R. Civ. P. 6(a)(1)(C)).", why, Day(after)),
		)

		return Span{Safe: after, Latest: after}, steps
	case back:
		return Span{Safe: before, Latest: end, Why: []string{"the day counted falls on a day off (" + why + ")"}}, steps
	}

	return Span{
		Safe:   before,
		Latest: after,
		Why: []string{"the day counted falls on a day off (" + why + "), and whether it moves on depends on the " +
			"rules of the forum"},
	}, steps
}

// countHours counts a period in hours from a day whose moment is not known: it ends within the day that is so many
// whole days away, or within the next one. It does not move over weekends.
func countHours(from time.Time, n int, back bool) (Span, []string) {
	const day = 24

	// The event may be in the first or in the last hour of its day.
	first, last := from.AddDate(0, 0, n/day), from.AddDate(0, 0, (n+day-1)/day)
	if back {
		first, last = from.AddDate(0, 0, -((n+day-1)/day)), from.AddDate(0, 0, -(n/day))
	}
	steps := []string{fmt.Sprintf("%s from the hour of the event on %s.", wording.Counted(n, "hour"), Day(from))}
	if first.Equal(last) {
		return Span{Safe: first, Latest: last}, append(steps, "The hour is that of the event.")
	}

	return Span{Safe: first, Latest: last, Why: []string{"a period in hours runs from the hour of the event"}}, steps
}

// next returns the first day that is none to rest on, from a day on in a direction.
func (c Calendar) next(day time.Time, by int) time.Time {
	for why, _ := c.off(day, by < 0); why != ""; why, _ = c.off(day, by < 0) {
		day = day.AddDate(0, 0, by)
	}

	return day
}

// business counts days on which one can act.
func (c Calendar) business(day time.Time, by, n int) time.Time {
	for ; n > 0; n-- {
		day = c.next(day.AddDate(0, 0, by), by)
	}

	return day
}
