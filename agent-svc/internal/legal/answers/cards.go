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

const (
	mostCards = 10
	cardItems = 6 // of one list of a card
)

var _ = offer(ability{
	intent: intent.Summary, prompt: "Summarise the files",
	does: "makes a card of each file, or of those that the prompt names: what it is, its parties, claims, " +
		"dates, sums and duties, quoted and never paraphrased",
	run: (*job).cards,
})

// cards makes a card of each file: what it says of itself, quoted.
func (j *job) cards(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, make a card of each", "list_files", "read_files", "summarise_file")
	h, err := j.hold(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	// A draft that the prompt names is summarised like any other file.
	if len(j.FileIDs) > 0 || !h.keepNamed(j.Prompt) {
		h.leaveDrafts(j.FileIDs)
	}
	// The surplus is cut before the files are read: cards that are not shown cost nothing.
	left := max(0, len(h.readable)-mostCards)
	h.readable = h.readable[:len(h.readable)-left]
	var cards []*casereading.Dossier
	if err := j.study(ctx, &h, func(f api.File, body api.FileText) {
		// One dossier for each file keeps their facts apart.
		d := casereading.New(j.reader, j.gate, casereading.Keep{Dates: true, Sums: true})
		d.Add(ctx, f, body)
		cards = append(cards, d)
	}); err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	var b strings.Builder
	var n layout.Notes
	if len(cards) == 0 {
		b.WriteString("There is no readable file to make a card of.\n\n")
	}

	for _, d := range cards {
		card(&b, d, &n)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s left out; name files in fileIds or in the prompt to choose.\n\n",
			wording.Count(left, "further file was", "further files were"),
		)
	}
	r.Text, r.Citations = b.String()+wording.Capital(h.told())+"\n", n.List
	r.Limits = append(r.Limits, "Cards quote and count; nothing is paraphrased, "+
		"and what rules cannot find is missing from them.")
	limits(&r, cards...)
	r.SuggestedNext = suggestions("Build a chronology", "List the amounts")

	return r, nil
}

// card writes the card of the one file of a dossier.
func card(b *strings.Builder, d *casereading.Dossier, n *layout.Notes) {
	f := d.Files[0]
	fmt.Fprintf(b, "### %s\n\n", layout.Escape(f.Name))
	kind := "not told by its first lines"
	if f.Title != "" {
		kind = f.Title
	} else if f.Kind != facts.Plain {
		kind = string(f.Kind)
	}
	estimated := ""
	if f.Estimated {
		estimated = " (estimated from its length)"
	}
	fmt.Fprintf(b, "- Type: %s%s; %s%s\n",
		kind, n.Mark(f.TitleAt.Sources()...), wording.Count(f.Pages, "page", "pages"), estimated,
	)
	var items []string

	for _, l := range d.Parties() {
		s := l.String()
		if l.Role != "" {
			s += " (" + l.Role + ")"
		}
		items = append(items, s+firstMark(n, len(items), l.At))
	}
	listed(b, "Parties", items)
	if f.System != "" {
		fmt.Fprintf(b, "- Court: %s%s\n", f.System, n.Mark(f.SystemAt.Sources()...))
	}
	listed(b, "Claims", claimsOf(f, n))
	listed(b, "Defined terms", quotesOf(f.Terms, n))
	listed(b, "Dates", datesOf(d, n))
	listed(b, "Sums", sumsOf(d, n))
	if a := len(d.Authorities); a > 0 {
		fmt.Fprintf(b, "- Cites %s\n", wording.Count(a, "authority", "authorities"))
	}
	if f.Law.Quote != "" {
		fmt.Fprintf(b, "- Governing law%s: %s\n", n.Mark(f.Law.Sources()...), layout.Sentence(f.Law))
	}
	// Duties are sentences, so each has a line of its own.
	if len(f.Duties) > 0 {
		b.WriteString("- Duties, the first that the text states:\n")
	}

	for _, p := range f.Duties[:min(len(f.Duties), cardItems)] {
		fmt.Fprintf(b, "  - %s%s\n", layout.Sentence(p), n.Mark(p.Sources()...))
	}
	b.WriteString("\n")
}

// firstMark marks the place of an item that the card shows, and nothing for one that it leaves out.
func firstMark(n *layout.Notes, i int, p casereading.Place) string {
	if i >= cardItems {
		return ""
	}

	return n.Mark(p.Sources()...)
}

// listed writes the first items of a list in one line.
func listed(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "- %s: %s", title, strings.Join(items[:min(len(items), cardItems)], "; "))
	if more := len(items) - cardItems; more > 0 {
		fmt.Fprintf(b, "; and %d more", more)
	}
	b.WriteString("\n")
}

func claimsOf(f casereading.File, n *layout.Notes) []string {
	var items []string

	for i, c := range f.Claims {
		if !c.At.Withheld {
			items = append(items, layout.Escape(layout.Cut(c.Heading, 80))+firstMark(n, i, c.At))
		}
	}

	return items
}

func quotesOf(places []casereading.Place, n *layout.Notes) []string {
	var items []string

	for _, p := range places {
		if !p.Withheld {
			items = append(items, layout.Escape(p.Quote)+firstMark(n, len(items), p))
		}
	}

	return items
}

func datesOf(d *casereading.Dossier, n *layout.Notes) []string {
	plain, _ := casereading.InOrder(d.Dates)

	var items []string
	for i, x := range plain {
		items = append(items, x.Date.String()+firstMark(n, i, x.At))
	}

	return items
}

func sumsOf(d *casereading.Dossier, n *layout.Notes) []string {
	var items []string
	for i, s := range d.Sums {
		items = append(items, fmt.Sprintf("%s (%s)%s", layout.Money(s.Amount), s.Role, firstMark(n, i, s.At)))
	}

	return items
}
