package legal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const shownSentence = 220 // code points of a sentence in a list; the citation holds it whole

// chronology lists the dates in order; those that can be read in two ways stand in a list of their own.
func (j *job) chronology(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, find the dates, put them in order", "list_files", "read_files", "build_chronology")
	d, h, err := j.survey(ctx, dossier.Keep{Dates: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	j.report.Reasoning("Putting the dates in order")
	r := answer(api.KindAnswer)
	var n notes
	r.Text = chronologyText(d, h, &n)
	r.Citations = n.list
	r.Limits = append(r.Limits, "Dates of decisions in citations are left out; a year of two digits from 50 on is taken for the last century.")
	limits(&r, d)
	r.SuggestedNext = suggestions("List the deadlines")
	return r, nil
}

func chronologyText(d *dossier.Dossier, h holdings, n *notes) string {
	plain, double := inOrder(d.Dates)
	var b strings.Builder
	if len(plain)+len(double) == 0 {
		b.WriteString("No date stands in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s, the earliest first.\n\n", capital(count(len(plain), "dated sentence", "dated sentences")))
	}
	for _, x := range plain[:min(len(plain), rows)] {
		fmt.Fprintf(&b, "- **%s** (%s)%s: %s\n", x.Date, where(x.At), n.mark(x.At.Sources()...), sentenceOf(x.At))
	}
	if more := len(plain) - rows; more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", capital(count(more, "further date is", "further dates are")))
	}
	if len(double) > 0 {
		b.WriteString("\n**Can be read in two ways**\n\n")
	}
	for _, x := range double[:min(len(double), rows)] {
		fmt.Fprintf(&b, "- **%s or %s** (%s)%s: %s\n", x.Date, x.Swapped(), where(x.At), n.mark(x.At.Sources()...), sentenceOf(x.At))
	}
	return b.String() + "\n" + capital(h.told()) + "\n"
}

func sentenceOf(p dossier.Place) string {
	if p.Withheld {
		return "(not quoted)"
	}
	return "“" + escape(cut(strings.TrimLeft(p.Quote, "#*> "), shownSentence)) + "”"
}

// inOrder sorts dates and parts those that can be read in two ways. The same day in the same sentence counts once.
func inOrder(dates []dossier.Date) (plain, double []dossier.Date) {
	type key struct {
		day, file  string
		start, end int
	}
	seen := map[key]bool{}
	for _, x := range dates {
		k := key{x.String(), x.At.FileID, x.At.CharStart, x.At.CharEnd}
		switch {
		case seen[k] && !x.At.Withheld:
			continue
		case x.Ambiguous:
			double = append(double, x)
		default:
			plain = append(plain, x)
		}
		seen[k] = true
	}
	slices.SortStableFunc(plain, func(a, b dossier.Date) int { return cmp.Compare(a.String(), b.String()) })
	return plain, double
}
