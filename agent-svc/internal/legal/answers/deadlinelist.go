package answers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// agenda is every day to come that the files name, and every stated period, parted by what is known of it.
type agenda struct {
	stated   []casereading.Deadline // with a day
	chained  []chained              // counted from another day
	running  []casereading.Deadline // from an event whose day no file gives
	listed   []casereading.Deadline // to come, and nothing tells what they are
	opening  []casereading.Deadline // to come, and a contract or the like begins or takes effect on them
	told     []casereading.Deadline // periods that only tell or measure something
	moved    []casereading.Deadline // to come, and a text says that they no longer count
	done     []casereading.Deadline // to come, though their words tell of what was done
	months   []casereading.Deadline // to come, without a day
	past     int                    // dates before today of what was done, or that nothing tells
	withheld int                    // places that may not be quoted
}

// agendaOf sorts what a dossier says of days. Days of which nothing tells what they are, and that are past, are
// counted only.
func agendaOf(d *casereading.Dossier, list []chained, running []casereading.Deadline, today time.Time) agenda {
	a := agenda{chained: list, running: running, withheld: d.Withheld}
	gone := movedDays(d)

	for _, x := range d.Deadlines {
		if !x.HasDate {
			continue
		}
		if x.Moved = moved(x, gone); x.Moved {
			a.moved = append(a.moved, x)
		} else {
			a.stated = append(a.stated, x)
		}
	}

	for _, x := range d.Listed {
		if x.Told {
			a.told = append(a.told, x)
			continue
		}
		if facts.DaysFrom(today, x.Date.Last()) < 0 {
			a.past++
			continue
		}

		switch {
		case x.Moved:
			a.moved = append(a.moved, x)
		case x.Opening:
			a.opening = append(a.opening, x)
		default:
			a.listed = append(a.listed, x)
		}
	}
	a.past += d.SeenPast

	for _, x := range d.Seen {
		if x.Date.Day == 0 {
			a.months = append(a.months, x)
		} else {
			a.done = append(a.done, x)
		}
	}
	byDay := func(a, b casereading.Deadline) int { return a.Date.Time().Compare(b.Date.Time()) }
	slices.SortStableFunc(a.stated, byDay)
	slices.SortStableFunc(a.opening, byDay)
	slices.SortStableFunc(a.listed, byDay)
	slices.SortStableFunc(a.moved, byDay)
	slices.SortStableFunc(a.done, byDay)
	slices.SortStableFunc(a.months, byDay)

	return a
}

// headline counts what the answer lists, and what it cannot show.
func (a agenda) headline(computed int) string {
	acts, hearings := 0, 0

	for _, x := range a.stated {
		if x.Hearing {
			hearings++
		} else {
			acts++
		}
	}
	parts := []string{
		wording.Count(acts, "last day", "last days") + " stated",
		wording.Count(hearings, "day", "days") + " to appear",
		wording.Count(len(a.chained), "day", "days") + " counted from another day",
		wording.Count(computed, "day", "days") + " computed from rules",
	}
	if n := len(a.running); n > 0 {
		parts = append(parts, wording.Count(n, "period", "periods")+" whose first day no file gives")
	}
	if n := len(a.opening); n > 0 {
		parts = append(parts, wording.Count(n, "day", "days")+" to come on which a term begins")
	}
	if n := len(a.listed); n > 0 {
		parts = append(parts, wording.Count(n, "other day", "other days")+" to come that nobody has classified")
	}
	if n := len(a.done); n > 0 {
		parts = append(parts, wording.Count(n, "day", "days")+" to come that the words tell of as done")
	}
	if n := len(a.months); n > 0 {
		parts = append(parts, wording.Count(n, "month", "months")+" to come without a day")
	}
	if n := len(a.told); n > 0 {
		parts = append(parts, wording.Count(n, "period", "periods")+" seen that only "+tellOr(n)+" something")
	}
	if n := len(a.moved); n > 0 {
		parts = append(parts, wording.Count(n, "day", "days")+" that a text has moved or vacated")
	}
	line := "Found: " + strings.Join(parts, ", ") + "."
	if a.past > 0 {
		line += " " + wording.Count(a.past, "date", "dates") + " before today, of what was done or of what nothing " +
			"tells, " + oneOf(a.past, "is", "are") + " not listed (shown by: Build a chronology)."
	}
	if a.withheld > 0 {
		line += " " + notQuoted(a.withheld)
	}

	return line + "\n\n"
}

// tellOr is the verb for what some periods do.
func tellOr(n int) string {
	if n == 1 {
		return "tells or measures"
	}

	return "tell or measure"
}

// text lists the days and periods. brief leaves out the periods that run from an event without a day, and the days
// nobody has classified.
func (a agenda) text(today time.Time, n *layout.Notes, brief bool, clean func(string) bool) string {
	var b strings.Builder
	row := func(x casereading.Deadline) string {
		rest := fmt.Sprintf(", %s (%s)%s: %s\n",
			standing(x, today), layout.Where(x.At), n.Mark(x.At.Sources()...), layout.Sentence(x.At),
		)
		// An hour or a room can read as an address. Each try leaves out more of them, and never the day.
		for _, day := range [...]string{dayOf(x), dayOf(roomless(x)), dayOf(bare(x))} {
			if line := "- **" + day + "**" + rest; clean(line) {
				return line
			}
		}

		return fmt.Sprintf("- **%s**, %s (%s)%s\n",
			dayOf(bare(x)), standing(x, today), layout.Where(x.At), n.Mark(x.At.Sources()...),
		)
	}

	if len(a.stated)+len(a.chained)+len(a.running) == 0 {
		b.WriteString("No time limit is stated in so many words in the files that were read.\n\n")
	}
	section(&b, fmt.Sprintf("**Stated, with a day** (today is %s)", today.Format(time.DateOnly)), a.stated, row)
	section(&b, "**Counted from another day of the case**", a.chained, func(c chained) string {
		return c.line(today, n)
	})
	// A question that is answered needs the other lists only as a count.
	if brief {
		if more := len(a.running) + len(a.opening) + len(a.listed) + len(a.told) + len(a.moved) + len(a.done) +
			len(a.months); more > 0 {
			fmt.Fprintf(&b, "\n%s not shown here: periods whose first day no file gives or that only tell "+
				"something, days on which a term begins, days that nobody has classified, that were moved or that "+
				"the words tell of as done, and months without a day (they are shown by: List the deadlines).\n",
				wording.Count(more, "entry is", "entries are"))
		}

		return b.String()
	}
	period := func(x casereading.Deadline) string {
		return fmt.Sprintf(
			"- **%s** (%s)%s: %s\n",
			wording.Count(x.Period, x.Unit, x.Unit+"s"),
			layout.Where(x.At),
			n.Mark(x.At.Sources()...),
			layout.Sentence(x.At),
		)
	}
	section(&b, "**Running from an event whose day the files do not give**", a.running, period)
	section(&b, "**Seen and not counted: these periods tell what happened, or measure something**", a.told, period)
	section(&b, "**Days to come on which a term begins or something takes effect**", a.opening, row)
	section(&b, "**Other days to come, which nobody has classified**", a.listed, row)
	section(&b, doneThoughToCome, a.done, row)
	section(&b, "**Months to come, without a day**", a.months, row)
	section(&b, "**No longer live: a text says that the day was moved or vacated**", a.moved, row)

	return b.String()
}

// doneThoughToCome is the title of days that cannot be what their words say.
const doneThoughToCome = "**To come, though the words tell of what was done: hold these days against the paper**"

// roomless leaves out the room of a day.
func roomless(x casereading.Deadline) casereading.Deadline {
	x.Room = ""
	return x
}

// bare leaves out the hour and the room of a day, which can read as somebody's address where the sentence does not.
func bare(x casereading.Deadline) casereading.Deadline {
	x.Clock, x.Room = "", ""
	return x
}

// section writes a list below its title, as far as one answer shows it.
func section[T any](b *strings.Builder, title string, list []T, row func(T) string) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n" + title + "\n\n")

	for _, x := range list[:min(len(list), rows)] {
		b.WriteString(row(x))
	}
	if more := len(list) - rows; more > 0 {
		fmt.Fprintf(b, "\n%s not shown.\n", wording.Count(more, "further one is", "further ones are"))
	}
}

// dayOf writes the day of a deadline, both readings when there are two, with its hour and room, and how it was
// computed.
func dayOf(x casereading.Deadline) string {
	day := x.Date.String()
	if x.Date.Ambiguous {
		day += " or " + x.Date.Swapped().String()
	}
	if x.Clock != "" {
		day += ", " + layout.Escape(x.Clock)
	}
	if x.Room != "" {
		day += ", " + layout.Escape(x.Room)
	}
	if x.Computed {
		day += fmt.Sprintf(" (computed: %s on from the date in the sentence)", wording.Counted(x.Period, x.Unit))
	}
	if x.Hearing {
		day += " (to appear)"
	}
	if x.Moved {
		day += " (a text says that this day no longer counts)"
	}

	return day
}

// standing describes the day of a deadline relative to today, or says that its day is in doubt.
func standing(x casereading.Deadline, today time.Time) string {
	if x.Date.Ambiguous {
		return "which day is meant must be settled"
	}
	if x.Date.Day == 0 {
		return "the day is not stated"
	}

	return relativeDay(today, x.Date.Time())
}

// unsettledDays asks which day a numeric date means that can be read in two ways.
func (a agenda) unsettledDays() []string {
	var list []string

	for _, x := range slices.Concat(a.stated, a.opening, a.listed) {
		if x.Date.Ambiguous && !x.At.Withheld {
			list = append(
				list,
				fmt.Sprintf("Which day is meant in %s: %s or %s?", x.At.FileName, x.Date, x.Date.Swapped()),
			)
		}
	}

	return list
}
