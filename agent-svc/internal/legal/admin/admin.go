// Package admin carries out the fixed verbs of administrators. None reads what a case says.
package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// order is one admin_req at work.
type order struct {
	legal.Task
	report legal.Report
	facts  *sales.Sheet // nil when none are configured
}

// verb is what an administrator can order.
type verb struct {
	name, takes, does string
	reads             bool // an administrator's agent has it too
	run               func(*order, context.Context, string, *api.PhaseResponse) error
}

func verbs() []verb {
	return []verb{
		{"help", "", "lists the verbs", true, (*order).listVerbs},
		{"rules_version", "", "names the rules by which answers are made", true, (*order).rulesVersion},
		{"usage", "", "counts cases, files, bytes, and the work of the last 30 days", true, (*order).usage},
		{
			"list_pending_reviews",
			"[phaseId of the page before]",
			"lists phases that wait for a sign-off, 50 at a time",
			true,
			(*order).pendingReviews,
		},
		{
			"list_members", "[cursor of the page before]",
			"lists members, and says where a person ends their access", true,
			(*order).listMembers,
		},
		{"verify_audit", "", "checks the audit chains of cases and parties", true, (*order).verifyAudit},
		{
			"export_audit",
			"",
			"says how the audit chains are exported, and how long they are",
			false,
			(*order).exportAudit,
		},
		{
			"retention_preview",
			"",
			"lists the cases that are due for removal, and gives a token for ten minutes",
			false,
			(*order).previewRetention,
		},
		{"retention_run", "TOKEN", "removes exactly the cases of a preview", false, (*order).runRetention},
		{"reindex_case", "CASE", "rebuilds the search index of a case", false, (*order).reindex},
		{
			PartnersImport,
			"and lines of JSON",
			"loads partners into the organization's own directory, all or none",
			false,
			(*order).importPartners,
		},
	}
}

// PartnersImport is the verb whose prompt goes on with entries of a directory: public data of professionals about
// themselves, names included, which is not for the record of work.
const PartnersImport = "partners_import"

// ReadVerb splits the prompt of an admin_req into its verb, in lower case, and what follows.
func ReadVerb(prompt string) (name, rest string) {
	prompt = strings.TrimSpace(prompt)
	end := strings.IndexAny(prompt, " \t\r\n")
	if end < 0 {
		end = len(prompt)
	}

	return strings.ToLower(strings.Trim(prompt[:end], ".!?:")), strings.TrimSpace(prompt[end:])
}

// Do carries out the verb of a task. Any other word answers the list of verbs. It returns the errors of the services
// that it asks, but for what the administrator can change: that is an answer.
func Do(
	ctx context.Context, task legal.Task, report legal.Report, facts *sales.Sheet,
) (api.PhaseResponse, error) {
	o := &order{Task: task, report: report, facts: facts}
	o.report.Plan("Plan: carry out an administrative verb", "admin")
	// A caller without the role is told plainly, before any service is asked.
	if !slices.Contains(o.Roles, "admin") || o.Oversight == nil {
		return o.refuseAdmin("Administrative tasks are for administrators of the organization."), nil
	}
	r := legal.NewAnswer(api.KindAdminResult)
	r.Limits = append(r.Limits, "Administrative verbs never read the content of cases.")
	name, rest := ReadVerb(o.Prompt)
	// A word that is no verb changes nothing: administrators' prompts are orders, and are not guessed at.
	at := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == name })
	if at < 0 {
		r.Text = "The prompt does not begin with a known verb; nothing was done.\n\n" + verbsText(o.Office != nil)
		return r, nil
	}
	v := verbs()[at]
	// Only a person's run has an office. An agent of an administrator may look, and not act.
	if !v.reads && o.Office == nil {
		return o.refuseAdmin("The verb `" + v.name + "` is for a signed-in administrator; " +
			"an agent has the reading verbs. Nothing was done."), nil
	}
	done := o.report.Tool(v.name, "Carrying out "+v.name)
	if err := v.run(o, ctx, rest, &r); err != nil {
		done("failed", "It could not be done")
		return r, err
	}
	done("ok", "Done")

	return r, nil
}

func (o *order) refuseAdmin(reason string) api.PhaseResponse {
	r := legal.NewAnswer(api.KindRefusal)
	r.Text, r.Refusal = reason+"\n", &api.Refusal{Reason: reason, DeepLink: o.Links("admin")}

	return r
}

func verbsText(person bool) string {
	var b strings.Builder
	b.WriteString("Verbs:\n\n")

	for _, v := range verbs() {
		who := ""
		if !v.reads && !person {
			who = " (a signed-in administrator only)"
		}
		fmt.Fprintf(&b, "- `%s`: %s%s\n", strings.TrimSpace(v.name+" "+v.takes), v.does, who)
	}

	return b.String()
}

func (o *order) listVerbs(_ context.Context, _ string, r *api.PhaseResponse) error {
	r.Text = verbsText(o.Office != nil)
	return nil
}

func (o *order) rulesVersion(_ context.Context, _ string, r *api.PhaseResponse) error {
	r.Text = "Rules version: " + legal.RulesVersion + "\n\nRubric of complexity: " + complexity.RubricVersion + "\n"
	if o.facts != nil {
		r.Text += "\nFacts for sales: " + layout.Escape(o.facts.Version()) + "\n"
	}

	return nil
}

// caseStates are in the order in which a case goes through them.
var caseStates = append(vocabulary.CaseStatuses.All(), "deleted")

func (o *order) usage(ctx context.Context, _ string, r *api.PhaseResponse) error {
	u, err := o.Oversight.Usage(ctx)
	if err != nil {
		return err
	}
	capped := false
	number := func(n int) string {
		// case-svc stops counting at its bound, so a number at the bound is a least one.
		if n >= u.Most {
			capped = true
			return "at least " + layout.Grouped(int64(u.Most))
		}

		return layout.Grouped(int64(n))
	}
	var b strings.Builder
	b.WriteString("| cases | count |\n|---|---|\n")

	for _, state := range caseStates {
		fmt.Fprintf(&b, "| %s | %s |\n", layout.Escape(state), number(u.Cases[state]))
	}
	fmt.Fprintf(&b, "\nFiles: %s, %s\n\n", number(u.Files), size(u.Bytes))
	fmt.Fprintf(&b, "Phases that began since %s:\n\n", layout.Moment(u.Since))
	if len(u.Phases) == 0 {
		b.WriteString("none\n")
	} else {
		b.WriteString("| request | outcome | count |\n|---|---|---|\n")

		for _, p := range u.Phases {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", layout.Escape(p.RequestType), layout.Escape(p.Status), number(p.Count))
		}
	}
	r.Text = b.String()
	if capped {
		r.Limits = append(r.Limits, fmt.Sprintf("Counts stop at %s; where files do, "+
			"their size is that of the largest %[1]s.", layout.Grouped(int64(u.Most))))
	}

	return nil
}

// size is a number of bytes for people.
func size(bytes int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case bytes >= gib:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
	case bytes >= mib:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/mib)
	case bytes >= kib:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/kib)
	}

	return fmt.Sprintf("%d bytes", bytes)
}

func (o *order) pendingReviews(ctx context.Context, after string, r *api.PhaseResponse) error {
	// What follows the verb goes into a query, so its form is checked first.
	if after != "" && !isID(after) {
		r.Text = "Nothing was listed: the verb takes nothing, or the id of the last phase of the page before.\n"
		return nil
	}
	page, err := o.Oversight.WaitingReviews(ctx, after)
	if err != nil {
		return refusedBy(r, err)
	}
	var b strings.Builder
	if len(page.Items) == 0 {
		b.WriteString("No phase waits for a sign-off.\n")
	} else {
		b.WriteString("Phases that wait for a sign-off, the longest waiting first:\n\n" +
			"| phase | case | request | since | reasons |\n|---|---|---|---|---|\n")

		for _, w := range page.Items {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n",
				w.PhaseID, w.CaseID, layout.Escape(w.RequestType), layout.Moment(w.Since),
				layout.Escape(strings.Join(w.Reasons, ", ")),
			)
		}
	}
	if page.After != "" {
		fmt.Fprintf(&b, "\nThere are more: `list_pending_reviews %s`\n", page.After)
		r.SuggestedNext = []api.Suggestion{{RequestType: api.AdminReq, Prompt: "list_pending_reviews " + page.After}}
	}
	r.Text = b.String()

	return nil
}

// listMembers lists who belongs to the tenant. Ending their access is up to a person, at the deep link.
func (o *order) listMembers(ctx context.Context, cursor string, r *api.PhaseResponse) error {
	page, err := o.Oversight.Members(ctx, cursor)
	if err != nil {
		return refusedBy(r, err)
	}
	var b strings.Builder
	b.WriteString("| member | roles | status | signed in last |\n|---|---|---|---|\n")

	for _, m := range page.Items {
		roles := strings.Join(m.Roles, ", ")
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n",
			layout.Escape(m.UserID), layout.Escape(roles), layout.Escape(m.Status), layout.Moment(m.LastSeenAt),
		)
	}
	if page.NextCursor != nil {
		fmt.Fprintf(&b, "\nThere are more: `list_members %s`\n", *page.NextCursor)
		r.SuggestedNext = []api.Suggestion{{RequestType: api.AdminReq, Prompt: "list_members " + *page.NextCursor}}
	}
	b.WriteString("\nA person ends a member's access, and gives it back, on the page of the deep link.\n")
	r.Text = b.String()
	// In the text, the gate could take the link for an identity and hold the whole list back.
	r.HumanReview.DeepLink = o.Links("members")

	return nil
}

// checkSteps bounds how often a check goes on: a chain of a million events.
const checkSteps = 50

// checked walks a chain to its end, as far as the steps go.
func (o *order) checked(ctx context.Context, chain string) (api.ChainCheck, error) {
	var at api.ChainCheck
	// The service checks a part at a time, so that a long chain does not block others.
	for step := range checkSteps {
		next, err := o.Oversight.CheckChain(ctx, chain, at)
		if err != nil {
			return at, err
		}
		at = next
		if at.Whole || at.Broken != nil {
			break
		}
		o.report.Working("Checking an audit chain", step+1, checkSteps)
	}

	return at, nil
}

func events(n int64) string {
	if n == 1 {
		return "1 event"
	}

	return layout.Grouped(n) + " events"
}

// chainsText says of each chain how far it is right, how long it is and how it ends.
func (o *order) chainsText(ctx context.Context) (string, error) {
	var b strings.Builder

	for _, chain := range []string{legal.CaseChain, legal.PartyChain} {
		at, err := o.checked(ctx, chain)
		if err != nil {
			return "", err
		}

		switch {
		case at.Broken != nil:
			fmt.Fprintf(&b, "- %s: **broken at event %s**: %s. Right before it: %s.\n",
				chain, layout.Grouped(at.Broken.Seq), at.Broken.Reason, events(at.Seq),
			)
		case at.Seq == 0:
			fmt.Fprintf(&b, "- %s: no event yet\n", chain)
		// The steps were used up. What was checked is right, and the answer says how far that is.
		case !at.Whole:
			fmt.Fprintf(&b, "- %s: right as far as event %s, hash `%s`; the chain goes on\n",
				chain, layout.Grouped(at.Seq), at.Hash,
			)
		default:
			fmt.Fprintf(&b, "- %s: right, %s, last hash `%s`\n", chain, events(at.Seq), at.Hash)
		}
	}

	return b.String(), nil
}

func (o *order) verifyAudit(ctx context.Context, _ string, r *api.PhaseResponse) error {
	state, err := o.chainsText(ctx)
	r.Text = "The audit chains, checked event by event:\n\n" + state
	r.Limits = append(r.Limits,
		"Checked were the chains of cases and parties. `subrosa audit verify` reads those of agents and sign-ins "+
			"too, and checks all four without trust in the service.",
		"That a chain was cut short shows only to whoever kept an earlier last hash.")

	return err
}

func (o *order) exportAudit(ctx context.Context, _ string, r *api.PhaseResponse) error {
	state, err := o.chainsText(ctx)
	r.Text = "The record is read event by event, with its hashes: `GET /v1/audit/{chain}` with a user's sign-in, " +
		"where chain is case, party, agents or auth, page by page along nextCursor; " +
		"or `subrosa audit list CHAIN --all --json`. `subrosa audit verify` checks all four.\n\n" +
		"The chains of cases and parties now:\n\n" + state
	r.HumanReview.DeepLink = o.Links("audit")

	return err
}
