package legal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// support answers a question about the service from its catalogue, or hands it to a person.
func (j *job) support() api.PhaseResponse {
	j.report.Plan("Plan: look into the catalogue of errors and questions", "search_help")
	done := j.report.Tool("search_help", "Searching the catalogue", j.Prompt)
	entries := j.desk.Answer(j.Prompt)
	done(outcome(len(entries)), count(len(entries), "entry", "entries")+" found")
	if len(entries) == 0 {
		return j.handOff("The catalogue of this service has no entry that fits this question well enough, so a person should answer it.")
	}
	r := answer(api.KindAnswer)
	var b strings.Builder
	for _, e := range entries {
		code := ""
		if e.Fault {
			code = " (`" + e.Code + "`)"
		}
		fmt.Fprintf(&b, "### %s%s\n\n%s\n\n**What to do.** %s\n\n", e.Title, code, e.Cause, e.Remedy)
	}
	b.WriteString("If this does not help, the deep link of this answer hands the question to a person.\n")
	r.Text = b.String()
	r.HumanReview.DeepLink = j.Links("handoff")
	r.Limits = append(r.Limits, "Answers come from a catalogue about the service; no case is read for them.", "What happened to one request is not looked up in this release; a requestId helps a person to do so.")
	return r
}

// handOff answers with the way to a person.
func (j *job) handOff(why string) api.PhaseResponse {
	r := answer(api.KindHandoff)
	r.Text = why + "\n\nThe deep link of this answer leads to one. Leave identities of clients out of the question; the requestId of an error helps.\n"
	r.HumanReview.DeepLink = j.Links("handoff")
	r.Limits = append(r.Limits, "Answers come from a catalogue about the service; no case is read for them.")
	return r
}

// sales hands over, since nothing about prices is configured, and asks for what a person will need to know.
func (j *job) sales() api.PhaseResponse {
	j.report.Plan("Plan: look for configured price information", "read_facts")
	r := j.handOff("No price information is configured, so this service names no price, plan or term. A person can answer.")
	r.Questions = []string{
		"How many people would work with the service?",
		"In which practice areas do you work?",
		"In which jurisdictions do you work?",
		"About how many cases a month would agents work on?",
		"Must data stay in a certain region?",
	}
	r.Limits = []string{noModel, "No facts about prices and plans are configured; none are invented.", "Leave names and contact details out; they are asked for behind the deep link."}
	return r
}

// verb is an order of an administrator.
type verb struct {
	name, does string
	ready      bool
}

func verbs() []verb {
	return []verb{
		{"help", "lists the verbs", true},
		{"rules_version", "names the rules by which answers are made", true},
		{"usage", "counts what the tenant used", false},
		{"list_pending_reviews", "lists phases that wait for a sign-off", false},
		{"verify_audit", "checks the audit chains", false},
		{"export_audit", "exports the audit chains", false},
		{"retention_preview", "shows what retention would remove", false},
		{"retention_run", "removes it", false},
		{"reindex_case", "builds the search index of a case anew", false},
		{"partners_import", "loads partners into the tenant's directory", false},
	}
}

// admin carries out a fixed verb. Any other word answers the list of verbs.
func (j *job) admin() api.PhaseResponse {
	j.report.Plan("Plan: carry out an administrative verb", "admin")
	if !slices.Contains(j.Roles, "admin") {
		r := answer(api.KindRefusal)
		reason := "Administrative tasks are for administrators of the tenant."
		r.Text, r.Refusal = reason+"\n", &api.Refusal{Reason: reason, DeepLink: j.Links("admin")}
		return r
	}
	r := answer(api.KindAdminResult)
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(j.Prompt)), " ")
	at := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == strings.Trim(word, ".!?\n\t ") })
	switch {
	case at < 0:
		r.Text = "The prompt does not begin with a known verb.\n\n" + verbsText()
	case !verbs()[at].ready:
		r.Text = fmt.Sprintf("The verb `%s` is not part of this release; nothing was done.\n\n%s", verbs()[at].name, verbsText())
	case verbs()[at].name == "rules_version":
		r.Text = "Rules version: " + RulesVersion + "\n\nRubric of complexity: " + complexity.RubricVersion + "\n"
	default:
		r.Text = verbsText()
	}
	r.Limits = append(r.Limits, "Administrative verbs never read the content of cases.")
	return r
}

func verbsText() string {
	var b strings.Builder
	b.WriteString("Verbs:\n\n")
	for _, v := range verbs() {
		state := ""
		if !v.ready {
			state = " (not in this release)"
		}
		fmt.Fprintf(&b, "- `%s`: %s%s\n", v.name, v.does, state)
	}
	return b.String()
}
