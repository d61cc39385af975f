package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// trigger is an event from which periods of the table run.
type trigger struct {
	name  string   // as rules name it
	title string   // in words
	asks  string   // the question for its day, with a place for whom it concerns
	from  []string // the events of texts that it is
	once  bool     // it happens once in a case, to one party: two days for it cannot both be right
}

// triggersKnown are the triggers of the federal table.
var triggersKnown = []trigger{
	{
		"service_complaint", "service of the summons and complaint",
		"On what date, and how, were the summons and complaint served%s?",
		[]string{facts.ComplaintServed},
		true,
	},
	{
		"service_us_attorney", "service on the United States attorney",
		"On what date was the United States attorney served%s?",
		[]string{facts.ComplaintServedOnUS},
		true,
	},
	{
		"waiver_request", "sending of the request to waive service",
		"On what date was the request to waive service sent%s?",
		[]string{facts.WaiverRequested},
		true,
	},
	{
		"complaint_filed", "filing of the complaint",
		"On what date was the complaint filed%s?",
		[]string{facts.ComplaintFiled},
		true,
	},
	{
		"receipt_complaint", "service or receipt of the complaint",
		"On what date was the complaint served or received%s?",
		[]string{facts.ComplaintReceived, facts.ComplaintServed},
		true,
	},
	{
		"motion_denied", "notice of the denial of the motion under Rule 12",
		"On what date was notice given that the motion was denied%s?",
		[]string{facts.MotionDenied},
		false,
	},
	{
		"service_counterclaim", "service of the counterclaim or crossclaim",
		"On what date, and how, was the counterclaim served%s?",
		[]string{facts.CounterclaimServed},
		false,
	},
	{
		"service_response", "service of the answer or motion",
		"On what date, and how, was the answer or the motion under Rule 12 served%s?",
		[]string{facts.AnswerServed, facts.MotionServed},
		false,
	},
	{
		"service_last_pleading", "service of the last pleading",
		"On what date was the last pleading served%s?",
		[]string{facts.AnswerServed},
		false,
	},
	{
		"service_amended", "service of the amended pleading",
		"On what date, and how, was the amended pleading served%s?",
		[]string{facts.AmendedServed},
		false,
	},
	{
		"conference_26f", "conference under Rule 26(f)",
		"On what date was the conference under Rule 26(f) held%s?",
		[]string{facts.ConferenceHeld},
		true,
	},
	{
		"service_interrogatories", "service of the interrogatories",
		"On what date, and how, were the interrogatories served%s?",
		[]string{facts.InterrogatoriesServed},
		false,
	},
	{
		"service_rfp", "service of the requests for production",
		"On what date, and how, were the requests for production served%s?",
		[]string{facts.ProductionRequested},
		false,
	},
	{
		"service_rfa", "service of the requests for admission",
		"On what date, and how, were the requests for admission served%s?",
		[]string{facts.AdmissionsRequested},
		false,
	},
	{
		"judgment_entered", "entry of the judgment",
		"On what date was the judgment entered%s?",
		[]string{facts.JudgmentEntered},
		true,
	},
	{
		"removal_filed", "filing of the notice of removal",
		"On what date was the notice of removal filed%s?",
		[]string{facts.RemovalFiled},
		true,
	},
}

// triggerOf returns the trigger that a rule names, by its name or in its words; ok is false for one that texts are not
// searched for.
func triggerOf(name string) (trigger, bool) {
	for _, t := range triggersKnown {
		if strings.EqualFold(name, t.name) || strings.EqualFold(name, t.title) {
			return t, true
		}
	}

	return trigger{}, false
}

// titleOfEvent names an event in words.
func titleOfEvent(name string) string {
	for _, t := range triggersKnown {
		if slices.Contains(t.from, name) {
			return t.title
		}
	}

	return name
}

// request is what the prompt says of events and asks of periods.
type request struct {
	events   []facts.Event
	raw      []string // their dates as they stand in the prompt
	asked    []procedure.Rule
	supposed bool // the prompt supposes its events rather than reporting them
	abroad   bool
	us       bool // it speaks of the United States as a party
}

// requestOf reads a prompt. "Served on March 2, 2026 by mail: when is the answer due?" reports a service, of what the
// question is about.
func requestOf(prompt string, rules []procedure.Rule) request {
	lower := strings.ToLower(prompt)
	var q request

	for _, r := range rules {
		if slices.ContainsFunc(r.Asked, func(w string) bool { return wordsStand(lower, w) }) {
			q.asked = append(q.asked, r)
		}
	}
	text := statement(prompt)
	q.events = facts.Events(text, facts.Dates(text), "", true)
	// Where blanking the question has taken the event out with it, the whole prompt is read.
	if len(q.events) == 0 {
		text = prompt
		q.events = facts.Events(text, facts.Dates(text), "", true)
	}

	for i := range q.events {
		e := &q.events[i]
		if e.Unnamed {
			e.Name, e.Unnamed = q.served(), false
		}
		q.raw = append(q.raw, facts.Fold(e.Date.In(text)))
	}

	for _, w := range [...]string{"if", "assume", "assuming", "suppose", "supposing", "were to", "would"} {
		q.supposed = q.supposed || wordsStand(lower, w+" ")
	}
	q.abroad = wordsStand(lower, "abroad") || wordsStand(lower, "outside the united states")
	// "outside the United States" names a place and no party.
	q.us = !q.abroad && facts.NamesGovernment(prompt) || wordsStand(lower, "united states attorney")

	return q
}

// served returns the event that "served" means in a prompt that does not name the paper: that from which an asked
// period runs, else the service of the complaint.
func (q request) served() string {
	first := ""

	for _, r := range q.asked {
		t, ok := triggerOf(r.Trigger)
		switch {
		case !ok || !strings.HasPrefix(t.from[0], "service_"):
		// The complaint is what is served without saying so; another paper counts only where nothing asked runs from
		// the complaint.
		case t.from[0] == facts.ComplaintServed:
			return facts.ComplaintServed
		case first == "":
			first = t.from[0]
		}
	}
	if first == "" {
		return facts.ComplaintServed
	}

	return first
}

func (q request) asksFor(r procedure.Rule) bool {
	return slices.ContainsFunc(q.asked, func(a procedure.Rule) bool { return a.ID == r.ID })
}

// wordsStand reports whether words stand in a text in lower case at the beginning of a word.
func wordsStand(lower, words string) bool {
	for from := 0; ; {
		at := strings.Index(lower[from:], words)
		if at < 0 {
			return false
		}
		at += from
		if at == 0 || lower[at-1] < 'a' || lower[at-1] > 'z' {
			return true
		}
		from = at + 1
	}
}

// statement is a prompt with its question blanked out, byte for byte in place: "when is the answer due" serves nothing.
func statement(prompt string) string {
	lower := strings.ToLower(prompt)
	// Some letters change their length in lower case, and places in one text are no longer those in the other.
	if len(lower) != len(prompt) {
		return prompt // letters whose small form is longer
	}
	out := []byte(prompt)

	for i := 0; i < len(lower); {
		if i > 0 && lower[i-1] >= 'a' && lower[i-1] <= 'z' || !asks(lower[i:]) {
			i++
			continue
		}

		end := i + questionEnd(lower[i:])
		for ; i < end; i++ {
			// The ends of lines and sentences stay, since events are read sentence by sentence.
			if out[i] != '\n' && out[i] != '.' {
				out[i] = ' '
			}
		}
		i = max(i, end)
		if i < len(lower) {
			i++
		}
	}

	return string(out)
}

func asks(rest string) bool {
	for _, w := range [...]string{
		"when ", "by when", "what ", "which ", "how long", "how many", "how much", "until when", "deadline to",
		"deadline for",
	} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}

	return false
}

// questionEnd returns where a question ends: at a mark, or at words that tell what happened.
func questionEnd(rest string) int {
	end := len(rest)
	for _, mark := range [...]string{
		",", ":", ";", "?", "\n", " if ", " given ", " assuming ", " served", " entered", " received", " denied",
		" after ", " where ",
	} {
		if at := strings.Index(rest, mark); at > 0 {
			end = min(end, at)
		}
	}

	return end
}

// open asks for what a computation lacks: days that are not certain, days that contradict each other, and days that
// nothing gives though the case makes the period likely.
func (p *periods) open(h holdings) []string {
	var list []string
	add := func(format string, args ...any) {
		if q := fmt.Sprintf(format, args...); !slices.Contains(list, q) {
			list = append(list, q)
		}
	}

	for _, e := range p.unsettled {
		title := titleOfEvent(e.Name) + concerning(e.Who)
		switch {
		case e.Date.Ambiguous:
			add("On which day was the %s: %s or %s?", title, e.Date, e.Date.Swapped())
		case e.Date.Day == 0:
			add("On which day of %s was the %s?", e.Date, title)
		case e.About:
			add("Was the %s on %s? The text says that it was about then.", title, e.Date)
		default:
			add("Was the %s on %s? That day is still to come.", title, e.Date)
		}
	}

	for _, c := range p.conflicts() {
		add("%s", c)
	}

	for _, e := range p.events {
		if e.Name == facts.ComplaintServed && p.sues(e.Who) {
			add("The files have %s as plaintiff: was the complaint served on it, or by it on another party?", e.Who)
		}
	}

	for _, t := range p.missing(h) {
		add("%s", t)
	}

	return list
}

// sues reports whether the files have a label as the one who sues.
func (p *periods) sues(label string) bool {
	return slices.ContainsFunc(p.dossier.Parties(), func(l casereading.Label) bool {
		return l.String() == label && (l.Role == "plaintiff" || l.Role == "petitioner" || l.Role == "claimant")
	})
}

func concerning(who string) string {
	if who == "" {
		return ""
	}

	return " on " + who
}

// conflicts asks which of two days for the same event is right.
func (p *periods) conflicts() []string {
	var list []string

	for _, t := range triggersKnown {
		days := map[string][]string{}

		for _, e := range p.events {
			day := e.Date.String()
			// An event that can happen again may well have two days.
			if t.once && e.Name == t.from[0] && !slices.Contains(days[e.Who], day) {
				days[e.Who] = append(days[e.Who], day)
			}
		}

		for _, who := range sortedKeys(days) {
			if d := days[who]; len(d) > 1 {
				list = append(list, fmt.Sprintf("The texts give %s for the %s: which day is right?",
					strings.Join(d, " and "), t.title+concerning(who)))
			}
		}
	}

	return list
}

// missing asks for the days of triggers that the question or the files make likely and that nothing gives.
func (p *periods) missing(h holdings) []string {
	var list []string
	ask := func(name string, whom ...string) {
		t, ok := triggerOf(name)
		if !ok || !p.runsFrom(name) || p.has(t.from...) {
			return
		}
		if len(whom) == 0 {
			whom = []string{""}
		}

		for _, w := range whom {
			list = append(list, fmt.Sprintf(t.asks, concerning(w)))
		}
	}
	// Where one of the periods asked for was computed, its day is known, and that of the others is not worth a
	// question.
	if !slices.ContainsFunc(p.request.asked, func(r procedure.Rule) bool { return p.computedFor(r) }) {
		for _, r := range p.request.asked {
			ask(r.Trigger)
		}
	}

	// A case in which somebody was served or has answered is past these questions.
	served := p.has(facts.ComplaintServed, facts.ComplaintServedOnUS, facts.WaiverRequested, facts.AnswerServed)
	for _, f := range p.dossier.Files {
		switch f.Title {
		case "complaint", "class action complaint", "third-party complaint":
			if !served && !p.answered() {
				ask("service_complaint", p.defendants()...)
				ask("complaint_filed")
			}
		case "judgment":
			ask("judgment_entered")
		}
	}

	for _, f := range h.readable {
		switch f.DocType {
		case "interrogatories":
			ask("service_interrogatories")
		case "rfp":
			ask("service_rfp")
		case "rfa":
			ask("service_rfa")
		}
	}

	for _, r := range p.book.Rules {
		if _, known := triggerOf(r.Trigger); !known && p.request.asksFor(r) {
			list = append(list, fmt.Sprintf("On what date was this event: %s? From it runs the time to %s (%s).",
				r.Trigger, r.Act, r.Citation))
		}
	}

	return list
}

// answered reports whether a file is an answer.
func (p *periods) answered() bool {
	return slices.ContainsFunc(p.dossier.Files, func(f casereading.File) bool { return f.Title == "answer" })
}

const mostDefendants = 4 // who are asked after by label

// defendants returns the labels of who is sued, as far as the files say.
func (p *periods) defendants() []string {
	var list []string
	for _, l := range p.dossier.Parties() {
		if name := l.String(); l.Role == "defendant" && len(list) < mostDefendants {
			list = append(list, name)
		}
	}

	for _, f := range p.dossier.Files {
		if f.Kind == facts.Pleading && f.Second != "" && len(list) < mostDefendants &&
			!slices.Contains(list, f.Second) {
			list = append(list, f.Second)
		}
	}

	return list
}

// questions returns those that may be shown, as many as an answer holds.
func (j *job) questions(ctx context.Context, lists ...[]string) []string {
	var out []string
	for _, q := range slices.Concat(lists...) {
		// A question can repeat a party's label and a file's name, so the gate sees it too.
		if len(out) < mostQuestions && !slices.Contains(out, q) && j.clean(ctx, q) {
			out = append(out, q)
		}
	}

	return out
}

// bookFor returns the rules by which the deadlines of the case are computed.
func (j *job) bookFor(d *casereading.Dossier) (procedure.Book, error) {
	var jurisdiction string
	if c := j.Container.Case; c != nil {
		jurisdiction = c.Jurisdiction
	}
	system, at := d.Court(j.Container.Case)
	b, err := procedure.BookFor(system, jurisdiction, j.Container.DeadlineRules)
	if err != nil {
		// A mistake in the firm's file must not cost it the built-in rules.
		if b, err = procedure.BookFor(system, jurisdiction, (*api.DeadlineRules)(nil)); err != nil {
			return b, err
		}
		b.Limits = append(b.Limits, "The rule file of the firm holds a rule or a holiday that cannot be used; "+
			"it was left out as a whole.")
	}

	switch removable := system == "state" && (jurisdiction == "" || strings.HasPrefix(jurisdiction, "US")); {
	// Who asks for the federal rules by name gets them, with the assumption that they apply.
	case asksByName(j.Prompt):
		b = procedure.ByName(b)
	case removable && wordsStand(strings.ToLower(j.Prompt), "remov"):
		b = procedure.WithRemoval(b)
	case removable:
		b.Limits = append(b.Limits, "Whether the action can be removed to a federal court was not looked at; "+
			"the time for that is short. Ask: By when must the notice of removal be filed?")
	}
	if b.Federal && (at.FileID != "" || at.Withheld) {
		b.Assumes = append(b.Assumes, "the court is the one that the caption of "+at.FileName+" names")
	}

	return b, nil
}

// asksByName reports whether a question asks for the federal rules by their name.
func asksByName(prompt string) bool {
	lower := strings.ToLower(prompt)

	return slices.ContainsFunc(
		[]string{"frcp", "frap", "fed. r.", "federal rule", "federal law", "federal court", "federal procedure"},
		func(w string) bool { return wordsStand(lower, w) },
	)
}
