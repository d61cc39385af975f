package legal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const mostQuestions = 10

// deadlines lists the time limits that the files state, and computes those that rules of procedure give for the events which the files or the
// prompt report.
func (j *job) deadlines(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, find stated time limits and events, compute deadlines", "list_files", "read_files", "extract_dates", "compute_deadline", "propose_timeline_entries")
	d, h, err := j.survey(ctx, casereading.Keep{Events: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	j.report.Reasoning("Comparing the time limits with today")
	book, err := j.bookFor(d)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	today := casereading.Today(j.Container.Case, j.Now)
	done := j.report.Tool("compute_deadline", "Computing deadlines from the events found")
	p := periodsOf(d, book, requestOf(j.Prompt, book.Rules), today)
	done(outcomeOf(len(p.list)), count(len(p.list), "deadline", "deadlines")+" computed")
	r := answer(api.KindDeadlines)
	var n notes
	clean := func(text string) bool { return j.clean(ctx, text) }
	r.Text = deadlinesText(d, h, p, today, &n, clean)
	r.Citations = n.list
	r.Questions = j.questions(ctx, p.open(h), triggers(d, p.answers()))
	r.Limits = append(r.Limits, p.limits()...)
	r.Limits = append(r.Limits, "Days that a file counts from a date of its own are calendar days, without rolling over weekends and holidays.")
	j.proposeDeadlines(ctx, &r, d, p, today)
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}
	limits(&r, d)
	r.SuggestedNext = suggestions("Build a chronology")
	if len(d.Deadlines) > 0 || len(p.list) > 0 {
		j.reviewed(&r, statesDeadline)
	}

	return r, nil
}

func outcomeOf(found int) string {
	if found == 0 {
		return "empty"
	}

	return "ok"
}

// proposeDeadlines puts the stated and the computed deadlines that are to come into the timeline.
func (j *job) proposeDeadlines(ctx context.Context, r *api.PhaseResponse, d *casereading.Dossier, p *periods, today time.Time) {
	stated, hearings, past := statedEntries(d, today)
	fromRules, more := p.entries(today, func(text string) bool { return len(j.gate.Check(ctx, guard.Title, text)) == 0 })
	if past += more; past > 0 {
		r.Limits = append(r.Limits, count(past, "deadline that is past was", "deadlines that are past were")+" not proposed to the timeline.")
	}
	r.Entries = j.propose(ctx, r, extracted, hearings)
	list := j.propose(ctx, r, extracted, stated)
	if p.request.supposed && len(p.request.events) > 0 {
		r.Limits = append(r.Limits, "The question supposes its events, so nothing that was computed was proposed to the timeline.")
	} else {
		list = append(list, j.propose(ctx, r, computed, fromRules)...)
	}
	r.Deadlines = list[:min(len(list), api.MaxProposals)]
}

// statedEntries are the time limits and the days to appear that are to come, for the timeline; past counts the others.
func statedEntries(d *casereading.Dossier, today time.Time) (limits, hearings []api.NewEntry, past int) {
	for _, x := range d.Deadlines {
		if !x.HasDate || x.At.Withheld || x.At.FileID == "" {
			continue
		}
		first, last := x.Date, x.Date
		if x.Date.Ambiguous {
			last = x.Date.Swapped()
		}
		if facts.DaysFrom(today, first.Time()) < 0 && facts.DaysFrom(today, last.Time()) < 0 {
			past++
			continue
		}
		e := api.NewEntry{Kind: api.EntryHearing, Title: titleOf(x.At.Quote), Sources: x.At.Sources()}
		e.When = &api.When{On: first.String(), Precision: "day"}
		if x.Date.Ambiguous {
			e.When.Ambiguous, e.When.AlternativeOn = true, last.String()
		}
		if x.Hearing {
			hearings = append(hearings, e)
			continue
		}
		e.Kind, e.DueOn, e.Certainty = api.EntryDeadline, e.When.On, "explicit"
		if x.Computed {
			e.Certainty = "inferred"
		}
		limits = append(limits, e)
	}

	return limits, hearings, past
}

func deadlinesText(d *casereading.Dossier, h holdings, p *periods, today time.Time, n *notes, clean func(string) bool) string {
	var dated, running []casereading.Deadline

	for _, x := range d.Deadlines {
		if x.HasDate {
			dated = append(dated, x)
		} else {
			running = append(running, x)
		}
	}
	slices.SortStableFunc(dated, func(a, b casereading.Deadline) int { return a.Date.Time().Compare(b.Date.Time()) })
	var b strings.Builder
	asked := len(p.request.asked) > 0
	if asked {
		b.WriteString(p.text(today, n, clean)) // first, since it is the answer
	}
	if len(d.Deadlines) == 0 {
		b.WriteString("No time limit is stated in so many words in the files that were read.\n\n")
	}
	if len(dated) > 0 {
		fmt.Fprintf(&b, "**Stated, with a day** (today is %s)\n\n", today.Format(time.DateOnly))
	}

	for _, x := range dated[:min(len(dated), rows)] {
		fmt.Fprintf(&b, "- **%s**, %s (%s)%s: %s\n", dayOf(x), standing(x, today), where(x.At), n.mark(x.At.Sources()...), sentenceOf(x.At))
	}
	if n := len(running); n > 0 && p.answers() {
		fmt.Fprintf(&b, "\n%s from events whose day the files do not give (they are shown by: List the deadlines).\n", capital(count(n, "time limit of the files runs", "time limits of the files run")))
		running = nil
	}
	if len(running) > 0 {
		b.WriteString("\n**Running from an event whose day the files do not give**\n\n")
	}

	for _, x := range running[:min(len(running), rows)] {
		fmt.Fprintf(&b, "- **%s** (%s)%s: %s\n", count(x.Period, x.Unit, x.Unit+"s"), where(x.At), n.mark(x.At.Sources()...), sentenceOf(x.At))
	}
	if more := max(0, len(dated)-rows) + max(0, len(running)-rows); more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", capital(count(more, "further time limit is", "further time limits are")))
	}
	if !asked {
		b.WriteString("\n" + p.text(today, n, clean))
	}
	b.WriteString("\n" + capital(h.told()) + "\n")

	return strings.TrimLeft(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"), "\n")
}

// dayOf writes the day of a deadline, both readings when there are two, and how it was computed.
func dayOf(x casereading.Deadline) string {
	day := x.Date.String()
	if x.Date.Ambiguous {
		day += " or " + x.Date.Swapped().String()
	}
	if x.Computed {
		day += fmt.Sprintf(" (computed: %s on from the date in the sentence)", count(x.Period, x.Unit, x.Unit+"s"))
	}
	if x.Hearing {
		day += " (to appear)"
	}

	return day
}

// standing says how a deadline lies to today.
func standing(x casereading.Deadline, today time.Time) string {
	if x.Date.Ambiguous {
		return "which day is meant must be settled"
	}

	return lies(today, x.Date.Time())
}

// triggers asks for the days from which time limits run, unless a question about another one is answered.
func triggers(d *casereading.Dossier, answered bool) []string {
	var list []string

	for _, x := range d.Deadlines {
		if x.HasDate || x.What == "" || x.What == "the event" || x.At.Withheld || answered {
			continue
		}
		list = append(list, fmt.Sprintf("When was this: %s? From it run the %s that %s states.", x.What, count(x.Period, x.Unit, x.Unit+"s"), x.At.FileName))
	}

	return list
}
