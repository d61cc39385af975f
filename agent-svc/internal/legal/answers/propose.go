package answers

import (
	"context"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Origins of what a run proposes.
const (
	extracted = "extracted"
	computed  = "computed"
)

// mostProposed bounds the entries that one run proposes.
const mostProposed = 3 * api.MaxProposed

// titleChars is how long the title of an entry may be, in code points.
const titleChars = 200

// propose puts entries into the timeline, and returns them with their ids. What cannot be put there is told in the
// limits of the answer: the answer itself stands without it.
func (j *job) propose(
	ctx context.Context, r *api.PhaseResponse, origin string, entries []api.EntryContent,
) []api.Proposal {
	// What the gate would refuse is left out here, so that it cannot cost the rest of its batch.
	entries = slices.DeleteFunc(slices.Clone(entries), func(e api.EntryContent) bool { return !j.proposable(ctx, e) })
	if more := len(entries) - mostProposed; more > 0 {
		entries = entries[:mostProposed]
		r.Limits = append(r.Limits, wording.Count(more, "further entry was", "further entries were")+
			" not proposed to the timeline: one answer proposes at most 300.")
	}

	list := make([]api.Proposal, 0, min(len(entries), api.MaxProposals))
	for _, e := range entries[:min(len(entries), api.MaxProposals)] {
		list = append(list, api.Proposal{EntryContent: e})
	}
	if j.Work == nil || len(entries) == 0 {
		return list
	}
	done := j.report.Tool(
		"propose_timeline_entries", "Proposing "+wording.Count(len(entries), "entry", "entries")+" to the timeline",
	)
	put, added := 0, 0

	for batch := range slices.Chunk(entries, api.MaxProposed) {
		known, err := j.Work.Propose(ctx, origin, batch)
		// An answer with fewer ids cannot be matched to its entries.
		if err != nil || len(known) != len(batch) {
			done("failed", "The timeline could not be written")
			r.Limits = append(r.Limits, "Not all that was found could be proposed to the timeline. "+
				"Ask again to propose the rest; nothing is added twice.")

			return list
		}

		for i, k := range known {
			if put+i < len(list) {
				list[put+i].EntryID = k.EntryID
			}
			if k.Added {
				added++
			}
		}
		put += len(known)
	}
	kept := wording.Count(put-added, "was", "were") + " there already"
	done("ok", wording.Count(added, "entry", "entries")+" added, "+kept)

	return list
}

// proposable reports whether the texts of an entry may be kept: a short text can be read as a name where its sentence
// cannot.
func (j *job) proposable(ctx context.Context, e api.EntryContent) bool {
	for _, text := range [...]string{e.Title, e.Detail} {
		if text != "" && len(j.gate.Check(ctx, guard.Title, text)) > 0 {
			return false
		}
	}

	return e.When == nil || e.When.Raw == "" || len(j.gate.Check(ctx, guard.Title, e.When.Raw)) == 0
}

// dated turns dates into entries; those that may not be quoted have no source and are left out.
func dated(dates []casereading.Date) []api.EntryContent {
	var list []api.EntryContent

	for _, x := range dates {
		if x.At.Withheld || x.At.FileID == "" {
			continue
		}
		when := &api.When{On: x.Time().Format("2006-01-02"), Precision: "day", Ambiguous: x.Ambiguous, Raw: x.Raw}
		// A month alone is no day; the entry says how far its date is known.
		if x.Day == 0 {
			when.Precision = "month"
		}
		if x.Ambiguous {
			when.AlternativeOn = x.Swapped().String()
		}
		list = append(list, api.EntryContent{
			Kind:    kindOf(x.At.Quote),
			When:    when,
			Title:   titleOf(x.At.Quote),
			Sources: x.At.Sources(),
		})
	}

	return list
}

func titleOf(quote string) string {
	return layout.Cut(strings.TrimLeft(quote, "#*> "), titleChars-1)
}

// kindWords tell from the words of a sentence what sort of event it speaks of; the first that fits counts.
var kindWords = [...]struct {
	kind  string
	words []string
}{
	{api.EntryHearing, []string{"hearing", "deposition of", "oral argument", "trial is", "trial was", "mediation"}},
	{api.EntryFiling, []string{
		" filed ", "complaint was", "docketed", "petition was", "was filed", "were filed", "filed on", "filed this",
	}},
	{api.EntryPayment, []string{" paid ", "payment of", "payment was", "wired", "deposited", "refunded", "invoice"}},
	{api.EntryAgreement, []string{
		"entered into", "executed", "signed", "agreement dated", "lease dated", "effective as of", "effective date",
	}},
	{api.EntryCommunication, []string{
		" wrote ", "letter", "e-mail", "emailed", "notified", "notice ", "telephoned", "demanded", "served ",
	}},
}

func kindOf(sentence string) string {
	// With a blank at both ends, words at the edges are found like all others.
	lower := " " + strings.ToLower(sentence) + " "

	for _, k := range kindWords {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(lower, w) }) {
			return k.kind
		}
	}

	return api.EntryFact
}
