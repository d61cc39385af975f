package answers

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

const (
	bestPartners = 10
	country      = "US" // the jurisdiction of a case that names no state
)

var _ = offer(ability{
	intent: intent.Partners, prompt: "Which partners fit this case?",
	does: "lists the professionals of the directory that fit the case best, and why",
	run:  (*job).partners,
})

// partners lists the professionals of the directory that fit the case, and why. Their names stay in the directory: the
// answer of a run names nobody.
func (j *job) partners(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: look who in the directory fits the case", "find_partners")
	done := j.report.Tool("find_partners", "Searching the directory for the case")
	list, err := j.sources.Partners(ctx, bestPartners)
	if err != nil {
		done("failed", "The directory could not be searched")
		return api.PhaseResponse{}, err
	}
	done(outcome(len(list)), wording.Count(len(list), "partner", "partners")+" found")
	r := legal.NewAnswer(api.KindAnswer)
	r.Text = partnersText(list, j.Container.Case)
	r.Limits = append(r.Limits, "Ranks come from licences, areas, tiers, languages and availability as the "+
		"directory has them; nobody pays for rank, and nobody vouches for the work.",
		"Names are not repeated here: GET /v1/partners shows them. An agent can propose an invite; a person sends it.")
	r.SuggestedNext = []api.Suggestion{{RequestType: api.EvalReq, Prompt: "Evaluate the case"}}

	return r, nil
}

func partnersText(list []api.Partner, c *api.Case) string {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("No professional of the directory fits the case. Its jurisdiction, " +
			"practice areas and tier decide; without them nobody can be matched well.\n")

		return b.String()
	}
	fmt.Fprintf(&b, "%s the case, the best first.\n\n",
		wording.Count(len(list), "professional fits", "professionals fit"),
	)

	for i, p := range list {
		fmt.Fprintf(&b, "**%d.** %s, %s, available: %s (partnerId %s)\n",
			i+1, words(p.Kind), licensed(p), words(p.Availability), p.PartnerID,
		)
		if p.Match == nil {
			b.WriteString("\n")
			continue
		}
		fmt.Fprintf(&b, "   %s: %s\n\n",
			wording.Count(p.Match.Score, "point", "points"), layout.Escape(strings.Join(p.Match.Reasons, "; ")),
		)
	}
	// A rank that leaves out a criterion is said to, since it looks like any other.
	if c != nil && len(c.PracticeAreas) == 0 {
		b.WriteString("The case has no practice area, so none was compared: set one, and the order will say more.\n")
	}
	if c != nil && c.Jurisdiction == country {
		b.WriteString("Its jurisdiction is the United States as a whole: a licence of any state counts here, " +
			"and nobody's admission to a federal court was looked at.\n")
	}

	return strings.TrimRight(b.String(), "\n") + "\n"
}

// licensed says where a professional has an active licence.
func licensed(p api.Partner) string {
	var places []string

	for _, l := range p.Licences {
		if l.Status == "active" {
			places = append(places, l.Jurisdiction)
		}
	}
	if len(places) == 0 {
		return "no active licence on record"
	}

	return "licensed in " + strings.Join(places[:min(len(places), 5)], ", ")
}
