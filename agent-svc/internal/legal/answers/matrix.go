package answers

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/claimelements"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// mostClaims is how many claims one answer sets out.
const mostClaims = 4

var _ = offer(ability{
	intent: intent.Elements, prompt: "List the elements of negligence",
	does: "sets the passages beside the elements of a common claim or defense, for and against; without a " +
		"claim in the prompt, those that the pleadings name",
	run: (*job).elements,
})

// elements sets the passages beside the elements of the claims that the prompt names or, when it names none, the
// pleadings.
func (j *job) elements(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan(
		"Plan: read the files, set passages beside the elements", "list_files", "read_files", "element_matrix",
	)
	m := j.finder.New()
	d, h, err := j.survey(ctx, casereading.Keep{}, func(f api.File, body api.FileText) {
		m.Add(body.Text, casereading.NewQuoter(ctx, j.gate, f, body))
	})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	done := j.report.Tool("element_matrix", "Setting passages beside elements")
	claims, basis := claimelements.Named(j.Prompt), "named in the prompt"
	// A claim that the table lacks is named, so that nobody takes the answer about another one for it.
	if asked := claimAsked(j.Prompt); len(claims) == 0 && asked != "" {
		done("empty", "The claim is not in the table")
		r := j.whichClaim(h)
		r.Text = "This release has no elements for “" + layout.Escape(asked) + "”, so nothing was set out. It has " +
			"these:\n\n" + r.Text[strings.Index(r.Text, "- "):]

		return r, nil
	}
	if len(claims) == 0 {
		claims, basis = claimelements.Named(headings(d)), "named by the headings of the files"
	}
	if len(claims) == 0 {
		done("empty", "No claim is named")
		return j.whichClaim(h), nil
	}
	// A long complaint would fill the answer with the elements of its least important counts.
	left := max(0, len(claims)-mostClaims)
	claims = claims[:len(claims)-left]
	j.report.Reasoning("Sorting passages for and against")
	r := legal.NewAnswer(api.KindAnswer)
	var n layout.Notes
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", wording.Count(len(claims), "claim or defense", "claims or defenses"), basis)

	bare := 0
	for _, c := range claims {
		bare += claimText(&b, m, c, pleaded(d), &n)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s not set out; name one in the prompt to choose.\n\n",
			wording.Count(left, "further claim was", "further claims were"),
		)
	}
	done("ok", wording.Count(bare, "element", "elements")+" without a passage")
	r.Text, r.Citations = b.String()+wording.Capital(h.told())+"\n", n.List
	r.Limits = append(r.Limits, "Elements are generic US ones: check the jurisdiction. "+
		"Passages are chosen by terms that stand in them; nothing is weighed, and a passage may speak for the "+
		"other side. What a pleading says is alleged, not shown.",
		"That no words of an element were found means that no sentence holds the terms that are looked for, "+
			"not that there is no evidence. What a pleading says is an allegation and no evidence.")
	limits(&r, d)
	j.reviewed(&r, statesLaw, statesStrategy)
	r.SuggestedNext = suggestions("List the authorities", "Build a chronology")

	return r, nil
}

var (
	claimForm = regexp.MustCompile(`(?i)\b(?:elements?|proof|evidence) (?:of|for) (?:an? |the |our |their ` +
		`)?(?:claims? (?:of|for) |defen[cs]es? of )?([\p{L}][\p{L} '’-]{2,60})`)
	// generally are words by which a prompt means whatever claims there are.
	generally = regexp.MustCompile(`(?i)^(?:each|every|all|any|my|our|their|his|her|its|this|that|these|those|the|` +
		`claims?|counts?|causes?|case|complaint|pleadings?|actions?|matter|petition|defen[cs]es?|elements?|client)\b`)
	claimEnd = regexp.MustCompile(`(?i)\s+(?:in|from|under|against|and|with|on|for|that|which|is|are|do|does|have|` +
		`has|here)\b.*$`)
)

// claimAsked returns the claim whose elements a prompt asks for, as it calls it; "" when it asks for those that there
// are.
func claimAsked(prompt string) string {
	m := claimForm.FindStringSubmatch(prompt)
	if m == nil || generally.MatchString(m[1]) {
		return ""
	}

	return strings.TrimSpace(claimEnd.ReplaceAllString(m[1], ""))
}

// headings joins the headings of the claims that the files set out.
func headings(d *casereading.Dossier) string {
	var b strings.Builder

	for _, f := range d.Files {
		for _, c := range f.Claims {
			b.WriteString(c.Heading + "\n")
		}
	}

	return b.String()
}

// pleaded returns the files in which a side says what it claims: their sentences are allegations.
func pleaded(d *casereading.Dossier) map[string]bool {
	files := map[string]bool{}

	for _, f := range d.Files {
		if f.Kind == facts.Pleading {
			files[f.ID] = true
		}
	}

	return files
}

// claimText writes a claim with its elements, and returns how many of them have no passage.
func claimText(
	b *strings.Builder,
	m *claimelements.Matrix,
	c claimelements.Claim,
	pleaded map[string]bool,
	n *layout.Notes,
) (bare int) {
	fmt.Fprintf(b, "### %s\n\n", c.Name)

	for i, e := range c.Elements {
		fmt.Fprintf(b, "**%d. %s**\n\n", i+1, e.Name)
		yes, no := m.For(c.ID, i), m.Against(c.ID, i)
		if len(yes)+len(no) == 0 {
			b.WriteString("No words of this element were found by rules.\n\n")
			bare++

			continue
		}
		passages(b, "for", yes, pleaded, n)
		passages(b, "against", no, pleaded, n)
		b.WriteString("\n")
	}

	return bare
}

func passages(b *strings.Builder, side string, list []claimelements.Passage, pleaded map[string]bool, n *layout.Notes) {
	for _, p := range list {
		as := ""
		// What a pleading says is claimed, and is no evidence for it.
		if pleaded[p.At.FileID] {
			as = ", alleged"
		}
		fmt.Fprintf(b, "- %s%s (%s)%s: %s\n", side, as, layout.Where(p.At), n.Mark(p.At.Sources()...), layout.Sentence(p.At))
	}
	if len(list) == 0 {
		fmt.Fprintf(b, "- %s: no words found by rules\n", side)
	}
}

// whichClaim asks for a claim of the table.
func (j *job) whichClaim(h holdings) api.PhaseResponse {
	r := legal.NewAnswer(api.KindClarification)
	r.Questions = []string{"Which claim or defense shall be set out?"}
	var b strings.Builder
	b.WriteString("Neither the prompt nor a heading of the files names a claim that this release knows. " +
		"It knows these:\n\n")

	for _, c := range claimelements.Claims() {
		fmt.Fprintf(&b, "- %s\n", c.Name)
		if len(r.SuggestedNext) < 3 {
			r.SuggestedNext = append(r.SuggestedNext, suggestions("List the elements of "+strings.ToLower(c.Name))...)
		}
	}
	r.Text = b.String() + "\n" + wording.Capital(h.told()) + "\n"

	return r
}
