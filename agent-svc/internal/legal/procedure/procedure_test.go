package procedure_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// TestTable wants every rule of the table to be sound, once, and fit to be told: its words pass the gate.
func TestTable(t *testing.T) {
	t.Parallel()
	var seen []string
	said := map[string]bool{}

	for _, r := range procedure.FederalRules() {
		if slices.Contains(seen, r.ID) {
			t.Errorf("%s stands twice", r.ID)
		}
		seen = append(seen, r.ID)
		got, err := procedure.Compute(procedure.Trigger{On: day(t, "2026-06-11")}, r, procedure.Options{Calendar: procedure.Federal("US-CA", "2026-03-31"), Service: mail})
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		if r.Counting == "" || len(r.Assumes) == 0 || r.Trigger == "" || len(r.Asked) == 0 {
			t.Errorf("%s: %+v", r.ID, r)
		}
		c := got.Computation(nil)

		said[r.Act], said[r.Citation], said[c.HolidayCalendar] = true, true, true
		for d := day(t, "2026-01-01"); d.Year() < 2028; d = d.AddDate(0, 0, 1) {
			got, err := procedure.Compute(procedure.Trigger{On: d}, r, procedure.Options{Calendar: procedure.Federal("US-CA", "2026-03-31"), Service: mail})
			if err != nil {
				t.Fatal(err)
			}
			if !got.RolledFrom.IsZero() { // what is told of a day that counts differs by the day alone
				said[got.RolledBecause], said[strings.Join(got.Steps, " ")] = true, true
			}

			for _, s := range got.Assumptions {
				said[s] = true
			}
		}
		if len(c.Assumptions) > 18 { // a timeline keeps 20; who proposes adds one or two
			t.Errorf("%s: %d assumptions", r.ID, len(c.Assumptions))
		}
	}

	gate := guard.New()
	for s := range said {
		found := gate.Check(t.Context(), guard.Title, s)
		if len(found) == 0 {
			found = gate.Check(t.Context(), guard.Event, s)
		}
		if len(found) > 0 || utf8.RuneCountInString(s) > 300 && !strings.Contains(s, "not counted") {
			t.Errorf("%q: %v", s, found)
		}
	}

	want := strings.Fields(`answer_complaint answer_waiver answer_us answer_after_motion answer_counterclaim
		answer_waiver_abroad amend_of_course amend_of_course_response respond_amended serve_summons
		initial_disclosures rog_answers rfp_responses rfa_answers
		jury_demand fee_motion jmol_renew new_trial alter_amend appeal_civil appeal_us_party removal remand_motion`)
	slices.Sort(seen)
	slices.Sort(want)
	if !slices.Equal(seen, want) {
		t.Errorf("the table has %v, want %v", seen, want)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	got := check(t, rule(t, "answer_counterclaim"), "2026-03-07", procedure.Options{Service: mail, Calendar: procedure.Federal("")}, "2026-04-02", "2026-03-28", 3)
	want := []string{
		"Saturday, 2026-03-07: the event. That day is not counted (Fed. R. Civ. P. 6(a)(1)(A)).",
		"21 days later, every day counted (Fed. R. Civ. P. 6(a)(1)(B)), is Saturday, 2026-03-28.",
		"That day is not one to act on (Saturday, Sunday): on to Monday, 2026-03-30 (Fed. R. Civ. P. 6(a)(1)(C)).",
		"3 days more for service by mail (Fed. R. Civ. P. 6(d)): Thursday, 2026-04-02.",
	}
	if !slices.Equal(got.Steps, want) {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(got.Steps, "\n"), strings.Join(want, "\n"))
	}
	appeal := check(t, rule(t, "appeal_civil"), "2026-03-02", procedure.Options{Service: mail, Calendar: procedure.Federal("")}, "2026-04-01", "", 0)
	if last := appeal.Steps[len(appeal.Steps)-1]; last != "Service by mail adds no days to this period (Fed. R. App. P. 26(c))." {
		t.Errorf("of an appeal: %q", last)
	}
	c := got.Computation(&api.SourceRef{FileID: "f"})
	if c.RuleID != "answer_counterclaim" || c.TriggerOn != "2026-03-07" || c.Count != 21 || c.Unit != "days" || c.Direction != "forward" || c.ServiceDaysAdded != 3 ||
		c.RolledFrom != "2026-03-28" || c.RolledBecause != "Saturday, Sunday" || c.HolidayCalendar != "federal" || c.TriggerSource.FileID != "f" {
		t.Errorf("computation %+v", c)
	}
}

// TestAssumptions wants what a result depends on to be said, and nothing that is known.
func TestAssumptions(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name    string
		rule    procedure.Rule
		on      string
		o       procedure.Options
		want    []string
		without []string
	}{
		{"service unknown", rule(t, "rog_answers"), "2026-03-02", procedure.Options{Calendar: procedure.Federal("")}, []string{"service was personal or electronic", "no local rule or order"}, nil},
		{"service known", rule(t, "rog_answers"), "2026-03-02", procedure.Options{Calendar: procedure.Federal(""), Service: mail}, []string{"no local rule"}, []string{"service was personal"}},
		{"an observed day", rule(t, "answer_complaint"), "2026-06-12", procedure.Options{Calendar: procedure.Federal("")}, []string{"Friday, 2026-07-03, on which a holiday is observed"}, nil},
		{"a day itself", rule(t, "answer_complaint"), "2025-12-11", procedure.Options{Calendar: procedure.Federal("")}, nil, []string{"observed"}},
		{"nothing remains", rule(t, "respond_amended"), "2026-03-02", procedure.Options{Calendar: procedure.Federal("")}, []string{"no longer time remains"}, nil},
		{"a rule file", own(3, days, forward), "2026-03-02", procedure.Options{Calendar: procedure.Own("US-CA")}, []string{"method of Fed. R. Civ. P. 6(a)", "only weekends"}, []string{"nobody declared"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := procedure.Compute(procedure.Trigger{On: day(t, tc.on)}, tc.rule, tc.o)
			if err != nil {
				t.Fatal(err)
			}

			all := strings.Join(got.Assumptions, "\n")
			for _, w := range tc.want {
				if !strings.Contains(all, w) {
					t.Errorf("lacks %q:\n%s", w, all)
				}
			}

			for _, w := range tc.without {
				if strings.Contains(all, w) {
					t.Errorf("holds %q:\n%s", w, all)
				}
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	bad := rule(t, "new_trial")

	bad.Unit = "weeks"
	for _, tc := range []struct {
		name string
		on   time.Time
		rule procedure.Rule
		want error
	}{
		{"no day", time.Time{}, rule(t, "new_trial"), procedure.ErrNoDay},
		{"a day before the rules", day(t, "2016-11-30"), rule(t, "new_trial"), procedure.ErrTooOld},
		{"their first day", day(t, "2016-12-01"), rule(t, "new_trial"), nil},
		{"a rule of a file is of any time", day(t, "1999-11-30"), own(3, days, forward), nil},
		{"a unit that is none", day(t, "2026-03-02"), bad, procedure.ErrBadRule},
		{"no rule", day(t, "2026-03-02"), procedure.Rule{}, procedure.ErrBadRule},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := procedure.Compute(procedure.Trigger{On: tc.on}, tc.rule, procedure.Options{Calendar: procedure.Federal("")}); !errors.Is(err, tc.want) {
				t.Errorf("Compute = %v, want %v", err, tc.want)
			}
		})
	}
}

// TestHolidays lists those of whole years.
func TestHolidays(t *testing.T) {
	t.Parallel()

	for year, want := range map[int]string{
		2020: "01-01 01-20 02-17 05-25 07-03o 07-04 09-07 10-12 11-11 11-26 12-25",
		2021: "01-01 01-18 02-15 05-31 06-18o 06-19 07-04 07-05o 09-06 10-11 11-11 11-25 12-24o 12-25 12-31o",
		2022: "01-01 01-17 02-21 05-30 06-19 06-20o 07-04 09-05 10-10 11-11 11-24 12-25 12-26o",
		2026: "01-01 01-19 02-16 05-25 06-19 07-03o 07-04 09-07 10-12 11-11 11-26 12-25",
		2028: "01-01 01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-10o 11-11 11-23 12-25",
	} {
		var got []string

		for d := day(t, fmt.Sprintf("%d-01-01", year)); d.Year() == year; d = d.AddDate(0, 0, 1) {
			if h, ok := procedure.FederalHoliday(d); ok {
				s := d.Format("01-02")
				if h.Observed {
					s += "o"
				}
				got = append(got, s)
				if found := guard.New().Check(t.Context(), guard.Title, h.Name); len(found) > 0 {
					t.Errorf("%q does not pass the gate", h.Name)
				}
			}
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%d:\n%s, want\n%s", year, all, want)
		}
	}
}

// off reports whether nothing can be due on a day in federal court.
func off(d time.Time) bool {
	_, holiday := procedure.FederalHoliday(d)
	return holiday || d.Weekday() == time.Saturday || d.Weekday() == time.Sunday
}

// TestProperties tries random periods: they end on a day that counts, in their direction, never short; a later trigger never ends earlier,
// and mail never ends earlier than personal service.
func TestProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	o := procedure.Options{Calendar: procedure.Federal("")}
	byMail := procedure.Options{Calendar: o.Calendar, Service: mail}

	compute := func(on time.Time, rule procedure.Rule, o procedure.Options) procedure.Result {
		got, err := procedure.Compute(procedure.Trigger{On: on}, rule, o)
		if err != nil {
			t.Fatal(err)
		}

		return got
	}
	for range 20_000 {
		on := day(t, "2017-01-01").AddDate(0, 0, r.IntN(20*365))
		unit := []string{days, months}[r.IntN(2)]
		n := 1 + r.IntN(120)
		after, before := own(n, unit, forward), own(n, unit, backward)
		got := compute(on, after, o)
		back := compute(on, before, o)
		late := compute(on.AddDate(0, 0, 1), after, o)
		lateBack := compute(on.AddDate(0, 0, 1), before, o)

		posted := compute(on, after, byMail)
		for _, x := range []procedure.Result{got, back, posted} {
			if off(x.DueOn) {
				t.Fatalf("%d %s from %v end on %v, a day off", n, unit, on, x.DueOn)
			}
		}

		switch {
		case unit == days && int(got.DueOn.Sub(on).Hours())/24 < n, unit == days && int(got.DueOn.Sub(on).Hours())/24 > n+5:
			t.Fatalf("%d days from %v end on %v", n, on, got.DueOn)
		case !got.DueOn.After(on) || !back.DueOn.Before(on):
			t.Fatalf("%d %s from %v end on %v, those before on %v", n, unit, on, got.DueOn, back.DueOn)
		case late.DueOn.Before(got.DueOn) || lateBack.DueOn.Before(back.DueOn):
			t.Fatalf("%d %s: a day later than %v ends earlier", n, unit, on)
		case posted.DueOn.Before(got.DueOn.AddDate(0, 0, 3)):
			t.Fatalf("%d %s from %v by mail end on %v, personally on %v", n, unit, on, posted.DueOn, got.DueOn)
		case got.RolledFrom.IsZero() != (got.RolledBecause == ""):
			t.Fatalf("rolled from %v because %q", got.RolledFrom, got.RolledBecause)
		}
	}
}

// TestBooks wants each forum to have its rules and no others.
func TestBooks(t *testing.T) {
	t.Parallel()

	file := &api.DeadlineRules{Version: "7", Rules: []api.DeadlineRule{
		{RuleID: "answer", Jurisdiction: "US-CA", Trigger: "service_complaint", Act: "answer", Citation: "CCP 412.20", Count: 30, Unit: "days", Direction: "forward", ServiceDays: 5},
		{RuleID: "new_trial", Jurisdiction: "US", Trigger: "judgment_entered", Act: "move", Citation: "Local Rule 1", Count: 10, Unit: "days", Direction: "forward"},
	}, Holidays: []api.HolidayList{{Jurisdiction: "US-CA", Days: []string{"2026-03-31"}}, {Jurisdiction: "US-OR", Days: []string{"2026-04-01"}}}}
	for _, tc := range []struct {
		name, system, jurisdiction string
		file                       *api.DeadlineRules
		count                      int
		has, lacks                 string
		calendar, limit            string
	}{
		{"federal", "federal", "US", nil, 22, "answer_complaint", "removal", "federal", ""},
		{"federal in a state with days", "federal", "US-CA", file, 22, "new_trial", "answer", "federal, US-CA", ""},
		{"federal in a state without", "federal", "US-NV", file, 22, "new_trial", "answer", "federal", ""},
		{"unknown", "", "", nil, 0, "", "answer_complaint", "weekends", "whose forum is not on record"},
		{"unknown in a state", "", "US-CA", nil, 0, "", "answer_complaint", "weekends", "whose forum is not on record"},
		{"unknown, by its file", "", "US-CA", file, 1, "answer", "answer_complaint", "US-CA", "that the firm loaded"},
		{"the United States", "", "US", nil, 22, "answer_complaint", "removal", "federal", ""},
		{"state, by its file", "state", "US-CA", file, 1, "answer", "removal", "US-CA", "Not built in: the periods of state courts"},
		{"state without a file", "state", "US-CA", nil, 0, "", "removal", "weekends", "Not built in: the periods of state courts"},
		{"state that the file lacks", "state", "US-NV", file, 0, "", "answer", "weekends", "the periods of state courts"},
		{"arbitration", "arbitration", "US-CA", nil, 0, "", "answer_complaint", "", "arbitral institutions"},
		{"England", "foreign", "GB-ENG", nil, 0, "", "answer_complaint", "weekends", "courts outside the United States"},
		{"Germany, not on record as a forum", "", "DE", nil, 0, "", "answer_complaint", "weekends", "whose forum is not on record"},
		{"state of nowhere", "state", "", file, 0, "", "answer", "weekends", "the periods of state courts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := procedure.BookFor(tc.system, tc.jurisdiction, tc.file)
			if err != nil {
				t.Fatal(err)
			}

			var ids []string
			for _, r := range b.Rules {
				ids = append(ids, r.ID)
			}
			if len(ids) != tc.count || tc.has != "" && !slices.Contains(ids, tc.has) || slices.Contains(ids, tc.lacks) {
				t.Errorf("rules %q", ids)
			}
			if tc.calendar != "" && b.Calendar(own(1, days, forward)).Name() != tc.calendar {
				t.Errorf("calendar %q, want %q", b.Calendar(own(1, days, forward)).Name(), tc.calendar)
			}
			if limits := strings.Join(b.Limits, " "); (tc.limit == "") != (limits == "") || !strings.Contains(limits, tc.limit) {
				t.Errorf("limits %q, want %q", limits, tc.limit)
			}
		})
	}

	for name, bad := range map[string]*api.DeadlineRules{
		"a unit":   {Rules: []api.DeadlineRule{{RuleID: "a", Jurisdiction: "US", Act: "a", Citation: "c", Count: 1, Unit: "weeks", Direction: "forward"}}},
		"a day":    {Holidays: []api.HolidayList{{Jurisdiction: "US-CA", Days: []string{"tomorrow"}}}},
		"no count": {Rules: []api.DeadlineRule{{RuleID: "a", Jurisdiction: "US", Act: "a", Citation: "c", Unit: "days", Direction: "forward"}}},
	} {
		if _, err := procedure.BookFor("federal", "US-CA", bad); !errors.Is(err, procedure.ErrBadRule) {
			t.Errorf("%s: %v, want a rule that is refused", name, err)
		}
	}
}

// FuzzRuleFile reads any rule file: what BookFor takes computes, on a day that is none of its days off.
func FuzzRuleFile(f *testing.F) {
	f.Add(`{"version":"1","rules":[{"ruleId":"a","jurisdiction":"US-CA","trigger":"t","act":"a","citation":"c","count":5,"unit":"days","direction":"backward","serviceDays":2}],"holidays":[{"jurisdiction":"US-CA","days":["2026-03-31"]}]}`, "state", "US-CA")
	f.Add(`{"rules":[{"ruleId":"b","jurisdiction":"US","act":"a","citation":"c","count":10000,"unit":"months","direction":"forward"}]}`, "", "US")
	f.Add(`{"rules":[{"ruleId":"h","jurisdiction":"US","act":"a","citation":"c","count":36,"unit":"hours","direction":"forward"}]}`, "federal", "US-OR")
	f.Fuzz(func(t *testing.T, text, system, jurisdiction string) {
		var file api.DeadlineRules
		if json.Unmarshal([]byte(text), &file) != nil {
			t.Skip()
		}
		b, err := procedure.BookFor(system, jurisdiction, &file)
		if err != nil {
			return
		}

		for _, r := range b.Rules {
			got, err := procedure.Compute(procedure.Trigger{On: day(t, "2026-03-31")}, r, procedure.Options{Calendar: b.Calendar(r), Service: mail})
			if err != nil {
				t.Fatalf("rule %+v: %v", r, err)
			}
			if w := got.DueOn.Weekday(); w == time.Saturday || w == time.Sunday {
				t.Fatalf("rule %+v ends on %v", r, got.DueOn)
			}
		}
	})
}
