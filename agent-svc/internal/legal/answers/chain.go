package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// anchor is a day of the case from or to which a stated period can run.
type anchor struct {
	on      time.Time
	words   map[string]bool // stems of its clause before the day
	behind  map[string]bool // of a day to appear, those behind it too
	what    string          // in words, for the chain
	at      casereading.Place
	file    string
	hearing bool
}

// chained is a stated period whose day follows from another day of the case.
type chained struct {
	casereading.Deadline
	from  []anchor
	ends  procedure.Span
	steps []string
	doubt string // why the day may be another one, "" when nothing speaks for it
}

// mostAnchors bounds the days that one event may be: words that fit more say too little.
const mostAnchors = 3

// chains computes the day of each stated period that runs to or from a day of the case; what is left has no such day.
// They are computed from the files as they stand, so that they move with the day from which they run.
func chains(d *casereading.Dossier, book procedure.Book) (list []chained, left []casereading.Deadline) {
	anchors := anchorsOf(d)

	for _, x := range d.Deadlines {
		if x.HasDate {
			continue
		}
		// A period whose first day nobody knows is not dropped: it is listed, and asked for.
		from, doubt := anchorsFor(x, anchors, d)
		if len(from) == 0 {
			left = append(left, x)
			continue
		}
		c := chained{Deadline: x, from: from, doubt: doubt}

		for i, a := range from {
			span, steps := procedure.Count(a.on, x.Period, x.Unit, x.Before, book.Federal, book.Days())
			if x.Bound == facts.Opens {
				// What may be done only from a day on is safe on the later of its readings.
				span = procedure.Span{Safe: span.Latest, Latest: span.Latest}
			}
			if x.Begun {
				span, steps = countBegun(a.on, x, book)
			}
			if i == 0 {
				c.ends = span
			}
			c.steps = append(c.steps, a.what+". "+strings.Join(steps, " "))
			// All days that the event may be count; the earliest leads, so that none is missed.
			c.ends = union(c.ends, span)
		}
		if len(from) > 1 {
			c.ends.Why = append(c.ends.Why, "the files name more than one day for "+quoted(x.What))
		}
		list = append(list, c)
	}
	// The nearest last day comes first: it is what a reader looks for.
	slices.SortStableFunc(list, func(a, b chained) int { return a.ends.Safe.Compare(b.ends.Safe) })

	return list, left
}

// countBegun counts a period from the day on which it begins. The safe reading counts that day as its first.
func countBegun(first time.Time, x casereading.Deadline, book procedure.Book) (procedure.Span, []string) {
	span, steps := procedure.Count(first, x.Period, x.Unit, false, book.Federal, book.Days())
	// Counted from the day before, the day on which the period begins is its first.
	with, _ := procedure.Count(first.AddDate(0, 0, -1), x.Period, x.Unit, false, book.Federal, book.Days())
	with.Why = []string{
		"whether the day on which the period begins counts as its first depends on the rules of the forum",
	}

	return union(with, span), append(
		steps, "With the day on which it begins as its first, the period ends on "+procedure.Day(with.Safe)+".",
	)
}

// union spans two spans.
func union(a, b procedure.Span) procedure.Span {
	if b.Safe.Before(a.Safe) {
		a.Safe = b.Safe
	}
	if b.Latest.After(a.Latest) {
		a.Latest = b.Latest
	}

	for _, why := range b.Why {
		if !slices.Contains(a.Why, why) {
			a.Why = append(a.Why, why)
		}
	}

	return a
}

// anchorsOf returns the days that the files name: last days, days to appear, and the days on which orders were made.
func anchorsOf(d *casereading.Dossier) []anchor {
	var list []anchor
	gone := movedDays(d)

	for _, x := range d.Deadlines {
		// A day that was counted itself is none to count from: an error in it would spread.
		if !x.HasDate || x.Computed || x.Date.Ambiguous || moved(x, gone) {
			continue
		}
		a := anchor{
			on:      x.Date.Time(),
			words:   map[string]bool{},
			behind:  map[string]bool{},
			at:      x.At,
			file:    x.At.FileID,
			hearing: x.Hearing,
		}
		a.what = "the day of " + x.Date.String()
		if x.At.FileName != "" {
			a.what += " in " + x.At.FileName
		}

		for _, w := range x.Words {
			a.words[search.Stem(w)] = true
			// "the appellee's brief" has to be found by "the brief of the appellee" too.
			a.words[search.Stem(ownerless(w))] = true
		}
		a.appearing(x)
		list = append(list, a)
	}

	return list
}

// appearing gives a day to appear the words behind it, "appear on May 3 and show cause", and the name of a hearing
// where its clause names no other meeting.
func (a *anchor) appearing(x casereading.Deadline) {
	if !x.Hearing {
		return
	}

	for _, w := range x.Behind {
		a.behind[search.Stem(ownerless(w))] = true
	}
	// A trial or a deposition is not what "the hearing" means.
	if !facts.NamesMeeting(slices.Concat(x.Words, x.Behind)) {
		a.behind[search.Stem("hearing")] = true
	}
}

// has reports whether the clause of a day has a word.
func (a *anchor) has(stem string) bool { return a.words[stem] || a.behind[stem] }

// ownerless takes the ending of an owner off a word: "appellee's brief" is the brief of the appellee.
func ownerless(word string) string {
	for _, ending := range [...]string{"'s", "’s", "'", "’"} {
		if rest, ok := strings.CutSuffix(word, ending); ok {
			return rest
		}
	}

	return word
}

// movedDays returns the days of which a text says that they no longer count.
func movedDays(d *casereading.Dossier) []casereading.Deadline {
	return slices.DeleteFunc(
		slices.Concat(d.Deadlines, d.Listed),
		func(x casereading.Deadline) bool { return !x.Moved },
	)
}

// moved reports whether the text of a day, or another text of the same day and matter, says that it no longer counts.
func moved(x casereading.Deadline, days []casereading.Deadline) bool {
	return x.Moved || slices.ContainsFunc(days, func(o casereading.Deadline) bool {
		return o.Date.String() == x.Date.String() && slices.ContainsFunc(o.Words, func(w string) bool {
			return len(w) >= sharedWord && slices.Contains(x.Words, w)
		})
	})
}

const sharedWord = 5 // letters of a word that two clauses of one matter share, such as "hearing"

// boundary are words of an event that say which end of it counts, and the like; its day is that of the event itself.
var boundary = []string{
	"the", "a", "an", "of", "this", "that", "such", "any", "its", "said", "scheduled", "first", "date", "day", "is",
	"due", "in", "set", "for", "on", "close", "conclusion", "end", "commencement", "start", "beginning", "opening",
	"completion", "begins", "starts", "closes", "ends", "held", "to", "and", "until",
}

// anchorsFor returns the days from which a period runs: a date that stands in its words, the day on which a file says
// that the act was done, that of the order itself for "the date of this order", or the days whose clauses have all the
// words of the event. doubt says why they may be others.
func anchorsFor(x casereading.Deadline, all []anchor, d *casereading.Dossier) (from []anchor, doubt string) {
	// The steps go from what the sentence itself says to what only fits by its words. The first that finds a day
	// decides.
	if dates := facts.Dates(x.What); len(dates) == 1 && dates[0].Day > 0 && !dates[0].Ambiguous {
		return []anchor{
			{
				on:   dates[0].Time(),
				what: "the date that the sentence names, " + dates[0].String(),
				at:   x.At,
				file: x.At.FileID,
			},
		}, ""
	}
	if from = setBehind(x); len(from) > 0 {
		return from, ""
	}
	if from, doubt = termAnchors(x, d); len(from) > 0 {
		return from, doubt
	}
	if from, doubt = reportedAnchors(x, d); len(from) > 0 {
		return from, doubt
	}
	if ofThisProcess(x, d) {
		return withReports(x, d, nil, "")
	}
	if ofThisPaper(x, d) {
		from, doubt = madeAnchors(x, d)
		return withReports(x, d, from, doubt)
	}
	// A notice or a breach can happen again, so no day of another clause is taken for it.
	if x.Loose {
		return nil, ""
	}
	need := wanted(search.Words(x.What))
	if len(need) == 0 {
		return nil, ""
	}
	fits := slices.DeleteFunc(slices.Clone(all), func(a anchor) bool {
		return slices.ContainsFunc(need, func(w string) bool { return !a.has(w) })
	})
	// Each preference only narrows: where none fits better, all stay and the bound below decides.
	fits = preferred(fits, func(a anchor) bool { return a.file == x.At.FileID })
	fits = preferred(fits, func(a anchor) bool { return a.hearing })
	fits = preferred(fits, func(a anchor) bool {
		return !slices.ContainsFunc(need, func(w string) bool { return !a.words[w] })
	})
	fits = nearest(fits, need)
	fits = byDay(fits)
	// Of two hearings of a name the files may have moved one; of other days one would be a guess.
	if len(fits) > mostAnchors || len(fits) > 1 && !fits[0].hearing {
		return nil, ""
	}
	if len(fits) > 0 && vacatedBeside(fits, need, d) {
		doubt = "a text has vacated or moved another day that the words may mean"
	}

	return fits, doubt
}

// isSet finds the words by which a sentence gives the day of its event right behind it.
var isSet = regexp.MustCompile(`^,?\s*(?:which|that|now)\s+(?:is|was|has been)\s+(?:now\s+)?` +
	`(?:set|scheduled|noticed|calendared|fixed)\s+(?:for|on)\s+`)

// setBehind returns the day that the sentence of a period gives its event, "before the hearing, which is set for".
func setBehind(x casereading.Deadline) []anchor {
	_, behind, ok := strings.Cut(facts.Fold(x.At.Quote), x.What)
	head := isSet.FindStringIndex(behind)
	if !ok || x.What == "" || head == nil {
		return nil
	}
	dates := facts.Dates(behind)
	// A day further on is that of something else in the sentence.
	if len(dates) == 0 || dates[0].Start > head[1]+dayNameReach || dates[0].Day == 0 || dates[0].Ambiguous {
		return nil
	}

	return []anchor{{
		on:   dates[0].Time(),
		what: "the day that the sentence gives it, " + dates[0].String(),
		at:   x.At,
		file: x.At.FileID,
	}}
}

const dayNameReach = 12 // bytes of "Wednesday, " before a day

// vacatedBeside reports whether a day that no longer counts has the words of an event too, and its clause is none of
// those from which the period is counted.
func vacatedBeside(fits []anchor, need []string, d *casereading.Dossier) bool {
	return slices.ContainsFunc(movedDays(d), func(x casereading.Deadline) bool {
		// The clause that moves a day names its new one too, from which the period is counted.
		if slices.ContainsFunc(fits, func(a anchor) bool { return a.at.Quote == x.At.Quote }) {
			return false
		}
		stems := map[string]bool{}

		for _, w := range x.Words {
			stems[search.Stem(ownerless(w))] = true
		}

		return !slices.ContainsFunc(need, func(w string) bool { return !stems[w] })
	})
}

// byDay orders days and keeps one of each.
func byDay(list []anchor) []anchor {
	slices.SortStableFunc(list, func(a, b anchor) int { return a.on.Compare(b.on) })

	return slices.CompactFunc(list, func(a, b anchor) bool { return a.on.Equal(b.on) })
}

// wanted returns the stems of the words of an event that say which one it is.
func wanted(words []string) []string {
	var need []string

	for _, w := range words {
		if !slices.Contains(boundary, w) {
			need = append(need, search.Stem(w))
		}
	}

	return need
}

// preferred keeps those that are preferred, all when none is.
func preferred(list []anchor, better func(anchor) bool) []anchor {
	kept := slices.DeleteFunc(slices.Clone(list), func(a anchor) bool { return !better(a) })
	if len(kept) == 0 {
		return list
	}

	return kept
}

// nearest keeps the anchors whose clauses say least besides the words of the event: "trial" is rather the trial than
// a conference before it.
func nearest(list []anchor, need []string) []anchor {
	if len(list) == 0 {
		return nil
	}
	least := slices.MinFunc(list, func(a, b anchor) int { return len(a.words) - len(b.words) })

	return slices.DeleteFunc(
		slices.Clone(list),
		func(a anchor) bool { return len(a.words) > 2*len(least.words)+len(need)+6 },
	)
}

// thisPaper finds an event that is the making of the paper that names it; theOrder one that ends with an order, or
// with its making; agreed one of a paper that lasts, of which much else can happen, its end or a breach.
var (
	thisPaper = regexp.MustCompile(`(?i)\b(?:date hereof|of issuance|the date of this|` +
		`this (?:\w+ ){0,2}(?:order|notice|letter|ruling|entry|decision|judgment|decree|directive|opinion|` +
		`stipulation|agreement|contract|lease|note|deed|policy|plan|memorandum))\b`)
	theOrder = regexp.MustCompile(
		`(?i)\bthe order(?: (?:is|was|has been) (?:entered|made|dated|issued|signed))?[\s.,;]*$`,
	)
	agreed   = regexp.MustCompile(`(?i)\bthis (?:\w+ ){0,2}(?:agreement|contract|lease|note|deed|policy|plan)\b`)
	agreeing = regexp.MustCompile(`(?i)\b(?:date|dated|signing|signed|execution|executed|making|made)\b`)
	ending   = regexp.MustCompile(`(?i)\b(?:end|expiration|expiry|termination|breach|loss|default)\b`)
)

// ofThisPaper reports whether an event is the making of the paper that names it. "The order" is that of an order alone.
func ofThisPaper(x casereading.Deadline, d *casereading.Dossier) bool {
	// An agreement lasts: its end or its breach is another event than its making.
	if agreed.MatchString(x.What) {
		return agreeing.MatchString(x.What) && !ending.MatchString(x.What)
	}
	if thisPaper.MatchString(x.What) {
		return true
	}
	if !theOrder.MatchString(x.What) {
		return false
	}

	return slices.ContainsFunc(d.Files, func(f casereading.File) bool {
		return f.ID == x.At.FileID && (f.Kind == facts.CourtOrder || f.Kind == facts.Notice)
	})
}

// madeAnchors returns the day on which the file of a period was made. doubt says so where the period runs from what
// may be later: its service, its receipt, its entry.
func madeAnchors(x casereading.Deadline, d *casereading.Dossier) (from []anchor, doubt string) {
	for _, f := range d.Files {
		if f.ID != x.At.FileID || f.Made.Year == 0 {
			continue
		}
		from = []anchor{
			{
				on:   f.Made.Time(),
				what: f.Name + " says that it was made on " + f.Made.String(),
				at:   f.MadeAt,
				file: f.ID,
			},
		}

		// The making is the earliest that its service or receipt can be, so the safe day counts from it and the doubt
		// is said.
		act, _ := facts.ActIn(search.Words(x.What), false)

		switch {
		case act == "" && saysOther(x.What):
			doubt = "the period runs from something else than the making of the paper, " + quoted(x.What) +
				countedFromMaking
		case act != "" && act != "making":
			doubt = "the period runs from the " + act + countedFromMaking
		}

		return from, doubt
	}

	return nil, ""
}

// countedFromMaking says why a period that runs from something later is counted from the making of its paper.
const countedFromMaking = ", and no file gives its day; " +
	"it was counted from the day on which the paper was made, which is the earliest that it can be"

func quoted(s string) string { return "“" + s + "”" }

// period writes how long a stated period is and to or from what it runs.
func (c chained) period() string {
	way := "after"
	if c.Before {
		way = "before"
	}

	words := fmt.Sprintf("%s %s %s", wording.Count(c.Period, c.Unit, c.Unit+"s"), way, layout.Cut(c.What, shownEvent))
	switch {
	case c.Begun:
		return fmt.Sprintf("end of %s: %s", wording.Count(c.Period, c.Unit, c.Unit+"s"), layout.Cut(c.What, shownEvent))
	case c.Bound == facts.Opens:
		return words + ", the first day of a span of time"
	case c.Bound == facts.Closes:
		return words + ", the last day of a span of time"
	}

	return words
}

const shownEvent = 90 // code points of the event of a period

// line writes a chained deadline with its chain.
func (c chained) line(today time.Time, n *layout.Notes) string {
	marks := n.Mark(c.At.Sources()...)
	for _, a := range c.from {
		marks += n.Mark(a.at.Sources()...)
	}
	day := c.ends.Safe.Format(time.DateOnly)
	if c.Clock != "" {
		day += ", " + layout.Escape(c.Clock)
	}
	line := fmt.Sprintf("- **%s**, %s: %s (%s)%s: %s\n",
		day, relativeDay(today, c.ends.Safe), layout.Escape(c.period()), layout.Where(c.At), marks,
		layout.Sentence(c.At),
	)
	line += "  - Chain: " + layout.Escape(strings.Join(c.steps, " ")) + "\n"
	if c.doubt != "" {
		line += "  - In doubt: " + layout.Escape(c.doubt) + ".\n"
	}

	return line + later(c.ends)
}

// later says until when a day may be taken at the latest, and why, "" when it is sure.
func later(s procedure.Span) string {
	if s.Sure() {
		return ""
	}

	return fmt.Sprintf("  - The safe day leads. At the latest it is %s: %s.\n",
		s.Latest.Format(time.DateOnly), layout.Escape(strings.Join(s.Why, "; ")),
	)
}

// entry puts a chained deadline into the timeline. zone is that of the forum, nil when it is not on record.
func (c chained) entry(zone *time.Location) api.EntryContent {
	e := api.EntryContent{
		Kind: api.EntryDeadline, Title: layout.Cut(wording.Capital(c.period()), titleChars-1),
		Detail:    strings.Join(c.steps, " "),
		DueOn:     c.ends.Safe.Format(time.DateOnly),
		Certainty: "inferred", Sources: c.At.Sources(),
	}
	e.When = &api.When{On: e.DueOn, Precision: "day"}
	if c.doubt != "" {
		e.Detail += " In doubt: " + c.doubt + "."
	}
	atHour(&e, c.Clock, zone)
	if !c.ends.Sure() {
		e.LatestOn = c.ends.Latest.Format(time.DateOnly)
	}

	for _, a := range c.from {
		e.Sources = append(e.Sources, a.at.Sources()...)
	}

	return e
}

// atHour gives an entry of a deadline the hour of its paper: in its words, and as a moment where the zone of the forum
// is on record and the hour can be read in one way.
func atHour(e *api.EntryContent, clock string, zone *time.Location) {
	if clock == "" {
		return
	}
	if !strings.Contains(e.Title, clock) {
		e.Detail = strings.TrimSpace("By " + clock + ". " + e.Detail)
	}
	// Without the zone of the forum an hour is no moment: it stays in words.
	hour, minute, ok := facts.Moment(clock)
	day, err := time.Parse(time.DateOnly, e.DueOn)
	if zone == nil || !ok || err != nil {
		return
	}
	at := api.At(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone))
	e.DueAt, e.TimeZone = &at, zone.String()
}

// forumZone returns the time zone of the forum, nil when it is not on record.
func forumZone(c *api.Case) *time.Location {
	if c == nil || c.Forum == nil || c.Forum.TimeZone == "" {
		return nil
	}
	// A zone that this server does not know must not fail the answer.
	zone, err := time.LoadLocation(c.Forum.TimeZone)
	if err != nil {
		return nil
	}

	return zone
}
