// Package procedure computes deadlines from rules of procedure, each with its steps and with what was assumed, so that
// a person can count after it. The rules are data; the method is that of Fed. R. Civ. P. 6, by which Fed. R. App. P. 26
// counts as well.
package procedure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// InForce is the first day on which all periods of the federal table, and the way of counting, were law: Rule 6 counts
// every day since December 1, 2009, Rule 4(m) has 90 days since December 1, 2015, and electronic service adds no days
// since December 1, 2016.
var InForce = time.Date(2016, time.December, 1, 0, 0, 0, 0, time.UTC)

// Failures of a computation.
var (
	ErrNoDay  = errs.New(errs.Invalid, "trigger_missing", "A period needs the day on which it starts.")
	ErrTooOld = errs.New(errs.Invalid, "trigger_too_old", "The rules of the table are in force since December 1, "+
		"2016. Count an older period by the rules of its time.")
	ErrBadRule = errs.New(errs.Invalid, "rule_invalid", "A rule needs an id, an act, a citation, "+
		"a count of 1 to 10000, days, months or hours, and a direction.")
)

// Service is how the paper was served whose service begins a period.
type Service string

// The ways of service that Fed. R. Civ. P. 5(b)(2) tells apart. Unknown is treated like Personal and said among the
// assumptions.
const (
	Unknown    Service = ""
	Personal   Service = "personal"   // handed over, or left at an office or home: 5(b)(2)(A) and (B)
	Mail       Service = "mail"       // 5(b)(2)(C)
	Clerk      Service = "clerk"      // left with the court clerk: 5(b)(2)(D)
	Electronic Service = "electronic" // 5(b)(2)(E)
	Consented  Service = "consented"  // other means that the person consented to in writing: 5(b)(2)(F)
)

// adds reports whether Rule 6(d) adds days after this service.
func (s Service) adds() bool { return s == Mail || s == Clerk || s == Consented }

func (s Service) words() string {
	switch s {
	case Mail:
		return "service by mail"
	case Clerk:
		return "service by leaving it with the clerk"
	case Consented:
		return "service by other means consented to"
	case Electronic:
		return "electronic service"
	}

	return "personal service"
}

// Trigger is the event from which a period runs.
type Trigger struct {
	// On is its day. For a period in hours it is its moment, in the zone of the forum.
	On time.Time
	// Name says in words what happened, such as "service of the summons and complaint".
	Name string
}

// Options are what a computation goes by besides the rule.
type Options struct {
	Service  Service
	Calendar Calendar
	// Remaining is the last day of the time that remains to respond to the original pleading (Rule 15(a)(3)); zero when
	// none is known.
	Remaining time.Time
}

// Result is a computed deadline.
type Result struct {
	Rule             Rule
	TriggerOn        time.Time
	DueOn            time.Time
	DueAt            time.Time // of periods in hours
	ServiceDaysAdded int
	RolledFrom       time.Time // zero when the period ends on a day that counts
	RolledBecause    string
	Calendar         string
	Steps            []string // how it was counted, in order
	Assumptions      []string // what must be so for the day to be right; at most 20 of 300 characters
}

// Computation returns the result in the form that a timeline keeps.
func (r Result) Computation(source *api.SourceRef) *api.Computation {
	c := &api.Computation{
		TriggerOn:        r.TriggerOn.Format(time.DateOnly),
		TriggerSource:    source,
		RuleID:           r.Rule.ID,
		RuleCitation:     r.Rule.Citation,
		Count:            r.Rule.Count,
		Unit:             r.Rule.Unit,
		Direction:        r.Rule.Direction,
		ServiceDaysAdded: r.ServiceDaysAdded,
		RolledBecause:    r.RolledBecause,
		HolidayCalendar:  r.Calendar,
		Assumptions:      r.Assumptions,
	}
	if !r.RolledFrom.IsZero() {
		c.RolledFrom = r.RolledFrom.Format(time.DateOnly)
	}

	return c
}

// counter is a computation under way.
type counter struct {
	Result
	Options
	backward bool
	observed []string // days that count as holidays because one is observed on them
}

// Compute counts a period by Fed. R. Civ. P. 6(a) and (d). The day of the trigger is left out and every day counted; a
// period that would end on a Saturday, Sunday or legal holiday goes on to the next day that is none, a period before an
// event back to the last such day (6(a)(5)). Days for the way of service come after that, and the end is looked at
// again (6(d)). Months end on the same day of the month, on its last where there is none. Hours run on the clock from
// the moment of the trigger (6(a)(2)), are not rounded, and feel a change to daylight saving time.
//
// It fails with ErrNoDay without a trigger, with ErrTooOld when a rule of the table did not yet read as it does, and
// with ErrBadRule.
func Compute(t Trigger, r Rule, o Options) (Result, error) {
	switch {
	case t.On.IsZero():
		return Result{}, ErrNoDay
	case !r.valid():
		return Result{}, ErrBadRule
	// Rules of a firm's file may be older than the federal table. Only the table has this limit.
	case r.Counting != "" && civil(t.On).Before(InForce):
		return Result{}, ErrTooOld
	}
	c := &counter{
		Result:   Result{Rule: r, TriggerOn: civil(t.On), Calendar: o.Calendar.name},
		Options:  o,
		backward: r.Direction == Backward,
	}
	if r.Unit == Hours {
		c.hours(t)
	} else {
		c.days(t)
	}
	c.assume()

	return c.Result, nil
}

func (c *counter) step(format string, args ...any) {
	c.Steps = append(c.Steps, fmt.Sprintf(format, args...))
}

const appellate = "Fed. R. App. P. 26"

// cite names the paragraph of the rule of counting, "" for rules that name none.
func (c *counter) cite(paragraph string) string {
	if c.Rule.Counting == "" {
		return ""
	}
	if paragraph == "(d)" && c.Rule.Counting == appellate {
		paragraph = "(c)" // where the days for mail stand there
	}

	return " (" + c.Rule.Counting + paragraph + ")"
}

func (c *counter) days(t Trigger) {
	c.step("%s: %s. That day is not counted%s.", Day(c.TriggerOn), named(t), c.cite("(a)(1)(A)"))
	n, way := c.Rule.Count, "later"
	if c.backward {
		n, way = -n, "earlier"
	}
	// A month is no number of days: it ends on the same day of its month.
	if c.Rule.Unit == Months {
		c.DueOn = months(c.TriggerOn, n)
		c.step("%s %s is %s.", wording.Counted(c.Rule.Count, "month"), way, Day(c.DueOn))
	} else {
		c.DueOn = c.TriggerOn.AddDate(0, 0, n)
		c.step("%s %s, every day counted%s, is %s.",
			wording.Counted(c.Rule.Count, "day"), way, c.cite("(a)(1)(B)"), Day(c.DueOn),
		)
	}
	c.roll()
	c.serve()
	c.remain()
}

const mostReasons = 5 // of one roll that are named

// roll moves the end of the period off days that do not count.
func (c *counter) roll() {
	paragraph, by := "(a)(1)(C)", 1
	if c.backward {
		paragraph, by = "(a)(5)", -1
	}
	from := c.DueOn
	var because []string

	for {
		why, observed := c.Options.Calendar.off(c.DueOn, c.backward)
		if why == "" {
			break
		}
		// A year of days off in a rule file must not fill the answer.
		if len(because) < mostReasons {
			because = append(because, why)
		}
		if observed {
			c.observed = append(c.observed, Day(c.DueOn))
		}
		c.DueOn = c.DueOn.AddDate(0, 0, by)
	}
	if because == nil {
		return
	}
	c.RolledFrom, c.RolledBecause = from, strings.Join(because, ", ")
	way := "on"
	if c.backward {
		way = "back"
	}
	c.step("That day is not one to act on (%s): %s to %s%s.", c.RolledBecause, way, Day(c.DueOn), c.cite(paragraph))
}

// serve adds the days for the way of service to the end of the period, which is then looked at again.
func (c *counter) serve() {
	switch {
	// Rule 6(d) adds days to a time to act after service, which a period before an event is not.
	case c.backward:
	case c.Rule.ServiceDays == 0 && c.Service.adds() && c.Rule.Counting != "":
		c.step("%s adds no days to this period%s.", wording.Capital(c.Service.words()), c.cite("(d)"))
	case c.Rule.ServiceDays == 0:
	case c.Service.adds():
		c.ServiceDaysAdded = c.Rule.ServiceDays
		c.DueOn = c.DueOn.AddDate(0, 0, c.Rule.ServiceDays)
		c.step("%s more for %s%s: %s.",
			wording.Counted(c.Rule.ServiceDays, "day"), c.Service.words(), c.cite("(d)"), Day(c.DueOn),
		)
		// The added days can end on a day off again, though the period itself did not.
		c.roll()
	case c.Service == Electronic:
		c.step("Electronic service adds no days%s.", c.cite("(d)"))
	}
}

// remain takes the later of the computed day and the end of the time to respond to the original pleading.
func (c *counter) remain() {
	switch {
	case !c.Rule.OrRemaining:
	case c.Remaining.IsZero():
		c.Assumptions = append(c.Assumptions,
			"no longer time remains to respond to the original pleading (the later day counts)")
	case civil(c.Remaining).After(c.DueOn):
		c.step("The time to respond to the original pleading runs until %s, which is later and counts.",
			Day(c.Remaining),
		)
		// The remaining time was rolled when it was computed, so the steps of this period no longer apply.
		c.DueOn, c.RolledFrom, c.RolledBecause, c.ServiceDaysAdded = civil(c.Remaining), time.Time{}, "", 0
	default:
		c.step("The time to respond to the original pleading, until %s, is not later.", Day(c.Remaining))
	}
}

func (c *counter) hours(t Trigger) {
	const form = "2006-01-02 15:04 MST"
	c.step("%s: %s. Counting begins at once%s.", t.On.Format(form), named(t), c.cite("(a)(2)(A)"))
	n, way := c.Rule.Count, "later"
	if c.backward {
		n, way = -n, "earlier"
	}
	c.DueAt = t.On.Add(time.Duration(n) * time.Hour)
	c.step("%s %s, every hour counted%s, is %s.",
		wording.Counted(c.Rule.Count, "hour"), way, c.cite("(a)(2)(B)"), c.DueAt.Format(form),
	)
	c.DueOn = civil(c.DueAt)
	c.roll()
	c.serve()
	if c.DueOn.Equal(civil(c.DueAt)) {
		return
	}
	// Rule 6(a)(2)(C) goes on until the same hour of the next day that counts.
	y, m, d := c.DueOn.Date()
	c.DueAt = time.Date(y, m, d, c.DueAt.Hour(), c.DueAt.Minute(), c.DueAt.Second(), 0, t.On.Location())
}

// assume writes down what the day depends on.
func (c *counter) assume() {
	said := slices.Clone(c.Rule.Assumes)
	if c.Rule.ServiceDays > 0 && c.Service == Unknown && !c.backward {
		said = append(said, fmt.Sprintf("service was personal or electronic (%s more after service by mail, "+
			"through the clerk or by other agreed means)", wording.Counted(c.Rule.ServiceDays, "day")))
	}

	for _, day := range c.observed {
		said = append(said, day+", on which a holiday is observed, counts as a legal holiday")
	}
	if c.Rule.Counting == "" {
		said = append(said, "the period is counted by the method of Fed. R. Civ. P. 6(a)")
	}
	// Without holidays the day may be too early by some, which the reader has to know.
	if c.Options.Calendar.name == "weekends" {
		said = append(said, "no holidays of the forum are on record, so only weekends were looked at, "+
			"and federal holidays for a period before an event")
	} else {
		said = append(said, "nobody declared a holiday besides those of the calendar, "+
			"and the clerk's office is accessible on the last day")
	}
	c.Assumptions = append(append(said, c.Assumptions...), "no local rule or order changes the period")
}

func named(t Trigger) string {
	if t.Name == "" {
		return "the event"
	}

	return t.Name
}

// months returns the same day so many months away, or the last of that month when it is shorter.
func months(from time.Time, n int) time.Time {
	first := time.Date(from.Year(), from.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(from.Day(), daysIn(first.Year(), first.Month()))-1)
}
