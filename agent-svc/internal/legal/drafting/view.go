package drafting

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/document"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// How many facts of one kind a draft holds.
const (
	mostRows  = 60
	mostFacts = 12
)

// view is what skeletons see. Its names are those that they use.
type view struct {
	Title  string
	Sought string              // the relief behind "for", or a placeholder
	Asked  string              // the relief as the prompt has it, "" when it does not say
	Court  []casereading.Place // lines of the caption; none when no file has one
	Docket string
	// First and Second are the labels of the sides as captions have them, FirstRole and SecondRole their roles.
	First, Second         string
	FirstRole, SecondRole string
	// Us and Them are the side that the draft is for and the other one.
	Us, Them   string
	UsRole     string
	Addressee  string // of a hold
	Client     string
	Parties    []casereading.Label
	Complaint  *casereading.File // what opens the case, nil when the files hold none
	Claims     []casereading.Claim
	Documents  []casereading.File
	Dates      []casereading.Date
	Facts      []casereading.Date // the sentences of Dates, each once, without headings and datelines
	Events     []casereading.Date // the first of Facts, as many as a set of questions holds
	Recent     []casereading.Date // the last of them
	Doubtful   []casereading.Date // can be read in two ways
	Recorded   bool               // some of Dates are in the words of the timeline
	Demanded   []casereading.Demand
	AtStake    []casereading.Demand // the one of Demanded that is demanded most plainly, if any
	Paid       []casereading.Sum
	Sums       []casereading.Sum // of the other roles
	Deadlines  []casereading.Deadline
	Authority  []casereading.Authority
	Issues     []casereading.Topic
	Terms      []casereading.Place
	Duties     []casereading.Place
	Law        []casereading.Place
	Privileged []api.File
	Case       api.Case
	More       int // facts that were left out for want of room
	unquoted   bool
}

func newView(m Matter) *view {
	d := m.Dossier
	v := &view{
		Docket: "[Docket 1]", unquoted: m.Unquoted, Documents: d.Files, Sought: m.Relief.sought(),
		Asked: m.Relief.Words,
	}
	if m.Case != nil {
		v.Case = *m.Case
		if f := m.Case.Forum; f != nil && f.DocketLabel != "" {
			v.Docket = f.DocketLabel
		}
	}
	v.Parties = bounded(v, d.Parties(), mostRows)
	v.sides(m)

	for _, f := range d.Files {
		// Files come oldest first, so the first one is the original complaint.
		if v.Complaint == nil && f.OpensCase() {
			v.Complaint = &f
		}
		if len(v.Court) == 0 {
			v.Court = f.Court
		}
		v.Claims = append(v.Claims, f.Claims...)
		v.Terms = append(v.Terms, quotable(f.Terms...)...)
		v.Duties = append(v.Duties, quotable(f.Duties...)...)
		v.Law = append(v.Law, quotable(f.Law)...)
	}
	if v.Complaint != nil {
		// The counts are those of the complaint alone: other papers repeat them.
		v.Claims = v.Complaint.Claims
	}
	v.Terms = bounded(v, v.Terms, mostFacts)
	v.Duties = bounded(v, v.Duties, mostFacts)
	v.Law = bounded(v, v.Law, mostFacts)
	v.Dates, v.Doubtful = casereading.InOrder(d.Dates)
	v.Dates, v.Doubtful = bounded(v, v.Dates, mostRows), bounded(v, v.Doubtful, mostRows)

	v.Facts = sentences(happened(v.Dates, d, m.Today))
	v.Recorded = slices.ContainsFunc(v.Dates, func(x casereading.Date) bool { return x.At.Words != "" })
	v.Events, v.Recent = v.Facts[:min(len(v.Facts), mostFacts)], v.Facts[max(0, len(v.Facts)-mostFacts):]
	demanded := once(d.Demands, func(x casereading.Demand) any { return x.Decimal() + x.Currency })
	v.Demanded = bounded(v, demanded, mostFacts)

	demands := make([]facts.Demand, len(v.Demanded))
	for i, x := range v.Demanded {
		demands[i] = x.Demand
	}
	if at, ok := facts.Controversy(demands); ok {
		v.AtStake = v.Demanded[at : at+1]
	}

	for _, s := range once(d.Sums, func(x casereading.Sum) any { return string(x.Role) + x.Decimal() + x.Currency }) {
		switch s.Role {
		case facts.PaymentRole:
			v.Paid = append(v.Paid, s)
		case facts.DemandRole:
		default:
			v.Sums = append(v.Sums, s)
		}
	}
	v.Paid, v.Sums = bounded(v, v.Paid, mostFacts), bounded(v, v.Sums, mostFacts)
	v.Deadlines = bounded(v, d.Deadlines, mostRows)
	v.Authority = bounded(v, d.Authorities, mostRows)
	v.Issues = bounded(v, d.Issues, mostFacts)

	for _, f := range m.Files {
		if f.Privilege != "" && f.Privilege != "none" {
			v.Privileged = append(v.Privileged, f)
		}
	}
	slices.SortStableFunc(v.Privileged, func(a, b api.File) int { return cmp.Compare(a.DocumentOn, b.DocumentOn) })
	v.Privileged = bounded(v, v.Privileged, mostRows)

	return v
}

// quotable returns the places that have words to show.
func quotable(places ...casereading.Place) []casereading.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p casereading.Place) bool {
		return p.Withheld || p.Quote == ""
	})
}

// happened leaves out the days that tell of nothing that happened: those by which somebody must act or appear that are
// still to come after today, and the places at which a text moves or vacates one. What else happened on a day that was
// vacated stays.
func happened(dates []casereading.Date, d *casereading.Dossier, today time.Time) []casereading.Date {
	return slices.DeleteFunc(slices.Clone(dates), func(x casereading.Date) bool {
		ahead := func(due casereading.Deadline) bool {
			if !due.HasDate || due.Computed || due.At.FileID != x.At.FileID {
				return false
			}
			// The same day can also be that of something that has happened.
			toCome := !today.IsZero() && facts.DaysFrom(today, due.Date.Time()) > 0 && due.Date.Time().Equal(x.Time())

			return toCome || due.Moved && due.Date.Span == x.Span
		}
		gone := func(due casereading.Deadline) bool { return due.Moved && ahead(due) }

		return slices.ContainsFunc(d.Deadlines, ahead) || slices.ContainsFunc(d.Listed, gone)
	})
}

// sentences returns dates whose sentence states something, each sentence once. What ends in no stop is a heading or a
// dateline.
func sentences(dates []casereading.Date) []casereading.Date {
	var list []casereading.Date

	for _, x := range once(dates, func(x casereading.Date) any { return [...]any{x.At.SourceRef, x.At.Words} }) {
		if x.At.Words != "" || endsWith(x.At.Quote, ".;:?!") {
			list = append(list, x)
		}
	}

	return list
}

// once returns the first of those that have the same key.
func once[T any](list []T, key func(T) any) []T {
	seen := map[any]bool{}
	var first []T

	for _, x := range list {
		if k := key(x); !seen[k] {
			seen[k], first = true, append(first, x)
		}
	}

	return first
}

func bounded[T any](v *view, list []T, most int) []T {
	if len(list) > most {
		v.More += len(list) - most
		return list[:most]
	}

	return list
}

// sides finds who stands on which side: as the caption of a file has it, and for whom the draft is by the prompt or the
// case.
func (v *view) sides(m Matter) {
	v.First, v.Second, v.FirstRole, v.SecondRole = "{{plaintiffLabel}}", "{{defendantLabel}}", "Plaintiff", "Defendant"
	var first, second []string

	captioned, ok := caption(m.Dossier.Files)
	if ok {
		first, second = append(first, captioned.First), append(second, captioned.Second)
	}
	if len(first) > 0 {
		for _, l := range v.Parties {
			if l.RoleAt.FileID != captioned.ID {
				// Another paper calls it so: the tenant of a lease need not be the defendant of the action.
				continue
			}

			label, role := l.String(), wording.Capital(l.Role)
			switch {
			case label == first[0] && facts.Side(l.Role) == 1:
				v.FirstRole = role
			case label == second[0] && facts.Side(l.Role) == 2:
				v.SecondRole = role
			case slices.Contains(first, label), slices.Contains(second, label):
			case facts.Side(l.Role) == 1:
				first = append(first, label)
			case facts.Side(l.Role) == 2:
				second = append(second, label)
			}
		}
		v.First, v.Second = enumerated(first), enumerated(second)
		v.FirstRole, v.SecondRole = several(v.FirstRole, first), several(v.SecondRole, second)
	}

	v.Us, v.Them, v.UsRole = "{{clientLabel}}", "{{opposingPartyLabel}}", "{{clientRole}}"
	// The label in the prompt says more of this draft than the record of the case does.
	switch side := v.Case.Side; {
	case slices.Contains(second, m.To), !slices.Contains(first, m.To) && side == "claimant":
		v.Us, v.Them, v.UsRole = v.First, v.Second, v.FirstRole
	case slices.Contains(first, m.To), side == "respondent":
		v.Us, v.Them, v.UsRole = v.Second, v.First, v.SecondRole
	}
	v.Addressee, v.Client = "{{custodianLabel}}", v.Us
	if m.To != "" {
		v.Them, v.Addressee = m.To, m.To
	}
}

// caption returns the paper whose caption a draft takes: the one that opens the case, else the first with a court. ok
// is false when there is none, and when two that open a case have other sides: then the draft has placeholders.
func caption(all []casereading.File) (paper casereading.File, ok bool) {
	var opening, courts []casereading.File

	for _, f := range all {
		switch {
		case f.First == "":
		case f.OpensCase():
			opening = append(opening, f)
		case len(f.Court) > 0:
			courts = append(courts, f)
		}
	}
	if len(opening) == 0 {
		opening = courts
	}
	if len(opening) == 0 {
		return casereading.File{}, false
	}
	paper = opening[0]

	// With two sets of sides a guess could swap plaintiff and defendant.
	return paper, !slices.ContainsFunc(opening, func(f casereading.File) bool {
		return f.First != paper.First || f.Second != paper.Second
	})
}

func several(role string, labels []string) string {
	if len(labels) > 1 {
		return role + "s"
	}

	return role
}

// enumerated writes labels as a list in a sentence.
func enumerated(labels []string) string {
	if n := len(labels); n > 1 {
		return strings.Join(labels[:n-1], ", ") + " and " + labels[n-1]
	}

	return strings.Join(labels, "")
}

// filling is a skeleton being filled: it numbers the footnotes.
type filling struct {
	view    *view
	notes   [][]document.Span
	sources []api.SourceRef
	numbers map[api.SourceRef]int
}

func (f *filling) functions() template.FuncMap {
	return template.FuncMap{
		"cite":    f.cite,
		"quote":   f.quote,
		"stated":  f.stated,
		"bare":    f.bare,
		"given":   f.given,
		"name":    document.Given,
		"where":   where,
		"upper":   strings.ToUpper,
		"capital": wording.Capital,
		"spaced":  spaced,
		"says":    says,
		"around":  around,
		"when":    when,
		"inc":     func(n int) int { return n + 1 },
		"verb":    verb,
		"money":   money,
		"long":    long,
		"on":      on,
		"period":  period,
	}
}

// cite makes a footnote for each place and returns the marks that refer to them: a place has its words once, and is
// named by number after that. Without any place, what stands before needs a source.
func (f *filling) cite(places ...casereading.Place) (string, error) {
	marks := ""

	for _, p := range places {
		for _, s := range p.Sources() {
			note, err := document.Line(f.note(p, s))
			if err != nil {
				return "", err
			}
			f.notes = append(f.notes, note)
			marks += document.NoteMark(len(f.notes))
		}
	}
	if marks == "" {
		return " " + NeedsSource, nil
	}

	return marks, nil
}

func (f *filling) note(p casereading.Place, s api.SourceRef) string {
	if f.numbers == nil {
		f.numbers = map[api.SourceRef]int{}
	}
	// A second footnote with the same words would only lengthen the draft.
	if n, known := f.numbers[s]; known {
		return "See note " + strconv.Itoa(n) + "."
	}
	f.numbers[s] = len(f.notes) + 1
	f.sources = append(f.sources, s)
	text := fmt.Sprintf("%s, characters %d to %d", where(p), s.CharStart, s.CharEnd)

	return text + ": “" + f.given(s.Quote) + "”"
}

// quote writes the words of a place between quotation marks, with its footnote.
func (f *filling) quote(p casereading.Place) (string, error) {
	if p.Withheld || p.Quote == "" && p.Words == "" {
		return NeedsSource, nil
	}
	mark, err := f.cite(p)

	return f.words(p, "") + mark, err
}

// words writes the words of a place without its footnote, and a stop at their end: within the quotation marks, and in
// the place of a semicolon, comma or colon.
func (f *filling) words(p casereading.Place, stop string) string {
	if p.Words != "" {
		return f.recorded(p) + stop
	}
	// A row of a table reads badly in a sentence. Its footnote has it.
	if strings.Contains(p.Quote, "|") {
		return "a row of a table" + stop
	}
	said := shown(p.Quote)
	if stop != "" {
		said = strings.TrimRight(said, ";,: ")
	}

	return "“" + f.given(said) + stop + "”"
}

// recorded writes how a person put something in the timeline, which no file says so.
func (f *filling) recorded(p casereading.Place) string {
	if f.view.unquoted {
		return "(words of the timeline)"
	}

	return document.Given(strings.ReplaceAll(strings.TrimRight(p.Words, ". "), "|", "/"))
}

// says names who says the words of a place.
func says(p casereading.Place) string {
	if p.Words != "" {
		return "the timeline says:"
	}

	return "a file says"
}

// stated writes the words of a place as quote does, and ends the sentence where they do not end it, before the
// footnote.
func (f *filling) stated(p casereading.Place) (string, error) {
	if p.Withheld || p.Quote == "" && p.Words == "" {
		return NeedsSource + ".", nil
	}
	stop := "."
	quoted := p.Words == "" && !strings.Contains(p.Quote, "|")
	if quoted && !f.view.unquoted && endsWith(p.Quote, ".?!") {
		stop = ""
	}
	mark, err := f.cite(p)

	return f.words(p, stop) + mark, err
}

// endsWith reports whether words end with one of stops, be it within closing marks.
func endsWith(words, stops string) bool {
	words = strings.TrimRight(words, `"”’')*_ `)
	return words != "" && strings.ContainsAny(words[len(words)-1:], stops)
}

var (
	opening  = regexp.MustCompile(`^(?:[#*>\s]+|\d{1,3}\.\s+|\([a-z0-9]{1,3}\)\s+)+`)
	emphasis = regexp.MustCompile(`\*{1,2}([^*]+)\*{1,2}`)
)

// shown takes the number of a paragraph and marks of Markdown off a quote. Its footnote has it as it stands.
func shown(quote string) string {
	if rest := opening.ReplaceAllString(quote, ""); rest != "" {
		quote = rest
	}

	return emphasis.ReplaceAllString(quote, "$1")
}

// bare writes the words of a place as they are, with its footnote.
func (f *filling) bare(p casereading.Place) (string, error) {
	if p.Quote == "" || p.Withheld {
		return NeedsSource, nil
	}
	mark, err := f.cite(p)

	return f.given(shown(p.Quote)) + mark, err
}

// given writes words of a file.
func (f *filling) given(text string) string {
	if f.view.unquoted {
		return "(words of the file)"
	}

	return document.Given(text)
}

// where names the file and page of a place.
func where(p casereading.Place) string {
	name := document.Given(p.FileName)
	if p.Page > 0 {
		return fmt.Sprintf("%s, page %d", name, p.Page)
	}

	return name
}

// when writes the day of a deadline that has one.
func when(x casereading.Deadline) string {
	if x.Date.Ambiguous {
		return x.Date.String() + " or " + x.Date.Swapped().String()
	}

	return x.Date.String()
}

// long writes a date as letters and pleadings have it.
func long(x casereading.Date) string {
	if x.Rough == casereading.Near {
		return "about " + written(x)
	}

	return written(x)
}

func written(x casereading.Date) string {
	switch {
	case x.Rough == casereading.OfYear:
		return x.Time().Format("2006")
	case x.Day == 0:
		return x.Time().Format("January 2006")
	default:
		return x.Time().Format("January 2, 2006")
	}
}

// around writes a date as what happened about then has it.
func around(x casereading.Date) string {
	if x.Day == 0 {
		return "in or about " + written(x)
	}

	return "on or about " + written(x)
}

// on writes a date with the word that goes before it.
func on(x casereading.Date) string {
	if x.Rough == casereading.Near {
		return around(x)
	}
	if x.Day == 0 {
		return "in " + long(x)
	}

	return "on " + long(x)
}

// money writes a sum as letters have it, with a sign for US dollars.
func money(a facts.Amount) string {
	if a.Currency == "USD" {
		return "$" + complexity.Grouped(a.Cents)
	}

	return complexity.Grouped(a.Cents) + " " + a.Currency
}

func period(x casereading.Deadline) string {
	if x.Period == 1 {
		return "1 " + x.Unit
	}

	return strconv.Itoa(x.Period) + " " + x.Unit + "s"
}

// verb returns the form of a verb that fits one label or several.
func verb(labels, one, many string) string {
	if strings.Contains(labels, " and ") {
		return many
	}

	return one
}

// spaced turns a code into words.
func spaced(code string) string { return strings.ReplaceAll(code, "_", " ") }
