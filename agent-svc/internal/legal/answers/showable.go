package answers

import (
	"context"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// notShown stands for a line of an answer that is kept back.
const notShown = "(not shown)"

// putTogether says why words that the gate has let pass one by one are not shown.
const putTogether = "put together, the words could be read as an identity. The sources of the answer lead to them."

// lineMark is what a line of Markdown begins with.
var lineMark = regexp.MustCompile(`^(?:\s*- (?:\[[ x]\] )?|#+ |> |\| |\d+\. )?`)

// showable takes out of an answer the lines that could be read as an identity, and says how many they are. Every quote
// has passed the gate by itself, but one that was shortened, or set beside others, may read differently; one such line
// must not cost the reader all the others. What still does not pass after that is left to whoever sends the answer.
func (j *job) showable(ctx context.Context, r *api.PhaseResponse) {
	found := j.gate.Check(ctx, guard.Event, r.Text)
	if len(found) == 0 {
		return
	}
	// A row keeps its day and its place when only its quote cannot stand beside the others.
	if text, left := unquoted(r.Text, found); left > 0 {
		r.Text = text
		r.Limits = append(r.Limits, wording.Count(left, "line of this answer has", "lines of this answer have")+
			" no quote: "+
			putTogether)

		if found = j.gate.Check(ctx, guard.Event, r.Text); len(found) == 0 {
			return
		}
	}
	var b strings.Builder

	hidden, at := 0, 0
	for line := range strings.Lines(r.Text) {
		end := at + len(line)

		held := false
		for _, f := range found {
			held = held || f.Start < end && f.End > at
		}
		if held {
			// The mark of the line stays, so that lists and tables keep their form.
			line = lineMark.FindString(line) + notShown + "\n"
			hidden++
		}
		b.WriteString(line)
		at = end
	}
	r.Text = b.String()
	r.Limits = append(r.Limits, wording.Count(hidden, "line of this answer is", "lines of this answer are")+
		" not shown: "+
		putTogether)
}

// quoteInRow is what a row of a list quotes.
var quoteInRow = regexp.MustCompile(`“[^”]*”`)

// unquoted leaves out the quotes of the lines in which something was found, and counts these lines.
func unquoted(text string, found []guard.Finding) (_ string, left int) {
	var b strings.Builder
	at := 0

	for line := range strings.Lines(text) {
		end := at + len(line)
		for _, f := range found {
			if f.Start < end && f.End > at {
				if bare := quoteInRow.ReplaceAllString(line, "(not quoted)"); bare != line {
					line, left = bare, left+1
				}

				break
			}
		}
		b.WriteString(line)
		at = end
	}

	return b.String(), left
}
