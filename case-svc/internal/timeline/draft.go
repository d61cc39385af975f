package timeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/currency"
)

// Draft is an entry as somebody proposes it.
type Draft struct {
	Kind      string
	When      *When
	Title     string
	Detail    string
	Amount    *Amount
	Authority *Authority
	Sources   []Source
	Deadline  Deadline // DueOn is "" when it is none
}

// Amount is money as a decimal string.
type Amount struct{ Decimal, Currency string }

// Limits of an entry, in code points and items.
const (
	maxTitle       = 200
	maxDetail      = 2000
	maxRaw         = 80
	maxSources     = 10
	maxAuthority   = 300
	maxAssumptions = 20
	maxUserID      = 255
)

var (
	decimal = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,4})?$`)
	ruleID  = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)
)

// texts returns the free text of the draft, as sent.
func (d Draft) texts(at string) []inputgate.Text {
	all := []inputgate.Text{
		{Channel: guard.Title, Path: at + "title", Value: d.Title},
		{Channel: guard.Title, Path: at + "detail", Value: d.Detail},
	}
	if d.When != nil {
		all = append(all, inputgate.Text{Channel: guard.Title, Path: at + "when.raw", Value: d.When.Raw})
	}
	if a := d.Authority; a != nil {
		all = append(all, inputgate.Text{Channel: guard.Title, Path: at + "authority.text", Value: a.Text})
	}

	for i, s := range d.Sources {
		path := at + "sources[" + strconv.Itoa(i) + "].quote"
		all = append(all, inputgate.Text{Channel: guard.FileText, Path: path, Value: s.Quote})
	}
	if c := d.Deadline.Computation; c != nil {
		if s := c.TriggerSource; s != nil {
			path := at + "computation.triggerSource.quote"
			all = append(all, inputgate.Text{Channel: guard.FileText, Path: path, Value: s.Quote})
		}

		for path, value := range map[string]string{
			"ruleCitation":    c.RuleCitation,
			"rolledBecause":   c.RolledBecause,
			"holidayCalendar": c.HolidayCalendar,
		} {
			all = append(all, inputgate.Text{Channel: guard.Title, Path: at + "computation." + path, Value: value})
		}

		for i, s := range c.Assumptions {
			path := at + "computation.assumptions[" + strconv.Itoa(i) + "]"
			all = append(all, inputgate.Text{Channel: guard.Title, Path: path, Value: s})
		}
	}

	return all
}

// Date reports whether s is a day of the calendar, YYYY-MM-DD.
func Date(s string) bool {
	t, err := time.Parse(dateForm, s)
	// The form takes a year such as 0026, which is a slip for 2026.
	return err == nil && t.Year() >= 1000
}

func date(f *validate.List, path, s string, optional bool) {
	if s == "" && optional {
		return
	}
	if !Date(s) {
		f.Add(path, "must be a date such as 2026-03-04")
	}
}

// entry makes an entry of the draft, without its place and its id.
func (d Draft) entry(at, zone string, f *validate.List) Entry {
	e := Entry{
		Version:      1,
		Kind:         f.OneOf(at+"kind", d.Kind, vocabulary.WrittenEntryKinds.All()...),
		Title:        f.Line(at+"title", d.Title, 1, maxTitle),
		Detail:       f.Prose(at+"detail", d.Detail, 0, maxDetail),
		Sources:      d.Sources,
		ReviewStatus: Unreviewed,
	}
	if d.Kind == DeadlineKind {
		e.Deadline = d.deadline(at, zone, f)
	} else if d.Deadline != (Deadline{}) {
		f.Add(
			at+"dueOn",
			"is for entries of kind deadline only, as are timeZone, certainty, computation and responsibleUserId",
		)
	}
	e.When = d.when(at, f)
	if a := d.Amount; a != nil {
		e.Amount = a.money(at, f)
	}
	if a := d.Authority; a != nil {
		cited := Authority{
			Text:         f.Line(at+"authority.text", a.Text, 1, maxAuthority),
			Kind:         f.OneOf(at+"authority.kind", a.Kind, vocabulary.AuthorityKinds.All()...),
			Verification: a.Verification,
		}
		if cited.Verification == "" {
			cited.Verification = "unchecked"
		}
		f.OneOf(at+"authority.verification", cited.Verification, vocabulary.AuthorityChecks.All()...)
		e.Authority = &cited
	}
	if len(d.Sources) > maxSources {
		f.Add(at+"sources", fmt.Sprintf("must be at most %d", maxSources))
		e.Sources = nil
	}

	for i, s := range e.Sources {
		s.Check(at+"sources["+strconv.Itoa(i)+"]", f)
	}

	return e
}

func (d Draft) when(at string, f *validate.List) When {
	w := When{On: d.Deadline.DueOn, Precision: "day"}
	if d.When != nil {
		w = *d.When
		if w.Precision == "" {
			w.Precision = "day"
		}
		if d.Kind == DeadlineKind && w.On == "" {
			w.On = d.Deadline.DueOn
		}
	}
	// A deadline has one date. Where it stands in two fields they must not differ.
	if d.Kind == DeadlineKind && w.On != d.Deadline.DueOn {
		f.Add(at+"when.on", "must be dueOn, or absent")
	}
	date(f, at+"when.on", w.On, true)
	date(f, at+"when.alternativeOn", w.AlternativeOn, true)
	f.OneOf(at+"when.precision", w.Precision, vocabulary.DatePrecisions.All()...)
	if w.Ambiguous != (w.AlternativeOn != "") || w.Ambiguous && w.On == "" {
		f.Add(at+"when.ambiguous", "must be true exactly when on and alternativeOn give two readings")
	}
	w.Raw = f.Line(at+"when.raw", w.Raw, 0, maxRaw)

	return w
}

func (d Draft) deadline(at, zone string, f *validate.List) *Deadline {
	due := d.Deadline
	date(f, at+"dueOn", due.DueOn, false)
	date(f, at+"latestOn", due.LatestOn, true)
	if due.LatestOn != "" && due.LatestOn <= due.DueOn {
		f.Add(at+"latestOn", "must be later than dueOn, or absent when the day is certain")
	}
	if due.TimeZone == "" {
		due.TimeZone = zone
	}
	// "Local" would mean the zone of whichever server reads it.
	place, err := time.LoadLocation(due.TimeZone)
	if err != nil || due.TimeZone == "Local" || len(due.TimeZone) > 64 {
		f.Add(at+"timeZone", "must be an IANA zone such as America/New_York")
		place = time.UTC
	}
	if !due.DueAt.IsZero() {
		// A time that lies on another day in its zone would make the deadline a day early or late.
		if due.DueAt = instant.Of(due.DueAt); due.DueAt.In(place).Format(dateForm) != due.DueOn {
			f.Add(at+"dueAt", "must lie on dueOn in timeZone")
		}
	}
	if due.Certainty == "" {
		due.Certainty = "explicit"
	}
	f.OneOf(at+"certainty", due.Certainty, vocabulary.DeadlineCertainty.All()...)
	if due.Certainty == "computed" && due.Computation == nil {
		f.Add(at+"computation", "must be given for a computed deadline")
	}
	if due.Computation != nil {
		due.Computation = due.Computation.checked(at+"computation.", f)
	}
	due.ResponsibleUserID = f.Line(at+"responsibleUserId", due.ResponsibleUserID, 0, maxUserID)
	due.Status = Proposed

	return &due
}

func (c Computation) checked(at string, f *validate.List) *Computation {
	date(f, at+"triggerOn", c.TriggerOn, false)
	date(f, at+"rolledFrom", c.RolledFrom, true)
	if !ruleID.MatchString(c.RuleID) {
		f.Add(at+"ruleId", "must be the id of a rule such as answer_complaint")
	}
	c.RuleCitation = f.Line(at+"ruleCitation", c.RuleCitation, 1, 200)
	f.OneOf(at+"unit", c.Unit, vocabulary.DeadlineUnits.All()...)
	f.OneOf(at+"direction", c.Direction, vocabulary.DeadlineDirections.All()...)
	// Zero is a deadline on the day itself. The upper limit keeps a slip from leading beyond the calendar.
	if c.Count < 0 || c.Count > 10_000 {
		f.Add(at+"count", "must be 0 to 10000")
	}
	if c.ServiceDaysAdded < 0 || c.ServiceDaysAdded > 60 { // as many as a rule file may have
		f.Add(at+"serviceDaysAdded", "must be 0 to 60")
	}
	c.RolledBecause = f.Line(at+"rolledBecause", c.RolledBecause, 0, 200)
	c.HolidayCalendar = f.Line(at+"holidayCalendar", c.HolidayCalendar, 0, 40)
	if len(c.Assumptions) > maxAssumptions {
		f.Add(at+"assumptions", fmt.Sprintf("must be at most %d", maxAssumptions))
		c.Assumptions = nil
	}

	said := make([]string, 0, len(c.Assumptions))
	for i, s := range c.Assumptions {
		said = append(said, f.Line(at+"assumptions["+strconv.Itoa(i)+"]", s, 1, 300))
	}
	c.Assumptions = said
	if c.TriggerSource != nil {
		c.TriggerSource.Check(at+"triggerSource", f)
	}

	return &c
}

// money reads a decimal amount without ever passing it through a float.
func (a Amount) money(at string, f *validate.List) *Money {
	unit, err := currency.ParseISO(a.Currency)
	if err != nil || unit.String() != a.Currency {
		f.Add(at+"amount.currency", "must be an ISO 4217 code such as USD")
		return nil
	}
	// The yen has no places and the Kuwaiti dinar three, so two are not taken for granted.
	scale, _ := currency.Standard.Rounding(unit)
	whole, part, _ := strings.Cut(a.Decimal, ".")
	if !decimal.MatchString(a.Decimal) || len(part) > scale {
		f.Add(
			at+"amount.amount",
			fmt.Sprintf("must be a decimal string with at most %d places, such as \"80000\"", scale),
		)

		return nil
	}
	minor, err := strconv.ParseInt(whole+part+strings.Repeat("0", scale-len(part)), 10, 64)
	if err != nil {
		f.Add(at+"amount.amount", "is too large")
		return nil
	}

	return &Money{Minor: minor, Currency: a.Currency}
}

// Decimal returns the amount as a decimal string with all places of its currency.
func (m Money) Decimal() string {
	return cases.Controversy{Minor: m.Minor, Currency: m.Currency}.Decimal()
}
