package answers

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// evaluate scores the case by the rubric from its fields and files.
func (j *job) evaluate(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan(
		"Plan: read the files, find what the rubric asks for, score ten features", "list_files", "read_files",
		"evaluate_complexity",
	)
	d, h, err := j.survey(ctx, casereading.Keep{Sums: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	if err := j.mergeLabels(ctx, d); err != nil {
		return api.PhaseResponse{}, err
	}
	cuts := complexity.CutsAt(j.Container.TierCutPoints)
	j.report.Reasoning("Scoring ten features by rubric " + cuts.Version())
	done := j.report.Tool("evaluate_complexity", "Scoring by rubric "+cuts.Version())
	features, remarks := d.Features(j.Container.Case, j.Now)
	evaluation := cuts.Evaluate(features)
	unpleaded := d.Unpleaded(j.Container.Case)
	// A tier for papers without a pleading would be a number about nothing.
	if unpleaded {
		unrate(&evaluation)
	}
	evaluation.Suggested = api.Suggestions{Title: j.title(ctx, d), Stage: d.Stage(), NextSteps: j.steps(h, &evaluation)}
	done("ok", fmt.Sprintf("Tier %s, %d of 100 points known", evaluation.TierName, evaluation.KnownWeight))

	r := legal.NewAnswer(api.KindEvaluation)
	r.Evaluation = &evaluation
	r.Questions = evaluation.Questions
	own := func(n *layout.Notes) string { return "" }
	if unpleaded {
		own = func(n *layout.Notes) string {
			return dealOf(d).text(n, func(text string) bool { return j.clean(ctx, text) })
		}
	}
	r.Text, r.Citations = evaluationText(evaluation, cuts, cuts.Swings(features), h, own)
	r.Limits = append(r.Limits, remarks...)
	r.Limits = append(r.Limits, "Parties are counted as distinct labels, those that are one by the files or by their "+
		"records once: Party and Minor, and Person, Org and Company in the role of a party; or as records of the case "+
		"when these are more.",
		"A tier is a proposal by a rubric; how hard a case is stays a person's judgment.")
	limits(&r, d)
	r.SuggestedNext = suggestions("Build a chronology", "List the deadlines", "List the parties")
	j.reviewed(&r, statesTier)

	return r, nil
}

// mergeLabels has labels count once whose records were merged, where the files have more labels than the case has
// parties.
func (j *job) mergeLabels(ctx context.Context, d *casereading.Dossier) error {
	c := j.Container.Case
	// The records are read only where they can make a difference: each reading is a call.
	if c == nil || c.Counts.Parties == 0 || len(d.Parties()) <= c.Counts.Parties {
		return nil
	}
	recorded, _, err := j.recorded(ctx)
	if err != nil {
		return err
	}
	labels := map[string]label.Label{}

	for _, p := range recorded {
		if l, _, ok := label.At(p.Label, 0); ok {
			labels[p.PartyID] = l
		}
	}

	for _, p := range recorded {
		own, one := labels[p.PartyID]
		if into, other := labels[p.MergedIntoPartyID]; one && other {
			d.Same(into, own)
		}
	}

	return nil
}

// notPleaded is the name of the tier of a matter of which no pleading was read.
const notPleaded = "not rated: no pleading found"

// unrate takes back the tier of a matter of which no pleading was read: the rubric weighs claims, demands and forums,
// and a deal or a memo has none of them to weigh.
func unrate(e *api.Evaluation) {
	e.Tier, e.TierName, e.Confidence = nil, notPleaded, "low"
	e.Missing = append(e.Missing, "pleading")
	e.Questions = append([]string{
		"Which claim is made, by whom and for what sum? Add the complaint, petition or statement of claim, " +
			"or the amount in controversy of the case.",
	}, e.Questions...)
}

// title proposes a title that the gate lets pass, "" when there is none.
func (j *job) title(ctx context.Context, d *casereading.Dossier) string {
	title := d.Title(j.Container.Case)
	if !j.clean(ctx, title) {
		return ""
	}

	return title
}

// evaluationText writes an evaluation with its table, its doubts and what would change it.
// own writes what a matter without a pleading says of itself.
func evaluationText(
	e api.Evaluation,
	cuts complexity.Cuts,
	swings []complexity.Swing,
	h holdings,
	own func(*layout.Notes) string,
) (string, []api.Citation) {
	var b strings.Builder
	var n layout.Notes

	switch {
	case e.TierName == notPleaded:
		fmt.Fprintf(&b, "## Not rated: no pleading found\n\n"+
			"The files are agreements, memos or the like. "+
			"The score below counts what they say, and is no measure of a deal. Missing: %s. ",
			strings.Join(e.Missing, ", "))
	case e.Tier == nil:
		fmt.Fprintf(&b, "## Unrated\n\nOnly %d of 100 points rest on a source; 40 are needed for a tier. ",
			e.KnownWeight,
		)
	default:
		fmt.Fprintf(&b, "## Tier %d: %s\n\n", *e.Tier, e.TierName)
	}
	fmt.Fprintf(&b, "Score **%s of 100**, range %s to %s, confidence %s, rubric %s.",
		layout.Points(e.Score), layout.Points(e.Range[0]), layout.Points(e.Range[1]), e.Confidence, e.RubricVersion,
	)
	if e.Urgent {
		b.WriteString(" **Urgent: an open deadline within 7 days.**")
	}
	b.WriteString("\n\n| Factor | Finding | Basis | Points | Of | Sources |\n|---|---|---|--:|--:|---|\n")

	for _, f := range e.Breakdown {
		value := layout.Escape(f.Value)
		if f.Basis == complexity.Unknown {
			value = "unknown, counts a quarter"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |%s |\n",
			f.Feature, value, f.Basis, layout.Points(f.Points), f.Max, n.Mark(f.Sources...),
		)
	}
	fmt.Fprintf(&b, "| **sum** | | | **%s** | **100** | |\n\n", layout.Points(e.Score))

	for _, floor := range e.Floors {
		b.WriteString("Floor: " + floor + "\n\n")
	}
	b.WriteString(own(&n))
	b.WriteString(outlook(e, cuts, swings))
	b.WriteString("**Read.** " + h.told() + "\n")
	if len(e.Suggested.NextSteps) > 0 {
		b.WriteString("\n**Next steps.**\n\n")

		for _, step := range e.Suggested.NextSteps {
			b.WriteString("- " + step + "\n")
		}
	}

	return b.String(), n.List
}

// outlook says what is unknown and what would change the tier.
func outlook(e api.Evaluation, cuts complexity.Cuts, swings []complexity.Swing) string {
	var b strings.Builder
	if len(swings) > 0 {
		b.WriteString("**Unknown, what would move the tier most first.**\n\n")

		for _, s := range swings {
			fmt.Fprintf(&b, "- %s: %s %s\n", s.Feature, s.Question, reach(s))
		}
		b.WriteString("\n")
	}
	if e.Tier == nil {
		return b.String()
	}
	b.WriteString("**What would change the tier.** ")
	if need, tier, ok := cuts.Gap(e.Score); ok {
		fmt.Fprintf(&b, "%s more would make a score of tier %d (%s). ",
			pointsOf(need), tier, complexity.TierName(&tier),
		)
	}
	if surplus, ok := cuts.Surplus(e.Score); ok {
		fmt.Fprintf(&b, "A score lower by more than %s would be one of the tier below. ", pointsOf(surplus))
	}
	if len(e.Floors) > 0 {
		b.WriteString("A floor holds whatever the score. ")
	}
	if len(swings) == 0 {
		b.WriteString("Nothing of the rubric is unknown.")
	}

	return strings.TrimRight(b.String(), " ") + "\n\n"
}

// reach says how far an unknown feature alone moves the tier.
func reach(s complexity.Swing) string {
	if s.Low == s.High {
		return "(alone it changes nothing)"
	}

	return fmt.Sprintf("(alone it decides between tier %d and tier %d)", s.Low, s.High)
}

func pointsOf(p float64) string {
	if p == 1 {
		return "1 point"
	}

	return layout.Points(p) + " points"
}

// steps proposes what to do next, from the state of the case, its files and its evaluation.
func (j *job) steps(h holdings, e *api.Evaluation) []string {
	// Never nil: the interface has an empty list here.
	list := []string{}
	add := func(when bool, step string) {
		if when {
			list = append(list, step)
		}
	}
	if e != nil {
		add(e.Urgent, "Look at the nearest deadline first and have a person confirm it.")
		add(e.Tier == nil, "Settle enough of the unknown features for a tier; the questions name them.")
		add(e.Tier != nil && len(e.Missing) > 0, "Settle what is unknown: "+strings.Join(e.Missing, ", ")+".")
	}
	add(len(h.readable)+len(h.unreadable) == 0, "Add the documents of the case as de-identified files.")
	add(len(h.unreadable) > 0, "Add readable, de-identified versions of the files that could not be read.")
	if c := j.Container.Case; c != nil {
		add(c.Jurisdiction == "", "Set the jurisdiction; a case needs one before it opens.")
		add(len(c.PracticeAreas) == 0, "Set a practice area; a case needs one before it opens.")
		add(c.Forum == nil, "Set the forum, if there is one, with its time zone: deadlines are dates there.")
		add(c.Supervision.ResponsibleUserID == "", "Name the person who answers for the case.")
		add(c.Conflict.Status == "not_run", "Have a user run the conflict check in the browser.")
		unsettled := c.Conflict.Status == "potential" || c.Conflict.Status == "blocked"
		add(unsettled, "Have a user settle the conflict check.")
		pending := wording.Count(c.Counts.PendingReviews, "phase waits", "phases wait")
		add(c.Counts.PendingReviews > 0, "Have the pending reviews decided: "+pending+".")
	}
	add(e != nil && e.Tier != nil, "Have a person review and sign off the tier.")

	return list
}
