package legal

import (
	"context"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// notShown stands for a line of an answer that is kept back.
const notShown = "(not shown)"

// lineMark is what a line of Markdown begins with.
var lineMark = regexp.MustCompile(`^(?:\s*- (?:\[[ x]\] )?|#+ |> |\| |\d+\. )?`)

// showable takes out of an answer the lines that could be read as an identity, and says how many they are. Every quote has passed the gate by
// itself, but one that was shortened, or set beside others, may read differently; one such line must not cost the reader all the others. What
// still does not pass after that is left to whoever sends the answer.
func (j *job) showable(ctx context.Context, r *api.PhaseResponse) {
	found := j.gate.Check(ctx, guard.Event, r.Text)
	if len(found) == 0 {
		return
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
			line = lineMark.FindString(line) + notShown + "\n"
			hidden++
		}
		b.WriteString(line)
		at = end
	}
	r.Text = b.String()
	r.Limits = append(r.Limits, count(hidden, "line of this answer is", "lines of this answer are")+" not shown: put together, the words could be read as an identity. The sources of the answer lead to them.")
}
