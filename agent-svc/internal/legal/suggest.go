package legal

import (
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// ability is something that can be asked of a case, with the prompt that asks for it.
type ability struct {
	intent intent.Intent
	prompt string
	does   string
}

// abilities lists what this release can do with a case_req.
func abilities() []ability {
	return []ability{
		{intent.Find, "What does the lease say about late charges?", "quotes the passages that match a question best, with file and page; a phrase in quotation marks must stand there word for word"},
		{intent.Parties, "List the parties", "lists the labels with their role and first place"},
		{intent.Dates, "Build a chronology", "lists the dates in order, each with its sentence; those that can be read in two ways stand apart"},
		{intent.Deadlines, "List the deadlines", "lists the time limits that the files state in so many words, and computes those that rules of procedure give for the events found, with their steps"},
		{intent.Amounts, "List the amounts", "lists the sums of money by what they are for"},
		{intent.Authorities, "List the authorities", "lists the cases, statutes and rules that are cited; they are reported, not vouched for"},
		{intent.Summary, "Summarise the files", "makes a card of each file, or of those that the prompt names: what it is, its parties, claims, dates, sums and duties, quoted and never paraphrased"},
		{intent.Checklist, "Which documents are missing?", "compares the documents of the case with those that are usual at its stage"},
		{intent.Elements, "List the elements of negligence", "sets the passages beside the elements of a common claim or defense, for and against; without a claim in the prompt, those that the pleadings name"},
		{intent.Partners, "Which partners fit this case?", "lists the professionals of the directory that fit the case best, and why"},
		{intent.Compare, "Compare the two files", "lists what differs between two files, changed dates, sums, numbers and defined terms first"},
		{intent.Draft, "Draft an answer to the complaint", "fills one of fourteen skeletons, from demand letter to settlement outline, with labels and sourced facts, and keeps it as Markdown and Word files; what no file says stays a placeholder"},
		{intent.NextSteps, "What are the next steps?", "lists what the case still lacks"},
		{intent.Help, "Help", "shows this list"},
	}
}

// suggestion returns the task that asks for an intent; ok is false when this release cannot do it.
func suggestion(what intent.Intent) (s api.Suggestion, ok bool) {
	if what == intent.Tier {
		return api.Suggestion{RequestType: api.EvalReq, Prompt: "Evaluate the case"}, true
	}

	for _, a := range abilities() {
		if a.intent == what && what != intent.Find {
			return api.Suggestion{RequestType: api.CaseReq, Prompt: a.prompt}, true
		}
	}

	return api.Suggestion{}, false
}

func suggestions(prompts ...string) []api.Suggestion {
	var list []api.Suggestion
	for _, p := range prompts {
		list = append(list, api.Suggestion{RequestType: api.CaseReq, Prompt: p})
	}

	return list
}
