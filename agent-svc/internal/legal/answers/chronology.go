package answers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

var _ = offer(ability{
	intent: intent.Dates, prompt: "Build a chronology",
	does: "lists the dates in order, each with its sentence; those that can be read in two ways stand apart",
	run:  (*job).chronology,
})

// chronology lists the dates in order; those that can be read in two ways stand in a list of their own.
func (j *job) chronology(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan(
		"Plan: read the files, find the dates, put them in order", "list_files", "read_files", "build_chronology",
		"propose_timeline_entries",
	)
	d, h, err := j.survey(ctx, casereading.Keep{Dates: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	j.report.Reasoning("Putting the dates in order")
	r := legal.NewAnswer(api.KindChronology)
	var n layout.Notes
	plain, double := casereading.InOrder(d.Dates)
	// The words of an act are read from the text and were not quoted, so the gate has not seen them.
	conflicts := slices.DeleteFunc(d.Conflicts(), func(c casereading.Conflict) bool { return !j.clean(ctx, c.Object) })
	r.Text = chronologyText(plain, double, conflicts, h, &n)
	r.Citations = n.List
	r.Entries = j.propose(ctx, &r, extracted, dated(slices.Concat(plain, double)))
	// A run that was stopped while it proposed must not answer as if it had not been.
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}
	r.Limits = append(r.Limits, "A date without a year takes that of the date it is joined to. "+
		"Different dates are found only for what is done once, such as a signing, and may be of two events.",
		"Dates of decisions in citations are left out; a year of two digits from 50 on is taken for the last century.")
	limits(&r, d)
	r.SuggestedNext = suggestions("List the deadlines")

	return r, nil
}

func chronologyText(
	plain, double []casereading.Date, conflicts []casereading.Conflict, h holdings, n *layout.Notes,
) string {
	var b strings.Builder
	if len(plain)+len(double) == 0 {
		b.WriteString("No date stands in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s, the earliest first.\n\n", wording.Count(len(plain), "dated sentence", "dated sentences"))
	}

	for _, x := range plain[:min(len(plain), rows)] {
		fmt.Fprintf(&b, "- **%s** (%s)%s: %s\n", x.Date, layout.Where(x.At), n.Mark(x.At.Sources()...), layout.Sentence(x.At))
	}
	if more := len(plain) - rows; more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", wording.Count(more, "further date is", "further dates are"))
	}
	if len(double) > 0 {
		b.WriteString("\n**Can be read in two ways**\n\n")
	}

	for _, x := range double[:min(len(double), rows)] {
		fmt.Fprintf(&b, "- **%s or %s** (%s)%s: %s\n",
			x.Date, x.Swapped(), layout.Where(x.At), n.Mark(x.At.Sources()...), layout.Sentence(x.At),
		)
	}
	conflicting(&b, conflicts, n)

	return b.String() + "\n" + wording.Capital(h.told()) + "\n"
}

// conflicting lists the acts for which sentences give different days.
func conflicting(b *strings.Builder, conflicts []casereading.Conflict, n *layout.Notes) {
	if len(conflicts) == 0 {
		return
	}
	b.WriteString("\n**Different dates for what may be one event**\n\n")

	for _, c := range conflicts[:min(len(conflicts), rows)] {
		who := ""
		if c.Who != "" {
			who = ", " + c.Who
		}
		fmt.Fprintf(b, "- %s different dates for the %s of the %s%s\n",
			wording.Capital(inWords(len(c.Acts))), c.What, layout.Escape(c.Object), who,
		)

		for _, a := range c.Acts[:min(len(c.Acts), cardItems)] {
			fmt.Fprintf(b, "  - **%s** (%s)%s: %s\n", a.Date, layout.Where(a.At), n.Mark(a.At.Sources()...), layout.Sentence(a.At))
		}
	}
	if more := len(conflicts) - rows; more > 0 {
		fmt.Fprintf(b, "\n%s not shown.\n", wording.Count(more, "further one is", "further ones are"))
	}
}

// inWords writes a small number in words.
func inWords(n int) string {
	if words := [...]string{2: "two", 3: "three", 4: "four", 5: "five"}; n >= 2 && n < len(words) {
		return words[n]
	}

	return strconv.Itoa(n)
}
