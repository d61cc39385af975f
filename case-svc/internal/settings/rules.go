package settings

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// RuleFile are a tenant's own rules of deadlines: data of the shape of the built-in federal ones. Versioned, so that a
// computed deadline can say by which rules.
type RuleFile struct {
	Version  string
	Rules    []Rule
	Holidays []HolidayList
}

// Rule is one period from a trigger to an act.
type Rule struct {
	RuleID       string
	Jurisdiction string
	Trigger      string
	Act          string
	Citation     string
	Count        int
	Unit         string // days, months, hours
	Direction    string // forward, backward
	ServiceDays  int    // added after mail and the like
}

// HolidayList are the days off of a jurisdiction.
type HolidayList struct {
	Jurisdiction string
	Days         []string // dates
}

// Limits of a rule file.
const (
	maxRules   = 500
	maxLists   = 60
	maxDaysOff = 500
)

var ruleForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func (r RuleFile) check(f *validate.List) {
	const at = "deadlineRules"
	if len(r.Rules) > maxRules || len(r.Holidays) > maxLists {
		f.Add(at, "must be at most 500 rules and 60 lists of holidays")
		return
	}
	f.Line(at+".version", r.Version, 1, 40)
	var seen []string

	for i, rule := range r.Rules {
		path := at + ".rules[" + strconv.Itoa(i) + "]"
		if !ruleForm.MatchString(rule.RuleID) || slices.Contains(seen, rule.RuleID) {
			f.Add(path+".ruleId", "must be small letters, digits and _, and given once")
		}
		seen = append(seen, rule.RuleID)
		rule.check(path, f)
	}

	for i, list := range r.Holidays {
		path := at + ".holidays[" + strconv.Itoa(i) + "]"
		if !cases.ValidJurisdiction(list.Jurisdiction) {
			f.Add(path+".jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US-CA")
		}
		if len(list.Days) > maxDaysOff || slices.ContainsFunc(list.Days, func(d string) bool { return !date(d) }) {
			f.Add(path+".days", "must be at most "+strconv.Itoa(maxDaysOff)+" dates such as 2026-07-04")
		}
	}
}

func (r Rule) check(path string, f *validate.List) {
	if !cases.ValidJurisdiction(r.Jurisdiction) {
		f.Add(path+".jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US-CA")
	}
	f.Line(path+".trigger", r.Trigger, 1, 100)
	f.Line(path+".act", r.Act, 1, 100)
	f.Line(path+".citation", r.Citation, 1, 200)
	f.OneOf(path+".unit", r.Unit, vocabulary.DeadlineUnits.All()...)
	f.OneOf(path+".direction", r.Direction, vocabulary.DeadlineDirections.All()...)
	if r.Count < 1 || r.Count > 10_000 {
		f.Add(path+".count", "must be 1 to 10000")
	}
	if r.ServiceDays < 0 || r.ServiceDays > 60 {
		f.Add(path+".serviceDays", "must be 0 to 60")
	}
}

func date(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
