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

const rows = 80 // of one table

var _ = offer(ability{
	intent: intent.Parties, prompt: "List the parties",
	does: "lists the labels with their role and first place",
	run:  (*job).parties,
})

// parties lists the parties on record, and the labels of the files that stand for somebody: where each stands first and
// as what.
func (j *job) parties(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, list the labels", "list_parties", "list_files", "read_files")
	recorded, known, err := j.recorded(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	d, h, err := j.survey(ctx, casereading.Keep{})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	var n layout.Notes
	r.Text = recordText(recorded, d) + partiesText(d, h, &n)
	r.Citations = n.List
	r.Limits = append(r.Limits, "Roles in the text are those that stand beside a label there.")
	if !known {
		r.Limits = append(r.Limits, "The parties on record could not be read; only the files were.")
	}
	limits(&r, d)
	r.SuggestedNext = suggestions("Summarise the files", "Build a chronology")

	return r, nil
}

// recorded returns the parties on record; known is false when they cannot be read, which an answer can do without.
func (j *job) recorded(ctx context.Context) (list []api.Party, known bool, err error) {
	done := j.report.Tool("list_parties", "Listing the parties on record")

	list, err = j.sources.Parties(ctx)
	switch {
	case ctx.Err() != nil:
		done("failed", "The parties could not be listed")
		return nil, false, ctx.Err()
	// The files alone answer the question well enough, and the limits say what is missing.
	case err != nil:
		done("failed", "The parties could not be listed")
		return nil, false, nil
	}
	done(outcome(len(list)), wording.Count(len(list), "party", "parties")+" on record")

	return list, true, nil
}

// recordText lists the parties on record, and the labels of the files that have none.
func recordText(recorded []api.Party, d *casereading.Dossier) string {
	if len(recorded) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s on record:\n\n"+
		"| Label | Role | Side | Representation | In the files |\n|---|---|---|---|--:|\n",
		wording.Count(len(recorded), "party is", "parties are"))

	there := map[string]int{}
	for _, l := range d.Labels {
		there[l.String()] = l.Count
	}

	on := map[string]bool{}
	for i, p := range recorded {
		on[p.Label] = true
		// The row is not shown, but its label counts as one with a record.
		if i >= rows {
			continue
		}
		side := p.Side
		if p.IsClient {
			side += ", client"
		}
		if p.Status != "active" {
			side += ", " + p.Status
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n",
			p.Label, words(p.Role), words(side), words(p.Representation), there[p.Label],
		)
	}
	if more := len(recorded) - rows; more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", wording.Count(more, "further party is", "further parties are"))
	}
	var without []string

	for _, l := range d.Parties() {
		if !on[l.String()] {
			without = append(without, l.String())
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(&b, "\nLabels of the files without a record: %s.\n",
			strings.Join(without[:min(len(without), rows)], ", "),
		)
	}

	return b.String() + "\n"
}

func partiesText(d *casereading.Dossier, h holdings, n *layout.Notes) string {
	var b strings.Builder
	people := d.Parties()
	if len(people) == 0 {
		b.WriteString("No label of a party stands in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s for parties:\n\n"+
			"| Label | Role in the text | First place | Times | Files | Sources |\n|---|---|---|--:|--:|---|\n",
			wording.Count(len(people), "label stands", "labels stand"))
	}

	for _, l := range people[:min(len(people), rows)] {
		role := l.Role
		if role == "" {
			role = "not said"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |%s |\n",
			l.Label, role, layout.Where(l.At), l.Count, l.Files,
			n.Mark(append(l.At.Sources(), l.RoleAt.Sources()...)...),
		)
	}
	if len(people) > rows {
		fmt.Fprintf(&b, "\n%s not shown.\n", wording.Count(len(people)-rows, "further label is", "further labels are"))
	}

	counted := map[string]bool{}
	for _, l := range people {
		counted[l.String()] = true
	}
	var others []string

	for _, l := range d.Labels {
		switch {
		case counted[l.String()]:
		// Counsel and witnesses have labels of persons without being parties.
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

	return b.String() + "\n" + wording.Capital(h.told()) + "\n"
}
