package answers

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

var _ = offer(ability{
	intent: intent.Help, prompt: "Help",
	does: "shows this list",
	run:  func(j *job, _ context.Context) (api.PhaseResponse, error) { return j.help(), nil },
})

// help lists what can be asked, with an example each.
func (j *job) help() api.PhaseResponse {
	j.report.Plan("Plan: list what can be asked", "help")
	r := legal.NewAnswer(api.KindAnswer)
	r.Text = "What can be asked of a case, with an example each:\n\n" + abilitiesText() +
		"- **Evaluate the case** (as an eval_req): scores its complexity by a published rubric, with sources\n\n" +
		"What needs a real identity (to contact, file, serve, sign, or write names) is done by a signed-in user " +
		"in the browser; asking for it gives a deep link.\n"
	r.SuggestedNext = suggestions("List the parties", "Build a chronology", "Summarise the files")

	return r
}

func abilitiesText() string {
	var b strings.Builder
	for _, a := range abilities() {
		fmt.Fprintf(&b, "- **%s**: %s\n", a.prompt, a.does)
	}

	return b.String()
}

// unavailable says plainly that this release does not do what was asked, and what it can do instead.
func (j *job) unavailable(what intent.Intent) api.PhaseResponse {
	j.report.Plan("Plan: say what can be done instead", "help")
	r := legal.NewAnswer(api.KindAnswer)
	name, instead := alternative(what)
	r.Text = fmt.Sprintf("This release does not %s. %s\n\nWhat can be asked of a case:\n\n%s",
		name, instead, abilitiesText(),
	)
	r.Limits = append(r.Limits, "What was asked for is not part of this release; nothing was read or written for it.")

	switch what {
	case intent.Tier:
		r.SuggestedNext = []api.Suggestion{{RequestType: api.EvalReq, Prompt: "Evaluate the case"}}
	default:
		r.SuggestedNext = suggestions("What are the next steps?", "List the authorities")
	}

	return r
}

// alternative names what was asked for and what comes nearest to it.
func alternative(what intent.Intent) (name, instead string) {
	switch what {
	case intent.Tier:
		return "score complexity in a case_req", "Send the same case as an eval_req."
	}

	return "do this", "It can do what follows."
}

var _ = offer(ability{
	intent: intent.NextSteps, prompt: "What are the next steps?",
	does: "lists what the case still lacks",
	run:  (*job).nextSteps,
})

// nextSteps lists what the case still lacks, from its record and its files.
func (j *job) nextSteps(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: look at the record of the case and its files", "get_case", "list_files")
	h, err := j.hold(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	var b strings.Builder
	steps := j.steps(h, nil)
	if len(steps) == 0 {
		b.WriteString("The record of the case lacks nothing that this release looks for.\n")
	} else {
		b.WriteString("The record of the case suggests:\n\n")
	}

	for _, s := range steps {
		b.WriteString("- " + s + "\n")
	}
	fmt.Fprintf(&b, "\nThe case has %s, %d of them readable.\n",
		wording.Count(len(h.readable)+len(h.unreadable), "file", "files"), len(h.readable),
	)
	r.Text = b.String()
	r.Limits = append(r.Limits, "Steps come from what the record lacks; they are no legal strategy.")
	// The two answers that need no more than the files that are there.
	r.SuggestedNext = []api.Suggestion{
		{RequestType: api.EvalReq, Prompt: "Evaluate the case"},
		{RequestType: api.CaseReq, Prompt: "List the deadlines"},
	}

	return r, nil
}
