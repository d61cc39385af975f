package answers

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

var _ = offer(ability{
	intent: intent.Amounts, prompt: "List the amounts",
	does: "lists the sums of money by what they are for",
	run:  (*job).amounts,
})

// amounts lists the sums of money by what they are for.
func (j *job) amounts(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, list the sums", "list_files", "read_files", "extract_money")
	d, h, err := j.survey(ctx, casereading.Keep{Sums: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	var n layout.Notes
	r.Text = amountsText(d, h, &n)
	r.Citations = n.List
	// A total of sums that are named several times would be wrong, so none is offered.
	r.Limits = append(r.Limits, "What a sum is for is told from the words beside it; no totals are made, "+
		"since one sum may stand in several places.",
		"A dollar sign alone is taken for US dollars.")
	limits(&r, d)
	r.SuggestedNext = suggestions("List the deadlines", "Summarise the files")

	return r, nil
}

func amountsText(d *casereading.Dossier, h holdings, n *layout.Notes) string {
	var b strings.Builder
	if len(d.Sums) == 0 {
		b.WriteString("No sum of money stands in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s in the files.\n\n| For | Sum | Place | Source |\n|---|--:|---|---|\n",
			wording.Count(len(d.Sums), "sum of money stands", "sums of money stand"),
		)
	}
	left := rows

	// The roles are the order of the table, so each is walked over all sums.
	for _, role := range [...]facts.Role{
		facts.DemandRole, facts.PaymentRole, facts.CapRole, facts.FeeRole, facts.PenaltyRole, facts.OtherRole,
	} {
		for _, s := range d.Sums {
			if s.Role != role || left == 0 {
				continue
			}
			left--
			fmt.Fprintf(&b, "| %s | %s | %s |%s |\n", sumName(s), layout.Money(s.Amount), layout.Where(s.At),
				n.Mark(s.At.Sources()...))
		}
	}
	if more := len(d.Sums) - rows; more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", wording.Count(more, "further sum is", "further sums are"))
	}

	demands := make([]facts.Demand, len(d.Demands))
	for i, x := range d.Demands {
		demands[i] = x.Demand
	}
	if at, ok := facts.Controversy(demands); ok {
		fmt.Fprintf(&b, "\nDemanded most plainly: %s%s.\n",
			layout.Money(demands[at].Amount), n.Mark(d.Demands[at].At.Sources()...),
		)
	} else {
		b.WriteString("\nNo sum is demanded in so many words, so the amount in controversy is unstated.\n")
	}

	return b.String() + "\n" + wording.Capital(h.told()) + "\n"
}

// sumName says what a sum is for: its role, with the words of its clause.
func sumName(s casereading.Sum) string {
	switch {
	case s.Name == "" || s.Name == string(s.Role):
		return string(s.Role)
	case s.Role == facts.OtherRole:
		return s.Name
	}

	return string(s.Role) + ": " + s.Name
}
