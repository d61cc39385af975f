package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

const mostQuestions = 10

var _ = offer(ability{
	intent: intent.Deadlines, prompt: "List the deadlines",
	does: "lists the time limits that the files state in so many words, and computes those that rules of " +
		"procedure give for the events found, with their steps",
	run: (*job).deadlines,
})

// deadlines lists the time limits that the files state, and computes those that rules of procedure give for the events
// which the files or the prompt report.
func (j *job) deadlines(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan(
		"Plan: read the files, find stated time limits and events, compute deadlines", "list_files", "read_files",
		"extract_dates", "compute_deadline", "propose_timeline_entries",
	)
	today := casereading.Today(j.Container.Case, j.Now)
	d, h, err := j.survey(ctx, casereading.Keep{Events: true, Today: today})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	j.report.Reasoning("Comparing the time limits with today")
	book, err := j.bookFor(d)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	done := j.report.Tool("compute_deadline", "Computing deadlines from the events found")
	p := periodsOf(d, book, requestOf(j.Prompt, book.Rules), today)
	done(outcome(len(p.list)), wording.Count(len(p.list), "deadline", "deadlines")+" computed")
	r := legal.NewAnswer(api.KindDeadlines)
	var n layout.Notes
	clean := func(text string) bool { return j.clean(ctx, text) }
	// Chains come before the list, which shows only the periods that have no day of their own.
	linked, running := chains(d, book)
	a := agendaOf(d, linked, running, today)
	r.Text = deadlinesText(a, h, p, today, &n, clean)
	r.Citations = n.List
	from := triggers(slices.Concat(doubtful(linked), a.running), p.answers())
	r.Questions = j.questions(ctx, p.open(h), a.unsettledDays(), from)
	r.Limits = append(r.Limits, p.limits()...)
	r.Limits = append(r.Limits, "Days that a file counts from a date of its own are calendar days, "+
		"without rolling over weekends and holidays.")
	j.proposeDeadlines(ctx, &r, d, linked, p, today)
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

// proposeDeadlines puts the stated and the computed deadlines that are to come into the timeline.
func (j *job) proposeDeadlines(
	ctx context.Context,
	r *api.PhaseResponse,
	d *casereading.Dossier,
	linked []chained,
	p *periods,
	today time.Time,
) {
	stated, hearings, past := statedEntries(d, today, forumZone(j.Container.Case))

	fromRules, more := p.entries(today, func(text string) bool {
		return len(j.gate.Check(ctx, guard.Title, text)) == 0
	})
	for _, c := range linked {
		// The later reading decides: a deadline that may still run is proposed.
		if facts.DaysFrom(today, c.ends.Latest) < 0 {
			past++
		} else if !c.At.Withheld && c.At.FileID != "" {
			stated = append(stated, c.entry(forumZone(j.Container.Case)))
		}
	}
	if past += more; past > 0 {
		r.Limits = append(r.Limits, wording.Count(past, "deadline that is past was", "deadlines that are past were")+
			" not proposed to the timeline.")
	}
	r.Entries = j.propose(ctx, r, extracted, hearings)
	list := j.propose(ctx, r, extracted, stated)
	// What a question supposes has not happened and must not reach the calendar.
	if p.request.supposed && len(p.request.events) > 0 {
		r.Limits = append(r.Limits,
			"The question supposes its events, so nothing that was computed was proposed to the timeline.")
	} else {
		list = append(list, j.propose(ctx, r, computed, fromRules)...)
	}
	r.Deadlines = list[:min(len(list), api.MaxProposals)]
}

// statedEntries are the time limits and the days to appear that are to come, for the timeline; past counts the others.
func statedEntries(
	d *casereading.Dossier,
	today time.Time,
	zone *time.Location,
) (limits, hearings []api.EntryContent, past int) {
	for _, x := range d.Deadlines {
		// An entry needs a source that people may see.
		if !x.HasDate || x.Moved || x.At.Withheld || x.At.FileID == "" {
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
		e := api.EntryContent{Kind: api.EntryHearing, Title: titleOf(x.At.Quote), Sources: x.At.Sources()}
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
		if !x.Date.Ambiguous {
			atHour(&e, x.Clock, zone)
		}
		limits = append(limits, e)
	}

	return limits, hearings, past
}

// deadlinesText writes the answer: what the question asks for first, then every day that the files name.
func deadlinesText(a agenda, h holdings, p *periods, today time.Time, n *layout.Notes, clean func(string) bool) string {
	var b strings.Builder
	asked := len(p.request.asked) > 0
	if asked {
		b.WriteString(p.text(today, n, clean)) // first, since it is the answer
	}
	b.WriteString(a.headline(len(p.list)))
	b.WriteString(a.text(today, n, p.answers(), clean))
	if !asked {
		b.WriteString("\n" + p.text(today, n, clean))
	}

	for _, s := range p.book.Limits {
		b.WriteString("\n" + s + "\n")
	}
	b.WriteString("\n" + wording.Capital(h.told()) + "\n")

	return strings.TrimLeft(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"), "\n")
}

// doubtful returns the counted periods whose first day may be another one.
func doubtful(list []chained) []casereading.Deadline {
	var doubted []casereading.Deadline

	for _, c := range list {
		if c.doubt != "" {
			doubted = append(doubted, c.Deadline)
		}
	}

	return doubted
}

// triggers asks for the days from which time limits run, unless a question about another one is answered. Each event of
// a file is asked for once, with all the periods that run from it.
func triggers(running []casereading.Deadline, answered bool) []string {
	type event struct{ what, file string }
	var events []event
	asked := map[event]string{} // what it is called, in the case of its first place
	periods, file := map[event][]string{}, map[event]string{}

	for _, x := range running {
		if x.What == "" || x.What == "the event" || x.At.Withheld || answered {
			continue
		}
		// Clauses write one event in several cases and with other marks.
		e := event{strings.Join(search.Words(x.What), " "), x.At.FileID}
		if asked[e] == "" {
			events, asked[e], file[e] = append(events, e), x.What, x.At.FileName
		}
		if p := wording.Count(x.Period, x.Unit, x.Unit+"s"); !slices.Contains(periods[e], p) {
			periods[e] = append(periods[e], p)
		}
	}
	var list []string

	for _, e := range events {
		list = append(list, fmt.Sprintf("When was this: %s? From it run the %s that %s states.",
			asked[e], strings.Join(periods[e], " and the "), file[e]))
	}

	return list
}
