package procedure

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Units and directions of rules.
const (
	Days     = "days"
	Months   = "months"
	Hours    = "hours"
	Forward  = "forward"
	Backward = "backward"
)

// Systems of courts, as a case names its forum.
const (
	federalSystem = "federal"
	stateSystem   = "state"
)

// Rule is one period from a trigger to an act.
type Rule struct {
	ID        string `json:"ruleId"`
	Trigger   string `json:"trigger"` // the name of an event, or words for one in a rule file
	Act       string `json:"act"`
	Citation  string `json:"citation"`
	Count     int    `json:"count"` // 1 to 10000
	Unit      string `json:"unit"`
	Direction string `json:"direction"`
	// ServiceDays are added after service by mail, through the clerk or by other agreed means; 3 where Rule 6(d)
	// applies, 0 elsewhere. It applies to what one does "after being served" under Rule 5, not to a summons (Rule 4), a
	// filing, or a judgment.
	ServiceDays int `json:"serviceDays"`
	// Counting is the rule by which the period is counted, "" for rules of a rule file.
	Counting string `json:"counting"`
	// Assumes is what this rule takes for granted, besides what every computation does.
	Assumes []string `json:"assumes"`
	// Asked are words by which a question asks for this period, in lower case; each stands at the beginning of a word.
	Asked []string `json:"asked"`
	// OrRemaining says that the time which remains to respond to the original pleading counts when it is longer (Rule
	// 15(a)(3)).
	OrRemaining bool `json:"orRemaining"`
	// Region is "within" or "abroad" when the period depends on whether the other side is in the United States.
	Region string `json:"region"`
	// Government says that the rule applies only where the United States is a party.
	Government bool `json:"government"`
	// Unconcerned says that the period is not that of the party whom the event concerns: who was served with a pleading
	// does not amend it.
	Unconcerned bool `json:"unconcerned"`
	// Forum is "state" for a federal period of actions in state courts, "" for those of federal courts.
	Forum string `json:"forum"`
}

// mostCount bounds the count of a rule, so that no date leaves the range that can be written.
const mostCount = 10_000

// valid reports whether a period can be computed by a rule and cited.
func (r Rule) valid() bool {
	named := r.ID != "" && r.Act != "" && r.Citation != ""
	counts := r.Count >= 1 && r.Count <= mostCount && r.ServiceDays >= 0

	return named && counts && r.hasUnit() && r.hasDirection()
}

func (r Rule) hasUnit() bool { return r.Unit == Days || r.Unit == Months || r.Unit == Hours }

func (r Rule) hasDirection() bool { return r.Direction == Forward || r.Direction == Backward }

//go:embed rules.json
var table []byte

// FederalRules returns the built-in table: periods of the Federal Rules of Civil and Appellate Procedure and of the law
// of removal.
func FederalRules() []Rule {
	var t struct {
		Rules []Rule `json:"rules"`
	}
	d := json.NewDecoder(bytes.NewReader(table))
	// A slip in a field's name would silently drop what it says, such as days for service.
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		panic("procedure: the built-in table of rules: " + err.Error()) // it is part of the program
	}

	return t.Rules
}

// Book is what applies in one forum: rules, days off, and what its user must be told.
type Book struct {
	Rules   []Rule
	Assumes []string // of every computation by this book
	Limits  []string
	Missing string // what is not built in for the forum, "" when nothing is
	Federal bool   // the forum is a federal court of the United States
	federal Calendar
	own     Calendar
}

// Calendar returns the days off by which a rule of the book is counted.
func (b Book) Calendar(r Rule) Calendar {
	if r.Counting == "" {
		return b.own
	}

	return b.federal
}

// Days returns the days off by which periods of the forum's orders are counted.
func (b Book) Days() Calendar {
	if b.Federal {
		return b.federal
	}

	return b.own
}

// BookFor returns the rules of a forum. system is that of the case's forum, "" when it is not known; jurisdiction its
// ISO 3166 code or ""; file the tenant's own rules or nil. The federal table applies in federal courts only: where
// the forum is of the system federal, or it is not known and the jurisdiction is the United States as a whole. There
// are no built-in periods of states: a state's come from the rule file alone, those of its jurisdiction US-CA and the
// like; its rules of jurisdiction US join the federal table, in place of a built-in rule with the same id. Days off
// of a state in the file count in its own courts, and in a federal court there for periods after an event.
func BookFor(system, jurisdiction string, file *api.DeadlineRules) (Book, error) {
	if system == "" && jurisdiction == unitedStates {
		system = federalSystem
	}
	in := jurisdiction
	if system == federalSystem {
		in = unitedStates
	}
	var own []Rule
	var days []string

	if file != nil {
		var err error
		if own, err = rulesOf(file, in); err != nil {
			return Book{}, err
		}
		if days, err = daysOf(file, jurisdiction); err != nil {
			return Book{}, err
		}
	}
	state := strings.HasPrefix(jurisdiction, unitedStates+"-")
	// Days of rule 6(a)(6)(C) are those of a state.
	if !state && in == unitedStates {
		days = nil // days of rule 6(a)(6)(C) are a state's
	}
	b := Book{federal: Federal(jurisdiction, days...), own: Own(jurisdiction, days...), Rules: own}

	switch system {
	case federalSystem:
		b.own = b.federal
		// What runs in the courts of states is not for a federal one.
		b.Rules = slices.DeleteFunc(merged(FederalRules(), own), func(r Rule) bool { return r.Forum != "" })
		b.Federal = true
	case stateSystem:
		b.Missing = "the periods of state courts"
	case "":
		b.Missing = "periods for a case whose forum is not on record: set the forum of the case, " +
			"or ask for a set of rules by name, such as the Federal Rules of Civil Procedure"
	case "arbitration":
		b.Missing = "the rules of arbitral institutions"
	case "agency", "tribal":
		b.Missing = "the rules of " + system + " proceedings"
	default:
		b.Missing = "the rules of courts outside the United States"
	}
	if b.Missing != "" {
		b.Limits = []string{"Not built in: " + b.Missing + ". No federal rule of civil or appellate procedure and " +
			"no federal holiday was applied."}
	}
	if b.Missing != "" && len(own) > 0 {
		b.Limits = append(b.Limits, "The rules that the firm loaded for this jurisdiction were applied.")
	}

	return b, nil
}

const unitedStates = "US"

// WithRemoval adds the time to remove an action from a court of a state to a federal one (28 U.S.C. 1446(b)). It is
// federal law for the state's court, and so only for a question that asks for it.
func WithRemoval(b Book) Book {
	b.Rules = append(
		slices.Clone(b.Rules),
		slices.DeleteFunc(FederalRules(), func(r Rule) bool { return r.Forum != stateSystem })...)
	b.Assumes = append(
		slices.Clone(b.Assumes),
		"the action is pending in a court of a state of the United States, and 28 U.S.C. 1446(b) lets it be removed",
	)

	return b
}

// ByName returns the federal table for a question that asks for it by name, in a case to which it may not apply.
func ByName(b Book) Book {
	if b.Federal {
		return b
	}
	named := Book{
		federal: Federal(""),
		own:     b.own,
		Federal: true,
		Rules:   slices.DeleteFunc(merged(FederalRules(), b.Rules), func(r Rule) bool { return r.Forum != "" }),
	}
	named.Assumes = []string{"the Federal Rules apply: the question asks for them by name, " +
		"and the case is not on record as one in a federal court"}

	return named
}

// merged returns the table with the rules of a file in place of those with the same id.
func merged(table, own []Rule) []Rule {
	table = slices.DeleteFunc(table, func(r Rule) bool {
		return slices.ContainsFunc(own, func(o Rule) bool { return o.ID == r.ID })
	})

	return append(table, own...)
}

// rulesOf returns the rules of a file for a jurisdiction.
func rulesOf(file *api.DeadlineRules, jurisdiction string) ([]Rule, error) {
	var list []Rule

	for _, r := range file.Rules {
		if r.Jurisdiction != jurisdiction || jurisdiction == "" {
			continue
		}
		rule := Rule{
			ID:          r.RuleID,
			Trigger:     r.Trigger,
			Act:         r.Act,
			Citation:    r.Citation,
			Count:       r.Count,
			Unit:        r.Unit,
			Direction:   r.Direction,
			ServiceDays: r.ServiceDays,
			Asked:       []string{strings.ToLower(r.Act)},
			Assumes:     []string{"the rule file of the firm, version " + file.Version + ", has the rule right"},
		}
		// One bad rule fails the file: a book with a hole would compute wrong days without a word.
		if !rule.valid() {
			return nil, fmt.Errorf("rule %s of the rule file: %w", r.RuleID, ErrBadRule)
		}
		list = append(list, rule)
	}

	return list, nil
}

// daysOf returns the days off of a file for a jurisdiction.
func daysOf(file *api.DeadlineRules, jurisdiction string) ([]string, error) {
	var days []string

	for _, list := range file.Holidays {
		if list.Jurisdiction != jurisdiction || jurisdiction == "" {
			continue
		}

		for _, d := range list.Days {
			if _, err := time.Parse(time.DateOnly, d); err != nil {
				return nil, fmt.Errorf("holidays of %s in the rule file: %w", jurisdiction, ErrBadRule)
			}
		}
		days = append(days, list.Days...)
	}

	return days, nil
}
