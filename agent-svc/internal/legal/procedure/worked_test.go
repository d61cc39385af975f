package procedure_test

import (
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
)

func day(t testing.TB, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}

	return d
}

// rule returns a rule of the federal table.
func rule(t testing.TB, id string) procedure.Rule {
	t.Helper()

	for _, r := range procedure.FederalRules() {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no rule %s", id)

	return procedure.Rule{}
}

// own returns a rule of a rule file.
func own(count int, unit, direction string) procedure.Rule {
	return procedure.Rule{ID: "own", Act: "act", Citation: "Local Rule 1", Count: count, Unit: unit, Direction: direction, ServiceDays: 3}
}

const (
	mail       = procedure.Mail
	electronic = procedure.Electronic
	forward    = procedure.Forward
	backward   = procedure.Backward
	days       = procedure.Days
	months     = procedure.Months
)

// TestWorked has computations that were made by hand with a calendar: for each rule one, and one whose last day did
// not count.
func TestWorked(t *testing.T) {
	t.Parallel()
	worked, rolled := map[string]bool{}, map[string]bool{}

	for _, tc := range []struct {
		why, rule, on string
		service       procedure.Service
		want          string
		rolled        string // the last day from which the end was moved
		added         int
	}{
		{"Monday to Monday", "answer_complaint", "2026-03-02", "", "2026-03-23", "", 0},
		{"a summons by mail adds nothing: Rule 4, not Rule 5", "answer_complaint", "2026-03-02", mail, "2026-03-23", "", 0},
		{"in one month", "answer_complaint", "2026-01-02", "", "2026-01-23", "", 0},
		{"ends on New Year", "answer_complaint", "2025-12-11", "", "2026-01-02", "2026-01-01", 0},
		{"ends on Christmas, a Thursday", "answer_complaint", "2025-12-04", "", "2025-12-26", "2025-12-25", 0},
		{"ends on July 4, a Saturday", "answer_complaint", "2026-06-13", "", "2026-07-06", "2026-07-04", 0},
		{"ends on the Friday on which July 4 is observed", "answer_complaint", "2026-06-12", "", "2026-07-06", "2026-07-03", 0},
		{"ends on June 19, a Friday", "answer_complaint", "2026-05-29", "", "2026-06-22", "2026-06-19", 0},
		{"ends on Memorial Day", "answer_complaint", "2026-05-04", "", "2026-05-26", "2026-05-25", 0},
		{"ends on Labor Day", "answer_complaint", "2026-08-17", "", "2026-09-08", "2026-09-07", 0},
		{"ends on the second Monday of October", "answer_complaint", "2026-09-21", "", "2026-10-13", "2026-10-12", 0},
		{"ends on Veterans Day, a Wednesday", "answer_complaint", "2026-10-21", "", "2026-11-12", "2026-11-11", 0},
		{"ends on the fourth Thursday of November", "answer_complaint", "2026-11-05", "", "2026-11-27", "2026-11-26", 0},
		{"over the year to the third Monday of January", "answer_complaint", "2025-12-29", "", "2026-01-20", "2026-01-19", 0},
		{"ends on Washington's Birthday", "answer_complaint", "2026-01-26", "", "2026-02-17", "2026-02-16", 0},
		{"ends on a leap day", "answer_complaint", "2024-02-08", "", "2024-02-29", "", 0},
		{"over a leap day", "answer_complaint", "2024-02-09", "", "2024-03-01", "", 0},
		{"over the end of a short February", "answer_complaint", "2025-02-08", "", "2025-03-03", "2025-03-01", 0},
		{"July 4 on a Sunday is observed on Monday", "answer_complaint", "2027-06-14", "", "2027-07-06", "2027-07-05", 0},
		{"New Year 2022 is observed in 2021", "answer_complaint", "2021-12-10", "", "2022-01-03", "2021-12-31", 0},
		{"June 19, 2021 is observed on Friday", "answer_complaint", "2021-05-28", "", "2021-06-21", "2021-06-18", 0},
		{"June 19, 2020 is no holiday yet", "answer_complaint", "2020-05-29", "", "2020-06-19", "", 0},
		{"June 19, 2022 is observed on Monday", "answer_complaint", "2022-05-30", "", "2022-06-21", "2022-06-20", 0},
		{"Inauguration Day counts", "answer_complaint", "2020-12-30", "", "2021-01-20", "", 0},
		{"Inauguration Day on the third Monday does not", "answer_complaint", "2024-12-30", "", "2025-01-21", "2025-01-20", 0},
		{"Saturday to Saturday", "answer_complaint", "2026-03-07", "", "2026-03-30", "2026-03-28", 0},
		{"Sunday to Sunday", "answer_complaint", "2026-03-08", "", "2026-03-30", "2026-03-29", 0},
		{"Christmas 2022 on a Sunday", "answer_complaint", "2022-12-05", "", "2022-12-27", "2022-12-26", 0},
		{"July 4, 2020 on a Saturday", "answer_complaint", "2020-06-12", "", "2020-07-06", "2020-07-03", 0},
		{"Veterans Day 2023 on a Saturday", "answer_complaint", "2023-10-20", "", "2023-11-13", "2023-11-10", 0},
		{"leap day 2028", "answer_complaint", "2028-02-08", "", "2028-02-29", "", 0},

		{"60 days over February", "answer_waiver", "2026-01-15", "", "2026-03-16", "", 0},
		{"60 days over a long February", "answer_waiver", "2024-01-15", "", "2024-03-15", "", 0},
		{"a request by mail adds nothing", "answer_waiver", "2024-01-15", mail, "2024-03-15", "", 0},
		{"60 days to a Saturday", "answer_waiver", "2026-01-06", "", "2026-03-09", "2026-03-07", 0},
		{"90 days abroad", "answer_waiver_abroad", "2026-01-15", "", "2026-04-15", "", 0},
		{"90 days to a Saturday", "answer_waiver_abroad", "2026-04-05", "", "2026-07-06", "2026-07-04", 0},
		{"60 days of the United States", "answer_us", "2026-05-06", "", "2026-07-06", "2026-07-05", 0},
		{"60 days over the year", "answer_us", "2025-11-03", "", "2026-01-02", "", 0},
		{"14 days to a holiday", "answer_after_motion", "2026-11-12", "", "2026-11-27", "2026-11-26", 0},
		{"14 days to Washington's Birthday", "answer_after_motion", "2026-02-02", "", "2026-02-17", "2026-02-16", 0},
		{"notice by mail adds nothing: it is no service", "answer_after_motion", "2026-03-10", mail, "2026-03-24", "", 0},

		{"mail adds three days", "answer_counterclaim", "2026-03-02", mail, "2026-03-26", "", 3},
		{"electronic service adds none", "answer_counterclaim", "2026-03-02", electronic, "2026-03-23", "", 0},
		{"personal service adds none", "answer_counterclaim", "2026-03-02", procedure.Personal, "2026-03-23", "", 0},
		{"service unknown adds none", "answer_counterclaim", "2026-03-02", "", "2026-03-23", "", 0},
		{"through the clerk adds three days", "answer_counterclaim", "2026-03-02", procedure.Clerk, "2026-03-26", "", 3},
		{"other means consented to add three days", "answer_counterclaim", "2026-03-02", procedure.Consented, "2026-03-26", "", 3},
		{"three days over a weekend", "answer_counterclaim", "2026-03-06", mail, "2026-03-30", "", 3},
		{"three days end on a Saturday", "answer_counterclaim", "2026-03-04", mail, "2026-03-30", "2026-03-28", 3},
		{"a Saturday rolls before the three days", "answer_counterclaim", "2026-03-07", mail, "2026-04-02", "2026-03-28", 3},
		{"three days over an observed holiday to a Sunday", "answer_counterclaim", "2026-06-11", mail, "2026-07-06", "2026-07-05", 3},
		{"an observed holiday rolls before the three days", "answer_counterclaim", "2026-06-12", mail, "2026-07-09", "2026-07-03", 3},

		{"own pleading served by mail adds nothing", "amend_of_course", "2026-04-10", mail, "2026-05-01", "", 0},
		{"own pleading, 21 days to Memorial Day", "amend_of_course", "2026-05-04", "", "2026-05-26", "2026-05-25", 0},
		{"answer served on a Saturday", "amend_of_course_response", "2026-03-07", electronic, "2026-03-30", "2026-03-28", 0},
		{"answer served electronically", "amend_of_course_response", "2026-04-10", electronic, "2026-05-01", "", 0},
		{"answer served by mail", "amend_of_course_response", "2026-04-10", mail, "2026-05-04", "", 3},
		{"14 days", "respond_amended", "2026-03-16", electronic, "2026-03-30", "", 0},
		{"14 days to a Thursday off", "respond_amended", "2026-11-12", electronic, "2026-11-27", "2026-11-26", 0},
		{"14 days by mail", "respond_amended", "2026-03-20", mail, "2026-04-06", "", 3},

		{"90 days to a Sunday", "serve_summons", "2025-12-01", "", "2026-03-02", "2026-03-01", 0},
		{"90 days to a leap day", "serve_summons", "2023-12-01", "", "2024-02-29", "", 0},
		{"90 days to July 4", "serve_summons", "2026-04-05", "", "2026-07-06", "2026-07-04", 0},
		{"90 days over the year", "serve_summons", "2026-10-13", "", "2027-01-11", "", 0},
		{"14 days to June 19", "initial_disclosures", "2026-06-05", "", "2026-06-22", "2026-06-19", 0},
		{"14 days to New Year", "initial_disclosures", "2025-12-18", "", "2026-01-02", "2026-01-01", 0},

		{"30 days to a Sunday", "rog_answers", "2026-01-30", electronic, "2026-03-02", "2026-03-01", 0},
		{"30 days to a Sunday, by mail", "rog_answers", "2026-01-30", mail, "2026-03-05", "2026-03-01", 3},
		{"30 days to a leap day", "rog_answers", "2024-01-30", electronic, "2024-02-29", "", 0},
		{"a leap day and three more to a Sunday", "rog_answers", "2024-01-30", mail, "2024-03-04", "2024-03-03", 3},
		{"30 days to Labor Day", "rfp_responses", "2026-08-08", electronic, "2026-09-08", "2026-09-07", 0},
		{"30 days to Labor Day, by mail", "rfp_responses", "2026-08-08", mail, "2026-09-11", "2026-09-07", 3},
		{"a Thursday off, then three days over the weekend", "rfp_responses", "2026-10-27", mail, "2026-11-30", "2026-11-26", 3},
		{"three days end on a Thursday off", "rfa_answers", "2026-10-24", mail, "2026-11-27", "2026-11-26", 3},
		{"30 days to Christmas", "rfa_answers", "2025-11-25", electronic, "2025-12-26", "2025-12-25", 0},
		{"30 days to a Friday", "rfa_answers", "2026-03-18", procedure.Personal, "2026-04-17", "", 0},

		{"jury demand to a holiday, mail adds nothing", "jury_demand", "2026-09-28", mail, "2026-10-13", "2026-10-12", 0},
		{"fees over New Year", "fee_motion", "2026-12-18", "", "2027-01-04", "2027-01-01", 0},
		{"28 days to Memorial Day", "jmol_renew", "2026-04-27", "", "2026-05-26", "2026-05-25", 0},
		{"28 days to a Saturday", "new_trial", "2026-01-31", "", "2026-03-02", "2026-02-28", 0},
		{"28 days to a leap day", "new_trial", "2024-02-01", "", "2024-02-29", "", 0},
		{"28 days to Veterans Day", "alter_amend", "2026-10-14", "", "2026-11-12", "2026-11-11", 0},
		{"30 days from the end of a month", "appeal_civil", "2026-01-31", "", "2026-03-02", "", 0},
		{"appeal to July 4", "appeal_civil", "2026-06-04", "", "2026-07-06", "2026-07-04", 0},
		{"appeal over the year to a holiday", "appeal_civil", "2025-12-20", "", "2026-01-20", "2026-01-19", 0},
		{"a judgment that the clerk mails adds nothing", "appeal_civil", "2026-01-31", mail, "2026-03-02", "", 0},
		{"appeal with the United States", "appeal_us_party", "2026-05-20", "", "2026-07-20", "2026-07-19", 0},
		{"removal", "removal", "2026-02-14", "", "2026-03-16", "", 0},
		{"removal after a complaint by mail adds nothing", "removal", "2026-10-12", mail, "2026-11-12", "2026-11-11", 0},
		{"a Sunday before Labor Day", "remand_motion", "2026-08-07", "", "2026-09-08", "2026-09-06", 0},
	} {
		worked[tc.rule] = true
		rolled[tc.rule] = rolled[tc.rule] || tc.rolled != ""
		t.Run(tc.rule+"/"+tc.why, func(t *testing.T) {
			check(t, rule(t, tc.rule), tc.on, procedure.Options{Service: tc.service, Calendar: procedure.Federal("")}, tc.want, tc.rolled, tc.added)
		})
	}

	for _, r := range procedure.FederalRules() {
		switch {
		case !worked[r.ID]:
			t.Errorf("no example of %s was worked by hand", r.ID)
		case !rolled[r.ID]:
			t.Errorf("no example of %s has a last day that does not count", r.ID)
		}
	}
}

func check(t *testing.T, r procedure.Rule, on string, o procedure.Options, want, rolled string, added int) procedure.Result {
	t.Helper()
	got, err := procedure.Compute(procedure.Trigger{On: day(t, on)}, r, o)
	if err != nil {
		t.Fatal(err)
	}
	from := ""
	if !got.RolledFrom.IsZero() {
		from = got.RolledFrom.Format(time.DateOnly)
	}
	if due := got.DueOn.Format(time.DateOnly); due != want || from != rolled || got.ServiceDaysAdded != added {
		t.Errorf("due %s, rolled from %q, %d days added; want %s, %q, %d\n%q", due, from, got.ServiceDaysAdded, want, rolled, added, got.Steps)
	}

	return got
}

// TestWorkedByOtherRules has periods before an event, in months, and with days off of a state.
func TestWorkedByOtherRules(t *testing.T) {
	t.Parallel()
	const day31 = "2026-03-31" // a Tuesday
	federal, withState := procedure.Federal(""), procedure.Federal("US-CA", day31)

	state, bare := procedure.Own("US-CA", day31), procedure.Own("US-CA")
	for _, tc := range []struct {
		why      string
		rule     procedure.Rule
		on       string
		service  procedure.Service
		calendar procedure.Calendar
		want     string
		rolled   string
	}{
		{"back to a Monday", own(14, days, backward), "2026-03-16", "", federal, "2026-03-02", ""},
		{"back to a Sunday and on back", own(14, days, backward), "2026-03-15", "", federal, "2026-02-27", "2026-03-01"},
		{"back to a Saturday and on back", own(14, days, backward), "2026-03-14", "", federal, "2026-02-27", "2026-02-28"},
		{"back to an observed holiday", own(7, days, backward), "2026-07-10", "", federal, "2026-07-02", "2026-07-03"},
		{"back to Memorial Day, over the weekend", own(21, days, backward), "2026-06-15", "", federal, "2026-05-22", "2026-05-25"},
		{"back over the year from New Year", own(30, days, backward), "2026-01-31", "", federal, "2025-12-31", "2026-01-01"},
		{"mail adds nothing before an event", own(14, days, backward), "2026-03-16", mail, federal, "2026-03-02", ""},
		{"back to a leap day", own(14, days, backward), "2024-03-14", "", federal, "2024-02-29", ""},
		{"a state's day after an event in federal court", own(21, days, forward), "2026-03-10", "", withState, "2026-04-01", day31},
		{"without the state's days", own(21, days, forward), "2026-03-10", "", federal, day31, ""},
		{"a state's day does not count before an event in federal court", own(14, days, backward), "2026-04-14", "", withState, day31, ""},
		{"a state's own day before an event", own(14, days, backward), "2026-04-14", "", state, "2026-03-30", day31},
		{"a Saturday, then three days over a day of the state", own(18, days, forward), "2026-03-10", mail, withState, "2026-04-02", "2026-03-28"},
		{"a state without its days: weekends only", own(21, days, forward), "2026-06-12", "", bare, "2026-07-03", ""},
		{"a state without its days, a Saturday", own(21, days, forward), "2026-06-13", "", bare, "2026-07-06", "2026-07-04"},
		{"a state without its days, before an event: the earlier day", own(7, days, backward), "2026-07-10", "", bare, "2026-07-02", "2026-07-03"},
		{"a state's own days are not the federal ones", own(21, days, forward), "2026-06-12", "", state, "2026-07-03", ""},
		{"a month from the 31st", own(1, months, forward), "2026-01-31", "", federal, "2026-03-02", "2026-02-28"},
		{"a month from the 31st in a leap year", own(1, months, forward), "2024-01-31", "", federal, "2024-02-29", ""},
		{"three months over the year", own(3, months, forward), "2025-11-30", "", federal, "2026-03-02", "2026-02-28"},
		{"six months from the 31st to a Sunday", own(6, months, forward), "2026-08-31", "", federal, "2027-03-01", "2027-02-28"},
		{"twelve months from a leap day", own(12, months, forward), "2024-02-29", "", federal, "2025-02-28", ""},
		{"a month back from the 31st", own(1, months, backward), "2026-03-31", "", federal, "2026-02-27", "2026-02-28"},
		{"two months to July 4", own(2, months, forward), "2026-05-04", "", federal, "2026-07-06", "2026-07-04"},
		{"a month and mail", own(1, months, forward), "2026-03-16", mail, federal, "2026-04-20", "2026-04-19"},
		{"one day from a Friday", own(1, days, forward), "2026-03-06", "", federal, "2026-03-09", "2026-03-07"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			added := 0
			if tc.service == mail && tc.rule.Direction == forward {
				added = 3
			}
			check(t, tc.rule, tc.on, procedure.Options{Service: tc.service, Calendar: tc.calendar}, tc.want, tc.rolled, added)
		})
	}
}

// TestWorkedHours has periods in hours: they begin at once, are not rounded, and feel the clocks change.
func TestWorkedHours(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	const form = "2006-01-02 15:04"

	for _, tc := range []struct {
		why, on string
		rule    procedure.Rule
		want    string
	}{
		{"to the minute", "2026-03-03 10:23", own(24, procedure.Hours, forward), "2026-03-04 10:23"},
		{"over the weekend to Monday", "2026-03-20 10:23", own(72, procedure.Hours, forward), "2026-03-23 10:23"},
		{"into a Saturday: the same time on Monday", "2026-03-20 10:23", own(24, procedure.Hours, forward), "2026-03-23 10:23"},
		{"clocks go back: an hour less on the clock", "2026-10-30 10:23", own(72, procedure.Hours, forward), "2026-11-02 09:23"},
		{"clocks go forward: an hour more on the clock", "2026-03-06 10:23", own(72, procedure.Hours, forward), "2026-03-09 11:23"},
		{"into Labor Day weekend", "2026-09-04 16:00", own(48, procedure.Hours, forward), "2026-09-08 16:00"},
		{"before an event, back over a Sunday", "2026-03-23 09:00", own(24, procedure.Hours, backward), "2026-03-20 09:00"},
		{"before an event", "2026-03-19 09:00", own(48, procedure.Hours, backward), "2026-03-17 09:00"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			on, err := time.ParseInLocation(form, tc.on, zone)
			if err != nil {
				t.Fatal(err)
			}
			got, err := procedure.Compute(procedure.Trigger{On: on}, tc.rule, procedure.Options{Calendar: procedure.Federal("")})
			if err != nil || got.DueAt.Format(form) != tc.want || got.DueOn.Format(time.DateOnly) != tc.want[:10] {
				t.Errorf("due %v on %v, %v; want %s\n%q", got.DueAt, got.DueOn, err, tc.want, got.Steps)
			}
		})
	}
}

// TestAmendedPleadings takes the later of what remains for the original pleading and the 14 days (Rule 15(a)(3)).
func TestAmendedPleadings(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		why, on   string
		service   procedure.Service
		remaining string
		want      string
	}{
		{"the remaining time is longer", "2026-03-09", electronic, "2026-03-30", "2026-03-30"},
		{"the remaining time is shorter", "2026-03-20", electronic, "2026-03-23", "2026-04-03"},
		{"both end on the same day", "2026-03-20", mail, "2026-04-06", "2026-04-06"},
		{"mail makes the 14 days longer than what remains", "2026-03-20", mail, "2026-04-03", "2026-04-06"},
		{"the remaining time is over", "2026-03-20", electronic, "2026-01-05", "2026-04-03"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			o := procedure.Options{Service: tc.service, Calendar: procedure.Federal(""), Remaining: day(t, tc.remaining)}
			got, err := procedure.Compute(procedure.Trigger{On: day(t, tc.on)}, rule(t, "respond_amended"), o)
			if err != nil || got.DueOn.Format(time.DateOnly) != tc.want {
				t.Errorf("due %v, %v; want %s\n%q", got.DueOn, err, tc.want, got.Steps)
			}
		})
	}
}
