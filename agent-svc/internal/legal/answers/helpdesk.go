package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/faq"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/support"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

const fromCatalogue = "Answers come from a catalogue about the service; no case is read for them."

// support answers a question about the service from its catalogue and from what the caller was refused, or hands it to
// a person.
func (j *job) support(ctx context.Context) (api.PhaseResponse, error) {
	steps := []string{"search_help"}
	// The record is read only for a question about it: support needs no right to it otherwise.
	asked := j.Record != nil && asksForRefusals(j.Prompt)
	if asked {
		steps = append([]string{"read_refusals"}, steps...)
	}
	j.report.Plan("Plan: look into the catalogue of errors and questions", steps...)
	r := legal.NewAnswer(api.KindAnswer)
	var b strings.Builder
	var entries []support.Entry
	listed := false
	if asked {
		own, err := j.ownRefusals(ctx)
		switch {
		// A run that is over must not answer that the record could not be read.
		case ctx.Err() != nil:
			return r, ctx.Err()
		case err != nil:
			r.Limits = append(r.Limits, "What was refused to you could not be looked up at the moment.")
		default:
			listed = true
			entries = j.refusalsText(ctx, &b, own)
			r.Limits = append(r.Limits, fmt.Sprintf("Refusals are those of the credential that asks, "+
				"the ten newest among the last %s events of the organization's record of cases and prompts, "+
				"which keeps no content.", layout.Grouped(int64(own.Searched))))
		}
	}

	done := j.report.Tool("search_help", "Searching the catalogue", j.Prompt)
	for _, e := range j.catalogue.Answer(j.Prompt) {
		// What explains the caller's own refusals comes first; the catalogue fills what room is left.
		if len(entries) < faq.Most && !slices.Contains(entries, e) {
			entries = append(entries, e)
		}
	}
	done(outcome(len(entries)), wording.Count(len(entries), "entry", "entries")+" found")
	if len(entries) == 0 && !listed {
		return j.handOff("The catalogue of this service has no entry that fits this question well enough, " +
			"so a person should answer it."), nil
	}

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
	r.Limits = append(r.Limits, fromCatalogue)

	return r, nil
}

// Words by which somebody asks what became of requests of their own.
var (
	refusalWords = []string{"refus", "reject", "denied", "deny", "declin", "blocked", "forbidden", "403", "turned"}
	ownWords     = []string{"my", "our", "i", "me", "we", "mine", "why", "last", "recent", "requestid"}
)

func asksForRefusals(prompt string) bool {
	words := support.Words(prompt)
	refusal := slices.ContainsFunc(words, func(w string) bool {
		// A code such as identity_refused asks what the code means, not what was refused.
		return !strings.Contains(w, "_") && slices.ContainsFunc(refusalWords, func(stem string) bool {
			return strings.HasPrefix(w, stem)
		})
	})

	return refusal && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(ownWords, w) })
}

// ownRefusals returns what the caller was refused, narrowed to what the question is about where that leaves something.
func (j *job) ownRefusals(ctx context.Context) (api.Refusals, error) {
	done := j.report.Tool("read_refusals", "Reading your own refusals")
	own, err := j.Record.Refusals(ctx)
	if err != nil {
		done("failed", "The record could not be read")
		return own, err
	}
	prompt := strings.ToLower(j.Prompt)
	narrow := func(of func(api.Refused) bool) {
		some := slices.DeleteFunc(slices.Clone(own.Items), func(r api.Refused) bool { return !of(r) })
		// A filter that leaves nothing was a wrong guess, so the whole list stays.
		if len(some) > 0 {
			own.Items = some
		}
	}

	switch {
	case slices.ContainsFunc(own.Items, func(r api.Refused) bool {
		return r.RequestID != "" && strings.Contains(prompt, strings.ToLower(r.RequestID))
	}):
		narrow(func(r api.Refused) bool {
			return r.RequestID != "" && strings.Contains(prompt, strings.ToLower(r.RequestID))
		})
	case strings.Contains(prompt, "upload"), strings.Contains(prompt, "file"):
		narrow(func(r api.Refused) bool { return strings.HasPrefix(r.Action, "file.") })
	case strings.Contains(prompt, "prompt"), strings.Contains(prompt, "question"):
		narrow(func(r api.Refused) bool { return strings.HasPrefix(r.Action, "prompt.") })
	}
	done(outcome(len(own.Items)), wording.Count(len(own.Items), "refusal", "refusals")+" found")

	return own, nil
}

// refusalsText writes the table of refusals, and returns the entries of the catalogue by which what was asked for most
// lately is refused.
func (j *job) refusalsText(ctx context.Context, b *strings.Builder, own api.Refusals) []support.Entry {
	if len(own.Items) == 0 {
		b.WriteString("Nothing was refused to this credential lately. A refusal of another credential, " +
			"such as that of an agent, shows when that one asks.\n\n")

		return nil
	}
	b.WriteString("### What was refused to you\n\n| when | action | what | requestId |\n|---|---|---|---|\n")
	var entries []support.Entry

	for _, r := range own.Items {
		what := strings.TrimSpace(r.ResourceType + " " + r.ResourceID)
		request := r.RequestID
		// The sender chooses the id of a request, and may have put a name into it.
		if len(j.gate.Check(ctx, guard.Event, request)) > 0 {
			request = "left out" // its sender chose it
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", layout.Moment(r.At), layout.Escape(r.Action), layout.Escape(what), layout.Escape(request))

		for _, code := range reasonsFor(r.Action) {
			if e, ok := j.catalogue.Entry(code); ok && len(entries) < 2 && !slices.Contains(entries, e) {
				entries = append(entries, e)
			}
		}
	}
	b.WriteString("\nThe record keeps no content. Such requests are refused for these reasons; " +
		"the answer to the request named the place.\n\n")

	return entries
}

// reasonsFor returns the error codes with which an action is refused, the most frequent first.
func reasonsFor(action string) []string {
	switch action {
	case "prompt.refused", "case.create", "entry.create":
		return []string{"identity_refused"}
	case "file.add":
		return []string{"identity_refused", "identity_unverifiable"}
	case "file.read":
		return []string{"identity_unverifiable", "forbidden"}
	case "file.delete", "file.clear", "case.delete", "case.update", "case.restore", "case.export", "conflict.decide",
		"phase.review", "entry.update", "audit.read", "settings.update":
		return []string{"human_required", "forbidden"}
	}

	return []string{"forbidden", "scope_missing"}
}

// handOff answers with the way to a person.
func (j *job) handOff(why string) api.PhaseResponse {
	r := legal.NewAnswer(api.KindHandoff)
	r.Text = why + "\n\nThe deep link of this answer leads to one. Leave identities of clients out of the " +
		"question; the requestId of an error helps.\n"
	r.HumanReview.DeepLink = j.Links("handoff")
	r.Limits = append(r.Limits, fromCatalogue)

	return r
}

// sales answers from the configured facts and from nothing else, and notes what a person will need to know.
func (j *job) sales() api.PhaseResponse {
	j.report.Plan("Plan: look for configured facts", "read_facts")
	told, open := needs(j.Prompt)
	// Prices are never guessed: without configured facts a person answers.
	if j.Facts == nil {
		r := j.handOff("No price information is configured, so this service names no price, plan or term. " +
			"A person can answer." + told)
		r.Questions = open
		r.Limits = []string{legal.NoModel, "No facts about prices and plans are configured; none are invented.", apart}

		return r
	}
	done := j.report.Tool("read_facts", "Searching the configured facts", j.Prompt)
	found := j.Facts.Answer(j.Prompt)
	done(outcome(len(found)), wording.Count(len(found), "fact", "facts")+" found")
	if len(found) == 0 {
		r := j.handOff("Nothing in the configured facts fits this question, so nothing is said about it. " +
			"They are about: " + strings.Join(j.Facts.Topics(), ", ") + ". A person can answer the rest." + told)
		r.Questions = open
		r.Limits = []string{
			legal.NoModel,
			"Answers come from the configured facts alone, version " + j.Facts.Version() + "; nothing is added.",
			apart,
		}

		return r
	}
	r := legal.NewAnswer(api.KindAnswer)

	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", f.Title, f.Text)
	}
	b.WriteString("The deep link of this answer leads to a person, who can say more." + told + "\n")
	r.Text, r.Questions = b.String(), open
	r.HumanReview.DeepLink = j.Links("handoff")
	r.Limits = append(r.Limits,
		"Answers are the words of the configured facts, version "+j.Facts.Version()+"; "+
			"nothing is added, and no outcome is promised.",
		apart)

	return r
}

const apart = "Leave names and contact details out; they are asked for behind the deep link."

// need is something that a person will want to know before an offer.
type need struct {
	question, name string
	keys           []string // that stand before an answer, as in "people: 12"
}

func allNeeds() []need {
	return []need{
		{"How many people would work with the service? (people: …)", "People", []string{
			"people", "firm size", "size", "seats", "users",
		}},
		{"In which practice areas do you work? (practice areas: …)", "Practice areas", []string{
			"practice areas", "practice area", "areas",
		}},
		{"In which jurisdictions do you work? (jurisdictions: …)", "Jurisdictions", []string{
			"jurisdictions", "jurisdiction",
		}},
		{"About how many cases a month would agents work on? (cases a month: …)", "Cases a month", []string{
			"cases a month", "cases per month", "cases",
		}},
		{"Must data stay in a certain region? (region: …)", "Region", []string{"region", "data region"}},
	}
}

const longestNeed = 200 // code points of one answer that is repeated

// needs returns what a prompt tells in the form "name: answer", by lines or semicolons, and the questions that are
// open.
func needs(prompt string) (told string, open []string) {
	given := map[string]string{}

	for part := range strings.FieldsFuncSeq(prompt, func(r rune) bool { return r == '\n' || r == ';' }) {
		key, value, ok := strings.Cut(part, ":")
		if value = strings.TrimSpace(value); ok && value != "" {
			given[strings.ToLower(strings.TrimSpace(key))] = value
		}
	}
	var b strings.Builder

	for _, n := range allNeeds() {
		at := slices.IndexFunc(n.keys, func(k string) bool { return given[k] != "" })
		if at < 0 {
			open = append(open, n.question)
			continue
		}
		// The words are repeated for a person, so they are cut by characters and escaped.
		value := []rune(given[n.keys[at]])
		fmt.Fprintf(&b, "\n- %s: %s", n.name, layout.Escape(string(value[:min(len(value), longestNeed)])))
	}
	if b.Len() > 0 {
		told = "\n\nWhat you told us, for the person who answers:\n" + b.String()
	}

	return told, open
}
