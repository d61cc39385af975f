package facts

import (
	"cmp"
	"slices"
	"strings"
)

// Standing says what a day of a text is.
type Standing string

// The standings of a day.
const (
	LastDay Standing = "last day" // to do something
	Appear  Standing = "appear"   // a hearing, conference, trial, deposition or the like
	Done    Standing = "done"     // something was filed, served, signed or decided on it
	Listed  Standing = "listed"   // nothing tells what it is
)

const (
	clauseReach = 600 // bytes to either side of a date in which its clause is looked for
	tailWords   = 8   // words before a date that can join it to what it is for
)

// agenda finds what each day of a text is: those by which something must be done and those on which somebody must
// appear, those that nothing tells, and the periods that run to or from another event. seen are the other dates: days
// of what was done, and months without a day; so that no date is lost. taken are the deadlines that were found already;
// they keep their place.
func agenda(text string, dates []Date, kind Kind, taken []Deadline) (duties, others, seen []Deadline) {
	// The order matters: each of these leaves out what an earlier one has found.
	duties = append(slices.Clone(taken), relatives(text, dates, taken)...)
	duties = append(duties, begun(text, dates)...)
	duties = append(duties, windows(text, duties)...)
	duties = append(duties, setPeriods(text, duties)...)
	slices.SortStableFunc(duties, func(a, b Deadline) int { return a.Start - b.Start })
	// Where a date begins, to the deadline that was found for it.
	at := map[int]int{}
	done := map[int]bool{}
	// Where those dates begin by or on which something must be done.
	due := map[int]bool{}

	for i, x := range duties {
		if x.HasDate && !x.Computed {
			at[x.Date.Start] = i
		}
	}
	counted := eventsOf(duties)
	var before *reading

	for i, d := range dates {
		// A day within an event is only what its period counts from: listed by itself it would look like another one.
		if counted.hold(d.Span) {
			continue
		}
		if d.Day == 0 {
			clause := clauseOf(text, d.Span)
			seen = append(seen, Deadline{Span: d.Span, Set: d.Span, Date: d, HasDate: true, Clause: clause})

			continue
		}
		r := readDay(text, dates, i, kind, before)
		before = &r

		known, ok := at[d.Start]

		due[d.Start] = r.standing == LastDay || r.standing == Appear || ok && r.standing == Listed
		switch {
		case ok && r.standing == Done:
			done[known] = true
			seen = append(seen, r.deadline())
		case ok && r.moved:
			done[known], due[d.Start] = true, false
			others = append(others, r.deadline())
		case ok:
			r.complete(&duties[known])
		case r.standing == Listed:
			others = append(others, r.deadline())
		case r.standing == Done:
			seen = append(seen, r.deadline())
		default:
			duties = append(duties, r.deadline())
		}
	}
	ahead := dutiesAhead(text, dates, kind, counted)
	duties = append(duties, ahead...)
	// Only now is it known for all days whether something is due on them, which narrated asks.
	kept := duties[:0]

	for i, x := range duties {
		if done[i] {
			continue
		}
		if x.Told = x.narrated(text, due) || x.told(text) || x.measures(text); x.Told {
			x.Clause = clauseOf(text, x.Span)
			others = append(others, x)

			continue
		}
		// Nothing says how long the period is, so what is left of it is its first day.
		if x.Begun && x.Period == 0 {
			others = append(others, x.firstDay(ahead)...)

			continue
		}
		if x.Period > 0 && x.Clock.End == 0 {
			x.Clause = clauseOf(text, x.Span)
			x.Clock = hourOfPeriod(text, x)
		}
		kept = append(kept, x)
	}
	// The added periods stand behind the others. Readers of the list expect the order of the text.
	slices.SortStableFunc(kept, func(a, b Deadline) int { return a.Start - b.Start })

	return kept, others, seen
}

// windows returns the other ends of the periods that two numbers bound, and says which end each of them is.
func windows(text string, duties []Deadline) []Deadline {
	var list []Deadline

	for i := range duties {
		if other, ok := duties[i].window(text); ok {
			list = append(list, other)
		}
	}

	return list
}

// spans are stretches of a text in their order.
type spans []Span

// eventsOf returns the events from which periods count.
func eventsOf(list []Deadline) spans {
	var events spans

	for _, x := range list {
		if (x.Period > 0 || x.Begun) && x.Event.End > x.Event.Start {
			events = append(events, x.Event)
		}
	}
	slices.SortFunc(events, func(a, b Span) int { return a.Start - b.Start })

	return events
}

// hold reports whether one of the stretches holds s. They may overlap a little, so a few before s are looked at.
func (l spans) hold(s Span) bool {
	n, _ := slices.BinarySearchFunc(l, s.Start+1, func(x Span, start int) int { return x.Start - start })
	for _, x := range l[max(0, n-overlapping):n] {
		if x.Start <= s.Start && s.End <= x.End {
			return true
		}
	}

	return false
}

const overlapping = 4 // stretches that may begin before a date within one sentence

// reading is what the words around a date say of it.
type reading struct {
	text     string
	date     Date
	clause   Span
	left     []string // words of the clause before the date, from the date before it on
	lead     []string // all words of the clause before the date
	right    []string // words between the date and the next one
	tail     []string // the last words before the date, without weekday and time of day
	standing Standing
	moved    bool     // the day no longer counts
	was      Standing // what a day is that no longer counts
	more     bool     // another date follows within the clause
	clock    Span
	place    Span
	kind     Kind
	headed   bool // the clause is an entry of a list or table: what, then when
	tabled   bool // the column of a table tells what the day is
	term     bool // a contract or the like begins or ends on the day
}

// readDay reads the clause of the date at i. before is what was read of the date before it.
func readDay(text string, dates []Date, i int, kind Kind, before *reading) reading {
	d := dates[i]
	r := reading{text: text, date: d, kind: kind, clause: clauseOf(text, d.Span)}
	from, to := r.clause.Start, r.clause.End
	// Words belong to the date that they stand beside: of several in a clause each has its own stretch.
	if i > 0 && dates[i-1].End > from {
		from = min(dates[i-1].End, d.Start)
	}
	if i+1 < len(dates) && dates[i+1].Start < to {
		to, r.more = max(dates[i+1].Start, d.End), true
	}
	r.clock = clockNear(text, d.Span, Span{from, to})
	if r.clock.End == 0 {
		// "on 14, 15 and 16 June at 10 am" gives the hour once, behind the last day.
		r.clock = clockOfRun(text, dates, i, r.clause)
	}
	r.place = placeNear(text, Span{d.End, to})
	// The last date of a clause may have its room before it: "in Courtroom 4 on May 3".
	if r.place.End == 0 && (i+1 == len(dates) || dates[i+1].Start >= r.clause.End) {
		r.place = placeNear(text, r.clause)
	}
	r.left = plainWords(text[from:d.Start])
	// Most clauses have one date, and so one stretch before it.
	if r.lead = r.left; from != r.clause.Start {
		r.lead = plainWords(text[r.clause.Start:d.Start])
	}
	r.right = plainWords(withoutClocks(text[d.End:to]))
	r.tail = tailOf(text[from:d.Start])
	r.headed = introduced(text[from:d.Start])
	if c, ok := cellOf(text, d); ok {
		r.standing = r.inCell(c, from, to, before)
		r.tabled = r.standing != ""
	}

	switch {
	case r.tabled:
	case r.follows(before) && !r.endsSpan(before):
		r.standing = before.standing // "on May 3 and May 10, 2027"
	default:
		r.standing = r.judge(before)
	}
	if r.standing == Done {
		r.standing = cmp.Or(r.supposed(), Done)
	}
	if r.standing == Listed && r.undone() {
		r.standing = LastDay
	}
	if r.standing == Done && r.besideCell() {
		r.standing = Listed
	}
	if r.standing == Listed && r.replaces(before) {
		r.standing = before.was
	}
	if r.gone() {
		r.moved, r.was, r.standing = true, r.standing, Listed
	} else if hour := r.newHour(); hour.End > 0 {
		r.clock = hour
	}

	return r
}

// besideCell reports whether the day stands alone in a cell below a head that does not tell: what the other cells
// of its row say was done need not be what the day is of.
func (r *reading) besideCell() bool {
	c, ok := cellOf(r.text, r.date)
	if !ok || r.tabled {
		return false
	}
	before, behind := r.text[c.Start:r.date.Start], r.text[r.date.End:max(r.date.End, c.End)]

	return len(plainWords(before))+len(plainWords(behind)) == 0
}

// replaces reports whether the day is the one to which the day before it, in the same clause, was moved.
func (r *reading) replaces(before *reading) bool {
	if before == nil || !before.moved || before.clause != r.clause {
		return false
	}

	return before.was == LastDay || before.was == Appear
}

// follows reports whether the day is one of a list with the day before it, and is what that one is.
func (r *reading) follows(before *reading) bool {
	if before == nil || before.moved || before.tabled || before.clause != r.clause {
		return false
	}
	// A damaged text can hold dates that overlap, hence the smaller of the two ends.
	between := r.text[min(before.date.End, r.date.Start):r.date.Start]
	if before.standing == Done && strings.TrimSpace(between) == "to" && r.dutiful() {
		return false // "the deadline was shortened from May 10 to May 4"
	}

	return !partsCells(between) && joinedDays(between)
}

// dutiful reports whether the clause before the day orders something or names a hearing.
func (r *reading) dutiful() bool { return r.ordered() || r.names(r.lead, hearingWords) }

// judge says what the day is, by the words nearest to it first.
func (r *reading) judge(before *reading) Standing {
	words := daysLexicon()
	// A report comes first: its clause may have a word of duty that concerns another day.
	if r.behind() || r.named() || r.recital() {
		return Done
	}
	if said := r.termed(before); said != "" {
		r.term = true
		return said
	}
	// "Ordered that" and the like open a clause and say nothing of its day.
	r.left = r.left[words[openingWords].leading(r.left):]
	r.lead = r.lead[words[openingWords].leading(r.lead):]
	fixed := r.aimed() || words[appearWords].ends(r.tail)
	done, doneWords := words[doneWords].last(r.left)
	if done >= 0 && r.left[len(r.left)-1] == "vom" && slices.Contains(r.right, "bis") {
		// "vom 3. Mai bis zum 5. Mai" is a stretch of days and not the day of a paper.
		done = -1
	}
	if done >= 0 && r.pending(done) {
		done = -1
	}
	duty, _ := words[dutyWords].last(r.left)
	if r.toldDuty(duty) {
		duty = -1
	}
	// A participle counts only close to the day, and not where an order stands behind it.
	if done >= 0 && done+doneWords >= len(r.left)-tailWords && duty < done && !fixed {
		return Done
	}
	if words[appearWords].ends(r.tail) && r.begins() {
		return r.ofStart()
	}
	if words[appearWords].ends(r.tail) && (r.sits() || !r.papersNearer()) {
		return Appear
	}
	if words[lastDayWords].ends(r.tail) {
		return LastDay
	}
	hearing := r.hearing()
	if said := r.reported(before, duty); said != "" {
		return said
	}
	if duty < 0 && !fixed && r.participled(hearing) {
		return Done
	}

	switch {
	case hearing:
		return Appear
	case duty >= 0, r.ordered():
		return LastDay
	case r.headed && r.names(r.left, thingWords), r.schedules() && (r.headed || r.names(r.left, thingWords)):
		return LastDay
	}

	return Listed
}

// ofStart says what a day is on which only something begins: LastDay where something is to be done by it.
func (r *reading) ofStart() Standing {
	if r.bound() || r.ordered() {
		return LastDay
	}

	return Listed
}

// toldDuty reports whether the word of a duty is the participle of a plain report, "was lodged on May 4". In doubt the
// day is a duty: "is to have been lodged", and what stands beside an order or a condition, "ordered that it was
// lodged".
func (r *reading) toldDuty(duty int) bool {
	if duty < 1 || !participle(r.left[duty]) {
		return false
	}
	before := r.left[duty-1:]
	if before[0] == "been" && duty > 1 {
		before = r.left[duty-2:]
	}

	return slices.Contains([]string{"was", "were", "had"}, before[0]) && !r.demanded()
}

// demanded reports whether the sentence of the day orders, asks for or promises something, or makes it conditional.
func (r *reading) demanded() bool {
	start := sentenceStart(r.text, r.date.Start, clauseReach)
	end := sentenceEnd(r.text, r.date.End, clauseReach)

	for _, part := range [...]string{r.text[start:r.date.Start], r.text[r.date.End:max(r.date.End, end)]} {
		words := plainWords(part)
		if r.names(words, orderWords) || r.names(words, promiseWords) || r.names(words, openWords) {
			return true
		}
	}

	return false
}

// pending reports whether what a participle at a word before the day says is not done yet, "shall be personally handed
// to the tenant on May 4", or the day is the last one for it, "by May 4" and "May 4 as the last day".
func (r *reading) pending(done int) bool {
	if daysLexicon()[limitWords].ends(r.tail) || len(r.right) > 0 && r.right[0] == "as" {
		return true
	}

	for at, w := range slices.Backward(r.left[:done]) {
		if slices.Contains(toBeDone, w) {
			return true
		}
		if w == "have" && r.modalBefore(at) {
			return true
		}
		if !strings.HasSuffix(w, "ly") && !slices.Contains(betweenVerbs, w) && !participle(w) {
			return false
		}
	}

	return false
}

// modalBefore reports whether a verb of what is not done yet stands before "have", whatever parts the two: "should, if
// possible, have reached the court".
func (r *reading) modalBefore(have int) bool {
	return slices.ContainsFunc(r.left[:have], func(w string) bool { return w != "to" && slices.Contains(toBeDone, w) })
}

// toBeDone are the words before a participle of what is not done yet; only adverbs and betweenVerbs stand between.
var (
	toBeDone = []string{
		"be", "to", "shall", "must", "will", "may", "can", "should", "might", "would", "could", "let",
	}
	betweenVerbs = []string{"have", "been", "also", "then", "first", "not", "and", "or", "either", "both", "all"}
)

// participled reports whether only a participle before the day says what was done, and nothing orders it: what was
// "served May 4" was done; what "shall be served May 4" must be. In "Hearing on the motion filed by [Party 1]: May 4"
// the participle is none of the day.
func (r *reading) participled(hearing bool) bool {
	at, n := daysLexicon()[participleWords].last(r.left)
	if at < 0 || at+n < len(r.left)-tailWords || r.ordered() || r.toHaveBeen(at-1) {
		return false
	}

	return !hearing || r.clock.End == 0 && !r.headed
}

// ordered reports whether the clause before the day, dates before it included, orders or promises something.
func (r *reading) ordered() bool { return r.names(r.lead, dutyWords) }

// schedules reports whether the paper is one that fixes days: what a pleading or a contract says a report of a day is
// none.
func (r *reading) schedules() bool {
	return r.kind == CourtOrder || r.kind == Notice || r.kind == AppealDoc
}

func (r *reading) names(words []string, section string) bool {
	at, _ := daysLexicon()[section].last(words)
	return at >= 0
}

// hearing reports whether the day is one to appear on: the nearest thing named before it is a hearing, or one is
// named and an hour given, or the day is fixed for one.
func (r *reading) hearing() bool {
	if r.forHearing() {
		return true
	}
	words := daysLexicon()
	if r.clock.End > 0 && slices.Contains(r.left, "appear") {
		return true // "shall appear before this court on May 4 at 9:00 a.m."
	}
	at, n := words[hearingWords].last(r.left)
	// Papers are lodged and exchanged, and hearings are not: "skeleton arguments were lodged on May 4".
	if duty, _ := words[dutyWords].last(r.left); duty > at && participle(r.left[duty]) {
		return false
	}
	if at < 0 && r.clock.End > 0 {
		at, n = words[hearingWords].last(r.lead)
		return at >= 0 && n > 0
	}
	if at < 0 {
		return false
	}
	// What is named last is what the day is for: a paper behind the hearing takes the day, unless an hour is given.
	paper, _ := words[thingWords].last(r.left)
	if paper < at || r.clock.End > 0 {
		return true
	}

	switch next := at + n; {
	case next >= len(r.left):
		return true
	default:
		return slices.Contains([]string{"on", "re", "regarding", "of", "for"}, r.left[next])
	}
}

// forHearing reports whether the words behind the day fix it for a hearing: "May 4, 2027 for trial".
func (r *reading) forHearing() bool {
	words := r.right
	if len(words) < 2 || words[0] != "for" {
		return false
	}
	if words[1] == "the" || words[1] == "a" || words[1] == "an" {
		words = words[1:]
	}

	return daysLexicon()[hearingWords].begins(words[1:])
}

// papersNearer reports whether a paper and no hearing stands next before the words that fix the day: "the report is
// set for May 4".
func (r *reading) papersNearer() bool {
	paper, _ := daysLexicon()[thingWords].last(r.lead)
	hearing, _ := daysLexicon()[hearingWords].last(r.lead)

	return paper > hearing && r.clock.End == 0
}

// deadline turns the reading into a deadline.
func (r *reading) deadline() Deadline {
	d := Deadline{Span: Span{r.date.Start, r.date.End}, Set: r.date.Span, Date: r.date, HasDate: true}
	r.complete(&d)

	return d
}

// Recurs reports whether the event of a period is one that a day of the same words need not be, such as a notice or a
// breach.
func (d Deadline) Recurs(text string) bool {
	words := plainWords(d.Event.In(text))
	at, _ := daysLexicon()[recurringWords].last(words)

	return at >= 0
}

// Words returns the words before the day of a deadline within its clause, in lower case, at most most of them: what
// the day is for.
func (d Deadline) Words(text string, most int) []string {
	if !d.HasDate || d.Clause.End == 0 {
		return nil
	}
	words := plainWords(text[d.Clause.Start:max(d.Clause.Start, d.Date.Start)])

	return words[:min(len(words), most)]
}

// Behind returns the words behind the day of a deadline within its clause, in lower case, at most most of them and none
// behind another date: what somebody must appear for can follow the day.
func (d Deadline) Behind(text string, most int) []string {
	if !d.HasDate || d.Clause.End <= d.Date.End {
		return nil
	}
	rest := text[d.Date.End:d.Clause.End]
	// What follows the next date belongs to that one.
	if dates := Dates(rest); len(dates) > 0 {
		rest = rest[:dates[0].Start]
	}
	words := plainWords(rest)

	return words[:min(len(words), most)]
}

// complete gives a deadline what the words around its date say besides.
func (r *reading) complete(d *Deadline) {
	d.Hearing = d.Hearing || r.standing == Appear
	d.Clause, d.Clock, d.Place, d.Moved = r.clause, r.clock, r.place, r.moved
	d.Opening = r.opening()
	// The words that set the deadline named a hearing; the words beside its day say that it is a last day.
	if r.standing == LastDay && !r.names(r.left, hearingWords) {
		d.Hearing = false
	}
}
