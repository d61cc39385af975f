package facts

import (
	"slices"
	"strings"
)

// Events of procedure from whose day a period can run.
const (
	ComplaintServed       = "service_complaint"
	ComplaintServedOnUS   = "service_us_attorney"
	ComplaintReceived     = "receipt_complaint"
	ComplaintFiled        = "complaint_filed"
	WaiverRequested       = "waiver_request"
	CounterclaimServed    = "service_counterclaim"
	AmendedServed         = "service_amended"
	AnswerServed          = "service_answer"
	MotionServed          = "service_motion" // one under Rule 12
	MotionDenied          = "motion_denied"  // one under Rule 12
	InterrogatoriesServed = "service_interrogatories"
	ProductionRequested   = "service_rfp"
	AdmissionsRequested   = "service_rfa"
	JudgmentEntered       = "judgment_entered"
	RemovalFiled          = "removal_filed"
	ConferenceHeld        = "conference_26f"
)

// Ways in which a paper was served; "" when the sentence does not say.
const (
	ByHand      = "personal"
	ByMail      = "mail"
	ByClerk     = "clerk"
	ByWire      = "electronic"
	ByAgreement = "consented" // courier, fax and the like, which need consent
)

// Event is an event of procedure that a sentence reports with its date. What a sentence orders, permits, denies or
// supposes is none.
type Event struct {
	Span           // from its words to its date, or the other way round
	Name    string // one of the events above
	Date    Date   // Day is 0 when only the month is named
	About   bool   // "on or about": the day is not certain
	Way     string // of service
	Who     string // the label of the party that was served, "" when the sentence names none
	Unnamed bool   // the sentence does not say what was served: it is taken for the complaint
	Abroad  bool   // the sentence speaks of a place outside the United States
}

const (
	eventSentence = 600 // bytes to either side of a date in which the sentence is looked for
	stamp         = 80  // bytes of a line that can be a stamp, such as "Filed: March 2, 2026"
	bindingReach  = 220 // bytes between the words of an event and its date
)

// Events returns the events that the sentences with a date report, in the order of the text. docType is the type on the
// file's record: a certificate of service speaks of "the foregoing", which is what the file is. supposed accepts events
// after "if", as in a question.
func Events(text string, dates []Date, docType string, supposed bool) []Event {
	var list []Event
	var own []string // papers that the file itself is
	named := false

	for next := 0; next < len(dates); {
		s := Span{
			sentenceStart(text, dates[next].Start, eventSentence),
			sentenceEnd(text, dates[next].End, eventSentence),
		}

		first := next
		for next < len(dates) && dates[next].Start < s.End {
			// The cut of a long sentence must not fall within a date, whose span would lie outside of it.
			s.End = max(s.End, dates[next].End) // a sentence cut at its longest may end within a date
			next++
		}
		if next == first {
			next++
			continue
		}
		lower := Lowered(s.In(text))
		// Most dated sentences report no such event. These stems let them go at once.
		if !holdsAny(
			lower, "serv", "mailed", "sent", "filed", "enter", "docketed", "remov", "deni", "deny", "26(f)", "receiv",
			"entry",
		) {
			continue
		}
		if !named {
			// What the file itself is costs a look at its titles, so it is asked for once and only when needed.
			own, named = papersOfFile(text, docType), true
		}
		r := report{text: text, at: s.Start, lower: lower, dates: dates[first:next], own: own, supposed: supposed}
		list = append(list, r.events()...)
	}

	return list
}

// Lowered is text in lower case as far as it is ASCII, byte for byte in place.
func Lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		switch {
		case isUpper(c):
			b[i] = c + 'a' - 'A'
		case isSpace(c):
			b[i] = ' '
		}
	}

	return string(b)
}

// report is one sentence under examination. Spans in it are bytes of the sentence.
type report struct {
	text     string
	at       int // where the sentence begins in the text
	lower    string
	dates    []Date
	own      []string
	supposed bool
}

// deed is a verb of the sentence with what belongs to it.
type deed struct {
	Span
	verb   string
	date   Date
	dated  bool
	about  bool
	papers []string
}

// verbs are the words that report an event, with the verb that each stands for.
var verbs = map[string]string{
	"served": "serve", "service": "serve",
	"mailed": "mail", "emailed": "email", "sent": "send",
	"filed":   "file",
	"entered": "enter", "docketed": "enter", "entry": "enter",
	"removed":  "remove",
	"denied":   "deny",
	"received": "receive",
	"held":     "confer", "conferred": "confer", "met": "confer", "conducted": "confer",
}

// events finds the verbs, binds dates and papers to each, and says what they report.
func (r report) events() []Event {
	var deeds []deed

	for i := 0; i < len(r.lower); {
		if !isLetter(r.lower[i]) {
			i++
			continue
		}
		end := wordAt(r.lower, i)
		if verb := verbs[r.lower[i:end]]; verb != "" && r.reports(Span{i, end}, verb) {
			deeds = append(deeds, deed{Span: Span{i, end}, verb: verb})
		}
		i = end
	}
	var list []Event

	for i := range deeds {
		left, right := 0, len(r.lower)
		if i > 0 {
			left = deeds[i-1].End
		}
		if i+1 < len(deeds) {
			right = deeds[i+1].Start
		}
		d := &deeds[i]
		r.bindDate(d, left, right)
		// One opening date can be that of several verbs: "On May 4 A filed the complaint and served it".
		if !d.dated && i > 0 && deeds[i-1].dated && r.spot(deeds[i-1].date).Start < deeds[i-1].Start {
			// "On May 4, 2026, A filed the complaint and served it"
			d.date, d.dated, d.about = deeds[i-1].date, true, deeds[i-1].about
		}
		d.papers = r.papersOf(*d, left, right)
		if len(d.papers) == 0 && i > 0 {
			// "filed the complaint and served it": the second verb speaks of the paper of the first.
			d.papers = deeds[i-1].papers
		}
		if d.dated {
			list = append(list, r.told(*d, left, right)...)
		}
	}

	return list
}

// reports whether a verb tells what happened, rather than what shall, may, or did not happen.
func (r report) reports(v Span, verb string) bool {
	before := r.lower[max(0, v.Start-60):v.Start]
	words := strings.FieldsFunc(before, partsLower)

	words = words[max(0, len(words)-3):]
	for i, w := range words {
		switch w {
		case "may":
			if i+1 == len(words) || !isDigit(words[i+1][0]) { // not the month
				return false
			}
		// "to serve" is yet to be done, while "sent to [Party 1] and served" has the word further away.
		case "to":
			if i+1 == len(words) {
				return false
			}
		case "shall", "must", "might", "will", "would", "should", "can", "could", "be", "not", "never", "unless",
			"cannot", "yet", "wasn't", "weren't", "hasn't":
			return false
		}
	}
	// What stands behind a condition may never have happened. A question supposes its events on purpose.
	if !r.supposed && holdsAny(r.lower[:v.Start], "if ", "unless", "whether") {
		return false
	}

	after := r.lower[v.End:]
	switch word := r.lower[v.Start:v.End]; {
	case word == "service":
		return holdsAny(
			after, "was made", "was effected", "was completed", "was accomplished", "was perfected", "was had",
			"occurred", "took place",
		) ||
			strings.HasSuffix(before, "date of ")
	case word == "entry":
		return strings.HasPrefix(after, " of") && holdsAny(after, "judgment")
	case word == "entered":
		return !strings.HasPrefix(after, " into")
	case word == "served":
		return !strings.HasPrefix(after, " as ") && !strings.HasPrefix(after, " time")
	case verb == "confer":
		return strings.Contains(r.lower, "26(f)")
	}

	return true
}

// partsLower reports whether a character parts words in lower case; digits and apostrophes belong to words.
func partsLower(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '\'':
		return false
	}

	return true
}

// spot returns where a date stands in the sentence.
func (r report) spot(d Date) Span { return Span{d.Start - r.at, d.End - r.at} }

// bindDate takes the first date behind the verb, else the last one before it, of those that can say when something
// happened.
func (r report) bindDate(d *deed, left, right int) {
	opening := r.opens(*d, left)

	for _, x := range r.dates {
		at := r.spot(x)
		// A date that is further away belongs to another clause of a long sentence.
		if at.Start < d.End || at.Start > min(right, d.End+bindingReach) {
			continue
		}
		if opening && right < len(r.lower) && joinsNext(r.lower[d.End:at.Start]) {
			break // "On May 4 A served B, and on May 6 A served C"
		}
		if about, ok := r.introduced(at, d.verb); ok {
			d.date, d.dated, d.about = x, true, about
			return
		}
	}

	// Before the verb the nearest date is the last one.
	for _, x := range slices.Backward(r.dates) {
		at := r.spot(x)
		if at.Start < left || at.Start < 0 || at.End > d.Start || at.End < d.Start-bindingReach {
			continue
		}
		if about, ok := r.introduced(at, d.verb); ok {
			d.date, d.dated, d.about = x, true, about
			return
		}
	}
}

// opens reports whether a date stands before a verb that can be its day: "On May 4, 2026 A served B".
func (r report) opens(d deed, left int) bool {
	return slices.ContainsFunc(r.dates, func(x Date) bool {
		at := r.spot(x)
		if at.Start < left || at.Start < 0 || at.End > d.Start || at.End < d.Start-bindingReach {
			return false
		}
		_, ok := r.introduced(at, d.verb)

		return ok
	})
}

// joinsNext reports whether the words between a verb and a date end the clause of the verb: what follows "and on" is
// another one.
func joinsNext(between string) bool {
	words := strings.TrimRight(between, " ")

	return strings.HasSuffix(words, "and on") || strings.HasSuffix(words, "and, on") ||
		strings.HasSuffix(words, "; on") ||
		strings.HasSuffix(words, "then on")
}

// introduced reports whether the words before a date let it be the day of an event, and whether they leave it open.
func (r report) introduced(date Span, verb string) (about, ok bool) {
	words := strings.FieldsFunc(r.lower[max(0, date.Start-40):date.Start], func(c rune) bool {
		return c < 'a' || c > 'z'
	})

	last := func(n int) string {
		if n > len(words) {
			return ""
		}

		return words[len(words)-n]
	}
	// The word right before a date tells whether something happened on it or is measured by it.
	switch last(1) {
	case "dated", "by", "before", "until", "till", "through", "to", "effective", "from", "since", "than", "after",
		"for", "deadline", "within", "of", "ending":
		return false, false
	case "about", "approximately", "around", "circa":
		return true, true
	case "on":
		switch last(2) {
		// "hearing on May 4" is the day of the hearing, not of the verb.
		case "hearing", "trial", "returnable", "scheduled", "set", "due", "noticed":
			return false, false
		case "conference":
			return false, verb == "confer"
		}
	}

	return false, true
}

// passive reports whether the verb tells what was done to what stands before it; "[Party 2] served on March 2, 2026" of
// a docket does.
func (r report) passive(v Span) bool {
	if strings.HasSuffix(r.lower[:v.Start], "] ") && holdsFirst(r.lower[v.End:], " on ") &&
		slices.ContainsFunc(r.dates, func(d Date) bool { return r.spot(d).Start == v.End+len(" on ") }) {
		return true
	}

	before := strings.TrimRight(r.lower[max(0, v.Start-24):v.Start], " ")
	for _, word := range [...]string{
		"was", "were", "been", "being", "was personally", "were personally", "was duly", "were duly",
		"was electronically", "was properly",
	} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}

	return false
}

// papersOf returns the papers that a verb speaks of: of a passive those before it, else those behind it, the other side
// when there are none.
func (r report) papersOf(d deed, left, right int) []string {
	v := d.Span
	if at := r.spot(d.date); d.dated && at.Start >= v.End &&
		!holdsFirst(r.lower[at.End:], " with ", " a copy", " the ", " by ") {
		right = min(right, at.Start) // what comes behind the date is another matter
	}
	before, after := r.papersIn(Span{left, v.Start}), r.papersIn(Span{v.End, right})
	// The nearest paper comes first, since the first one decides what was served.
	slices.Reverse(before) // the nearest first
	if r.passive(v) && len(before) > 0 || len(after) == 0 {
		return before
	}

	return after
}

func holdsFirst(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

func (r report) papersIn(s Span) []string {
	if s.Start >= s.End {
		return nil
	}

	return papers(r.lower[s.Start:s.End], r.own)
}

// told says what a verb with its papers reports.
func (r report) told(d deed, left, right int) []Event {
	span := Span{min(d.Start, r.spot(d.date).Start), max(d.End, r.spot(d.date).End)}
	e := Event{Span: Span{span.Start + r.at, span.End + r.at}, Date: d.date, About: d.about}
	e.Abroad = holdsAny(r.lower, "outside the united states", "outside any judicial district", "abroad")
	// Of several papers the nearest to the verb is its object; the others may be mentioned in passing.
	nearest := ""
	if len(d.papers) > 0 {
		nearest = d.papers[0]
	}

	switch d.verb {
	case "serve", "mail", "email", "send":
		return r.served(e, d, left, right)
	case "file":
		switch {
		case nearest == paperComplaint && r.inCourt():
			e.Name = ComplaintFiled
		case nearest == paperRemoval:
			e.Name = RemovalFiled
		// A stamp such as "FILED May 4" on a complaint names no paper: it is the one that bears it.
		case len(d.papers) == 0 && slices.Equal(r.own, []string{paperComplaint}) && len(r.lower) < stamp:
			e.Name = ComplaintFiled
		case slices.Contains(d.papers, paperForegoing) && holdsAny(r.lower, "ecf", "electronic filing"):
			return r.served(e, d, left, right)
		}
	case "enter":
		switch {
		case nearest == paperJudgment, nearest == "" && slices.Contains(r.own, paperJudgment):
			e.Name = JudgmentEntered
		case slices.Contains(d.papers, paperDenial) && slices.Contains(d.papers, paperMotion):
			e.Name = MotionDenied
		}
	case "deny":
		if nearest == paperMotion {
			e.Name = MotionDenied
		}
	case "remove":
		if holdsAny(r.lower, "court", "this action", "the action", "the case") {
			e.Name = RemovalFiled
		}
	case "receive":
		switch {
		case slices.Contains(d.papers, paperDenial) && slices.Contains(d.papers, paperMotion):
			e.Name = MotionDenied
		case nearest == paperComplaint:
			return r.received(e, d, left)
		}
	case "confer":
		e.Name = ConferenceHeld
	}
	if e.Name == "" {
		return nil
	}

	return []Event{e}
}
