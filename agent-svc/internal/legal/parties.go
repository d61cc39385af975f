package legal

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const rows = 80 // of one table

// parties lists the labels that stand for somebody, where each stands first and as what.
func (j *job) parties(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, list the labels", "list_files", "read_files", "list_parties")
	d, h, err := j.survey(ctx, dossier.Keep{})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := answer(api.KindAnswer)
	var n notes
	r.Text = partiesText(d, h, &n)
	r.Citations = n.list
	r.Limits = append(r.Limits, "Roles are those that stand beside a label in the text; records of parties are not read.")
	limits(&r, d)
	r.SuggestedNext = suggestions("Summarise the files", "Build a chronology")
	return r, nil
}

func partiesText(d *dossier.Dossier, h holdings, n *notes) string {
	var b strings.Builder
	people := d.Parties()
	if len(people) == 0 {
		b.WriteString("No label of a party stands in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s for parties:\n\n| Label | Role in the text | First place | Times | Files | Sources |\n|---|---|---|--:|--:|---|\n", capital(count(len(people), "label stands", "labels stand")))
	}
	for _, l := range people[:min(len(people), rows)] {
		role := l.Role
		if role == "" {
			role = "not said"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |%s |\n", l.Label, role, where(l.At), l.Count, l.Files, n.mark(append(l.At.Sources(), l.RoleAt.Sources()...)...))
	}
	if len(people) > rows {
		fmt.Fprintf(&b, "\n%s not shown.\n", capital(count(len(people)-rows, "further label is", "further labels are")))
	}
	counted := map[string]bool{}
	for _, l := range people {
		counted[l.String()] = true
	}
	var others []string
	for _, l := range d.Labels {
		switch {
		case counted[l.String()]:
		case facts.IsParty(l.Label) && facts.Stranger(l.Role):
			others = append(others, l.String()+" ("+l.Role+")")
		default:
			others = append(others, l.String())
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "\nOther labels: %s", strings.Join(others[:min(len(others), rows)], ", "))
		if len(others) > rows {
			b.WriteString(", …")
		}
		b.WriteString(".\n")
	}
	return b.String() + "\n" + capital(h.told()) + "\n"
}
