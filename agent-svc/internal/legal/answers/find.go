package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

const (
	bestPassages  = 5
	readPassages  = 30 // among which the best of each file are chosen
	shownWords    = 12 // of those that matched in a passage
	mostHeld      = 5  // places of passages that may not be quoted
	unshownReason = "put on one line, could be read as an identity"
)

var _ = offer(ability{
	intent: intent.Find, prompt: "What does the lease say about late charges?",
	does: "quotes the passages that match a question best, with file and page; a phrase in quotation marks " +
		"must stand there word for word",
	run: (*job).find,
})

// find answers a question by the passages that match it best, quoted in that order.
func (j *job) find(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: find the passages that answer best", "search_passages")
	// A file that the task names and nobody can read is an error, which the search would pass over.
	if len(j.FileIDs) > 0 {
		if _, err := j.hold(ctx); err != nil {
			return api.PhaseResponse{}, err
		}
	}
	done := j.report.Tool("search_passages", "Searching the files of the case", j.Prompt)
	found, err := j.sources.Search(ctx, j.Prompt, j.FileIDs, readPassages)
	if err != nil {
		done("failed", "The search failed")
		return api.PhaseResponse{}, err
	}
	j.nameFiles(ctx, found.Hits)
	j.report.Read(len(found.Hits))
	r := legal.NewAnswer(api.KindAnswer)
	r.Limits = append(r.Limits, "Only the files of the case were searched: what the law is, this answer does not say.")
	r.SuggestedNext = suggestions("Summarise the files", "Build a chronology")

	p := foundPassages{found: found, notice: noticeIn(tongue(j.Task) + heldIn)}
	var last []api.SearchHit

	for _, h := range choose(found.Hits) {
		switch best, ok := j.quotable(ctx, h); {
		case !ok:
			p.held = append(p.held, j.holdBack(ctx, h, false))
		case !strings.Contains(best.Source.Quote, h.Source.Quote):
			p.held = append(p.held, j.holdBack(ctx, h, true))
			if held := matchedIn(best.Source.Quote, h.Matched); 2*held <= len(h.Matched) {
				// What is quoted says too little of what was found to stand among the best.
				last = append(last, best)
			} else {
				p.shown = append(p.shown, best)
			}
		default:
			p.shown = append(p.shown, best)
		}
	}
	p.shown = strongFirst(append(p.shown, last...))
	p.shown = append(p.shown, j.beside(ctx, p.shown)...)
	if len(p.held) > 0 {
		r.HumanReview.DeepLink = j.Links(deeplink.RedactFile)
	}
	done(
		outcome(len(p.shown)),
		fmt.Sprintf("%s in %s", wording.Counted(len(p.shown), "passage"), wording.Counted(filesOf(p.shown), "file")),
	)
	r.Text, r.Citations = p.text(func(text string) bool { return j.clean(ctx, text) })

	// A quote that passes by itself may not beside the others.
	// Each turn takes something out of the text, so the loop ends.
	for {
		findings := j.gate.Check(ctx, guard.Event, r.Text)
		if len(findings) == 0 || !p.narrow(findings, r.Text) {
			break
		}
		r.Text, r.Citations = p.text(func(text string) bool { return j.clean(ctx, text) })
	}

	return r, nil
}

// weak reports whether a passage has no word of the question, nor another for it, but words near to one in meaning.
func weak(h api.SearchHit) bool { return len(h.Near) > 0 && len(h.Near) == len(h.Matched) }

const mostWeak = 2 // weak passages beside others

// strongFirst puts the passages that have words of the question before the weak ones, of which few stay.
func strongFirst(list []api.SearchHit) []api.SearchHit {
	var strong, hints []api.SearchHit

	for _, h := range list {
		if weak(h) {
			hints = append(hints, h)
		} else {
			strong = append(strong, h)
		}
	}
	if len(strong) > 0 {
		hints = hints[:min(len(hints), mostWeak)]
	}

	return append(strong, hints...)
}

// beside returns further clauses of the passages that are shown, one for each: the one with most of the words of the
// question that the quote of its passage does not have, or else one of another paragraph that has as many as the quote.
func (j *job) beside(ctx context.Context, shown []api.SearchHit) []api.SearchHit {
	var list []api.SearchHit

	for _, h := range shown[:min(len(shown), bestPassages)] {
		start, ok := passageStart(h)
		if !ok {
			continue
		}
		// A clause is worth showing only for words that the quote lacks.
		missing := slices.DeleteFunc(slices.Clone(h.Matched), func(w string) bool {
			return matchedIn(h.Source.Quote, []string{w}) > 0
		})
		runes, most := []rune(h.Text), 0
		var best api.SearchHit

		for _, c := range search.Clauses(h.Text) {
			quote := facts.Fold(string(runes[c[0]:c[1]]))
			part := h
			part.Source.CharStart, part.Source.CharEnd, part.Source.Quote = start+c[0], start+c[1], quote
			// A heading answers nothing.
			if search.IsHeading(string(runes[c[0]:c[1]])) {
				continue
			}
			held := 2 * matchedIn(quote, missing)
			// What says as much as the quote may be what was asked for.
			if outside(h, part) && matchedIn(quote, h.Matched) >= matchedIn(h.Source.Quote, h.Matched) {
				held++
			}
			if held <= most || c[1]-c[0] > facts.MaxQuote || !j.clean(ctx, quote) || !j.clean(ctx, passage(part)) {
				continue
			}
			most, best = held, part
		}
		if most > 0 {
			list = append(list, best)
		}
	}

	return list
}

// outside reports whether a part of a passage stands outside of its quote.
func outside(h, part api.SearchHit) bool {
	return part.Source.CharEnd <= h.Source.CharStart || part.Source.CharStart >= h.Source.CharEnd
}

// quotable returns a passage with a quote that the gate lets be shown: its own, or else the sentence of the passage
// with the most words of the question. ok is false when there is none.
func (j *job) quotable(ctx context.Context, h api.SearchHit) (_ api.SearchHit, ok bool) {
	if j.clean(ctx, h.Source.Quote) && j.clean(ctx, passage(h)) {
		return h, true
	}
	start, ok := passageStart(h)
	if !ok {
		return h, false
	}
	if wider, found := j.widened(ctx, h, start); found {
		return wider, true
	}
	runes := []rune(h.Text)
	best := 0
	shown := h

	for _, c := range withBodies(runes, search.Clauses(h.Text)) {
		quote := facts.Fold(string(runes[c[0]:c[1]]))
		held := matchedIn(quote, h.Matched)
		// A heading answers nothing, and the gate tends to read it as a name.
		if search.IsHeading(string(runes[c[0]:c[1]])) {
			continue
		}
		part := h
		part.Source.CharStart, part.Source.CharEnd, part.Source.Quote = start+c[0], start+c[1], quote
		if held <= best || c[1]-c[0] > facts.MaxQuote || !j.clean(ctx, quote) || !j.clean(ctx, passage(part)) {
			continue
		}
		best, shown = held, part
	}

	return shown, best > 0
}

// widened returns a passage with the clause behind its quote, or the one before it, where the gate lets both be shown
// together: a few words of another language or a heading alone read as a name sooner than with their neighbours.
func (j *job) widened(ctx context.Context, h api.SearchHit, start int) (api.SearchHit, bool) {
	runes := []rune(h.Text)
	from, to := h.Source.CharStart-start, h.Source.CharEnd-start
	before, behind := -1, -1

	for _, c := range search.Clauses(h.Text) {
		if c[1] <= from {
			before = c[0]
		}
		if behind < 0 && c[0] >= to {
			behind = c[1]
		}
	}

	for _, span := range [][2]int{{from, behind}, {before, to}} {
		if span[0] < 0 || span[1] < 0 || span[1]-span[0] > facts.MaxQuote {
			continue
		}
		wider := h
		wider.Source.CharStart, wider.Source.CharEnd = start+span[0], start+span[1]

		wider.Source.Quote = facts.Fold(string(runes[span[0]:span[1]]))
		if j.clean(ctx, wider.Source.Quote) && j.clean(ctx, passage(wider)) {
			return wider, true
		}
	}

	return h, false
}

// withBodies adds to clauses that begin with the line of a heading what stands below it: the gate can take a heading
// for a part of a name.
func withBodies(runes []rune, list [][2]int) [][2]int {
	var all [][2]int

	for _, c := range list {
		all = append(all, c)
		// The clause stays in the list too: with its heading it may pass.
		if at := slices.Index(runes[c[0]:c[1]], '\n'); at > 0 {
			start := c[0] + at
			for start < c[1] && unicode.IsSpace(runes[start]) {
				start++
			}
			all = append(all, [2]int{start, c[1]})
		}
	}

	return all
}

// matchedIn counts the words that matched and that a quote has.
func matchedIn(quote string, words []string) int {
	in := search.Words(quote)
	held := 0

	for _, m := range words {
		if slices.ContainsFunc(in, func(w string) bool { return strings.EqualFold(m, w) }) {
			held++
		}
	}

	return held
}

// passage writes what a search found. The words of a source are folded, so an empty cell is lost there and the sum
// behind it moves to another column. Rows of a table are therefore written line by line, with a stroke between cells.
func passage(h api.SearchHit) string {
	start, ok := passageStart(h)
	runes := []rune(h.Text)
	from, to := h.Source.CharStart-start, h.Source.CharEnd-start

	// The offsets come from a service and a stored text, which a newer version of the file may not match.
	inside := ok && 0 <= from && from <= to && to <= len(runes)
	if !inside || !slices.Contains(runes[from:to], '\t') {
		return layout.Quotation(h.Source.Quote)
	}

	// A row may begin with an empty cell.
	for from > 0 && (runes[from-1] == '\t' || runes[from-1] == ' ') {
		from--
	}

	var rows []string

	for line := range strings.SplitSeq(string(runes[from:to]), "\n") {
		cells := strings.Split(line, "\t")
		for i, cell := range cells {
			cells[i] = facts.Fold(cell)
		}
		if row := strings.Join(cells, " | "); strings.Trim(row, " |") != "" {
			rows = append(rows, layout.Escape(row))
		}
	}

	return "> " + strings.Join(rows, "  \n> ") + "\n"
}

// passageStart returns where the passage of a hit begins in its file, in code points: its quote stands in it.
func passageStart(h api.SearchHit) (start int, ok bool) {
	runes := []rune(h.Text)

	n := h.Source.CharEnd - h.Source.CharStart
	// The hit says where its quote stands in the file, not where the passage does.
	for i := 0; n > 0 && i+n <= len(runes); i++ {
		if foldsTo(runes[i:i+n], h.Source.Quote) {
			return h.Source.CharStart - i, true
		}
	}

	return 0, false
}

// foldsTo reports whether facts.Fold makes this quote of the code points, without making it: a quote is looked for at
// every place of its passage, and almost all of them differ in their first letter.
func foldsTo(runes []rune, quote string) bool {
	rest, gap := quote, false

	for _, r := range runes {
		if unicode.IsSpace(r) {
			gap = len(rest) < len(quote) // spaces at the beginning fall away
			continue
		}
		if gap {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, " "); !ok {
				return false
			}
			gap = false
		}

		next, width := utf8.DecodeRuneInString(rest)
		if next != r || width == 0 {
			return false
		}
		rest = rest[width:]
	}

	return rest == ""
}

// choose takes the best passages of a search: first the best of each file, then the next best, each quote once. They
// keep their order.
func choose(hits []api.SearchHit) []api.SearchHit {
	var rest []int
	chosen := map[int]bool{}
	files, quotes := map[string]bool{}, map[string]bool{}

	for i, h := range hits {
		switch {
		case quotes[h.Source.Quote]:
			continue
		// One long file must not crowd out the only passage of another.
		case !files[h.Source.FileID] && len(chosen) < bestPassages:
			chosen[i] = true
		default:
			rest = append(rest, i)
		}
		files[h.Source.FileID], quotes[h.Source.Quote] = true, true
	}

	for _, i := range rest[:min(len(rest), bestPassages-len(chosen))] {
		chosen[i] = true
	}
	list := make([]api.SearchHit, 0, len(chosen))

	for i, h := range hits {
		if chosen[i] {
			list = append(list, h)
		}
	}

	return list
}

func outcome(n int) string {
	if n == 0 {
		return "empty"
	}

	return "ok"
}

func filesOf(hits []api.SearchHit) int {
	files := map[string]bool{}
	for _, h := range hits {
		files[h.Source.FileID] = true
	}

	return len(files)
}

// clean reports whether a text may be shown.
func (j *job) clean(ctx context.Context, text string) bool {
	return len(j.gate.Check(ctx, guard.Event, text)) == 0
}

// foundPassages are what a search found, parted by whether the gate lets their words be shown.
type foundPassages struct {
	found api.SearchResult
	shown []api.SearchHit
	held  []heldBack
	// notice says in the language of the question that passages are held back, "" in English.
	notice string
	// apart are the places whose words stand in the list of sources alone: there each is judged by itself.
	apart map[api.SourceRef]bool
	// leftOut counts what of our own words is left out of the text: those that matched, then the headings of places.
	leftOut int
}

// What foundPassages leaves out of its text, one after the other.
const (
	withoutMatched = 1 + iota
	withoutHeadings
)

// narrow takes out of the text what makes the gate find something in it: first the words of ours beside the quotes,
// then the quotes in which something was found. It reports whether there was anything to take out.
func (p *foundPassages) narrow(findings []guard.Finding, text string) bool {
	if p.leftOut < withoutHeadings {
		p.leftOut++
		return true
	}
	if p.apart == nil {
		p.apart = map[api.SourceRef]bool{}
	}
	before := len(p.apart)

	for _, h := range p.shown {
		quote := passage(h)
		at := strings.Index(text, quote)

		for _, f := range findings {
			// A finding that only touches the quote counts as well: the name may reach into it.
			if at >= 0 && f.Start < at+len(quote) && f.End > at {
				p.apart[h.Source.Place()] = true
			}
		}
	}

	return len(p.apart) > before
}

// text quotes the passages, or says plainly that there are none. What may not be quoted is counted in the first line
// and named by its place: an answer that left it out would look complete. clean says whether a text may be shown.
func (p foundPassages) text(clean func(string) bool) (string, []api.Citation) {
	var b strings.Builder
	var n layout.Notes

	b.WriteString(p.headline() + "\n\n")

	for i, h := range p.shown {
		words := passage(h)
		if p.apart[h.Source.Place()] {
			words = "The words " + api.InSourcesAlone + ".\n"
		}
		fmt.Fprintf(&b, "**%d. %s**%s\n\n%s\n", i+1, placeOf(h), n.Mark(h.Source), words)
		if p.leftOut < withoutMatched {
			b.WriteString(matchedLine(h, clean))
		}
	}
	b.WriteString(p.heldList())
	fmt.Fprintf(&b, "%s read", wording.Count(p.found.FilesRead, "file was", "files were"))
	if p.found.FilesUnreadable > 0 {
		files := wording.Count(p.found.FilesUnreadable, "file could", "files could")
		fmt.Fprintf(&b, "; %s not be read (scans and the like, or not proved to be de-identified)", files)
	}
	if p.found.PlacesUnread > 0 {
		places := wording.Count(p.found.PlacesUnread, "page or picture was", "pages and pictures were")
		fmt.Fprintf(&b, "; in them %s not read", places)
	}
	b.WriteString(".\n")

	return b.String(), n.List
}

// headline says how many passages there are, and how many of them are not quoted.
func (p foundPassages) headline() string {
	held := p.heldFirst()
	if len(p.found.Absent) > 0 {
		held += " " + p.absent()
	}

	held = strings.TrimSpace(held)

	switch {
	case len(p.shown)+len(p.held) == 0 && p.found.FilesRead == 0:
		return "There is no readable file to look into."
	case len(p.shown)+len(p.held) == 0:
		return fmt.Sprintf("No passage of %s matches the words of this question.%s Try other words of the same "+
			"meaning, or put a phrase that must stand there in quotation marks; Help lists what can be asked.",
			wording.Count(p.found.FilesRead, "readable file", "readable files"), spaced(held))
	case len(p.shown) == 0:
		return wording.Capital(held)
	case !slices.ContainsFunc(p.shown, func(h api.SearchHit) bool { return !weak(h) }):
		return fmt.Sprintf("No passage of %s has the words of this question, or others for them.%s %s with words "+
			"that are near to them in meaning %s: a hint, and no more.",
			wording.Count(p.found.FilesRead, "readable file", "readable files"), spaced(held),
			wording.Count(len(p.shown), "passage", "passages"), oneOf(len(p.shown), "follows", "follow"))
	case held != "":
		held = " " + wording.Capital(held)
	}

	return fmt.Sprintf("%s, the best first.%s They are quoted as they stand; whether they answer the question is "+
		"for the reader to judge.",
		wording.Count(len(p.shown), "passage matches", "passages match"), held)
}

// matchedLine says which words of a quote matched.
func matchedLine(h api.SearchHit, clean func(string) bool) string {
	label := "Matched"
	if weak(h) {
		label = "Only near in meaning"
	}
	words := matched(inQuote(h))
	// Words taken out of their sentences can read as a name where the sentences do not.
	if words == "" || !clean(words) {
		return ""
	}

	return fmt.Sprintf("%s: %s\n\n", label, words)
}

const shownAbsent = 6 // words that no file has

// absent names the words of the question that no file has, nor others for them.
func (p foundPassages) absent() string {
	list := p.found.Absent[:min(len(p.found.Absent), shownAbsent)]
	return "No file has these words of the question, or others for them: " + layout.Escape(strings.Join(list, ", ")) + "."
}

// placeOf names the file and the page of a passage, or its paragraph where the file has no pages.
func placeOf(h api.SearchHit) string {
	switch name := layout.Escape(h.FileName); {
	case h.Source.Page > 0:
		return fmt.Sprintf("%s, page %d", name, h.Source.Page)
	case h.Source.Paragraph > 0:
		return fmt.Sprintf("%s, paragraph %d", name, h.Source.Paragraph)
	default:
		return name
	}
}

func spaced(s string) string {
	if s == "" {
		return ""
	}

	return " " + s
}

func oneOf(n int, one, many string) string {
	if n == 1 {
		return one
	}

	return many
}

// inQuote returns the words that matched and stand in the quote of a passage.
func inQuote(h api.SearchHit) []string {
	return slices.DeleteFunc(slices.Clone(h.Matched), func(w string) bool {
		return matchedIn(h.Source.Quote, []string{w}) == 0
	})
}

func matched(words []string) string {
	list := make([]string, 0, shownWords)
	for _, w := range words[:min(len(words), shownWords)] {
		list = append(list, layout.Escape(w))
	}

	return strings.Join(list, ", ")
}
