package answers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// occurrence is an event with all places that report it. One without places stands in the prompt.
type occurrence struct {
	facts.Event
	raw      string
	at       []casereading.Place
	prompted bool
}

// period is a computed deadline.
type period struct {
	procedure.Result
	ends  procedure.Span
	event occurrence
	asked bool // the question names it
}

// periods are the deadlines that rules of procedure give for the events of a case.
type periods struct {
	dossier   *casereading.Dossier
	book      procedure.Book
	request   request
	events    []occurrence // with a certain day
	unsettled []occurrence // whose day is not certain
	list      []period
	today     time.Time
	older     int // events before the rules of the table
	hours     int // periods in hours, for which a text would have to give the moment
}

// mostPeriods bounds the computed deadlines of one answer.
const mostPeriods = 60

// periodsOf computes all deadlines of a book that the events give.
func periodsOf(d *casereading.Dossier, book procedure.Book, q request, today time.Time) *periods {
	p := &periods{dossier: d, book: book, request: q, today: today}
	// Events of the question come first, so that a place in a file joins them and not the other way round.
	for i, e := range q.events {
		p.request.supposed = p.request.supposed || p.toCome(e)
		p.take(occurrence{Event: e, raw: q.raw[i], prompted: true})
	}

	for _, e := range d.Events {
		p.take(occurrence{Event: e.Event, raw: e.Raw, at: []casereading.Place{e.At}})
	}
	p.merge()
	var later []occurrence // the amended pleadings, after what remains for the original ones is known

	for _, e := range p.events {
		// What remains of the time for the original pleading must be known before (Rule 15(a)(3)).
		if e.Name == facts.AmendedServed {
			later = append(later, e)
			continue
		}
		p.compute(e)
	}

	for _, e := range later {
		p.compute(e)
	}
	// What was asked for leads, and of that what rests on the question's own event.
	slices.SortStableFunc(p.list, func(a, b period) int {
		return cmp.Or(
			first(a.asked, b.asked),
			first(a.asked && a.event.prompted, b.asked && b.event.prompted),
			a.ends.Safe.Compare(b.ends.Safe),
		)
	})

	return p
}

// first orders what holds before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}

	return 1
}

// take puts an event with the others; the same day of the same event for the same party counts once.
func (p *periods) take(e occurrence) {
	list := &p.events
	if e.unsure() || p.toCome(e.Event) && !e.prompted {
		list = &p.unsettled
	}

	for i := range *list {
		o := &(*list)[i]
		if o.sameDay(e) && o.Date.Ambiguous == e.Date.Ambiguous && o.Who == e.Who && o.mayShareWay(e) {
			// One place may say how it was served, the other what: together they say more.
			o.Way, o.Unnamed, o.Abroad = max(o.Way, e.Way), o.Unnamed && e.Unnamed, o.Abroad || e.Abroad
			o.at = append(o.at, e.at...)

			return
		}
	}
	*list = append(*list, e)
}

// unsure reports whether a text leaves open on which day an event was.
func (e occurrence) unsure() bool { return e.Date.Ambiguous || e.Date.Day == 0 || e.About }

// sameDay reports whether two places tell of an event of the same kind on the same day.
func (e occurrence) sameDay(o occurrence) bool {
	return e.Name == o.Name && e.Date.String() == o.Date.String()
}

// mayShareWay reports whether two places may tell of one way of service: a place that names none may mean any.
func (e occurrence) mayShareWay(o occurrence) bool {
	return e.Way == o.Way || e.Way == "" || o.Way == ""
}

// toCome reports whether an event is said to have been on a day after today: a slip, or in a question something
// supposed.
func (p *periods) toCome(e facts.Event) bool { return facts.DaysFrom(p.today, e.Date.Time()) > 0 }

// merge drops events without a party that another place reports of one on the same day, and uncertain days that another
// place settles.
func (p *periods) merge() {
	// The clone is compared with, since the list itself changes underneath.
	all := slices.Clone(p.events)
	p.events = slices.DeleteFunc(p.events, func(e occurrence) bool {
		return e.Who == "" && !e.prompted && slices.ContainsFunc(all, func(o occurrence) bool {
			return o.Who != "" && o.sameDay(e) && (e.Way == o.Way || e.Way == "")
		})
	})
	p.unsettled = slices.DeleteFunc(p.unsettled, func(e occurrence) bool {
		return !p.runsFromEvent(e.Name) || slices.ContainsFunc(all, func(o occurrence) bool {
			return o.Name == e.Name && (o.Who == e.Who || e.Who == "") && may(e.Date, o.Date)
		})
	})
}

// may reports whether an uncertain day can be a certain one.
func may(uncertain, certain facts.Date) bool {
	return strings.HasPrefix(certain.String(), uncertain.String()) ||
		uncertain.Ambiguous && uncertain.Swapped().String() == certain.String()
}

// compute adds what the book gives for an event.
func (p *periods) compute(e occurrence) {
	tooOld := false

	for _, r := range p.book.Rules {
		t, ok := triggerOf(r.Trigger)
		// A rule of a firm's file may have a trigger that texts are not searched for. It is asked for elsewhere.
		if !ok || !p.begins(r, t, e) || !p.applies(r, e) || len(p.list) >= mostPeriods {
			continue
		}
		o := procedure.Options{Service: procedure.Service(e.Way), Calendar: p.book.Calendar(r)}
		if r.OrRemaining {
			o.Remaining = p.remaining(e)
		}
		name := t.title + concerning(e.Who)
		got, ends, err := procedure.Readings(procedure.Trigger{On: e.Date.Time(), Name: name}, r, o)
		// Older events were governed by other periods. To say so is better than a wrong day.
		if errors.Is(err, procedure.ErrTooOld) {
			tooOld = true
			continue
		}
		if err != nil {
			// A rule file was checked when its book was made, so no other error is left.
			continue
		}
		// Texts give the day of an event and not its moment, from which hours would run.
		if r.Unit == procedure.Hours {
			p.hours++
			continue
		}
		got.Assumptions = append(got.Assumptions, p.book.Assumes...)
		if e.Unnamed {
			got.Assumptions = append(got.Assumptions, "what was served is the summons and complaint: "+
				"the sentence does not name it")
		}
		if e.prompted {
			got.Assumptions = append(got.Assumptions, "the day of the event is that of the question, "+
				"and no file was checked for it")
		}
		p.list = append(p.list, period{Result: got, ends: ends, event: e, asked: p.request.asksFor(r)})
	}
	if tooOld {
		p.older++
	}
}

// applies reports whether a rule fits the event besides its trigger.
func (p *periods) applies(r procedure.Rule, e occurrence) bool {
	abroad := e.Abroad || e.prompted && p.request.abroad
	switch {
	case r.Region == "abroad" && !abroad, r.Region == "within" && abroad:
		return false
	case r.Government:
		return p.government()
	case p.request.us && (r.ID == privateAnswer || r.ID == privateAppeal):
		return false // the question is about the United States, for which the longer period stands
	}

	return true
}

// Rules whose period is longer where the United States is the party.
const (
	privateAnswer    = "answer_complaint"
	governmentAnswer = "answer_us"
	privateAppeal    = "appeal_civil"
)

// government reports whether the United States, an agency or an officer of it is a party, as the question, a caption
// or a service says.
func (p *periods) government() bool {
	return p.request.us || p.dossier.Government || p.has(facts.ComplaintServedOnUS)
}

// begins reports whether a rule runs from an event. The time of the United States to answer runs from service on its
// attorney, which a text that names the United States as the one served is taken to report.
func (p *periods) begins(r procedure.Rule, t trigger, e occurrence) bool {
	return slices.Contains(t.from, e.Name) ||
		r.ID == governmentAnswer && e.Name == facts.ComplaintServed && p.government()
}

// remaining returns the last day to answer the original complaint, for the party of an event or of the only answer
// there is; zero when that is not known.
func (p *periods) remaining(e occurrence) time.Time {
	var last time.Time

	for _, x := range p.list {
		answersComplaint := x.event.Name != facts.CounterclaimServed && strings.HasPrefix(x.Rule.ID, "answer_")
		mayConcern := e.Who == "" || x.event.Who == "" || x.event.Who == e.Who
		if answersComplaint && mayConcern && x.TriggerOn.Before(e.Date.Time()) && x.DueOn.After(last) {
			last = x.DueOn
		}
	}

	return last
}

// has reports whether one of the events is known, be its day certain or not.
func (p *periods) has(names ...string) bool {
	return slices.ContainsFunc(slices.Concat(p.events, p.unsettled), func(e occurrence) bool {
		return slices.Contains(names, e.Name)
	})
}

func (p *periods) runsFrom(trigger string) bool {
	return slices.ContainsFunc(p.book.Rules, func(r procedure.Rule) bool {
		return strings.EqualFold(r.Trigger, trigger)
	})
}

func (p *periods) runsFromEvent(name string) bool {
	return slices.ContainsFunc(p.book.Rules, func(r procedure.Rule) bool {
		t, ok := triggerOf(r.Trigger)
		return ok && slices.Contains(t.from, name)
	})
}

func (p *periods) computedFor(r procedure.Rule) bool {
	return slices.ContainsFunc(p.list, func(x period) bool { return x.Rule.ID == r.ID })
}

// answers reports whether a period that the question asks for was computed.
func (p *periods) answers() bool {
	return slices.ContainsFunc(p.list, func(x period) bool { return x.asked })
}

// text writes the computed deadlines with their steps, sources and assumptions; what a question does not ask for beside
// what it does, in a line each. clean says whether a row may be shown.
func (p *periods) text(today time.Time, n *layout.Notes, clean func(string) bool) string {
	var b strings.Builder
	if len(p.list) == 0 && len(p.book.Rules) == 0 {
		return "No deadline was computed from rules of procedure: none are built in for this forum, " +
			"and the firm has loaded none.\n\n"
	}
	if len(p.list) == 0 {
		return "No deadline was computed: " +
			"no event from which a period of the rules runs stands with its day in the files that were read.\n\n"
	}
	fmt.Fprintf(&b, "**Computed from rules of procedure** (today is %s)\n\n", today.Format(time.DateOnly))
	// A question gets its answer with all steps, and the rest in a line each.
	answers := p.answers()
	shown := slices.DeleteFunc(slices.Clone(p.list), func(x period) bool { return answers && !x.asked })

	shared := sharedBy(shown)
	for _, x := range shown {
		// A row whose steps cannot be shown keeps its day: to lose a deadline is the worse harm.
		if row := x.line(today) + "\n" + x.grounds(n, shared); clean(row) {
			b.WriteString(row)
		} else {
			fmt.Fprintf(&b, "%s%s (the steps are not shown: on one line they could be read as an identity)\n",
				x.line(today), x.event.marks(n),
			)
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(&b, "\nAll of these assume: %s.\n", layout.Escape(strings.Join(shared, "; ")))
	}
	if len(shown) == len(p.list) {
		return b.String() + "\n"
	}
	b.WriteString("\n**Computed besides**, without their steps\n\n")

	for _, x := range p.list {
		if !x.asked {
			b.WriteString(x.line(today) + x.event.marks(n) + "\n")
		}
	}

	return b.String() + "\n"
}

// sharedBy returns the assumptions that all of several deadlines make.
func sharedBy(list []period) []string {
	if len(list) < 2 {
		return nil
	}

	return slices.DeleteFunc(slices.Clone(list[0].Assumptions), func(a string) bool {
		return slices.ContainsFunc(list, func(x period) bool { return !slices.Contains(x.Assumptions, a) })
	})
}

// line names a deadline: its day, what is due, from whom, and by which rule.
func (x period) line(today time.Time) string {
	return fmt.Sprintf("- **%s**, %s: %s, %s",
		x.ends.Safe.Format(time.DateOnly), relativeDay(today, x.ends.Safe), layout.Escape(x.act()),
		layout.Escape(x.Rule.Citation),
	)
}

// act is what is due, and from whom where the event tells.
func (x period) act() string {
	if x.Rule.Unconcerned || x.event.Who == "" {
		return x.Rule.Act
	}

	return x.Rule.Act + " (" + x.event.Who + ")"
}

// grounds are the event, the steps and the assumptions of a deadline, without the shared ones.
func (x period) grounds(n *layout.Notes, shared []string) string {
	own := slices.DeleteFunc(slices.Clone(x.Assumptions), func(a string) bool { return slices.Contains(shared, a) })
	assumes := ""
	if len(own) > 0 {
		assumes = "  - Assumes: " + layout.Escape(strings.Join(own, "; ")) + ".\n"
	}

	return fmt.Sprintf(
		"  - From: %s\n  - Steps: %s\n%s%s",
		x.event.told(n),
		layout.Escape(strings.Join(x.Steps, " ")),
		later(x.ends),
		assumes,
	)
}

// told names the place that reports an event, and quotes it.
func (e occurrence) told(n *layout.Notes) string {
	if len(e.at) == 0 {
		return "your question, “" + layout.Escape(e.raw) + "”"
	}
	p := e.at[0]

	return fmt.Sprintf("%s%s: %s", layout.Where(p), e.marks(n), layout.Sentence(p))
}

// marks numbers the places of an event.
func (e occurrence) marks(n *layout.Notes) string {
	var sources []api.SourceRef
	// A docket can report one event in a hundred places.
	for _, place := range e.at[:min(len(e.at), mostTriggerPlaces)] {
		sources = append(sources, place.Sources()...)
	}

	return n.Mark(sources...)
}

const mostTriggerPlaces = 3 // of one event that are shown

// relativeDay describes a day relative to today: "past", "today" or "in 3 days".
func relativeDay(today, day time.Time) string {
	switch days := facts.DaysFrom(today, day); {
	case days < 0:
		return "past"
	case days == 0:
		return "today"
	default:
		return "in " + wording.Count(days, "day", "days")
	}
}

// entries are the computed deadlines for the timeline, those to come: a proposal that is past would stay open for ever.
func (p *periods) entries(today time.Time, clean func(string) bool) (list []api.EntryContent, past int) {
	for _, x := range p.list {
		// A proposal that is past would stay open for ever.
		if facts.DaysFrom(today, x.ends.Latest) < 0 {
			past++
			continue
		}
		e := api.EntryContent{
			Kind: api.EntryDeadline, Title: layout.Cut(wording.Capital(x.act()), titleChars-1),
			Detail: strings.Join(x.Steps, " "),
			DueOn:  x.ends.Safe.Format(time.DateOnly), Certainty: "computed",
		}
		if !x.ends.Sure() {
			e.LatestOn = x.ends.Latest.Format(time.DateOnly)
		}
		// The day matters more than its steps, which are in the answer.
		if !clean(e.Detail) {
			e.Detail = ""
		}
		e.When = &api.When{On: e.DueOn, Precision: "day"}
		var source *api.SourceRef

		for _, place := range x.event.at[:min(len(x.event.at), mostTriggerPlaces)] {
			e.Sources = append(e.Sources, place.Sources()...)
		}
		if len(e.Sources) > 0 {
			source = &e.Sources[0]
		}
		e.Computation = x.Computation(source)
		list = append(list, e)
	}

	return list, past
}

// limits says what the computed deadlines leave out.
func (p *periods) limits() []string {
	list := slices.Clone(p.book.Limits)
	if len(p.list) > 0 {
		list = append(list, "Computed days follow the rules named, as far as the events stand with their day in "+
			"the files or the question; local rules, orders and agreements of the parties were not looked at, "+
			"and each day rests on its assumptions.")
	} else {
		list = append(list, "Days are computed only from events that the files or the question report with their day.")
	}
	if p.older > 0 {
		since := procedure.InForce.Format(time.DateOnly)
		list = append(list, wording.Count(p.older, "event", "events")+" before "+since+" gave no deadline: "+
			"the built-in periods are those in force since then.")
	}
	if p.hours > 0 {
		list = append(list, wording.Count(p.hours, "period in hours was", "periods in hours were")+
			" not computed: texts give the day of an event and not its moment.")
	}
	if len(p.list) >= mostPeriods {
		list = append(list, fmt.Sprintf("No more than %d deadlines are computed for one answer.", mostPeriods))
	}

	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
