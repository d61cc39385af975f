package legal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const mostQuestions = 10

// deadlines lists the time limits that the files state. Periods of procedural law are not among them.
func (j *job) deadlines(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, find stated time limits", "list_files", "read_files", "extract_dates")
	d, h, err := j.survey(ctx, dossier.Keep{})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	j.report.Reasoning("Comparing the time limits with today")
	r := answer(api.KindAnswer)
	var n notes
	r.Text = deadlinesText(d, h, dossier.Today(j.Container.Case, j.Now), &n)
	r.Citations = n.list
	r.Questions = j.triggers(ctx, d)
	r.Limits = append(r.Limits, "Only time limits that the files state in so many words are listed; none is computed from a rule of procedure.",
		"Days counted from a date are calendar days, without rolling over weekends and holidays.")
	limits(&r, d)
	r.SuggestedNext = suggestions("Build a chronology")
	if len(d.Deadlines) > 0 {
		j.reviewed(&r, statesDeadline)
	}
	return r, nil
}

func deadlinesText(d *dossier.Dossier, h holdings, today time.Time, n *notes) string {
	var dated, running []dossier.Deadline
	for _, x := range d.Deadlines {
		if x.HasDate {
			dated = append(dated, x)
		} else {
			running = append(running, x)
		}
	}
	slices.SortStableFunc(dated, func(a, b dossier.Deadline) int { return a.Date.Time().Compare(b.Date.Time()) })
	var b strings.Builder
	if len(d.Deadlines) == 0 {
		b.WriteString("No time limit is stated in so many words in the files that were read.\n\n")
	}
	if len(dated) > 0 {
		fmt.Fprintf(&b, "**With a day** (today is %s)\n\n", today.Format(time.DateOnly))
	}
	for _, x := range dated[:min(len(dated), rows)] {
		fmt.Fprintf(&b, "- **%s**, %s (%s)%s: %s\n", dayOf(x), standing(x, today), where(x.At), n.mark(x.At.Sources()...), sentenceOf(x.At))
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
	return b.String() + "\n" + capital(h.told()) + "\n"
}

// dayOf writes the day of a deadline, both readings when there are two, and how it was computed.
func dayOf(x dossier.Deadline) string {
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
func standing(x dossier.Deadline, today time.Time) string {
	if x.Date.Ambiguous {
		return "which day is meant must be settled"
	}
	switch days := facts.DaysFrom(today, x.Date.Time()); {
	case days < 0:
		return "past"
	case days == 0:
		return "today"
	default:
		return "in " + count(days, "day", "days")
	}
}

// triggers asks for the days from which time limits run.
func (j *job) triggers(ctx context.Context, d *dossier.Dossier) []string {
	var list []string
	for _, x := range d.Deadlines {
		if x.HasDate || x.What == "" || x.At.Withheld {
			continue
		}
		q := fmt.Sprintf("From which day do the %s run that follow this event: %s?", count(x.Period, x.Unit, x.Unit+"s"), x.What)
		if len(list) < mostQuestions && !slices.Contains(list, q) && j.clean(ctx, q) {
			list = append(list, q)
		}
	}
	return list
}
