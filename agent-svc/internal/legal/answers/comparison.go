package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/compare"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

const (
	mostCompared  = 4 << 20 // bytes of a text
	shownChanges  = 60      // of one list
	offeredFiles  = 20
	oneOrTheOther = "Which two files shall be compared? Name both in fileIds, or by their names in the prompt."
)

var _ = offer(ability{
	intent: intent.Compare, prompt: "Compare the two files",
	does: "lists what differs between two files, changed dates, sums, numbers and defined terms first",
	run:  (*job).compare,
})

// compare sets two files side by side.
func (j *job) compare(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read two files, list what differs", "list_files", "compare_files")
	h, err := j.hold(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	two := j.chosen(h.readable)
	if len(two) != 2 {
		return j.whichFiles(h), nil
	}
	done := j.report.Tool("compare_files", "Comparing two files", two[0].FileID, two[1].FileID)

	var bodies [2]api.FileText
	for i, f := range two {
		bodies[i], err = j.text(ctx, f)
		switch {
		// The file was there when the files were listed: somebody has deleted it since.
		case errors.Is(err, errs.ErrNotFound):
			done("refused", "A file is no longer there")
			return api.PhaseResponse{}, legal.ErrFileUnreadable
		case err != nil:
			done("failed", "A file could not be read")
			return api.PhaseResponse{}, err
		// Comparing takes a multiple of the texts' length in memory.
		case len(bodies[i].Text) > mostCompared:
			done("refused", "A file is too long to be compared")
			r := legal.NewAnswer(api.KindClarification)
			r.Text = "One of the two files is longer than this release compares (4 MiB of text). " +
				"Compare shorter parts of it.\n"

			return r, nil
		}
		j.report.Read(1)
	}
	j.report.Reasoning("Comparing the two files sentence by sentence")
	result := compare.Texts(bodies[0].Text, bodies[1].Text)
	done(outcome(len(result.Changes)), wording.Count(len(result.Changes), "difference", "differences")+" found")
	r := legal.NewAnswer(api.KindComparison)
	s := sides{
		before: casereading.NewQuoter(ctx, j.gate, two[0], bodies[0]),
		after:  casereading.NewQuoter(ctx, j.gate, two[1], bodies[1]),
	}
	r.Text = s.text(two, result)
	r.Citations = s.notes.List
	r.Limits = append(r.Limits, "Sentences are compared word by word, not by what they mean; "+
		"one that was moved counts as removed and added.")
	if result.Full {
		r.Limits = append(r.Limits, "Of a very long file only the first 100,000 sentences were compared.")
	}
	if places, names := (holdings{readable: two}).places(); places > 0 {
		unread := wording.Count(places, "place", "places")
		r.Limits = append(r.Limits, fmt.Sprintf(
			"%s in %s could not be read (pages and pictures), so differences there are not found.",
			wording.Capital(unread), strings.Join(names, " and "),
		))
	}
	if n := s.before.Withheld + s.after.Withheld; n > 0 {
		r.Limits = append(r.Limits, notQuoted(n))
	}
	r.SuggestedNext = suggestions("Summarise the files", "List the deadlines")

	return r, nil
}

// chosen returns the two files that the task names, by id or in its prompt, the older first; without names, the only
// two there are, drafts of ours left out.
func (j *job) chosen(files []api.File) []api.File {
	if len(j.FileIDs) > 0 {
		return files
	}
	named := namedIn(j.Prompt, files)
	if len(named) == 0 {
		// Where only two files of people are there, nobody has to name them.
		if found := slices.DeleteFunc(slices.Clone(files), generated); len(found) == 2 {
			return found
		}
		if len(files) == 2 {
			return files
		}
	}

	return named
}

// whichFiles asks which files are meant.
func (j *job) whichFiles(h holdings) api.PhaseResponse {
	r := legal.NewAnswer(api.KindClarification)
	r.Questions = []string{oneOrTheOther}
	var b strings.Builder

	switch {
	case len(h.readable) < 2:
		b.WriteString("It takes two readable files to compare.\n\n" + wording.Capital(h.told()) + "\n")
		r.Questions = nil
	default:
		b.WriteString(oneOrTheOther + " These can be read:\n\n")
	}

	for _, f := range h.readable[:min(len(h.readable), offeredFiles)] {
		fmt.Fprintf(&b, "- %s (%s)\n", layout.Escape(f.Name), f.FileID)
	}
	if more := len(h.readable) - offeredFiles; more > 0 {
		fmt.Fprintf(&b, "- and %s\n", wording.Count(more, "other", "others"))
	}
	r.Text = b.String()

	return r
}

// sides writes a comparison.
type sides struct {
	before, after *casereading.Quoter
	notes         layout.Notes
}

func (s *sides) text(two []api.File, result compare.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Before**: %s. **After**: %s.\n\n", layout.Escape(two[0].Name), layout.Escape(two[1].Name))
	var telling, worded, gone, come []compare.Change

	for _, c := range result.Changes {
		switch {
		// What changes a date or a sum comes first, however little of the sentence it is.
		case c.Telling():
			telling = append(telling, c)
		case c.Changed():
			worded = append(worded, c)
		case c.Before.End > 0:
			gone = append(gone, c)
		default:
			come = append(come, c)
		}
	}
	if strangers(result) {
		b.WriteString("The two files share hardly a sentence. They do not seem to be versions of one text, " +
			"so the list below says little.\n\n")
	}
	if len(result.Changes) == 0 {
		b.WriteString("The two texts say the same, white space aside.\n\n")
	}
	s.list(&b, "Changed dates, sums, numbers and defined terms", telling)
	s.list(&b, "Changed in other words", worded)
	s.list(&b, "Only in the first", gone)
	s.list(&b, "Only in the second", come)
	fmt.Fprintf(&b, "%s the same in both.\n", wording.Count(result.Same, "sentence is", "sentences are"))

	return b.String()
}

// strangers reports whether two texts have so little in common that one is no version of the other.
func strangers(r compare.Result) bool {
	const few, share = 10, 10 // sentences that tell something; one in so many
	return r.Same+len(r.Changes) >= few && r.Same*share < r.Same+len(r.Changes)
}

func (s *sides) list(b *strings.Builder, title string, changes []compare.Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s (%d)\n\n", title, len(changes))

	for _, c := range changes[:min(len(changes), shownChanges)] {
		b.WriteString("- ")
		b.WriteString(strings.Join(slices.DeleteFunc([]string{
			changedTo("dates", c.Dates), changedTo("sums", c.Sums),
			changedTo("numbers", c.Numbers), changedTo("terms", c.Terms),
		}, func(s string) bool { return s == "" }), "; "))
		if c.Telling() {
			b.WriteString("\n  ")
		}
		if c.Before.End > 0 {
			b.WriteString("before" + s.quote(s.before, c.Before))
		}
		if c.Changed() {
			b.WriteString("\n  ")
		}
		if c.After.End > 0 {
			b.WriteString("after" + s.quote(s.after, c.After))
		}
		b.WriteString("\n")
	}
	if more := len(changes) - shownChanges; more > 0 {
		fmt.Fprintf(b, "\n%s not shown.\n", wording.Count(more, "further one is", "further ones are"))
	}
	b.WriteString("\n")
}

// quote writes a sentence of one side with its source.
func (s *sides) quote(q *casereading.Quoter, span facts.Span) string {
	at := q.Beginning(span)
	page := ""
	if at.Page > 0 {
		page = fmt.Sprintf(", page %d", at.Page)
	}

	return page + s.notes.Mark(at.Sources()...) + ": " + layout.Sentence(at)
}

// changedTo names what was changed into what.
func changedTo(what string, p compare.Pair) string {
	if len(p.Before)+len(p.After) == 0 {
		return ""
	}
	side := func(list []string) string {
		escaped := make([]string, len(list))
		for i, s := range list {
			escaped[i] = layout.Escape(s)
		}

		return cmp.Or(strings.Join(escaped, ", "), "none")
	}

	return "**" + what + "**: " + side(p.Before) + " → " + side(p.After)
}
