package facts

import (
	"regexp"
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
// appear, those that nothing tells, and the periods that run to or from another event. taken are the deadlines that
// were found already; they keep their place.
func agenda(text string, dates []Date, kind Kind, taken []Deadline) (duties, others []Deadline) {
	duties = append(slices.Clone(taken), relatives(text, dates, taken)...)
	duties = append(duties, begun(text, dates)...)
	duties = append(duties, windows(text, duties)...)
	duties = append(duties, setPeriods(text, duties)...)
	slices.SortStableFunc(duties, func(a, b Deadline) int { return a.Start - b.Start })
	at := map[int]int{} // where a date begins, to the deadline that was found for it
	done := map[int]bool{}
	due := map[int]bool{} // where a date begins by or on which something must be done

	for i, x := range duties {
		if x.HasDate && !x.Computed {
			at[x.Date.Start] = i
		}
	}
	counted := eventsOf(duties)
	var before *reading

	for i, d := range dates {
		if d.Day == 0 || counted.hold(d.Span) {
			continue
		}
		r := readDay(text, dates, i, kind, before)
		before = &r

		known, ok := at[d.Start]

		due[d.Start] = r.standing == LastDay || r.standing == Appear || ok && r.standing == Listed
		switch {
		case ok && r.standing == Done:
			done[known] = true
		case ok && r.moved:
			done[known], due[d.Start] = true, false
			others = append(others, r.deadline())
		case ok:
			r.complete(&duties[known])
		case r.standing == Listed:
			others = append(others, r.deadline())
		case r.standing != Done:
			duties = append(duties, r.deadline())
		}
	}
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
		if x.Begun && x.Period == 0 { // nothing says how long it is: the day alone
			day := x.Date.Span
			others = append(others, Deadline{Span: day, Set: day, Date: x.Date, HasDate: true, Clause: x.Clause})

			continue
		}
		if x.Period > 0 && x.Clock.End == 0 {
			x.Clause = clauseOf(text, x.Span)
			x.Clock = hourOfPeriod(text, x)
		}
		kept = append(kept, x)
	}
	slices.SortStableFunc(kept, func(a, b Deadline) int { return a.Start - b.Start })

	return kept, others
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
}

// readDay reads the clause of the date at i. before is what was read of the date before it.
func readDay(text string, dates []Date, i int, kind Kind, before *reading) reading {
	d := dates[i]
	r := reading{text: text, date: d, kind: kind, clause: clauseOf(text, d.Span)}
	from, to := r.clause.Start, r.clause.End
	if i > 0 && dates[i-1].End > from {
		from = min(dates[i-1].End, d.Start)
	}
	if i+1 < len(dates) && dates[i+1].Start < to {
		to, r.more = max(dates[i+1].Start, d.End), true
	}
	r.clock = clockNear(text, d.Span, Span{from, to})
	if r.clock.End == 0 {
		r.clock = clockOfRun(text, dates, i, r.clause)
	}
	r.place = placeNear(text, Span{d.End, to})
	if r.place.End == 0 && (i+1 == len(dates) || dates[i+1].Start >= r.clause.End) {
		r.place = placeNear(text, r.clause)
	}
	r.left = plainWords(text[from:d.Start])
	r.lead = plainWords(text[r.clause.Start:d.Start])
	r.right = plainWords(withoutClocks(text[d.End:to]))
	r.tail = tailOf(text[from:d.Start])
	r.headed = introduced(text[from:d.Start])
	if c, ok := cellOf(text, d); ok {
		r.standing = r.inCell(c, from, to, before)
		r.tabled = r.standing != ""
	}

	switch {
	case r.tabled:
	case r.follows(before):
		r.standing = before.standing // "on May 3 and May 10, 2027"
	default:
		r.standing = r.judge(before)
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
	if r.behind() || r.named() || r.recital() {
		return Done
	}
	r.left = r.left[words[openingWords].leading(r.left):]
	r.lead = r.lead[words[openingWords].leading(r.lead):]
	fixed := r.aimed() || words[appearWords].ends(r.tail)
	done, doneWords := words[doneWords].last(r.left)
	if done >= 0 && r.left[len(r.left)-1] == "vom" && slices.Contains(r.right, "bis") {
		done = -1 // "vom 3. Mai bis zum 5. Mai": a stretch of days, and no day of a paper
	}
	if done >= 0 && r.pending(done) {
		done = -1
	}
	duty, _ := words[dutyWords].last(r.left)
	if done >= 0 && done+doneWords >= len(r.left)-tailWords && duty < done && !fixed {
		return Done
	}
	if words[appearWords].ends(r.tail) && !r.papersNearer() {
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

// pending reports whether what a participle at a word before the day says is not done yet, "shall be personally handed
// to the tenant on May 4", or the day is the last one for it, "by May 4" and "May 4 as the last day".
func (r *reading) pending(done int) bool {
	if daysLexicon()[limitWords].ends(r.tail) || len(r.right) > 0 && r.right[0] == "as" {
		return true
	}

	for _, w := range slices.Backward(r.left[:done]) {
		if slices.Contains(toBeDone, w) {
			return true
		}
		if !strings.HasSuffix(w, "ly") && !slices.Contains(betweenVerbs, w) && !participle(w) {
			return false
		}
	}

	return false
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
	if at < 0 || at+n < len(r.left)-tailWords || r.ordered() {
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
	if at < 0 && r.clock.End > 0 {
		at, n = words[hearingWords].last(r.lead)
		return at >= 0 && n > 0
	}
	if at < 0 {
		return false
	}
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
	if r.standing == LastDay && !r.names(r.left, hearingWords) {
		d.Hearing = false
	}
}

// clauseOf returns the clause of a date: its sentence, or its entry of a list or table.
func clauseOf(text string, d Span) Span {
	s := Span{sentenceStart(text, d.Start, clauseReach), sentenceEnd(text, d.End, clauseReach)}
	for i := d.Start; i > s.Start; i-- {
		if text[i-1] == '\n' && entryBreak(text, i) {
			s.Start = i
			break
		}
	}

	for i := d.End; i < s.End; i++ {
		if i > 0 && text[i-1] == '\n' && entryBreak(text, i) {
			s.End = i
			break
		}
	}

	if row := lineOf(text, d.Start); d.End <= row.End && edged(text, d) {
		s = Span{max(s.Start, row.Start), min(s.End, row.End)}
	}

	return trim(text, s)
}

// entryBreak reports whether the line at byte i begins an entry of its own: an item of a list, a row, or a line
// behind one that has ended.
func entryBreak(text string, i int) bool {
	at := i
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at == len(text) {
		return false
	}
	if text[at] == '|' || pointAt(text, i) || lettered(text, at) || rowBreak(text, i) {
		return true
	}

	end := i - 1
	for end > 0 && isSpace(text[end-1]) {
		end--
	}
	if end == 0 {
		return true
	}
	if !isUpper(text[at]) && !isDigit(text[at]) {
		return false
	}
	if tagged(text, at) {
		return true
	}
	c := text[end-1]

	return endsEntry(c) || end > 1 && isUpper(c) && isUpper(text[end-2])
}

// endsEntry reports whether a byte can be the last one of an entry, so that the next line begins another.
func endsEntry(c byte) bool { return strings.IndexByte(".;:)|]", c) >= 0 || isDigit(c) }

const longestTag = 90 // bytes of what stands before the colon of an entry

// tagged reports whether the line at byte i names a thing and then, behind a colon, says something of it.
func tagged(text string, i int) bool {
	line := text[i:min(len(text), i+longestTag)]
	if at := strings.IndexByte(line, '\n'); at >= 0 {
		line = line[:at]
	}

	return strings.Contains(line, ": ")
}

// lettered reports whether an item such as "A. " or "iv. " begins at byte i.
func lettered(text string, i int) bool {
	end := wordAt(text, i)
	if end == i || end+1 >= len(text) || text[end] != '.' || text[end+1] != ' ' {
		return false
	}

	return end == i+1 || strings.Trim(text[i:end], "ivxIVX") == ""
}

// introduced reports whether what stands before a date names a thing and then only parts it from its day: "Reply
// brief: ", "| Trial | ".
func introduced(before string) bool {
	trimmed := strings.TrimRight(before, " \t\n")
	for _, mark := range [...]string{":", "|", "..", "–", "—", "-"} {
		if strings.HasSuffix(trimmed, mark) {
			return true
		}
	}

	return false
}

const jointReach = 40 // bytes between two days of a list

// joinedDays reports whether only what joins the days of a list stands between two dates.
func joinedDays(between string) bool {
	if len(between) > jointReach {
		return false
	}

	switch strings.Join(plainWords(between), " ") {
	case "", "and", "or", "to", "through", "and on", "then", "und", "et", "y":
		return true
	}

	return false
}

var (
	placeForm = regexp.MustCompile(`\b(?:Courtroom|Hearing Room|Room|Department|Dept\.|Part|Chambers|Saal|Sitzungssaal|Raum|Salle|Sala|Floor|Suite)\s(?:No\.\s)?[0-9A-Z][0-9A-Za-z-]*`)
	dayNames  = regexp.MustCompile(`(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b,?|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|lundi|mardi|mercredi|jeudi|vendredi|samedi)\b,?`)
)

// Signs without which a text needs not be looked at for a room or the name of a day: that saves most of the work.
var (
	placeSigns = [...]string{"oom", "Dep", "Part ", "Chambers", "aal", "Raum", "Sal", "Floor", "Suite"}
	daySigns   = [...]string{
		"day",
		"DAY",
		"Day",
		"tag",
		"TAG",
		"abend",
		"woch",
		"undi",
		"ardi",
		"redi",
		"eudi",
		"amedi",
	}
)

func hasSign(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}

func placeNear(text string, within Span) Span {
	if within.Start >= within.End || !hasSign(within.In(text), placeSigns[:]) {
		return Span{}
	}
	at := placeForm.FindStringIndex(within.In(text))
	if at == nil {
		return Span{}
	}

	return Span{within.Start + at[0], within.Start + at[1]}
}

// tailOf returns the last words before a date, without the weekday, the time of day and the article that may stand
// between.
func tailOf(before string) []string {
	before = withoutClocks(before[max(0, len(before)-160):])
	if hasSign(before, daySigns[:]) {
		before = dayNames.ReplaceAllString(before, " ")
	}

	words := plainWords(before)
	for len(words) > 1 {
		switch last := words[len(words)-1]; {
		case last == "the", last == "den", last == "dem", last == "des", last == "le":
		case last == "on" && daysLexicon()[lastDayWords].ends(words[:len(words)-1]): // "by 4.00pm on"
		case last == "of" && words[len(words)-2] == "week":
			words = words[:len(words)-1]
		default:
			return words[max(0, len(words)-tailWords):]
		}
		words = words[:len(words)-1]
	}

	return words
}

// madeOn returns the day on which a paper says that it was made: the last that words say it of, else the only one that
// stands on a line of its own at the head or the foot, as that of a letter does. ok is false when it names none.
func madeOn(text string, dates []Date) (made Date, ok bool) {
	alone := 0

	for _, d := range slices.Backward(dates) {
		if d.Day == 0 || d.Ambiguous {
			continue
		}

		line := d.Start
		for line > 0 && d.Start-line < clauseReach && text[line-1] != '\n' {
			line--
		}
		words := plainWords(text[line:d.Start])
		if len(words) <= mostMadeWords && saysMade(words) {
			return d, true
		}
		edge := d.Start < headBytes || len(text)-d.End < footBytes
		if edge && len(words) <= mostPlaceWords && endsLine(text, d.End) {
			made, alone = d, alone+1
		}
	}

	return made, alone == 1
}

// saysMade reports whether the words of a line before a day say that the paper was made on it: the line begins with
// them, "IT IS SO ORDERED this", "Dated:", or says it of the paper, "this order was entered on".
func saysMade(words []string) bool {
	act, rest := ActIn(words, true)
	n := len(words)

	switch {
	case n == 0 || unsaidOf(words):
		return false
	case act == "making", act == "entry":
		if !joinsDay(words) {
			return false
		}
	case words[n-1] == "date":
	default:
		return act == "" && n > 1 && words[n-2] == "day" && words[n-1] == "of"
	}

	return ownPaper(rest) || !slices.ContainsFunc(rest, tellsWhat)
}

func unsaidOf(words []string) bool { return slices.ContainsFunc(words, unsaid) }

// endsLine reports whether nothing but marks stands between byte i and the end of its line.
func endsLine(text string, i int) bool {
	line, _, _ := strings.Cut(text[i:], "\n")
	return strings.Trim(line, " .,;*_\t\r") == ""
}

const (
	mostMadeWords = 8 // of a line before the day on which the paper was made

	mostPlaceWords = 2 // before the day of a letter: "Lyon, le"
	headBytes      = 600
	footBytes      = 300
)
